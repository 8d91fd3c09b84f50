//! Looking at and changing data: formats of `x`, all kinds of `set var`, displays, a type's own print function.

mod support;

use support::Program;

#[test]
fn memory_in_all_formats() {
    Program::build("kinds")
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break 67",
            "run",
            "x/4xb raw",
            "x/2xh raw",
            "x/xw raw",
            "x/xg raw",
            "x/2dg longs",
            "x/2fg doubles",
            "x/s name",
            "x/2c name",
            "x/2ub raw+6",
            "x/2ob raw+6",
            "x/2tb raw",
            "x/a $pc",
            "x/2i $pc",
            "x/2wx &points",
            "x",
            "print $_",
            "info symbol twice",
            "info symbol main+4",
            "info address counter",
            "info registers rip",
            "disassemble sum",
            "disassemble /s sum",
            "info sharedlibrary",
        ])
        .has(&[
            "<raw>:\t0x00\t0x01\t0x02\t0x03\n",
            "<raw>:\t0x0100\t0x0302\n",
            "<raw>:\t0xN\n",
            "<raw>:\t0xN\n",
            "<longs>:\t-1\t1099511627776\n",
            "<doubles>:\t1.5\t-2.25\n",
            "<name>:\t\"wayfarer\"\n",
            "<name>:\t119 'w'\t97 'a'\n",
            "<raw+6>:\t6\t255\n",
            "<raw+6>:\t06\t0377\n",
            "<raw>:\t00000000\t00000001\n",
            "<main+",
            "=> 0xN <main+",
            "<points>:\t0xN\t0xN\n",
            "<points+8>:\t0xN\n",
            "$1 = ",
            "<points+8>\n",
            "twice in section .text of ",
            "main + 4 in section .text of ",
            "Symbol \"counter\" is ",
            "rip            0xN",
            "Dump of assembler code for function sum:\n",
            "<+0>:\tpush   %rbp\n",
            "End of assembler dump.\n",
            "kinds.c:\n55\t{\n",
            "56\t    return a + b;\n",
            "Shared Object Library\n",
            "libc.so.6\n",
        ])
        .ends_with(0);
}

#[test]
fn variables_of_every_kind_are_changed() {
    let changes = [
        ("counter = 99", "counter", "99"),
        ("ratio = 2.5", "ratio", "2.5"),
        ("p.x = 5", "p", "{x = 5, y = 8}"),
        (
            "points[1] = p",
            "points",
            "{{x = 1, y = 2}, {x = 5, y = 8}}",
        ),
        ("color = BLUE", "color", "BLUE"),
        ("bits.b = -7", "bits", "{a = 5, b = -7}"),
        ("flag = 0", "flag", "false"),
        (
            "name[0] = 'W'",
            "name",
            "\"Wayfarer\\000\\000\\000\\000\\000\\000\\000\"",
        ),
        ("string = name", "*string", "87 'W'"),
        ("$rax = 5", "$rax", "5"),
        ("$own = r * 2", "$own / 2 == r", "1"),
        ("counter++", "counter", "100"),
        ("counter += 5", "counter", "105"),
        ("*(short *)&counter = 1", "counter", "1"),
        ("{char}raw = 9", "raw[0]", "9 '\\t'"),
    ];
    let mut commands = vec![
        "handle SIGUSR1 nostop noprint".to_owned(),
        "break 67".to_owned(),
        "run".to_owned(),
        "print $rax = 7".to_owned(),
    ];
    let mut expected = vec!["$1 = 7\n".to_owned()];
    for (number, (change, shown, text)) in changes.iter().enumerate() {
        commands.push(format!("set var {change}"));
        commands.push(format!("print {shown}"));
        expected.push(format!("${} = {text}\n", number + 2));
    }
    commands.push("set var raw = 1".to_owned());
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    Program::build("kinds")
        .batch(&commands)
        .has(&expected)
        .ends_with(1);
}

#[test]
fn a_print_function_of_the_program() {
    let program = Program::build("kinds");
    let config = program.directory().join(".config/wayfarer");
    std::fs::create_dir_all(&config).expect("a directory");
    std::fs::write(
        config.join("printers"),
        "# points\nstruct point = show_point\nstruct bits = crash\n",
    )
    .expect("the printers");
    program
        .batch(&[
            "handle SIGUSR1 nostop noprint",
            "break 67",
            "run",
            "print p",
            "print points",
            "print -raw-values p",
            "set print printers off",
            "print p",
            "set print printers on",
            "print bits",
            "print -pretty -- bits",
            "print -elements 2 raw",
            "print/x raw",
        ])
        .has(&[
            "$1 = <7|8>\n",
            "$2 = {<1|2>, <3|4>}\n",
            "$3 = {x = 7, y = 8}\n",
            "$4 = {x = 7, y = 8}\n",
            "$5 = {a = 5, b = -3}\n",
            "$6 = {\n  a = 5,\n  b = -3\n}\n",
            "$7 = \"\\000\\001\"...\n",
            "$8 = {0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0xff}\n",
        ])
        .ends_with(0);
}
