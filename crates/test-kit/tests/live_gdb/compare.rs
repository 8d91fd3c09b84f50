//! Compares what the two debuggers say, and collects the differences.

use std::collections::HashMap;

use crate::follow::{expanded, without_signs};
use crate::normalise::{function_name, same};
use crate::session::has_values;
use crate::stack::{Frame, Stack, Stop, Variable};

/// All differences, each a line for a person.
pub fn differences(gdb: &[Stop], ours: &[Stop]) -> Vec<String> {
    let mut list = Vec::new();
    for (number, (theirs, ours)) in gdb.iter().zip(ours).enumerate() {
        for (thread, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            let place = format!("stop {} thread {}", number + 1, thread + 1);
            compare_stacks(&place, theirs, ours, &mut list);
        }
    }
    list
}

/// gdb ends some stacks at `main` and goes on to the first frame in others, as its settings and the
/// language have it: a stack that ends at a `main` is compared up to there.
fn compare_stacks(place: &str, gdb: &Stack, ours: &Stack, list: &mut Vec<String>) {
    let shorter = gdb.len().min(ours.len());
    let ends_at_main = |stack: &Stack| {
        let last = stack.last().and_then(|frame| frame.function.as_deref());
        last.is_some_and(|name| name == "main" || name.ends_with("::main"))
    };
    let ended = if gdb.len() <= ours.len() {
        ends_at_main(gdb)
    } else {
        ends_at_main(ours)
    };
    if gdb.len() != ours.len() && !ended {
        let describe = |stack: &Stack| {
            let lines: Vec<String> = stack.iter().map(Frame::describe).collect();
            lines.join("\n      ")
        };
        list.push(format!(
            "{place}: gdb has {} frames, we have {}\n    gdb:  {}\n    ours: {}",
            gdb.len(),
            ours.len(),
            describe(gdb),
            describe(ours)
        ));
        return;
    }
    for level in 0..shorter {
        compare_frames(
            &format!("{place} #{level}"),
            &gdb[level],
            &ours[level],
            list,
        );
    }
}

fn compare_frames(place: &str, gdb: &Frame, ours: &Frame, list: &mut Vec<String>) {
    let name = |frame: &Frame| frame.function.as_deref().map(function_name);
    let same_place = gdb.is_signal == ours.is_signal
        && (gdb.is_signal
            || (name(gdb) == name(ours) && gdb.file == ours.file && gdb.line == ours.line));
    if !same_place {
        list.push(format!(
            "{place}: gdb {}, ours {}",
            gdb.describe(),
            ours.describe()
        ));
        return;
    }
    if !has_values(gdb) {
        return;
    }
    let is_outer = !place.ends_with("#0");
    compare_variables(
        place,
        "argument",
        &gdb.arguments,
        &ours.arguments,
        is_outer,
        list,
    );
    compare_variables(place, "local", &gdb.locals, &ours.locals, is_outer, list);
}

/// In an outer frame the two may differ in two ways. gdb takes the location after a call for that of
/// the call, and does not ask `main`'s caller for its arguments: where it knows nothing, we may know
/// more. And it shows what is in a register now that the function under way may have overwritten
/// since: there we say `<not saved>`, unless the compiler is known to have seen to it.
fn compare_variables(
    place: &str,
    kind: &str,
    gdb: &[Variable],
    ours: &[Variable],
    is_outer: bool,
    list: &mut Vec<String>,
) {
    let names = |variables: &[Variable]| {
        let mut names: Vec<String> = variables.iter().map(|one| one.name.clone()).collect();
        names.sort();
        names
    };
    if names(gdb) != names(ours) {
        list.push(format!(
            "{place}: {kind}s: gdb has {}, we have {}",
            names(gdb).join(" "),
            names(ours).join(" ")
        ));
    }
    let mut taken = vec![false; ours.len()];
    for theirs in gdb {
        // Variables that shadow each other have the same name: take them in their order.
        let found = (0..ours.len()).find(|at| !taken[*at] && ours[*at].name == theirs.name);
        let Some(at) = found else { continue };
        taken[at] = true;
        // gdb shows what is in a register that the called function has overwritten, and can say
        // where the compiler kept a copy.
        let is_kept = theirs
            .kept
            .as_ref()
            .is_some_and(|kept| is_same(kept, &theirs.followed, &ours[at].value));
        let is_known_better = theirs.value == "<optimized out>" && !ours[at].value.starts_with('<');
        let is_honest = ours[at].value == "<not saved>";
        let may_differ = is_outer && (is_known_better || is_honest || is_kept);
        if theirs.value == "<gdb would crash>" {
            continue;
        }
        if !may_differ && !is_same(&theirs.value, &theirs.followed, &ours[at].value) {
            list.push(format!(
                "{place}: {kind} {}: gdb {}, ours {}",
                theirs.name, theirs.value, ours[at].value
            ));
        }
    }
}

/// Where gdb shows addresses and we what is there, gdb has been asked what is there.
pub fn is_same(gdb: &str, followed: &HashMap<String, Vec<String>>, ours: &str) -> bool {
    let texts = expanded(gdb, ours, followed);
    if texts.is_empty() {
        return same(gdb, ours);
    }
    let shown = without_signs(ours);
    texts.iter().any(|text| same(text, &shown))
}
