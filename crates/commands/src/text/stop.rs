//! Stop reports: `Breakpoint 1, f (a=1) at f.c:12`, with names in front where there are several processes.

use std::fmt::Write;

use wayfarer_debugger::view::{BarrierView, FrameView, StopReason, StopView};

use super::frame::{frame_body, frame_line, source_line};

/// What the report needs to know of its surroundings.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopStyle {
    /// More than one process is in the session.
    pub several_processes: bool,
    /// The process has more than one thread.
    pub several_threads: bool,
    /// The stop is of a thread that the prompt does not look at.
    pub background: bool,
}

/// The whole report.
pub fn stop(view: &StopView, style: StopStyle) -> String {
    let who = who(view, style);
    let mut text = reason(view, who.as_deref());
    if !view.reason.is_end() {
        place(&mut text, view);
    }
    if let StopReason::Finished {
        value: Some(value), ..
    } = &view.reason
    {
        match value.history {
            Some(number) => {
                let _ = writeln!(text, "Value returned is ${number} = {}", value.text);
            }
            None => {
                let _ = writeln!(text, "Value returned is {}", value.text);
            }
        }
    }
    text
}

/// Names the thread where it isn't the only one.
fn who(view: &StopView, style: StopStyle) -> Option<String> {
    if style.several_processes {
        Some(format!("{} ({})", view.who.process, view.who.numbers()))
    } else if style.several_threads {
        Some(format!(
            "Thread {} \"{}\"",
            view.who.thread_number, view.who.thread_name
        ))
    } else if style.background {
        Some(view.who.process.clone())
    } else {
        None
    }
}

/// The words before the place.
fn reason(view: &StopView, who: Option<&str>) -> String {
    // A step of the thread that the prompt looks at needs no name.
    let named = || named(who.filter(|_| !view.current));
    let hit = who.map_or_else(String::new, |who| format!("{who} hit "));
    let program = who.unwrap_or("Program");
    match &view.reason {
        StopReason::Entry => format!("{program} stopped.\n"),
        StopReason::Attached | StopReason::LocationReached | StopReason::Returned => named(),
        StopReason::Step | StopReason::Finished { .. } => named(),
        StopReason::Breakpoint { number, temporary } => {
            let kind = if *temporary {
                "Temporary breakpoint"
            } else {
                "Breakpoint"
            };
            format!("\n{hit}{kind} {number}, ")
        }
        StopReason::Watchpoint {
            number,
            expression,
            access,
            old,
            new,
        } => watchpoint(
            &hit,
            *number,
            expression,
            access,
            old.as_deref(),
            new.as_deref(),
        ),
        StopReason::WatchpointScope { number, .. } => format!(
            "\n{hit}Watchpoint {number} deleted because the program has left the block in\nwhich its expression is valid.\n"
        ),
        StopReason::Catch { number, detail, .. } if detail.is_empty() => {
            format!("\n{hit}Catchpoint {number}, ")
        }
        StopReason::Catch { number, detail, .. } => {
            format!("\n{hit}Catchpoint {number} {detail}, ")
        }
        StopReason::Signal { name, meaning, .. } => {
            format!("\n{program} received signal {name}, {meaning}.\n")
        }
        StopReason::Halted => format!("\n{program} stopped.\n"),
        StopReason::Barrier(barrier) => format!("\n{hit}{}, ", self::barrier(barrier)),
        StopReason::EndOfTrace { places } => {
            let mut text = format!("\n{program} stopped: the recording was cut, and ends here.\n");
            for place in places.lines() {
                let _ = writeln!(text, "  {place}");
            }
            text
        }
        StopReason::Diverged { explanation } => {
            format!(
                "\n{program} stopped: the replay {}\n",
                explanation.trim_end()
            )
        }
        StopReason::Exited { status: 0 } => {
            format!("[{} exited normally]\n", inferior(view))
        }
        StopReason::Exited { status } => {
            format!("[{} exited with code {status:02o}]\n", inferior(view))
        }
        StopReason::Killed { name, meaning, .. } => format!(
            "\n{program} terminated with signal {name}, {meaning}.\nThe program no longer exists.\n"
        ),
        StopReason::Executed { program: path } => {
            format!("{program} is executing new program: {path}\n")
        }
    }
}

/// A step's stop names the thread only where it is not the one that the prompt looks at.
fn named(who: Option<&str>) -> String {
    who.map_or_else(String::new, |who| format!("[{who}] "))
}

/// `Inferior 2 (worker, process 123)`.
fn inferior(view: &StopView) -> String {
    let who = &view.who;
    if who.process_number > 1 {
        format!(
            "Inferior {} ({}, process {})",
            who.process_number, who.process, who.pid
        )
    } else {
        format!("Inferior {} (process {})", who.process_number, who.pid)
    }
}

/// `Barrier 3 complete (worker, worker.2)`.
pub fn barrier(barrier: &BarrierView) -> String {
    let mut text = format!("Barrier {}", barrier.number);
    if barrier.missing.is_empty() {
        let _ = write!(text, " complete ({})", barrier.arrived.join(", "));
    } else {
        let _ = write!(
            text,
            ": {} arrived, {} missing ({})",
            barrier.arrived.len(),
            barrier.missing.len(),
            barrier.missing.join(", ")
        );
    }
    text
}

fn watchpoint(
    hit: &str,
    number: u32,
    expression: &str,
    access: &str,
    old: Option<&str>,
    new: Option<&str>,
) -> String {
    let kind = match access {
        "rwatch" => "Hardware read watchpoint",
        "awatch" => "Hardware access (read/write) watchpoint",
        _ => "Hardware watchpoint",
    };
    let mut text = format!("\n{hit}{kind} {number}: {expression}\n\n");
    match (old, new) {
        (Some(old), Some(new)) if access == "watch" || old != new => {
            let _ = writeln!(text, "Old value = {old}\nNew value = {new}");
        }
        (_, Some(value)) | (Some(value), None) => {
            let _ = writeln!(text, "Value = {value}");
        }
        (None, None) => {}
    }
    text
}

/// Frame and source line, or the source line alone after a step inside a function.
fn place(text: &mut String, view: &StopView) {
    let Some(frame) = &view.frame else {
        if text.ends_with(", ") {
            let kept = text.trim_end_matches(", ").len();
            text.truncate(kept);
            text.push('\n');
        }
        return;
    };
    let line_only = matches!(view.reason, StopReason::Step) && !view.new_function;
    if line_only && frame.line.is_some() && frame.file.is_some() {
        if frame.in_mid_line {
            let _ = write!(text, "{}\t", super::wide(frame.address));
        }
        line_of(text, view, frame);
        return;
    }
    if matches!(view.reason, StopReason::Returned) {
        let _ = writeln!(text, "{}", frame_line(frame));
    } else {
        let _ = writeln!(text, "{}", frame_body(frame, false));
    }
    line_of(text, view, frame);
}

/// The line itself, or where it would be if its file could be read.
fn line_of(text: &mut String, view: &StopView, frame: &FrameView) {
    match (&view.source_line, frame.line, &frame.file) {
        (Some(line), _, _) => text.push_str(&source_line(line)),
        (None, Some(line), Some(file)) => {
            let _ = writeln!(text, "{line}\tin {file}");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::frame::tests::example;
    use wayfarer_debugger::view::{SourceLineView, ValueView, Who};

    fn view(reason: StopReason) -> StopView {
        StopView {
            who: Who {
                process: "worker.2".to_owned(),
                process_number: 2,
                thread_number: 1,
                pid: 70,
                tid: 70,
                thread_name: "worker".to_owned(),
            },
            reason,
            frame: Some(example(false)),
            source_line: Some(SourceLineView {
                line: 12,
                text: "\tcode".to_owned(),
            }),
            current: true,
            events: None,
            new_function: true,
        }
    }

    #[test]
    fn breakpoints() {
        let view = view(StopReason::Breakpoint {
            number: 1,
            temporary: false,
        });
        assert_eq!(
            stop(&view, StopStyle::default()),
            "\nBreakpoint 1, f (a=1) at f.c:12\n12\t\tcode\n"
        );
        let several = StopStyle {
            several_processes: true,
            ..StopStyle::default()
        };
        assert_eq!(
            stop(&view, several),
            "\nworker.2 (2.1) hit Breakpoint 1, f (a=1) at f.c:12\n12\t\tcode\n"
        );
    }

    #[test]
    fn steps_and_ends() {
        let mut step = view(StopReason::Step);
        step.new_function = false;
        assert_eq!(stop(&step, StopStyle::default()), "12\t\tcode\n");
        let exit = view(StopReason::Exited { status: 9 });
        assert_eq!(
            stop(&exit, StopStyle::default()),
            "[Inferior 2 (worker.2, process 70) exited with code 11]\n"
        );
    }

    #[test]
    fn a_cut_recording_tells_where_everybody_is() {
        let view = view(StopReason::EndOfTrace {
            places: "worker after 7 events\nworker.2 after 12 events".to_owned(),
        });
        assert_eq!(
            stop(&view, StopStyle::default()),
            "\nProgram stopped: the recording was cut, and ends here.\n  worker after 7 events\n  worker.2 after 12 events\n\
f (a=1) at f.c:12\n12\t\tcode\n"
        );
        let several = StopStyle {
            several_processes: true,
            ..StopStyle::default()
        };
        let text = stop(&view, several);
        assert!(
            text.starts_with("\nworker.2 (2.1) stopped: the recording was cut, and ends here.\n"),
            "{text}"
        );
    }

    #[test]
    fn a_divergence_is_explained_before_its_place() {
        let view = view(StopReason::Diverged {
            explanation: "diverged (other-call) in worker.2 at event 3\n  promised  read\n  came      write\n"
                .to_owned(),
        });
        let several = StopStyle {
            several_processes: true,
            ..StopStyle::default()
        };
        assert_eq!(
            stop(&view, several),
            "\nworker.2 (2.1) stopped: the replay diverged (other-call) in worker.2 at event 3\n  promised  read\n  \
came      write\nf (a=1) at f.c:12\n12\t\tcode\n"
        );
    }

    #[test]
    fn a_stop_without_a_place_has_none() {
        let mut view = view(StopReason::EndOfTrace {
            places: "worker.2 before its first event".to_owned(),
        });
        view.frame = None;
        view.source_line = None;
        assert_eq!(
            stop(&view, StopStyle::default()),
            "\nProgram stopped: the recording was cut, and ends here.\n  worker.2 before its first event\n"
        );
    }

    #[test]
    fn finish_tells_the_value() {
        let view = view(StopReason::Finished {
            function: "g".to_owned(),
            value: Some(ValueView {
                history: Some(1),
                type_name: "int".to_owned(),
                text: "3".to_owned(),
                handle: None,
            }),
        });
        let text = stop(&view, StopStyle::default());
        assert!(text.ends_with("Value returned is $1 = 3\n"), "{text}");
    }

    #[test]
    fn watchpoints() {
        let view = view(StopReason::Watchpoint {
            number: 2,
            expression: "x".to_owned(),
            access: "watch".to_owned(),
            old: Some("0".to_owned()),
            new: Some("1".to_owned()),
        });
        let text = stop(&view, StopStyle::default());
        assert!(
            text.starts_with("\nHardware watchpoint 2: x\n\nOld value = 0\nNew value = 1\nf (a=1)"),
            "{text}"
        );
    }
}
