//! A position of a recorded run is the same place at each visit: random positions of each debuggee are gone to in a random
//! order, several times.
//!
//! `WAYFARER_SEED` changes which ones.

use wayfarer_test_kit::debuggee::{Debuggee, Unavailable};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::fuzz::Random;
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::process::{self, Finished, patience};
use wayfarer_test_kit::recording::{Recorder, Recording};
use wayfarer_test_kit::{ensure, wayfarer};

const SEED: u64 = 20;
/// Positions of one recording.
const POSITIONS: usize = 6;
/// How often each is visited.
const ROUNDS: usize = 2;
/// No thread makes so many events: the refusal says how many it makes.
const TOO_MANY: u64 = u64::MAX;

const MODES: &[(&str, &str)] = &[
    ("demo/bank", "auto"),
    ("memory/shared_mutex", "auto"),
    ("processes/exec_chain", "auto"),
    ("processes/many_children", "auto"),
    ("signals/kill_ping_pong", "auto"),
    ("signals/posix_timers", "auto"),
    ("signals/self_pipe", "auto"),
    ("sockets/tcp_prefork", "auto"),
    ("streams/pipe_shared_writers", "auto"),
    ("threads/condition_queue", "serial"),
    ("threads/condition_queue", "parallel"),
    ("threads/fork_among_threads", "serial"),
    ("threads/local_storage", "parallel"),
    ("threads/mutex_order", "serial"),
    ("threads/mutex_order", "parallel"),
    ("threads/read_write_lock", "serial"),
    ("threads/read_write_lock", "parallel"),
];

fn main() {
    let tests = MODES.iter().map(|&(name, mode)| {
        Test::new(format!("{name}_{mode}"), move || {
            visits_are_equal(name, mode)
        })
    });
    harness::run(tests.collect());
}

fn seed() -> u64 {
    let given = std::env::var("WAYFARER_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(SEED)
}

fn visits_are_equal(name: &'static str, mode: &str) -> Outcome {
    let words = match Debuggee::c(name).command_words() {
        Ok(words) => words,
        Err(Unavailable::Missing(reason)) => return Ok(Verdict::Skipped(reason)),
        Err(Unavailable::Broken(failure)) => return Err(failure),
    };
    let recorder = Recorder::default().option("--threads").option(mode);
    let mut recording = recorder.record(words)?;
    let seed = seed();
    visit(&recording, seed).map_err(|failure| {
        let kept = recording.explain(failure.0);
        Failure(format!(
            "{}\n  or with the commands beside the trace: wayfarer replay {} < {}\n  choose again with: WAYFARER_SEED={seed} \
cargo test -p wayfarer-test-kit --test positions {name}_{mode}",
            kept.0,
            recording.trace.display(),
            recording.directory().join("commands").display(),
        ))
    })
}

fn visit(recording: &Recording, seed: u64) -> Outcome {
    let threads = threads(recording)?;
    ensure!(!threads.is_empty(), "nobody makes an event");
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let positions: Vec<String> = (0..POSITIONS)
        .map(|_| {
            let (name, events) = &threads[random.below(threads.len())];
            // Behind its last event a thread is gone.
            format!("{name}@{}", random.below(*events as usize))
        })
        .collect();
    let mut order: Vec<&String> = Vec::new();
    for _ in 0..ROUNDS {
        let mut round: Vec<&String> = positions.iter().collect();
        while !round.is_empty() {
            order.push(round.swap_remove(random.below(round.len())));
        }
    }
    let mut commands: String = order.iter().map(|position| show(position)).collect();
    commands += "continue\n";
    let said = session(recording, &commands)?;
    let text = said.stdout_text();
    let places: Vec<Place> = text
        .split("<<<\n")
        .skip(1)
        .filter_map(Place::read)
        .collect();
    ensure!(
        places.len() == order.len(),
        "{} of {} places are shown:\n{text}\n{}",
        places.len(),
        order.len(),
        said.stderr_text()
    );
    for (place, position) in places.iter().zip(&order) {
        ensure!(
            place.position == **position,
            "instead of {position} it stands at {}: {}",
            place.position,
            said.stderr_text()
        );
        let first = places.iter().find(|first| first.position == place.position);
        ensure!(
            first.is_none_or(|first| first == place),
            "{position} is another place at a later visit:\n{first:#?}\n{place:#?}"
        );
    }
    ensure!(
        text.contains("[End of the recording: identical, "),
        "the run does not end like its recording:\n{text}\n{}",
        said.stderr_text()
    );
    Ok(Verdict::Passed)
}

/// Goes to a position and shows what is there.
fn show(position: &str) -> String {
    format!(
        "goto {position}\necho <<<\\n\nwhen\ninfo registers rip rsp rbp rbx r12 r13 r14 r15\nx/64gx $sp\n\
         echo ===\\n\ninfo threads\necho >>>\\n\n"
    )
}

/// What was found at a position.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    position: String,
    /// Registers and the top of the stack.
    thread: String,
    /// The numbers of all threads that live.
    living: Vec<String>,
}

impl Place {
    fn read(shown: &str) -> Option<Place> {
        let (thread, threads) = shown.split_once(">>>\n")?.0.split_once("===\n")?;
        let (position, thread) = thread.split_once('\n')?;
        let words = threads.lines().skip(1).filter_map(|line| {
            let line = line.strip_prefix('*').unwrap_or(line);
            line.split_whitespace().next()
        });
        let number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
        Some(Place {
            position: position.to_owned(),
            thread: thread.to_owned(),
            living: words.filter(number).map(str::to_owned).collect(),
        })
    }
}

/// The threads of a recording, as a position names them, with the number of their events.
fn threads(recording: &Recording) -> Result<Vec<(String, u64)>, Failure> {
    let info = recording.info()?;
    let processes = info["processes"].as_array().cloned().unwrap_or_default();
    let mut names = Vec::new();
    for process in &processes {
        let name = process["name"].as_str().unwrap_or_default();
        let count = process["threads"].as_u64().unwrap_or(0);
        names.extend((1..=count).map(|thread| match thread {
            1 => name.to_owned(),
            _ => format!("{name}.{thread}"),
        }));
    }
    let commands: String = names
        .iter()
        .map(|name| format!("goto {name}@{TOO_MANY}\n"))
        .collect();
    let refusals = session(recording, &commands)?.stderr_text();
    let mut found = Vec::new();
    for name in names {
        let promised = refusals.lines().find_map(|line| {
            let line = line.strip_prefix(&name)?.strip_prefix(" makes ")?;
            line.split_whitespace().next()?.parse().ok()
        });
        let Some(events) = promised else {
            return Err(Failure(format!("{name} has no events: {refusals}")));
        };
        found.push((name, events));
    }
    Ok(found)
}

fn session(recording: &Recording, commands: &str) -> Result<Finished, Failure> {
    // For who wants to repeat it.
    std::fs::write(recording.directory().join("commands"), commands)?;
    let mut command = wayfarer::command()?;
    command.arg("replay").arg(&recording.trace);
    let finished = process::run(&mut command, commands.as_bytes(), patience())?;
    ensure!(!finished.hung, "the session hangs: {commands}");
    Ok(finished)
}
