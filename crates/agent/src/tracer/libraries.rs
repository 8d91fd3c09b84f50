//! Libraries: the dynamic linker calls an empty function whenever its list changes; a breakpoint there tells us.

use super::Tracer;
use super::process::{Owner, Space};
use crate::image::{image_at_address, images, u32_at, u64_at};
use wayfarer_backend::{EventKind, ProcessId, ThreadId};
use wayfarer_ptrace::{Memory, Tid, process_files};

/// Where a process's dynamic linker tells of libraries.
#[derive(Clone, Debug)]
pub struct Linker {
    /// The function that it calls.
    break_address: u64,
    /// Its `r_debug`.
    debug: u64,
    /// The list as we know it: load address and dynamic section of each.
    seen: Vec<(u64, u64)>,
}

const AT_BASE: u64 = 7;
const DYNAMIC_STRINGS: u64 = 5;
const DYNAMIC_SYMBOLS: u64 = 6;
const DYNAMIC_DEBUG: u64 = 21;
const SYMBOL_SIZE: u64 = 24;
/// Bounds for tables in somebody else's memory.
const MOST_DYNAMIC: u64 = 512;
const MOST_BYTES: u64 = 1 << 20;
const MOST_LIBRARIES: usize = 1 << 16;
/// `r_state`: the list is whole.
const CONSISTENT: u32 = 0;

/// One entry of the dynamic linker's list.
pub(super) struct LinkMap {
    pub address: u64,
    pub load: u64,
    pub dynamic: u64,
}

impl Tracer {
    /// Finds the dynamic linker of a process and follows it. A static program has none.
    pub(super) fn follow_libraries(&mut self, id: ProcessId) {
        let Some(process) = self.processes.get(&id) else {
            return;
        };
        let space_id = process.space;
        let Some(space) = self.spaces.get(&space_id) else {
            return;
        };
        let Some(mut linker) = find(process.pid, &space.memory) else {
            return;
        };
        linker.seen = list(linker.debug, &space.memory)
            .iter()
            .map(|map| (map.load, map.dynamic))
            .collect();
        let address = linker.break_address;
        if self
            .claim_address(space_id, address, Owner::Libraries(id))
            .is_ok()
            && let Some(process) = self.processes.get_mut(&id)
        {
            process.linker = Some(linker);
        }
    }

    /// The thread is in the dynamic linker's function: tells of a changed list. True if the thread stays for that.
    pub(super) fn libraries_reported(&mut self, id: ThreadId, address: u64) -> bool {
        let Some(process_id) = self.threads.get(&id).map(|thread| thread.process) else {
            return false;
        };
        let Some(process) = self.processes.get_mut(&process_id) else {
            return false;
        };
        let (Some(linker), Some(space)) = (&mut process.linker, self.spaces.get(&process.space))
        else {
            return false;
        };
        if linker.break_address != address || state(linker.debug, &space.memory) != Some(CONSISTENT)
        {
            return false;
        }
        let now: Vec<(u64, u64)> = list(linker.debug, &space.memory)
            .iter()
            .map(|map| (map.load, map.dynamic))
            .collect();
        if now == linker.seen {
            return false;
        }
        linker.seen = now;
        let modules = self.modules_of(process_id).unwrap_or_default();
        let held = self.settings.hold_on_load;
        if held && let Some(thread) = self.threads.get_mut(&id) {
            thread.holds.load = true;
        }
        self.tell(EventKind::LibrariesChanged {
            process: process_id,
            thread: id,
            held,
            modules,
        });
        held
    }

    /// The dynamic linker's list of a process.
    pub(super) fn link_maps(&self, id: ProcessId) -> Vec<LinkMap> {
        let Some(process) = self.processes.get(&id) else {
            return Vec::new();
        };
        let space: Option<&Space> = self.spaces.get(&process.space);
        match (&process.linker, space) {
            (Some(linker), Some(space)) => list(linker.debug, &space.memory),
            _ => Vec::new(),
        }
    }
}

fn find(pid: Tid, memory: &Memory) -> Option<Linker> {
    let base = process_files::auxiliary(pid)
        .into_iter()
        .find_map(|(key, value)| (key == AT_BASE).then_some(value))
        .filter(|base| *base != 0)?;
    let image = image_at_address(base, memory)?;
    let symbols = symbols(
        image.bias,
        image.dynamic,
        memory,
        &[b"_dl_debug_state", b"_r_debug"],
    )?;
    let (function, debug) = (symbols[0], symbols[1]);
    if let (Some(break_address), Some(debug)) = (function, debug) {
        return Some(Linker {
            break_address,
            debug,
            seen: Vec::new(),
        });
    }
    // Other linkers leave the address in the executable once they run.
    let debug = images(&process_files::maps(pid), memory)
        .iter()
        .filter(|image| image.dynamic != 0)
        .find_map(|image| {
            entry(image.dynamic, DYNAMIC_DEBUG, memory).filter(|debug| *debug != 0)
        })?;
    let break_address = memory
        .read_word(debug + 16)
        .ok()
        .filter(|address| *address != 0)?;
    Some(Linker {
        break_address,
        debug,
        seen: Vec::new(),
    })
}

fn entry(dynamic: u64, key: u64, memory: &Memory) -> Option<u64> {
    for index in 0..MOST_DYNAMIC {
        let at = dynamic.checked_add(index * 16)?;
        match memory.read_word(at).ok()? {
            0 => return None,
            found if found == key => return memory.read_word(at + 8).ok(),
            _ => {}
        }
    }
    None
}

/// Addresses of exported symbols of a module.
fn symbols(bias: u64, dynamic: u64, memory: &Memory, names: &[&[u8]]) -> Option<Vec<Option<u64>>> {
    // Addresses in the section are relocated by some linkers in place, by others not.
    let absolute = |value: u64| {
        if value < bias {
            value.wrapping_add(bias)
        } else {
            value
        }
    };
    let table = absolute(entry(dynamic, DYNAMIC_SYMBOLS, memory)?);
    let strings = absolute(entry(dynamic, DYNAMIC_STRINGS, memory)?);
    // The strings follow the symbols in every linker's output.
    let size = strings
        .checked_sub(table)
        .filter(|size| *size < MOST_BYTES)?;
    let mut entries = vec![0; size as usize];
    memory.read(table, &mut entries).ok()?;
    let mut text = vec![0; MOST_BYTES as usize / 4];
    let length = memory.read_some(strings, &mut text);
    text.truncate(length);
    let mut found = vec![None; names.len()];
    for entry in entries.chunks_exact(SYMBOL_SIZE as usize) {
        let (Some(name), Some(value)) = (u32_at(entry, 0), u64_at(entry, 8)) else {
            continue;
        };
        let name = text.get(name as usize..).unwrap_or_default();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        if let Some(index) = names.iter().position(|wanted| *wanted == name)
            && value != 0
        {
            found[index] = Some(value.wrapping_add(bias));
        }
    }
    Some(found)
}

fn state(debug: u64, memory: &Memory) -> Option<u32> {
    let mut bytes = [0; 4];
    memory.read(debug.checked_add(24)?, &mut bytes).ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// Follows the list; a damaged one ends early.
fn list(debug: u64, memory: &Memory) -> Vec<LinkMap> {
    let mut maps = Vec::new();
    let mut next = memory.read_word(debug.wrapping_add(8)).unwrap_or(0);
    while next != 0 && maps.len() < MOST_LIBRARIES {
        let mut bytes = [0; 40];
        if memory.read(next, &mut bytes).is_err() {
            break;
        }
        let word = |at| u64_at(&bytes, at).unwrap_or(0);
        maps.push(LinkMap {
            address: next,
            load: word(0),
            dynamic: word(16),
        });
        next = word(24);
    }
    maps
}
