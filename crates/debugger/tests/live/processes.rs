//! Threads, forks, execs, attaching, sets.

use std::process::Command;

use wayfarer_debugger::view::{ProcessState, StopReason};
use wayfarer_debugger::{BreakpointSpec, Set, StackSpec};

use crate::Test;
use crate::bench::Bench;

pub const TESTS: &[Test] = &[
    (
        "processes::threads_and_merged_stacks",
        threads_and_merged_stacks,
    ),
    (
        "processes::forked_children_are_followed",
        forked_children_are_followed,
    ),
    (
        "processes::an_exec_gets_its_breakpoints",
        an_exec_gets_its_breakpoints,
    ),
    ("processes::attach_and_detach", attach_and_detach),
    ("processes::names_and_sets", names_and_sets),
    ("processes::a_barrier_gathers", a_barrier_gathers),
];

const THREADS: &str = r#"#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t all;
static void *work(void *argument)
{
  long number = (long)argument;
  pthread_barrier_wait(&all);
  return (void *)(number * 2);
}
int main(void)
{
  pthread_t threads[3];
  pthread_barrier_init(&all, 0, 4);
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], 0, work, (void *)i);
  pthread_barrier_wait(&all);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], 0);
  return 0;
}
"#;

fn threads_and_merged_stacks() {
    let mut bench = Bench::new();
    bench.launch("threads.c", THREADS, &["-pthread"]);
    bench.set("threads.c:16");
    bench.run();
    let threads = bench.at().threads(None).expect("threads");
    assert_eq!(threads.len(), 4);
    assert!(threads.iter().all(|thread| thread.frame.is_some()));
    let stacks = bench
        .debugger
        .backtraces(
            None,
            StackSpec {
                full: true,
                limit: None,
            },
        )
        .expect("stacks");
    assert_eq!(stacks.len(), 4);
    let tree = bench.debugger.stack_tree(None).expect("a tree");
    assert_eq!((tree.threads, tree.processes), (4, 1));
    bench.debugger.delete_breakpoint(1).expect("deleted");
    let number = bench.set("threads.c:8");
    for _ in 0..3 {
        let stop = bench.run();
        assert_eq!(stop.reason.breakpoint(), Some(number));
        assert_eq!(
            bench.print("number"),
            (stop.who.thread_number - 2).to_string()
        );
    }
    let end = bench.run();
    assert_eq!(end.reason, StopReason::Exited { status: 0 });
}

const FORKS: &str = r#"#include <sys/wait.h>
#include <unistd.h>
static int child(int number)
{
  return number + 1;
}
int main(void)
{
  for (int i = 0; i < 2; i++)
    if (fork() == 0)
      _exit(child(i));
  int status, sum = 0;
  while (wait(&status) > 0)
    sum += WEXITSTATUS(status);
  return sum;
}
"#;

fn forked_children_are_followed() {
    let mut bench = Bench::new();
    bench.launch("forks.c", FORKS, &[]);
    bench.set("child");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let stop = bench.run();
        assert_eq!(Bench::place(&stop), "child:5", "{:?}", stop.reason);
        seen.push(stop.who.process);
    }
    seen.sort();
    assert_eq!(seen, ["forks.2", "forks.3"]);
    let end = bench.run();
    assert_eq!(end.reason, StopReason::Exited { status: 3 });
    assert_eq!(end.who.process, "forks");
}

fn an_exec_gets_its_breakpoints() {
    let mut bench = Bench::new();
    bench.build(
        "inner.c",
        "int inner(int n)\n{\n  return n;\n}\nint main(void)\n{\n  return inner(4);\n}\n",
        &[],
    );
    let source = "#include <unistd.h>\nint main(void)\n{\n  execl(\"./inner\", \"inner\", (char *)0);\n  return 1;\n}\n";
    let program = bench.build("outer.c", source, &[]);
    let what = wayfarer_debugger::Launch {
        argv: vec![program.into_os_string()],
        cwd: Some(bench.directory.path().to_owned()),
        ..Default::default()
    };
    bench.debugger.launch(what).expect("launched");
    bench.set("inner");
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "inner:3");
    assert_eq!(stop.who.process, "inner");
}

const SERVER: &str = r#"#include <unistd.h>
volatile int rounds;
static void work(void)
{
  rounds++;
  usleep(1000);
}
int main(void)
{
  for (;;)
    work();
}
"#;

fn attach_and_detach() {
    let mut bench = Bench::new();
    let program = bench.build("server.c", SERVER, &[]);
    let mut server = Command::new(program).spawn().expect("runs");
    let pid = server.id() as i32;
    std::thread::sleep(std::time::Duration::from_millis(100));
    let (_, stop) = bench.debugger.attach(&[pid]).pop().expect("an answer");
    assert_eq!(stop.expect("attached").reason, StopReason::Attached);
    bench.set("server.c:5");
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "work:5");
    let gone = bench.at().detach(None).expect("detached");
    assert_eq!(gone[0].state, ProcessState::Detached);
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(
        server.try_wait().expect("a state").is_none(),
        "the program must go on"
    );
    let answer = bench
        .debugger
        .attach(&[1_999_999])
        .pop()
        .expect("an answer")
        .1;
    assert!(answer.is_err());
    server.kill().expect("killed");
    server.wait().expect("reaped");
}

fn names_and_sets() {
    let mut bench = Bench::new();
    bench.launch("forks.c", FORKS, &[]);
    bench.set("child");
    bench.run();
    let set = Set::parse("forks*").expect("reads");
    assert!(bench.debugger.resolve(&set).expect("members").len() >= 2);
    bench.at().rename("forks.2", "first").expect("renamed");
    let first = Set::parse("first").expect("reads");
    assert_eq!(bench.debugger.resolve(&first).expect("members").len(), 1);
    let at = Set::parse("@at(forks.c:5)").expect("reads");
    // The other child may have come as far in the same moment.
    assert!((1..=2).contains(&bench.debugger.resolve(&at).expect("members").len()));
    assert!(
        bench
            .debugger
            .set_focus(Set::parse("nobody").expect("reads"))
            .is_err()
    );
    let members = bench.debugger.set_focus(first).expect("focused");
    assert_eq!(members.first().map(|id| id.process), Some(2));
    assert_eq!(bench.print("forks:status"), bench.print("forks:status"));
}

fn a_barrier_gathers() {
    let mut bench = Bench::new();
    let source = FORKS.replace(
        "_exit(child(i))",
        "{ usleep(300000 + 100000 * i); _exit(child(i)); }",
    );
    bench.launch("forks.c", &source, &[]);
    bench.set("forks.c:12");
    bench.run();
    let spec = BreakpointSpec {
        location: "child".parse().expect("a location"),
        barrier: true,
        only: Some(Set::parse("forks.2,forks.3").expect("reads")),
        ..BreakpointSpec::default()
    };
    bench.at().add_breakpoint(spec).expect("set");
    let stop = bench.run();
    match &stop.reason {
        StopReason::Barrier(barrier) => {
            let mut arrived = barrier.arrived.clone();
            arrived.sort();
            assert_eq!(arrived, ["forks.2", "forks.3"]);
        }
        other => panic!("{other:?}"),
    }
}
