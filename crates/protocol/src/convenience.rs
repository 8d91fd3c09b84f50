//! Short ways to make the message that whoever speaks the protocol by hand makes often.

use crate::generated::Targets;

impl Targets {
    /// All processes of the session.
    pub fn everybody() -> Targets {
        Targets {
            all: true,
            ..Targets::default()
        }
    }

    /// One process, all its threads.
    pub fn process(process: u64) -> Targets {
        Targets {
            processes: vec![process],
            ..Targets::default()
        }
    }

    /// One thread.
    pub fn thread(thread: u64) -> Targets {
        Targets {
            threads: vec![thread],
            ..Targets::default()
        }
    }
}
