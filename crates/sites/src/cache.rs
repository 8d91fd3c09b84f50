//! Keeps the sites of a module per build id, so that only the first recording pays for the sweep.
//!
//! The cache is a convenience: a damaged file is made anew, an unwritable directory is ignored.

use std::fs;
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use wayfarer_runtime_abi::sites::Site;

use crate::ModuleSites;
use crate::table::{get_site, put_site};

/// Bump it whenever [`crate::classify`] or [`crate::sweep`] decide differently.
const VERSION: u32 = 4;
const MAGIC: &[u8; 8] = b"WFSITES\n";
const HEAD: usize = 24;

/// `$XDG_CACHE_HOME/wayfarer` or `~/.cache/wayfarer`; `None` when the environment names neither.
pub fn directory() -> Option<PathBuf> {
    let named = |variable| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    named("XDG_CACHE_HOME")
        .or_else(|| Some(named("HOME")?.join(".cache")))
        .map(|base| base.join("wayfarer"))
}

/// Writes a file so that readers see all of it or nothing.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let moment = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.subsec_nanos());
    let temporary = directory.join(format!(".new-{}-{moment}", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A directory of site files.
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    pub fn standard() -> Option<Self> {
        Some(Self::at(directory()?.join("sites")))
    }

    pub fn at(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The file for a build id.
    pub fn file(&self, build_id: &[u8]) -> PathBuf {
        let name: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.directory.join(format!("{name}.v{VERSION}"))
    }

    /// What the cache holds for a build id, if it is intact.
    pub fn load(&self, build_id: &[u8]) -> Option<ModuleSites> {
        let bytes = fs::read(self.file(build_id)).ok()?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
        if crc32fast::hash(body).to_le_bytes() != sum || body.get(..8)? != MAGIC {
            return None;
        }
        let word = |at: usize| Some(u32::from_le_bytes(body.get(at..at + 4)?.try_into().ok()?));
        let (found, excluded, other_gates) = (word(8)?, word(12)?, word(16)?);
        let id_length = word(20)? as usize;
        let sites = body.get(HEAD.checked_add(id_length)?..)?;
        if body.get(HEAD..HEAD + id_length)? != build_id || sites.len() % size_of::<Site>() != 0 {
            return None;
        }
        let sites = sites
            .chunks_exact(size_of::<Site>())
            .map(get_site)
            .collect::<Option<_>>()?;
        Some(ModuleSites {
            build_id: build_id.to_vec(),
            found,
            excluded,
            other_gates,
            sites,
        })
    }

    /// Keeps the sites of a module; says nothing when it cannot.
    pub fn store(&self, module: &ModuleSites) {
        let mut bytes = MAGIC.to_vec();
        let id_length = module.build_id.len() as u32;
        for word in [module.found, module.excluded, module.other_gates, id_length] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&module.build_id);
        for site in &module.sites {
            put_site(&mut bytes, site);
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        // Without a cache the sweep is made anew each time: slower, never wrong.
        let _ = write_atomically(&self.file(&module.build_id), &bytes);
    }
}
