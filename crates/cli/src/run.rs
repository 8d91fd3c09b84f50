//! `wayfarer run`: a program under the debugger, loaded and not yet started.

use std::ffi::OsString;

use clap::Args;
use wayfarer_debugger::Launch;

use crate::live::{self, LiveOptions};

#[derive(Args)]
pub struct RunOptions {
    #[command(flatten)]
    pub live: LiveOptions,
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    pub command: Vec<OsString>,
}

pub fn run(options: &RunOptions) -> i32 {
    live::converse(&options.live, |interpreter| {
        let program = Launch {
            argv: options.command.clone(),
            ..Launch::default()
        };
        interpreter.program = Some(program.clone());
        interpreter.debugger.launch(program)?;
        Ok(())
    })
}
