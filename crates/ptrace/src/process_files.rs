//! What /proc says about a process. Everything here can be gone by the time it is used.

use crate::thread::Tid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// One line of /proc/PID/maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub low: u64,
    /// First address after it.
    pub high: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// `r`
    pub readable: bool,
    /// `w`
    pub writable: bool,
    /// `x`
    pub executable: bool,
    /// `s` instead of `p`
    pub shared: bool,
    /// Device and inode, which tell a file from another of the same path.
    pub file: (String, u64),
    /// Path or name; empty for anonymous memory.
    pub path: String,
}

/// The mappings of a process, by address; none if it is gone.
pub fn maps(pid: Tid) -> Vec<Mapping> {
    let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(parse_mapping)
        .collect()
}

fn parse_mapping(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (permissions, rest) = rest.split_once(' ')?;
    let (offset, rest) = rest.split_once(' ')?;
    let (device, rest) = rest.split_once(' ')?;
    let (inode, path) = rest.split_once(' ').unwrap_or((rest, ""));
    let (low, high) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        low: number(low)?,
        high: number(high)?,
        offset: number(offset)?,
        readable: permissions.contains('r'),
        writable: permissions.contains('w'),
        executable: permissions.contains('x'),
        shared: permissions.contains('s'),
        file: (device.to_string(), inode.parse().ok()?),
        path: path.trim_start().to_string(),
    })
}

/// All processes.
pub fn processes() -> Vec<Tid> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Tid))
        .collect()
}

/// The thread ids of a process.
pub fn tasks(pid: Tid) -> Vec<Tid> {
    fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Tid))
        .collect()
}

/// The children of all threads of a process.
pub fn children(pid: Tid) -> Vec<Tid> {
    tasks(pid)
        .into_iter()
        .flat_map(|tid| children_of_thread(pid, tid))
        .collect()
}

/// The children that one thread of a process has made.
pub fn children_of_thread(pid: Tid, tid: Tid) -> Vec<Tid> {
    fs::read_to_string(format!("/proc/{pid}/task/{tid}/children"))
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.parse().ok().map(Tid))
        .collect()
}

/// The auxiliary vector.
pub fn auxiliary(pid: Tid) -> Vec<(u64, u64)> {
    let bytes = fs::read(format!("/proc/{pid}/auxv")).unwrap_or_default();
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .filter_map(|chunk| Some(u64::from_le_bytes(chunk.try_into().ok()?)))
        .collect();
    words
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .take_while(|(key, _)| *key != 0)
        .collect()
}

/// The executable.
pub fn executable(pid: Tid) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// The working directory.
pub fn directory(pid: Tid) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The arguments, the program's name first.
pub fn arguments(pid: Tid) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut arguments: Vec<String> = bytes
        .split(|byte| *byte == 0)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    arguments.pop();
    arguments
}

/// The name of a thread.
pub fn name(tid: Tid) -> String {
    fs::read_to_string(format!("/proc/{tid}/comm"))
        .map(|name| name.trim_end_matches('\n').to_string())
        .unwrap_or_default()
}

/// The value of a line of /proc/TID/status.
fn status(tid: Tid, key: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{tid}/status")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().to_string())
}

/// The process that a thread belongs to.
pub fn process_of(tid: Tid) -> Option<Tid> {
    status(tid, "Tgid:")?.parse().ok().map(Tid)
}

/// The parent process.
pub fn parent(pid: Tid) -> Option<Tid> {
    status(pid, "PPid:")?.parse().ok().map(Tid)
}

/// How many filters stand between a thread and the kernel; all there can be in strict mode.
pub fn filters(tid: Tid) -> u32 {
    let number = |key| status(tid, key).and_then(|text| text.parse::<u32>().ok());
    match number("Seccomp:") {
        None | Some(0) => 0,
        Some(2) => number("Seccomp_filters:").unwrap_or(u32::MAX),
        Some(_) => u32::MAX,
    }
}

/// Whether the process has a handler for a signal.
pub fn catches(pid: Tid, signal: i32) -> bool {
    status(pid, "SigCgt:")
        .and_then(|text| u64::from_str_radix(&text, 16).ok())
        .is_some_and(|caught| caught & 1 << (signal - 1) != 0)
}

/// The tracer of a thread, if it has one.
pub fn tracer(_pid: Tid, tid: Tid) -> Option<Tid> {
    let tracer = status(tid, "TracerPid:")?.parse().ok()?;
    (tracer != 0).then_some(Tid(tracer))
}

/// The letter of its state: R, S, D, T, t, Z, X.
pub fn state(tid: Tid) -> Option<char> {
    status(tid, "State:")?.chars().next()
}

/// Whether two threads belong to one process.
pub fn same_process(one: Tid, other: Tid) -> bool {
    one == other || (process_of(one).is_some() && process_of(one) == process_of(other))
}

/// The user a process belongs to.
pub fn owner(pid: Tid) -> Option<u32> {
    fs::metadata(format!("/proc/{pid}"))
        .ok()
        .map(|metadata| metadata.uid())
}

/// When a process began, in clock ticks since boot: with the pid it tells a process from its successors.
pub fn start_time(pid: Tid) -> Option<u64> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let after_name = text.rsplit_once(") ")?.1;
    after_name.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_parsed() {
        let line = "7f0000001000-7f0000003000 r-xp 00001000 fe:01 1234                       /usr/lib/a b.so (deleted)";
        let mapping = parse_mapping(line).unwrap();
        assert_eq!(
            (mapping.low, mapping.high),
            (0x7f00_0000_1000, 0x7f00_0000_3000)
        );
        assert!(mapping.readable && mapping.executable && !mapping.writable && !mapping.shared);
        assert_eq!(mapping.file, ("fe:01".to_string(), 1234));
        assert_eq!(mapping.path, "/usr/lib/a b.so (deleted)");
        assert_eq!(parse_mapping("1000-2000 rw-p 0 00:00 0").unwrap().path, "");
        assert!(parse_mapping("nonsense").is_none());
    }

    #[test]
    fn we_know_ourselves() {
        let us = Tid(std::process::id() as i32);
        assert!(tasks(us).contains(&us));
        assert_eq!(process_of(us), Some(us));
        assert!(start_time(us).is_some());
        assert!(!maps(us).is_empty());
        assert!(auxiliary(us).iter().any(|(key, _)| *key == 9));
        assert!(!arguments(us).is_empty());
    }
}
