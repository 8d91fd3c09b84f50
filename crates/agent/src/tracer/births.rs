//! Processes and threads that come into the session: launched, attached, made by those in it; and programs replaced by exec.

use super::Tracer;
use super::breakpoints::Breakpoint;
use super::halting::Purpose;
use super::process::{Process, Space, SpaceId};
use super::thread::{Thread, Wanted};
use super::watch::Watched;
use crate::command::Reply;
use crate::failure;
use wayfarer_backend::{
    self as backend, Answer, AttachReply, AttachRequest, BreakpointId, EventKind, Failure,
    FailureKind, LaunchReply, LaunchRequest, OpenTraceReply, Origin, ProcessId, StopReason,
    ThreadId,
};
use wayfarer_ptrace::wait::kill;
use wayfarer_ptrace::{Error, Launch, Running, Tid, process_files};

/// A launch that has not reached its program yet.
pub struct Starting {
    answer: Answered,
    program: String,
}

/// Who waits for it.
enum Answered {
    Launch(Reply<Answer<LaunchReply>>),
    /// With what the user should know of the trace.
    Trace(Reply<Answer<OpenTraceReply>>, Vec<String>),
}

impl Starting {
    fn program(launch: &Launch, reply: Reply<Answer<LaunchReply>>) -> Starting {
        Starting {
            answer: Answered::Launch(reply),
            program: name_of(launch),
        }
    }

    /// The first program of a replay.
    pub(super) fn trace(
        launch: &Launch,
        reply: Reply<Answer<OpenTraceReply>>,
        notes: Vec<String>,
    ) -> Starting {
        Starting {
            answer: Answered::Trace(reply, notes),
            program: name_of(launch),
        }
    }

    fn answer(self, outcome: Answer<backend::Process>) {
        match self.answer {
            Answered::Launch(reply) => {
                let _ = reply.send(outcome);
            }
            Answered::Trace(reply, notes) => {
                let _ = reply.send(outcome.map(|process| OpenTraceReply { process, notes }));
            }
        }
    }
}

fn name_of(launch: &Launch) -> String {
    let name = launch.arguments.first();
    name.map_or_else(String::new, |name| {
        String::from_utf8_lossy(name).into_owned()
    })
}

/// Which process a newborn belongs to.
pub(super) struct Birth {
    pub parent: Option<ProcessId>,
    pub launched: bool,
    pub wanted: Wanted,
}

impl Tracer {
    /// Starts a program; answered when it stands at its first instruction.
    pub(super) fn launch(&mut self, request: LaunchRequest, reply: Reply<Answer<LaunchReply>>) {
        if self.replay.is_some() {
            let message = "this session is a replay, in which nothing but the trace runs";
            let _ = reply.send(Err(Failure::new(FailureKind::Invalid, message)));
            return;
        }
        let launch = launch_of(request);
        match wayfarer_ptrace::launch(&launch) {
            Ok(pid) => {
                self.starting.insert(pid, Starting::program(&launch, reply));
            }
            Err(error) => {
                let _ = reply.send(Err(failure::of(&error)));
            }
        }
    }

    /// A launched program stands at its first instruction: now it is a process of the session.
    pub(super) fn launched(
        &mut self,
        stopped: wayfarer_ptrace::Stopped,
        stop: wayfarer_ptrace::Stop,
    ) {
        let pid = stopped.tid();
        let Some(starting) = self.starting.remove(&pid) else {
            return;
        };
        let birth = Birth {
            parent: None,
            launched: true,
            wanted: Wanted::Stopped,
        };
        let name = self.name_of_root(pid);
        let answer = match self.enter_process(pid, birth, None) {
            Ok(process) => {
                if let Some(process) = self.processes.get_mut(&process) {
                    process.name = name;
                }
                let thread = self.first_thread(process);
                if let Some(thread) = thread.and_then(|thread| self.threads.get_mut(&thread)) {
                    thread.newborn = false;
                    thread.stopped(stopped, stop);
                    thread.reason = Some(StopReason::Initial);
                }
                self.follow_libraries(process);
                self.announce_process(process, Origin::Launch);
                self.describe_process(process)
                    .ok_or_else(|| failure::no_process(process))
            }
            Err(error) => Err(failure::of(&error)),
        };
        starting.answer(answer);
    }

    /// A launched process ended before it had a program.
    pub(super) fn launch_ended(&mut self, pid: Tid) {
        if let Some(starting) = self.starting.remove(&pid) {
            let message = format!("{} ended before it had begun", starting.program);
            starting.answer(Err(Failure::new(FailureKind::Launch, message)));
            self.abandon_replay();
        }
    }

    /// Takes running processes; answered when all their threads are stopped.
    pub(super) fn attach(&mut self, request: AttachRequest, reply: Reply<Answer<AttachReply>>) {
        let pids = request.pids.into_iter().map(Tid);
        let mut results = Vec::new();
        let mut threads = Vec::new();
        for pid in pids {
            match self.attach_one(pid) {
                Ok(process) => {
                    threads.extend(self.processes[&process].threads.iter().copied());
                    results.push((pid, Ok(process)));
                }
                Err(failure) => results.push((pid, Err(failure))),
            }
        }
        self.halt_threads(threads, Purpose::Attach { results, reply });
    }

    fn attach_one(&mut self, pid: Tid) -> Result<ProcessId, Failure> {
        let invalid = |message: String| Failure::new(FailureKind::Invalid, message);
        if self.processes.values().any(|process| process.pid == pid) {
            return Err(invalid(format!("process {pid} is being debugged already")));
        }
        if pid.0 == std::process::id() as i32 {
            return Err(invalid(format!("process {pid} is the agent itself")));
        }
        match process_files::process_of(pid) {
            None => {
                let message = format!("there is no process {pid}");
                return Err(Failure::new(FailureKind::Gone, message));
            }
            Some(leader) if leader != pid => {
                return Err(invalid(format!(
                    "{pid} is a thread of process {leader}: attach to that"
                )));
            }
            Some(_) => {}
        }
        let attached = wayfarer_ptrace::attach(pid).map_err(|error| failure::of(&error))?;
        let birth = Birth {
            parent: None,
            launched: false,
            wanted: Wanted::Stopped,
        };
        let process = self
            .enter_process(pid, birth, None)
            .map_err(|error| failure::of(&error))?;
        for running in attached.threads {
            if running.tid() != pid {
                self.enter_thread(process, running, Wanted::Stopped);
            }
        }
        Ok(process)
    }

    /// Makes a process and its first thread known. Its memory is opened, or shared with another's.
    pub(super) fn enter_process(
        &mut self,
        pid: Tid,
        birth: Birth,
        shared: Option<SpaceId>,
    ) -> Result<ProcessId, Error> {
        let space = match shared {
            Some(space) => space,
            None => {
                let space = SpaceId(self.fresh_id());
                self.spaces
                    .insert(space, Space::open(pid, !birth.launched)?);
                space
            }
        };
        let id = ProcessId(self.fresh_id());
        let process = Process {
            id,
            pid,
            parent: birth.parent,
            space,
            launched: birth.launched,
            threads: Vec::new(),
            next_number: 1,
            shares_memory: shared.is_some(),
            linker: None,
            watched: Watched::default(),
            killed: false,
            leaving: false,
            name: None,
        };
        self.processes.insert(id, process);
        self.enter_thread(id, Running::of_newborn(pid), birth.wanted);
        Ok(id)
    }

    /// Makes a thread known.
    pub(super) fn enter_thread(
        &mut self,
        process: ProcessId,
        running: Running,
        wanted: Wanted,
    ) -> ThreadId {
        let id = ThreadId(self.fresh_id());
        let tid = running.tid();
        let mut number = 1;
        if let Some(process) = self.processes.get_mut(&process) {
            number = process.next_number;
            process.next_number += 1;
            process.threads.push(id);
        }
        let mut thread = Thread::new(id, process, running, number);
        thread.wanted = wanted;
        self.threads.insert(id, thread);
        self.tids.insert(tid, id);
        id
    }

    /// Tells of a new process.
    pub(super) fn announce_process(&mut self, process: ProcessId, origin: Origin) {
        if let Some(process) = self.describe_process(process) {
            self.tell(EventKind::ProcessCreated { process, origin });
        }
    }

    pub(super) fn first_thread(&self, process: ProcessId) -> Option<ThreadId> {
        self.processes.get(&process)?.threads.first().copied()
    }

    /// The thread has made another thread, or a process by clone without a thread's flags.
    pub(super) fn cloned(&mut self, maker: ThreadId, child: Tid) -> Option<ProcessId> {
        let process = self.threads.get(&maker)?.process;
        let pid = self.processes.get(&process)?.pid;
        // A child that was killed at once may be gone already.
        let belongs = process_files::process_of(child)?;
        if belongs != pid {
            return self.forked(maker, child, Origin::Clone);
        }
        let wanted = self.threads.get(&maker)?.wanted;
        let id = self.enter_thread(process, Running::of_newborn(child), wanted);
        if let Some(description) = self.describe_thread(id) {
            self.tell(EventKind::ThreadCreated(description));
        }
        self.join_halt(maker, id);
        self.greet(child);
        None
    }

    /// The thread has made a process.
    pub(super) fn forked(
        &mut self,
        maker: ThreadId,
        child: Tid,
        origin: Origin,
    ) -> Option<ProcessId> {
        let thread = self.threads.get(&maker)?;
        let (parent, wanted) = (thread.process, thread.wanted);
        let parent_process = self.processes.get(&parent)?;
        let (parent_space, launched) = (parent_process.space, parent_process.launched);
        let linker = parent_process.linker.clone();
        // Only vfork and posix_spawn lend their memory; a clone with CLONE_VM alone does not happen in practice.
        let shared = (origin == Origin::Vfork).then_some(parent_space);
        let birth = Birth {
            parent: Some(parent),
            launched,
            wanted,
        };
        // A child that is gone already is of no interest: its end is reported to nobody we know.
        let id = self.enter_process(child, birth, shared).ok()?;
        let name = self.name_of_child(maker);
        if let Some(process) = self.processes.get_mut(&id) {
            process.name = name;
            process.linker = linker;
        }
        self.inherit_breakpoints(parent, id, parent_space, shared.is_some());
        self.announce_process(id, origin);
        if launched && self.ending.is_some() {
            // Its family has been killed already.
            let _ = kill(child);
        }
        if let Some(first) = self.first_thread(id) {
            self.join_halt(maker, first);
        }
        self.greet(child);
        Some(id)
    }

    /// Judges the first stop of a newborn that was quicker than the report of its birth.
    fn greet(&mut self, child: Tid) {
        if let Some((stopped, stop)) = self.early.remove(&child) {
            self.thread_stopped(stopped, stop);
        }
    }

    /// A breakpoint's own table, for those that need it mutably beside others.
    pub(super) fn breakpoint(&mut self, id: BreakpointId) -> Option<&mut Breakpoint> {
        self.breakpoints.get_mut(&id)
    }
}

fn launch_of(request: LaunchRequest) -> Launch {
    Launch {
        arguments: request.arguments,
        environment: Some(request.environment),
        directory: request.directory.map(Into::into),
        randomize: request.randomize,
        ..Launch::default()
    }
}
