//! Running other people's programs with a time limit.
//!
//! Each command gets a process group of its own. When its time is up the group is ended, so nothing
//! that a scenario started outlives it, and nothing else is ever touched.

use crate::failure::{At, Failure};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How a command ended.
pub struct Finished {
    /// Exit status, 128 + signal for a fatal signal.
    pub status: i32,
    pub seconds: f64,
    /// When its time was up: the processes of its group as they were then.
    pub overdue: Option<String>,
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.status == 0 && self.overdue.is_none()
    }

    /// The end in words, for a report.
    pub fn describe(&self) -> String {
        match &self.overdue {
            Some(processes) => format!("not finished after {:.0} s: {processes}", self.seconds),
            None => format!(
                "ended with status {} after {:.1} s",
                self.status, self.seconds
            ),
        }
    }
}

/// A command that runs in the background, in its own group.
pub struct Running {
    child: Child,
    began: Instant,
}

/// Sends the output of `command` to the two files.
pub fn output_to(command: &mut Command, stdout: &Path, stderr: &Path) -> Result<(), Failure> {
    command.stdin(Stdio::null());
    command.stdout(File::create(stdout).at("creating", stdout)?);
    command.stderr(File::create(stderr).at("creating", stderr)?);
    Ok(())
}

pub fn start(command: &mut Command) -> Result<Running, Failure> {
    let began = Instant::now();
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command
        .process_group(0)
        .spawn()
        .doing(&format!("starting {name}"))?;
    Ok(Running { child, began })
}

/// Runs a command to its end, or to the end of its time.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished, Failure> {
    start(command)?.finish(limit)
}

impl Running {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the end. The wait itself is a blocking one, so that times are exact; another thread
    /// watches the clock.
    pub fn finish(mut self, limit: Duration) -> Result<Finished, Failure> {
        let group = self.child.id();
        let (ended, watch) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || match watch.recv_timeout(limit) {
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let processes = describe_group(group);
                end_group(group);
                Some(processes)
            }
            _ => None,
        });
        let status = self.child.wait();
        let seconds = self.began.elapsed().as_secs_f64();
        drop(ended);
        let overdue = watchdog.join().unwrap_or(None);
        let status = status.doing("waiting for a command")?;
        Ok(Finished {
            status: code(status),
            seconds,
            overdue,
        })
    }

    /// Ends the whole group at once and collects the first process.
    pub fn end(mut self) {
        end_group(self.child.id());
        // It is gone or going; there is nothing to do about a failed wait.
        let _ = self.child.wait();
    }
}

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Sends a signal to one process.
pub fn signal(name: &str, process: u32) -> Result<(), Failure> {
    let status = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(process.to_string())
        .status();
    status.doing("running kill").map(|_| ())
}

/// Ends every process of a group that `start` made.
pub fn end_group(group: u32) {
    let target = format!("-{group}");
    let quiet = Command::new("kill")
        .args(["-KILL", "--", &target])
        .stderr(Stdio::null())
        .status();
    // The group may be empty by now, which is what we want.
    let _ = quiet;
}

/// The direct children of a process, oldest first.
pub fn children(parent: u32) -> Vec<u32> {
    let mut found: Vec<u32> = processes()
        .into_iter()
        .filter(|p| p.parent == parent)
        .map(|p| p.id)
        .collect();
    found.sort_unstable();
    found
}

fn describe_group(group: u32) -> String {
    let members: Vec<String> = processes()
        .into_iter()
        .filter(|process| process.group == group)
        .map(|process| format!("{} {} ({})", process.id, process.name, process.state))
        .collect();
    members.join(", ")
}

struct Process {
    id: u32,
    parent: u32,
    group: u32,
    name: String,
    state: String,
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            parse_stat(id, &fs::read_to_string(entry.path().join("stat")).ok()?)
        })
        .collect()
}

/// `/proc/PID/stat`: the name stands in brackets and may itself contain brackets and spaces.
fn parse_stat(id: u32, stat: &str) -> Option<Process> {
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_string();
    let mut fields = tail.split_whitespace();
    let state = fields.next()?.to_string();
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Process {
        id,
        parent,
        group,
        name,
        state,
    })
}

/// Processor time of all threads of a process, in seconds.
pub fn cpu_seconds(process: u32) -> Option<f64> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let mut total_ns = 0_u64;
    for task in tasks.flatten() {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        total_ns += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(total_ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_is_read() {
        let process = parse_stat(7, "7 (a) b (c) S 3 9 9 0 -1").unwrap();
        assert_eq!(
            (process.name.as_str(), process.state.as_str()),
            ("a) b (c", "S")
        );
        assert_eq!((process.parent, process.group), (3, 9));
    }

    #[test]
    fn an_overdue_command_is_ended_with_its_children() {
        let mut command = Command::new("bash");
        command.args(["-c", "sleep 50 & wait"]);
        let finished = run(&mut command, Duration::from_millis(300)).unwrap();
        assert!(finished.overdue.unwrap().contains("sleep"));
        assert_eq!(finished.status, 128 + 9);
        assert!(finished.seconds < 20.0);
    }

    #[test]
    fn a_status_is_passed_on() {
        let mut command = Command::new("bash");
        command.args(["-c", "exit 7"]);
        let finished = run(&mut command, Duration::from_secs(20)).unwrap();
        assert_eq!((finished.status, finished.overdue.is_none()), (7, true));
    }
}
