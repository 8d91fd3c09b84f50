//! Threads that run while others stand: scheduler locking, what a stop stops, holding.

mod support;

use support::{Program, Said};

/// The values that `print` showed, in order.
fn values(said: &Said) -> Vec<i64> {
    said.out
        .lines()
        .filter_map(|line| line.strip_prefix('$')?.split(" = ").nth(1)?.parse().ok())
        .collect()
}

#[test]
fn locked_threads_stand_still() {
    let said = Program::build("spin").batch(&[
        "break mark",
        "run",
        "set scheduler-locking on",
        "print counts[1]",
        "next",
        "next",
        "print counts[1]",
        "set scheduler-locking off",
        // The other threads get a processor sooner or later.
        "set $n = 0",
        "while counts[1] == $2 && $n < 1000",
        "set $n = $n + 1",
        "stepi",
        "end",
        "print counts[1] > $2",
        "thread apply all bt 1",
    ]);
    said.has(&[
        "hit Breakpoint 1, mark (i=0) at spin.c:17\n",
        // A step of the thread that the prompt looks at is not announced with its name.
        "18\t}\n",
        "main () at spin.c:27\n",
        "Thread 1.2 (spin, LWP N",
    ])
    .ends_with(0);
    let values = values(&said);
    assert_eq!(values[0], values[1], "{}", said.out);
    assert_eq!(values[2], 1, "{}", said.out);
}

#[test]
fn a_stop_of_one_thread_leaves_the_others_running() {
    let said = Program::build("spin").batch(&[
        "set stop thread",
        "break mark",
        "run",
        "info threads",
        "print counts[1]",
        "shell sleep 0.2",
        "print counts[1]",
        "halt 1.2",
        "thread 2",
        "print n",
        "hold 1.2",
        "info threads",
        "release 1.2",
        "set stop all",
        "halt",
        "info threads",
        "delete",
        "continue",
    ]);
    said.has(&[
        "hit Breakpoint 1, mark (i=0) at spin.c:17\n",
        "* 1 ",
        "(running)\n",
        "(running)\n",
        "Held spin (1.2).\n",
        "(held)\n",
        "Released spin (1.2).\n",
        "exited normally]\n",
    ])
    .ends_with(0);
    let values = values(&said);
    assert!(values[0] < values[1], "{}", said.out);
    assert_eq!(values[2], 1, "{}", said.out);
}

#[test]
fn a_stop_of_one_process_leaves_the_others_running() {
    Program::build("tree")
        .batch(&[
            "set stop process",
            "break meet",
            "run",
            "on all print 1",
            "delete",
            "continue",
            "wait",
            "wait",
        ])
        .has(&["hit Breakpoint 1, meet (number="])
        .ends_with(0);
}

#[test]
fn barriers_count_children_and_those_who_end() {
    let program = Program::build("tree");
    let said = program.batch(&[
        "barrier meet on all",
        "run",
        "info breakpoints",
        "on all print number + 10",
        "continue",
    ]);
    said.has(&[
        "It waits for tree.\n",
        "waits at Barrier 1: 1 arrived, ",
        "hit Barrier 1 complete (tree, tree.2, tree.3), meet (number=",
        "arrived: none; missing: tree, tree.2, tree.3\n",
        "exited normally]\n",
    ])
    .ends_with(0);
    let mut values = values(&said);
    values.sort_unstable();
    assert_eq!(values, [10, 11, 12], "{}", said.out);
    // Of a barrier for one process its children know nothing.
    program
        .batch(&["barrier meet on tree", "run", "print number", "continue"])
        .has(&[
            "hit Barrier 1 complete (tree), meet (number=0)",
            "$1 = 0\n",
            "exited normally]\n",
        ])
        .ends_with(0);
}
