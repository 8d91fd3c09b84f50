//! Ids, each a type that says whose it is.
//!
//! A back end gives its processes and threads numbers that it never uses again, so they survive the reuse of pids by
//! the kernel. They are unique within one back end only: who speaks to several keeps them together with an [`AgentId`].

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

id! {
    /// A back end as its debugger counts them; the first is 0.
    AgentId(u32)
}
id! {
    /// A process, as its back end calls it; never 0.
    ProcessId(u64)
}
id! {
    /// A thread, as its back end calls it; never 0.
    ThreadId(u64)
}
id! {
    /// A breakpoint, watchpoint or catchpoint. The number is the debugger's.
    BreakpointId(u64)
}
