//! The agent dies by SIGKILL at any moment, and attached programs do not notice: they go on, and nothing of us stays.

mod common;

use common::{Session, program, scratch, symbol, wait_for, wait_until};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;
use wayfarer_protocol as wire;

/// A program that is attached to again and again.
struct Survivor {
    child: Child,
    work: u64,
    total: u64,
    end: PathBuf,
    before: Looks,
}

impl Drop for Survivor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a program looks like from outside.
#[derive(Default, PartialEq, Debug)]
struct Looks {
    code: Vec<u8>,
    executable_mappings: Vec<String>,
    caught_signals: String,
    blocked_signals: String,
    tracer: String,
}

impl Survivor {
    fn start(executable: &Path, arguments: &[&str]) -> Survivor {
        let end = scratch().join("end");
        let child = Command::new(executable)
            .arg(&end)
            .args(arguments)
            .spawn()
            .unwrap();
        let pid = child.id();
        wait_until("threads", || {
            std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|tasks| tasks.count() == 4)
        });
        let mut survivor = Survivor {
            child,
            work: symbol(executable, "work"),
            total: symbol(executable, "total"),
            end,
            before: Looks::default(),
        };
        survivor.before = survivor.looks();
        survivor
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn read(&self, address: u64, length: usize) -> Vec<u8> {
        let memory = File::open(format!("/proc/{}/mem", self.pid())).unwrap();
        let mut bytes = vec![0; length];
        memory.read_exact_at(&mut bytes, address).unwrap();
        bytes
    }

    fn looks(&self) -> Looks {
        let text = |name| std::fs::read_to_string(format!("/proc/{}/{name}", self.pid())).unwrap();
        let status = text("status");
        let line = |key: &str| {
            status
                .lines()
                .find(|line| line.starts_with(key))
                .unwrap()
                .to_string()
        };
        let maps = text("maps");
        Looks {
            code: self.read(self.work, 128),
            executable_mappings: maps
                .lines()
                .filter(|line| line.contains("r-xp"))
                .map(str::to_string)
                .collect(),
            caught_signals: line("SigCgt:"),
            blocked_signals: line("SigBlk:"),
            tracer: line("TracerPid:"),
        }
    }

    fn count(&self) -> u64 {
        u64::from_le_bytes(self.read(self.total, 8).try_into().unwrap())
    }

    /// It runs, and nothing of us is left.
    fn is_unharmed(&mut self) {
        let ended = self.child.try_wait().unwrap();
        assert_eq!(ended, None, "the program has ended");
        // A thread in a handler of the program's own blocks its signal for a moment.
        let mut looks = self.looks();
        for _ in 0..100 {
            if looks == self.before {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            looks = self.looks();
        }
        assert_eq!(looks, self.before);
        self.goes_on();
    }

    fn goes_on(&mut self) {
        let before = self.count();
        wait_until("the program goes on", || {
            assert_eq!(
                self.child.try_wait().unwrap(),
                None,
                "the program has ended"
            );
            self.count() > before + 100
        });
    }

    fn finishes(mut self) {
        std::fs::write(&self.end, "").unwrap();
        assert_eq!(wait_for(&mut self.child).code(), Some(7));
    }
}

fn kill(pids: &[u32]) {
    let words = pids.iter().map(u32::to_string);
    let status = Command::new("kill").arg("-9").args(words).status().unwrap();
    assert!(status.success());
}

/// Moments that differ from round to round and are the same in every run.
fn moment(round: u64) -> Duration {
    Duration::from_micros(round.wrapping_mul(7_919) % 20_000)
}

/// Attaches to the programs, has `arm` make trouble, kills the agent; several times.
fn survive(rounds: u64, programs: &[&[&str]], arm: impl Fn(&mut Session, &[u64], &Path)) {
    let executable = program("survivor", &[]);
    let mut survivors: Vec<Survivor> = programs
        .iter()
        .map(|arguments| Survivor::start(&executable, arguments))
        .collect();
    for round in 0..rounds {
        let mut session = Session::start();
        let pids: Vec<u32> = survivors.iter().map(Survivor::pid).collect();
        let reply = session.attach(&pids);
        let processes: Vec<u64> = reply
            .results
            .iter()
            .map(|result| result.process.as_ref().unwrap().id)
            .collect();
        arm(&mut session, &processes, &executable);
        std::thread::sleep(moment(round));
        kill(&[session.worker_pid]);
        assert!(!wait_for(&mut session.agent).success());
        for survivor in &mut survivors {
            survivor.is_unharmed();
        }
    }
    for survivor in survivors {
        survivor.finishes();
    }
}

/// A breakpoint that is hit all the time and never stops anybody.
fn count_at(session: &mut Session, processes: &[u64], address: u64) -> u64 {
    let mut id = 0;
    for process in processes {
        id = session.break_with(*process, address, |request| request.ignore_count = u64::MAX);
    }
    id
}

fn wait_for_hits(session: &mut Session, id: u64) {
    wait_until("hits", || session.hits(id).evaluations > 20);
}

/// An instruction that is executed out of line: the locked addition.
fn locked(executable: &Path) -> u64 {
    let work = symbol(executable, "work");
    let output = Command::new("objdump")
        .args(["-d", "--disassemble=work"])
        .arg(executable)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("lock")).unwrap();
    let address = line.trim().split(':').next().unwrap();
    let address = u64::from_str_radix(address, 16).unwrap();
    assert!(address > work);
    address
}

#[test]
fn an_orderly_leave_leaves_nothing_either() {
    let executable = program("survivor", &[]);
    for mode in ["", "forks", "blocks", "limits"] {
        let mut survivor = Survivor::start(&executable, &[mode]);
        let mut session = Session::start();
        let reply = session.attach(&[survivor.pid()]);
        let process = reply.results[0].process.as_ref().unwrap().id;
        let id = count_at(&mut session, &[process], symbol(&executable, "work"));
        session.go();
        wait_for_hits(&mut session, id);
        session.detach();
        survivor.is_unharmed();
        assert!(wait_for(&mut session.drop_connection()).success());
        survivor.finishes();
    }
}

#[test]
fn while_breakpoints_are_hit_by_many_threads() {
    survive(12, &[&[], &[]], |session, processes, executable| {
        let id = count_at(session, processes, symbol(executable, "work"));
        count_at(session, processes, symbol(executable, "check"));
        session.go();
        wait_for_hits(session, id);
    });
}

#[test]
fn while_neighbouring_instructions_have_breakpoints() {
    survive(8, &[&[]], |session, processes, executable| {
        // push %rbp and what follows it.
        let work = symbol(executable, "work");
        let id = count_at(session, processes, work);
        count_at(session, processes, work + 1);
        session.go();
        wait_for_hits(session, id);
    });
}

#[test]
fn while_instructions_are_executed_out_of_line() {
    survive(12, &[&[], &[]], |session, processes, executable| {
        let id = count_at(session, processes, locked(executable));
        session.go();
        wait_for_hits(session, id);
    });
}

#[test]
fn while_threads_are_held_at_a_breakpoint() {
    survive(5, &[&[], &[]], |session, processes, executable| {
        session.break_at(processes[0], symbol(executable, "work"));
        count_at(session, processes, symbol(executable, "check"));
        for _ in 0..3 {
            session.go();
            session.stop();
        }
    });
}

#[test]
fn while_threads_step() {
    survive(8, &[&[]], |session, processes, _| {
        let everything = wire::AddressRange {
            low: 0,
            high: u64::MAX,
        };
        session.resume(
            wire::Targets::process(processes[0]),
            wire::resume_action::Action::StepRange(wire::StepRange {
                ranges: vec![everything],
                ..Default::default()
            }),
        );
    });
}

#[test]
fn while_memory_is_watched() {
    survive(8, &[&[]], |session, processes, executable| {
        let (process, address) = (processes[0], symbol(executable, "total"));
        let reply = session.call(|client, session| {
            Box::pin(client.insert_watchpoint(wire::InsertWatchpointRequest {
                session,
                id: 50,
                targets: Some(wire::Targets::process(process)),
                address,
                length: 8,
                kind: wire::WatchKind::Write.into(),
                ignore_count: u64::MAX,
                ..Default::default()
            }))
        });
        assert_eq!(reply.results[0].failure, None);
        session.go();
        wait_until("hits", || session.hits(50).hits > 20);
    });
}

#[test]
fn while_children_are_made() {
    survive(
        10,
        &[&["forks"], &["execs"]],
        |session, processes, executable| {
            let id = count_at(session, processes, symbol(executable, "work"));
            session.go();
            wait_for_hits(session, id);
        },
    );
}

#[test]
fn while_the_program_has_traps_of_its_own() {
    survive(8, &[&["traps"]], |session, processes, executable| {
        count_at(session, processes, symbol(executable, "work"));
        for _ in 0..3 {
            session.go();
            session.stop();
        }
        session.go();
    });
}

/// Kills the agent while a thread executes a function for the debugger.
fn survive_call(rounds: u64, function: &str) {
    let executable = program("survivor", &[]);
    let mut survivor = Survivor::start(&executable, &[]);
    for round in 0..rounds {
        let mut session = Session::start();
        let reply = session.attach(&[survivor.pid()]);
        let process = reply.results[0].process.clone().unwrap();
        let worker = session.worker_pid;
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5) + moment(round));
            kill(&[worker]);
        });
        let address = symbol(&executable, function);
        for thread in process.threads.iter().cycle() {
            if !session.try_call(thread.id, address) {
                break;
            }
        }
        killer.join().unwrap();
        wait_for(&mut session.agent);
        survivor.is_unharmed();
    }
    survivor.finishes();
}

#[test]
fn while_functions_are_called() {
    survive_call(10, "check");
}

#[test]
fn while_a_called_function_waits() {
    survive_call(4, "wait_long");
}

/// Threads are on errands for the agent then.
#[test]
fn while_it_attaches_and_detaches() {
    let executable = program("survivor", &[]);
    let mut survivors = [
        Survivor::start(&executable, &[]),
        Survivor::start(&executable, &["blocks"]),
    ];
    let pids = survivors.each_ref().map(Survivor::pid);
    for round in 0..15 {
        let mut session = Session::start();
        let worker = session.worker_pid;
        let killer = std::thread::spawn(move || {
            std::thread::sleep(moment(round) * 2);
            kill(&[worker]);
        });
        while session.try_attach(&pids) && session.try_detach() {}
        killer.join().unwrap();
        wait_for(&mut session.agent);
        for survivor in &mut survivors {
            survivor.is_unharmed();
        }
    }
    for survivor in survivors {
        survivor.finishes();
    }
}

#[test]
fn while_threads_block_the_signal_of_breakpoints() {
    survive(8, &[&["blocks"]], |session, processes, executable| {
        let id = count_at(session, processes, symbol(executable, "work"));
        session.go();
        wait_for_hits(session, id);
    });
}

/// Nobody is left to repair anything but the programs themselves.
#[test]
fn both_halves_of_the_agent_die() {
    let executable = program("survivor", &[]);
    for round in 0..5 {
        let mut survivor = Survivor::start(&executable, &[]);
        let mut session = Session::start();
        let reply = session.attach(&[survivor.pid()]);
        let process = reply.results[0].process.as_ref().unwrap().id;
        let id = count_at(&mut session, &[process], symbol(&executable, "work"));
        count_at(&mut session, &[process], symbol(&executable, "check"));
        session.go();
        wait_for_hits(&mut session, id);
        std::thread::sleep(moment(round));
        let guardian = session.agent.id();
        kill(&[guardian, session.worker_pid]);
        wait_for(&mut session.agent);
        wait_until("nobody traces the program", || {
            survivor.looks().tracer == survivor.before.tracer
        });
        survivor.goes_on();
        assert_eq!(survivor.looks().code, survivor.before.code);
        // What nobody could clean up is cleaned up by the next who comes.
        let mut session = Session::start();
        session.attach(&[survivor.pid()]);
        session.detach();
        survivor.is_unharmed();
        assert!(wait_for(&mut session.drop_connection()).success());
        survivor.finishes();
    }
}
