//! The real functions that our hooks stand for.

use crate::program::resolve;
use core::ffi::CStr;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};

macro_rules! reals {
    ($($name:ident $symbol:literal)*) => {
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        pub enum Real { $($name),* }
        const NAMES: &[&CStr] = &[$($symbol),*];
        static FOUND: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];
    };
}

reals! {
    mutex_lock c"pthread_mutex_lock"
    mutex_trylock c"pthread_mutex_trylock"
    mutex_timedlock c"pthread_mutex_timedlock"
    mutex_clocklock c"pthread_mutex_clocklock"
    mutex_unlock c"pthread_mutex_unlock"
    mutex_init c"pthread_mutex_init"
    mutex_destroy c"pthread_mutex_destroy"
    rwlock_init c"pthread_rwlock_init"
    rwlock_rdlock c"pthread_rwlock_rdlock"
    rwlock_wrlock c"pthread_rwlock_wrlock"
    rwlock_tryrdlock c"pthread_rwlock_tryrdlock"
    rwlock_trywrlock c"pthread_rwlock_trywrlock"
    rwlock_timedrdlock c"pthread_rwlock_timedrdlock"
    rwlock_timedwrlock c"pthread_rwlock_timedwrlock"
    rwlock_clockrdlock c"pthread_rwlock_clockrdlock"
    rwlock_clockwrlock c"pthread_rwlock_clockwrlock"
    rwlock_unlock c"pthread_rwlock_unlock"
    cond_wait c"pthread_cond_wait"
    cond_timedwait c"pthread_cond_timedwait"
    cond_clockwait c"pthread_cond_clockwait"
    sem_init c"sem_init"
    sem_wait c"sem_wait"
    sem_trywait c"sem_trywait"
    sem_timedwait c"sem_timedwait"
    sem_clockwait c"sem_clockwait"
    sem_post c"sem_post"
    sem_getvalue c"sem_getvalue"
    barrier_wait c"pthread_barrier_wait"
    spin_init c"pthread_spin_init"
    spin_lock c"pthread_spin_lock"
    spin_trylock c"pthread_spin_trylock"
    once c"pthread_once"
    guard_acquire c"__cxa_guard_acquire"
    dlopen c"dlopen"
    dlmopen c"dlmopen"
    dlclose c"dlclose"
    qsort c"qsort"
    guard_abort c"__cxa_guard_abort"
    guard_release c"__cxa_guard_release"
    create c"pthread_create"
    join c"pthread_join"
    tryjoin c"pthread_tryjoin_np"
    timedjoin c"pthread_timedjoin_np"
    clockjoin c"pthread_clockjoin_np"
    key_create c"pthread_key_create"
    key_delete c"pthread_key_delete"
    setspecific c"pthread_setspecific"
    thrd_create c"thrd_create"
    thrd_join c"thrd_join"
    mtx_init c"mtx_init"
    cnd_wait c"cnd_wait"
    cnd_timedwait c"cnd_timedwait"
    tss_create c"tss_create"
    flockfile c"flockfile"
    ftrylockfile c"ftrylockfile"
    funlockfile c"funlockfile"
    stdout c"stdout"
    first_stdout c"_IO_2_1_stdout_"
    all_streams c"_IO_list_all"
    at_exit c"__cxa_atexit"
    stdin c"stdin"
    stderr c"stderr"
    puts c"puts"
    putchar c"putchar"
    fputs c"fputs"
    fputc c"fputc"
    fwrite c"fwrite"
    fread c"fread"
    fflush c"fflush"
    fclose c"fclose"
    fgets c"fgets"
    fgetc c"fgetc"
    getchar c"getchar"
    getline c"getline"
    getdelim c"getdelim"
    ungetc c"ungetc"
    fseek c"fseek"
    ftell c"ftell"
    rewind c"rewind"
    perror c"perror"
    vprintf c"vprintf"
    vfprintf c"vfprintf"
    vprintf_chk c"__vprintf_chk"
    vfprintf_chk c"__vfprintf_chk"
    vscanf c"vscanf"
    vfscanf c"vfscanf"
    isoc99_vscanf c"__isoc99_vscanf"
    isoc99_vfscanf c"__isoc99_vfscanf"
    malloc c"malloc"
    free c"free"
    calloc c"calloc"
    realloc c"realloc"
    memalign c"memalign"
    aligned_alloc c"aligned_alloc"
    posix_memalign c"posix_memalign"
    valloc c"valloc"
    pvalloc c"pvalloc"
    malloc_trim c"malloc_trim"
    mallopt c"mallopt"
    mallinfo c"mallinfo"
    mallinfo2 c"mallinfo2"
    rand c"rand"
    srand c"srand"
    random c"random"
    regexec c"regexec"
    srandom c"srandom"
    errno_location c"__errno_location"
    backtrace c"backtrace"
    libc_version c"gnu_get_libc_version"
    cancel c"pthread_cancel"
    testcancel c"pthread_testcancel"
    kill c"pthread_kill"
    sigqueue c"pthread_sigqueue"
    cleanup_push c"_pthread_cleanup_push"
    cleanup_pop c"_pthread_cleanup_pop"
    fork c"fork"
    register_atfork c"__register_atfork"
    getpid c"getpid"
    tgkill c"tgkill"
    read c"read"
    write c"write"
    readv c"readv"
    writev c"writev"
    pread c"pread64"
    pwrite c"pwrite64"
    recv c"recv"
    recvfrom c"recvfrom"
    recvmsg c"recvmsg"
    send c"send"
    sendto c"sendto"
    sendmsg c"sendmsg"
    poll c"poll"
    epoll_wait c"epoll_wait"
}

/// Finds all real functions; called while the program has one thread.
pub fn resolve_all() {
    for (name, found) in NAMES.iter().zip(&FOUND) {
        // SAFETY: before any other constructor: no library is being loaded.
        found.store(unsafe { find(name) }, Ordering::Relaxed);
    }
}

/// Names of variables.
const VARIABLES: [&CStr; 3] = [c"stdin", c"stdout", c"stderr"];

/// # Safety
/// As [`resolve::next`].
unsafe fn find(name: &CStr) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        if VARIABLES.contains(&name) {
            resolve::variable(name)
        } else {
            resolve::next(name)
        }
    }
}

/// Whether those functions without which no order can be kept were found.
pub fn all_found() -> bool {
    [
        Real::mutex_lock,
        Real::mutex_unlock,
        Real::cond_wait,
        Real::sem_wait,
        Real::create,
        Real::flockfile,
        Real::malloc,
        Real::errno_location,
    ]
    .iter()
    .all(|which| address(*which) != 0)
}

#[inline(always)]
pub fn address(which: Real) -> usize {
    // SAFETY: one entry for each name.
    let found = unsafe { FOUND.get_unchecked(which as usize) }.load(Ordering::Relaxed);
    if found != 0 { found } else { late(which) }
}

/// Called before our own constructor, or a function of a library that was loaded since.
#[cold]
#[inline(never)]
fn late(which: Real) -> usize {
    let Some(name) = NAMES.get(which as usize) else {
        return 0;
    };
    // SAFETY: the loader calls us while it holds its own lock, or the program has just loaded the library
    // that calls.
    let found = unsafe { find(name) };
    if let Some(place) = FOUND.get(which as usize) {
        place.store(found, Ordering::Relaxed);
    }
    found
}

/// Calls a real function with up to six integer arguments.
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn call(which: Real, a: [usize; 6]) -> usize {
    type Function = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;
    let address = address(which);
    if address == 0 {
        return usize::MAX;
    }
    // SAFETY: as the caller says; superfluous arguments are ignored by the calling convention.
    unsafe {
        let function: Function = core::mem::transmute(address);
        function(a[0], a[1], a[2], a[3], a[4], a[5])
    }
}

/// The same with one argument, for the hot ones.
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn call1(which: Real, a: usize) -> i32 {
    let address = address(which);
    // SAFETY: as the caller says.
    unsafe {
        let function: unsafe extern "C" fn(usize) -> i32 = core::mem::transmute(address);
        function(a)
    }
}

/// The program's `errno`.
pub fn errno() -> i32 {
    // SAFETY: the function has no arguments and gives the address of a thread's own word.
    unsafe { *(call(Real::errno_location, [0; 6]) as *const i32) }
}

pub fn set_errno(value: i32) {
    // SAFETY: as above.
    unsafe { *(call(Real::errno_location, [0; 6]) as *mut i32) = value };
}
