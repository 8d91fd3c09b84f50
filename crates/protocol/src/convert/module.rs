//! Modules.

use wayfarer_backend as plain;

use super::{Damaged, all, list};
use crate as wire;

impl From<plain::ModulesRequest> for wire::ModulesRequest {
    fn from(process: plain::ModulesRequest) -> wire::ModulesRequest {
        wire::ModulesRequest {
            session: 0,
            process: process.0,
        }
    }
}

impl TryFrom<wire::ModulesRequest> for plain::ModulesRequest {
    type Error = Damaged;

    fn try_from(request: wire::ModulesRequest) -> Result<plain::ModulesRequest, Damaged> {
        Ok(plain::ProcessId(request.process))
    }
}

impl From<plain::ModulesReply> for wire::ModulesReply {
    fn from(modules: plain::ModulesReply) -> wire::ModulesReply {
        wire::ModulesReply {
            modules: list(modules),
        }
    }
}

impl TryFrom<wire::ModulesReply> for plain::ModulesReply {
    type Error = Damaged;

    fn try_from(reply: wire::ModulesReply) -> Result<plain::ModulesReply, Damaged> {
        all(reply.modules)
    }
}

/// The fields of a module, named once for both directions.
macro_rules! module {
    ($($field:ident),*) => {
        impl From<plain::Module> for wire::Module {
            fn from(module: plain::Module) -> wire::Module {
                wire::Module { $($field: module.$field,)* }
            }
        }

        impl TryFrom<wire::Module> for plain::Module {
            type Error = Damaged;

            fn try_from(module: wire::Module) -> Result<plain::Module, Damaged> {
                Ok(plain::Module { $($field: module.$field,)* })
            }
        }
    };
}

module!(
    path,
    build_id,
    bias,
    low,
    high,
    executable,
    interpreter,
    deleted,
    open_path,
    link_map,
    runtime
);
