//! Steps, watchpoints, calls, libraries.

mod common;

use common::{Session, program, symbol};
use std::path::Path;
use wayfarer_protocol as wire;
use wire::event::Kind;
use wire::process_exited::How;
use wire::resume_action::Action;
use wire::stop_reason::Reason;

/// A session stopped in `body`.
fn in_body(executable: &Path) -> (Session, wire::Process, wire::ThreadStop) {
    let mut session = Session::start();
    let process = session.launch(executable, &[]);
    let id = session.break_at(process.id, symbol(executable, "body"));
    session.go();
    let (stop, _) = session.stop_reason();
    session.remove(id);
    (session, process, stop)
}

#[test]
fn a_range_is_stepped_over_its_calls() {
    let executable = program("steps", &[]);
    let (mut session, _, stop) = in_body(&executable);
    let body = symbol(&executable, "body");
    let main = symbol(&executable, "main");
    let range = Action::StepRange(wire::StepRange {
        ranges: vec![wire::AddressRange {
            low: body,
            high: main,
        }],
        over_calls: true,
        stack_above: None,
    });
    session.resume(wire::Targets::thread(stop.thread), range);
    let (after, reason) = session.stop_reason();
    assert!(matches!(reason, Reason::StepDone(_)), "{reason:?}");
    let return_address = after.registers.unwrap().rip;
    assert!(return_address > main);
    session.go();
    assert_eq!(session.exit(), How::Status(7));
}

#[test]
fn a_step_into_a_call_says_so() {
    let executable = program("steps", &[]);
    let (mut session, _, stop) = in_body(&executable);
    let (body, main) = (symbol(&executable, "body"), symbol(&executable, "main"));
    let range = Action::StepRange(wire::StepRange {
        ranges: vec![wire::AddressRange {
            low: body,
            high: main,
        }],
        over_calls: false,
        stack_above: None,
    });
    session.resume(wire::Targets::thread(stop.thread), range);
    let (inside, reason) = session.stop_reason();
    assert!(
        matches!(&reason, Reason::StepDone(done) if done.entered_call),
        "{reason:?}"
    );
    assert_eq!(inside.registers.unwrap().rip, symbol(&executable, "add"));
    // Finish: run to the return address, in the caller's frame.
    let process = inside.process;
    let stack = inside.registers.unwrap().rsp;
    let back = u64::from_le_bytes(session.read(process, stack, 8).try_into().unwrap());
    let run = Action::RunTo(wire::RunTo {
        addresses: vec![back],
        stack_above: Some(stack),
    });
    session.resume(wire::Targets::thread(stop.thread), run);
    let (after, reason) = session.stop_reason();
    assert!(matches!(&reason, Reason::StepDone(done) if done.end() == wire::StepEnd::Reached));
    assert_eq!(after.registers.unwrap().rip, back);
    assert_eq!(after.registers.unwrap().rax, 3);
}

#[test]
fn instructions_are_stepped_one_by_one() {
    let executable = program("steps", &[]);
    let (mut session, _, stop) = in_body(&executable);
    let step = |count| {
        Action::StepInstruction(wire::StepInstruction {
            over_calls: false,
            count,
        })
    };
    session.resume(wire::Targets::thread(stop.thread), step(1));
    let (one, _) = session.stop_reason();
    assert_eq!(
        one.registers.unwrap().rip,
        stop.registers.unwrap().rip + 1,
        "push %rbp is one byte long"
    );
    session.resume(wire::Targets::thread(stop.thread), step(3));
    let (_, reason) = session.stop_reason();
    assert!(matches!(reason, Reason::StepDone(done) if done.instructions == 3));
}

#[test]
fn a_watchpoint_tells_old_and_new() {
    let executable = program("steps", &[]);
    let (mut session, process, _) = in_body(&executable);
    let address = symbol(&executable, "watched");
    let reply = session.call(|client, session| {
        Box::pin(client.insert_watchpoint(wire::InsertWatchpointRequest {
            session,
            id: 50,
            targets: Some(wire::Targets::process(process.id)),
            address,
            length: 8,
            kind: wire::WatchKind::Write.into(),
            ..Default::default()
        }))
    });
    assert_eq!(reply.results[0].failure, None);
    for (old, new) in [(0u64, 6u64), (6, 7)] {
        session.go();
        let (_, reason) = session.stop_reason();
        let Reason::Watchpoint(hit) = reason else {
            panic!("{reason:?}");
        };
        assert_eq!(hit.watches[0].old, old.to_le_bytes());
        assert_eq!(hit.watches[0].new, new.to_le_bytes());
    }
    session.go();
    assert_eq!(session.exit(), How::Status(7));
}

#[test]
fn functions_are_called_and_everything_is_put_back() {
    let executable = program("steps", &[]);
    let (mut session, _, stop) = in_body(&executable);
    let number = |value| wire::CallArgument {
        value: Some(wire::call_argument::Value::Number(value)),
    };
    let call = |function: &str, arguments: Vec<wire::CallArgument>| wire::InferiorCallRequest {
        session: 1,
        thread: stop.thread,
        function: symbol(&executable, function),
        arguments,
        ..Default::default()
    };
    let request = call("add", vec![number(40), number(2)]);
    let reply = session.call(|client, _| Box::pin(client.inferior_call(request)));
    assert_eq!(reply.general.unwrap().rax, 42);

    let mut request = call(
        "length",
        vec![wire::CallArgument {
            value: Some(wire::call_argument::Value::Block(0)),
        }],
    );
    request.blocks = vec![b"wayfarer\0".to_vec()];
    let reply = session.call(|client, _| Box::pin(client.inferior_call(request)));
    assert_eq!(reply.general.unwrap().rax, 8);

    let mut request = call("half", Vec::new());
    request.vector_arguments = vec![5.0f64.to_le_bytes().to_vec()];
    let reply = session.call(|client, _| Box::pin(client.inferior_call(request)));
    let ymm = reply.vector.unwrap().ymm;
    assert_eq!(f64::from_le_bytes(ymm[..8].try_into().unwrap()), 2.5);

    let request = call("crash", Vec::new());
    let reply = session.call(|client, _| Box::pin(client.inferior_call(request)));
    let why = reply.interruption.unwrap().reason.unwrap().reason;
    assert!(
        matches!(&why, Some(Reason::Signal(signal)) if signal.signal == libc::SIGSEGV as u32),
        "{why:?}"
    );
    assert_eq!(reply.stayed, None);
    let reply = session.call(|client, session| {
        Box::pin(client.snapshot(wire::SnapshotRequest {
            session,
            targets: Some(wire::Targets::everybody()),
            stack_bytes: 0,
            vector: true,
        }))
    });
    assert_eq!(reply.threads[0].general, stop.registers);
    session.go();
    assert_eq!(session.exit(), How::Status(7));
}

#[test]
fn libraries_are_told_of() {
    let executable = program("steps", &[]);
    let mut session = Session::start();
    session.launch(&executable, &[]);
    session.go();
    let first = session.until(|kind| match kind {
        Kind::LibrariesChanged(changed) => Some(changed.clone()),
        _ => None,
    });
    assert!(
        first
            .modules
            .iter()
            .any(|module| module.executable && module.bias == 0)
    );
    assert!(
        first
            .modules
            .iter()
            .any(|module| module.path.contains("libc") && module.build_id.is_some())
    );
    let second = session.until(|kind| match kind {
        Kind::LibrariesChanged(changed) => Some(changed.clone()),
        _ => None,
    });
    assert!(
        second
            .modules
            .iter()
            .any(|module| module.path.contains("libm"))
    );
    assert_eq!(session.exit(), How::Status(7));
}
