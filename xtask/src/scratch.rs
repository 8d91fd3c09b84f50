//! Directories and ports for the length of one run.

use crate::failure::{At, Failure};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new directory that is removed with everything in it, unless it is kept.
pub struct Scratch {
    path: PathBuf,
    keep: bool,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Scratch {
    pub fn new(name: &str) -> Result<Scratch, Failure> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wayfarer-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).at("creating", &path)?;
        Ok(Scratch { path, keep: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new directory inside.
    pub fn directory(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        fs::create_dir(&path).at("creating", &path)?;
        Ok(path)
    }

    /// Leaves the directory to be looked at.
    pub fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // What cannot be removed lies in the temporary directory and does no harm.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Ports that were free a moment ago. All are held until the last is known, so they differ.
pub fn free_ports(count: usize) -> Result<Vec<u16>, Failure> {
    let mut held = Vec::new();
    let mut ports = Vec::new();
    for _ in 0..count {
        let listener = TcpListener::bind(("127.0.0.1", 0)).doing("looking for a free port")?;
        ports.push(
            listener
                .local_addr()
                .doing("looking for a free port")?
                .port(),
        );
        held.push(listener);
    }
    Ok(ports)
}

/// Bytes on disk of everything below `path`: what a user pays for it.
pub fn size(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !metadata.is_dir() {
        // A sparse file costs its blocks, a small one its length.
        return metadata.len().min(metadata.blocks() * 512);
    }
    let Ok(entries) = fs::read_dir(path) else {
        return 0;
    };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}
