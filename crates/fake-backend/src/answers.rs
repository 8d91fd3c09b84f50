//! The requests of a debugger, each answered from the world.

use wayfarer_backend::*;

use crate::fake::Fake;
use crate::request::Request;
use crate::world::World;

macro_rules! answers {
    (
        always { $($(#[$doc:meta])* $method:ident, $call:ident($request:ident) -> $reply:ident;)* }
        launches {
            $($(#[$launch_doc:meta])*
            $launch_method:ident, $launch:ident($launch_request:ident) -> $launch_reply:ident;)*
        }
        recorded {
            $($(#[$recorded_doc:meta])*
            $recorded_method:ident,
            $recorded:ident($recorded_request:ident) -> $recorded_reply:ident;)*
        }
    ) => {
        impl Backend for Fake {
            /// Those who still look may: it holds nothing of anybody's.
            fn close(&self) {}

            fn launches(&self) -> Option<&dyn Launches> {
                Some(self)
            }

            fn recorded(&self) -> Option<&dyn Recorded> {
                Some(self)
            }

            answers!(@answer $($method, $call($request) -> $reply;)*);
        }

        impl Launches for Fake {
            answers!(@answer $($launch_method, $launch($launch_request) -> $launch_reply;)*);
        }

        impl Recorded for Fake {
            answers!(@answer
                $($recorded_method, $recorded($recorded_request) -> $recorded_reply;)*
            );
        }
    };
    (@answer $($method:ident, $call:ident($request:ident) -> $reply:ident;)*) => {
        $(
            fn $method(&self, request: $request) -> Answer<$reply> {
                let asked = Request::$call(request.clone());
                self.answer(asked, |world| Answers(world).$method(request))
            }
        )*
    };
}

for_each_call!(answers);

/// The world, asked.
struct Answers<'a>(&'a mut World);

impl Answers<'_> {
    fn configure(&mut self, request: ConfigureRequest) -> Answer<Acknowledgement> {
        let settings = &mut self.0.settings;
        settings.scope = request.scope.unwrap_or(settings.scope);
        settings.follow_children = request.follow_children.unwrap_or(settings.follow_children);
        settings.hold_on_load = request.hold_on_load.unwrap_or(settings.hold_on_load);
        Ok(())
    }

    fn detach(&mut self, targets: DetachRequest) -> Answer<TargetResults> {
        let (threads, missing) = self.0.meant(&targets);
        for process in self.processes_of(&threads) {
            self.0.remove(process);
        }
        Ok(World::missing_of(missing))
    }

    fn kill(&mut self, targets: KillRequest) -> Answer<TargetResults> {
        let (threads, missing) = self.0.meant(&targets);
        let end = ProcessEnd::Killed {
            signal: 9,
            core_dumped: false,
        };
        for process in self.processes_of(&threads) {
            self.0.end(process, end);
        }
        Ok(World::missing_of(missing))
    }

    fn processes_of(&self, threads: &[ThreadId]) -> Vec<ProcessId> {
        let of = |thread: &ThreadId| Some(self.0.threads.get(thread)?.described.process);
        let mut processes: Vec<ProcessId> = threads.iter().filter_map(of).collect();
        processes.dedup();
        processes
    }

    fn halt(&mut self, targets: HaltRequest) -> Answer<HaltReply> {
        let (threads, missing) = self.0.meant(&targets);
        let stopped = self.0.halt(&threads);
        Ok(HaltReply {
            results: World::missing_of(missing),
            first_to_last_ns: 0,
            threads: stopped,
        })
    }

    fn resume(&mut self, request: ResumeRequest) -> Answer<TargetResults> {
        Ok(self.0.resume(&request))
    }

    fn release(&mut self, targets: ReleaseRequest) -> Answer<TargetResults> {
        Ok(self.0.release(&targets))
    }

    fn set_held(&mut self, request: SetHeldRequest) -> Answer<TargetResults> {
        let (threads, missing) = self.0.meant(&request.targets);
        self.0.set_held(&threads, request.held);
        Ok(World::missing_of(missing))
    }

    fn insert_breakpoint(
        &mut self,
        request: InsertBreakpointRequest,
    ) -> Answer<InsertBreakpointReply> {
        Ok(self.0.insert_breakpoint(request))
    }

    fn remove_breakpoint(&mut self, request: RemoveBreakpointRequest) -> Answer<Acknowledgement> {
        self.0.remove_breakpoint(&request);
        Ok(())
    }

    fn get_hits(&mut self, ids: GetHitsRequest) -> Answer<GetHitsReply> {
        Ok(self.0.hits_of(&ids))
    }

    fn insert_watchpoint(&mut self, request: InsertWatchpointRequest) -> Answer<TargetResults> {
        let (_, missing) = self.0.meant(&request.targets);
        self.0.watchpoints.insert(request.id, request);
        Ok(World::missing_of(missing))
    }

    fn remove_watchpoint(&mut self, request: RemoveWatchpointRequest) -> Answer<Acknowledgement> {
        self.0.watchpoints.remove(&request.id);
        Ok(())
    }

    fn insert_catchpoint(&mut self, request: InsertCatchpointRequest) -> Answer<Acknowledgement> {
        self.0.catchpoints.insert(request.id, request.event);
        Ok(())
    }

    fn remove_catchpoint(&mut self, id: RemoveCatchpointRequest) -> Answer<Acknowledgement> {
        self.0.catchpoints.remove(&id);
        Ok(())
    }

    fn set_signals(&mut self, dispositions: SetSignalsRequest) -> Answer<Acknowledgement> {
        let all = dispositions.into_iter();
        self.0.signals.extend(all.map(|one| (one.signal, one)));
        Ok(())
    }

    fn read_memory(&mut self, ranges: ReadMemoryRequest) -> Answer<ReadMemoryReply> {
        let read = |range: MemoryRange| {
            let process = self.0.processes.get(&range.process);
            let data = process.map(|found| found.memory.read(range.address, range.length));
            let data = data.unwrap_or_default();
            let short = (data.len() as u64) < range.length;
            let end = short.then(|| Failure::new(FailureKind::BadAddress, "nothing is there"));
            MemoryContents { data, end }
        };
        Ok(ranges.into_iter().map(read).collect())
    }

    fn write_memory(&mut self, writes: WriteMemoryRequest) -> Answer<TargetResults> {
        let mut results = TargetResults::default();
        for MemoryWrite {
            process,
            address,
            data,
        } in writes
        {
            let found = self.0.processes.get_mut(&process);
            if !found.is_some_and(|found| found.memory.write(address, &data)) {
                results.0.push(TargetResult {
                    target: Target::Process(process),
                    outcome: Err(Failure::new(FailureKind::BadAddress, "nothing is there")),
                });
            }
        }
        Ok(results)
    }

    fn write_registers(&mut self, request: WriteRegistersRequest) -> Answer<Acknowledgement> {
        let thread = self.0.threads.get_mut(&request.thread).ok_or_else(gone)?;
        thread.general = request.general.unwrap_or(thread.general);
        if let Some(vector) = request.vector {
            thread.vector = *vector;
        }
        Ok(())
    }

    fn snapshot(&mut self, request: SnapshotRequest) -> Answer<SnapshotReply> {
        let (threads, missing) = self.0.meant(&request.targets);
        let mut reply: SnapshotReply = threads
            .into_iter()
            .map(|thread| TargetSnapshot {
                target: Target::Thread(thread),
                outcome: self.snapshot_of(thread, &request),
            })
            .collect();
        reply.extend(missing.into_iter().map(|target| TargetSnapshot {
            target,
            outcome: Err(gone()),
        }));
        Ok(reply)
    }

    fn snapshot_of(&self, id: ThreadId, request: &SnapshotRequest) -> Answer<ThreadSnapshot> {
        let thread = self.0.threads.get(&id).ok_or_else(gone)?;
        if self.0.runs(id) {
            return Err(Failure::new(FailureKind::Running, "it runs"));
        }
        let process = thread.described.process;
        let memory = self.0.processes.get(&process).map(|found| &found.memory);
        let stack_address = thread.general.rsp.saturating_sub(128) & !4095;
        let stack = memory.map(|memory| memory.read(stack_address, request.stack_bytes.into()));
        Ok(ThreadSnapshot {
            process,
            thread: id,
            general: thread.general,
            vector: request.vector.then(|| Box::new(thread.vector.clone())),
            stack_address,
            stack: stack.unwrap_or_default(),
            events: None,
        })
    }

    fn modules(&mut self, process: ModulesRequest) -> Answer<ModulesReply> {
        let process = self.0.processes.get(&process).ok_or_else(gone)?;
        Ok(process.modules.clone())
    }

    fn inferior_call(&mut self, _: InferiorCallRequest) -> Answer<InferiorCallReply> {
        let reply = self.0.calls.pop_front();
        reply.ok_or_else(|| Failure::new(FailureKind::Invalid, "there is no function here"))
    }

    fn launch(&mut self, _: LaunchRequest) -> Answer<LaunchReply> {
        let waiting = self.0.processes.iter();
        let next = waiting
            .filter(|(_, process)| !process.in_session)
            .map(|(id, _)| *id)
            .next();
        let id = next.ok_or_else(|| Failure::new(FailureKind::Launch, "nobody was invented"))?;
        self.enter(id, true)
    }

    fn open_trace(&mut self, _: OpenTraceRequest) -> Answer<OpenTraceReply> {
        let process = self.launch(LaunchRequest::default())?;
        let notes = Vec::new();
        Ok(OpenTraceReply { process, notes })
    }

    /// The script says how far everybody goes.
    fn hold_back(&mut self, _: HoldBackRequest) -> Answer<Acknowledgement> {
        Ok(())
    }

    /// The script tells when it is so.
    fn settle(&mut self, _: SettleRequest) -> Answer<Acknowledgement> {
        Ok(())
    }

    fn attach(&mut self, request: AttachRequest) -> Answer<AttachReply> {
        let results = request.pids.into_iter().map(|pid| {
            let mut waiting = self.0.processes.iter();
            let found = waiting.find(|(_, process)| process.described.pid == pid);
            let found = found.map(|(id, _)| *id);
            AttachResult {
                pid,
                outcome: found.ok_or_else(gone).and_then(|id| self.enter(id, false)),
            }
        });
        Ok(AttachReply {
            results: results.collect(),
            first_to_last_ns: 0,
        })
    }

    /// A process comes into the session.
    fn enter(&mut self, id: ProcessId, launched: bool) -> Answer<Process> {
        if let Some(process) = self.0.processes.get_mut(&id) {
            process.in_session = true;
            process.described.launched = launched;
        }
        for thread in self.0.threads_of(id) {
            if let Some(thread) = self.0.threads.get_mut(&thread) {
                thread.described.reason = Some(StopReason::Initial);
            }
        }
        self.0.describe(id).ok_or_else(gone)
    }
}

fn gone() -> Failure {
    Failure::new(FailureKind::Gone, "it is not there any more")
}
