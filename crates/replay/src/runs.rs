//! Lengths of the runs of sync objects, and logs that tell each run's own.
//!
//! While recording, an `ACQUIRE` can only tell how long the run *before* it was. A replaying thread has
//! to know when its own run is over, so the logs of a replay are written anew: each `ACQUIRE` carries
//! the length of the run that it begins, which the `ACQUIRE` of the next run or a `FINAL` told.

use std::collections::{BTreeMap, HashMap};

use wayfarer_runtime_abi::record::{self, Acquire, Record};

/// Lengths of all runs of a trace.
#[derive(Default)]
pub struct RunLengths {
    places: HashMap<u64, usize>,
    objects: Vec<ObjectRuns>,
    /// Object and place of the newest record: most often the next is of the same.
    last: (u64, usize),
    highest: u64,
}

/// The runs of one object.
#[derive(Default)]
struct ObjectRuns {
    /// Run and length, in any order until settled.
    ended: Vec<(u32, u32)>,
    /// Settled: lengths by run, where most runs are known; 0: not known.
    dense: Vec<u32>,
    /// Runs or lengths that do not fit above.
    far: BTreeMap<u64, u64>,
    last_run: u64,
    last_length: u64,
}

/// A dense table may be this much larger than what is known.
const SLACK: usize = 64;

impl RunLengths {
    /// Looks at the next record of any log.
    #[inline]
    pub fn add(&mut self, record: &Record<'_>) {
        match record.tag {
            record::ACQUIRE | record::ACQUIRE_READ => {
                let run = record.value as u64;
                let length = record.run_length();
                let object = self.object(record.number);
                object.last_run = object.last_run.max(run);
                if run > 1 {
                    object.put(run - 1, length);
                }
            }
            record::FINAL => {
                let object = self.object(record.number);
                object.last_length = object.last_length.max(record.value as u64);
            }
            record::OBJECT => self.highest = self.highest.max(record.number),
            _ => {}
        }
    }

    fn object(&mut self, number: u64) -> &mut ObjectRuns {
        if self.objects.is_empty() || self.last.0 != number {
            let place = *self.places.entry(number).or_insert_with(|| {
                self.objects.push(ObjectRuns::default());
                self.objects.len() - 1
            });
            self.last = (number, place);
            self.highest = self.highest.max(number);
        }
        &mut self.objects[self.last.1]
    }

    /// All logs have been seen.
    pub fn settle(&mut self) {
        self.objects.iter_mut().for_each(ObjectRuns::settle);
    }

    /// Whether there are no runs at all.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The highest number of an object.
    pub fn highest_object(&self) -> u64 {
        self.highest
    }

    /// The length of a run; 0: not known, it never ended.
    pub fn length(&self, object: u64, run: u64) -> u64 {
        let place = if self.last.0 == object {
            Some(&self.last.1)
        } else {
            self.places.get(&object)
        };
        place
            .and_then(|place| self.objects.get(*place))
            .map_or(0, |object| object.length(run))
    }

    /// Copies whole records from `bytes` after `into`, each `ACQUIRE` with its own run's length. How
    /// many bytes of `bytes` were copied; the rest is not a whole record.
    pub fn rewrite(&self, bytes: &[u8], into: &mut Vec<u8>) -> usize {
        let mut copied = 0;
        let mut position = 0;
        while let Some(Ok(record)) = bytes
            .get(position..)
            .filter(|rest| !rest.is_empty())
            .map(record::read)
        {
            if let Some(acquire) = Acquire::of(&record) {
                into.extend_from_slice(&bytes[copied..position]);
                let acquire = Acquire {
                    length: self.length(acquire.object, acquire.run),
                    ..acquire
                };
                into.extend_from_slice(&acquire.encode());
                copied = position + record.length;
            }
            position += record.length;
        }
        into.extend_from_slice(&bytes[copied..position]);
        position
    }
}

impl ObjectRuns {
    fn put(&mut self, run: u64, length: u64) {
        match (u32::try_from(run), u32::try_from(length)) {
            (Ok(run), Ok(length)) => self.ended.push((run, length)),
            _ => drop(self.far.insert(run, length)),
        }
    }

    fn settle(&mut self) {
        // Each thread's are in order already: few long runs for the sort to merge.
        self.ended.sort_by_key(|(run, _)| *run);
        if self.last_run != 0 && self.last_length != 0 && self.length(self.last_run) == 0 {
            let (run, length) = (self.last_run, self.last_length);
            self.put(run, length);
        }
        let highest = self.ended.last().map_or(0, |(run, _)| *run as usize);
        if highest <= 2 * self.ended.len() + SLACK {
            self.dense = vec![0; highest + 1];
            for (run, length) in std::mem::take(&mut self.ended) {
                self.dense[run as usize] = length;
            }
        }
    }

    fn length(&self, run: u64) -> u64 {
        let far = || self.far.get(&run).copied().unwrap_or(0);
        let Ok(short) = u32::try_from(run) else {
            return far();
        };
        let near = if self.dense.is_empty() {
            let found = self.ended.binary_search_by_key(&short, |(run, _)| *run);
            found.ok().map_or(0, |index| self.ended[index].1)
        } else {
            self.dense.get(short as usize).copied().unwrap_or(0)
        };
        match near {
            0 => far(),
            length => u64::from(length),
        }
    }
}
