//! Breakpoints as the user handles them.

use std::collections::HashMap;

use wayfarer_backend::StopReason;

use super::counts::Counts;
use super::{At, Debugger};
use crate::breakpoint::{Breakpoint, Does, Once, Target, What, number_of};
use crate::view::{BreakpointKind, BreakpointView};
use crate::{BreakpointSpec, DebuggerError, Location, Result, Set};

impl At<'_> {
    /// Sets a breakpoint, dprintf or barrier in every process of its set that has the code.
    pub fn add_breakpoint(&mut self, spec: BreakpointSpec) -> Result<BreakpointView> {
        let target = self.settle(&spec.location)?;
        if let Some(condition) = &spec.condition {
            self.check_expression(condition)?;
            self.debugger.check_condition(&target, condition)?;
        }
        if let Some(set) = spec.only.clone() {
            self.debugger.resolve(&set)?;
        }
        let does = match (spec.dprintf, spec.barrier) {
            (Some((format, arguments)), _) => {
                for argument in &arguments {
                    self.check_expression(argument)?;
                }
                Does::Print { format, arguments }
            }
            (None, true) => Does::Gather,
            (None, false) => Does::Stop,
        };
        let location = match &spec.location {
            Location::Here => self.debugger.describe_target(&target),
            location => location.to_string(),
        };
        let trouble = self.debugger.nothing_there(&target);
        if let (Some(trouble), false) = (trouble, spec.pending) {
            return Err(trouble);
        }
        let number = self.debugger.take_number();
        let what = What::Code {
            target,
            does,
            known: HashMap::new(),
        };
        let mut breakpoint = Breakpoint::new(number, what, location);
        breakpoint.temporary = spec.temporary;
        breakpoint.hardware = spec.hardware;
        breakpoint.condition = spec.condition;
        breakpoint.only = spec.only;
        self.debugger.breakpoints.insert(number, breakpoint);
        self.debugger.place_or_forget(number)
    }
}

impl Debugger {
    /// Why a target is nowhere, if it is nowhere.
    fn nothing_there(&self, target: &Target) -> Option<DebuggerError> {
        let mut first = None;
        // Between two runs the last program's symbols are asked.
        let alive = self.has_processes();
        let asked = self.processes.values();
        for process in asked.filter(|process| process.is_alive() || !alive) {
            match self.places_in(target, process.number) {
                Ok(_) => return None,
                Err(error) => first = first.or(Some(error)),
            }
        }
        Some(first.unwrap_or(DebuggerError::NoProcess))
    }

    /// Places a new breakpoint everywhere; if that is refused as a whole, it was never there.
    pub(super) fn place_or_forget(&mut self, number: u32) -> Result<BreakpointView> {
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        if let Err(error) = self.place(number, &processes) {
            self.breakpoints.remove(&number);
            return Err(error);
        }
        if let Some(breakpoint) = self.breakpoints.get(&number)
            && breakpoint.hardware
            && breakpoint.places.is_empty()
            && let Some(problem) = breakpoint.problems.first().cloned()
        {
            self.breakpoints.remove(&number);
            return Err(DebuggerError::Usage(format!(
                "Could not insert hardware breakpoint {number}: {problem}."
            )));
        }
        if !self.has_processes()
            && let Some(former) = processes.first()
        {
            let places = self.wanted_places(number, *former).unwrap_or_default();
            if let Some(breakpoint) = self.breakpoints.get_mut(&number) {
                breakpoint.last_places = places;
            }
        }
        self.breakpoint(number)
    }

    fn describe_target(&self, target: &Target) -> String {
        match target {
            Target::Addresses { addresses, .. } => addresses
                .iter()
                .map(|address| format!("*{address:#x}"))
                .collect::<Vec<_>>()
                .join(" "),
            Target::Spec(Location::FileLine { file, line }) => format!("{file}:{line}"),
            Target::Spec(Location::Function(name)) => name.clone(),
            Target::Spec(_) => String::new(),
            Target::Functions(names) => names.join(" "),
        }
    }

    pub(super) fn take_number(&mut self) -> u32 {
        let number = self.next_breakpoint;
        self.next_breakpoint += 1;
        number
    }

    /// All of them, in order of their numbers.
    pub fn breakpoints(&self) -> Vec<BreakpointView> {
        let counts = self.counts(self.breakpoints.keys());
        self.breakpoints
            .values()
            .map(|breakpoint| self.breakpoint_view(breakpoint, &counts))
            .collect()
    }

    /// One of them.
    pub fn breakpoint(&self, number: u32) -> Result<BreakpointView> {
        let breakpoint = self
            .breakpoints
            .get(&number)
            .ok_or(DebuggerError::NoSuchBreakpoint(number))?;
        Ok(self.breakpoint_view(breakpoint, &self.counts([&number])))
    }

    fn breakpoint_view(&self, breakpoint: &Breakpoint, counts: &Counts) -> BreakpointView {
        let what = match &breakpoint.what {
            What::Code {
                does: Does::Stop, ..
            } => BreakpointKind::Breakpoint,
            What::Code {
                does: Does::Print { format, arguments },
                ..
            } => BreakpointKind::Dprintf {
                format: format.clone(),
                arguments: arguments.clone(),
            },
            What::Code {
                does: Does::Gather, ..
            } => {
                let (arrived, missing) = match self.barrier_view(breakpoint.number) {
                    Some(view) => (view.arrived, view.missing),
                    None => (Vec::new(), Vec::new()),
                };
                let set = breakpoint
                    .only
                    .as_ref()
                    .map_or_else(|| "all".to_owned(), |set| set.text().to_owned());
                BreakpointKind::Barrier {
                    set,
                    arrived,
                    missing,
                }
            }
            What::Code {
                does: Does::Catch(spec),
                ..
            }
            | What::Catch(spec) => {
                let (event, detail) = super::catchpoints::words(spec);
                BreakpointKind::Catchpoint { event, detail }
            }
            What::Watch(watch) => BreakpointKind::Watchpoint {
                expression: watch.expression.clone(),
                access: super::watchpoints::access_word(watch.access).to_owned(),
                address: watch.address,
                length: watch.length,
                scoped: watch.scope.is_some(),
            },
        };
        let (hits, ignore) = counts.of(breakpoint);
        BreakpointView {
            number: breakpoint.number,
            what,
            location: breakpoint.location.clone(),
            enabled: breakpoint.enabled,
            temporary: breakpoint.temporary,
            hardware: breakpoint.hardware,
            condition: breakpoint.condition.clone(),
            condition_in_agent: breakpoint.condition_in_agent,
            ignore,
            hits,
            only: breakpoint.only.as_ref().map(|set| set.text().to_owned()),
            commands: breakpoint.commands.clone(),
            places: match self.has_processes() && breakpoint.enabled {
                true => {
                    let places = breakpoint.places.iter();
                    places.map(|place| place.view.clone()).collect()
                }
                false => breakpoint.last_places.clone(),
            },
            problems: breakpoint.problems.clone(),
        }
    }

    pub(super) fn breakpoint_mut(&mut self, number: u32) -> Result<&mut Breakpoint> {
        self.breakpoints
            .get_mut(&number)
            .ok_or(DebuggerError::NoSuchBreakpoint(number))
    }

    /// Takes one away.
    pub fn delete_breakpoint(&mut self, number: u32) -> Result<()> {
        self.breakpoint_mut(number)?;
        self.switch_off(number)?;
        self.breakpoints.remove(&number);
        self.free_arrivals(number);
        self.tell_signals()
    }

    /// Takes everything of it out of back ends.
    fn switch_off(&mut self, number: u32) -> Result<()> {
        self.unplace(number)?;
        self.remove_watch(number)?;
        self.remove_catch(number)
    }
}

impl At<'_> {
    /// `clear LOCATION`: takes away those at a location; their numbers.
    pub fn clear_breakpoints(&mut self, location: &Location) -> Result<Vec<u32>> {
        let process = self.own_process()?;
        let addresses = self.addresses_in(location, process)?;
        let meant = |breakpoint: &&Breakpoint| {
            breakpoint.places.iter().any(|place| {
                place.view.process_number == process && addresses.contains(&place.view.address)
            })
        };
        let numbers: Vec<u32> = self
            .debugger
            .breakpoints
            .values()
            .filter(meant)
            .map(|breakpoint| breakpoint.number)
            .collect();
        if numbers.is_empty() {
            return Err(DebuggerError::NothingAt(location.to_string()));
        }
        for &number in &numbers {
            self.debugger.delete_breakpoint(number)?;
        }
        Ok(numbers)
    }
}

impl Debugger {
    /// Switches it on or off.
    pub fn enable_breakpoint(&mut self, number: u32, enabled: bool) -> Result<()> {
        let breakpoint = self.breakpoint_mut(number)?;
        if std::mem::replace(&mut breakpoint.enabled, enabled) == enabled {
            return Ok(());
        }
        if !enabled {
            self.keep_hits(number)?;
            let breakpoint = self.breakpoint_mut(number)?;
            if !breakpoint.places.is_empty() {
                let places = breakpoint.places.iter();
                breakpoint.last_places = places.map(|place| place.view.clone()).collect();
            }
            self.switch_off(number)?;
            self.free_arrivals(number);
            return self.tell_signals();
        }
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        self.place(number, &processes)?;
        self.insert_watch(number)?;
        self.insert_catch(number)?;
        self.tell_signals()
    }

    /// `enable once` (`delete`: `enable delete`).
    pub fn enable_breakpoint_once(&mut self, number: u32, delete: bool) -> Result<()> {
        self.breakpoint_mut(number)?.once = if delete { Once::Delete } else { Once::Disable };
        self.enable_breakpoint(number, true)
    }
}

impl At<'_> {
    /// Gives it another condition, or none. The condition must be readable where the breakpoint is placed.
    pub fn set_condition(&mut self, number: u32, condition: Option<&str>) -> Result<()> {
        if let Some(condition) = condition {
            self.check_expression(condition)?;
            let target = match &self.debugger.breakpoint_mut(number)?.what {
                What::Code { target, .. } => Some(target.clone()),
                _ => None,
            };
            if let Some(target) = target {
                self.debugger.check_condition(&target, condition)?;
            }
        }
        self.debugger.keep_hits(number)?;
        let breakpoint = self.debugger.breakpoint_mut(number)?;
        breakpoint.condition = condition.map(str::to_owned);
        breakpoint.condition_in_agent = false;
        self.debugger.replace(number)
    }
}

impl Debugger {
    /// Passes over the next `count` hits.
    pub fn set_ignore(&mut self, number: u32, count: u64) -> Result<()> {
        self.keep_hits(number)?;
        self.breakpoint_mut(number)?.ignore = count;
        self.replace(number)
    }
}

impl At<'_> {
    /// `continue N`: the breakpoint that the current thread stands at is passed over so often.
    pub(super) fn ignore_here(&mut self, count: u64) -> Result<()> {
        let id = self.stopped_thread()?;
        let Some(StopReason::Breakpoint(hit)) = &self.debugger.thread(id)?.1.reason else {
            return Ok(());
        };
        let mut numbers = hit.ids.iter().filter_map(|&id| number_of(id));
        match numbers.find(|number| self.debugger.breakpoints.contains_key(number)) {
            Some(number) => self.debugger.set_ignore(number, count),
            None => Ok(()),
        }
    }
}

impl Debugger {
    /// Text the front end runs at each stop of it.
    pub fn set_commands(&mut self, number: u32, commands: Vec<String>) -> Result<()> {
        self.breakpoint_mut(number)?.commands = commands;
        Ok(())
    }

    /// Restricts it to a set, or to none in particular.
    pub fn restrict_breakpoint(&mut self, number: u32, only: Option<Set>) -> Result<()> {
        self.keep_hits(number)?;
        self.breakpoint_mut(number)?.only = only;
        self.replace(number)
    }
}
