//! `wayfarer record`: from a command to a sealed trace.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wayfarer_model::WaitStatus;
use wayfarer_model::names::base_name;
use wayfarer_runtime_abi::layout::{MODE_RECORD, flags, process_state};
use wayfarer_runtime_abi::{BASE_PADDING, Broken};
use wayfarer_sites::ModuleSites;
use wayfarer_trace::{
    ContentsMode, End, Manifest, RecordedEnd, SESSION_FILE, SealError, SealOptions, Text,
    ThreadsMode,
};

use crate::children::{Ended, Stat, Watch, reap};
use crate::judge::Judge;
use crate::launch::{Launch, LaunchError, start};
use crate::program::{Program, ProgramError};
use crate::session::{Session, SessionError};
use crate::trace_directory::{DirectoryError, TraceDirectory};
use crate::{raced, runtime_library};

/// How long processes that outlive the command are waited for without a word.
const GRACE: Duration = Duration::from_millis(200);
/// Without a signal we still look now and then: processes ask, and a signal may be taken away from us.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// A trace survives the death of any process; only a power failure right after the recording could
/// harm it, and waiting for the disk would cost every recording several milliseconds.
const NOT_FORCED: SealOptions = SealOptions { durable: false };

/// What to record and how.
pub struct RecordOptions {
    pub command: OsString,
    pub arguments: Vec<OsString>,
    /// `None`: a directory named after the program, in the working directory.
    pub output: Option<PathBuf>,
    pub contents: ContentsMode,
    /// Bits of `layout::flags` besides those that the other options imply.
    pub flags: u32,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("cannot write {}: {source}; choose another place with -o", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot unpack the runtime library: {0}")]
    Runtime(io::Error),
    #[error("cannot set up waiting for processes: {0}")]
    Watch(io::Error),
}

/// A recording that stepped aside before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenOff {
    /// A `Broken` as number.
    pub reason: u32,
    pub errno: u32,
}

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reason = match self.reason {
            reason if reason == Broken::DiskFull as u32 => "the disk is full",
            reason if reason == Broken::ArenaFull as u32 => {
                "the session file has reached its largest size"
            }
            reason if reason == Broken::TooManyProcesses as u32 => "too many processes",
            reason if reason == Broken::TooManyThreads as u32 => "too many threads",
            reason if reason == Broken::TooManyObjects as u32 => "too many locks and their like",
            _ => "the runtime met a fault of its own",
        };
        formatter.write_str(reason)?;
        if self.errno != 0 {
            write!(
                formatter,
                " ({})",
                io::Error::from_raw_os_error(self.errno as i32)
            )?;
        }
        Ok(())
    }
}

/// What a recording left.
pub struct Recorded {
    pub directory: PathBuf,
    /// What a shell shows of the command: its exit code, or 128 + signal.
    pub status: i32,
    pub events: u64,
    pub processes: u32,
    pub broken: Option<BrokenOff>,
    /// Bytes of the sealed trace; or why it stayed raw.
    pub sealed: Result<u64, SealError>,
}

/// Records a command. `notify` is told what the user should know meanwhile.
pub fn record(
    options: &RecordOptions,
    notify: &mut dyn FnMut(&str),
) -> Result<Recorded, RecordError> {
    let program = Program::find(
        &options.command,
        &options.arguments,
        std::env::var_os("PATH").as_deref(),
    )?;
    if let Some(limit) = crate::launch::needed_descriptor_limit()? {
        notify(&format!(
            "the limit on descriptors is too low for the runtime; the program gets {limit} (ulimit -n)"
        ));
    }
    let runtime = if options.flags & flags::NO_EARLY_START == 0 {
        runtime_library::open()
    } else {
        runtime_library::open_for_a_late_start()
    };
    let runtime = runtime.map_err(RecordError::Runtime)?;
    let mut directory = match &options.output {
        Some(path) => TraceDirectory::named(path)?,
        None => TraceDirectory::for_program(
            Path::new("."),
            base_name(&options.command.to_string_lossy()),
        )?,
    };
    let environment: Vec<OsString> = std::env::vars_os()
        .map(|(name, value)| joined(name, &value))
        .collect();
    let modules = wayfarer_sites::modules_for(Some(&program.path));
    let session = make_session(options, &modules, directory.path())?;
    let mut manifest = make_manifest(options, &environment, &session);
    write_manifest(&manifest, directory.path())?;

    let watch = Watch::begin().map_err(RecordError::Watch)?;
    let pid = start(&Launch {
        program: &program,
        environment: &environment,
        process: 1,
        padding: BASE_PADDING,
        session: session.file(),
        runtime: &runtime,
        mask: watch.previous_mask(),
        replay: false,
        stack_limit_bytes: None,
    })?;
    directory.keep();
    let mut wait = Wait {
        command: pid,
        status: None,
        ends: Vec::new(),
        session: &session,
        watch: &watch,
        judge: Judge::new(&modules, &runtime),
    };
    let wait_status = wait.for_command();
    let complete = wait.for_the_others(notify);

    manifest.end = Some(End {
        wait_status,
        realtime_ns: now_ns(),
    });
    manifest.process_ends = wait
        .ends
        .iter()
        .map(|end| RecordedEnd {
            pid: end.pid.as_raw() as u32,
            wait_status: end.wait_status,
        })
        .collect();
    if session
        .process(1)
        .is_some_and(|root| root.state.load(Ordering::Acquire) == process_state::OPAQUE)
    {
        notify(
            "nothing was recorded: the runtime found no room in the program's address space; raise its limit (ulimit -v)",
        );
    }
    let broken = broken_off(&session);
    let sealed = manifest
        .write(directory.path(), false)
        .map_err(|source| SealError::Unwritable {
            path: directory.path().join(wayfarer_trace::MANIFEST_FILE),
            source,
        })
        .and_then(|()| wayfarer_trace::seal_with(directory.path(), NOT_FORCED))
        .map(|_| directory_bytes(directory.path()));
    if !complete {
        // Nobody will read on: let the processes that still run stop logging into a file that is gone.
        session
            .header()
            .broken
            .store(Broken::InternalFault as u32, Ordering::Release);
    }
    let events = session
        .thread_ids()
        .filter_map(|id| session.thread(id))
        .map(|thread| thread.events.load(Ordering::Relaxed))
        .sum();
    let processes = session.process_ids().len() as u32;
    if sealed.is_ok() {
        session.discard();
    }
    Ok(Recorded {
        directory: directory.path().to_path_buf(),
        status: WaitStatus(wait_status).shell_status().unwrap_or(125),
        events,
        processes,
        broken,
        sealed,
    })
}

fn joined(mut name: OsString, value: &OsString) -> OsString {
    name.push("=");
    name.push(value);
    name
}

fn now_ns() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

fn make_session(
    options: &RecordOptions,
    modules: &[ModuleSites],
    directory: &Path,
) -> Result<Session, RecordError> {
    let path = directory.join(SESSION_FILE);
    let mut session = Session::create(&path)?;
    let table = wayfarer_sites::table_bytes(modules);
    session
        .write_sites(&table)
        .map_err(|source| RecordError::Write { path, source })?;
    let header = session.header_mut();
    header.mode = MODE_RECORD;
    header.raced = raced::known();
    header.flags = options.flags
        | if options.contents == ContentsMode::All {
            flags::CONTENTS_ALL
        } else {
            0
        };
    // The first process and its first thread; all others are numbered by whoever starts them.
    *header.next_process.get_mut() = 2;
    *header.next_thread.get_mut() = 2;
    if let Some(root) = session.process_mut(1) {
        *root.state.get_mut() = process_state::RUNNING;
        root.main_thread.set(1);
    }
    if let Some(thread) = session.thread_mut(1) {
        thread.process.set(1);
    }
    Ok(session)
}

fn make_manifest(options: &RecordOptions, environment: &[OsString], session: &Session) -> Manifest {
    let command = std::iter::once(&options.command).chain(&options.arguments);
    let directory = std::env::current_dir().unwrap_or_default();
    let mut manifest = Manifest::new(
        command.map(|text| Text::from(text.as_os_str())).collect(),
        Text::from(directory.as_os_str()),
        environment
            .iter()
            .map(|text| Text::from(text.as_os_str()))
            .collect(),
    );
    manifest.host = kernel_text("hostname");
    manifest.kernel = kernel_text("osrelease");
    manifest.start_realtime_ns = session.header().start_realtime_ns;
    manifest.stack_limit_bytes = getrlimit(Resource::RLIMIT_STACK).ok().map(|(soft, _)| soft);
    manifest.threads = if options.flags & flags::PARALLEL != 0 {
        ThreadsMode::Parallel
    } else if options.flags & flags::SERIAL != 0 {
        ThreadsMode::Serial
    } else {
        ThreadsMode::Auto
    };
    manifest.contents = options.contents;
    manifest
}

fn kernel_text(name: &str) -> String {
    std::fs::read_to_string(format!("/proc/sys/kernel/{name}"))
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn write_manifest(manifest: &Manifest, directory: &Path) -> Result<(), RecordError> {
    manifest
        .write(directory, false)
        .map_err(|source| RecordError::Write {
            path: directory.join(wayfarer_trace::MANIFEST_FILE),
            source,
        })
}

fn broken_off(session: &Session) -> Option<BrokenOff> {
    let reason = session.header().broken.load(Ordering::Acquire);
    let errno = session.header().broken_errno.load(Ordering::Relaxed);
    (reason != 0).then_some(BrokenOff { reason, errno })
}

fn directory_bytes(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}

/// Waiting for the command and for whatever it leaves behind.
struct Wait<'a> {
    command: Pid,
    status: Option<i32>,
    ends: Vec<Ended>,
    session: &'a Session,
    watch: &'a Watch,
    judge: Judge,
}

impl Wait<'_> {
    /// Collects ends; whether anybody is left.
    fn collect(&mut self) -> bool {
        let (ended, left) = reap();
        for end in &ended {
            if end.pid == self.command && WaitStatus(end.wait_status).end().is_some() {
                self.status = Some(end.wait_status);
            }
        }
        self.ends.extend(ended);
        left
    }

    fn for_command(&mut self) -> i32 {
        loop {
            let left = self.collect();
            match self.status {
                Some(status) => return status,
                None if !left => return WaitStatus::exited(125).0,
                None => {}
            }
            // Ctrl-C and Ctrl-\ reach the debuggee by themselves; what is sent to us alone we pass on.
            if let Some(signal @ (Signal::SIGTERM | Signal::SIGHUP)) =
                self.watch.next(LONGEST_SLEEP)
            {
                let _ = kill(self.command, signal);
            }
            self.judge.answer(self.session);
        }
    }

    /// Waits until nobody is left; `false`: the user did not want to wait.
    fn for_the_others(&mut self, notify: &mut dyn FnMut(&str)) -> bool {
        let began = Instant::now();
        let mut told = false;
        while self.collect() {
            if began.elapsed() > GRACE && !told {
                notify(&self.still_running());
                told = true;
            }
            let patience = if told { LONGEST_SLEEP } else { GRACE / 10 };
            if matches!(
                self.watch.next(patience),
                Some(Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP | Signal::SIGQUIT)
            ) {
                return false;
            }
        }
        true
    }

    fn still_running(&self) -> String {
        let running: Vec<String> = self
            .session
            .process_ids()
            .filter_map(|id| self.session.process(id))
            .filter(|slot| slot.state.load(Ordering::Acquire) == process_state::RUNNING)
            .filter_map(|slot| {
                let stat = Stat::read(slot.pid.get() as i32).filter(|stat| stat.state != 'Z')?;
                Some(format!("{} {}", stat.name, slot.pid.get()))
            })
            .collect();
        let (number, names) = match running.len() {
            0 => return "a process that is not recorded still runs; recording goes on until it ends, Ctrl-C ends recording".to_owned(),
            1 => ("1 recorded process still runs".to_owned(), running),
            more => (format!("{more} recorded processes still run"), running),
        };
        format!(
            "{number} ({}); recording goes on until they end, Ctrl-C ends recording",
            names.join(", ")
        )
    }
}
