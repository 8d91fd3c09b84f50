//! Histories of a small trace made by hand.

use super::*;
use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::record::{note, sync};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Text};

/// Two threads that hand a mutex to each other, `runs` times in all.
fn trace(runs: u64) -> Trace {
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "server");
    let second = session.thread(main.0, 101);
    let mut logs = [Log::new(), Log::new()];
    logs[0].start("/bin/server");
    logs[0].sync_object(3, sync::MUTEX, 0x6000, 0x5000);
    for run in 1..=runs {
        let before = if run % 2 == 0 { 2 } else { 1 };
        let owner = usize::from(run % 2 == 0);
        logs[owner].acquire(3, run, if run == 1 { 0 } else { before });
    }
    logs[0].final_run(3, 9);
    session.log(main, &logs[0], 1);
    session.log((main.0, second), &logs[1], 1);
    let manifest = Manifest::new(vec![Text::from("server")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).expect("JSON");
    Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).expect("opens")
}

fn view(trace: &Trace, runs_at_an_end: usize) -> View<'_> {
    let limits = Limits {
        runs_at_an_end,
        ..Limits::USUAL
    };
    View::new(trace, &History::of(trace), limits)
}

#[test]
fn a_history_reads_as_in_dbxr() {
    let trace = trace(4);
    let text = view(&trace, 20).text(&History::of(&trace));
    assert!(
        text.contains("\nL3     0:1w×2 2:2w 3:1w×2 5:2w×9\n"),
        "{text}"
    );
    assert!(
        text.contains("mutex of server at 0x6000, made in 0x5000"),
        "{text}"
    );
    assert!(
        text.contains("14 accesses in 4 runs, 3 hand-overs"),
        "{text}"
    );
    assert!(text.contains("1 (tid 100), 2 (tid 101)"), "{text}");
    assert!(text.contains("longest run 9 by server, thread 2"), "{text}");
}

#[test]
fn long_histories_show_their_ends() {
    let trace = trace(1001);
    let history = History::of(&trace);
    let text = view(&trace, 2).text(&history);
    assert!(
        text.contains("0:1w×2 2:2w … 997 runs left out (--all shows them) … 1499:2w 1500:1w×9"),
        "{text}"
    );
    let all = view(&trace, usize::MAX).text(&history);
    assert!(!all.contains("left out"), "{all}");
    let json = view(&trace, 2).json(&history);
    assert_eq!(json["objects"][0]["runs_left_out"], 997);
    assert_eq!(json["objects"][0]["runs"][3]["position"], 1500);
    assert_eq!(json["hottest"][0], "L3");
}

#[test]
fn objects_are_asked_for_by_name_or_number() {
    let trace = trace(2);
    let history = History::of(&trace);
    let ask = |name: &str| missing(&[name.to_owned()], &history).is_none();
    assert!(ask("L3") && ask("l3") && ask("3"));
    assert!(!ask("R3") && !ask("L4") && !ask("L"));
}

#[test]
fn a_trace_without_objects_says_so() {
    let trace = trace(1);
    let text = view(&trace, 2).text(&History::default());
    assert!(text.starts_with("no histories"), "{text}");
}

/// A reader and writer that takes turns with another thread, and waits for it.
fn read_and_written() -> Trace {
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "server");
    let second = session.thread(main.0, 101);
    let mut logs = [Log::new(), Log::new()];
    logs[0].start("/bin/server");
    logs[0].note(note::THREAD_ROUTINE, 0x4000, "");
    logs[0].child(Number::CLONE, 101, main.0, second);
    logs[0].sync_object(1, sync::MUTEX, 0x6000, 0);
    logs[0].sync_object(2, sync::RWLOCK, 0x7000, 0);
    logs[0].sync_object(3, sync::SEMAPHORE, 0x8000, 0);
    for run in 1..=10 {
        logs[usize::from(run % 2 == 0)].acquire(1, run, u64::from(run > 1));
    }
    logs[0].acquire_read(2, 1, 0);
    logs[0].acquire(2, 2, 3);
    logs[1].acquire_read(2, 3, 1);
    logs[1].wait(2, 20_000);
    logs[0].acquire(2, 4, 5);
    logs[0].wait(2, 200_000_000);
    logs[0].final_run(2, 2);
    logs[0].acquire(3, 1, 0);
    logs[1].posts(3, 1);
    logs[1].acquire(3, 2, 1);
    logs[1].wait(3, 3_000_000_000);
    logs[1].final_run(3, 1);
    session.log(main, &logs[0], 1);
    session.log((main.0, second), &logs[1], 1);
    let manifest = Manifest::new(vec![Text::from("server")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).expect("JSON");
    Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).expect("opens")
}

#[test]
fn readers_are_told_from_writers() {
    let trace = read_and_written();
    let text = view(&trace, 20).text(&History::of(&trace));
    assert!(
        text.contains("\nR2     0:1r×3 3:1w 4:2r×5 9:1w×2\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "11 accesses in 4 runs, 2 hand-overs, 2 waits of 200 ms together, the longest 200 ms"
        ),
        "{text}"
    );
    let json = view(&trace, 20).json(&History::of(&trace));
    let sides: Vec<&str> = json["objects"][1]["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["side"].as_str())
        .collect();
    assert_eq!(sides, ["r", "w", "r", "w"]);
}

#[test]
fn waits_say_who_waited_for_whom() {
    let trace = read_and_written();
    let history = History::of(&trace);
    let text = view(&trace, 20).text(&history);
    let (_, summary) = text.split_once("hottest first").expect("a summary");
    assert!(
        summary.contains("\n  200 ms  R2, access 9: server waited for server, thread 2\n"),
        "{text}"
    );
    assert!(
        summary.contains(
            "perhaps for something to do\n  3.00 s  S3, access 1: server, thread 2 waited for server\n"
        ),
        "{text}"
    );
    // Time waited for locks counts first, whatever is waited for at semaphores.
    let place = |name: &str| summary.find(&format!("\n{name} ")).expect(name);
    assert!(
        place("R2") < place("L1") && place("L1") < place("S3"),
        "{text}"
    );
    let json = view(&trace, 20).json(&history);
    assert_eq!(json["hottest"][0], "R2");
    let longest = &json["longest_waits"][1];
    assert_eq!(longest["object"], "R2");
    assert_eq!(
        (&longest["thread"], &longest["holder_thread"]),
        (&1.into(), &2.into())
    );
    assert_eq!(longest["nanoseconds"], 200_015_872u64);
    assert_eq!(json["threads"][1]["name"], "server, thread 2");
}

#[test]
fn threads_are_known_by_their_functions() {
    let trace = read_and_written();
    let history = History::of(&trace);
    let all: Vec<(u32, u64)> = history
        .routines
        .iter()
        .map(|(thread, routine)| (thread.0, *routine))
        .collect();
    assert_eq!(all, [(trace.threads()[1].id.0, 0x4000)]);
}

#[test]
fn durations_have_three_digits() {
    let all = [10_000, 99_960, 999_500_000, 1_000_000_000, 61_000_000_000];
    let said = all.map(contention::duration);
    assert_eq!(said, ["10.0 µs", "100 µs", "1000 ms", "1.00 s", "61.0 s"]);
}
