//! The cache of indexes: one file per build id, replaced as a whole, rebuilt when it is damaged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::index::format::Contents;
use crate::index::{Index, build, format};
use crate::mapping::Bytes;
use crate::module::Module;

/// The index of a smaller amount of debug information is built faster than a file is looked up.
const SMALLEST_KEPT: u64 = 256 * 1024;

pub(crate) fn load_or_build(module: &Module) -> Index {
    let identity = identity(module);
    let path = path(module);
    if let Some(path) = &path
        && let Some(index) = load(path, &identity)
    {
        return index;
    }
    let (contents, is_complete) = build::build(module);
    if let Some(path) = &path
        && is_complete
        // A cache that cannot be written costs time, nothing else.
        && store(path, &contents, &identity).is_ok()
        && let Some(index) = load(path, &identity)
    {
        return index;
    }
    let bytes = Bytes::Owned(contents.bytes(&identity));
    Index::new(bytes).unwrap_or_else(Index::empty)
}

impl Index {
    fn empty() -> Index {
        Index {
            layout: format::Layout::empty(),
            bytes: Bytes::Owned(Contents::default().bytes(&[0; 16])),
        }
    }
}

fn load(path: &Path, identity: &[u8; 16]) -> Option<Index> {
    let bytes = Bytes::map(path).ok()?;
    format::is_sound(&bytes, identity).then_some(())?;
    Index::new(bytes)
}

/// Written beside and renamed, so that no reader ever sees half a file.
fn store(path: &Path, contents: &Contents, identity: &[u8; 16]) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let result = fs::File::create(&temporary)
        .and_then(|mut file| contents.store(identity, &mut file))
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// `symbols/ab/cdef….index` in the cache directory; `None`: not to be kept.
fn path(module: &Module) -> Option<PathBuf> {
    let directory = module.options.cache_directory.as_ref()?;
    let build_id = module.build_id().filter(|id| id.len() >= 8)?;
    let size = module.dwarf_image()?.section_entry(".debug_info")?.size;
    if size < SMALLEST_KEPT {
        return None;
    }
    let text: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, rest) = text.split_at(2);
    Some(
        directory
            .join("symbols")
            .join(first)
            .join(format!("{rest}.index")),
    )
}

/// What must be the same for offsets of an index to fit: the sizes of the sections they point to.
fn identity(module: &Module) -> [u8; 16] {
    let size = |name: &str| {
        let image = module.dwarf_image()?;
        image.section_entry(name).map(|section| section.size)
    };
    let mut identity = [0; 16];
    identity[..8].copy_from_slice(&size(".debug_info").unwrap_or(0).to_le_bytes());
    identity[8..].copy_from_slice(&size(".debug_str").unwrap_or(0).to_le_bytes());
    identity
}
