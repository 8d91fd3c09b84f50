//! The directory that a recording goes into.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a recording has no place.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    #[error("{} is not empty; give -o a directory that does not exist yet", path.display())]
    NotEmpty { path: PathBuf },
    #[error("{} is not a directory; give -o a directory that does not exist yet", path.display())]
    NotADirectory { path: PathBuf },
    #[error("cannot create {}: {source}; choose another place with -o", path.display())]
    Create { path: PathBuf, source: io::Error },
}

/// A fresh, empty directory; it goes away again unless it is kept.
#[derive(Debug)]
pub struct TraceDirectory {
    path: PathBuf,
    made: bool,
    kept: bool,
}

impl TraceDirectory {
    /// The directory that the user named: new or empty.
    pub fn named(path: &Path) -> Result<Self, DirectoryError> {
        let create = |source| DirectoryError::Create {
            path: path.into(),
            source,
        };
        let made = match fs::read_dir(path) {
            Ok(entries) => {
                if entries.count() > 0 {
                    return Err(DirectoryError::NotEmpty { path: path.into() });
                }
                false
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(DirectoryError::NotADirectory { path: path.into() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path).map_err(create)?;
                true
            }
            Err(error) => return Err(create(error)),
        };
        Ok(Self {
            path: path.into(),
            made,
            kept: false,
        })
    }

    /// `wayfarer-trace-PROGRAM` in `parent`, with `.2`, `.3` … behind it where that exists.
    pub fn for_program(parent: &Path, program: &str) -> Result<Self, DirectoryError> {
        let mut number = 1u32;
        loop {
            let suffix = if number == 1 {
                String::new()
            } else {
                format!(".{number}")
            };
            let path = parent.join(format!("wayfarer-trace-{program}{suffix}"));
            match fs::create_dir(&path) {
                Ok(()) => {
                    return Ok(Self {
                        path,
                        made: true,
                        kept: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(DirectoryError::Create { path, source }),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on the directory holds a trace.
    pub fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for TraceDirectory {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        for name in [wayfarer_trace::SESSION_FILE, wayfarer_trace::MANIFEST_FILE] {
            let _ = fs::remove_file(self.path.join(name));
        }
        if self.made {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_numbered_directories() {
        let parent = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for _ in 0..3 {
            let mut directory = TraceDirectory::for_program(parent.path(), "redis-server").unwrap();
            directory.keep();
            names.push(directory.path().file_name().unwrap().to_owned());
        }
        assert_eq!(
            names,
            [
                "wayfarer-trace-redis-server",
                "wayfarer-trace-redis-server.2",
                "wayfarer-trace-redis-server.3"
            ]
        );
    }

    #[test]
    fn only_new_or_empty_directories_are_taken() {
        let parent = tempfile::tempdir().unwrap();
        let full = parent.path().join("full");
        fs::create_dir(&full).unwrap();
        assert!(TraceDirectory::named(&full).is_ok());
        fs::write(full.join("file"), "x").unwrap();
        assert!(matches!(
            TraceDirectory::named(&full),
            Err(DirectoryError::NotEmpty { .. })
        ));
        assert!(matches!(
            TraceDirectory::named(&full.join("file")),
            Err(DirectoryError::NotADirectory { .. })
        ));
        assert!(matches!(
            TraceDirectory::named(Path::new("/proc/none/here")),
            Err(DirectoryError::Create { .. })
        ));
        assert!(full.join("file").exists());
    }

    #[test]
    fn an_unused_directory_goes_away() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        drop(TraceDirectory::named(&path).unwrap());
        assert!(!path.exists());
    }
}
