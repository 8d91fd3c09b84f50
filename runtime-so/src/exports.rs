//! The functions of libc that the library hooks.
//!
//! An object is described by the code that made it, so the first hooks get their return address as one
//! more argument: the stub puts it into the next register and jumps.

use core::arch::naked_asm;
use runtime::hooks::real::Real;
use runtime::hooks::rwlock::Side;
use runtime::hooks::{
    barrier, c11, cancel, condition, direct, fork, heap, loader, mutex, once, random, regex,
    rwlock, semaphore, spin, stream, thread, user,
};
use wayfarer_calls::Number;

/// `export! { name(arguments…) at register => body }`: the body sees its arguments and `place`.
macro_rules! placed {
    ($($symbol:literal $inner:ident ($($argument:ident),*; $register:literal) $result:ty = $body:expr;)*) => {
        $(
            /// # Safety
            /// As the function of libc for which it stands.
            unsafe extern "C" fn $inner($($argument: usize,)* place: usize) -> $result {
                // SAFETY: the program calls a function of libc; the hook stands in for it.
                #[allow(unused_unsafe)]
                unsafe { ($body)(place) }
            }
            const _: () = {
                /// # Safety
                /// As the function of libc for which it stands.
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn stub() {
                    naked_asm!(
                        concat!("mov ", $register, ", qword ptr [rsp]"),
                        "jmp {inner}",
                        inner = sym $inner,
                    )
                }
            };
        )*
    };
}

macro_rules! plain {
    ($($symbol:literal $inner:ident ($($argument:ident),*) $result:ty = $body:expr;)*) => {
        $(
            /// # Safety
            /// As the function of libc for which it stands.
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn $inner($($argument: usize),*) -> $result {
                // SAFETY: as above.
                #[allow(unused_unsafe)]
                unsafe { $body }
            }
        )*
    };
}

placed! {
    "pthread_mutex_lock" mutex_lock(m; "rsi") i32 = |place| mutex::lock(m, place);
    "pthread_mutex_trylock" mutex_trylock(m; "rsi") i32 = |place| mutex::trylock(m, place);
    "pthread_mutex_timedlock" mutex_timedlock(m, t; "rdx") i32 = |place| mutex::timedlock(m, t, place);
    "pthread_mutex_clocklock" mutex_clocklock(m, c, t; "rcx") i32 = |place| mutex::clocklock(m, c, t, place);
    "pthread_mutex_init" mutex_init(m, a; "rdx") i32 = |place| mutex::init(m, a, place);
    "pthread_mutex_destroy" mutex_destroy(m; "rsi") i32 = |place| mutex::destroy(m, place);
    "pthread_cond_wait" cond_wait(c, m; "rdx") i32 = |place| condition::wait(c, m, place);
    "pthread_cond_timedwait" cond_timedwait(c, m, t; "rcx") i32 = |place| condition::timedwait(c, m, t, place);
    "pthread_cond_clockwait" cond_clockwait(c, m, k, t; "r8") i32 = |place| condition::clockwait(c, m, k, t, place);
    "pthread_rwlock_init" rwlock_init(l, a; "rdx") i32 = |place| rwlock::init(l, a, place);
    "pthread_rwlock_rdlock" rwlock_rdlock(l; "rsi") i32 = |place| rwlock::lock(Side::Reader, l, place);
    "pthread_rwlock_wrlock" rwlock_wrlock(l; "rsi") i32 = |place| rwlock::lock(Side::Writer, l, place);
    "pthread_rwlock_tryrdlock" rwlock_tryrdlock(l; "rsi") i32 = |place| rwlock::acquire(Real::rwlock_tryrdlock, Side::Reader, [l, 0, 0, 0, 0, 0], place);
    "pthread_rwlock_trywrlock" rwlock_trywrlock(l; "rsi") i32 = |place| rwlock::acquire(Real::rwlock_trywrlock, Side::Writer, [l, 0, 0, 0, 0, 0], place);
    "pthread_rwlock_timedrdlock" rwlock_timedrdlock(l, t; "rdx") i32 = |place| rwlock::acquire(Real::rwlock_timedrdlock, Side::Reader, [l, t, 0, 0, 0, 0], place);
    "pthread_rwlock_timedwrlock" rwlock_timedwrlock(l, t; "rdx") i32 = |place| rwlock::acquire(Real::rwlock_timedwrlock, Side::Writer, [l, t, 0, 0, 0, 0], place);
    "pthread_rwlock_clockrdlock" rwlock_clockrdlock(l, c, t; "rcx") i32 = |place| rwlock::acquire(Real::rwlock_clockrdlock, Side::Reader, [l, c, t, 0, 0, 0], place);
    "pthread_rwlock_clockwrlock" rwlock_clockwrlock(l, c, t; "rcx") i32 = |place| rwlock::acquire(Real::rwlock_clockwrlock, Side::Writer, [l, c, t, 0, 0, 0], place);
    "sem_init" sem_init(s, p, v; "rcx") i32 = |place| semaphore::init(s, p, v, place);
    "sem_wait" sem_wait(s; "rsi") i32 = |place| semaphore::wait(s, place);
    "sem_trywait" sem_trywait(s; "rsi") i32 = |place| semaphore::attempt(Real::sem_trywait, [s, 0, 0, 0, 0, 0], place);
    "sem_timedwait" sem_timedwait(s, t; "rdx") i32 = |place| semaphore::attempt(Real::sem_timedwait, [s, t, 0, 0, 0, 0], place);
    "sem_clockwait" sem_clockwait(s, c, t; "rcx") i32 = |place| semaphore::attempt(Real::sem_clockwait, [s, c, t, 0, 0, 0], place);
    "sem_post" sem_post(s; "rsi") i32 = |place| semaphore::post(s, place);
    "pthread_spin_init" spin_init(s, p; "rdx") i32 = |place| spin::init(s, p, place);
    "pthread_spin_lock" spin_lock(s; "rsi") i32 = |place| spin::lock(s, place);
    "pthread_spin_trylock" spin_trylock(s; "rsi") i32 = |place| spin::trylock(s, place);
    "mtx_init" mtx_init(m, k; "rdx") i32 = |place| c11::init(m, k, place);
    "mtx_lock" mtx_lock(m; "rsi") i32 = |place| c11::lock(m, place);
    "mtx_trylock" mtx_trylock(m; "rsi") i32 = |place| c11::trylock(m, place);
    "mtx_timedlock" mtx_timedlock(m, t; "rdx") i32 = |place| c11::timedlock(m, t, place);
    "cnd_wait" cnd_wait(c, m; "rdx") i32 = |place| c11::wait(c, m, place);
    "cnd_timedwait" cnd_timedwait(c, m, t; "rcx") i32 = |place| c11::timedwait(c, m, t, place);
    "pthread_barrier_wait" barrier_wait(b; "rsi") i32 = |place| barrier::wait(b, place);
    "wayfarer_sync_before" sync_before(s, k; "rdx") () = |place| user::before(s, k as u32, place);
    "wayfarer_sync_after" sync_after(s, k; "rdx") () = |place| user::after(s, k as u32, place);
}

plain! {
    "pthread_mutex_unlock" mutex_unlock(m) i32 = mutex::unlock(m);
    "sem_getvalue" sem_getvalue(s, v) i32 = semaphore::value(s, v);
    "pthread_once" pthread_once(c, f) i32 = once::once(c, f);
    "call_once" call_once(c, f) () = { once::once(c, f); };
    "__cxa_guard_acquire" guard_acquire(g) i32 = once::guard_acquire(g);
    "__cxa_guard_abort" guard_abort(g) () = once::guard_abort(g);
    "__cxa_guard_release" guard_release(g) () = once::guard_release(g);
    "pthread_create" pthread_create(t, a, f, x) i32 = thread::create(Real::create, [t, a, f, x, 0, 0]);
    "thrd_create" thrd_create(t, f, x) i32 = thread::create(Real::thrd_create, [t, f, x, 0, 0, 0]);
    "pthread_join" pthread_join(t, r) i32 = thread::join(Real::join, [t, r, 0, 0, 0, 0]);
    "thrd_join" thrd_join(t, r) i32 = thread::join(Real::thrd_join, [t, r, 0, 0, 0, 0]);
    "pthread_tryjoin_np" pthread_tryjoin(t, r) i32 = thread::attempt_join(Real::tryjoin, [t, r, 0, 0, 0, 0], None);
    "pthread_timedjoin_np" pthread_timedjoin(t, r, w) i32 = thread::attempt_join(Real::timedjoin, [t, r, w, 0, 0, 0], Some((0, w)));
    "pthread_clockjoin_np" pthread_clockjoin(t, r, c, w) i32 = thread::attempt_join(Real::clockjoin, [t, r, c, w, 0, 0], Some((c, w)));
    "pthread_cancel" pthread_cancel(t) i32 = cancel::cancel(t);
    "pthread_testcancel" pthread_testcancel() () = cancel::test();
    "pthread_kill" pthread_kill(t, s) i32 = thread::signal(Real::kill, [t, s, 0, 0, 0, 0]);
    "pthread_sigqueue" pthread_sigqueue(t, s, v) i32 = thread::signal(Real::sigqueue, [t, s, v, 0, 0, 0]);
    "pthread_key_create" key_create(k, d) i32 = thread::in_order(Real::key_create, [k, d, 0, 0, 0, 0]);
    "pthread_key_delete" key_delete(k) i32 = thread::in_order(Real::key_delete, [k, 0, 0, 0, 0, 0]);
    "tss_create" tss_create(k, d) i32 = thread::in_order(Real::tss_create, [k, d, 0, 0, 0, 0]);
    "malloc" malloc(n) usize = heap::use_heap(Real::malloc, [n, 0, 0, 0, 0, 0]);
    "free" free(p) () = { heap::use_heap(Real::free, [p, 0, 0, 0, 0, 0]); };
    "calloc" calloc(n, s) usize = heap::use_heap(Real::calloc, [n, s, 0, 0, 0, 0]);
    "realloc" realloc(p, n) usize = heap::use_heap(Real::realloc, [p, n, 0, 0, 0, 0]);
    "memalign" memalign(a, n) usize = heap::use_heap(Real::memalign, [a, n, 0, 0, 0, 0]);
    "aligned_alloc" aligned_alloc(a, n) usize = heap::use_heap(Real::aligned_alloc, [a, n, 0, 0, 0, 0]);
    "posix_memalign" posix_memalign(p, a, n) i32 = heap::use_heap(Real::posix_memalign, [p, a, n, 0, 0, 0]) as i32;
    "valloc" valloc(n) usize = heap::use_heap(Real::valloc, [n, 0, 0, 0, 0, 0]);
    "pvalloc" pvalloc(n) usize = heap::use_heap(Real::pvalloc, [n, 0, 0, 0, 0, 0]);
    "malloc_trim" malloc_trim(n) i32 = heap::use_heap(Real::malloc_trim, [n, 0, 0, 0, 0, 0]) as i32;
    "mallopt" mallopt(p, v) i32 = heap::use_heap(Real::mallopt, [p, v, 0, 0, 0, 0]) as i32;
    "mallinfo" mallinfo(place) usize = heap::use_heap(Real::mallinfo, [place, 0, 0, 0, 0, 0]);
    "mallinfo2" mallinfo2(place) usize = heap::use_heap(Real::mallinfo2, [place, 0, 0, 0, 0, 0]);
    "fork" libc_fork() i32 = fork::fork();
    "rand" rand() i32 = random::use_random(Real::rand, 0) as i32;
    "srand" srand(s) () = { random::use_random(Real::srand, s); };
    "random" libc_random() usize = random::use_random(Real::random, 0);
    "srandom" srandom(s) () = { random::use_random(Real::srandom, s); };
    "wayfarer_sync_foretell" sync_foretell() i32 = user::foretell();
    "wayfarer_sync_report" sync_report(r) () = user::report(r as i32);
    "wayfarer_sync_mode" sync_mode() u32 = user::mode();
    "regexec" regexec(r, s, n, m, o) i32 = regex::execute([r, s, n, m, o, 0]);
    "flockfile" flockfile(f) () = stream::lock(f);
    "puts" puts(s) i32 = stream::use_stream(Real::puts, stream::standard(Real::stdout), [s, 0, 0, 0, 0, 0]) as i32;
    "putchar" putchar(c) i32 = stream::use_stream(Real::putchar, stream::standard(Real::stdout), [c, 0, 0, 0, 0, 0]) as i32;
    "fputs" fputs(s, f) i32 = stream::use_stream(Real::fputs, f, [s, f, 0, 0, 0, 0]) as i32;
    "fputc" fputc(c, f) i32 = stream::use_stream(Real::fputc, f, [c, f, 0, 0, 0, 0]) as i32;
    "putc" putc(c, f) i32 = stream::use_stream(Real::fputc, f, [c, f, 0, 0, 0, 0]) as i32;
    "fwrite" fwrite(p, s, n, f) usize = stream::use_stream(Real::fwrite, f, [p, s, n, f, 0, 0]);
    "fread" fread(p, s, n, f) usize = stream::use_stream(Real::fread, f, [p, s, n, f, 0, 0]);
    "fflush" fflush(f) i32 = stream::use_stream(Real::fflush, f, [f, 0, 0, 0, 0, 0]) as i32;
    "fclose" fclose(f) i32 = stream::close(f) as i32;
    "fgets" fgets(s, n, f) usize = stream::use_stream(Real::fgets, f, [s, n, f, 0, 0, 0]);
    "fgetc" fgetc(f) i32 = stream::use_stream(Real::fgetc, f, [f, 0, 0, 0, 0, 0]) as i32;
    "getc" getc(f) i32 = stream::use_stream(Real::fgetc, f, [f, 0, 0, 0, 0, 0]) as i32;
    "getchar" getchar() i32 = stream::use_stream(Real::getchar, stream::standard(Real::stdin), [0; 6]) as i32;
    "getline" getline(l, n, f) usize = stream::use_stream(Real::getline, f, [l, n, f, 0, 0, 0]);
    "getdelim" getdelim(l, n, d, f) usize = stream::use_stream(Real::getdelim, f, [l, n, d, f, 0, 0]);
    "ungetc" ungetc(c, f) i32 = stream::use_stream(Real::ungetc, f, [c, f, 0, 0, 0, 0]) as i32;
    "fseek" fseek(f, o, w) i32 = stream::use_stream(Real::fseek, f, [f, o, w, 0, 0, 0]) as i32;
    "ftell" ftell(f) usize = stream::use_stream(Real::ftell, f, [f, 0, 0, 0, 0, 0]);
    "rewind" rewind(f) () = { stream::use_stream(Real::rewind, f, [f, 0, 0, 0, 0, 0]); };
    "perror" perror(s) () = { stream::use_stream(Real::perror, stream::standard(Real::stderr), [s, 0, 0, 0, 0, 0]); };
    "vprintf" vprintf(s, v) i32 = stream::use_stream(Real::vprintf, stream::standard(Real::stdout), [s, v, 0, 0, 0, 0]) as i32;
    "vfprintf" vfprintf(f, s, v) i32 = stream::use_stream(Real::vfprintf, f, [f, s, v, 0, 0, 0]) as i32;
    "__vprintf_chk" vprintf_chk(k, s, v) i32 = stream::use_stream(Real::vprintf_chk, stream::standard(Real::stdout), [k, s, v, 0, 0, 0]) as i32;
    "__vfprintf_chk" vfprintf_chk(f, k, s, v) i32 = stream::use_stream(Real::vfprintf_chk, f, [f, k, s, v, 0, 0]) as i32;
}

/// A function that only makes a system call: which, and what else must be in its registers.
macro_rules! direct {
    ($($symbol:literal $number:ident $more:literal => $real:ident;)*) => {
        $(
            const _: () = {
                /// Libc's own.
                ///
                /// # Safety
                /// As the function of libc for which it stands.
                unsafe extern "C" fn real(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
                    // SAFETY: the program calls a function of libc.
                    unsafe { runtime::hooks::real::call(Real::$real, [a, b, c, d, e, f]) }
                }

                /// # Safety
                /// As the function of libc for which it stands.
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn stub() {
                    naked_asm!(
                        ".cfi_startproc",
                        "cmp byte ptr [rip + {are_direct}], 0",
                        "je {real}",
                        "mov eax, {number}",
                        $more,
                        "jmp {call}",
                        ".cfi_endproc",
                        are_direct = sym direct::ARE_DIRECT,
                        real = sym real,
                        number = const Number::$number.get(),
                        call = sym direct::wayfarer_call,
                    )
                }
            };
        )*
    };
}

direct! {
    "read" READ "" => read;
    "write" WRITE "" => write;
    "poll" POLL "" => poll;
    "pread" PREAD64 "" => pread;
    "pread64" PREAD64 "" => pread;
    "pwrite" PWRITE64 "" => pwrite;
    "pwrite64" PWRITE64 "" => pwrite;
    "readv" READV "" => readv;
    "writev" WRITEV "" => writev;
    "sendto" SENDTO "" => sendto;
    "recvfrom" RECVFROM "" => recvfrom;
    "sendmsg" SENDMSG "" => sendmsg;
    "recvmsg" RECVMSG "" => recvmsg;
    "epoll_wait" EPOLL_WAIT "" => epoll_wait;
    "send" SENDTO "xor r8d, r8d\nxor r9d, r9d" => send;
    "recv" RECVFROM "xor r8d, r8d\nxor r9d, r9d" => recv;
}

/// Functions of the loader, which look at their return address.
macro_rules! loader {
    ($($symbol:literal => $real:ident;)*) => {
        $(
            const _: () = {
                /// # Safety
                /// As the function of libc for which it stands.
                unsafe extern "C" fn announce() -> usize {
                    // SAFETY: the program calls a function of libc.
                    unsafe { loader::announce(Real::$real) }
                }

                /// # Safety
                /// As the function of libc for which it stands.
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn stub() {
                    naked_asm!(
                        ".cfi_startproc",
                        "push rdi",
                        ".cfi_adjust_cfa_offset 8",
                        "push rsi",
                        ".cfi_adjust_cfa_offset 8",
                        "push rdx",
                        ".cfi_adjust_cfa_offset 8",
                        "call {announce}",
                        "pop rdx",
                        ".cfi_adjust_cfa_offset -8",
                        "pop rsi",
                        ".cfi_adjust_cfa_offset -8",
                        "pop rdi",
                        ".cfi_adjust_cfa_offset -8",
                        "jmp rax",
                        ".cfi_endproc",
                        announce = sym announce,
                    )
                }
            };
        )*
    };
}

loader! {
    "dlopen" => dlopen;
    "dlmopen" => dlmopen;
    "dlclose" => dlclose;
}

/// Functions that use a state of libc's own: the number of the function goes into a register.
macro_rules! library {
    ($($name:ident)*) => {
        mod library_stubs {
            use core::arch::naked_asm;
            use runtime::hooks::library::{Function, wayfarer_library_call};
            $(
                /// # Safety
                /// As the function of libc for which it stands.
                #[unsafe(naked)]
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $name() {
                    naked_asm!(
                        ".cfi_startproc",
                        "mov eax, {number}",
                        "jmp {call}",
                        ".cfi_endproc",
                        number = const Function::$name as u32,
                        call = sym wayfarer_library_call,
                    )
                }
            )*
        }
    };
}

runtime::hooks::library::library_functions!(library);
use library_stubs::{__vsyslog_chk, vsyslog};

/// A function with a format and further arguments: they are laid out as a `va_list`, and the function
/// that takes one is called with it in the register after the named arguments. Frame: 176 bytes of
/// registers, then the list itself.
macro_rules! variadic {
    ($($symbol:literal $named:literal $list:literal => $inner:ident;)*) => {
        $(
            const _: () = {
                /// # Safety
                /// As the function of libc for which it stands.
                #[unsafe(naked)]
                #[unsafe(export_name = $symbol)]
                unsafe extern "C" fn stub() {
                    naked_asm!(
                        ".cfi_startproc",
                        "sub rsp, 216",
                        ".cfi_adjust_cfa_offset 216",
                        "mov [rsp + 0], rdi",
                        "mov [rsp + 8], rsi",
                        "mov [rsp + 16], rdx",
                        "mov [rsp + 24], rcx",
                        "mov [rsp + 32], r8",
                        "mov [rsp + 40], r9",
                        "test al, al",
                        "jz 2f",
                        "movaps [rsp + 48], xmm0",
                        "movaps [rsp + 64], xmm1",
                        "movaps [rsp + 80], xmm2",
                        "movaps [rsp + 96], xmm3",
                        "movaps [rsp + 112], xmm4",
                        "movaps [rsp + 128], xmm5",
                        "movaps [rsp + 144], xmm6",
                        "movaps [rsp + 160], xmm7",
                        "2:",
                        concat!("mov dword ptr [rsp + 176], 8 * ", $named),
                        "mov dword ptr [rsp + 180], 48",
                        "lea rax, [rsp + 224]",
                        "mov [rsp + 184], rax",
                        "mov [rsp + 192], rsp",
                        concat!("lea ", $list, ", [rsp + 176]"),
                        "call {inner}",
                        "add rsp, 216",
                        ".cfi_adjust_cfa_offset -216",
                        "ret",
                        ".cfi_endproc",
                        inner = sym $inner,
                    )
                }
            };
        )*
    };
}

variadic! {
    "printf" "1" "rsi" => vprintf;
    "fprintf" "2" "rdx" => vfprintf;
    "__printf_chk" "2" "rdx" => vprintf_chk;
    "__fprintf_chk" "3" "rcx" => vfprintf_chk;
    "syslog" "2" "rdx" => vsyslog;
    "__syslog_chk" "3" "rcx" => __vsyslog_chk;
}
