//! Values of the standard library: nested, borrowed, locked, shared, behind trait objects.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};
use std::time::Duration;

trait Speak {
    fn speak(&self) -> i32;
}

struct Dog {
    age: i32,
    name: String,
}

impl Speak for Dog {
    fn speak(&self) -> i32 {
        self.age + self.name.len() as i32
    }
}

#[allow(dead_code)]
enum Message {
    Quit,
    Move { x: i32, y: i32 },
    Write(String),
    Nested(Box<Message>),
    Colour(u8, u8, u8),
}

#[inline(never)]
fn choices(number: u32) {
    let some = Some(number);
    let none: Option<u32> = None;
    let text: Option<&str> = Some("borrowed");
    let boxed: Option<Box<u32>> = Some(Box::new(number + 1));
    let nothing: Option<Box<u32>> = None;
    let twice: Option<Option<bool>> = Some(None);
    let fine: Result<u32, String> = Ok(number);
    let wrong: Result<u32, String> = Err(String::from("wrong"));
    let quit = Message::Quit;
    let moved = Message::Move { x: 1, y: -1 };
    let written = Message::Write(String::from("note"));
    let nested = Message::Nested(Box::new(Message::Colour(1, 2, 3)));
    stop_here(number as i32);
    std::hint::black_box((&some, &none, &text, &boxed, &nothing, &twice));
    std::hint::black_box((&fine, &wrong, &quit, &moved, &written, &nested));
}

#[inline(never)]
fn containers() {
    let mut ring: VecDeque<i32> = VecDeque::with_capacity(4);
    ring.extend([1, 2, 3, 4]);
    ring.pop_front();
    ring.push_back(5);
    let nested = vec![vec![1u8], vec![], vec![2, 3]];
    let records = vec![(1, "one"), (2, "two")];
    let squares: BTreeMap<u32, u64> = (0..30).map(|n| (n, u64::from(n) * u64::from(n))).collect();
    let letters: BTreeSet<char> = "cab".chars().collect();
    let ages = HashMap::from([("Ada", 36)]);
    let lucky = HashSet::from([7]);
    let nobody: HashMap<u8, u8> = HashMap::new();
    let slice = &nested[1..];
    let words: &[&str] = &["alpha", "beta"];
    stop_here(ring[0]);
    std::hint::black_box((&ring, &nested, &records, &squares, &letters));
    std::hint::black_box((&ages, &lucky, &nobody, &slice, &words));
}

#[inline(never)]
fn owners() {
    let shared = Rc::new(String::from("shared"));
    let again = Rc::clone(&shared);
    let cell = RefCell::new(vec![1, 2]);
    let reading = cell.borrow();
    let lock = Arc::new(Mutex::new(Dog { age: 3, name: String::from("Rex") }));
    let guard = lock.lock();
    let plain = Cell::new(5u16);
    let count = AtomicU32::new(9);
    let flag = AtomicBool::new(true);
    let dynamic: Box<dyn Speak> = Box::new(Dog { age: 4, name: String::from("Ida") });
    let borrowed: &dyn Speak = &Dog { age: 5, name: String::from("Kim") };
    let path = PathBuf::from("/etc/hosts");
    let spans = [Duration::from_millis(1500), Duration::from_micros(20), Duration::ZERO];
    let range = 3..7;
    stop_here(dynamic.speak() + borrowed.speak() + reading[0]);
    std::hint::black_box((&again, &guard, &plain, &count, &flag, &dynamic));
    std::hint::black_box((&borrowed, &path, &spans, &range));
}

fn main() {
    choices(41);
    containers();
    owners();
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
