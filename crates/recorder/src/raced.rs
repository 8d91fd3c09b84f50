//! Programs that raced: a replay diverged by a race after `--threads auto` had found no sign of
//! one. They are remembered by build id, one file each in `$XDG_STATE_HOME/wayfarer/raced`. The
//! session header tells them to every later recording, and auto takes serial mode for them.
//!
//! Where the directory cannot be written, nothing is remembered.

use std::fs;
use std::path::{Path, PathBuf};

use wayfarer_replay::Raced;
use wayfarer_runtime_abi::layout::{MAX_RACED, race_key};
use wayfarer_sites::cache;

/// `$XDG_STATE_HOME/wayfarer/raced` or `~/.local/state/wayfarer/raced`; not the cache, as it cannot be made anew.
fn directory() -> Option<PathBuf> {
    let named = |variable| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    named("XDG_STATE_HOME")
        .or_else(|| Some(named("HOME")?.join(".local/state")))
        .map(|base| base.join("wayfarer/raced"))
}

/// Remembers a program; gives the file that says so, if it is new.
pub fn remember(program: &Raced) -> Option<PathBuf> {
    remember_in(&directory()?, program)
}

fn remember_in(directory: &Path, program: &Raced) -> Option<PathBuf> {
    let key = race_key(&program.build_id)?;
    let path = directory.join(format!("{key:016x}"));
    if path.exists() {
        return None;
    }
    let mut text = program.path.0.clone();
    text.push(b'\n');
    cache::write_atomically(&path, &text).ok()?;
    Some(path)
}

/// All that are remembered, as a recording is told of them.
pub fn known() -> [u64; MAX_RACED] {
    directory().map_or([0; MAX_RACED], |directory| known_in(&directory))
}

fn known_in(directory: &Path) -> [u64; MAX_RACED] {
    let mut keys = [0; MAX_RACED];
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| key_in(entry.file_name().to_str()?));
    for (place, key) in keys.iter_mut().zip(found) {
        *place = key;
    }
    keys
}

fn key_in(name: &str) -> Option<u64> {
    const DIGITS: usize = 16;
    (name.len() == DIGITS).then_some(())?;
    u64::from_str_radix(name, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_trace::Text;

    #[test]
    fn what_is_remembered_is_known_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("raced");
        assert_eq!(known_in(&place), [0; MAX_RACED]);
        let mut program = Raced {
            path: Text::from("/usr/bin/sort"),
            build_id: vec![1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        assert!(remember_in(&place, &program).is_some());
        assert!(remember_in(&place, &program).is_none());
        fs::write(place.join("not a key"), "").unwrap();
        let known = known_in(&place);
        assert_eq!(known[..2], [0x0807_0605_0403_0201, 0]);
        assert_eq!(race_key(&program.build_id), Some(known[0]));
        program.build_id.clear();
        assert!(remember_in(&place, &program).is_none());
    }
}
