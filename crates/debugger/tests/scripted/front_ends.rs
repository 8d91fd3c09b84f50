//! Several front ends at one debugger, what they hear, and what they hold that has gone stale.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use wayfarer_backend::ProcessEnd;
use wayfarer_debugger::{DebuggerError, Event, Launch, StackSpec};
use wayfarer_fake_backend::Request;

use crate::bench::{Bench, GO, first_frame, invent, words};

#[test]
fn each_listener_hears_each_stop_once_until_it_ends() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let second = heard.clone();
    let listening = bench.debugger.on_event(Box::new(move |event| {
        if let Event::Stopped(stop) = event {
            second.lock().expect("not poisoned").push(words(stop));
        }
    }));
    bench.told();
    for _ in 0..2 {
        bench.when_resumed(move |world| world.signal(one, 12));
        bench.run(GO);
        listening.end();
    }
    assert_eq!(bench.told().len(), 2);
    assert_eq!(
        *heard.lock().expect("not poisoned"),
        ["1.1 SIGUSR2 0x400000 *"]
    );
}

#[test]
fn stops_of_the_background_wake_and_are_returned_once() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let (wake, woken) = channel();
    bench.debugger.on_wake(Box::new(move || {
        let _ = wake.send(());
    }));
    bench.at().start(GO, None).expect("runs");
    while woken.try_recv().is_ok() {}
    bench.fake.act(|world| world.signal(one, 12));
    woken.recv().expect("woken");
    let stops = bench.debugger.pump().expect("news");
    // Nobody waits for it: it is not where to look.
    assert_eq!(
        stops.iter().map(words).collect::<Vec<_>>(),
        ["1.1 SIGUSR2 0x400000"]
    );
    assert!(bench.debugger.pump().expect("no news").is_empty());
}

#[test]
fn a_stop_that_a_command_meets_is_left_for_the_background() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    bench.at().start(GO, None).expect("runs");
    bench.fake.act(|world| world.signal(two, 12));
    bench.when_resumed(move |world| world.signal(one, 11));
    assert_eq!(bench.run(GO), ["1.1 SIGSEGV 0x400000 *"]);
    let left = bench.debugger.pump().expect("no news");
    assert_eq!(
        left.iter().map(words).collect::<Vec<_>>(),
        ["1.2 SIGUSR2 0x400000"]
    );
}

/// How many bytes were read since the last look.
fn bytes_read(bench: &Bench) -> u64 {
    let lengths = |request| match request {
        Request::ReadMemory(ranges) => ranges.iter().map(|range| range.length).sum(),
        _ => 0,
    };
    bench.fake.news().into_iter().map(lengths).sum()
}

#[test]
fn children_are_read_where_they_are_asked_for() {
    const PAGE: u64 = 4096;
    let mut bench = Bench::new();
    let (process, _) = bench.launch("one", 1);
    let numbers: Vec<u8> = (0..65536_u32).flat_map(u32::to_le_bytes).collect();
    bench
        .fake
        .act(|world| world.write(process, 0x60_0000, &numbers));
    bench.fake.news();
    let expression = "*(unsigned (*)[65536]) 0x600000";
    let tree = bench.at().tree(expression).expect("a tree");
    assert_eq!(tree.children, Some(65536));
    let root = bytes_read(&bench);
    assert!(root <= 8 * PAGE, "{root} bytes for the root");
    let some = bench.debugger.children(&tree.handle, 40_000..40_003);
    let summaries: Vec<String> = some
        .expect("children")
        .into_iter()
        .map(|child| child.node.summary)
        .collect();
    assert_eq!(summaries, ["40000", "40001", "40002"]);
    let read = bytes_read(&bench);
    assert!((1..=8 * PAGE).contains(&read), "{read} bytes for three");
}

#[test]
fn a_handle_is_good_until_its_thread_runs() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("two", 2);
    let one = threads[0];
    bench
        .fake
        .act(|world| world.write(process, 0x60_0000, &[1, 0, 0, 0, 2, 0, 0, 0]));
    let tree = bench.at().tree("*(int (*)[2]) 0x600000").expect("a tree");
    let numbers = |bench: &mut Bench| -> Result<Vec<String>, DebuggerError> {
        let children = bench.debugger.children(&tree.handle, 0..9)?;
        Ok(children
            .into_iter()
            .map(|child| child.node.summary)
            .collect())
    };
    assert_eq!(numbers(&mut bench).expect("two"), ["1", "2"]);
    bench.when_resumed(move |world| world.signal(one, 12));
    bench.run(GO);
    assert!(matches!(
        numbers(&mut bench),
        Err(DebuggerError::StaleValue)
    ));
}

#[test]
fn a_handle_of_an_earlier_run_is_stale() {
    let mut bench = Bench::new();
    let (process, _) = bench.launch("one", 1);
    bench
        .fake
        .act(|world| world.write(process, 0x60_0000, &[1, 0, 0, 0]));
    let tree = bench.at().tree("*(int (*)[1]) 0x600000").expect("a tree");
    let runs = bench.frame.map(|frame| bench.debugger.runs(frame.thread));
    bench.fake.act(|world| {
        let again = invent(world, "one", 1);
        world.write(again, 0x60_0000, &[1, 0, 0, 0]);
    });
    let frame = first_frame(bench.debugger.relaunch());
    // The numbers are those of the first run, the thread is another.
    assert_eq!(Some(frame), bench.frame);
    assert_ne!(runs, Some(bench.debugger.runs(frame.thread)));
    let children = bench.debugger.children(&tree.handle, 0..9);
    assert!(matches!(children, Err(DebuggerError::StaleValue)));
}

#[test]
fn a_frame_of_who_is_gone_is_said_to_be_gone() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    bench.when_resumed(move |world| {
        world.end_thread(one);
        world.signal(two, 12);
    });
    let first = bench.frame;
    bench.run(GO);
    let asked = bench.debugger.at(first).backtrace(StackSpec::default());
    let gone = "Process two.1 is gone: its thread has ended.";
    assert_eq!(asked.expect_err("gone").to_string(), gone);
    bench.when_resumed(move |world| world.end(process, ProcessEnd::Exited(0)));
    assert_eq!(bench.run(GO), ["1.2 exit 0 *"]);
    let asked = bench.at().backtrace(StackSpec::default());
    assert_eq!(
        asked.expect_err("gone").to_string(),
        "The program is not being run."
    );
    assert!(bench.debugger.launch(Launch::default()).is_err());
}
