//! What expressions do to a process: writing, calling, allocating, and the values they leave behind.

use wayfarer_backend::{
    BreakpointId, CallArgument, CallReturned, FailureKind, InferiorCallReply, InferiorCallRequest,
    StopReason, ThreadStop,
};
use wayfarer_expression::{EvaluationError, History, Shape, TypeRef, Value};
use wayfarer_symbols::registers::Register;

use super::Debugger;
use crate::ThreadId;
use crate::breakpoint::Purpose;
use crate::evaluation::{Scene, Services, plan_call, returned};

type Answer<T> = Result<T, EvaluationError>;

/// The debugger's hands while an expression is evaluated.
pub(super) struct Hands<'a> {
    pub debugger: &'a mut Debugger,
    /// The thread that the request is about.
    pub about: Option<ThreadId>,
    /// The same, if it stands.
    pub thread: Option<ThreadId>,
}

/// The longest text that a print function of the program may return.
pub(super) const LONGEST_TEXT: usize = 64 << 10;

fn sentence(error: crate::DebuggerError) -> EvaluationError {
    EvaluationError::Invalid(error.to_string())
}

impl Hands<'_> {
    fn thread(&self) -> Answer<ThreadId> {
        self.thread.ok_or_else(|| {
            EvaluationError::invalid("You can't do that without a process to debug.")
        })
    }

    /// A function of the program or its libraries by the name of its symbol.
    pub(super) fn function_named(&self, name: &str) -> Option<u64> {
        let process = self.debugger.process(self.thread?.process).ok()?;
        process.space.modules.iter().find_map(|mapped| {
            let module = &mapped.loaded.module;
            let symbol = module.symbols_named(name).into_iter().find(|symbol| {
                symbol.kind == wayfarer_symbols::SymbolKind::Function && symbol.address.0 != 0
            })?;
            Some(symbol.address.in_process(mapped.loaded.bias))
        })
    }

    /// An exception that nobody catches ends in `std::terminate`, and so would the program, for a call that it never
    /// made: our breakpoint there, if the program has such a function.
    fn guard_against_terminate(&mut self, id: ThreadId) -> Option<BreakpointId> {
        if !self
            .debugger
            .settings
            .is_on("unwind-on-terminating-exception")
        {
            return None;
        }
        let address = self.function_named("_ZSt9terminatev")?;
        self.debugger
            .insert_internal(id, address, 0, Purpose::Terminate)
            .ok()
    }

    /// The request for a call of the function at an address, without arguments.
    pub(super) fn call_of(&self, function: u64) -> Answer<InferiorCallRequest> {
        let (_, thread) = self.debugger.thread(self.thread()?).map_err(sentence)?;
        Ok(InferiorCallRequest::new(thread.key.id, function))
    }

    /// Calls a function in our thread.
    pub(super) fn run(&mut self, request: InferiorCallRequest) -> Answer<CallReturned> {
        let id = self.thread()?;
        self.debugger.may_change_the_run().map_err(sentence)?;
        let before = match request.stay {
            true => Some(self.debugger.before_call(id).map_err(sentence)?),
            false => None,
        };
        let space = self
            .debugger
            .process(id.process)
            .map_err(sentence)?
            .space
            .clone();
        let name = space
            .symbolic(request.function)
            .unwrap_or_else(|| format!("{:#x}", request.function));
        let guard = self.guard_against_terminate(id);
        let backend = self.debugger.backend_of(id.process).map_err(sentence)?;
        let reply = backend.inferior_call(request);
        if let Some(guard) = guard {
            self.debugger.remove_internal(guard);
        }
        space.memory.forget();
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) if failure.kind == FailureKind::Gone => {
                self.debugger.death_expected = true;
                return Err(sentence(crate::DebuggerError::CallEnded(name)));
            }
            Err(failure) if failure.kind == FailureKind::TimedOut => {
                return Err(sentence(crate::DebuggerError::CallTimedOut(name)));
            }
            Err(failure) if failure.kind == FailureKind::Lost => {
                return Err(sentence(failure.into()));
            }
            Err(failure) => {
                let why = format!("stopped ({})", failure.message);
                return Err(sentence(crate::DebuggerError::CallInterrupted(name, why)));
            }
        };
        let stopped = match reply {
            InferiorCallReply::Returned(returned) => return Ok(returned),
            InferiorCallReply::Stopped(stopped) => stopped,
        };
        let kept = before.zip(stopped.stayed);
        if guard.is_some_and(|guard| is_only_at(&stopped.stop, guard)) {
            if let Some((before, stayed)) = kept {
                self.debugger
                    .undo_call(id, before, &stayed)
                    .map_err(sentence)?;
            }
            return Err(sentence(crate::DebuggerError::CallThrew(name)));
        }
        if let Some((before, stayed)) = kept {
            let stop = stopped.stop;
            let outcome = self.debugger.stay_in_call(id, name, before, stayed, stop);
            return Err(outcome.map_or_else(sentence, sentence));
        }
        let why = interruption(&stopped.stop);
        Err(sentence(crate::DebuggerError::CallInterrupted(name, why)))
    }
}

impl Services for Hands<'_> {
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Answer<()> {
        let id = self.thread()?;
        self.debugger.may_change_the_run().map_err(sentence)?;
        let process = self.debugger.process(id.process).map_err(sentence)?;
        process
            .space
            .memory
            .write(address, bytes)
            .map_err(|_| EvaluationError::Memory(address))?;
        // Another thread's frames may depend on what was written.
        self.debugger.forget_backtraces(id.process);
        Ok(())
    }

    fn write_register(&mut self, register: Register, offset: u64, bytes: &[u8]) -> Answer<()> {
        let id = self.thread()?;
        self.debugger.may_change_the_run().map_err(sentence)?;
        self.debugger
            .write_register(id, register, offset, bytes)
            .map_err(sentence)
    }

    fn convenience(&mut self, name: &str) -> Option<Value> {
        let int = |number: i32| {
            let int = TypeRef::base(
                "int",
                wayfarer_symbols::types::Encoding::Signed,
                4,
                wayfarer_expression::Language::C,
            );
            Value::computed(int, number.to_le_bytes().to_vec())
        };
        match (name, self.about) {
            ("_inferior", Some(about)) => Some(int(about.process as i32)),
            ("_thread", Some(about)) => Some(int(about.thread as i32)),
            ("_siginfo", Some(about)) => self.debugger.signal_information(about),
            ("bpnum", _) => Some(int(self.debugger.next_breakpoint as i32 - 1)),
            _ => self.debugger.memories.convenience(name),
        }
    }

    fn set_convenience(&mut self, name: &str, value: &Value) -> Answer<()> {
        self.debugger.memories.set_convenience(name, value.clone());
        Ok(())
    }

    fn history(&mut self, entry: History) -> Option<Value> {
        self.debugger.memories.entry(entry)
    }

    fn call(&mut self, function: &Value, arguments: &[Value]) -> Answer<Value> {
        let id = self.thread()?;
        self.debugger.may_change_the_run().map_err(sentence)?;
        let (backtrace, index) = self.debugger.visible(id, 0).map_err(sentence)?;
        let space = self
            .debugger
            .process(id.process)
            .map_err(sentence)?
            .space
            .clone();
        let mut scene = Scene {
            space: &space,
            backtrace: Some(&backtrace),
            frame: index,
            services: None,
        };
        let wrong = || EvaluationError::invalid("this is not a function.");
        let (target, result, parameters, fixed) = match function.type_ref.shape() {
            Shape::Function {
                result,
                parameters,
                is_variadic,
                is_prototyped,
            } => (
                function.address().ok_or_else(wrong)?,
                result,
                parameters,
                is_prototyped && !is_variadic,
            ),
            Shape::Pointer { target, .. } => match target.shape() {
                Shape::Function {
                    result,
                    parameters,
                    is_variadic,
                    is_prototyped,
                } => {
                    let address = super::values::number(function, &mut scene).ok_or_else(wrong)?;
                    (address, result, parameters, is_prototyped && !is_variadic)
                }
                _ => return Err(wrong()),
            },
            _ => return Err(wrong()),
        };
        if fixed && arguments.len() < parameters.len() {
            return Err(EvaluationError::invalid(
                "Too few arguments in function call.",
            ));
        }
        let plan = plan_call(&parameters, &result, arguments, &mut scene)?;
        let in_block = plan.result_in_block;
        let reply = self.run(InferiorCallRequest {
            arguments: plan.numbers,
            vector_arguments: plan.vectors,
            blocks: plan.blocks,
            stay: self.debugger.stays_in_calls,
            timeout_ms: Some(self.debugger.call_patience_ms()),
            ..self.call_of(target)?
        })?;
        if in_block {
            let block = reply.blocks.into_iter().next();
            let bytes = block.map(|block| block.bytes).unwrap_or_default();
            return Ok(Value::computed(result, bytes));
        }
        if matches!(result.shape(), Shape::Void) {
            return Ok(Value::computed(result, Vec::new()));
        }
        returned(&result, &reply.general, reply.vector.as_deref())
            .ok_or_else(|| EvaluationError::invalid("the result of this function can't be read."))
    }

    fn allocate(&mut self, bytes: &[u8]) -> Answer<u64> {
        let malloc = self.function_named("malloc").ok_or_else(|| {
            EvaluationError::invalid(
                "evaluation of this expression requires the program to have a function \"malloc\".",
            )
        })?;
        let reply = self.run(InferiorCallRequest {
            arguments: vec![CallArgument::Number(bytes.len() as u64)],
            ..self.call_of(malloc)?
        })?;
        match reply.general.rax {
            0 => Err(EvaluationError::invalid("the program has no memory left.")),
            address => {
                self.write_memory(address, bytes)?;
                Ok(address)
            }
        }
    }

    fn custom_print(&mut self, type_name: &str, address: u64) -> Option<String> {
        let Some(name) = self.debugger.memories.printers.function(type_name) else {
            let own = self.debugger.settings.is_on("print debug");
            return own.then(|| self.rust_debug(type_name, address)).flatten();
        };
        let name = name.to_owned();
        let id = self.thread?;
        let space = self.debugger.process(id.process).ok()?.space.clone();
        let function = space.modules.iter().find_map(|mapped| {
            let module = &mapped.loaded.module;
            let described = module
                .find_functions(&name)
                .ok()
                .and_then(|found| found.first()?.entry);
            let entry = described.or_else(|| {
                module
                    .symbols_named(&name)
                    .first()
                    .map(|symbol| symbol.address)
            })?;
            Some(entry.in_process(mapped.loaded.bias))
        })?;
        let reply = self.call_of(function).and_then(|request| {
            self.run(InferiorCallRequest {
                arguments: vec![CallArgument::Number(address)],
                ..request
            })
        });
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let words = format!("warning: {name} was not usable: {error}");
                self.debugger.say(words);
                return None;
            }
        };
        let text = space.memory.read_text(reply.general.rax, LONGEST_TEXT);
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Whether a call was stopped by that breakpoint of ours, and by none of the user's.
fn is_only_at(stop: &ThreadStop, internal: BreakpointId) -> bool {
    matches!(&stop.reason, StopReason::Breakpoint(hit) if hit.ids == [internal])
}

/// What interrupted a call, as a part of a sentence.
fn interruption(stop: &ThreadStop) -> String {
    match &stop.reason {
        StopReason::Signal(signal) => format!(
            "was signaled ({}, {})",
            crate::signals::name(signal.signal),
            crate::signals::meaning(signal.signal)
        ),
        StopReason::Breakpoint(hit) => {
            let number = hit.ids.first().map_or(0, |id| id.0);
            format!("stopped at breakpoint {number}")
        }
        StopReason::Watchpoint(hit) => {
            let number = hit.watches.first().map_or(0, |watch| watch.id.0);
            format!("stopped at watchpoint {number}")
        }
        _ => format!(
            "stopped (the function called in thread {} was stopped at {:#x} before it returned)",
            stop.thread,
            stop.registers.map_or(0, |registers| registers.rip)
        ),
    }
}
