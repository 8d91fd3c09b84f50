//! The line editor of a terminal: history, completion, and a printer that writes above the line being typed.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, ExternalPrinter, Helper};
use wayfarer_commands::{Interpreter, Lines, Screen, complete};

use crate::history;

/// How many lines the history file keeps.
const HISTORY_LINES: usize = 1000;

/// What came from the keyboard.
pub enum Typed {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the terminal is gone.
    End,
}

/// The editor and where its history is kept.
pub struct Prompt {
    editor: Editor<Assistant, FileHistory>,
    file: Option<PathBuf>,
}

impl Prompt {
    pub fn new(interpreter: Arc<Mutex<Interpreter>>) -> rustyline::Result<Self> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY_LINES)?
            .history_ignore_dups(true)?
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Assistant {
            interpreter,
            colour: colour_wanted(),
        }));
        let file = history::file().filter(|file| history::prepare(file));
        if let Some(file) = &file {
            // The first session has none yet.
            let _ = editor.load_history(file);
        }
        Ok(Self { editor, file })
    }

    /// Shows text above the prompt while a line is typed; none where the terminal can't do that.
    pub fn screen(&mut self) -> Option<Box<dyn Screen>> {
        let printer = self.editor.create_external_printer().ok()?;
        Some(Box::new(AbovePrompt(printer)))
    }

    /// How many lines the terminal has.
    pub fn height(&mut self) -> Option<u32> {
        let (_, rows) = self.editor.dimensions()?;
        (rows > 2).then_some(u32::from(rows))
    }

    /// Reads a line that belongs into the history.
    pub fn read(&mut self, prompt: &str) -> Typed {
        let typed = self.ask(prompt);
        if let Typed::Line(line) = &typed
            && !line.trim().is_empty()
        {
            let _ = self.editor.add_history_entry(line.as_str());
            if let Some(file) = &self.file {
                let _ = self.editor.append_history(file);
            }
        }
        typed
    }

    fn ask(&mut self, prompt: &str) -> Typed {
        match self.editor.readline(prompt) {
            Ok(line) => Typed::Line(line),
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Typed::Interrupt,
            Err(_) => Typed::End,
        }
    }
}

impl Lines for Prompt {
    /// Lines of blocks and answers to questions stay out of the history; Ctrl-C ends them.
    fn next_line(&mut self, prompt: &str) -> Option<String> {
        match self.ask(prompt) {
            Typed::Line(line) => Some(line),
            Typed::Interrupt | Typed::End => None,
        }
    }
}

/// Colour is for terminals whose user has not declined it.
fn colour_wanted() -> bool {
    let declined = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !declined && !dumb
}

struct AbovePrompt<P>(P);

impl<P: ExternalPrinter + Send> Screen for AbovePrompt<P> {
    fn print(&mut self, text: &str) {
        // The terminal is gone when this fails; nothing can be told any more.
        let _ = self.0.print(text.to_owned());
    }
}

/// Completion and the colour of the prompt.
struct Assistant {
    interpreter: Arc<Mutex<Interpreter>>,
    colour: bool,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        // While a command runs (a block is being typed) the interpreter is busy: no completion then.
        let Ok(mut interpreter) = self.interpreter.try_lock() else {
            return Ok((position, Vec::new()));
        };
        let done = complete(&mut interpreter, &line[..position]);
        Ok((done.start, done.candidates))
    }
}

impl Highlighter for Assistant {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.colour && prompt.starts_with("(wayfarer") {
            Cow::Owned(format!("\u{1b}[1m{prompt}\u{1b}[0m"))
        } else {
            Cow::Borrowed(prompt)
        }
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Validator for Assistant {}

impl Helper for Assistant {}
