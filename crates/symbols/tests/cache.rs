//! The cache of indexes: used when it fits, rebuilt when it does not.

mod support;

use std::path::{Path, PathBuf};

use support::Scratch;

/// All files under a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn an_index_is_kept_used_and_mended() {
    let scratch = Scratch::new();
    scratch.source("tour.rs");
    scratch.run("rustc", &["--edition=2021", "-g", "tour.rs", "-o", "tour"]);
    let cache = scratch.path.join("cache");
    let ask = || {
        let places = scratch.load("tour").function_places("tour::main").unwrap();
        places.iter().map(|place| place.address).collect::<Vec<_>>()
    };
    let fresh = ask();
    let kept = files(&cache);
    assert_eq!(kept.len(), 1, "one index, no leftovers: {kept:?}");
    let whole = std::fs::read(&kept[0]).unwrap();
    assert_eq!(ask(), fresh, "from the cache");
    for damage in [
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
        whole
            .iter()
            .enumerate()
            .map(|(at, byte)| byte ^ u8::from(at == 1000))
            .collect(),
        b"something else".to_vec(),
    ] {
        std::fs::write(&kept[0], damage).unwrap();
        assert_eq!(ask(), fresh, "in spite of a damaged cache");
        assert_eq!(std::fs::read(&kept[0]).unwrap(), whole, "mended");
    }
    let mut options = scratch.options();
    options.cache_directory = Some(PathBuf::from("/proc/nowhere"));
    let module = scratch.load_with("tour", &options);
    assert!(
        module.function_places("tour::main").is_ok(),
        "without a cache"
    );
}
