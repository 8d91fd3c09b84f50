//! Which stops are told, to whom, and which are none of the user's business.

use wayfarer_backend::{
    Action, BreakpointHit, BreakpointId, Delivery, StepEnd, StopReason, StopScope,
};
use wayfarer_debugger::{HandleAction, Run};

use crate::bench::{Bench, GO, is_free};

fn hit(number: u64) -> StopReason {
    StopReason::Breakpoint(BreakpointHit {
        ids: vec![BreakpointId(number)],
        failures: Vec::new(),
    })
}

#[test]
fn several_at_once_are_told_together_the_followed_one_first() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("many", 3);
    bench.set("*0x401000");
    let (two, one) = (threads[1], threads[0]);
    bench.when_resumed(move |world| {
        for thread in [one, two] {
            world.registers(thread, |general| general.rip = 0x40_1000);
        }
        world.stop_together(vec![(two, hit(1)), (one, hit(1))], None);
    });
    bench.told();
    let stops = ["1.1 breakpoint 1 0x401000 *", "1.2 breakpoint 1 0x401000"];
    assert_eq!(bench.run(GO), stops);
    assert_eq!(bench.told(), stops);
    assert!(bench.debugger.pump().expect("no news").is_empty());
}

#[test]
fn a_stop_of_another_thread_ends_a_step() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    bench.set("*0x401000");
    let other = threads[1];
    bench.when_resumed(move |world| world.reach(other, 0x40_1000));
    let step = Run::StepInstruction { count: 3 };
    assert_eq!(bench.run(step), ["1.2 breakpoint 1 0x401000 *"]);
    // The step is over: who stepped runs freely when everybody goes on.
    bench.resumed();
    bench.when_resumed(move |world| world.signal(other, 11));
    assert_eq!(bench.run(GO), ["1.2 SIGSEGV 0x401000 *"]);
    let asked = bench.resumed();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].iter().all(is_free), "{asked:?}");
}

#[test]
fn a_step_goes_on_after_a_stop_that_is_nobodys_business() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    // The condition reads what no agent can: it is decided here.
    let number = bench.set("*0x401000 if $count == 1");
    bench.at().evaluate("$count = 0", None).expect("set");
    let (one, other) = (threads[0], threads[1]);
    bench.when_resumed(move |world| world.reach(other, 0x40_1000));
    bench.when_resumed(move |world| world.step_ends(one, StepEnd::Left, 0x40_0004));
    bench.resumed();
    let step = Run::StepInstruction { count: 1 };
    assert_eq!(bench.run(step), ["1.1 step 0x400004 *"]);
    let asked = bench.resumed();
    // Only the other one had been stopped, and only it is resumed.
    assert_eq!(asked.len(), 2);
    assert!(asked[1].iter().all(is_free), "{asked:?}");
    assert_eq!(bench.counts(number), (0, 0));
}

#[test]
fn steps_are_counted_and_each_goes_by_its_own_action() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    for step in 1..=3 {
        bench.when_resumed(move |world| world.step_ends(one, StepEnd::Left, 0x40_0000 + step));
    }
    bench.resumed();
    let step = Run::StepInstruction { count: 3 };
    assert_eq!(bench.run(step), ["1.1 step 0x400003 *"]);
    let asked = bench.resumed();
    assert_eq!(asked.len(), 3);
    let single = Action::Instructions {
        count: 1,
        over_calls: false,
    };
    for actions in asked {
        assert_eq!(actions[0].action, single);
    }
    assert!(bench.fake.is_over());
}

#[test]
fn signals_do_what_the_table_says() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let quiet = [HandleAction::NoStop, HandleAction::Print];
    bench
        .debugger
        .handle_signals(&["SIGUSR1"], &quiet)
        .expect("known");
    bench.told();
    bench.when_resumed(move |world| {
        world.signal(one, 10);
        world.signal(one, 12);
    });
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400000 *"]);
    assert_eq!(bench.told(), ["1.1 saw SIGUSR1", "1.1 SIGUSR2 0x400000 *"]);
    // It goes on with the signal that it was stopped with, with none, or with another.
    bench.resumed();
    for (how, signal) in [
        (GO, Delivery::AsStopped),
        (Run::Signal("0".to_owned()), Delivery::Nothing),
        (Run::Signal("SIGHUP".to_owned()), Delivery::Signal(1)),
    ] {
        bench.when_resumed(move |world| world.signal(one, 12));
        bench.run(how);
        let asked = bench.resumed();
        assert_eq!(asked[0][0].signal, signal);
    }
}

#[test]
fn a_caught_signal_is_the_catchpoints() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let caught = wayfarer_debugger::CatchSpec::Signal(vec!["SIGCHLD".to_owned()]);
    let added = bench.debugger.add_catchpoint(caught, false);
    let number = added.expect("added").number;
    bench.when_resumed(move |world| world.signal(one, 17));
    assert_eq!(bench.run(GO), ["1.1 catch 1 signal 0x400000 *"]);
    assert_eq!(bench.counts(number).0, 1);
    // Without it the signal passes silently, as the table says.
    bench.debugger.delete_breakpoint(number).expect("deleted");
    bench.told();
    bench.when_resumed(move |world| {
        world.signal(one, 17);
        world.stop(one, StopReason::Trap);
    });
    assert_eq!(bench.run(GO), ["1.1 SIGTRAP 0x400000 *"]);
    assert_eq!(bench.told(), ["1.1 SIGTRAP 0x400000 *"]);
}

#[test]
fn what_the_scope_leaves_running_is_stopped_where_it_must_be() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("two", 2);
    // Decided here, the hit stops one thread only; when it is told, the others stop too.
    bench.set("*0x401000 if $rip != $nothing");
    let (one, other) = (threads[0], threads[1]);
    bench.when_resumed(move |world| world.reach(one, 0x40_1000));
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert!(!bench.fake.act(|world| world.runs(other)));
    assert!(!bench.debugger.is_running());
    // With `set stop thread` they go on.
    bench.debugger.set("stop", "thread").expect("a setting");
    bench.when_resumed(move |world| {
        world.stop_together(vec![(one, StopReason::Trap)], Some(StopScope::Thread));
    });
    assert_eq!(bench.run(GO), ["1.1 SIGTRAP 0x401000 *"]);
    assert!(bench.fake.act(|world| world.runs(other)));
    assert!(bench.debugger.is_running());
    assert_eq!(bench.fake.act(|world| world.threads_of(process)).len(), 2);
}

#[test]
fn what_happened_to_a_standing_thread_is_told_when_it_goes_on() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let other = threads[1];
    bench
        .fake
        .act(|world| world.happen_while_stopped(other, StopReason::Trap));
    assert_eq!(bench.run(GO), ["1.2 SIGTRAP 0x400000 *"]);
    assert!(!bench.debugger.is_running());
}
