//! Barriers: who has come, who is missing, and who need not come any more.

use wayfarer_backend::{Origin, ProcessEnd, ProcessId, ThreadId};
use wayfarer_debugger::BreakpointSpec;
use wayfarer_debugger::view::{ThreadState, ThreadView};

use crate::bench::{Bench, GO};

/// Two processes, the second forked by the first, both before a barrier.
fn at_the_gate() -> (Bench, [(ProcessId, ThreadId); 2]) {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("server", 1);
    let parent = threads[0];
    bench.when_resumed(move |world| {
        world.fork(parent, Origin::Fork);
        world.signal(parent, 12);
    });
    bench.run(GO);
    let child = ProcessId(process.0 + 2);
    let own = bench.fake.act(|world| world.threads_of(child))[0];
    (bench, [(process, parent), (child, own)])
}

/// A barrier in both: an address of the one is the same in its child.
fn raise(bench: &mut Bench) -> u32 {
    let spec = BreakpointSpec {
        barrier: true,
        ..BreakpointSpec::parse("*0x401000", 1).expect("reads")
    };
    bench.at().add_breakpoint(spec).expect("set").number
}

/// The same, made before the fork, so that the child has inherited it.
fn inherited() -> (Bench, u32, [(ProcessId, ThreadId); 2]) {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("server", 1);
    let parent = threads[0];
    let number = raise(&mut bench);
    bench.when_resumed(move |world| {
        world.fork(parent, Origin::Fork);
        world.signal(parent, 12);
    });
    bench.run(GO);
    let child = ProcessId(process.0 + 2);
    let own = bench.fake.act(|world| world.threads_of(child))[0];
    bench.told();
    (bench, number, [(process, parent), (child, own)])
}

#[test]
fn all_wait_for_the_last_and_stop_together() {
    let (mut bench, _, [(_, parent), (_, child)]) = inherited();
    bench.when_resumed(move |world| {
        world.reach(child, 0x40_1000);
        world.reach(parent, 0x40_1000);
    });
    let stops = bench.run(GO);
    assert_eq!(stops, ["1.1 barrier 1 0x401000 *"]);
    assert_eq!(
        bench.told(),
        ["2.1 waits for server", "1.1 barrier 1 0x401000 *"]
    );
    assert!(!bench.debugger.is_running());
    // They are free again.
    let threads = bench.at().threads(None).expect("threads");
    let stands = |thread: &ThreadView| thread.state == ThreadState::Stopped;
    assert!(threads.iter().all(stands));
    bench.when_resumed(move |world| {
        assert!(world.runs(parent) && world.runs(child));
        world.signal(child, 12);
    });
    assert_eq!(bench.run(GO), ["2.1 SIGUSR2 0x401000 *"]);
}

#[test]
fn who_is_gone_is_not_waited_for() {
    let (mut bench, _, [(process, _), (_, child)]) = inherited();
    bench.when_resumed(move |world| {
        world.reach(child, 0x40_1000);
        world.end(process, ProcessEnd::Exited(0));
    });
    assert_eq!(bench.run(GO), ["2.1 barrier 1 0x401000 *"]);
    assert_eq!(
        bench.told(),
        [
            "2.1 waits for server",
            "1.1 exit 0 *",
            "2.1 barrier 1 0x401000 *"
        ]
    );
}

#[test]
fn a_command_does_not_wait_for_those_who_wait() {
    let (mut bench, number, [(_, parent), (_, child)]) = inherited();
    bench.when_resumed(move |world| {
        world.reach(child, 0x40_1000);
        world.signal(parent, 12);
    });
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400000 *"]);
    let held = |bench: &Bench| bench.fake.act(|world| world.is_held(child));
    assert!(held(&bench));
    // Without the barrier nobody is held.
    bench.debugger.delete_breakpoint(number).expect("deleted");
    assert!(!held(&bench));
}

#[test]
fn one_of_an_address_is_for_the_process_of_the_address() {
    let (mut bench, [(_, parent), _]) = at_the_gate();
    raise(&mut bench);
    bench.when_resumed(move |world| world.reach(parent, 0x40_1000));
    assert_eq!(bench.run(GO), ["1.1 barrier 1 0x401000 *"]);
}
