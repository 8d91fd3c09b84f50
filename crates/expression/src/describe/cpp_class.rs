//! The bases, access labels and methods of C++ classes.

use wayfarer_symbols::types::{Access, AggregateKind, Method, StaticMember};

use super::{displayed_name, expand, member_line};
use crate::types::{Shape, Structure, TypeRef};

/// ` : public A, private virtual B`.
pub(super) fn bases(structure: &Structure) -> String {
    if structure.bases.is_empty() {
        return String::new();
    }
    let list: Vec<String> = structure
        .bases
        .iter()
        .map(|base| {
            let virtually = if base.is_virtual { "virtual " } else { "" };
            let class = displayed_name(&structure.member_type(Some(base.type_id)));
            format!("{} {virtually}{class}", word(base.access))
        })
        .collect();
    format!(" : {}", list.join(", "))
}

/// ` [with T = int]`: the types that the template was made with.
pub(super) fn template_arguments(structure: &Structure) -> String {
    let list: Vec<String> = structure
        .template_parameters
        .iter()
        .filter(|parameter| parameter.value.is_none())
        .filter_map(|parameter| {
            let name = parameter.name.as_deref()?;
            let type_name = displayed_name(&structure.member_type(parameter.type_id));
            Some(format!("{name} = {type_name}"))
        })
        .collect();
    match list.is_empty() {
        true => String::new(),
        false => format!(" [with {}]", list.join(", ")),
    }
}

fn word(access: Access) -> &'static str {
    match access {
        Access::Public => "public",
        Access::Protected => "protected",
        Access::Private => "private",
    }
}

/// Prints a label when the access changes.
pub(super) struct Labels {
    current: Option<Access>,
    /// Blanks in front.
    indent: usize,
}

impl Labels {
    pub(super) fn new(indent: usize) -> Labels {
        Labels {
            current: None,
            indent,
        }
    }

    pub(super) fn change(&mut self, access: Access, text: &mut String) {
        if self.current != Some(access) {
            self.current = Some(access);
            let indent = " ".repeat(self.indent);
            text.push_str(&format!("{indent}  {}:\n", word(access)));
        }
    }
}

/// The members and methods between the braces.
pub(super) fn body(structure: &Structure, show: i32, level: usize) -> String {
    let mut text = String::new();
    let mut labels = Labels::new(level * 4);
    let labelled = needs_labels(structure);
    let indent = "    ".repeat(level + 1);
    let mut fields = 0;
    for (index, member) in structure.members.iter().map(Some).chain([None]).enumerate() {
        let here = |member: &&StaticMember| member.members_before == index;
        for member in structure.static_members.iter().filter(here) {
            fields += 1;
            if labelled {
                labels.change(member.access, &mut text);
            }
            let type_ref = structure.member_type(member.type_id);
            let declaration = expand(&type_ref, &member.name, show - 1, level + 1);
            text.push_str(&format!("{indent}static {declaration};\n"));
        }
        let Some(member) = member.filter(|member| !member.is_artificial) else {
            continue;
        };
        fields += 1;
        if labelled {
            labels.change(member.access, &mut text);
        }
        text.push_str(&member_line(structure, member, show, level));
    }
    let methods: Vec<&Method> = structure
        .methods
        .iter()
        .filter(|method| !method.is_artificial)
        .collect();
    if fields == 0 && methods.is_empty() {
        return format!("{indent}<no data fields>\n");
    }
    if !methods.is_empty() && fields > 0 && labels.current.is_some() {
        text.push('\n');
    }
    for method in methods {
        labels.change(method.access, &mut text);
        text.push_str(&format!("{indent}{};\n", declaration(structure, method)));
    }
    text
}

/// Whether the default access of the keyword does not hold for all members.
pub(super) fn needs_labels(structure: &Structure) -> bool {
    let fields = structure
        .members
        .iter()
        .map(|member| {
            // The pointer to the virtual table counts as private.
            if member.is_artificial {
                Access::Private
            } else {
                member.access
            }
        })
        .chain(structure.static_members.iter().map(|member| member.access))
        .chain(
            structure
                .methods
                .iter()
                .filter(|method| !method.is_artificial)
                .map(|method| method.access),
        );
    let mut all = fields;
    if structure.kind == AggregateKind::Class {
        all.any(|access| access != Access::Private)
    } else {
        all.any(|access| access != Access::Public)
    }
}

/// `virtual double area(void) const`.
fn declaration(structure: &Structure, method: &Method) -> String {
    let class = structure.name.as_deref().unwrap_or_default();
    let class = class.split('<').next().unwrap_or_default();
    // A conversion has its result in its name.
    let converts = method
        .name
        .strip_prefix("operator ")
        .is_some_and(|rest| !["new", "new[]", "delete", "delete[]", "co_await"].contains(&rest));
    let special = &*method.name == class || method.name.starts_with('~') || converts;
    let mut text = String::new();
    if method.is_static {
        text.push_str("static ");
    } else if method.is_virtual && !method.name.starts_with('~') {
        text.push_str("virtual ");
    }
    if !special {
        let result = structure.member_type(method.return_type);
        text.push_str(&format!("{} ", displayed_name(&result)));
    }
    text.push_str(&method.name);
    let hidden = usize::from(!method.is_static);
    let parameters: Vec<String> = method
        .parameters
        .iter()
        .skip(hidden)
        .map(|id| displayed_name(&structure.member_type(*id)))
        .collect();
    // A destructor may have a hidden parameter, but takes none.
    let list = if parameters.is_empty() || method.name.starts_with('~') {
        "void".to_string()
    } else {
        parameters.join(", ")
    };
    text.push_str(&format!("({list})"));
    let this = method
        .parameters
        .first()
        .filter(|_| !method.is_static)
        .map(|id| structure.member_type(*id));
    if this.is_some_and(|this| points_to_constant(&this)) {
        text.push_str(" const");
    }
    text
}

fn points_to_constant(this: &TypeRef) -> bool {
    match this.shape() {
        Shape::Pointer { target, .. } => target
            .qualifier_words()
            .is_some_and(|words| words.starts_with("const")),
        _ => false,
    }
}
