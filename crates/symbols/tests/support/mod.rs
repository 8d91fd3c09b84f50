//! Builds small programs in a directory of their own and finds marked lines in them.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wayfarer_symbols::{CodePlace, LoadOptions, Module};

/// A directory that goes away with the test.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wayfarer-symbols-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Scratch { path }
    }

    /// Copies a program of the tests here, as if it were written here.
    pub fn source(&self, name: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/programs")
            .join(name);
        let to = self.path.join(name);
        std::fs::copy(from, &to).expect("a program of the tests");
        to
    }

    /// Runs a tool in the directory.
    pub fn run(&self, tool: &str, arguments: &[&str]) {
        assert!(self.try_run(tool, arguments), "{tool} {arguments:?} failed");
    }

    /// Whether a tool is there and does what it should.
    pub fn try_run(&self, tool: &str, arguments: &[&str]) -> bool {
        let output = Command::new(tool)
            .args(arguments)
            .current_dir(&self.path)
            .output();
        match output {
            Ok(output) if output.status.success() => true,
            Ok(output) => {
                eprintln!("{}", String::from_utf8_lossy(&output.stderr));
                false
            }
            Err(_) => false,
        }
    }

    pub fn load(&self, name: &str) -> Arc<Module> {
        self.load_with(name, &self.options())
    }

    pub fn load_with(&self, name: &str, options: &LoadOptions) -> Arc<Module> {
        Module::load(&self.path.join(name), options).expect("a module")
    }

    /// Options that keep the test away from the files of the system.
    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            debug_directories: vec![self.path.join("debug")],
            cache_directory: Some(self.path.join("cache")),
            sysroot: None,
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The number of the line with `mark: NAME` in a program of the tests.
pub fn marked(program: &str, mark: &str) -> u64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(program);
    let text = std::fs::read_to_string(path).expect("a program of the tests");
    let mark = format!("mark: {mark}");
    let is_marked = |line: &str| {
        line.split_once(&mark).is_some_and(|(_, rest)| {
            !rest.starts_with(|next: char| next == ' ' && !rest.starts_with(" */"))
        })
    };
    let index = text.lines().position(is_marked).expect("the mark");
    index as u64 + 1
}

/// The lines of places.
pub fn lines(places: &[CodePlace]) -> Vec<u64> {
    places
        .iter()
        .map(|place| place.position.as_ref().map_or(0, |position| position.line))
        .collect()
}

/// The functions of places.
pub fn functions(places: &[CodePlace]) -> Vec<&str> {
    places
        .iter()
        .map(|place| place.function.as_deref().unwrap_or("?"))
        .collect()
}
