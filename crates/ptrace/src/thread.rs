//! A traced thread, running or stopped.

use crate::error::Error;
use crate::signals::SignalInfo;
use crate::stop::Report;
use std::fmt;
use std::ptr;

const GET_SIGNAL_MASK: libc::c_uint = 0x420a;
const SET_SIGNAL_MASK: libc::c_uint = 0x420b;

/// The kernel's number of a thread; the first thread of a process has the process's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tid(pub i32);

impl fmt::Display for Tid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Tid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A thread that runs. All it can be asked is to stop; that it did is told by [`crate::wait()`].
#[derive(Debug)]
pub struct Running {
    tid: Tid,
}

impl Running {
    pub(crate) fn new(tid: Tid) -> Running {
        Running { tid }
    }

    /// A thread that came to us by itself as the child of a traced one; its first stop is reported by [`crate::wait()`].
    pub fn of_newborn(tid: Tid) -> Running {
        Running { tid }
    }

    /// Its number.
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// Asks the thread to stop soon, without a signal that it could notice.
    pub fn interrupt(&self) -> Result<(), Error> {
        request(libc::PTRACE_INTERRUPT, self.tid, 0, 0, "interruption").map(drop)
    }
}

/// How a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Going {
    /// Until something happens.
    On,
    /// Until the next entry to or return from a system call, or something else.
    ToSystemCall,
    /// One instruction.
    OneInstruction,
    /// Stay stopped as job control wants it, but hear of its end. Only after [`crate::Stop::Group`].
    Listening,
}

/// A thread that is stopped and belongs to this thread of ours. There is at most one value for a thread.
#[derive(Debug)]
pub struct Stopped {
    tid: Tid,
}

impl Stopped {
    pub(crate) fn new(tid: Tid) -> Stopped {
        Stopped { tid }
    }

    /// Its number.
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// Sets the thread going, with a signal delivered if it stopped with one. If it turns out to be gone its end
    /// is reported by [`crate::wait()`] all the same, so that it is right to treat it as running.
    pub fn resume(self, how: Going, signal: Option<i32>) -> Running {
        let operation = match how {
            Going::On => libc::PTRACE_CONT,
            Going::ToSystemCall => libc::PTRACE_SYSCALL,
            Going::OneInstruction => libc::PTRACE_SINGLESTEP,
            Going::Listening => libc::PTRACE_LISTEN,
        };
        let signal = signal.unwrap_or(0) as usize;
        // A failure means that a SIGKILL was faster; the report of the end is on its way.
        let _ = request(operation, self.tid, 0, signal, "resumption");
        Running::new(self.tid)
    }

    /// Lets the thread go, with a signal delivered if it stopped with one. Memory must be clean by now.
    pub fn detach(self, signal: Option<i32>) -> Result<(), Error> {
        let signal = signal.unwrap_or(0) as usize;
        request(libc::PTRACE_DETACH, self.tid, 0, signal, "detaching").map(drop)
    }

    /// What the kernel says about the signal that the thread stopped with.
    pub fn signal_info(&self) -> Result<SignalInfo, Error> {
        // SAFETY: siginfo_t is plain data for which zeros are valid, and the kernel fills in one of them.
        let mut raw: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let address = ptr::from_mut(&mut raw) as usize;
        request(libc::PTRACE_GETSIGINFO, self.tid, 0, address, "signal")?;
        Ok(SignalInfo::new(raw))
    }

    /// Changes what the program will be told of the signal that is about to be delivered.
    pub fn set_signal_info(&mut self, info: &SignalInfo) -> Result<(), Error> {
        let address = ptr::from_ref(info.raw()) as usize;
        request(libc::PTRACE_SETSIGINFO, self.tid, 0, address, "signal").map(drop)
    }

    /// The signals that the thread blocks, one bit each.
    pub fn signal_mask(&self) -> Result<u64, Error> {
        let mut mask: u64 = 0;
        let address = ptr::from_mut(&mut mask) as usize;
        let length = size_of::<u64>();
        request(GET_SIGNAL_MASK, self.tid, length, address, "signal mask")?;
        Ok(mask)
    }

    /// Changes them.
    pub fn set_signal_mask(&mut self, mask: u64) -> Result<(), Error> {
        let address = ptr::from_ref(&mask) as usize;
        let length = size_of::<u64>();
        request(SET_SIGNAL_MASK, self.tid, length, address, "signal mask").map(drop)
    }

    /// Has the thread block a signal or not; whether it did before.
    pub fn block_signal(&mut self, signal: i32, block: bool) -> Result<bool, Error> {
        let mask = self.signal_mask()?;
        let bit = 1 << (signal - 1);
        let wanted = if block { mask | bit } else { mask & !bit };
        if wanted != mask {
            self.set_signal_mask(wanted)?;
        }
        Ok(mask & bit != 0)
    }

    /// Whether the thread has a trap of its own (a breakpoint it ran into, a step it made) that is not reported yet: an
    /// interruption overtakes such.
    pub fn has_unreported_trap(&self) -> bool {
        const MOST: usize = 32;
        // SAFETY: siginfo_t is plain data for which zeros are valid.
        let mut queue: [libc::siginfo_t; MOST] = unsafe { std::mem::zeroed() };
        let which = libc::ptrace_peeksiginfo_args {
            off: 0,
            flags: 0,
            nr: MOST as i32,
        };
        let from = ptr::from_ref(&which) as usize;
        let to = queue.as_mut_ptr() as usize;
        let count = request(libc::PTRACE_PEEKSIGINFO, self.tid, from, to, "signals").unwrap_or(0);
        queue
            .iter()
            .take(count.max(0) as usize)
            .any(|info| info.si_signo == libc::SIGTRAP && info.si_code > 0)
    }

    /// Moves the thread from a stop with a signal, which is dropped, to one without. The program does not get to run in
    /// between. If we die, the signal of a stop is delivered; so a thread that stays stopped had better have none.
    pub fn drop_signal(self) -> Option<Report> {
        let tid = self.tid;
        // Both may find it gone; then its end is what is waited for.
        let _ = request(libc::PTRACE_INTERRUPT, tid, 0, 0, "interruption");
        let _ = request(libc::PTRACE_CONT, tid, 0, 0, "resumption");
        crate::wait::wait_for(tid)
    }

    /// Whether a system-call stop is at the entry, not at the return.
    pub fn is_system_call_entry(&self) -> Result<bool, Error> {
        let mut information = [0u8; 128];
        let address = information.as_mut_ptr() as usize;
        let length = information.len();
        let tid = self.tid;
        request(
            libc::PTRACE_GET_SYSCALL_INFO,
            tid,
            length,
            address,
            "system call",
        )?;
        Ok(information[0] == libc::PTRACE_SYSCALL_INFO_ENTRY)
    }

    /// Whether the thread is still in the stop of this event.
    pub(crate) fn is_at_event(&self, event: i32) -> bool {
        let code = libc::SIGTRAP | event << 8;
        self.signal_info().is_ok_and(|info| info.code() == code)
    }

    /// The number that came with an event (child, exit status, former id).
    pub(crate) fn event_message(&self) -> Result<u64, Error> {
        let mut message: libc::c_ulong = 0;
        let address = ptr::from_mut(&mut message) as usize;
        request(libc::PTRACE_GETEVENTMSG, self.tid, 0, address, "event")?;
        Ok(message)
    }
}

/// One ptrace call. Requests that move data pass the address of a live object of the right type.
pub(crate) fn request(
    operation: libc::c_uint,
    tid: Tid,
    address: usize,
    data: usize,
    what: &'static str,
) -> Result<i64, Error> {
    // SAFETY: the callers in this crate pass, where the operation reads or writes memory of ours, the address of a
    // live local of the type that the operation is documented to use; the others ignore both numbers.
    let answer = unsafe { libc::ptrace(operation, tid.0, address, data) };
    match answer {
        -1 => Err(Error::last(what, tid)),
        answer => Ok(answer),
    }
}
