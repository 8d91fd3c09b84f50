//! Sets of threads, written as the prompt takes them: `worker*`, `2.1-3`, `!client`, `@stopped`, `@at(raft.rs:120)`.
//!
//! ```text
//! SET   := "!" SET | ITEM { "," ITEM }
//! ITEM  := "all" | "@stopped" | "@running" | "@held" | "@at(" LOCATION ")" | PROC [ "." THREADS ]
//! PROC  := number | number "-" number | name | glob
//! THREADS := "*" | number | number "-" number
//! ```
//! `worker.2` is the process of that name if there is one, else thread 2 of `worker`.

use std::fmt;

use serde::Serialize;

use crate::{DebuggerError, Location, Result};

/// A thread by its numbers; they are never used again within a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ThreadId {
    /// Number of the process, from 1.
    pub process: u32,
    /// Number of the thread in its process, from 1.
    pub thread: u32,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.process, self.thread)
    }
}

/// A set as written. Who is in it is decided anew each time it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    text: String,
    body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    Not(Box<Body>),
    Any(Vec<Item>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    All,
    Stopped,
    Running,
    Held,
    /// None: what was typed is no location, and nobody stands there.
    At(Option<Location>),
    Numbers {
        processes: (u32, u32),
        threads: (u32, u32),
    },
    /// A name or glob, and the same read as process and threads.
    Named {
        whole: String,
        split: Option<(String, (u32, u32))>,
    },
    Exactly(ThreadId),
}

/// A thread that can be in a set.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub id: ThreadId,
    pub process_name: String,
    pub stopped: bool,
    pub held: bool,
}

const EVERY: (u32, u32) = (0, u32::MAX);

impl Set {
    /// Everything.
    pub fn all() -> Set {
        Set {
            text: "all".to_owned(),
            body: Body::Any(vec![Item::All]),
        }
    }

    /// One thread.
    pub fn thread(id: ThreadId) -> Set {
        Set {
            text: id.to_string(),
            body: Body::Any(vec![Item::Exactly(id)]),
        }
    }

    /// All threads of one process.
    pub fn process(number: u32) -> Set {
        Set {
            text: number.to_string(),
            body: Body::Any(vec![Item::Numbers {
                processes: (number, number),
                threads: EVERY,
            }]),
        }
    }

    /// Reads a set.
    pub fn parse(text: &str) -> Result<Set> {
        let trimmed = text.trim();
        Ok(Set {
            text: trimmed.to_owned(),
            body: parse_body(trimmed, trimmed, 0)?,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it means everything, whatever there is.
    pub fn is_all(&self) -> bool {
        self.body == Body::Any(vec![Item::All])
    }

    /// Its members among `members`. `at` says whether a stopped thread stands at a location.
    pub(crate) fn members(
        &self,
        members: &[Member],
        at: &mut dyn FnMut(&Location, ThreadId) -> bool,
    ) -> Vec<ThreadId> {
        let mut names: Vec<&str> = members.iter().map(|m| m.process_name.as_str()).collect();
        names.dedup();
        members
            .iter()
            .filter(|member| self.body.contains(member, &names, at))
            .map(|member| member.id)
            .collect()
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Body {
    fn contains(
        &self,
        member: &Member,
        names: &[&str],
        at: &mut dyn FnMut(&Location, ThreadId) -> bool,
    ) -> bool {
        match self {
            Body::Not(inner) => !inner.contains(member, names, at),
            Body::Any(items) => items.iter().any(|item| item.contains(member, names, at)),
        }
    }
}

impl Item {
    fn contains(
        &self,
        member: &Member,
        names: &[&str],
        at: &mut dyn FnMut(&Location, ThreadId) -> bool,
    ) -> bool {
        let within = |(low, high): (u32, u32), number: u32| (low..=high).contains(&number);
        match self {
            Item::All => true,
            Item::Stopped => member.stopped,
            Item::Running => !member.stopped,
            Item::Held => member.held,
            Item::At(location) => {
                let location = location.as_ref().filter(|_| member.stopped);
                location.is_some_and(|location| at(location, member.id))
            }
            Item::Exactly(id) => *id == member.id,
            Item::Numbers { processes, threads } => {
                within(*processes, member.id.process) && within(*threads, member.id.thread)
            }
            Item::Named { whole, split } => {
                if glob_matches(whole, &member.process_name) {
                    return true;
                }
                let some_bears_it = names.iter().any(|name| glob_matches(whole, name));
                match split {
                    Some((process, threads)) if !some_bears_it => {
                        glob_matches(process, &member.process_name)
                            && within(*threads, member.id.thread)
                    }
                    _ => false,
                }
            }
        }
    }
}

fn parse_body(rest: &str, whole: &str, offset: usize) -> Result<Body> {
    if let Some(inner) = rest.strip_prefix('!') {
        return Ok(Body::Not(Box::new(parse_body(
            inner.trim_start(),
            whole,
            offset + 1,
        )?)));
    }
    let mut items = Vec::new();
    for piece in split_at_commas(rest) {
        let at = offset + (piece.as_ptr() as usize - rest.as_ptr() as usize);
        items.push(parse_item(piece.trim(), whole, at)?);
    }
    Ok(Body::Any(items))
}

/// Splits at commas that are not inside parentheses.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut begin) = (Vec::new(), 0usize, 0usize);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[begin..]);
    pieces
}

fn parse_item(item: &str, whole: &str, at: usize) -> Result<Item> {
    let wrong = |why: &str| DebuggerError::SetSyntax {
        text: whole.to_owned(),
        at,
        why: why.to_owned(),
    };
    match item {
        "" => return Err(wrong("a process, thread or @state is missing")),
        "all" | "*" => return Ok(Item::All),
        "@stopped" => return Ok(Item::Stopped),
        "@running" => return Ok(Item::Running),
        "@held" => return Ok(Item::Held),
        _ => {}
    }
    if let Some(state) = item.strip_prefix('@') {
        return match state
            .strip_prefix("at(")
            .and_then(|rest| rest.strip_suffix(')'))
        {
            Some(location) if !location.trim().is_empty() => {
                Ok(Item::At(Location::parse(location).ok()))
            }
            _ => Err(wrong(
                "the states are @stopped, @running, @held and @at(FILE:LINE)",
            )),
        };
    }
    if item.contains('!') || item.contains(char::is_whitespace) {
        return Err(wrong(
            "a name has no blanks, and ! stands only before a set",
        ));
    }
    if let Some(processes) = numbers(item) {
        return Ok(Item::Numbers {
            processes,
            threads: EVERY,
        });
    }
    let split = item.rsplit_once('.').and_then(|(process, threads)| {
        let threads = if threads == "*" {
            Some(EVERY)
        } else {
            numbers(threads)
        };
        threads
            .filter(|_| !process.is_empty())
            .map(|threads| (process.to_owned(), threads))
    });
    if let Some((process, threads)) = &split
        && let Some(processes) = numbers(process)
    {
        return Ok(Item::Numbers {
            processes,
            threads: *threads,
        });
    }
    Ok(Item::Named {
        whole: item.to_owned(),
        split,
    })
}

/// `3` or `1-3`.
fn numbers(text: &str) -> Option<(u32, u32)> {
    let one = |digits: &str| -> Option<u32> {
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    match text.split_once('-') {
        Some((low, high)) => Some((one(low)?, one(high)?)),
        None => one(text).map(|number| (number, number)),
    }
}

/// Whether a glob (`*`, `?`) matches a whole name.
pub(crate) fn glob_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            p = star_p + 1;
            n = star_n + 1;
            star = Some((star_p, n));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&character| character == '*')
}

/// Writes threads as a set: whole processes as `NAME.*`, other threads as `NAME.1-3`.
pub(crate) fn describe(threads: &[ThreadId], all: &[Member]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < threads.len() {
        let process = threads[at].process;
        let end = at
            + threads[at..]
                .iter()
                .take_while(|id| id.process == process)
                .count();
        let here: Vec<u32> = threads[at..end].iter().map(|id| id.thread).collect();
        let members: Vec<&Member> = all
            .iter()
            .filter(|member| member.id.process == process)
            .collect();
        let name = members
            .first()
            .map_or_else(|| process.to_string(), |member| member.process_name.clone());
        if members.len() == here.len() {
            parts.push(name);
        } else {
            parts.extend(
                ranges(&here)
                    .into_iter()
                    .map(|range| format!("{name}.{range}")),
            );
        }
        at = end;
    }
    parts.join(",")
}

fn ranges(numbers: &[u32]) -> Vec<String> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match out.last_mut() {
            Some((_, high)) if *high + 1 == number => *high = number,
            _ => out.push((number, number)),
        }
    }
    out.into_iter()
        .map(|(low, high)| {
            if low == high {
                low.to_string()
            } else {
                format!("{low}-{high}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<Member> {
        let table = [
            (1, 1, "server", true),
            (1, 2, "server", false),
            (2, 1, "worker", true),
            (2, 2, "worker", true),
            (2, 3, "worker", true),
            (3, 1, "worker.2", false),
            (4, 1, "redis-server", true),
        ];
        table
            .iter()
            .map(|&(process, thread, name, stopped)| Member {
                id: ThreadId { process, thread },
                process_name: name.to_owned(),
                stopped,
                held: process == 4,
            })
            .collect()
    }

    fn of(text: &str) -> String {
        let set = Set::parse(text).expect("parses");
        let found = set.members(&members(), &mut |location, id| {
            location.to_string() == "a.c:3" && id.process == 1
        });
        found
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn names_globs_and_numbers() {
        assert_eq!(of("server"), "1.1 1.2");
        assert_eq!(of("worker*"), "2.1 2.2 2.3 3.1");
        assert_eq!(of("worker.2"), "3.1");
        assert_eq!(of("worker.3"), "2.3");
        assert_eq!(of("worker.2.1"), "3.1");
        assert_eq!(of("worker.1-2"), "2.1 2.2");
        assert_eq!(of("redis-server"), "4.1");
        assert_eq!(of("2"), "2.1 2.2 2.3");
        assert_eq!(of("2.1-2"), "2.1 2.2");
        assert_eq!(of("2.*,1.1"), "1.1 2.1 2.2 2.3");
        assert_eq!(of("3-4"), "3.1 4.1");
        assert_eq!(of("nothing"), "");
    }

    #[test]
    fn states_and_complements() {
        assert_eq!(of("@running"), "1.2 3.1");
        assert_eq!(of("@held"), "4.1");
        assert_eq!(of("@at(a.c:3)"), "1.1");
        assert_eq!(of("!worker*,server"), "4.1");
        assert_eq!(of("!@stopped"), "1.2 3.1");
        assert_eq!(of("all"), of("!nothing"));
    }

    #[test]
    fn mistakes_say_where() {
        let error = Set::parse("server,@sleepy")
            .expect_err("no such state")
            .to_string();
        assert!(error.contains("character 7"), "{error}");
        assert!(Set::parse("").is_err());
        assert!(Set::parse("a,,b").is_err());
        assert!(Set::parse("a b").is_err());
    }

    #[test]
    fn sets_can_be_written_down_again() {
        let all = members();
        let ids = |text: &str| {
            Set::parse(text)
                .expect("parses")
                .members(&all, &mut |_, _| false)
        };
        assert_eq!(
            describe(&ids("server,worker.1-2,3"), &all),
            "server,worker.1-2,worker.2"
        );
        assert_eq!(
            describe(&ids("all"), &all),
            "server,worker,worker.2,redis-server"
        );
    }
}
