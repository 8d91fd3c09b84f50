//! What `set` can change, as plain data.

use wayfarer_backend::StopScope;

use crate::{DebuggerError, Result};

/// One setting: its name, what it may be, and its value.
struct Setting {
    name: &'static str,
    allowed: Allowed,
    value: String,
}

#[derive(Clone, Copy)]
enum Allowed {
    Words(&'static [&'static str]),
    /// A number or `unlimited`.
    Number,
}

const SWITCH: Allowed = Allowed::Words(&["on", "off"]);

/// All settings, by name.
pub(crate) struct Settings {
    all: Vec<Setting>,
}

impl Default for Settings {
    fn default() -> Settings {
        let table: [(&'static str, Allowed, &str); 24] = [
            ("stop", Allowed::Words(&["all", "process", "thread"]), "all"),
            ("stop-mode", Allowed::Words(&["stable", "now"]), "stable"),
            (
                "scheduler-locking",
                Allowed::Words(&["off", "on", "step", "replay"]),
                "off",
            ),
            (
                "follow-fork-mode",
                Allowed::Words(&["both", "parent", "child"]),
                "both",
            ),
            ("step-mode", SWITCH, "off"),
            ("unwindonsignal", SWITCH, "off"),
            ("unwind-on-terminating-exception", SWITCH, "on"),
            ("direct-call-timeout", Allowed::Number, "10"),
            ("listsize", Allowed::Number, "10"),
            ("backtrace limit", Allowed::Number, "unlimited"),
            ("backtrace past-main", SWITCH, "off"),
            (
                "disassembly-flavor",
                Allowed::Words(&["att", "intel"]),
                "att",
            ),
            ("print elements", Allowed::Number, "200"),
            ("print repeats", Allowed::Number, "10"),
            ("print max-depth", Allowed::Number, "20"),
            ("print pretty", SWITCH, "off"),
            ("print address", SWITCH, "on"),
            ("print symbol", SWITCH, "on"),
            ("print union", SWITCH, "on"),
            ("print object", SWITCH, "off"),
            ("print array", SWITCH, "off"),
            ("print printers", SWITCH, "on"),
            ("print debug", SWITCH, "off"),
            ("print null-stop", SWITCH, "off"),
        ];
        let all = table
            .into_iter()
            .map(|(name, allowed, value)| Setting {
                name,
                allowed,
                value: value.to_owned(),
            })
            .collect();
        Settings { all }
    }
}

impl Settings {
    /// Changes a setting; a unique beginning of each word of its name is enough.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let index = self.find(name)?;
        let setting = &mut self.all[index];
        let value = value.trim();
        let (good, expected) = match setting.allowed {
            Allowed::Words(words) => {
                let value = if value.is_empty() && words.contains(&"on") {
                    "on"
                } else {
                    value
                };
                let value = match value {
                    "1" | "yes" if words.contains(&"on") => "on",
                    "0" | "no" if words.contains(&"on") => "off",
                    other => other,
                };
                (
                    words
                        .iter()
                        .find(|word| **word == value)
                        .map(|word| (*word).to_owned()),
                    words.join(", "),
                )
            }
            Allowed::Number => {
                let number = match value {
                    "unlimited" | "0" => Some("unlimited".to_owned()),
                    digits => digits.parse::<u32>().ok().map(|number| number.to_string()),
                };
                (number, "a number or unlimited".to_owned())
            }
        };
        match good {
            Some(good) => setting.value = good,
            None => {
                return Err(DebuggerError::SettingValue {
                    name: setting.name.to_owned(),
                    value: value.to_owned(),
                    expected,
                });
            }
        }
        Ok(())
    }

    /// The value of a setting.
    pub fn show(&self, name: &str) -> Result<String> {
        Ok(self.all[self.find(name)?].value.clone())
    }

    /// Names and values.
    pub fn list(&self) -> Vec<(&'static str, String)> {
        self.all
            .iter()
            .map(|setting| (setting.name, setting.value.clone()))
            .collect()
    }

    fn find(&self, name: &str) -> Result<usize> {
        let wanted: Vec<&str> = name.split_whitespace().collect();
        let matches = |setting: &Setting| {
            let words: Vec<&str> = setting.name.split(' ').collect();
            words.len() == wanted.len()
                && words
                    .iter()
                    .zip(&wanted)
                    .all(|(word, begin)| word.starts_with(begin))
        };
        if let Some(exact) = self
            .all
            .iter()
            .position(|setting| setting.name == name.trim())
        {
            return Ok(exact);
        }
        let mut found = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, setting)| matches(setting));
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(index),
            _ => Err(DebuggerError::UnknownSetting(name.trim().to_owned())),
        }
    }

    fn value(&self, name: &str) -> &str {
        self.all
            .iter()
            .find(|setting| setting.name == name)
            .map_or("", |setting| &setting.value)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name) == "on"
    }

    /// A number; none: without limit.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.value(name).parse().ok()
    }

    /// A stop in a recorded run takes everybody along to where nobody can go on.
    pub fn stops_are_stable(&self) -> bool {
        self.value("stop-mode") == "stable" && self.stop_scope() == StopScope::All
    }

    pub fn stop_scope(&self) -> StopScope {
        match self.value("stop") {
            "thread" => StopScope::Thread,
            "process" => StopScope::Process,
            _ => StopScope::All,
        }
    }

    pub fn follows_children(&self) -> bool {
        self.value("follow-fork-mode") != "parent"
    }

    pub fn leaves_parents(&self) -> bool {
        self.value("follow-fork-mode") == "child"
    }

    /// Whether other threads stand still while one steps (`step`) or runs at all (otherwise).
    pub fn locks_scheduler(&self, stepping: bool) -> bool {
        match self.value("scheduler-locking") {
            "on" => true,
            "step" => stepping,
            _ => false,
        }
    }

    pub fn intel_flavor(&self) -> bool {
        self.value("disassembly-flavor") == "intel"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_and_names_abbreviated() {
        let mut settings = Settings::default();
        settings.set("p el", "5").expect("a unique beginning");
        assert_eq!(settings.number("print elements"), Some(5));
        settings.set("print elements", "0").expect("0 is unlimited");
        assert_eq!(settings.number("print elements"), None);
        assert!(settings.set("stop", "everything").is_err());
        assert!(settings.set("print nonsense", "on").is_err());
        settings
            .set("print pretty", "")
            .expect("a switch without a value");
        assert!(settings.is_on("print pretty"));
    }
}
