//! The DWARF sections of an image, together with the image they point into.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gimli::{Dwarf, DwarfPackage, EndianSlice, LittleEndian, Section, SectionId};

use crate::image::Image;
use crate::unit::Reader;

/// DWARF that owns the images it reads. The `'static` of the readers is a private fiction: every
/// accessor gives them out with the lifetime of `self`.
pub(crate) struct DwarfFile {
    dwarf: Dwarf<Reader<'static>>,
    /// Keeps alive what `dwarf` points into.
    images: Vec<Arc<Image>>,
}

/// A reader over a section that pretends to live forever, empty if there is no such section.
///
/// # Safety
///
/// The caller must keep `image` alive as long as the reader or anything made from it, and must
/// not let either get out with the lifetime `'static`.
unsafe fn section_reader(image: &Image, name: &str) -> Reader<'static> {
    let bytes = image.section(name).unwrap_or(&[]);
    // SAFETY: the bytes of an image stay in place while it lives; the caller keeps it alive.
    let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
    EndianSlice::new(bytes, LittleEndian)
}

fn load(image: &Image, name_of: fn(SectionId) -> Option<&'static str>) -> Dwarf<Reader<'static>> {
    let dwarf = Dwarf::load(|id| -> Result<_, std::convert::Infallible> {
        // SAFETY: every caller of `load` puts the image beside the result in a `DwarfFile`, whose
        // accessors shorten the lifetime.
        Ok(unsafe { section_reader(image, name_of(id).unwrap_or("")) })
    });
    match dwarf {
        Ok(dwarf) => dwarf,
        Err(never) => match never {},
    }
}

impl DwarfFile {
    /// The DWARF of a module, with its supplementary file.
    pub(crate) fn new(image: Arc<Image>, supplementary: Option<Arc<Image>>) -> DwarfFile {
        image.unpack_debug_sections();
        let mut dwarf = load(&image, |id| Some(id.name()));
        let mut images = vec![image];
        if let Some(supplementary) = supplementary {
            dwarf.set_sup(load(&supplementary, |id| Some(id.name())));
            images.push(supplementary);
        }
        DwarfFile { dwarf, images }
    }

    /// The DWARF of a `.dwo` file; `parent` must outlive the result, which borrows its addresses.
    pub(crate) fn split(image: Arc<Image>, parent: &DwarfFile) -> DwarfFile {
        let mut dwarf = load(&image, SectionId::dwo_name);
        dwarf.make_dwo(&parent.dwarf);
        let mut images = parent.images.clone();
        images.push(image);
        DwarfFile { dwarf, images }
    }

    /// One unit's DWARF out of a package of split files (`.dwp`).
    pub(crate) fn packaged(
        image: Arc<Image>,
        parent: &DwarfFile,
        id: gimli::DwoId,
    ) -> Option<DwarfFile> {
        let package = DwarfPackage::load(
            |id| -> Result<_, gimli::Error> {
                // SAFETY: the image goes into the `DwarfFile` below, beside what is read from it.
                Ok(unsafe { section_reader(&image, id.dwo_name().unwrap_or("")) })
            },
            EndianSlice::new(&[], LittleEndian),
        )
        .ok()?;
        let dwarf = package.find_cu(id, &parent.dwarf).ok().flatten()?;
        let mut images = parent.images.clone();
        images.push(image);
        Some(DwarfFile { dwarf, images })
    }

    /// Gives back the memory that holds a part of `.debug_info`, which is read again when it is looked at.
    pub(crate) fn forget_info(&self, part: Range<usize>) {
        let info = self.dwarf.debug_info.reader().slice();
        let end = part.end.min(info.len());
        self.forget(info.get(part.start..end).unwrap_or(&[]));
    }

    /// The same for all of `.debug_str`.
    pub(crate) fn forget_strings(&self) {
        self.forget(self.dwarf.debug_str.reader().slice());
    }

    fn forget(&self, part: &[u8]) {
        for image in &self.images {
            image.forget(part);
        }
    }

    pub(crate) fn dwarf(&self) -> &Dwarf<Reader<'_>> {
        &self.dwarf
    }

    /// For structures that are kept beside this one and never give out the `'static`.
    pub(crate) fn dwarf_for_owner(&self) -> &Dwarf<Reader<'static>> {
        &self.dwarf
    }
}

/// The path of the package that may lie beside a program: `program.dwp`.
pub(crate) fn package_path(program: &Path) -> std::path::PathBuf {
    let mut path = program.as_os_str().to_owned();
    path.push(".dwp");
    path.into()
}
