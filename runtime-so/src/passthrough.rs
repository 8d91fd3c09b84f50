//! Hooks that pass every call through: the entrances without a recorder.
//!
//! For measurements and for tests of the entrances. Two variables steer it: `WAYFARER_SITES` names a
//! file with a table of sites (without it: dispatch only), `WAYFARER_TRAPS` a file of at least four
//! bytes whose first word counts dispatched calls.

use core::sync::atomic::AtomicU32;

use wayfarer_calls::Number;
use wayfarer_calls::control::PR_SET_SYSCALL_USER_DISPATCH;
use wayfarer_entrance::clone::Shape;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::modules::{self, Auxiliary};
use wayfarer_entrance::signal_frame::{SA_RESTORER, SIG_UNBLOCK, SIGSYS, SigAction, bit};
use wayfarer_entrance::{
    Hooks, clone, dispatch, pass_through_by_name, patch, raw, set_hooks, tls, vdso,
};
use wayfarer_runtime_abi::sites::{Module, Site, Table};
use wayfarer_runtime_abi::word::Word;

const EINVAL: usize = -22isize as usize;

/// # Safety
/// Called by the loader, once, before any other constructor.
pub unsafe fn start(_argc: i32, _argv: *const *const u8, envp: *const *const u8) {
    // SAFETY: runs first, with one thread; the environment is the kernel's.
    unsafe {
        set_hooks(&Hooks {
            dispatch: on_call,
            call: pass_through_by_name,
            foreign_sigsys,
            child_started,
            vfork_before,
            vfork_after,
            clock_gettime: vdso::original_clock_gettime,
            gettimeofday: vdso::original_gettimeofday,
            time: vdso::original_time,
            getcpu: vdso::original_getcpu,
            clock_getres: vdso::original_clock_getres,
        });
        if let Some(counter) = variable(envp, b"WAYFARER_TRAPS=").and_then(|path| map(path, true)) {
            dispatch::count_traps_in(&*counter.0.cast::<AtomicU32>());
        }
        if let Some(table) = variable(envp, b"WAYFARER_SITES=").and_then(|path| map(path, false)) {
            patch_all(envp, table.0);
        }
        if dispatch::install_handler() {
            dispatch::arm();
        }
    }
}

/// Patches every loaded module that the table knows.
///
/// # Safety
/// The environment must end with a null pointer, and the table must be one of sites.
unsafe fn patch_all(envp: *const *const u8, table: *mut u8) {
    // SAFETY: the file is a table of sites; no library is loaded meanwhile.
    unsafe {
        let auxiliary = Auxiliary::behind(envp);
        let count = (*table.cast::<Table>()).modules as usize;
        let first = table.add(size_of::<Table>()).cast::<Module>();
        let known = core::slice::from_raw_parts(first, count);
        let sites = |module: &Module| {
            let start = table.add(module.sites_offset as usize).cast::<Site>();
            core::slice::from_raw_parts(start, module.sites as usize)
        };
        for module in modules::loaded(&auxiliary) {
            let id = module.build_id();
            for entry in known {
                let entry_id = entry.build_id.get(..entry.build_id_length as usize);
                if !id.is_empty() && module.base != auxiliary.vdso && entry_id == Some(id) {
                    patch::patch_module(module.base, sites(entry));
                }
            }
        }
        for entry in known.iter().filter(|entry| entry.build_id_length == 0) {
            patch::patch_vdso(auxiliary.vdso, sites(entry));
        }
    }
}

/// # Safety
/// The frame must be the live one of this thread's call.
unsafe extern "C" fn on_call(frame: *mut Frame) {
    // SAFETY: the trampoline's live frame; pointers are the program's own.
    unsafe { (*frame).rax = call(&mut *frame) as usize }
}

/// Makes the call, with SIGSYS kept out of all masks and our restorer in all handlers.
///
/// # Safety
/// The frame must be the live one of this thread's call.
unsafe fn call(frame: &mut Frame) -> isize {
    let number = frame.number();
    let mut args = *frame.arguments();
    let mut mask = 0u64;
    // SAFETY: as `on_call`.
    unsafe {
        match number {
            Number::RT_SIGACTION => return sigaction(args),
            Number::RT_SIGPROCMASK if args[0] != SIG_UNBLOCK => strip(&mut args[1], &mut mask),
            Number::RT_SIGSUSPEND => strip(&mut args[0], &mut mask),
            Number::PPOLL => strip(&mut args[3], &mut mask),
            Number::EPOLL_PWAIT | Number::EPOLL_PWAIT2 => strip(&mut args[4], &mut mask),
            Number::PSELECT6 if args[5] != 0 => {
                let [mut set, size] = *(args[5] as *const [usize; 2]);
                strip(&mut set, &mut mask);
                let pair = [set, size];
                args[5] = pair.as_ptr() as usize;
                return raw_call(number, args);
            }
            Number::CLONE | Number::FORK | Number::CLONE3 => match clone::shape(number, &args) {
                Shape::NewStack => return clone::clone_with_stack(frame, number, args, 0),
                Shape::Vfork => {
                    frame.retry_as_vfork();
                    return number.word() as isize;
                }
                _ => {
                    let result = raw_call(number, args);
                    if result == 0 {
                        dispatch::arm();
                    }
                    return result;
                }
            },
            Number::PRCTL if args[0] == PR_SET_SYSCALL_USER_DISPATCH => return EINVAL as isize,
            _ => {}
        }
        raw_call(number, args)
    }
}

/// # Safety
/// As the call itself.
unsafe fn raw_call(number: Number, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    // SAFETY: the program asked for it.
    unsafe { raw::syscall6(number, a, b, c, d, e, f) }
}

/// Lets the argument point to a copy of its mask without SIGSYS.
///
/// # Safety
/// `argument` must be the address of a mask, or 0.
unsafe fn strip(argument: &mut usize, copy: &mut u64) {
    if *argument != 0 {
        // SAFETY: the program passes a mask.
        *copy = unsafe { (*argument as *const u64).read_unaligned() } & !bit(SIGSYS);
        *argument = core::ptr::from_mut(copy) as usize;
    }
}

/// What the program believes to have set for SIGSYS: the fields of a [`SigAction`].
static STORED_SIGSYS: [Word<u64>; 4] = [const { Word::new(0) }; 4];

/// # Safety
/// As the call itself.
unsafe fn sigaction(mut args: [usize; 6]) -> isize {
    let new = args[1] as *const SigAction;
    let old = args[2] as *mut SigAction;
    // SAFETY: the program passes actions or null.
    unsafe {
        if args[0] == SIGSYS as usize {
            let before = STORED_SIGSYS.each_ref().map(Word::get);
            if !new.is_null() {
                let fields = new.cast::<[u64; 4]>().read_unaligned();
                for (to, field) in STORED_SIGSYS.iter().zip(fields) {
                    to.set(field);
                }
            }
            if !old.is_null() {
                old.cast::<[u64; 4]>().write_unaligned(before);
            }
            return 0;
        }
        if new.is_null() {
            return raw_call(Number::RT_SIGACTION, args);
        }
        let mut action = new.read_unaligned();
        action.flags |= SA_RESTORER;
        action.restorer = dispatch::restorer();
        action.mask &= !bit(SIGSYS);
        args[1] = &raw const action as usize;
        raw_call(Number::RT_SIGACTION, args)
    }
}

/// # Safety
/// Called by the entrance with the kernel's siginfo and ucontext.
unsafe extern "C" fn foreign_sigsys(info: *mut u8, context: *mut u8) {
    let [handler, ..] = &STORED_SIGSYS;
    let handler = handler.get() as usize;
    // SAFETY: the program's own handler, if it has one.
    unsafe {
        if handler > 1 {
            let function: extern "C" fn(i32, *mut u8, *mut u8) = core::mem::transmute(handler);
            function(SIGSYS, info, context);
        }
    }
}

/// # Safety
/// Called by the entrance in a new thread.
unsafe extern "C" fn child_started(_cookie: usize, _frame: *mut Frame) {
    dispatch::arm();
}

/// Return addresses of the vforks that this thread and its children on the same stack are in.
#[repr(C)]
struct Returns {
    depth: usize,
    addresses: [usize; 64],
}

/// # Safety
/// Called by the entrance with the live frame of a vfork.
unsafe extern "C" fn vfork_before(frame: *mut Frame) -> isize {
    let mut returns = tls::get().cast::<Returns>();
    // SAFETY: the block is this thread's own.
    unsafe {
        if returns.is_null() {
            returns = raw::syscall6(Number::MMAP, 0, 4096, 3, 0x22, usize::MAX, 0) as *mut Returns;
            tls::set(returns.cast());
        }
        let depth = (*returns).depth;
        match (*returns).addresses.get_mut(depth) {
            Some(address) => *address = (*frame).rip,
            None => return -11,
        }
        (*returns).depth = depth.wrapping_add(1);
        0
    }
}

/// # Safety
/// Called by the entrance with the live frame of a vfork.
unsafe extern "C" fn vfork_after(frame: *mut Frame) {
    let returns = tls::get().cast::<Returns>();
    // SAFETY: made before the call, and shared with the child.
    unsafe {
        let depth = (*returns).depth.wrapping_sub(1);
        (*frame).rip = (*returns).addresses.get(depth).copied().unwrap_or(0);
        if (*frame).rax == 0 {
            dispatch::arm();
        } else {
            (*returns).depth = depth;
        }
    }
}

/// Value of the variable whose name with its `=` is given.
///
/// # Safety
/// The environment must end with a null pointer, and each string with a zero.
unsafe fn variable(envp: *const *const u8, name: &[u8]) -> Option<*const u8> {
    // SAFETY: an array of zero terminated strings that ends with null.
    unsafe {
        let mut entry = envp;
        while !(*entry).is_null() {
            let text = core::ffi::CStr::from_ptr((*entry).cast()).to_bytes();
            if text.starts_with(name) {
                return Some((*entry).add(name.len()));
            }
            entry = entry.add(1);
        }
    }
    None
}

/// Maps a file, shared and writable or read-only.
///
/// # Safety
/// The path must end with a zero.
unsafe fn map(path: *const u8, writable: bool) -> Option<(*mut u8, usize)> {
    let (open_flags, protection) = if writable { (2, 3) } else { (0, 1) };
    let mut stat = [0u64; 18];
    // SAFETY: opens, maps and closes a file of ours.
    unsafe {
        let descriptor = raw::syscall3(Number::OPEN, path as usize, open_flags, 0);
        if descriptor < 0 {
            return None;
        }
        raw::syscall2(
            Number::FSTAT,
            descriptor as usize,
            stat.as_mut_ptr() as usize,
        );
        let length = stat[6] as usize;
        let result = raw::syscall6(
            Number::MMAP,
            0,
            length,
            protection,
            1,
            descriptor as usize,
            0,
        );
        raw::syscall1(Number::CLOSE, descriptor as usize);
        (result > 0).then_some((result as *mut u8, length))
    }
}
