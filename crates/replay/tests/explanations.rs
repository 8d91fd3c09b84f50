//! Plans, comparisons and explanations on a small trace made by hand: a client and a server.

use wayfarer_model::{ObjectId, ProcessEnd, ProcessId, ThreadId};
use wayfarer_replay::{
    Difference, Met, Plan, PlanError, ProcessState, ThreadState, Wait, compare, explain,
};
use wayfarer_runtime_abi::layout::{divergence, object_flags, object_kind, process_state};
use wayfarer_runtime_abi::record;
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Text, Trace};

fn start_payload(path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for index in 0..record::start::FIELDS {
        let field = if index == record::start::EXECUTABLE {
            path.as_bytes()
        } else {
            b""
        };
        bytes.push(field.len() as u8);
        bytes.extend_from_slice(field);
    }
    bytes
}

fn start(log: &mut Log, path: &str) {
    log.start_with(&start_payload(path));
}

fn trace() -> Trace {
    let mut session = SessionBuilder::new();
    let server = session.process(ProcessId(0), 100, "server");
    let client = session.process(server.0, 101, "client");
    session.object(object_kind::OUTPUT, 0, server);
    session.object(object_kind::PIPE, object_flags::BOTH, server);
    let mut log = Log::new();
    start(&mut log, "/bin/server");
    log.child(Number::FORK, 101, client.0, client.1);
    for count in 1..=7 {
        log.receive(Number::READ, 0, count);
    }
    log.exit(Number::EXIT_GROUP, 3);
    session.log(server, &log, 1);
    let mut log = Log::new();
    start(&mut log, "/bin/client");
    log.note(record::note::SHARED_FILE, 0, "/tmp/shared");
    log.send(Number::WRITE, 9, 28);
    log.exit(Number::EXIT_GROUP, 0);
    session.log(client, &log, 1);
    session.state(server.0, process_state::EXITED, 3);
    session.state(client.0, process_state::EXITED, 0);
    let manifest = Manifest::new(vec![Text::from("server")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).unwrap();
    Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).unwrap()
}

fn thread(id: u32, process: u32, events: u64, wait: Wait) -> ThreadState {
    ThreadState {
        id: ThreadId(id),
        process: ProcessId(process),
        live: true,
        events,
        promised: 9,
        wait,
    }
}

fn met(kind: u32, thread: u32, event: u64) -> Met {
    Met {
        kind,
        process: ProcessId(thread),
        thread: ThreadId(thread),
        event,
        promised_tag: record::RECEIVE,
        promised_check: 0,
        promised_number: Number::READ.word() as i64,
        promised_result: 7,
        came_number: Number::WRITE.word() as i64,
        came_check: 1,
        came_arguments: [4, 0x1000, 12, 0, 0, 0],
        detail: [0; 4],
        text: String::new(),
    }
}

#[test]
fn a_plan_knows_how_the_first_program_began() {
    let trace = trace();
    let mut bytes = 0;
    let plan = Plan::of(&trace, None, &mut |_, piece| bytes += piece.len()).unwrap();
    assert_eq!(plan.start.executable, Text::from("/bin/server"));
    assert_eq!(plan.root, ProcessId(1));
    assert_eq!(plan.ends[&ProcessId(1)], ProcessEnd::Exited(3));
    assert!(!plan.cut && plan.damage.is_empty());
    assert_eq!(
        bytes as u64,
        trace
            .threads()
            .iter()
            .map(|thread| thread.log_length)
            .sum::<u64>()
    );
}

#[test]
fn one_process_alone_needs_all_contents() {
    let only = Plan::of(&trace(), Some("client"), &mut |_, _| {});
    assert!(matches!(only, Err(PlanError::ContentsMissing)));
}

#[test]
fn another_call_is_explained_with_its_past() {
    let trace = trace();
    let threads = [
        thread(1, 1, 7, Wait::No),
        thread(2, 2, 1, Wait::Child(ProcessId(1))),
    ];
    let difference = Difference::Met(Box::new(met(divergence::OTHER_CALL, 1, 7)));
    let explanation = explain(&trace, &difference, &threads);
    assert_eq!(
        (
            explanation.kind,
            explanation.process.as_str(),
            explanation.thread
        ),
        ("other-call", "server", 1)
    );
    assert_eq!(explanation.event, 7);
    assert!(
        explanation.promised.contains("read of 7 bytes"),
        "{}",
        explanation.promised
    );
    assert!(
        explanation.came.starts_with("write(0x4, 0x1000, 0xc"),
        "{}",
        explanation.came
    );
    assert_eq!(explanation.before.len(), 5);
    assert_eq!(explanation.before.last().unwrap().event, 6);
    assert!(
        explanation.others[0].contains("client at event 1, waits for the end of server"),
        "{:?}",
        explanation.others
    );
    let text = explanation.to_string();
    assert!(
        text.contains("diverged (other-call) in server at event 7"),
        "{text}"
    );
    let json = serde_json::to_value(&explanation).unwrap();
    assert_eq!(json["kind"], "other-call");
    assert_eq!(json["before"][0]["event"], 2);
}

#[test]
fn a_warning_of_the_recording_is_the_likeliest_cause() {
    let difference = Difference::Met(Box::new(met(divergence::OTHER_OUTPUT, 2, 0)));
    let explanation = explain(&trace(), &difference, &[]);
    assert!(
        explanation
            .likely_cause
            .contains("/tmp/shared was mapped shared"),
        "{}",
        explanation.likely_cause
    );
    assert!(
        explanation.came.contains("write with other bytes"),
        "{}",
        explanation.came
    );
}

#[test]
fn every_kind_has_a_name_and_a_remedy() {
    for kind in divergence::OTHER_CALL..=divergence::OTHER_SYNC {
        let explanation = explain(&trace(), &Difference::Met(Box::new(met(kind, 1, 3))), &[]);
        assert_ne!(explanation.kind, "unknown", "{kind}");
        assert!(!explanation.likely_cause.is_empty() && !explanation.remedy.is_empty());
    }
    // Numbers out of any range come from a damaged session: they are shown, not trusted.
    let mut wild = met(u32::MAX, 77, u64::MAX);
    wild.promised_tag = 0x3f;
    wild.came_number = -1;
    assert_eq!(
        explain(&trace(), &Difference::Met(Box::new(wild)), &[]).kind,
        "unknown"
    );
}

#[test]
fn a_standstill_names_who_waits_for_whom() {
    let stream = Wait::Stream {
        object: ObjectId(2),
        direction: 0,
        writer: Some(ThreadId(2)),
    };
    let threads = [thread(1, 1, 4, stream), thread(2, 2, 1, Wait::End)];
    let explanation = explain(&trace(), &Difference::Standstill, &threads);
    assert_eq!(
        (explanation.kind, explanation.process.as_str()),
        ("standstill", "server")
    );
    assert!(
        explanation.came.contains("bytes of stream 2")
            && explanation
                .came
                .contains("from client, which is at its event 1"),
        "{}",
        explanation.came
    );
    let nobody = Wait::Stream {
        object: ObjectId(2),
        direction: 0,
        writer: None,
    };
    let explanation = explain(
        &trace(),
        &Difference::Standstill,
        &[thread(1, 1, 4, nobody)],
    );
    assert!(
        explanation
            .came
            .contains("that have not been written yet (made by server)"),
        "{}",
        explanation.came
    );
}

fn ended(id: u32, state: u32, status: u32) -> ProcessState {
    ProcessState {
        id: ProcessId(id),
        state,
        status,
        wait_status: None,
    }
}

fn done(id: u32) -> ThreadState {
    ThreadState {
        live: false,
        promised: 9,
        ..thread(id, id, 9, Wait::No)
    }
}

#[test]
fn the_same_end_is_no_difference() {
    let trace = trace();
    let plan = Plan::of(&trace, None, &mut |_, _| {}).unwrap();
    let processes = [
        ended(1, process_state::EXITED, 3 << 8),
        ended(2, process_state::EXITED, 0),
    ];
    assert_eq!(
        compare(&trace, &plan, &processes, &[done(1), done(2)]),
        None
    );
}

#[test]
fn other_ends_are_differences() {
    let trace = trace();
    let plan = Plan::of(&trace, None, &mut |_, _| {}).unwrap();
    let good = ended(1, process_state::EXITED, 3);
    let other = compare(
        &trace,
        &plan,
        &[good, ended(2, process_state::EXITED, 1)],
        &[done(1), done(2)],
    );
    assert!(
        matches!(
            other,
            Some(Difference::OtherEnd {
                process: ProcessId(2),
                ..
            })
        ),
        "{other:?}"
    );
    let missing = compare(
        &trace,
        &plan,
        &[good, ended(2, process_state::FREE, 0)],
        &[done(1)],
    );
    assert_eq!(
        missing,
        Some(Difference::NeverStarted {
            process: ProcessId(2)
        })
    );
    let early = ThreadState {
        promised: 10,
        ..done(2)
    };
    let early = compare(
        &trace,
        &plan,
        &[good, ended(2, process_state::EXITED, 0)],
        &[done(1), early],
    );
    assert!(
        matches!(
            early,
            Some(Difference::EndedEarly {
                thread: ThreadId(2),
                event: 9,
                ..
            })
        ),
        "{early:?}"
    );
    let killed = ProcessState {
        wait_status: Some(9),
        ..ended(2, process_state::RUNNING, 0)
    };
    let killed = compare(&trace, &plan, &[good, killed], &[done(1), done(2)]).unwrap();
    let text = explain(&trace, &killed, &[]).to_string();
    assert!(text.contains("killed by SIGKILL"), "{text}");
}
