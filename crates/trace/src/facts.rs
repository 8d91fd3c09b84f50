//! What the logs tell about the processes: which program each one ran and how it ended.
//!
//! Collected piece by piece, so that no log need be held as a whole.

use std::collections::HashMap;

use wayfarer_calls::Number;
use wayfarer_model::names::base_name;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId, WaitStatus};
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_runtime_abi::record::{self, Child, Record, exec};

use crate::bytes::{Cursor, push_string, push_varint, u32_at};
use crate::tables::{Process, Thread};

/// A step in the life of a thread that its descendants inherit from.
enum Step {
    /// It began a program of this name.
    Start(String),
    /// It made a thread, in its own process or as the first of a new one.
    Child { thread: u32, process: u32, pid: u32 },
}

#[derive(Default)]
struct ThreadFacts {
    steps: Vec<Step>,
    /// Call and code of its exit.
    exit: Option<(Number, i64)>,
    /// Children whose end it was told, by process id.
    reaped: Vec<(u32, WaitStatus)>,
    /// The record before was an exec that added a step.
    exec_is_last: bool,
    child_is_last: bool,
    /// A record could not be read: the rest of the log is not looked at.
    bad: bool,
}

#[derive(Default)]
pub(crate) struct Facts {
    threads: HashMap<u32, ThreadFacts>,
}

impl Facts {
    /// Looks at the next piece of a thread's log, which consists of whole records.
    pub(crate) fn visit(&mut self, thread: ThreadId, mut piece: &[u8]) {
        let facts = self.threads.entry(thread.0).or_default();
        while !piece.is_empty() && !facts.bad {
            match record::read(piece) {
                Ok(record) => {
                    facts.add(&record);
                    piece = &piece[record.length..];
                }
                Err(_) => facts.bad = true,
            }
        }
    }

    /// Writes what was learnt into the rows of `processes`.
    pub(crate) fn apply(&self, processes: &mut [Process], threads: &[Thread]) {
        self.name_programs(processes, threads);
        self.apply_waits(processes, threads);
        self.apply_exits(processes, threads);
    }

    fn name_programs(&self, processes: &mut [Process], threads: &[Thread]) {
        // A thread's number is higher than its maker's, so one pass in order suffices.
        let mut inherited: HashMap<u32, &str> = HashMap::new();
        let mut programs: HashMap<u32, &str> = HashMap::new();
        for thread in threads {
            let mut program = inherited.get(&thread.id.0).copied();
            if let Some(name) = program {
                programs.entry(thread.process.0).or_insert(name);
            }
            for step in self
                .threads
                .get(&thread.id.0)
                .map_or(&[][..], |facts| &facts.steps)
            {
                match step {
                    Step::Start(name) => {
                        program = Some(name);
                        programs.insert(thread.process.0, name);
                    }
                    Step::Child { thread, .. } => {
                        if let Some(program) = program {
                            inherited.entry(*thread).or_insert(program);
                        }
                    }
                }
            }
        }
        for process in processes {
            if let Some(program) = programs.get(&process.id.0) {
                process.program = (*program).to_owned();
            }
        }
    }

    /// What parents were told by wait.
    fn apply_waits(&self, processes: &mut [Process], threads: &[Thread]) {
        // Processes by process id as the kernel gave it, oldest first: ids can come round again.
        let mut by_pid: HashMap<u32, Vec<u32>> = HashMap::new();
        for process in processes.iter().filter(|process| process.pid != 0) {
            by_pid.entry(process.pid).or_default().push(process.id.0);
        }
        for facts in self.threads.values() {
            for step in &facts.steps {
                if let Step::Child { process, pid, .. } = step
                    && *pid != 0
                {
                    let known = by_pid.entry(*pid).or_default();
                    if let Err(place) = known.binary_search(process) {
                        known.insert(place, *process);
                    }
                }
            }
        }
        for thread in threads {
            let Some(facts) = self.threads.get(&thread.id.0) else {
                continue;
            };
            for (pid, status) in &facts.reaped {
                let ids = by_pid.get(pid).map_or(&[][..], Vec::as_slice);
                let candidates = || {
                    ids.iter()
                        .filter_map(|id| index_of(processes, ProcessId(*id)))
                };
                let fitting = candidates()
                    .find(|index| {
                        let row = &processes[*index];
                        row.end_in_log.is_none() && row.parent == thread.process
                    })
                    .or_else(|| candidates().find(|index| processes[*index].end_in_log.is_none()));
                if let Some(index) = fitting {
                    processes[index].end_in_log = status.end();
                }
            }
        }
    }

    /// The processes' own exits, which go before what others were told.
    fn apply_exits(&self, processes: &mut [Process], threads: &[Thread]) {
        for thread in threads {
            let exit = self.threads.get(&thread.id.0).and_then(|facts| facts.exit);
            if let Some((Number::EXIT_GROUP, code)) = exit
                && let Some(index) = index_of(processes, thread.process)
            {
                processes[index].end_in_log = Some(ProcessEnd::Exited((code & 0xff) as i32));
            }
        }
        // A process also ends when the last of its threads does; the first thread's code counts.
        let mut lasting: HashMap<u32, bool> = HashMap::new();
        for thread in threads {
            let exited = self
                .threads
                .get(&thread.id.0)
                .is_some_and(|facts| facts.exit.is_some());
            *lasting.entry(thread.process.0).or_insert(false) |= !exited;
        }
        for process in processes
            .iter_mut()
            .filter(|process| process.end_in_log.is_none())
        {
            let main = self
                .threads
                .get(&process.main_thread.0)
                .and_then(|facts| facts.exit);
            if let (Some(false), Some((Number::EXIT, code))) = (lasting.get(&process.id.0), main) {
                process.end_in_log = Some(ProcessEnd::Exited((code & 0xff) as i32));
            }
        }
    }
}

fn index_of(processes: &[Process], id: ProcessId) -> Option<usize> {
    processes
        .binary_search_by_key(&id, |process| process.id)
        .ok()
}

/// The name under which an image was started: a link's or script's own, as `ps` shows it. A program
/// started by descriptor has only the path of its file.
fn program_path(payload: &[u8]) -> Option<&[u8]> {
    let mut fields = Cursor::new(payload);
    let executable = fields.string()?;
    fields.string()?;
    let started_as = fields.string()?;
    if started_as.is_empty() || started_as.starts_with(b"/dev/fd/") {
        return Some(executable);
    }
    Some(started_as)
}

/// Name of the program that an exec began when no `START` will follow.
fn opaque_exec(payload: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(payload);
    let flags = *cursor.take(1)?.first()?;
    let descriptors = cursor.u32()? as usize;
    cursor.take(descriptors.checked_mul(8)?)?;
    let path = cursor.rest();
    let end = path
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(path.len());
    let name = String::from_utf8_lossy(&path[..end]);
    (flags & exec::OPAQUE != 0).then(|| base_name(&name).to_owned())
}

impl ThreadFacts {
    fn add(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        match (record.tag, Number::from(record.number)) {
            (record::START, _) => {
                if let Some(path) = program_path(payload) {
                    let path = String::from_utf8_lossy(path);
                    self.steps.push(Step::Start(base_name(&path).to_owned()));
                }
            }
            (record::SYSCALL, Number::EXECVE | Number::EXECVEAT) => {
                let opaque = opaque_exec(payload);
                self.exec_is_last = opaque.is_some();
                self.steps.extend(opaque.map(Step::Start));
                return;
            }
            (record::TURN | record::YIELD | record::NOTE | record::ACQUIRE..=record::POSTS, _) => {
                return;
            }
            // The exec before it failed after all.
            (record::RESULT, _) if self.exec_is_last => drop(self.steps.pop()),
            (record::EXIT, number) => self.exit = Some((number, record.value)),
            (record::SYSCALL, Number::CLONE | Number::FORK | Number::VFORK | Number::CLONE3) => {
                // Written before the call: its result, the child's pid, comes after it.
                if let Some(Child { process, thread }) = Child::decode(payload) {
                    self.steps.push(Step::Child {
                        thread,
                        process,
                        pid: 0,
                    });
                    self.child_is_last = true;
                    return;
                }
            }
            (record::RESULT, _) if self.child_is_last => match u32::try_from(record.value) {
                Ok(result) => {
                    if let Some(Step::Child { pid, .. }) = self.steps.last_mut() {
                        *pid = result;
                    }
                }
                Err(_) => drop(self.steps.pop()),
            },
            (record::SYSCALL, Number::WAIT4) => {
                // The status comes first; an rusage (144 bytes) may follow or stand alone.
                if let (Ok(pid), Some(status), 4 | 148) = (
                    u32::try_from(record.value),
                    u32_at(payload, 0),
                    payload.len(),
                ) {
                    self.reap(pid, WaitStatus(status as i32));
                }
            }
            (record::SYSCALL, Number::WAITID) if record.value == 0 => self.add_siginfo(payload),
            _ => {}
        }
        self.exec_is_last = false;
        self.child_is_last = false;
    }

    /// A `siginfo_t` as waitid fills it in.
    fn add_siginfo(&mut self, payload: &[u8]) {
        const CLD_EXITED: u32 = 1;
        const CLD_KILLED: u32 = 2;
        const CLD_DUMPED: u32 = 3;
        let field = |offset| u32_at(payload, offset).unwrap_or(0);
        let (code, pid, status) = (field(8), field(16), field(24) as i32);
        match code {
            CLD_EXITED => self.reap(pid, WaitStatus::exited(status)),
            CLD_KILLED | CLD_DUMPED => self.reap(pid, WaitStatus::killed(status)),
            _ => {}
        }
    }

    fn reap(&mut self, pid: u32, status: WaitStatus) {
        if pid != 0 && status.end().is_some() {
            self.reaped.push((pid, status));
        }
    }
}

/// The body of a `FACTS` block: for each process its id, its end and its program.
pub(crate) fn encode(processes: &[Process]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for process in processes {
        push_varint(&mut bytes, u64::from(process.id.0));
        // A wait status plus one; zero: no log tells.
        let status = process.end_in_log.and_then(ProcessEnd::wait_status);
        push_varint(
            &mut bytes,
            status.map_or(0, |status| u64::from(status.0 as u32) + 1),
        );
        push_string(&mut bytes, process.program.as_bytes());
    }
    bytes
}

/// Fills in what [`encode`] wrote; `None` when the bytes do not fit the table.
pub(crate) fn decode_into(bytes: &[u8], processes: &mut [Process]) -> Option<()> {
    let mut cursor = Cursor::new(bytes);
    for process in processes {
        if cursor.varint_u32()? != process.id.0 {
            return None;
        }
        let status = cursor.varint()?;
        process.end_in_log = match status.checked_sub(1) {
            None => None,
            Some(status) => WaitStatus(u32::try_from(status).ok()? as i32).end(),
        };
        process.program = String::from_utf8_lossy(cursor.string()?).into_owned();
    }
    cursor.rest().is_empty().then_some(())
}

/// How a process ended: by the logs, else by what the recorder saw, else by its slot.
pub(crate) fn end_of(
    process: &Process,
    recorded: impl FnOnce() -> Option<WaitStatus>,
) -> ProcessEnd {
    if let Some(end) = process.end_in_log.or_else(|| recorded()?.end()) {
        return end;
    }
    match process.state {
        process_state::EXITED => ProcessEnd::Exited((process.status & 0xff) as i32),
        process_state::OPAQUE => ProcessEnd::Opaque,
        _ => ProcessEnd::Cut,
    }
}
