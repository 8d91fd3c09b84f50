//! Turns `syscall` sites and vDSO functions into jumps to our stubs.
//!
//! Runs once, at start, while the process has one thread: the instructions after an `AFTER` site
//! change under a thread that is blocked in its call. A site is written only if its bytes are exactly
//! those that the table promises.

use wayfarer_calls::Number;
use wayfarer_calls::memory::{
    MAP_ANONYMOUS, MAP_FIXED_NOREPLACE, MAP_POPULATE, MAP_PRIVATE, NO_FILE, PROT_EXEC, PROT_READ,
    PROT_WRITE,
};
use wayfarer_runtime_abi::sites::{
    Site, VDSO_CLOCK_GETRES, VDSO_CLOCK_GETTIME, VDSO_GETCPU, VDSO_GETRANDOM, VDSO_GETTIMEOFDAY,
    VDSO_TIME, kind,
};

use crate::modules::Module;
use crate::raw::{syscall2, syscall3, syscall6};
use crate::stub::{self, Stubs};
use crate::{own_stack, regions, trampoline, vdso, vdso_symbols};

const PAGE: usize = 4096;

/// Length of the `syscall` instruction.
const SYSCALL: usize = 2;

/// Stubs lie this far below their module, or a multiple of [`STEP`] further: places that depend on
/// nothing but the module's address, so that a replay finds them again.
const DISTANCE: usize = 64 << 20;
const STEP: usize = 1 << 20;
const ATTEMPTS: usize = 1024;

/// What became of a module's sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub patched: u32,
    /// Sites left alone: other bytes than promised, or no memory in reach.
    pub refused: u32,
    /// Where the stubs lie, and how long; 0 if there are none.
    pub stubs: usize,
    pub stubs_length: usize,
}

/// Patches the `BEFORE` and `AFTER` sites of a module.
///
/// # Safety
/// `base` must be the load address of the module that the sites were made for; the process must
/// have one thread.
pub unsafe fn patch_module(base: usize, sites: &[Site]) -> Outcome {
    // SAFETY: the sites lie in the module by contract.
    unsafe {
        match pages_of(base, sites) {
            Some(pages) => patch(base, pages, sites, stub_for_site),
            None => Outcome {
                refused: sites.len() as u32,
                ..Outcome::default()
            },
        }
    }
}

/// Makes all clock functions of the vDSO call the hooks, and [`crate::vdso`] the originals. `sites`
/// says which functions begin with instructions that can be moved; the others are found by name and
/// replaced as a whole.
///
/// # Safety
/// `base` must be the address of the vDSO (`AT_SYSINFO_EHDR`), the hooks must be set, and the process
/// must have one thread.
pub unsafe fn patch_vdso(base: usize, sites: &[Site]) -> Outcome {
    let mut chosen = [NO_SITE; FUNCTIONS];
    let mut count = 0usize;
    // SAFETY: offsets that the vDSO itself names, or that the table promises, lie in its text.
    unsafe {
        vdso_symbols::for_each(base, |function, offset| {
            let place = base.wrapping_add(offset);
            let movable = sites.iter().find(|site| {
                site.number == function
                    && site.offset as usize == offset
                    && site.kind == kind::VDSO
                    && is_as_promised(place, site)
            });
            if let Some(slot) = chosen.get_mut(count) {
                *slot = movable
                    .copied()
                    .unwrap_or_else(|| whole_function(base, function, offset));
                count = count.wrapping_add(1);
            }
        });
        let chosen = chosen.get(..count).unwrap_or(&[]);
        // The kernel does not allow a change of the protection of a part of the vDSO.
        let end = Module::at(base, core::ptr::null()).end();
        let outcome = patch(base, (base, round_up(end)), chosen, stub_for_function);
        if outcome.patched as usize == count {
            vdso::set_image(base, end.wrapping_sub(base));
        }
        outcome
    }
}

const FUNCTIONS: usize = 6;
/// A vDSO function whose first instructions cannot be moved: nothing is left of it.
const WHOLE: u8 = 0xff;
const NO_SITE: Site = Site {
    offset: 0,
    number: 0,
    kind: 0,
    length: 0,
    spare: 0,
    bytes: [0; 20],
};

/// # Safety
/// The function must be mapped where the offset says.
unsafe fn whole_function(base: usize, function: u32, offset: usize) -> Site {
    let mut site = Site {
        number: function,
        kind: WHOLE,
        length: stub::JUMP as u8,
        ..NO_SITE
    };
    site.offset = offset as u32;
    let place = base.wrapping_add(offset) as *const [u8; stub::JUMP];
    if let Some(bytes) = site.bytes.first_chunk_mut() {
        // SAFETY: the entry of a function of the vDSO.
        *bytes = unsafe { place.read() };
    }
    site
}

/// Makes the stub that a site shall jump to.
type Maker = fn(&mut Stubs, usize, &Site) -> Option<usize>;

/// Patches `sites`, whose text is the pages from `first` to `end`.
///
/// # Safety
/// The object must be mapped at `base`, and no other thread may run its code.
unsafe fn patch(base: usize, (first, end): (usize, usize), sites: &[Site], make: Maker) -> Outcome {
    let everything_refused = Outcome {
        refused: sites.len() as u32,
        ..Outcome::default()
    };
    let length = round_up(
        sites
            .iter()
            .map(room_for)
            .fold(stub::HEAD, usize::saturating_add),
    );
    let Some(memory) = map_below(base, length) else {
        return everything_refused;
    };
    // SAFETY: the pages are text of the module, and no other thread runs.
    if unsafe {
        syscall3(
            Number::MPROTECT,
            first,
            end.wrapping_sub(first),
            PROT_READ | PROT_WRITE | PROT_EXEC,
        )
    } != 0
    {
        // SAFETY: just mapped by us.
        unsafe { syscall2(Number::MUNMAP, memory, length) };
        return everything_refused;
    }
    // SAFETY: just mapped, and never unmapped from here on.
    let mut stubs = unsafe { Stubs::new(memory, length, trampoline::address()) };
    regions::add(memory, length);
    let mut outcome = Outcome {
        stubs: memory,
        stubs_length: length,
        ..Outcome::default()
    };
    for site in sites {
        let place = base.wrapping_add(site.offset as usize);
        // SAFETY: the site lies in the pages that were made writable.
        let written = unsafe { is_as_promised(place, site) }
            && make(&mut stubs, place, site)
                .and_then(|stub| stub::jump(place, stub))
                .is_some_and(|jump| {
                    // SAFETY: as above; no thread is inside the site.
                    unsafe { (place as *mut [u8; stub::JUMP]).write(jump) };
                    true
                });
        if written {
            outcome.patched = outcome.patched.wrapping_add(1);
        } else {
            outcome.refused = outcome.refused.wrapping_add(1);
        }
    }
    // SAFETY: gives the text its protection back, and takes the right to write from the stubs.
    unsafe {
        syscall3(
            Number::MPROTECT,
            first,
            end.wrapping_sub(first),
            PROT_READ | PROT_EXEC,
        );
        syscall3(Number::MPROTECT, memory, length, PROT_READ | PROT_EXEC);
    }
    outcome
}

/// Memory that the stubs of a site take.
fn room_for(site: &Site) -> usize {
    match site.kind {
        kind::BEFORE => stub::SHORT,
        kind::AFTER | kind::AROUND => stub::LONGEST,
        // A way in and the moved beginning.
        _ => 2 * stub::LONGEST,
    }
}

/// Bytes that must be as the table says.
fn promised(site: &Site) -> Option<&[u8]> {
    let length = site.length as usize;
    match site.kind {
        kind::BEFORE if length == stub::JUMP => site.bytes.get(..stub::JUMP + SYSCALL),
        kind::AROUND if length + SYSCALL >= stub::JUMP => site.bytes.get(..length + SYSCALL),
        kind::AFTER | kind::VDSO | WHOLE if length >= stub::JUMP => site.bytes.get(..length),
        _ => None,
    }
}

/// # Safety
/// The site must be mapped and readable.
unsafe fn is_as_promised(place: usize, site: &Site) -> bool {
    promised(site).is_some_and(|bytes| {
        // SAFETY: the caller vouches that the site lies in the module.
        let there = unsafe { core::slice::from_raw_parts(place as *const u8, bytes.len()) };
        there == bytes
    })
}

/// Page range of the sites that are as promised.
///
/// # Safety
/// The sites must be those of the object at `base`.
unsafe fn pages_of(base: usize, sites: &[Site]) -> Option<(usize, usize)> {
    let (mut first, mut end) = (usize::MAX, 0);
    for site in sites {
        let place = base.wrapping_add(site.offset as usize);
        // SAFETY: the caller vouches that the sites lie in the module.
        if unsafe { is_as_promised(place, site) } {
            first = first.min(place);
            end = end.max(place.wrapping_add(stub::JUMP));
        }
    }
    (end != 0).then_some((first & !(PAGE - 1), round_up(end)))
}

fn stub_for_site(stubs: &mut Stubs, place: usize, site: &Site) -> Option<usize> {
    let length = site.length as usize;
    match site.kind {
        kind::BEFORE => {
            let number = site.bytes.get(..stub::JUMP)?;
            stubs.before(number, place.wrapping_add(stub::JUMP + SYSCALL))
        }
        kind::AROUND => {
            let displaced = site.bytes.get(..length)?;
            stubs.before(displaced, place.wrapping_add(length + SYSCALL))
        }
        kind::AFTER => {
            let displaced = site.bytes.get(SYSCALL..length)?;
            stubs.after(
                place.wrapping_add(SYSCALL),
                displaced,
                place.wrapping_add(length),
            )
        }
        _ => None,
    }
}

fn stub_for_function(stubs: &mut Stubs, place: usize, site: &Site) -> Option<usize> {
    let hook = match site.number {
        VDSO_CLOCK_GETTIME => own_stack::wayfarer_clock_gettime as *const () as usize,
        VDSO_GETTIMEOFDAY => own_stack::wayfarer_gettimeofday as *const () as usize,
        VDSO_TIME => own_stack::wayfarer_time as *const () as usize,
        VDSO_GETCPU => own_stack::wayfarer_getcpu as *const () as usize,
        VDSO_CLOCK_GETRES => own_stack::wayfarer_clock_getres as *const () as usize,
        // Random bytes then come from the system call, where they are seen.
        VDSO_GETRANDOM => return stubs.no_such_call(),
        _ => return None,
    };
    let stub = stubs.far_jump(hook)?;
    if site.kind == kind::VDSO {
        let length = site.length as usize;
        let original = stubs.prologue(site.bytes.get(..length)?, place.wrapping_add(length))?;
        vdso::set_original(site.number, original);
    }
    Some(stub)
}

/// Writable memory at the first free of the agreed places below `base`.
fn map_below(base: usize, length: usize) -> Option<usize> {
    let highest = (base & !(STEP - 1))
        .checked_sub(DISTANCE)?
        .checked_sub(round_up(length))?;
    for attempt in 0..ATTEMPTS {
        let wanted = highest.checked_sub(attempt.wrapping_mul(STEP))? & !(PAGE - 1);
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED_NOREPLACE;
        // SAFETY: replaces no mapping.
        let result = unsafe {
            syscall6(
                Number::MMAP,
                wanted,
                length,
                PROT_READ | PROT_WRITE,
                flags,
                NO_FILE,
                0,
            )
        };
        if result as usize == wanted {
            return Some(wanted);
        }
        if result > 0 {
            // A kernel that does not know the flag took it for a hint.
            // SAFETY: just mapped by us.
            unsafe { syscall2(Number::MUNMAP, result as usize, length) };
        }
    }
    None
}

fn round_up(length: usize) -> usize {
    length.wrapping_add(PAGE - 1) & !(PAGE - 1)
}
