//! The rooms of the runtime: which folder of `crates/runtime/src` may use which other one, and that modules do not all
//! know each other.

use super::figures::Figures;
use super::modules::{self, Graph, cycles};
use std::collections::BTreeSet;

/// The crate whose rooms are held apart.
const CRATE: &str = "runtime";
const SOURCES: &str = "crates/runtime/src/";
/// No more modules than this may know each other in a circle. Lower it when there are fewer.
const LARGEST_CYCLE: usize = 4;
/// What each room uses besides itself, from the lowest room to the highest; the root is `lib`. A room may use only those
/// whose rows stand before its own, so that there is no circle of rooms. Where a low room needs what a high one does,
/// the high one registers it (`state/upcalls.rs`, with the reason of each).
const ALLOWED: &[(&str, &[&str])] = &[
    ("state", &[]),
    ("kernel", &[]),
    ("session", &["state"]),
    ("memory", &["state"]),
    ("log", &["state", "kernel", "session", "memory"]),
    ("program", &["state", "memory", "log"]),
    ("serial", &["state", "kernel", "session", "log", "program"]),
    ("parallel", &["state", "session", "memory", "log", "serial"]),
    (
        "signals",
        &[
            "state", "kernel", "session", "memory", "log", "serial", "parallel",
        ],
    ),
    (
        "hooks",
        &[
            "state", "session", "memory", "log", "program", "serial", "parallel", "signals",
        ],
    ),
    (
        "calls",
        &[
            "state", "kernel", "session", "memory", "log", "program", "serial", "parallel",
            "signals", "hooks",
        ],
    ),
    (
        "dispatch",
        &[
            "state", "session", "memory", "log", "program", "serial", "parallel", "signals",
            "calls",
        ],
    ),
    (
        "image",
        &[
            "state", "session", "memory", "log", "program", "serial", "signals", "hooks", "calls",
        ],
    ),
    (
        "lib",
        &[
            "state", "program", "parallel", "signals", "calls", "dispatch", "image",
        ],
    ),
];

/// The modules of the runtime among `files`, given as crate, name and text.
fn graph(files: &[(String, String, String)]) -> Graph {
    let ours = files.iter().filter(|(owner, ..)| owner == CRATE);
    let ours: Vec<(&str, &str)> = ours
        .filter_map(|(_, name, text)| Some((name.strip_prefix(SOURCES)?, text.as_str())))
        .collect();
    modules::graph(&ours)
}

/// Each edge with the names that make it, and the largest cycle with what closes it.
pub fn text(files: &[(String, String, String)]) -> String {
    let graph = graph(files);
    let cycle = cycles::largest(&graph);
    let closing = cycles::closing(&graph, &cycle);
    let mut text = String::new();
    for edge in &graph.edges {
        let (from, to) = edge;
        let mark = match (
            cycle.contains(from) && cycle.contains(to),
            closing.contains(&edge),
        ) {
            (_, true) => "closes",
            (true, false) => "cycle",
            (false, false) => "",
        };
        let names = graph.names.get(edge).into_iter().flatten();
        let names: Vec<&str> = names.map(String::as_str).collect();
        let names = names.join(" ");
        text.push_str(&format!("{mark:6} {from} > {to}: {names}\n"));
    }
    text
}

/// Complaints about the modules of the runtime among `files`, given as crate, name and text.
pub fn violations(files: &[(String, String, String)], figures: &mut Figures) -> Vec<String> {
    let graph = graph(files);
    let cycle = cycles::largest(&graph);
    let between = between_rooms(&graph);
    figures.add("modules of the runtime", graph.modules.len());
    figures.add("edges between them", graph.edges.len());
    figures.add("edges between its rooms", between.len());
    figures.add("modules in the largest cycle", cycle.len());
    let mut found = wrong_rooms(&graph, ALLOWED);
    found.extend(wrong_table(&between, ALLOWED));
    found.extend(wrong_cycle(&graph, &cycle, LARGEST_CYCLE));
    found
}

fn room(module: &str) -> &str {
    match module.split("::").next() {
        None | Some("") => "lib",
        Some(room) => room,
    }
}

fn between_rooms(graph: &Graph) -> BTreeSet<(&str, &str)> {
    let edges = graph.edges.iter();
    edges
        .map(|(from, to)| (room(from), room(to)))
        .filter(|(from, to)| from != to)
        .collect()
}

/// Edges between rooms that the table does not allow.
fn wrong_rooms(graph: &Graph, allowed: &[(&str, &[&str])]) -> Vec<String> {
    let may = |from: &str, to: &str| {
        allowed
            .iter()
            .any(|(room, others)| *room == from && others.contains(&to))
    };
    let mut found = Vec::new();
    for (from, to) in &graph.edges {
        if room(from) != room(to) && !may(room(from), room(to)) {
            found.push(format!(
                "the runtime's {from} uses {to}: room {} may not use room {}",
                room(from),
                room(to)
            ));
        }
    }
    found
}

/// Rows of the table that let a room use a higher one, or one that it does not use.
fn wrong_table(between: &BTreeSet<(&str, &str)>, allowed: &[(&str, &[&str])]) -> Vec<String> {
    let mut found = Vec::new();
    let mut lower = Vec::new();
    for (room, others) in allowed {
        for other in *others {
            if !lower.contains(other) {
                found.push(format!(
                    "the table of rooms lets {room} use {other}, which does not stand before it"
                ));
            }
            if !between.contains(&(*room, *other)) {
                found.push(format!(
                    "room {room} does not use room {other} any more: take that out of the table"
                ));
            }
        }
        lower.push(room);
    }
    found
}

/// A cycle that is larger than before, with the edges that close it.
fn wrong_cycle(graph: &Graph, cycle: &BTreeSet<String>, most: usize) -> Vec<String> {
    if cycle.len() <= most {
        return Vec::new();
    }
    let mut found = vec![format!(
        "{} modules of the runtime know each other in a circle, {most} did: {}",
        cycle.len(),
        cycle
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    )];
    let closing = cycles::closing(graph, cycle);
    found.extend(
        closing
            .iter()
            .map(|(from, to)| format!("this edge closes the circle: {from} uses {to}")),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Graph {
        modules::graph(&[
            ("lib.rs", "mod high; mod low;"),
            ("high/mod.rs", "pub mod one;"),
            ("high/one.rs", "use crate::low::f;"),
            ("low.rs", "fn f() { crate::high::one::g() }"),
        ])
    }

    #[test]
    fn edges_that_no_row_allows_are_found() {
        let allowed: &[(&str, &[&str])] = &[("high", &["low"])];
        let found = wrong_rooms(&sample(), allowed);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("the runtime's low uses high::one"),
            "{found:?}"
        );
    }

    #[test]
    fn rows_that_lead_up_and_rows_without_use_are_found() {
        let graph = sample();
        let between = between_rooms(&graph);
        let right: &[(&str, &[&str])] = &[("low", &[]), ("high", &["low"])];
        assert_eq!(wrong_table(&between, right), Vec::<String>::new());
        let up = wrong_table(&between, &[("high", &["low"]), ("low", &[])]);
        assert_eq!(up.len(), 1, "{up:?}");
        assert!(up[0].contains("lets high use low"), "{up:?}");
        let unused = wrong_table(&between, &[("low", &[]), ("lib", &["low"])]);
        assert_eq!(unused.len(), 1, "{unused:?}");
        assert!(
            unused[0].contains("lib does not use room low"),
            "{unused:?}"
        );
    }

    #[test]
    fn each_edge_is_told_with_its_names() {
        let files = [
            ("lib.rs", "mod high; mod low;"),
            ("high/mod.rs", "pub mod one;"),
            ("high/one.rs", "use crate::low::f;"),
            ("low.rs", "fn f() { crate::high::one::g() }"),
        ];
        let files = files.map(|(name, text)| {
            let name = format!("{SOURCES}{name}");
            (CRATE.to_string(), name, text.to_string())
        });
        let told = text(&files);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines,
            ["closes high::one > low: f", "cycle  low > high::one: g"]
        );
    }

    #[test]
    fn a_larger_cycle_is_told_with_the_edges_that_close_it() {
        let graph = sample();
        let cycle = cycles::largest(&graph);
        assert!(wrong_cycle(&graph, &cycle, 2).is_empty());
        let found = wrong_cycle(&graph, &cycle, 0);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[1].starts_with("this edge closes the circle"),
            "{found:?}"
        );
    }
}
