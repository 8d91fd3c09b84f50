//! Runs command lines: finds the row of the table, calls it, shows its answer, then runs what stops ask for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wayfarer_debugger::view::{FrameView, StopView, Who};
use wayfarer_debugger::{At, Debugger, DebuggerError, Event, Launch, Set, StackFrame, ThreadId};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Command, Repeats};
use crate::lines::{Lines, ListedLines};
use crate::lookup;
use crate::output::Output;
use crate::selection::Selection;
use crate::settings::OwnSettings;
use crate::text::StopStyle;

mod find;
mod stops;

pub use find::find_command;

/// What is asked between the pages of a long answer.
const MORE: &str = "--Type <RET> for more, q to quit, c to continue without paging--";

/// How deep scripts, user commands and `on` may call each other.
const DEPTH: usize = 64;

/// What the caller of a line needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The line did what it said.
    Good,
    /// It failed; the error has been shown.
    Failed,
    /// The session is to end.
    Quit,
}

/// A command made with `define`.
#[derive(Clone, Debug, Default)]
pub struct Defined {
    pub body: Vec<String>,
    pub document: Vec<String>,
}

/// The state of a conversation.
pub struct Interpreter {
    pub debugger: Debugger,
    pub output: Output,
    pub settings: OwnSettings,
    /// A person sits there: questions may be asked.
    pub interactive: bool,
    /// The program that `run` starts.
    pub program: Option<Launch>,
    /// Arguments, environment or directory were changed since it was last launched.
    pub launch_changed: bool,
    /// What the prompt looks at.
    pub selection: Selection,
    /// The set that `on` put in front of the present command.
    pub scope: Option<Set>,
    /// Lines typed, oldest first.
    pub history: Vec<String>,
    pub defined: BTreeMap<String, Defined>,
    pub aliases: BTreeMap<String, String>,
    /// The status with which a process last ended by itself.
    pub exit_status: Option<i32>,
    /// The `commands` of temporary breakpoints, which are gone when their stop is told.
    pub last_words: BTreeMap<u32, Vec<String>>,
    /// Set by Ctrl-C: loops of commands end.
    pub interrupt: Arc<AtomicBool>,
    /// The stops that the present line caused, for displays and `commands`.
    stops: Vec<StopView>,
    /// What an empty line does.
    repeat: Option<String>,
    depth: usize,
}

impl Interpreter {
    /// A conversation with `debugger`; its events go to `output` from now on, besides whoever else listens.
    pub fn new(mut debugger: Debugger, output: Output) -> Self {
        let shown = output.clone();
        debugger.on_event(Box::new(move |event: &Event| shown.event(event)));
        Self {
            debugger,
            output,
            settings: OwnSettings::default(),
            interactive: false,
            program: None,
            launch_changed: false,
            selection: Selection::default(),
            scope: None,
            history: Vec::new(),
            defined: BTreeMap::new(),
            aliases: BTreeMap::new(),
            exit_status: None,
            last_words: BTreeMap::new(),
            interrupt: Arc::default(),
            stops: Vec::new(),
            repeat: None,
            depth: 0,
        }
    }

    /// Runs one line as typed: an empty one repeats, all others are remembered.
    pub fn line(&mut self, line: &str, lines: &mut dyn Lines) -> Flow {
        let typed = line.trim();
        if typed.is_empty() {
            return match self.repeat.clone() {
                Some(last) => self.top(&last, true, lines),
                None => Flow::Good,
            };
        }
        if typed.starts_with('#') {
            return Flow::Good;
        }
        self.history.push(typed.to_owned());
        self.repeat = self.what_repeats(typed);
        self.top(typed, false, lines)
    }

    /// Runs every line of a source up to its end, the first failure, or `quit`.
    pub fn script(&mut self, lines: &mut dyn Lines) -> Flow {
        while let Some(line) = lines.next_line("") {
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            match self.top(text, false, lines) {
                Flow::Good => {}
                other => return other,
            }
        }
        Flow::Good
    }

    /// What an empty line after this one runs.
    fn what_repeats(&self, line: &str) -> Option<String> {
        let (command, arguments, words) = self.find(line).ok()?;
        match command.repeats {
            Repeats::Never => None,
            Repeats::Same => Some(line.to_owned()),
            Repeats::GoesOn => {
                // The format stays, the place moves on.
                let format = arguments
                    .strip_prefix('/')
                    .map(|_| arguments.split_whitespace().next().unwrap_or(""));
                let backwards = (arguments == "-").then_some("-");
                let kept = format.or(backwards).unwrap_or("");
                Some(format!("{words} {kept}").trim_end().to_owned())
            }
        }
    }

    /// A line, then what its stops ask for.
    fn top(&mut self, line: &str, again: bool, lines: &mut dyn Lines) -> Flow {
        self.stops.clear();
        self.interrupt.store(false, Ordering::SeqCst);
        let mut flow = self.shown(line, again, lines);
        while !self.stops.is_empty() && flow != Flow::Quit {
            let stops = std::mem::take(&mut self.stops);
            self.show_displays(&stops);
            match self.run_commands_of(&stops) {
                Flow::Good => {}
                other => flow = other,
            }
        }
        flow
    }

    /// One line with its answer or error shown.
    fn shown(&mut self, line: &str, again: bool, lines: &mut dyn Lines) -> Flow {
        if self.interrupt.swap(false, Ordering::SeqCst) {
            self.output.error(line, &CommandError::new("Quit"));
            return Flow::Failed;
        }
        self.update_style();
        match self.evaluate_with(line, again, lines) {
            Ok(answer) => {
                self.show_answer(line, &answer, lines);
                if answer.quit { Flow::Quit } else { Flow::Good }
            }
            Err(error) => {
                self.output.error(line, &error);
                Flow::Failed
            }
        }
    }

    /// Shows an answer, at a terminal page by page if the user wants that.
    fn show_answer(&self, line: &str, answer: &Answer, lines: &mut dyn Lines) {
        let rows: Vec<&str> = answer.text.split_inclusive('\n').collect();
        let height = self.settings.text("height").parse::<usize>();
        let page = height.map_or(usize::MAX, |height| height.saturating_sub(1).max(1));
        let paged = self.interactive && self.settings.is_on("pagination") && !self.output.is_json();
        if !paged || rows.len() <= page {
            return self.output.answer(line, answer);
        }
        for (index, part) in rows.chunks(page).enumerate() {
            if index > 0 {
                match lines.next_line(MORE).as_deref().map(str::trim) {
                    Some("") => {}
                    Some("c") => {
                        return self.output.note(&rows[index * page..].concat());
                    }
                    _ => return self.output.note("Quit\n"),
                }
            }
            self.output.note(&part.concat());
        }
    }

    /// Runs a line and gives its answer back instead of showing it.
    pub fn evaluate(&mut self, line: &str) -> Result<Answer, CommandError> {
        self.evaluate_with(line, false, &mut crate::lines::NoLines)
    }

    fn evaluate_with(
        &mut self,
        line: &str,
        again: bool,
        lines: &mut dyn Lines,
    ) -> Result<Answer, CommandError> {
        if self.depth >= DEPTH {
            return Err(CommandError::new("Commands call each other too deeply."));
        }
        self.depth += 1;
        let result = self.dispatch(line.trim(), again, lines);
        self.depth -= 1;
        result
    }

    fn dispatch(
        &mut self,
        line: &str,
        again: bool,
        lines: &mut dyn Lines,
    ) -> Result<Answer, CommandError> {
        let (word, rest) = lookup::split_command(line);
        if let Some(defined) = self.defined.get(word) {
            let body = defined.body.clone();
            return self.run_defined(&body, rest);
        }
        if let Some(meaning) = self.aliases.get(word) {
            let expanded = format!("{meaning} {rest}");
            return self.evaluate_with(&expanded, again, lines);
        }
        let (command, arguments, _) = self.find(line)?;
        let arguments = arguments.to_owned();
        (command.run)(
            self,
            Call {
                arguments: &arguments,
                again,
                lines,
            },
        )
    }

    /// The row that a line means and its arguments, unless the user has given its first word another meaning.
    pub fn plain_command<'a>(&self, line: &'a str) -> Option<(&'static Command, &'a str)> {
        let (word, _) = lookup::split_command(line);
        if self.defined.contains_key(word) || self.aliases.contains_key(word) {
            return None;
        }
        let (command, arguments, _) = self.find(line).ok()?;
        Some((command, arguments))
    }

    /// The row that a line means, its arguments, and the words that led there.
    pub fn find<'a>(
        &self,
        line: &'a str,
    ) -> Result<(&'static Command, &'a str, String), CommandError> {
        find_command(line)
    }

    /// The line with an alias of the user in front replaced by its meaning.
    pub fn expand_alias(&self, line: &str) -> String {
        let (word, rest) = lookup::split_command(line);
        match self.aliases.get(word) {
            Some(meaning) => format!("{meaning} {rest}"),
            None => line.to_owned(),
        }
    }

    /// A user command: `$arg0`… and `$argc` stand for its words.
    fn run_defined(&mut self, body: &[String], arguments: &str) -> Result<Answer, CommandError> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let lines = body.iter().map(|line| substitute(line, &words)).collect();
        match self.block(lines) {
            Flow::Failed => Err(CommandError::new("Error in the body of a user command.")),
            Flow::Quit => Ok(Answer {
                quit: true,
                ..Answer::silent()
            }),
            Flow::Good => Ok(Answer::silent()),
        }
    }

    /// Runs lines one after the other, each with its answer shown.
    pub fn block(&mut self, lines: Vec<String>) -> Flow {
        let mut source = ListedLines::new(lines);
        while let Some(line) = source.next_line("") {
            match self.shown(&line, false, &mut source) {
                Flow::Good => {}
                other => return other,
            }
        }
        Flow::Good
    }

    /// The debugger, asked about the selected frame.
    pub fn at(&mut self) -> At<'_> {
        let frame = self.selection.frame(&self.debugger);
        self.output.set_selected(frame.map(|frame| frame.thread));
        let listed = self.selection.listed().cloned();
        self.debugger.at(frame).listed(listed)
    }

    /// The selected thread.
    pub fn current(&mut self) -> Option<ThreadId> {
        let frame = self.selection.frame(&self.debugger)?;
        Some(frame.thread)
    }

    /// Goes to another thread, to the frame that was selected there since it ran. The frame is none while it runs.
    pub fn select_thread(
        &mut self,
        thread: ThreadId,
    ) -> Result<(Who, Option<FrameView>), DebuggerError> {
        let frame = self.selection.frame_of(thread, &self.debugger);
        let looked = self.debugger.at(frame).look()?;
        self.selection.select_thread(thread);
        Ok(looked)
    }

    /// Goes to another frame of the selected thread.
    pub fn select_frame(&mut self, level: u32) -> Result<FrameView, DebuggerError> {
        let thread = self.current().ok_or(DebuggerError::NoProcess)?;
        let frame = StackFrame { thread, level };
        let view = self.debugger.at(frame).frame()?;
        self.selection.select_frame(frame, &self.debugger);
        self.debugger.at(frame).look()?;
        Ok(view)
    }

    /// Runs something that may select, and puts the selection back; who has ended meanwhile is replaced when it is
    /// asked for.
    pub fn keeping_selection<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.selection.clone();
        let result = work(self);
        self.selection = before;
        self.selection.set_listed(None);
        // The frame that `NAME:EXPRESSION` means is this one again.
        let _ = self.at().look();
        result
    }

    /// How stops are to be named from now on.
    fn update_style(&mut self) {
        let processes = self.at().processes();
        let alive = |view: &&wayfarer_debugger::view::ProcessView| {
            use wayfarer_debugger::view::ProcessState::{Running, Stopped};
            matches!(view.state, Running | Stopped)
        };
        self.output.set_style(StopStyle {
            several_processes: processes.iter().filter(alive).count() > 1,
            several_threads: processes.iter().filter(alive).any(|view| view.threads > 1),
            background: false,
        });
    }

    /// Whether several processes live: names and `2.1` are used then.
    pub fn several_processes(&mut self) -> bool {
        self.at().processes().len() > 1
    }

    /// Asks a person; everyone else has agreed by writing the command.
    pub fn confirmed(&self, question: &str, lines: &mut dyn Lines) -> bool {
        if !self.interactive || !self.settings.is_on("confirm") || self.depth > 1 {
            return true;
        }
        loop {
            match lines.next_line(&format!("{question} (y or n) ")) {
                None => return false,
                Some(answer) => match answer.trim().to_lowercase().as_str() {
                    "y" | "yes" => return true,
                    "n" | "no" => return false,
                    _ => self.output.note("Please answer y or n.\n"),
                },
            }
        }
    }

    /// The prompt, with the focus when a set is in it.
    pub fn prompt(&self) -> String {
        let prompt = self.settings.text("prompt");
        if prompt != "(wayfarer) " || self.debugger.focus().is_all() {
            return prompt.to_owned();
        }
        format!("(wayfarer {}) ", self.debugger.focus().text())
    }
}

/// Puts the words of a call into a line of a user command.
fn substitute(line: &str, words: &[&str]) -> String {
    let mut text = line.replace("$argc", &words.len().to_string());
    // From the back, so that `$arg1` doesn't eat the beginning of `$arg10`.
    for (index, word) in words.iter().enumerate().rev() {
        text = text.replace(&format!("$arg{index}"), word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::substitute;

    #[test]
    fn words_of_a_call() {
        assert_eq!(substitute("print $arg0 + $argc", &["x"]), "print x + 1");
    }
}
