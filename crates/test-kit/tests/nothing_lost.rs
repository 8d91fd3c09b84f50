//! Whatever dies in the middle of heavy traffic, the trace opens and replays to its end.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use wayfarer_test_kit::debuggee::Debuggee;
use wayfarer_test_kit::failure::{Failure, shorten};
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::recording::{Recorder, Recording, Started};
use wayfarer_test_kit::replay::replay_check;
use wayfarer_test_kit::{ensure, fail, tests, wayfarer};

fn main() {
    harness::run(tests![
        debuggee_is_killed,
        one_process_of_it_is_killed,
        recorder_is_killed,
        everybody_is_killed,
        interrupt_from_the_terminal,
        disk_is_full,
        disk_is_full_among_threads,
        directory_cannot_be_written,
    ]);
}

/// Heavy traffic, recorded for a while.
fn start_traffic() -> Result<Started, Failure> {
    let started = Recorder::default().start(Debuggee::c("endless/traffic").words()?)?;
    let deadline = Instant::now() + patience();
    // All five processes are there, and busy for a moment.
    while descendants(started.running.pid()).len() < 6 {
        ensure!(Instant::now() < deadline, "the traffic did not start");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
    Ok(started)
}

/// Process ids of all descendants, parents first.
fn descendants(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while next < found.len() {
        let path = format!("/proc/{0}/task/{0}/children", found[next]);
        let children = fs::read_to_string(path).unwrap_or_default();
        found.extend(
            children
                .split_whitespace()
                .filter_map(|word| word.parse::<u32>().ok()),
        );
        next += 1;
    }
    found.remove(0);
    found
}

fn kill(pid: u32) -> Result<(), Failure> {
    let pid = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| Failure(format!("no such process: {pid}")))?;
    // It may have ended by itself in the meantime.
    let _ = kill_process(pid, Signal::KILL);
    Ok(())
}

/// The trace opens, tells what it holds, and replays to its end.
fn expect_good(recording: &mut Recording) -> Outcome {
    let info = recording.info()?;
    let events = info
        .get("events")
        .map(ToString::to_string)
        .unwrap_or_default();
    let replay = replay_check(&recording.trace)?;
    if replay.run.hung || replay.run.status != 0 || !replay.identical() {
        return Err(recording.explain(format!(
            "it does not replay to its end: {}",
            replay.summary()
        )));
    }
    let replayed = replay
        .field("events")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or(0);
    if replayed < 1000 {
        return Err(recording.explain(format!(
            "only {replayed} events were replayed (info: {events})"
        )));
    }
    // What the program said before it died is there; the last word may be lost on the way.
    let (said, again) = (&recording.run.stdout, &replay.stdout);
    if !again.starts_with(said) && !said.starts_with(again) {
        return Err(recording.explain(format!(
            "other output: {} / {}",
            shorten(said),
            shorten(again)
        )));
    }
    Ok(Verdict::Passed)
}

fn debuggee_is_killed() -> Outcome {
    let started = start_traffic()?;
    let processes = descendants(started.running.pid());
    for process in &processes {
        kill(*process)?;
    }
    let mut recording = started.finish()?;
    ensure!(
        !recording.run.hung,
        "the recorder does not notice that everybody is dead"
    );
    ensure!(
        recording.run.status == 137,
        "status {} instead of 137",
        recording.run.status
    );
    expect_good(&mut recording)
}

fn one_process_of_it_is_killed() -> Outcome {
    let started = start_traffic()?;
    // The root; its children lose their parent, one of them its pipe. Then the rest.
    let processes = descendants(started.running.pid());
    kill(processes[0])?;
    thread::sleep(Duration::from_millis(200));
    for process in &processes[1..] {
        kill(*process)?;
    }
    let mut recording = started.finish()?;
    ensure!(
        !recording.run.hung,
        "the recorder does not notice that everybody is dead"
    );
    ensure!(
        recording.run.status == 137,
        "status {} instead of 137",
        recording.run.status
    );
    expect_good(&mut recording)
}

fn recorder_is_killed() -> Outcome {
    let started = start_traffic()?;
    let processes = descendants(started.running.pid());
    kill(started.running.pid())?;
    // The debuggee lives on without its recorder.
    thread::sleep(Duration::from_millis(200));
    let alive = processes
        .iter()
        .filter(|pid| Path::new(&format!("/proc/{pid}")).exists())
        .count();
    for process in &processes {
        kill(*process)?;
    }
    let mut recording = started.finish()?;
    ensure!(
        alive == processes.len(),
        "only {alive} of {} processes survived the recorder",
        processes.len()
    );
    expect_good(&mut recording)
}

fn everybody_is_killed() -> Outcome {
    let started = start_traffic()?;
    let processes = descendants(started.running.pid());
    started.running.signal_group(Signal::KILL)?;
    for process in processes {
        kill(process)?;
    }
    let mut recording = started.finish()?;
    expect_good(&mut recording)
}

fn interrupt_from_the_terminal() -> Outcome {
    let started = start_traffic()?;
    started.running.signal_group(Signal::INT)?;
    let mut recording = started.finish()?;
    ensure!(!recording.run.hung, "it does not end after Ctrl-C");
    ensure!(
        recording.run.status == 130,
        "status {} instead of 130",
        recording.run.status
    );
    let replay = replay_check(&recording.trace)?;
    if replay.status() != Some(130) {
        return Err(recording.explain(format!(
            "the replay has another status: {}",
            replay.summary()
        )));
    }
    expect_good(&mut recording)
}

/// A file system of a few megabytes, for the time of a test.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Result<SmallDisk, String> {
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut command = Command::new("mount");
        command
            .args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"])
            .arg(place.path());
        match command.output() {
            Ok(output) if output.status.success() => Ok(SmallDisk(place)),
            Ok(output) => Err(format!(
                "no tmpfs here: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Err(error) => Err(format!("no mount here: {error}")),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .status();
    }
}

fn disk_is_full() -> Outcome {
    // Random bytes from outside: they have to be logged and cannot be compressed.
    let script = "head -c 40000000 /dev/urandom | wc -c";
    fill_disk(
        "auto",
        &["/bin/sh", "-c", script].map(PathBuf::from),
        "40000000",
    )
}

/// Threads that have stopped recording still wait for each other.
fn disk_is_full_among_threads() -> Outcome {
    let words = Debuggee::c("endless/much_input").words()?;
    for mode in ["parallel", "serial"] {
        match fill_disk(mode, &words, "32768000")? {
            Verdict::Passed => {}
            other => return Ok(other),
        }
    }
    Ok(Verdict::Passed)
}

/// Records a program onto a disk with too little room; it must go on and say what it says otherwise.
fn fill_disk(threads: &str, words: &[PathBuf], says: &str) -> Outcome {
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(reason) => return Ok(Verdict::Skipped(reason)),
    };
    let trace = disk.0.path().join("trace");
    let mut command = wayfarer::command()?;
    command.args(["record", "--threads", threads, "-o"]);
    command.arg(&trace).arg("--").args(words);
    let run = process::run(&mut command, b"", patience())?;
    ensure!(
        !run.hung,
        "recording onto a full disk hangs (--threads {threads})"
    );
    let said = run.stderr_text();
    ensure!(
        said.contains("full") || said.contains("space"),
        "nothing said about the full disk (exit {}): {said}",
        run.status
    );
    let went_on = run.status == 0 && run.stdout_text().trim() == says;
    ensure!(
        went_on || run.status == 125,
        "the program neither went on nor is it said why: exit {}: {said}",
        run.status
    );
    Ok(Verdict::Passed)
}

fn directory_cannot_be_written() -> Outcome {
    for place in ["/proc/wayfarer/trace", "/dev/null/trace"] {
        let mut command = wayfarer::command()?;
        command.args(["record", "-o", place, "--", "/bin/echo", "it ran"]);
        let run = process::run(&mut command, b"", patience())?;
        ensure!(
            matches!(run.status, 2 | 125),
            "exit {} for {place}",
            run.status
        );
        ensure!(
            run.stderr_text().contains(place),
            "the message does not name {place}: {}",
            run.stderr_text()
        );
        if run.stdout_text().contains("it ran") {
            fail!("the program was started although nothing can be recorded");
        }
    }
    Ok(Verdict::Passed)
}
