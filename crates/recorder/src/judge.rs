//! Tells busy processes whether they may do without Syscall User Dispatch: whether all `syscall` instructions
//! in their code are patched ones.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::session::Session;
use wayfarer_runtime_abi::layout::dispatch_state;
use wayfarer_sites::{ModuleSites, sites_of_file};

/// Files beyond this are not looked at.
const LARGEST: u64 = 64 << 20;

/// What processes may have mapped besides files that can be looked at.
pub struct Judge {
    /// Build ids of the modules whose sites the runtime patches.
    patched: Vec<Vec<u8>>,
    /// Device and inode of the runtime library.
    runtime: Option<(u64, u64)>,
}

impl Judge {
    pub fn new(patched: &[ModuleSites], runtime: &File) -> Judge {
        Judge {
            patched: patched
                .iter()
                .filter(|module| module.is_complete() && !module.build_id.is_empty())
                .map(|module| module.build_id.clone())
                .collect(),
            runtime: runtime
                .metadata()
                .ok()
                .map(|status| (status.dev(), status.ino())),
        }
    }

    /// Answers all processes that have asked.
    pub fn answer(&self, session: &Session) {
        for slot in session.process_ids().filter_map(|id| session.process(id)) {
            if slot.dispatch.load(Ordering::Acquire) != dispatch_state::ASKED {
                continue;
            }
            let pid = slot.real_pid.load(Ordering::Acquire);
            let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
            let verdict = if self.is_silent(&maps) {
                dispatch_state::SILENT
            } else {
                dispatch_state::LOUD
            };
            slot.dispatch.store(verdict, Ordering::Release);
        }
    }

    /// Whether no code in these mappings makes a call that is not patched.
    fn is_silent(&self, maps: &str) -> bool {
        !maps.is_empty()
            && maps
                .lines()
                .filter_map(Mapping::parse)
                .all(|mapping| self.is_harmless(&mapping))
    }

    fn is_harmless(&self, mapping: &Mapping<'_>) -> bool {
        if !mapping.is_code {
            return true;
        }
        if mapping.is_writable {
            return false;
        }
        match mapping.path {
            // Our own stubs: a process that has other code without a file does not ask.
            "" => true,
            // Its functions are called by us alone.
            "[vdso]" | "[vsyscall]" => true,
            path => self.is_harmless_file(Path::new(path), mapping.inode),
        }
    }

    fn is_harmless_file(&self, path: &Path, inode: u64) -> bool {
        if self.runtime.is_some_and(|(_, own)| own == inode) && is_runtime(path) {
            return true;
        }
        // A file that was replaced since is not the one that is mapped, and the largest would take seconds.
        let is_it = |status: fs::Metadata| status.ino() == inode && status.len() <= LARGEST;
        if !fs::metadata(path).is_ok_and(is_it) {
            return false;
        }
        sites_of_file(path).is_ok_and(|module| {
            module.is_silent() || (module.is_complete() && self.patched.contains(&module.build_id))
        })
    }
}

/// Its name in the cache, or that of a file in memory.
fn is_runtime(path: &Path) -> bool {
    path.to_string_lossy().contains("libwayfarer_runtime")
}

/// One line of `/proc/PID/maps`.
struct Mapping<'a> {
    is_code: bool,
    is_writable: bool,
    inode: u64,
    path: &'a str,
}

impl Mapping<'_> {
    fn parse(line: &str) -> Option<Mapping<'_>> {
        let mut rest = line;
        let mut word = || {
            let text = rest.trim_start();
            let (word, after) = text.split_once(' ').unwrap_or((text, ""));
            rest = after;
            word
        };
        let (_range, rights, _offset, _device) = (word(), word(), word(), word());
        let inode = word().parse().ok()?;
        Some(Mapping {
            is_code: rights.contains('x'),
            is_writable: rights.contains('w'),
            inode,
            path: rest.trim_start(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge() -> Judge {
        Judge {
            patched: Vec::new(),
            runtime: None,
        }
    }

    #[test]
    fn lines_are_read_with_blanks_in_paths() {
        let line = "7f10-7f20 r-xp 00001000 fe:00 4711                       /opt/a b/lib c.so";
        let mapping = Mapping::parse(line).unwrap();
        assert!(mapping.is_code && !mapping.is_writable);
        assert_eq!((mapping.inode, mapping.path), (4711, "/opt/a b/lib c.so"));
        assert_eq!(Mapping::parse("1-2 rw-p 0 00:00 0").unwrap().path, "");
        assert!(Mapping::parse("nonsense").is_none());
    }

    #[test]
    fn libc_without_patches_and_writable_code_are_loud() {
        let own = fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!judge().is_silent(&own));
        assert!(!judge().is_silent("1-2 rwxp 0 00:00 0"));
        assert!(!judge().is_silent("1-2 r-xp 0 00:00 9 /no/such/file"));
        assert!(!judge().is_silent(""));
        assert!(judge().is_silent("1-2 r-xp 0 00:00 0\n3-4 rw-p 0 00:00 0"));
    }
}
