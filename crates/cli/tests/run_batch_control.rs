//! Watchpoints, catchpoints, signals and every way to run on, through `wayfarer run --batch`.

mod support;

use support::Program;

#[test]
fn watchpoints_of_each_kind() {
    Program::build("kinds")
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break twice",
            "run",
            "delete",
            "watch local",
            "continue",
            "continue",
            "continue",
            "info watchpoints",
            "rwatch counter",
            "continue",
            "delete",
            "awatch other if other == 10",
            "continue",
            "info breakpoints",
            "delete",
            "watch counter",
            "ignore 5 1",
            "continue",
            "info watchpoints",
            "watch twice",
        ])
        .has(&[
            "Hardware watchpoint 2: local\n",
            "New value = 3\ntwice (n=3) at kinds.c:30\n",
            "\nHardware watchpoint 2: local\n\nOld value = 3\nNew value = 6\ntwice (n=3) at kinds.c:31\n",
            "\nWatchpoint 2 deleted because the program has left the block in\nwhich its expression is valid.\n",
            " in main () at kinds.c:63\n",
            "No watchpoints.\n",
            "Hardware read watchpoint 3: counter\n",
            "\nHardware read watchpoint 3: counter\n\nValue = 1\n",
            " in reads () at kinds.c:42\n",
            "Hardware access (read/write) watchpoint 4: other\n",
            "\nOld value = 0\nNew value = 10\nhandler (number=10) at kinds.c:38\n",
            "4       acc watchpoint keep y                      other\n\tstop only if other == 10\n\tbreakpoint already hit 1 time\n",
            "Will ignore next crossing of breakpoint 5.\n",
            "Old value = 2\nNew value = 3\ntwice (n=1) at kinds.c:32\n",
            "5       hw watchpoint  keep y                      counter\n\tbreakpoint already hit 2 times\n",
        ])
        .complains("Cannot watch")
        .ends_with(1);
}

#[test]
fn catchpoints_of_the_kernel() {
    Program::build("kinds")
        .batch(&[
            "catch fork",
            "catch exec",
            "catch signal SIGUSR1",
            "catch syscall write",
            "tcatch syscall getpid",
            "run",
            "continue",
            "continue",
            "continue",
            "continue",
            "info breakpoints",
            "continue",
            "delete 4",
            "continue",
        ])
        .has(&[
            "Catchpoint 1 (fork)\n",
            "Catchpoint 3 (signal SIGUSR1)\n",
            "\nCatchpoint 5 (call to syscall getpid), ",
            "\nCatchpoint 3 (signal SIGUSR1), ",
            "hit Catchpoint 1 (forked process N), ",
            "hit Catchpoint 2 (exec'd /",
            "[Inferior 2 (true, process N) exited normally]\n",
            "hit Catchpoint 4 (call to syscall write), ",
            "1       catchpoint     keep y                      fork\n\tcatchpoint already hit 1 time\n",
            "2       catchpoint     keep y                      exec\n\tcatchpoint already hit 1 time\n",
            "3       catchpoint     keep y                      signal \"SIGUSR1\"\n\tcatchpoint already hit 1 time\n",
            "4       catchpoint     keep y                      syscall \"write\"\n\tcatchpoint already hit 1 time\n",
            "Catchpoint 4 (returned from syscall write), ",
            "[Inferior 1 (process N) exited normally]\n",
        ])
        .ends_with(0);
}

#[test]
fn signals_are_stopped_passed_and_kept_back() {
    let program = Program::build("kinds");
    program
        .batch(&[
            "handle SIGUSR1 stop print nopass",
            "info signals SIGUSR1",
            "break 66",
            "run",
            "continue",
            "print other",
            "handle SIGUSR1 pass",
            "run",
            "signal 0",
            "print other",
            "run",
            "signal SIGUSR1",
            "print other",
            "handle SIGUSR1 nostop print",
            "run",
            "print other",
            "handle SIGFOO stop",
        ])
        .has(&[
            "SIGUSR1       Yes\tYes\tNo\t\tUser defined signal 1\n",
            "\nProgram received signal SIGUSR1, User defined signal 1.\n",
            "Breakpoint 1, main () at kinds.c:66\n",
            "$1 = 0\n",
            "\nProgram received signal SIGUSR1, User defined signal 1.\n",
            "$2 = 0\n",
            "\nProgram received signal SIGUSR1, User defined signal 1.\n",
            "$3 = 10\n",
            "\nProgram received signal SIGUSR1, User defined signal 1.\n\nBreakpoint 1, main () at kinds.c:66\n",
            "$4 = 10\n",
        ])
        .complains("Invalid signal \"SIGFOO\"")
        .ends_with(1);
}

#[test]
fn ways_to_run_on() {
    let program = Program::build("kinds");
    program
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break sum",
            "run",
            "return 5",
            "next",
            "delete",
            "finish",
            "stepi",
            "x/i $pc",
            "nexti",
            "tbreak 68",
            "jump 67",
            "until",
            "until",
            "advance 75",
            "finish",
        ])
        .has(&[
            "Breakpoint 1, sum (a=2, b=4) at kinds.c:56\n",
            "#0  0xN in main () at kinds.c:66\n66\t",
            // The rest of the line calls it again.
            "Breakpoint 1, sum (a=1, b=2) at kinds.c:56\n",
            "Run till exit from #0  sum (a=1, b=2) at kinds.c:56\n",
            "Value returned is $1 = 3\n",
            "0xN\t66\t",
            "=> 0xN <main+",
            "\nTemporary breakpoint 2, main () at kinds.c:68\n",
            "67\t    for (",
            "69\t    pid_t pid = fork();\n",
            "main () at kinds.c:75\n",
        ])
        .complains("\"finish\" not meaningful in the outermost frame.")
        .ends_with(1);
}

#[test]
fn a_step_out_goes_on_to_the_next_line() {
    Program::build("kinds")
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break twice",
            "run",
            "next",
            "next",
            "next",
            "next",
            "next",
            "step",
            "step",
            "until",
            "until",
            "until",
            "info source",
        ])
        .has(&[
            "Breakpoint 1, twice (n=3) at kinds.c:29\n",
            "33\t}\n",
            "main () at kinds.c:64\n64\t    r += reads();\n",
            "reads () at kinds.c:42\n",
            "43\t    v += 1;\n",
            "44\t    return v;\n",
            "45\t}\n",
            // After the call a statement of the same line begins.
            "main () at kinds.c:64\n",
            "Current source file is kinds.c\n",
            "Source language is c.\n",
        ])
        .ends_with(0);
}

#[test]
fn breakpoints_between_two_runs() {
    let program = Program::build("kinds");
    program
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break twice if n == 3",
            "run",
            "condition 1 n == 2",
            "continue",
            "condition 1",
            "info breakpoints",
            "kill",
            "delete",
            "rbreak ^reads",
            "tbreak 63",
            "info breakpoints",
            "whatis twice",
            "run",
            "enable once 2",
            "continue",
            "info breakpoints 2",
            "enable 2",
            "run",
        ])
        .has(&[
            "Breakpoint 1, twice (n=3) at kinds.c:29\n",
            "Breakpoint 1, twice (n=2) at kinds.c:29\n",
            "Breakpoint 1 now unconditional.\n",
            "\tbreakpoint already hit 2 times\n",
            "killed]\n",
            "Breakpoint 2 at 0xN: file kinds.c, line 42.\n",
            "Temporary breakpoint 3 at 0xN: file kinds.c, line 63.\n",
            "2       breakpoint     keep y   0xN in reads at kinds.c:42\n",
            "3       breakpoint     del  y   0xN in main at kinds.c:63\n",
            "type = int (int)\n",
            "Temporary breakpoint 3, main () at kinds.c:63\n",
            "Breakpoint 2, reads () at kinds.c:42\n",
            "2       breakpoint     keep n   0xN in reads at kinds.c:42\n\tbreakpoint already hit 1 time\n",
            "Breakpoint 2, reads () at kinds.c:42\n",
        ])
        .ends_with(0);
    for (condition, message) in [
        (
            "break twice if m == 3",
            "No symbol \"m\" in current context. Did you mean n?",
        ),
        (
            "break twice if countr > 1",
            "No symbol \"countr\" in current context. Did you mean counter?",
        ),
        ("break twice if", "A condition is missing after \"if\"."),
        ("break twice if n ==", "A syntax error in expression"),
        (
            "tbreak twise",
            "Function \"twise\" not defined. Did you mean twice?",
        ),
    ] {
        program.batch(&[condition]).complains(message).ends_with(1);
    }
}
