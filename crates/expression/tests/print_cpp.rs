//! C++ values: our text is gdb's text with libstdc++'s printers.

mod support;

use support::{gdb, stopped, stopped_later, text};
use wayfarer_expression::{Format, print};

/// Every local of `library.cpp` by gdb's `info locals`.
#[test]
fn locals_are_printed_as_gdb_prints_them() {
    let mut stopped = stopped("library.cpp", &["-O0"], &["info locals".to_string()]);
    let locals = stopped.gdb[0].clone();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for line in locals.lines() {
        let Some((name, expected)) = line.split_once(" = ") else {
            continue;
        };
        let Some(variable) = stopped
            .scope
            .locals()
            .into_iter()
            .find(|variable| variable.name == name)
        else {
            wrong.push(format!("{name} is not found"));
            continue;
        };
        seen += 1;
        let value = stopped.scope.local_value(&variable).expect("a frame");
        let found = match print(&value, &Format::nested(), &mut stopped.scope) {
            Ok(text) => text,
            Err(error) => error.to_string(),
        };
        if found != expected {
            wrong.push(format!("{name}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(seen > 60, "gdb shows only {seen} locals:\n{locals}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const EXPRESSIONS: &[&str] = &[
    "round.radius",
    "round.id",
    "base->id",
    "base",
    "*base",
    "reference",
    "reference.id",
    "&reference",
    "text_reference",
    "int_reference",
    "&int_reference",
    "int_reference + 1",
    "both.x",
    "both.z",
    "both.Point::y",
    "shapes::Shape::count",
    "shapes::Shape::limit",
    "Counter::label",
    "global",
    "::global",
    "scoped == shapes::Scoped::Green",
    "plain == shapes::SQUARE",
    "shapes::SQUARE",
    "pair.first",
    "pair.second",
    "triple",
    "fixed._M_elems[1]",
    "moved",
    "truth && true",
    "!truth",
    "true",
    "1 == 2",
    "sizeof(shapes::Point)",
    "(shapes::Round *)base",
    "(shapes::Point)both",
    "(shapes::Empty *)&both",
    "(shapes::Both *)(shapes::Empty *)&both",
    "(shapes::Point &)both",
    "*(shapes::Round *)base",
    "(long)global",
    "static_cast<long>(global)",
    "reinterpret_cast<long>(base) == (long)base",
    "&both",
    "nil",
    "twice",
    "*twice",
    "&text",
    "&numbers",
    "counter.mode",
    "Counter::FAST",
    "counter.mode == Counter::SLOW",
    "fixed_items",
    "fixed_items.items[1]",
    "c16",
    "c32",
    "null",
    "iterator",
    "counter",
];

#[test]
fn expressions_are_printed_as_gdb_prints_them() {
    compare(EXPRESSIONS, 1);
}

fn compare(expressions: &[&str], level: usize) {
    let commands: Vec<String> = expressions
        .iter()
        .map(|expression| format!("print {expression}"))
        .collect();
    let mut stopped = stopped("library.cpp", &["-O0", "-DEXPRESSIONS"], &commands);
    stopped.scope.level = level;
    let mut wrong = Vec::new();
    for (expression, answer) in expressions.iter().zip(stopped.gdb.clone()) {
        let expected = gdb::value(&answer);
        let found = text(&mut stopped.scope, expression, &Format::default());
        if found != expected {
            wrong.push(format!("{expression}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What gdb asks the program to run is read from the structures here.
#[test]
fn containers_are_indexed_without_running_code() {
    let mut stopped = stopped("library.cpp", &["-O0", "-DINDEX"], &[]);
    let mut check = |expression: &str, expected: &str| {
        assert_eq!(
            text(&mut stopped.scope, expression, &Format::default()),
            expected,
            "{expression}"
        );
    };
    check("numbers[1]", "2");
    check("words[1]", "\"two\"");
    check("fixed[2]", "3");
    check("*owned", "11");
    check("*shared", "12");
    check("shared_point->y", "2");
    check("numbers[1..3]", "{2, 3}");
    check("text[1]", "101 'e'");
    check("deck[18]", "-1");
    check("deck[19]", "0");
    check("chain[2]", "3");
    check("chain[3]", "index 3 is out of range.");
    check("*maybe", "5");
    check("text == \"hello\"", "true");
    check("text != \"hello\"", "false");
    check("text == words[0]", "false");
    check("view == \"a view\"", "true");
    check("chain.size()", "3");
    check("set.empty()", "false");
}

/// Inside a method, members need no `this`.
#[test]
fn members_are_visible_in_methods() {
    let expressions = [
        "hits",
        "this->hits",
        "hits + by",
        "local",
        "mode",
        "mode == SLOW",
        "name",
        "*this",
        "this",
        "label",
        "dirty && hits",
        "global",
    ];
    let commands: Vec<String> = expressions
        .iter()
        .map(|expression| format!("print {expression}"))
        .collect();
    let mut stopped = stopped_later("library.cpp", &["-O0", "-DMETHOD"], &commands, 1);
    let mut wrong = Vec::new();
    for (expression, answer) in expressions.iter().zip(stopped.gdb.clone()) {
        let expected = gdb::value(&answer);
        let found = text(&mut stopped.scope, expression, &Format::default());
        if found != expected {
            wrong.push(format!("{expression}\n  gdb:  {expected}\n  ours: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One member a line, as gdb's `set print pretty on` lays them out.
#[test]
fn pretty_structures_are_laid_out_as_gdb_does() {
    let expressions = [
        "both",
        "round",
        "counter",
        "pair",
        "points",
        "nested",
        "ages",
        "words",
        "owned",
        "triple",
        "maybe",
        "chain",
        "fixed_items",
        "*base",
        "deep",
        "lists",
        "set",
        "numbers",
    ];
    let commands: Vec<String> = expressions
        .iter()
        .map(|expression| format!("print -pretty on -- {expression}"))
        .collect();
    let mut stopped = stopped("library.cpp", &["-O0", "-DPRETTY"], &commands);
    let format = Format {
        pretty: true,
        ..Format::default()
    };
    let mut wrong = Vec::new();
    for (expression, answer) in expressions.iter().zip(stopped.gdb.clone()) {
        let expected = gdb::value(&answer);
        let found = text(&mut stopped.scope, expression, &format);
        if found != expected {
            wrong.push(format!(
                "{expression}\n--- gdb:\n{expected}\n--- ours:\n{found}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Damaged containers: bounded text that says what is wrong, or the plain structure.
#[test]
fn damage_is_bounded_and_told() {
    let mut stopped = stopped("library.cpp", &["-O0", "-DDAMAGE"], &[]);
    let mut print = |expression: &str| text(&mut stopped.scope, expression, &Format::default());
    // A list that runs in a circle.
    print("chain._M_impl._M_node._M_next->_M_next = chain._M_impl._M_node._M_next");
    let circle = print("chain");
    assert!(
        circle.starts_with("std::__cxx11::list = {[0] = 1, [1] = 1,"),
        "{circle}"
    );
    assert!(circle.ends_with("...}"), "{circle}");
    // A tree whose root points nowhere.
    print("ages._M_t._M_impl._M_header._M_left = 16");
    let tree = print("ages");
    assert!(
        tree.contains("<error: Cannot access memory at address 0x"),
        "{tree}"
    );
    // A vector that ends before it starts is not a vector.
    print("numbers._M_impl._M_finish = 8");
    let vector = print("numbers");
    assert!(vector.starts_with("{<std::_Vector_base<int,"), "{vector}");
    // A string that claims all of memory.
    print("text._M_string_length = 0x7fffffffffffffff");
    let string = print("text");
    assert!(string.len() < 5000, "{} bytes", string.len());
    // A vector of more elements than there is memory.
    print("points._M_impl._M_finish = 0x7ffffffffffffff0");
    print("points._M_impl._M_end_of_storage = 0x7ffffffffffffff0");
    let points = print("points");
    assert!(points.len() < 100_000, "{} bytes", points.len());
}

/// The class of an object by its virtual table, as gdb's `set print object on` shows it.
#[test]
fn objects_are_shown_by_their_own_class() {
    let expressions = ["base", "*base", "round", "&round", "both"];
    let commands: Vec<String> = expressions
        .iter()
        .map(|expression| format!("print -object on -- {expression}"))
        .collect();
    let mut stopped = stopped("library.cpp", &["-O0", "-DOBJECT"], &commands);
    let format = Format {
        object: true,
        ..Format::default()
    };
    for (expression, answer) in expressions.iter().zip(stopped.gdb.clone()) {
        let found = text(&mut stopped.scope, expression, &format);
        assert_eq!(found, gdb::value(&answer), "{expression}");
    }
}
