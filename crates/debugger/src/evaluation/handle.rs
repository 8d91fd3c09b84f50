//! Handles of values: what leads from a view back to the value, without a table of the debugger's.

use std::fmt;
use std::sync::Arc;

use wayfarer_expression::{Format, Value, ValueNode};

use crate::{StackFrame, ThreadId};

/// Leads from a view of a value to its children: see [`crate::Debugger::children`].
///
/// A handle belongs to whoever has it and costs nothing to copy. It is good until the thread whose frame the value was
/// read in runs on, and says so afterwards.
#[derive(Clone)]
pub struct ValueHandle(Arc<Held>);

/// What a handle holds.
pub(crate) struct Held {
    pub opened: Opened,
    pub format: Format,
    /// None: the value depends on no frame.
    pub standing: Option<Standing>,
}

/// A value, opened up already or not.
pub(crate) enum Opened {
    Value(Value),
    Node(ValueNode),
}

/// A frame for as long as its thread does not run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub frame: StackFrame,
    /// The thread's count of runs then.
    pub runs: u64,
}

impl Standing {
    pub fn new(thread: ThreadId, level: usize, runs: u64) -> Standing {
        let level = level as u32;
        Standing {
            frame: StackFrame { thread, level },
            runs,
        }
    }
}

impl ValueHandle {
    pub(crate) fn new(opened: Opened, format: &Format, standing: Option<Standing>) -> ValueHandle {
        ValueHandle(Arc::new(Held {
            opened,
            format: format.clone(),
            standing,
        }))
    }

    pub(crate) fn held(&self) -> &Held {
        &self.0
    }
}

/// Two handles are the same if one is a copy of the other.
impl PartialEq for ValueHandle {
    fn eq(&self, other: &ValueHandle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ValueHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueHandle")
    }
}
