//! Functions of the program called from the prompt: their values, and what happens when something stops them.

mod support;

use support::Program;

#[test]
fn calls_return_values() {
    Program::build("kinds")
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break 67",
            "run",
            "call twice(4)",
            "print sum(twice(1), 2) + 1",
            "call (void)handler(3)",
            "print other",
            "print show_point(&p)",
            "break twice",
            "bt",
            "call twice(5)",
        ])
        .has(&[
            "$1 = 8\n",
            "$2 = 5\n",
            "$3 = 3\n",
            "$4 = 0xN <text.",
            "\"<7|8>\"\n",
            "#0  main () at kinds.c:67\n",
            "\nBreakpoint 2, twice (n=5) at kinds.c:29\n",
        ])
        .complains("stopped while in a function called from Wayfarer.\n")
        .complains("(twice) will be abandoned.")
        .ends_with(1);
}

#[test]
fn a_breakpoint_in_a_called_function_stops_there() {
    let said = Program::build("kinds").piped(
        "handle SIGUSR1 nostop noprint\n\
         break 67\n\
         run\n\
         break twice\n\
         print twice(5)\n\
         bt\n\
         frame 2\n\
         info locals\n\
         frame 0\n\
         finish\n\
         bt\n\
         print twice(6)\n\
         next 3\n\
         delete 2\n\
         continue\n\
         break twice\n\
         call twice(7)\n\
         return 1\n\
         bt\n\
         print counter\n\
         info breakpoints\n\
         delete\n\
         continue\n",
    );
    said.has(&[
        "\nBreakpoint 2, twice (n=5) at kinds.c:29\n",
        "#0  twice (n=5) at kinds.c:29\n#1  <function called from wayfarer>\n#2  main () at kinds.c:67\n",
        "p = {x = 7, y = 8}\n",
        "Run till exit from #0  twice (n=5) at kinds.c:29\n",
        "main () at kinds.c:67\n",
        "Value returned is $1 = 10\n",
        "#0  main () at kinds.c:67\n",
        "\nBreakpoint 2, twice (n=6) at kinds.c:29\n",
        "32\t    return local;\n",
        // After the function the thread is where it was before the call.
        "main () at kinds.c:67\n67\t",
        "\nBreakpoint 3, twice (n=7) at kinds.c:29\n",
        "#0  main () at kinds.c:67\n67\t",
        "#0  main () at kinds.c:67\n",
        "$2 = 5\n",
        // The breakpoint where it stood is not hit again.
        "1       breakpoint     keep y   0xN in main at kinds.c:67\n\tbreakpoint already hit 1 time\n",
        "exited normally]\n",
    ]);
    assert!(
        said.err
            .contains("When the function is done executing, Wayfarer will stop."),
        "{}",
        said.err
    );
}

#[test]
fn a_signal_in_a_called_function_stops_there_or_undoes_it() {
    let said = Program::build("kinds").piped(
        "handle SIGUSR1 nostop noprint\n\
         break 67\n\
         run\n\
         print show_point(1)\n\
         bt\n\
         return\n\
         bt\n\
         set unwindonsignal on\n\
         print show_point(1)\n\
         bt\n\
         continue\n",
    );
    said.has(&[
        "\nProgram received signal SIGSEGV, Segmentation fault.\n",
        "#0  0xN in show_point (p=0x1) at kinds.c:50\n#1  <function called from wayfarer>\n#2  main () at kinds.c:67\n",
        "#0  main () at kinds.c:67\n67\t",
        "#0  main () at kinds.c:67\n",
        "\nProgram received signal SIGSEGV, Segmentation fault.\n",
        "#0  main () at kinds.c:67\n",
        "exited normally]\n",
    ]);
    for words in ["\"set unwindonsignal on\"", "\"set unwindonsignal off\""] {
        assert!(said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn a_call_that_takes_too_long_is_undone() {
    let said = Program::build("spin").piped(
        "break mark\n\
         run\n\
         info registers rip rsp\n\
         set direct-call-timeout 1\n\
         print spin(0)\n\
         bt 1\n\
         info registers rip rsp\n\
         delete\n\
         continue\n",
    );
    said.has(&[
        "hit Breakpoint 1, mark (i=0)",
        "#0  mark (i=0)",
        "exited normally]\n",
    ]);
    assert!(said.err.contains("did not return in time"), "{}", said.err);
    assert!(
        said.err.contains("(spin) will be abandoned."),
        "{}",
        said.err
    );
}

#[test]
fn a_called_function_that_throws_is_undone() {
    let said = Program::build_cpp("throws").piped(
        "break 24\n\
         run\n\
         print half_or_none(3)\n\
         print half(3)\n\
         bt\n\
         print half(6)\n\
         set unwind-on-terminating-exception off\n\
         print half(5)\n\
         continue\n",
    );
    said.has(&[
        "$1 = -1\n",
        "#0  main () at throws.cpp:24\n",
        "$2 = 3\n",
        "\nProgram received signal SIGABRT, Aborted.\n",
    ]);
    for words in [
        "came to std::terminate.\n",
        "\"set unwind-on-terminating-exception off\"",
    ] {
        assert!(said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn a_program_goes_on_behind_a_call_that_threw() {
    let said = Program::build_cpp("throws").piped(
        "break 24\n\
         run\n\
         print half(3)\n\
         continue\n",
    );
    said.has(&["2 4\n", "exited normally]\n"]);
}
