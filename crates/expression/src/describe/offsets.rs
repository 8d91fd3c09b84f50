//! `ptype/o`: where each member lies, how large it is, and where there is nothing, in gdb's layout.

use wayfarer_symbols::types::{Access, AggregateKind, Member, MemberPosition};

use super::cpp_class::{self, Labels};
use super::{displayed_declaration, rust_item};
use crate::syntax::Language;
use crate::types::{Shape, Structure, TypeRef};

/// The head of the two columns.
const HEAD: &str = "/* offset      |    size */  type = ";
/// How wide they are.
const COLUMNS: usize = 27;

/// The text of `ptype/o`, its `type = ` included; `None` for types without members.
pub fn describe_offsets(type_ref: &TypeRef) -> Option<String> {
    let Shape::Aggregate(structure) = type_ref.shape() else {
        return None;
    };
    if structure.variant_part.is_some() {
        return None;
    }
    let mut text = HEAD.to_owned();
    if type_ref.language() == Language::Rust {
        rust(&structure, &mut text);
    } else {
        expand(&structure, 0, 0, &mut text);
    }
    text.push('\n');
    Some(text)
}

/// How far the members so far reach, to find holes.
struct Reach {
    end_bits: u64,
}

impl Reach {
    /// Says what lies between the last member and this place. Before the first member there is no hole: a table
    /// pointer or a base class lies there.
    fn hole(&self, until_bits: u64, word: &str, text: &mut String) {
        if self.end_bits == 0 || self.end_bits >= until_bits {
            return;
        }
        let hole = until_bits - self.end_bits;
        let (bytes, bits) = (hole / 8, hole % 8);
        if bits > 0 {
            text.push_str(&format!("/* XXX {bits:2}-bit {word:<7}    */\n"));
        }
        if bytes > 0 {
            text.push_str(&format!("/* XXX {bytes:2}-byte {word:<7}   */\n"));
        }
    }
}

/// A structure from its keyword to its closing brace. `base_bits`: where it begins in the outermost one.
fn expand(structure: &Structure, level: usize, base_bits: u64, text: &mut String) {
    text.push_str(&super::head(structure));
    text.push_str(" {\n");
    let mut labels = Labels::new(level + COLUMNS);
    let labelled = cpp_class::needs_labels(structure);
    let mut label = |access: Access, text: &mut String| {
        if labelled {
            labels.change(access, text);
        }
    };
    let mut reach = Reach { end_bits: 0 };
    let mut fields = 0;
    for (index, member) in structure.members.iter().map(Some).chain([None]).enumerate() {
        for fixed in &structure.static_members {
            if fixed.members_before == index {
                fields += 1;
                label(fixed.access, text);
                let type_ref = structure.member_type(fixed.type_id);
                let declaration = displayed_declaration(&type_ref, &fixed.name);
                text.push_str(&format!("{}static {declaration};\n", blank(level + 4)));
            }
        }
        let Some(member) = member.filter(|member| !member.is_artificial) else {
            continue;
        };
        fields += 1;
        label(member.access, text);
        let type_ref = structure.member_type(member.type_id);
        let start = columns(structure, member, &type_ref, base_bits, &mut reach, text);
        text.push_str(&" ".repeat(level + 4));
        let name = member.name.as_deref().unwrap_or_default();
        let direct = type_ref.without_qualifiers();
        let is_typedef = matches!(
            direct.node().as_deref(),
            Some(wayfarer_symbols::Type::Typedef(_))
        );
        match direct.shape() {
            Shape::Aggregate(inner) if !is_typedef => {
                expand(&inner, level + 4, base_bits + start, text);
                if !name.is_empty() {
                    text.push_str(&format!(" {name}"));
                }
            }
            _ => text.push_str(&displayed_declaration(&type_ref, name)),
        }
        if let Some(bits) = member.bit_field {
            text.push_str(&format!(" : {}", bits.bit_size));
        }
        text.push_str(";\n");
    }
    if fields == 0 {
        text.push_str(&format!("{}<no data fields>\n", blank(level + 4)));
    }
    finish(structure, level, &reach, text);
    // The outermost brace stands below the word after the columns.
    let indent = if level == 0 { 2 } else { level };
    text.push_str(&format!("{}}}", blank(indent)));
}

/// The columns of a member; its first bit in the structure.
fn columns(
    structure: &Structure,
    member: &Member,
    type_ref: &TypeRef,
    base_bits: u64,
    reach: &mut Reach,
    text: &mut String,
) -> u64 {
    let size = type_ref.size().unwrap_or(0);
    if structure.kind == AggregateKind::Union {
        text.push_str(&format!("/* {:15}{size:6} */", ""));
        return 0;
    }
    let offset_bits = match member.position {
        MemberPosition::Offset(offset) => offset * 8,
        MemberPosition::Expression(_) => 0,
    };
    let (start, length) = match member.bit_field {
        Some(bits) => (bits.bit_offset, bits.bit_size),
        None => (offset_bits, size * 8),
    };
    reach.hole(start, "hole", text);
    let place = base_bits + start;
    let (bytes, bits) = (place / 8, place % 8);
    match member.bit_field {
        Some(_) => text.push_str(&format!("/* {bytes:6}:{bits:2}   |  {size:6} */")),
        None => text.push_str(&format!("/* {bytes:6}      |  {size:6} */")),
    }
    reach.end_bits = start + length;
    start
}

/// What lies after the last member, and the size of all.
fn finish(structure: &Structure, level: usize, reach: &Reach, text: &mut String) {
    if structure.kind != AggregateKind::Union {
        reach.hole(structure.size * 8, "padding", text);
    }
    text.push_str(&format!(
        "\n{}/* total size (bytes): {:4} */\n",
        blank(level + 4),
        structure.size
    ));
}

/// A Rust structure, its members in the order in which they lie.
fn rust(structure: &Structure, text: &mut String) {
    let keyword = match structure.kind {
        AggregateKind::Union => "union",
        _ => "struct",
    };
    let tuple = rust_item::is_tuple(structure);
    let (open, close) = if tuple { ('(', ')') } else { ('{', '}') };
    let name = structure.qualified_name.as_deref().unwrap_or_default();
    text.push_str(&format!("{keyword} {name} {open}\n"));
    let mut members: Vec<&Member> = structure.members.iter().collect();
    members.sort_by_key(|member| match member.position {
        MemberPosition::Offset(offset) => offset,
        MemberPosition::Expression(_) => 0,
    });
    let mut reach = Reach { end_bits: 0 };
    for member in members {
        let type_ref = structure.member_type(member.type_id);
        columns(structure, member, &type_ref, 0, &mut reach, text);
        match &member.name {
            Some(name) if !tuple => text.push_str(&format!("    {name}: {},\n", type_ref.name())),
            _ => text.push_str(&format!("    {},\n", type_ref.name())),
        }
    }
    finish(structure, 0, &reach, text);
    text.push_str(&format!("{}{close}", blank(2)));
}

/// As wide as the columns and an indentation after them.
fn blank(indent: usize) -> String {
    " ".repeat(COLUMNS + indent)
}
