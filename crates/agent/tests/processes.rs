//! Children, programs and signals are followed, and nothing of the program's own working changes.

mod common;

use common::{Session, program, symbol};
use wayfarer_backend::FailureKind;
use wayfarer_protocol as wire;
use wire::event::Kind;
use wire::insert_catchpoint_request::Event;
use wire::process_exited::How;
use wire::stop_reason::Reason;

#[test]
fn a_storm_of_children_is_followed() {
    let executable = program("children", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["30"]);
    let work = symbol(&executable, "work");
    let id = session.break_with(process.id, work, |request| request.ignore_count = u64::MAX);
    session.go();
    let (mut created, mut executed, mut exits) = (0, 0, 0);
    loop {
        match session.event().kind.unwrap() {
            Kind::ProcessCreated(_) => created += 1,
            Kind::Exec(_) => executed += 1,
            Kind::ProcessExited(exit) if exit.process == process.id => {
                assert_eq!(exit.how, Some(How::Status(7)));
                break;
            }
            Kind::ProcessExited(exit) => {
                exits += 1;
                assert_eq!(exit.how, Some(How::Status(0)));
            }
            Kind::Stopped(stopped) => panic!("{stopped:?}"),
            _ => {}
        }
    }
    assert_eq!((created, executed, exits), (91, 60, 90));
    // Forked children have the parent's breakpoint, new programs do not.
    assert_eq!(session.hits(id).hits, 31);
}

#[test]
fn an_exec_is_held_until_breakpoints_are_placed() {
    let executable = program("children", &[]);
    let mut session = Session::start();
    session.call(|client, session| {
        Box::pin(client.configure(wire::ConfigureRequest {
            session,
            hold_on_load: Some(true),
            ..Default::default()
        }))
    });
    let process = session.launch(&executable, &["3"]);
    let work = symbol(&executable, "work");
    session.go();
    let mut stops = 0;
    loop {
        match session.event().kind.unwrap() {
            Kind::Exec(exec) => {
                assert!(exec.held);
                let child = exec.process.unwrap().id;
                session.break_at(child, work);
                session.call(|client, session| {
                    Box::pin(client.release(wire::ReleaseRequest {
                        session,
                        targets: Some(wire::Targets::process(child)),
                    }))
                });
            }
            Kind::LibrariesChanged(changed) => {
                assert!(
                    changed
                        .modules
                        .iter()
                        .any(|module| module.path.contains("libc"))
                );
                session.call(|client, session| {
                    Box::pin(client.release(wire::ReleaseRequest {
                        session,
                        targets: Some(wire::Targets::process(changed.process)),
                    }))
                });
            }
            Kind::Stopped(_) => {
                stops += 1;
                session.go();
            }
            Kind::ProcessExited(exit) if exit.process == process.id => {
                assert_eq!(exit.how, Some(How::Status(7)));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(stops, 6);
}

#[test]
fn signals_pass_or_stop_as_they_should() {
    let executable = program("signals", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &[]);
    // In the way of every call while alarms tick.
    let id = session.break_with(process.id, symbol(&executable, "work"), |request| {
        request.ignore_count = u64::MAX
    });
    session.go();
    let signal = |reason: &Reason| match reason {
        Reason::Signal(signal) => signal.signal as i32,
        other => panic!("{other:?}"),
    };
    let (_, reason) = session.stop_reason();
    assert_eq!(signal(&reason), libc::SIGUSR1);
    session.go();
    let (_, reason) = session.stop_reason();
    assert_eq!(signal(&reason), libc::SIGSEGV);
    assert!(matches!(reason, Reason::Signal(signal) if signal.address == 8));
    session.go();
    assert_eq!(session.exit(), How::Status(7));
    assert_eq!(session.hits(id).hits, 5000);
}

#[test]
fn a_launch_that_fails_says_why() {
    let mut session = Session::start();
    let failure = session.launch_failure("/no/such/program");
    assert_eq!(failure.kind, FailureKind::Launch);
    assert!(
        failure.message.contains("/no/such/program"),
        "{}",
        failure.message
    );
    let reply = session.attach(&[1 << 22]);
    assert_eq!(
        reply.results[0].failure.clone().unwrap().kind(),
        wire::FailureKind::Gone
    );
}

#[test]
fn a_kill_from_outside_is_an_event() {
    let executable = program("endless", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["/no/such/file"]);
    session.break_with(process.id, symbol(&executable, "work"), |request| {
        request.ignore_count = u64::MAX
    });
    session.go();
    std::process::Command::new("kill")
        .args(["-9", &process.pid.to_string()])
        .status()
        .unwrap();
    assert_eq!(session.exit(), How::Signal(9));
    let reply = session.halt();
    assert_eq!(reply.threads, 0);
}

#[test]
fn forks_execs_and_system_calls_are_caught() {
    let executable = program("children", &[]);
    let mut session = Session::start();
    session.launch(&executable, &["1"]);
    let calls = Event::Syscalls(wire::SyscallSet {
        numbers: vec![libc::SYS_getppid as u32, libc::SYS_exit_group as u32],
    });
    let caught = [
        Event::Fork(wire::Forks {}),
        Event::Vfork(wire::Vforks {}),
        Event::Exec(wire::Execs {}),
        calls,
    ];
    for (id, event) in (7..).zip(caught) {
        session.call(|client, session| {
            Box::pin(client.insert_catchpoint(wire::InsertCatchpointRequest {
                session,
                id,
                event: Some(event),
            }))
        });
    }
    let (mut forks, mut vforks, mut executed, mut ends) = (0, 0, 0, 0);
    session.go();
    loop {
        match session.event().kind.unwrap() {
            Kind::Stopped(stopped) => {
                match stopped.causes[0].reason.clone().unwrap().reason.unwrap() {
                    Reason::Fork(fork) if fork.vfork => vforks += 1,
                    Reason::Fork(_) => forks += 1,
                    Reason::Exec(_) => executed += 1,
                    Reason::Syscall(call) => {
                        assert!(call.entry);
                        assert_eq!(call.number, libc::SYS_exit_group as u64);
                        ends += 1;
                    }
                    other => panic!("{other:?}"),
                }
                session.go();
            }
            Kind::ProcessExited(exit) if exit.process == 2 => break,
            _ => {}
        }
    }
    // posix_spawn makes its child as vfork does, by clone.
    assert_eq!((forks, vforks, executed, ends), (1, 2, 2, 4));
}

#[test]
fn a_damaged_request_is_refused() {
    let mut session = Session::start();
    let refusal = session.halt_of_nobody();
    assert_eq!(refusal.code(), tonic::Code::InvalidArgument, "{refusal}");
    let failure = wire::failure_of(&refusal);
    assert_eq!(failure.kind, FailureKind::Invalid, "{failure}");
    assert!(failure.message.contains("targets"), "{failure}");
}
