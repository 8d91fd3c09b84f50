//! What expressions do to a process: writing, calling, allocating, and the values they leave behind.

use wayfarer_backend::FailureKind;
use wayfarer_expression::{EvaluationError, History, Shape, TypeRef, Value};
use wayfarer_protocol as wire;
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
    fn guard_against_terminate(&mut self, id: ThreadId) -> Option<u64> {
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

    /// Calls a function at an address.
    pub(super) fn run(
        &mut self,
        function: u64,
        request: wire::InferiorCallRequest,
    ) -> Answer<wire::InferiorCallReply> {
        let id = self.thread()?;
        let before = match request.stay {
            true => Some(self.debugger.before_call(id).map_err(sentence)?),
            false => None,
        };
        let (process, thread) = self.debugger.thread(id).map_err(sentence)?;
        let memory = process.space.memory.clone();
        let name = process
            .space
            .symbolic(function)
            .unwrap_or_else(|| format!("{function:#x}"));
        let request = wire::InferiorCallRequest {
            thread: thread.id,
            function,
            ..request
        };
        let guard = self.guard_against_terminate(id);
        let link = self.debugger.link().map_err(sentence)?;
        let reply = link.inferior_call(request);
        if let Some(guard) = guard {
            self.debugger.remove_internal(guard);
        }
        memory.forget();
        let mut reply = match reply {
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
        if guard.is_some_and(|guard| stopped_only_at(&reply, guard)) {
            if let (Some(before), Some(stayed)) = (before, reply.stayed) {
                self.debugger
                    .undo_call(id, before, &stayed)
                    .map_err(sentence)?;
            }
            return Err(sentence(crate::DebuggerError::CallThrew(name)));
        }
        if let (Some(before), Some(stayed)) = (before, reply.stayed.take()) {
            let stop = reply.interruption.take().unwrap_or_default();
            let outcome = self.debugger.stay_in_call(id, name, before, stayed, stop);
            return Err(outcome.map_or_else(sentence, sentence));
        }
        let Some(stop) = &reply.interruption else {
            return Ok(reply);
        };
        let reason = stop.reason.as_ref();
        let why = match reason.and_then(|reason| reason.reason.as_ref()) {
            Some(wire::stop_reason::Reason::Signal(signal)) => {
                let number = signal.signal as i32;
                format!(
                    "was signaled ({}, {})",
                    crate::signals::name(number),
                    crate::signals::meaning(number)
                )
            }
            Some(wire::stop_reason::Reason::Breakpoint(hit)) => {
                let number = hit.ids.first().copied().unwrap_or(0);
                format!("stopped at breakpoint {number}")
            }
            Some(wire::stop_reason::Reason::Watchpoint(hit)) => {
                let number = hit.watches.first().map_or(0, |watch| watch.id);
                format!("stopped at watchpoint {number}")
            }
            _ => format!(
                "stopped (the function called in thread {} was stopped at {:#x} before it returned)",
                stop.thread,
                stop.registers.map_or(0, |registers| registers.rip)
            ),
        };
        Err(sentence(crate::DebuggerError::CallInterrupted(name, why)))
    }
}

impl Services for Hands<'_> {
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Answer<()> {
        let id = self.thread()?;
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
        let reply = self.run(
            target,
            wire::InferiorCallRequest {
                arguments: plan.numbers,
                vector_arguments: plan.vectors,
                blocks: plan.blocks,
                stay: self.debugger.stays_in_calls,
                timeout_ms: Some(self.debugger.call_patience_ms()),
                ..Default::default()
            },
        )?;
        if in_block {
            let bytes = reply.blocks.into_iter().next().unwrap_or_default();
            return Ok(Value::computed(result, bytes));
        }
        if matches!(result.shape(), Shape::Void) {
            return Ok(Value::computed(result, Vec::new()));
        }
        let general = reply.general.unwrap_or_default();
        returned(&result, &general, reply.vector.as_ref())
            .ok_or_else(|| EvaluationError::invalid("the result of this function can't be read."))
    }

    fn allocate(&mut self, bytes: &[u8]) -> Answer<u64> {
        let malloc = self.function_named("malloc").ok_or_else(|| {
            EvaluationError::invalid(
                "evaluation of this expression requires the program to have a function \"malloc\".",
            )
        })?;
        let size = wire::CallArgument {
            value: Some(wire::call_argument::Value::Number(bytes.len() as u64)),
        };
        let reply = self.run(
            malloc,
            wire::InferiorCallRequest {
                arguments: vec![size],
                ..Default::default()
            },
        )?;
        match reply.general.map(|general| general.rax) {
            Some(address) if address != 0 => {
                self.write_memory(address, bytes)?;
                Ok(address)
            }
            _ => Err(EvaluationError::invalid("the program has no memory left.")),
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
        let object = wire::CallArgument {
            value: Some(wire::call_argument::Value::Number(address)),
        };
        let reply = self.run(
            function,
            wire::InferiorCallRequest {
                arguments: vec![object],
                ..Default::default()
            },
        );
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let words = format!("warning: {name} was not usable: {error}");
                self.debugger.say(words);
                return None;
            }
        };
        let text = space.memory.read_text(reply.general?.rax, LONGEST_TEXT);
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Whether a call was stopped by that breakpoint of ours, and by none of the user's.
fn stopped_only_at(reply: &wire::InferiorCallReply, internal: u64) -> bool {
    let stop = reply.interruption.as_ref();
    match stop.and_then(|stop| stop.reason.as_ref()?.reason.as_ref()) {
        Some(wire::stop_reason::Reason::Breakpoint(hit)) => hit.ids == [internal],
        _ => false,
    }
}
