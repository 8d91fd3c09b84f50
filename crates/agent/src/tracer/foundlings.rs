//! Children whose birth nobody tells.
//!
//! A thread stops to tell of the child that it has made, and the child stops for us by itself. If the maker is killed
//! before its stop has been noticed, the kernel drops it, and the child would wait for us for ever: a thread would keep
//! its dead process from ending, a process would never run.

use super::Tracer;
use wayfarer_backend::{Origin, ThreadId};
use wayfarer_ptrace::thread::Going;
use wayfarer_ptrace::{Stop, Stopped, process_files};

impl Tracer {
    /// A thread has stopped that nobody has told of yet.
    pub(super) fn stranger_stopped(&mut self, stopped: Stopped, stop: Stop) {
        let tid = stopped.tid();
        let dying_thread = matches!(stop, Stop::Exit(_))
            && process_files::process_of(tid).is_some_and(|pid| pid != tid);
        if dying_thread {
            // Before its first stop a thread dies only along with its process, and so with its maker.
            let _ = stopped.resume(Going::On, None);
            return;
        }
        self.early.insert(tid, (stopped, stop));
    }

    /// The thread is about to end: takes in the processes that it has made and could not tell of.
    pub(super) fn take_in_children(&mut self, maker: ThreadId) {
        let Some(thread) = self.threads.get(&maker) else {
            return;
        };
        let tid = thread.tid;
        let Some(pid) = self.pid_of(maker) else {
            return;
        };
        for child in process_files::children_of_thread(pid, tid) {
            if self.tids.contains_key(&child) {
                continue;
            }
            // Children that were let go are traced by nobody, or by somebody else.
            let tracer = process_files::tracer(child, child);
            if tracer.is_some() && tracer == process_files::tracer(pid, tid) {
                self.forked(maker, child, Origin::Fork);
            }
        }
    }
}
