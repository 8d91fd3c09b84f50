//! Stepping, finishing, jumping, halting.

use std::time::Duration;

use wayfarer_debugger::view::StopReason;
use wayfarer_debugger::{Run, StackSpec};

use crate::Test;
use crate::bench::Bench;

pub const TESTS: &[Test] = &[
    ("execution::steps_as_gdb_does", steps_as_gdb_does),
    ("execution::next_over_recursion", next_over_recursion),
    ("execution::finish_shows_the_value", finish_shows_the_value),
    ("execution::until_and_advance", until_and_advance),
    ("execution::halt_a_running_program", halt_a_running_program),
    ("execution::a_signal_stops", a_signal_stops),
    ("execution::frames_up_and_down", frames_up_and_down),
];

const STEPS: &str = r#"#include <stdio.h>
static int add(int a, int b)
{
  int c = a + b;
  return c;
}
static inline __attribute__((always_inline)) int inl(int x)
{
  int y = x * 2;
  return y + 1;
}
int main(void)
{
  int s = 0;
  s = add(1, 2) + s;
  s = inl(s);
  for (int i = 0; i < 2; i++)
    s += i;
  printf("%d\n", s);
  return 0;
}
"#;

fn steps_as_gdb_does() {
    let mut bench = Bench::new();
    bench.launch("steps.c", STEPS, &["-O0"]);
    bench.set("add");
    bench.run();
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(Bench::place(&bench.go(Run::Next { count: 1 })));
    }
    assert_eq!(places, ["add:5", "add:6", "main:15", "main:16"]);
    places.clear();
    for _ in 0..5 {
        places.push(Bench::place(&bench.go(Run::Step { count: 1 })));
    }
    assert_eq!(places, ["inl:9", "inl:10", "main:16", "main:17", "main:18"]);
    bench.debugger.relaunch().expect("again");
    bench.debugger.delete_breakpoint(1).expect("deleted");
    bench.set("steps.c:15");
    bench.run();
    assert_eq!(Bench::place(&bench.go(Run::Step { count: 1 })), "add:4");
    assert_eq!(Bench::place(&bench.go(Run::Finish)), "main:15");
    assert_eq!(Bench::place(&bench.go(Run::Next { count: 1 })), "main:16");
    assert_eq!(Bench::place(&bench.go(Run::Next { count: 1 })), "main:17");
    assert_eq!(Bench::place(&bench.go(Run::Step { count: 5 })), "main:19");
    assert_eq!(Bench::place(&bench.go(Run::Next { count: 1 })), "main:20");
}

const RECURSION: &str = r#"int fact(int n)
{
  if (n < 2)
    return 1;
  int rest = fact(n - 1);
  return n * rest;
}
int main(void)
{
  int f = fact(5);
  return f == 120;
}
"#;

fn next_over_recursion() {
    let mut bench = Bench::new();
    bench.launch("fact.c", RECURSION, &[]);
    bench.set("fact if n == 4");
    bench.run();
    assert_eq!(Bench::place(&bench.go(Run::Next { count: 1 })), "fact:5");
    assert_eq!(Bench::place(&bench.go(Run::Next { count: 1 })), "fact:6");
    assert_eq!(bench.print("n"), "4");
    assert_eq!(bench.print("rest"), "6");
}

fn finish_shows_the_value() {
    let mut bench = Bench::new();
    bench.launch("fact.c", RECURSION, &[]);
    bench.set("fact if n == 3");
    bench.run();
    let stop = bench.go(Run::Finish);
    match &stop.reason {
        StopReason::Finished { function, value } => {
            assert_eq!(function, "fact");
            let value = value.as_ref().expect("a value");
            assert_eq!((value.text.as_str(), value.history), ("6", Some(1)));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.print("n"), "4");
    assert_eq!(bench.print("$1 + 1"), "7");
}

fn until_and_advance() {
    let mut bench = Bench::new();
    bench.launch("steps.c", STEPS, &["-O0"]);
    bench.set("steps.c:18");
    bench.run();
    bench.debugger.delete_breakpoint(1).expect("deleted");
    bench.go(Run::Next { count: 1 });
    assert_eq!(Bench::place(&bench.go(Run::Until)), "main:19");
    assert_eq!(
        Bench::place(&bench.go(Run::Advance("20".parse().expect("a location")))),
        "main:20"
    );
}

const FOREVER: &str = r#"#include <unistd.h>
volatile long count;
static void spin(void)
{
  for (;;)
    count++;
}
int main(void)
{
  spin();
}
"#;

fn halt_a_running_program() {
    let mut bench = Bench::new();
    bench.launch("forever.c", FOREVER, &[]);
    let interrupter = bench.debugger.interrupter();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        interrupter.halt();
    });
    let stop = bench.run();
    other.join().expect("joined");
    assert_eq!(stop.reason, StopReason::Halted);
    assert!(
        Bench::place(&stop).starts_with("spin:"),
        "{}",
        Bench::place(&stop)
    );
    bench.at().set_variable("count = 41").expect("set");
    assert_eq!(bench.print("count + 1"), "42");
}

const SIGNAL: &str = r#"#include <signal.h>
#include <stdlib.h>
static int handled;
static void handler(int number)
{
  handled = number;
}
int main(void)
{
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  int *nowhere = (int *)(long)handled;
  return *nowhere;
}
"#;

fn a_signal_stops() {
    let mut bench = Bench::new();
    bench.launch("signal.c", SIGNAL, &[]);
    let stop = bench.run();
    assert!(
        matches!(&stop.reason, StopReason::Signal { name, .. } if name == "SIGUSR1"),
        "{:?}",
        stop.reason
    );
    bench.set("handler");
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "handler:6");
    let stack = bench.at().backtrace(StackSpec::default()).expect("a stack");
    let functions: Vec<&str> = stack
        .frames
        .iter()
        .filter_map(|frame| frame.function.as_deref())
        .collect();
    assert_eq!(functions.first(), Some(&"handler"));
    assert_eq!(functions.last(), Some(&"main"));
    let stop = bench.run();
    assert!(
        matches!(&stop.reason, StopReason::Signal { name, .. } if name == "SIGSEGV"),
        "{:?}",
        stop.reason
    );
    assert_eq!(Bench::place(&stop), "main:13");
    let stop = bench.run();
    assert!(
        matches!(&stop.reason, StopReason::Killed { name, .. } if name == "SIGSEGV"),
        "{:?}",
        stop.reason
    );
}

fn frames_up_and_down() {
    let mut bench = Bench::new();
    bench.launch("fact.c", RECURSION, &[]);
    bench.set("fact if n == 1");
    bench.run();
    let stack = bench.at().backtrace(StackSpec::default()).expect("a stack");
    assert_eq!(stack.frames.len(), 6);
    let caller = bench.at().up(2).expect("a caller");
    bench.go_to(caller.level);
    assert_eq!((caller.level, caller.line), (2, Some(5)));
    assert_eq!(bench.print("n"), "3");
    let callee = bench.at().down(1).expect("a callee");
    bench.go_to(callee.level);
    assert_eq!(bench.print("n"), "2");
    bench.go_to(5);
    let locals = bench.at().locals().expect("locals");
    assert_eq!(locals[0].name, "f");
    assert!(bench.at().up(1).is_err());
}
