//! What a function returned, and leaving a frame by force.

use wayfarer_backend::{GeneralRegisters, VectorRegisters, WriteRegistersRequest};
use wayfarer_expression::{Shape, TypeRef, print};
use wayfarer_symbols::registers::Register;

use super::{At, Debugger};
use crate::evaluation::returned;
use crate::step::Finishing;
use crate::view::ValueView;
use crate::{DebuggerError, Result, StackFrame, ThreadId};

impl Debugger {
    /// The value a finished function returned, put into the history; none for `void` and the unknown.
    pub(super) fn returned_value(
        &mut self,
        id: ThreadId,
        finishing: &Finishing,
    ) -> Option<ValueView> {
        let module = finishing.module.as_ref()?;
        if !finishing.described || finishing.return_type.is_none() {
            return None;
        }
        let type_ref = TypeRef::known(module, finishing.return_type);
        if matches!(type_ref.shape(), Shape::Void) {
            return None;
        }
        self.fetch_registers(id).ok()?;
        let thread = self.thread(id).ok()?.1;
        let value = returned(
            &type_ref,
            thread.general.as_ref()?,
            thread.vector.as_deref(),
        )?;
        let format = self.print_style().format;
        let mut there = self.at_thread(id);
        let text = there.with_scene(|scene| print(&value, &format, scene));
        let view = ValueView {
            history: None,
            type_name: type_ref.name(),
            text: text.ok()?,
            handle: Some(self.handle(&value, &format, Some(StackFrame::innermost(id)))),
        };
        Some(self.memories.keep(value, view))
    }
}

impl At<'_> {
    /// Leaves the frame at once: its caller goes on as if it had returned.
    pub(super) fn pop_frame(&mut self, value: Option<&str>) -> Result<()> {
        let (id, _, index) = self.walked()?;
        let backtrace = self.debugger.backtrace_of(id, index + 2)?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        if frame.kind == wayfarer_symbols::frames::FrameKind::Inlined {
            return Err(DebuggerError::Usage(
                "Can not force return from an inlined function.".to_owned(),
            ));
        }
        let caller = backtrace
            .stack
            .activations
            .get(frame.activation + 1)
            .ok_or(DebuggerError::FinishOutermost)?;
        let result = match value {
            Some(text) => {
                let value = self.value(text)?;
                let number = self.with_scene(|scene| super::values::number(&value, scene));
                Some(number.ok_or_else(|| {
                    DebuggerError::Usage("Only integers and pointers can be returned.".to_owned())
                })?)
            }
            None => None,
        };
        let before = self
            .debugger
            .thread(id)?
            .1
            .general
            .ok_or(DebuggerError::NoFrame)?;
        let mut registers = caller.registers.clone();
        for volatile in [
            Register::RAX,
            Register::RDX,
            Register::RCX,
            Register::RSI,
            Register::RDI,
        ] {
            registers.forget(volatile);
        }
        if let Some(result) = result {
            registers.set(Register::RAX, result);
        }
        let general = crate::agent::to_backend(&registers, &before);
        self.debugger.write_general(id, general)?;
        if let Some(thread) = self.debugger.thread_mut(id) {
            thread.moved();
        }
        Ok(())
    }
}

impl Debugger {
    /// Makes a thread go on elsewhere.
    pub(super) fn write_pc(&mut self, id: ThreadId, address: u64) -> Result<()> {
        self.fetch_registers(id)?;
        let mut general = self.thread(id)?.1.general.ok_or(DebuggerError::NoFrame)?;
        general.rip = address;
        // A system call that was interrupted must not be begun again at the new place.
        general.orig_rax = u64::MAX;
        self.write_general(id, general)
    }

    /// Writes a part of a register of the innermost frame.
    pub(super) fn write_register(
        &mut self,
        id: ThreadId,
        register: Register,
        offset: u64,
        bytes: &[u8],
    ) -> Result<()> {
        self.fetch_registers(id)?;
        let thread = self.thread(id)?.1;
        let (general, vector) = (
            thread.general.ok_or(DebuggerError::NoFrame)?,
            thread.vector.clone(),
        );
        let offset = offset as usize;
        if (17..=32).contains(&register.0) {
            let mut vector = vector.unwrap_or_default();
            let whole = vector.ymm.get_mut(usize::from(register.0 - 17));
            let place = whole.and_then(|whole| whole.get_mut(offset..offset + bytes.len()));
            place
                .ok_or_else(|| DebuggerError::Usage(format!("${register} can't be written so.")))?
                .copy_from_slice(bytes);
            return self.write_both(id, general, Some(vector));
        }
        let mut registers = crate::agent::from_backend(&general, None);
        let mut word = registers.get(register).unwrap_or(0).to_le_bytes();
        let place = word.get_mut(offset..offset + bytes.len());
        place
            .ok_or_else(|| DebuggerError::Usage(format!("${register} can't be written so.")))?
            .copy_from_slice(bytes);
        registers.set(register, u64::from_le_bytes(word));
        self.write_general(id, crate::agent::to_backend(&registers, &general))
    }

    fn write_general(&mut self, id: ThreadId, general: GeneralRegisters) -> Result<()> {
        self.write_both(id, general, None)
    }

    fn write_both(
        &mut self,
        id: ThreadId,
        general: GeneralRegisters,
        vector: Option<Box<VectorRegisters>>,
    ) -> Result<()> {
        let thread = self.thread(id)?.1.key.id;
        let request = WriteRegistersRequest {
            thread,
            general: Some(general),
            vector,
            back: None,
        };
        let answer = self.backend_of(id.process)?.write_registers(request);
        if let Some(thread) = self.thread_mut(id) {
            thread.forget();
            thread.skipped_inlines = 0;
        }
        answer?;
        Ok(())
    }

    /// Forgets the stacks of a process: its memory has been changed.
    pub(super) fn forget_backtraces(&mut self, process: u32) {
        if let Some(process) = self.processes.get_mut(&process) {
            process
                .threads
                .values_mut()
                .for_each(|thread| thread.backtrace = None);
        }
    }
}
