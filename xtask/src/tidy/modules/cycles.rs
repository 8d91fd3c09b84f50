//! Cycles among modules: how large the largest is, and which edges close it.

use super::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// The largest set of modules each of which reaches each other; empty where there is no cycle.
pub fn largest(graph: &Graph) -> BTreeSet<String> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in &graph.edges {
        next.entry(from).or_default().push(to);
        before.entry(to).or_default().push(from);
    }
    let mut done = BTreeSet::new();
    let mut found = BTreeSet::new();
    for module in &graph.modules {
        if done.contains(module.as_str()) {
            continue;
        }
        let after = reached(module, &next);
        let both: BTreeSet<&str> = reached(module, &before)
            .intersection(&after)
            .copied()
            .collect();
        if both.len() > found.len().max(1) {
            found = both.iter().map(|name| (*name).to_string()).collect();
        }
        done.extend(both);
    }
    found
}

/// All that can be reached from a module, with itself.
fn reached<'a>(from: &'a str, next: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for to in next.get(module).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// Edges within `cycle` that lead up, where the modules are put in the order in which the fewest do, as far as a simple
/// rule finds it: last goes what uses nothing, first what nothing uses, else what uses most and is used least.
pub fn closing<'a>(graph: &'a Graph, cycle: &BTreeSet<String>) -> Vec<&'a (String, String)> {
    let edges: Vec<_> = graph
        .edges
        .iter()
        .filter(|(from, to)| cycle.contains(from) && cycle.contains(to))
        .collect();
    let mut left: BTreeSet<&str> = cycle.iter().map(String::as_str).collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let degree = |module: &str| {
            let inside = edges
                .iter()
                .filter(|(from, to)| left.contains(from.as_str()) && left.contains(to.as_str()));
            inside.fold((0, 0), |(uses, used), (from, to)| {
                (
                    uses + i32::from(from == module),
                    used + i32::from(to == module),
                )
            })
        };
        let ranked = left.iter().map(|module| (degree(module), *module));
        let Some(((uses, _), module)) = ranked.max_by_key(|((uses, used), _)| match (uses, used) {
            (0, _) | (_, 0) => i32::MAX,
            (uses, used) => uses - used,
        }) else {
            break;
        };
        left.remove(module);
        if uses == 0 {
            last.push(module);
        } else {
            first.push(module);
        }
    }
    last.reverse();
    first.extend(last);
    let rank = |module: &str| first.iter().position(|name| *name == module);
    edges
        .into_iter()
        .filter(|(from, to)| rank(from) > rank(to))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let edges: BTreeSet<(String, String)> = edges
            .iter()
            .map(|(from, to)| ((*from).to_string(), (*to).to_string()))
            .collect();
        let modules = edges.iter().flat_map(|(from, to)| [from, to]).cloned();
        Graph {
            modules: modules.collect(),
            edges,
            ..Graph::default()
        }
    }

    #[test]
    fn the_largest_cycle_is_found() {
        assert!(largest(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
        let two = graph(&[
            ("a", "b"),
            ("b", "a"),
            ("b", "c"),
            ("c", "d"),
            ("d", "e"),
            ("e", "c"),
        ]);
        assert_eq!(
            largest(&two).into_iter().collect::<Vec<_>>(),
            ["c", "d", "e"]
        );
    }

    #[test]
    fn the_edge_that_leads_up_is_named() {
        let graph = graph(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")]);
        let closing = closing(&graph, &largest(&graph));
        assert_eq!(closing, [&("c".to_string(), "a".to_string())]);
    }
}
