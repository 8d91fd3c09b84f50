//! Records a command and keeps what it said.

use crate::failure::Failure;
use crate::process::{self, Finished, Running, patience};
use crate::{ensure, wayfarer};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A trace together with the output and status of the run that it holds.
pub struct Recording {
    /// Where the trace lies.
    pub trace: PathBuf,
    pub run: Finished,
    /// Output on stderr without the words of `wayfarer` itself.
    pub stderr: Vec<u8>,
    pub command: String,
    holder: Option<TempDir>,
}

/// Options of one `wayfarer record`.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pub options: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    pub stdin: Vec<u8>,
    /// The working directory of the recorded program; a scratch directory when not given.
    pub directory: Option<PathBuf>,
}

/// A recording on its way.
pub struct Started {
    pub running: Running,
    pub trace: PathBuf,
    command: String,
    holder: TempDir,
}

impl Recorder {
    pub fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Starts recording; the caller decides what happens on the way.
    pub fn start<W: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Started, Failure> {
        let holder = tempfile::Builder::new()
            .prefix("wayfarer-test-")
            .tempdir()?;
        let trace = holder.path().join("trace");
        let scratch = holder.path().join("scratch");
        std::fs::create_dir(&scratch)?;
        let mut command = wayfarer::command()?;
        command
            .arg("record")
            .arg("-o")
            .arg(&trace)
            .args(&self.options)
            .arg("--");
        command.args(words.into_iter().map(Into::into));
        command
            .current_dir(self.directory.as_ref().unwrap_or(&scratch))
            .env("TMPDIR", &scratch);
        command.envs(self.environment.iter().cloned());
        let running = Running::start(&mut command, &self.stdin)?;
        Ok(Started {
            running,
            trace,
            command: process::describe(&command),
            holder,
        })
    }

    /// Records a whole run.
    pub fn record<W: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Recording, Failure> {
        let mut recording = self.start(words)?.finish()?;
        if recording.run.hung {
            let message = format!("the recording hangs: {}", recording.command);
            return Err(recording.explain(message));
        }
        Ok(recording)
    }
}

impl Started {
    /// Waits for the end of the recording, however it comes.
    pub fn finish(self) -> Result<Recording, Failure> {
        let run = self.running.wait(patience())?;
        let stderr = without_our_words(&run.stderr);
        // The replay shall not need the files that the program left behind.
        std::fs::remove_dir_all(self.holder.path().join("scratch")).ok();
        Ok(Recording {
            trace: self.trace,
            run,
            stderr,
            command: self.command,
            holder: Some(self.holder),
        })
    }
}

impl Recording {
    /// The directory that holds the trace and may hold more.
    pub fn directory(&self) -> &Path {
        self.trace.parent().unwrap_or(&self.trace)
    }

    /// Keeps the trace, with the output that was recorded beside it.
    pub fn keep(&mut self) {
        if let Some(holder) = self.holder.take() {
            let kept = holder.keep();
            // A help for the reader; the message says the main thing already.
            let _ = std::fs::write(kept.join("stdout"), &self.run.stdout);
            let _ = std::fs::write(kept.join("stderr"), &self.run.stderr);
        }
    }

    /// Keeps it all, and says how to repeat the replay.
    pub fn explain(&mut self, message: String) -> Failure {
        self.keep();
        let program = wayfarer::binary()
            .map(|path| path.display().to_string())
            .unwrap_or("wayfarer".into());
        Failure(format!(
            "{message}\n  recorded by: {}\n  repeat with: {program} replay {} --check",
            self.command,
            self.trace.display()
        ))
    }

    /// `wayfarer info DIR --json` as an object.
    pub fn info(&self) -> Result<serde_json::Value, Failure> {
        let mut command = wayfarer::command()?;
        command.arg("info").arg(&self.trace).arg("--json");
        let finished = process::run(&mut command, b"", patience())?;
        ensure!(
            finished.status == 0,
            "info gives {}: {}",
            finished.status,
            finished.stderr_text()
        );
        Ok(serde_json::from_slice(&finished.stdout)?)
    }

    pub fn trace_bytes(&self) -> Result<u64, Failure> {
        let mut total = 0;
        for entry in std::fs::read_dir(&self.trace)? {
            total += entry?.metadata()?.len();
        }
        Ok(total)
    }
}

/// Records a plain run of `words`.
pub fn record<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Result<Recording, Failure> {
    Recorder::default().record(words)
}

/// Runs the same words without us, in the same environment.
pub fn run_plain<W: Into<OsString>>(
    words: impl IntoIterator<Item = W>,
    stdin: &[u8],
) -> Result<Finished, Failure> {
    let scratch = tempfile::tempdir()?;
    let mut words = words.into_iter().map(Into::into);
    let mut command = Command::new(words.next().ok_or_else(|| Failure("no command".into()))?);
    wayfarer::fix_environment(&mut command);
    command
        .args(words)
        .current_dir(scratch.path())
        .env("TMPDIR", scratch.path());
    process::run(&mut command, stdin, patience())
}

/// Lines on stderr that start with `wayfarer: ` are ours, all others the program's.
pub fn without_our_words(stderr: &[u8]) -> Vec<u8> {
    stderr
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| !line.starts_with(b"wayfarer: "))
        .flatten()
        .copied()
        .collect()
}
