//! A picture of a directory tree, to see whether anything in it changed.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Path → size, mode, times and inode of everything below a directory.
pub type Picture = BTreeMap<PathBuf, (u64, u32, i64, i64, u64)>;

pub fn picture(root: &Path) -> Result<Picture, Failure> {
    let mut picture = Picture::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(path) = pending.pop() {
        let data = std::fs::symlink_metadata(&path)?;
        if data.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                pending.push(entry?.path());
            }
        }
        picture.insert(
            path,
            (
                data.size(),
                data.mode(),
                data.mtime(),
                data.mtime_nsec(),
                data.ino(),
            ),
        );
    }
    Ok(picture)
}
