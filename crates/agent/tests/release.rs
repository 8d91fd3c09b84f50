//! Programs survive us: detach, death of the debugger, death of the agent.

mod common;

use common::{Session, program, scratch, symbol, wait_for, wait_until};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use wayfarer_protocol as wire;
use wire::process_exited::How;

/// A program that runs until the file is made.
fn endless(executable: &Path) -> (Child, PathBuf) {
    let end = scratch().join("end");
    let child = Command::new(executable).arg(&end).spawn().unwrap();
    wait_until("threads", || {
        std::fs::read_dir(format!("/proc/{}/task", child.id()))
            .is_ok_and(|tasks| tasks.count() == 4)
    });
    (child, end)
}

/// Lets the program end, and expects that it does as it would without us.
fn finishes(mut child: Child, end: &Path) {
    std::fs::write(end, "").unwrap();
    assert_eq!(wait_for(&mut child).code(), Some(7));
}

fn gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
        || std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn detach_leaves_no_trace() {
    let executable = program("endless", &[]);
    let (child, end) = endless(&executable);
    let mut session = Session::start();
    let reply = session.attach(&[child.id()]);
    let process = reply.results[0].process.clone().unwrap();
    assert_eq!(process.threads.len(), 4);
    let work = symbol(&executable, "work");
    session.break_at(process.id, work);
    for _ in 0..20 {
        session.go();
        session.stop();
    }
    session.detach();
    finishes(child, &end);
}

#[test]
fn detach_while_everything_runs() {
    let executable = program("endless", &[]);
    let (child, end) = endless(&executable);
    let mut session = Session::start();
    let reply = session.attach(&[child.id()]);
    let process = reply.results[0].process.clone().unwrap();
    let work = symbol(&executable, "work");
    session.break_with(process.id, work, |request| request.ignore_count = u64::MAX);
    session.go();
    let hits = session.hits(1);
    wait_until("hits", || session.hits(1).hits > hits.hits + 100);
    session.detach();
    finishes(child, &end);
}

#[test]
fn a_debugger_that_dies_releases_the_attached_and_kills_the_launched() {
    let executable = program("endless", &[]);
    let (child, end) = endless(&executable);
    let mut session = Session::start();
    let reply = session.attach(&[child.id()]);
    let attached = reply.results[0].process.clone().unwrap();
    let launched = session.launch(&executable, &["/no/such/file"]);
    let work = symbol(&executable, "work");
    session.break_with(attached.id, work, |request| request.ignore_count = u64::MAX);
    session.go();
    let mut agent = session.drop_connection();
    assert!(wait_for(&mut agent).success());
    assert!(gone(launched.pid));
    finishes(child, &end);
}

/// Ends one half of the agent with SIGKILL while breakpoints are in place.
fn agent_dies(worker: bool) {
    let executable = program("endless", &[]);
    let (child, end) = endless(&executable);
    let mut session = Session::start();
    let reply = session.attach(&[child.id()]);
    let attached = reply.results[0].process.clone().unwrap();
    let launched = session.launch(&executable, &["/no/such/file"]);
    let work = symbol(&executable, "work");
    // Both halves are seen: breakpoints in place, threads stopped at them.
    session.break_at(attached.id, work);
    session.go();
    session.stop();
    let victim = if worker {
        session.worker_pid
    } else {
        session.agent.id()
    };
    Command::new("kill")
        .args(["-9", &victim.to_string()])
        .status()
        .unwrap();
    wait_for(&mut session.agent);
    wait_until("the launched program ends", || gone(launched.pid));
    finishes(child, &end);
}

#[test]
fn an_agent_whose_working_half_dies_leaves_no_trace() {
    agent_dies(true);
}

#[test]
fn an_agent_whose_guardian_dies_leaves_no_trace() {
    agent_dies(false);
}

#[test]
fn many_processes_are_halted_together() {
    let executable = program("endless", &[]);
    let programs: Vec<(Child, PathBuf)> = (0..16).map(|_| endless(&executable)).collect();
    let mut session = Session::start();
    let pids: Vec<u32> = programs.iter().map(|(child, _)| child.id()).collect();
    let reply = session.attach(&pids);
    assert!(reply.results.iter().all(|result| result.failure.is_none()));
    for _ in 0..5 {
        session.go();
        let reply = session.halt();
        assert_eq!(reply.threads, 64);
        assert!(reply.results.is_empty());
    }
    let snapshot = session.call(|client, session| {
        Box::pin(client.snapshot(wire::SnapshotRequest {
            session,
            targets: Some(wire::Targets::everybody()),
            stack_bytes: 4096,
            vector: false,
        }))
    });
    assert_eq!(snapshot.threads.len(), 64);
    assert!(
        snapshot
            .threads
            .iter()
            .all(|thread| !thread.stack.is_empty())
    );
    session.detach();
    for (child, end) in programs {
        finishes(child, &end);
    }
}

#[test]
fn a_barrier_holds_until_all_have_come() {
    let executable = program("endless", &[]);
    let mut session = Session::start();
    let one = session.launch(&executable, &["/no/such/file"]);
    let two = session.launch(&executable, &["/no/such/file"]);
    let work = symbol(&executable, "work");
    let id = session.break_with(one.id, work, |request| {
        request.places.push(wire::BreakpointPlace {
            process: two.id,
            address: work,
            predicate: None,
        });
        request.barrier = Some(wire::Barrier {
            processes: vec![one.id, two.id],
            threads: Vec::new(),
        });
    });
    session.go();
    let (_, reason) = session.stop_reason();
    assert!(matches!(reason, wire::stop_reason::Reason::Barrier(barrier) if barrier.id == id));
    session.call(|client, session| {
        Box::pin(client.kill(wire::KillRequest {
            session,
            targets: Some(wire::Targets::everybody()),
        }))
    });
    assert_eq!(session.exit(), How::Signal(9));
    assert_eq!(session.exit(), How::Signal(9));
}

#[test]
fn a_launched_program_may_be_stopped_by_others_once_it_is_let_go() {
    let executable = program("endless", &[]);
    let end = scratch().join("end");
    let mut session = Session::start();
    let process = session.launch(&executable, &[&end.display().to_string()]);
    session.go();
    session.detach();
    let signal = |name: &str| {
        let status = Command::new("kill")
            .args([name, &process.pid.to_string()])
            .status();
        assert!(status.unwrap().success());
    };
    signal("-STOP");
    wait_until("the stop", || {
        std::fs::read_to_string(format!("/proc/{}/stat", process.pid))
            .is_ok_and(|stat| stat.contains(") T "))
    });
    // The agent is still its parent, and still there for the debugger.
    assert_eq!(session.halt().threads, 0);
    signal("-CONT");
    std::fs::write(end, "").unwrap();
    wait_until("the end", || gone(process.pid));
}
