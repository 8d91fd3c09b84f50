//! System calls made by a stopped thread on our behalf.
//!
//! The thread is led to a `syscall` instruction, executes it and is put back: registers, signal mask, and the signal that
//! it was about to get. Its program does not run in between, and no handler of it does.

use crate::error::Error;
use crate::loans::Loan;
use crate::memory::Memory;
use crate::process_files;
use crate::registers::Registers;
use crate::signals::SignalInfo;
use crate::stop::{Report, Stop};
use crate::thread::{Going, Stopped, Tid};
use crate::traces::Traces;
use crate::wait::{send_thread_signal, wait_for};

const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// Kinds of stops on the way that are passed over, before the thread counts as lost.
const MOST_STOPS: usize = 64;
/// Answers from here to -1 are errors.
const LAST_ERROR: i64 = -4095;

/// Where a thread is after an errand.
pub enum Back<T> {
    /// As before, with the stop that it is in now.
    Here(Stopped, Stop, Result<T, Error>),
    /// It did something else instead, as a rule it ended; the report if there is one.
    Lost(Option<Report>),
}

/// A thread on an errand.
pub struct Errand {
    stopped: Option<Stopped>,
    tid: Tid,
    saved: Registers,
    instruction: u64,
    /// By single steps.
    steps: bool,
    lost: Option<Report>,
    /// Signals that nothing holds back, to be sent again.
    strays: Vec<i32>,
}

/// Whether a thread in such a stop can be sent.
pub fn can_run(stop: Stop) -> bool {
    matches!(
        stop,
        Stop::Signal(_)
            | Stop::Interrupted
            | Stop::Group(_)
            | Stop::Exec(_)
            | Stop::Clone(_)
            | Stop::Fork(_)
    )
}

/// What an errand needs beside the thread.
pub struct Provisions<'a> {
    /// The process.
    pub pid: Tid,
    /// Its memory.
    pub memory: &'a Memory,
    /// A `syscall` instruction after which a thread can wait; that of the vDSO if there is none, after which it cannot.
    pub place: Option<u64>,
    /// Where the loan of the thread is entered. The caller who gets the thread back says that it is returned, once what it did is
    /// listed as well.
    pub traces: Option<&'a mut Traces>,
}

/// Sends a stopped thread.
pub fn run<T>(
    stopped: Stopped,
    stop: Stop,
    provisions: Provisions<'_>,
    task: impl FnOnce(&mut Errand) -> Result<T, Error>,
) -> Back<T> {
    let tid = stopped.tid();
    let place = provisions
        .place
        .or_else(|| find_instruction(tid, provisions.memory));
    let Some(instruction) = place.filter(|_| can_run(stop)) else {
        let error = unavailable(tid, "there is no way to make a system call");
        return Back::Here(stopped, stop, Err(error));
    };
    let mut stopped = stopped;
    let mut stop = stop;
    if matches!(stop, Stop::Exec(_) | Stop::Clone(_) | Stop::Fork(_)) {
        // In the middle of a system call, whose result the kernel has still to write.
        match finish_call(stopped) {
            Ok(outside) => stopped = outside,
            Err(report) => return Back::Lost(report),
        }
        stop = Stop::Interrupted;
    }
    let info = match stop {
        Stop::Signal(_) => stopped.signal_info().ok(),
        _ => None,
    };
    let (Ok(registers), Ok(mask)) = (stopped.registers(), stopped.signal_mask()) else {
        return Back::Here(stopped, stop, Err(Error::Gone(tid)));
    };
    if let Some(traces) = provisions.traces {
        traces.lend(&Loan {
            pid: provisions.pid,
            tid,
            registers,
            mask,
            vector: None,
        });
    }
    // A trap that is blocked ends the program.
    let _ = stopped.set_signal_mask(!(1 << (libc::SIGTRAP - 1)));
    let mut errand = Errand {
        stopped: Some(stopped),
        tid,
        saved: registers,
        instruction,
        steps: info.is_some(),
        lost: None,
        strays: Vec::new(),
    };
    let result = task(&mut errand);
    match errand.stopped {
        None => Back::Lost(errand.lost),
        Some(mut stopped) => {
            let _ = stopped.set_registers(&registers);
            let _ = stopped.set_signal_mask(mask);
            for signal in errand.strays {
                let _ = send_thread_signal(tid, signal);
            }
            put_back(stopped, stop, info, result)
        }
    }
}

/// Makes the thread's stop the one that it was in.
fn put_back<T>(
    mut stopped: Stopped,
    stop: Stop,
    info: Option<SignalInfo>,
    result: Result<T, Error>,
) -> Back<T> {
    if let Some(info) = info {
        let _ = stopped.set_signal_info(&info);
        return Back::Here(stopped, stop, result);
    }
    match stopped.drop_signal() {
        Some(Report::Stopped(stopped, stop @ (Stop::Interrupted | Stop::Group(_)))) => {
            Back::Here(stopped, stop, result)
        }
        other => Back::Lost(other),
    }
}

/// Takes a thread that is in the middle of a system call to its end.
fn finish_call(stopped: Stopped) -> Result<Stopped, Option<Report>> {
    let tid = stopped.tid();
    stopped.resume(Going::ToSystemCall, None);
    match wait_for(tid) {
        Some(Report::Stopped(stopped, Stop::Syscall)) => Ok(stopped),
        other => Err(other),
    }
}

impl Errand {
    /// Makes a system call.
    pub fn call(&mut self, number: i64, arguments: [u64; 6]) -> Result<u64, Error> {
        let mut registers = self.saved;
        let r = &mut registers.0;
        let places = [
            &mut r.rdi, &mut r.rsi, &mut r.rdx, &mut r.r10, &mut r.r8, &mut r.r9,
        ];
        for (place, argument) in places.into_iter().zip(arguments) {
            *place = argument;
        }
        r.rax = number as u64;
        r.rip = self.instruction;
        // No system call is to be restarted: putting the registers back sees to that one.
        r.orig_rax = u64::MAX;
        let after = self.execute(&registers)?;
        match after.0.rax as i64 {
            error @ LAST_ERROR..0 => Err(Error::System {
                what: "a system call on behalf",
                tid: self.tid,
                source: std::io::Error::from_raw_os_error(-error as i32),
            }),
            answer => Ok(answer as u64),
        }
    }

    /// Registers of the thread before the errand.
    pub fn registers(&self) -> &Registers {
        &self.saved
    }

    /// Executes the `syscall` instruction, whatever comes in between. If we die meanwhile, stops at the system call leave
    /// nothing behind. The trap of a step would, but only from there can the signal be given that the thread was to get.
    fn execute(&mut self, registers: &Registers) -> Result<Registers, Error> {
        let gone = Error::Gone(self.tid);
        let Some(mut stopped) = self.stopped.take() else {
            return Err(gone);
        };
        if let Err(error) = stopped.set_registers(registers) {
            self.stopped = Some(stopped);
            return Err(error);
        }
        let how = if self.steps {
            Going::OneInstruction
        } else {
            Going::ToSystemCall
        };
        for _ in 0..MOST_STOPS {
            stopped.resume(how, None);
            let (next, stop) = match wait_for(self.tid) {
                Some(Report::Stopped(next, stop)) if !matches!(stop, Stop::Exit(_)) => (next, stop),
                other => {
                    self.lost = other;
                    return Err(gone);
                }
            };
            stopped = next;
            match stop {
                Stop::Signal(libc::SIGTRAP) => {}
                Stop::Signal(signal) => self.strays.push(signal),
                Stop::Syscall if stopped.is_system_call_entry().unwrap_or(false) => continue,
                _ => {}
            }
            let now = stopped.registers()?;
            if now.0.rip != registers.0.rip {
                self.stopped = Some(stopped);
                return Ok(now);
            }
        }
        self.stopped = Some(stopped);
        Err(unavailable(self.tid, "it does not get to run"))
    }
}

fn find_instruction(tid: Tid, memory: &Memory) -> Option<u64> {
    let vdso = process_files::maps(tid)
        .into_iter()
        .find(|mapping| mapping.path == "[vdso]")?;
    let mut code = vec![0; (vdso.high - vdso.low) as usize];
    memory.read(vdso.low, &mut code).ok()?;
    let at = code.windows(2).position(|bytes| bytes == SYSCALL)?;
    Some(vdso.low + at as u64)
}

fn unavailable(tid: Tid, why: &'static str) -> Error {
    Error::System {
        what: "a system call on behalf",
        tid,
        source: std::io::Error::other(why),
    }
}
