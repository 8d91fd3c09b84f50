//! Why a test failed, in words.

use std::fmt;

/// A message for the person who reads the test's output. `?` turns any error into one.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

/// Fails the test with a formatted message.
#[macro_export]
macro_rules! fail {
    ($($argument:tt)*) => {
        return Err($crate::failure::Failure(format!($($argument)*)))
    };
}

/// Fails the test with a formatted message unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($argument:tt)*) => {
        if !$condition {
            $crate::fail!($($argument)*);
        }
    };
}

/// Bytes as readable text, cut in the middle of nowhere when long.
pub fn shorten(bytes: &[u8]) -> String {
    const LIMIT: usize = 1500;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LIMIT)]).into_owned();
    if bytes.len() > LIMIT {
        format!("{text}… ({} bytes)", bytes.len())
    } else {
        text
    }
}

/// Where two outputs part, for a message.
pub fn first_difference(expected: &[u8], found: &[u8]) -> String {
    let at = expected
        .iter()
        .zip(found)
        .take_while(|(left, right)| left == right)
        .count();
    let around = |bytes: &[u8]| {
        let start = at.saturating_sub(40);
        let end = (at + 60).min(bytes.len());
        String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned()
    };
    format!(
        "first difference at byte {at} of {} / {}\n  recorded: …{:?}\n  replayed: …{:?}",
        expected.len(),
        found.len(),
        around(expected),
        around(found)
    )
}
