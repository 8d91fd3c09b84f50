//! Each recipe of the runtime is switched off once: then a debuggee must fail, or the tests do not
//! bite. Switching off the patching alone must change nothing but the speed.

use wayfarer_test_kit::debuggee::Debuggee;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::recording::Recorder;
use wayfarer_test_kit::replay::{difference, expect_identical, replay_check};
use wayfarer_test_kit::{ensure, fail};

/// A recipe, what is switched off to see it, and the debuggee that needs it. Most recipes serve
/// dispatch, which patched sites seldom need: those are looked at without patching.
const CASES: &[(&str, &[&str], &str)] = &[
    (
        "mask_strip",
        &["--no-patch", "--ablate", "mask-strip"],
        "processes/posix_spawn",
    ),
    (
        "rearm",
        &["--no-patch", "--ablate", "rearm"],
        "processes/raw_system_calls",
    ),
    (
        "environment",
        &["--ablate", "environment"],
        "processes/exec_empty_environment",
    ),
    (
        "dispatch",
        &["--ablate", "dispatch"],
        "processes/raw_system_calls",
    ),
    ("vdso", &["--ablate", "vdso"], "clocks/all_clocks"),
    (
        "filter_prefix",
        &["--no-patch", "--ablate", "filter-prefix"],
        "processes/seccomp_filter",
    ),
    ("guard", &["--ablate", "guard"], "processes/bad_pointers"),
    (
        "child_frame",
        &["--ablate", "child-frame"],
        "threads/detached",
    ),
    ("vfork", &["--ablate", "vfork"], "processes/vfork_exec"),
    (
        "alternate_stack",
        &["--ablate", "alternate-stack"],
        "threads/borrowed_stack",
    ),
    (
        "early_start",
        &["--ablate", "early-start"],
        "processes/before_main",
    ),
];

/// Everything that the unpatched runtime must still get right.
const WITHOUT_PATCHING: &[&str] = &[
    "sockets/tcp_prefork",
    "processes/posix_spawn",
    "processes/vfork_exec",
    "signals/interval_timer",
    "signals/siglongjmp",
    "threads/condition_queue",
    "threads/cancellation",
    "clocks/all_clocks",
];

fn main() {
    let mut tests: Vec<Test> = CASES
        .iter()
        .map(|&(name, options, debuggee)| Test::new(name, move || expect_bite(options, debuggee)))
        .collect();
    tests.extend(WITHOUT_PATCHING.iter().map(|&debuggee| {
        Test::new(format!("no_patch::{debuggee}"), move || {
            expect_no_harm(&["--no-patch"], debuggee)
        })
    }));
    tests.push(Test::new("restorer", restorer_saves_traps));
    tests.push(Test::new("dispatch_off_and_on", || {
        dispatch_goes_and_comes("processes/late_code", 4)
    }));
    tests.push(Test::new("dispatch_off_and_on_threads", || {
        dispatch_goes_and_comes("threads/late_code", 12)
    }));
    harness::run(tests);
}

fn recorder(options: &[&str]) -> Recorder {
    options
        .iter()
        .fold(Recorder::default(), |recorder, option| {
            recorder.option(*option)
        })
}

/// With the recipe switched off, at least one of a few recordings must go wrong.
fn expect_bite(options: &[&str], debuggee: &'static str) -> Outcome {
    let words = Debuggee::c(debuggee).words()?;
    for _ in 0..3 {
        let recording = recorder(options).start(&words)?.finish()?;
        if recording.run.status == 2 && recording.run.stdout.is_empty() {
            return Err(Failure(format!(
                "the option is not known: {}",
                recording.run.stderr_text()
            )));
        }
        if recording.run.hung || recording.run.status >= 98 {
            return Ok(Verdict::Passed);
        }
        let replay = replay_check(&recording.trace)?;
        if difference(&recording, &replay).is_some() {
            return Ok(Verdict::Passed);
        }
    }
    fail!("{options:?} does no harm to {debuggee}: nothing tests this recipe")
}

/// A busy process does without dispatch, and has it again before it runs code that was not looked at.
fn dispatch_goes_and_comes(debuggee: &'static str, late_calls: u64) -> Outcome {
    // The recorder answers in its own time: on a busy machine perhaps too late for this short program.
    const ATTEMPTS: usize = 10;
    let words = Debuggee::c(debuggee).words()?;
    for _ in 0..ATTEMPTS {
        let mut recording = Recorder::default().record(&words)?;
        expect_identical(&mut recording)?;
        let info = recording.info()?;
        let off = info["dispatch_off"].as_array().map_or(0, Vec::len);
        if off > 0 {
            ensure!(
                info["dispatch_traps"].as_u64() >= Some(late_calls),
                "the late code was not caught: {info}"
            );
            return Ok(Verdict::Passed);
        }
    }
    fail!("{ATTEMPTS} recordings kept dispatch on to the end")
}

/// Without our own restorer every return from a handler is caught by dispatch: slower, but right.
fn restorer_saves_traps() -> Outcome {
    let words = Debuggee::c("signals/kill_ping_pong").words()?;
    let traps = |options: &[&str]| -> Result<u64, Failure> {
        let mut recording = recorder(options).record(&words)?;
        expect_identical(&mut recording)?;
        let info = recording.info()?;
        info["dispatch_traps"]
            .as_u64()
            .ok_or_else(|| Failure(format!("no number of traps in {info}")))
    };
    let (with, without) = (traps(&[])?, traps(&["--ablate", "restorer"])?);
    // Forty handlers return in this debuggee.
    ensure!(
        without >= with + 40,
        "{with} traps with the restorer, {without} without"
    );
    Ok(Verdict::Passed)
}

fn expect_no_harm(options: &[&str], debuggee: &'static str) -> Outcome {
    let words = Debuggee::c(debuggee).words()?;
    for _ in 0..2 {
        let mut recording = recorder(options).record(&words)?;
        expect_identical(&mut recording)?;
    }
    Ok(Verdict::Passed)
}
