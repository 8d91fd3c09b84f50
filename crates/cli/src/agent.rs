//! `wayfarer agent`: the process that holds the debuggees of a host.

use std::path::PathBuf;

use clap::Args;

use crate::say;

#[derive(Args)]
pub struct AgentOptions {
    /// The Unix socket to listen on
    #[arg(long, value_name = "PATH")]
    pub socket: PathBuf,
}

pub fn run(options: &AgentOptions) -> i32 {
    match wayfarer_agent::serve(&options.socket) {
        Ok(()) => 0,
        Err(error) => {
            say::line(&error.to_string());
            crate::OWN_FAILURE
        }
    }
}
