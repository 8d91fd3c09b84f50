//! Delays of a solid replay as text, for the replays that `wayfarer solidify` makes.

use std::str::FromStr;

use wayfarer_runtime_abi::layout::Delay;

/// `PROCESS:POINT:OTHERS,…`; nothing: no delays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays(pub Vec<Delay>);

impl FromStr for Delays {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pieces = text.split(',').filter(|piece| !piece.is_empty());
        let delays = pieces.map(|piece| delay(piece).ok_or(format!("`{piece}` is not a delay")));
        delays.collect::<Result<_, _>>().map(Self)
    }
}

fn delay(piece: &str) -> Option<Delay> {
    let mut numbers = piece.split(':');
    let delay = Delay {
        process: numbers.next()?.parse().ok()?,
        point: numbers.next()?.parse().ok()?,
        others: numbers.next()?.parse().ok()?,
    };
    numbers.next().is_none().then_some(delay)
}

/// The same as [`Delays`] reads.
pub fn text(delays: &[Delay]) -> String {
    let one = |delay: &Delay| format!("{}:{}:{}", delay.process, delay.point, delay.others);
    delays.iter().map(one).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for expected in ["", "1:2:3", "1:2:3,4:5:0"] {
            let delays: Delays = expected.parse().expect("delays");
            assert_eq!(text(&delays.0), expected);
        }
        for wrong in ["1", "1:2", "1:2:3:4", "1:2:-1", "1:2:99999"] {
            assert!(wrong.parse::<Delays>().is_err(), "{wrong}");
        }
    }
}
