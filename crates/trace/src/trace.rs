//! [`Trace`]: an opened trace, sealed or raw.

use std::io;
use std::path::{Path, PathBuf};

use wayfarer_model::names::process_names;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId, WaitStatus};

use crate::error::{Damage, OpenError, ReadError};
use crate::facts::{self, Facts};
use crate::manifest::Manifest;
use crate::records::Records;
use crate::sealed::Sealed;
use crate::session::Session;
use crate::solid::Solid;
use crate::source::{FileSource, Source};
use crate::summary::Summary;
use crate::tables::{Counters, Object, Process, Tables, Thread};
use crate::{EVENTS_FILE, MANIFEST_FILE, SESSION_FILE};

/// In which form the events of a trace lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Sealed,
    /// The recorder did not live to seal it, or is still at work.
    Unsealed,
}

enum Events {
    Sealed(Box<Sealed>),
    Raw(Box<Session>),
}

/// An opened trace. Logs are read and unpacked when they are asked for.
pub struct Trace {
    manifest: Manifest,
    manifest_bytes: u64,
    events: Events,
    tables: Tables,
    damage: Vec<Damage>,
    solid: Result<Option<Solid>, String>,
}

/// Longest log that [`Trace::log`] gives in one piece.
const LONGEST_LOG: u64 = 16 << 30;

impl Trace {
    /// Opens the trace at `directory`; where both forms are there, the sealed one.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        let manifest = Manifest::read(directory)?;
        let source = |name: &str| match FileSource::open(&directory.join(name)) {
            Ok(source) => Ok(Some(Box::new(source) as Box<dyn Source>)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(OpenError::Unreadable {
                path: directory.join(name),
                source,
            }),
        };
        let manifest_bytes =
            std::fs::metadata(directory.join(MANIFEST_FILE)).map_or(0, |data| data.len());
        let sealed = source(EVENTS_FILE)?;
        let session = if sealed.is_none() {
            source(SESSION_FILE)?
        } else {
            None
        };
        let solid = Solid::read(directory, manifest.start_realtime_ns);
        let mut trace = Self::from_sources(manifest, manifest_bytes, sealed, session, directory)?;
        trace.solid = solid;
        Ok(trace)
    }

    /// Opens a trace whose files lie in memory; the sealed form goes before the session. For tests
    /// and fuzzing.
    pub fn open_bytes(
        manifest: &[u8],
        sealed: Option<Box<dyn Source>>,
        session: Option<Box<dyn Source>>,
    ) -> Result<Self, OpenError> {
        let parsed = Manifest::parse(manifest, Path::new(MANIFEST_FILE))?;
        Self::from_sources(
            parsed,
            manifest.len() as u64,
            sealed,
            session,
            Path::new(""),
        )
    }

    fn from_sources(
        manifest: Manifest,
        manifest_bytes: u64,
        sealed: Option<Box<dyn Source>>,
        session: Option<Box<dyn Source>>,
        directory: &Path,
    ) -> Result<Self, OpenError> {
        let (events, tables, mut damage, has_facts) = if let Some(source) = sealed {
            let mut sealed = Sealed::open(source, &directory.join(EVENTS_FILE))?;
            let tables = std::mem::take(&mut sealed.tables);
            let damage = std::mem::take(&mut sealed.damage);
            let has_facts = sealed.has_facts;
            (Events::Sealed(Box::new(sealed)), tables, damage, has_facts)
        } else if let Some(source) = session {
            let mut session = Session::open(source, &directory.join(SESSION_FILE))?;
            let tables = std::mem::take(&mut session.tables);
            let damage = std::mem::take(&mut session.damage);
            (Events::Raw(Box::new(session)), tables, damage, false)
        } else {
            let directory: PathBuf = directory.to_path_buf();
            return Err(OpenError::NoEvents { directory });
        };
        damage.sort_by_key(|damage| damage.offset);
        let mut trace = Self {
            manifest,
            manifest_bytes,
            events,
            tables,
            damage,
            solid: Ok(None),
        };
        if !has_facts {
            trace.collect_facts();
        }
        let names = process_names(
            trace
                .tables
                .processes
                .iter()
                .map(|row| row.program.as_str()),
        );
        for (process, name) in trace.tables.processes.iter_mut().zip(names) {
            process.name = name;
        }
        Ok(trace)
    }

    /// Learns names and ends of processes from the logs.
    fn collect_facts(&mut self) {
        let mut facts = Facts::default();
        for thread in &self.tables.threads {
            // Whatever is damaged is told when that log is read; here its good part counts.
            let _ = self.read_log(thread.id, &mut |piece| facts.visit(thread.id, piece));
        }
        facts.apply(&mut self.tables.processes, &self.tables.threads);
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn form(&self) -> Form {
        match self.events {
            Events::Sealed(_) => Form::Sealed,
            Events::Raw(_) => Form::Unsealed,
        }
    }

    /// In order of creation. Ids need not be consecutive.
    pub fn processes(&self) -> &[Process] {
        &self.tables.processes
    }

    pub fn process(&self, id: ProcessId) -> Option<&Process> {
        let index = self
            .tables
            .processes
            .binary_search_by_key(&id, |process| process.id);
        self.tables.processes.get(index.ok()?)
    }

    pub fn process_named(&self, name: &str) -> Option<&Process> {
        self.tables
            .processes
            .iter()
            .find(|process| process.name == name)
    }

    /// In order of creation, over all processes.
    pub fn threads(&self) -> &[Thread] {
        &self.tables.threads
    }

    pub fn thread(&self, id: ThreadId) -> Option<&Thread> {
        let index = self
            .tables
            .threads
            .binary_search_by_key(&id, |thread| thread.id);
        self.tables.threads.get(index.ok()?)
    }

    pub fn objects(&self) -> &[Object] {
        &self.tables.objects
    }

    pub fn counters(&self) -> &Counters {
        &self.tables.counters
    }

    /// What was found wrong when the trace was opened. The rest can still be read; damage within
    /// a log shows when that log is read.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The delays with which the trace replays exactly, where one was found; the error: the file that
    /// should hold it cannot be used.
    pub fn solid(&self) -> Result<Option<&Solid>, &str> {
        let solid = self.solid.as_ref().map_err(String::as_str)?;
        Ok(solid.as_ref())
    }

    /// The whole log of a thread.
    pub fn log(&self, thread: ThreadId) -> Result<Vec<u8>, ReadError> {
        match self.log_prefix(thread) {
            (log, None) => Ok(log),
            (_, Some(error)) => Err(error),
        }
    }

    /// The log of a thread as far as it is good, and what is wrong after that.
    pub fn log_prefix(&self, thread: ThreadId) -> (Vec<u8>, Option<ReadError>) {
        let length = match self.thread(thread) {
            None => return (Vec::new(), Some(ReadError::NoSuchThread(thread))),
            Some(row) => row.log_length,
        };
        if length > LONGEST_LOG {
            return (Vec::new(), Some(ReadError::TooLong { thread, length }));
        }
        let mut log = Vec::new();
        let result = self.read_log(thread, &mut |piece| log.extend_from_slice(piece));
        (log, result.err())
    }

    /// The records of a thread with their event numbers.
    pub fn records(&self, thread: ThreadId) -> Result<Records, ReadError> {
        Ok(Records::new(thread, self.log(thread)?))
    }

    /// Gives the log of a thread piece by piece. Pieces consist of whole records unless the log is
    /// damaged.
    pub fn read_log(&self, thread: ThreadId, sink: &mut dyn FnMut(&[u8])) -> Result<(), ReadError> {
        match &self.events {
            Events::Sealed(sealed) => sealed.log(thread, sink),
            Events::Raw(session) => {
                self.thread(thread).ok_or(ReadError::NoSuchThread(thread))?;
                for piece in session.pieces(thread) {
                    sink(&session.read_piece(*piece)?);
                }
                Ok(())
            }
        }
    }

    /// Gives all logs piece by piece: thread after thread, in order within each. A log ends where it is damaged, which
    /// `failed` is told.
    pub fn read_logs(
        &self,
        sink: &mut dyn FnMut(ThreadId, &[u8]),
        failed: &mut dyn FnMut(ReadError),
    ) {
        if let Events::Sealed(sealed) = &self.events {
            return sealed.all_logs(&self.tables.threads, sink, failed);
        }
        for thread in &self.tables.threads {
            if let Err(error) = self.read_log(thread.id, &mut |piece| sink(thread.id, piece)) {
                failed(error);
            }
        }
    }

    /// Bytes that the trace takes: those of its files, or, for a raw session, which is mostly
    /// holes, those that are stored.
    pub fn bytes_on_disk(&self) -> u64 {
        let events = match &self.events {
            Events::Sealed(sealed) => sealed.source().length(),
            Events::Raw(session) => session.source().stored_bytes(),
        };
        self.manifest_bytes + events
    }

    /// How a process ended, as far as the trace knows.
    pub fn end_of(&self, process: ProcessId) -> ProcessEnd {
        let Some(row) = self.process(process) else {
            return ProcessEnd::Cut;
        };
        facts::end_of(row, || self.recorded_end(row))
    }

    /// What the recorder saw of the end of a process. It tells process ids of the kernel; when one
    /// came round, the last process that had it is meant.
    fn recorded_end(&self, row: &Process) -> Option<WaitStatus> {
        let same_pid = |other: &&Process| other.pid == row.pid;
        let last = self.tables.processes.iter().rfind(same_pid)?;
        if row.pid == 0 || last.id != row.id {
            return None;
        }
        let ends = &self.manifest.process_ends;
        let reaped = ends
            .iter()
            .rfind(|end| end.pid == row.pid)
            .map(|end| end.wait_status);
        let first = self
            .tables
            .processes
            .first()
            .is_some_and(|first| first.id == row.id);
        let command = self
            .manifest
            .end
            .filter(|_| first)
            .map(|end| end.wait_status);
        reaped.or(command).map(WaitStatus)
    }

    /// Counts everything. Damaged logs are counted as far as they are good.
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }

    pub(crate) fn sealed(&self) -> Option<&Sealed> {
        match &self.events {
            Events::Sealed(sealed) => Some(sealed),
            Events::Raw(_) => None,
        }
    }
}
