//! What a replay that is over showed.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use wayfarer_model::{ProcessEnd, ProcessId};
use wayfarer_replay::monitor::End;
use wayfarer_replay::outcome::end_of;
use wayfarer_replay::words::{thread_name, wait_text};
use wayfarer_replay::{Explanation, Plan, ThreadState, compare, explain};
use wayfarer_runtime_abi::layout::{Delay, process_state};
use wayfarer_trace::Trace;

use super::look;
use crate::session::Session;

/// Value of `Header::output_tail` after a newline.
const WHOLE_LINE: u32 = 256 + b'\n' as u32;

/// What a replay showed.
pub struct ReplayReport {
    pub explanation: Option<Explanation>,
    /// Exit status of the command as the replay reproduced it, 128 + signal.
    pub status: i32,
    pub processes: u64,
    pub threads: u64,
    pub events: u64,
    pub trace_bytes: u64,
    /// The replayed output ended in the middle of a line.
    pub open_line: bool,
    /// Where each thread was when a cut trace came to its end.
    pub ends_at: Vec<String>,
    /// What is unreadable in the trace.
    pub damage: Vec<String>,
    /// Some process was recorded with its threads in parallel: another try may differ.
    pub parallel: bool,
    /// Solid replay: the last points behind which a thread ran until it had to wait, in order.
    pub turn_ends: Vec<Delay>,
}

/// Sums up a replay that ended like this; `ends`: wait statuses that the host collected.
pub fn report(
    trace: &Trace,
    plan: &Plan,
    session: &Session,
    end: End,
    ends: &BTreeMap<ProcessId, i32>,
) -> ReplayReport {
    let now = look::threads(session, plan);
    let processes = look::processes(session, ends);
    let mut ends_at = Vec::new();
    let root = processes.iter().find(|process| process.id == plan.root);
    let mut status = root.and_then(end_of).and_then(ProcessEnd::shell_status);
    let difference = match end {
        End::AllGone => {
            compare(trace, plan, &processes, &now).map(|difference| (difference, now.clone()))
        }
        End::Cut(threads) => {
            ends_at = threads
                .iter()
                .filter(|thread| thread.live)
                .map(|thread| place(trace, thread, &threads))
                .collect();
            let recorded = trace.manifest().end;
            status = recorded.and_then(|end| end.shell_status()).or(status);
            None
        }
        End::Different(difference, threads) => Some((difference, threads)),
    };
    let started = processes
        .iter()
        .filter(|process| !matches!(process.state, process_state::FREE | process_state::SKIPPED));
    ReplayReport {
        explanation: difference.map(|(difference, threads)| explain(trace, &difference, &threads)),
        status: status.unwrap_or(125),
        processes: started.count() as u64,
        threads: now.iter().filter(|thread| thread.events > 0).count() as u64,
        events: now.iter().map(|thread| thread.events).sum(),
        trace_bytes: trace.bytes_on_disk(),
        open_line: !matches!(
            session.header().output_tail.load(Ordering::Relaxed),
            0 | WHOLE_LINE
        ),
        ends_at,
        damage: plan.damage.clone(),
        parallel: plan.parallel,
        turn_ends: session.turn_ends(),
    }
}

fn place(trace: &Trace, thread: &ThreadState, threads: &[ThreadState]) -> String {
    let name = thread_name(trace, thread.id);
    format!(
        "{name} after {} events, {}",
        thread.events,
        wait_text(trace, &thread.wait, threads)
    )
}
