//! `info` about symbols, lines, sources and libraries.

use wayfarer_debugger::view::SymbolView;

use crate::answer::{Answer, CommandError};
use crate::command::Call;
use crate::interpreter::Interpreter;
use crate::text::symbols;

pub fn address(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required.".into());
    }
    let text = interpreter.at().info_address(call.arguments)?;
    Ok(Answer::line(text.trim_end()))
}

pub fn line(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().info_line(&call.arguments.parse()?)?;
    let text: String = views.iter().map(symbols::line).collect();
    Ok(Answer::with(text, views))
}

pub fn symbol(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (address).".into());
    }
    let view = interpreter.at().info_symbol(call.arguments)?;
    Ok(Answer::with(symbols::symbol(&view), view))
}

pub fn source(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let view = interpreter.at().info_source()?;
    Ok(Answer::with(symbols::source_file(&view), view))
}

/// More files than this are not listed.
const MOST_FILES: usize = 10_000;

pub fn sources(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut names = interpreter.at().complete_file("", MOST_FILES);
    names.retain(|name| name.contains(call.arguments));
    names.sort();
    names.dedup();
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    Ok(Answer::with(text, names))
}

pub fn libraries(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut views = interpreter.at().shared_libraries()?;
    views.retain(|view| view.path.contains(call.arguments));
    if views.is_empty() {
        return Ok(Answer::with(
            "No shared libraries loaded at this time.\n",
            views,
        ));
    }
    let first = views[0].process.clone();
    let several = views.iter().any(|view| view.process != first);
    Ok(Answer::with(symbols::libraries(&views, several), views))
}

pub fn functions(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().info_functions(call.arguments)?;
    Ok(listed(views, "functions", call.arguments))
}

pub fn variables(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().info_variables(call.arguments)?;
    Ok(listed(views, "variables", call.arguments))
}

pub fn types(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().info_types(call.arguments)?;
    Ok(listed(views, "types", call.arguments))
}

fn listed(views: Vec<SymbolView>, what: &str, pattern: &str) -> Answer {
    Answer::with(symbols::symbols(&views, what, pattern), views)
}
