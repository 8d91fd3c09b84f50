//! The entries of the vDSO, the kernel's own library that answers clock reads without a call.
//!
//! It has no file: this process's own copy is read from memory; all processes of a boot share it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use wayfarer_runtime_abi::sites::{
    Site, VDSO_CLOCK_GETRES, VDSO_CLOCK_GETTIME, VDSO_GETCPU, VDSO_GETRANDOM, VDSO_GETTIMEOFDAY,
    VDSO_TIME, kind,
};

use crate::ModuleSites;
use crate::classify::{relocatable_length, site};
use crate::image::{Image, build_id_in};
use crate::sweep::Sweep;

/// Names of the functions and their numbers in the table.
pub const FUNCTIONS: [(&str, u32); 6] = [
    ("__vdso_clock_gettime", VDSO_CLOCK_GETTIME),
    ("__vdso_gettimeofday", VDSO_GETTIMEOFDAY),
    ("__vdso_time", VDSO_TIME),
    ("__vdso_getcpu", VDSO_GETCPU),
    ("__vdso_clock_getres", VDSO_CLOCK_GETRES),
    ("__vdso_getrandom", VDSO_GETRANDOM),
];

/// A vDSO is a few pages; anything larger is something else.
const MOST_BYTES: u64 = 1 << 20;

/// The patchable entries of this machine's vDSO; `None` where there is no vDSO.
pub fn sites_of_this_process() -> Option<ModuleSites> {
    Some(sites_of_image(&Image::parse(&read_from_memory()?).ok()?))
}

/// The build id of this machine's vDSO: it tells one kernel from another.
pub fn build_id_of_this_process() -> Option<Vec<u8>> {
    build_id_in(&read_from_memory()?)
}

/// The patchable entries of a vDSO image.
pub fn sites_of_image(image: &Image) -> ModuleSites {
    let sweep = Sweep::of(image);
    let mut found = 0;
    let mut sites = Vec::new();
    for (name, number) in FUNCTIONS {
        let Some(function) = image
            .functions
            .iter()
            .find(|function| function.name == name)
        else {
            continue;
        };
        found += 1;
        sites.extend(entry(image, &sweep, function.address, number));
    }
    sites.sort_unstable_by_key(|site: &Site| site.offset);
    ModuleSites {
        build_id: Vec::new(),
        found,
        excluded: 0,
        other_gates: 0,
        sites,
    }
}

fn entry(image: &Image, sweep: &Sweep, address: u64, number: u32) -> Option<Site> {
    let section = image.code_at(address)?;
    let length = relocatable_length(section, address, 5)?;
    if (address + 1..address + length as u64).any(|inside| sweep.is_target(inside)) {
        return None;
    }
    site(section, address, number, kind::VDSO, length, length)
}

fn read_from_memory() -> Option<Vec<u8>> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let length = u64::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    if length > MOST_BYTES {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    File::open("/proc/self/mem")
        .ok()?
        .read_exact_at(&mut bytes, start)
        .ok()?;
    Some(bytes)
}
