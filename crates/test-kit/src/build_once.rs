//! Builds a thing once, in place before anybody uses it.
//!
//! A debuggee may be asked for by many tests at a time, in threads and in processes. A recording remembers which file
//! it ran, so a program that is replaced by an equal one while it is recorded is a changed program. Therefore what is
//! built lies in a directory of its own, whose name tells all that it is made of (see [`Key`]). It is built under
//! another name and put in place by one rename, under a lock: a directory that is there is whole and is never touched
//! again.

use crate::compile::build_directory;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What a built thing is made of: sources, options, and the compiler with its version.
#[derive(Default)]
pub struct Key {
    hasher: DefaultHasher,
}

impl Key {
    pub fn value(mut self, value: impl Hash) -> Self {
        value.hash(&mut self.hasher);
        self
    }

    /// The contents of a file.
    pub fn file(self, path: &Path) -> Result<Self, Failure> {
        let contents =
            fs::read(path).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        Ok(self.value(contents))
    }

    /// A compiler as its version tells it; nothing when it is not installed.
    pub fn compiler(self, name: &str) -> Result<Option<Self>, Failure> {
        Ok(version(name)?.map(|version| self.value((name, version))))
    }

    fn text(&self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

/// Where a thing is built, and where it will lie.
pub struct Site<'a> {
    /// Empty when the building begins; what is here afterwards is put in place.
    pub fresh: &'a Path,
    /// For what has to know its own place, as a run path does.
    pub place: &'a Path,
}

/// The directory with what `build` makes, which runs only when nobody has built the same before.
pub fn directory(
    prefix: &str,
    key: &Key,
    build: impl FnOnce(Site<'_>) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    directory_in(&build_directory()?, prefix, key, build)
}

/// As [`directory`], below a directory of the caller's.
pub fn directory_in(
    parent: &Path,
    prefix: &str,
    key: &Key,
    build: impl FnOnce(Site<'_>) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let name = format!("{prefix}{}", key.text());
    let place = parent.join(&name);
    if place.exists() {
        return Ok(place);
    }
    // Each caller opens the file anew, so the lock holds between threads as well as between processes. The kernel
    // gives it back when a builder dies.
    let lock = File::create(parent.join(format!("{name}.lock")))?;
    lock.lock()?;
    if place.exists() {
        return Ok(place);
    }
    let fresh = parent.join(format!("{name}.fresh-{}", std::process::id()));
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    fs::create_dir(&fresh)?;
    let built = build(Site {
        fresh: &fresh,
        place: &place,
    });
    match built {
        Ok(()) => fs::rename(&fresh, &place)?,
        Err(failure) => {
            fs::remove_dir_all(&fresh)?;
            return Err(failure);
        }
    }
    Ok(place)
}

/// What a compiler says about itself, asked once per test process; nothing when it is not there.
fn version(compiler: &str) -> Result<Option<String>, Failure> {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN
        .lock()
        .map_err(|_| Failure("a test died while it asked for a compiler's version".into()))?;
    if let Some(version) = known.get(compiler) {
        return Ok(Some(version.clone()));
    }
    match Command::new(compiler).arg("--version").output() {
        Ok(output) => {
            let version = String::from_utf8_lossy(&output.stdout).into_owned();
            known.insert(compiler.to_owned(), version.clone());
            Ok(Some(version))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
