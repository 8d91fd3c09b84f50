//! The agent alone, for the tests of this crate: `agent SOCKET`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(socket) = std::env::args_os().nth(1) else {
        eprintln!("usage: agent SOCKET");
        return ExitCode::from(2);
    };
    match wayfarer_agent::serve(Path::new(&socket)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agent: {error}");
            ExitCode::FAILURE
        }
    }
}
