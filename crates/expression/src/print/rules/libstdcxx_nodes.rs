//! libstdc++: containers made of nodes: lists, trees, hash tables.

use super::libstdcxx::{elements, template_name};
use super::walk::{Walk, align, template_type};
use super::{Entry, Items, Pretty, Rule, Style, cut_short};
use crate::evaluate::field_of;
use crate::scope::EvaluationError;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "std::__cxx11::list<",
        make: list,
    },
    Rule {
        prefix: "std::list<",
        make: list,
    },
    Rule {
        prefix: "std::forward_list<",
        make: forward_list,
    },
    Rule {
        prefix: "std::map<",
        make: tree_map,
    },
    Rule {
        prefix: "std::multimap<",
        make: tree_map,
    },
    Rule {
        prefix: "std::set<",
        make: tree_set,
    },
    Rule {
        prefix: "std::multiset<",
        make: tree_set,
    },
    Rule {
        prefix: "std::unordered_map<",
        make: hash_map,
    },
    Rule {
        prefix: "std::unordered_multimap<",
        make: hash_map,
    },
    Rule {
        prefix: "std::unordered_set<",
        make: hash_set,
    },
    Rule {
        prefix: "std::unordered_multiset<",
        make: hash_set,
    },
];

/// The nodes of a container have their value after this many bytes of links.
pub(super) const LIST_LINKS: u64 = 16;
pub(super) const FORWARD_LINKS: u64 = 8;
pub(super) const TREE_LINKS: u64 = 32;
pub(super) const HASH_LINKS: u64 = 8;

/// Where in a tree node the links are.
const TREE_PARENT: u64 = 8;
const TREE_LEFT: u64 = 16;
const TREE_RIGHT: u64 = 24;

pub(super) fn node_value(node: u64, links: u64, element: &TypeRef) -> Value {
    let offset = align(links, element.alignment());
    Value::in_memory(element.clone(), node.wrapping_add(offset))
}

/// Adds elements under their numbers until there are as many as are shown.
struct Numbered {
    items: Items,
    most: usize,
}

impl Numbered {
    fn add(&mut self, value: Value) -> bool {
        if self.items.found() >= self.most as u64 {
            self.items.more = true;
            return false;
        }
        let name = format!("[{}]", self.items.found());
        self.items.push(Entry::Named(name, value));
        true
    }
}

fn list(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let element = template_type(structure, 0)?;
    let header = walk.at(value, &["_M_impl._M_node"])?;
    let end = header.address()?;
    let (mut node, _) = walk.pointer_at(&header, &["_M_next"])?;
    let mut list = Numbered {
        items: Items::new(template_name(structure), Style::Named),
        most: walk.limit,
    };
    list.items.count = walk
        .number(&header, &["_M_size"])
        .and_then(|count| u64::try_from(count).ok());
    if node == end {
        return Some(Pretty::Plain(format!("empty {}", template_name(structure))));
    }
    while node != end {
        if !list.add(node_value(node, LIST_LINKS, &element)) {
            break;
        }
        match walk.word(node) {
            Ok(next) => node = next,
            Err(error) => {
                list.items.error = Some(cut_short(&error));
                break;
            }
        }
    }
    Some(Pretty::Items(list.items))
}

fn forward_list(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let element = template_type(structure, 0)?;
    let (mut node, _) = walk.pointer_at(value, &["_M_impl._M_head._M_next"])?;
    if node == 0 {
        return Some(Pretty::Plain(format!("empty {}", template_name(structure))));
    }
    let mut list = Numbered {
        items: Items::new(template_name(structure), Style::Named),
        most: walk.limit,
    };
    while node != 0 {
        if !list.add(node_value(node, FORWARD_LINKS, &element)) {
            break;
        }
        match walk.word(node) {
            Ok(next) => node = next,
            Err(error) => {
                list.items.error = Some(cut_short(&error));
                break;
            }
        }
    }
    Some(Pretty::Items(list.items))
}

/// The nodes of a red-black tree in order, at most as many as it says it has.
fn tree_nodes(
    walk: &mut Walk<'_>,
    value: &Value,
) -> Option<(Vec<u64>, u64, Option<EvaluationError>)> {
    let header = walk.at(value, &["_M_t._M_impl._M_header"])?;
    let count = walk.number(value, &["_M_t._M_impl._M_node_count"])?;
    let count = u64::try_from(count).ok()?;
    let mut node = {
        let left = walk.at(&header, &["_M_left"])?;
        walk.pointer(&left)?.0
    };
    let mut nodes = Vec::new();
    for index in 0..walk.shown(count) {
        nodes.push(node);
        if index + 1 == count {
            break;
        }
        match successor(walk, node) {
            Ok(next) => node = next,
            Err(error) => return Some((nodes, count, Some(error))),
        }
    }
    Some((nodes, count, None))
}

fn successor(walk: &mut Walk<'_>, mut node: u64) -> Result<u64, EvaluationError> {
    // A tree of 2^64 nodes has paths of at most twice 64; what is longer is damaged.
    const MAXIMUM_PATH: usize = 256;
    let right = walk.word(node.wrapping_add(TREE_RIGHT))?;
    if right != 0 {
        node = right;
        for _ in 0..MAXIMUM_PATH {
            match walk.word(node.wrapping_add(TREE_LEFT))? {
                0 => return Ok(node),
                left => node = left,
            }
        }
        return Err(EvaluationError::invalid("the tree is damaged"));
    }
    let mut parent = walk.word(node.wrapping_add(TREE_PARENT))?;
    for _ in 0..MAXIMUM_PATH {
        if walk.word(parent.wrapping_add(TREE_RIGHT))? != node {
            return Ok(parent);
        }
        node = parent;
        parent = walk.word(parent.wrapping_add(TREE_PARENT))?;
    }
    Err(EvaluationError::invalid("the tree is damaged"))
}

/// The type of what the nodes of a tree or hash table hold: its second template argument.
fn held_type(walk: &mut Walk<'_>, value: &Value, member: &str) -> Option<TypeRef> {
    let inner = walk.at(value, &[member])?;
    let Shape::Aggregate(structure) = inner.type_ref.shape() else {
        return None;
    };
    template_type(&structure, 1)
}

fn tree_map(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let pair = held_type(walk, value, "_M_t")?;
    let (nodes, count, error) = tree_nodes(walk, value)?;
    let values = nodes
        .into_iter()
        .map(|node| node_value(node, TREE_LINKS, &pair))
        .collect();
    map(walk, structure, count, values, error)
}

fn map(
    walk: &mut Walk<'_>,
    structure: &Structure,
    count: u64,
    pairs: Vec<Value>,
    error: Option<EvaluationError>,
) -> Option<Pretty> {
    let head = format!("{} with {}", template_name(structure), elements(count));
    let mut items = Items::listed(head, Style::Map, count);
    for pair in pairs {
        let key = field_of(&pair, "first", walk.scope).ok()??;
        let value = field_of(&pair, "second", walk.scope).ok()??;
        items.push(Entry::Pair(key, value));
    }
    items.end(error);
    Some(Pretty::Items(items))
}

fn set(
    structure: &Structure,
    count: u64,
    values: Vec<Value>,
    error: Option<EvaluationError>,
) -> Pretty {
    let head = format!("{} with {}", template_name(structure), elements(count));
    let mut items = Items::listed(head, Style::Named, count);
    for (index, value) in values.into_iter().enumerate() {
        items.push(Entry::Named(format!("[{index}]"), value));
    }
    items.end(error);
    Pretty::Items(items)
}

fn tree_set(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let element = template_type(structure, 0)?;
    let (nodes, count, error) = tree_nodes(walk, value)?;
    let values = nodes
        .into_iter()
        .map(|node| node_value(node, TREE_LINKS, &element))
        .collect();
    Some(set(structure, count, values, error))
}

fn hash_nodes(
    walk: &mut Walk<'_>,
    value: &Value,
    held: &TypeRef,
) -> Option<(Vec<Value>, u64, Option<EvaluationError>)> {
    let count = walk.number(value, &["_M_h._M_element_count"])?;
    let count = u64::try_from(count).ok()?;
    let (mut node, _) = walk.pointer_at(value, &["_M_h._M_before_begin._M_nxt"])?;
    let mut values = Vec::new();
    for _ in 0..walk.shown(count) {
        if node == 0 {
            break;
        }
        values.push(node_value(node, HASH_LINKS, held));
        match walk.word(node) {
            Ok(next) => node = next,
            Err(error) => return Some((values, count, Some(error))),
        }
    }
    Some((values, count, None))
}

fn hash_map(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let held = held_type(walk, value, "_M_h")?;
    let (values, count, error) = hash_nodes(walk, value, &held)?;
    map(walk, structure, count, values, error)
}

fn hash_set(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let held = held_type(walk, value, "_M_h")?;
    let (values, count, error) = hash_nodes(walk, value, &held)?;
    Some(set(structure, count, values, error))
}
