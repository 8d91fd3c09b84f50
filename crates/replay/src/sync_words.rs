//! Sync objects, and how threads were recorded, as users know them.

use wayfarer_runtime_abi::record::{sync, threads};
use wayfarer_trace::{Side, ThreadsChoice, ThreadsMode};

/// The letter in front of the number of an object of this kind.
pub fn letter(kind: Option<u8>) -> char {
    match kind {
        Some(sync::EVENTS) => 'E',
        Some(sync::MUTEX) => 'L',
        Some(sync::RWLOCK) => 'R',
        Some(sync::SEMAPHORE) => 'S',
        Some(sync::SPINLOCK) => 'P',
        Some(sync::ONCE) => 'O',
        Some(sync::STREAM) => 'F',
        Some(sync::HEAP) => 'H',
        Some(sync::RANDOM) => 'N',
        Some(sync::USER) => 'U',
        Some(sync::BARRIER) => 'B',
        Some(sync::CONDITION) => 'C',
        Some(sync::THREADS) => 'T',
        Some(sync::FORKS) => 'K',
        Some(sync::LIBRARY) => 'G',
        _ => 'X',
    }
}

/// What an object of this kind is.
pub fn kind_name(kind: Option<u8>) -> &'static str {
    match kind {
        Some(sync::EVENTS) => "system calls",
        Some(sync::MUTEX) => "mutex",
        Some(sync::RWLOCK) => "rwlock",
        Some(sync::SEMAPHORE) => "semaphore",
        Some(sync::SPINLOCK) => "spinlock",
        Some(sync::ONCE) => "once",
        Some(sync::STREAM) => "stream",
        Some(sync::HEAP) => "heap",
        Some(sync::RANDOM) => "random numbers",
        Some(sync::USER) => "wayfarer-sync object",
        Some(sync::BARRIER) => "barrier",
        Some(sync::CONDITION) => "condition variable",
        Some(sync::THREADS) => "threads",
        Some(sync::FORKS) => "forks",
        Some(sync::LIBRARY) => "state of libc",
        _ => "object of unknown kind",
    }
}

/// How an access of this side is marked in a history.
pub fn side_letter(side: Side) -> char {
    match side {
        Side::Reader => 'r',
        Side::Writer => 'w',
    }
}

/// The name of an object: letter and number.
pub fn object_name(kind: Option<u8>, id: u64) -> String {
    format!("{}{id}", letter(kind))
}

/// The mode in one word.
pub fn mode_name(mode: ThreadsMode) -> &'static str {
    match mode {
        ThreadsMode::Auto => "auto",
        ThreadsMode::Serial => "serial",
        ThreadsMode::Parallel => "parallel",
    }
}

/// Why the threads of a process were recorded as they were.
pub fn reason(choice: &ThreadsChoice) -> String {
    let value = choice.value;
    match choice.reason {
        threads::ASKED => "as the user asked".to_owned(),
        threads::ALL_VISIBLE => {
            "all synchronisation that was found goes through pthread functions".to_owned()
        }
        threads::OWN_FUTEX => {
            "it can make futex calls by itself, as Rust's std and hand-made locks do".to_owned()
        }
        threads::ATOMICS => format!("its code has many atomic operations ({value})"),
        threads::SPINS => {
            let places = if value == 1 { "place" } else { "places" };
            format!("its code waits in loops by hand ({value} {places})")
        }
        threads::LIBRARY => {
            "it uses a library that synchronises by hand (OpenMP or its like)".to_owned()
        }
        threads::SHARED_MEMORY => "it shares memory with other processes".to_owned(),
        threads::NO_LOCKS => "it has threads but takes no lock of pthread's".to_owned(),
        threads::UNKNOWN_LIBC => {
            "a function that is needed for parallel mode was not found in its libc".to_owned()
        }
        threads::CANCELS => "it cancels threads".to_owned(),
        threads::THREADS_OF_LIBC => {
            "threads of libc's own work for it (timers that start threads, `aio_read` and its like), \
             with locks that are not seen"
                .to_owned()
        }
        threads::RACED => {
            "a replay of an earlier recording in parallel diverged by a race".to_owned()
        }
        other => format!("reason {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_letter_and_a_name_of_its_own() {
        let kinds: Vec<u8> = (sync::EVENTS..=sync::LIBRARY).collect();
        let mut letters: Vec<char> = kinds.iter().map(|kind| letter(Some(*kind))).collect();
        letters.push(letter(None));
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), kinds.len() + 1);
        assert!(
            kinds
                .iter()
                .all(|kind| kind_name(Some(*kind)) != kind_name(None))
        );
        assert_eq!(object_name(Some(sync::MUTEX), 7), "L7");
    }

    #[test]
    fn every_reason_has_words() {
        for number in threads::ASKED..=threads::THREADS_OF_LIBC {
            let choice = ThreadsChoice {
                mode: ThreadsMode::Serial,
                reason: number,
                value: 3,
            };
            let words = reason(&choice);
            assert!(!words.starts_with("reason"), "{words}");
        }
    }
}
