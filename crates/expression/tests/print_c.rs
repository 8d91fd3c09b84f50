//! C values: our text is gdb's text.

mod support;

use support::{gdb, stopped, text};
use wayfarer_expression::{Format, Letter, print};

/// Every local of `values.c`, as `print` and as `info locals` show it.
#[test]
fn locals_are_printed_as_gdb_prints_them() {
    compare_locals("-O0");
}

/// The same where the compiler left values in registers, in pieces or nowhere.
#[test]
fn optimised_locals_are_printed_as_gdb_prints_them() {
    compare_locals("-O2");
}

fn compare_locals(level: &str) {
    let mut stopped = stopped(
        "values.c",
        &[level, "-DLOCALS"],
        &["info locals".to_string()],
    );
    let locals = stopped.gdb[0].clone();
    let names: Vec<&str> = locals
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .collect();
    assert!(names.len() > 80, "gdb shows {} locals", names.len());
    let mut wrong = Vec::new();
    for line in locals.lines() {
        let Some((name, expected)) = line.split_once(" = ") else {
            continue;
        };
        let variable = stopped
            .scope
            .locals()
            .into_iter()
            .find(|variable| variable.name == name);
        let Some(variable) = variable else {
            wrong.push(format!("{name} is not found"));
            continue;
        };
        let value = stopped.scope.local_value(&variable).expect("a frame");
        let found = match print(&value, &Format::nested(), &mut stopped.scope) {
            Ok(text) => text,
            Err(error) => error.to_string(),
        };
        if found != expected {
            wrong.push(format!("{name}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Expressions, each with its format.
const EXPRESSIONS: &[&str] = &[
    "pp",
    "*pp",
    "pp->x",
    "(*pp).y",
    "&pt",
    "&pt.y",
    "vp",
    "np",
    "ipp",
    "ccp",
    "str",
    "ucp",
    "scp",
    "fp",
    "*fp",
    "fparr",
    "vfp",
    "aptr",
    "*aptr",
    "av",
    "gp",
    "*gp",
    "hp",
    "*hp",
    "hp->next->name",
    "*hp->next",
    "fxp",
    "*fxp",
    "fxp->data[1]",
    "&arr",
    "&arr[1]",
    "arr[2]",
    "arr[1]@2",
    "*arr@3",
    "two[1]",
    "two[1][2]",
    "&two",
    "pts[1].x",
    "callback",
    "&callback",
    "*callback",
    "main",
    "sizeof(int)",
    "sizeof pt",
    "sizeof(struct point)",
    "sizeof(pt) * 2",
    "i + 1",
    "i * 2 - 7",
    "i / 5",
    "i % 5",
    "-i",
    "~i",
    "!i",
    "u + 1",
    "ul + 1",
    "l << 3",
    "s >> 1",
    "c + 1",
    "c == 'a'",
    "i < u",
    "d + f",
    "d / 3",
    "f * 2",
    "i / 2.0",
    "1 ? 2 : 3",
    "b && 0",
    "i || 0",
    "i, u",
    "(char)98",
    "(unsigned char)300",
    "(long)&pt == (long)pp",
    "(float)i",
    "(int)d",
    "(enum color)1",
    "(void *)pp",
    "(struct point *)vp",
    "*(struct point *)vp",
    "(char *)&i",
    "pp + 1",
    "pp - 1",
    "&arr[3] - &arr[0]",
    "arr + 1",
    "*(arr + 1)",
    "pp == &pt",
    "np == 0",
    "col == BLUE",
    "BLUE",
    "col + 1",
    "fl | FB",
    "fl & FC",
    "bi.b",
    "bi.d",
    "bi.e",
    "bi.a + 1",
    "un.f",
    "an.p",
    "an.r",
    "an.named.z",
    "0x10",
    "010",
    "0b11",
    "1.5",
    "1.5f",
    "'a'",
    "'\\n'",
    "\"text\"",
    "10 / 3",
    "7u",
    "4294967296",
    "0xffffffff",
    "1 == 1",
    "sizeof(char *)",
    "global_array",
    "&global_array",
    "*&head",
    "head.next",
    "tail.value",
    "&tail",
    "'values.c'::tail",
    "argv[0] == 0",
    "*argv@1 == 0",
    "(long)1",
    "(short)-1",
    "2 > 1",
    "!0",
    "5 & 3",
    "5 ^ 3",
    "5 | 3",
    "1 << 4",
    "strs",
    "strs[1]",
    "*strs",
    "ca[1]",
    "buf[0]",
    "&buf",
    "&buf[1]",
    "*buf@3",
    "nosuch",
    "pt.nosuch",
    "1 +",
    "1 / 0",
    "1 % 0",
    "*np",
    "np[1]",
    "*(int *)16",
    "vec",
    "vec[1]",
    "cf",
    "ws",
    "wc",
    "wp",
    "big",
    "ubig",
    "ld",
    "vla",
    "vla[1]",
    "sizeof vla",
    "file == 0",
    "tpp",
    "*tpp",
    "cpt",
    "&cpt",
    "&vi",
    "&cvi",
    "utf",
    "longs",
    "slong",
    "{int}pp",
    "{struct point}pp",
    "em",
    "&em",
];

#[test]
fn expressions_are_printed_as_gdb_prints_them() {
    compare("values.c", EXPRESSIONS, "", &Format::default());
}

#[test]
fn format_letters_are_gdbs() {
    let values = [
        "i", "u", "c", "uc", "s", "l", "b", "d", "f", "whole", "arr", "pt", "pp", "col", "bi",
        "buf", "ul", "fp", "gp", "un", "ld", "-1", "65", "0", "us", "str",
    ];
    let letters = [
        ("/x", Letter::Hexadecimal),
        ("/d", Letter::Signed),
        ("/u", Letter::Unsigned),
        ("/o", Letter::Octal),
        ("/t", Letter::Binary),
        ("/a", Letter::Address),
        ("/c", Letter::Character),
        ("/f", Letter::Float),
        ("/s", Letter::Text),
        ("/z", Letter::PaddedHexadecimal),
    ];
    let mut commands = Vec::new();
    for (option, _) in letters {
        for value in values {
            commands.push(format!("print {option} {value}"));
        }
    }
    let mut stopped = stopped("values.c", &["-O0", "-DLETTERS"], &commands);
    let mut answers = stopped.gdb.clone().into_iter();
    let mut wrong = Vec::new();
    for (option, letter) in letters {
        for value in values {
            let answer = answers.next().expect("an answer");
            let expected = gdb::value(&answer).to_string();
            let found = text(&mut stopped.scope, value, &Format::with_letter(letter));
            if found != expected {
                wrong.push(format!(
                    "{option} {value}\n  gdb:  {expected}\n  ours: {found}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare(source: &str, expressions: &[&str], option: &str, format: &Format) {
    let commands: Vec<String> = expressions
        .iter()
        .map(|expression| format!("print {option} {expression}"))
        .collect();
    let mut stopped = stopped(source, &["-O0", "-DEXPRESSIONS"], &commands);
    let mut wrong = Vec::new();
    for (expression, answer) in expressions.iter().zip(stopped.gdb.clone()) {
        let expected = gdb::value(&answer);
        let found = text(&mut stopped.scope, expression, format);
        if found != expected {
            wrong.push(format!("{expression}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
