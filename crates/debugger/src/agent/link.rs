//! What the debugger asks of an agent, as a trait: the real one speaks gRPC, tests put a fake in its place.

use wayfarer_backend::{Answer, Failure, FailureKind};
use wayfarer_protocol as wire;

/// Makes one list of calls into the trait and its gRPC implementation.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($request:ident) -> $reply:ident;)*) => {
        /// The calls of an agent. The session is filled in by the link.
        pub(crate) trait Link: Send + Sync {
            /// Ends the session, whoever still holds the link.
            fn close(&self) {}

            $(
                $(#[$doc])*
                fn $name(&self, _request: wire::$request) -> Answer<wire::$reply> {
                    Err(Failure::new(FailureKind::Lost, concat!("it does not answer ", stringify!($name))))
                }
            )*
        }

        impl Link for super::grpc::GrpcLink {
            fn close(&self) {
                // The end of the stream is the end of the session.
                self.events.abort();
            }

            $(
                fn $name(&self, mut request: wire::$request) -> Answer<wire::$reply> {
                    request.session = self.session;
                    let mut client = self.client.clone();
                    self.answer(async move { client.$name(request).await })
                }
            )*
        }
    };
}

calls! {
    configure(ConfigureRequest) -> Acknowledgement;
    launch(LaunchRequest) -> LaunchReply;
    attach(AttachRequest) -> AttachReply;
    detach(DetachRequest) -> TargetResults;
    kill(KillRequest) -> TargetResults;
    halt(HaltRequest) -> HaltReply;
    resume(ResumeRequest) -> TargetResults;
    release(ReleaseRequest) -> TargetResults;
    set_held(SetHeldRequest) -> TargetResults;
    insert_breakpoint(InsertBreakpointRequest) -> InsertBreakpointReply;
    remove_breakpoint(RemoveBreakpointRequest) -> Acknowledgement;
    get_hits(GetHitsRequest) -> GetHitsReply;
    insert_watchpoint(InsertWatchpointRequest) -> TargetResults;
    remove_watchpoint(RemoveWatchpointRequest) -> Acknowledgement;
    insert_catchpoint(InsertCatchpointRequest) -> Acknowledgement;
    remove_catchpoint(RemoveCatchpointRequest) -> Acknowledgement;
    set_signals(SetSignalsRequest) -> Acknowledgement;
    read_memory(ReadMemoryRequest) -> ReadMemoryReply;
    write_memory(WriteMemoryRequest) -> TargetResults;
    write_registers(WriteRegistersRequest) -> Acknowledgement;
    snapshot(SnapshotRequest) -> SnapshotReply;
    modules(ModulesRequest) -> ModulesReply;
    inferior_call(InferiorCallRequest) -> InferiorCallReply;
}
