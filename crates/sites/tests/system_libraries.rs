//! The sites of this machine's own libc, ld.so and vDSO.

use std::path::{Path, PathBuf};

use wayfarer_runtime_abi::sites::kind;
use wayfarer_sites::cache::Cache;
use wayfarer_sites::image::Image;
use wayfarer_sites::sweep::Sweep;
use wayfarer_sites::{ModuleSites, classify, locate, table_bytes, vdso};

fn system_images() -> Vec<(PathBuf, Image)> {
    let modules = locate::system_modules(None);
    assert!(
        modules.len() >= 2,
        "ld.so and libc.so.6 of the system: {modules:?}"
    );
    modules
        .into_iter()
        .map(|path| {
            let image = Image::read(&path).unwrap();
            (path, image)
        })
        .collect()
}

fn sites_of(image: &Image) -> (Sweep, ModuleSites) {
    let sweep = Sweep::of(image);
    let module = classify::module_sites(image, &sweep);
    (sweep, module)
}

#[test]
fn nearly_all_sites_are_patchable() {
    for (path, image) in system_images() {
        let (_, module) = sites_of(&image);
        let wanted = module.found - module.excluded;
        let share = module.sites.len() as f64 / f64::from(wanted);
        let before = module
            .sites
            .iter()
            .filter(|site| site.kind == kind::BEFORE)
            .count();
        println!(
            "{}: {} of {wanted} ({before} before), {} excluded",
            path.display(),
            module.sites.len(),
            module.excluded
        );
        assert!(
            wanted > 20 && share >= 0.93,
            "{}: {} of {wanted}",
            path.display(),
            module.sites.len()
        );
    }
    let (found, patchable) =
        system_images()
            .iter()
            .fold((0, 0), |(found, patchable), (_, image)| {
                let module = sites_of(image).1;
                (
                    found + module.found - module.excluded,
                    patchable + module.sites.len() as u32,
                )
            });
    assert!(
        f64::from(patchable) / f64::from(found) >= 0.95,
        "{patchable} of {found}"
    );
}

#[test]
fn no_branch_leads_into_a_patched_range() {
    for (_, image) in system_images() {
        let (sweep, module) = sites_of(&image);
        let mut end_of_last = 0;
        for site in &module.sites {
            let (start, end) = (
                u64::from(site.offset),
                u64::from(site.offset) + u64::from(site.length),
            );
            assert!(start >= end_of_last, "sites overlap at {start:#x}");
            let least = if site.kind == kind::AROUND { 3 } else { 5 };
            assert!(site.length >= least && site.length <= 20);
            assert!(
                !(start + 1..end).any(|address| sweep.is_target(address)),
                "branch into the site at {start:#x}"
            );
            // After a replaced `mov` the `syscall` itself stays, and nothing may jump to it either.
            end_of_last = if site.kind != kind::AFTER {
                end + 2
            } else {
                end
            };
        }
    }
}

#[test]
fn sites_hold_the_bytes_of_the_file() {
    for (_, image) in system_images() {
        for site in &sites_of(&image).1.sites {
            let section = image.code_at(u64::from(site.offset)).unwrap();
            let from = (u64::from(site.offset) - section.address) as usize;
            let length = usize::from(site.length);
            let syscall = if site.kind == kind::AFTER { 0 } else { length };
            let kept = length.max(syscall + 2);
            assert_eq!(section.bytes[from..from + kept], site.bytes[..kept]);
            assert_eq!(site.bytes[syscall..syscall + 2], [0x0f, 0x05]);
            assert!(site.kind != kind::BEFORE || site.number != 15);
        }
    }
}

#[test]
fn the_vdso_has_patchable_entries() {
    let module = vdso::sites_of_this_process().expect("this machine has a vDSO");
    assert!(module.build_id.is_empty());
    println!("{} of {}", module.sites.len(), module.found);
    assert!(
        module
            .sites
            .iter()
            .all(|site| site.kind == kind::VDSO && site.length >= 5)
    );
    assert!(
        module.sites.iter().any(|site| site.number == 0),
        "clock_gettime"
    );
}

#[test]
fn the_cache_returns_what_was_stored_and_distrusts_damage() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path().join("sites"));
    let module = sites_of(&system_images()[0].1).1;
    assert!(cache.load(&module.build_id).is_none());
    cache.store(&module);
    let loaded = cache.load(&module.build_id).unwrap();
    assert_eq!(
        table_bytes(&[loaded]),
        table_bytes(std::slice::from_ref(&module))
    );
    let file = cache.file(&module.build_id);
    let good = std::fs::read(&file).unwrap();
    for damage in [0, 10, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[damage] ^= 1;
        std::fs::write(&file, &bad).unwrap();
        assert!(
            cache.load(&module.build_id).is_none(),
            "byte {damage} changed"
        );
    }
    std::fs::write(&file, &good[..good.len() - 32]).unwrap();
    assert!(cache.load(&module.build_id).is_none());
}

#[test]
fn the_table_names_each_module_by_offset() {
    let modules = wayfarer_sites::modules_for(None);
    let bytes = table_bytes(&modules);
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(0), modules.len());
    for (index, module) in modules.iter().enumerate() {
        let at = 8 + index * 32;
        assert_eq!(word(at + 20), module.build_id.len());
        assert_eq!(word(at + 28), module.sites.len());
        assert_eq!(word(word(at + 24)), module.sites[0].offset as usize);
    }
}

/// Tables of numbers between functions are not system calls.
#[test]
fn data_among_code_is_told_apart() {
    let looked_at = [
        "libcrypto.so.3",
        "libgcrypt.so.20",
        "libstdc++.so.6",
        "libz.so.1",
    ];
    for name in looked_at {
        let path = Path::new("/usr/lib/x86_64-linux-gnu").join(name);
        if !path.exists() {
            continue;
        }
        let module = sites_of(&Image::read(&path).unwrap()).1;
        println!(
            "{name}: {} calls, {} others",
            module.found, module.other_gates
        );
        assert!(module.is_silent(), "{name} makes no calls of its own");
    }
    for (path, image) in system_images() {
        let module = sites_of(&image).1;
        assert!(!module.is_silent(), "{} makes calls", path.display());
        assert!(!image.covered.is_empty(), "{}", path.display());
    }
}
