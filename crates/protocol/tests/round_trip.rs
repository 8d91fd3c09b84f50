//! What goes to the wire and comes back is what it was, for each plain type; and nothing that arrives is a panic.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use prost::Message;
use wayfarer_backend::*;
use wayfarer_protocol as wire;

/// A number that names somebody.
fn id() -> impl Strategy<Value = u64> {
    1..u64::MAX
}

fn processes() -> impl Strategy<Value = Vec<ProcessId>> {
    vec(id().prop_map(ProcessId), 0..3)
}

fn threads() -> impl Strategy<Value = Vec<ThreadId>> {
    vec(id().prop_map(ThreadId), 0..3)
}

fn breakpoints() -> impl Strategy<Value = Vec<BreakpointId>> {
    vec(id().prop_map(BreakpointId), 0..3)
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..9)
}

fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(bytes(), 0..3)
}

fn signal() -> impl Strategy<Value = i32> {
    1..65
}

fn failure() -> impl Strategy<Value = Failure> {
    let kinds = [
        FailureKind::Gone,
        FailureKind::Running,
        FailureKind::Permission,
        FailureKind::BadAddress,
        FailureKind::NoHardware,
        FailureKind::Invalid,
        FailureKind::Launch,
        FailureKind::TimedOut,
        FailureKind::Interrupted,
        FailureKind::AlreadyTraced,
        FailureKind::System,
        FailureKind::Lost,
    ];
    (prop::sample::select(kinds.to_vec()), ".{0,9}")
        .prop_map(|(kind, message)| Failure { kind, message })
}

fn outcome() -> impl Strategy<Value = Answer<()>> {
    prop_oneof![Just(Ok(())), failure().prop_map(Err)]
}

fn targets() -> impl Strategy<Value = Targets> {
    prop_oneof![
        Just(Targets::All),
        (processes(), threads())
            .prop_map(|(processes, threads)| Targets::Named { processes, threads }),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        id().prop_map(|id| Target::Process(ProcessId(id))),
        id().prop_map(|id| Target::Thread(ThreadId(id))),
    ]
}

fn results() -> impl Strategy<Value = TargetResults> {
    let one = (target(), outcome()).prop_map(|(target, outcome)| TargetResult { target, outcome });
    vec(one, 0..3).prop_map(TargetResults)
}

fn scope() -> impl Strategy<Value = Option<StopScope>> {
    of(prop::sample::select(vec![
        StopScope::Thread,
        StopScope::Process,
        StopScope::All,
    ]))
}

fn general() -> impl Strategy<Value = GeneralRegisters> {
    any::<[u64; 8]>().prop_map(|n| GeneralRegisters {
        rax: n[0],
        rsp: n[1],
        rip: n[2],
        r15: n[3],
        eflags: n[4],
        gs: n[5],
        gs_base: n[6],
        orig_rax: n[7],
        ..GeneralRegisters::default()
    })
}

fn vector() -> impl Strategy<Value = Option<Box<VectorRegisters>>> {
    let registers = (
        any::<[[u8; 32]; 16]>(),
        of(any::<[[u8; 32]; 16]>()),
        any::<[[u8; 10]; 8]>(),
        any::<(bool, u32, u32, u32, u32, u32, u64, u64)>(),
    );
    of(registers.prop_map(|(ymm, zmm_high, st, rest)| {
        let (has_avx, mxcsr, fctrl, fstat, ftag, fop, fip, fdp) = rest;
        Box::new(VectorRegisters {
            ymm,
            has_avx,
            zmm_high,
            mxcsr,
            st,
            fctrl,
            fstat,
            ftag,
            fop,
            fip,
            fdp,
        })
    }))
}

fn reason() -> impl Strategy<Value = StopReason> {
    let failures = (id(), ".{0,5}").prop_map(|(id, message)| PredicateFailure {
        id: BreakpointId(id),
        message,
    });
    let watches =
        (id(), any::<u64>(), bytes(), bytes()).prop_map(|(id, address, old, new)| WatchReport {
            id: BreakpointId(id),
            address,
            old,
            new,
        });
    let end = prop::sample::select(vec![StepEnd::Left, StepEnd::Returned, StepEnd::Reached]);
    prop_oneof![
        (breakpoints(), vec(failures, 0..2))
            .prop_map(|(ids, failures)| StopReason::Breakpoint(BreakpointHit { ids, failures })),
        vec(watches, 0..2).prop_map(|watches| StopReason::Watchpoint(WatchpointHit { watches })),
        (signal(), any::<(i32, u64, bool)>(), bytes()).prop_map(|(signal, rest, details)| {
            StopReason::Signal(SignalReceived {
                signal,
                code: rest.0,
                address: rest.1,
                will_pass: rest.2,
                details,
            })
        }),
        (end, any::<(bool, u64)>()).prop_map(|(end, (entered_call, instructions))| {
            StopReason::Step(StepDone {
                end,
                entered_call,
                instructions,
            })
        }),
        (breakpoints(), any::<(u64, bool)>()).prop_map(|(ids, (number, entry))| {
            StopReason::Syscall(SyscallStop { ids, number, entry })
        }),
        (breakpoints(), of(id()), any::<(i32, bool)>()).prop_map(|(ids, child, rest)| {
            StopReason::Fork(ForkStop {
                ids,
                child: child.map(ProcessId),
                child_pid: rest.0,
                vfork: rest.1,
            })
        }),
        breakpoints().prop_map(StopReason::Exec),
        Just(StopReason::Halted),
        (id(), threads()).prop_map(|(id, threads)| StopReason::Barrier(BarrierComplete {
            id: BreakpointId(id),
            threads
        })),
        Just(StopReason::Initial),
        Just(StopReason::Trap),
        Just(StopReason::Settled),
        ".{0,9}".prop_map(StopReason::EndOfTrace),
        ".{0,9}".prop_map(StopReason::Diverged),
    ]
}

fn hold() -> impl Strategy<Value = Hold> {
    (".{0,5}", any::<(u32, u64)>()).prop_map(|(process, (thread, events))| Hold {
        process,
        thread,
        events,
    })
}

fn stop() -> impl Strategy<Value = ThreadStop> {
    (id(), id(), reason(), of(general()), of(any::<u64>())).prop_map(
        |(process, thread, reason, registers, events)| ThreadStop {
            process: ProcessId(process),
            thread: ThreadId(thread),
            reason,
            registers,
            events,
        },
    )
}

fn thread() -> impl Strategy<Value = Thread> {
    let state = prop::sample::select(vec![
        ThreadState::Running,
        ThreadState::Stopped,
        ThreadState::Held,
    ]);
    (
        id(),
        id(),
        any::<(i32, u32)>(),
        ".{0,5}",
        state,
        of(reason()),
    )
        .prop_map(|(id, process, (tid, number), name, state, reason)| Thread {
            id: ThreadId(id),
            process: ProcessId(process),
            tid,
            number,
            name,
            state,
            reason,
        })
}

fn process() -> impl Strategy<Value = Process> {
    (
        (id(), any::<(i32, bool, bool)>(), of(id())),
        (
            ".{0,5}",
            vec(".{0,5}", 0..3),
            vec(thread(), 0..3),
            of(".{0,5}"),
        ),
    )
        .prop_map(|((id, (pid, launched, shares_memory), parent), rest)| {
            let (executable, arguments, threads, name) = rest;
            Process {
                id: ProcessId(id),
                pid,
                parent: parent.map(ProcessId),
                name,
                executable,
                arguments,
                launched,
                threads,
                shares_memory,
            }
        })
}

fn module() -> impl Strategy<Value = Module> {
    (
        (".{0,5}", of(bytes()), of(".{0,5}"), of(any::<u64>())),
        any::<([u64; 3], [bool; 4])>(),
    )
        .prop_map(
            |((path, build_id, open_path, link_map), (n, flags))| Module {
                path,
                build_id,
                bias: n[0],
                low: n[1],
                high: n[2],
                executable: flags[0],
                interpreter: flags[1],
                deleted: flags[2],
                runtime: flags[3],
                open_path,
                link_map,
            },
        )
}

fn location() -> impl Strategy<Value = Location> {
    (id(), any::<u64>()).prop_map(|(process, address)| Location {
        process: ProcessId(process),
        address,
    })
}

fn insertion() -> impl Strategy<Value = InsertBreakpointRequest> {
    let place =
        (location(), of(bytes())).prop_map(|(at, predicate)| BreakpointPlace { at, predicate });
    let barrier =
        (processes(), threads()).prop_map(|(processes, threads)| Barrier { processes, threads });
    (
        (id(), vec(place, 0..3), any::<(u64, bool)>(), threads()),
        (of(barrier), scope(), of(any::<u64>())),
    )
        .prop_map(|((id, places, (ignore_count, hardware), threads), rest)| {
            let (barrier, scope, stack_above) = rest;
            InsertBreakpointRequest {
                id: BreakpointId(id),
                places,
                ignore_count,
                threads,
                barrier,
                scope,
                stack_above,
                hardware,
            }
        })
}

fn watch() -> impl Strategy<Value = InsertWatchpointRequest> {
    let kind = prop::sample::select(vec![WatchKind::Write, WatchKind::Read, WatchKind::Access]);
    (
        (id(), targets(), any::<(u64, u32, u64)>(), kind),
        (of(bytes()), threads(), scope()),
    )
        .prop_map(|((id, targets, n, kind), (predicate, threads, scope))| {
            InsertWatchpointRequest {
                id: BreakpointId(id),
                targets,
                address: n.0,
                length: n.1,
                kind,
                predicate,
                ignore_count: n.2,
                threads,
                scope,
            }
        })
}

fn catch() -> impl Strategy<Value = Catch> {
    prop_oneof![
        Just(Catch::Fork),
        Just(Catch::Vfork),
        Just(Catch::Exec),
        vec(any::<u32>(), 0..3).prop_map(Catch::Syscalls),
    ]
}

fn action() -> impl Strategy<Value = ResumeAction> {
    let range = any::<(u64, u64)>().prop_map(|(low, high)| AddressRange { low, high });
    let action = prop_oneof![
        Just(Action::Continue),
        (1..9u64, any::<bool>())
            .prop_map(|(count, over_calls)| Action::Instructions { count, over_calls }),
        (vec(range, 0..3), any::<(bool, Option<u64>)>()).prop_map(|(ranges, rest)| {
            Action::Ranges {
                ranges,
                over_calls: rest.0,
                stack_above: rest.1,
            }
        }),
        (vec(any::<u64>(), 0..3), any::<Option<u64>>()).prop_map(|(addresses, stack_above)| {
            Action::To {
                addresses,
                stack_above,
            }
        }),
    ];
    let delivery = prop_oneof![
        Just(Delivery::AsStopped),
        Just(Delivery::Nothing),
        signal().prop_map(Delivery::Signal),
    ];
    (targets(), action, delivery).prop_map(|(targets, action, signal)| ResumeAction {
        targets,
        action,
        signal,
    })
}

fn event() -> impl Strategy<Value = Event> {
    use EventKind as Kind;
    let origin = prop::sample::select(vec![
        Origin::Launch,
        Origin::Attach,
        Origin::Fork,
        Origin::Vfork,
        Origin::Clone,
    ]);
    let end = prop_oneof![
        any::<i32>().prop_map(ProcessEnd::Exited),
        (signal(), any::<bool>()).prop_map(|(signal, core_dumped)| ProcessEnd::Killed {
            signal,
            core_dumped
        }),
    ];
    let both = || (id().prop_map(ProcessId), id().prop_map(ThreadId));
    let kind = prop_oneof![
        (process(), origin).prop_map(|(process, origin)| Kind::ProcessCreated { process, origin }),
        thread().prop_map(Kind::ThreadCreated),
        (process(), any::<bool>()).prop_map(|(process, held)| Kind::Exec { process, held }),
        both().prop_map(|(process, thread)| Kind::ThreadExited { process, thread }),
        (id(), any::<i32>(), end).prop_map(|(process, pid, end)| {
            Kind::ProcessExited(ProcessExited {
                process: ProcessId(process),
                pid,
                end,
            })
        }),
        (id(), ".{0,5}").prop_map(|(process, reason)| Kind::ProcessDetached {
            process: ProcessId(process),
            reason
        }),
        (vec(stop(), 0..3), threads(), any::<u64>()).prop_map(
            |(causes, stopped, first_to_last_ns)| {
                Kind::Stopped(Stopped {
                    causes,
                    stopped,
                    first_to_last_ns,
                })
            }
        ),
        (both(), any::<bool>(), vec(module(), 0..3)).prop_map(
            |((process, thread), held, modules)| Kind::LibrariesChanged {
                process,
                thread,
                held,
                modules
            }
        ),
        (both(), signal()).prop_map(|((process, thread), signal)| Kind::SignalSeen {
            process,
            thread,
            signal
        }),
        (id(), both(), any::<(u32, u32)>()).prop_map(|(id, (process, thread), n)| {
            Kind::BarrierArrived(BarrierArrived {
                id: BreakpointId(id),
                process,
                thread,
                arrived: n.0,
                expected: n.1,
            })
        }),
        threads().prop_map(Kind::Resumed),
        (of(".{0,9}"), any::<(i32, u64, u64, u64)>()).prop_map(|(difference, n)| {
            Kind::ReplayEnded(ReplayEnded {
                difference,
                status: n.0,
                events: n.1,
                threads: n.2,
                processes: n.3,
            })
        }),
    ];
    (any::<(u64, u64)>(), kind).prop_map(|((sequence, time_ns), kind)| Event {
        sequence,
        time_ns,
        kind,
    })
}

fn call() -> impl Strategy<Value = InferiorCallRequest> {
    let argument = prop_oneof![
        any::<u64>().prop_map(CallArgument::Number),
        any::<u32>().prop_map(CallArgument::Block),
    ];
    (
        (id(), any::<(u64, Option<u32>, bool)>()),
        (vec(argument, 0..3), words(), words()),
    )
        .prop_map(
            |((thread, n), (arguments, vector_arguments, blocks))| InferiorCallRequest {
                thread: ThreadId(thread),
                function: n.0,
                arguments,
                vector_arguments,
                blocks,
                timeout_ms: n.1,
                stay: n.2,
            },
        )
}

fn call_reply() -> impl Strategy<Value = InferiorCallReply> {
    let block = (any::<u64>(), bytes()).prop_map(|(address, bytes)| Block { address, bytes });
    let stayed = (any::<(u64, u64)>(), of(signal())).prop_map(|(n, signal)| StayedIn {
        return_address: n.0,
        stack: n.1,
        signal,
    });
    prop_oneof![
        (general(), vector(), vec(block, 0..3)).prop_map(|(general, vector, blocks)| {
            InferiorCallReply::Returned(CallReturned {
                general,
                vector,
                blocks,
            })
        }),
        (stop(), of(stayed))
            .prop_map(|(stop, stayed)| InferiorCallReply::Stopped(CallStopped { stop, stayed })),
    ]
}

fn snapshot() -> impl Strategy<Value = TargetSnapshot> {
    let found = (
        id(),
        id(),
        general(),
        vector(),
        any::<u64>(),
        bytes(),
        of(any::<u64>()),
    )
        .prop_map(
            |(process, thread, general, vector, stack_address, stack, events)| TargetSnapshot {
                target: Target::Thread(ThreadId(thread)),
                outcome: Ok(ThreadSnapshot {
                    process: ProcessId(process),
                    thread: ThreadId(thread),
                    general,
                    vector,
                    stack_address,
                    stack,
                    events,
                }),
            },
        );
    let missing = (target(), failure()).prop_map(|(target, failure)| TargetSnapshot {
        target,
        outcome: Err(failure),
    });
    prop_oneof![found, missing]
}

/// Writes and reads the message, too: what is lost in its bytes is lost.
fn there_and_back<P, W>(plain: P)
where
    P: Clone + std::fmt::Debug + PartialEq + TryFrom<W>,
    W: From<P> + Message + Default,
    P::Error: std::fmt::Debug,
{
    let bytes = W::from(plain.clone()).encode_to_vec();
    let back = P::try_from(W::decode(bytes.as_slice()).expect("a message")).expect("all of it");
    assert_eq!(plain, back);
}

/// A test for each request and reply: its message, and what makes its plain form.
macro_rules! round_trips {
    ($($name:ident: $message:ident, $strategy:expr;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]
            $(
                #[test]
                fn $name(plain in $strategy) {
                    there_and_back::<_, wire::$message>(plain);
                }
            )*

            #[test]
            fn no_bytes_are_a_panic(bytes in vec(any::<u8>(), 0..64)) {
                $(
                    if let Ok(message) = wire::$message::decode(bytes.as_slice()) {
                        fn read<P: TryFrom<W>, W>(_: impl Strategy<Value = P>, message: W) -> bool {
                            P::try_from(message).is_ok()
                        }
                        read($strategy, message);
                    }
                )*
            }
        }
    };
}

round_trips! {
    acknowledgement: Acknowledgement, Just(());
    target_results: TargetResults, results();
    configure: ConfigureRequest, (scope(), any::<[Option<bool>; 3]>()).prop_map(|(scope, on)| ConfigureRequest {
        scope,
        follow_children: on[0],
        hold_on_load: on[1],
        detach_parent_on_fork: on[2],
    });
    launch: LaunchRequest, (words(), words(), of(".{0,5}"), any::<bool>()).prop_map(
        |(arguments, environment, directory, randomize)| LaunchRequest { arguments, environment, directory, randomize }
    );
    launched: LaunchReply, process();
    open_trace: OpenTraceRequest, (".{0,5}", any::<(bool, bool)>(), of(hold())).prop_map(
        |(directory, (accept_damage, again), hold)| OpenTraceRequest { directory, accept_damage, hold, again }
    );
    hold_back: HoldBackRequest, of(hold()).prop_map(|hold| HoldBackRequest { hold });
    settle: SettleRequest, targets().prop_map(|held| SettleRequest { held });
    opened: OpenTraceReply, (process(), vec(".{0,5}", 0..3)).prop_map(
        |(process, notes)| OpenTraceReply { process, notes }
    );
    attach: AttachRequest, vec(any::<i32>(), 0..3).prop_map(|pids| AttachRequest { pids });
    attached: AttachReply, {
        let outcome = prop_oneof![process().prop_map(Ok), failure().prop_map(Err)];
        let one = (any::<i32>(), outcome).prop_map(|(pid, outcome)| AttachResult { pid, outcome });
        (vec(one, 0..3), any::<u64>()).prop_map(|(results, first_to_last_ns)| AttachReply { results, first_to_last_ns })
    };
    detach: DetachRequest, targets();
    kill: KillRequest, targets();
    halt: HaltRequest, targets();
    halted: HaltReply, (results(), any::<(u64, u32)>()).prop_map(|(results, n)| HaltReply {
        results,
        first_to_last_ns: n.0,
        threads: n.1,
    });
    resume: ResumeRequest, vec(action(), 0..3);
    release: ReleaseRequest, targets();
    set_held: SetHeldRequest, (targets(), any::<bool>()).prop_map(|(targets, held)| SetHeldRequest { targets, held });
    insert_breakpoint: InsertBreakpointRequest, insertion();
    inserted: InsertBreakpointReply, {
        vec((location(), outcome()).prop_map(|(at, outcome)| PlaceResult { at, outcome }), 0..3)
    };
    remove_breakpoint: RemoveBreakpointRequest, (id(), of(vec(location(), 0..3))).prop_map(
        |(id, places)| RemoveBreakpointRequest { id: BreakpointId(id), places }
    );
    get_hits: GetHitsRequest, breakpoints();
    hits: GetHitsReply, vec((id(), any::<[u64; 3]>()).prop_map(|(id, n)| Hits {
        id: BreakpointId(id),
        hits: n[0],
        evaluations: n[1],
        ignore_left: n[2],
    }), 0..3);
    insert_watchpoint: InsertWatchpointRequest, watch();
    remove_watchpoint: RemoveWatchpointRequest, (id(), of(targets())).prop_map(
        |(id, targets)| RemoveWatchpointRequest { id: BreakpointId(id), targets }
    );
    insert_catchpoint: InsertCatchpointRequest, (id(), catch()).prop_map(
        |(id, event)| InsertCatchpointRequest { id: BreakpointId(id), event }
    );
    remove_catchpoint: RemoveCatchpointRequest, id().prop_map(BreakpointId);
    set_signals: SetSignalsRequest, vec((signal(), any::<[bool; 3]>()).prop_map(|(signal, on)| SignalDisposition {
        signal,
        stop: on[0],
        print: on[1],
        pass: on[2],
    }), 0..3);
    read_memory: ReadMemoryRequest, vec((location(), any::<u64>()).prop_map(|(at, length)| MemoryRange {
        process: at.process,
        address: at.address,
        length,
    }), 0..3);
    memory: ReadMemoryReply, {
        vec((bytes(), of(failure())).prop_map(|(data, end)| MemoryContents { data, end }), 0..3)
    };
    write_memory: WriteMemoryRequest, vec((location(), bytes()).prop_map(|(at, data)| MemoryWrite {
        process: at.process,
        address: at.address,
        data,
    }), 0..3);
    write_registers: WriteRegistersRequest, (id(), of(general()), vector(), of(of(signal()))).prop_map(
        |(thread, general, vector, back)| WriteRegistersRequest { thread: ThreadId(thread), general, vector, back }
    );
    ask_snapshot: SnapshotRequest, (targets(), any::<(u32, bool)>()).prop_map(|(targets, n)| SnapshotRequest {
        targets,
        stack_bytes: n.0,
        vector: n.1,
    });
    snapshots: SnapshotReply, vec(snapshot(), 0..3);
    ask_modules: ModulesRequest, id().prop_map(ProcessId);
    modules: ModulesReply, vec(module(), 0..3);
    inferior_call: InferiorCallRequest, call();
    called: InferiorCallReply, call_reply();
    events: Event, event();
}

proptest! {
    #[test]
    fn a_failure_of_a_whole_request_comes_back_from_its_status(failure in failure()) {
        prop_assert_eq!(wire::failure_of(&wire::status_of(failure.clone())), failure);
    }
}
