//! Events as lines.

use wayfarer_debugger::Event;
use wayfarer_debugger::view::Who;

use super::stop::{self, StopStyle};

/// What is shown when something happens; empty where nothing should be.
pub fn event(event: &Event, style: StopStyle) -> String {
    match event {
        Event::Stopped(view) => {
            let style = StopStyle {
                background: !view.current,
                ..style
            };
            stop::stop(view, style)
        }
        Event::NewProcess { who, parent, how } => {
            let from = parent
                .as_ref()
                .map_or_else(String::new, |parent| format!(", {how} of {parent}"));
            format!(
                "[New inferior {} ({}, process {}){from}]\n",
                who.process_number, who.process, who.pid
            )
        }
        Event::Executed { who, program, .. } => {
            format!("process {} is executing new program: {program}\n", who.pid)
        }
        Event::NewThread { who } => format!("[New {}]\n", thread(who)),
        Event::ThreadExited { who } => format!("[{} exited]\n", thread(who)),
        Event::Signal {
            who, name, meaning, ..
        } => {
            let program = if style.several_processes {
                format!("{} ({})", who.process, who.numbers())
            } else if style.several_threads {
                format!("Thread {} \"{}\"", who.thread_number, who.thread_name)
            } else {
                "Program".to_owned()
            };
            format!("\n{program} received signal {name}, {meaning}.\n")
        }
        Event::Output { text, .. } => text.clone(),
        Event::BreakpointChanged { number, places: 0 } => {
            format!("Breakpoint {number} is pending again.\n")
        }
        Event::BreakpointChanged { number, places: 1 } => {
            format!("Breakpoint {number} found its place.\n")
        }
        Event::BreakpointChanged { number, places } => {
            format!("Breakpoint {number} is in {places} places.\n")
        }
        Event::BarrierArrival { who, barrier } => format!(
            "[{} ({}) waits at {}]\n",
            who.process,
            who.numbers(),
            stop::barrier(barrier)
        ),
        Event::Library { path, loaded, .. } => {
            let verb = if *loaded { "loaded" } else { "unloaded" };
            format!("[{path} {verb}]\n")
        }
        Event::Message { text } => format!("{}\n", text.trim_end()),
        Event::ReplayEnded {
            difference: Some(difference),
            ..
        } => {
            format!("\nThe replay {}\n", difference.trim_end())
        }
        Event::ReplayEnded {
            events,
            threads,
            processes,
            status,
            ..
        } => format!(
            "[End of the recording: identical, {events} events of {threads} threads in {processes} processes, exit status {status}]\n"
        ),
        Event::AgentLost { why } => format!("The agent has gone: {why}\n"),
    }
}

fn thread(who: &Who) -> String {
    format!("Thread {} (LWP {})", who.numbers(), who.tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(difference: Option<&str>) -> String {
        let ended = Event::ReplayEnded {
            identical: difference.is_none(),
            difference: difference.map(str::to_owned),
            status: 1,
            events: 390,
            threads: 6,
            processes: 5,
        };
        event(&ended, StopStyle::default())
    }

    #[test]
    fn the_end_of_a_replay_has_its_verdict() {
        assert_eq!(
            ended(None),
            "[End of the recording: identical, 390 events of 6 threads in 5 processes, exit status 1]\n"
        );
    }

    #[test]
    fn the_end_of_a_replay_that_differed_is_explained() {
        let text = ended(Some(
            "diverged (other-end) in bank\n  promised  an exit with status 1\n  came      an exit with status 0",
        ));
        assert_eq!(
            text,
            "\nThe replay diverged (other-end) in bank\n  promised  an exit with status 1\n  came      an exit with status 0\n"
        );
    }
}
