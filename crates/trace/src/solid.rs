//! The file `solid`: the seed with which a parallel trace has replayed identically, one thread at a
//! time. From then on every replay uses it, and is exact.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::SOLID_FILE;

/// First line of the file.
const TITLE: &str = "wayfarer solid 1";
/// Nobody wrote a longer one.
const LONGEST: u64 = 4096;

/// What `wayfarer solidify` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solid {
    /// For `Header::solid_seed`; never 0.
    pub seed: u32,
    /// Replays that it took to find it.
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
        let solid = Self {
            seed: u32::try_from(field("seed")?).ok()?,
            attempts: u32::try_from(field("attempts")?).ok()?,
            recording: field("recording")?,
        };
        (solid.seed != 0).then_some(solid)
    }

    /// The contents of the file.
    pub fn text(&self) -> String {
        let Self {
            seed,
            attempts,
            recording,
        } = self;
        let body = format!("{TITLE}\nseed {seed}\nattempts {attempts}\nrecording {recording}\n");
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

#[cfg(test)]
mod tests {
    use super::*;

    const SOLID: Solid = Solid {
        seed: 7,
        attempts: 3,
        recording: 1_234_567_890_123,
    };

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().expect("a place");
        assert_eq!(Solid::read(directory.path(), SOLID.recording), Ok(None));
        SOLID.write(directory.path()).expect("writes");
        assert_eq!(
            Solid::read(directory.path(), SOLID.recording),
            Ok(Some(SOLID))
        );
        let other = Solid::read(directory.path(), 5).expect_err("of another trace");
        assert!(other.contains("another trace"), "{other}");
    }

    #[test]
    fn any_change_is_noticed() {
        let text = SOLID.text();
        assert_eq!(Solid::parse(&text), Some(SOLID));
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] ^= 1;
            let changed = String::from_utf8(bytes).expect("still ASCII");
            assert_eq!(Solid::parse(&changed), None, "{changed}");
            assert_eq!(Solid::parse(&text[..place]), None);
        }
    }
}
