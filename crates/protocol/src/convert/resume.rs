//! Setting threads going, and stopping them.

use wayfarer_backend as plain;
use wire::resume_action::Action;

use super::{Damaged, all, list, needed};
use crate as wire;

impl From<plain::ResumeRequest> for wire::ResumeRequest {
    fn from(actions: plain::ResumeRequest) -> wire::ResumeRequest {
        wire::ResumeRequest {
            session: 0,
            actions: list(actions),
        }
    }
}

impl TryFrom<wire::ResumeRequest> for plain::ResumeRequest {
    type Error = Damaged;

    fn try_from(request: wire::ResumeRequest) -> Result<plain::ResumeRequest, Damaged> {
        all(request.actions)
    }
}

impl From<plain::ResumeAction> for wire::ResumeAction {
    fn from(action: plain::ResumeAction) -> wire::ResumeAction {
        wire::ResumeAction {
            targets: Some(action.targets.into()),
            signal: match action.signal {
                plain::Delivery::AsStopped => None,
                plain::Delivery::Nothing => Some(0),
                plain::Delivery::Signal(signal) => Some(signal as u32),
            },
            action: Some(action.action.into()),
        }
    }
}

impl TryFrom<wire::ResumeAction> for plain::ResumeAction {
    type Error = Damaged;

    fn try_from(action: wire::ResumeAction) -> Result<plain::ResumeAction, Damaged> {
        Ok(plain::ResumeAction {
            targets: needed(action.targets, "targets of an action")?,
            action: needed(action.action, "action")?,
            signal: match action.signal {
                None => plain::Delivery::AsStopped,
                Some(0) => plain::Delivery::Nothing,
                Some(signal) => plain::Delivery::Signal(signal as i32),
            },
        })
    }
}

impl From<plain::Action> for Action {
    fn from(action: plain::Action) -> Action {
        match action {
            plain::Action::Continue => Action::Continue(wire::Continue {}),
            plain::Action::Instructions { count, over_calls } => {
                Action::StepInstruction(wire::StepInstruction { over_calls, count })
            }
            plain::Action::Ranges {
                ranges,
                over_calls,
                stack_above,
            } => Action::StepRange(wire::StepRange {
                ranges: list(ranges),
                over_calls,
                stack_above,
            }),
            plain::Action::To {
                addresses,
                stack_above,
            } => Action::RunTo(wire::RunTo {
                addresses,
                stack_above,
            }),
        }
    }
}

impl TryFrom<Action> for plain::Action {
    type Error = Damaged;

    fn try_from(action: Action) -> Result<plain::Action, Damaged> {
        Ok(match action {
            Action::Continue(_) => plain::Action::Continue,
            Action::StepInstruction(step) => plain::Action::Instructions {
                count: match step.count {
                    0 => return Err(Damaged("count of instructions")),
                    count => count,
                },
                over_calls: step.over_calls,
            },
            Action::StepRange(step) => plain::Action::Ranges {
                ranges: all(step.ranges)?,
                over_calls: step.over_calls,
                stack_above: step.stack_above,
            },
            Action::RunTo(run) => plain::Action::To {
                addresses: run.addresses,
                stack_above: run.stack_above,
            },
        })
    }
}

impl From<plain::AddressRange> for wire::AddressRange {
    fn from(range: plain::AddressRange) -> wire::AddressRange {
        wire::AddressRange {
            low: range.low,
            high: range.high,
        }
    }
}

impl TryFrom<wire::AddressRange> for plain::AddressRange {
    type Error = Damaged;

    fn try_from(range: wire::AddressRange) -> Result<plain::AddressRange, Damaged> {
        Ok(plain::AddressRange {
            low: range.low,
            high: range.high,
        })
    }
}

impl From<plain::HaltReply> for wire::HaltReply {
    fn from(reply: plain::HaltReply) -> wire::HaltReply {
        wire::HaltReply {
            results: list(reply.results.0),
            first_to_last_ns: reply.first_to_last_ns,
            threads: reply.threads,
        }
    }
}

impl TryFrom<wire::HaltReply> for plain::HaltReply {
    type Error = Damaged;

    fn try_from(reply: wire::HaltReply) -> Result<plain::HaltReply, Damaged> {
        Ok(plain::HaltReply {
            results: plain::TargetResults(all(reply.results)?),
            first_to_last_ns: reply.first_to_last_ns,
            threads: reply.threads,
        })
    }
}

impl From<plain::SetHeldRequest> for wire::SetHeldRequest {
    fn from(request: plain::SetHeldRequest) -> wire::SetHeldRequest {
        wire::SetHeldRequest {
            session: 0,
            targets: Some(request.targets.into()),
            held: request.held,
        }
    }
}

impl TryFrom<wire::SetHeldRequest> for plain::SetHeldRequest {
    type Error = Damaged;

    fn try_from(request: wire::SetHeldRequest) -> Result<plain::SetHeldRequest, Damaged> {
        Ok(plain::SetHeldRequest {
            targets: needed(request.targets, "targets")?,
            held: request.held,
        })
    }
}
