//! Commands of the debugger, each to the part that knows.

use super::Tracer;
use crate::command::Command;
use wayfarer_backend::ConfigureRequest;

impl Tracer {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Open(events, reply) => {
                self.events = Some(events);
                let _ = reply.send(());
            }
            Command::End(reply) => self.end_session(Some(reply)),
            Command::Configure(request, reply) => {
                self.configure(&request);
                let _ = reply.send(Ok(()));
            }
            Command::Launch(request, reply) => self.launch(request, reply),
            Command::OpenTrace(request, reply) => self.open_trace(request, reply),
            Command::HoldBack(request, reply) => {
                let _ = reply.send(self.hold_back(&request));
            }
            Command::Settle(request, reply) => {
                let _ = reply.send(self.settle(&request));
            }
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
                let _ = reply.send(Ok(self.release(&request)));
            }
            Command::SetHeld(request, reply) => {
                let _ = reply.send(Ok(self.set_held(&request)));
            }
            Command::InsertBreakpoint(request, reply) => {
                let _ = reply.send(Ok(self.insert_breakpoint(request)));
            }
            Command::RemoveBreakpoint(request, reply) => {
                self.remove_breakpoint(request.id, request.places.as_deref());
                let _ = reply.send(Ok(()));
            }
            Command::GetHits(request, reply) => {
                let _ = reply.send(Ok(self.hits_of(&request)));
            }
            Command::InsertWatchpoint(request, reply) => {
                let _ = reply.send(Ok(self.insert_watchpoint(&request)));
            }
            Command::RemoveWatchpoint(request, reply) => {
                self.remove_watchpoint(request.id, request.targets.as_ref());
                let _ = reply.send(Ok(()));
            }
            Command::InsertCatchpoint(request, reply) => {
                self.insert_catchpoint(request);
                let _ = reply.send(Ok(()));
            }
            Command::RemoveCatchpoint(id, reply) => {
                self.catchpoints.remove(&id);
                let _ = reply.send(Ok(()));
            }
            Command::SetSignals(request, reply) => {
                self.set_signals(&request);
                let _ = reply.send(Ok(()));
            }
            Command::ReadMemory(request, reply) => {
                let _ = reply.send(Ok(self.read_memory(&request)));
            }
            Command::WriteMemory(request, reply) => {
                let _ = reply.send(Ok(self.write_memory(&request)));
            }
            Command::WriteRegisters(request, reply) => {
                let _ = reply.send(self.write_registers(&request));
            }
            Command::Snapshot(request, reply) => {
                let _ = reply.send(Ok(self.snapshot(&request)));
            }
            Command::Modules(process, reply) => {
                let _ = reply.send(self.modules_of(process));
            }
            Command::InferiorCall(request, reply) => self.inferior_call(&request, reply),
        }
    }

    fn configure(&mut self, request: &ConfigureRequest) {
        let settings = &mut self.settings;
        settings.scope = request.scope.unwrap_or(settings.scope);
        settings.follow_children = request.follow_children.unwrap_or(settings.follow_children);
        settings.hold_on_load = request.hold_on_load.unwrap_or(settings.hold_on_load);
        settings.detach_parent_on_fork = request
            .detach_parent_on_fork
            .unwrap_or(settings.detach_parent_on_fork);
    }
}
