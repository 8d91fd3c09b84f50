//! The list of all requests, and the traits that are made from it.

use crate::*;

/// Hands the list of all requests to a macro: what everybody does, what only those do that can take processes in, and
/// what only those do that can replay.
///
/// A row is: name of the method, name of the call, type of the request, type of the reply. The traits of this crate,
/// the gRPC client and service, and the agent's commands are made from these rows; the messages of the protocol have
/// the names of the types.
#[macro_export]
macro_rules! for_each_call {
    ($made:ident) => {
        $made! {
            always {
                /// Changes what is set for the whole session.
                configure, Configure(ConfigureRequest) -> Acknowledgement;
                /// Lets processes go as if we had never been there.
                detach, Detach(DetachRequest) -> TargetResults;
                /// Ends processes.
                kill, Kill(KillRequest) -> TargetResults;
                /// Stops the targets; answered when all of them have stopped.
                halt, Halt(HaltRequest) -> HaltReply;
                /// Sets threads running; answered when they run.
                resume, Resume(ResumeRequest) -> TargetResults;
                /// Lets go on what was held at an exec or at a change of libraries.
                release, Release(ReleaseRequest) -> TargetResults;
                /// Holds threads, so that they stay stopped whatever is resumed, or holds them no longer.
                set_held, SetHeld(SetHeldRequest) -> TargetResults;
                /// Puts a breakpoint into processes.
                insert_breakpoint, InsertBreakpoint(InsertBreakpointRequest) -> InsertBreakpointReply;
                /// Takes one out.
                remove_breakpoint, RemoveBreakpoint(RemoveBreakpointRequest) -> Acknowledgement;
                /// Tells how often breakpoints and watchpoints were hit.
                get_hits, GetHits(GetHitsRequest) -> GetHitsReply;
                /// Watches memory.
                insert_watchpoint, InsertWatchpoint(InsertWatchpointRequest) -> TargetResults;
                /// Watches it no longer.
                remove_watchpoint, RemoveWatchpoint(RemoveWatchpointRequest) -> Acknowledgement;
                /// Stops at an event of the kernel.
                insert_catchpoint, InsertCatchpoint(InsertCatchpointRequest) -> Acknowledgement;
                /// Stops at it no longer.
                remove_catchpoint, RemoveCatchpoint(RemoveCatchpointRequest) -> Acknowledgement;
                /// Says what signals do.
                set_signals, SetSignals(SetSignalsRequest) -> Acknowledgement;
                /// Reads memory.
                read_memory, ReadMemory(ReadMemoryRequest) -> ReadMemoryReply;
                /// Writes memory.
                write_memory, WriteMemory(WriteMemoryRequest) -> TargetResults;
                /// Gives a stopped thread other registers.
                write_registers, WriteRegisters(WriteRegistersRequest) -> Acknowledgement;
                /// Tells registers and top of stack of many stopped threads.
                snapshot, Snapshot(SnapshotRequest) -> SnapshotReply;
                /// Tells the ELF files that a process has mapped.
                modules, Modules(ModulesRequest) -> ModulesReply;
                /// Calls a function in a stopped thread.
                inferior_call, InferiorCall(InferiorCallRequest) -> InferiorCallReply;
            }
            launches {
                /// Starts a program and leaves it stopped before its first instruction.
                launch, Launch(LaunchRequest) -> LaunchReply;
                /// Takes running processes; they are left stopped.
                attach, Attach(AttachRequest) -> AttachReply;
                /// Begins a replay of a trace.
                open_trace, OpenTrace(OpenTraceRequest) -> OpenTraceReply;
            }
            recorded {
                /// Holds one thread back before an event of its recording, or none.
                hold_back, HoldBack(HoldBackRequest) -> Acknowledgement;
                /// Lets the run go on until nobody can any more, then stops it and tells so.
                settle, Settle(SettleRequest) -> Acknowledgement;
            }
        }
    };
}

macro_rules! traits {
    (
        always { $($(#[$always_doc:meta])* $always:ident, $_always:ident($always_request:ident) -> $always_reply:ident;)* }
        launches { $($(#[$launch_doc:meta])* $launch:ident, $_launch:ident($launch_request:ident) -> $launch_reply:ident;)* }
        recorded { $($(#[$recorded_doc:meta])* $recorded:ident, $_recorded:ident($recorded_request:ident) -> $recorded_reply:ident;)* }
    ) => {
        /// What holds processes. All methods wait for their answer.
        ///
        /// A failure of a method is one of the whole request; what concerns one of several targets is in the reply.
        /// `FailureKind::Lost` says that the back end has gone; its `Listener` hears of that, too.
        pub trait Backend: Send + Sync {
            /// Ends the session, whoever still has the back end: what was launched is killed, the others are let go.
            fn close(&self);

            /// The ability to take processes in, if it has it.
            fn launches(&self) -> Option<&dyn Launches> {
                None
            }

            /// The ability to be anywhere in a recorded run, if it holds one.
            fn recorded(&self) -> Option<&dyn Recorded> {
                None
            }

            /// The ability to keep time from processes, if it has it.
            fn logical_time(&self) -> Option<&dyn LogicalTime> {
                None
            }

            $($(#[$always_doc])* fn $always(&self, request: $always_request) -> Answer<$always_reply>;)*
        }

        /// The ability to take processes in: by starting them, from a trace, or by attaching to them.
        pub trait Launches: Send + Sync {
            $($(#[$launch_doc])* fn $launch(&self, request: $launch_request) -> Answer<$launch_reply>;)*
        }

        /// The ability to stop a recorded run where the recording says. All processes of the run move together.
        pub trait Recorded: Send + Sync {
            $($(#[$recorded_doc])* fn $recorded(&self, request: $recorded_request) -> Answer<$recorded_reply>;)*
        }
    };
}

for_each_call!(traits);
