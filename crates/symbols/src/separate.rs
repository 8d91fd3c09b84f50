//! Where the debug information of a stripped file is: by build id, by debug link, shared (dwz).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::read::Object;

use crate::image::Image;
use crate::module::LoadOptions;

/// The separate debug file of an image that has none of its own, if there is one.
pub(crate) fn debug_file(image: &Image, options: &LoadOptions) -> Option<Arc<Image>> {
    let elf = image.elf().ok()?;
    let build_id = elf.build_id().ok().flatten();
    if let Some(build_id) = build_id
        && let Some(found) = by_build_id(build_id, options)
    {
        return Some(found);
    }
    let (name, crc) = elf.gnu_debuglink().ok().flatten()?;
    by_debug_link(image, build_id, name, crc, options)
}

/// The supplementary file that dwz moved common parts to.
pub(crate) fn supplementary_file(image: &Image, options: &LoadOptions) -> Option<Arc<Image>> {
    let elf = image.elf().ok()?;
    let (name, build_id) = elf.gnu_debugaltlink().ok().flatten()?;
    let name = Path::new(OsStr::from_bytes(name));
    let directory = image.path.parent().unwrap_or(Path::new("/"));
    let mut candidates = vec![directory.join(name)];
    for debug_directory in &options.debug_directories {
        if let Ok(relative) = name.strip_prefix("/") {
            candidates.push(debug_directory.join(relative));
        }
        if let Some(file) = name.file_name() {
            candidates.push(debug_directory.join(".dwz").join(file));
        }
        candidates.extend(build_id_path(debug_directory, build_id));
    }
    candidates.into_iter().find_map(|candidate| {
        let found = Image::open(&candidate).ok()?;
        let same = found.elf().ok()?.build_id().ok().flatten() == Some(build_id);
        same.then(|| Arc::new(found))
    })
}

/// Whether an image holds DWARF itself.
pub(crate) fn has_debug_information(image: &Image) -> bool {
    image
        .section_entry(".debug_info")
        .is_some_and(|section| section.size > 0)
}

fn by_build_id(build_id: &[u8], options: &LoadOptions) -> Option<Arc<Image>> {
    options.debug_directories.iter().find_map(|directory| {
        let found = Image::open(&build_id_path(directory, build_id)?).ok()?;
        // A file under the right name may still be another one.
        let same = found.elf().ok()?.build_id().ok().flatten() == Some(build_id);
        (same && is_useful(&found)).then(|| Arc::new(found))
    })
}

fn build_id_path(directory: &Path, build_id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(
        directory
            .join(".build-id")
            .join(format!("{first:02x}"))
            .join(format!("{rest}.debug")),
    )
}

fn by_debug_link(
    image: &Image,
    build_id: Option<&[u8]>,
    name: &[u8],
    crc: u32,
    options: &LoadOptions,
) -> Option<Arc<Image>> {
    let name = Path::new(OsStr::from_bytes(name)).file_name()?;
    let own_path = image.path.canonicalize().unwrap_or(image.path.clone());
    let directory = own_path.parent()?;
    let mut candidates = vec![directory.join(name), directory.join(".debug").join(name)];
    for debug_directory in &options.debug_directories {
        let inside = directory.strip_prefix("/").unwrap_or(directory);
        candidates.push(debug_directory.join(inside).join(name));
    }
    candidates.into_iter().find_map(|candidate| {
        // A link that names the file itself would find no debug information there.
        if candidate == own_path {
            return None;
        }
        let found = Image::open(&candidate).ok()?;
        let found_id = found.elf().ok()?.build_id().ok().flatten();
        let same = match (build_id, found_id) {
            (Some(wanted), Some(found)) => wanted == found,
            // The checksum reads the whole file: only where build ids do not decide.
            _ => crc32fast::hash(found.bytes()) == crc,
        };
        (same && is_useful(&found)).then(|| Arc::new(found))
    })
}

fn is_useful(image: &Image) -> bool {
    has_debug_information(image) || image.section_entry(".symtab").is_some()
}
