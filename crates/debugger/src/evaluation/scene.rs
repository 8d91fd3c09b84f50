//! One frame of a stopped thread, as expressions see it.

use std::sync::Arc;

use wayfarer_expression::{
    EvaluationError, History, Language, MadeType, Scope, SymbolAt, TypeRef, Value, language_of,
};
use wayfarer_symbols::frames::{Backtrace, Frame, Viewpoint};
use wayfarer_symbols::location::{Absence, Fetched, Memory, Place, Unreadable, fetch};
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::types::Dimension;
use wayfarer_symbols::unwind::{AddressSpace, LoadedModule};
use wayfarer_symbols::{DieId, Module, SymbolKind, Variable, VariableKind};

use super::register_value;
use crate::session::Space;

type Answer<T> = Result<T, EvaluationError>;

/// What an expression can do beyond looking: these need the debugger.
pub(crate) trait Services {
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Answer<()>;
    fn write_register(&mut self, register: Register, offset: u64, bytes: &[u8]) -> Answer<()>;
    fn convenience(&mut self, name: &str) -> Option<Value>;
    fn set_convenience(&mut self, name: &str, value: &Value) -> Answer<()>;
    fn history(&mut self, entry: History) -> Option<Value>;
    fn call(&mut self, function: &Value, arguments: &[Value]) -> Answer<Value>;
    fn allocate(&mut self, bytes: &[u8]) -> Answer<u64>;
    fn custom_print(&mut self, type_name: &str, address: u64) -> Option<String>;
}

/// The frame, its process, and optionally hands to act with.
pub(crate) struct Scene<'a> {
    pub space: &'a Space,
    pub backtrace: Option<&'a Backtrace>,
    /// Index among the backtrace's frames.
    pub frame: usize,
    pub services: Option<&'a mut dyn Services>,
}

impl<'a> Scene<'a> {
    fn frame(&self) -> Option<&'a Frame> {
        self.backtrace?.frames.get(self.frame)
    }

    fn viewpoint(&self) -> Option<Viewpoint<'a>> {
        let backtrace = self.backtrace?;
        Viewpoint::frame(
            self.space,
            &backtrace.stack,
            backtrace.frames.get(self.frame)?.activation,
        )
    }

    fn registers(&self) -> Option<&'a Registers> {
        let backtrace = self.backtrace?;
        let frame = backtrace.frames.get(self.frame)?;
        backtrace
            .stack
            .activations
            .get(frame.activation)
            .map(|activation| &activation.registers)
    }

    /// All modules, the frame's own first.
    fn modules(&self) -> Vec<LoadedModule> {
        let own = self.frame().and_then(|frame| frame.module.clone());
        let mut all = self.space.modules();
        if let Some(own) = own {
            all.sort_by_key(|module| !Arc::ptr_eq(&module.module, &own.module));
        }
        all
    }

    fn value_of(
        &self,
        loaded: &LoadedModule,
        variable: &Variable,
        viewpoint: &Viewpoint<'_>,
    ) -> Value {
        Value::at(
            TypeRef::known(&loaded.module, variable.type_id),
            viewpoint.place_of(variable),
        )
    }

    /// Parameters and locals that are visible in the frame, inner ones first.
    pub fn locals(&self) -> Vec<Variable> {
        let Some(frame) = self.frame() else {
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

    /// The value of one of them.
    pub fn local_value(&self, variable: &Variable) -> Option<Value> {
        let loaded = self.frame()?.module.as_ref()?;
        Some(self.value_of(loaded, variable, &self.viewpoint()?))
    }

    /// What a parameter was when its function was entered, and whether it still is: where the caller tells it. The
    /// outermost frame has no caller, whoever called `main`.
    pub fn entry_value(&self, parameter: &Variable, now: &Value) -> Option<(Value, bool)> {
        let frame = self.frame()?;
        let frames = &self.backtrace?.frames;
        if parameter.kind != VariableKind::Parameter
            || !frames
                .iter()
                .any(|other| other.activation > frame.activation)
        {
            return None;
        }
        let viewpoint = self.viewpoint()?;
        let place = viewpoint.place_at_entry(parameter).ok()?;
        let size = usize::try_from(now.type_ref.size()?).ok()?;
        let before = viewpoint.fetch(&place, size).ok()?;
        let is_same = viewpoint
            .fetch(&now.place, size)
            .is_ok_and(|now| now.missing.is_empty() && now.bytes == before.bytes);
        Some((Value::at(now.type_ref.clone(), place), is_same))
    }

    /// `name@entry`.
    fn parameter_at_entry(&self, name: &str) -> Answer<Option<Value>> {
        let locals = self.locals();
        let Some(variable) = locals.iter().find(|variable| variable.name == name) else {
            return Ok(None);
        };
        if variable.kind != VariableKind::Parameter {
            return Err(EvaluationError::invalid(format!(
                "@entry can be used only for function parameters, not for \"{name}\""
            )));
        }
        let Some(now) = self.local_value(variable) else {
            return Ok(None);
        };
        let known = self.entry_value(variable, &now);
        Ok(Some(match known {
            Some((value, _)) => value,
            None => Value::at(now.type_ref, Place::Absent(Absence::OptimisedOut)),
        }))
    }

    fn own_and_others(&self) -> (Vec<LoadedModule>, Vec<LoadedModule>) {
        let mut own = self.modules();
        let others = own.split_off(1.min(own.len()));
        (own, others)
    }

    /// A global variable, a function or an enumerator.
    fn described(&self, name: &str, modules: &[LoadedModule]) -> Option<Value> {
        self.global(name, modules)
            .or_else(|| self.function(name, modules))
            .or_else(|| self.enumerator(name, modules))
    }

    fn global(&self, name: &str, modules: &[LoadedModule]) -> Option<Value> {
        let unit = self
            .frame()
            .and_then(|frame| frame.scope)
            .map(|scope| scope.unit);
        for loaded in modules {
            let found = loaded.module.find_globals(name).unwrap_or_default();
            let own = found
                .iter()
                .find(|variable| Some(variable.die.unit) == unit);
            if let Some(variable) = own.or(found.first()) {
                let viewpoint = match self.registers() {
                    Some(registers) => Viewpoint::thread(self.space, loaded, registers),
                    None => Viewpoint::global(self.space, loaded),
                };
                return Some(self.value_of(loaded, variable, &viewpoint));
            }
        }
        None
    }

    fn function(&self, name: &str, modules: &[LoadedModule]) -> Option<Value> {
        modules
            .iter()
            .find_map(|loaded| functions(loaded, name).into_iter().next())
    }

    fn enumerator(&self, name: &str, modules: &[LoadedModule]) -> Option<Value> {
        for loaded in modules {
            let found = loaded.module.find_enumerators(name).unwrap_or_default();
            if let Some(constant) = found.into_iter().next() {
                let type_ref = TypeRef::known(&loaded.module, Some(constant.type_id));
                let size = type_ref.size().unwrap_or(4).min(16) as usize;
                return Some(Value::computed(
                    type_ref,
                    constant.value.to_le_bytes()[..size].to_vec(),
                ));
            }
        }
        None
    }

    /// A symbol that nothing but the symbol table knows.
    fn bare_symbol(&self, name: &str) -> Option<Value> {
        for loaded in self.modules() {
            let found = loaded.module.symbols_named(name);
            let usable = |kind: SymbolKind| {
                matches!(
                    kind,
                    SymbolKind::Function | SymbolKind::IndirectFunction | SymbolKind::Data
                )
            };
            if let Some(symbol) = found
                .iter()
                .find(|symbol| usable(symbol.kind) && symbol.address.0 != 0)
            {
                let made = if symbol.kind == SymbolKind::Data {
                    MadeType::DataSymbol
                } else {
                    MadeType::CodeSymbol
                };
                return Some(Value::in_memory(
                    TypeRef::Made(Arc::new(made)),
                    symbol.address.in_process(loaded.bias),
                ));
            }
        }
        None
    }

    /// A member of the object that a C++ method works on.
    fn member_of_this(&mut self, name: &str) -> Option<Value> {
        let plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain || !self.locals().iter().any(|variable| variable.name == "this") {
            return None;
        }
        let expression =
            wayfarer_expression::parse(&format!("this->{name}"), Language::Cpp).ok()?;
        wayfarer_expression::evaluate(&expression, self).ok()
    }
}

/// The functions of a name that a module has code of.
fn functions(loaded: &LoadedModule, name: &str) -> Vec<Value> {
    let found = loaded.module.find_functions(name).unwrap_or_default();
    let with_code = found
        .into_iter()
        .filter_map(|function| function.entry.map(|entry| (function, entry)));
    with_code
        .map(|(function, entry)| {
            let parameters = loaded
                .module
                .variables_in(function.die, entry)
                .unwrap_or_default()
                .iter()
                .filter(|variable| variable.kind == VariableKind::Parameter)
                .map(|variable| TypeRef::known(&loaded.module, variable.type_id))
                .collect();
            let result = TypeRef::known(&loaded.module, function.return_type);
            let type_ref = TypeRef::Made(Arc::new(MadeType::Function { result, parameters }));
            Value::in_memory(type_ref, entry.in_process(loaded.bias))
        })
        .collect()
}

impl Scope for Scene<'_> {
    fn language(&mut self) -> Language {
        self.frame()
            .map_or(Language::C, |frame| language_of(frame.language))
    }

    fn variable(&mut self, name: &str) -> Answer<Option<Value>> {
        if let Some(parameter) = name.strip_suffix("@entry") {
            return self.parameter_at_entry(parameter);
        }
        if let Some(variable) = self.locals().iter().find(|variable| variable.name == name) {
            return Ok(self.local_value(variable));
        }
        let found = self.member_of_this(name);
        Ok(found.or_else(|| {
            // The frame's own module first, whatever the others have under that name.
            let (own, others) = self.own_and_others();
            self.described(name, &own)
                .or_else(|| self.described(name, &others))
                .or_else(|| self.bare_symbol(name))
        }))
    }

    fn overloads(&mut self, name: &str) -> Vec<Value> {
        if self.locals().iter().any(|variable| variable.name == name) {
            return Vec::new();
        }
        let (own, others) = self.own_and_others();
        let found = |modules: &[LoadedModule]| -> Vec<Value> {
            let each = modules.iter().map(|loaded| functions(loaded, name));
            each.flatten().collect()
        };
        match found(&own) {
            none if none.is_empty() => found(&others),
            some => some,
        }
    }

    fn definition_of(
        &mut self,
        module: &Arc<Module>,
        declaration: DieId,
        name: &str,
    ) -> Option<u64> {
        let all = self.modules();
        let loaded = all
            .iter()
            .find(|loaded| Arc::ptr_eq(&loaded.module, module))?;
        let found = module.definition_of(declaration, name).ok()??;
        Some(found.entry?.in_process(loaded.bias))
    }

    fn prefers_type(&mut self, name: &str) -> bool {
        let (own, _) = self.own_and_others();
        let Some(loaded) = own.first().filter(|loaded| loaded.module.has_type(name)) else {
            return false;
        };
        let is_local = self.locals().iter().any(|variable| variable.name == name);
        if is_local || self.described(name, &own).is_some() {
            return false;
        }
        // In C the name of a structure alone is nothing: `struct` belongs to it.
        let types = loaded.module.find_types(name).unwrap_or_default();
        self.language() != Language::C
            || types.into_iter().any(|id| {
                let found = loaded.module.type_of(id);
                matches!(found.as_deref(), Ok(wayfarer_symbols::Type::Typedef(_)))
            })
    }

    fn vtable_type(&mut self, vtable: u64) -> Option<TypeRef> {
        let loaded = self.space.module_at(vtable)?;
        wayfarer_expression::vtable_type(&loaded, vtable)
    }

    fn scoped_variable(&mut self, scope: &str, name: &str) -> Answer<Option<Value>> {
        // The frames of a function come first, then its statics, then those of a file.
        if let Some(backtrace) = self.backtrace {
            let named = |frame: &Frame| {
                frame
                    .function
                    .as_deref()
                    .is_some_and(|function| function.ends_with(scope))
            };
            for index in 0..backtrace.frames.len() {
                if !named(&backtrace.frames[index]) {
                    continue;
                }
                let there = Scene {
                    space: self.space,
                    backtrace: Some(backtrace),
                    frame: index,
                    services: None,
                };
                if let Some(variable) = there.locals().iter().find(|variable| variable.name == name)
                {
                    return Ok(there.local_value(variable));
                }
            }
        }
        if let Some(value) = self.global(&format!("{scope}::{name}"), &self.modules()) {
            return Ok(Some(value));
        }
        for loaded in self.modules() {
            let found = loaded.module.find_globals(name).unwrap_or_default();
            let in_file = |variable: &&Variable| {
                variable
                    .declared
                    .as_ref()
                    .is_some_and(|declared| declared.file.path.ends_with(scope))
            };
            if let Some(variable) = found.iter().find(in_file) {
                let viewpoint = Viewpoint::global(self.space, &loaded);
                return Ok(Some(self.value_of(&loaded, variable, &viewpoint)));
            }
        }
        Ok(None)
    }

    fn variable_of(&mut self, module: Option<Arc<Module>>, die: DieId) -> Option<Value> {
        let viewpoint = self.viewpoint()?;
        let module = module.or_else(|| Some(self.frame()?.module.as_ref()?.module.clone()))?;
        let variable = module.variable(die).ok()?;
        Some(Value::at(
            TypeRef::known(&module, variable.type_id),
            viewpoint.place_of(&variable),
        ))
    }

    fn type_named(&mut self, keyword: Option<&str>, name: &str) -> Option<TypeRef> {
        let full = match keyword {
            Some(keyword) => format!("{keyword} {name}"),
            None => name.to_owned(),
        };
        self.modules().iter().find_map(|loaded| {
            let found = loaded.module.find_types(&full).ok()?;
            Some(TypeRef::known(&loaded.module, Some(*found.first()?)))
        })
    }

    fn fetch(&mut self, place: &Place, size: usize) -> Result<Fetched, Absence> {
        match self.viewpoint() {
            Some(viewpoint) => viewpoint.fetch(place, size),
            None => {
                let none = Registers::unknown();
                fetch(
                    place,
                    size,
                    self.registers().unwrap_or(&none),
                    &*self.space.memory,
                )
            }
        }
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        self.space.memory.read(address, buffer)
    }

    fn store(&mut self, place: &Place, offset: u64, bytes: &[u8]) -> Answer<()> {
        let innermost = self.frame().is_none_or(|frame| frame.activation == 0);
        let Some(services) = &mut self.services else {
            return Err(EvaluationError::invalid("nothing can be changed here."));
        };
        match place {
            Place::Memory(address) => services.write_memory(address.wrapping_add(offset), bytes),
            Place::Register(register) if innermost => {
                services.write_register(*register, offset, bytes)
            }
            Place::Register(_) => Err(EvaluationError::invalid(
                "a register of a calling frame can't be changed: select frame 0 first.",
            )),
            _ => Err(EvaluationError::invalid(
                "Left operand of assignment is not an lvalue.",
            )),
        }
    }

    fn dollar(&mut self, name: &str) -> Answer<Option<Value>> {
        if let Some(value) = self
            .registers()
            .and_then(|registers| register_value(registers, name))
        {
            return Ok(Some(value));
        }
        Ok(self
            .services
            .as_mut()
            .and_then(|services| services.convenience(name)))
    }

    fn set_convenience(&mut self, name: &str, value: &Value) -> Answer<()> {
        match &mut self.services {
            Some(services) => services.set_convenience(name, value),
            None => Err(EvaluationError::invalid(
                "there are no convenience variables here.",
            )),
        }
    }

    fn history(&mut self, entry: History) -> Option<Value> {
        self.services.as_mut()?.history(entry)
    }

    fn call(&mut self, function: &Value, arguments: &[Value]) -> Answer<Value> {
        match &mut self.services {
            Some(services) => services.call(function, arguments),
            None => Err(EvaluationError::invalid("a function can't be called here.")),
        }
    }

    fn allocate(&mut self, bytes: &[u8]) -> Answer<u64> {
        match &mut self.services {
            Some(services) => services.allocate(bytes),
            None => Err(EvaluationError::invalid(
                "evaluation of this expression requires the target to exist.",
            )),
        }
    }

    fn symbol_at(&mut self, address: u64) -> Option<SymbolAt> {
        let loaded = self.space.module_at(address)?;
        let own = loaded.address(address);
        let symbol = loaded.module.symbol_at(own)?;
        let offset = own.0.wrapping_sub(symbol.address.0);
        // Behind the end of a sized symbol lies something else.
        if symbol.size != 0 && offset >= symbol.size {
            return None;
        }
        let is_code = matches!(
            symbol.kind,
            SymbolKind::Function | SymbolKind::IndirectFunction | SymbolKind::Plt
        );
        Some(SymbolAt {
            name: wayfarer_symbols::demangle::demangle(symbol.name),
            offset,
            is_code,
        })
    }

    fn dynamic_count(&mut self, module: &Arc<Module>, dimension: &Dimension) -> Option<u64> {
        let (die, more) = match dimension {
            Dimension::Count(count) => return Some(*count),
            Dimension::CountVariable(die) => (*die, 0),
            Dimension::UpperBoundVariable(die) => (*die, 1),
            Dimension::UpperBoundExpression(expression) => {
                let unit = self.frame()?.scope?.unit;
                // The number itself is wanted: an expression that names no place ends with it.
                let bound = match self.viewpoint()?.evaluate(unit, expression, None).ok()? {
                    Place::Memory(bound) => bound,
                    place => self.word(&place)?,
                };
                return Some(bound.wrapping_add(1));
            }
            Dimension::Unknown => return None,
        };
        let viewpoint = self.viewpoint()?;
        let variable = module.variable(die).ok()?;
        let place = viewpoint.place_of(&variable);
        Some(self.word(&place)?.wrapping_add(more))
    }

    fn member_address(
        &mut self,
        _module: &Arc<Module>,
        expression: &[u8],
        object: u64,
    ) -> Option<u64> {
        let unit = self.frame()?.scope?.unit;
        match self
            .viewpoint()?
            .evaluate(unit, expression, Some(object))
            .ok()?
        {
            Place::Memory(address) => Some(address),
            place => self.word(&place),
        }
    }

    fn custom_print(&mut self, type_name: &str, address: u64) -> Option<String> {
        self.services.as_mut()?.custom_print(type_name, address)
    }
}

impl Scene<'_> {
    /// The 64-bit number at a place.
    fn word(&mut self, place: &Place) -> Option<u64> {
        let fetched = Scope::fetch(self, place, 8).ok()?;
        Some(u64::from_le_bytes(fetched.bytes.get(..8)?.try_into().ok()?))
    }
}
