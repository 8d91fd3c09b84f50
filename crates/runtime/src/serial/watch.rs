//! Serial mode, recording: a thread that waits for its turn watches the owner.
//!
//! It looks at the owner's registers by a signal: after a millisecond, after 0.1 ms where such
//! looks were of use in this domain, after 8 ms where they were not. An owner that waits for others
//! in a loop of its own gives its turn away at once (`spinning.rs`). One that has had its turn for
//! long is asked for it, and gives it away at its next event or crossing. One that makes neither is
//! stopped in the middle of its code at last.

use crate::kernel::action::OWN;
use crate::session::clocks::{own_processor_time, processor_time};
use crate::session::futex;
use crate::state::spinning::{Spin, Verdict};
use crate::state::{Thread, header, process_slot, thread_slot};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{ThreadSlot, Token};

/// Marks our own kicks among the signals that arrive.
pub const KICK: u64 = 0x5741_5946_4152_4552;
/// The same: a thread that only computes may go on.
pub const KICK_IF_SPINNING: u64 = KICK + 1;
pub const KICK_CODE: i32 = -1;

/// After how long a waiting thread asks the owner to yield.
const ASK_AFTER_US: u64 = 2_000;
/// The same for a thread that waits for others in a loop: they need the time more.
const ASK_LATE_US: u64 = 10_000;
/// How much processor time an owner may use without an event. Not wall time: on a busy machine it may
/// just not get to run, and a yield by force is a place that a replay can only guess.
const PATIENCE_NS: u64 = 20_000_000;
/// The same where all that waits is a thread that another one woke, no matter when: it can wait for an owner that
/// computes.
const LONG_PATIENCE_NS: u64 = 250_000_000;
/// How long waiting threads let pass between two looks at the owner's registers.
const LOOK_FIRST_US: u16 = 1_000;
const LOOK_SOON_US: u16 = 100;
const LOOK_LATE_US: u16 = 8_000;

/// How long threads sleep that waited in a loop: doubled so many times at most.
const NAP_US: u64 = 500;
const NAP_DOUBLINGS: u32 = 3;

/// What a thread that is asked for its turn finds in its slot.
const ASKED: u32 = 1;

/// What a waiting thread knows of the owner.
pub struct Watch {
    /// Its number, plus one; 0: none.
    owner: u32,
    events: u64,
    /// How long it has had its turn at least, and how long it was not looked at.
    turn_us: u64,
    unseen_us: u64,
    /// Its processor time when it was first found without events; 0: not yet.
    since_ns: u64,
    ask_after_us: u64,
}

impl Watch {
    /// A thread begins to wait. Only where looks are of use does it look at the owner at once, whose memory is in use.
    pub fn begin(thread: &Thread, token: &Token) -> Watch {
        if token.look_us.load(Ordering::Relaxed) == LOOK_SOON_US {
            Watch::new(thread, token.owner.load(Ordering::Relaxed))
        } else {
            Watch::new(thread, 0)
        }
    }

    fn new(thread: &Thread, owner: u32) -> Watch {
        let has_other_owner = owner != 0 && owner != thread.number + 1;
        Watch {
            owner: if has_other_owner { owner } else { 0 },
            events: if has_other_owner {
                thread_slot(owner - 1).events.load(Ordering::Relaxed)
            } else {
                0
            },
            turn_us: 0,
            unseen_us: 0,
            since_ns: 0,
            ask_after_us: if thread.preemption.spun.has_just(thread.log.events) {
                ASK_LATE_US
            } else {
                ASK_AFTER_US
            },
        }
    }

    /// How long to wait until there is something to do about the owner.
    pub fn slice_us(&self, token: &Token) -> u64 {
        look_after_us(token).min(ASK_AFTER_US)
    }

    /// The owner has kept the token for another slice.
    pub fn overdue(&mut self, thread: &Thread, token: &Token, slice_us: u64) {
        let owner = token.owner.load(Ordering::Relaxed);
        if owner == 0 || owner != self.owner {
            *self = Watch::new(thread, owner);
            return;
        }
        self.turn_us = self.turn_us.saturating_add(slice_us);
        self.unseen_us = self.unseen_us.saturating_add(slice_us);
        let has_been_asked = self.turn_us >= self.ask_after_us;
        if has_been_asked {
            ask(owner - 1);
        }
        let slot = thread_slot(owner - 1);
        let events = slot.events.load(Ordering::Relaxed);
        if events != self.events {
            self.events = events;
            self.since_ns = 0;
            return;
        }
        let tid = slot.real_tid.load(Ordering::Relaxed);
        let process = process_slot(slot.process.get());
        let pid = process.real_pid.load(Ordering::Relaxed);
        if tid == 0 {
            // It becomes another program, or ends.
            if is_gone(pid) {
                self.free(token);
            }
            return;
        }
        if has_been_asked && self.is_stubborn(thread, token, slot, pid, tid) {
            kick(pid, tid, KICK);
        } else if self.unseen_us >= look_after_us(token) {
            self.unseen_us = 0;
            kick(pid, tid, KICK_IF_SPINNING);
        }
    }

    /// Whether the owner has used too much processor time without an event.
    fn is_stubborn(
        &mut self,
        thread: &Thread,
        token: &Token,
        slot: &ThreadSlot,
        pid: u32,
        tid: u32,
    ) -> bool {
        let Some(used) = processor_time(slot.process.get() == thread.process().id.get(), pid, tid)
        else {
            self.bury(token, tid);
            return true;
        };
        if self.since_ns == 0 {
            self.since_ns = used;
        }
        let idle_ns = used.wrapping_sub(self.since_ns);
        if idle_ns == 0 {
            self.bury(token, tid);
        }
        let patience_ns = if thread.preemption.patient {
            LONG_PATIENCE_NS
        } else {
            PATIENCE_NS
        };
        idle_ns > patience_ns
    }

    /// If the owner has ended, its turn has.
    fn bury(&self, token: &Token, tid: u32) {
        if is_dead(tid) {
            self.free(token);
        }
    }

    /// Only one of the threads that notice it does; the owner is another one afterwards.
    fn free(&self, token: &Token) {
        if token
            .owner
            .compare_exchange(self.owner, 0, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            token.state.store(0, Ordering::Release);
            futex::wake(&token.state, 1);
        }
    }
}

/// Recording: asks a thread for its turn. It looks at a word of its own, not at the token: that line of memory moves
/// to each thread that wants a turn, and every lock and heap call of the program would have to fetch it back.
pub fn ask(owner: u32) {
    thread_slot(owner).waiting.store(ASKED, Ordering::Release);
}

/// A thread that waited in a loop has given its turn away: it sleeps until another thread has had one that can change
/// what it waits for, or for a while, which is the longer the more often that was in vain.
pub fn nap(thread: &mut Thread, token: &Token, turn: u32, spin: Spin) {
    if thread
        .preemption
        .spun
        .again(spin, thread.log.events, own_processor_time())
    {
        wake_nappers(token);
    }
    let longest_us = NAP_US << thread.preemption.spun.idle.min(NAP_DOUBLINGS);
    token.nappers.fetch_add(1, Ordering::AcqRel);
    futex::wait_us(&token.turn, turn, longest_us);
    token.nappers.fetch_sub(1, Ordering::AcqRel);
}

#[cold]
#[inline(never)]
pub fn wake_nappers(token: &Token) {
    futex::wake(&token.turn, u32::MAX >> 1);
}

fn look_after_us(token: &Token) -> u64 {
    match token.look_us.load(Ordering::Relaxed) {
        0 => u64::from(LOOK_FIRST_US),
        look => u64::from(look),
    }
}

/// What a look at the owner has shown: looks pay where threads wait in loops.
pub fn learn(token: &Token, verdict: Verdict) {
    let look = match (verdict, token.look_us.load(Ordering::Relaxed)) {
        (Verdict::Waits(_) | Verdict::Perhaps, _) => LOOK_SOON_US,
        (Verdict::Computes, 0) => LOOK_FIRST_US,
        (Verdict::Computes, look) => look.saturating_mul(2).min(LOOK_LATE_US),
        (Verdict::Unknown, _) => return,
    };
    token.look_us.store(look, Ordering::Relaxed);
}

/// Whether a thread has ended. One that was killed may stay for long as a zombie, which takes signals and has
/// a processor time; what it has no longer is memory.
fn is_dead(tid: u32) -> bool {
    const ESRCH: isize = -3;
    let mut byte = 0u8;
    let here: [usize; 2] = [(&raw mut byte) as usize, 1];
    let there: [usize; 2] = [core::ptr::from_ref(header()) as usize, 1];
    // SAFETY: one byte into this stack; the other side is only read.
    let result = unsafe {
        raw::syscall6(
            Number::PROCESS_VM_READV,
            tid as usize,
            (&raw const here) as usize,
            1,
            (&raw const there) as usize,
            1,
            0,
        )
    };
    result == ESRCH
}

/// Whether a process is no more, not even as a zombie.
fn is_gone(pid: u32) -> bool {
    const ESRCH: isize = -3;
    // SAFETY: signal 0 is none.
    unsafe { raw::syscall6(Number::KILL, pid as usize, 0, 0, 0, 0, 0) == ESRCH }
}

/// Sends our own signal to a thread that keeps the token without making events.
fn kick(pid: u32, tid: u32, what: u64) {
    // SAFETY: the siginfo lies on this stack.
    unsafe {
        let mut information = [0u64; 16];
        information[0] = u64::from(OWN);
        information[1] = u64::from(KICK_CODE as u32);
        information[3] = what;
        raw::syscall6(
            Number::RT_TGSIGQUEUEINFO,
            pid as usize,
            tid as usize,
            OWN as usize,
            (&raw mut information) as usize,
            0,
            0,
        );
    }
}
