//! Processes and threads that come, change and go, also in the midst of something.

use wayfarer_backend::{
    BreakpointId, Failure, FailureKind, Module, Origin, ProcessEnd, ProcessId, StepEnd, StopReason,
};
use wayfarer_debugger::view::ProcessState;
use wayfarer_debugger::{Run, Set};
use wayfarer_fake_backend::{Call, Request};

use crate::bench::{Bench, GO, invent, is_free};

const STEP: Run = Run::StepInstruction { count: 2 };

#[test]
fn a_child_is_followed_with_its_parents_breakpoints() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("server", 1);
    let parent = threads[0];
    bench.set("*0x401000");
    bench.when_resumed(move |world| {
        let child = world.fork(parent, Origin::Fork);
        let own = world.threads_of(child)[0];
        world.reach(own, 0x40_1000);
    });
    bench.told();
    assert_eq!(bench.run(GO), ["2.1 breakpoint 1 0x401000 *"]);
    assert_eq!(
        bench.told(),
        ["2.1 fork of server", "2.1 breakpoint 1 0x401000 *"]
    );
    assert!(!bench.fake.act(|world| world.runs(parent)));
    let names: Vec<String> = bench
        .debugger
        .at(None)
        .processes()
        .into_iter()
        .map(|process| process.name)
        .collect();
    assert_eq!(names, ["server", "server.2"]);
    // Both go on, and the parent's stop is told as well.
    bench.when_resumed(move |world| world.reach(parent, 0x40_1000));
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    assert_eq!(bench.counts(1), (2, 0));
}

#[test]
fn a_breakpoint_of_the_parent_alone_is_taken_out_of_the_child() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("server", 1);
    let parent = threads[0];
    bench.set("*0x401000 on server");
    bench.when_resumed(move |world| {
        let child = world.fork(parent, Origin::Fork);
        // It may come there before it is told that it need not stop.
        let own = world.threads_of(child)[0];
        world.reach(own, 0x40_1000);
    });
    bench.when_resumed(move |world| world.reach(parent, 0x40_1000));
    assert_eq!(bench.run(GO), ["1.1 breakpoint 1 0x401000 *"]);
    let places = bench.fake.act(|world| world.places_of(BreakpointId(1)));
    assert_eq!(places, [(process, 0x40_1000)]);
}

#[test]
fn an_exec_ends_steps_and_breakpoints_of_the_old_program() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("shell", 2);
    let (one, two) = (threads[0], threads[1]);
    bench.set("*0x401000");
    bench.when_resumed(move |world| world.exec(one, "/bin/ls"));
    bench.at().start(STEP, None).expect("runs");
    bench.fake.news();
    bench.told();
    bench.debugger.pump().expect("news");
    // An address is one of the new program, too.
    assert_eq!(bench.told(), ["breakpoint 1: 1", "1.1 runs /bin/ls"]);
    let places = bench.fake.act(|world| world.places_of(BreakpointId(1)));
    assert_eq!(places, [(process, 0x40_1000)]);
    let released = bench.fake.news().into_iter();
    let released: Vec<Request> = released
        .filter(|request| request.call() == Call::Release)
        .collect();
    assert_eq!(released.len(), 1);
    assert!(!bench.fake.act(|world| world.waits(one)));
    // The other thread is gone with the old program, and the step, too: the next stop is told as
    // what it is.
    let views = bench.at().threads(None).expect("threads");
    assert_eq!(views.len(), 1);
    bench.fake.act(|world| {
        assert_eq!(world.threads_of(process), [one]);
        world.signal(two, 12);
        world.step_ends(one, StepEnd::Left, 0x40_0004);
    });
    bench.resumed();
    bench.when_resumed(move |world| world.step_ends(one, StepEnd::Left, 0x40_0008));
    bench.when_resumed(move |world| world.signal(one, 12));
    let stops = bench.at().wait().expect("a stop");
    assert_eq!(crate::bench::words(&stops[0]), "1.1 SIGUSR2 0x400008 *");
    let asked = bench.resumed().concat();
    assert!(asked.iter().all(is_free), "{asked:?}");
}

#[test]
fn an_exec_that_is_caught_stops_with_the_new_name() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("shell", 1);
    let one = threads[0];
    let added = bench
        .debugger
        .add_catchpoint(wayfarer_debugger::CatchSpec::Exec, false);
    let number = u64::from(added.expect("added").number);
    bench.when_resumed(move |world| {
        world.exec(one, "/bin/ls");
        let ids = vec![BreakpointId(number)];
        world.stop(one, StopReason::Exec(ids));
    });
    assert_eq!(bench.run(GO), ["1.1 catch 1 exec 0x400000 *"]);
    let processes = bench.debugger.at(None).processes();
    assert_eq!(processes[0].name, "ls");
}

#[test]
fn a_process_that_ends_in_a_step_ends_the_command_if_nobody_else_runs() {
    let mut bench = Bench::new();
    let (process, _) = bench.launch("one", 2);
    bench.when_resumed(move |world| world.end(process, ProcessEnd::Exited(3)));
    assert_eq!(bench.run(STEP), ["1.1 exit 3 *"]);
    assert!(!bench.debugger.has_processes());
    let again = bench.at().execute(GO, None).expect_err("nothing runs");
    assert_eq!(again.to_string(), "The program is not being run.");
}

#[test]
fn a_process_that_ends_leaves_the_others_running() {
    let mut bench = Bench::new();
    let (process, threads) = bench.launch("server", 1);
    let parent = threads[0];
    bench.when_resumed(move |world| {
        let child = world.fork(parent, Origin::Fork);
        let own = world.threads_of(child)[0];
        let killed = ProcessEnd::Killed {
            signal: 11,
            core_dumped: false,
        };
        world.end(process, killed);
        world.signal(own, 12);
    });
    bench.told();
    // The command goes on with who is left, and is over with the next stop.
    assert_eq!(bench.run(GO), ["2.1 SIGUSR2 0x400000 *"]);
    assert_eq!(
        bench.told(),
        [
            "2.1 fork of server",
            "1.1 killed by SIGSEGV *",
            "2.1 SIGUSR2 0x400000 *"
        ]
    );
    let states: Vec<ProcessState> = bench
        .debugger
        .at(None)
        .processes()
        .into_iter()
        .map(|process| process.state)
        .collect();
    assert!(matches!(states[0], ProcessState::Killed { signal: 11, .. }));
    assert_eq!(states[1], ProcessState::Stopped);
}

#[test]
fn a_thread_that_ends_in_its_step_hands_the_command_on() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("three", 3);
    let (one, two, three) = (threads[0], threads[1], threads[2]);
    bench.when_resumed(move |world| {
        world.end_thread(one);
        let causes = [three, two].map(|thread| (thread, StopReason::Trap));
        world.stop_together(causes.to_vec(), None);
    });
    bench.told();
    // The next thread is followed, whoever stopped first.
    let stops = ["1.2 SIGTRAP 0x400000 *", "1.3 SIGTRAP 0x400000"];
    assert_eq!(bench.run(STEP), stops);
    assert_eq!(bench.told()[0], "1.1 ended");
}

#[test]
fn a_death_that_a_request_meets_first_is_told_as_that_death() {
    // The whole request fails, or the thread is missing in its answer; that the process has ended
    // comes later.
    let refused = |bench: &Bench| {
        let gone = Failure::new(FailureKind::Gone, "it has just died");
        bench.fake.refuse(Call::Resume, gone);
    };
    let missing = |bench: &Bench, process: ProcessId| {
        bench.fake.act(|world| world.die_untold(process));
        bench.when_resumed(|_| {});
    };
    for is_refused in [true, false] {
        let mut bench = Bench::new();
        let (process, _) = bench.launch("one", 1);
        match is_refused {
            true => refused(&bench),
            false => missing(&bench, process),
        }
        let fake = bench.fake.clone();
        let told_later = std::thread::spawn(move || {
            while !fake.is_over() {
                std::thread::yield_now();
            }
            fake.act(|world| world.end(process, ProcessEnd::Exited(1)));
        });
        assert_eq!(bench.run(STEP), ["1.1 exit 1 *"]);
        told_later.join().expect("told");
    }
}

#[test]
fn new_libraries_are_told_and_their_thread_is_let_go() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let this = std::env::current_exe().expect("this program");
    let library = Module {
        runtime: false,
        path: this.display().to_string(),
        build_id: None,
        bias: 0x10_0000_0000,
        low: 0x10_0000_0000,
        high: 0x10_0010_0000,
        executable: false,
        interpreter: false,
        deleted: false,
        open_path: None,
        link_map: None,
    };
    let path = library.path.clone();
    bench.when_resumed(move |world| world.load(one, vec![library]));
    bench.when_resumed(|_| {});
    bench.told();
    bench.at().start(GO, None).expect("runs");
    bench.debugger.pump().expect("news");
    assert_eq!(bench.told(), [format!("{path} true")]);
    assert!(!bench.fake.act(|world| world.waits(one)));
    bench.fake.act(|world| world.load(one, Vec::new()));
    bench.debugger.pump().expect("news");
    assert_eq!(bench.told(), [format!("{path} false")]);
    assert!(bench.debugger.is_running());
}

#[test]
fn a_file_that_cannot_be_read_is_said_once() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("one", 1);
    let one = threads[0];
    let missing = Module {
        runtime: false,
        path: "/no/such/file".to_owned(),
        build_id: None,
        bias: 0,
        low: 0x10_0000,
        high: 0x20_0000,
        executable: false,
        interpreter: false,
        deleted: false,
        open_path: None,
        link_map: None,
    };
    bench.at().start(GO, None).expect("runs");
    bench.told();
    bench.fake.act(|world| world.load(one, vec![missing]));
    bench.debugger.pump().expect("news");
    let told = bench.told();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("one: "), "{told:?}");
}

#[test]
fn held_threads_are_not_resumed() {
    let mut bench = Bench::new();
    let (_, threads) = bench.launch("two", 2);
    let (one, two) = (threads[0], threads[1]);
    let set = Set::parse("1.2").expect("a set");
    bench.debugger.hold(&set).expect("held");
    bench.when_resumed(move |world| {
        assert!(world.runs(one) && !world.runs(two) && world.is_held(two));
        world.signal(one, 12);
    });
    assert_eq!(bench.run(GO), ["1.1 SIGUSR2 0x400000 *"]);
    bench.debugger.release(&set).expect("free");
    bench.when_resumed(move |world| world.signal(two, 12));
    assert_eq!(bench.run(GO), ["1.2 SIGUSR2 0x400000 *"]);
}

#[test]
fn attached_processes_are_let_go_and_launched_ones_end_with_the_session() {
    let mut bench = Bench::new();
    bench.launch("ours", 1);
    let pid = bench.fake.act(|world| {
        let theirs = invent(world, "theirs", 1);
        1000 + theirs.0 as i32
    });
    let attached = bench.debugger.attach(&[pid, 77]);
    assert!(attached[0].1.is_ok() && attached[1].1.is_err());
    bench.fake.news();
    bench.debugger.quit().expect("over");
    let asked: Vec<Call> = bench.fake.news().iter().map(Request::call).collect();
    assert_eq!(asked, [Call::Detach, Call::Kill]);
}
