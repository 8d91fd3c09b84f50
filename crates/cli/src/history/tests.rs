//! Histories of a small trace made by hand.

use super::*;
use wayfarer_runtime_abi::record::sync;
use wayfarer_trace::synthetic::{Log, SessionBuilder};
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

fn view(trace: &Trace, limit: usize) -> View<'_> {
    View {
        trace,
        names: BTreeMap::new(),
        places: Places::new(trace),
        limit,
    }
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
