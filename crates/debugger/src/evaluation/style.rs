//! How values are shown, and the variables of a frame shown so.

use wayfarer_expression::{EvaluationError, Format, Value, is_scalar, print};
use wayfarer_symbols::VariableKind;
use wayfarer_symbols::frames::Backtrace;

use super::{Opened, Scene, Standing, ValueHandle};
use crate::session::Space;
use crate::settings::Settings;
use crate::view::{EntryValue, VariableView};

/// The settings that matter when values become text.
#[derive(Clone, Debug)]
pub(crate) struct PrintStyle {
    pub format: Format,
    /// False: names only, for merged stacks.
    pub values: bool,
}

impl PrintStyle {
    /// What the settings say.
    pub fn new(settings: &Settings) -> PrintStyle {
        let number = |name: &str| settings.number(name).map(|number| number as usize);
        let format = Format {
            raw: !settings.is_on("print printers"),
            elements: number("print elements"),
            repeats: number("print repeats").unwrap_or(usize::MAX),
            depth: number("print max-depth"),
            pretty: settings.is_on("print pretty"),
            unions: settings.is_on("print union"),
            addresses: settings.is_on("print address"),
            symbols: settings.is_on("print symbol"),
            null_stop: settings.is_on("print null-stop"),
            object: settings.is_on("print object"),
            ..Format::default()
        };
        PrintStyle {
            format,
            values: true,
        }
    }

    /// Names only.
    pub fn without_values() -> PrintStyle {
        PrintStyle {
            format: Format::default(),
            values: false,
        }
    }
}

/// The variables of a frame with their values, in the order of gdb's `info locals` and of a frame's arguments.
pub(crate) fn frame_variables(
    space: &Space,
    backtrace: &Backtrace,
    index: usize,
    style: &PrintStyle,
    standing: Standing,
    in_frame_line: bool,
    wanted: impl Fn(VariableKind) -> bool,
) -> Vec<VariableView> {
    if !style.values {
        return Vec::new();
    }
    let mut scene = Scene {
        space,
        backtrace: Some(backtrace),
        frame: index,
        services: None,
    };
    let format = Format {
        top_level: false,
        custom: false,
        ..style.format.clone()
    };
    let mut views: Vec<VariableView> = Vec::new();
    for variable in scene.locals() {
        // A parameter without a name is nothing that could be asked for.
        if variable.name.is_empty() || !wanted(variable.kind) {
            continue;
        }
        let value = scene.local_value(&variable);
        let shadowed = views.iter().any(|view| view.name == variable.name);
        let at_entry = match (&value, in_frame_line) {
            (Some(value), true) => scene.entry_value(&variable, value),
            _ => None,
        };
        let mut shown = |value: &Value| match in_frame_line {
            // A frame's line stays a line: gdb's `print frame-arguments scalars`.
            true if !is_scalar(&value.type_ref) && !value.place.is_absent() => "...".to_owned(),
            _ => print(value, &format, &mut scene).unwrap_or_else(|error| failure(&error)),
        };
        let (type_name, text) = match &value {
            Some(value) => (Some(value.type_ref.name()), shown(value)),
            None => (None, "<unavailable>".to_owned()),
        };
        let entry_value = at_entry.map(|(value, is_same)| match is_same {
            true => EntryValue::Same,
            false => EntryValue::Other(shown(&value)),
        });
        views.push(VariableView {
            name: variable.name,
            type_name,
            value: text,
            handle: value
                .map(|value| ValueHandle::new(Opened::Value(value), &format, Some(standing))),
            shadowed,
            entry_value,
        });
    }
    views
}

/// An error in the place of a value.
pub(crate) fn failure(error: &EvaluationError) -> String {
    format!("<error: {error}>")
}
