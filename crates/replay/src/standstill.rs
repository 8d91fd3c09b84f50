//! Nothing moves any more: the end of a cut trace, a gap to step over, or a divergence?

use crate::observed::{ThreadState, Wait};

/// What to do about a replay in which no thread has moved for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A thread runs: the replay may yet move.
    GoOn,
    /// The writer whose turn it is was killed while recording: let the next one write.
    SkipOutput { to: u32 },
    /// The trace was cut, and every thread is where it ends.
    TraceEnds,
    /// Every thread waits for what cannot come.
    Standstill,
}

/// Judges the live threads. `output_turn`: number of the write that may go next. `cut`: the trace does
/// not reach the end of every process.
pub fn judge(threads: &[ThreadState], output_turn: u32, cut: bool) -> Verdict {
    let mut live = threads.iter().filter(|thread| thread.live).peekable();
    // In a cut trace a thread may run on after its last event forever.
    let at_end =
        |thread: &ThreadState| thread.wait == Wait::End || thread.events >= thread.promised;
    let runs = |thread: &ThreadState| match thread.wait {
        Wait::No => !(cut && at_end(thread)),
        // Who is held back goes on when the host wants it.
        wait => matches!(wait, Wait::Stopped | Wait::Held),
    };
    if live.peek().is_none() || live.clone().any(runs) {
        return Verdict::GoOn;
    }
    let next_output = live.clone().filter_map(|thread| match thread.wait {
        Wait::Output(number) if number > output_turn => Some(number),
        _ => None,
    });
    if let Some(to) = next_output.min() {
        return Verdict::SkipOutput { to };
    }
    if cut && live.any(at_end) {
        return Verdict::TraceEnds;
    }
    Verdict::Standstill
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_model::{ObjectId, ProcessId, ThreadId};

    fn thread(id: u32, wait: Wait) -> ThreadState {
        ThreadState {
            id: ThreadId(id),
            process: ProcessId(1),
            live: true,
            events: 3,
            promised: 10,
            wait,
        }
    }

    const STREAM: Wait = Wait::Stream {
        object: ObjectId(3),
        direction: 0,
        writer: None,
    };

    #[test]
    fn a_running_thread_may_yet_move() {
        assert_eq!(
            judge(&[thread(1, STREAM), thread(2, Wait::No)], 0, false),
            Verdict::GoOn
        );
        assert_eq!(judge(&[], 0, false), Verdict::GoOn);
    }

    #[test]
    fn the_lowest_write_goes_next_when_its_turn_cannot_come() {
        let threads = [
            thread(1, Wait::Output(9)),
            thread(2, Wait::Output(7)),
            thread(3, STREAM),
        ];
        assert_eq!(judge(&threads, 5, false), Verdict::SkipOutput { to: 7 });
    }

    #[test]
    fn only_a_cut_trace_may_end_early() {
        let threads = [thread(1, STREAM), thread(2, Wait::End)];
        assert_eq!(judge(&threads, 0, true), Verdict::TraceEnds);
        assert_eq!(judge(&threads, 0, false), Verdict::Standstill);
        assert_eq!(judge(&[thread(1, STREAM)], 0, true), Verdict::Standstill);
        let spinning = ThreadState {
            events: 10,
            ..thread(1, Wait::No)
        };
        assert_eq!(judge(&[spinning], 0, true), Verdict::TraceEnds);
        assert_eq!(judge(&[spinning], 0, false), Verdict::GoOn);
    }

    #[test]
    fn threads_that_are_gone_do_not_count() {
        let gone = ThreadState {
            live: false,
            ..thread(1, Wait::No)
        };
        assert_eq!(
            judge(&[gone, thread(2, STREAM)], 0, false),
            Verdict::Standstill
        );
    }
}
