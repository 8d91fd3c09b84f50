//! Breakpoints of all kinds, watchpoints, catchpoints.

use wayfarer_debugger::view::StopReason;
use wayfarer_debugger::{BreakpointSpec, CatchSpec, WatchAccess, WatchSpec};

use crate::Test;
use crate::bench::Bench;

pub const TESTS: &[Test] = &[
    ("breakpoints::function_and_line", function_and_line),
    (
        "breakpoints::conditions_and_ignores",
        conditions_and_ignores,
    ),
    (
        "breakpoints::unknown_names_are_told",
        unknown_names_are_told,
    ),
    (
        "breakpoints::dprintf_prints_and_goes_on",
        dprintf_prints_and_goes_on,
    ),
    (
        "breakpoints::watch_a_global_and_a_local",
        watch_a_global_and_a_local,
    ),
    ("breakpoints::catch_a_system_call", catch_a_system_call),
    ("breakpoints::temporary_ones_go", temporary_ones_go),
];

const LOOP: &str = r#"#include <stdio.h>
int total;
int add(int n)
{
  int twice = n * 2;
  total += twice;
  return total;
}
int main(void)
{
  for (int i = 0; i < 5; i++)
    add(i);
  printf("%d\n", total);
  return 3;
}
"#;

fn function_and_line() {
    let mut bench = Bench::new();
    let entry = bench.launch("loop.c", LOOP, &[]);
    assert_eq!(entry.reason, StopReason::Entry);
    let number = bench.set("add");
    bench.set("loop.c:13");
    let stop = bench.run();
    assert_eq!(
        stop.reason,
        StopReason::Breakpoint {
            number,
            temporary: false
        }
    );
    assert_eq!(Bench::place(&stop), "add:5");
    let frame = stop.frame.expect("a frame");
    assert_eq!(
        (
            frame.arguments[0].name.as_str(),
            frame.arguments[0].value.as_str()
        ),
        ("n", "0")
    );
    assert_eq!(
        stop.source_line.expect("a line").text,
        "  int twice = n * 2;"
    );
    bench.debugger.delete_breakpoint(number).expect("deleted");
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "main:13");
    assert_eq!(bench.print("total"), "20");
    let end = bench.run();
    assert_eq!(end.reason, StopReason::Exited { status: 3 });
    assert!(!bench.debugger.has_processes());
}

fn conditions_and_ignores() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    let number = bench.set("add if n == 3");
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "add:5");
    assert_eq!(bench.print("n"), "3");
    assert_eq!(bench.debugger.breakpoint(number).expect("there").hits, 1);
    bench
        .at()
        .set_condition(number, None)
        .expect("no condition");
    bench.run();
    assert_eq!(bench.print("n"), "4");
    bench.debugger.relaunch().expect("again");
    bench.debugger.set_ignore(number, 2).expect("ignored");
    bench.run();
    assert_eq!(bench.print("n"), "2");
}

fn unknown_names_are_told() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    let spec = |location: &str| BreakpointSpec {
        location: location.parse().expect("a location"),
        ..BreakpointSpec::default()
    };
    let error = bench
        .at()
        .add_breakpoint(spec("ad"))
        .expect_err("no such function")
        .to_string();
    assert!(
        error.contains("\"ad\" not defined") && error.contains("add"),
        "{error}"
    );
    let error = bench
        .at()
        .add_breakpoint(spec("nosuch.c:3"))
        .expect_err("no such file")
        .to_string();
    assert!(error.contains("nosuch.c"), "{error}");
    let error = bench
        .at()
        .print("nothing_of_the_kind", None)
        .expect_err("no such symbol")
        .to_string();
    assert!(
        error.contains("No symbol \"nothing_of_the_kind\""),
        "{error}"
    );
}

fn dprintf_prints_and_goes_on() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    let spec = BreakpointSpec {
        location: "loop.c:6".parse().expect("a location"),
        dprintf: Some((
            "n=%d twice=%05d\n".to_owned(),
            vec!["n".to_owned(), "twice".to_owned()],
        )),
        ..BreakpointSpec::default()
    };
    bench.at().add_breakpoint(spec).expect("set");
    let end = bench.run();
    assert_eq!(end.reason, StopReason::Exited { status: 3 });
    let events = bench.events.lock().expect("not poisoned");
    let texts: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            wayfarer_debugger::Event::Output { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert_eq!(texts[3], "n=3 twice=00006\n");
}

fn watch_a_global_and_a_local() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    bench.set("add if n == 1");
    bench.run();
    let watch = |expression: &str| WatchSpec {
        expression: expression.to_owned(),
        access: WatchAccess::Write,
        location: false,
        condition: None,
        only: None,
    };
    bench.at().add_watchpoint(watch("total")).expect("a global");
    let stop = bench.run();
    match stop.reason {
        StopReason::Watchpoint {
            expression,
            old,
            new,
            ..
        } => {
            assert_eq!(
                (expression.as_str(), old.as_deref(), new.as_deref()),
                ("total", Some("0"), Some("2"))
            );
        }
        other => panic!("{other:?}"),
    }
    let local = bench
        .at()
        .add_watchpoint(watch("twice"))
        .expect("a local")
        .number;
    let stop = bench.run();
    assert!(
        matches!(stop.reason, StopReason::WatchpointScope { number, .. } if number == local),
        "{:?}",
        stop.reason
    );
}

fn catch_a_system_call() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    bench.set("loop.c:13");
    bench.run();
    bench
        .debugger
        .add_catchpoint(CatchSpec::Syscall(vec!["write".to_owned()]), false)
        .expect("set");
    let stop = bench.run();
    match &stop.reason {
        StopReason::Catch { event, detail, .. } => {
            assert_eq!(
                (event.as_str(), detail.as_str()),
                ("syscall", "(call to syscall write)")
            );
        }
        other => panic!("{other:?}"),
    }
}

fn temporary_ones_go() {
    let mut bench = Bench::new();
    bench.launch("loop.c", LOOP, &[]);
    let spec = BreakpointSpec {
        location: "main".parse().expect("a location"),
        temporary: true,
        ..BreakpointSpec::default()
    };
    bench.at().add_breakpoint(spec).expect("set");
    let stop = bench.run();
    assert!(matches!(
        stop.reason,
        StopReason::Breakpoint {
            temporary: true,
            ..
        }
    ));
    assert!(bench.debugger.breakpoints().is_empty());
}
