//! The kernel's own versions of the patched vDSO functions.
//!
//! The functions are patched at their entry, so that clock reads of libc, of Rust and of JITs are
//! seen alike, at the price of a jump. [`crate::patch::patch_vdso`] moves the first instructions of
//! each function to a stub; calling that stub is calling the original. A function that could not be
//! moved is derived from `clock_gettime`; where the original would make a system call from outside
//! our text, these functions make the call themselves.

use wayfarer_calls::Number;
use wayfarer_runtime_abi::atomic::{AtomicUsize, Ordering};

use wayfarer_runtime_abi::sites::{
    VDSO_CLOCK_GETRES, VDSO_CLOCK_GETTIME, VDSO_GETCPU, VDSO_GETTIMEOFDAY, VDSO_TIME,
};

use crate::raw::{syscall2, syscall3};
use crate::regions;
use crate::signal_frame::SigContext;

/// Number of `VDSO_` constants.
const FUNCTIONS: usize = 6;

static ORIGINALS: [AtomicUsize; FUNCTIONS] = [const { AtomicUsize::new(0) }; FUNCTIONS];

/// Clocks that the vDSO reads without a system call: the real-time, monotonic, raw, coarse, boot and
/// TAI clocks.
const FAST_CLOCKS: u32 = 1 | 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 11;

static IMAGE_START: AtomicUsize = AtomicUsize::new(0);
static IMAGE_LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Tells that all functions of the vDSO are patched: only we call into it from now on.
pub(crate) fn set_image(start: usize, length: usize) {
    regions::add(start, length);
    IMAGE_START.store(start, Ordering::Relaxed);
    IMAGE_LENGTH.store(length, Ordering::Relaxed);
}

/// Whether an instruction lies in a vDSO that only we call.
pub(crate) fn is_inside(address: usize) -> bool {
    let start = IMAGE_START.load(Ordering::Relaxed);
    address.wrapping_sub(start) < IMAGE_LENGTH.load(Ordering::Relaxed)
}

/// Makes a call for an original that was dispatched at its own `syscall`: this machine's clock cannot
/// be read without the kernel. From then on we ask the kernel ourselves.
///
/// # Safety
/// The registers must be those of a dispatched call inside the vDSO.
pub(crate) unsafe fn finish(registers: &SigContext) -> usize {
    for function in &ORIGINALS {
        function.store(0, Ordering::Relaxed);
    }
    // SAFETY: a clock call with the arguments that we were given.
    unsafe {
        syscall3(
            Number::new(registers.rax),
            registers.rdi,
            registers.rsi,
            registers.rdx,
        ) as usize
    }
}

pub(crate) fn set_original(function: u32, address: usize) {
    if let Some(original) = ORIGINALS.get(function as usize) {
        original.store(address, Ordering::Relaxed);
    }
}

#[inline(always)]
fn original(function: u32) -> usize {
    ORIGINALS
        .get(function as usize)
        .map_or(0, |original| original.load(Ordering::Relaxed))
}

#[inline(always)]
fn is_fast(clock: i32) -> bool {
    (clock as u32) < 32 && FAST_CLOCKS >> clock & 1 != 0
}

/// # Safety
/// As `clock_gettime(2)`. Errors come as −errno.
#[inline]
pub unsafe extern "C" fn original_clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32 {
    let address = original(VDSO_CLOCK_GETTIME);
    if address == 0 || !is_fast(clock) {
        // SAFETY: the caller's promise is the same.
        return unsafe { syscall2(Number::CLOCK_GETTIME, clock as usize, time as usize) as i32 };
    }
    // SAFETY: the stub is the kernel's function of this type.
    unsafe {
        let function: unsafe extern "C" fn(i32, *mut [i64; 2]) -> i32 =
            core::mem::transmute(address);
        function(clock, time)
    }
}

/// # Safety
/// As `gettimeofday(2)`. Errors come as −errno.
#[inline]
pub unsafe extern "C" fn original_gettimeofday(time: *mut [i64; 2], zone: *mut u8) -> i32 {
    let address = original(VDSO_GETTIMEOFDAY);
    if address == 0 {
        // SAFETY: the caller's promise is the same.
        return unsafe { derived_gettimeofday(time, zone) };
    }
    // SAFETY: the stub is the kernel's function of this type.
    unsafe {
        let function: unsafe extern "C" fn(*mut [i64; 2], *mut u8) -> i32 =
            core::mem::transmute(address);
        function(time, zone)
    }
}

/// # Safety
/// As `time(2)`.
#[inline]
pub unsafe extern "C" fn original_time(time: *mut i64) -> i64 {
    let address = original(VDSO_TIME);
    if address == 0 {
        // SAFETY: the caller's promise is the same.
        return unsafe { derived_time(time) };
    }
    // SAFETY: the stub is the kernel's function of this type.
    unsafe {
        let function: unsafe extern "C" fn(*mut i64) -> i64 = core::mem::transmute(address);
        function(time)
    }
}

/// # Safety
/// As `getcpu(2)`.
#[inline]
pub unsafe extern "C" fn original_getcpu(cpu: *mut u32, node: *mut u32, unused: *mut u8) -> i32 {
    let address = original(VDSO_GETCPU);
    if address == 0 {
        // SAFETY: the caller's promise is the same.
        return unsafe {
            syscall3(Number::GETCPU, cpu as usize, node as usize, unused as usize) as i32
        };
    }
    // SAFETY: the stub is the kernel's function of this type.
    unsafe {
        let function: unsafe extern "C" fn(*mut u32, *mut u32, *mut u8) -> i32 =
            core::mem::transmute(address);
        function(cpu, node, unused)
    }
}

/// # Safety
/// As `clock_getres(2)`. Errors come as −errno.
#[inline]
pub unsafe extern "C" fn original_clock_getres(clock: i32, resolution: *mut [i64; 2]) -> i32 {
    let address = original(VDSO_CLOCK_GETRES);
    if address == 0 || !is_fast(clock) {
        // SAFETY: the caller's promise is the same.
        return unsafe {
            syscall2(Number::CLOCK_GETRES, clock as usize, resolution as usize) as i32
        };
    }
    // SAFETY: the stub is the kernel's function of this type.
    unsafe {
        let function: unsafe extern "C" fn(i32, *mut [i64; 2]) -> i32 =
            core::mem::transmute(address);
        function(clock, resolution)
    }
}

const CLOCK_REALTIME: i32 = 0;
/// The kernel's `time` counts by the coarse clock too.
const CLOCK_REALTIME_COARSE: i32 = 5;

/// # Safety
/// As the function itself.
unsafe fn derived_gettimeofday(time: *mut [i64; 2], zone: *mut u8) -> i32 {
    if time.is_null() || !zone.is_null() {
        // SAFETY: the caller's promise is the same.
        return unsafe { syscall2(Number::GETTIMEOFDAY, time as usize, zone as usize) as i32 };
    }
    let mut now = [0i64; 2];
    // SAFETY: `time` is writable by contract.
    unsafe {
        let result = original_clock_gettime(CLOCK_REALTIME, &mut now);
        let [seconds, nanoseconds] = now;
        time.write([seconds, nanoseconds / 1000]);
        result
    }
}

/// # Safety
/// As the function itself.
unsafe fn derived_time(time: *mut i64) -> i64 {
    let mut now = [0i64; 2];
    // SAFETY: `time` is writable by contract, or null.
    unsafe {
        original_clock_gettime(CLOCK_REALTIME_COARSE, &mut now);
        let [seconds, _] = now;
        if !time.is_null() {
            time.write(seconds);
        }
        seconds
    }
}
