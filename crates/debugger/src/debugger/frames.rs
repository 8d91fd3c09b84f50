//! From a stopped thread to the frames that are shown.

use std::sync::Arc;

use wayfarer_symbols::frames::{
    Backtrace, BacktraceOptions, Frame, FrameId, FrameKind as SymbolFrameKind,
};
use wayfarer_symbols::unwind::{AddressSpace, EndOfStack};
use wayfarer_symbols::{ScopeKind, VariableKind};

use super::Debugger;
use crate::evaluation::{PrintStyle, Standing, frame_variables};
use crate::session::Space;
use crate::view::{FrameKind, FrameView, StopReason};
use crate::{DebuggerError, Location, Result, ThreadId};

/// Frames walked for a report of a stop: its own, and the caller's for what the caller knows.
const FEW: usize = 3;

impl Debugger {
    /// A thread's frames, at least so many of them as far as there are. Inlined calls that have not been entered
    /// are still in it: see [`Debugger::visible`].
    pub(super) fn backtrace_of(&mut self, id: ThreadId, at_least: usize) -> Result<Arc<Backtrace>> {
        self.fetch_registers(id)?;
        let (process, thread) = self.thread(id)?;
        if let Some(known) = &thread.backtrace
            && (known.end != EndOfStack::Limit || known.frames.len() >= at_least)
        {
            return Ok(known.clone());
        }
        let registers = thread.registers().ok_or(DebuggerError::NoFrame)?;
        let space = process.space.clone();
        let options = BacktraceOptions {
            limit: at_least.max(FEW),
            past_main: self.settings.is_on("backtrace past-main"),
        };
        let backtrace = Arc::new(Backtrace::walk(&space, &registers, &options));
        if let Some(thread) = self.thread_mut(id) {
            thread.backtrace = Some(backtrace.clone());
        }
        Ok(backtrace)
    }

    /// The frame of a shown level, and its index among all frames.
    pub(super) fn visible(
        &mut self,
        id: ThreadId,
        level: usize,
    ) -> Result<(Arc<Backtrace>, usize)> {
        let skipped = self.thread(id)?.1.skipped_inlines;
        let index = level + skipped;
        let backtrace = self.backtrace_of(id, index + 1)?;
        match index < backtrace.frames.len() {
            true => Ok((backtrace, index)),
            false => Err(DebuggerError::NoSuchFrame(level as u32)),
        }
    }

    /// The shown frame of a level.
    pub(super) fn frame_view_of(
        &mut self,
        id: ThreadId,
        level: usize,
        full: bool,
    ) -> Result<FrameView> {
        let (backtrace, index) = self.visible(id, level)?;
        let space = self.process(id.process)?.space.clone();
        let style = self.print_style();
        let whose = (id, self.thread(id)?.1.runs);
        Ok(frame_view(
            &space, &backtrace, index, level, full, &style, whose,
        ))
    }

    /// What stays the same while that frame lives.
    pub(super) fn frame_id_of(&mut self, id: ThreadId, level: usize) -> Option<FrameId> {
        let (backtrace, index) = self.visible(id, level).ok()?;
        backtrace.frames.get(index).map(|frame| frame.id)
    }

    /// How many inlined calls begin exactly where the thread stands.
    pub(super) fn beginning_inlines(&mut self, id: ThreadId) -> usize {
        let Ok(backtrace) = self.backtrace_of(id, FEW) else {
            return 0;
        };
        let Some(top) = backtrace.frames.first() else {
            return 0;
        };
        let Some(loaded) = &top.module else { return 0 };
        let address = loaded.address(top.pc);
        let scopes = loaded.module.scopes_at(address).unwrap_or_default();
        let inlined = scopes
            .iter()
            .rev()
            .filter(|scope| scope.kind != ScopeKind::Block);
        inlined
            .take_while(|scope| scope.kind == ScopeKind::Inlined)
            .take_while(|scope| scope.ranges.iter().any(|range| range.start == address))
            .count()
    }

    /// Decides at a stop whether inlined calls that begin here count as entered: a breakpoint was set on them, but a
    /// halt or an arrival stands before the call.
    pub(super) fn settle_inlines(&mut self, id: ThreadId, reason: &StopReason) {
        let skipped = match reason {
            StopReason::Step => return,
            StopReason::Breakpoint { number, .. } => self.inlines_before_place(id, *number),
            StopReason::Catch { .. } | StopReason::Barrier(_) => 0,
            reason if reason.is_end() => 0,
            _ => self.beginning_inlines(id),
        };
        if let Some(thread) = self.thread_mut(id) {
            thread.skipped_inlines = skipped;
        }
    }

    /// How many inlined calls begin at a breakpoint that was set on the function round them.
    fn inlines_before_place(&mut self, id: ThreadId, number: u32) -> usize {
        let beginning = self.beginning_inlines(id);
        let Ok(backtrace) = self.backtrace_of(id, FEW) else {
            return 0;
        };
        let pc = backtrace.frames.first().map_or(0, |frame| frame.pc);
        let places = self
            .breakpoints
            .get(&number)
            .map(|breakpoint| &breakpoint.places);
        let place = places
            .into_iter()
            .flatten()
            .find(|place| place.view.process_number == id.process && place.view.address == pc);
        let Some(function) = place.and_then(|place| place.view.function.as_ref()) else {
            return 0;
        };
        let meant = backtrace
            .frames
            .iter()
            .position(|frame| frame.function.as_ref() == Some(function));
        meant.filter(|&index| index <= beginning).unwrap_or(0)
    }

    /// Whether a stopped thread stands at a location (`@at(file:line)`, `@at(function)`).
    pub(super) fn stands_at(&mut self, id: ThreadId, location: &Location) -> bool {
        let Ok((backtrace, index)) = self.visible(id, 0) else {
            return false;
        };
        let Some(frame) = backtrace.frames.get(index) else {
            return false;
        };
        let same_file = |wanted: &str| {
            frame.position.as_ref().is_some_and(|position| {
                std::path::Path::new(&position.file.name).ends_with(wanted)
                    || position.file.path.ends_with(wanted)
            })
        };
        let line = frame.position.as_ref().map(|position| position.line);
        let named = |wanted: &str| {
            frame
                .function
                .as_deref()
                .is_some_and(|name| is_named(name, wanted))
        };
        match location {
            Location::FileLine { file, line: wanted } => {
                same_file(file) && line == Some(u64::from(*wanted))
            }
            Location::Line(wanted) => line == Some(u64::from(*wanted)),
            Location::FileFunction { file, function } => same_file(file) && named(function),
            Location::Function(function) => named(function),
            _ => false,
        }
    }
}

/// Whether a qualified function name is meant by what was typed: all of it, or its last components.
pub(super) fn is_named(name: &str, wanted: &str) -> bool {
    let plain = name.split('(').next().unwrap_or(name);
    plain == wanted
        || name == wanted
        || plain
            .strip_suffix(wanted)
            .is_some_and(|rest| rest.ends_with("::"))
}

/// One frame with its arguments, and its locals if asked.
pub(super) fn frame_view(
    space: &Space,
    backtrace: &Backtrace,
    index: usize,
    level: usize,
    full: bool,
    style: &PrintStyle,
    (thread, runs): (ThreadId, u64),
) -> FrameView {
    let Some(frame) = backtrace.frames.get(index) else {
        return bare_view(level);
    };
    let standing = Standing::new(thread, level, runs);
    let arguments = frame_variables(space, backtrace, index, style, standing, true, |kind| {
        kind == VariableKind::Parameter
    });
    let locals = full.then(|| {
        frame_variables(space, backtrace, index, style, standing, false, |kind| {
            kind != VariableKind::Parameter
        })
    });
    // Where an inlined call is about to be entered, the caller shows the line of the call and stands at its start.
    let in_mid_line = frame.is_inside_line && !(level == 0 && index > 0);
    FrameView {
        level: level as u32,
        address: frame.pc,
        in_mid_line,
        kind: match frame.kind {
            SymbolFrameKind::Normal => FrameKind::Normal,
            SymbolFrameKind::Inlined => FrameKind::Inlined,
            SymbolFrameKind::Signal => FrameKind::SignalTrampoline,
            SymbolFrameKind::Called => FrameKind::CalledByDebugger,
        },
        function: frame.function.clone(),
        arguments,
        file: frame
            .position
            .as_ref()
            .map(|position| position.file.name.clone()),
        full_path: frame
            .position
            .as_ref()
            .map(|position| position.file.path.display().to_string()),
        line: frame.position.as_ref().map(|position| position.line as u32),
        column: frame
            .position
            .as_ref()
            .map(|position| position.column as u32)
            .filter(|&column| column != 0),
        module: module_path(space, frame),
        locals,
    }
}

fn module_path(space: &Space, frame: &Frame) -> Option<String> {
    frame.module.as_ref()?;
    let mapped = space.mapped_at(frame.pc)?;
    let is_library = !mapped.is_program && space.module_at(frame.pc).is_some();
    is_library.then(|| mapped.path.clone())
}

fn bare_view(level: usize) -> FrameView {
    FrameView {
        level: level as u32,
        address: 0,
        in_mid_line: true,
        kind: FrameKind::Normal,
        function: None,
        arguments: Vec::new(),
        file: None,
        full_path: None,
        line: None,
        column: None,
        module: None,
        locals: None,
    }
}
