//! The first half of a scenario: run it, recorded or plain.

use super::place::Place;
use super::scenario::{End, Plan};
use crate::failure::{Failure, failure};
use crate::process::{self, Finished, Running};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// No scenario takes a tenth of this when it works.
const LIMIT: Duration = Duration::from_secs(120);
/// A server that has not opened its port by then never will.
const START_LIMIT: Duration = Duration::from_secs(15);

/// Runs the plan; the output lies in `stdout` and `stderr` of the place.
pub fn run(plan: &Plan, place: &Place, recorder: Option<&Path>) -> Result<Finished, Failure> {
    match plan {
        Plan::Together(words) => {
            let mut command = place.command(words, recorder);
            process::output_to(&mut command, &place.file("stdout"), &place.file("stderr"))?;
            process::run(&mut command, LIMIT)
        }
        Plan::Alone {
            prepare,
            server,
            clients,
            end,
        } => {
            if let Some(words) = prepare {
                outside(place, words, "prepare")?;
            }
            let mut command = place.command(server, recorder);
            process::output_to(&mut command, &place.file("stdout"), &place.file("stderr"))?;
            let mut running = process::start(&mut command)?;
            match serve(&mut running, place, clients, *end, recorder.is_some()) {
                Ok(()) => running.finish(LIMIT),
                Err(failure) => {
                    running.end();
                    Err(failure)
                }
            }
        }
    }
}

/// Lets the clients talk to the server and asks it to leave.
fn serve(
    running: &mut Running,
    place: &Place,
    clients: &[&str],
    end: End,
    recorded: bool,
) -> Result<(), Failure> {
    wait_for_port(running, place.first_port())?;
    outside(place, clients, "clients")?;
    match end {
        End::Command(words) => outside(place, words, "end"),
        End::Terminate => {
            // The recorder is not the server: the server is its child.
            let server = if recorded {
                process::children(running.id())
                    .first()
                    .copied()
                    .ok_or_else(|| failure("the recorder has no child to terminate"))?
            } else {
                running.id()
            };
            process::signal("TERM", server)
        }
    }
}

/// Runs a command that is not part of the recording and must succeed.
fn outside(place: &Place, words: &[&str], name: &str) -> Result<(), Failure> {
    let mut command: Command = place.command(words, None);
    let stderr = place.file(&format!("{name}.stderr"));
    process::output_to(
        &mut command,
        &place.file(&format!("{name}.stdout")),
        &stderr,
    )?;
    let finished = process::run(&mut command, LIMIT)?;
    if finished.succeeded() {
        return Ok(());
    }
    let said = std::fs::read_to_string(&stderr).unwrap_or_default();
    Err(failure(format!(
        "{name}: {}: {}",
        finished.describe(),
        said.trim()
    )))
}

pub fn wait_for_port(server: &mut Running, port: u16) -> Result<(), Failure> {
    let began = Instant::now();
    while began.elapsed() < START_LIMIT {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Ok(());
        }
        if server.has_ended() {
            return Err(failure("the server ended before it opened its port"));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err(failure(format!(
        "the server did not open port {port} in {} s",
        START_LIMIT.as_secs()
    )))
}
