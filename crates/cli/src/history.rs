//! `wayfarer history`: which thread had each lock and its like, access by access, and which had to wait.
//!
//! `R3  0:1w×2 2:2r` reads: of the read-write lock with number 3, accesses 0 and 1 were thread 1's, which
//! wrote, access 2 was thread 2's, which read. Objects without readers have writers only.

mod contention;
mod json;
mod view;

use wayfarer_replay::sync_words::letter;
use wayfarer_trace::{History, Trace};

use crate::options::HistoryOptions;
use crate::say;
use view::{Limits, View};

pub fn run(options: &HistoryOptions) -> i32 {
    let trace = match Trace::open(&options.trace) {
        Ok(trace) => trace,
        Err(error) => {
            say::line(&error.to_string());
            return 2;
        }
    };
    let numbers: Result<Vec<u64>, String> = options
        .objects
        .iter()
        .map(|name| number_of(name).ok_or_else(|| name.clone()))
        .collect();
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(name) => {
            say::line(&format!(
                "{name} is not the name of an object; names look like L3, and `wayfarer history DIR` lists them"
            ));
            return 2;
        }
    };
    let history = History::of_some(&trace, &mut |id| {
        numbers.is_empty() || numbers.contains(&id)
    });
    if let Some(name) = missing(&options.objects, &history) {
        say::line(&format!(
            "there is no {name} in this trace; `wayfarer history DIR` lists what there is"
        ));
        return 2;
    }
    let limits = if options.all {
        Limits::NONE
    } else {
        Limits::USUAL
    };
    let mut view = View::new(&trace, &history, limits);
    if options.json {
        say::fact(&view.json(&history).to_string());
    } else {
        say::fact(view.text(&history).trim_end());
    }
    0
}

/// The number in the name of an object.
fn number_of(name: &str) -> Option<u64> {
    name.trim_start_matches(|first: char| first.is_ascii_alphabetic())
        .parse()
        .ok()
}

/// The first name that no object has.
fn missing<'a>(names: &'a [String], history: &History) -> Option<&'a String> {
    names.iter().find(|name| {
        let object = number_of(name).and_then(|number| history.object(number));
        object.is_none_or(|object| {
            let first = name.chars().next().filter(char::is_ascii_alphabetic);
            first.is_some_and(|first| !first.eq_ignore_ascii_case(&letter(object.kind)))
        })
    })
}

#[cfg(test)]
mod tests;
