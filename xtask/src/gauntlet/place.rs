//! The place of one run: its directory, its ports, and commands that name them.

use crate::failure::Failure;
use crate::scratch::{self, Scratch};
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Place {
    scratch: Scratch,
    work: PathBuf,
    ports: Vec<u16>,
}

impl Place {
    pub fn new(name: &str) -> Result<Place, Failure> {
        let scratch = Scratch::new(name)?;
        let work = scratch.directory("work")?;
        Ok(Place {
            scratch,
            work,
            ports: scratch::free_ports(2)?,
        })
    }

    /// The directory that the scenario works in; it is gone when the replay begins.
    pub fn work(&self) -> &Path {
        &self.work
    }

    pub fn first_port(&self) -> u16 {
        self.ports[0]
    }

    /// A file or directory beside the work directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    pub fn keep(&mut self) {
        self.scratch.keep();
    }

    /// The words of a command with the places filled in.
    pub fn words(&self, pattern: &[&str]) -> Vec<String> {
        pattern
            .iter()
            .map(|word| {
                let mut word = word.replace("WORK", &self.work.display().to_string());
                for (index, port) in self.ports.iter().enumerate() {
                    word = word.replace(&format!("PORT{}", index + 1), &port.to_string());
                }
                word
            })
            .collect()
    }

    /// A command that runs the words, under `wayfarer record` when a recorder is given.
    pub fn command(&self, pattern: &[&str], recorder: Option<&Path>) -> Command {
        let words = self.words(pattern);
        let mut command = match recorder {
            Some(wayfarer) => {
                let mut command = Command::new(wayfarer);
                command.env("XDG_STATE_HOME", "/dev/null");
                command
                    .arg("record")
                    .arg("-o")
                    .arg(self.trace())
                    .arg("--")
                    .args(&words);
                command
            }
            None => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
        };
        let path = std::env::var("PATH").unwrap_or_default();
        command.current_dir(workspace::root().join("scripts/gauntlet"));
        command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
        command
    }

    pub fn trace(&self) -> PathBuf {
        self.file("trace")
    }
}
