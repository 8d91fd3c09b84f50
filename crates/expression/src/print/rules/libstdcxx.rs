//! libstdc++: strings and containers whose elements lie in one run or in blocks.

use super::walk::{Sequence, Walk, template_type};
use super::{Entry, Items, Pretty, Rule, Style, cut_short};
use crate::evaluate::contents;
use crate::print::scalar::character_kind;
use crate::types::{Shape, Structure};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "std::__cxx11::basic_string<",
        make: string,
    },
    Rule {
        prefix: "std::basic_string_view<",
        make: string_view,
    },
    Rule {
        prefix: "std::vector<bool",
        make: vector_of_bits,
    },
    Rule {
        prefix: "std::vector<",
        make: vector,
    },
    Rule {
        prefix: "std::bitset<",
        make: bitset,
    },
    Rule {
        prefix: "std::deque<",
        make: deque,
    },
    Rule {
        prefix: "std::span<",
        make: span,
    },
    Rule {
        prefix: "std::initializer_list<",
        make: initializer_list,
    },
    Rule {
        prefix: "std::stack<",
        make: adapter,
    },
    Rule {
        prefix: "std::queue<",
        make: adapter,
    },
    Rule {
        prefix: "std::priority_queue<",
        make: adapter,
    },
];

/// `1 element`, `2 elements`.
pub(super) fn elements(count: u64) -> String {
    match count {
        1 => "1 element".to_string(),
        _ => format!("{count} elements"),
    }
}

/// The name before the template arguments: `std::vector`.
pub(super) fn template_name(structure: &Structure) -> String {
    let name = structure.qualified_name.as_deref().unwrap_or_default();
    name.split('<').next().unwrap_or_default().to_string()
}

fn string(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let pointer = walk.at(value, &["_M_dataplus._M_p"])?;
    let length = walk.number(value, &["_M_string_length"])?;
    characters(walk, &pointer, length)
}

fn string_view(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let pointer = walk.at(value, &["_M_str"])?;
    let length = walk.number(value, &["_M_len"])?;
    characters(walk, &pointer, length)
}

fn characters(walk: &mut Walk<'_>, pointer: &Value, length: i128) -> Option<Pretty> {
    let (address, target) = walk.pointer(pointer)?;
    let kind = character_kind(&target)?;
    let count = u64::try_from(length).ok()?;
    Some(match walk.text(address, count, kind.bytes as u64) {
        Ok((bytes, more)) => Pretty::Text { bytes, kind, more },
        Err(error) => Pretty::Plain(cut_short(&error)),
    })
}

/// The elements of a vector, array or span.
pub(super) fn sequence(
    walk: &mut Walk<'_>,
    value: &Value,
    structure: &Structure,
) -> Option<Sequence> {
    let name = structure.qualified_name.as_deref()?;
    if name.starts_with("std::vector<") && !name.starts_with("std::vector<bool") {
        return vector_parts(walk, value).map(|(sequence, _)| sequence);
    }
    if name.starts_with("std::array<") {
        let elements = walk.at(value, &["_M_elems"])?;
        let Shape::Array { element, count, .. } = elements.type_ref.shape() else {
            return None;
        };
        return Some(Sequence::new(element, elements.address()?, count?));
    }
    if name.starts_with("std::basic_string_view<") {
        let (address, element) = walk.pointer_at(value, &["_M_str"])?;
        let count = u64::try_from(walk.number(value, &["_M_len"])?).ok()?;
        return Some(Sequence::new(element, address, count));
    }
    if name.starts_with("std::__cxx11::basic_string<") {
        let (address, element) = walk.pointer_at(value, &["_M_dataplus._M_p"])?;
        let count = u64::try_from(walk.number(value, &["_M_string_length"])?).ok()?;
        return Some(Sequence::new(element, address, count));
    }
    None
}

fn vector_parts(walk: &mut Walk<'_>, value: &Value) -> Option<(Sequence, u64)> {
    let (start, element) = walk.pointer_at(value, &["_M_impl._M_start"])?;
    let (finish, _) = walk.pointer_at(value, &["_M_impl._M_finish"])?;
    let (end, _) = walk.pointer_at(value, &["_M_impl._M_end_of_storage"])?;
    let size = element.size().filter(|size| *size > 0)?;
    let count = finish.checked_sub(start)? / size;
    let capacity = end.checked_sub(start)? / size;
    let sequence = Sequence::new(element, start, count);
    (capacity >= count).then_some((sequence, capacity))
}

fn vector(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (sequence, capacity) = vector_parts(walk, value)?;
    let head = format!(
        "{} of length {}, capacity {capacity}",
        template_name(structure),
        sequence.count
    );
    Some(Pretty::Items(Items::run(head, Style::Array, sequence)))
}

fn vector_of_bits(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (start, _) = walk.pointer_at(value, &["_M_impl._M_start._M_p"])?;
    let first = walk.number(value, &["_M_impl._M_start._M_offset"])?;
    let (finish, _) = walk.pointer_at(value, &["_M_impl._M_finish._M_p"])?;
    let last = walk.number(value, &["_M_impl._M_finish._M_offset"])?;
    let (end, _) = walk.pointer_at(value, &["_M_impl._M_end_of_storage"])?;
    let bits = |address: u64| i128::from(address.wrapping_sub(start)) * 8;
    let count = u64::try_from(bits(finish) + last - first).ok()?;
    let capacity = bits(end);
    let head = format!(
        "{}<bool> of length {count}, capacity {capacity}",
        template_name(structure)
    );
    let mut items = Items::listed(head, Style::Array, count);
    items.more = count > walk.shown(count);
    for index in 0..walk.shown(count) {
        let bit = index + first as u64;
        match walk.word(start.wrapping_add(bit / 64 * 8)) {
            Ok(word) => items.push(Entry::Bit(None, (word >> (bit % 64) & 1 == 1).to_string())),
            Err(error) => {
                items.error = Some(cut_short(&error));
                break;
            }
        }
    }
    Some(Pretty::Items(items))
}

/// The bits that are set, by their numbers.
fn bitset(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let words = walk.at(value, &["_M_w"])?;
    let bytes = contents(&words, walk.scope).ok()?;
    let set: u32 = bytes.bytes.iter().map(|byte| byte.count_ones()).sum();
    let mut items = Items::listed(template_name(structure), Style::Array, u64::from(set));
    for (at, byte) in bytes.bytes.iter().enumerate() {
        for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
            if items.found() == walk.limit as u64 {
                items.more = true;
                return Some(Pretty::Items(items));
            }
            let number = at * 8 + bit;
            items.push(Entry::Bit(Some(format!("[{number}]")), "1".to_string()));
        }
    }
    Some(Pretty::Items(items))
}

fn deque(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let element = template_type(structure, 0)?;
    let size = element.size().filter(|size| *size > 0)?;
    let per_block = if size < 512 { 512 / size } else { 1 };
    let mut part = |name: &str| walk.pointer_at(value, &[name]).map(|(address, _)| address);
    let mut cursor = part("_M_impl._M_start._M_cur")?;
    let mut block_end = part("_M_impl._M_start._M_last")?;
    let mut node = part("_M_impl._M_start._M_node")?;
    let last = part("_M_impl._M_finish._M_cur")?;
    let last_first = part("_M_impl._M_finish._M_first")?;
    let last_node = part("_M_impl._M_finish._M_node")?;
    let blocks = (last_node.wrapping_sub(node) / 8) as i64 - 1;
    let head_count = block_end.checked_sub(cursor)? / size;
    let tail_count = last.checked_sub(last_first)? / size;
    let count = (per_block as i64).checked_mul(blocks)? + head_count as i64 + tail_count as i64;
    let count = u64::try_from(count).ok()?;
    let head = format!("{} with {}", template_name(structure), elements(count));
    let mut items = Items::listed(head, Style::Array, count);
    items.more = count > walk.shown(count);
    for _ in 0..walk.shown(count) {
        items.push(Entry::Plain(Value::in_memory(element.clone(), cursor)));
        cursor = cursor.wrapping_add(size);
        if cursor == block_end {
            node = node.wrapping_add(8);
            match walk.word(node) {
                Ok(block) => {
                    cursor = block;
                    block_end = block.wrapping_add(per_block * size);
                }
                Err(error) => {
                    if items.found() < count {
                        items.error = Some(cut_short(&error));
                    }
                    break;
                }
            }
        }
    }
    Some(Pretty::Items(items))
}

fn span(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (address, element) = walk.pointer_at(value, &["_M_ptr"])?;
    let count = walk.number(value, &["_M_extent._M_extent_value"])?;
    let sequence = Sequence::new(element, address, u64::try_from(count).ok()?);
    let head = format!("{} of length {count}", template_name(structure));
    Some(Pretty::Items(Items::run(head, Style::Array, sequence)))
}

fn initializer_list(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (address, element) = walk.pointer_at(value, &["_M_array"])?;
    let count = walk.number(value, &["_M_len"])?;
    let sequence = Sequence::new(element, address, u64::try_from(count).ok()?);
    let head = format!("{} of length {count}", template_name(structure));
    Some(Pretty::Items(Items::run(head, Style::Array, sequence)))
}

/// A stack or queue: the container it wraps.
fn adapter(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let inner = walk.at(value, &["c"])?;
    let Shape::Aggregate(container) = inner.type_ref.shape() else {
        return None;
    };
    let name = container.qualified_name.clone()?;
    let rule = RULES
        .iter()
        .chain(super::libstdcxx_nodes::RULES)
        .find(|rule| name.starts_with(rule.prefix))?;
    match (rule.make)(walk, &inner, &container)? {
        Pretty::Items(mut items) => {
            items.head = format!("{} wrapping: {}", template_name(structure), items.head);
            Some(Pretty::Items(items))
        }
        _ => None,
    }
}
