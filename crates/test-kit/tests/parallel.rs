//! Every primitive and outcome below `debuggees/sync`, at 2, 8 and 64 threads: recorded in parallel, as
//! `--threads auto` decides, and serially; each recording is replayed twice, with the same output and
//! status.
//!
//! `WAYFARER_RECORDINGS` makes more recordings of each.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use wayfarer_test_kit::compile::{self, Compiled};
use wayfarer_test_kit::debuggee::{Language, debuggees_directory};
use wayfarer_test_kit::failure::{Failure, shorten};
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::recording::{Recorder, run_plain};
use wayfarer_test_kit::replay::expect_identical;
use wayfarer_test_kit::sync_library;
use wayfarer_test_kit::{ensure, tests};

const TEAMS: &[&str] = &["2", "8", "64"];
const REPLAYS: usize = 2;

#[derive(Clone, Copy)]
struct Program {
    name: &'static str,
    language: Language,
    /// All that orders its threads can be seen, so that it replays when recorded in parallel. Atomics and
    /// futexes by hand cannot; `auto` takes serial for them.
    visible: bool,
}

const fn c(name: &'static str) -> Program {
    Program {
        name,
        language: Language::C,
        visible: true,
    }
}

const fn cpp(name: &'static str) -> Program {
    Program {
        language: Language::Cpp,
        ..c(name)
    }
}

const fn rust(name: &'static str) -> Program {
    Program {
        language: Language::Rust,
        ..c(name)
    }
}

const fn invisible(program: Program) -> Program {
    Program {
        visible: false,
        ..program
    }
}

const PROGRAMS: &[Program] = &[
    c("answers"),
    c("barrier_serial"),
    c("c11_threads"),
    c("cancel_joins"),
    c("cancel_streams"),
    c("cancel_waits"),
    c("cond_broadcast"),
    c("cond_first_version"),
    c("cond_signal"),
    c("cond_timedwait"),
    c("create_join"),
    c("detach_exit"),
    c("environment"),
    c("exit_amid"),
    c("exit_printing"),
    c("flush_all"),
    c("fork_many"),
    c("handlers_between"),
    c("handlers_forward"),
    c("heap_many"),
    c("heap_trim"),
    c("libc_state"),
    c("load_many"),
    c("long_rows"),
    c("match_many"),
    c("mutex_dynamic"),
    c("mutex_errorcheck"),
    c("mutex_inherit"),
    c("mutex_normal"),
    c("mutex_recursive"),
    c("mutex_robust"),
    c("mutex_shared"),
    c("mutex_timedlock"),
    c("mutex_trylock"),
    c("once_cancelled"),
    cpp("once_throws"),
    c("once_who"),
    c("popen_many"),
    c("print_many"),
    c("random_many"),
    c("reused_memory"),
    c("rwlock_order"),
    c("rwlock_try"),
    c("sem_named"),
    c("sem_try_timed"),
    c("sem_wait_post"),
    c("specific_data"),
    c("spin_locks"),
    cpp("std_conditions"),
    invisible(cpp("std_futures")),
    invisible(cpp("std_latches")),
    invisible(c("timer_threads")),
    cpp("std_mutexes"),
    cpp("std_shared_mutex"),
    rust("wayfarer_locks"),
    rust("wayfarer_waits"),
];

fn main() {
    let mut all = tests![every_program_is_listed, plain_runs_differ];
    for program in PROGRAMS {
        for mode in ["parallel", "auto", "serial"] {
            if mode == "parallel" && !program.visible {
                continue;
            }
            let teams = if mode == "serial" {
                &TEAMS[1..2]
            } else {
                TEAMS
            };
            all.push(Test::new(format!("{mode}/{}", program.name), move || {
                record_and_replay(program, mode, teams)
            }));
        }
    }
    harness::run(all);
}

fn recordings() -> usize {
    std::env::var("WAYFARER_RECORDINGS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

fn record_and_replay(program: &Program, mode: &str, teams: &[&str]) -> Outcome {
    let built = match build(program)? {
        Compiled::At(path) => path,
        Compiled::NoCompiler(name) => {
            return Ok(Verdict::Skipped(format!("{name} is not installed")));
        }
    };
    for team in teams {
        for _ in 0..recordings() {
            let recorder = Recorder::default().option("--threads").option(mode);
            let words = [built.clone().into_os_string(), OsString::from(team)];
            let mut recording = recorder.record(words)?;
            let status = recording.run.status;
            if status != 0 {
                let message = format!(
                    "it fails while recorded, with {status}:\n{}",
                    shorten(&recording.run.stderr)
                );
                return Err(recording.explain(message));
            }
            for _ in 0..REPLAYS {
                expect_identical(&mut recording)?;
            }
        }
    }
    Ok(Verdict::Passed)
}

fn build(program: &Program) -> Result<Compiled, Failure> {
    let folder = debuggees_directory().join("sync");
    let source = folder.join(program.name);
    match program.language {
        Language::Rust => {
            let Some(library) = sync_library::build()? else {
                return Ok(Compiled::NoCompiler("rustc"));
            };
            let dependency = format!("wayfarer_sync={}", library.display());
            let options = ["--extern", &dependency];
            compile::compile(&source.with_extension("rs"), program.language, &options)
        }
        Language::Cpp => compile::compile(
            &source.with_extension("cpp"),
            Language::Cpp,
            &["-std=c++20"],
        ),
        language => compile::compile(&source.with_extension("c"), language, &[]),
    }
}

/// The list and the folder agree.
fn every_program_is_listed() -> Outcome {
    let listed: BTreeSet<String> = PROGRAMS
        .iter()
        .map(|program| program.name.to_string())
        .collect();
    let mut found = BTreeSet::new();
    for file in fs::read_dir(debuggees_directory().join("sync"))? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension != "h") {
            let name = path.file_stem().unwrap_or_default();
            found.insert(name.to_string_lossy().into_owned());
        }
    }
    ensure!(
        listed == found,
        "listed or there, but not both: {:?}",
        listed.symmetric_difference(&found).collect::<Vec<_>>()
    );
    Ok(Verdict::Passed)
}

/// Without us the programs are as nondeterministic as they claim.
fn plain_runs_differ() -> Outcome {
    const RUNS: usize = 5;
    let mut same = Vec::new();
    for program in PROGRAMS {
        let Compiled::At(path) = build(program)? else {
            continue;
        };
        let mut outputs = BTreeSet::new();
        for _ in 0..RUNS {
            let run = run_plain([path.clone().into_os_string(), OsString::from("8")], b"")?;
            ensure!(
                !run.hung && run.status == 0,
                "{} does not work without us: {}",
                program.name,
                run.stderr_text()
            );
            outputs.insert(run.stdout);
        }
        if outputs.len() == 1 {
            same.push(program.name);
        }
    }
    println!("the same output in {RUNS} runs: {same:?}");
    ensure!(
        same.len() * 10 <= PROGRAMS.len(),
        "too many programs give the same output in every run: {same:?}"
    );
    Ok(Verdict::Passed)
}
