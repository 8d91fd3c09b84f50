//! Breakpoints in debug registers, with several threads that reach them at the same time.

mod common;

use common::{Session, program, symbol};
use wayfarer_protocol as wire;
use wire::stop_reason::Reason;

/// Threads of the program.
const THREADS: u64 = 4;

#[test]
fn a_thread_stopped_before_it_gets_past_is_not_told_of_twice() {
    let executable = program("endless", &[]);
    let mut session = Session::start();
    let process = session.launch(&executable, &["/no/such/file"]);
    let id = session.break_with(process.id, symbol(&executable, "work"), |request| {
        request.hardware = true;
    });
    let total = symbol(&executable, "total");
    for stops in 1..=150 {
        // The stop of one takes the others along, often before they have executed a single instruction.
        session.go();
        let (_, reason) = session.stop_reason();
        assert!(matches!(reason, Reason::Breakpoint(_)), "{reason:?}");
        let hits = session.hits(id).hits;
        assert_eq!(hits, stops);
        let calls = u64::from(session.word(process.id, total));
        assert!(
            calls <= hits && hits <= calls + THREADS,
            "{hits} hits of {calls} calls"
        );
    }
}
