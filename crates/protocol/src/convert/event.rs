//! Events.

use wayfarer_backend as plain;
use wire::event::Kind;
use wire::process_exited::How;

use super::{Damaged, all, enumerated, enumeration, list, needed, thread_ids, thread_numbers};
use crate as wire;

enumeration!(Origin {
    Launch,
    Attach,
    Fork,
    Vfork,
    Clone,
});

impl From<plain::Event> for wire::Event {
    fn from(event: plain::Event) -> wire::Event {
        wire::Event {
            sequence: event.sequence,
            time_ns: event.time_ns,
            kind: Some(event.kind.into()),
        }
    }
}

impl TryFrom<wire::Event> for plain::Event {
    type Error = Damaged;

    fn try_from(event: wire::Event) -> Result<plain::Event, Damaged> {
        Ok(plain::Event {
            sequence: event.sequence,
            time_ns: event.time_ns,
            kind: needed(event.kind, "kind of event")?,
        })
    }
}

impl From<plain::EventKind> for Kind {
    fn from(kind: plain::EventKind) -> Kind {
        use plain::EventKind as Plain;
        match kind {
            Plain::ProcessCreated { process, origin } => {
                Kind::ProcessCreated(wire::ProcessCreated {
                    process: Some(process.into()),
                    origin: wire::Origin::from(origin).into(),
                })
            }
            Plain::ThreadCreated(thread) => Kind::ThreadCreated(wire::ThreadCreated {
                thread: Some(thread.into()),
            }),
            Plain::Exec { process, held } => Kind::Exec(wire::Exec {
                process: Some(process.into()),
                held,
            }),
            Plain::ThreadExited { process, thread } => Kind::ThreadExited(wire::ThreadExited {
                process: process.0,
                thread: thread.0,
            }),
            Plain::ProcessExited(exited) => Kind::ProcessExited(exited.into()),
            Plain::ProcessDetached { process, reason } => {
                Kind::ProcessDetached(wire::ProcessDetached {
                    process: process.0,
                    reason,
                })
            }
            Plain::Stopped(stopped) => Kind::Stopped(wire::Stopped {
                causes: list(stopped.causes),
                stopped: thread_numbers(stopped.stopped),
                first_to_last_ns: stopped.first_to_last_ns,
            }),
            Plain::LibrariesChanged {
                process,
                thread,
                held,
                modules,
            } => Kind::LibrariesChanged(wire::LibrariesChanged {
                process: process.0,
                thread: thread.0,
                held,
                modules: list(modules),
            }),
            Plain::SignalSeen {
                process,
                thread,
                signal,
            } => Kind::SignalSeen(wire::SignalSeen {
                process: process.0,
                thread: thread.0,
                signal: signal as u32,
            }),
            Plain::BarrierArrived(arrived) => Kind::BarrierArrived(wire::BarrierArrived {
                id: arrived.id.0,
                process: arrived.process.0,
                thread: arrived.thread.0,
                arrived: arrived.arrived,
                expected: arrived.expected,
            }),
            Plain::ReplayEnded(ended) => Kind::ReplayEnded(ended.into()),
            Plain::Resumed(threads) => Kind::Resumed(wire::Resumed {
                threads: thread_numbers(threads),
            }),
        }
    }
}

impl TryFrom<Kind> for plain::EventKind {
    type Error = Damaged;

    fn try_from(kind: Kind) -> Result<plain::EventKind, Damaged> {
        use plain::EventKind as Plain;
        Ok(match kind {
            Kind::ProcessCreated(created) => Plain::ProcessCreated {
                process: needed(created.process, "new process")?,
                origin: enumerated::<wire::Origin, _>(created.origin, "origin of a process")?,
            },
            Kind::ThreadCreated(created) => {
                Plain::ThreadCreated(needed(created.thread, "new thread")?)
            }
            Kind::Exec(exec) => Plain::Exec {
                process: needed(exec.process, "process of an exec")?,
                held: exec.held,
            },
            Kind::ThreadExited(exited) => Plain::ThreadExited {
                process: plain::ProcessId(exited.process),
                thread: plain::ThreadId(exited.thread),
            },
            Kind::ProcessExited(exited) => Plain::ProcessExited(exited.try_into()?),
            Kind::ProcessDetached(detached) => Plain::ProcessDetached {
                process: plain::ProcessId(detached.process),
                reason: detached.reason,
            },
            Kind::Stopped(stopped) => Plain::Stopped(plain::Stopped {
                causes: all(stopped.causes)?,
                stopped: thread_ids(stopped.stopped),
                first_to_last_ns: stopped.first_to_last_ns,
            }),
            Kind::LibrariesChanged(changed) => Plain::LibrariesChanged {
                process: plain::ProcessId(changed.process),
                thread: plain::ThreadId(changed.thread),
                held: changed.held,
                modules: all(changed.modules)?,
            },
            Kind::SignalSeen(seen) => Plain::SignalSeen {
                process: plain::ProcessId(seen.process),
                thread: plain::ThreadId(seen.thread),
                signal: seen.signal as i32,
            },
            Kind::BarrierArrived(arrived) => Plain::BarrierArrived(plain::BarrierArrived {
                id: plain::BreakpointId(arrived.id),
                process: plain::ProcessId(arrived.process),
                thread: plain::ThreadId(arrived.thread),
                arrived: arrived.arrived,
                expected: arrived.expected,
            }),
            Kind::ReplayEnded(ended) => Plain::ReplayEnded(ended.into()),
            Kind::Resumed(resumed) => Plain::Resumed(thread_ids(resumed.threads)),
        })
    }
}

impl From<plain::ProcessExited> for wire::ProcessExited {
    fn from(exited: plain::ProcessExited) -> wire::ProcessExited {
        let (how, core_dumped) = match exited.end {
            plain::ProcessEnd::Exited(status) => (How::Status(status), false),
            plain::ProcessEnd::Killed {
                signal,
                core_dumped,
            } => (How::Signal(signal as u32), core_dumped),
        };
        wire::ProcessExited {
            process: exited.process.0,
            pid: exited.pid as u32,
            core_dumped,
            how: Some(how),
        }
    }
}

impl TryFrom<wire::ProcessExited> for plain::ProcessExited {
    type Error = Damaged;

    fn try_from(exited: wire::ProcessExited) -> Result<plain::ProcessExited, Damaged> {
        Ok(plain::ProcessExited {
            process: plain::ProcessId(exited.process),
            pid: exited.pid as i32,
            end: match exited.how.ok_or(Damaged("end of a process"))? {
                How::Status(status) => plain::ProcessEnd::Exited(status),
                How::Signal(signal) => plain::ProcessEnd::Killed {
                    signal: signal as i32,
                    core_dumped: exited.core_dumped,
                },
            },
        })
    }
}
