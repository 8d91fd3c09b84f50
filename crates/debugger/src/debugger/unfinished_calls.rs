//! Calls of the debugger's own that something stopped in the called function: the thread stays there, and what it did
//! before comes back when the function returns.

use wayfarer_backend::{
    self as backend, BreakpointId, GeneralRegisters, StayedIn, ThreadStop, VectorRegisters,
    WriteRegistersRequest,
};

use super::Debugger;
use crate::breakpoint::Purpose;
use crate::step::StepKind;
use crate::view::StopReason;
use crate::{DebuggerError, Result, ThreadId};

/// A call that has not returned.
pub(crate) struct UnfinishedCall {
    thread: ThreadId,
    /// Where the function returns to, and the stack pointer then.
    return_address: u64,
    stack: u64,
    /// What the thread had before.
    general: GeneralRegisters,
    vector: Option<Box<VectorRegisters>>,
    signal: Option<i32>,
    /// Our breakpoint at the return.
    internal: BreakpointId,
}

/// What a thread had before a call, to be put back behind it.
pub(super) struct Before {
    general: GeneralRegisters,
    vector: Option<Box<VectorRegisters>>,
}

impl Debugger {
    /// How long a function may run that the user calls.
    pub(super) fn call_patience_ms(&self) -> u32 {
        match self.settings.number("direct-call-timeout") {
            Some(seconds) => u32::try_from(seconds.saturating_mul(1000)).unwrap_or(u32::MAX),
            None => u32::MAX,
        }
    }

    /// The registers to keep in case that the call does not return at once.
    pub(super) fn before_call(&mut self, id: ThreadId) -> Result<Before> {
        self.fetch_registers(id)?;
        let thread = self.thread(id)?.1;
        Ok(Before {
            general: thread.general.ok_or(DebuggerError::NoFrame)?,
            vector: thread.vector.clone(),
        })
    }

    /// The thread has been stopped in the function that it was to call: it stays there, and the user is told. Returns
    /// the error that ends the evaluation.
    pub(super) fn stay_in_call(
        &mut self,
        id: ThreadId,
        function: String,
        before: Before,
        stayed: StayedIn,
        stop: ThreadStop,
    ) -> Result<DebuggerError> {
        let internal = self.insert_internal(
            id,
            stayed.return_address,
            stayed.stack.wrapping_sub(1),
            Purpose::CallReturn(id),
        )?;
        self.unfinished.push(UnfinishedCall {
            thread: id,
            return_address: stayed.return_address,
            stack: stayed.stack,
            general: before.general,
            vector: before.vector,
            signal: stayed.signal,
            internal,
        });
        self.show_unfinished(id.process);
        if let Some(thread) = self.thread_mut(id) {
            thread.moved();
            thread.general = stop.registers;
            thread.reason = Some(stop.reason.clone());
        }
        let signaled = matches!(stop.reason, backend::StopReason::Signal(_));
        let told = match stop.reason {
            backend::StopReason::Halted => None,
            reason => self.judge(id, reason)?,
        };
        let before = self.reported.len();
        self.tell(vec![(id, told.unwrap_or(StopReason::Halted))])?;
        // The error that ends the evaluation is what its caller gets of this stop.
        self.reported.truncate(before);
        if signaled && self.settings.is_on("unwindonsignal") {
            self.put_back(self.unfinished.len() - 1)?;
            return Ok(DebuggerError::CallUndone(function));
        }
        Ok(match signaled {
            true => DebuggerError::CallSignaled(function),
            false => DebuggerError::CallStopped(function),
        })
    }

    /// A called function has returned into our breakpoint: a `finish` shows its value, then the thread gets back what
    /// it had before the call.
    pub(super) fn call_returned(&mut self, id: ThreadId) -> Result<Option<StopReason>> {
        let thread = self.thread(id)?.1.key;
        let stack = self
            .thread(id)?
            .1
            .general
            .as_ref()
            .map(|general| general.rsp);
        let Some(index) = self
            .unfinished
            .iter()
            .rposition(|call| call.thread == id && Some(call.stack) == stack)
        else {
            return Ok(None);
        };
        let finishing = self
            .steps
            .get(&thread)
            .filter(|plan| plan.kind == StepKind::Finish)
            .and_then(|plan| plan.finishing.clone());
        let value = match &finishing {
            Some(finishing) => self.returned_value(id, finishing),
            None => None,
        };
        self.drop_plan(id);
        self.put_back(index)?;
        Ok(Some(match finishing {
            Some(finishing) => StopReason::Finished {
                function: finishing.function,
                value,
            },
            None => StopReason::LocationReached,
        }))
    }

    /// A frame was left by force: if that was the called function's, its call is over.
    pub(super) fn leave_call(&mut self, id: ThreadId) -> Result<()> {
        self.fetch_registers(id)?;
        let general = self.thread(id)?.1.general.ok_or(DebuggerError::NoFrame)?;
        let place = (general.rip, general.rsp);
        let here = self
            .unfinished
            .iter()
            .rposition(|call| call.thread == id && (call.return_address, call.stack) == place);
        match here {
            Some(index) => self.put_back(index),
            None => Ok(()),
        }
    }

    /// Gives a thread back what it had before one of its calls; calls made from within that one are over, too.
    fn put_back(&mut self, index: usize) -> Result<()> {
        let call = self.unfinished.remove(index);
        let id = call.thread;
        self.remove_internal(call.internal);
        self.forget_calls(|other| other.thread == id && other.stack < call.stack);
        let before = Before {
            general: call.general,
            vector: call.vector,
        };
        self.give_back(id, before, call.signal)
    }

    /// Undoes a call that was stopped in the called function.
    pub(super) fn undo_call(
        &mut self,
        id: ThreadId,
        before: Before,
        stayed: &StayedIn,
    ) -> Result<()> {
        self.give_back(id, before, stayed.signal)
    }

    fn give_back(&mut self, id: ThreadId, before: Before, signal: Option<i32>) -> Result<()> {
        let request = WriteRegistersRequest {
            thread: self.thread(id)?.1.key.id,
            general: Some(before.general),
            vector: before.vector,
            back: Some(signal),
        };
        let answer = self.backend_of(id.process)?.write_registers(request);
        self.show_unfinished(id.process);
        if let Some(thread) = self.thread_mut(id) {
            thread.moved();
        }
        answer?;
        Ok(())
    }

    /// Drops the calls of a thread that have been left without returning (`longjmp`, an exception, `jump`).
    pub(super) fn drop_left_calls(&mut self, id: ThreadId) {
        if self.unfinished.is_empty() {
            return;
        }
        let general = self.thread(id).ok().and_then(|(_, thread)| thread.general);
        if let Some(stack) = general.map(|general| general.rsp) {
            self.forget_calls(|call| call.thread == id && call.stack < stack);
            self.show_unfinished(id.process);
        }
    }

    /// Drops the calls of a process that is gone or runs another program.
    pub(super) fn drop_calls_of(&mut self, process: u32) {
        self.forget_calls(|call| call.thread.process == process);
        self.show_unfinished(process);
    }

    fn forget_calls(&mut self, gone: impl Fn(&UnfinishedCall) -> bool) {
        let (dropped, kept) = std::mem::take(&mut self.unfinished)
            .into_iter()
            .partition::<Vec<_>, _>(|call| gone(call));
        self.unfinished = kept;
        for call in dropped {
            self.remove_internal(call.internal);
        }
    }

    /// Tells those who walk the stacks of a process where its calls return to.
    fn show_unfinished(&mut self, number: u32) {
        let calls = self
            .unfinished
            .iter()
            .filter(|call| call.thread.process == number)
            .map(|call| {
                let registers = crate::agent::from_backend(&call.general, call.vector.as_deref());
                ((call.return_address, call.stack), registers)
            })
            .collect();
        if let Some(process) = self.processes.get_mut(&number) {
            process.space.set_calls(calls);
        }
    }
}
