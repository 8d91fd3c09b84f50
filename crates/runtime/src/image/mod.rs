//! The start of a program image: find the session, open the gates, say what was started.

pub mod environment;
pub mod guards;

use crate::calls::counter;
use crate::calls::descriptors;
use crate::calls::exec;
use crate::calls::process;
use crate::hooks;
use crate::log::reader;
use crate::memory::user;
use crate::program::counter_sites;
use crate::program::resolve;
use crate::session::diverge;
use crate::signals::faults;
use crate::signals::force;
use crate::state::upcalls::{self, Upcalls};
use crate::state::{Process, Thread, header, new_process, new_thread, process_slot, thread_slot};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::modules::{self, Auxiliary, Module};
use wayfarer_entrance::{Hooks, ablation, dispatch, patch, raw, set_hooks, tls};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::encode::put_varint;
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, CHUNK_MAGIC, Chunk, MAGIC, MODE_RECORD, MODE_REPLAY, PROCESSES_OFFSET,
    ProcessSlot, SESSION_BASE, SITES_OFFSET, dispatch_state, divergence, flags, process_flags,
    process_state,
};
use wayfarer_runtime_abi::record::{self, Head, note};
use wayfarer_runtime_abi::sites::{self, Site, Table};
use wayfarer_runtime_abi::{ABI_VERSION, SESSION_FD};

const MAP_SHARED: usize = 1;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;

/// Called by the loader before any other constructor. Without a session it does nothing at all.
///
/// # Safety
/// As the loader calls it: the program's own arguments and environment.
pub unsafe fn start(
    gates: &Hooks,
    ours: &Upcalls,
    arguments: *const *const u8,
    variables: *mut *mut u8,
) {
    // SAFETY: as the caller says; everything below looks only at what the kernel laid on the stack.
    unsafe {
        let auxiliary = Auxiliary::behind(variables.cast_const().cast());
        hooks::resolve_all();
        resolve::remember_program(auxiliary.program_headers, auxiliary.program_header_count);
        let Some(id) = environment::take_out(variables) else {
            return;
        };
        if !map_session() {
            stay_outside(id);
            return;
        }
        let head = header();
        if !matches!(head.mode, MODE_RECORD | MODE_REPLAY) {
            return;
        }
        let Some(thread) = set_up(id) else { return };
        tls::set(thread.cast());
        let thread = &mut *thread;
        set_hooks(gates);
        upcalls::set(ours);
        hooks::direct::start();
        hooks::fork::start();
        switch_recipes_off(head.flags);
        dispatch::count_traps_in(&head.dispatch_traps);
        faults::install();
        let handled = dispatch::install_handler();
        force::install(thread.process());
        forget_restartable_sequences();
        adopt_thread(thread);
        let patched = open_gates(&auxiliary);
        counter::watch(thread, &auxiliary);
        counter_sites::mark_loaded(thread, &auxiliary);
        if thread.mode == MODE_RECORD {
            write_start(thread, &auxiliary, arguments, variables);
        } else {
            compare_start(thread, &auxiliary);
        }
        // Not before: libc keeps the address under the program's guard, which a replay has just set to the recorded one.
        hooks::stream::start();
        if head.flags & flags::NO_DISPATCH == 0 && !(handled && dispatch::arm()) {
            thread.note(note::NO_DISPATCH, 0, &[]);
        }
        if !patched && head.flags & flags::NO_PATCH == 0 {
            thread.note(note::NOT_PATCHED, 0, &[]);
        }
    }
}

/// What tests want to see fail.
fn switch_recipes_off(chosen: u32) {
    let recipes = [
        (flags::NO_CHILD_FRAME, ablation::CHILD_FRAME),
        (flags::NO_VFORK, ablation::VFORK),
        (flags::NO_ALTERNATE_STACK, ablation::ALTERNATE_STACK),
    ];
    let mut off = 0;
    for (flag, recipe) in recipes {
        if chosen & flag != 0 {
            off |= recipe;
        }
    }
    ablation::switch_off(off);
}

fn map_session() -> bool {
    let mut status = [0u64; 18];
    const SIZE: usize = 6;
    // SAFETY: a stat is 144 bytes; then a fresh mapping in a place that nothing else uses.
    let (result, size) = unsafe {
        raw::syscall6(
            Number::FSTAT,
            SESSION_FD as usize,
            (&raw mut status) as usize,
            0,
            0,
            0,
            0,
        );
        let size = status[SIZE] as usize;
        let flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        let descriptor = SESSION_FD as usize;
        (
            raw::syscall6(Number::MMAP, SESSION_BASE, size, 3, flags, descriptor, 0),
            size,
        )
    };
    if result != SESSION_BASE as isize {
        return false;
    }
    const DONTDUMP: usize = 16;
    const RANDOM: usize = 1;
    // Not into core dumps; and no read-ahead, which would cost milliseconds at each first touch.
    for advice in [DONTDUMP, RANDOM] {
        // SAFETY: just mapped.
        unsafe { raw::syscall6(Number::MADVISE, SESSION_BASE, size, advice, 0, 0, 0) };
    }
    let head = header();
    head.magic.load(Ordering::Acquire) == MAGIC && head.abi_version == ABI_VERSION
}

/// The session cannot be mapped (a limit on address space, most likely): the program runs unrecorded,
/// and its slot says so.
fn stay_outside(id: u32) {
    let state = process_state::OPAQUE;
    let place = PROCESSES_OFFSET + u64::from(id) * size_of::<ProcessSlot>() as u64;
    // SAFETY: four bytes of this stack; the state is the first word of a slot.
    unsafe {
        let bytes = (&raw const state) as usize;
        raw::syscall6(
            Number::PWRITE64,
            SESSION_FD as usize,
            bytes,
            4,
            place as usize,
            0,
            0,
        );
    }
}

/// Thread and process of a fresh image, with what the image before left for it.
///
/// # Safety
/// Once in each process, before any other code of the program; the number must be this process's.
unsafe fn set_up(id: u32) -> Option<*mut Thread> {
    // SAFETY: the slots are part of the session mapping; the windows are this process's own.
    unsafe {
        let slot = process_slot(id);
        let number = match slot.image_thread.get() {
            0 => slot.main_thread.get().max(1),
            number => number,
        };
        let process: *mut Process = new_process(id);
        let made: *mut Thread = new_thread(number);
        if process.is_null() || made.is_null() {
            return None;
        }
        (*process).id.set(id);
        (*process).slot.set(slot);
        (*process).token.set(&raw const slot.token);
        let thread = &mut *made;
        thread.mode = header().mode;
        thread.number = number;
        thread.process = process;
        leave_old_domain(thread);
        slot.threads_live.store(1, Ordering::Relaxed);
        slot.dispatch.store(dispatch_state::IDLE, Ordering::Relaxed);
        slot.threads_parked.store(0, Ordering::Relaxed);
        slot.state.store(process_state::RUNNING, Ordering::Release);
        let pid = raw::syscall6(Number::GETPID, 0, 0, 0, 0, 0, 0) as u32;
        slot.real_pid.store(pid, Ordering::Relaxed);
        let own = thread_slot(number);
        own.process.set(id);
        own.real_tid.store(pid, Ordering::Relaxed);
        if thread.mode == MODE_RECORD {
            slot.pid.set(pid);
            if slot.main_thread.get() == 0 {
                slot.main_thread.set(number);
            }
            own.tid.set(pid);
        }
        thread.tid = own.tid.get();
        process::open_log(thread);
        thread.log.events = thread.slot().events.load(Ordering::Relaxed);
        thread.log.hash = thread.slot().output_hash.load(Ordering::Relaxed);
        if thread.mode == MODE_RECORD {
            continue_log(thread);
        }
        if slot.execs.load(Ordering::Relaxed) == 0 {
            (*process).set_entry(1, descriptors::STANDARD_OUTPUT);
            (*process).set_entry(2, descriptors::STANDARD_ERROR);
        }
        let survivors = slot.survivors_count.get() as usize;
        for [descriptor, entry] in slot.survivors.iter().take(survivors) {
            (*process).set_entry(descriptor.get() as usize, entry.get());
        }
        Some(made)
    }
}

/// Memory that was shared with others is gone with the old image, and so is its domain. Once in each image, by its first
/// thread, as the image starts.
fn leave_old_domain(thread: &mut Thread) {
    let process = thread.process();
    let slot = process.slot();
    let shared = slot.flags.load(Ordering::Relaxed) & process_flags::SHARED_DOMAIN != 0;
    slot.flags
        .fetch_and(!process_flags::SHARED_DOMAIN, Ordering::Relaxed);
    // The first image of a replay finds the flag of the recording: it has joined no domain yet.
    if shared && slot.execs.load(Ordering::Relaxed) > 0 {
        let old = &header().shared_domain;
        process.token.set(old);
        process.threads.shared_domain.set(true);
        thread.serial.holds_token = true;
        thread.serial.turn = old.turn.load(Ordering::Relaxed);
        crate::serial::token::leave(thread);
        process.threads.shared_domain.set(false);
        process.token.set(&raw const slot.token);
    }
    let token = &slot.token;
    token.owner.store(0, Ordering::Relaxed);
    token.state.store(0, Ordering::Relaxed);
    token.turn.store(0, Ordering::Relaxed);
}

/// Recording: goes on in the chunk that the image before used.
///
/// # Safety
/// Once in each image, by its first thread, as the image starts.
unsafe fn continue_log(thread: &mut Thread) {
    let offset = thread.slot().log_offset.get();
    // The chunk of a recording that has stopped may have room left, after which something is missing.
    if offset < ARENA_OFFSET || header().broken.load(Ordering::Relaxed) != 0 {
        return;
    }
    let chunk = crate::state::at(offset).cast::<Chunk>();
    // SAFETY: the image before wrote it.
    unsafe {
        if (*chunk).magic == CHUNK_MAGIC && (*chunk).thread == thread.number {
            thread.attach_again(chunk);
        }
    }
}

/// Patches what the host has a table for; whether libc's sites were among it.
///
/// # Safety
/// Once in each image, as it starts; the vector must be this process's.
unsafe fn open_gates(auxiliary: &Auxiliary) -> bool {
    let head = header();
    let mut patched = false;
    let mut complete = true;
    // SAFETY: the host wrote the table; the process has one thread.
    unsafe {
        let table = crate::state::at(SITES_OFFSET).cast::<Table>();
        let modules_start = table.add(1).cast::<sites::Module>();
        let mut index = 0;
        while index < (*table).modules {
            let described = &*modules_start.add(index as usize);
            index += 1;
            let first = crate::state::at(SITES_OFFSET + u64::from(described.sites_offset));
            let sites = core::slice::from_raw_parts(first.cast::<Site>(), described.sites as usize);
            if described.build_id_length == 0 {
                if head.flags & flags::NO_VDSO == 0 && auxiliary.vdso != 0 {
                    patch::patch_vdso(auxiliary.vdso, sites);
                }
                continue;
            }
            if head.flags & flags::NO_PATCH != 0 {
                continue;
            }
            let length = (described.build_id_length as usize).min(20);
            let wanted = described.build_id.get(..length).unwrap_or(&[]);
            for module in modules::loaded(auxiliary) {
                if module.build_id() == wanted {
                    let outcome = patch::patch_module(module.base, sites);
                    complete &= outcome.refused == 0;
                    patched = true;
                }
            }
        }
    }
    let thread = crate::state::current();
    // SAFETY: the thread of this process was set before.
    unsafe { (*thread).process().code.patched.set(patched && complete) };
    patched
}

/// What the loader told the kernel about the first thread before we were there: where its id is kept and
/// where its robust mutexes are. A replay puts the recorded id into the thread control block.
fn adopt_thread(thread: &mut Thread) {
    const GET_TID_ADDRESS: usize = 40;
    /// Where glibc keeps the id, for kernels that do not tell.
    const USUAL_PLACE: usize = 0x2d0;
    let (mut place, mut head, mut length) = (0usize, 0usize, 0usize);
    // SAFETY: words on this stack.
    let real = unsafe {
        if raw::syscall6(
            Number::PRCTL,
            GET_TID_ADDRESS,
            (&raw mut place) as usize,
            0,
            0,
            0,
            0,
        ) != 0
        {
            place = tls::fs_base().wrapping_add(USUAL_PLACE);
        }
        raw::syscall6(
            Number::GET_ROBUST_LIST,
            0,
            (&raw mut head) as usize,
            (&raw mut length) as usize,
            0,
            0,
            0,
        );
        raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as u32
    };
    thread.ending.robust_list = Address::new(head);
    let place = Address::new(place);
    if user::read::<u32>(place) != Some(real) {
        return;
    }
    thread.ending.clear_tid = place;
    if thread.mode == MODE_REPLAY {
        let tid = thread.tid;
        // SAFETY: where libc keeps the id of the thread.
        unsafe { user::write(place, tid) };
    }
}

/// glibc reads the number of the processor from a restartable sequence, which cannot be recorded.
/// Without one it asks.
fn forget_restartable_sequences() {
    const UNREGISTER: usize = 1;
    const SIGNATURE: usize = 0x5305_3053;
    let offset: usize;
    // SAFETY: a weak symbol: null where this libc has none.
    unsafe {
        core::arch::asm!(
            ".weak __rseq_offset",
            "mov {0}, qword ptr [rip + __rseq_offset@GOTPCREL]",
            "test {0}, {0}",
            "jz 2f",
            "mov {0}, qword ptr [{0}]",
            "2:",
            out(reg) offset,
        );
        if offset != 0 {
            let area = tls::fs_base().wrapping_add(offset);
            raw::syscall6(Number::RSEQ, area, 32, UNREGISTER, SIGNATURE, 0, 0);
        }
    }
}

/// Lengths of the fields of a `START` record, and a way to write them.
struct Fields {
    executable: ([u8; 4096], usize),
    directory: ([u8; 4096], usize),
    execfn: (*const u8, usize),
    arguments: (*const *const u8, usize),
    variables: (*const *const u8, usize),
    random: *const u8,
}

/// # Safety
/// The string must end with a zero.
unsafe fn length_of(string: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: zero terminated by the kernel or the loader.
    unsafe {
        while *string.add(length) != 0 {
            length += 1;
        }
    }
    length
}

/// # Safety
/// The array must end with a null pointer, and each string with a zero.
unsafe fn strings_length(array: *const *const u8) -> usize {
    let mut total = 0;
    let mut index = 0;
    // SAFETY: a null terminated array of strings.
    unsafe {
        while !(*array.add(index)).is_null() {
            total += length_of(*array.add(index)) + 1;
            index += 1;
        }
    }
    total
}

/// # Safety
/// The array must end with a null pointer, and each string with a zero.
unsafe fn collect(
    auxiliary: &Auxiliary,
    arguments: *const *const u8,
    variables: *const *const u8,
) -> Fields {
    let mut executable = ([0u8; 4096], 0);
    let mut directory = ([0u8; 4096], 0);
    let name = b"/proc/self/exe\0";
    // SAFETY: buffers on this stack; arrays as the kernel laid them.
    unsafe {
        let length = raw::syscall6(
            Number::READLINK,
            name.as_ptr() as usize,
            executable.0.as_mut_ptr() as usize,
            4095,
            0,
            0,
            0,
        );
        executable.1 = if length > 0 { length as usize } else { 0 };
        let length = raw::syscall6(
            Number::GETCWD,
            directory.0.as_mut_ptr() as usize,
            4096,
            0,
            0,
            0,
            0,
        );
        directory.1 = if length > 1 { length as usize - 1 } else { 0 };
        let execfn = environment::execfn();
        let execfn_length = if execfn.is_null() {
            0
        } else {
            length_of(execfn)
        };
        Fields {
            executable,
            directory,
            execfn: (execfn, execfn_length),
            arguments: (arguments, strings_length(arguments)),
            variables: (variables, strings_length(variables)),
            random: auxiliary.random as *const u8,
        }
    }
}

/// Writes the modules field; with a null place it only measures.
///
/// # Safety
/// The vector must be this process's, and `place` null or with room for all of it.
unsafe fn put_modules(auxiliary: &Auxiliary, place: *mut u8) -> usize {
    let mut length = 0;
    let mut put = |from: *const u8, count: usize| {
        if !place.is_null() {
            // SAFETY: the first pass measured the room.
            unsafe { core::ptr::copy_nonoverlapping(from, place.add(length), count) };
        }
        length += count;
    };
    // SAFETY: the loader's list; no library is being loaded now.
    unsafe {
        for module in modules::loaded(auxiliary) {
            put_module(&module, &mut put);
        }
    }
    length
}

/// # Safety
/// The module must be loaded.
unsafe fn put_module(module: &Module, put: &mut impl FnMut(*const u8, usize)) {
    // SAFETY: names are zero terminated.
    unsafe {
        let name_length = if module.name.is_null() {
            0
        } else {
            length_of(module.name)
        };
        if name_length > 0 {
            put(module.name, name_length);
        }
        put([0u8].as_ptr(), 1);
        put((module.base as u64).to_le_bytes().as_ptr(), 8);
        let build_id = module.build_id();
        let count = build_id.len().min(64);
        put([count as u8].as_ptr(), 1);
        put(build_id.as_ptr(), count);
    }
}

/// Bytes of the length of a start's payload, which comes before it.
const LENGTH_WIDTH: usize = 5;

/// # Safety
/// The thread must be this one; what the kernel put on the stack must be there still.
unsafe fn write_start(
    thread: &mut Thread,
    auxiliary: &Auxiliary,
    arguments: *const *const u8,
    variables: *mut *mut u8,
) {
    // SAFETY: all lengths are measured before they are written.
    unsafe {
        let fields = collect(auxiliary, arguments, variables.cast_const().cast());
        let modules_length = put_modules(auxiliary, core::ptr::null_mut());
        let bound = fields.executable.1
            + fields.directory.1
            + fields.execfn.1
            + fields.arguments.1
            + fields.variables.1
            + modules_length
            + 16
            + 10 * 10;
        let start = thread.room(bound + 32);
        if start.is_null() {
            return;
        }
        let body = Head::bare(record::START).open::<LENGTH_WIDTH>(start);
        let mut place = put_bytes(body, fields.executable.0.as_ptr(), fields.executable.1);
        place = put_bytes(place, fields.directory.0.as_ptr(), fields.directory.1);
        place = put_bytes(place, fields.execfn.0, fields.execfn.1);
        place = put_strings(place, fields.arguments);
        place = put_strings(place, fields.variables);
        place = put_varint(place, modules_length as u64);
        place = place.add(put_modules(auxiliary, place));
        place = put_bytes(
            place,
            fields.random,
            if fields.random.is_null() { 0 } else { 16 },
        );
        record::close::<LENGTH_WIDTH>(body, place);
        thread.commit(place);
    }
}

/// # Safety
/// Both places must be valid for so many bytes.
unsafe fn put_bytes(place: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // SAFETY: room was measured by the caller.
    unsafe {
        let place = put_varint(place, length as u64);
        if length > 0 {
            core::ptr::copy_nonoverlapping(from, place, length);
        }
        place.add(length)
    }
}

/// # Safety
/// The array must have so many bytes of strings, and `place` room for them.
unsafe fn put_strings(place: *mut u8, (array, length): (*const *const u8, usize)) -> *mut u8 {
    // SAFETY: as in `put_bytes`.
    unsafe {
        let mut place = put_varint(place, length as u64);
        let mut index = 0;
        while !(*array.add(index)).is_null() {
            let count = length_of(*array.add(index)) + 1;
            core::ptr::copy_nonoverlapping(*array.add(index), place, count);
            place = place.add(count);
            index += 1;
        }
        place
    }
}

/// Replay: the image must be the recorded one, at the recorded addresses.
///
/// # Safety
/// The thread must be this one; what the kernel put on the stack must be there still.
unsafe fn compare_start(thread: &mut Thread, auxiliary: &Auxiliary) {
    let Some(next) = reader::peek(thread) else {
        return;
    };
    if next.tag != record::START {
        diverge::report(thread, divergence::OTHER_CALL, -1, 0, &[0; 6], Some(&next));
    }
    let promised = exec::field(next.payload, record::start::MODULES);
    let mut position = 0;
    // SAFETY: the loader's list; no library is being loaded now.
    unsafe {
        for module in modules::loaded(auxiliary) {
            let mut same = true;
            put_module(&module, &mut |from, count| {
                let mut index = 0;
                while index < count {
                    if promised.get(position + index) != Some(&*from.add(index)) {
                        same = false;
                    }
                    index += 1;
                }
                position += count;
            });
            if !same {
                diverge::details([module.base as u64, 0, 0, 0]);
                if !module.name.is_null() {
                    let length = length_of(module.name);
                    diverge::text(core::slice::from_raw_parts(module.name, length));
                }
                diverge::report(
                    thread,
                    divergence::OTHER_MODULES,
                    -1,
                    0,
                    &[0; 6],
                    Some(&next),
                );
            }
        }
    }
    let random = exec::field(next.payload, record::start::RANDOM);
    if let Ok(random) = <&[u8; 16]>::try_from(random)
        && auxiliary.random != 0
    {
        // SAFETY: the loader is mapped where the kernel says.
        unsafe {
            let loader = Module::at(auxiliary.loader, core::ptr::null());
            guards::restore(auxiliary.random, random, auxiliary.loader, loader.end());
        }
        // SAFETY: where the kernel has put 16 random bytes.
        unsafe { user::copy_out(Address::new(auxiliary.random), random) };
    }
    // SAFETY: our variables are out of the environment, the program has not begun.
    unsafe { environment::restore_execfn(exec::field(next.payload, record::start::EXECFN)) };
    reader::advance(thread, next.length);
}
