//! Symbols, libraries, and names for completion.

use super::At;
use super::locations::symbol_error;
use crate::session::MappedModule;
use crate::view::{LibraryView, SymbolInfoView, SymbolView};
use crate::{DebuggerError, Result};

impl At<'_> {
    /// Which symbol an address (an expression) belongs to.
    pub fn info_symbol(&mut self, expression: &str) -> Result<SymbolInfoView> {
        let address = self.address_value(expression)?;
        let process = self.own_process()?;
        let space = self.debugger.process(process)?.space.clone();
        let missing = || DebuggerError::Usage(format!("No symbol matches {expression}."));
        let mapped = space.mapped_at(address).ok_or_else(missing)?;
        let own = mapped.loaded.address(address);
        let symbol = mapped.loaded.module.symbol_at(own).ok_or_else(missing)?;
        let sections = mapped.loaded.module.sections();
        let inside = |section: &&wayfarer_symbols::elf::Section| {
            section.address <= own
                && own.0 < section.address.0 + section.size
                && section.address.0 != 0
        };
        Ok(SymbolInfoView {
            address,
            name: wayfarer_symbols::demangle::demangle(symbol.name),
            offset: own.0.wrapping_sub(symbol.address.0),
            section: sections
                .iter()
                .find(inside)
                .map(|section| section.name.clone()),
            module: mapped.path.clone(),
        })
    }

    /// Where a symbol is: `info address NAME`, as text.
    pub fn info_address(&mut self, name: &str) -> Result<String> {
        let value = self.value(name)?;
        Ok(match (value.address(), &value.place) {
            (Some(address), _)
                if matches!(
                    value.type_ref.shape(),
                    wayfarer_expression::Shape::Function { .. }
                ) =>
            {
                format!("Symbol \"{name}\" is a function at address {address:#x}.")
            }
            (Some(address), _) if self.is_static(address) => {
                format!("Symbol \"{name}\" is static storage at address {address:#x}.")
            }
            (Some(address), _) => format!("Symbol \"{name}\" is at address {address:#x}."),
            (None, wayfarer_symbols::location::Place::Register(register)) => {
                format!("Symbol \"{name}\" is a variable in ${register}.")
            }
            (None, place) if place.is_absent() => format!("Symbol \"{name}\" is optimized out."),
            _ => format!("Symbol \"{name}\" is constant."),
        })
    }

    /// Whether an address lies in the data of the program or of a library.
    fn is_static(&self, address: u64) -> bool {
        let modules = self.modules().unwrap_or_default();
        let within = |mapped: &MappedModule| (mapped.low..mapped.high).contains(&address);
        modules.iter().any(within)
    }

    fn modules(&self) -> Result<std::sync::Arc<Vec<MappedModule>>> {
        let process = self.own_process()?;
        Ok(self.debugger.process(process)?.space.modules.clone())
    }

    /// Libraries of the current process.
    pub fn shared_libraries(&mut self) -> Result<Vec<LibraryView>> {
        let process = self.own_process()?;
        let name = self.debugger.process(process)?.name.clone();
        let libraries = self.modules()?;
        let view = |mapped: &MappedModule| {
            let module = &mapped.loaded.module;
            let code = module
                .sections()
                .into_iter()
                .find(|section| section.name == ".text");
            let (from, to) = match code {
                Some(code) => {
                    let from = code.address.in_process(mapped.loaded.bias);
                    (from, from + code.size)
                }
                None => (mapped.low, mapped.high),
            };
            LibraryView {
                from,
                to,
                path: mapped.path.clone(),
                debug_info: Some(module.has_debug_information()),
                debug_file: module.debug_file().map(|path| path.display().to_string()),
                build_id: module
                    .build_id()
                    .map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect()),
                process: name.clone(),
            }
        };
        Ok(libraries
            .iter()
            .filter(|mapped| !mapped.is_program && !mapped.path.starts_with('['))
            .map(view)
            .collect())
    }

    /// Functions whose name matches (`info functions REGEX`).
    pub fn info_functions(&mut self, pattern: &str) -> Result<Vec<SymbolView>> {
        let mut views = Vec::new();
        for mapped in self
            .modules()?
            .iter()
            .filter(|mapped| mapped.loaded.module.has_debug_information())
        {
            for function in mapped
                .loaded
                .module
                .functions_matching(pattern)
                .map_err(symbol_error)?
            {
                let module = &mapped.loaded.module;
                let declaration = format!("{};", module.signature(&function));
                views.push(SymbolView {
                    name: function.name,
                    file: function
                        .declared
                        .as_ref()
                        .map(|declared| declared.file.name.clone()),
                    line: function
                        .declared
                        .as_ref()
                        .map(|declared| declared.line as u32),
                    address: function
                        .entry
                        .map(|entry| entry.in_process(mapped.loaded.bias)),
                    declaration: Some(declaration),
                });
            }
        }
        if views.is_empty() {
            views = self.bare_functions(pattern)?;
        }
        Ok(views)
    }

    /// Functions of the symbol tables, where no debug information knows any.
    fn bare_functions(&self, pattern: &str) -> Result<Vec<SymbolView>> {
        let pattern =
            regex::Regex::new(pattern).map_err(|error| DebuggerError::Regex(error.to_string()))?;
        let mut views = Vec::new();
        for mapped in self.modules()?.iter() {
            for symbol in mapped.loaded.module.symbols() {
                let name = wayfarer_symbols::demangle::demangle(symbol.name);
                if symbol.kind == wayfarer_symbols::SymbolKind::Function && pattern.is_match(&name)
                {
                    let address = Some(symbol.address.in_process(mapped.loaded.bias));
                    views.push(SymbolView {
                        name,
                        file: None,
                        line: None,
                        address,
                        declaration: None,
                    });
                }
            }
        }
        Ok(views)
    }

    /// Global variables whose name matches.
    pub fn info_variables(&mut self, pattern: &str) -> Result<Vec<SymbolView>> {
        let mut views = Vec::new();
        for mapped in self
            .modules()?
            .iter()
            .filter(|mapped| mapped.loaded.module.has_debug_information())
        {
            let module = &mapped.loaded.module;
            for variable in module.globals_matching(pattern).map_err(symbol_error)? {
                let scope = match variable.is_external {
                    true => "",
                    false => "static ",
                };
                let declaration = module.declaration(variable.type_id, &variable.name);
                let declaration = format!("{scope}{declaration};");
                views.push(SymbolView {
                    name: variable.qualified_name,
                    file: variable
                        .declared
                        .as_ref()
                        .map(|declared| declared.file.name.clone()),
                    line: variable
                        .declared
                        .as_ref()
                        .map(|declared| declared.line as u32),
                    address: None,
                    declaration: Some(declaration),
                });
            }
        }
        Ok(views)
    }

    /// Types whose name matches.
    pub fn info_types(&mut self, pattern: &str) -> Result<Vec<SymbolView>> {
        let mut views = Vec::new();
        for mapped in self
            .modules()?
            .iter()
            .filter(|mapped| mapped.loaded.module.has_debug_information())
        {
            let module = &mapped.loaded.module;
            let named = |name: &str| !name.starts_with(['<', '(']) && !name.contains("{vtable");
            for (name, id) in module.types_matching(pattern).map_err(symbol_error)? {
                if !named(&name) {
                    continue;
                }
                let (file, line) = module
                    .declared_at(id)
                    .map(|declared| (declared.file.name.clone(), declared.line as u32))
                    .unzip();
                views.push(SymbolView {
                    declaration: Some(format!("{};", module.type_name(Some(id)))),
                    name,
                    file,
                    line,
                    address: None,
                });
            }
        }
        Ok(views)
    }

    /// Names of functions that begin with this, for completion (at most `limit`).
    pub fn complete_function(&mut self, prefix: &str, limit: usize) -> Vec<String> {
        let mut names = Vec::new();
        let modules = self.modules().unwrap_or_default();
        // Libraries only when the program has nothing to offer: their thousands of names help nobody.
        for mapped in modules.iter().filter(|mapped| mapped.is_program) {
            names.extend(mapped.loaded.module.complete_function(prefix, limit));
        }
        for mapped in modules.iter().filter(|mapped| !mapped.is_program) {
            if !names.is_empty() {
                break;
            }
            names.extend(mapped.loaded.module.complete_function(prefix, limit));
        }
        names.sort();
        names.dedup();
        names.truncate(limit);
        names
    }

    /// Base names of source files that begin with this, for completion.
    pub fn complete_file(&mut self, prefix: &str, limit: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for mapped in self
            .modules()
            .unwrap_or_default()
            .iter()
            .filter(|mapped| mapped.is_program)
        {
            for file in mapped.loaded.module.source_files().unwrap_or_default() {
                let name = file
                    .path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default();
                if name.starts_with(prefix) && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names.sort();
        names.truncate(limit);
        names
    }
}
