//! Types with their layout, literals, memory that is looked for, and what a signal carries.

mod support;

use support::Program;

#[test]
fn layouts_are_shown_as_gdb_shows_them() {
    Program::build("kinds")
        .batch(&[
            "break sum",
            "handle SIGUSR1 nostop noprint",
            "run",
            "ptype/o struct point",
            "ptype/o bits",
            "ptype/o counter",
            "ptype/q counter",
        ])
        .has(&[
            "/* offset      |    size */  type = struct point {\n\
             /*      0      |       4 */    int x;\n\
             /*      4      |       4 */    int y;\n\
             \n                               /* total size (bytes):    8 */\n                             }\n",
            "/*      0: 0   |       4 */    unsigned int a : 3;\n\
             /*      0: 3   |       4 */    int b : 5;\n\
             /* XXX  3-byte padding   */\n",
            "type = int\n",
        ])
        .complains("unrecognized flag 'q'")
        .ends_with(1);
}

#[test]
fn values_are_found_in_memory_and_threads_are_named() {
    Program::build("kinds")
        .batch(&[
            "break sum",
            "handle SIGUSR1 nostop noprint",
            "run",
            "find &points, +sizeof(points), 3",
            "find/b raw, +8, 4, 5",
            "print $_ == &raw[4]",
            "find/1w &points, +sizeof(points), 99",
            "print $numfound",
            "find name, +16, \"far\"",
            "thread name first",
            "thread find first",
            "find &points, +0, 3",
        ])
        .has(&[
            "0xN <points+8>\n1 pattern found.\n",
            "0xN <raw+4>\n1 pattern found.\n",
            "$1 = 1\n",
            "Pattern not found.\n",
            "$2 = 0\n",
            "0xN <name+3>\n1 pattern found.\n",
            "has name 'first'",
        ])
        .complains("Empty search range.")
        .ends_with(1);
}

#[test]
fn a_signal_says_where_it_comes_from() {
    Program::build("kinds")
        .batch(&[
            "run",
            "print $_siginfo.si_signo",
            "print $_siginfo._sifields._kill.si_pid == (int)getpid()",
            "whatis $_siginfo",
            "ptype $_siginfo._sifields._kill",
            "print $_thread + $_inferior",
            "handle SIGUSR1 nostop noprint",
            "continue",
            "print $_exitcode",
            "print $_siginfo",
        ])
        .has(&[
            "$1 = 10\n",
            "$2 = 1\n",
            "type = struct siginfo\n",
            "type = struct {\n    __pid_t si_pid;\n    __uid_t si_uid;\n}\n",
            "$3 = 2\n",
            "$4 = 0\n",
            "$5 = void\n",
        ])
        .ends_with(0);
}

#[test]
fn literals_of_rust_are_values() {
    Program::build_rust("literals")
        .batch(&[
            "break literals::show",
            "run",
            "up",
            "print [1, 2, 3]",
            "print [7u8; 4]",
            "print Point { x: 5, y: 6 }",
            "print Point { x: 8, ..point }",
            "print Pair(1, 2)",
            "set var point = Point { x: point.x + 1, y: 9 }",
            "print point",
            "ptype/o Point",
            "print Point { x: 5 }",
        ])
        .has(&[
            "$1 = [1, 2, 3]\n",
            "$2 = [7, 7, 7, 7]\n",
            "$3 = Point {x: 5, y: 6}\n",
            "$4 = Point {x: 8, y: 2}\n",
            "$5 = Pair(1, 2)\n",
            "$6 = Point {x: 2, y: 9}\n",
            "/*      0      |       8 */    y: i64,\n/*      8      |       4 */    x: i32,\n/* XXX  4-byte padding   */\n",
        ])
        .complains("Missing in this literal: y.")
        .ends_with(1);
}
