//! Where the lines typed are kept between sessions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `$XDG_STATE_HOME/wayfarer/history`, by default below `~/.local/state`; none without a home.
pub fn file() -> Option<PathBuf> {
    place(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"))
}

fn place(state: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute =
        |value: Option<OsString>| value.map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute(state).or_else(|| Some(absolute(home)?.join(".local/state")))?;
    Some(state.join("wayfarer/history"))
}

/// Makes the directory of the file; a history that can't be kept is no reason to complain.
pub fn prepare(file: &Path) -> bool {
    file.parent()
        .is_some_and(|directory| std::fs::create_dir_all(directory).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_comes_first() {
        let path = |state: &str, home: &str| place(Some(state.into()), Some(home.into()));
        assert_eq!(path("/s", "/h"), Some("/s/wayfarer/history".into()));
        assert_eq!(
            path("relative", "/h"),
            Some("/h/.local/state/wayfarer/history".into())
        );
        assert_eq!(place(None, None), None);
    }
}
