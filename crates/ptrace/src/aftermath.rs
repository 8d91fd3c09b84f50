//! What the guardian does for programs whose tracer has died: at once their bytes, then everything else.

use crate::attach::attach;
use crate::cushion::{Cushion, take_out};
use crate::debug_registers::SLOTS;
use crate::errand::{self, Back, Provisions};
use crate::error::Error;
use crate::loans::Loan;
use crate::memory::Memory;
use crate::process_files;
use crate::signals::CODE_KERNEL;
use crate::stop::{Report, Stop};
use crate::thread::{Going, Running, Stopped, Tid};
use crate::traces::{Slot, Table, Trace};
use crate::wait::{wait, wait_for};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const BREAKPOINT: u8 = 0xcc;
/// No thread is waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_micros(200);
/// How often a thread is let run to get out of the cushion's few instructions.
const MOST_TRIES: usize = 1000;

/// What has to be done in a process once its tracer is gone.
#[derive(Default, Debug)]
pub(crate) struct Remains {
    cushion: Option<u64>,
    slots: Vec<Slot>,
    watched: bool,
    loans: Vec<Loan>,
    /// Threads that block SIGTRAP by themselves.
    unblocked: Vec<Tid>,
}

impl Remains {
    fn any(&self) -> bool {
        self.cushion.is_some()
            || !self.slots.is_empty()
            || self.watched
            || !self.loans.is_empty()
            || !self.unblocked.is_empty()
    }
}

/// Puts the bytes under breakpoints back, while the programs belong to the dying tracer still. Most of the time there
/// are none: the worker has cleaned up.
pub(crate) fn repair(table: &Table, tracer: Option<Tid>) -> BTreeMap<Tid, Remains> {
    let mut processes = BTreeMap::new();
    for (pid, traces) in table.list() {
        let mut remains = Remains::default();
        let memory = Memory::open(pid).ok();
        for trace in traces {
            match trace {
                Trace::Breakpoint(address, original) => {
                    if let Some(memory) = &memory {
                        take_out(memory, address, original);
                    }
                }
                Trace::Watchpoint => remains.watched = true,
                Trace::Cushion(base) => remains.cushion = Some(base),
                Trace::Slot(slot) => remains.slots.push(slot),
                Trace::Unblocked(tid) => remains.unblocked.push(tid),
            }
        }
        processes.insert(pid, remains);
    }
    for loan in table.loans() {
        let remains: &mut Remains = processes.entry(loan.pid).or_default();
        remains.loans.push(loan);
    }
    if let Some(tracer) = tracer {
        repair_newborns(tracer, &mut processes);
    }
    processes.retain(|_, remains| remains.any());
    processes
}

/// Children of fork that the worker had not heard of have what their parents had; their cushion says what.
fn repair_newborns(tracer: Tid, processes: &mut BTreeMap<Tid, Remains>) {
    let bases: BTreeSet<u64> = processes
        .values()
        .filter_map(|remains| remains.cushion)
        .collect();
    if bases.is_empty() {
        return;
    }
    for pid in process_files::processes() {
        if processes.contains_key(&pid) || process_files::tracer(pid, pid) != Some(tracer) {
            continue;
        }
        let Ok(memory) = Memory::open(pid) else {
            continue;
        };
        for base in &bases {
            if let Some(listed) = Cushion::listed(*base, &memory) {
                for (address, original) in listed {
                    take_out(&memory, address, original);
                }
                let remains = Remains {
                    cushion: Some(*base),
                    ..Remains::default()
                };
                processes.insert(pid, remains);
                break;
            }
        }
    }
}

/// Takes a process for a moment and removes the rest of us from it.
pub(crate) fn clean_up(pid: Tid, remains: &Remains) {
    clean_family(pid, remains, Vec::new());
}

/// The same for a process of which some threads have been met already.
fn clean_family(pid: Tid, remains: &Remains, met: Vec<(Stopped, Stop)>) {
    let Some(mut held) = hold(pid, met) else {
        return;
    };
    let Ok(memory) = Memory::open(pid) else {
        return;
    };
    held.threads = std::mem::take(&mut held.threads)
        .into_iter()
        .filter_map(|(stopped, stop)| put_right(stopped, stop, remains, &memory))
        .collect();
    for slot in &remains.slots {
        let _ = memory.write(slot.address, &slot.original);
    }
    // One that was being laid or taken away is not where the list says.
    let listed = remains
        .cushion
        .filter(|base| Cushion::listed(*base, &memory).is_some());
    let unfinished = || Cushion::find(pid, &memory).filter(|_| !remains.loans.is_empty());
    if let Some(base) = listed.or_else(unfinished) {
        take_cushion(base, &mut held, &memory);
    }
    for (stopped, stop) in held.threads {
        let signal = match stop {
            Stop::Signal(signal) => Some(signal),
            _ => None,
        };
        let _ = stopped.detach(signal);
    }
    for child in held.children {
        // It is ours since its birth, and like its parent.
        clean_family(child, remains, std::mem::take(&mut held.others));
    }
}

/// A process whose threads are stopped.
#[derive(Default)]
struct Held {
    threads: Vec<(Stopped, Stop)>,
    /// Some thread did not stop in time.
    incomplete: bool,
    /// Processes that it made meanwhile.
    children: Vec<Tid>,
    /// Threads of theirs.
    others: Vec<(Stopped, Stop)>,
}

fn hold(pid: Tid, met: Vec<(Stopped, Stop)>) -> Option<Held> {
    let deadline = Instant::now() + PATIENCE;
    // The dead worker's hold on it may last a little longer than its pipe.
    loop {
        match attach(pid) {
            Ok(_) => break,
            Err(error) if error.is_gone() || Instant::now() > deadline => return None,
            Err(Error::AlreadyTraced { tracer, .. }) if is_us(tracer) => break,
            Err(_) => std::thread::sleep(MOMENT),
        }
    }
    let mut held = Held::default();
    let mut seen: BTreeSet<Tid> = met.iter().map(|(stopped, _)| stopped.tid()).collect();
    held.threads = met;
    let mut ended = BTreeSet::new();
    loop {
        match wait(|_| {}) {
            Some(Report::Stopped(stopped, stop)) => {
                if let Stop::Fork(child) | Stop::Vfork(child) = stop {
                    held.children.push(child);
                }
                if matches!(stop, Stop::Exit(_)) {
                    ended.insert(stopped.tid());
                    stopped.resume(Going::On, None);
                } else if process_files::process_of(stopped.tid()) != Some(pid) {
                    held.others.push((stopped, stop));
                } else if seen.insert(stopped.tid()) {
                    held.threads.push((stopped, stop));
                }
            }
            Some(Report::Ended(tid, _)) => {
                ended.insert(tid);
            }
            None => {
                let all = process_files::tasks(pid)
                    .iter()
                    .all(|tid| seen.contains(tid) || ended.contains(tid));
                if all {
                    break;
                }
                if Instant::now() > deadline {
                    held.incomplete = true;
                    break;
                }
                std::thread::sleep(MOMENT);
            }
        }
    }
    Some(held)
}

fn is_us(tracer: Tid) -> bool {
    tracer.0 == std::process::id() as i32
}

/// Makes a stopped thread one that has nothing to do with us any more; `None` if it is gone.
fn put_right(
    stopped: Stopped,
    stop: Stop,
    remains: &Remains,
    memory: &Memory,
) -> Option<(Stopped, Stop)> {
    let (mut stopped, mut stop) = (stopped, stop);
    let tid = stopped.tid();
    if let Some(loan) = remains.loans.iter().find(|loan| loan.tid == tid) {
        if matches!(stop, Stop::Signal(libc::SIGTRAP)) {
            (stopped, stop) = settled(stopped.drop_signal())?;
        }
        loan.settle(&mut stopped);
    }
    for _ in 0..MOST_TRIES {
        if stop == Stop::Signal(libc::SIGTRAP) && undo_trap(&mut stopped, memory) {
            (stopped, stop) = settled(stopped.drop_signal())?;
            continue;
        }
        let inside = remains.cushion.is_some_and(|base| {
            let registers = stopped.registers();
            registers.is_ok_and(|registers| Cushion::contains(base, registers.0.rip))
        });
        let trap = stop == Stop::Interrupted && stopped.has_unreported_trap();
        if !inside && !trap {
            break;
        }
        let signal = match stop {
            Stop::Signal(signal) => Some(signal),
            _ => None,
        };
        let running = stopped.resume(Going::On, signal);
        (stopped, stop) = settled(again(&running))?;
    }
    for slot in &remains.slots {
        leave_slot(&mut stopped, slot);
    }
    if remains.unblocked.contains(&tid) {
        let _ = stopped.block_signal(libc::SIGTRAP, true);
    }
    if remains.watched {
        let _ = stopped.set_watches(&[None; SLOTS]);
    }
    Some((stopped, stop))
}

fn again(running: &Running) -> Option<Report> {
    std::thread::sleep(MOMENT);
    running.interrupt().ok()?;
    wait_for(running.tid())
}

fn settled(report: Option<Report>) -> Option<(Stopped, Stop)> {
    match report {
        Some(Report::Stopped(stopped, Stop::Exit(_))) => {
            stopped.resume(Going::On, None);
            None
        }
        Some(Report::Stopped(stopped, stop)) => Some((stopped, stop)),
        _ => None,
    }
}

/// Whether a trap was ours; then the thread is where it would be without us.
fn undo_trap(stopped: &mut Stopped, memory: &Memory) -> bool {
    let (Ok(info), Ok(mut registers)) = (stopped.signal_info(), stopped.registers()) else {
        return false;
    };
    if info.code() != CODE_KERNEL {
        return info.code() > 0;
    }
    let address = match info.rewound_to() {
        Some(address) => address,
        None => {
            let before = registers.0.rip.wrapping_sub(1);
            let mut now = [0];
            if memory.read(before, &mut now).is_err() || now == [BREAKPOINT] {
                return false;
            }
            before
        }
    };
    registers.0.rip = address;
    stopped.set_registers(&registers).is_ok()
}

/// A thread in the middle of an instruction out of line is put where it would be.
fn leave_slot(stopped: &mut Stopped, slot: &Slot) {
    let Ok(mut registers) = stopped.registers() else {
        return;
    };
    let copy_end = slot.address + u64::from(slot.copy_length);
    if registers.0.rip == slot.address {
        registers.0.rip = slot.home;
    } else if registers.0.rip == copy_end {
        registers.0.rip = slot.home + u64::from(slot.length);
    } else {
        return;
    }
    let _ = stopped.set_registers(&registers);
}

/// Has the process give its cushion back.
fn take_cushion(base: u64, held: &mut Held, memory: &Memory) {
    let inside = |(stopped, _): &(Stopped, Stop)| {
        let registers = stopped.registers();
        registers.is_ok_and(|registers| Cushion::contains(base, registers.0.rip))
    };
    let busy = held.incomplete || held.threads.iter().any(inside);
    let able = |(_, stop): &(Stopped, Stop)| errand::can_run(*stop);
    let Some(index) = held.threads.iter().position(able) else {
        return;
    };
    let (stopped, stop) = held.threads.swap_remove(index);
    let provisions = Provisions {
        pid: memory.tid(),
        memory,
        place: None,
        traces: None,
    };
    let back = errand::run(stopped, stop, provisions, |errand| {
        Cushion::take_off(base, errand, memory)?;
        if busy {
            return Ok(());
        }
        Cushion::unmap(base, errand)
    });
    match back {
        Back::Here(stopped, stop, _) => held.threads.push((stopped, stop)),
        Back::Lost(report) => held.threads.extend(settled(report)),
    }
}
