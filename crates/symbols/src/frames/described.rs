//! What debug information and symbols say about one address of a module.

use super::frame::FrameKind;
use crate::demangle::demangle;
use crate::line::SourcePosition;
use crate::{DieId, Function, Language, Module, ModuleAddress, ScopeKind};

/// One function that contains an address.
pub(crate) struct DescribedFunction {
    pub kind: FrameKind,
    pub scope: DieId,
    pub name: Option<String>,
    pub language: Language,
    /// Of an inlined function: where its caller calls it.
    pub call: Option<SourcePosition>,
}

/// What there is at an address.
pub(crate) struct Described {
    /// Outermost first: the function that is really called, then those inlined into it. Empty
    /// without debug information.
    pub functions: Vec<DescribedFunction>,
    /// Where the function that is really called begins.
    pub start: Option<ModuleAddress>,
    /// The name of the symbol, where there is no function.
    pub symbol: Option<String>,
    /// Whether the function that is really called is where the program begins for its author.
    pub is_main: bool,
    /// The line, and where its code begins if a statement begins there.
    pub line: Option<(Option<ModuleAddress>, SourcePosition)>,
}

/// Looks an address up.
pub(super) fn describe(module: &Module, address: ModuleAddress) -> Described {
    let line = module.line_at(address).ok().flatten();
    let scopes = module.scopes_at(address).unwrap_or_default();
    let mut functions = Vec::new();
    let mut start = None;
    for scope in &scopes {
        let kind = match scope.kind {
            ScopeKind::Block => continue,
            ScopeKind::Function => FrameKind::Normal,
            ScopeKind::Inlined => FrameKind::Inlined,
        };
        if functions.is_empty() {
            start = scope.entry();
        }
        let function = module.function(scope.die).ok();
        functions.push(DescribedFunction {
            kind,
            scope: scope.die,
            name: function.as_ref().map(shown_name),
            language: function.map_or(Language::default(), |function| function.language),
            call: scope.call.clone(),
        });
    }
    let symbol = if functions.is_empty() {
        module.symbol_at(address)
    } else {
        None
    };
    let is_main = match functions.first() {
        Some(function) => {
            function.name.as_deref() == Some("main") || is_marked_main(module, function.scope)
        }
        None => symbol.is_some_and(|symbol| symbol.name == "main"),
    };
    Described {
        functions,
        is_main,
        start: start.or(symbol.map(|symbol| symbol.address)),
        symbol: symbol.map(|symbol| demangle(symbol.name)),
        line: line.map(|line| {
            let start = line.is_statement.then_some(line.range.start);
            (start, line.position)
        }),
    }
}

/// Whether the compiler marks the function as the program's main one, as Rust's does.
fn is_marked_main(module: &Module, function: DieId) -> bool {
    let Ok(unit) = module.unit(function.unit) else {
        return false;
    };
    let Ok(entry) = unit.unit.entry(function.unit_offset()) else {
        return false;
    };
    let mark = entry.attr_value(gimli::DW_AT_main_subprogram);
    matches!(mark, Some(gimli::AttributeValue::Flag(true)))
}

/// gdb names a C function by its linkage name where the debug information has one, and writes the
/// integer types in C++ names in their shortest form.
fn shown_name(function: &Function) -> String {
    match &function.linkage_name {
        Some(name) if function.language == Language::C => name.clone(),
        _ if function.language == Language::Cpp && function.name.contains('<') => {
            short_integers(&function.name)
        }
        _ => function.name.clone(),
    }
}

/// As compilers write them and as gdb does; longer ones first.
const INTEGERS: [(&str, &str); 6] = [
    ("long long unsigned int", "unsigned long long"),
    ("long unsigned int", "unsigned long"),
    ("short unsigned int", "unsigned short"),
    ("long long int", "long long"),
    ("long int", "long"),
    ("short int", "short"),
];

fn short_integers(name: &str) -> String {
    let mut name = name.to_owned();
    for (long, short) in INTEGERS {
        name = name.replace(long, short);
    }
    name
}
