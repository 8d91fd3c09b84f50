//! Commands of the debugger, each to the part that knows.

use super::Tracer;
use super::process::ProcessId;
use crate::command::Command;
use wayfarer_protocol as wire;

impl Tracer {
    pub(super) fn command(&mut self, command: Command) {
        const DONE: Result<wire::Acknowledgement, wire::Failure> = Ok(wire::Acknowledgement {});
        match command {
            Command::Open(events, reply) => {
                self.events = Some(events);
                let _ = reply.send(());
            }
            Command::End(reply) => self.end_session(Some(reply)),
            Command::Configure(request, reply) => {
                self.configure(&request);
                let _ = reply.send(DONE);
            }
            Command::Launch(request, reply) => self.launch(request, reply),
            Command::Attach(request, reply) => self.attach(request, reply),
            Command::Detach(request, reply) => self.detach(&request, reply),
            Command::Kill(request, reply) => {
                let _ = reply.send(Ok(self.kill(&request)));
            }
            Command::Halt(request, reply) => self.halt(&request, reply),
            Command::Resume(request, reply) => {
                let _ = reply.send(Ok(self.resume(&request)));
            }
            Command::Release(request, reply) => {
                let _ = reply.send(Ok(self.release(request.targets.as_ref())));
            }
            Command::SetHeld(request, reply) => {
                let _ = reply.send(Ok(self.set_held(request.targets.as_ref(), request.held)));
            }
            Command::InsertBreakpoint(request, reply) => {
                let _ = reply.send(Ok(self.insert_breakpoint(request)));
            }
            Command::RemoveBreakpoint(request, reply) => {
                let places = request.places.map(|places| places.locations);
                self.remove_breakpoint(request.id, places.as_deref());
                let _ = reply.send(DONE);
            }
            Command::GetHits(request, reply) => {
                let _ = reply.send(Ok(self.hits_of(&request.ids)));
            }
            Command::InsertWatchpoint(request, reply) => {
                let _ = reply.send(Ok(self.insert_watchpoint(&request)));
            }
            Command::RemoveWatchpoint(request, reply) => {
                self.remove_watchpoint(request.id, request.targets.as_ref());
                let _ = reply.send(DONE);
            }
            Command::InsertCatchpoint(request, reply) => {
                let inserted = self.insert_catchpoint(request);
                let _ = reply.send(inserted.map(|()| wire::Acknowledgement {}));
            }
            Command::RemoveCatchpoint(request, reply) => {
                self.catchpoints.remove(&request.id);
                let _ = reply.send(DONE);
            }
            Command::SetSignals(request, reply) => {
                self.set_signals(&request.signals);
                let _ = reply.send(DONE);
            }
            Command::ReadMemory(request, reply) => {
                let _ = reply.send(Ok(self.read_memory(&request)));
            }
            Command::WriteMemory(request, reply) => {
                let _ = reply.send(Ok(self.write_memory(&request)));
            }
            Command::WriteRegisters(request, reply) => {
                let _ = reply.send(
                    self.write_registers(&request)
                        .map(|()| wire::Acknowledgement {}),
                );
            }
            Command::Snapshot(request, reply) => {
                let _ = reply.send(Ok(self.snapshot(&request)));
            }
            Command::Modules(request, reply) => {
                let _ = reply.send(self.modules_of(ProcessId(request.process)));
            }
            Command::InferiorCall(request, reply) => self.inferior_call(&request, reply),
        }
    }

    fn configure(&mut self, request: &wire::ConfigureRequest) {
        let settings = &mut self.settings;
        if request.stop_scope() != wire::StopScope::Unspecified {
            settings.scope = request.stop_scope();
        }
        settings.follow_children = request.follow_children.unwrap_or(settings.follow_children);
        settings.hold_on_load = request.hold_on_load.unwrap_or(settings.hold_on_load);
        settings.detach_parent_on_fork = request
            .detach_parent_on_fork
            .unwrap_or(settings.detach_parent_on_fork);
    }
}
