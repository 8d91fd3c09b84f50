//! Rust: hash tables and B-trees.

use super::rust_sequences::node_type;
use super::walk::{Walk, align, template_type};
use super::{Entry, Items, Pretty, Rule, Style};
use crate::evaluate::{field_of, read_bytes};
use crate::scope::EvaluationError;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "std::collections::hash::map::HashMap<",
        make: hash_map,
    },
    Rule {
        prefix: "std::collections::hash::set::HashSet<",
        make: hash_set,
    },
    Rule {
        prefix: "hashbrown::map::HashMap<",
        make: hash_map,
    },
    Rule {
        prefix: "hashbrown::set::HashSet<",
        make: hash_set,
    },
    Rule {
        prefix: "alloc::collections::btree::map::BTreeMap<",
        make: tree_map,
    },
    Rule {
        prefix: "alloc::collections::btree::set::BTreeSet<",
        make: tree_set,
    },
];

/// The most slots of a hash table that are looked at.
const MAXIMUM_SLOTS: u64 = 1 << 24;

/// The deepest B-tree: each level has at least six times the nodes of the one above.
const MAXIMUM_HEIGHT: u64 = 32;

/// The most keys in a node.
const NODE_CAPACITY: u64 = 11;

/// The full slots of a hash table, each as the pair it holds.
fn slots(walk: &mut Walk<'_>, value: &Value) -> Option<(Vec<Value>, u64, Option<EvaluationError>)> {
    let table = walk.at(
        value,
        &[
            "base.table",
            "base.map.table",
            "map.base.table",
            "base.map.base.table",
            "map.table",
            "table",
        ],
    )?;
    let Shape::Aggregate(structure) = table.type_ref.shape() else {
        return None;
    };
    let pair = template_type(&structure, 0)?;
    let size = pair.size()?;
    let mask = u64::try_from(walk.number(&table, &["table.bucket_mask", "bucket_mask"])?).ok()?;
    let count = u64::try_from(walk.number(&table, &["table.items", "items"])?).ok()?;
    let (control, _) = walk.pointer_at(&table, &["table.ctrl", "ctrl"])?;
    // The control byte of a full slot has its highest bit clear; the pairs lie before the controls,
    // the first one last.
    let slots = mask
        .checked_add(1)
        .filter(|slots| *slots <= MAXIMUM_SLOTS)?;
    if count > slots || !slots.is_power_of_two() {
        return None;
    }
    let mut found = Vec::new();
    let wanted = walk.shown(count);
    let mut at = 0;
    while at < slots && (found.len() as u64) < wanted {
        let step = (slots - at).min(4096);
        let bytes = match read_bytes(control.wrapping_add(at), step, walk.scope) {
            Ok(bytes) => bytes,
            Err(error) => return Some((found, count, Some(error))),
        };
        for (index, byte) in bytes.iter().enumerate() {
            if byte & 0x80 == 0 && (found.len() as u64) < wanted {
                let slot = at + index as u64 + 1;
                let address = control.wrapping_sub(slot.wrapping_mul(size));
                found.push(Value::in_memory(pair.clone(), address));
            }
        }
        at += step;
    }
    Some((found, count, None))
}

fn hash_map(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let (pairs, count, error) = slots(walk, value)?;
    let mut items = Items::listed(String::new(), Style::RustMap, count);
    for pair in pairs {
        let key = field_of(&pair, "0", walk.scope).ok()??;
        let value = field_of(&pair, "1", walk.scope).ok()??;
        items.push(Entry::Pair(key, value));
    }
    items.end(error);
    Some(Pretty::Items(items))
}

fn hash_set(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let (pairs, count, error) = slots(walk, value)?;
    let mut items = Items::listed(String::new(), Style::RustSet, count);
    for pair in pairs {
        let key = field_of(&pair, "0", walk.scope).ok()??;
        items.push(Entry::Plain(key));
    }
    items.end(error);
    Some(Pretty::Items(items))
}

/// What is needed to go through a B-tree.
struct Tree {
    node: TypeRef,
    key: TypeRef,
    value: TypeRef,
    /// Where in an inner node the edges are.
    edges: u64,
    wanted: u64,
    found: Vec<(Value, Value)>,
}

impl Tree {
    fn visit(
        &mut self,
        walk: &mut Walk<'_>,
        node: u64,
        height: u64,
    ) -> Option<Result<(), EvaluationError>> {
        let leaf = Value::in_memory(self.node.clone(), node);
        let length = match walk.at(&leaf, &["len"]) {
            Some(length) => match crate::evaluate::number_of(&length, walk.scope) {
                Ok(number) => number.as_integer() as u64,
                Err(error) => return Some(Err(error)),
            },
            None => return None,
        };
        if length > NODE_CAPACITY {
            return Some(Err(EvaluationError::invalid("the tree is damaged")));
        }
        let keys = walk.at(&leaf, &["keys"])?.address()?;
        let values = walk.at(&leaf, &["vals"])?.address()?;
        for index in 0..=length {
            if height > 0 {
                let edge = node.wrapping_add(self.edges + index * 8);
                let child = match walk.word(edge) {
                    Ok(child) => child,
                    Err(error) => return Some(Err(error)),
                };
                match self.visit(walk, child, height - 1)? {
                    Ok(()) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
            if self.found.len() as u64 >= self.wanted {
                return Some(Ok(()));
            }
            if index < length {
                let at = |base: u64, part: &TypeRef| {
                    let size = part.size().unwrap_or(0);
                    Value::in_memory(part.clone(), base.wrapping_add(index * size))
                };
                self.found
                    .push((at(keys, &self.key), at(values, &self.value)));
            }
        }
        Some(Ok(()))
    }
}

type Pairs = (Vec<(Value, Value)>, u64, Option<EvaluationError>);

fn tree_pairs(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pairs> {
    let key = template_type(structure, 0)?;
    let held = template_type(structure, 1)?;
    let count = u64::try_from(walk.number(value, &["length"])?).ok()?;
    if count == 0 {
        return Some((Vec::new(), 0, None));
    }
    let root = walk.at(value, &["root"])?;
    // The root is an option: its data is in the variant that is there.
    let inner = walk.at(&root, &["0"])?;
    let height = u64::try_from(walk.number(&inner, &["height"])?).ok()?;
    let node = walk.at(&inner, &["node"])?;
    let (address, _) = walk.pointer(&node)?;
    let node = node_type(&node.type_ref)?;
    if height > MAXIMUM_HEIGHT {
        return None;
    }
    let mut tree = Tree {
        edges: align(node.size()?, 8),
        node,
        key,
        value: held,
        wanted: walk.shown(count),
        found: Vec::new(),
    };
    let result = tree.visit(walk, address, height)?;
    Some((tree.found, count, result.err()))
}

fn tree_map(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (pairs, count, error) = tree_pairs(walk, value, structure)?;
    let mut items = Items::listed(String::new(), Style::RustMap, count);
    for (key, value) in pairs {
        items.push(Entry::Pair(key, value));
    }
    items.end(error);
    Some(Pretty::Items(items))
}

fn tree_set(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let map = walk.at(value, &["map"])?;
    let Shape::Aggregate(structure) = map.type_ref.shape() else {
        return None;
    };
    let (pairs, count, error) = tree_pairs(walk, &map, &structure)?;
    let mut items = Items::listed(String::new(), Style::RustSet, count);
    for (key, _) in pairs {
        items.push(Entry::Plain(key));
    }
    items.end(error);
    Some(Pretty::Items(items))
}
