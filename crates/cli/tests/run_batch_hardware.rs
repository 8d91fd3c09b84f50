//! Breakpoints in debug registers, through `wayfarer run --batch`.

mod support;

use support::Program;

#[test]
fn hardware_breakpoints_stop_count_and_go() {
    Program::build("basic")
        .batch(&[
            "start",
            "hbreak add if a > 1",
            "continue",
            "info breakpoints",
            "delete 2",
            "hbreak add",
            "ignore 3 1",
            "thbreak 26",
            "continue",
            "next",
            "delete 3",
            "continue",
            "info breakpoints",
            "continue",
        ])
        .has(&[
            "Hardware assisted breakpoint 2 at 0xN: file basic.c, line 13.\n",
            "\nBreakpoint 2, add (a=2, b=4) at basic.c:13\n",
            "2       hw breakpoint  keep y   0xN in add at basic.c:13\n\tstop only if a > 1\n\tbreakpoint already hit 1 time\n",
            "Hardware assisted breakpoint 4 at 0xN: file basic.c, line 26.\n",
            // Not at once: the place where it stands is not hit again.
            "\nBreakpoint 3, add (a=4, b=4) at basic.c:13\n",
            "14\t    total += sum;\n",
            "\nTemporary breakpoint 4, main () at basic.c:26\n",
            "No breakpoints or watchpoints.\n",
            "exited with code 03]\n",
        ])
        .ends_with(0);
}

#[test]
fn the_code_is_not_touched() {
    Program::build("basic")
        .batch(&[
            "start",
            "hbreak add",
            "continue",
            "print *(unsigned char *)$pc == 0xcc",
            "stepi",
            "continue",
            "info breakpoints",
        ])
        .has(&[
            "\nBreakpoint 2, add (a=0, b=4)",
            "$1 = 0\n",
            "\nBreakpoint 2, add (a=1, b=4)",
            "\tbreakpoint already hit 2 times\n",
        ])
        .ends_with(0);
}

#[test]
fn every_thread_stops_those_to_come_included() {
    Program::build("threads")
        .batch(&[
            "start",
            "hbreak 11",
            "continue",
            "continue",
            "continue",
            "info breakpoints",
            "continue",
        ])
        .has(&[
            "hit Breakpoint 2, work (",
            "hit Breakpoint 2, work (",
            "hit Breakpoint 2, work (",
            "\tbreakpoint already hit 3 times\n",
            "exited normally]\n",
        ])
        .ends_with(0);
}

#[test]
fn four_debug_registers_and_no_more() {
    Program::build("basic")
        .batch(&[
            "start",
            "hbreak add",
            "hbreak add",
            "watch total",
            "watch text",
            "hbreak 25",
            "hbreak 26",
        ])
        .has(&["Hardware assisted breakpoint 6 at 0xN: file basic.c, line 25.\n"])
        .complains(
            "Could not insert hardware breakpoint 7: all 4 debug registers are in use: delete another hardware \
             breakpoint or watchpoint first.",
        )
        .ends_with(1);
}
