//! Where the ld.so and the libc of a program lie.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{LittleEndian, ReadCache};

const STANDARD_DIRECTORIES: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];
const STANDARD_LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
/// The kernel follows as many `#!` lines.
const MOST_SCRIPTS: usize = 5;

/// The files of ld.so and libc that `program` and the programs it starts will load: those beside its
/// own loader and those of the system.
pub fn system_modules(program: Option<&Path>) -> Vec<PathBuf> {
    let mut loaders: Vec<PathBuf> = Vec::new();
    loaders.extend(program.and_then(loader_behind_scripts));
    loaders.push(PathBuf::from(STANDARD_LOADER));
    let mut modules = Vec::new();
    for loader in loaders {
        let Ok(real) = loader.canonicalize() else {
            continue;
        };
        let beside = [loader.parent(), real.parent()]
            .into_iter()
            .flatten()
            .map(Path::to_path_buf);
        let libc = beside
            .chain(STANDARD_DIRECTORIES.iter().map(PathBuf::from))
            .find_map(|directory| directory.join("libc.so.6").canonicalize().ok());
        for module in std::iter::once(real).chain(libc) {
            if !modules.contains(&module) {
                modules.push(module);
            }
        }
    }
    modules
}

/// What `#!` at the start of a script names: the program and the optional argument.
pub fn script_interpreter(path: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(256))
        .read_until(b'\n', &mut line)
        .ok()?;
    let text = std::str::from_utf8(line.strip_prefix(b"#!")?).ok()?;
    text.split_ascii_whitespace().next().map(PathBuf::from)
}

/// The loader that an ELF program asks for (`PT_INTERP`).
pub fn loader_of(path: &Path) -> Option<PathBuf> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let header = elf::FileHeader64::<LittleEndian>::parse(&cache).ok()?;
    let segments = header.program_headers(LittleEndian, &cache).ok()?;
    let name = segments
        .iter()
        .find_map(|segment| segment.interpreter(LittleEndian, &cache).ok().flatten())?;
    Some(PathBuf::from(std::str::from_utf8(name).ok()?))
}

fn loader_behind_scripts(program: &Path) -> Option<PathBuf> {
    let mut path = program.to_path_buf();
    for _ in 0..MOST_SCRIPTS {
        match script_interpreter(&path) {
            Some(interpreter) => path = interpreter,
            None => break,
        }
    }
    loader_of(&path)
}
