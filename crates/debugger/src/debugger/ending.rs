//! Words for how a process ended.

use crate::view::ProcessState;

/// For messages: `exited with status 1`.
pub(super) fn describe(state: &ProcessState) -> String {
    match state {
        ProcessState::Exited { status } => format!("it exited with status {status}"),
        ProcessState::Killed { signal_name, .. } => format!("it was killed by {signal_name}"),
        ProcessState::Detached => "it was detached".to_owned(),
        ProcessState::Running => "it runs".to_owned(),
        ProcessState::Stopped => "it stands".to_owned(),
    }
}
