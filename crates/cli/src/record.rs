//! `wayfarer record`.

use wayfarer_recorder::record::{self, RecordError, Recorded};
use wayfarer_trace::ContentsMode;

use crate::options::{Contents, RecordOptions};
use crate::{OWN_FAILURE, say};

pub fn run(options: &RecordOptions) -> i32 {
    let Some((command, arguments)) = options.command.split_first() else {
        return 2;
    };
    let wanted = record::RecordOptions {
        command: command.clone(),
        arguments: arguments.to_vec(),
        output: options.output.clone(),
        contents: match options.contents {
            Contents::External => ContentsMode::External,
            Contents::All => ContentsMode::All,
        },
        flags: options.flags(),
    };
    match record::record(&wanted, &mut say::line) {
        Ok(recorded) => {
            tell(&recorded, say::to_a_terminal());
            recorded.status
        }
        Err(error) => {
            say::line(&error.to_string());
            exit_code(&error)
        }
    }
}

fn exit_code(error: &RecordError) -> i32 {
    match error {
        RecordError::Program(error) => error.exit_code(),
        RecordError::Directory(_) | RecordError::Session(_) | RecordError::Write { .. } => 2,
        _ => OWN_FAILURE,
    }
}

/// Trouble is always told, success only to a person.
fn tell(recorded: &Recorded, to_a_person: bool) {
    let directory = recorded.directory.display();
    if let Some(broken) = &recorded.broken {
        say::line(&format!(
            "recording stopped early: {broken}; the program ran on unrecorded; the trace in {directory} ends after {} events",
            recorded.events
        ));
    }
    match &recorded.sealed {
        Err(error) => say::line(&format!(
            "the trace in {directory} could not be sealed: {error}"
        )),
        Ok(bytes) if to_a_person => say::line(&format!(
            "recorded {} events of {} {} into {directory} ({} kB)",
            recorded.events,
            recorded.processes,
            if recorded.processes == 1 {
                "process"
            } else {
                "processes"
            },
            bytes.div_ceil(1000)
        )),
        Ok(_) => {}
    }
}
