//! gdb and Wayfarer side by side: the same programs, the same stops; every frame's function, file
//! and line, and the values of its arguments and locals, must be the same; and so must the answers to
//! commands that are typed at both prompts. What Wayfarer sees of the program itself it must see in a replay, too.

#[path = "live_gdb/build.rs"]
mod build;
#[path = "live_gdb/commands.rs"]
mod commands;
#[path = "live_gdb/compare.rs"]
mod compare;
#[path = "live_gdb/follow.rs"]
mod follow;
#[path = "live_gdb/gdb.rs"]
mod gdb;
#[path = "live_gdb/normalise.rs"]
mod normalise;
#[path = "live_gdb/session.rs"]
mod session;
#[path = "live_gdb/stack.rs"]
mod stack;
#[path = "live_gdb/table.rs"]
mod table;
#[path = "live_gdb/transcript.rs"]
mod transcript;

use commands::TYPED;
use std::ffi::OsString;
use table::{Row, TABLE};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::recording::record;
use wayfarer_test_kit::{ensure, tests};

fn main() {
    let mut all = tests![
        the_table_is_large_enough,
        values_are_compared_by_their_leaves,
        what_pointers_point_to_is_compared
    ];
    for row in TABLE {
        for options in row.builds {
            let stops = row.stops.join(",").replace(' ', "_");
            let name = format!("{} {} at {stops}", row.source, options);
            all.push(Test::new(name, move || side_by_side(row, options)));
        }
    }
    for typed in TYPED {
        for options in typed.row.builds {
            let first = typed.commands[0].replace(' ', "_");
            let name = format!("{} {options} typed {first}", typed.row.source);
            all.push(Test::new(name, move || {
                transcript::side_by_side(typed, options)
            }));
        }
    }
    harness::run(all);
}

fn side_by_side(row: &Row, options: &str) -> Outcome {
    if !gdb::is_installed() {
        return Ok(Verdict::Skipped("gdb with Python is not installed".into()));
    }
    let built = build::build(row, options)?;
    let Some(theirs) = gdb::stops(row, &built)? else {
        return Ok(Verdict::Skipped("gdb crashes on this program".into()));
    };
    ensure!(!theirs.is_empty(), "gdb did not stop at all");
    let ours = session::stops(&built, &theirs, row.all_threads, None)?;
    same(&compare::differences(&theirs, &ours), "live")?;
    // The same debugger on a recorded run of the same program.
    let words = std::iter::once(built.program.clone().into_os_string())
        .chain(built.arguments.iter().map(OsString::from));
    let mut recording = record(words)?;
    let outcome = session::stops(&built, &theirs, row.all_threads, Some(&recording.trace))
        .and_then(|again| {
            let mut differences = compare::differences(&theirs, &again);
            differences.retain(|difference| !may_differ(row, difference));
            same(&differences, "in a replay")
        });
    outcome.map_err(|failure| recording.explain(failure.0))?;
    Ok(Verdict::Passed)
}

/// Variables whose value is another one in a recorded run: where the memory of a thread lies, and what has not been set
/// when the program stops.
const OF_THE_RUN: [(&str, &str); 7] = [
    ("threads.c", "threads"),
    ("threads.c", "result"),
    ("thread_locals.c", "thread"),
    ("thread_locals.c", "result"),
    ("threads.rs", "handle"),
    ("aggregates.c", "origin"),
    ("overloads.cpp", "sum"),
];

fn may_differ(row: &Row, difference: &str) -> bool {
    OF_THE_RUN.iter().any(|(source, name)| {
        *source == row.source && difference.contains(&format!(": local {name}: "))
    })
}

fn same(differences: &[String], way: &str) -> Result<(), Failure> {
    ensure!(
        differences.is_empty(),
        "{} differences {way}\n  {}",
        differences.len(),
        differences.join("\n  ")
    );
    Ok(())
}

fn the_table_is_large_enough() -> Outcome {
    let mut sources: Vec<&str> = TABLE.iter().map(|row| row.source).collect();
    sources.sort_unstable();
    sources.dedup();
    ensure!(sources.len() >= 25, "only {} programs", sources.len());
    for extension in [".c", ".cpp", ".rs"] {
        ensure!(
            sources.iter().any(|source| source.ends_with(extension)),
            "no program ends in {extension}"
        );
    }
    Ok(Verdict::Passed)
}

fn values_are_compared_by_their_leaves() -> Outcome {
    let alike = [
        ("5", "5"),
        ("2", "2.0"),
        ("120 'x'", "120"),
        ("0x7fffffffe3b0", "0x7ffc12345678"),
        ("(int *) 0x0", "0x0"),
        ("std::vector of length 2, capacity 4 = {1, 2}", "{1, 2}"),
        ("Vec(size=2) = {1, 2}", "vec![1, 2]"),
        ("core::option::Option<u32>::Some(100)", "Some(100)"),
        ("enums::Colour::Red", "Red"),
        ("{x = 1, y = {2, 3}}", "point {x: 1, y: [2, 3]}"),
        (
            "0x555555568b90 <closures::main>",
            "0x5581aaaab90 <closures::main>",
        ),
        ("\"Ada\"", "\"Ada\""),
    ];
    for (left, right) in alike {
        ensure!(normalise::same(left, right), "{left} is not {right}");
    }
    let different = [
        ("5", "6"),
        ("{x = 1, y = 2}", "{x = 1, y = 3}"),
        ("\"Ada\"", "\"Eve\""),
        ("<optimized out>", "0"),
        ("enums::Colour::Red", "enums::Colour::Blue"),
        ("0x0", "0x7fffffffe3b0"),
    ];
    for (left, right) in different {
        ensure!(!normalise::same(left, right), "{left} is {right}");
    }
    Ok(Verdict::Passed)
}

fn what_pointers_point_to_is_compared() -> Outcome {
    let followed = std::collections::HashMap::from([
        ("0x7fff0010".to_owned(), vec!["99".to_owned()]),
        (
            "0x55550020".to_owned(),
            vec!["Node {value: 2, next: Some(0x7fff0010)}".to_owned()],
        ),
    ]);
    let table = [
        ("Option::Some(0x7fff0010)", "Some(&99)", true),
        ("Option::Some(0x7fff0010)", "Some(&98)", false),
        ("0x55550020", "Box(Node {value: 2, next: Some(&99)})", true),
        ("0x55550020", "Box(Node {value: 2, next: Some(&7)})", false),
        ("0x55550020", "Box(Node {value: 3, next: Some(&99)})", false),
        // A pointer that we do not follow stays an address.
        (
            "{a: 0x7fff0010, b: 0x7fff0010}",
            "{a: 0x7fff0010, b: &99}",
            true,
        ),
    ];
    for (gdb, ours, is_same) in table {
        ensure!(
            compare::is_same(gdb, &followed, ours) == is_same,
            "{gdb} and {ours}: the same is not {is_same}"
        );
    }
    Ok(Verdict::Passed)
}
