//! Each call that this kernel has is in the list: recorded, refused, or unknown by decision.

use std::collections::BTreeMap;

use wayfarer_calls::list::{ABSENT, LIST, Row};

const X86_64: usize = 0;
const AARCH64: usize = 1;

/// Names that the kernel's functions have instead of their calls'.
const RENAMED: &[(&str, &str)] = &[
    ("newfstat", "fstat"),
    ("newlstat", "lstat"),
    ("newstat", "stat"),
    ("newuname", "uname"),
    ("sendfile64", "sendfile"),
    ("umount", "umount2"),
];

/// Entries of 32-bit programs or of other machines; no 64-bit program gets there.
const ELSEWHERE: &[&str] = &[
    "fadvise64_64",
    "fstatfs64",
    "gethostname",
    "ipc",
    "llseek",
    "mmap_pgoff",
    "ni_syscall",
    "nice",
    "recv",
    "rtas",
    "send",
    "sgetmask",
    "signal",
    "sigpending",
    "sigprocmask",
    "sigsuspend",
    "socketcall",
    "ssetmask",
    "statfs64",
    "stime",
    "subpage_prot",
    "sync_file_range2",
    "vm86",
    "vm86old",
    "waitpid",
];
const ELSEWHERE_BEGIN: &[&str] = &["ia32_", "old", "pciconfig_", "s390_", "spu_"];
const ELSEWHERE_END: &[&str] = &["16", "32"];

fn row(name: &str) -> Option<&'static Row> {
    LIST.iter().find(|row| row.name == name)
}

fn read(path: &str) -> Option<String> {
    let text = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// `#define __NR_name 12` of a header of the kernel; `prefix` instead of `__NR_`, too.
fn defined(text: &str, prefix: &str) -> BTreeMap<String, u32> {
    let lines = text.lines().filter_map(|line| {
        let mut words = line.strip_prefix("#define ")?.split_whitespace();
        let name = words.next()?;
        let name = name
            .strip_prefix(prefix)
            .or_else(|| name.strip_prefix("__NR_"))?;
        Some((name.to_owned(), words.next()?.parse().ok()?))
    });
    lines.collect()
}

/// Complaints about the calls of a header, by name.
fn wrong(calls: &BTreeMap<String, u32>, architecture: usize) -> Vec<String> {
    let judge = |(name, number): (&String, &u32)| match row(name) {
        None => Some(format!(
            "{name} ({number}) is not in the list: give it a row, unknown() if it is not recorded"
        )),
        Some(row) if row.numbers[architecture] != *number => Some(format!(
            "{name} is {number}, not {}",
            row.numbers[architecture]
        )),
        Some(_) => None,
    };
    calls.iter().filter_map(judge).collect()
}

fn skipped(what: &str) {
    eprintln!("skipped: no {what} here");
}

#[test]
fn each_call_of_the_installed_header_has_a_row() {
    let places = [
        "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
        "/usr/include/asm/unistd_64.h",
    ];
    let Some(text) = places.iter().find_map(|place| read(place)) else {
        return skipped("asm/unistd_64.h");
    };
    let calls = defined(&text, "__NR_");
    assert!(calls.len() > 300, "{} calls", calls.len());
    let wrong = wrong(&calls, X86_64);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_other_column_is_that_of_the_generic_header() {
    // aarch64 numbers its calls as this header does; a few have a name of their own there.
    const OTHERS: &[&str] = &["arch_specific_syscall", "syscalls", "sync_file_range2"];
    const AS_HERE: &[(&str, &str)] = &[("fstatat", "newfstatat")];
    let Some(text) = read("/usr/include/asm-generic/unistd.h") else {
        return skipped("asm-generic/unistd.h");
    };
    let mut calls = defined(&text, "__NR3264_");
    calls.retain(|name, _| !OTHERS.contains(&name.as_str()));
    // Calls of 32-bit machines that take times of 64 bits.
    calls.retain(|_, number| !(403..=423).contains(number));
    for (theirs, ours) in AS_HERE {
        if let Some(number) = calls.remove(*theirs) {
            calls.insert((*ours).to_owned(), number);
        }
    }
    assert!(calls.len() > 250, "{} calls", calls.len());
    let wrong = wrong(&calls, AARCH64);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let not_there: Vec<&str> = LIST
        .iter()
        .filter(|row| row.numbers[AARCH64] < 424 && !calls.contains_key(row.name))
        .map(|row| row.name)
        .collect();
    assert!(not_there.is_empty(), "{not_there:?}");
}

#[test]
fn each_call_of_the_running_kernel_has_a_row() {
    let text = read("/proc/kallsyms").unwrap_or_default();
    let functions = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("__x64_sys_"))
        // Parts that a compiler has split off have a dot in their names.
        .filter(|function| !function.contains('.'));
    let mut found = 0;
    let mut missing = Vec::new();
    for function in functions {
        found += 1;
        let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == function);
        let name = renamed.map_or(function, |(_, ours)| ours);
        let is_elsewhere = ELSEWHERE.contains(&name)
            || ELSEWHERE_BEGIN.iter().any(|begin| name.starts_with(begin))
            || ELSEWHERE_END.iter().any(|end| name.ends_with(end));
        if row(name).is_none() && !is_elsewhere {
            missing.push(name.to_owned());
        }
    }
    if found == 0 {
        return skipped("names of the kernel's functions in /proc/kallsyms");
    }
    assert!(
        missing.is_empty(),
        "this kernel has calls that are not in the list; give each a row: {missing:?}"
    );
}

#[test]
fn a_call_without_a_row_is_named() {
    let calls = defined("#define __NR_read 0\n#define __NR_surprise 999\n", "__NR_");
    let wrong = wrong(&calls, X86_64);
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].starts_with("surprise (999)"), "{wrong:?}");
}

#[test]
fn no_number_stands_twice() {
    for architecture in [X86_64, AARCH64] {
        let mut seen = BTreeMap::new();
        for row in LIST {
            let number = row.numbers[architecture];
            let other = (number != ABSENT).then(|| seen.insert(number, row.name));
            assert_eq!(other.flatten(), None, "{}", row.name);
        }
    }
}
