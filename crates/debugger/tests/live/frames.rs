//! Requests about frames of several threads, in any order: nothing is selected in between.

use wayfarer_debugger::view::VariableView;
use wayfarer_debugger::{Location, Run, StackFrame, StackSpec, ThreadId};

use crate::Test;
use crate::bench::{Bench, thread_of};

pub const TESTS: &[Test] = &[
    (
        "frames::each_request_names_its_own",
        each_request_names_its_own,
    ),
    (
        "frames::without_one_there_are_constants",
        without_one_there_are_constants,
    ),
];

const TWO_THREADS: &str = r#"#include <pthread.h>
static pthread_barrier_t all;
int depth(int level, int *mine)
{
  if (level > 0)
    return depth(level - 1, mine) + 1;
  pthread_barrier_wait(&all);
  *mine += 1;
  pthread_barrier_wait(&all);
  return 0;
}
void *work(void *argument)
{
  int own = 70;
  own += depth(2, &own);
  return argument;
}
int main(void)
{
  pthread_t thread;
  int own = 30;
  pthread_barrier_init(&all, 0, 2);
  pthread_create(&thread, 0, work, 0);
  depth(1, &own);
  pthread_join(thread, 0);
  return own;
}
"#;

fn named<'a>(variables: &'a [VariableView], name: &str) -> &'a str {
    let mut those = variables.iter().filter(|variable| variable.name == name);
    those.next().map_or("", |variable| &variable.value)
}

fn each_request_names_its_own() {
    let mut bench = Bench::new();
    bench.launch("two.c", TWO_THREADS, &["-O0", "-pthread"]);
    bench.set("two.c:8");
    let stop = bench.run();
    let stopped = thread_of(&stop);
    let other = ThreadId {
        process: 1,
        thread: 3 - stopped.thread,
    };
    // Whoever came first: thread 1 has one frame fewer between it and its number.
    let (main, worker) = match stopped.thread {
        1 => (stopped, other),
        _ => (other, stopped),
    };
    let mut owner = |thread: ThreadId, function: &str| -> StackFrame {
        let mut at = bench.debugger.at(StackFrame::innermost(thread));
        let level = at.frame_of(function).expect("on its stack").level;
        StackFrame { thread, level }
    };
    let (in_main, in_work) = (owner(main, "main"), owner(worker, "work"));
    let debugger = &mut bench.debugger;
    for _ in 0..2 {
        let own = debugger.at(in_main).evaluate("own", None).expect("a value");
        assert_eq!(own.text, "30");
        let locals = debugger.at(in_work).locals().expect("locals");
        assert_eq!(named(&locals, "own"), "70");
    }
    // A name before a colon means another frame than the request's; the request's stays what it was.
    let crossed = format!("two.{}:own", worker.thread);
    let looked = debugger.at(in_work).look().expect("a frame").1;
    assert_eq!(
        looked.and_then(|frame| frame.function).as_deref(),
        Some("work")
    );
    let value = debugger
        .at(in_main)
        .evaluate(&crossed, None)
        .expect("there");
    assert_eq!(value.text, "70");
    let frames = |view: wayfarer_debugger::view::StackView| view.frames;
    let stack = debugger.at(in_work).backtrace(StackSpec::default());
    let stack = frames(stack.expect("a stack"));
    assert!(
        stack
            .iter()
            .any(|frame| frame.function.as_deref() == Some("work"))
    );
    let info = debugger.at(in_main).frame_info().expect("a frame");
    assert_eq!(info.frame.function.as_deref(), Some("main"));
    let counter = |registers: Vec<wayfarer_debugger::view::RegisterView>| registers[0].raw.clone();
    let in_caller = debugger.at(in_main).registers(&["rip"]).expect("registers");
    assert_eq!(counter(in_caller), format!("{:#x}", info.frame.address));
    let code = debugger.at(in_work).disassemble(Default::default());
    assert_eq!(code.expect("code").function.as_deref(), Some("work"));
    let listed = debugger
        .at(in_main)
        .list(Default::default())
        .expect("source");
    assert_eq!(listed.current_line, info.frame.line);
    // A location without a file is of the frame that the request names.
    let lines = debugger.at(in_work).info_line(&Location::Here);
    assert_eq!(lines.expect("a line")[0].line, 15);
    // Leaving a frame that is not the innermost, of a thread that did not stop.
    let stops = debugger.at(in_main).execute(Run::Finish, None);
    assert!(stops.is_err(), "main is the outermost");
    debugger.delete_breakpoint(1).expect("deleted");
    let caller = StackFrame {
        thread: worker,
        level: in_work.level - 1,
    };
    let stops = debugger.at(caller).execute(Run::Finish, None);
    let stops = stops.expect("a stop");
    assert_eq!(thread_of(&stops[0]), worker);
    assert_eq!(Bench::place(&stops[0]), "work:15");
    assert!(stops[0].current);
}

fn without_one_there_are_constants() {
    let mut bench = Bench::new();
    let value = bench.debugger.at(None).print("6 * 7", None);
    assert_eq!(value.expect("a constant").text, "42");
    assert!(bench.debugger.at(None).locals().is_err());
    bench.launch("two.c", TWO_THREADS, &["-O0", "-pthread"]);
    // A frame that the stack does not have is said to be none.
    let frame = StackFrame {
        level: 99,
        ..bench.frame.expect("a stop")
    };
    let error = bench.debugger.at(frame).locals().expect_err("no frame");
    assert_eq!(error.to_string(), "No frame at level 99.");
}
