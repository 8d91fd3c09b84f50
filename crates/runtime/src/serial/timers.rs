//! The timers of a thread that raise our own signal in it: for what is done by force, and for looks at what it does.

use crate::kernel::action::OWN;
use crate::serial::ends;
use crate::state::Thread;
use crate::state::spinning::Spin;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;

/// How long a thread may go without events before a signal is delivered by force.
const FORCE_AFTER_NS: u64 = 10_000_000;
/// Replay: the same before a turn ends by force, which takes two such times.
const YIELD_AFTER_NS: u64 = 5_000_000;
/// Replay: the same where the turn ended in a loop, which should be met much sooner.
const NO_LOOP_AFTER_NS: u64 = 50_000_000;
/// Replay: the time from one look to the next, and how much shorter it is than all looks in the recording took.
const SHORTEST_LOOK_US: u64 = 25;
const LONGEST_LOOK_US: u64 = 60;
const LOOKS_FASTER: u64 = 3;
/// Marks the timer of a forced delivery.
pub const FORCE: u64 = 0x5741_5946_464f_5243;
/// Marks the timer of a look.
pub const LOOK: u64 = FORCE + 1;
pub const TIMER_CODE: i32 = -2;
/// The clock of the timer: a thread that does not get to run is not late.
const THREAD_PROCESSOR_TIME: usize = 3;
/// The same for looks, which come sooner than clocks of processor time tick.
const MONOTONIC: usize = 1;

/// Starts the timer after which a signal is delivered by force.
pub fn arm_force(thread: &mut Thread) {
    let after_ns = if !ends::expects_end(thread) {
        FORCE_AFTER_NS
    } else if thread.preemption.expected.spin == Spin::default() {
        YIELD_AFTER_NS
    } else {
        arm_look(thread, look_after_us(&thread.preemption.expected.spin));
        NO_LOOP_AFTER_NS
    };
    start(
        &mut thread.preemption.force_timer,
        THREAD_PROCESSOR_TIME,
        FORCE,
        after_ns,
    );
}

/// Starts the timer after which the thread is looked at.
pub fn arm_look(thread: &mut Thread, after_us: u64) {
    start(
        &mut thread.preemption.look_timer,
        MONOTONIC,
        LOOK,
        after_us * 1000,
    );
}

/// Replay: the time between looks. The turn must not end later than in the recording: a loop may go on elsewhere after
/// so many rounds. It took as many looks there.
pub fn look_after_us(spin: &Spin) -> u64 {
    (u64::from(spin.after_us) / LOOKS_FASTER).clamp(SHORTEST_LOOK_US, LONGEST_LOOK_US)
}

/// The thread ends: the kernel would keep its timers for as long as the process lives.
pub fn drop_timers(thread: &mut Thread) {
    for timer in [
        &mut thread.preemption.force_timer,
        &mut thread.preemption.look_timer,
    ] {
        if *timer != 0 {
            // SAFETY: a timer of ours.
            unsafe {
                raw::syscall6(
                    Number::TIMER_DELETE,
                    timer.wrapping_sub(1) as usize,
                    0,
                    0,
                    0,
                    0,
                    0,
                )
            };
            *timer = 0;
        }
    }
}

/// Starts a timer that raises our signal in this thread; `timer`: its number, plus one, and 0 before it is made.
fn start(timer: &mut i32, clock: usize, mark: u64, after_ns: u64) {
    // SAFETY: all structs live on this stack; a timer of ours raises our signal in this thread only.
    unsafe {
        if *timer == 0 {
            let tid = raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as u64;
            // sigevent: value, signal and notification (SIGEV_THREAD_ID), thread id.
            let event: [u64; 8] = [mark, u64::from(OWN) | (4 << 32), tid, 0, 0, 0, 0, 0];
            let mut number = 0i32;
            let result = raw::syscall6(
                Number::TIMER_CREATE,
                clock,
                (&raw const event) as usize,
                (&raw mut number) as usize,
                0,
                0,
                0,
            );
            if result != 0 {
                return;
            }
            *timer = number.wrapping_add(1);
        }
        let when: [u64; 4] = [0, 0, 0, after_ns];
        raw::syscall6(
            Number::TIMER_SETTIME,
            timer.wrapping_sub(1) as usize,
            0,
            (&raw const when) as usize,
            0,
            0,
            0,
        );
    }
}
