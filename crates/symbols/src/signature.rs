//! Functions as they would be declared: `static int add(int, int)`, `fn work(&[i32]) -> i32`.

use crate::demangle::parameters_of;
use crate::function::Function;
use crate::language::Language;
use crate::module::Module;

impl Module {
    /// The declaration of a function, without its last semicolon.
    pub fn signature(&self, function: &Function) -> String {
        let scope = if function.is_external { "" } else { "static " };
        let types = self.parameters(function.die).unwrap_or_default();
        let names: Vec<String> = types.into_iter().map(|id| self.type_name(id)).collect();
        let name = &function.name;
        if function.language == Language::Rust {
            let result = match function.return_type {
                Some(_) => format!(" -> {}", self.type_name(function.return_type)),
                None => String::new(),
            };
            return format!("{scope}fn {name}({}){result}", names.join(", "));
        }
        let list = match function.language {
            Language::C if names.is_empty() => "void".to_owned(),
            _ => names.join(", "),
        };
        // The linker's name also has what belongs to the object: `const`.
        let linked = function.linkage_name.as_deref().and_then(parameters_of);
        let list = linked.unwrap_or_else(|| format!("({list})"));
        let declared = self.declaration(function.return_type, &format!("{name}{list}"));
        format!("{scope}{declared}")
    }
}
