//! One ELF file with all its debug files: loaded once, shared by the processes that map it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use crate::die::TypeId;
use crate::dwarf_file::DwarfFile;
use crate::elf::Headers;
use crate::error::SymbolsError;
use crate::file_index::FileIndex;
use crate::frames::FrameCache;
use crate::image::Image;
use crate::index::Index;
use crate::mapping::Bytes;
use crate::separate;
use crate::symbol::SymbolTable;
use crate::types::Type;
use crate::unit::Units;
use crate::unit_ranges::UnitRanges;

/// How to find what belongs to a module.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Where separate debug files are looked for, besides the module's own directory.
    pub debug_directories: Vec<PathBuf>,
    /// Where indexes are kept between runs; `None`: nowhere.
    pub cache_directory: Option<PathBuf>,
    /// Prepended to absolute paths of the debuggee (another root file system).
    pub sysroot: Option<PathBuf>,
}

impl Default for LoadOptions {
    /// `/usr/lib/debug`, and the user's cache directory for Wayfarer.
    fn default() -> LoadOptions {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let cache = set("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")));
        LoadOptions {
            debug_directories: vec![PathBuf::from("/usr/lib/debug")],
            cache_directory: cache.map(|cache| cache.join("wayfarer")),
            sysroot: None,
        }
    }
}

impl LoadOptions {
    /// Nothing but the file itself: no separate files, no cache.
    pub fn alone() -> LoadOptions {
        LoadOptions {
            debug_directories: Vec::new(),
            cache_directory: None,
            sysroot: None,
        }
    }
}

/// One ELF file with all its debug files.
pub struct Module {
    pub(crate) path: PathBuf,
    pub(crate) options: LoadOptions,
    pub(crate) image: Arc<Image>,
    pub(crate) headers: Headers,
    /// A separate file with the debug information or the full symbol table.
    pub(crate) debug_image: OnceLock<Option<Arc<Image>>>,
    pub(crate) dwarf_file: OnceLock<Option<DwarfFile>>,
    pub(crate) units: OnceLock<Units>,
    pub(crate) unit_ranges: OnceLock<UnitRanges>,
    pub(crate) index: OnceLock<Index>,
    pub(crate) symbol_table: OnceLock<SymbolTable>,
    pub(crate) types: Mutex<HashMap<TypeId, Arc<Type>>>,
    pub(crate) definitions: Mutex<HashMap<TypeId, Option<TypeId>>>,
    pub(crate) file_index: OnceLock<FileIndex>,
    pub(crate) frame_cache: FrameCache,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Module").field(&self.path).finish()
    }
}

impl Module {
    /// Loads an ELF file. Only headers are read now, everything else when it is asked for.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Arc<Module>, SymbolsError> {
        let found = match (&options.sysroot, path.strip_prefix("/")) {
            (Some(sysroot), Ok(relative)) => sysroot.join(relative),
            _ => path.to_owned(),
        };
        Module::new(path, Image::open(&found)?, options)
    }

    /// Loads an ELF image out of memory (the vDSO, a file of another machine).
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        options: &LoadOptions,
    ) -> Result<Arc<Module>, SymbolsError> {
        let path = Path::new(name);
        let image = Image::parse(path, Bytes::Owned(bytes.into_boxed_slice()))?;
        Module::new(path, image, options)
    }

    fn new(path: &Path, image: Image, options: &LoadOptions) -> Result<Arc<Module>, SymbolsError> {
        let headers = Headers::read(&image)?;
        Ok(Arc::new(Module {
            path: path.to_owned(),
            options: options.clone(),
            image: Arc::new(image),
            headers,
            debug_image: OnceLock::new(),
            dwarf_file: OnceLock::new(),
            units: OnceLock::new(),
            unit_ranges: OnceLock::new(),
            index: OnceLock::new(),
            symbol_table: OnceLock::new(),
            types: Mutex::default(),
            definitions: Mutex::default(),
            file_index: OnceLock::new(),
            frame_cache: FrameCache::default(),
        }))
    }

    /// The file (or the name it was given) of the module.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last component of the path.
    pub fn name(&self) -> String {
        match self.path.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.path.to_string_lossy().into_owned(),
        }
    }

    /// Whether there is DWARF for it, in the file or in a separate one.
    pub fn has_debug_information(&self) -> bool {
        self.dwarf_file().is_some()
    }

    /// The file that holds the debug information, if another one does.
    pub fn debug_file(&self) -> Option<&Path> {
        self.debug_image().map(|image| image.path.as_path())
    }

    pub(crate) fn debug_image(&self) -> Option<&Arc<Image>> {
        self.debug_image
            .get_or_init(|| {
                if separate::has_debug_information(&self.image) {
                    return None;
                }
                separate::debug_file(&self.image, &self.options)
            })
            .as_ref()
    }

    /// The image with the DWARF, if there is any.
    pub(crate) fn dwarf_image(&self) -> Option<&Arc<Image>> {
        let separate = self.debug_image();
        [Some(&self.image), separate]
            .into_iter()
            .flatten()
            .find(|image| separate::has_debug_information(image))
    }

    pub(crate) fn dwarf_file(&self) -> Option<&DwarfFile> {
        self.dwarf_file
            .get_or_init(|| {
                let image = self.dwarf_image()?;
                let supplementary = separate::supplementary_file(image, &self.options);
                Some(DwarfFile::new(image.clone(), supplementary))
            })
            .as_ref()
    }

    pub(crate) fn damaged(&self, reason: impl ToString) -> SymbolsError {
        SymbolsError::damaged(&self.name(), reason)
    }
}
