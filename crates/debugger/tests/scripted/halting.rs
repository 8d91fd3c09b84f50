//! Halts: asked for by somebody, overtaken by a stop, or never answered because the back end has
//! gone.

use wayfarer_debugger::{DebuggerError, Run, Set, StackSpec};
use wayfarer_fake_backend::{Call, Request};

use crate::bench::{Bench, GO, add_fake, first_frame, invent, is_free, words};

#[test]
fn an_interrupt_halts_everybody_and_shows_who_was_followed() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let interrupter = bench.debugger.interrupter();
    bench.when_resumed(move |_| interrupter.halt());
    bench.told();
    assert_eq!(bench.run(GO), ["1.1 halted 0x400000 *"]);
    assert_eq!(bench.told(), ["1.1 halted 0x400000 *"]);
    assert!(!bench.debugger.is_running());
    for thread in threads {
        assert!(!bench.fake.act(|world| world.runs(thread)));
    }
}

#[test]
fn an_interrupt_at_an_idle_prompt_is_forgotten() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    bench.debugger.interrupter().halt();
    bench.when_resumed(move |world| world.signal(one, 12));
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400000 *"]);
}

#[test]
fn a_halt_ends_a_step() {
    use wayfarer_backend::StepEnd;
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let interrupter = bench.debugger.interrupter();
    bench.when_resumed(move |_| interrupter.halt());
    let step = Run::StepInstruction { count: 5 };
    assert_eq!(bench.run(step), ["1.1 halted 0x400000 *"]);
    // What the back end had on its way of the old step means nothing to who goes on freely.
    bench.resumed();
    bench.when_resumed(move |world| world.step_ends(one, StepEnd::Left, 0x40_0004));
    bench.when_resumed(move |world| world.signal(one, 12));
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400004 *"]);
    let asked = bench.resumed().concat();
    assert!(asked.iter().all(is_free), "{asked:?}");
}

#[test]
fn a_stop_that_comes_before_the_halt_is_told_instead() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let two = threads[1];
    bench.at().start(GO, None).expect("runs");
    bench.fake.act(|world| world.signal(two, 12));
    bench.told();
    let stops = bench.at().halt(None).expect("halted");
    assert_eq!(stops.iter().map(words).collect::<Vec<_>>().len(), 1);
    assert_eq!(bench.told().len(), 2);
    assert!(!bench.debugger.is_running());
}

#[test]
fn a_part_can_be_halted_while_the_rest_runs() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    bench.at().start(GO, None).expect("runs");
    let set = Set::parse("1.2").expect("a set");
    let stops = bench.at().halt(Some(&set)).expect("halted");
    assert_eq!(words(&stops[0]), "1.2 halted 0x400000");
    assert!(bench.fake.act(|world| world.runs(one) && !world.runs(two)));
    assert!(bench.debugger.is_running());
}

#[test]
fn whoever_runs_cannot_be_asked() {
    let mut bench = Bench::new();
    bench.launch("one", 1);
    bench.at().start(GO, None).expect("runs");
    let asked = bench.at().backtrace(StackSpec::default());
    let error = asked.expect_err("it runs").to_string();
    assert_eq!(error, "Process one is running: halt it first.");
}

/// The back end goes in the midst of a request.
fn lost_at(call: Call, ask: impl FnOnce(&mut Bench) -> Result<(), DebuggerError>) {
    let mut bench = Bench::new();
    bench.launch("two", 2);
    bench.told();
    bench.fake.lose_at(call, "pulled the plug");
    let error = ask(&mut bench).expect_err("it has gone");
    assert!(
        matches!(error, DebuggerError::AgentLost(_)),
        "{call:?}: {error:?}"
    );
    // Whoever hears of it, by the request or by the news, tells of it once.
    let _ = bench.debugger.pump();
    assert_eq!(bench.told(), ["lost: pulled the plug"], "{call:?}");
    assert!(!bench.debugger.has_processes() && !bench.debugger.is_running());
    // There is a life after that.
    let (agent, fake) = add_fake(&mut bench.debugger);
    let process = fake.act(|world| invent(world, "next", 1));
    let thread = fake.act(|world| world.threads_of(process))[0];
    let frame = first_frame(bench.debugger.launch(Default::default()));
    assert_eq!((agent.0, frame.thread.process), (1, 2));
    fake.then(Call::Resume, move |world| world.signal(thread, 12));
    let stops = bench.debugger.at(frame).execute(GO, None).expect("runs");
    assert_eq!(words(&stops[0]), "2.1 SIGUSR2 0x400000 *");
}

#[test]
fn a_back_end_that_goes_takes_its_processes_and_nothing_else() {
    lost_at(Call::Resume, |bench| {
        bench.at().execute(GO, None).map(|_| ())
    });
    lost_at(Call::Halt, |bench| {
        bench.at().start(GO, None)?;
        bench.at().halt(None).map(|_| ())
    });
    lost_at(Call::SetHeld, |bench| {
        bench.debugger.hold(&Set::all()).map(|_| ())
    });
    lost_at(Call::Kill, |bench| bench.at().kill(None).map(|_| ()));
    lost_at(Call::InsertBreakpoint, |bench| {
        let spec = wayfarer_debugger::BreakpointSpec::parse("*0x401000", 1)?;
        bench.at().add_breakpoint(spec).map(|_| ())
    });
}

#[test]
fn a_back_end_that_goes_ends_a_command_that_waits() {
    let mut bench = Bench::new();
    bench.launch("one", 1);
    let fake = bench.fake.clone();
    bench.when_resumed(|_| {});
    let loser = std::thread::spawn(move || {
        while !fake.is_over() {
            std::thread::yield_now();
        }
        fake.lose("pulled the plug");
    });
    let error = bench.at().execute(GO, None).expect_err("it has gone");
    loser.join().expect("lost");
    assert_eq!(error.to_string(), "The agent has gone: pulled the plug");
    assert!(!bench.debugger.has_processes());
}

#[test]
fn a_back_end_that_goes_at_a_stop_leaves_the_stop_told() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    bench.told();
    bench.fake.lose_at(Call::Snapshot, "pulled the plug");
    bench.when_resumed(move |world| world.signal(one, 12));
    let error = bench.at().execute(GO, None).expect_err("it has gone");
    assert!(matches!(error, DebuggerError::AgentLost(_)));
    assert_eq!(bench.told(), ["1.1 SIGUSR2 *", "lost: pulled the plug"]);
}

#[test]
fn what_a_stop_told_is_asked_for_once() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    bench.when_resumed(move |world| world.signal(one, 12));
    bench.run(GO);
    bench.fake.news();
    bench.at().registers(&[]).expect("registers");
    bench.at().backtrace(StackSpec::default()).expect("a stack");
    let asked: Vec<Call> = bench.fake.news().iter().map(Request::call).collect();
    assert_eq!(asked, []);
}
