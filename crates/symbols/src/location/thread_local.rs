//! The address of a thread-local variable, through the tables that glibc keeps in the debuggee.
//!
//! A thread's `fs` base points to its control block; the second word there is the dynamic thread
//! vector: entry N holds the block of the module with thread-local id N. The id of a module is in
//! its `link_map`, at an offset that libc itself publishes for debuggers
//! (`_thread_db_link_map_l_tls_modid`).

use super::Unreadable;
use crate::ModuleAddress;
use crate::unwind::{AddressSpace, LoadedModule};

/// Why a thread-local variable cannot be found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThreadLocalError {
    #[error("the thread's fs base is not known")]
    NoThreadPointer,
    #[error("{module} has no thread-local storage")]
    NoSegment { module: String },
    #[error("the thread-local storage of {module} cannot be located in this process")]
    UnknownModule { module: String },
    #[error("the thread-local storage of {module} is not allocated for this thread yet")]
    NotAllocated { module: String },
    #[error("the thread's table of thread-local storage is damaged: {0}")]
    Unreadable(#[from] Unreadable),
}

/// More modules than any process has; a list longer than this is damaged.
const MOST_LINK_MAPS: usize = 10_000;
/// Of glibc: entries of the vector are a pointer to the block and one for freeing it.
const VECTOR_ENTRY: u64 = 16;
const UNALLOCATED: u64 = u64::MAX;
const DT_NULL: u64 = 0;
const DT_DEBUG: u64 = 21;

/// The process address of the variable at `offset` of the module's thread-local block, for the
/// thread with this `fs` base.
pub fn thread_local_address(
    space: &dyn AddressSpace,
    loaded: &LoadedModule,
    fs_base: Option<u64>,
    offset: u64,
) -> Result<u64, ThreadLocalError> {
    let fs_base = fs_base.ok_or(ThreadLocalError::NoThreadPointer)?;
    let module = || loaded.module.name();
    let segment = loaded
        .module
        .tls_segment()
        .ok_or_else(|| ThreadLocalError::NoSegment { module: module() })?;
    // In split DWARF gcc gives the address of the variable's initial value instead.
    let offset = match offset.checked_sub(segment.address.0) {
        Some(inside) if offset >= segment.memory_size && inside < segment.memory_size => inside,
        _ => offset,
    };
    let program = space.modules().into_iter().next();
    let is_program =
        program.is_some_and(|first| std::sync::Arc::ptr_eq(&first.module, &loaded.module));
    // The program's own block ends at the thread pointer, whatever the libc.
    if is_program {
        let alignment = segment.alignment.max(1);
        let size = segment
            .memory_size
            .checked_next_multiple_of(alignment)
            .unwrap_or(segment.memory_size);
        return Ok(fs_base.wrapping_sub(size).wrapping_add(offset));
    }
    let id = thread_local_id(space, loaded)
        .ok_or_else(|| ThreadLocalError::UnknownModule { module: module() })?;
    let memory = space.memory();
    let vector = memory.read_u64(fs_base.wrapping_add(8))?;
    let allocated = memory.read_u64(vector.wrapping_sub(VECTOR_ENTRY))?;
    if id > allocated {
        return Err(ThreadLocalError::NotAllocated { module: module() });
    }
    let entry = vector.wrapping_add(id.wrapping_mul(VECTOR_ENTRY));
    match memory.read_u64(entry)? {
        0 | UNALLOCATED => Err(ThreadLocalError::NotAllocated { module: module() }),
        block => Ok(block.wrapping_add(offset)),
    }
}

/// The number under which the dynamic loader keeps the module's thread-local storage.
fn thread_local_id(space: &dyn AddressSpace, loaded: &LoadedModule) -> Option<u64> {
    let memory = space.memory();
    if let Some(offset) = offset_of_id(space)
        && let Some(map) = link_maps(space)
            .into_iter()
            .find(|(_, bias)| *bias == loaded.bias)
        && let Ok(id) = memory.read_u64(map.0.wrapping_add(offset))
        && id != 0
    {
        return Some(id);
    }
    // The loader numbers modules with thread-local storage in the order in which it loads them.
    space
        .modules()
        .iter()
        .filter(|other| other.module.tls_segment().is_some())
        .position(|other| other.bias == loaded.bias)
        .map(|index| index as u64 + 1)
}

/// Where in a `link_map` glibc keeps the thread-local id: the third word of what it publishes.
fn offset_of_id(space: &dyn AddressSpace) -> Option<u64> {
    for candidate in space.modules() {
        let symbols = candidate
            .module
            .symbols_named("_thread_db_link_map_l_tls_modid");
        let Some(symbol) = symbols.first() else {
            continue;
        };
        let mut bytes = [0; 12];
        let address = symbol.address.in_process(candidate.bias);
        space.memory().read(address, &mut bytes).ok()?;
        return Some(u64::from(u32::from_le_bytes([
            bytes[8], bytes[9], bytes[10], bytes[11],
        ])));
    }
    None
}

/// The dynamic loader's list of modules: the address of each `link_map` and the bias it holds.
/// Empty for a static program and before the loader has run.
pub fn link_maps(space: &dyn AddressSpace) -> Vec<(u64, u64)> {
    let memory = space.memory();
    let mut maps = Vec::new();
    let Some(mut address) = first_link_map(space) else {
        return maps;
    };
    while address != 0 && maps.len() < MOST_LINK_MAPS {
        let (Ok(bias), Ok(next)) = (
            memory.read_u64(address),
            memory.read_u64(address.wrapping_add(24)),
        ) else {
            break;
        };
        maps.push((address, bias));
        address = next;
    }
    maps
}

fn first_link_map(space: &dyn AddressSpace) -> Option<u64> {
    let program = space.modules().into_iter().next()?;
    let ModuleAddress(dynamic) = program.module.dynamic_section()?;
    let memory = space.memory();
    let mut entry = dynamic.wrapping_add(program.bias);
    for _ in 0..1000 {
        let tag = memory.read_u64(entry).ok()?;
        match tag {
            DT_NULL => return None,
            DT_DEBUG => {
                let debug = memory.read_u64(entry.wrapping_add(8)).ok()?;
                if debug == 0 {
                    return None;
                }
                return memory.read_u64(debug.wrapping_add(8)).ok();
            }
            _ => entry = entry.wrapping_add(16),
        }
    }
    None
}
