//! Split DWARF: the unit in a `.dwo` file or a `.dwp` package that a skeleton unit stands for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimli::DwoId;

use crate::dwarf_file::{DwarfFile, package_path};
use crate::image::Image;
use crate::module::Module;
use crate::unit::Reader;

/// The unit that a skeleton stands for, with its file; `None` if it is not a skeleton or the file is
/// not to be found.
pub(crate) fn load(
    module: &Module,
    parent: &DwarfFile,
    skeleton: &gimli::Unit<Reader<'static>>,
) -> Option<(gimli::Unit<Reader<'static>>, DwarfFile)> {
    let id = skeleton.dwo_id?;
    let name = skeleton.dwo_name().ok().flatten()?;
    let name = parent
        .dwarf_for_owner()
        .attr_string(skeleton, name)
        .ok()?
        .to_string_lossy()
        .into_owned();
    let file = from_package(module, parent, id).or_else(|| {
        let directory = skeleton
            .comp_dir
            .map(|directory| directory.to_string_lossy().into_owned());
        let image = open(
            module,
            Path::new(&name),
            directory.as_deref().map(Path::new),
        )?;
        Some(DwarfFile::split(image, parent))
    })?;
    let mut unit = find_unit(file.dwarf_for_owner(), id)?;
    unit.copy_relocated_attributes(skeleton);
    Some((unit, file))
}

fn from_package(module: &Module, parent: &DwarfFile, id: DwoId) -> Option<DwarfFile> {
    let beside_debug_file = module.debug_file().map(package_path);
    let candidates = [Some(package_path(&module.image.path)), beside_debug_file];
    candidates.into_iter().flatten().find_map(|path| {
        let image = Image::open(&path).ok()?;
        DwarfFile::packaged(Arc::new(image), parent, id)
    })
}

/// The `.dwo` where the compiler left it, or beside the module.
fn open(module: &Module, name: &Path, directory: Option<&Path>) -> Option<Arc<Image>> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    candidates.push(directory.map_or(name.to_owned(), |directory| directory.join(name)));
    if let Some(own) = module.image.path.parent() {
        candidates.push(own.join(name));
        candidates.extend(name.file_name().map(|file| own.join(file)));
    }
    candidates
        .into_iter()
        .find_map(|path| Image::open(&path).ok().map(Arc::new))
}

fn find_unit(
    dwarf: &gimli::Dwarf<Reader<'static>>,
    id: DwoId,
) -> Option<gimli::Unit<Reader<'static>>> {
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if u32::try_from(header.length_including_self()).is_err() {
            continue;
        }
        if let Ok(unit) = dwarf.unit(header)
            && unit.dwo_id == Some(id)
        {
            return Some(unit);
        }
    }
    None
}
