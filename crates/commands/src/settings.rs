//! The settings that `set` and `show` know: ours, and those that the debugger obeys.

use wayfarer_debugger::Debugger;

use crate::answer::CommandError;

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    OnOff,
    /// A number or `unlimited`.
    Number,
    OneOf(&'static [&'static str]),
    Text,
}

/// One row of the table of settings.
#[derive(Debug)]
pub struct Setting {
    pub name: &'static str,
    pub takes: Takes,
    pub initial: &'static str,
    pub summary: &'static str,
    /// Kept by the prompt, not by the debugger.
    pub ours: bool,
}

impl Setting {
    /// The values, as the reference and error messages write them.
    pub fn values(&self) -> String {
        match self.takes {
            Takes::OnOff => "on, off".to_owned(),
            Takes::Number => "number, unlimited".to_owned(),
            Takes::OneOf(words) => words.join(", "),
            Takes::Text => "text".to_owned(),
        }
    }

    /// The words that can complete a value.
    pub fn words(&self) -> Vec<&'static str> {
        match self.takes {
            Takes::OnOff => vec!["on", "off"],
            Takes::Number => vec!["unlimited"],
            Takes::OneOf(words) => words.to_vec(),
            Takes::Text => Vec::new(),
        }
    }
}

const fn own(
    name: &'static str,
    takes: Takes,
    initial: &'static str,
    summary: &'static str,
) -> Setting {
    Setting {
        name,
        takes,
        initial,
        summary,
        ours: true,
    }
}

const fn theirs(
    name: &'static str,
    takes: Takes,
    initial: &'static str,
    summary: &'static str,
) -> Setting {
    Setting {
        name,
        takes,
        initial,
        summary,
        ours: false,
    }
}

/// All settings, in alphabetical order.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    own("args", Takes::Text, "", "arguments of the program at the next `run`"),
    theirs("backtrace limit", Takes::Number, "unlimited", "how many frames `backtrace` shows at most"),
    own("breakpoint pending", Takes::OneOf(&["auto", "on", "off"]), "auto", "whether a breakpoint at an unknown place waits for a library that has it; `auto` asks"),
    own("confirm", Takes::OnOff, "on", "whether dangerous commands ask first, at a terminal"),
    own("cwd", Takes::Text, "", "working directory of the program at the next `run`; empty: ours"),
    theirs("direct-call-timeout", Takes::Number, "10", "seconds that a function called by `call` or `print` may take; then the call is undone"),
    own("disable-randomization", Takes::OnOff, "on", "whether the program is started without address randomisation"),
    theirs("disassembly-flavor", Takes::OneOf(&["att", "intel"]), "att", "how instructions are written"),
    theirs("follow-fork-mode", Takes::OneOf(&["both", "parent", "child"]), "both", "which processes stay with us after a fork"),
    own("height", Takes::Number, "unlimited", "lines of a page, with `pagination`; a terminal sets it at first"),
    theirs("listsize", Takes::Number, "10", "how many lines `list` shows"),
    own("pagination", Takes::OnOff, "off", "whether long answers pause after each page, at a terminal"),
    theirs("print address", Takes::OnOff, "on", "whether pointers are shown with their addresses"),
    theirs("print debug", Takes::OnOff, "off", "whether Rust values are shown by their own `Debug`, called in the program where it is linked in"),
    theirs("print elements", Takes::Number, "200", "how many elements of an array or characters of a string are shown"),
    theirs("print max-depth", Takes::Number, "20", "how deep nested values are shown"),
    theirs("print object", Takes::OnOff, "off", "whether a pointer to a class shows the real type"),
    theirs("print pretty", Takes::OnOff, "off", "whether structures take a line for each field"),
    theirs("print printers", Takes::OnOff, "on", "whether standard containers are shown as such, and types that a printers file names by the program's own functions"),
    theirs("print repeats", Takes::Number, "10", "from how many equal elements on they are counted"),
    theirs("print symbol", Takes::OnOff, "on", "whether pointers are shown with the symbol they point to"),
    theirs("print union", Takes::OnOff, "on", "whether unions inside structures are shown"),
    own("prompt", Takes::Text, "(wayfarer) ", "what the prompt looks like"),
    theirs("scheduler-locking", Takes::OneOf(&["off", "on", "step"]), "off", "whether other threads stand still while the current one runs"),
    theirs("step-mode", Takes::OnOff, "off", "whether `step` stops in functions without line numbers"),
    theirs("stop", Takes::OneOf(&["all", "process", "thread"]), "all", "what a stop stops: everything, its process, or the one thread"),
    theirs("unwind-on-terminating-exception", Takes::OnOff, "on", "whether a function called by `call` or `print` is undone when it throws something that is not caught"),
    theirs("unwindonsignal", Takes::OnOff, "off", "whether a function called by `call` or `print` is undone when a signal stops it"),
    own("verbose", Takes::OnOff, "off", "whether libraries and breakpoints that find their place are told"),
    own("width", Takes::Number, "unlimited", "accepted from scripts of gdb; lines are never broken"),
];

/// Finds a setting and the text after its name; names may be shortened word by word.
pub fn find(text: &str) -> Result<(&'static Setting, &str), CommandError> {
    let mut ambiguous = Vec::new();
    // Two words first: `print pretty on` is not the value `pretty on` of a setting `print`.
    for count in [2, 1] {
        let Some((words, rest)) = take_words(text, count) else {
            continue;
        };
        let exact = SETTINGS
            .iter()
            .find(|setting| setting.name.split(' ').eq(words.iter().copied()));
        let begun: Vec<&'static Setting> = SETTINGS
            .iter()
            .filter(|setting| {
                let parts: Vec<&str> = setting.name.split(' ').collect();
                parts.len() == words.len()
                    && parts
                        .iter()
                        .zip(&words)
                        .all(|(part, word)| part.starts_with(word))
            })
            .collect();
        match (exact, begun.as_slice()) {
            (Some(setting), _) => return Ok((setting, rest)),
            (None, [only]) => return Ok((only, rest)),
            (None, []) => {}
            (None, several) => ambiguous.extend(several.iter().map(|setting| setting.name)),
        }
    }
    if ambiguous.is_empty() {
        return Err(CommandError::new(format!(
            "No setting \"{text}\". `show` lists them; `set var NAME = VALUE` changes a variable."
        )));
    }
    Err(CommandError::new(format!(
        "Ambiguous setting \"{text}\": {}.",
        ambiguous.join(", ")
    )))
}

fn take_words(text: &str, count: usize) -> Option<(Vec<&str>, &str)> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    for _ in 0..count {
        let (word, tail) = crate::words::split_word(rest);
        if word.is_empty() {
            return None;
        }
        words.push(word);
        rest = tail;
    }
    Some((words, rest))
}

/// The settings that the prompt itself keeps.
#[derive(Clone, Debug)]
pub struct OwnSettings {
    values: Vec<(&'static str, String)>,
}

impl Default for OwnSettings {
    fn default() -> Self {
        Self {
            values: SETTINGS
                .iter()
                .filter(|setting| setting.ours)
                .map(|setting| (setting.name, setting.initial.to_owned()))
                .collect(),
        }
    }
}

impl OwnSettings {
    pub fn text(&self, name: &str) -> &str {
        self.values
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, value)| value)
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == "on"
    }

    /// The number, none for `unlimited`.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.text(name).parse().ok()
    }

    /// What the terminal is like, unless the user has said something else.
    pub fn set_height(&mut self, lines: u32) {
        if self.number("height").is_none() {
            self.put("height", lines.to_string());
        }
    }

    fn put(&mut self, name: &str, value: String) {
        if let Some((_, kept)) = self.values.iter_mut().find(|(known, _)| *known == name) {
            *kept = value;
        }
    }
}

/// Changes a setting, ours or the debugger's.
pub fn change(
    own: &mut OwnSettings,
    debugger: &mut Debugger,
    setting: &Setting,
    value: &str,
) -> Result<(), CommandError> {
    let value = normal(setting, value)?;
    if setting.ours {
        own.put(setting.name, value);
    } else {
        debugger.set(setting.name, &value)?;
    }
    Ok(())
}

/// The value of a setting, ours or the debugger's.
pub fn value(
    own: &OwnSettings,
    debugger: &Debugger,
    setting: &Setting,
) -> Result<String, CommandError> {
    if setting.ours {
        Ok(own.text(setting.name).to_owned())
    } else {
        Ok(debugger.show(setting.name)?)
    }
}

/// The value in the one spelling that is kept; `1`, `yes` and nothing mean `on`, 0 means `unlimited`.
fn normal(setting: &Setting, value: &str) -> Result<String, CommandError> {
    let value = value.trim().trim_start_matches('=').trim_start();
    let wrong = || {
        CommandError::new(format!(
            "\"{}\" takes {}, not \"{value}\".",
            setting.name,
            setting.values()
        ))
    };
    match setting.takes {
        Takes::Text => Ok(value.trim_matches('"').to_owned()),
        Takes::OnOff => match value {
            "" | "on" | "1" | "yes" | "enable" => Ok("on".to_owned()),
            "off" | "0" | "no" | "disable" => Ok("off".to_owned()),
            _ => Err(wrong()),
        },
        Takes::Number => match value {
            "0" | "-1" => Ok("unlimited".to_owned()),
            _ if !value.is_empty() && "unlimited".starts_with(value) => Ok("unlimited".to_owned()),
            _ => value
                .parse::<u32>()
                .map(|number| number.to_string())
                .map_err(|_| wrong()),
        },
        Takes::OneOf(words) => {
            let begun: Vec<&&str> = words
                .iter()
                .filter(|word| word.starts_with(value))
                .collect();
            match begun.as_slice() {
                _ if words.contains(&value) => Ok(value.to_owned()),
                [only] if !value.is_empty() => Ok((**only).to_owned()),
                _ => Err(wrong()),
            }
        }
    }
}

impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The prompt is the one setting whose value ends with a space.
pub fn put_prompt(own: &mut OwnSettings, value: String) {
    own.put("prompt", value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_short() {
        assert_eq!(find("print pretty on").unwrap().0.name, "print pretty");
        assert_eq!(find("p pre on").unwrap().1, "on");
        assert_eq!(find("listsize 5").unwrap(), (find("lists").unwrap().0, "5"));
        assert_eq!(find("stop").unwrap().0.name, "stop");
        assert!(find("nothing").is_err());
        assert!(find("p").unwrap_err().to_string().starts_with("Ambiguous"));
    }

    #[test]
    fn values_have_one_spelling() {
        let value = |name: &str, value: &str| normal(find(name).unwrap().0, value);
        assert_eq!(value("confirm", "").unwrap(), "on");
        assert_eq!(value("confirm", "0").unwrap(), "off");
        assert_eq!(value("listsize", "unl").unwrap(), "unlimited");
        assert_eq!(value("listsize", "7").unwrap(), "7");
        assert_eq!(value("stop", "proc").unwrap(), "process");
        assert!(value("stop", "x").is_err());
        assert!(value("listsize", "seven").is_err());
    }
}
