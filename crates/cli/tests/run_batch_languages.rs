//! What C++ and Rust bring with them: exceptions and panics on the way of a step, `Debug`, names of types.

mod support;

use support::Program;

#[test]
fn steps_over_exceptions_and_long_jumps_stop_at_the_landing() {
    let program = Program::build_cpp("leaps");
    program
        .batch(&[
            "break main",
            "run",
            "next 3",
            "next",
            "next",
            "next",
            "next",
            "print total",
            "next",
            "next",
            "next",
            "print left",
            "next",
            "next",
        ])
        .has(&[
            "Breakpoint 1, main () at leaps.cpp:45\n",
            "50\t    } catch (const std::exception &) {\n",
            "51\t        total += 1;\n",
            "52\t    }\n",
            "53\t    total += caught(3);\n",
            "54\t    int v = setjmp(environment);\n",
            "$1 = 2\n",
            "56\t        jumper(1);\n",
            "55\t    if (v == 0)\n",
            "$2 = 5\n",
            "58\t        total += v;\n",
        ])
        .ends_with(0);
    program
        .batch(&[
            "break inner if n == 5",
            "run",
            "finish",
            "break jumper",
            "continue",
            "finish",
        ])
        .has(&[
            "Breakpoint 1, inner (n=5) at leaps.cpp:15\n",
            "Run till exit from #0  inner (n=5) at leaps.cpp:15\nmiddle (n=5) at leaps.cpp:26\n",
            "Breakpoint 2, jumper (n=1) at leaps.cpp:39\n",
            " in main () at leaps.cpp:54\n",
        ])
        .ends_with(0);
}

#[test]
fn exceptions_are_caught_where_they_are_thrown() {
    Program::build_cpp("leaps")
        .batch(&[
            "catch throw",
            "catch catch",
            "run",
            "up",
            "continue",
            "info breakpoints",
            "delete 1",
            "continue",
            "delete",
            "continue",
        ])
        .has(&[
            "Catchpoint 1 (throw)\n",
            "Catchpoint 2 (catch)\n",
            "\nCatchpoint 1 (exception thrown), ",
            " in __cxa_throw () from ",
            "#1  0xN in inner (n=5) at leaps.cpp:17\n",
            "\nCatchpoint 2 (exception caught), ",
            " in __cxa_begin_catch () from ",
            "1       catchpoint     keep y                      exception throw\n\tcatchpoint already hit 1 time\n",
            "\nCatchpoint 2 (exception caught), ",
            "exited normally]\n",
        ])
        .ends_with(0);
}

#[test]
fn rust_values_in_their_own_words() {
    Program::build_rust("own_debug")
        .batch(&[
            "break area",
            "run",
            "up",
            "print secret",
            "print -debug secret",
            "print -debug shape",
            "print -debug few",
            "print -debug whole",
            "print -debug -pretty p",
            "print -debug plain",
            "set print debug on",
            "print p",
            "print secret",
            "set print debug off",
            "print secret",
            "info functions ^area",
            "info types ^Sha",
            "continue",
        ])
        .has(&[
            "Breakpoint 1, own_debug::area (shape=",
            "$1 = Secret(1234)\n",
            "$2 = Secret(ends in 4)\n",
            "$3 = Circle { center: Point { x: 1, y: -2 }, radius: 2.0 }\n",
            "$4 = Wrap { inner: 5 }\n",
            "$5 = Wrap { inner: Point { x: 1, y: -2 } }\n",
            "$6 = Point {\n    x: 1,\n    y: -2,\n}\n",
            "$7 = Plain {n: 4}\n",
            "$8 = Point { x: 1, y: -2 }\n",
            "$9 = Secret(ends in 4)\n",
            "$10 = Secret(1234)\n",
            "own_debug::area",
            "own_debug::Shape\n",
            "6 4 true\n",
            "exited normally]\n",
        ])
        .ends_with(0);
}

#[test]
fn rust_panics() {
    Program::build_rust("own_debug")
        .batch(&[
            "catch panic",
            "break risky if n == 9",
            "run",
            "finish",
            "info breakpoints",
            "delete",
            "break own_debug.rs:54",
            "next",
            "continue",
        ])
        .has(&[
            "Catchpoint 1 (panic)\n",
            "Breakpoint 2, own_debug::risky (n=9) at own_debug.rs:",
            "\nCatchpoint 1 (panic), ",
            "rust panic\n\tcatchpoint already hit 1 time\n",
            "Breakpoint 3, own_debug::main () at own_debug.rs:54\n",
        ])
        .ends_with(0);
}
