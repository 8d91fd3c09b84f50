//! Histories of sync objects: which thread had each of them, run by run, and which had to wait. Assembled from the logs of
//! all threads.

use std::collections::{BTreeMap, HashMap};

use wayfarer_calls::Number;
use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_runtime_abi::record::{self, Birth, Child, Record, note, sync};
use wayfarer_runtime_abi::wait;

use crate::records::Walk;
use crate::trace::Trace;

/// Which other accesses one lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Other readers.
    Reader,
    /// No thread.
    Writer,
}

/// A run: accesses by one thread with none by another in between, all of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Counted from one; where records are missing, numbers are left out.
    pub number: u32,
    pub thread: ThreadId,
    pub side: Side,
    /// Accesses; 0: not known, because the run never ended.
    pub length: u64,
    /// Of a semaphore: how many of them were posts; the others took it.
    pub posts: u64,
}

/// An acquisition that had to wait for some time (`wait::SHORTEST_NS` at least).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The run that the acquisition belongs to; 0: not known.
    pub run: u32,
    pub thread: ThreadId,
    /// Rounded: see `wayfarer_runtime_abi::wait`.
    pub nanoseconds: u64,
    /// The run that went on when the wait began; 0: not known.
    pub began_in: u32,
}

/// A sync object and all its runs, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncObject {
    pub id: u64,
    /// One of `record::sync`; `None` when no record tells.
    pub kind: Option<u8>,
    /// Whose thread met it first.
    pub process: ProcessId,
    pub thread: ThreadId,
    pub address: u64,
    /// Address in the code that made it.
    pub place: u64,
    /// How many threads a barrier waits for; 0: not known, or no barrier.
    pub members: u64,
    pub runs: Vec<Run>,
    /// In order of their runs.
    pub waits: Vec<Wait>,
}

/// All sync objects of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Ascending by id.
    pub objects: Vec<SyncObject>,
    /// Address of the function that each thread began with, where it is known.
    pub routines: BTreeMap<ThreadId, u64>,
}

/// The thread that a call made.
fn new_thread(record: &Record<'_>) -> Option<ThreadId> {
    let makes = record.tag == record::SYSCALL
        && matches!(Number::from(record.number), Number::CLONE | Number::CLONE3);
    makes.then(|| Child::decode(record.payload).map(|child| ThreadId(child.thread)))?
}

/// The number of the run that an `ACQUIRE` begins.
fn run_number(record: &Record<'_>) -> u32 {
    u32::try_from(record.value as u64).unwrap_or(u32::MAX)
}

/// What the record of an object says.
struct Made {
    kind: u8,
    address: u64,
    place: u64,
    members: u64,
    thread: ThreadId,
}

#[derive(Default)]
struct Collected {
    made: Option<Made>,
    /// As their `ACQUIRE`s tell them: with the length and the posts of the run before.
    runs: Vec<Run>,
    waits: Vec<Wait>,
    /// Told right before the next `ACQUIRE` or `FINAL` of the same thread.
    posts: u64,
    last: Option<(u64, u64)>,
}

impl History {
    /// Reads all logs. Damaged ones count as far as they are good.
    pub fn of(trace: &Trace) -> Self {
        Self::of_some(trace, &mut |_| true)
    }

    /// The same, of the objects that `wanted` says.
    pub fn of_some(trace: &Trace, wanted: &mut dyn FnMut(u64) -> bool) -> Self {
        let mut objects: BTreeMap<u64, Collected> = BTreeMap::new();
        let mut routines = BTreeMap::new();
        for thread in trace.threads() {
            let mut walk = Walk::new(thread.id);
            // The thread's last run of each object: what a wait belongs to.
            let mut latest: HashMap<u64, u32> = HashMap::new();
            let mut routine = None;
            let mut good = true;
            // A damaged trace gives what history there is; `info` tells of the damage.
            let _ = trace.read_log(thread.id, &mut |piece| {
                good = good
                    && walk
                        .piece(piece, &mut |entry| {
                            let record = entry.record;
                            if record.tag == record::NOTE && record.number == note::THREAD_ROUTINE {
                                routine = Some(record.value as u64);
                            } else if let Some(child) = new_thread(&record)
                                && let Some(routine) = routine.take()
                            {
                                routines.insert(child, routine);
                            }
                            let concerns = matches!(
                                record.tag,
                                record::ACQUIRE
                                    | record::ACQUIRE_READ
                                    | record::WAIT
                                    | record::OBJECT
                                    | record::FINAL
                                    | record::POSTS
                            );
                            if !concerns || !wanted(record.number) {
                                return;
                            }
                            if record.is_acquire() {
                                latest.insert(record.number, run_number(&record));
                            }
                            let run = latest.get(&record.number).copied().unwrap_or(0);
                            objects
                                .entry(record.number)
                                .or_default()
                                .add(&record, thread.id, run);
                        })
                        .is_ok();
            });
        }
        Self {
            objects: objects
                .into_iter()
                .map(|(id, object)| object.finish(trace, id))
                .collect(),
            routines,
        }
    }

    pub fn object(&self, id: u64) -> Option<&SyncObject> {
        let index = self.objects.binary_search_by_key(&id, |object| object.id);
        self.objects.get(index.ok()?)
    }
}

impl Collected {
    /// `run`: the last one of the object that the thread has begun.
    fn add(&mut self, record: &Record<'_>, thread: ThreadId, run: u32) {
        match record.tag {
            record::ACQUIRE | record::ACQUIRE_READ => self.runs.push(Run {
                number: run,
                thread,
                side: match record.tag {
                    record::ACQUIRE_READ => Side::Reader,
                    _ => Side::Writer,
                },
                length: record.run_length(),
                posts: std::mem::take(&mut self.posts),
            }),
            record::WAIT => {
                let (count, behind) = wait::parts(record.value as u64);
                let began_in = u32::try_from(behind)
                    .ok()
                    .filter(|behind| *behind != 0)
                    .and_then(|behind| run.checked_sub(behind));
                self.waits.push(Wait {
                    run,
                    thread,
                    nanoseconds: wait::nanoseconds(record.check, count),
                    began_in: began_in.unwrap_or(0),
                });
            }
            record::POSTS => self.posts = record.value as u64,
            record::OBJECT => {
                let birth = Birth::decode(record.payload).unwrap_or_default();
                self.made.get_or_insert(Made {
                    kind: record.check,
                    address: birth.address,
                    place: birth.place,
                    members: match record.check {
                        record::sync::BARRIER => u64::try_from(record.value).unwrap_or(0),
                        _ => 0,
                    },
                    thread,
                });
            }
            _ => self.last = Some((record.value as u64, std::mem::take(&mut self.posts))),
        }
    }

    fn finish(self, trace: &Trace, id: u64) -> SyncObject {
        let mut runs = self.runs;
        // Each thread's are in order already: few long runs for the sort to merge.
        runs.sort_by_key(|run| run.number);
        runs.dedup_by_key(|run| run.number);
        // Every run gets its own length, which the next one told.
        for index in 0..runs.len() {
            let next = runs.get(index + 1).copied();
            let run = &mut runs[index];
            (run.length, run.posts) = match next {
                Some(next) if Some(next.number) == run.number.checked_add(1) => {
                    (next.length, next.posts)
                }
                Some(_) => (0, 0),
                None => self.last.unwrap_or((0, 0)),
            };
            // A damaged log may tell anything.
            run.posts = run.posts.min(run.length);
        }
        let mut waits = self.waits;
        waits.sort_by_key(|wait| wait.run);
        let kind = self.made.as_ref().map(|made| made.kind);
        let Made {
            address,
            place,
            members,
            thread,
            ..
        } = self.made.unwrap_or_else(|| Made {
            kind: 0,
            address: 0,
            place: 0,
            members: 0,
            thread: runs.first().map_or(ThreadId(0), |run| run.thread),
        });
        SyncObject {
            id,
            kind,
            members,
            process: trace
                .thread(thread)
                .map_or(ProcessId(0), |thread| thread.process),
            thread,
            address,
            place,
            runs,
            waits,
        }
    }
}

impl SyncObject {
    /// Accesses in runs whose length is known.
    pub fn accesses(&self) -> u64 {
        self.runs
            .iter()
            .fold(0, |sum: u64, run| sum.saturating_add(run.length))
    }

    /// How often it went from one thread to another.
    pub fn hand_overs(&self) -> u64 {
        let pairs = self.runs.windows(2);
        pairs
            .filter(|pair| pair[0].thread != pair[1].thread)
            .count() as u64
    }

    /// Which thread an acquisition waited for: the owner when the wait began, if the trace knows; else the last
    /// other thread that had it before. Of a semaphore, the last other thread that posted; of a barrier, the last
    /// to arrive.
    pub fn waited_for(&self, wait: &Wait) -> Option<ThreadId> {
        if self.kind == Some(sync::BARRIER) {
            return self.last_to_arrive(wait);
        }
        let index = |number: u32| self.runs.partition_point(|run| run.number < number);
        let (began, before) = (index(wait.began_in), index(wait.run));
        let mut since = self.runs.get(began..before).unwrap_or(&[]).iter();
        let other = |run: &&Run| run.thread != wait.thread;
        if wait.began_in != 0
            && let Some(run) = since.find(other)
        {
            return Some(run.thread);
        }
        let posted = |run: &&Run| self.kind != Some(sync::SEMAPHORE) || run.posts > 0;
        let mut earlier = self.runs.get(..before)?.iter().rev();
        earlier
            .find(|run| other(run) && posted(run))
            .map(|run| run.thread)
    }

    /// The thread that completed the round of a barrier that another one waited for.
    fn last_to_arrive(&self, wait: &Wait) -> Option<ThreadId> {
        let mut position = 0u64;
        let mut end = None;
        for run in &self.runs {
            if run.number == wait.run {
                let round = position.checked_div(self.members)?;
                end = Some(round.checked_add(1)?.checked_mul(self.members)?);
            }
            position = position.checked_add(run.length)?;
            if end.is_some_and(|end| position >= end) {
                // The last to come waited for no other thread, whatever time it took.
                return Some(run.thread).filter(|thread| *thread != wait.thread);
            }
        }
        None
    }

    /// Rounds of a barrier that are complete.
    pub fn rounds(&self) -> Option<u64> {
        let arrivals = (self.kind == Some(sync::BARRIER)).then(|| self.accesses())?;
        arrivals.checked_div(self.members)
    }

    /// Posts of a semaphore.
    pub fn posts(&self) -> Option<u64> {
        let posts = self.runs.iter().map(|run| run.posts);
        (self.kind == Some(sync::SEMAPHORE)).then(|| posts.fold(0, u64::saturating_add))
    }

    /// Time of all waits together.
    pub fn waited_ns(&self) -> u64 {
        self.waits
            .iter()
            .fold(0, |sum: u64, wait| sum.saturating_add(wait.nanoseconds))
    }

    pub fn longest_wait(&self) -> Option<Wait> {
        self.waits
            .iter()
            .copied()
            .max_by_key(|wait| wait.nanoseconds)
    }

    /// The run with the most accesses.
    pub fn longest_run(&self) -> Option<Run> {
        self.runs.iter().copied().max_by_key(|run| run.length)
    }
}
