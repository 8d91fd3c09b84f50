//! Globals, types and enumeration constants by name.

use crate::die::TypeId;
use crate::error::SymbolsError;
use crate::index::Found;
use crate::index::format::{DECLARATION, Kind};
use crate::module::Module;
use crate::names;
use crate::types::Type;
use crate::variable::{Variable, VariableLocation};

/// A constant of an enumeration, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumeratorConstant {
    pub name: String,
    pub value: i128,
    pub type_id: TypeId,
}

impl Module {
    /// Globals and statics by name: plain, qualified or the end of a qualified name, or
    /// `function::static`. The best matches come first.
    pub fn find_globals(&self, name: &str) -> Result<Vec<Variable>, SymbolsError> {
        let mut found = self.lookup(name, Kind::Variable);
        found.sort_by_key(|found| {
            let path = self.index_path(found, true);
            (found.entry.is(DECLARATION), path.len(), found.index)
        });
        let mut variables = Vec::new();
        for found in found {
            let variable = self.variable(found.die())?;
            // A mere declaration says where nothing is, unless it has a constant value.
            let is_known = variable.location != VariableLocation::OptimisedOut;
            if is_known || !found.entry.is(DECLARATION) {
                variables.push(variable);
            }
        }
        // One that is somewhere comes before what it is an instance of.
        variables.sort_by_key(|variable| variable.location == VariableLocation::OptimisedOut);
        Ok(variables)
    }

    /// Globals and statics whose qualified names match a regular expression, in order of names.
    pub fn globals_matching(&self, pattern: &str) -> Result<Vec<Variable>, SymbolsError> {
        let pattern = self.pattern(pattern)?;
        let mut found: Vec<(String, Found)> = self
            .index()
            .all()
            .filter(|found| found.entry.kind == Kind::Variable && !found.entry.is(DECLARATION))
            .map(|found| (self.index_qualified_name(&found), found))
            .filter(|(name, _)| pattern.is_match(name))
            .collect();
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found
            .iter()
            .map(|(_, found)| self.variable(found.die()))
            .collect()
    }

    /// Names of globals and statics that start with a prefix, for completion.
    pub fn complete_global(&self, prefix: &str, most: usize) -> Vec<String> {
        let mut names = std::collections::BTreeSet::new();
        for found in self.index().all() {
            if names.len() >= most {
                break;
            }
            if found.entry.kind != Kind::Variable || found.entry.is(DECLARATION) {
                continue;
            }
            let starts = self.index_name(&found.entry).starts_with(prefix);
            let full = self.index_qualified_name(&found);
            if starts || full.starts_with(prefix) {
                names.insert(full);
            }
        }
        names.into_iter().collect()
    }

    /// Types by name: `foo`, `struct foo`, `ns::Foo<int>`, `core::option::Option<u32>`. Full
    /// definitions come before mere declarations, whole paths before ends of paths.
    pub fn find_types(&self, name: &str) -> Result<Vec<TypeId>, SymbolsError> {
        let (keyword, name) = split_keyword(name.trim());
        let components = names::components(name).len();
        let spelled = spelling(name);
        let mut found = Vec::new();
        for name in std::iter::once(name).chain(spelled) {
            found.extend(self.lookup(name, Kind::Type));
        }
        if let Some(keyword) = keyword {
            found.retain(|found| {
                let tag = self.entry(found.die()).map(|(_, entry)| entry.tag());
                tag.is_ok_and(|tag| keyword_fits(keyword, tag))
            });
        }
        found.sort_by_key(|found| {
            let path = self.index_path(found, false);
            let visible = path.iter().filter(|p| !names::is_transparent(p)).count();
            (
                found.entry.is(DECLARATION),
                visible.abs_diff(components),
                found.index,
            )
        });
        Ok(found.iter().map(|found| TypeId(found.die())).collect())
    }

    /// Types whose qualified or short names match a regular expression, in order of names; each name once.
    pub fn types_matching(&self, pattern: &str) -> Result<Vec<(String, TypeId)>, SymbolsError> {
        let pattern = self.pattern(pattern)?;
        let mut found: Vec<(String, TypeId)> = self
            .index()
            .all()
            .filter(|found| found.entry.kind == Kind::Type && !found.entry.is(DECLARATION))
            .map(|found| (self.index_qualified_name(&found), found))
            .filter(|(name, found)| {
                !name.is_empty()
                    && (pattern.is_match(name) || pattern.is_match(self.index_name(&found.entry)))
            })
            .map(|(name, found)| (name, TypeId(found.die())))
            .collect();
        found.sort();
        found.dedup_by(|next, before| next.0 == before.0);
        Ok(found)
    }

    /// Where a type was declared.
    pub fn declared_at(&self, id: TypeId) -> Option<crate::line::SourcePosition> {
        let (unit, entry) = self.entry(id.0).ok()?;
        self.declared(&unit, &entry)
    }

    /// Whether any type has this name (cheaper than finding them all).
    pub fn has_type(&self, name: &str) -> bool {
        let (_, name) = split_keyword(name.trim());
        !self.lookup(name, Kind::Type).is_empty()
    }

    /// Enumeration constants by name: plain, or with the enumeration or its namespace before it.
    pub fn find_enumerators(&self, name: &str) -> Result<Vec<EnumeratorConstant>, SymbolsError> {
        let wanted = names::components(name.trim_start_matches("::"));
        let Some(last) = wanted.last() else {
            return Ok(Vec::new());
        };
        let mut constants: Vec<EnumeratorConstant> = Vec::new();
        for found in self.lookup(last, Kind::Enumerator) {
            let path = self.index_path(&found, false);
            let with_enumeration = names::path_matches(&wanted, path.iter().copied());
            let without = path.iter().take(1).chain(path.iter().skip(2)).copied();
            if !with_enumeration && !names::path_matches(&wanted, without) {
                continue;
            }
            let Some(type_id) = self.parent(found.die()).map(TypeId) else {
                continue;
            };
            let Type::Enumeration(enumeration) = &*self.type_of(type_id)? else {
                continue;
            };
            let mut enumerators = enumeration.enumerators.iter();
            if let Some(enumerator) = enumerators.find(|e| &*e.name == *last) {
                constants.push(EnumeratorConstant {
                    name: enumerator.name.to_string(),
                    value: enumerator.value,
                    type_id,
                });
            }
        }
        Ok(constants)
    }
}

const KEYWORDS: [&str; 4] = ["struct", "class", "union", "enum"];

fn split_keyword(name: &str) -> (Option<&str>, &str) {
    match name.split_once(char::is_whitespace) {
        Some((first, rest)) if KEYWORDS.contains(&first) => (Some(first), rest.trim()),
        _ => (None, name),
    }
}

fn keyword_fits(keyword: &str, tag: gimli::DwTag) -> bool {
    match tag {
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
            keyword == "struct" || keyword == "class"
        }
        gimli::DW_TAG_union_type => keyword == "union",
        gimli::DW_TAG_enumeration_type => keyword == "enum",
        _ => false,
    }
}

/// How gcc spells the numbers of C in the debug information.
fn spelling(name: &str) -> Option<&'static str> {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    words.sort_unstable();
    Some(match words.as_slice() {
        ["long"] | ["int", "long"] | ["int", "long", "signed"] | ["long", "signed"] => "long int",
        ["short"] | ["int", "short"] | ["int", "short", "signed"] | ["short", "signed"] => {
            "short int"
        }
        ["unsigned"] | ["int", "unsigned"] => "unsigned int",
        ["signed"] | ["int", "signed"] => "int",
        ["long", "unsigned"] | ["int", "long", "unsigned"] => "long unsigned int",
        ["short", "unsigned"] | ["int", "short", "unsigned"] => "short unsigned int",
        ["long", "long"] | ["int", "long", "long"] => "long long int",
        ["long", "long", "unsigned"] | ["int", "long", "long", "unsigned"] => {
            "long long unsigned int"
        }
        ["char", "unsigned"] => "unsigned char",
        ["char", "signed"] => "signed char",
        ["__int128", "unsigned"] => "__int128 unsigned",
        _ => return None,
    })
}
