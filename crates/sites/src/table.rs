//! Lays the sites out as the runtime reads them at `SITES_OFFSET`.

use std::mem::size_of;

use wayfarer_runtime_abi::layout::SITES_SIZE;
use wayfarer_runtime_abi::sites::{Module, Site, Table};

use crate::ModuleSites;

/// Bytes of a build id that the table has room for.
const BUILD_ID: usize = 20;

/// The table for these modules. A module whose build id or sites do not fit is left out.
pub fn table_bytes(modules: &[ModuleSites]) -> Vec<u8> {
    let mut room = SITES_SIZE as usize - size_of::<Table>();
    let fitting: Vec<&ModuleSites> = modules
        .iter()
        .filter(|module| {
            let bytes = size_of::<Module>() + module.sites.len() * size_of::<Site>();
            let fits = module.build_id.len() <= BUILD_ID && bytes <= room;
            room -= if fits { bytes } else { 0 };
            fits
        })
        .collect();
    let mut bytes = Vec::new();
    for word in [fitting.len() as u32, 0] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let mut sites_offset = size_of::<Table>() + fitting.len() * size_of::<Module>();
    for module in &fitting {
        let mut build_id = [0u8; BUILD_ID];
        build_id[..module.build_id.len()].copy_from_slice(&module.build_id);
        bytes.extend_from_slice(&build_id);
        for word in [module.build_id.len(), sites_offset, module.sites.len()] {
            bytes.extend_from_slice(&(word as u32).to_le_bytes());
        }
        sites_offset += module.sites.len() * size_of::<Site>();
    }
    for site in fitting.iter().flat_map(|module| &module.sites) {
        put_site(&mut bytes, site);
    }
    bytes
}

/// Appends a site in the layout of `repr(C)` on x86-64.
pub fn put_site(bytes: &mut Vec<u8>, site: &Site) {
    bytes.extend_from_slice(&site.offset.to_le_bytes());
    bytes.extend_from_slice(&site.number.to_le_bytes());
    bytes.extend_from_slice(&[site.kind, site.length]);
    bytes.extend_from_slice(&site.spare.to_le_bytes());
    bytes.extend_from_slice(&site.bytes);
}

/// Reads a site back; `None` if there are too few bytes.
pub fn get_site(bytes: &[u8]) -> Option<Site> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some(Site {
        offset: word(0)?,
        number: word(4)?,
        kind: *bytes.get(8)?,
        length: *bytes.get(9)?,
        spare: 0,
        bytes: bytes.get(12..32)?.try_into().ok()?,
    })
}
