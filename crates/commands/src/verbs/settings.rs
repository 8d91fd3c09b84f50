//! `set`, `show`, `unset`.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::json;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::settings::{self, SETTINGS, Setting};
use crate::words::{shell_words, split_word};

const SET_BELOW: &[Command] = &[
    Command::new("variable", Chapter::Data, set_variable)
        .aliases(&["var"])
        .usage(&["EXPRESSION = VALUE"])
        .help("Change a variable of the program.", "")
        .completes(Completes::Expression),
    Command::new("environment", Chapter::Running, set_environment)
        .aliases(&["env"])
        .usage(&["NAME=VALUE"])
        .help("Set an environment variable for the next `run`.", "")
        .spread(Spread::Whole),
];

const SHOW_BELOW: &[Command] = &[
    Command::new("commands", Chapter::Status, history)
        .usage(&["[COUNT]"])
        .help("Show the last commands typed.", "")
        .spread(Spread::Whole),
    Command::new("convenience", Chapter::Status, convenience)
        .aliases(&["conv"])
        .help("Show the convenience variables (`$name`).", "")
        .spread(Spread::Whole),
    Command::new("environment", Chapter::Status, environment)
        .aliases(&["env"])
        .usage(&["[NAME]"])
        .help(
            "Show what `set environment` and `unset environment` changed.",
            "",
        )
        .spread(Spread::Whole),
    Command::new("user", Chapter::Status, super::define::show)
        .usage(&["[NAME]"])
        .help("Show commands made with `define`.", "")
        .spread(Spread::Whole),
    Command::new("values", Chapter::Status, values)
        .usage(&["[COUNT]"])
        .help("Show the last values of the history (`$1`, `$2` …).", "")
        .spread(Spread::Whole),
    Command::new("version", Chapter::Status, |_, _| {
        Ok(Answer::line(format!(
            "wayfarer {}",
            env!("CARGO_PKG_VERSION")
        )))
    })
    .help("Show the version of Wayfarer.", "")
    .spread(Spread::Whole),
];

const UNSET_BELOW: &[Command] = &[
    Command::new("environment", Chapter::Running, unset_environment)
        .aliases(&["env"])
        .usage(&["NAME"])
        .help("Take an environment variable away for the next `run`.", "")
        .spread(Spread::Whole),
];

pub const COMMANDS: &[Command] = &[
    Command::new("set", Chapter::Support, set)
        .usage(&["NAME [VALUE]", "EXPRESSION = VALUE"])
        .help(
            "Change a setting, or a variable of the program.",
            "Settings are listed at the end of this reference and by `show`. What is not a setting is taken as an expression; \
`set var` takes nothing else.",
        )
        .below(SET_BELOW)
        .takes_own_arguments()
        .completes(Completes::Setting),
    Command::new("show", Chapter::Status, show)
        .usage(&["", "NAME"])
        .help("Show a setting, or all of them.", "")
        .below(SHOW_BELOW)
        .takes_own_arguments()
        .completes(Completes::Setting)
        .spread(Spread::Whole),
    Command::new("unset", Chapter::Support, |_, _| {
        Err("\"unset\" must be followed by \"environment\".".into())
    })
    .usage(&["environment NAME"])
    .help("Undo a `set`.", "")
    .below(UNSET_BELOW)
    .spread(Spread::Whole),
];

fn set(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return show_all(interpreter);
    }
    let found = settings::find(call.arguments);
    let (first, rest) = split_word(call.arguments);
    let exact = SETTINGS.iter().any(|setting| setting.name == first);
    let assigns =
        !exact && (first.contains('=') || rest.starts_with('=') || first.starts_with('$'));
    match found {
        Ok((setting, value)) if !assigns => change(interpreter, setting, value),
        Err(error) if !call.arguments.contains('=') => Err(error),
        _ => {
            interpreter.at().set_variable(call.arguments)?;
            Ok(Answer::silent())
        }
    }
}

fn change(
    interpreter: &mut Interpreter,
    setting: &Setting,
    value: &str,
) -> Result<Answer, CommandError> {
    settings::change(
        &mut interpreter.settings,
        &mut interpreter.debugger,
        setting,
        value,
    )?;
    let own = &interpreter.settings;
    match setting.name {
        "verbose" => interpreter.output.set_verbose(own.is_on("verbose")),
        "args" => {
            let words = shell_words(own.text("args"))?;
            if let Some(program) = &mut interpreter.program {
                program.argv.truncate(1);
                program.argv.extend(words.into_iter().map(OsString::from));
            }
            interpreter.launch_changed = true;
        }
        "cwd" => {
            let text = own.text("cwd");
            let cwd = (!text.is_empty()).then(|| PathBuf::from(text));
            if let Some(program) = &mut interpreter.program {
                program.cwd = cwd;
            }
            interpreter.launch_changed = true;
        }
        "disable-randomization" => {
            let randomize = !own.is_on("disable-randomization");
            if let Some(program) = &mut interpreter.program {
                interpreter.launch_changed |= program.randomize != randomize;
                program.randomize = randomize;
            }
        }
        "prompt" => {
            // The shell's habit of `set prompt (x) ` loses the space at the end.
            let text = own.text("prompt").trim_end().to_owned();
            settings::put_prompt(&mut interpreter.settings, format!("{text} "));
        }
        _ => {}
    }
    Ok(Answer::silent())
}

fn set_variable(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (expression to compute).".into());
    }
    interpreter.at().set_variable(call.arguments)?;
    Ok(Answer::silent())
}

fn set_environment(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (name, value) = call
        .arguments
        .split_once('=')
        .or_else(|| call.arguments.split_once(' '))
        .unwrap_or((call.arguments, ""));
    let (name, value) = (OsString::from(name.trim()), OsString::from(value.trim()));
    if name.is_empty() {
        return Err("Argument required (environment variable and value).".into());
    }
    let program = interpreter.program.get_or_insert_default();
    program.unset.retain(|known| *known != name);
    program.env.retain(|(known, _)| *known != name);
    program.env.push((name, value));
    interpreter.launch_changed = true;
    Ok(Answer::silent())
}

fn unset_environment(
    interpreter: &mut Interpreter,
    call: Call<'_>,
) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (environment variable).".into());
    }
    let name = OsString::from(call.arguments);
    let program = interpreter.program.get_or_insert_default();
    program.env.retain(|(known, _)| *known != name);
    if !program.unset.contains(&name) {
        program.unset.push(name);
    }
    interpreter.launch_changed = true;
    Ok(Answer::silent())
}

fn environment(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut pairs: Vec<(String, Option<String>)> = Vec::new();
    if let Some(program) = &interpreter.program {
        for (name, value) in &program.env {
            pairs.push((
                name.to_string_lossy().into_owned(),
                Some(value.to_string_lossy().into_owned()),
            ));
        }
        for name in &program.unset {
            pairs.push((name.to_string_lossy().into_owned(), None));
        }
    }
    if !call.arguments.is_empty() {
        pairs.retain(|(name, _)| name == call.arguments);
        if pairs.is_empty()
            && let Some(value) = std::env::var_os(call.arguments)
        {
            pairs.push((
                call.arguments.to_owned(),
                Some(value.to_string_lossy().into_owned()),
            ));
        }
        if pairs.is_empty() {
            return Ok(Answer::line(format!(
                "Environment variable \"{}\" not defined.",
                call.arguments
            )));
        }
    }
    let text = pairs
        .iter()
        .map(|(name, value)| match value {
            Some(value) => format!("{name} = {value}\n"),
            None => format!("{name} is taken away\n"),
        })
        .collect::<String>();
    Ok(Answer::with(text, pairs))
}

fn show(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return show_all(interpreter);
    }
    // `show print` lists all that begin so.
    let group: Vec<&Setting> = SETTINGS
        .iter()
        .filter(|setting| setting.name.split(' ').next() == Some(call.arguments))
        .collect();
    if group.len() > 1 {
        return listed(interpreter, &group);
    }
    let (setting, _) = settings::find(call.arguments)?;
    let value = settings::value(&interpreter.settings, &interpreter.debugger, setting)?;
    Ok(Answer::with(
        format!("{} is \"{value}\": {}.\n", setting.name, setting.summary),
        json!({"name": setting.name, "value": value}),
    ))
}

/// All settings with their values.
pub fn show_all(interpreter: &mut Interpreter) -> Result<Answer, CommandError> {
    let all: Vec<&Setting> = SETTINGS.iter().collect();
    listed(interpreter, &all)
}

fn listed(interpreter: &Interpreter, list: &[&Setting]) -> Result<Answer, CommandError> {
    let mut rows = Vec::new();
    let mut values = serde_json::Map::new();
    for setting in list {
        let value = settings::value(&interpreter.settings, &interpreter.debugger, setting)?;
        rows.push(vec![
            setting.name.to_owned(),
            value.trim_end().to_owned(),
            setting.summary.to_owned(),
        ]);
        values.insert(setting.name.to_owned(), json!(value));
    }
    Ok(Answer::with(crate::text::table::align(&rows, 2), values))
}

/// How many of a list are shown by default.
const LAST: usize = 10;

fn history(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let count = call.arguments.parse().unwrap_or(LAST);
    let all = &interpreter.history;
    let from = all.len().saturating_sub(count);
    let text = all
        .iter()
        .enumerate()
        .skip(from)
        .map(|(index, line)| format!("{:5}  {line}\n", index + 1))
        .collect::<String>();
    Ok(Answer::with(text, &all[from..]))
}

fn values(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let count = call.arguments.parse().unwrap_or(LAST);
    let all = interpreter.debugger.history();
    let from = all.len().saturating_sub(count);
    let text: String = all[from..].iter().map(super::print::shown).collect();
    Ok(Answer::with(text, &all[from..]))
}

fn convenience(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let mut pairs = interpreter.at().convenience();
    if let Some(status) = interpreter.exit_status
        && !pairs.iter().any(|(name, _)| name == "_exitcode")
    {
        pairs.push(("_exitcode".to_owned(), status.to_string()));
    }
    if pairs.is_empty() {
        return Ok(Answer::line("No debugger convenience values now defined."));
    }
    let text = pairs
        .iter()
        .map(|(name, value)| format!("${name} = {value}\n"))
        .collect::<String>();
    Ok(Answer::with(text, pairs))
}
