//! A thread of the session: what the kernel says of it, and what the debugger wants of it.

use super::displaced::Displaced;
use crate::command::Reply;
use wayfarer_backend::{
    AddressRange, Answer, BreakpointId, InferiorCallReply, ProcessId, StopReason, ThreadId,
};
use wayfarer_ptrace::errand::{self, Back, Errand, Provisions};
use wayfarer_ptrace::thread::Going;
use wayfarer_ptrace::{
    Error, Registers, Report, Running, SignalInfo, Stop, Stopped, Tid, VectorState,
};

/// Where a thread is.
pub enum State {
    /// It runs, or its first stop has not been reported yet.
    Running(Running),
    /// It is stopped, for the kernel's reason.
    Stopped(Stopped, Stop),
    /// It has passed its exit stop: it does nothing any more, and cannot be stopped.
    Exiting,
}

/// What the debugger wants of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// It shall run, unless something holds it.
    Running,
    /// It shall be stopped.
    Stopped,
}

/// What keeps a thread from running although it is wanted to.
#[derive(Default, Debug)]
pub struct Holds {
    /// The debugger said so.
    pub asked: bool,
    /// The debugger has not looked at its new program or library yet.
    pub load: bool,
    /// It waits at the barrier with this breakpoint id.
    pub barrier: Option<BreakpointId>,
}

impl Holds {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.asked || self.load || self.barrier.is_some()
    }
}

/// A place that a thread runs to by itself, behind a private breakpoint.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Any of these.
    pub addresses: Vec<u64>,
    /// Only with the stack pointer above this.
    pub stack_above: Option<u64>,
    /// Set while a signal handler runs: being back is no progress, and no breakpoint is hit by it.
    pub after_signal: bool,
}

impl Goal {
    /// Whether the thread has arrived.
    pub fn reached(&self, registers: &Registers) -> bool {
        self.addresses.contains(&registers.0.rip)
            && self.stack_above.is_none_or(|above| registers.0.rsp > above)
    }
}

/// How far a step goes.
#[derive(Clone, Debug)]
pub enum Extent {
    /// This many instructions more.
    Instructions(u64),
    /// Until pc has left them all.
    Ranges {
        /// Any of these.
        ranges: Vec<AddressRange>,
        /// Or until the stack pointer is above this.
        stack_above: Option<u64>,
    },
}

/// A step under way.
#[derive(Clone, Debug)]
pub struct Step {
    /// How far.
    pub extent: Extent,
    /// Run calls to their return.
    pub over_calls: bool,
    /// Instructions so far.
    pub instructions: u64,
    /// Set while a call or a signal handler runs to its end.
    pub goal: Option<Goal>,
    /// The last instruction was a call.
    pub entered_call: bool,
}

/// A function call of the debugger's.
pub struct Call {
    /// What to put back.
    pub registers: Registers,
    /// What to put back.
    pub vector: Option<VectorState>,
    /// Where the function returns to.
    pub goal: Goal,
    /// Address and length of the blocks, for the reply.
    pub blocks: Vec<(u64, usize)>,
    /// The thread was wanted so before.
    pub signal: Option<i32>,
    /// When the patience ends.
    pub deadline_ns: u64,
    /// Where a breakpoint was to be passed.
    pub skip_at: Option<u64>,
    /// The kernel's stop before the call, and what was reported.
    pub reason: Option<StopReason>,
    /// An interruption leaves the thread in the function.
    pub stay: bool,
    /// Who waits.
    pub reply: Reply<Answer<InferiorCallReply>>,
    /// Where the function returns to if that is a place of ours.
    pub waiting_place: Option<u64>,
}

/// What a running thread is doing for the debugger.
pub enum Activity {
    /// Nothing special.
    Continue,
    /// Stepping.
    Step(Step),
    /// Running to an address.
    RunTo(Goal),
    /// Executing a call.
    Call(Box<Call>),
}

/// One thread.
pub struct Thread {
    /// Ours.
    pub id: ThreadId,
    /// Whose.
    pub process: ProcessId,
    /// The kernel's.
    pub tid: Tid,
    /// In order of creation within the process.
    pub number: u32,
    /// Where it is.
    pub state: State,
    /// What shall be.
    pub wanted: Wanted,
    /// What prevents it.
    pub holds: Holds,
    /// What it does.
    pub activity: Activity,
    /// Delivered at the next resumption.
    pub signal: Option<i32>,
    /// Signals that came in the middle of a step over a breakpoint, to be delivered behind it.
    pub deferred: Vec<SignalInfo>,
    /// Why it stopped, as told; `None` if along with others.
    pub reason: Option<StopReason>,
    /// A stop that could not be told because another was being told.
    pub pending: Option<StopReason>,
    /// A breakpoint here has been told or judged already: resuming passes it.
    pub skip_at: Option<u64>,
    /// An instruction of it is being executed elsewhere.
    pub displaced: Option<Displaced>,
    /// Its debug registers hold this edition of the process's watchpoints.
    pub watch_edition: u64,
    /// It waits in the kernel for its vfork child and cannot be stopped.
    pub in_vfork: bool,
    /// It blocks SIGTRAP when we are not there.
    pub unblocked: bool,
    /// Its first stop is still to come.
    pub newborn: bool,
    registers: Option<Registers>,
    registers_changed: bool,
}

impl Thread {
    /// A thread that runs as far as we know.
    pub fn new(id: ThreadId, process: ProcessId, running: Running, number: u32) -> Thread {
        Thread {
            id,
            process,
            tid: running.tid(),
            number,
            state: State::Running(running),
            wanted: Wanted::Running,
            holds: Holds::default(),
            activity: Activity::Continue,
            signal: None,
            deferred: Vec::new(),
            reason: None,
            pending: None,
            skip_at: None,
            displaced: None,
            watch_edition: 0,
            in_vfork: false,
            unblocked: false,
            newborn: true,
            registers: None,
            registers_changed: false,
        }
    }

    /// The kernel says that it stopped.
    pub fn stopped(&mut self, stopped: Stopped, stop: Stop) {
        self.state = State::Stopped(stopped, stop);
        self.registers = None;
        self.registers_changed = false;
    }

    /// Whether it is stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped(..))
    }

    /// Whether nothing keeps it from running.
    pub fn may_run(&self) -> bool {
        self.wanted == Wanted::Running && !self.holds.any()
    }

    /// Whether it runs and would stop if asked.
    pub fn can_be_stopped(&self) -> bool {
        matches!(self.state, State::Running(_)) && !self.in_vfork
    }

    /// Its registers, if it is stopped and alive.
    pub fn registers(&mut self) -> Option<Registers> {
        if self.registers.is_none()
            && let State::Stopped(stopped, _) = &self.state
        {
            self.registers = stopped.registers().ok();
        }
        self.registers
    }

    /// Changes them; written to the kernel when the thread goes on.
    pub fn set_registers(&mut self, registers: Registers) {
        if self.is_stopped() && self.registers != Some(registers) {
            self.registers = Some(registers);
            self.registers_changed = true;
        }
    }

    /// Where it is.
    pub fn pc(&mut self) -> Option<u64> {
        self.registers().map(|registers| registers.0.rip)
    }

    /// Its handle, with all changes of registers written.
    pub fn handle(&mut self) -> Option<&mut Stopped> {
        let State::Stopped(stopped, _) = &mut self.state else {
            return None;
        };
        if self.registers_changed
            && let Some(registers) = &self.registers
        {
            let _ = stopped.set_registers(registers);
            self.registers_changed = false;
        }
        Some(stopped)
    }

    /// Whether an interruption has overtaken a trap of its own, which is reported before the program runs on.
    pub fn has_unreported_trap(&mut self) -> bool {
        matches!(
            self.state,
            State::Stopped(_, Stop::Interrupted | Stop::Group(_))
        ) && self
            .handle()
            .is_some_and(|handle| handle.has_unreported_trap())
    }

    /// Makes a stop with a trap of ours one without a signal; a report if the thread did something else instead.
    pub fn park(&mut self) -> Option<Report> {
        if !matches!(self.state, State::Stopped(_, Stop::Signal(libc::SIGTRAP)))
            || self.signal.is_some()
        {
            return None;
        }
        let stopped = self.take_handle()?;
        match stopped.drop_signal() {
            Some(Report::Stopped(stopped, stop @ (Stop::Interrupted | Stop::Group(_)))) => {
                self.state = State::Stopped(stopped, stop);
                None
            }
            other => other,
        }
    }

    /// Has the stopped thread make system calls for us. An error carries the report if it did something else instead.
    pub fn run_errand<T>(
        &mut self,
        provisions: Provisions<'_>,
        task: impl FnOnce(&mut Errand) -> Result<T, Error>,
    ) -> Result<Result<T, Error>, Option<Report>> {
        let State::Stopped(_, stop) = self.state else {
            return Err(None);
        };
        let stopped = self.take_handle().ok_or(None)?;
        match errand::run(stopped, stop, provisions, task) {
            Back::Here(stopped, stop, result) => {
                self.state = State::Stopped(stopped, stop);
                self.registers = None;
                Ok(result)
            }
            Back::Lost(report) => Err(report),
        }
    }

    /// Takes the handle away, changes written; the thread counts as running afterwards.
    fn take_handle(&mut self) -> Option<Stopped> {
        self.handle()?;
        match std::mem::replace(&mut self.state, State::Exiting) {
            State::Stopped(stopped, _) => Some(stopped),
            other => {
                self.state = other;
                None
            }
        }
    }

    /// Lets it go on, with the signal that is due.
    pub fn resume(&mut self, how: Going) {
        let signal = self.signal.take();
        self.resume_with(how, signal);
    }

    /// Lets it go on with this signal.
    pub fn resume_with(&mut self, how: Going, signal: Option<i32>) {
        let State::Stopped(_, stop) = &self.state else {
            return;
        };
        let stop = *stop;
        // While job control stops the process, going on means to stay stopped and to listen for its end.
        let how = match stop {
            Stop::Group(_) => Going::Listening,
            _ => how,
        };
        let Some(stopped) = self.take_handle() else {
            return;
        };
        let running = stopped.resume(how, signal);
        self.state = match stop {
            Stop::Exit(_) => State::Exiting,
            _ => State::Running(running),
        };
        self.in_vfork = self.in_vfork || matches!(stop, Stop::Vfork(_));
        self.registers = None;
    }

    /// Lets it go for good.
    pub fn detach(&mut self, signal: Option<i32>) {
        if let Some(stopped) = self.take_handle() {
            let _ = stopped.detach(signal);
        }
        self.state = State::Exiting;
    }

    /// Asks it to stop, if it runs.
    pub fn interrupt(&self) {
        if let State::Running(running) = &self.state {
            // Gone is fine: its end is reported.
            let _ = running.interrupt();
        }
    }

    /// The step under way.
    pub fn step(&mut self) -> Option<&mut Step> {
        match &mut self.activity {
            Activity::Step(step) => Some(step),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn goal_mut(&mut self) -> Option<&mut Goal> {
        match &mut self.activity {
            Activity::Continue => None,
            Activity::Step(step) => step.goal.as_mut(),
            Activity::RunTo(goal) => Some(goal),
            Activity::Call(call) => Some(&mut call.goal),
        }
    }

    /// The place that it runs to, if it does.
    pub fn goal(&self) -> Option<&Goal> {
        match &self.activity {
            Activity::Continue => None,
            Activity::Step(step) => step.goal.as_ref(),
            Activity::RunTo(goal) => Some(goal),
            Activity::Call(call) => Some(&call.goal),
        }
    }
}
