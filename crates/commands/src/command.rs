//! What a command is: a row of the table that gives lookup, help, completion and the reference.

use crate::answer::{Answer, CommandError};
use crate::interpreter::Interpreter;
use crate::lines::Lines;

/// What a verb is given besides the interpreter.
pub struct Call<'a> {
    /// What stands after the command's name, without spaces at either end.
    pub arguments: &'a str,
    /// An empty line asked for the same once more.
    pub again: bool,
    /// Where the lines of a block (`commands` … `end`) come from.
    pub lines: &'a mut dyn Lines,
}

/// The function after a command.
pub type Run = fn(&mut Interpreter, Call<'_>) -> Result<Answer, CommandError>;

/// The chapters of the reference, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chapter {
    Running,
    Stopping,
    Stack,
    Data,
    Source,
    Processes,
    Status,
    Support,
}

impl Chapter {
    pub const ALL: [Self; 8] = [
        Self::Running,
        Self::Stopping,
        Self::Stack,
        Self::Data,
        Self::Source,
        Self::Processes,
        Self::Status,
        Self::Support,
    ];

    /// The word that `help` takes for the chapter.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "breakpoints",
            Self::Stack => "stack",
            Self::Data => "data",
            Self::Source => "files",
            Self::Processes => "processes",
            Self::Status => "status",
            Self::Support => "support",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Running => "Running the program",
            Self::Stopping => "Making the program stop at certain points",
            Self::Stack => "Examining the stack",
            Self::Data => "Examining data",
            Self::Source => "Source files and machine code",
            Self::Processes => "Many processes and threads",
            Self::Status => "Status inquiries",
            Self::Support => "Support facilities",
        }
    }
}

/// What can stand where the cursor is, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completes {
    Nothing,
    /// A function, a file with `:`, or an address.
    Location,
    /// Variables, their fields, functions.
    Expression,
    /// A function's name.
    Function,
    /// A type's name.
    Type,
    /// Names of processes and sets.
    Set,
    /// A set, then a command.
    SetAndCommand,
    /// A command of the table.
    Command,
    /// A command below this one.
    Below,
    /// A path in the file system.
    File,
    /// A setting of `set` and `show`.
    Setting,
    /// A signal's name.
    Signal,
    /// A register's name.
    Register,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// What an empty line does after the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Nothing: a second time would surprise.
    Never,
    /// The same line again.
    Same,
    /// The command goes on from where it ended (`list`, `x`).
    GoesOn,
}

/// What `on SET COMMAND` does with the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The command runs once and means the set as a whole (`on workers continue`).
    Whole,
    /// Once in each process of the set, in the thread last looked at there.
    EachProcess,
    /// Once in each thread of the set.
    EachThread,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Command {
    pub name: &'static str,
    /// Other names and letters; a letter here wins over every longer name that begins with it.
    pub aliases: &'static [&'static str],
    pub chapter: Chapter,
    /// The forms of its arguments, one a line.
    pub usage: &'static [&'static str],
    /// One line, with a full stop.
    pub summary: &'static str,
    /// Whatever else there is to say; may be empty.
    pub details: &'static str,
    pub completes: Completes,
    pub repeats: Repeats,
    pub spread: Spread,
    /// Commands below this one (`info threads`).
    pub below: &'static [Command],
    /// A word that is not a command below is an argument (`thread 2`, `set listsize 5`).
    pub takes_own_arguments: bool,
    pub run: Run,
}

impl Command {
    /// A row with the usual values in the rarer columns.
    pub const fn new(name: &'static str, chapter: Chapter, run: Run) -> Self {
        Self {
            name,
            aliases: &[],
            chapter,
            usage: &[],
            summary: "",
            details: "",
            completes: Completes::Nothing,
            repeats: Repeats::Never,
            spread: Spread::EachProcess,
            below: &[],
            takes_own_arguments: false,
            run,
        }
    }

    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub const fn usage(mut self, usage: &'static [&'static str]) -> Self {
        self.usage = usage;
        self
    }

    pub const fn help(mut self, summary: &'static str, details: &'static str) -> Self {
        self.summary = summary;
        self.details = details;
        self
    }

    pub const fn completes(mut self, completes: Completes) -> Self {
        self.completes = completes;
        self
    }

    pub const fn repeats(mut self, repeats: Repeats) -> Self {
        self.repeats = repeats;
        self
    }

    pub const fn spread(mut self, spread: Spread) -> Self {
        self.spread = spread;
        self
    }

    pub const fn below(mut self, below: &'static [Command]) -> Self {
        self.below = below;
        self.completes = Completes::Below;
        self
    }

    pub const fn takes_own_arguments(mut self) -> Self {
        self.takes_own_arguments = true;
        self
    }

    /// The name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Command").field(&self.name).finish()
    }
}
