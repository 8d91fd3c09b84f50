//! Stacks, frames and their variables.

use wayfarer_symbols::VariableKind;
use wayfarer_symbols::frames::{Backtrace, BacktraceOptions, FrameKind as SymbolFrameKind};
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::unwind::EndOfStack;

use super::frames::{frame_view, is_named};
use super::{At, Debugger};
use crate::evaluation::{PrintStyle, Standing, frame_variables};
use crate::session::Space;
use crate::view::{FrameInfoView, FrameView, SavedRegisterView, StackView, VariableView, Who};
use crate::{DebuggerError, Result, Set, StackSpec, ThreadId};

/// What is needed to read one stack without the debugger: so many can be read at once.
struct Job {
    id: ThreadId,
    who: Who,
    space: Space,
    registers: Registers,
    skipped: usize,
    runs: u64,
}

impl At<'_> {
    /// The thread's stack.
    pub fn backtrace(&mut self, spec: StackSpec) -> Result<StackView> {
        let id = self.stopped_thread()?;
        self.debugger.fetch_registers(id)?;
        let job = self.debugger.job(id)?;
        let style = self.debugger.print_style();
        Ok(read_stack(
            &job,
            spec,
            &self.debugger.backtrace_options(spec),
            &style,
        ))
    }
}

impl Debugger {
    /// The stacks of a set (`None`: all), fetched together and read in parallel. Running threads are left out.
    pub fn backtraces(&mut self, set: Option<&Set>, spec: StackSpec) -> Result<Vec<StackView>> {
        let jobs = self.jobs(set)?;
        let options = self.backtrace_options(spec);
        let style = self.print_style();
        Ok(in_parallel(&jobs, |job| {
            read_stack(job, spec, &options, &style)
        }))
    }

    /// The stacks of threads, fetched together and read in parallel. Of those that run there are none.
    pub fn backtraces_of(
        &mut self,
        ids: &[ThreadId],
        spec: StackSpec,
    ) -> Result<Vec<(ThreadId, StackView)>> {
        let jobs = self.jobs_of(ids.to_vec())?;
        let options = self.backtrace_options(spec);
        let style = self.print_style();
        Ok(in_parallel(&jobs, |job| {
            (job.id, read_stack(job, spec, &options, &style))
        }))
    }

    /// The frames of a set without values, for merging.
    pub(super) fn plain_stacks(&mut self, set: Option<&Set>) -> Result<Vec<(Who, Vec<FrameView>)>> {
        let jobs = self.jobs(set)?;
        let options = self.backtrace_options(StackSpec::default());
        Ok(in_parallel(&jobs, |job| {
            let backtrace = Backtrace::walk(&job.space, &job.registers, &options);
            let style = PrintStyle::without_values();
            let frames = (job.skipped..backtrace.frames.len())
                .map(|index| {
                    frame_view(
                        &job.space,
                        &backtrace,
                        index,
                        index - job.skipped,
                        false,
                        &style,
                        (job.id, job.runs),
                    )
                })
                .collect();
            (job.who.clone(), frames)
        }))
    }

    fn jobs(&mut self, set: Option<&Set>) -> Result<Vec<Job>> {
        let all = Set::all();
        let ids = self.resolve(set.unwrap_or(&all))?;
        self.jobs_of(ids)
    }

    fn jobs_of(&mut self, mut ids: Vec<ThreadId>) -> Result<Vec<Job>> {
        ids.retain(|&id| self.thread(id).is_ok_and(|(_, thread)| !thread.running));
        self.fetch_snapshots(&ids)?;
        Ok(ids.into_iter().filter_map(|id| self.job(id).ok()).collect())
    }

    fn job(&self, id: ThreadId) -> Result<Job> {
        let (process, thread) = self.thread(id)?;
        Ok(Job {
            id,
            who: process.who(thread),
            space: process.space.clone(),
            registers: thread.registers().ok_or(DebuggerError::NoFrame)?,
            skipped: thread.skipped_inlines,
            runs: thread.runs,
        })
    }

    fn backtrace_options(&self, spec: StackSpec) -> BacktraceOptions {
        let wanted = spec
            .limit
            .filter(|&limit| limit >= 0)
            .map(|limit| limit as usize + 1);
        let allowed = self
            .settings
            .number("backtrace limit")
            .map(|limit| limit as usize);
        BacktraceOptions {
            limit: wanted
                .unwrap_or(usize::MAX)
                .min(allowed.unwrap_or(usize::MAX)),
            past_main: self.settings.is_on("backtrace past-main"),
        }
    }
}

impl At<'_> {
    /// The frame itself.
    pub fn frame(&mut self) -> Result<FrameView> {
        let id = self.stopped_thread()?;
        let level = self.level();
        self.debugger.frame_view_of(id, level, false)
    }

    /// The innermost frame of a function.
    pub fn frame_of(&mut self, function: &str) -> Result<FrameView> {
        let id = self.stopped_thread()?;
        let skipped = self.debugger.thread(id)?.1.skipped_inlines;
        let backtrace = self.debugger.backtrace_of(id, usize::MAX)?;
        let level = backtrace.frames.iter().skip(skipped).position(|frame| {
            frame
                .function
                .as_deref()
                .is_some_and(|name| is_named(name, function))
        });
        match level {
            Some(level) => self.debugger.frame_view_of(id, level, false),
            None => Err(DebuggerError::Usage(format!(
                "No frame for function \"{function}\"."
            ))),
        }
    }

    /// The frame so many levels towards the callers, or the last one.
    pub fn up(&mut self, count: u32) -> Result<FrameView> {
        let id = self.stopped_thread()?;
        let skipped = self.debugger.thread(id)?.1.skipped_inlines;
        let wanted = self.level().saturating_add(count as usize);
        let backtrace = self.debugger.backtrace_of(id, wanted + skipped + 1)?;
        let last = backtrace.frames.len().saturating_sub(skipped + 1);
        if self.level() >= last {
            return Err(DebuggerError::Outermost);
        }
        self.debugger.frame_view_of(id, wanted.min(last), false)
    }

    /// The frame so many levels towards the callees, or the innermost.
    pub fn down(&mut self, count: u32) -> Result<FrameView> {
        let id = self.stopped_thread()?;
        if self.level() == 0 {
            return Err(DebuggerError::Innermost);
        }
        let wanted = self.level().saturating_sub(count as usize);
        self.debugger.frame_view_of(id, wanted, false)
    }

    /// `info frame`.
    pub fn frame_info(&mut self) -> Result<FrameInfoView> {
        let (id, _, index) = self.walked()?;
        let backtrace = self.debugger.backtrace_of(id, index + 2)?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        let level = self.level();
        let view = self.debugger.frame_view_of(id, level, false)?;
        let caller = backtrace.stack.activations.get(frame.activation + 1);
        let inlined_into = (frame.kind == SymbolFrameKind::Inlined).then_some(level as u32 + 1);
        let path = view.full_path.clone();
        let source_line = path.zip(view.line).and_then(|(path, line)| {
            self.debugger
                .sources
                .line(std::path::Path::new(&path), line)
        });
        let saved_registers = match frame.kind {
            SymbolFrameKind::Normal => {
                let row = backtrace
                    .activation(frame)
                    .zip(frame.module.as_ref())
                    .and_then(|(activation, loaded)| loaded.row(activation.lookup_pc()).ok()?);
                let behind_call = (Register::RIP, frame.id.frame_address.wrapping_sub(8));
                let places = match row {
                    Some(row) => row.saved_places(frame.id.frame_address),
                    None => vec![behind_call],
                };
                let view = |(register, address): (Register, u64)| SavedRegisterView {
                    name: register.to_string(),
                    address,
                };
                places.into_iter().map(view).collect()
            }
            _ => Vec::new(),
        };
        let outer = backtrace.frames.get(index + 1);
        let inner = match level {
            0 => None,
            _ => backtrace.frames.get(index - 1),
        };
        Ok(FrameInfoView {
            who: self.debugger.who(id)?,
            called_by: outer.map(|frame| frame.id.frame_address),
            caller_of: inner.map(|frame| frame.id.frame_address),
            frame_address: frame.id.frame_address,
            caller_address: caller.map(|caller| caller.pc),
            inlined_into,
            language: frame.scope.map(|_| frame.language.name().to_owned()),
            saved_registers,
            source_line,
            frame: view,
        })
    }

    /// Local variables of the frame, innermost block first.
    pub fn locals(&mut self) -> Result<Vec<VariableView>> {
        self.variables(|kind| kind != VariableKind::Parameter)
    }

    /// Arguments of the frame.
    pub fn arguments(&mut self) -> Result<Vec<VariableView>> {
        self.variables(|kind| kind == VariableKind::Parameter)
    }

    fn variables(&mut self, wanted: impl Fn(VariableKind) -> bool) -> Result<Vec<VariableView>> {
        let (id, backtrace, index) = self.walked()?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        if frame.scope.is_none() {
            let path = self
                .debugger
                .process(id.process)?
                .space
                .mapped_at(frame.pc)
                .map(|mapped| mapped.path.clone());
            return Err(DebuggerError::NoDebugInfo(match (&frame.function, path) {
                (Some(function), Some(path)) => format!("{path} (function {function})"),
                (_, Some(path)) => path,
                _ => "the code at this address".to_owned(),
            }));
        }
        let (process, thread) = self.debugger.thread(id)?;
        let (space, runs) = (process.space.clone(), thread.runs);
        Ok(frame_variables(
            &space,
            &backtrace,
            index,
            &self.debugger.print_style(),
            Standing::new(id, self.level(), runs),
            false,
            wanted,
        ))
    }
}

/// Walks one stack and makes its frames readable.
fn read_stack(
    job: &Job,
    spec: StackSpec,
    options: &BacktraceOptions,
    style: &PrintStyle,
) -> StackView {
    let mut options = *options;
    options.limit = options.limit.saturating_add(job.skipped);
    let backtrace = Backtrace::walk(&job.space, &job.registers, &options);
    let count = backtrace.frames.len() - job.skipped.min(backtrace.frames.len());
    let (first, last, mut more) = match spec.limit {
        Some(limit) if limit < 0 => (
            count.saturating_sub(limit.unsigned_abs() as usize),
            count,
            false,
        ),
        Some(limit) => (0, count.min(limit as usize), count > limit as usize),
        None => (0, count, false),
    };
    let mut cut = None;
    if last == count {
        more |= backtrace.end == EndOfStack::Limit;
        cut = backtrace
            .message()
            .filter(|_| backtrace.end != EndOfStack::Limit);
    }
    let frames = (first..last)
        .map(|level| {
            frame_view(
                &job.space,
                &backtrace,
                level + job.skipped,
                level,
                spec.full,
                style,
                (job.id, job.runs),
            )
        })
        .collect();
    StackView {
        who: job.who.clone(),
        frames,
        cut,
        more,
    }
}

/// Does the same for each, on all processors, in order.
fn in_parallel<T: Send, J: Sync>(jobs: &[J], work: impl Fn(&J) -> T + Sync) -> Vec<T> {
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(jobs.len());
    if workers <= 1 {
        return jobs.iter().map(work).collect();
    }
    let share = jobs.len().div_ceil(workers);
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = jobs
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<T>>()))
            .collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_default())
            .collect()
    })
}
