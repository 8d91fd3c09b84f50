//! Hits: who counts them, who decides, what passes over, what goes away.

use wayfarer_backend::{BreakpointId, Failure, FailureKind};
use wayfarer_debugger::{BreakpointSpec, Run};
use wayfarer_fake_backend::{Call, Request};

use crate::bench::{Bench, GO};

#[test]
fn the_back_end_passes_hits_over_and_counts_them() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000");
    bench.debugger.set_ignore(number, 3).expect("there");
    bench.when_resumed(move |world| {
        for _ in 0..2 {
            world.reach(one, 0x40_1000);
        }
        world.signal(one, 12);
    });
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x401000 *"]);
    assert_eq!(bench.counts(number), (2, 1));
    bench.when_resumed(move |world| {
        for _ in 0..2 {
            world.reach(one, 0x40_1000);
        }
    });
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.counts(number), (4, 0));
}

#[test]
fn counts_outlive_what_the_back_end_forgets() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000");
    bench.debugger.set_ignore(number, 5).expect("there");
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.reach(one, 0x40_1000);
        world.signal(one, 12);
    });
    bench.run(GO);
    // Each of these takes the breakpoint out of the back end, or puts it in anew.
    bench
        .debugger
        .enable_breakpoint(number, false)
        .expect("off");
    assert_eq!(bench.counts(number), (2, 3));
    bench.debugger.enable_breakpoint(number, true).expect("on");
    assert_eq!(bench.counts(number), (2, 3));
    bench
        .at()
        .set_condition(number, Some("$rax == 0"))
        .expect("set");
    assert_eq!(bench.counts(number), (2, 3));
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.signal(one, 12);
    });
    bench.run(GO);
    assert_eq!(bench.counts(number), (3, 2));
}

#[test]
fn a_condition_that_can_be_compiled_is_the_back_ends() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000 if $rax == 5");
    assert!(
        bench
            .debugger
            .breakpoint(number)
            .expect("there")
            .condition_in_agent
    );
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.registers(one, |general| general.rax = 5);
        world.reach(one, 0x40_1000);
    });
    bench.resumed();
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.resumed().len(), 1);
    assert_eq!(bench.counts(number), (1, 0));
}

#[test]
fn a_condition_that_cannot_be_compiled_is_decided_here() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000 if $rax == $wanted");
    bench.at().evaluate("$wanted = 2", None).expect("set");
    bench.debugger.set_ignore(number, 1).expect("there");
    for value in 1..=3 {
        bench.when_resumed(move |world| {
            world.registers(one, |general| general.rax = value.min(2));
            world.reach(one, 0x40_1000);
        });
    }
    bench.resumed();
    // The first does not hold, the second is passed over.
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.resumed().len(), 3);
    assert_eq!(bench.counts(number), (2, 0));
}

#[test]
fn a_condition_that_cannot_be_evaluated_stops_and_says_why() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    bench.set("*0x401000 if *(long *) $rbx == 1");
    bench.when_resumed(move |world| world.reach(one, 0x40_1000));
    bench.told();
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    let told = bench.told();
    let why = "Error in testing condition of breakpoint 1: Cannot access memory at address 0x0";
    assert_eq!(told[0], why);
}

#[test]
fn a_temporary_one_goes_with_its_first_stop() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    let spec = BreakpointSpec {
        temporary: true,
        ..BreakpointSpec::parse("*0x401000", 1).expect("reads")
    };
    bench.at().add_breakpoint(spec).expect("set");
    bench.when_resumed(move |world| world.reach(two, 0x40_1000));
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.signal(one, 12);
    });
    assert_eq!(bench.run(GO), ["1.2 breakpoint 1 0x401000 *"]);
    assert!(bench.debugger.breakpoints().is_empty());
    assert!(
        bench
            .fake
            .act(|world| world.places_of(BreakpointId(1)))
            .is_empty()
    );
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x401000 *"]);
}

#[test]
fn once_means_one_stop() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let (off, gone) = (bench.set("*0x401000"), bench.set("*0x402000"));
    bench
        .debugger
        .enable_breakpoint_once(off, false)
        .expect("there");
    bench
        .debugger
        .enable_breakpoint_once(gone, true)
        .expect("there");
    for address in [0x40_1000, 0x40_2000] {
        bench.when_resumed(move |world| world.reach(one, address));
        assert_eq!(bench.run(GO).len(), 1);
    }
    assert!(!bench.debugger.breakpoint(off).expect("there").enabled);
    assert!(bench.debugger.breakpoint(gone).is_err());
}

#[test]
fn a_late_hit_of_one_that_is_off_is_nobodys_business() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000");
    // The hit is on its way when the breakpoint is taken out.
    bench.when_resumed(move |world| world.reach(one, 0x40_1000));
    bench.at().start(GO, None).expect("runs");
    bench
        .debugger
        .enable_breakpoint(number, false)
        .expect("off");
    bench.when_resumed(move |world| world.signal(one, 12));
    let stops = bench.at().wait().expect("a stop");
    assert_eq!(crate::bench::words(&stops[0]), "1.1 SIGUSR2 0x401000 *");
}

#[test]
fn a_line_is_printed_and_the_thread_goes_on() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    let spec = BreakpointSpec {
        dprintf: Some(("rax is %d\n".to_owned(), vec!["$rax".to_owned()])),
        ..BreakpointSpec::parse("*0x401000", 1).expect("reads")
    };
    let number = bench.at().add_breakpoint(spec).expect("set").number;
    bench.when_resumed(move |world| {
        world.registers(one, |general| general.rax = 7);
        world.reach(one, 0x40_1000);
    });
    bench.when_resumed(move |world| world.signal(two, 12));
    bench.told();
    bench.resumed();
    assert_eq!(bench.run(GO), ["1.2 SIGUSR2 0x400000 *"]);
    assert_eq!(bench.told()[0], "output rax is 7\n");
    assert_eq!(bench.counts(number), (1, 0));
    // Only who printed had stopped.
    assert_eq!(bench.resumed().len(), 2);
}

#[test]
fn a_step_that_ends_on_one_is_a_hit_of_it_unless_it_passes_over() {
    use wayfarer_backend::StepEnd;
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let number = bench.set("*0x401000");
    bench.debugger.set_ignore(number, 1).expect("there");
    let step = Run::StepInstruction { count: 1 };
    bench.when_resumed(move |world| world.step_ends(one, StepEnd::Left, 0x40_1000));
    assert_eq!(bench.run(step.clone()), ["1.1 step 0x401000 *"]);
    // The back end passes over the only one, and the next step that ends here is a hit.
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.step_ends(one, StepEnd::Left, 0x40_1000);
    });
    assert_eq!(bench.run(step), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.counts(number), (2, 0));
}

#[test]
fn one_that_is_refused_was_never_there() {
    let mut bench = Bench::new();
    bench.launch("one", 1);
    let failure = Failure::new(FailureKind::Invalid, "no breakpoint today");
    bench.fake.refuse(Call::InsertBreakpoint, failure);
    let spec = BreakpointSpec::parse("*0x401000", 1).expect("reads");
    let error = bench.at().add_breakpoint(spec).expect_err("refused");
    assert_eq!(error.to_string(), "no breakpoint today");
    assert!(bench.debugger.breakpoints().is_empty());
}

#[test]
fn one_of_a_thread_is_hit_by_that_thread_only() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    bench.set("*0x401000 thread 2");
    bench.when_resumed(move |world| {
        world.reach(one, 0x40_1000);
        world.reach(two, 0x40_1000);
    });
    assert_eq!(bench.run(GO), ["1.2 breakpoint 1 0x401000 *"]);
}

#[test]
fn a_watched_value_is_shown_before_and_after() {
    use wayfarer_backend::{StopReason, WatchReport, WatchpointHit};
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("one", 1);
    let one = threads[0];
    bench
        .fake
        .act(|world| world.write(process, 0x60_0000, &7_i32.to_le_bytes()));
    let spec = wayfarer_debugger::WatchSpec {
        expression: "*(int *) 0x600000".to_owned(),
        access: wayfarer_debugger::WatchAccess::Write,
        location: false,
        condition: None,
        only: None,
    };
    let number = bench.at().add_watchpoint(spec).expect("set").number;
    let asked = bench
        .fake
        .news()
        .into_iter()
        .find_map(|request| match request {
            Request::InsertWatchpoint(request) => Some((request.address, request.length)),
            _ => None,
        });
    assert_eq!(asked, Some((0x60_0000, 4)));
    bench.when_resumed(move |world| {
        let report = WatchReport {
            id: BreakpointId(u64::from(number)),
            address: 0x60_0000,
            old: 7_i32.to_le_bytes().to_vec(),
            new: (-8_i32).to_le_bytes().to_vec(),
        };
        let watches = vec![report];
        world.stop(one, StopReason::Watchpoint(WatchpointHit { watches }));
    });
    assert_eq!(bench.run(GO), ["1.1 watch 1 7->-8 0x400000 *"]);
}
