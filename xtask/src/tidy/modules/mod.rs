//! Which module of a crate uses which other one, read from its text.
//!
//! An edge is a path (`crate::a::b`, `super::c`, a name brought in by `use`, re-exports followed to where the thing is) or a
//! call of a method that one other module alone defines. `mod.rs` is the module of its folder; code of tests is left
//! out. Names of modules are written as paths, the crate's root is the empty one.

pub mod cycles;
pub mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use tokens::Token;

/// The modules of one crate and the edges between them.
#[derive(Default)]
pub struct Graph {
    pub modules: BTreeSet<String>,
    pub edges: BTreeSet<(String, String)>,
    /// What makes each edge: the last names of paths, and methods, which begin with a dot.
    pub names: BTreeMap<(String, String), BTreeSet<String>>,
}

/// Names of methods that types of the standard library have, too: a call of one says nothing.
const COMMON_METHODS: &[&str] = &[
    "add", "at", "begin", "call", "get", "set", "take", "read", "write", "new", "load", "store",
    "len", "end", "find", "count", "next", "push", "pop", "copy", "back", "first", "last", "text",
    "lock", "wait", "again", "is_some", "map",
];

/// A path in the text of a module, as its segments from the crate's root.
type Path = Vec<String>;

/// What was read of one module.
#[derive(Default)]
struct Module {
    /// Paths that are used, and method calls.
    paths: Vec<Path>,
    calls: BTreeSet<String>,
    /// Methods that the module defines.
    methods: BTreeSet<String>,
    /// Names that `use` brings in.
    aliases: BTreeMap<String, Path>,
}

/// The graph of a crate, given as the names of its files below `src` and their texts.
pub fn graph(files: &[(&str, &str)]) -> Graph {
    let texts: BTreeMap<String, Vec<Token>> = files
        .iter()
        .map(|(name, text)| (module_of(name), tokens::of(text)))
        .collect();
    let modules: BTreeSet<String> = texts.keys().cloned().collect();
    let modules = reached(&texts, &modules);
    let read: BTreeMap<&String, Module> = modules
        .iter()
        .map(|name| (name, Reader::read(name, &texts[name], &modules)))
        .collect();
    let mut definers: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for (name, module) in &read {
        for method in &module.methods {
            definers.entry(method).or_default().push(name);
        }
    }
    let mut names: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (name, module) in &read {
        let named = module.paths.iter().map(|path| {
            (
                resolve(path, &read),
                path.last().cloned().unwrap_or_default(),
            )
        });
        let called = module
            .calls
            .iter()
            .filter(|method| !COMMON_METHODS.contains(&method.as_str()))
            .filter_map(|method| match definers.get(method)?.as_slice() {
                [definer] => Some(((*definer).clone(), format!(".{method}"))),
                _ => None,
            });
        for (target, what) in named.chain(called) {
            if target != **name {
                let edge = ((*name).clone(), target);
                names.entry(edge).or_default().insert(what);
            }
        }
    }
    Graph {
        modules,
        edges: names.keys().cloned().collect(),
        names,
    }
}

/// `a/b.rs` is `a::b`, `a/mod.rs` is `a`, `lib.rs` is the root.
fn module_of(file: &str) -> String {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" => String::new(),
        path => path.replace('/', "::"),
    }
}

/// The modules that are declared outside of tests.
fn reached(texts: &BTreeMap<String, Vec<Token>>, all: &BTreeSet<String>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![String::new()];
    while let Some(name) = next.pop() {
        let Some(tokens) = texts.get(&name) else {
            continue;
        };
        for three in tokens.windows(3) {
            let child = joined(&name, &three[1]);
            if three[0] == "mod" && three[2] == ";" && all.contains(&child) {
                next.push(child);
            }
        }
        reached.insert(name);
    }
    reached
}

fn joined(parent: &str, child: &str) -> String {
    match parent {
        "" => child.to_string(),
        parent => format!("{parent}::{child}"),
    }
}

fn segments(module: &str) -> Path {
    let parts = module.split("::").filter(|part| !part.is_empty());
    parts.map(str::to_string).collect()
}

/// The longest beginning of a path that is a module, and how many segments that are.
fn longest<'a>(path: &[String], is_module: impl Fn(&String) -> bool + 'a) -> (String, usize) {
    for length in (0..=path.len()).rev() {
        let name = path[..length].join("::");
        if is_module(&name) {
            return (name, length);
        }
    }
    (String::new(), 0)
}

/// The module in which the thing at the end of a path is, other names of it followed.
fn resolve(path: &Path, read: &BTreeMap<&String, Module>) -> String {
    const MOST_NAMES: usize = 8;
    let mut path = path.clone();
    for _ in 0..MOST_NAMES {
        let (module, length) = longest(&path, |name| read.contains_key(name));
        let alias = path
            .get(length)
            .and_then(|name| read[&module].aliases.get(name));
        match alias {
            Some(target) => {
                let rest = path.split_off(length + 1);
                path = target.clone();
                path.extend(rest);
            }
            None => return module,
        }
    }
    longest(&path, |name| read.contains_key(name)).0
}

/// Reads the tokens of one module.
struct Reader<'a> {
    here: Path,
    tokens: &'a [Token],
    modules: &'a BTreeSet<String>,
    module: Module,
}

impl Reader<'_> {
    fn read(name: &str, tokens: &[Token], modules: &BTreeSet<String>) -> Module {
        let mut reader = Reader {
            here: segments(name),
            tokens,
            modules,
            module: Module::default(),
        };
        reader.imports();
        reader.paths();
        reader.methods();
        reader.module
    }

    fn is(&self, at: usize, what: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token == what)
    }

    /// What `use` brings in. A module by itself is only another name: the paths that go through it are the edges.
    fn imports(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.tokens[at] == "use" {
                let mut found = Vec::new();
                self.tree(at + 1, None, &mut found);
                for (name, path) in found {
                    if !self.modules.contains(&path.join("::")) {
                        self.module.paths.push(path.clone());
                    }
                    self.module.aliases.insert(name, path);
                }
            }
            at += 1;
        }
    }

    /// One tree of a `use`; gives the token after it.
    fn tree(&self, at: usize, prefix: Option<Path>, found: &mut Vec<(String, Path)>) -> usize {
        let mut at = at;
        let mut path = prefix;
        loop {
            let Some(token) = self.tokens.get(at) else {
                return at;
            };
            match token.as_str() {
                "{" => {
                    at += 1;
                    while at < self.tokens.len() && !self.is(at, "}") {
                        at = self.tree(at, path.clone(), found);
                        if self.is(at, ",") {
                            at += 1;
                        }
                    }
                    return at + 1;
                }
                "*" => {
                    found.extend(path.map(|path| ("*".to_string(), path)));
                    return at + 1;
                }
                name => {
                    path = self.step(path, name);
                    at += 1;
                    if self.is(at, "::") && path.is_some() {
                        at += 1;
                        continue;
                    }
                    let mut called = name.to_string();
                    if self.is(at, "as") {
                        called.clone_from(&self.tokens[at + 1]);
                        at += 2;
                    } else if name == "self" {
                        called = path
                            .as_ref()
                            .and_then(|path| path.last())
                            .cloned()
                            .unwrap_or_default();
                    }
                    found.extend(path.map(|path| (called, path)));
                    return self.end_of_foreign(at);
                }
            }
        }
    }

    /// After the path of another crate, whose trees are not read.
    fn end_of_foreign(&self, at: usize) -> usize {
        let mut at = at;
        let mut depth = 0;
        while let Some(token) = self.tokens.get(at) {
            match token.as_str() {
                "{" => depth += 1,
                "}" if depth > 0 => depth -= 1,
                "}" | "," | ";" if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// One more segment; `None`: the path leads out of the crate.
    fn step(&self, path: Option<Path>, name: &str) -> Option<Path> {
        let up = |mut path: Path| {
            path.pop();
            path
        };
        match (path, name) {
            (None, "crate") => Some(Path::new()),
            (None, "self") => Some(self.here.clone()),
            (None, "super") => Some(up(self.here.clone())),
            (None, name) => {
                let mut child = self.here.clone();
                child.push(name.to_string());
                if self.modules.contains(&child.join("::")) {
                    return Some(child);
                }
                self.module.aliases.get(name).cloned()
            }
            (Some(path), "super") => Some(up(path)),
            (Some(path), "self") => Some(path),
            (Some(mut path), name) => {
                path.push(name.to_string());
                Some(path)
            }
        }
    }

    /// Paths outside of `use`.
    fn paths(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.is(at, "use") {
                at = self.end_of_use(at);
                continue;
            }
            let starts = self.is(at + 1, "::") && (at == 0 || !self.is(at - 1, "::"));
            if !starts {
                at += 1;
                continue;
            }
            let mut path = self.step(None, &self.tokens[at]);
            at += 1;
            while self.is(at, "::") {
                let next = self.tokens.get(at + 1);
                if let Some(next) =
                    next.filter(|next| next.starts_with(|c: char| c.is_alphabetic() || c == '_'))
                {
                    path = path.and_then(|path| self.step(Some(path), next));
                    at += 2;
                } else {
                    break;
                }
            }
            self.module.paths.extend(path);
            at += 1;
        }
    }

    fn end_of_use(&self, at: usize) -> usize {
        let rest = self.tokens[at..].iter();
        at + rest.take_while(|token| *token != ";").count()
    }

    /// Methods that are called, and methods that are defined.
    fn methods(&mut self) {
        for (at, three) in self.tokens.windows(3).enumerate() {
            if three[0] == "." && three[2] == "(" {
                self.module.calls.insert(three[1].clone());
            }
            if three[0] == "fn" && self.takes_self(at + 2) {
                self.module.methods.insert(three[1].clone());
            }
        }
    }

    /// Whether the arguments of a function, whose name has just been read, begin with `self`.
    fn takes_self(&self, at: usize) -> bool {
        let rest = self.tokens.get(at..).unwrap_or_default();
        let arguments = rest.iter().skip_while(|token| *token != "(").skip(1);
        let first = arguments.take_while(|token| !matches!(token.as_str(), "," | ")" | ":"));
        first.last().is_some_and(|token| token == "self")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let graph = graph(files);
        let edges = graph.edges.iter();
        edges.map(|(from, to)| format!("{from}>{to}")).collect()
    }

    const ROOT: (&str, &str) = ("lib.rs", "mod a; mod b; #[cfg(test)] mod t;");
    const A: (&str, &str) = ("a/mod.rs", "pub mod c; pub mod d; pub use c::Thing;");

    #[test]
    fn paths_and_nested_lists_are_edges() {
        let found = edges(&[
            ROOT,
            A,
            (
                "a/c.rs",
                "use crate::{b::{self, f}, a::d::X as Y}; fn g() { super::super::h() }",
            ),
            (
                "a/d.rs",
                "use core::fmt::{self, Write}; use crate::b; fn x() { fmt::x(); b::f::<u8>() }",
            ),
            (
                "b.rs",
                "// crate::a\nfn f() {}\n#[cfg(test)] mod tests { use crate::a::c; }",
            ),
            ("t.rs", "use crate::b::f;"),
        ]);
        assert_eq!(found, ["a>a::c", "a::c>", "a::c>a::d", "a::c>b", "a::d>b"]);
    }

    #[test]
    fn what_is_named_again_is_where_it_is_defined() {
        let found = edges(&[
            ROOT,
            A,
            ("a/c.rs", "pub struct Thing;"),
            ("a/d.rs", ""),
            ("b.rs", "use crate::a::{Thing, d}; fn f(_: Thing) {}"),
        ]);
        assert_eq!(found, ["a>a::c", "b>a::c"]);
    }

    #[test]
    fn a_method_that_one_module_defines_is_an_edge() {
        let found = edges(&[
            ROOT,
            A,
            (
                "a/c.rs",
                "impl Thing { fn only(&mut self, x: u8) {} fn both(self) {} fn get(&self) {} }",
            ),
            (
                "a/d.rs",
                "impl Other { fn both(&self) {} fn none(x: &Self) {} }",
            ),
            (
                "b.rs",
                "fn f(x: X) { x.only(1); x.both(); x.get(); x.none(); }",
            ),
        ]);
        assert_eq!(found, ["a>a::c", "b>a::c"]);
    }
}
