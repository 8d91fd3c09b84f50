//! `wayfarer run --batch` on a small C program: stops, values, control, wrong input.

mod support;

use support::Program;

#[test]
fn a_breakpoint_stops_and_shows_its_place() {
    Program::build("basic")
        .batch(&["break add", "run", "bt", "info locals", "info args", "kill"])
        .has(&[
            "Breakpoint 1 at 0x",
            ": file basic.c, line 13.\n",
            "\nBreakpoint 1, add (a=0, b=4) at basic.c:13\n13\t    int sum = a + b;\n",
            "#0  add (a=0, b=4) at basic.c:13\n#1  0xN in main () at basic.c:23\n",
            "sum = ",
            "a = 0\nb = 4\n",
            "[Inferior 1 (process N) killed]\n",
        ])
        .ends_with(0);
}

#[test]
fn the_program_runs_to_its_end() {
    Program::build("basic")
        .batch(&["run"])
        .has(&[
            "hello 8 30\n",
            "[Inferior 1 (process N) exited with code 03]\n",
        ])
        .ends_with(0);
}

#[test]
fn conditions_counts_and_commands() {
    Program::build("basic")
        .batch(&[
            "break add if a == 3",
            "commands",
            "silent",
            "printf \"a is %d\\n\", a",
            "end",
            "tbreak basic.c:25",
            "run",
            "info breakpoints",
            "continue",
        ])
        .has(&[
            "Temporary breakpoint 2 at 0x",
            "a is 3\n",
            "Num     Type           Disp Enb Address            What\n",
            "1       breakpoint     keep y   0xN in add at basic.c:13\n\tstop only if a == 3\n\tbreakpoint already hit 1 time\n",
            "2       breakpoint     del  y   0xN in main at basic.c:25\n",
            "\nTemporary breakpoint 2, main () at basic.c:25\n25\t",
        ])
        .ends_with(0);
    Program::build("basic")
        .batch(&[
            "break add",
            "ignore 1 2",
            "run",
            "print a",
            "disable",
            "continue",
        ])
        .has(&[
            "Will ignore next 2 crossings of breakpoint 1.\n",
            "Breakpoint 1, add (a=2, b=4)",
            "$1 = 2\n",
            "exited with code 03",
        ])
        .ends_with(0);
}

#[test]
fn steps() {
    Program::build("basic")
        .batch(&[
            "break main",
            "run",
            "next",
            "next",
            "next",
            "step",
            "next",
            "finish",
            "up",
            "kill",
        ])
        .has(&[
            "Breakpoint 1, main () at basic.c:20\n20\t",
            "21\t    const char *text = \"hello\";\n",
            "22\t    for (int i = 0; i < 5; i++) {\n",
            "23\t        pair.left = add(i, pair.right);\n",
            "add (a=0, b=4) at basic.c:13\n13\t    int sum = a + b;\n",
            "14\t    total += sum;\n",
            "Run till exit from #0  add (a=0, b=4) at basic.c:14\n",
            " in main () at basic.c:23\n23\t",
            "Value returned is $1 = 4\n",
        ])
        .ends_with(1)
        .complains("Initial frame selected; you cannot go up.");
}

#[test]
fn until_and_advance() {
    Program::build("basic")
        .batch(&[
            "break main",
            "run",
            "advance add",
            "until 15",
            "delete",
            "finish",
            "advance 25",
            "print total",
        ])
        .has(&[
            "add (a=0, b=4) at basic.c:13\n",
            "15\t    return sum;\n",
            "main () at basic.c:25\n25\t",
            "$2 = 30\n",
        ])
        .ends_with(0);
}

#[test]
fn a_watchpoint_shows_both_values() {
    Program::build("basic")
        .batch(&["break main", "run", "watch total", "continue", "continue", "info watchpoints"])
        .has(&[
            "Hardware watchpoint 2: total\n",
            "\nHardware watchpoint 2: total\n\nOld value = 0\nNew value = 4\nadd (a=0, b=4) at basic.c:15\n15\t",
            "Old value = 4\nNew value = 9\n",
            "2       hw watchpoint  keep y                      total\n\tbreakpoint already hit 2 times\n",
        ])
        .ends_with(0);
}

#[test]
fn values_are_shown_and_changed() {
    Program::build("basic")
        .batch(&[
            "break 25",
            "run",
            "print pair",
            "print/x pair.left",
            "print &pair == 0",
            "p $1",
            "set var pair.left = 100",
            "p pair.left + total",
            "output total",
            "echo \\n",
            "whatis pair",
            "ptype pair",
            "x/4xb bytes",
            "x/s text",
            "printf \"%s %d\\n\", text, pair.right",
            "continue",
        ])
        .has(&[
            "$1 = {left = 8, right = 4}\n",
            "$2 = 0x8\n",
            "$3 = 0\n",
            "$4 = {left = 8, right = 4}\n",
            "$5 = 130\n",
            "30\n",
            "type = struct pair\n",
            "type = struct pair {\n    int left;\n    int right;\n}\n",
            "<bytes>:\t0x01\t0x02\t0x03\t0xff\n",
            "\"hello\"\n",
            "hello 4\n",
            "hello 100 30\n",
        ])
        .ends_with(0);
}

#[test]
fn displays_are_shown_at_each_stop() {
    Program::build("basic")
        .batch(&["break add", "run", "display a", "display/x b", "display/i $pc", "continue", "info display", "undisplay 1", "continue"])
        .has(&[
            "1: a = 0\n",
            "2: /x b = 0x4\n",
            "Breakpoint 1, add (a=1, b=4)",
            "1: a = 1\n2: /x b = 0x4\n3: x/i $pc\n=> 0xN <add+",
            "Auto-display expressions now in effect:\nNum Enb Expression\n1:   y  a\n2:   y  /x b\n3:   y  /i $pc\n",
            "Breakpoint 1, add (a=2, b=4)",
            "2: /x b = 0x4\n",
        ])
        .ends_with(0);
}

#[test]
fn a_line_is_printed_without_a_stop() {
    Program::build("basic")
        .batch(&[
            "dprintf basic.c:14, \"sum %d of %d\\n\", sum, a",
            "info breakpoints",
            "run",
        ])
        .has(&[
            "Dprintf 1 at 0x",
            "1       dprintf        keep y   0xN in add at basic.c:14\n        printf \"sum %d of %d\\n\",sum,a\n",
            "sum 4 of 0\n",
            "sum 8 of 4\n",
            "exited with code 03",
        ])
        .ends_with(0);
}

#[test]
fn source_and_machine_code() {
    Program::build("basic")
        .batch(&[
            "break add",
            "run",
            "list",
            "list main",
            "info line",
            "info symbol add",
            "disassemble",
            "info registers rip",
        ])
        .has(&[
            "8\tint total;\n",
            "13\t    int sum = a + b;\n",
            "18\tint main(void)\n",
            "Line 13 of \"basic.c\" starts at address 0x",
            "add in section .text",
            "Dump of assembler code for function add:\n",
            "=> 0xN <+",
            "End of assembler dump.\n",
            "rip            0xN",
        ])
        .ends_with(0);
}

#[test]
fn the_program_can_be_run_again() {
    Program::build("basic")
        .batch(&[
            "break add",
            "run",
            "print total",
            "run",
            "delete",
            "continue",
            "start",
        ])
        .has(&[
            "Breakpoint 1, add (a=0, b=4)",
            "$1 = 0\n",
            "Breakpoint 1, add (a=0, b=4)",
            "exited with code 03",
            "Temporary breakpoint 2, main () at basic.c:20\n",
        ])
        .ends_with(0);
}

#[test]
fn wrong_input_is_told_and_ends_a_batch() {
    let program = Program::build("basic");
    for (command, message) in [
        ("break ad", "Function \"ad\" not defined."),
        ("brek main", "Undefined command: \"brek\"."),
        ("info zzz", "Undefined info command: \"zzz\"."),
        ("break nofile.c:3", "No source file named nofile.c."),
        ("delete 7", "No breakpoint number 7."),
        ("frame x", "is not a frame number."),
        ("set listsize many", "takes number, unlimited"),
    ] {
        program
            .batch(&[command, "echo not reached\\n"])
            .complains(message)
            .ends_with(1);
    }
    program
        .batch(&["break add", "run", "print nothing"])
        .complains("No symbol \"nothing\" in current context.")
        .ends_with(1);
}

#[test]
fn a_program_that_does_not_exist() {
    let mut command = support::wayfarer(std::env::temp_dir().as_path());
    command.args(["run", "--batch", "--", "/nonexistent/program"]);
    support::finish(command)
        .complains("/nonexistent/program")
        .ends_with(2);
}

#[test]
fn commands_come_from_standard_input() {
    let said = Program::build("basic").piped("break add\nrun\nprint a\n\nnonsense\nprint a + 1\n");
    said.has(&["Breakpoint 1, add", "$1 = 0\n", "$2 = 1\n"])
        .complains("Undefined command: \"nonsense\".")
        .ends_with(0);
}

#[test]
fn user_commands_scripts_and_aliases() {
    let program = Program::build("basic");
    let script = program.directory().join("script");
    std::fs::write(
        &script,
        "# a comment\ndefine twice\n  print $arg0 * 2\nend\nalias pp = print\nbreak add if a == 2\nrun\n",
    )
    .expect("the script");
    let source = format!("source {}", script.display());
    program
        .batch(&[
            source.as_str(),
            "twice a",
            "pp b",
            "if a == 2",
            "echo yes\\n",
            "else",
            "echo no\\n",
            "end",
        ])
        .has(&[
            "Breakpoint 1, add (a=2, b=4)",
            "$1 = 4\n",
            "$2 = 4\n",
            "yes\n",
        ])
        .ends_with(0);
}

#[test]
fn every_answer_is_an_object_with_json() {
    let said = Program::build("basic").session(
        &["--batch", "--json"],
        &["break add", "run", "print a", "bt", "nonsense"],
    );
    let objects = said.objects();
    let of = |command: &str| {
        objects
            .iter()
            .find(|object| object["command"] == command)
            .unwrap_or_else(|| panic!("no answer to {command}: {}", said.out))
    };
    assert_eq!(of("print a")["result"]["text"], "0");
    assert_eq!(of("print a")["result"]["kind"], "scalar");
    assert_eq!(of("print a")["result"]["children"], 0);
    assert_eq!(of("print a")["ok"], true);
    assert_eq!(of("bt")["result"]["frames"][0]["function"], "add");
    assert_eq!(of("nonsense")["ok"], false);
    assert!(
        of("nonsense")["error"]
            .as_str()
            .is_some_and(|text| text.contains("nonsense"))
    );
    let stop = objects
        .iter()
        .find(|object| object["event"] == "stopped" && object["reason"] == "breakpoint")
        .unwrap_or_else(|| panic!("no stop: {}", said.out));
    assert_eq!(stop["number"], 1);
    assert_eq!(stop["frame"]["line"], 13);
    said.ends_with(1);
}
