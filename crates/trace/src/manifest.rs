//! `manifest.json`: what was recorded, where, when, and how it ended.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use wayfarer_model::WaitStatus;
use wayfarer_runtime_abi::ABI_VERSION;

use crate::error::OpenError;
use crate::text::Text;
use crate::{FORMAT_VERSION, MANIFEST_FILE};

/// A manifest longer than this is not read (an environment is at most a few MiB).
const LONGEST: u64 = 64 << 20;

/// How threads were recorded, or were asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThreadsMode {
    /// Each process as it fits; only asked for.
    Auto,
    /// One thread of a process at a time.
    Serial,
    /// All at once, with the order of their accesses to sync objects.
    Parallel,
}

/// Which received bytes were logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentsMode {
    /// Those from outside the recorded set.
    External,
    All,
}

/// How the recording as a whole ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Wait status of the command, as `wait4` stores it.
    pub wait_status: i32,
    /// When, in nanoseconds since 1970.
    pub realtime_ns: u64,
}

impl End {
    /// What a shell shows: the exit code, or 128 + signal.
    pub fn shell_status(&self) -> Option<i32> {
        WaitStatus(self.wait_status).shell_status()
    }
}

/// The end of a process that the recorder reaped itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnd {
    /// Process id as the kernel gave it.
    pub pid: u32,
    /// As `wait4` stores it.
    pub wait_status: i32,
}

/// Everything in `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format_version: u32,
    pub abi_version: u32,
    pub wayfarer_version: String,
    /// Name of the host.
    pub host: String,
    /// Release of its kernel.
    pub kernel: String,
    /// The command with its arguments.
    pub command: Vec<Text>,
    pub working_directory: Text,
    /// `NAME=value` each, without Wayfarer's own.
    pub environment: Vec<Text>,
    /// Nanoseconds since 1970.
    pub start_realtime_ns: u64,
    /// As the user asked; what became of it, each process tells itself.
    pub threads: ThreadsMode,
    pub contents: ContentsMode,
    /// Soft limit on the stack (`ulimit -s`) in bytes: it decides where libraries are mapped.
    #[serde(default)]
    pub stack_limit_bytes: Option<u64>,
    /// Absent while recording, and for good when the recorder ended before the command.
    pub end: Option<End>,
    /// Ends of processes that the recorder saw, in the order in which it saw them.
    pub process_ends: Vec<RecordedEnd>,
}

impl Manifest {
    /// A manifest of the versions of this build, for a recording that begins.
    pub fn new(command: Vec<Text>, working_directory: Text, environment: Vec<Text>) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            abi_version: ABI_VERSION,
            wayfarer_version: env!("CARGO_PKG_VERSION").to_owned(),
            host: String::new(),
            kernel: String::new(),
            command,
            working_directory,
            environment,
            start_realtime_ns: 0,
            threads: ThreadsMode::Auto,
            contents: ContentsMode::External,
            stack_limit_bytes: None,
            end: None,
            process_ends: Vec::new(),
        }
    }

    /// Reads and checks the manifest of the trace at `directory`.
    pub fn read(directory: &Path) -> Result<Self, OpenError> {
        let path = directory.join(MANIFEST_FILE);
        let unreadable = |source| OpenError::Unreadable {
            path: path.clone(),
            source,
        };
        let length = match fs::metadata(&path) {
            Ok(data) => data.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OpenError::NotATrace {
                    directory: directory.to_path_buf(),
                });
            }
            Err(error) => return Err(unreadable(error)),
        };
        if length > LONGEST {
            return Err(OpenError::BadManifest {
                path,
                reason: format!("it is {length} bytes long, more than any manifest"),
            });
        }
        let bytes = fs::read(&path).map_err(unreadable)?;
        Self::parse(&bytes, &path)
    }

    /// Parses and checks a manifest; `path` is for messages.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, OpenError> {
        /// The part that every version has: it decides whether the rest can be understood.
        #[derive(Deserialize)]
        struct Versions {
            format_version: u32,
            abi_version: u32,
        }
        let bad = |reason: String| OpenError::BadManifest {
            path: path.to_path_buf(),
            reason,
        };
        if bytes.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        let versions: Versions =
            serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
        check_versions(path, versions.format_version, versions.abi_version)?;
        serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))
    }

    /// Writes the manifest to `directory`, replacing the one there in one step. With `durable` it
    /// has reached the disk when this returns.
    pub fn write(&self, directory: &Path, durable: bool) -> std::io::Result<()> {
        let temporary = directory.join(".manifest.json.new");
        let mut file = File::create(&temporary)?;
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        file.write_all(&json)?;
        if durable {
            file.sync_all()?;
        }
        fs::rename(&temporary, directory.join(MANIFEST_FILE))
    }
}

/// Refuses versions that this build does not read.
pub(crate) fn check_versions(path: &Path, format: u32, abi: u32) -> Result<(), OpenError> {
    let found = match (format, abi) {
        (FORMAT_VERSION, ABI_VERSION) => return Ok(()),
        (FORMAT_VERSION, found) => ("runtime ABI", found, ABI_VERSION),
        (found, _) => ("trace format", found, FORMAT_VERSION),
    };
    let (what, found, known) = found;
    Err(OpenError::OtherVersion {
        path: path.to_path_buf(),
        what,
        found,
        known,
    })
}
