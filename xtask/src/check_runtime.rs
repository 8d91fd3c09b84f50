//! Proof that the library inside the shipped binary obeys its house rules.
//!
//! It runs in other people's processes, so it must not panic, allocate or need another library. The
//! rules are read off the very bytes that `wayfarer` carries, not off a build beside it.

use crate::failure::{At, Failure, failure};
use crate::workspace;
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, elf};
use std::fs;
use std::path::Path;

/// What the library interposes: synchronisation, the heap and streams, which make no system call of their
/// own.
const ALLOWED_EXPORTS: &[&str] = &[
    "__cxa_guard_abort",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__fprintf_chk",
    "__printf_chk",
    "__syslog_chk",
    "__vfprintf_chk",
    "__vprintf_chk",
    "aligned_alloc",
    "call_once",
    "calloc",
    "cnd_timedwait",
    "cnd_wait",
    "dlclose",
    "dlmopen",
    "dlopen",
    "epoll_wait",
    "fclose",
    "fflush",
    "fgetc",
    "fgets",
    "flockfile",
    "fork",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "free",
    "fseek",
    "ftell",
    "fwrite",
    "getc",
    "getchar",
    "getdelim",
    "getline",
    "mallinfo",
    "mallinfo2",
    "malloc",
    "malloc_trim",
    "mallopt",
    "memalign",
    "mtx_init",
    "mtx_lock",
    "mtx_timedlock",
    "mtx_trylock",
    "perror",
    "poll",
    "posix_memalign",
    "pread",
    "pread64",
    "printf",
    "pthread_barrier_wait",
    "pthread_cancel",
    "pthread_clockjoin_np",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_create",
    "pthread_join",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_kill",
    "pthread_mutex_clocklock",
    "pthread_mutex_destroy",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_once",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock",
    "pthread_rwlock_init",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_wrlock",
    "pthread_sigqueue",
    "pthread_spin_init",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_testcancel",
    "pthread_timedjoin_np",
    "pthread_tryjoin_np",
    "putc",
    "putchar",
    "puts",
    "pvalloc",
    "pwrite",
    "pwrite64",
    "rand",
    "random",
    "read",
    "readv",
    "realloc",
    "recv",
    "recvfrom",
    "recvmsg",
    "regexec",
    "rewind",
    "sem_clockwait",
    "sem_getvalue",
    "sem_init",
    "sem_post",
    "sem_timedwait",
    "sem_trywait",
    "sem_wait",
    "send",
    "sendmsg",
    "sendto",
    "srand",
    "srandom",
    "syslog",
    "thrd_create",
    "thrd_join",
    "tss_create",
    "ungetc",
    "valloc",
    "vfprintf",
    "vprintf",
    "wayfarer_sync_after",
    "wayfarer_sync_before",
    "wayfarer_sync_foretell",
    "wayfarer_sync_mode",
    "wayfarer_sync_report",
    "write",
    "writev",
];

macro_rules! names {
    ($($name:ident)*) => {
        /// More of the same: functions with a state of their own, which come one at a time.
        const LIBRARY: &[&str] = &[$(stringify!($name)),*];
    };
}
wayfarer_runtime_abi::library_functions!(names);

/// Symbols that the library may ask others for, all weak: it works where they are missing.
const ALLOWED_IMPORTS: &[&str] = &[
    "__rseq_offset",
    "__rseq_size",
    "_r_debug",
    "__cxa_finalize",
    "__gmon_start__",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
];

/// Names that only a way to panic or to allocate leaves behind.
const FORBIDDEN_NAMES: &[&str] = &[
    "panicking",
    "rust_begin_unwind",
    "rust_panic",
    "__rust_alloc",
    "__rg_alloc",
    "4core3fmt",
];

/// Texts that only a panic prints.
const FORBIDDEN_TEXTS: &[&str] = &[
    "panicked at",
    "index out of bounds",
    "out of range for slice",
    "called `Option::unwrap()`",
];

/// `cargo x check-runtime [FILE]`: checks the given library, else the one inside `wayfarer`.
pub fn run(file: Option<&str>) -> Result<(), Failure> {
    let library = match file {
        Some(file) => fs::read(file).at("reading", Path::new(file))?,
        None => {
            let binary = workspace::wayfarer()?;
            embedded(&fs::read(&binary).at("reading", &binary)?)?
        }
    };
    let broken = violations(&library)?;
    if broken.is_empty() {
        println!("check-runtime: {} bytes, every rule holds", library.len());
        return Ok(());
    }
    for rule in &broken {
        eprintln!("check-runtime: {rule}");
    }
    Err(failure(format!(
        "check-runtime: {} rules broken",
        broken.len()
    )))
}

/// Every house rule that the library breaks.
fn violations(library: &[u8]) -> Result<Vec<String>, Failure> {
    let file = parse(library)?;
    let mut found = Vec::new();
    found.extend(dynamic_violations(&file)?);
    found.extend(import_violations(&file));
    found.extend(export_violations(&file));
    found.extend(panic_violations(&file));
    found.extend(segment_violations(&file));
    Ok(found)
}

fn parse(library: &[u8]) -> Result<ElfFile64<'_, Endianness>, Failure> {
    ElfFile64::parse(library).doing("the runtime library")
}

/// No other library is needed, and ours is initialised before all others.
fn dynamic_violations(file: &ElfFile64<'_, Endianness>) -> Result<Vec<String>, Failure> {
    let endian = file.endian();
    let entries = file
        .elf_section_table()
        .dynamic(endian, file.data())
        .doing("the dynamic section")?
        .map_or(&[][..], |(entries, _)| entries);
    let mut found = Vec::new();
    let mut first = false;
    for entry in entries {
        match entry.tag(endian) {
            elf::DT_NEEDED => found.push("it needs another library (DT_NEEDED)".to_string()),
            elf::DT_TEXTREL => found.push("it has relocations in its text".to_string()),
            elf::DT_FLAGS_1 => {
                let flags = elf::DynamicFlags1(entry.d_val(endian));
                first = flags.contains(elf::DF_1_INITFIRST);
            }
            _ => {}
        }
    }
    if !first {
        found.push("it is not marked to be initialised first (-z initfirst)".to_string());
    }
    Ok(found)
}

/// It asks for nothing but a few weak symbols; in particular for no allocator.
fn import_violations(file: &ElfFile64<'_, Endianness>) -> Vec<String> {
    let mut found = Vec::new();
    for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_undefined) {
        let name = symbol.name().unwrap_or("(unreadable)");
        if name.is_empty() {
            continue;
        }
        if !ALLOWED_IMPORTS.contains(&name) {
            found.push(format!("it imports {name}"));
        } else if !symbol.is_weak() {
            found.push(format!("it imports {name} strongly; weak is allowed"));
        }
    }
    found
}

/// It offers only what it means to take the place of, so nothing else of the program's can be bound to
/// it by accident.
fn export_violations(file: &ElfFile64<'_, Endianness>) -> Vec<String> {
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .filter(|symbol| {
            !symbol
                .name()
                .is_ok_and(|name| ALLOWED_EXPORTS.contains(&name) || LIBRARY.contains(&name))
        })
        .map(|symbol| format!("it exports {}", symbol.name().unwrap_or("(unreadable)")))
        .collect()
}

/// No function of the panic or allocation machinery, no text of theirs, and no place in a source file,
/// which is what every panic carries.
fn panic_violations(file: &ElfFile64<'_, Endianness>) -> Vec<String> {
    let mut found = Vec::new();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let name = symbol.name().unwrap_or_default();
        if FORBIDDEN_NAMES
            .iter()
            .any(|forbidden| name.contains(forbidden))
        {
            found.push(format!("it contains the function {name}"));
        }
    }
    for section in file.sections().filter(is_loaded) {
        let Ok(data) = section.data() else { continue };
        let name = section.name().unwrap_or("(unnamed)");
        for text in FORBIDDEN_TEXTS {
            if contains(data, text.as_bytes()) {
                found.push(format!("section {name} contains the text '{text}'"));
            }
        }
        if let Some(place) = source_place(data) {
            found.push(format!(
                "section {name} names a source file, as a panic would: {place}"
            ));
        }
    }
    found
}

/// Sections of data that are in memory at run time; debug information is not.
fn is_loaded<'data, S: ObjectSection<'data>>(section: &S) -> bool {
    match section.flags() {
        SectionFlags::Elf { sh_flags, .. } => {
            sh_flags.contains(elf::SHF_ALLOC) && !sh_flags.contains(elf::SHF_EXECINSTR)
        }
        _ => false,
    }
}

/// No segment is both writable and executable.
fn segment_violations(file: &ElfFile64<'_, Endianness>) -> Vec<String> {
    let endian = file.endian();
    let both = elf::PF_W | elf::PF_X;
    file.elf_program_headers()
        .iter()
        .filter(|header| {
            header.p_type(endian) == elf::PT_LOAD && header.p_flags(endian).contains(both)
        })
        .map(|header| {
            format!(
                "the segment at {:#x} is writable and executable",
                header.p_vaddr(endian)
            )
        })
        .collect()
}

fn contains(data: &[u8], wanted: &[u8]) -> bool {
    data.windows(wanted.len()).any(|window| window == wanted)
}

/// The name of a Rust source file in the data, if there is one.
fn source_place(data: &[u8]) -> Option<String> {
    let end = data.windows(3).position(|window| window == b".rs")?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-/.".contains(byte);
    let start = data[..end]
        .iter()
        .rposition(|byte| !is_part(byte))
        .map_or(0, |last| last + 1);
    (end - start >= 3).then(|| String::from_utf8_lossy(&data[start..end + 3]).into_owned())
}

/// Finds the one ELF file inside another: the library that the binary carries.
fn embedded(binary: &[u8]) -> Result<Vec<u8>, Failure> {
    const START: &[u8] = b"\x7fELF\x02\x01\x01";
    let candidates = binary
        .windows(START.len())
        .enumerate()
        .skip(1)
        .filter(|(_, window)| *window == START)
        .filter_map(|(offset, _)| library_at(&binary[offset..]));
    let mut libraries: Vec<Vec<u8>> = candidates.collect();
    match (libraries.pop(), libraries.len()) {
        (Some(library), 0) => Ok(library),
        (None, _) => Err(failure(
            "check-runtime: the binary carries no runtime library",
        )),
        (_, more) => Err(failure(format!(
            "check-runtime: the binary carries {} libraries",
            more + 1
        ))),
    }
}

/// The shared library that starts at `data`, cut where its section table ends.
fn library_at(data: &[u8]) -> Option<Vec<u8>> {
    // Copied, because the parser wants its structures aligned.
    let head = data
        .get(..size_of::<elf::FileHeader64<Endianness>>())?
        .to_vec();
    let header = elf::FileHeader64::<Endianness>::parse(&*head).ok()?;
    let endian = header.endian().ok()?;
    if header.e_type(endian) != elf::ET_DYN {
        return None;
    }
    let table = usize::from(header.e_shnum(endian)) * usize::from(header.e_shentsize(endian));
    let length = usize::try_from(header.e_shoff(endian))
        .ok()?
        .checked_add(table)?;
    let library = data.get(..length)?.to_vec();
    parse(&library).is_ok().then_some(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_file_is_found_in_data() {
        let place = source_place(b"\0\0crates/runtime/src/log.rs\x10").unwrap();
        assert_eq!(place, "crates/runtime/src/log.rs");
        assert_eq!(source_place(b"\0.rs\0"), None);
    }

    #[test]
    fn an_ordinary_library_breaks_the_rules() {
        // This very test is a program that can panic and allocate.
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        let broken = violations(&program).unwrap().join("\n");
        for expected in [
            "needs another library",
            "imports",
            "panicked at",
            "initialised first",
        ] {
            assert!(
                broken.contains(expected),
                "'{expected}' is missing in:\n{broken}"
            );
        }
    }

    #[test]
    fn a_carried_library_is_found() {
        let library = fs::read(std::env::current_exe().unwrap()).unwrap();
        let mut binary = b"\x7fELF something in front".to_vec();
        binary.extend_from_slice(&library);
        binary.extend_from_slice(b"something behind");
        assert!(library.starts_with(&embedded(&binary).unwrap()));
        assert!(embedded(b"nothing at all").is_err());
    }
}
