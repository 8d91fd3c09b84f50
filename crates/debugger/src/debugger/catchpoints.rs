//! Catchpoints: events of the kernel that the agent watches, and functions of a language's runtime.

use std::collections::HashMap;

use wayfarer_backend::{Backend, Catch, InsertCatchpointRequest};
use wayfarer_calls::Number;

use super::Debugger;
use crate::breakpoint::{Breakpoint, Does, Target, What, id_of};
use crate::signals;
use crate::view::BreakpointView;
use crate::{CatchSpec, DebuggerError, Result};

/// Where every Rust panic passes. Newer compilers mangle the name, with a hash of their own in it.
const PANIC: &[&str] = &["rust_panic"];

impl Debugger {
    /// Sets a catchpoint.
    pub fn add_catchpoint(&mut self, spec: CatchSpec, temporary: bool) -> Result<BreakpointView> {
        check(&spec)?;
        let number = self.take_number();
        let what = match &spec {
            CatchSpec::Panic => code(PANIC, spec.clone()),
            CatchSpec::Throw => code(&["__cxa_throw"], spec.clone()),
            CatchSpec::Catch => code(&["__cxa_begin_catch"], spec.clone()),
            CatchSpec::Rethrow => code(&["__cxa_rethrow"], spec.clone()),
            _ => What::Catch(spec.clone()),
        };
        let mut breakpoint = Breakpoint::new(number, what, String::new());
        breakpoint.temporary = temporary;
        self.breakpoints.insert(number, breakpoint);
        if let Err(error) = self.insert_catch(number).and_then(|()| self.tell_signals()) {
            self.breakpoints.remove(&number);
            return Err(error);
        }
        self.place_or_forget(number)
    }

    /// Tells all back ends of a kernel event that is to stop.
    pub(super) fn insert_catch(&self, number: u32) -> Result<()> {
        let mut backends = self.backends.all();
        backends.try_for_each(|backend| self.insert_catch_in(number, &**backend))
    }

    /// Tells one of them.
    pub(super) fn insert_catch_in(&self, number: u32, backend: &dyn Backend) -> Result<()> {
        let Some(Breakpoint {
            what: What::Catch(spec),
            enabled: true,
            ..
        }) = self.breakpoints.get(&number)
        else {
            return Ok(());
        };
        let event = match spec {
            CatchSpec::Syscall(names) => {
                let numbers = names
                    .iter()
                    .map(|name| syscall(name))
                    .collect::<Result<Vec<u32>>>()?;
                Catch::Syscalls(numbers)
            }
            CatchSpec::Fork => Catch::Fork,
            CatchSpec::Vfork => Catch::Vfork,
            CatchSpec::Exec => Catch::Exec,
            _ => return Ok(()),
        };
        backend.insert_catchpoint(InsertCatchpointRequest {
            id: id_of(number),
            event,
        })?;
        Ok(())
    }

    pub(super) fn remove_catch(&mut self, number: u32) -> Result<()> {
        let kernel = matches!(
            self.breakpoints.get(&number),
            Some(Breakpoint { what: What::Catch(spec), .. }) if !matches!(spec, CatchSpec::Signal(_))
        );
        if kernel {
            for backend in self.backends.all() {
                backend.remove_catchpoint(id_of(number))?;
            }
        }
        Ok(())
    }

    /// Signals that some catchpoint wants.
    pub(super) fn caught_signals(&self) -> Vec<i32> {
        let wanted = |breakpoint: &Breakpoint| match &breakpoint.what {
            What::Catch(CatchSpec::Signal(names)) if breakpoint.enabled => signal_numbers(names),
            _ => Vec::new(),
        };
        self.breakpoints.values().flat_map(wanted).collect()
    }

    /// The catchpoint that a signal belongs to; the hit is counted.
    pub(super) fn catch_of_signal(&mut self, signal: i32) -> Option<u32> {
        let breakpoint = self.breakpoints.values_mut().find(|breakpoint| {
            breakpoint.enabled
                && matches!(&breakpoint.what, What::Catch(CatchSpec::Signal(names)) if signal_numbers(names).contains(&signal))
        })?;
        breakpoint.own_hits += 1;
        Some(breakpoint.number)
    }
}

fn code(names: &[&'static str], spec: CatchSpec) -> What {
    What::Code {
        target: Target::Functions(names.to_vec()),
        does: Does::Catch(spec),
        known: HashMap::new(),
    }
}

fn check(spec: &CatchSpec) -> Result<()> {
    match spec {
        CatchSpec::Signal(names) if names != &["all"] => names
            .iter()
            .try_for_each(|name| signals::number(name).map(|_| ())),
        CatchSpec::Syscall(names) => names.iter().try_for_each(|name| syscall(name).map(|_| ())),
        _ => Ok(()),
    }
}

fn signal_numbers(names: &[String]) -> Vec<i32> {
    match names {
        // A debugger's own signals are left out unless they are named.
        [] => (1..=64).filter(|number| ![2, 5].contains(number)).collect(),
        [all] if all == "all" => (1..=64).collect(),
        names => names
            .iter()
            .filter_map(|name| signals::number(name).ok())
            .collect(),
    }
}

fn syscall(name: &str) -> Result<u32> {
    let unknown = || DebuggerError::UnknownSyscall(name.to_owned());
    let number = match name.parse::<u64>() {
        Ok(number) => number,
        Err(_) => Number::named(name).ok_or_else(unknown)?.word(),
    };
    u32::try_from(number).map_err(|_| unknown())
}

/// What `info breakpoints` says of a catchpoint.
pub(super) fn words(spec: &CatchSpec) -> (String, String) {
    let list = |names: &[String]| {
        names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (event, detail) = match spec {
        CatchSpec::Fork => ("fork", "fork".to_owned()),
        CatchSpec::Vfork => ("vfork", "vfork".to_owned()),
        CatchSpec::Exec => ("exec", "exec".to_owned()),
        CatchSpec::Syscall(names) if names.is_empty() => ("syscall", "<any syscall>".to_owned()),
        CatchSpec::Syscall(names) if names.len() == 1 => {
            ("syscall", format!("syscall {}", list(names)))
        }
        CatchSpec::Syscall(names) => ("syscall", format!("syscalls {}", list(names))),
        CatchSpec::Signal(names) if names.is_empty() => ("signal", "<standard signals>".to_owned()),
        CatchSpec::Signal(names) => ("signal", format!("signal {}", list(names))),
        CatchSpec::Panic => ("panic", "rust panic".to_owned()),
        CatchSpec::Throw => ("throw", "exception throw".to_owned()),
        CatchSpec::Catch => ("catch", "exception catch".to_owned()),
        CatchSpec::Rethrow => ("rethrow", "exception rethrow".to_owned()),
    };
    (event.to_owned(), detail)
}
