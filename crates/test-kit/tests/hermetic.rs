//! A replay needs nothing of the world that was recorded, and changes nothing in this one.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use wayfarer_test_kit::debuggee::Debuggee;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::recording::{Recorder, Recording, record};
use wayfarer_test_kit::replay::{self, difference, expect_identical, replay_with};
use wayfarer_test_kit::tree::picture;
use wayfarer_test_kit::{ensure, tests, wayfarer};

fn main() {
    harness::run(tests![
        files_are_gone,
        files_are_changed,
        input_is_gone,
        port_is_taken,
        trace_is_elsewhere,
        there_is_no_network,
        another_user_replays,
        nobody_reads_the_output,
        nothing_is_written,
    ]);
}

const READER: &str = "echo $$; cat notes; ls -l folder; wc -c < notes; stat -c %i folder/a; cat folder/*; readlink link";

/// A directory with something to read, and the recording of a program that reads it.
fn record_reader() -> Result<(tempfile::TempDir, Recording), Failure> {
    let home = tempfile::tempdir()?;
    fs::write(
        home.path().join("notes"),
        "something to read\n".repeat(1000),
    )?;
    fs::create_dir(home.path().join("folder"))?;
    for name in ["a", "b", "c"] {
        fs::write(home.path().join("folder").join(name), name)?;
    }
    std::os::unix::fs::symlink("notes", home.path().join("link"))?;
    let recording = Recorder::default()
        .directory(home.path())
        .record(["/bin/sh", "-c", READER])?;
    ensure!(
        recording.run.status == 0,
        "the reader fails: {}",
        recording.run.stderr_text()
    );
    Ok((home, recording))
}

fn files_are_gone() -> Outcome {
    let (home, mut recording) = record_reader()?;
    drop(home);
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn files_are_changed() -> Outcome {
    let (home, mut recording) = record_reader()?;
    fs::write(home.path().join("notes"), "something else")?;
    fs::remove_file(home.path().join("folder/b"))?;
    fs::write(home.path().join("folder/new"), "new")?;
    fs::remove_file(home.path().join("link"))?;
    fs::create_dir(home.path().join("link"))?;
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn input_is_gone() -> Outcome {
    let input = "a line of input\n".repeat(5000);
    let mut recording = Recorder::default().stdin(input).record([
        "/bin/sh",
        "-c",
        "read a; echo $a $$; wc -l; md5sum",
    ])?;
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn port_is_taken() -> Outcome {
    let mut recording = record(Debuggee::rust("rust/tcp_echo").words()?)?;
    let output = recording.run.stdout_text();
    let port: u16 = output
        .lines()
        .find_map(|line| line.strip_prefix("listening on 127.0.0.1:")?.parse().ok())
        .ok_or_else(|| Failure(format!("no port in {output}")))?;
    // When another program has it already, so much the better.
    let _taken = TcpListener::bind(("127.0.0.1", port));
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn trace_is_elsewhere() -> Outcome {
    let recording = record(Debuggee::c("sockets/tcp_racing_clients").words()?)?;
    let moved = recording.directory().join("another place, with spaces");
    fs::rename(&recording.trace, &moved)?;
    let replay = replay::replay_check(&moved)?;
    match difference(&recording, &replay) {
        None => Ok(Verdict::Passed),
        Some(message) => Err(Failure(message)),
    }
}

/// The reader of a replay's output may go away, as `head` does, and the replay is the same.
fn nobody_reads_the_output() -> Outcome {
    let recording = record(["/usr/bin/seq", "100000"])?;
    let mut command = wayfarer::command()?;
    command.arg("replay").arg(&recording.trace).arg("--check");
    let mut running = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(running.stdout.take());
    let finished = running.wait_with_output()?;
    ensure!(
        finished.status.code() == Some(0),
        "it ends with {}: {}",
        finished.status,
        String::from_utf8_lossy(&finished.stderr)
    );
    Ok(Verdict::Passed)
}

/// Replays under a program that changes the world for it, such as `unshare`.
fn replay_under(recording: &Recording, prefix: &[&str]) -> Outcome {
    let mut probe = Command::new(prefix[0]);
    wayfarer::fix_environment(&mut probe);
    probe
        .args(&prefix[1..])
        .arg(wayfarer::binary()?)
        .arg("--version");
    match process::run(&mut probe, b"", patience()) {
        Ok(run) if run.status == 0 => {}
        Ok(run) => {
            return Ok(Verdict::Skipped(format!(
                "{prefix:?} does not work here: {}",
                run.stderr_text().trim()
            )));
        }
        Err(failure) => return Ok(Verdict::Skipped(failure.0)),
    }
    let mut command = Command::new(prefix[0]);
    wayfarer::fix_environment(&mut command);
    command
        .env("HOME", "/nonexistent")
        .env_remove("XDG_CACHE_HOME")
        .current_dir("/");
    command
        .args(&prefix[1..])
        .arg(wayfarer::binary()?)
        .arg("replay")
        .arg(&recording.trace)
        .args(["--check", "--json"]);
    let replay = replay::from_finished(process::run(&mut command, b"", patience())?)?;
    match difference(recording, &replay) {
        None => Ok(Verdict::Passed),
        Some(message) => Err(Failure(format!("{message}\n  under {prefix:?}"))),
    }
}

fn there_is_no_network() -> Outcome {
    let recording = record(Debuggee::c("sockets/tcp_prefork").words()?)?;
    replay_under(&recording, &["unshare", "--net", "--map-root-user"])
}

fn another_user_replays() -> Outcome {
    if !rustix::process::getuid().is_root() {
        return Ok(Verdict::Skipped("only root can become another user".into()));
    }
    // Programs that all users may start: the checkout may be closed to others.
    let recording = record([
        "/bin/bash",
        "-c",
        "echo $$ $RANDOM; id -u; seq 100 | sort -r | head -3; exit 4",
    ])?;
    open_to_all(recording.directory())?;
    replay_under(
        &recording,
        &[
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ],
    )
}

/// Gives all users the right to read the directory, not to write it.
fn open_to_all(directory: &Path) -> Result<(), Failure> {
    for path in picture(directory)?.into_keys() {
        fs::set_permissions(
            &path,
            fs::Permissions::from_mode(if path.is_dir() { 0o555 } else { 0o444 }),
        )?;
    }
    Ok(())
}

fn nothing_is_written() -> Outcome {
    let home = tempfile::tempdir()?;
    let script = "echo $$ > out; mkdir made; mv out made/; ln -s made link; echo more >> made/out; touch -d 2001-01-01 old; rm old; chmod 700 made; cat made/out";
    let mut recording = Recorder::default()
        .directory(home.path())
        .record(["/bin/sh", "-c", script])?;
    fs::remove_dir_all(home.path().join("made"))?;
    fs::remove_file(home.path().join("link"))?;
    fs::write(home.path().join("out"), "not to be touched")?;
    fs::write(home.path().join("old"), "not to be removed")?;
    let temporary = tempfile::tempdir()?;
    let before = (picture(home.path())?, picture(&recording.trace)?);
    let replay = replay_with(&recording.trace, &[], |command| {
        command
            .env("TMPDIR", temporary.path())
            .current_dir(home.path());
    })?;
    if let Some(message) = difference(&recording, &replay) {
        return Err(recording.explain(message));
    }
    let after = (picture(home.path())?, picture(&recording.trace)?);
    ensure!(
        before == after,
        "the replay changed files:\nbefore {before:#?}\nafter {after:#?}"
    );
    let left: Vec<_> = picture(temporary.path())?
        .into_keys()
        .filter(|path| path != temporary.path())
        .collect();
    ensure!(left.is_empty(), "the replay left temporary files: {left:?}");
    Ok(Verdict::Passed)
}
