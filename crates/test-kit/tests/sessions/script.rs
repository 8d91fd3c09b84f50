//! The lines of a session that a seed chooses.

use std::collections::BTreeSet;
use wayfarer_test_kit::fuzz::Random;

/// Functions of libc that most programs call.
const LIBRARY: [&str; 16] = [
    "write",
    "read",
    "malloc",
    "free",
    "close",
    "waitpid",
    "fork",
    "execve",
    "memcpy",
    "nanosleep",
    "clock_gettime",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_create",
    "pthread_cond_wait",
    "sigaction",
];

/// Commands that only look.
const LOOKS: [&str; 36] = [
    "bt",
    "bt full",
    "bt 2",
    "thread apply all bt",
    "bt -tree",
    "info threads",
    "info procs",
    "info registers",
    "info all-registers",
    "info sharedlibrary",
    "info breakpoints",
    "info frame",
    "info locals",
    "info args",
    "info line",
    "info source",
    "info program",
    "info display",
    "info symbol $pc",
    "info scope main",
    "up",
    "down",
    "frame 1",
    "x/8i $pc",
    "x/4gx $sp",
    "x/s $sp",
    "print $pc",
    "print $rsp",
    "print *(long*)$sp",
    "print/x $rdi",
    "print errno",
    "ptype struct timespec",
    "display/i $pc",
    "display $rsp",
    "disassemble",
    "list",
];

/// Names that a source gives to break at and to look at.
pub struct Names {
    functions: Vec<String>,
    words: Vec<String>,
    lines: usize,
}

impl Names {
    /// Every word may be a variable, and every word before a parenthesis a function: where it is none, the command
    /// fails, and that is a good test, too.
    pub fn of(source: &str) -> Names {
        let mut functions = BTreeSet::new();
        let mut words = BTreeSet::new();
        for line in source.lines() {
            let mut rest = line;
            while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphabetic()) {
                rest = &rest[start..];
                let end = rest
                    .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                if after.starts_with('(') {
                    functions.insert(word.to_owned());
                } else if word.len() > 1 {
                    words.insert(word.to_owned());
                }
            }
        }
        Names {
            functions: functions.into_iter().collect(),
            words: words.into_iter().collect(),
            lines: source.lines().count(),
        }
    }
}

/// A session of so many commands, after which the program has its way to the end.
pub fn script(seed: u64, commands: usize, names: &Names, processes: u64) -> String {
    let mut session = Session {
        random: Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        names,
        text: String::new(),
    };
    if session.random.below(4) > 0 {
        session.say("break main");
        session.say("continue");
    }
    for _ in 0..commands {
        session.command();
    }
    for line in ["undisplay", "delete", "handle all nostop noprint pass"] {
        session.say(line);
    }
    // The end of a process is a stop, and so may be a program that it begins.
    for _ in 0..2 * processes + 4 {
        session.say("continue");
    }
    session.text
}

struct Session<'a> {
    random: Random,
    names: &'a Names,
    text: String,
}

impl Session<'_> {
    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn one_of<'b>(&mut self, all: &[&'b str]) -> &'b str {
        all[self.random.below(all.len())]
    }

    fn command(&mut self) {
        match self.random.below(100) {
            0..14 => self.breakpoint(),
            14..18 => self.watchpoint(),
            18..22 => self.breakpoint_upkeep(),
            22..25 => self.catchpoint(),
            25..50 => self.step(),
            50..62 => self.go_on(),
            62..66 => self.select(),
            66..70 => {
                let word = self.word();
                let verb = self.one_of(&["print", "print &", "display", "whatis", "info symbol &"]);
                self.say(&format!("{verb} {word}"));
            }
            _ => {
                let look = self.one_of(&LOOKS);
                self.say(look);
            }
        }
    }

    fn word(&mut self) -> String {
        let words = &self.names.words;
        match words.get(self.random.below(words.len())) {
            Some(word) => word.clone(),
            None => "errno".to_owned(),
        }
    }

    fn location(&mut self) -> String {
        let functions = &self.names.functions;
        match self.random.below(10) {
            0..4 => self.one_of(&LIBRARY).to_owned(),
            4..7 if !functions.is_empty() => functions[self.random.below(functions.len())].clone(),
            7 => format!("{}", 1 + self.random.below(self.names.lines)),
            8 => "*$pc".to_owned(),
            _ => "main".to_owned(),
        }
    }

    fn condition(&mut self) -> &'static str {
        self.one_of(&[
            "$rdi == 1",
            "$rsp != 0",
            "*(long*)$sp == 7",
            "$rdx > 100",
            "$rdi == 1 || $rsi == 3",
            "errno == 0",
        ])
    }

    fn breakpoint(&mut self) {
        let verb = self.one_of(&["break", "break", "break", "tbreak", "hbreak", "thbreak"]);
        let location = self.location();
        let condition = match self.random.below(3) {
            0 => format!(" if {}", self.condition()),
            _ => String::new(),
        };
        self.say(&format!("{verb} {location}{condition}"));
        match self.random.below(6) {
            0 => {
                let look = self.one_of(&["bt 3", "print $rdi", "info threads", "x/i $pc"]);
                let then = self.one_of(&["continue", "next", ""]);
                for line in ["commands", "silent", look, then, "end"] {
                    self.say(line);
                }
            }
            1 => {
                let location = self.location();
                self.say(&format!("dprintf {location},\"%lx\\n\",$rdi"));
            }
            _ => {}
        }
    }

    fn watchpoint(&mut self) {
        let verb = self.one_of(&["watch", "watch", "rwatch", "awatch", "watch -l"]);
        let what = match self.random.below(2) {
            0 => "*(long*)$sp".to_owned(),
            _ => self.word(),
        };
        self.say(&format!("{verb} {what}"));
    }

    fn breakpoint_upkeep(&mut self) {
        let number = 1 + self.random.below(8);
        let count = 1 + self.random.below(5);
        let line = match self.random.below(7) {
            0 => format!("delete {number}"),
            1 => format!("disable {number}"),
            2 => format!("enable {number}"),
            3 => format!("enable once {number}"),
            4 => format!("ignore {number} {count}"),
            5 => format!("condition {number} {}", self.condition()),
            _ => format!("condition {number}"),
        };
        self.say(&line);
    }

    fn catchpoint(&mut self) {
        let line = self.one_of(&[
            "catch fork",
            "catch vfork",
            "catch exec",
            "catch signal",
            "tcatch fork",
            "tcatch exec",
            "catch throw",
            "catch panic",
            "handle SIGUSR1 stop print",
            "handle SIGALRM SIGCHLD stop print",
        ]);
        self.say(line);
    }

    fn step(&mut self) {
        let count = 1 + self.random.below(6);
        let line = match self.random.below(12) {
            0..2 => format!("stepi {}", count * count * 2),
            2 => format!("nexti {}", count * 2),
            3..5 => format!("step {count}"),
            5..7 => format!("next {count}"),
            7..9 => "finish".to_owned(),
            9 => "until".to_owned(),
            10 => format!("until {}", self.location()),
            _ => format!("advance {}", self.location()),
        };
        self.say(&line);
    }

    fn go_on(&mut self) {
        let count = 1 + self.random.below(20);
        match self.random.below(8) {
            0 => self.say(&format!("continue {count}")),
            1 => {
                // As from a terminal: it runs, and is halted somewhere.
                self.say("continue &");
                self.say("halt");
            }
            _ => self.say("continue"),
        }
    }

    fn select(&mut self) {
        let number = 1 + self.random.below(4);
        let line = match self.random.below(6) {
            0 => format!("proc {number}"),
            1 => format!("thread 1.{number}"),
            2 => format!("thread {number}.1"),
            3 => format!("set scheduler-locking {}", ["off", "step"][number % 2]),
            4 => format!("set step-mode {}", ["off", "on"][number % 2]),
            _ => "on all bt 1".to_owned(),
        };
        self.say(&line);
    }
}
