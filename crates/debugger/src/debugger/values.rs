//! Expressions: print, set, types.

use std::sync::Arc;

use wayfarer_expression::{
    Expression, Format, History, IntegerSuffix, Language, Letter, Node, Scope, Value,
    describe_type, evaluate, parse, print, type_of, whatis,
};

use super::hands::Hands;
use super::{At, Debugger};
use crate::evaluation::{PrintStyle, Scene};
use crate::session::{ProcessMemory, Space};
use crate::view::ValueView;
use crate::{DebuggerError, Result, StackFrame};

impl Debugger {
    /// How values are shown now.
    pub(super) fn print_style(&self) -> PrintStyle {
        PrintStyle::new(&self.settings)
    }
}

impl At<'_> {
    /// Does something with the frame; without one there are globals, without a process constants.
    pub(super) fn with_scene<T>(&mut self, work: impl FnOnce(&mut Scene<'_>) -> T) -> T {
        if let Ok((id, backtrace, index)) = self.walked()
            && let Ok(space) = self
                .debugger
                .process(id.process)
                .map(|process| process.space.clone())
        {
            // What other threads do meanwhile must be seen.
            let runs = |process: &crate::session::Process| {
                process.live_threads().any(|thread| thread.running)
            };
            if self.debugger.process(id.process).is_ok_and(runs) {
                space.memory.forget();
            }
            let mut hands = Hands {
                debugger: self.debugger,
                about: Some(id),
                thread: Some(id),
            };
            return work(&mut Scene {
                space: &space,
                backtrace: Some(&backtrace),
                frame: index,
                services: Some(&mut hands),
            });
        }
        let about = self.frame.map(|frame| frame.thread);
        let space = about
            .and_then(|about| self.debugger.process(about.process).ok())
            .map(|process| process.space.clone());
        let space = space.unwrap_or_else(|| Space::empty(Arc::new(ProcessMemory::of_nobody())));
        let mut hands = Hands {
            debugger: self.debugger,
            about,
            thread: None,
        };
        work(&mut Scene {
            space: &space,
            backtrace: None,
            frame: 0,
            services: Some(&mut hands),
        })
    }

    /// Reads an expression in the language of the frame and goes to the process it names.
    fn with_expression<T>(
        &mut self,
        text: &str,
        work: impl FnOnce(
            &Expression,
            &mut Scene<'_>,
        ) -> std::result::Result<T, wayfarer_expression::EvaluationError>,
    ) -> Result<T> {
        self.with_expression_there(text, work).map(|(done, _)| done)
    }

    /// The same, with the frame it was done in.
    pub(super) fn with_expression_there<T>(
        &mut self,
        text: &str,
        work: impl FnOnce(
            &Expression,
            &mut Scene<'_>,
        ) -> std::result::Result<T, wayfarer_expression::EvaluationError>,
    ) -> Result<(T, Option<StackFrame>)> {
        let language = self.with_scene(|scene| scene.language());
        let expression =
            parse(text, language).map_err(|error| DebuggerError::Expression(error.to_string()))?;
        let there = match &expression.process {
            Some(process) => Some(self.frame_in(process)?),
            None => self.frame,
        };
        let mut at = self.debugger.at(there);
        let result = at.with_scene(|scene| work(&expression, scene));
        self.debugger.await_death();
        match result {
            Ok(done) => Ok((done, there)),
            Err(error) => Err(DebuggerError::Expression(error.to_string())),
        }
    }

    /// `NAME` or `NAME.T` before a colon: the frame there that was looked at last.
    fn frame_in(&mut self, name: &str) -> Result<StackFrame> {
        let set = crate::Set::parse(name)?;
        let found = self
            .debugger
            .resolve(&set)
            .map_err(|_| DebuggerError::UnknownTarget(name.to_owned()))?;
        let last = found
            .first()
            .and_then(|id| self.debugger.process(id.process).ok())
            .map_or(1, |process| process.last_looked_at);
        let chosen = found.iter().find(|id| id.thread == last).or(found.first());
        let thread = chosen
            .copied()
            .ok_or_else(|| DebuggerError::UnknownTarget(name.to_owned()))?;
        let level = self.debugger.thread(thread)?.1.frame_looked_at as u32;
        Ok(StackFrame { thread, level })
    }

    /// Whether an expression can be read at all.
    pub(super) fn check_expression(&mut self, text: &str) -> Result<()> {
        let language = self.with_scene(|scene| scene.language());
        let tried = [language, Language::C, Language::Cpp, Language::Rust]
            .map(|language| parse(text, language));
        // A condition may be for code of another language than the frame's.
        match tried.iter().any(std::result::Result::is_ok) {
            true => Ok(()),
            false => Err(DebuggerError::Expression(
                tried[0]
                    .as_ref()
                    .err()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            )),
        }
    }

    /// Evaluates in the frame and puts the value into the history. `format`: what stands after the slash
    /// (`x`, `d`, `t`, `r` …). Empty expression: the last value again. `NAME:expr` and `NAME.T:expr`
    /// evaluate in another process or thread.
    pub fn print(&mut self, expression: &str, format: Option<&str>) -> Result<ValueView> {
        let (value, view) = self.staying_in_calls(|at| at.value_and_view(expression, format))?;
        Ok(self.debugger.memories.keep(value, view))
    }

    /// Evaluates for the user, who looks at it when a called function is stopped.
    fn staying_in_calls<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.debugger.stays_in_calls = true;
        let result = work(self);
        self.debugger.stays_in_calls = false;
        result
    }

    /// Like `print`, without history (`output`, `printf` arguments).
    pub fn evaluate(&mut self, expression: &str, format: Option<&str>) -> Result<ValueView> {
        self.value_and_view(expression, format)
            .map(|(_, view)| view)
    }

    fn value_and_view(
        &mut self,
        expression: &str,
        format: Option<&str>,
    ) -> Result<(Value, ValueView)> {
        let format = self.debugger.format(format)?;
        if expression.trim().is_empty() {
            let last = self.debugger.memories.entry(History::Last(0));
            let value =
                last.ok_or_else(|| DebuggerError::Usage("The value history is empty.".to_owned()))?;
            let text = self.with_scene(|scene| print(&value, &format, scene));
            let text = text.map_err(|error| DebuggerError::Expression(error.to_string()))?;
            let view = ValueView {
                history: None,
                type_name: value.type_ref.name(),
                text,
                handle: Some(self.debugger.handle(&value, &format, self.frame)),
            };
            return Ok((value, view));
        }
        let ((bare, value, text), there) =
            self.with_expression_there(expression, |expression, scene| {
                let bare = evaluate(expression, scene)?;
                let value = loaded(bare.clone(), scene);
                let text = print(&value, &format, scene)?;
                Ok((bare, value, text))
            })?;
        let view = ValueView {
            history: None,
            type_name: value.type_ref.name(),
            text,
            handle: Some(self.debugger.handle(&bare, &format, there)),
        };
        Ok((value, view))
    }
}

impl Debugger {
    /// The format that stands after a slash.
    pub(super) fn format(&self, letters: Option<&str>) -> Result<Format> {
        let mut format = self.print_style().format;
        for letter in letters.unwrap_or_default().trim_start_matches('/').chars() {
            match (letter, Letter::of(letter)) {
                ('r', _) => format.raw = true,
                (_, Some(known)) => format.letter = Some(known),
                ('i', _) => {
                    return Err(DebuggerError::Usage(
                        "Format letter \"i\" is meaningless in \"print\" command.".to_owned(),
                    ));
                }
                ('0'..='9', _) => {
                    return Err(DebuggerError::Usage(
                        "Item count other than 1 is meaningless in \"print\" command.".to_owned(),
                    ));
                }
                ('b' | 'h' | 'w' | 'g', _) => {
                    return Err(DebuggerError::Usage(
                        "Size letters are meaningless in \"print\" command.".to_owned(),
                    ));
                }
                _ => {
                    return Err(DebuggerError::Usage(format!(
                        "Undefined output format \"{letter}\"."
                    )));
                }
            }
        }
        Ok(format)
    }
}

impl At<'_> {
    /// Like `print`, but says nothing (`None`) about a `void` result: `call`.
    pub fn call(&mut self, expression: &str) -> Result<Option<ValueView>> {
        let (value, view) = self.staying_in_calls(|at| at.value_and_view(expression, None))?;
        if matches!(value.type_ref, wayfarer_expression::TypeRef::Void) || view.text == "void" {
            return Ok(None);
        }
        Ok(Some(self.debugger.memories.keep(value, view)))
    }

    /// Evaluates for its effect: `set var x = 3`, `set $i = 0`.
    pub fn set_variable(&mut self, assignment: &str) -> Result<()> {
        self.staying_in_calls(|at| {
            at.with_expression(assignment, |expression, scene| {
                evaluate(expression, scene).map(|_| ())
            })
        })
    }

    /// Whether the expression is true (`if`, `while`, conditions in scripts).
    pub fn is_true(&mut self, expression: &str) -> Result<bool> {
        self.with_expression(expression, |expression, scene| {
            let one = |value| {
                Box::new(Node::Integer {
                    value,
                    suffix: IntegerSuffix::None,
                    decimal: true,
                })
            };
            let root = Node::Conditional(Box::new(expression.root.clone()), one(1), one(0));
            let value = evaluate(
                &Expression {
                    root,
                    ..expression.clone()
                },
                scene,
            )?;
            Ok(number(&value, scene) != Some(0))
        })
    }

    /// The number of an expression: an address for `x`, `info symbol`, `*ADDRESS`.
    pub(super) fn address_value(&mut self, expression: &str) -> Result<u64> {
        self.with_expression(expression, |expression, scene| {
            let value = evaluate(expression, scene)?;
            address(&value, scene).ok_or_else(|| {
                wayfarer_expression::EvaluationError::invalid("an address is needed here.")
            })
        })
    }

    /// The value of an expression with its place, for `watch` and `x`.
    pub(super) fn value(&mut self, expression: &str) -> Result<Value> {
        self.with_expression(expression, |expression, scene| evaluate(expression, scene))
    }

    /// The name of an expression's (or type's) type.
    pub fn whatis(&mut self, expression: &str) -> Result<String> {
        let found =
            self.with_expression(expression, |expression, scene| type_of(expression, scene))?;
        Ok(whatis(&found))
    }

    /// The definition of an expression's (or type's) type.
    pub fn ptype(&mut self, expression: &str) -> Result<String> {
        let found =
            self.with_expression(expression, |expression, scene| type_of(expression, scene))?;
        Ok(describe_type(found.type_ref()))
    }

    /// The definition of an expression's (or type's) type with offsets and sizes, where it has members.
    pub fn ptype_offsets(&mut self, expression: &str) -> Result<Option<String>> {
        let found =
            self.with_expression(expression, |expression, scene| type_of(expression, scene))?;
        Ok(wayfarer_expression::describe_offsets(found.type_ref()))
    }
}

impl Debugger {
    /// Values `$1`… with their texts, newest last.
    pub fn history(&self) -> Vec<ValueView> {
        self.memories.views()
    }
}

impl At<'_> {
    /// `show convenience`: names without `$`, and values.
    pub fn convenience(&mut self) -> Vec<(String, String)> {
        let format = self.debugger.print_style().format;
        let all = self.debugger.memories.conveniences();
        all.into_iter()
            .map(|(name, value)| {
                let text = self.with_scene(|scene| print(&value, &format, scene));
                (
                    name,
                    text.unwrap_or_else(|error| format!("<error: {error}>")),
                )
            })
            .collect()
    }

    /// Names of variables, arguments and globals that begin with this, for completion.
    pub fn complete_variable(&mut self, prefix: &str) -> Vec<String> {
        let mut names: Vec<String> = self.with_scene(|scene| {
            scene
                .locals()
                .into_iter()
                .map(|variable| variable.name)
                .collect()
        });
        names.retain(|name| name.starts_with(prefix));
        if !prefix.is_empty()
            && let Some(process) = self
                .own_process()
                .ok()
                .and_then(|own| self.debugger.process(own).ok())
            && let Some(program) = process.space.modules.first()
        {
            let pattern = format!("^{}", regex::escape(prefix));
            let globals = program
                .loaded
                .module
                .globals_matching(&pattern)
                .unwrap_or_default();
            names.extend(globals.into_iter().map(|variable| variable.qualified_name));
        }
        names.sort();
        names.dedup();
        names
    }
}

/// The value with its bytes, so that it stays as it is now.
fn loaded(value: Value, scene: &mut Scene<'_>) -> Value {
    let Some(size) = value.type_ref.size() else {
        return value;
    };
    if value.contents().is_some()
        || value.offset != 0
        || value.bits.is_some()
        || size > wayfarer_expression::MAXIMUM_OBJECT
    {
        return value;
    }
    match scene.fetch(&value.place, size as usize) {
        Ok(fetched) => value.with_contents(fetched),
        Err(_) => value,
    }
}

/// A scalar as a number.
pub(super) fn number(value: &Value, scope: &mut dyn Scope) -> Option<u64> {
    let size = value
        .type_ref
        .size()
        .filter(|&size| (1..=8).contains(&size))? as usize;
    let bytes = match value.contents() {
        Some(contents) => contents.bytes.clone(),
        None => {
            let fetched = scope
                .fetch(&value.place, size + value.offset as usize)
                .ok()?;
            fetched.bytes.get(value.offset as usize..)?.to_vec()
        }
    };
    let mut wide = [0; 8];
    wide[..size].copy_from_slice(bytes.get(..size)?);
    Some(u64::from_le_bytes(wide))
}

/// What a value means as an address: where an array or function is, what a pointer or number says.
pub(super) fn address(value: &Value, scope: &mut dyn Scope) -> Option<u64> {
    use wayfarer_expression::Shape;
    match value.type_ref.shape() {
        Shape::Array { .. } | Shape::Function { .. } | Shape::Aggregate(_) | Shape::Named(_) => {
            value.address()
        }
        _ => number(value, scope),
    }
}
