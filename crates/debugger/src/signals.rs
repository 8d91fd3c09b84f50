//! What happens when a signal arrives at a debuggee: gdb's `handle` table.

use std::collections::BTreeSet;

use wayfarer_backend::SignalDisposition;
use wayfarer_model::signals as model;

use crate::view::SignalView;
use crate::{DebuggerError, HandleAction, Result};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Disposition {
    stop: bool,
    print: bool,
    pass: bool,
}

/// What each signal does, by number; 0 is not used.
pub(crate) struct SignalTable {
    all: Vec<Disposition>,
}

/// SIGALRM, SIGCHLD, SIGURG, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO and the two real-time signals libc keeps for itself.
const SILENT: [i32; 9] = [14, 17, 23, 26, 27, 28, 29, 32, 33];
const LAST: i32 = 64;

impl Default for SignalTable {
    fn default() -> SignalTable {
        let all = (0..=LAST)
            .map(|number| match number {
                // A debugger's own: SIGINT and SIGTRAP.
                2 | 5 => Disposition {
                    stop: true,
                    print: true,
                    pass: false,
                },
                number if SILENT.contains(&number) => Disposition {
                    stop: false,
                    print: false,
                    pass: true,
                },
                _ => Disposition {
                    stop: true,
                    print: true,
                    pass: true,
                },
            })
            .collect();
        SignalTable { all }
    }
}

/// `SIGUSR1`.
pub(crate) fn name(number: i32) -> String {
    match model::name(number) {
        // The real-time signals share one name in the model; gdb tells them apart by number.
        Some(name) if number < 32 => name.to_owned(),
        _ => format!("SIG{number}"),
    }
}

/// What the signal means, in gdb's words.
pub(crate) fn meaning(number: i32) -> &'static str {
    match number {
        1 => "Hangup",
        2 => "Interrupt",
        3 => "Quit",
        4 => "Illegal instruction",
        5 => "Trace/breakpoint trap",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Arithmetic exception",
        9 => "Killed",
        10 => "User defined signal 1",
        11 => "Segmentation fault",
        12 => "User defined signal 2",
        13 => "Broken pipe",
        14 => "Alarm clock",
        15 => "Terminated",
        16 => "Stack fault",
        17 => "Child status changed",
        18 => "Continued",
        19 => "Stopped (signal)",
        20 => "Stopped (user)",
        21 => "Stopped (tty input)",
        22 => "Stopped (tty output)",
        23 => "Urgent I/O condition",
        24 => "CPU time limit exceeded",
        25 => "File size limit exceeded",
        26 => "Virtual timer expired",
        27 => "Profiling timer expired",
        28 => "Window size changed",
        29 => "I/O possible",
        30 => "Power fail/restart",
        31 => "Bad system call",
        _ => "Real-time event",
    }
}

/// The number of a signal given by name (with or without SIG) or number.
pub(crate) fn number(text: &str) -> Result<i32> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i32>() {
        return match number {
            0..=LAST => Ok(number),
            _ => Err(DebuggerError::UnknownSignal(text.to_owned())),
        };
    }
    let wanted = text.to_ascii_uppercase();
    let wanted = if wanted.starts_with("SIG") {
        wanted
    } else {
        format!("SIG{wanted}")
    };
    let alias = match wanted.as_str() {
        "SIGPOLL" => "SIGIO",
        "SIGCLD" => "SIGCHLD",
        other => other,
    };
    (1..=LAST)
        .find(|&number| name(number) == alias)
        .ok_or_else(|| DebuggerError::UnknownSignal(text.to_owned()))
}

impl SignalTable {
    /// Changes signals and says which were meant. `all` leaves out the debugger's own.
    pub fn handle(
        &mut self,
        signals: &[&str],
        actions: &[HandleAction],
    ) -> Result<Vec<SignalView>> {
        let mut meant = BTreeSet::new();
        for text in signals {
            if *text == "all" {
                meant.extend((1..=LAST).filter(|number| ![2, 5].contains(number)));
            } else if let Some((low, high)) = text
                .split_once('-')
                .filter(|(low, _)| low.parse::<i32>().is_ok())
            {
                meant.extend(number(low)?..=number(high)?);
            } else {
                meant.insert(number(text)?);
            }
        }
        for &number in &meant {
            let entry = &mut self.all[number as usize];
            for action in actions {
                match action {
                    HandleAction::Stop => (entry.stop, entry.print) = (true, true),
                    HandleAction::NoStop => entry.stop = false,
                    HandleAction::Print => entry.print = true,
                    HandleAction::NoPrint => (entry.print, entry.stop) = (false, false),
                    HandleAction::Pass => entry.pass = true,
                    HandleAction::NoPass => entry.pass = false,
                }
            }
        }
        Ok(meant.into_iter().map(|number| self.view(number)).collect())
    }

    /// All of them.
    pub fn list(&self) -> Vec<SignalView> {
        (1..=LAST).map(|number| self.view(number)).collect()
    }

    fn view(&self, number: i32) -> SignalView {
        let entry = self.all[number as usize];
        SignalView {
            number,
            name: name(number),
            stop: entry.stop,
            print: entry.print,
            pass: entry.pass,
            meaning: meaning(number).to_owned(),
        }
    }

    /// Whether a stop by this signal is to be told as such.
    pub fn stops(&self, number: i32) -> bool {
        self.all.get(number as usize).is_none_or(|entry| entry.stop)
    }

    /// For back ends; a signal that a catchpoint wants stops whatever the table says.
    pub fn dispositions(&self, caught: &[i32]) -> Vec<SignalDisposition> {
        (1..=LAST)
            .map(|number| {
                let entry = self.all[number as usize];
                SignalDisposition {
                    signal: number,
                    stop: entry.stop || caught.contains(&number),
                    print: entry.print,
                    pass: entry.pass,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_the_table_as_in_gdb() {
        let mut table = SignalTable::default();
        let changed = table
            .handle(&["USR1", "14"], &[HandleAction::NoPrint])
            .expect("known signals");
        assert_eq!(
            changed.iter().map(|view| view.number).collect::<Vec<_>>(),
            [10, 14]
        );
        assert!(!changed[0].stop && !changed[0].print && changed[0].pass);
        assert!(table.handle(&["SIGNOSUCH"], &[]).is_err());
        assert_eq!(
            table
                .handle(&["1-3"], &[HandleAction::NoPass])
                .expect("a range")
                .len(),
            3
        );
        assert!(!table.stops(10) && table.stops(11));
        assert!(table.dispositions(&[10])[9].stop);
    }
}
