//! The file `solid`: the delays with which a parallel trace has replayed identically, one thread at a
//! time. From then on every replay uses them, and is exact.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use wayfarer_runtime_abi::layout::{Delay, MAX_DELAYS};

use crate::SOLID_FILE;

/// First line of the file.
const TITLE: &str = "wayfarer solid 2";
/// A longer one was never written.
const LONGEST: u64 = 1 << 17;

/// What `wayfarer solidify` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solid {
    /// Sorted by process and point; no two at one point.
    pub delays: Vec<Delay>,
    /// Replays that it took to find them.
    pub attempts: u32,
    /// Start of the recording that it belongs to, nanoseconds since 1970.
    pub recording: u64,
}

impl Solid {
    /// Reads the file of the trace at `directory`, whose recording began at `recording`. `None`: there
    /// is none. The error says what is wrong with the one that is there.
    pub fn read(directory: &Path, recording: u64) -> Result<Option<Self>, String> {
        let bad = |what: &dyn std::fmt::Display| {
            format!("{SOLID_FILE} is not usable: {what}; `wayfarer solidify` makes it anew")
        };
        let mut text = String::new();
        match File::open(directory.join(SOLID_FILE)) {
            Ok(file) => file
                .take(LONGEST)
                .read_to_string(&mut text)
                .map_err(|error| bad(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(bad(&error)),
        };
        let solid = Self::parse(&text).ok_or_else(|| bad(&"it is damaged"))?;
        if solid.recording != recording {
            return Err(bad(&"it belongs to another trace"));
        }
        Ok(Some(solid))
    }

    /// Reads the contents of the file; `None`: they are damaged.
    pub fn parse(text: &str) -> Option<Self> {
        let (body, crc) = text.strip_suffix('\n')?.rsplit_once("crc32 ")?;
        if u32::from_str_radix(crc, 16).ok()? != crc32fast::hash(body.as_bytes()) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != TITLE {
            return None;
        }
        let mut field =
            |name: &str| -> Option<u64> { lines.next()?.strip_prefix(name)?.trim().parse().ok() };
        let attempts = u32::try_from(field("attempts")?).ok()?;
        let recording = field("recording")?;
        let delays: Vec<Delay> = lines.map(delay).collect::<Option<_>>()?;
        let place = |delay: &Delay| (delay.process, delay.point);
        let sorted = delays.is_sorted_by(|a, b| place(a) < place(b));
        (sorted && delays.len() <= MAX_DELAYS).then_some(Self {
            delays,
            attempts,
            recording,
        })
    }

    /// The contents of the file.
    pub fn text(&self) -> String {
        let Self {
            delays,
            attempts,
            recording,
        } = self;
        let mut body = format!("{TITLE}\nattempts {attempts}\nrecording {recording}\n");
        for Delay {
            point,
            process,
            others,
        } in delays
        {
            // Writing to a string does not fail.
            let _ = writeln!(body, "delay {process} {point} {others}");
        }
        let crc = crc32fast::hash(body.as_bytes());
        format!("{body}crc32 {crc:08x}\n")
    }

    /// Puts the file into the trace at `directory`, in one step.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let temporary = directory.join(".solid.new");
        let mut file = File::create(&temporary)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, directory.join(SOLID_FILE))
    }
}

/// One line: process, point and how many accesses of others come first.
fn delay(line: &str) -> Option<Delay> {
    let mut numbers = line.strip_prefix("delay ")?.split(' ');
    let delay = Delay {
        process: numbers.next()?.parse().ok()?,
        point: numbers.next()?.parse().ok()?,
        others: numbers.next()?.parse().ok()?,
    };
    numbers.next().is_none().then_some(delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Solid {
        let delay = |process, point, others| Delay {
            point,
            process,
            others,
        };
        Solid {
            delays: vec![delay(1, 4, 0), delay(1, 17, 2), delay(3, 2, 1)],
            attempts: 3,
            recording: 1_234_567_890_123,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().expect("a place");
        let solid = example();
        assert_eq!(Solid::read(directory.path(), solid.recording), Ok(None));
        solid.write(directory.path()).expect("writes");
        assert_eq!(
            Solid::read(directory.path(), solid.recording),
            Ok(Some(solid))
        );
        let other = Solid::read(directory.path(), 5).expect_err("of another trace");
        assert!(other.contains("another trace"), "{other}");
    }

    #[test]
    fn any_change_is_noticed() {
        let text = example().text();
        assert_eq!(Solid::parse(&text), Some(example()));
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] ^= 1;
            let changed = String::from_utf8(bytes).expect("still ASCII");
            assert_eq!(Solid::parse(&changed), None, "{changed}");
            assert_eq!(Solid::parse(&text[..place]), None);
        }
    }

    #[test]
    fn delays_come_in_order() {
        let mut solid = example();
        solid.delays.swap(0, 1);
        assert_eq!(Solid::parse(&solid.text()), None);
        solid.delays.clear();
        assert_eq!(Solid::parse(&solid.text()), Some(solid));
    }
}
