//! The decisions of one run, and how the next run differs.

/// Where decisions come from.
pub enum Choices {
    /// The list is followed; behind its end the first option is taken each time.
    Listed {
        list: Vec<Choice>,
        next: usize,
    },
    Drawn {
        state: u64,
    },
}

/// One decision: which of how many options.
#[derive(Clone, Copy)]
pub struct Choice {
    taken: usize,
    options: usize,
}

/// Of so many decisions one leaves the usual way, when they are drawn.
const SELDOM: u64 = 6;

impl Choices {
    pub fn first() -> Choices {
        Choices::Listed {
            list: Vec::new(),
            next: 0,
        }
    }

    pub fn drawn(seed: u64) -> Choices {
        Choices::Drawn {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// Decides; 0 is the usual way.
    pub fn choose(&mut self, options: usize) -> usize {
        if options < 2 {
            return 0;
        }
        match self {
            Choices::Listed { list, next } => {
                if *next == list.len() {
                    list.push(Choice { taken: 0, options });
                }
                let choice = list[*next];
                assert_eq!(
                    choice.options, options,
                    "the model does not come out the same when it is repeated"
                );
                *next += 1;
                choice.taken
            }
            Choices::Drawn { state } => {
                if draw(state).is_multiple_of(SELDOM) {
                    draw(state) as usize % options
                } else {
                    0
                }
            }
        }
    }

    /// The decisions of the next run; `None` when all have been made.
    pub fn next(self) -> Option<Choices> {
        let Choices::Listed { mut list, .. } = self else {
            return None;
        };
        while let Some(last) = list.last_mut() {
            if last.taken + 1 < last.options {
                last.taken += 1;
                return Some(Choices::Listed { list, next: 0 });
            }
            list.pop();
        }
        None
    }
}

/// Xorshift: good enough to draw lots, the same on every machine.
fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_comes_once() {
        let (mut choices, mut seen) = (Choices::first(), Vec::new());
        loop {
            let first = choices.choose(2);
            let second = choices.choose(if first == 0 { 3 } else { 1 });
            seen.push((first, second));
            match choices.next() {
                Some(next) => choices = next,
                None => break,
            }
        }
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 0)]);
    }
}
