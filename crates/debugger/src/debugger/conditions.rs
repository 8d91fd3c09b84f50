//! Conditions of breakpoints: checked where they will be decided, compiled so that the agent can decide them by itself.

use wayfarer_expression::{Expression, Node, compile_condition, language_of, parse, type_of};
use wayfarer_symbols::unwind::AddressSpace;

use super::Debugger;
use crate::breakpoint::Target;
use crate::evaluation::Scene;
use crate::session::Space;
use crate::{DebuggerError, Result};

/// How many similar names an error shows.
const SIMILAR: usize = 3;
/// More globals than this are not compared with a mistyped name.
const MOST_GLOBALS: usize = 5_000;

impl Debugger {
    /// The bytecode of a condition at an address of a process; none where only we can decide it.
    pub(super) fn compile_condition(
        &self,
        process: u32,
        address: u64,
        condition: &str,
    ) -> Option<Vec<u8>> {
        let space = self.process(process).ok()?.space.clone();
        let expression = parse(condition, language_at(&space, address)).ok()?;
        Some(compile_condition(&expression, &space, address)?.to_bytes())
    }

    /// Refuses a condition whose names mean nothing at any place of the target.
    pub(super) fn check_condition(&mut self, target: &Target, condition: &str) -> Result<()> {
        let alive = self.has_processes();
        let live: Vec<u32> = self
            .processes
            .values()
            .filter(|process| process.is_alive() || !alive)
            .map(|process| process.number)
            .collect();
        let mut trouble = None;
        for process in live {
            // A place that is nowhere yet can't be asked.
            for (address, _) in self.places_in(target, process).unwrap_or_default() {
                match self.check_names(process, address, condition) {
                    Ok(()) => return Ok(()),
                    Err(error) => trouble = trouble.or(Some(error)),
                }
            }
        }
        trouble.map_or(Ok(()), Err)
    }

    /// Whether every name of a condition means something at an address.
    pub(super) fn check_names(&self, process: u32, address: u64, condition: &str) -> Result<()> {
        let space = self.process(process)?.space.clone();
        let Ok(expression) = parse(condition, language_at(&space, address)) else {
            return Ok(());
        };
        if expression.process.is_some() {
            return Ok(());
        }
        let Some(loaded) = space.module_at(address) else {
            return Ok(());
        };
        let locals: Vec<String> = loaded
            .module
            .variables_at(loaded.address(address))
            .unwrap_or_default()
            .into_iter()
            .map(|variable| variable.name)
            .collect();
        // A name may be a member of the object.
        if locals.iter().any(|name| name == "this") {
            return Ok(());
        }
        let mut names = Vec::new();
        names_in(&expression.root, &mut names);
        for name in names {
            if locals.contains(&name) || is_global(&space, &expression, &name) {
                continue;
            }
            let globals = name
                .chars()
                .next()
                .map(|first| {
                    let module = &loaded.module;
                    module.complete_global(&first.to_string(), MOST_GLOBALS)
                })
                .unwrap_or_default();
            let known = locals.into_iter().chain(globals);
            let similar = nearest(&name, known);
            return Err(DebuggerError::UnknownName { name, similar });
        }
        Ok(())
    }
}

fn language_at(space: &Space, address: u64) -> wayfarer_expression::Language {
    let function = space.module_at(address).and_then(|loaded| {
        let function = loaded.module.function_at(loaded.address(address));
        function.ok().flatten()
    });
    function.map_or(wayfarer_expression::Language::C, |function| {
        language_of(function.language)
    })
}

/// Whether a name means something without a frame: a global, function, type or constant.
fn is_global(space: &Space, expression: &Expression, name: &str) -> bool {
    let mut scene = Scene {
        space,
        backtrace: None,
        frame: 0,
        services: None,
    };
    let alone = Expression {
        root: Node::Name(name.to_owned()),
        ..expression.clone()
    };
    !matches!(
        type_of(&alone, &mut scene),
        Err(wayfarer_expression::EvaluationError::NoSymbol(_))
    )
}

/// The names that stand for variables or functions.
fn names_in(node: &Node, names: &mut Vec<String>) {
    match node {
        Node::Name(name) => names.push(name.clone()),
        Node::Unary(_, inner)
        | Node::Postfix(_, inner)
        | Node::Cast(_, inner)
        | Node::Field(inner, _)
        | Node::Arrow(inner, _)
        | Node::SizeOf(inner)
        | Node::AlignOf(inner)
        | Node::At(_, inner) => names_in(inner, names),
        Node::Binary(_, left, right)
        | Node::Assign(_, left, right)
        | Node::Index(left, right)
        | Node::ArrayOf(left, right)
        | Node::Repeat(left, right) => {
            names_in(left, names);
            names_in(right, names);
        }
        Node::Conditional(condition, yes, no) => {
            for part in [condition, yes, no] {
                names_in(part, names);
            }
        }
        Node::Slice { base, from, to, .. } => {
            names_in(base, names);
            for part in [from, to].into_iter().flatten() {
                names_in(part, names);
            }
        }
        Node::Call(function, arguments) => {
            names_in(function, names);
            arguments.iter().for_each(|part| names_in(part, names));
        }
        Node::Array(elements) => elements.iter().for_each(|part| names_in(part, names)),
        Node::Structure(literal) => {
            let values = literal.fields.iter().map(|(_, value)| value);
            values
                .chain(&literal.base)
                .for_each(|part| names_in(part, names));
        }
        Node::Integer { .. }
        | Node::Float { .. }
        | Node::Character { .. }
        | Node::Text(_)
        | Node::Boolean(_)
        | Node::Scoped(..)
        | Node::Dollar(_)
        | Node::History(_)
        | Node::Type(_) => {}
    }
}

/// The known names that a mistyped one was probably meant to be, the nearest first.
fn nearest(name: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let most = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, String)> = known
        .map(|known| (distance(name, &known), known))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort();
    near.dedup();
    near.truncate(SIMILAR);
    near.into_iter().map(|(_, known)| known).collect()
}

/// How many letters must be changed, added or taken away.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut before = row[0];
        row[0] = index + 1;
        for (at, other) in right.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(before + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let known = ["total", "totals", "other", "tota"].map(str::to_owned);
        assert_eq!(
            nearest("totl", known.clone().into_iter()),
            ["tota", "total"]
        );
        assert!(nearest("zzz", known.into_iter()).is_empty());
    }

    #[test]
    fn names_of_an_expression() {
        let expression = parse(
            "a[i].x + f(b, 3) > sizeof c",
            wayfarer_expression::Language::C,
        )
        .expect("an expression");
        let mut names = Vec::new();
        names_in(&expression.root, &mut names);
        assert_eq!(names, ["a", "i", "f", "b", "c"]);
    }
}
