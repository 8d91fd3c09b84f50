//! Several back ends in one session. Their ids are the same numbers, and mean others.

use std::sync::Arc;

use wayfarer_backend::{ProcessId, ThreadId};
use wayfarer_debugger::{AgentId, BreakpointSpec, DebuggerError, Launch, Run, Set, StackFrame};
use wayfarer_fake_backend::{Call, Fake, Request};

use crate::bench::{Bench, GO, add_fake, first_frame, invent};

/// A process in each of two back ends.
struct Two {
    bench: Bench,
    other: Arc<Fake>,
    /// What both are called, each by its own.
    process: ProcessId,
    thread: ThreadId,
}

fn two() -> Two {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("near", 1);
    let (agent, other) = add_fake(&mut bench.debugger);
    other.act(|world| invent(world, "far", 1));
    let what = Launch {
        agent: Some(agent),
        ..Launch::default()
    };
    let frame = first_frame(bench.debugger.launch(what));
    assert_eq!((agent, frame.thread.process), (AgentId(1), 2));
    let far = other.act(|world| world.threads_of(process));
    assert_eq!(far, threads);
    bench.told();
    bench.fake.news();
    other.news();
    Two {
        bench,
        other,
        process,
        thread: threads[0],
    }
}

#[test]
fn a_stop_in_one_stops_the_other() {
    let Two {
        mut bench,
        other,
        thread,
        ..
    } = two();
    other.then(Call::Resume, move |world| world.signal(thread, 12));
    assert_eq!(bench.run(GO), ["2.1 SIGUSR2 0x400000 *"]);
    assert_eq!(bench.told(), ["2.1 SIGUSR2 0x400000 *"]);
    assert!(!bench.fake.act(|world| world.runs(thread)));
    assert!(!bench.debugger.is_running());
    // And the other way round: ids are the same, threads are not.
    bench.when_resumed(move |world| world.signal(thread, 11));
    assert_eq!(bench.run(GO), ["1.1 SIGSEGV 0x400000 *"]);
    assert!(!other.act(|world| world.runs(thread)));
}

#[test]
fn a_step_in_one_is_not_the_others() {
    use wayfarer_backend::{Action, StepEnd};
    let Two {
        mut bench,
        other,
        thread,
        ..
    } = two();
    bench.when_resumed(move |world| world.step_ends(thread, StepEnd::Left, 0x40_0004));
    let step = Run::StepInstruction { count: 1 };
    assert_eq!(bench.run(step), ["1.1 step 0x400004 *"]);
    let free = other.news().into_iter().any(|request| match request {
        Request::Resume(actions) => actions.iter().all(|one| one.action == Action::Continue),
        _ => false,
    });
    assert!(free, "who does not step runs freely");
}

#[test]
fn everybody_is_halted_everywhere() {
    let Two {
        mut bench,
        other,
        thread,
        ..
    } = two();
    let interrupter = bench.debugger.interrupter();
    other.then(Call::Resume, move |_| interrupter.halt());
    assert_eq!(bench.run(GO), ["1.1 halted 0x400000 *"]);
    assert!(!bench.fake.act(|world| world.runs(thread)));
    assert!(!other.act(|world| world.runs(thread)));
}

#[test]
fn each_is_asked_for_what_it_has() {
    let Two {
        mut bench,
        other,
        process,
        thread,
    } = two();
    bench.fake.act(|world| {
        world.write(process, 0x60_0000, &[1, 0, 0, 0]);
        world.registers(thread, |general| general.rax = 1);
    });
    other.act(|world| {
        world.write(process, 0x60_0000, &[2, 0, 0, 0]);
        world.registers(thread, |general| general.rax = 2);
    });
    other.then(Call::Resume, move |world| world.signal(thread, 12));
    bench.run(GO);
    for number in [1, 2] {
        let frame = bench.debugger.stand_in(number).map(StackFrame::innermost);
        let mut value = |expression: &str| {
            let value = bench.debugger.at(frame).evaluate(expression, None);
            value.expect("a value").text
        };
        assert_eq!(value("*(int *) 0x600000"), number.to_string());
        assert_eq!(value("$rax"), number.to_string());
    }
    bench
        .debugger
        .hold(&Set::parse("far").expect("a set"))
        .expect("held");
    assert!(other.act(|world| world.is_held(thread)));
    assert!(!bench.fake.act(|world| world.is_held(thread)));
}

#[test]
fn hits_are_summed_and_passed_over_together() {
    let Two {
        mut bench,
        other,
        thread,
        ..
    } = two();
    let number = bench.set("*0x401000");
    bench.debugger.set_ignore(number, 1).expect("there");
    bench.when_resumed(move |world| {
        world.reach(thread, 0x40_1000);
        world.reach(thread, 0x40_1000);
    });
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.counts(number), (2, 0));
    // An address is of one process: the other back end knows nothing of it.
    let asked = other.requests();
    assert!(
        !asked
            .iter()
            .any(|request| request.call() == Call::InsertBreakpoint)
    );
}

#[test]
fn a_barrier_is_of_one_back_end() {
    let Two { mut bench, .. } = two();
    let spec = BreakpointSpec {
        barrier: true,
        ..BreakpointSpec::parse("*0x401000", 1).expect("reads")
    };
    bench.at().add_breakpoint(spec).expect("of one process");
}

#[test]
fn one_that_goes_leaves_the_other() {
    let Two {
        mut bench,
        other,
        thread,
        ..
    } = two();
    other.lose("pulled the plug");
    let error = bench.debugger.pump().expect_err("lost");
    assert!(matches!(error, DebuggerError::AgentLost(_)));
    assert_eq!(bench.told(), ["lost: pulled the plug"]);
    bench.when_resumed(move |world| world.signal(thread, 12));
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400000 *"]);
}

#[test]
fn both_are_told_what_is_set_and_both_end() {
    let Two {
        mut bench, other, ..
    } = two();
    bench.debugger.set("stop", "process").expect("a setting");
    bench
        .debugger
        .add_catchpoint(wayfarer_debugger::CatchSpec::Fork, false)
        .expect("added");
    bench.debugger.quit().expect("over");
    let calls = |fake: &Fake| -> Vec<Call> { fake.news().iter().map(Request::call).collect() };
    let expected = [
        Call::Configure,
        Call::InsertCatchpoint,
        Call::SetSignals,
        Call::GetHits,
        Call::Kill,
    ];
    assert_eq!(calls(&bench.fake), expected);
    assert_eq!(calls(&other), expected);
}
