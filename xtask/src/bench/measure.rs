//! Alternating pairs and their medians.

use super::Bench;
use crate::failure::Failure;

/// Which of the two runs of a pair it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Plain,
    Recorded,
}

/// The counted values of alternating runs.
pub struct Pairs {
    plain: Vec<f64>,
    recorded: Vec<f64>,
}

impl Pairs {
    pub fn new(pairs: impl IntoIterator<Item = (f64, f64)>) -> Pairs {
        let (plain, recorded) = pairs.into_iter().unzip();
        Pairs { plain, recorded }
    }

    pub fn plain(&self) -> f64 {
        median(&self.plain)
    }

    pub fn recorded(&self) -> f64 {
        median(&self.recorded)
    }

    /// Median of recorded / plain, pair by pair, so that a slow spell of the machine hits both.
    pub fn ratio(&self) -> f64 {
        let ratios: Vec<f64> = self
            .each()
            .map(|(plain, recorded)| recorded / plain)
            .collect();
        median(&ratios)
    }

    /// Median of recorded − plain, pair by pair.
    pub fn difference(&self) -> f64 {
        let differences: Vec<f64> = self
            .each()
            .map(|(plain, recorded)| recorded - plain)
            .collect();
        median(&differences)
    }

    fn each(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.plain
            .iter()
            .copied()
            .zip(self.recorded.iter().copied())
    }
}

/// Measures alternately, plain first; the first pair warms the caches and is dropped.
pub fn alternate<T>(
    bench: &Bench,
    mut measure: impl FnMut(Run) -> Result<T, Failure>,
) -> Result<Vec<(T, T)>, Failure> {
    let mut pairs = Vec::new();
    for round in 0..=bench.rounds {
        let pair = (measure(Run::Plain)?, measure(Run::Recorded)?);
        if round > 0 {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn ratios_are_taken_pair_by_pair() {
        let pairs = Pairs::new([(1.0, 2.0), (10.0, 20.0), (100.0, 500.0)]);
        assert_eq!(pairs.ratio(), 2.0);
        assert_eq!(pairs.difference(), 10.0);
    }
}
