//! Rust values, in the form that Rust programmers read.

mod support;

use support::{stopped, text};
use wayfarer_expression::Format;

/// Variables and expressions of `library.rs` with their text.
const VALUES: &[(&str, &str)] = &[
    ("a", "-5"),
    ("b", "250"),
    ("c", "-30000"),
    ("d", "60000"),
    ("e", "-2147483648"),
    ("f", "4294967295"),
    ("g", "9223372036854775807"),
    ("h", "18446744073709551615"),
    ("wide", "170141183460469231731687303715884105727"),
    ("uwide", "340282366920938463463374607431768211455"),
    ("size", "99"),
    ("single", "1.10000002"),
    ("real", "1.1000000000000001"),
    ("whole", "3"),
    ("yes", "true"),
    ("letter", "'x'"),
    ("newline", "'\\n'"),
    ("accent", "'é'"),
    ("unit", "()"),
    ("point", "Point {x: 1, y: 2}"),
    ("pair", "Pair(3, \"three\")"),
    ("nothing", "Unit"),
    ("generic", "Generic {inner: Some(5)}"),
    ("tuple", "(1, \"two\", 3.5)"),
    ("one_tuple", "(7,)"),
    ("nested", "((1, 2), [3, 4])"),
    ("color", "Green"),
    ("circle", "Circle {radius: 2.5}"),
    ("square", "Square(9)"),
    ("no_shape", "Nothing"),
    ("only", "Only(4)"),
    ("bits", "Bits {whole: 16909060, parts: [4, 3, 2, 1]}"),
    ("some", "Some(3)"),
    ("none", "None"),
    ("some_ref", "Some(&1)"),
    ("no_ref", "None"),
    ("some_text", "Some(\"inside\")"),
    ("no_text", "None"),
    ("deep_option", "Some(Some(1))"),
    ("some_bool", "Some(true)"),
    ("none_bool", "None"),
    ("some_char", "Some('q')"),
    ("good", "Ok(1)"),
    ("bad", "Err(\"broken\")"),
    ("text", "\"hello \\\"world\\\"\\n\""),
    ("empty", "\"\""),
    ("unicode", "\"grüße €\""),
    ("long_text", "'x' <repeats 200 times>..."),
    ("borrowed", "\"a str\""),
    ("&borrowed[2..]", "\"str\""),
    ("&text[..5]", "\"hello\""),
    ("borrowed == \"a str\"", "true"),
    ("text == borrowed", "false"),
    ("\"literal\"", "\"literal\""),
    ("sizeof(array)", "6"),
    ("sizeof(u64)", "8"),
    ("Color::Green", "Green"),
    ("color == Color::Green", "true"),
    ("ring[1]", "5"),
    ("linked[2]", "3"),
    ("linked[3]", "index 3 is out of range."),
    ("boxed_slice[1]", "2"),
    ("vector.len()", "3"),
    ("words.is_empty()", "false"),
    ("linked.last()", "3"),
    ("slice", "&[1, 2, 3]"),
    ("no_slice", "&[]"),
    ("array", "[1, 2, 3]"),
    ("matrix", "[[1, 2], [3, 4]]"),
    ("zeros", "[0 <repeats 50 times>]"),
    ("vector", "[1, 2, 3]"),
    ("no_vector", "[]"),
    ("words", "[\"one\", \"two\"]"),
    ("points", "[Point {x: 1, y: 2}, Point {x: 3, y: 4}]"),
    ("ring", "[4, 5, 9, 9, 9, 9]"),
    ("linked", "[1, 2, 3]"),
    ("heap", "[5, 2]"),
    ("map", "{\"key\": 1}"),
    ("no_map", "{}"),
    ("set", "{77}"),
    ("small_tree", "{\"a\": [1], \"b\": []}"),
    ("no_tree", "{}"),
    ("tree_set", "{1, 2, 3}"),
    ("boxed", "Box(11)"),
    ("boxed_point", "Box(Point {x: 5, y: 6})"),
    ("boxed_slice", "[1, 2]"),
    ("boxed_text", "\"boxed\""),
    (
        "list",
        "Node {value: 1, next: Some(Box(Node {value: 2, next: None}))}",
    ),
    ("rc", "Rc(12, strong=2, weak=1)"),
    ("dangling", "Weak(dangling)"),
    ("arc", "Arc(\"shared\", strong=1, weak=0)"),
    ("rc_text", "Rc(\"counted\", strong=1, weak=0)"),
    ("arc_slice", "Arc([4, 5], strong=1, weak=0)"),
    ("cell", "Cell(13)"),
    ("ref_cell", "RefCell([1])"),
    ("mutably", "RefCell(14, mutably borrowed)"),
    ("once", "OnceCell(Some(3))"),
    ("mutex", "Mutex(15)"),
    ("locked", "Mutex(16, locked)"),
    ("rw_lock", "RwLock(17)"),
    ("duration", "1.5s"),
    ("path", "\"/tmp/file\""),
    ("path_ref", "\"/etc\""),
    ("os", "\"os\""),
    ("c_string", "\"c text\""),
    ("non_zero", "18"),
    ("maybe_non_zero", "None"),
    ("wrapping", "Wrapping(19)"),
    ("ordering", "Less"),
    ("atomic", "AtomicU64(20)"),
    ("atomic_flag", "AtomicBool(true)"),
    ("dog", "Dog {age: 3}"),
    ("animal", "&dyn(Dog {age: 3})"),
    ("boxed_animal", "Box<dyn>(Dog {age: 5})"),
    ("range", "1..5"),
    ("inclusive", "1..=5"),
    ("from", "3.."),
    ("pinned", "Pin(Box(21))"),
    ("reference", "&Point {x: 1, y: 2}"),
    ("mutable", "&mut [1, 2, 3]"),
    ("shared_state", "Arc(Mutex({1: \"one\"}), strong=1, weak=0)"),
    // Expressions.
    ("point.x + 1", "2"),
    ("tuple.1", "\"two\""),
    ("nested.0.1", "2"),
    ("nested.1[1]", "4"),
    ("reference.y", "2"),
    ("*boxed", "11"),
    ("boxed_point.x", "5"),
    ("vector[1]", "2"),
    ("slice[2]", "3"),
    ("array[0..2]", "[1, 2]"),
    ("&vector[1..]", "[2, 3]"),
    ("words[1]", "\"two\""),
    ("a as i32 * 2", "-10"),
    ("f as u64 + 1", "4294967296"),
    ("b as i8", "-6"),
    ("!yes", "false"),
    ("!b", "5"),
    ("some.0", "3"),
    ("square.0", "9"),
    ("circle.radius", "2.5"),
    ("size == 99 && yes", "true"),
    ("1u8 + 2", "3"),
    ("0xff_u32", "255"),
    ("*rc", "12"),
    ("GLOBAL", "42"),
    ("COUNTER", "7"),
    ("list.next.0.value", "2"),
    ("nosuch", "No symbol \"nosuch\" in current context."),
];

#[test]
fn values_are_printed_as_rust_writes_them() {
    let mut stopped = stopped("library.rs", &["-Copt-level=0"], &[]);
    let frame = (0..8)
        .find(|level| {
            stopped.scope.level = *level;
            stopped
                .scope
                .locals()
                .iter()
                .any(|variable| variable.name == "shared_state")
        })
        .expect("the frame of main");
    stopped.scope.level = frame;
    let mut wrong = Vec::new();
    for (expression, expected) in VALUES {
        let found = text(&mut stopped.scope, expression, &Format::default());
        if found != *expected {
            wrong.push(format!("{expression}\n  want: {expected}\n  ours: {found}"));
        }
    }
    let tree = text(&mut stopped.scope, "tree", &Format::default());
    let entries: Vec<String> = (0..40).map(|key| format!("{key}: \"v\"")).collect();
    if tree != format!("{{{}}}", entries.join(", ")) {
        wrong.push(format!("tree is {tree}"));
    }
    let many = text(&mut stopped.scope, "many", &Format::default());
    if !many.starts_with("[0, 1, 2,") || !many.ends_with("198, 199...]") {
        wrong.push(format!("many is {many}"));
    }
    let hexadecimal = Format::with_letter(wayfarer_expression::Letter::Hexadecimal);
    for (expression, expected) in [
        ("slice", "&[0x1, 0x2, 0x3]"),
        ("vector", "[0x1, 0x2, 0x3]"),
        ("some", "Some(0x3)"),
        ("point", "Point {x: 0x1, y: 0x2}"),
    ] {
        let found = text(&mut stopped.scope, expression, &hexadecimal);
        if found != expected {
            wrong.push(format!("/x {expression} is {found}"));
        }
    }
    // Damaged lengths are bounded, damaged tables are shown as they are.
    text(
        &mut stopped.scope,
        "vector.len = 1u64 << 40",
        &Format::default(),
    );
    let long = text(&mut stopped.scope, "vector", &Format::default());
    if long.len() > 100_000 || !long.starts_with("[1, 2, 3, ") {
        wrong.push(format!("a damaged vector is {long}"));
    }
    text(
        &mut stopped.scope,
        "map.base.table.table.bucket_mask = 12345",
        &Format::default(),
    );
    let table = text(&mut stopped.scope, "map", &Format::default());
    if !table.starts_with("HashMap {") {
        wrong.push(format!("a damaged table is {table}"));
    }
    let function = text(&mut stopped.scope, "function", &Format::default());
    if !function.contains("double") {
        wrong.push(format!("function is {function}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
