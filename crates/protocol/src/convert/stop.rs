//! Why threads stop.

use wayfarer_backend as plain;
use wire::stop_reason::Reason;

use super::{
    Damaged, all, breakpoint_ids, breakpoint_numbers, enumerated, enumeration, list, needed,
    optional, thread_ids, thread_numbers,
};
use crate as wire;

enumeration!(StepEnd {
    Left,
    Returned,
    Reached,
});

impl From<plain::ThreadStop> for wire::ThreadStop {
    fn from(stop: plain::ThreadStop) -> wire::ThreadStop {
        wire::ThreadStop {
            process: stop.process.0,
            thread: stop.thread.0,
            reason: Some(stop.reason.into()),
            registers: stop.registers.map(Into::into),
            events: stop.events,
        }
    }
}

impl TryFrom<wire::ThreadStop> for plain::ThreadStop {
    type Error = Damaged;

    fn try_from(stop: wire::ThreadStop) -> Result<plain::ThreadStop, Damaged> {
        Ok(plain::ThreadStop {
            process: plain::ProcessId(stop.process),
            thread: plain::ThreadId(stop.thread),
            reason: needed(stop.reason, "reason of a stop")?,
            registers: optional(stop.registers)?,
            events: stop.events,
        })
    }
}

impl From<plain::StopReason> for wire::StopReason {
    fn from(reason: plain::StopReason) -> wire::StopReason {
        use plain::StopReason as Plain;
        let reason = match reason {
            Plain::Breakpoint(hit) => Reason::Breakpoint(wire::BreakpointHit {
                ids: breakpoint_numbers(hit.ids),
                failures: list(hit.failures),
            }),
            Plain::Watchpoint(hit) => Reason::Watchpoint(wire::WatchpointHit {
                watches: list(hit.watches),
            }),
            Plain::Signal(signal) => Reason::Signal(wire::SignalReceived {
                signal: signal.signal as u32,
                code: signal.code,
                address: signal.address,
                will_pass: signal.will_pass,
                details: signal.details,
            }),
            Plain::Step(done) => Reason::StepDone(wire::StepDone {
                end: wire::StepEnd::from(done.end).into(),
                entered_call: done.entered_call,
                instructions: done.instructions,
            }),
            Plain::Syscall(stop) => Reason::Syscall(wire::SyscallStop {
                ids: breakpoint_numbers(stop.ids),
                number: stop.number,
                entry: stop.entry,
            }),
            Plain::Fork(stop) => Reason::Fork(wire::ForkStop {
                ids: breakpoint_numbers(stop.ids),
                child: stop.child.map(|child| child.0),
                child_pid: stop.child_pid as u32,
                vfork: stop.vfork,
            }),
            Plain::Exec(ids) => Reason::Exec(wire::ExecStop {
                ids: breakpoint_numbers(ids),
            }),
            Plain::Halted => Reason::Halted(wire::Halted {}),
            Plain::Barrier(complete) => Reason::Barrier(wire::BarrierComplete {
                id: complete.id.0,
                threads: thread_numbers(complete.threads),
            }),
            Plain::Initial => Reason::Initial(wire::Initial {}),
            Plain::Trap => Reason::Trap(wire::ProgramTrap {}),
            Plain::Settled => Reason::Settled(wire::Settled {}),
            Plain::EndOfTrace(where_everybody_is) => Reason::EndOfTrace(where_everybody_is),
            Plain::Diverged(explanation) => Reason::Diverged(explanation),
        };
        wire::StopReason {
            reason: Some(reason),
        }
    }
}

impl TryFrom<wire::StopReason> for plain::StopReason {
    type Error = Damaged;

    fn try_from(reason: wire::StopReason) -> Result<plain::StopReason, Damaged> {
        use plain::StopReason as Plain;
        Ok(match reason.reason.ok_or(Damaged("reason of a stop"))? {
            Reason::Breakpoint(hit) => Plain::Breakpoint(plain::BreakpointHit {
                ids: breakpoint_ids(hit.ids),
                failures: all(hit.failures)?,
            }),
            Reason::Watchpoint(hit) => Plain::Watchpoint(plain::WatchpointHit {
                watches: all(hit.watches)?,
            }),
            Reason::Signal(signal) => Plain::Signal(plain::SignalReceived {
                signal: signal.signal as i32,
                code: signal.code,
                address: signal.address,
                will_pass: signal.will_pass,
                details: signal.details,
            }),
            Reason::StepDone(done) => Plain::Step(plain::StepDone {
                end: enumerated::<wire::StepEnd, _>(done.end, "end of a step")?,
                entered_call: done.entered_call,
                instructions: done.instructions,
            }),
            Reason::Syscall(stop) => Plain::Syscall(plain::SyscallStop {
                ids: breakpoint_ids(stop.ids),
                number: stop.number,
                entry: stop.entry,
            }),
            Reason::Fork(stop) => Plain::Fork(plain::ForkStop {
                ids: breakpoint_ids(stop.ids),
                child: stop.child.map(plain::ProcessId),
                child_pid: stop.child_pid as i32,
                vfork: stop.vfork,
            }),
            Reason::Exec(stop) => Plain::Exec(breakpoint_ids(stop.ids)),
            Reason::Halted(_) => Plain::Halted,
            Reason::Barrier(complete) => Plain::Barrier(plain::BarrierComplete {
                id: plain::BreakpointId(complete.id),
                threads: thread_ids(complete.threads),
            }),
            Reason::Initial(_) => Plain::Initial,
            Reason::Trap(_) => Plain::Trap,
            Reason::Settled(_) => Plain::Settled,
            Reason::EndOfTrace(where_everybody_is) => Plain::EndOfTrace(where_everybody_is),
            Reason::Diverged(explanation) => Plain::Diverged(explanation),
        })
    }
}

impl From<plain::PredicateFailure> for wire::PredicateFailure {
    fn from(failure: plain::PredicateFailure) -> wire::PredicateFailure {
        wire::PredicateFailure {
            id: failure.id.0,
            message: failure.message,
        }
    }
}

impl TryFrom<wire::PredicateFailure> for plain::PredicateFailure {
    type Error = Damaged;

    fn try_from(failure: wire::PredicateFailure) -> Result<plain::PredicateFailure, Damaged> {
        Ok(plain::PredicateFailure {
            id: plain::BreakpointId(failure.id),
            message: failure.message,
        })
    }
}

impl From<plain::WatchReport> for wire::WatchReport {
    fn from(report: plain::WatchReport) -> wire::WatchReport {
        wire::WatchReport {
            id: report.id.0,
            address: report.address,
            old: report.old,
            new: report.new,
        }
    }
}

impl TryFrom<wire::WatchReport> for plain::WatchReport {
    type Error = Damaged;

    fn try_from(report: wire::WatchReport) -> Result<plain::WatchReport, Damaged> {
        Ok(plain::WatchReport {
            id: plain::BreakpointId(report.id),
            address: report.address,
            old: report.old,
            new: report.new,
        })
    }
}
