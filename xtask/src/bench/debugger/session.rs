//! A debugger that is talked to as a person would: lines in, marks awaited in what comes out.

use crate::failure::{At, Failure, failure};
use crate::process;
use std::io::{PipeReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// No step of a session takes a tenth of this when it works.
const LIMIT: Duration = Duration::from_secs(120);

/// A debugger with its debuggee, in a process group of its own.
pub struct Session {
    child: Child,
    input: ChildStdin,
    output: mpsc::Receiver<(Instant, Vec<u8>)>,
    pub began: Instant,
    said: Vec<u8>,
    /// When the last of it came.
    arrived: Instant,
    /// How much of `said` has been looked through.
    seen: usize,
}

impl Session {
    pub fn start(command: &mut Command) -> Result<Session, Failure> {
        let name = command.get_program().to_string_lossy().into_owned();
        let (reader, writer) = std::io::pipe().doing("making a pipe")?;
        let errors = writer.try_clone().doing("making a pipe")?;
        command
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(errors)
            .process_group(0);
        let began = Instant::now();
        let mut child = command.spawn().doing(&format!("starting {name}"))?;
        // The command keeps its ends of the pipe open otherwise, and the output would never end.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let input = child
            .stdin
            .take()
            .ok_or_else(|| failure("no standard input"))?;
        let (sender, output) = mpsc::channel();
        thread::spawn(move || forward(reader, &sender));
        Ok(Session {
            child,
            input,
            output,
            began,
            said: Vec::new(),
            arrived: began,
            seen: 0,
        })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, line: &str) -> Result<Instant, Failure> {
        let sent = Instant::now();
        writeln!(self.input, "{line}").doing("talking to the debugger")?;
        Ok(sent)
    }

    /// Waits for a mark in the output; when it came, and what stood before it since the last one.
    pub fn wait_for(&mut self, mark: &str) -> Result<(Instant, String), Failure> {
        let deadline = Instant::now() + LIMIT;
        // What has been looked through is not looked through again: some answers are long.
        let mut from = self.seen;
        loop {
            if let Some(at) = find(&self.said[from..], mark.as_bytes()) {
                let before = &self.said[self.seen..from + at];
                let before = String::from_utf8_lossy(before).into_owned();
                self.seen = from + at + mark.len();
                return Ok((self.arrived, before));
            }
            from = self
                .seen
                .max((self.said.len() + 1).saturating_sub(mark.len()));
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok((when, bytes)) => {
                    self.arrived = when;
                    self.said.extend(bytes);
                }
                Err(_) => {
                    let tail = self.said.len().saturating_sub(2000);
                    let said = String::from_utf8_lossy(&self.said[tail..]).into_owned();
                    return Err(failure(format!("'{mark}' never came; last words: {said}")));
                }
            }
        }
    }

    /// Ends the session; what does not end by itself is ended.
    pub fn end(mut self) {
        let _ = writeln!(self.input, "quit");
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            process::end_group(self.child.id());
            // Whatever the wait says, the group is gone.
            let _ = self.child.wait();
        }
    }
}

fn forward(mut reader: PipeReader, sender: &mpsc::Sender<(Instant, Vec<u8>)>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        if sender
            .send((Instant::now(), buffer[..count].to_vec()))
            .is_err()
        {
            return;
        }
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// The most memory that a process ever had, in kilobytes.
pub fn peak_kilobytes(process: u32) -> Result<f64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))
        .doing("reading the status of a debugger")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| failure("no VmHWM in the status of a process"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_one_after_the_other() {
        let mut command = Command::new("bash");
        command.args(["-c", "echo one; read line; echo got $line; echo end"]);
        let mut session = Session::start(&mut command).unwrap();
        session.wait_for("one\n").unwrap();
        let sent = session.send("this").unwrap();
        let (came, before) = session.wait_for("this\n").unwrap();
        assert_eq!(before, "got ");
        assert!(came >= sent);
        // What came in one piece came at one time.
        let (last, _) = session.wait_for("end").unwrap();
        assert!(last >= came);
        session.end();
    }

    #[test]
    fn a_peak_is_read() {
        assert!(peak_kilobytes(std::process::id()).unwrap() > 100.0);
        assert!(peak_kilobytes(0).is_err());
    }
}
