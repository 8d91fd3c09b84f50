//! `cargo x bench locks`: what recording costs a program whose threads run in parallel.

use super::Bench;
use super::measure::{Pairs, Run, alternate, median};
use super::report::{Bar, Line};
use super::runs::{self, LIMIT, output};
use crate::failure::{Failure, failure};
use crate::gauntlet::wait_for_port;
use crate::process::{self, Running};
use crate::{scratch, workspace};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Acquisitions of one contended lock, all threads together.
const CONTENDED: &str = "10000000";
/// The same for a replay, which takes some time to begin.
const REPLAYED: &str = "40000000";
/// Acquisitions by one owner, and turns of two, for the size of the trace.
const BY_ONE_OWNER: &str = "20000000";
const TURNS: &str = "200000";
/// Clients of memcached, requests of each in one turn, pairs of turns for each pair of servers, and such pairs for
/// each round; the first pairs of turns warm the servers up.
const CLIENTS: &str = "8";
const REQUESTS: &str = "400";
const TURN_PAIRS: usize = 20;
const WARM_UP: usize = 4;
const SERVERS: usize = 8;

/// The table of one run: uncontended pairs, contention, sizes, replay, memcached, our crate.
pub fn lines(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let locks = build(bench, "locks")?;
    let mut lines = vec![
        pair(bench, &locks, PAIR_OF_MUTEX)?,
        pair(bench, &locks, MANY_MUTEXES)?,
        pair(bench, &locks, RWLOCK)?,
        pair(bench, &locks, WRITE)?,
        pair(bench, &locks, SEMAPHORE)?,
        pair(bench, &locks, CONDITION)?,
        contention(
            bench,
            &locks,
            "2",
            "contended_2",
            "two threads on one lock: s, ratio",
        )?,
        contention(
            bench,
            &locks,
            "8",
            "contended_8",
            "eight threads on one lock: s, ratio",
        )?,
    ];
    lines.extend(trace_bytes(bench, &locks)?);
    lines.push(replay_time(bench, &locks)?);
    lines.push(memcached(bench)?);
    lines.push(our_mutex(bench)?);
    Ok(lines)
}

/// A pair of operations that the C program measures by itself.
struct Pair {
    kind: &'static str,
    key: &'static str,
    what: &'static str,
    bar: f64,
}

const PAIR_OF_MUTEX: Pair = Pair {
    kind: "mutex",
    key: "mutex_pair",
    what: "uncontended lock and unlock: more",
    bar: 3.0,
};
const MANY_MUTEXES: Pair = Pair {
    kind: "many",
    key: "many_mutexes",
    what: "the same over 1,000 mutexes: more",
    bar: 5.0,
};
const RWLOCK: Pair = Pair {
    kind: "rwlock",
    key: "rwlock_pair",
    what: "rdlock and unlock: more",
    bar: 5.0,
};
const WRITE: Pair = Pair {
    kind: "write",
    key: "rwlock_write_pair",
    what: "wrlock and unlock: more",
    bar: 5.0,
};
const SEMAPHORE: Pair = Pair {
    kind: "semaphore",
    key: "semaphore_pair",
    what: "sem_post and sem_wait: more",
    bar: 5.0,
};
const CONDITION: Pair = Pair {
    kind: "condition",
    key: "condition_signal",
    what: "pthread_cond_signal: more",
    bar: 5.0,
};

fn pair(bench: &Bench, locks: &str, pair: Pair) -> Result<Line, Failure> {
    let pairs = Pairs::new(alternate(bench, |run| {
        number(&mut command(bench, run, &[locks, pair.kind]))
    })?);
    Ok(Line {
        key: pair.key,
        what: pair.what,
        unit: "ns",
        plain: Some(pairs.plain()),
        recorded: Some(pairs.recorded()),
        value: pairs.difference(),
        bar: Bar::AtMost(pair.bar),
    })
}

fn contention(
    bench: &Bench,
    locks: &str,
    threads: &str,
    key: &'static str,
    what: &'static str,
) -> Result<Line, Failure> {
    let words = [locks, "contend", CONTENDED, threads];
    let pairs = Pairs::new(alternate(bench, |run| {
        number(&mut command(bench, run, &words))
    })?);
    Ok(Line {
        key,
        what,
        unit: "x",
        plain: Some(pairs.plain()),
        recorded: Some(pairs.recorded()),
        value: pairs.ratio(),
        bar: Bar::AtMost(1.05),
    })
}

/// Bytes that the trace grows by, for each acquisition.
fn trace_bytes(bench: &Bench, locks: &str) -> Result<Vec<Line>, Failure> {
    let recorded = |kind: &str, count: &str| -> Result<(f64, f64), Failure> {
        let accesses = number(&mut command(bench, Run::Recorded, &[locks, kind, count]))?;
        Ok((accesses, scratch::size(&trace(bench)) as f64))
    };
    let per_access = |kind: &str, count: &str| -> Result<f64, Failure> {
        let (_, empty) = recorded(kind, "0")?;
        let (accesses, full) = recorded(kind, count)?;
        Ok((full - empty).max(0.0) / accesses)
    };
    let line = |key, what, value, bar| Line {
        key,
        what,
        unit: "B",
        plain: None,
        recorded: None,
        value,
        bar: Bar::AtMost(bar),
    };
    Ok(vec![
        line(
            "bytes_same_owner",
            "trace bytes per acquisition, one owner",
            per_access("owner", BY_ONE_OWNER)?,
            0.01,
        ),
        line(
            "bytes_alternating",
            "trace bytes per acquisition, owners alternate",
            per_access("turns", TURNS)?,
            1.5,
        ),
    ])
}

/// Time of a replay over the time that the recorded run says it took.
fn replay_time(bench: &Bench, locks: &str) -> Result<Line, Failure> {
    let mut ratios = Vec::new();
    let mut seconds = Vec::new();
    for _ in 0..bench.rounds {
        let words = [locks, "contend", REPLAYED, "2"];
        let recorded = number(&mut command(bench, Run::Recorded, &words))?;
        let mut replay = Command::new(&bench.wayfarer);
        replay
            .arg("replay")
            .arg(trace(bench))
            .args(["--check", "--json"]);
        replay
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let finished = process::run(&mut replay, LIMIT)?;
        if !finished.succeeded() {
            return Err(failure(format!(
                "replay of two threads on one lock: {}",
                finished.describe()
            )));
        }
        ratios.push(finished.seconds / recorded);
        seconds.push(recorded);
    }
    Ok(Line {
        key: "replay_time",
        what: "two threads on one lock: replay s / recorded run s",
        unit: "x",
        plain: None,
        recorded: Some(median(&seconds)),
        value: median(&ratios),
        bar: Bar::AtMost(1.5),
    })
}

/// memcached with four threads, as `--threads auto` records it; its clients are not recorded. They load a plain server
/// and a recorded one by turns of some hundredths of a second, as the speed of a machine changes from one second to the
/// next. Two plain servers differ by up to ten percent (where their memory lies, which thread came to stay on the
/// processor of which client), so there are many of them, and the one that is started first is the plain one as often as
/// the recorded one.
fn memcached(bench: &Bench) -> Result<Line, Failure> {
    let load = build(bench, "memcached_load")?;
    let mut pairs = Vec::new();
    for round in 0..bench.rounds * SERVERS {
        let mut order = [Run::Plain, Run::Recorded];
        order.rotate_left(round % 2);
        let first = Server::start(bench, order[0])?;
        let second = match Server::start(bench, order[1]) {
            Ok(server) => server,
            Err(failure) => {
                first.running.end();
                return Err(failure);
            }
        };
        let outcome = rates(&load, &first, &second);
        for server in [first, second] {
            server.stop()?;
        }
        let (first, second) = outcome?;
        pairs.push(match order[0] {
            Run::Plain => (first, second),
            Run::Recorded => (second, first),
        });
    }
    let rates = Pairs::new(pairs);
    Ok(Line {
        key: "memcached_throughput",
        what: "memcached -t 4, 8 clients: requests/s kept",
        unit: "",
        plain: Some(rates.plain()),
        recorded: Some(rates.recorded()),
        value: rates.ratio(),
        bar: Bar::AtLeast(0.95),
    })
}

/// Requests per second of both servers over all their turns.
fn rates(load: &str, first: &Server, second: &Server) -> Result<(f64, f64), Failure> {
    let turns = (WARM_UP + TURN_PAIRS).to_string();
    let ports = [first.port, second.port].map(|port| port.to_string());
    let mut command = Command::new(load);
    command.args([CLIENTS, REQUESTS, &turns]).args(&ports);
    let said = output(&mut command)?;
    let pair = |line: &str| -> Option<(f64, f64)> {
        let (first, second) = line.split_once(' ')?;
        Some((first.parse().ok()?, second.parse().ok()?))
    };
    let pairs: Option<Vec<(f64, f64)>> = said.lines().skip(WARM_UP).map(pair).collect();
    let Some(pairs) = pairs.filter(|pairs| pairs.len() == TURN_PAIRS) else {
        let line = workspace::command_line(&command);
        return Err(failure(format!("{line} said: {said}")));
    };
    // Each turn has as many requests as any other: what adds up is their time.
    let seconds = |rate: fn(&(f64, f64)) -> f64| pairs.iter().map(|pair| 1.0 / rate(pair)).sum();
    let (first, second): (f64, f64) = (seconds(|pair| pair.0), seconds(|pair| pair.1));
    Ok((TURN_PAIRS as f64 / first, TURN_PAIRS as f64 / second))
}

/// A memcached that waits for clients.
struct Server {
    running: Running,
    /// The server itself, which may be a child of the recorder.
    process: u32,
    port: u16,
}

impl Server {
    fn start(bench: &Bench, run: Run) -> Result<Server, Failure> {
        let port = scratch::free_ports(1)?[0];
        let number = port.to_string();
        let words = ["memcached", "-t", "4", "-l", "127.0.0.1", "-p", &number];
        let mut command = runs::command(bench, run, &words);
        // The identity matters only to root, who must name one.
        command.args(["-U", "0", "-u", "root"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = process::start(&mut command)?;
        if let Err(failure) = wait_for_port(&mut running, port) {
            running.end();
            return Err(failure);
        }
        let process = match run {
            Run::Plain => running.id(),
            Run::Recorded => process::children(running.id())
                .first()
                .copied()
                .unwrap_or(running.id()),
        };
        Ok(Server {
            running,
            process,
            port,
        })
    }

    fn stop(self) -> Result<(), Failure> {
        process::signal("TERM", self.process)?;
        self.running.finish(LIMIT)?;
        Ok(())
    }
}

/// Our mutex for Rust programs against std's, without a session.
fn our_mutex(bench: &Bench) -> Result<Line, Failure> {
    let words = ["build", "--release", "--quiet", "-p", "wayfarer-sync"];
    workspace::run(workspace::cargo(&words).args(["--example", "locks"]))?;
    let target = workspace::target_directory(&workspace::root().join("Cargo.toml"))?;
    let example = target.join("release/examples/locks");
    let mut pairs = Vec::new();
    for _ in 0..bench.rounds {
        let said = output(&mut Command::new(&example))?;
        let numbers: Vec<f64> = said
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        match numbers[..] {
            [theirs, ours] => pairs.push((theirs, ours)),
            _ => return Err(failure(format!("{} said: {said}", example.display()))),
        }
    }
    let pairs = Pairs::new(pairs);
    Ok(Line {
        key: "our_mutex",
        what: "wayfarer-sync Mutex against std, no session: more",
        unit: "ns",
        plain: Some(pairs.plain()),
        recorded: Some(pairs.recorded()),
        value: pairs.difference(),
        bar: Bar::AtMost(1.0),
    })
}

/// Builds a C program of `benches`.
fn build(bench: &Bench, name: &str) -> Result<String, Failure> {
    let program = bench.scratch.path().join(name).display().to_string();
    let source = workspace::root().join(format!("benches/{name}.c"));
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-Wall", "-pthread", "-o", &program]);
    output(compiler.arg(source))?;
    Ok(program)
}

/// The command itself, or recorded in parallel.
fn command(bench: &Bench, run: Run, words: &[&str]) -> Command {
    if run == Run::Plain {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        return command;
    }
    let mut command = Command::new(&bench.wayfarer);
    command
        .args(["record", "--threads", "parallel", "-o"])
        .arg(bench.trace())
        .arg("--")
        .args(words);
    command
}

/// Where the last recording lies.
fn trace(bench: &Bench) -> PathBuf {
    bench.scratch.path().join("trace")
}

/// Runs a command that prints one number.
fn number(command: &mut Command) -> Result<f64, Failure> {
    let said = output(command)?;
    said.trim().parse().map_err(|_| {
        let line = workspace::command_line(command);
        failure(format!("{line} said: {said}"))
    })
}
