//! Threads and processes that are born in an awkward moment: nobody is left behind.

mod common;

use common::{Session, program, scratch, symbol, wait_until};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use wayfarer_protocol as wire;
use wire::event::Kind;
use wire::process_exited::How;

/// Kills within one session: enough to meet the moment at which a birth has not been reported yet.
const ROUNDS: usize = 30;

/// A copy of the program, so that its processes are told from those of other rounds.
fn copy(executable: &Path) -> PathBuf {
    let copy = scratch().join("cradle");
    std::fs::copy(executable, &copy).unwrap();
    copy
}

/// Launches the program with a breakpoint that only counts, lets it make some and kills it; how its processes ended.
fn kill_in_the_middle(session: &mut Session, executable: &Path, what: &str) -> Vec<How> {
    let process = session.launch(executable, &[what]);
    let id = session.break_with(process.id, symbol(executable, "work"), |request| {
        request.ignore_count = u64::MAX;
    });
    session.go();
    let mut alive = vec![process.id];
    let mut ends = Vec::new();
    let mut killed = false;
    while !alive.is_empty() {
        match session.event().kind.unwrap() {
            Kind::ProcessCreated(created) => {
                let created = created.process.unwrap();
                assert_eq!(Path::new(&created.executable), executable, "{created:?}");
                alive.push(created.id);
            }
            Kind::ProcessExited(exit) => {
                alive.retain(|process| *process != exit.process);
                ends.push(exit.how.unwrap());
            }
            _ => {}
        }
        if !killed && session.hits(id).hits > 10 {
            killed = true;
            std::process::Command::new("kill")
                .args(["-9", &process.pid.to_string()])
                .status()
                .unwrap();
        }
    }
    assert!(killed);
    session.remove(id);
    ends
}

fn somebody_runs(executable: &Path) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read_link(entry.path().join("exe")).is_ok_and(|path| path == executable)
    })
}

#[test]
fn threads_of_a_killed_maker_do_not_keep_the_process() {
    let executable = program("cradle", &[]);
    let mut session = Session::start();
    for _ in 0..ROUNDS {
        let ends = kill_in_the_middle(&mut session, &executable, "threads");
        assert_eq!(ends, [How::Signal(9)]);
    }
}

#[test]
fn children_of_a_killed_maker_end_well() {
    let original = program("cradle", &[]);
    let mut session = Session::start();
    for _ in 0..ROUNDS {
        let executable = copy(&original);
        let ends = kill_in_the_middle(&mut session, &executable, "processes");
        let killed = |how: &&How| **how == How::Signal(9);
        assert_eq!(ends.iter().filter(killed).count(), 1, "{ends:?}");
        assert!(
            ends.iter()
                .all(|how| killed(&how) || *how == How::Status(0)),
            "{ends:?}"
        );
        wait_until("the end of all children", || !somebody_runs(&executable));
    }
}

/// The debugger resumes whom it was told to be stopped, so nobody may be left out.
#[test]
fn who_is_born_during_a_halt_is_told_of_as_stopped() {
    for what in ["processes", "threads"] {
        let executable = program("cradle", &[]);
        let mut session = Session::start();
        let process = session.launch(&executable, &[what]);
        session.break_at(process.id, symbol(&executable, "work"));
        let mut running: BTreeSet<u64> = BTreeSet::new();
        let mut alive: BTreeMap<u64, u64> = BTreeMap::new();
        alive.extend(process.threads.iter().map(|thread| (thread.id, process.id)));
        for _ in 0..60 {
            running.extend(alive.keys());
            session.go();
            loop {
                match session.event().kind.unwrap() {
                    Kind::ProcessCreated(created) => {
                        for thread in created.process.unwrap().threads {
                            alive.insert(thread.id, thread.process);
                            running.insert(thread.id);
                        }
                    }
                    Kind::ThreadCreated(created) => {
                        let thread = created.thread.unwrap();
                        alive.insert(thread.id, thread.process);
                        running.insert(thread.id);
                    }
                    Kind::ThreadExited(exit) => {
                        alive.remove(&exit.thread);
                        running.remove(&exit.thread);
                    }
                    Kind::ProcessExited(exit) => {
                        alive.retain(|_, process| *process != exit.process);
                        running.retain(|thread| alive.contains_key(thread));
                    }
                    Kind::Stopped(stopped) => {
                        running.retain(|thread| !stopped.stopped.contains(thread));
                        break;
                    }
                    _ => {}
                }
            }
            assert_eq!(running, BTreeSet::new());
        }
    }
}
