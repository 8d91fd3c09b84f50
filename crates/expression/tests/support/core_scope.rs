//! A scope over a core file, with changes kept on the side.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use wayfarer_expression::{
    EvaluationError, Language, Scope, SymbolAt, TypeRef, Value, language_of,
};
use wayfarer_symbols::frames::{Backtrace, BacktraceOptions, Viewpoint};
use wayfarer_symbols::location::{Absence, Fetched, Memory, Place, Unreadable};
use wayfarer_symbols::registers::Register;
use wayfarer_symbols::types::{Dimension, Encoding};
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule};
use wayfarer_symbols::{DieId, LoadOptions, Module, Variable};

use super::core_file::CoreFile;

pub struct CoreScope {
    pub core: CoreFile,
    pub backtrace: Backtrace,
    pub level: usize,
    written: HashMap<u64, u8>,
    convenience: HashMap<String, Value>,
}

impl CoreScope {
    pub fn load(core: &Path, level: usize) -> CoreScope {
        let nothing_else = LoadOptions {
            debug_directories: Vec::new(),
            cache_directory: None,
            sysroot: None,
        };
        let core = CoreFile::load(core, &nothing_else);
        let options = BacktraceOptions::default();
        let backtrace = Backtrace::walk(&core, &core.threads[0].1, &options);
        CoreScope {
            core,
            backtrace,
            level,
            written: HashMap::new(),
            convenience: HashMap::new(),
        }
    }

    fn viewpoint(&self) -> Option<Viewpoint<'_>> {
        let frame = self.backtrace.frame(self.level)?;
        Viewpoint::frame(&self.core, &self.backtrace.stack, frame.activation)
    }

    pub fn locals(&self) -> Vec<Variable> {
        let Some(frame) = self.backtrace.frame(self.level) else {
            return Vec::new();
        };
        let (Some(scope), Some(loaded)) = (frame.scope, &frame.module) else {
            return Vec::new();
        };
        loaded
            .module
            .variables_in(scope, frame.lookup_address)
            .unwrap_or_default()
    }

    pub fn local_value(&self, variable: &Variable) -> Option<Value> {
        let viewpoint = self.viewpoint()?;
        let module = &self.backtrace.frame(self.level)?.module.as_ref()?.module;
        Some(Value::at(
            TypeRef::known(module, variable.type_id),
            viewpoint.place_of(variable),
        ))
    }

    fn global(&self, name: &str) -> Option<Value> {
        for loaded in self.core.modules() {
            let globals = loaded.module.find_globals(name).unwrap_or_default();
            if let Some(variable) = globals.first() {
                let viewpoint = Viewpoint::thread(&self.core, &loaded, &self.core.threads[0].1);
                return Some(Value::at(
                    TypeRef::known(&loaded.module, variable.type_id),
                    viewpoint.place_of(variable),
                ));
            }
            if let Some(constant) = loaded
                .module
                .find_enumerators(name)
                .unwrap_or_default()
                .first()
            {
                let type_ref = TypeRef::known(&loaded.module, Some(constant.type_id));
                return Some(Value::computed(
                    type_ref,
                    constant.value.to_le_bytes().to_vec(),
                ));
            }
            if let Some(value) = self.function(&loaded, name) {
                return Some(value);
            }
        }
        None
    }

    fn function(&self, loaded: &LoadedModule, name: &str) -> Option<Value> {
        let functions = loaded.module.find_functions(name).ok()?;
        let function = functions.first()?;
        let entry = function.entry?.in_process(loaded.bias);
        let parameters = loaded
            .module
            .variables_in(function.die, function.entry?)
            .unwrap_or_default()
            .iter()
            .filter(|variable| variable.kind == wayfarer_symbols::VariableKind::Parameter)
            .map(|variable| TypeRef::known(&loaded.module, variable.type_id))
            .collect();
        let type_ref = TypeRef::Made(Arc::new(wayfarer_expression::MadeType::Function {
            result: TypeRef::known(&loaded.module, function.return_type),
            parameters,
        }));
        Some(Value::in_memory(type_ref, entry))
    }

    pub fn all_globals(&self, name: &str) -> bool {
        self.global(name).is_some()
    }
}

impl Scope for CoreScope {
    fn language(&mut self) -> Language {
        match self.backtrace.frame(self.level) {
            Some(frame) => language_of(frame.language),
            None => Language::C,
        }
    }

    fn variable(&mut self, name: &str) -> Result<Option<Value>, EvaluationError> {
        let local = self
            .locals()
            .into_iter()
            .find(|variable| variable.name == name);
        if let Some(variable) = local {
            return Ok(self.local_value(&variable));
        }
        Ok(self.global(name))
    }

    fn is_global(&mut self, name: &str) -> bool {
        !self.locals().iter().any(|variable| variable.name == name)
    }

    fn scoped_variable(
        &mut self,
        scope: &str,
        name: &str,
    ) -> Result<Option<Value>, EvaluationError> {
        if let Some(value) = self.global(&format!("{scope}::{name}")) {
            return Ok(Some(value));
        }
        Ok(if scope.ends_with(".c") {
            self.global(name)
        } else {
            None
        })
    }

    fn variable_of(&mut self, module: Option<Arc<Module>>, die: DieId) -> Option<Value> {
        let viewpoint = self.viewpoint()?;
        let module = module?;
        let variable = module.variable(die).ok()?;
        Some(Value::at(
            TypeRef::known(&module, variable.type_id),
            viewpoint.place_of_entry(die),
        ))
    }

    fn type_named(&mut self, keyword: Option<&str>, name: &str) -> Option<TypeRef> {
        let full = match keyword {
            Some(keyword) => format!("{keyword} {name}"),
            None => name.to_string(),
        };
        self.core.modules().iter().find_map(|loaded| {
            let found = loaded.module.find_types(&full).ok()?;
            Some(TypeRef::known(&loaded.module, Some(*found.first()?)))
        })
    }

    fn fetch(&mut self, place: &Place, size: usize) -> Result<Fetched, Absence> {
        if let Place::Memory(address) = place {
            let mut bytes = vec![0; size];
            self.read(*address, &mut bytes)?;
            return Ok(Fetched {
                bytes,
                missing: Vec::new(),
            });
        }
        match self.viewpoint() {
            Some(viewpoint) => viewpoint.fetch(place, size),
            None => Err(Absence::NoFrame),
        }
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        Memory::read(self.core.memory(), address, buffer)?;
        for (index, byte) in buffer.iter_mut().enumerate() {
            if let Some(changed) = self.written.get(&address.wrapping_add(index as u64)) {
                *byte = *changed;
            }
        }
        Ok(())
    }

    fn store(&mut self, place: &Place, offset: u64, bytes: &[u8]) -> Result<(), EvaluationError> {
        let Place::Memory(address) = place else {
            return Err(EvaluationError::invalid("only memory can be changed here."));
        };
        for (index, byte) in bytes.iter().enumerate() {
            self.written
                .insert(address.wrapping_add(offset + index as u64), *byte);
        }
        Ok(())
    }

    fn dollar(&mut self, name: &str) -> Result<Option<Value>, EvaluationError> {
        if let Some(value) = self.convenience.get(name) {
            return Ok(Some(value.clone()));
        }
        Ok(Register::by_name(name).map(|register| {
            let type_ref = TypeRef::base("long", Encoding::Signed, 8, Language::C);
            Value::at(type_ref, Place::Register(register))
        }))
    }

    fn set_convenience(&mut self, name: &str, value: &Value) -> Result<(), EvaluationError> {
        self.convenience.insert(name.to_string(), value.clone());
        Ok(())
    }

    fn symbol_at(&mut self, address: u64) -> Option<SymbolAt> {
        let loaded = self.core.module_at(address)?;
        let at = loaded.address(address);
        let symbol = loaded.module.symbol_at(at)?;
        let text = loaded.module.symbolic_address(at)?;
        let offset = at.0 - symbol.address.0;
        let name = match offset {
            0 => text,
            _ => text
                .strip_suffix(&format!("+{offset}"))
                .unwrap_or(&text)
                .to_string(),
        };
        // The compiler numbers the statics of functions: `count.0`.
        let name = match name.rsplit_once('.') {
            Some((plain, number)) if number.parse::<u32>().is_ok() => plain.to_string(),
            _ => name,
        };
        Some(SymbolAt {
            name,
            offset,
            is_code: symbol.kind == wayfarer_symbols::SymbolKind::Function,
        })
    }

    fn vtable_type(&mut self, vtable: u64) -> Option<TypeRef> {
        let loaded = self.core.module_at(vtable)?;
        wayfarer_expression::vtable_type(&loaded, vtable)
    }

    fn dynamic_count(&mut self, module: &Arc<Module>, dimension: &Dimension) -> Option<u64> {
        let viewpoint = self.viewpoint()?;
        let word = |place: Place| match place {
            Place::Value(bytes) => {
                let mut word = [0; 8];
                let length = bytes.len().min(8);
                word[..length].copy_from_slice(&bytes[..length]);
                Some(u64::from_le_bytes(word))
            }
            Place::Memory(address) => Some(address),
            other => {
                let fetched = viewpoint.fetch(&other, 8).ok()?;
                Some(u64::from_le_bytes(fetched.bytes.try_into().ok()?))
            }
        };
        let variable = |die: DieId| {
            let place = viewpoint.place_of(&module.variable(die).ok()?);
            let fetched = viewpoint.fetch(&place, 8).ok()?;
            Some(u64::from_le_bytes(fetched.bytes.try_into().ok()?))
        };
        match dimension {
            Dimension::Count(count) => Some(*count),
            Dimension::Unknown => None,
            Dimension::UpperBoundVariable(die) => Some(variable(*die)?.wrapping_add(1)),
            Dimension::CountVariable(die) => variable(*die),
            Dimension::UpperBoundExpression(expression) => {
                let unit = wayfarer_symbols::UnitId(0);
                let place = viewpoint.evaluate(unit, expression, None).ok()?;
                let _ = &word;
                Some(word(place)?.wrapping_add(1))
            }
        }
    }
}
