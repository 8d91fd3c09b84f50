//! Rust: cells, locks, atomics and other types that wrap one value.

use super::walk::Walk;
use super::{Entry, Pretty, Rule};
use crate::print::rust_shape::short_name;
use crate::types::Structure;
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "core::cell::Cell<",
        make: cell,
    },
    Rule {
        prefix: "core::cell::UnsafeCell<",
        make: transparent,
    },
    Rule {
        prefix: "core::cell::RefCell<",
        make: ref_cell,
    },
    Rule {
        prefix: "core::cell::Ref<",
        make: guard,
    },
    Rule {
        prefix: "core::cell::RefMut<",
        make: guard,
    },
    Rule {
        prefix: "core::cell::once::OnceCell<",
        make: once_cell,
    },
    Rule {
        prefix: "std::sync::poison::mutex::Mutex<",
        make: mutex,
    },
    Rule {
        prefix: "std::sync::mutex::Mutex<",
        make: mutex,
    },
    Rule {
        prefix: "std::sync::poison::rwlock::RwLock<",
        make: rw_lock,
    },
    Rule {
        prefix: "std::sync::rwlock::RwLock<",
        make: rw_lock,
    },
    Rule {
        prefix: "core::sync::atomic::Atomic",
        make: atomic,
    },
    Rule {
        prefix: "core::num::nonzero::NonZero<",
        make: transparent,
    },
    Rule {
        prefix: "core::num::wrapping::Wrapping<",
        make: wrapping,
    },
    Rule {
        prefix: "core::mem::manually_drop::ManuallyDrop<",
        make: transparent,
    },
    Rule {
        prefix: "core::mem::maybe_dangling::MaybeDangling<",
        make: transparent,
    },
    Rule {
        prefix: "core::mem::maybe_uninit::MaybeUninit<",
        make: maybe_uninit,
    },
    Rule {
        prefix: "core::time::Duration",
        make: duration,
    },
    Rule {
        prefix: "core::ops::range::Range<",
        make: range,
    },
    Rule {
        prefix: "core::ops::range::RangeInclusive<",
        make: range_inclusive,
    },
    Rule {
        prefix: "core::ops::range::RangeFrom<",
        make: range_from,
    },
    Rule {
        prefix: "core::ops::range::RangeTo<",
        make: range_to,
    },
    Rule {
        prefix: "core::ops::range::RangeFull",
        make: range_full,
    },
    Rule {
        prefix: "core::marker::PhantomData<",
        make: phantom,
    },
];

const WRAPPED: [&str; 10] = [
    "value.value",
    "value",
    "v.value",
    "v",
    "__0.__0",
    "__0",
    "pointer",
    "data.value",
    "p.value",
    "p",
];

/// The value within the innermost of the usual wrappers.
fn inner(walk: &mut Walk<'_>, value: &Value, paths: &[&str]) -> Option<Value> {
    walk.at(value, paths)
}

fn transparent(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["value", "__0.__0", "__0", "v"])?;
    (found.type_ref.size() == value.type_ref.size()).then_some(Pretty::Same(found))
}

fn cell(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["value.value", "value"])?;
    Some(Pretty::Wrapped("Cell".to_string(), found, String::new()))
}

fn once_cell(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["inner.value", "inner"])?;
    Some(Pretty::Wrapped(
        "OnceCell".to_string(),
        found,
        String::new(),
    ))
}

fn ref_cell(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let borrow = walk.number(value, &["borrow"])?;
    let found = inner(walk, value, &["value.value", "value"])?;
    let state = match borrow {
        0 => String::new(),
        1.. => format!(", borrowed={borrow}"),
        _ => ", mutably borrowed".to_string(),
    };
    Some(Pretty::Wrapped("RefCell".to_string(), found, state))
}

fn guard(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (address, target) = walk.pointer_at(value, &["value"])?;
    let name = short_name(structure.qualified_name.as_deref()?);
    Some(Pretty::Wrapped(
        name,
        Value::in_memory(target, address),
        String::new(),
    ))
}

/// `, poisoned` if a panic left the lock so.
fn poisoned(walk: &mut Walk<'_>, value: &Value) -> &'static str {
    match walk.number(value, &["poison.failed"]) {
        Some(0) | None => "",
        Some(_) => ", poisoned",
    }
}

fn mutex(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["data.value", "data"])?;
    let futex = walk.number(value, &["inner.futex", "inner"])?;
    let locked = if futex != 0 { ", locked" } else { "" };
    let poisoned = poisoned(walk, value);
    Some(Pretty::Wrapped(
        "Mutex".to_string(),
        found,
        format!("{locked}{poisoned}"),
    ))
}

fn rw_lock(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    const WRITE_LOCKED: i128 = (1 << 30) - 1;
    let found = inner(walk, value, &["data.value", "data"])?;
    let state = walk.number(value, &["inner.state"])? & WRITE_LOCKED;
    let locked = match state {
        0 => String::new(),
        WRITE_LOCKED => ", write locked".to_string(),
        readers => format!(", readers={readers}"),
    };
    let poisoned = poisoned(walk, value);
    Some(Pretty::Wrapped(
        "RwLock".to_string(),
        found,
        format!("{locked}{poisoned}"),
    ))
}

fn atomic(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &WRAPPED)?;
    let name = short_name(structure.qualified_name.as_deref()?);
    if name == "AtomicBool" {
        let truth = walk.plain_number(&found)? != 0;
        return Some(Pretty::Plain(format!("{name}({truth})")));
    }
    (found.type_ref.size() == value.type_ref.size())
        .then(|| Pretty::Wrapped(name, found, String::new()))
}

fn wrapping(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["__0"])?;
    Some(Pretty::Wrapped(
        "Wrapping".to_string(),
        found,
        String::new(),
    ))
}

fn maybe_uninit(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = inner(walk, value, &["value.value", "value"])?;
    Some(Pretty::Wrapped(
        "MaybeUninit".to_string(),
        found,
        String::new(),
    ))
}

fn duration(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let seconds = u64::try_from(walk.number(value, &["secs"])?).ok()?;
    let nanoseconds = u32::try_from(walk.number(value, &["nanos"])?).ok()?;
    if nanoseconds >= 1_000_000_000 {
        return None;
    }
    let span = std::time::Duration::new(seconds, nanoseconds);
    Some(Pretty::Plain(format!("{span:?}")))
}

/// A range by its numbers, which are its parts.
struct Bounds {
    parts: Vec<Entry>,
    texts: Vec<String>,
}

fn bounds(walk: &mut Walk<'_>, value: &Value, names: &[&str]) -> Option<Bounds> {
    let format = crate::print::Format::nested();
    let mut bounds = Bounds {
        parts: Vec::new(),
        texts: Vec::new(),
    };
    for name in names {
        let found = walk.at(value, &[name])?;
        let text = crate::print::print(&found, &format, walk.scope).ok()?;
        bounds.texts.push(text);
        bounds.parts.push(Entry::Named(name.to_string(), found));
    }
    Some(bounds)
}

fn range(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = bounds(walk, value, &["start", "end"])?;
    Some(Pretty::Titled(found.texts.join(".."), found.parts))
}

fn range_inclusive(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = bounds(walk, value, &["start", "end"])?;
    let exhausted = match walk.number(value, &["exhausted"]) {
        Some(0) | None => "",
        Some(_) => " (exhausted)",
    };
    let text = format!("{}{exhausted}", found.texts.join("..="));
    Some(Pretty::Titled(text, found.parts))
}

fn range_from(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = bounds(walk, value, &["start"])?;
    Some(Pretty::Titled(
        format!("{}..", found.texts.concat()),
        found.parts,
    ))
}

fn range_to(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let found = bounds(walk, value, &["end"])?;
    Some(Pretty::Titled(
        format!("..{}", found.texts.concat()),
        found.parts,
    ))
}

fn range_full(_: &mut Walk<'_>, _: &Value, _: &Structure) -> Option<Pretty> {
    Some(Pretty::Plain("..".to_string()))
}

fn phantom(_: &mut Walk<'_>, _: &Value, structure: &Structure) -> Option<Pretty> {
    Some(Pretty::Plain(structure.name.as_deref()?.to_string()))
}
