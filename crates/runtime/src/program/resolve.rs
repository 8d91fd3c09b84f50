//! Finds the real functions of our hooks: the next definition after ours in the loader's list.
//!
//! Never one before ours: a program with a `malloc` of its own that goes on to the next one means
//! us.
//!
//! Done by reading hash tables in memory, because `dlsym` may allocate, and allocation may be one
//! of the functions in question.

use crate::memory::user;
use core::ffi::CStr;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::modules::Module;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};
use wayfarer_runtime_abi::layout::race_key;

const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_GNU_HASH: usize = 0x6fff_fef5;
const DT_VERSYM: usize = 0x6fff_fff0;
/// A version that only old programs ask for.
const HIDDEN: u16 = 0x8000;

/// `struct link_map`, as far as debuggers may look.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const u8,
    dynamic: *const [usize; 2],
    next: *const LinkMap,
}

/// `struct r_debug`, as far as it is needed.
#[repr(C)]
struct Debug {
    version: i32,
    map: *const LinkMap,
}

#[repr(C)]
struct Symbol {
    name: u32,
    information: u8,
    other: u8,
    section: u16,
    value: usize,
    size: usize,
}

core::arch::global_asm!(".weak _r_debug");

/// First entry of the loader's list; null where the loader keeps none.
fn first() -> *const LinkMap {
    let debug: *const Debug;
    // SAFETY: reads the address of a weak symbol from our own table of addresses.
    unsafe {
        core::arch::asm!(
            "mov {debug}, qword ptr [rip + _r_debug@GOTPCREL]",
            debug = out(reg) debug,
            options(nostack, readonly, preserves_flags),
        );
        if debug.is_null() {
            return core::ptr::null();
        }
        (*debug).map
    }
}

/// Our own dynamic section, by which the loader's list knows us.
fn own_dynamic() -> *const [usize; 2] {
    let dynamic: *const [usize; 2];
    // SAFETY: takes an address.
    unsafe {
        core::arch::asm!(
            "lea {dynamic}, [rip + _DYNAMIC]",
            dynamic = out(reg) dynamic,
            options(nostack, nomem, preserves_flags),
        );
    }
    dynamic
}

/// Address of the first definition of `name` after ours; 0: there is none. Not one before ours: what stands there,
/// such as a program with a `malloc` of its own, may itself have asked for the next one, which is us.
///
/// # Safety
/// Only while no library is loaded or unloaded, or from a constructor.
pub unsafe fn next(name: &CStr) -> usize {
    let mut entry = first();
    // SAFETY: the list ends with null.
    unsafe {
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if map.dynamic == own_dynamic() {
                return definition(entry, name);
            }
        }
    }
    0
}

/// Address of the first definition of `name` that is not ours: of a variable, which the program may have taken to itself.
///
/// # Safety
/// As [`next`].
pub unsafe fn variable(name: &CStr) -> usize {
    // SAFETY: as the caller says.
    unsafe { definition(first(), name) }
}

/// The first definition of `name` in the list from `entry` on that is not ours.
///
/// # Safety
/// The entry must be one of the loader's list, which does not change meanwhile.
unsafe fn definition(mut entry: *const LinkMap, name: &CStr) -> usize {
    let hash = hash_of(name);
    // SAFETY: the list ends with null; its modules are mapped.
    unsafe {
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if map.dynamic.is_null() || map.dynamic == own_dynamic() || is_virtual(map) {
                continue;
            }
            let found = lookup(map, name, hash);
            if found != 0 {
                return found;
            }
        }
    }
    0
}

/// The kernel's own library: its tables are not relocated.
///
/// # Safety
/// The object must be loaded, and stay so meanwhile.
unsafe fn is_virtual(map: &LinkMap) -> bool {
    // SAFETY: names are zero terminated or null.
    unsafe {
        !map.name.is_null()
            && CStr::from_ptr(map.name.cast())
                .to_bytes()
                .starts_with(b"linux-")
    }
}

fn hash_of(name: &CStr) -> u32 {
    let mut hash = 5381u32;
    for byte in name.to_bytes() {
        hash = hash.wrapping_mul(33).wrapping_add(u32::from(*byte));
    }
    hash
}

/// Looks the name up in the hash table of one module.
///
/// # Safety
/// The object must be loaded, and stay so meanwhile.
unsafe fn lookup(map: &LinkMap, name: &CStr, hash: u32) -> usize {
    // SAFETY: the loader made the addresses in the dynamic section absolute; the tables have the form that
    // the ELF specification and the GNU hash give them.
    unsafe {
        let strings = entry_of(map, DT_STRTAB);
        let symbols = entry_of(map, DT_SYMTAB);
        let table = entry_of(map, DT_GNU_HASH);
        let versions = entry_of(map, DT_VERSYM);
        if strings == 0 || symbols == 0 || table == 0 || table < map.base {
            return 0;
        }
        let words = table as *const u32;
        let (buckets, offset, bloom) = (*words, *words.add(1), *words.add(2));
        if buckets == 0 {
            return 0;
        }
        let first_bucket = words.add(4).cast::<u64>().add(bloom as usize).cast::<u32>();
        let chains = first_bucket.add(buckets as usize);
        let mut index = *first_bucket.add((hash % buckets) as usize);
        if index < offset {
            return 0;
        }
        loop {
            let chain = *chains.add((index - offset) as usize);
            if (chain | 1) == (hash | 1) {
                let symbol = &*(symbols as *const Symbol).add(index as usize);
                let hidden =
                    versions != 0 && *(versions as *const u16).add(index as usize) & HIDDEN != 0;
                let text = CStr::from_ptr((strings as *const u8).add(symbol.name as usize).cast());
                if symbol.section != 0 && !hidden && text == name {
                    return map.base.wrapping_add(symbol.value);
                }
            }
            if chain & 1 != 0 {
                return 0;
            }
            index += 1;
        }
    }
}

/// What the program's own file looks like.
pub struct Survey {
    pub by_hand: bool,
    pub imports_syscall: bool,
    pub imports_cancel: bool,
    /// Its threads may ask to be cancelled anywhere.
    pub imports_cancel_type: bool,
    /// It takes locks of pthread's.
    pub imports_locks: bool,
    /// It carries our note: its locks are those of `wayfarer-sync`.
    pub declares_sync: bool,
    program: Program,
}

/// Program headers of the program, as the kernel gave them.
#[derive(Clone, Copy)]
struct Program {
    headers: usize,
    count: usize,
    /// What the loader added to its addresses, where that is known already.
    bias: Option<usize>,
}

static HEADERS: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Remembers where the program's headers lie.
pub fn remember_program(headers: usize, count: usize) {
    HEADERS.store(headers, Ordering::Relaxed);
    COUNT.store(count, Ordering::Relaxed);
}

/// A look at the program and at the names of its libraries.
pub fn survey(by_hand: &[&[u8]]) -> Survey {
    let program = Program::remembered();
    let mut survey = Survey {
        by_hand: false,
        imports_syscall: false,
        imports_cancel: false,
        imports_cancel_type: false,
        imports_locks: false,
        declares_sync: program.has_note(),
        program,
    };
    let mut entry = first();
    let mut is_program = true;
    // SAFETY: the list ends with null; names are zero terminated.
    unsafe {
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if is_program {
                survey.imports_syscall = imports(map, c"syscall");
                survey.imports_cancel = imports(map, c"pthread_cancel");
                survey.imports_cancel_type = imports(map, c"pthread_setcanceltype");
                survey.imports_locks = LOCKS.iter().any(|name| imports(map, name));
                is_program = false;
            } else if !map.name.is_null() {
                let name = CStr::from_ptr(map.name.cast()).to_bytes();
                survey.by_hand |= by_hand.iter().any(|known| contains(name, known));
            }
        }
    }
    survey
}

/// The loader itself.
pub fn loader() -> Option<Module> {
    let name = c"_rtld_global";
    let hash = hash_of(name);
    let mut entry = first();
    // SAFETY: the list ends with null; its modules are mapped.
    unsafe {
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if !map.dynamic.is_null() && !is_virtual(map) && lookup(map, name, hash) != 0 {
                return Some(Module::at(map.base, map.name));
            }
        }
    }
    None
}

/// Whether the program itself asks for `name`.
pub fn program_imports(name: &CStr) -> bool {
    // SAFETY: the first entry of the list is the program.
    unsafe { first().as_ref().is_some_and(|map| imports(map, name)) }
}

/// What the program would be remembered by if it raced.
pub fn program_key() -> Option<u64> {
    let program = Module::program(
        HEADERS.load(Ordering::Relaxed),
        COUNT.load(Ordering::Relaxed),
    );
    race_key(program.build_id())
}

/// Whether any module but ours and libc, which defines it, asks for `name`.
pub fn anybody_imports(name: &CStr) -> bool {
    let mut entry = first();
    // SAFETY: the list ends with null; its modules are mapped.
    unsafe {
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if !map.dynamic.is_null() && !is_virtual(map) && imports(map, name) {
                return true;
            }
        }
    }
    false
}

/// Whether the program asks for the first version of `name` that glibc had on this processor.
pub fn program_imports_first_version(name: &CStr) -> bool {
    const DT_VERNEED: usize = 0x6fff_fffe;
    const FIRST: u32 = 0x0969_1a75; // of "GLIBC_2.2.5"
    // SAFETY: as in `lookup`; the needed versions are two nested lists of offsets that end with 0.
    unsafe {
        let Some(map) = first().as_ref() else {
            return false;
        };
        let versions = entry_of(map, DT_VERSYM);
        // The one address that the loader leaves relative.
        let needed = map.base.wrapping_add(entry_of(map, DT_VERNEED));
        let Some(index) = import_of(map, name) else {
            return false;
        };
        if versions == 0 || needed == map.base {
            return false;
        }
        let wanted = *(versions as *const u16).add(index as usize);
        let mut file = needed;
        loop {
            let mut version = file + *((file + 8) as *const u32) as usize;
            loop {
                if *((version + 6) as *const u16) == wanted {
                    return *(version as *const u32) == FIRST;
                }
                match *((version + 12) as *const u32) {
                    0 => break,
                    step => version += step as usize,
                }
            }
            match *((file + 12) as *const u32) {
                0 => return false,
                step => file += step as usize,
            }
        }
    }
}

/// Whether an address lies in the code of the program itself.
pub fn is_in_program(address: usize) -> bool {
    Program::remembered()
        .segments()
        .any(|(kind, _, from, length)| kind == PT_LOAD && address.wrapping_sub(from) < length)
}

/// Functions that a program which synchronises through pthread calls.
const LOCKS: [&CStr; 8] = [
    c"pthread_mutex_lock",
    c"pthread_mutex_trylock",
    c"pthread_rwlock_wrlock",
    c"pthread_spin_lock",
    c"sem_wait",
    c"mtx_lock",
    c"pthread_cond_wait",
    c"pthread_rwlock_rdlock",
];

pub fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len().max(1)).any(|part| part == wanted)
}

/// An entry of the dynamic section; 0: there is none.
///
/// # Safety
/// The object must be loaded, and stay so meanwhile.
unsafe fn entry_of(map: &LinkMap, wanted: usize) -> usize {
    let mut entry = map.dynamic;
    // SAFETY: the dynamic section ends with a zero tag.
    unsafe {
        while !entry.is_null() && (*entry)[0] != 0 {
            if (*entry)[0] == wanted {
                return (*entry)[1];
            }
            entry = entry.add(1);
        }
    }
    0
}

/// Whether a module asks others for `name`.
///
/// # Safety
/// The object must be loaded, and stay so meanwhile.
unsafe fn imports(map: &LinkMap, name: &CStr) -> bool {
    // SAFETY: as the caller says.
    unsafe { import_of(map, name) }.is_some()
}

/// Which symbol of a module asks others for `name`. Undefined ones lie in front of those in the hash table.
///
/// # Safety
/// The object must be loaded, and stay so meanwhile.
unsafe fn import_of(map: &LinkMap, name: &CStr) -> Option<u32> {
    // SAFETY: as in `lookup`.
    unsafe {
        let strings = entry_of(map, DT_STRTAB);
        let symbols = entry_of(map, DT_SYMTAB);
        let table = entry_of(map, DT_GNU_HASH);
        if strings == 0 || symbols == 0 || table == 0 {
            return None;
        }
        let count = *(table as *const u32).add(1);
        (1..count).find(|index| {
            let symbol = &*(symbols as *const Symbol).add(*index as usize);
            let text = (strings as *const u8).add(symbol.name as usize);
            symbol.section == 0 && CStr::from_ptr(text.cast()) == name
        })
    }
}

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const PT_PHDR: u32 = 6;
const EXECUTABLE: u32 = 1;
const HEADER: usize = 56;

/// `mov edi, 202`: the first argument of `syscall`, which then makes a futex call.
pub const FUTEX_NUMBER: [u8; 5] = [0xbf, 0xca, 0, 0, 0];

/// Compilers as libraries have more code than this; to read all of it would take longer than most programs.
pub const LARGEST_CODE: usize = 32 << 20;

/// Functions by which a library makes threads.
const THREADS: [&CStr; 3] = [
    c"pthread_create",
    c"thrd_create",
    c"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
];

/// What the libraries of a program do themselves.
#[derive(Default)]
pub struct Libraries {
    /// One that makes threads takes locks of pthread's.
    pub take_locks: bool,
    /// One makes futex calls of its own, or makes threads and orders them by atomic operations.
    pub by_hand: bool,
}

/// A look at all libraries but `known`.
pub fn survey_libraries(known: &[&[u8]]) -> Libraries {
    let mut found = Libraries::default();
    let mut entry = first();
    // SAFETY: the list ends with null; names are zero terminated; the first entry is the program.
    unsafe {
        if let Some(program) = entry.as_ref() {
            entry = program.next;
        }
        while let Some(map) = entry.as_ref() {
            entry = map.next;
            if map.name.is_null() || map.dynamic == own_dynamic() || is_virtual(map) {
                continue;
            }
            let name = CStr::from_ptr(map.name.cast()).to_bytes();
            if known.iter().any(|known| contains(name, known)) {
                continue;
            }
            let asks_for = |names: &[&CStr]| names.iter().any(|name| imports(map, name));
            if asks_for(&THREADS) {
                found.take_locks |= asks_for(&LOCKS);
                found.by_hand |= Program::of_library(map).is_some_and(Program::orders_by_hand);
            }
            found.by_hand |= asks_for(&[c"syscall"])
                && Program::of_library(map).is_some_and(Program::makes_futex_calls);
        }
    }
    found
}

impl Program {
    /// The program itself.
    fn remembered() -> Self {
        Program {
            headers: HEADERS.load(Ordering::Relaxed),
            count: COUNT.load(Ordering::Relaxed),
            bias: None,
        }
    }

    /// A library whose file header is mapped where its addresses begin, as linkers make them.
    fn of_library(map: &LinkMap) -> Option<Self> {
        const HEADERS_AT: usize = 32;
        const COUNT_AT: usize = 56;
        let base = Address::new(map.base);
        let magic = user::read::<[u8; 4]>(base)?;
        let headers = user::read::<usize>(base.plus(HEADERS_AT))?;
        let count = user::read::<u16>(base.plus(COUNT_AT))?;
        (&magic == b"\x7fELF").then_some(Program {
            headers: map.base.wrapping_add(headers),
            count: count as usize,
            bias: Some(map.base),
        })
    }

    fn makes_futex_calls(self) -> bool {
        self.segments().any(|(kind, flags, address, length)| {
            if kind != PT_LOAD || flags & EXECUTABLE == 0 || length > LARGEST_CODE {
                return false;
            }
            // SAFETY: code of a library that is mapped.
            let code = unsafe { core::slice::from_raw_parts(address as *const u8, length) };
            contains(code, &FUTEX_NUMBER)
        })
    }

    fn orders_by_hand(self) -> bool {
        self.code_length() > LARGEST_CODE || self.count_instructions() != (0, 0)
    }

    fn code_length(self) -> usize {
        let code = self
            .segments()
            .filter(|(kind, flags, ..)| *kind == PT_LOAD && flags & EXECUTABLE != 0);
        code.map(|(.., length)| length).sum()
    }

    /// Atomic exchanges and `pause`s in the code, found by their bytes.
    fn count_instructions(self) -> (i64, i64) {
        let (mut atomics, mut pauses) = (0, 0);
        for (kind, flags, address, length) in self.segments() {
            if kind != PT_LOAD || flags & EXECUTABLE == 0 {
                continue;
            }
            // SAFETY: code of the program or of a library, which stays mapped.
            let code = unsafe { core::slice::from_raw_parts(address as *const u8, length) };
            for part in code.windows(4) {
                pauses += i64::from(is_pause(part));
                atomics += i64::from(is_exchange(part));
            }
        }
        (atomics, pauses)
    }

    /// Kind, flags, address in memory and length of each segment.
    fn segments(self) -> impl Iterator<Item = (u32, u32, usize, usize)> {
        let word = move |index: usize, at: usize| {
            let place = self.headers + index * HEADER + at;
            // SAFETY: within the table of headers, which is mapped.
            unsafe { (place as *const usize).read_unaligned() }
        };
        let mut bias = self.bias.unwrap_or(0);
        for index in 0..self.count {
            if self.bias.is_none() && word(index, 0) as u32 == PT_PHDR {
                bias = self.headers.wrapping_sub(word(index, 16));
            }
        }
        (0..self.count).map(move |index| {
            let first = word(index, 0);
            (
                first as u32,
                (first >> 32) as u32,
                bias.wrapping_add(word(index, 16)),
                word(index, 32),
            )
        })
    }

    fn has_note(self) -> bool {
        self.segments().any(|(kind, _, address, length)| {
            if kind != PT_NOTE {
                return false;
            }
            // SAFETY: a segment of the program that is mapped.
            let bytes = unsafe { core::slice::from_raw_parts(address as *const u8, length) };
            contains(bytes, b"Wayfarer\0")
        })
    }
}

impl Survey {
    /// Atomic exchanges and `pause`s in the program's own code.
    pub fn count_instructions(&self) -> (i64, i64) {
        self.program.count_instructions()
    }
}

/// Whether threads are ordered by hand in this code, by what is looked for in the program's own.
pub fn has_order_by_hand(code: &[u8]) -> bool {
    code.windows(4)
        .any(|part| is_pause(part) || is_exchange(part))
}

fn is_pause(code: &[u8]) -> bool {
    code.starts_with(&[0xf3, 0x90])
}

fn is_exchange(code: &[u8]) -> bool {
    let &[0xf0, second, third, fourth] = code else {
        return false;
    };
    if is_wide(second) {
        is_locked(third, fourth)
    } else {
        is_locked(second, third)
    }
}

/// A REX prefix.
fn is_wide(byte: u8) -> bool {
    byte & 0xf0 == 0x40
}

/// Whether an operation after a lock prefix is one of those that order threads: an exchange or an addition
/// that gives the old value. Others look too much like parts of addresses.
fn is_locked(operation: u8, next: u8) -> bool {
    operation == 0x0f && matches!(next, 0xb0 | 0xb1 | 0xc0 | 0xc1 | 0xc7)
}
