//! Signals: stopped at, told of, passed on.

use super::Tracer;
use super::thread::Wanted;
use wayfarer_backend::{EventKind, SignalDisposition, SignalReceived, StopReason, ThreadId};
use wayfarer_ptrace::SignalInfo;
use wayfarer_ptrace::thread::Going;

/// What happens when a signal arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disposition {
    /// It stops the thread.
    pub stop: bool,
    /// It is told of.
    pub print: bool,
    /// The program gets it.
    pub pass: bool,
}

/// The dispositions of all signals.
pub struct Dispositions([Disposition; 65]);

/// Signals that programs use all the time and nobody wants to hear of.
const SILENT: [i32; 10] = [
    libc::SIGALRM,
    libc::SIGURG,
    libc::SIGIO,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGCHLD,
    libc::SIGWINCH,
    // Cancellation and the set-user-id calls of libc.
    32,
    33,
    34,
];
/// Signals that are meant for the debugger.
const OURS: [i32; 2] = [libc::SIGINT, libc::SIGTRAP];

impl Default for Dispositions {
    fn default() -> Dispositions {
        let usual = Disposition {
            stop: true,
            print: true,
            pass: true,
        };
        let mut all = [usual; 65];
        for signal in SILENT {
            all[signal as usize] = Disposition {
                stop: false,
                print: false,
                pass: true,
            };
        }
        for signal in OURS {
            all[signal as usize].pass = false;
        }
        Dispositions(all)
    }
}

impl Dispositions {
    /// What happens when this signal arrives.
    pub fn of(&self, signal: i32) -> Disposition {
        self.0[signal.clamp(0, 64) as usize]
    }
}

impl Tracer {
    pub(super) fn set_signals(&mut self, signals: &[SignalDisposition]) {
        for signal in signals {
            if let Some(disposition) = self.dispositions.0.get_mut(signal.signal as usize) {
                *disposition = Disposition {
                    stop: signal.stop,
                    print: signal.print,
                    pass: signal.pass,
                };
            }
        }
    }

    /// A signal is about to be delivered to a thread.
    pub(super) fn signal_stop(&mut self, id: ThreadId, signal: i32) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(Ok(info)) = thread.handle().map(|handle| handle.signal_info()) else {
            return;
        };
        if self.is_runtimes_own(id, &info) {
            self.pass_to_runtime(id, &info);
            return;
        }
        if signal == libc::SIGTRAP && self.trap(id, &info) {
            return;
        }
        if self.defer(id, &info) {
            return;
        }
        if !self.judge_signal(id, &info) {
            self.go_on(id);
        }
    }

    /// A signal in the middle of a step over a breakpoint waits until the step is done, so that its handler does not
    /// return to the breakpoint. Faults are of the step itself.
    pub(super) fn defer(&mut self, id: ThreadId, info: &SignalInfo) -> bool {
        if !self.steps_over(id) {
            return false;
        }
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        if info.is_fault() || thread.wanted == Wanted::Stopped {
            self.cancel_displaced(id);
            self.finish_exclusive(id);
            return false;
        }
        thread.deferred.push(*info);
        thread.resume_with(Going::OneInstruction, None);
        true
    }

    /// Does with a signal what its disposition says; true if that stops the thread.
    pub(super) fn judge_signal(&mut self, id: ThreadId, info: &SignalInfo) -> bool {
        let is_runtimes = self.is_runtimes_own(id, info);
        let Some(thread) = self.threads.get_mut(&id) else {
            return true;
        };
        let signal = info.signal();
        if is_runtimes {
            thread.signal = Some(signal);
            return false;
        }
        let disposition = self.dispositions.of(signal);
        // The recorded program got it.
        let pass = disposition.pass || self.replay.is_some();
        thread.signal = pass.then_some(signal);
        if disposition.stop {
            let told = StopReason::Signal(SignalReceived {
                signal,
                code: info.code(),
                address: info.address(),
                will_pass: pass,
                details: info.bytes(),
            });
            self.stop_at(id, told, None);
            return true;
        }
        let process = thread.process;
        if disposition.print {
            self.tell(EventKind::SignalSeen {
                process,
                thread: id,
                signal,
            });
        }
        false
    }
}
