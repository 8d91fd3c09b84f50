//! `ptype` and `whatis`: our text is gdb's text.

mod support;

use support::{Stopped, stopped};
use wayfarer_expression::{Scope, describe_type, type_of, whatis};

fn describe(stopped: &mut Stopped, command: &str) -> String {
    let (verb, text) = command.split_once(' ').expect("a verb");
    let language = stopped.scope.language();
    let found = support::parse(&mut stopped.scope, text, language)
        .map_err(Into::into)
        .and_then(|parsed| type_of(&parsed, &mut stopped.scope));
    match found {
        Ok(found) if verb == "ptype" => format!("type = {}", describe_type(found.type_ref())),
        Ok(found) => format!("type = {}", whatis(&found)),
        Err(error) => error.to_string(),
    }
}

fn compare(source: &str, options: &[&str], expressions: &[&str]) {
    let commands: Vec<String> = expressions
        .iter()
        .flat_map(|text| [format!("ptype {text}"), format!("whatis {text}")])
        .collect();
    let mut stopped = stopped(source, options, &commands);
    let mut wrong = Vec::new();
    for (command, expected) in commands.iter().zip(stopped.gdb.clone()) {
        let found = describe(&mut stopped, command);
        if found != expected {
            wrong.push(format!("{command}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn c_types() {
    compare(
        "values.c",
        &["-O0", "-DDESCRIBE"],
        &[
            "pt",
            "pp",
            "tp",
            "tpp",
            "point_t",
            "struct node",
            "enum color",
            "union u",
            "struct anon",
            "struct bits",
            "struct flex",
            "main",
            "&main",
            "int",
            "unsigned long",
            "arr",
            "two",
            "fparr",
            "1+1",
            "d",
            "sz",
            "size_t",
            "struct empty",
            "struct point",
            "(char)1",
            "ccp",
            "cvi",
            "pts",
            "ul",
            "file",
            "int*",
            "struct nosuch",
            "vla",
            "fp",
            "callback",
            "bi.a",
            "an.named",
            "buf",
            "&buf",
            "*pp",
            "np",
            "ipp",
            "us",
            "ll",
            "big",
            "ubig",
            "u8",
            "uc",
            "b",
            "cf",
            "ld",
            "aptr",
            "*aptr",
            "pp->x",
            "1.5",
            "1.5f",
            "'a'",
            "\"abc\"",
            "i == 1",
            "c + c",
            "f + f",
            "f + d",
            "l + 1",
            "u + i",
            "pp + 1",
            "&arr[0]",
            "hp->next",
            "*hp",
            "hp->fn",
            "av",
            "strs",
            "wc",
            "ws",
            "1ul",
            "struct point *",
            "char **",
            "unsigned",
            "long long",
        ],
    );
}

#[test]
fn cpp_types() {
    compare(
        "library.cpp",
        &["-O0", "-DDESCRIBE"],
        &[
            "round",
            "base",
            "Counter",
            "shapes::Both",
            "shapes::Scoped",
            "shapes::Plain",
            "numbers",
            "text",
            "reference",
            "method",
            "lambda",
            "plain",
            "scoped",
            "words",
            "ages",
            "counter.mode",
            "shapes::Point",
            "shapes::Empty",
            "int_reference",
            "moved",
            "truth",
            "1 == 1",
            "member",
            "owned",
            "hashed",
            "view",
        ],
    );
}

#[test]
fn rust_types() {
    let mut stopped = stopped("library.rs", &["-Copt-level=0", "-Cdebuginfo=2"], &[]);
    let mut check = |command: &str, expected: &str| {
        assert_eq!(
            describe(&mut stopped, command),
            format!("type = {expected}"),
            "{command}"
        );
    };
    check(
        "ptype point",
        "struct library::Point {\n  x: i32,\n  y: i32,\n}",
    );
    check("whatis point", "library::Point");
    check(
        "ptype some",
        "enum core::option::Option<u32> {\n  None,\n  Some(u32),\n}",
    );
    check(
        "ptype circle",
        "enum library::Shape {\n  Circle{radius: f64},\n  Square(u32),\n  Nothing,\n}",
    );
    check("ptype pair", "struct library::Pair (\n  u8,\n  &str,\n)");
    check("ptype color", "enum library::Color {\n  Red,\n  Green,\n}");
    check("ptype tuple", "(i32, &str, f64)");
    check("whatis tuple", "(i32, &str, f64)");
    check("ptype nothing", "struct library::Unit");
    check("whatis slice", "&[i32]");
    check("whatis array", "[u16; 3]");
    check(
        "ptype bits",
        "union library::Bits {\n  whole: u32,\n  parts: [u8; 4],\n}",
    );
    check("whatis reference", "&library::Point");
    check("whatis text", "alloc::string::String");
    check("whatis a as u64", "u64");
    check("whatis 1u8", "u8");
    check("whatis yes && true", "bool");
}
