//! `wayfarer attach`: processes that run already.

use clap::Args;
use wayfarer_commands::{attach_all, pids_named};
use wayfarer_debugger::DebuggerError;

use crate::live::{self, LiveOptions};

#[derive(Args)]
pub struct AttachOptions {
    #[command(flatten)]
    pub live: LiveOptions,
    /// Attach to every process of this program
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// Process ids
    #[arg(value_name = "PID", required_unless_present = "name")]
    pub pids: Vec<i32>,
}

pub fn run(options: &AttachOptions) -> i32 {
    live::converse(&options.live, |interpreter| {
        let mut pids = options.pids.clone();
        for name in &options.name {
            let found =
                pids_named(name).map_err(|error| DebuggerError::Usage(error.to_string()))?;
            pids.extend(found);
        }
        let answer = attach_all(interpreter, &pids)
            .map_err(|error| DebuggerError::Usage(error.to_string()))?;
        interpreter.output.note(&answer.text);
        Ok(())
    })
}
