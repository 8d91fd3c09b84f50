//! Stable numbers of a session. They survive reuse of the kernel's ids, and they are the same in
//! the recording and in every replay.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

id! {
    /// A process of the session, in order of creation. The first is 1; 0 is none.
    ProcessId(u32)
}
id! {
    /// A thread of the session, counted over all processes. The first is 1; 0 is none.
    ThreadId(u32)
}
id! {
    /// A pipe or connection of the session. 1 is the session's own output; 0 is none.
    ObjectId(u32)
}
id! {
    /// An event of one thread, counted from zero.
    EventNumber(u64)
}
