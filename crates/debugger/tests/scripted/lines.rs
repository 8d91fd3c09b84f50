//! Steps by lines and breakpoints by name, on the symbols of a real file. Nothing of it ever runs.

use std::process::Command;

use wayfarer_backend::{
    Action, BreakpointId, Module, Origin, ProcessEnd, ProcessId, StepEnd, ThreadId,
};
use wayfarer_debugger::{Launch, Run};
use wayfarer_fake_backend::{Call, Request, World};

use crate::bench::{Bench, GO, add_fake, first_frame, invent};

const ADD: &str = "int add(int a, int b)
{
  int c = a + b;
  return c;
}
int main(void)
{
  int s = 0;
  s = add(1, 2) + s;
  return s;
}
";

/// A bench with the file of the program.
struct Workshop {
    bench: Bench,
    module: Module,
    _directory: tempfile::TempDir,
}

impl Workshop {
    fn new() -> Workshop {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("add.c"), ADD).expect("written");
        let built = Command::new("gcc")
            .current_dir(directory.path())
            .args(["-g", "-O0", "-fno-pie", "-no-pie", "add.c", "-o", "add"])
            .status();
        assert!(built.expect("a compiler").success());
        let module = Module {
            runtime: false,
            path: directory.path().join("add").display().to_string(),
            build_id: None,
            bias: 0,
            low: 0x40_0000,
            high: 0x41_0000,
            executable: true,
            interpreter: false,
            deleted: false,
            open_path: None,
            link_map: None,
        };
        Workshop {
            bench: Bench::new(),
            module,
            _directory: directory,
        }
    }

    /// Launches the program with so many threads.
    fn launch(&mut self, threads: usize) -> (ProcessId, Vec<ThreadId>) {
        let module = self.module.clone();
        let process = self.bench.fake.act(|world| {
            let process = invent(world, "add", threads);
            world.map_file(process, module);
            process
        });
        let stop = self.bench.debugger.launch(Launch::default());
        self.bench.frame = Some(first_frame(stop));
        let threads = self.bench.fake.act(|world| world.threads_of(process));
        (process, threads)
    }

    /// Where a location is, by a breakpoint that is there for a moment.
    fn address_of(&mut self, location: &str) -> u64 {
        let number = self.bench.set(location);
        let view = self.bench.debugger.breakpoint(number).expect("there");
        self.bench.debugger.delete_breakpoint(number).expect("gone");
        view.places[0].address
    }

    /// What was asked of a thread that steps.
    fn steps(&self) -> Vec<Action> {
        let resumed = self.bench.resumed().into_iter().flatten();
        resumed
            .map(|action| action.action)
            .filter(|action| *action != Action::Continue)
            .collect()
    }
}

/// The frame of `main`, and that of `add` below it.
const MAIN: u64 = 0x6fff_ff00;
const CALLEE: u64 = MAIN - 0x40;

/// Puts a thread into `main`.
fn in_main(world: &mut World, thread: ThreadId, address: u64) {
    world.registers(thread, |general| {
        general.rip = address;
        general.rbp = MAIN;
        general.rsp = MAIN - 16;
    });
}

/// Puts a thread into `add`, called from `main` and to return to an address.
fn in_add(world: &mut World, process: ProcessId, thread: ThreadId, address: u64, back: u64) {
    let words = [MAIN, back].map(u64::to_le_bytes).concat();
    world.write(process, CALLEE, &words);
    world.registers(thread, |general| {
        general.rip = address;
        general.rbp = CALLEE;
        general.rsp = CALLEE;
    });
}

#[test]
fn a_step_over_a_call_runs_to_its_return_and_on_to_the_next_line() {
    let mut shop = Workshop::new();
    let (process, threads) = shop.launch(1);
    let one = threads[0];
    let (call, add, end) = (
        shop.address_of("add.c:9"),
        shop.address_of("add"),
        shop.address_of("add.c:10"),
    );
    shop.bench.set("add.c:9");
    shop.bench.when_resumed(move |world| {
        in_main(world, one, call);
        world.reach(one, call);
    });
    assert_eq!(shop.bench.run(GO), ["1.1 breakpoint 4 main:9 *"]);
    shop.steps();
    // The back end reports that it has come into the callee, which is not where `next` stops.
    shop.bench.when_resumed(move |world| {
        in_add(world, process, one, add, call + 10);
        world.step_ends(one, StepEnd::Left, add);
    });
    shop.bench.when_resumed(move |world| {
        in_main(world, one, call + 10);
        world.step_ends(one, StepEnd::Reached, call + 10);
    });
    shop.bench.when_resumed(move |world| {
        in_main(world, one, end);
        world.step_ends(one, StepEnd::Left, end);
    });
    let next = Run::Next { count: 1 };
    assert_eq!(shop.bench.run(next), ["1.1 step main:10 *"]);
    let steps = shop.steps();
    assert_eq!(steps.len(), 3);
    assert!(matches!(
        &steps[0],
        Action::Ranges {
            over_calls: true,
            ..
        }
    ));
    let Action::To { addresses, .. } = &steps[1] else {
        panic!("{:?}", steps[1]);
    };
    assert_eq!(*addresses, [call + 10]);
}

#[test]
fn a_stop_of_another_thread_in_the_midst_of_a_step_over_a_call() {
    let mut shop = Workshop::new();
    let (process, threads) = shop.launch(2);
    let (one, two) = (threads[0], threads[1]);
    let (call, add, end) = (
        shop.address_of("add.c:9"),
        shop.address_of("add"),
        shop.address_of("add.c:10"),
    );
    shop.bench.set("add.c:9");
    shop.bench.when_resumed(move |world| {
        in_main(world, one, call);
        world.reach(one, call);
    });
    shop.bench.run(GO);
    shop.bench.when_resumed(move |world| {
        in_add(world, process, one, add, call + 10);
        world.step_ends(one, StepEnd::Left, add);
    });
    shop.bench.when_resumed(move |world| world.signal(two, 12));
    let next = || Run::Next { count: 1 };
    assert_eq!(shop.bench.run(next()), ["1.2 SIGUSR2 0x400000 *"]);
    // The step was given up: the thread stands in the callee, from where a new one begins.
    shop.bench.frame = Some(crate::bench::innermost(1, 1));
    let stack = shop.bench.at().backtrace(Default::default());
    let functions: Vec<Option<String>> = stack
        .expect("a stack")
        .frames
        .into_iter()
        .map(|frame| frame.function)
        .collect();
    assert_eq!(functions, [Some("add".to_owned()), Some("main".to_owned())]);
    shop.bench.when_resumed(move |world| {
        in_main(world, one, end);
        world.step_ends(one, StepEnd::Reached, end);
    });
    assert_eq!(shop.bench.run(Run::Finish), ["1.1 finished add main:10 *"]);
}

#[test]
fn a_process_that_ends_in_a_step_by_lines() {
    let mut shop = Workshop::new();
    let (process, threads) = shop.launch(1);
    let one = threads[0];
    let call = shop.address_of("add.c:9");
    shop.bench.set("add.c:9");
    shop.bench.when_resumed(move |world| {
        in_main(world, one, call);
        world.reach(one, call);
    });
    shop.bench.run(GO);
    shop.bench
        .when_resumed(move |world| world.end(process, ProcessEnd::Exited(3)));
    let next = Run::Next { count: 1 };
    assert_eq!(shop.bench.run(next), ["1.1 exit 3 *"]);
}

#[test]
fn what_a_function_returned_is_shown() {
    let mut shop = Workshop::new();
    let (process, threads) = shop.launch(1);
    let one = threads[0];
    let (call, add) = (shop.address_of("add.c:9"), shop.address_of("add"));
    shop.bench.set("add");
    shop.bench.when_resumed(move |world| {
        in_add(world, process, one, add, call + 10);
        world.reach(one, add);
    });
    assert_eq!(shop.bench.run(GO), ["1.1 breakpoint 3 add:3 *"]);
    shop.steps();
    shop.bench.when_resumed(move |world| {
        in_main(world, one, call + 10);
        world.registers(one, |general| general.rax = 3);
        world.step_ends(one, StepEnd::Reached, call + 10);
    });
    let stops = shop.bench.at().execute(Run::Finish, None).expect("runs");
    let wayfarer_debugger::view::StopReason::Finished { value, .. } = &stops[0].reason else {
        panic!("{:?}", stops[0]);
    };
    assert_eq!(value.as_ref().map(|value| value.text.as_str()), Some("3"));
    let to = Action::To {
        addresses: vec![call + 10],
        stack_above: Some(CALLEE + 15),
    };
    assert_eq!(shop.steps(), [to]);
}

#[test]
fn a_new_program_gets_the_breakpoint_and_not_the_ignored_hits_again() {
    let mut shop = Workshop::new();
    let (process, threads) = shop.launch(1);
    let one = threads[0];
    let add = shop.address_of("add");
    let module = shop.module.clone();
    let number = shop.bench.set("add");
    shop.bench.debugger.set_ignore(number, 3).expect("there");
    shop.bench.when_resumed(move |world| {
        world.reach(one, add);
        world.reach(one, add);
        world.fork(one, Origin::Fork);
        world.exec(one, "add");
        world.load(one, vec![module]);
    });
    shop.bench.at().start(GO, None).expect("runs");
    shop.bench.debugger.pump().expect("news");
    let places = shop.bench.debugger.breakpoint(number).expect("there");
    assert_eq!((places.hits, places.ignore), (2, 1));
    assert_eq!(places.places.len(), 2);
    let id = BreakpointId(u64::from(number));
    let child = ProcessId(process.0 + 2);
    let placed = shop.bench.fake.act(|world| world.places_of(id));
    assert_eq!(placed, [(process, add), (child, add)]);
    shop.bench.fake.act(|world| {
        let own = world.threads_of(child)[0];
        world.reach(own, add);
        world.reach(one, add);
    });
    let stops = shop.bench.at().wait().expect("a stop");
    assert_eq!(stops[0].who.numbers(), "1.1");
    assert_eq!(shop.bench.counts(number), (4, 0));
}

#[test]
fn hits_in_two_back_ends_are_passed_over_together() {
    let mut shop = Workshop::new();
    let (_, threads) = shop.launch(1);
    let one = threads[0];
    let add = shop.address_of("add");
    let number = shop.bench.set("add");
    shop.bench.debugger.set_ignore(number, 3).expect("there");
    shop.bench.when_resumed(move |world| {
        world.reach(one, add);
        world.signal(one, 12);
    });
    shop.bench.run(GO);
    assert_eq!(shop.bench.counts(number), (1, 2));
    // The same program in another back end, whose ids are the same.
    let (agent, other) = add_fake(&mut shop.bench.debugger);
    let module = shop.module.clone();
    other.act(|world| {
        let process = invent(world, "add", 1);
        world.map_file(process, module);
    });
    let what = Launch {
        agent: Some(agent),
        ..Launch::default()
    };
    let second = first_frame(shop.bench.debugger.launch(what));
    assert_eq!(shop.bench.counts(number), (1, 2));
    let asked = other
        .news()
        .into_iter()
        .filter_map(|request| match request {
            Request::InsertBreakpoint(request) => Some(request.ignore_count),
            _ => None,
        });
    // Neither passes anything over by itself: two of three would pass in each.
    assert_eq!(asked.collect::<Vec<_>>(), [0]);
    other.then(Call::Resume, move |world| world.reach(one, add));
    other.then(Call::Resume, move |world| world.reach(one, add));
    shop.bench.when_resumed(|_| {});
    shop.bench.when_resumed(|_| {});
    other.then(Call::Resume, move |world| world.reach(one, add));
    let stops = shop.bench.debugger.at(second).execute(GO, None);
    assert_eq!(stops.expect("runs")[0].who.numbers(), "2.1");
    assert_eq!(shop.bench.counts(number), (4, 0));
}
