//! Finds the `syscall` instructions that the runtime may replace by jumps.
//!
//! The table of sites is made outside the debuggee, from the files of libc and ld.so and from this
//! process's own vDSO, so that the runtime needs no disassembler and patches only what was proved
//! safe here: no branch of the module may lead into the bytes that a jump overwrites. The jump
//! takes the place of the `mov` of the call number, or of the instructions after the `syscall`, or
//! of those before the `mov`. With Debian's glibc 2.36 that covers every site of libc and the
//! loader (570) but the signal restorer. What cannot be proved is left out and caught by Syscall
//! User Dispatch instead.
//!
//! Data flow: [`image`] (sections, function starts, build id) → [`sweep`] (branch targets and
//! `syscall` instructions) → [`classify`] (sites) → [`table_bytes`]. [`cache`] keeps the result per
//! build id, since a sweep costs more than the start of a small program.

pub mod cache;
pub mod classify;
pub mod covered;
pub mod image;
pub mod locate;
pub mod sweep;
pub mod table;
pub mod vdso;

use std::path::{Path, PathBuf};

use wayfarer_runtime_abi::sites::Site;

pub use image::{build_id_in, build_id_of};
pub use table::table_bytes;

/// The patchable sites of one module.
#[derive(Clone)]
pub struct ModuleSites {
    /// Empty for the vDSO.
    pub build_id: Vec<u8>,
    /// How many candidates there are, patchable or not.
    pub found: u32,
    /// Candidates that are left alone on purpose: the signal restorer.
    pub excluded: u32,
    /// Instructions of other kinds that enter the kernel.
    pub other_gates: u32,
    pub sites: Vec<Site>,
}

impl ModuleSites {
    /// Whether no system call leaves this module, once its sites are patched, but that of the restorer.
    pub fn is_complete(&self) -> bool {
        self.sites.len() as u32 + self.excluded == self.found && self.other_gates == 0
    }

    /// Whether no system call leaves this module as it is.
    pub fn is_silent(&self) -> bool {
        self.found == 0 && self.other_gates == 0
    }
}

/// Why a module has no sites.
#[derive(Debug, thiserror::Error)]
pub enum SitesError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{} is not an x86-64 ELF file: {reason}", path.display())]
    NotElf { path: PathBuf, reason: String },
    #[error("{} carries no build id, so its sites cannot be told from another build's", path.display())]
    NoBuildId { path: PathBuf },
}

/// The sites of an ELF file, from the cache where it holds them.
pub fn sites_of_file(path: &Path) -> Result<ModuleSites, SitesError> {
    let build_id = build_id_of(path)?.ok_or_else(|| SitesError::NoBuildId { path: path.into() })?;
    let cache = cache::Cache::standard();
    if let Some(found) = cache.as_ref().and_then(|cache| cache.load(&build_id)) {
        return Ok(found);
    }
    let image = image::Image::read(path)?;
    let module = classify::module_sites(&image, &sweep::Sweep::of(&image));
    if let Some(cache) = cache {
        cache.store(&module);
    }
    Ok(module)
}

/// The modules to patch in a program: its ld.so, its libc and the vDSO. What cannot be read is left
/// out: dispatch catches its calls.
pub fn modules_for(program: Option<&Path>) -> Vec<ModuleSites> {
    let mut modules: Vec<ModuleSites> = Vec::new();
    for path in locate::system_modules(program) {
        if let Ok(module) = sites_of_file(&path)
            && !modules
                .iter()
                .any(|known| known.build_id == module.build_id)
        {
            modules.push(module);
        }
    }
    if let Some(vdso) = vdso::sites_of_this_process() {
        modules.push(vdso);
    }
    modules
}
