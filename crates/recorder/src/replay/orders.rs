//! Does to a replay what its monitor orders.

use std::sync::atomic::Ordering;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wayfarer_model::ProcessId;
use wayfarer_replay::monitor::Order;
use wayfarer_runtime_abi::layout::process_state;

use super::look::real_pid;
use crate::children::{is_descendant, wake_all};
use crate::session::Session;

/// Carries one order out.
pub fn carry_out(session: &Session, order: Order) {
    match order {
        Order::Kill {
            process,
            wait_status,
        } => {
            if kill_process(session, process) {
                tell_end(session, process, wait_status);
            }
        }
        Order::TellEnd {
            process,
            wait_status,
        } => tell_end(session, process, wait_status),
        Order::SkipOutput { to } => skip_output(session, to),
    }
}

/// Tells every thread of the replay to stop where it is.
pub fn stop(session: &Session) {
    session.header().stop.store(1, Ordering::Release);
}

/// Kills every process that has begun.
pub fn kill_all(session: &Session) {
    for id in session.process_ids() {
        let begun = session
            .process(id)
            .is_some_and(|slot| slot.state.load(Ordering::Acquire) != process_state::FREE);
        if begun {
            kill_process(session, ProcessId(id));
        }
    }
}

/// Whether it could be killed.
fn kill_process(session: &Session, id: ProcessId) -> bool {
    real_pid(session, id).is_some_and(kill_descendant)
}

/// Kills a process if it is one of ours: its number may have been given to a stranger. Whether it could.
pub fn kill_descendant(pid: i32) -> bool {
    is_descendant(pid) && kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok()
}

/// Tells whoever waits for this process that it has ended.
fn tell_end(session: &Session, id: ProcessId, wait_status: i32) {
    if let Some(slot) = session.process(id.0) {
        slot.status.store(wait_status as u32, Ordering::Relaxed);
        slot.state.store(process_state::ENDED, Ordering::Release);
        wake_all(&slot.state);
    }
}

fn skip_output(session: &Session, to: u32) {
    let turn = &session.header().output_turn;
    turn.store(to, Ordering::Release);
    wake_all(turn);
}
