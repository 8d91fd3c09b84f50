//! Damaged and foreign traces, and programs that cannot be recorded: a message and an exit code each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use wayfarer_test_kit::compile::{Compiled, compile};
use wayfarer_test_kit::debuggee::{Debuggee, Language, debuggees_directory};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, Finished, patience};
use wayfarer_test_kit::recording::{Recorder, Recording, record, run_plain};
use wayfarer_test_kit::replay::{expect_identical, replay_check};
use wayfarer_test_kit::{ensure, tests, wayfarer};

fn main() {
    harness::run(tests![
        truncated,
        corrupted,
        empty_and_missing,
        foreign,
        newer_version,
        no_such_program,
        not_executable,
        static_program,
        static_child,
        setuid_child,
        no_command,
    ]);
}

fn wayfarer_run(words: &[&str], trace: &Path) -> Result<Finished, Failure> {
    let mut command = wayfarer::command()?;
    command.arg(words[0]).arg(trace).args(&words[1..]);
    process::run(&mut command, b"", patience())
}

/// Both readers of a trace must refuse it with 2 and a message that names the place.
fn expect_refused(trace: &Path, what: &str) -> Result<(), Failure> {
    for words in [&["info"][..], &["replay", "--check"][..]] {
        let run = wayfarer_run(words, trace)?;
        let said = run.stderr_text();
        let clean =
            !run.hung && run.status == 2 && !said.trim().is_empty() && !said.contains("panicked");
        ensure!(
            clean,
            "{what}: {words:?} gives {}{}: {said}",
            run.status,
            if run.hung { " (hangs)" } else { "" }
        );
    }
    Ok(())
}

/// A small trace of several processes.
fn small_trace() -> Result<Recording, Failure> {
    record(Debuggee::c("sockets/socketpair_ping_pong").words()?)
}

fn files_of(trace: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(trace)? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

/// A cut trace is refused, or replays as recorded: never anything else.
fn truncated() -> Outcome {
    let recording = small_trace()?;
    let mut problems = Vec::new();
    for file in files_of(&recording.trace)? {
        let whole = fs::read(&file)?;
        let length = whole.len();
        for kept in [
            0,
            1,
            length / 4,
            length / 2,
            length * 9 / 10,
            length.saturating_sub(1),
        ] {
            fs::write(&file, &whole[..kept])?;
            problems.extend(problem_with_damaged(&recording)?.map(|problem| {
                (
                    file.clone(),
                    format!("cut to {kept} of {length} bytes: {problem}"),
                )
            }));
        }
        fs::write(&file, &whole)?;
    }
    report(problems)
}

/// Whichever byte is wrong, it is noticed.
fn corrupted() -> Outcome {
    const PLACES: usize = 60;
    let recording = small_trace()?;
    let mut problems = Vec::new();
    for file in files_of(&recording.trace)? {
        let whole = fs::read(&file)?;
        let step = (whole.len() / PLACES).max(1);
        for place in (0..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x11;
            fs::write(&file, &damaged)?;
            problems.extend(
                problem_with_damaged(&recording)?
                    .map(|problem| (file.clone(), format!("a wrong byte at {place}: {problem}"))),
            );
        }
        fs::write(&file, &whole)?;
    }
    report(problems)
}

fn report(problems: Vec<(PathBuf, String)>) -> Outcome {
    ensure!(
        problems.is_empty(),
        "{} kinds of damage are not handled, among them:\n{}",
        problems.len(),
        problems
            .iter()
            .map(|(file, problem)| format!("{}: {problem}", file.display()))
            .take(4)
            .collect::<Vec<_>>()
            .join("\n")
    );
    Ok(Verdict::Passed)
}

/// Either refused with 2 and a message, or (a part that can be rebuilt) replayed as recorded.
fn problem_with_damaged(recording: &Recording) -> Result<Option<String>, Failure> {
    let info = wayfarer_run(&["info"], &recording.trace)?;
    if info.hung || !matches!(info.status, 0 | 2) {
        return Ok(Some(format!(
            "info gives {}: {}",
            info.status,
            info.stderr_text()
        )));
    }
    let replay = replay_check(&recording.trace)?;
    let said = replay.run.stderr_text();
    let refused = replay.run.status == 2 && !said.trim().is_empty();
    let as_recorded =
        replay.run.status == 0 && replay.identical() && replay.stdout == recording.run.stdout;
    let clean = !replay.run.hung && !said.contains("panicked") && !said.contains("internal error");
    Ok((!clean || !(refused || as_recorded)).then(|| replay.summary()))
}

fn empty_and_missing() -> Outcome {
    let home = tempfile::tempdir()?;
    expect_refused(&home.path().join("nowhere"), "no such directory")?;
    expect_refused(home.path(), "an empty directory")?;
    let file = home.path().join("file");
    fs::write(&file, "")?;
    expect_refused(&file, "an empty file")?;
    let recording = small_trace()?;
    for file in files_of(&recording.trace)? {
        let aside = recording.directory().join("aside");
        fs::rename(&file, &aside)?;
        expect_refused(&recording.trace, &format!("without {}", file.display()))?;
        fs::rename(&aside, &file)?;
    }
    Ok(Verdict::Passed)
}

fn foreign() -> Outcome {
    let home = tempfile::tempdir()?;
    fs::write(home.path().join("version"), "85\n")?;
    fs::write(home.path().join("data"), [0x5a; 10000])?;
    expect_refused(home.path(), "a directory of something else")?;
    expect_refused(Path::new("/bin"), "a directory of programs")?;
    let recording = small_trace()?;
    for file in files_of(&recording.trace)? {
        let whole = fs::read(&file)?;
        fs::write(&file, [0x5a; 10000])?;
        expect_refused(
            &recording.trace,
            &format!("foreign bytes in {}", file.display()),
        )?;
        fs::write(&file, whole)?;
    }
    Ok(Verdict::Passed)
}

/// A trace of a later version is refused as such, not as damaged.
fn newer_version() -> Outcome {
    let recording = small_trace()?;
    let manifest = recording.trace.join("manifest.json");
    let mut values: serde_json::Value = serde_json::from_slice(&fs::read(&manifest)?)?;
    for key in ["format_version", "abi_version"] {
        let before = values[key].clone();
        ensure!(before.is_u64(), "the manifest has no {key}");
        values[key] = 4242.into();
        fs::write(&manifest, serde_json::to_vec_pretty(&values)?)?;
        expect_refused(&recording.trace, key)?;
        let said = wayfarer_run(&["info"], &recording.trace)?.stderr_text();
        ensure!(
            said.contains("4242") && said.contains("version"),
            "the message does not name the version: {said}"
        );
        values[key] = before;
    }
    Ok(Verdict::Passed)
}

fn expect_not_started(words: &[&str], expected: i32) -> Outcome {
    let run = Recorder::default().start(words)?.finish()?.run;
    let said = run.stderr_text();
    let named = words.first().is_none_or(|word| said.contains(word));
    ensure!(
        !run.hung && run.status == expected && named,
        "exit {} instead of {expected}: {said}",
        run.status
    );
    Ok(Verdict::Passed)
}

fn no_such_program() -> Outcome {
    expect_not_started(&["/nonexistent/program"], 127)?;
    expect_not_started(&["no-such-program-anywhere"], 127)
}

fn not_executable() -> Outcome {
    let home = tempfile::tempdir()?;
    let file = home.path().join("text");
    fs::write(&file, "just text")?;
    expect_not_started(&[&file.display().to_string()], 126)?;
    expect_not_started(&[&home.path().display().to_string()], 126)?;
    let strange = home.path().join("strange");
    fs::write(&strange, [0x7f, b'E', b'L', b'F', 9, 9, 9, 9])?;
    fs::set_permissions(&strange, fs::Permissions::from_mode(0o755))?;
    // A shell would try to run it: not for us.
    expect_not_started(&[&strange.display().to_string()], 2)
}

fn no_command() -> Outcome {
    let mut command = wayfarer::command()?;
    command.arg("record");
    let run = process::run(&mut command, b"", patience())?;
    ensure!(
        run.status == 2 && !run.stderr.is_empty(),
        "exit {}: {}",
        run.status,
        run.stderr_text()
    );
    Ok(Verdict::Passed)
}

fn static_build() -> Result<Option<PathBuf>, Failure> {
    let source = debuggees_directory().join("sockets/socketpair_ping_pong.c");
    match compile(&source, Language::C, &["-static"]) {
        Ok(Compiled::At(program)) => Ok(Some(program)),
        _ => Ok(None),
    }
}

/// A static program cannot be followed: said at once, with our own exit code for bad input.
fn static_program() -> Outcome {
    let Some(program) = static_build()? else {
        return Ok(Verdict::Skipped("no static libc here".into()));
    };
    let run = Recorder::default().start([&program])?.finish()?.run;
    let said = run.stderr_text();
    ensure!(
        run.status == 2 && said.contains("static"),
        "exit {}: {said}",
        run.status
    );
    Ok(Verdict::Passed)
}

/// As a child it runs unrecorded, the trace says so, and the parent replays.
fn static_child() -> Outcome {
    let Some(program) = static_build()? else {
        return Ok(Verdict::Skipped("no static libc here".into()));
    };
    let script = format!(
        "echo before $$; x=$({}); echo \"child said $x\"; echo after",
        program.display()
    );
    expect_opaque_child(&script)
}

fn setuid_child() -> Outcome {
    if !rustix::process::getuid().is_root() {
        return Ok(Verdict::Skipped(
            "only root can make a setuid program".into(),
        ));
    }
    let home = tempfile::tempdir()?;
    let program = home.path().join("setuid-id");
    fs::copy("/usr/bin/id", &program)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755))?;
    // Only another user than its owner gains rights by it: then the loader drops our preload.
    rustix::fs::chown(&program, Some(rustix::fs::Uid::from_raw(65534)), None)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
    let plain = run_plain([&program], b"")?;
    ensure!(
        plain.stdout_text().contains("euid="),
        "setuid has no effect here: {}",
        plain.stdout_text()
    );
    expect_opaque_child(&format!(
        "echo before $$; x=$({}); echo \"child said $x\"; echo after",
        program.display()
    ))
}

fn expect_opaque_child(script: &str) -> Outcome {
    let mut recording = record(["/bin/sh", "-c", script])?;
    ensure!(
        recording.run.stdout_text().contains("after"),
        "the parent did not go on: {}",
        recording.run.stderr_text()
    );
    expect_identical(&mut recording)?;
    let info = recording.info()?.to_string();
    ensure!(
        info.contains("static") || info.contains("setuid") || info.contains("opaque"),
        "info does not warn: {info}"
    );
    Ok(Verdict::Passed)
}
