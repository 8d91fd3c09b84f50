//! `display`, `undisplay`, `info display`.

use std::fmt::Write;

use wayfarer_debugger::ExamineSpec;
use wayfarer_debugger::view::DisplayView;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Repeats, Spread};
use crate::interpreter::Interpreter;
use crate::words::{number_list, split_format};

pub const COMMANDS: &[Command] = &[
    Command::new("display", Chapter::Data, display)
        .aliases(&["disp"])
        .usage(&["", "[/FORMAT] EXPRESSION"])
        .help(
            "Show the value of an expression each time the program stops.",
            "FORMAT is as in `print`, or as in `x` for i and s. Without arguments all displays are shown now.",
        )
        .completes(Completes::Expression)
        .repeats(Repeats::Never)
        .spread(Spread::Whole),
    Command::new("undisplay", Chapter::Data, |interpreter, call| {
        remove(interpreter, call.arguments)
    })
    .aliases(&["und"])
    .usage(&["[NUMBER…]"])
    .help("Take automatic displays away.", "Without numbers all of them.")
    .spread(Spread::Whole),
];

/// `1: x = 5`, for those that have a value here.
pub fn shown(views: &[DisplayView]) -> String {
    let mut text = String::new();
    for view in views.iter().filter(|view| view.enabled) {
        let Some(value) = &view.value else { continue };
        if of_memory(&view.expression) {
            let _ = writeln!(
                text,
                "{}: x{}\n{}",
                view.number,
                view.expression,
                value.trim_end()
            );
        } else {
            let _ = writeln!(text, "{}: {} = {value}", view.number, view.expression);
        }
    }
    text
}

/// Whether the format is one of `x`: instructions, strings, or a size.
fn of_memory(expression: &str) -> bool {
    expression
        .strip_prefix('/')
        .and_then(|rest| rest.split_whitespace().next())
        .is_some_and(|format| format.contains(['i', 's', 'b', 'h', 'w', 'g']))
}

/// Those of memory are shown as `x` shows it.
pub fn with_memory(interpreter: &mut Interpreter, mut views: Vec<DisplayView>) -> Vec<DisplayView> {
    for view in &mut views {
        if !view.enabled || view.value.is_some() || !of_memory(&view.expression) {
            continue;
        }
        let Ok((format, expression)) = split_format(&view.expression) else {
            continue;
        };
        let lines = interpreter.at().examine(ExamineSpec {
            count: format.count,
            format: format.letter,
            unit: format.size,
            expression: expression.to_owned(),
        });
        view.value = lines.ok().map(|lines| crate::text::code::memory(&lines));
    }
    views
}

fn display(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        let views = interpreter.at().displays();
        let views = with_memory(interpreter, views);
        return Ok(Answer::with(shown(&views), views));
    }
    let (format, expression) = split_format(call.arguments)?;
    let format = super::print::format_text(format);
    let view = interpreter
        .at()
        .add_display(expression, format.as_deref())?;
    let views = with_memory(interpreter, vec![view]);
    Ok(Answer::with(shown(&views), &views[0]))
}

/// `undisplay` and `delete display`.
pub fn remove(interpreter: &mut Interpreter, text: &str) -> Result<Answer, CommandError> {
    if text.is_empty() {
        interpreter.debugger.remove_display(None)?;
    } else {
        for number in number_list(text)? {
            interpreter.debugger.remove_display(Some(number))?;
        }
    }
    Ok(Answer::silent())
}

/// `info display`.
pub fn info(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().displays();
    if views.is_empty() {
        return Ok(Answer::with(
            "There are no auto-display expressions now.\n",
            views,
        ));
    }
    let mut text = String::from("Auto-display expressions now in effect:\nNum Enb Expression\n");
    for view in &views {
        let enabled = if view.enabled { "y" } else { "n" };
        let _ = writeln!(text, "{}:   {enabled}  {}", view.number, view.expression);
    }
    Ok(Answer::with(text, views))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_in_both_forms() {
        let view = |expression: &str, value: &str| DisplayView {
            number: 1,
            expression: expression.to_owned(),
            enabled: true,
            value: Some(value.to_owned()),
        };
        assert_eq!(shown(&[view("/x n", "0x5")]), "1: /x n = 0x5\n");
        assert_eq!(
            shown(&[view("/i $pc", "=> 0x10:\tret\n")]),
            "1: x/i $pc\n=> 0x10:\tret\n"
        );
    }
}
