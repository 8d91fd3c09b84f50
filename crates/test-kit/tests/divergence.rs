//! A replay that cannot be identical says so: exit 3 with an explanation, never a hang, never silence.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use wayfarer_test_kit::compile::compile_c;
use wayfarer_test_kit::debuggee::{Debuggee, debuggees_directory};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::recording::{Recorder, Recording, record, run_plain};
use wayfarer_test_kit::replay::{self, Replay, replay_check};
use wayfarer_test_kit::{ensure, tests, wayfarer};

fn main() {
    harness::run(tests![
        another_call,
        other_arguments,
        other_bytes,
        another_number_of_calls,
        a_message_that_never_comes,
        a_new_fault,
        another_lock,
        an_end_that_was_not_recorded,
        no_room_for_memory,
        no_room_for_processes,
        a_program_that_cannot_be_started,
        changed_program,
        missing_program,
        changed_library,
        shadowed_library,
        changed_large_file,
        explanation_is_complete,
    ]);
}

/// By the time-stamp counter, a replay is equal now and then; this many in a row are not.
const ATTEMPTS: usize = 20;

fn record_unrecorded(name: &'static str) -> Result<Recording, Failure> {
    record(Debuggee::c(name).words()?)
}

/// Replays until it diverges; every replay must end by itself with 0 or 3.
fn replay_until_divergence(recording: &mut Recording) -> Result<Replay, Failure> {
    for _ in 0..ATTEMPTS {
        let replay = replay_check(&recording.trace)?;
        match (replay.run.hung, replay.run.status) {
            (false, 0) if replay.identical() && replay.divergence().is_none() => {}
            (false, 3) if !replay.identical() && replay.divergence().is_some() => {
                return Ok(replay);
            }
            _ => {
                return Err(recording.explain(format!(
                    "neither identical nor diverged: {}",
                    replay.summary()
                )));
            }
        }
    }
    Err(recording.explain(format!(
        "{ATTEMPTS} replays were called identical and cannot have been"
    )))
}

fn kind_of(replay: &Replay) -> &str {
    replay
        .divergence()
        .and_then(|value| value.get("kind"))
        .and_then(|kind| kind.as_str())
        .unwrap_or("")
}

fn expect_kind(name: &'static str, kinds: &[&str]) -> Outcome {
    let mut recording = record_unrecorded(name)?;
    let replay = replay_until_divergence(&mut recording)?;
    let kind = kind_of(&replay);
    if !kinds.contains(&kind) {
        return Err(recording.explain(format!(
            "kind {kind:?}, expected one of {kinds:?}: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

fn another_call() -> Outcome {
    expect_kind("unrecorded/time_stamp_counter", &["other-call"])
}

fn other_arguments() -> Outcome {
    expect_kind("unrecorded/other_arguments", &["other-arguments"])
}

fn other_bytes() -> Outcome {
    expect_kind(
        "unrecorded/other_bytes",
        &["other-output", "other-arguments"],
    )
}

fn another_number_of_calls() -> Outcome {
    expect_kind("unrecorded/after_the_end", &["other-call"])
}

/// Records `unrecorded/too_late` in one of its ways, and returns when every replay will take another.
fn record_in_time(way: &str, options: &[&str]) -> Result<Recording, Failure> {
    // A few seconds of the time-stamp counter: enough to record, not too long to wait.
    const TICKS: u64 = 20_000_000_000;
    let words = Debuggee::c("unrecorded/too_late").words()?;
    let counter = || -> Result<u64, Failure> {
        let text = run_plain(&words, b"")?.stdout_text();
        text.trim()
            .parse()
            .map_err(|_| Failure(format!("no number: {text:?}")))
    };
    let deadline = counter()?.saturating_add(TICKS);
    let mut all = words.clone();
    all.push(way.into());
    all.push(deadline.to_string().into());
    let recorder = options
        .iter()
        .fold(Recorder::default(), |recorder, option| {
            recorder.option(*option)
        });
    let recording = recorder.record(&all)?;
    ensure!(
        recording.run.status == 0 && recording.run.stdout_text().contains("in time"),
        "the recording fails, or came too late: {}",
        recording.run.stderr_text()
    );
    while counter()? <= deadline {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(recording)
}

fn expect_divergence(recording: &mut Recording, replay: &Replay, kind: &str) -> Outcome {
    if replay.run.hung || replay.run.status != 3 || kind_of(replay) != kind {
        return Err(recording.explain(format!("no {kind}: {}", replay.summary())));
    }
    Ok(Verdict::Passed)
}

/// One process spins without an event, the other waits for it.
fn a_message_that_never_comes() -> Outcome {
    let mut recording = record_in_time("message", &[])?;
    let replay = replay_check(&recording.trace)?;
    expect_divergence(&mut recording, &replay, "standstill")
}

fn a_new_fault() -> Outcome {
    let mut recording = record_in_time("fault", &[])?;
    let replay = replay_check(&recording.trace)?;
    expect_divergence(&mut recording, &replay, "fault")
}

fn another_lock() -> Outcome {
    let mut recording = record_in_time("mutex", &["--threads", "parallel"])?;
    let replay = replay_check(&recording.trace)?;
    expect_divergence(&mut recording, &replay, "other-sync")
}

/// The kernel ends a process that spins: a second of processor time is all it may have.
fn an_end_that_was_not_recorded() -> Outcome {
    let mut recording = record_in_time("spin", &[])?;
    let mut command = Command::new("prlimit");
    wayfarer::fix_environment(&mut command);
    command
        .arg("--cpu=1")
        .arg(wayfarer::binary()?)
        .args(["replay", "--check", "--json"])
        .arg(&recording.trace);
    let replay = replay::from_finished(process::run(&mut command, b"", patience())?)?;
    expect_divergence(&mut recording, &replay, "ended-early")
}

/// Replays where a limit on processes lets only some of them start again.
fn no_room_for_processes() -> Outcome {
    let recording = record(Debuggee::c("unrecorded/many_at_once").words()?)?;
    let program = wayfarer::binary()?;
    // The limit does not hold for root, which can become another user.
    let prefix: &[&str] = if rustix::process::getuid().is_root() {
        &[
            "setpriv",
            "--reuid=65533",
            "--regid=65533",
            "--clear-groups",
            "prlimit",
            "--nproc=8",
        ]
    } else {
        return Ok(Verdict::Skipped(
            "the limit counts all processes of a user: only root can take a user without any"
                .into(),
        ));
    };
    // That user must be able to read all of it, wherever the checkout is.
    let home = tempfile::tempdir()?;
    let trace = home.path().join("trace");
    let copied = Command::new("sh")
        .arg("-c")
        .arg("cp \"$0\" \"$1/wayfarer\" && cp -r \"$2\" \"$3\" && chmod -R a+rX \"$1\"")
        .args([program, home.path(), &recording.trace, &trace])
        .status()?;
    ensure!(copied.success(), "the trace cannot be copied: {copied}");
    let mut command = Command::new(prefix[0]);
    wayfarer::fix_environment(&mut command);
    command
        .env("HOME", "/nonexistent")
        .env_remove("XDG_CACHE_HOME")
        .current_dir("/")
        .args(&prefix[1..])
        .arg(home.path().join("wayfarer"))
        .args(["replay", "--check", "--json"])
        .arg(&trace);
    let replay = replay::from_finished(process::run(&mut command, b"", patience())?)?;
    ensure!(
        replay.run.status == 3 && kind_of(&replay) == "clone-failed",
        "no clone-failed: {}",
        replay.summary()
    );
    Ok(Verdict::Passed)
}

/// A program that is there, unchanged, and may no longer be executed.
fn a_program_that_cannot_be_started() -> Outcome {
    let home = tempfile::tempdir()?;
    let program = home.path().join("forbidden-program");
    fs::copy(two_builds()?.0, &program)?;
    let mut recording = record(["/bin/sh", "-c", &format!("echo $$; {}", program.display())])?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644))?;
    let replay = replay_check(&recording.trace)?;
    let named = replay.run.stderr_text().contains("forbidden-program");
    if replay.run.status != 3 || kind_of(&replay) != "exec-failed" || !named {
        return Err(recording.explain(format!("no exec-failed: {}", replay.summary())));
    }
    Ok(Verdict::Passed)
}

/// Less address space than the recording had: a mapping cannot be placed again.
fn no_room_for_memory() -> Outcome {
    let mut recording = record(Debuggee::c("unrecorded/much_memory").words()?)?;
    let replay = Command::new("sh")
        .arg("-c")
        .arg("ulimit -v 600000 && exec \"$0\" replay --check --json \"$1\"")
        .arg(wayfarer::binary()?)
        .arg(&recording.trace)
        .output()
        .map_err(|error| Failure(format!("sh: {error}")))?;
    let said = String::from_utf8_lossy(&replay.stdout);
    let kind = said.contains("\"kind\":\"other-memory\"");
    if replay.status.code() != Some(3) || !kind {
        return Err(recording.explain(format!("{}: {said}", replay.status)));
    }
    Ok(Verdict::Passed)
}

/// Two builds of one program that differ in their build id only.
fn two_builds() -> Result<(PathBuf, PathBuf), Failure> {
    let source = debuggees_directory().join("sockets/socketpair_ping_pong.c");
    Ok((
        compile_c(&source, &["-Wl,--build-id=0x1111111111"])?,
        compile_c(&source, &["-Wl,--build-id=0x2222222222"])?,
    ))
}

fn expect_refusal(recording: &mut Recording, named: &str) -> Outcome {
    let replay = replay_check(&recording.trace)?;
    let said = replay.run.stderr_text();
    if replay.run.hung || replay.run.status != 2 || !said.contains(named) {
        return Err(recording.explain(format!(
            "expected exit 2 and a message about {named}: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

fn changed_program() -> Outcome {
    let (first, second) = two_builds()?;
    let home = tempfile::tempdir()?;
    let program = home.path().join("changing-program");
    fs::copy(first, &program)?;
    let mut recording = record([&program])?;
    // Replaced, not overwritten: as an installation does it.
    fs::remove_file(&program)?;
    fs::copy(second, &program)?;
    expect_refusal(&mut recording, "changing-program")
}

fn missing_program() -> Outcome {
    let home = tempfile::tempdir()?;
    let program = home.path().join("vanishing-program");
    fs::copy(two_builds()?.0, &program)?;
    let mut recording = record([&program])?;
    fs::remove_file(&program)?;
    expect_refusal(&mut recording, "vanishing-program")
}

/// A program in `home` that prints what its library `libanswer.so` answers.
struct Asking {
    home: tempfile::TempDir,
}

impl Asking {
    fn new() -> Result<Asking, Failure> {
        Ok(Asking {
            home: tempfile::tempdir()?,
        })
    }

    /// Builds the library that gives this answer.
    fn build_library(&self, answer: &str, to: &Path) -> Result<(), Failure> {
        let source = self.home.path().join("answer.c");
        let text = format!("int answer(void) {{ return {answer}; }}\n");
        fs::write(&source, text)?;
        let options = [
            "-shared",
            "-fPIC",
            "-Wl,--build-id",
            "-Wl,-soname,libanswer.so",
        ];
        let built = compile_c(&source, &options)?;
        let _ = fs::remove_file(to);
        fs::copy(built, to)?;
        Ok(())
    }

    /// Builds the program against the library in `folder`.
    fn build_program(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let source = self.home.path().join("asks.c");
        fs::write(
            &source,
            "#include <stdio.h>\n#include <unistd.h>\nint answer(void);\nint main(void) { printf(\"%d %d\\n\", answer(), getpid()); }\n",
        )?;
        let folder = folder.display().to_string();
        // The library comes after the source only with an explicit position: --no-as-needed keeps it.
        let options = [
            "-Wl,--no-as-needed",
            "-L",
            &folder,
            "-lanswer",
            "-Wl,--as-needed",
        ];
        compile_c(&source, &options)
    }
}

fn record_asking(program: &Path, search: &OsStr) -> Result<Recording, Failure> {
    let recording = Recorder::default()
        .variable("LD_LIBRARY_PATH", search)
        .record([program])?;
    ensure!(
        recording.run.status == 0,
        "the program fails: {}",
        recording.run.stderr_text()
    );
    Ok(recording)
}

/// A library that is another one than recorded is found out, at the start or as a divergence.
fn changed_library() -> Outcome {
    let asking = Asking::new()?;
    let home = asking.home.path();
    let library = home.join("libanswer.so");
    asking.build_library("41", &library)?;
    let mut recording = record_asking(&asking.build_program(home)?, home.as_os_str())?;
    asking.build_library("42", &library)?;
    let replay = replay_check(&recording.trace)?;
    let noticed = !replay.run.hung && matches!(replay.run.status, 2 | 3);
    if !noticed || !replay.run.stderr_text().contains("libanswer.so") {
        return Err(recording.explain(format!(
            "a changed library was not noticed: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

/// All recorded files are as they were, but the loader finds another library before them.
fn shadowed_library() -> Outcome {
    let asking = Asking::new()?;
    let (first, second) = (
        asking.home.path().join("first"),
        asking.home.path().join("second"),
    );
    fs::create_dir(&first)?;
    fs::create_dir(&second)?;
    asking.build_library("41", &second.join("libanswer.so"))?;
    let mut search = first.clone().into_os_string();
    search.push(":");
    search.push(&second);
    let mut recording = record_asking(&asking.build_program(&second)?, &search)?;
    asking.build_library("42", &first.join("libanswer.so"))?;
    let replay = replay_check(&recording.trace)?;
    let named = replay.run.stderr_text().contains("first/libanswer.so");
    if replay.run.status != 3 || kind_of(&replay) != "other-modules" || !named {
        return Err(recording.explain(format!("no other-modules: {}", replay.summary())));
    }
    Ok(Verdict::Passed)
}

/// A large mapped file is verified, not carried: a changed one is found out.
fn changed_large_file() -> Outcome {
    let home = tempfile::tempdir()?;
    let path = home.path().join("numbers");
    fs::write(&path, vec![7u8; 4 << 20])?;
    // What was changed right before the recording counts as changed during it.
    std::thread::sleep(Duration::from_millis(200));
    let mut words = Debuggee::c("unrecorded/large_file").words()?;
    words.push(path.display().to_string().into());
    let mut recording = record(&words)?;
    let before = replay_check(&recording.trace)?;
    ensure!(before.identical(), "{}", before.summary());
    let mut bytes = fs::read(&path)?;
    bytes[10] = 8;
    fs::write(&path, bytes)?;
    let replay = replay_check(&recording.trace)?;
    expect_divergence(&mut recording, &replay, "other-file")
}

/// Everything that the contract promises about a divergence is there, in JSON and in words.
fn explanation_is_complete() -> Outcome {
    let mut recording = record_unrecorded("unrecorded/time_stamp_counter")?;
    let replay = replay_until_divergence(&mut recording)?;
    let explanation = replay
        .divergence()
        .and_then(|value| value.as_object())
        .ok_or_else(|| Failure("no object".into()))?;
    let found: BTreeSet<&str> = explanation.keys().map(String::as_str).collect();
    for key in [
        "kind",
        "process",
        "thread",
        "event",
        "promised",
        "came",
        "before",
        "likely_cause",
    ] {
        ensure!(
            found.contains(key),
            "the explanation has no {key:?}: {}",
            replay.summary()
        );
    }
    let said = replay.run.stderr_text();
    for key in ["promised", "came", "likely_cause"] {
        let text = explanation[key].as_str().unwrap_or("");
        ensure!(
            !text.is_empty() && said.contains(text),
            "{key} {text:?} is not in the words on stderr:\n{said}"
        );
    }
    ensure!(
        explanation["process"] == "time_stamp_counter",
        "the process has another name: {}",
        replay.summary()
    );
    Ok(Verdict::Passed)
}
