//! Feeds damaged ELF files to the symbol reader for a number of seconds, without any fuzzing
//! machinery: `cargo run --release -p wayfarer-symbols --example fuzz_symbols -- 60`.
//!
//! The files are small programs that the C compiler of the system makes, with bytes of their
//! headers and debug sections changed. Prints `N passed, 0 failed`, or, for an input that makes
//! the reader panic, the seed that repeats it: `… --example fuzz_symbols -- --seed SEED`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use object::read::{File, Object, ObjectSection};
use wayfarer_symbols::fuzz::load_bytes;
use wayfarer_test_kit::fuzz::{self, Random};

const SOURCE: &str = r#"
struct point { int x : 3; unsigned y : 5; const char *name; struct point *next; };
enum color { RED, GREEN = -2 };
union both { int i; float f[4]; };
typedef int (*callback)(struct point *, enum color);
static int count = 7;
static inline int square(int x) { int y = x * x; return y; }
int apply(callback f, struct point *p) { return f(p, GREEN) + square(p->x); }
int first(struct point *p, enum color c) { static int calls; calls++; return c + p->y; }
int main(int argc, char **argv) {
  struct point p = { 1, 2, argv[0], 0 };
  int table[argc];
  union both b;
  for (int i = 0; i < argc; i++) { int inner = square(i); table[i] = inner + count; }
  b.i = table[0];
  return apply(first, &p) + b.i;
}
"#;

/// How the seeds are compiled: one of each format that the reader knows.
const VARIANTS: &[&[&str]] = &[
    &["-gdwarf-5", "-O0"],
    &["-gdwarf-5", "-O2"],
    &["-gdwarf-4", "-O1", "-no-pie"],
    &["-gdwarf-3", "-gstrict-dwarf", "-O2"],
    &["-gdwarf-4", "-fdebug-types-section", "-O1"],
    &["-gdwarf-5", "-gz=zlib", "-O1"],
];

/// A whole file and where the parts are that are worth changing.
struct Seed {
    bytes: Vec<u8>,
    parts: Vec<Range<usize>>,
}

fn compile(directory: &Path, number: usize, options: &[&str]) -> Option<Seed> {
    let source = directory.join("seed.c");
    let program = directory.join(format!("seed{number}"));
    std::fs::write(&source, SOURCE).ok()?;
    let status = Command::new("cc")
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status()
        .ok()?;
    if !status.success() {
        return None;
    }
    let bytes = std::fs::read(&program).ok()?;
    // The header and the section table are few bytes, but each of them matters.
    let mut parts = vec![0..64, bytes.len().saturating_sub(64 * 40)..bytes.len()];
    for section in File::parse(&*bytes).ok()?.sections() {
        let name = section.name().unwrap_or("");
        let is_table = [".symtab", ".strtab", ".dynsym", ".rela.plt", ".eh_frame"].contains(&name);
        if let Some((offset, size)) = section.file_range()
            && (name.starts_with(".debug_") || name.starts_with(".note") || is_table)
        {
            let start = usize::try_from(offset).ok()?;
            parts.push(start..start + usize::try_from(size).ok()?);
        }
    }
    parts.retain(|part| !part.is_empty() && part.end <= bytes.len());
    Some(Seed { bytes, parts })
}

/// Runs the input of one seed.
fn run(seeds: &[Seed], number: u64) {
    let mut random = Random::new(number);
    for _ in 0..8 {
        random.number();
    }
    let seed = &seeds[random.below(seeds.len())];
    let mut bytes = seed.bytes.clone();
    for _ in 0..1 + random.below(4) {
        let part = seed.parts[random.below(seed.parts.len())].clone();
        for _ in 0..1 + random.below(6) {
            let place = part.start + random.below(part.len());
            bytes[place] = random.byte();
        }
    }
    if random.below(32) == 0 {
        bytes.truncate(random.below(seed.bytes.len()));
    }
    load_bytes(&bytes);
}

fn seeds() -> Vec<Seed> {
    let directory: PathBuf =
        std::env::temp_dir().join(format!("wayfarer-fuzz-{}", std::process::id()));
    if std::fs::create_dir_all(&directory).is_err() {
        return Vec::new();
    }
    let compiled = VARIANTS
        .iter()
        .enumerate()
        .filter_map(|(number, options)| compile(&directory, number, options))
        .collect();
    let _ = std::fs::remove_dir_all(&directory);
    compiled
}

fn main() -> ExitCode {
    let seeds = seeds();
    if seeds.is_empty() {
        eprintln!("fuzz_symbols needs a C compiler named cc to make its programs");
        return ExitCode::from(2);
    }
    fuzz::main("fuzz_symbols", |number| run(&seeds, number))
}
