//! Calling a function in a stopped thread, and putting everything back.

use super::Tracer;
use super::process::Owner;
use super::thread::{Activity, Call, Goal, Wanted};
use crate::command::Reply;
use crate::{convert, failure};
use wayfarer_backend::{
    Answer, Block, CallArgument, CallReturned, CallStopped, Failure, FailureKind,
    InferiorCallReply, InferiorCallRequest, StayedIn, StopReason, ThreadId, ThreadStop,
};
use wayfarer_ptrace::Registers;
use wayfarer_ptrace::process_files;
use wayfarer_ptrace::wait::monotonic_ns;

const RED_ZONE: u64 = 128;
const DEFAULT_TIMEOUT_MS: u64 = 10_000;
/// Blocks larger than this do not belong on a stack.
const MOST_BYTES: usize = 1 << 20;
/// The program's own entry point: code that is there, is executable and is not run any more.
const AT_ENTRY: u64 = 9;
/// Flags that a function expects to be clear: direction and trap.
const UNEXPECTED_FLAGS: u64 = 1 << 10 | 1 << 8;

impl Tracer {
    pub(super) fn inferior_call(
        &mut self,
        request: &InferiorCallRequest,
        reply: Reply<Answer<InferiorCallReply>>,
    ) {
        if let Err((failure, reply)) = self.begin_call(request, reply) {
            let _ = reply.send(Err(failure));
        }
    }

    #[allow(clippy::type_complexity)]
    fn begin_call(
        &mut self,
        request: &InferiorCallRequest,
        reply: Reply<Answer<InferiorCallReply>>,
    ) -> Result<(), (Failure, Reply<Answer<InferiorCallReply>>)> {
        let id = request.thread;
        let waiting_place = self.place_to_wait(id);
        let frame = match self.lay_out(id, request, waiting_place) {
            Ok(frame) => frame,
            Err(failure) => {
                self.release_waiting_place(id, waiting_place);
                return Err((failure, reply));
            }
        };
        self.lend(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return Err((failure::no_thread(id), reply));
        };
        let Some(registers) = thread.registers() else {
            return Err((failure::no_thread(id), reply));
        };
        let vector = thread
            .handle()
            .and_then(|handle| handle.vector_state().ok());
        let timeout_ms = request.timeout_ms.map_or(DEFAULT_TIMEOUT_MS, u64::from);
        if let (Some(state), Some(handle)) = (&vector, thread.handle())
            && !request.vector_arguments.is_empty()
        {
            let mut state = state.clone();
            let mut ymm = state.ymm();
            for (number, argument) in request.vector_arguments.iter().take(8).enumerate() {
                let length = argument.len().min(16);
                ymm[number][..length].copy_from_slice(&argument[..length]);
            }
            state.set_ymm(&ymm);
            let _ = handle.set_vector_state(&state);
        }
        let call = Call {
            registers,
            vector,
            goal: Goal {
                addresses: vec![frame.return_address],
                stack_above: Some(frame.registers.0.rsp),
                after_signal: false,
            },
            blocks: frame.blocks,
            signal: thread.signal.take(),
            deadline_ns: monotonic_ns() + timeout_ms * 1_000_000,
            skip_at: thread.skip_at.take(),
            reason: thread.reason.clone(),
            stay: request.stay,
            reply,
            waiting_place,
        };
        thread.activity = Activity::Call(Box::new(call));
        thread.set_registers(frame.registers);
        thread.wanted = Wanted::Running;
        if self.place_goal(id).is_err() {
            self.end_call(id, |_| {
                Err(Failure::new(
                    FailureKind::BadAddress,
                    "the program's entry point cannot be used as a place to return to",
                ))
            });
            return Ok(());
        }
        self.go_on(id);
        Ok(())
    }

    /// Writes blocks, stack arguments and return address; the registers to begin with.
    fn lay_out(
        &mut self,
        id: ThreadId,
        request: &InferiorCallRequest,
        waiting_place: Option<u64>,
    ) -> Result<Frame, Failure> {
        let invalid = |message: &str| Failure::new(FailureKind::Invalid, message);
        let thread = self
            .threads
            .get_mut(&id)
            .ok_or_else(|| failure::no_thread(id))?;
        if !thread.is_stopped() || thread.wanted == Wanted::Running {
            return Err(failure::running(id));
        }
        let mut registers = thread.registers().ok_or_else(|| failure::no_thread(id))?;
        let process = self
            .processes
            .get(&thread.process)
            .ok_or_else(|| failure::no_thread(id))?;
        let space = self
            .spaces
            .get(&process.space)
            .ok_or_else(|| failure::no_thread(id))?;
        let entry = || {
            process_files::auxiliary(process.pid)
                .into_iter()
                .find_map(|(key, value)| (key == AT_ENTRY).then_some(value))
        };
        let entry = waiting_place
            .or_else(entry)
            .ok_or_else(|| invalid("the program has no entry point to return to"))?;
        if request.blocks.iter().map(Vec::len).sum::<usize>() > MOST_BYTES {
            return Err(invalid(
                "the arguments of the call are too large for the stack",
            ));
        }
        let mut stack = registers.0.rsp.wrapping_sub(RED_ZONE) & !15;
        let mut blocks = Vec::new();
        for block in &request.blocks {
            stack = stack.wrapping_sub(block.len() as u64) & !15;
            space
                .memory
                .write(stack, block)
                .map_err(|error| failure::of(&error))?;
            blocks.push((stack, block.len()));
        }
        let mut values = Vec::new();
        for argument in &request.arguments {
            values.push(match *argument {
                CallArgument::Number(number) => number,
                CallArgument::Block(index) => {
                    blocks
                        .get(index as usize)
                        .ok_or_else(|| invalid("an argument names a block that is not there"))?
                        .0
                }
            });
        }
        let in_memory = values.split_off(values.len().min(6));
        // The stack is aligned to 16 at the call, the return address comes below.
        stack = stack.wrapping_sub(in_memory.len() as u64 * 8) & !15;
        let mut bytes = entry.to_le_bytes().to_vec();
        bytes.extend(in_memory.iter().flat_map(|value| value.to_le_bytes()));
        stack = stack.wrapping_sub(8);
        space
            .memory
            .write(stack, &bytes)
            .map_err(|error| failure::of(&error))?;
        let r = &mut registers.0;
        let targets = [
            &mut r.rdi, &mut r.rsi, &mut r.rdx, &mut r.rcx, &mut r.r8, &mut r.r9,
        ];
        for (register, value) in targets.into_iter().zip(&values) {
            *register = *value;
        }
        r.rax = request.vector_arguments.len() as u64;
        r.rip = request.function;
        r.rsp = stack;
        r.eflags &= !UNEXPECTED_FLAGS;
        // The kernel must not restart the system call that the thread may be in; putting the registers back will.
        r.orig_rax = u64::MAX;
        Ok(Frame {
            registers,
            return_address: entry,
            blocks,
        })
    }

    /// The function has returned.
    pub(super) fn call_returned(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let general = thread.registers();
        let vector = thread
            .handle()
            .and_then(|handle| handle.vector_state().ok());
        self.end_call(id, |blocks| {
            let general = general.ok_or_else(|| failure::no_thread(id))?;
            Ok(InferiorCallReply::Returned(CallReturned {
                general: convert::general_of(&general),
                vector: vector.as_ref().map(convert::vector_of).map(Box::new),
                blocks,
            }))
        });
    }

    /// Something else stopped the thread in the middle of the call.
    pub(super) fn call_interrupted(&mut self, id: ThreadId, why: StopReason) {
        let Some(stop) = self.describe_stop(id, why) else {
            return;
        };
        let stays = self
            .threads
            .get(&id)
            .is_some_and(|thread| matches!(&thread.activity, Activity::Call(call) if call.stay));
        if stays {
            self.stay_in_call(id, stop);
        } else {
            self.end_call(id, |_| {
                Ok(InferiorCallReply::Stopped(CallStopped {
                    stop,
                    stayed: None,
                }))
            });
        }
    }

    /// Leaves the thread where it is in the called function; the debugger puts things back when that returns.
    fn stay_in_call(&mut self, id: ThreadId, stop: ThreadStop) {
        self.cancel_displaced(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Activity::Call(call) = std::mem::replace(&mut thread.activity, Activity::Continue)
        else {
            return;
        };
        thread.wanted = Wanted::Stopped;
        thread.reason = Some(stop.reason.clone());
        let reply = InferiorCallReply::Stopped(CallStopped {
            stop,
            stayed: Some(StayedIn {
                return_address: call.goal.addresses.first().copied().unwrap_or(0),
                stack: call.goal.stack_above.unwrap_or(0).wrapping_add(8),
                signal: call.signal,
            }),
        });
        self.release_return(id, &call.goal.addresses);
        // From now on only the debugger knows what the thread was.
        self.give_back(id);
        let _ = call.reply.send(Ok(reply));
    }

    /// Gives the place back to which the called function returns.
    fn release_return(&mut self, id: ThreadId, addresses: &[u64]) {
        if let Some(space) = self.space_of(id) {
            for address in addresses {
                self.release_address(space, *address, Owner::Goal(id));
            }
        }
    }

    /// Puts the thread back as it was and answers with what is made of the blocks.
    fn end_call(
        &mut self,
        id: ThreadId,
        answer: impl FnOnce(Vec<Block>) -> Answer<InferiorCallReply>,
    ) {
        self.cancel_displaced(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Activity::Call(call) = std::mem::replace(&mut thread.activity, Activity::Continue)
        else {
            return;
        };
        let call = *call;
        thread.wanted = Wanted::Stopped;
        thread.set_registers(call.registers);
        if let Some(handle) = thread.handle() {
            // At once: the kernel's view is what later stops begin with.
            let _ = handle.set_registers(&call.registers);
            if let Some(vector) = &call.vector {
                let _ = handle.set_vector_state(vector);
            }
        }
        thread.signal = call.signal;
        thread.skip_at = call.skip_at;
        thread.reason = call.reason;
        thread.pending = None;
        let mut blocks = Vec::new();
        self.give_back(id);
        self.release_return(id, &call.goal.addresses);
        self.release_waiting_place(id, call.waiting_place);
        if let Some(space) = self.space_of(id).and_then(|space| self.spaces.get(&space)) {
            for (address, length) in call.blocks {
                let mut bytes = vec![0; length];
                let done = space.read(address, &mut bytes);
                bytes.truncate(done);
                blocks.push(Block { address, bytes });
            }
        }
        let _ = call.reply.send(answer(blocks));
    }

    /// The thread ended in the middle of the call.
    pub(super) fn call_died(&mut self, call: Call) {
        let _ = call.reply.send(Err(Failure::new(
            FailureKind::Gone,
            "the thread ended in the middle of the call",
        )));
    }

    /// Stops calls that take too long; their stop ends them.
    pub(super) fn expire_calls(&mut self, now: u64) {
        let late: Vec<ThreadId> = self
            .threads
            .values()
            .filter(
                |thread| matches!(&thread.activity, Activity::Call(call) if call.deadline_ns < now),
            )
            .map(|thread| thread.id)
            .collect();
        for id in late {
            let Some(thread) = self.threads.get(&id) else {
                continue;
            };
            if thread.is_stopped() {
                self.call_timed_out(id);
            } else {
                thread.interrupt();
            }
        }
    }

    /// Whether the thread's call has used up its time; then it is over.
    pub(super) fn call_timed_out(&mut self, id: ThreadId) -> bool {
        let now = monotonic_ns();
        let late = self.threads.get(&id).is_some_and(
            |thread| matches!(&thread.activity, Activity::Call(call) if call.deadline_ns < now),
        );
        if late {
            let message = format!(
                "the function called in thread {id} did not return in time; the thread is where it was before"
            );
            self.end_call(id, |_| Err(Failure::new(FailureKind::TimedOut, message)));
        }
        late
    }

    /// A stop elsewhere took the thread along in the middle of its call: the call is over.
    pub(super) fn call_overtaken(&mut self, id: ThreadId) -> bool {
        let overtaken = self.threads.get(&id).is_some_and(|thread| {
            matches!(thread.activity, Activity::Call(_))
                && thread.wanted == Wanted::Stopped
                && thread.is_stopped()
        });
        if overtaken {
            self.call_interrupted(id, StopReason::Halted);
        }
        overtaken
    }
}

/// Where a call begins.
struct Frame {
    registers: Registers,
    return_address: u64,
    blocks: Vec<(u64, usize)>,
}
