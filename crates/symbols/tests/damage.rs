//! Files that are damaged, hostile or no ELF files at all.

mod support;

use support::Scratch;
use wayfarer_symbols::{LoadOptions, Module, SymbolsError, fuzz};

#[test]
fn what_is_no_elf_file_is_refused() {
    let scratch = Scratch::new();
    let options = LoadOptions::alone();
    let missing = Module::load(&scratch.path.join("missing"), &options);
    assert!(matches!(missing, Err(SymbolsError::Unreadable { .. })));
    let directory = Module::load(&scratch.path, &options);
    assert!(matches!(directory, Err(SymbolsError::Unreadable { .. })));
    for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF"] {
        let result = Module::from_bytes("x", bytes.to_vec(), &options);
        assert!(result.is_err());
    }
    let mut arm = vec![0; 64];
    arm[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    arm[18] = 183;
    let other = Module::from_bytes("x", arm, &options);
    assert!(matches!(other, Err(SymbolsError::OtherMachine { .. })));
}

#[test]
fn damaged_files_never_panic() {
    let scratch = Scratch::new();
    scratch.source("list.c");
    for (number, options) in [["-gdwarf-5", "-O0"], ["-gdwarf-4", "-O2"]]
        .iter()
        .enumerate()
    {
        let name = format!("list{number}");
        let output = ["list.c", "-o", &name];
        scratch.run("gcc", &[&options[..], &output].concat());
        let whole = std::fs::read(scratch.path.join(&name)).unwrap();
        fuzz::load_bytes(&whole);
        for part in 1..16 {
            fuzz::load_bytes(&whole[..whole.len() * part / 16]);
        }
        // Every 97th byte of the file in turn, so that each section is met.
        for place in (0..whole.len()).step_by(whole.len() / 97) {
            let mut changed = whole.clone();
            changed[place] ^= 0xff;
            fuzz::load_bytes(&changed);
        }
    }
}
