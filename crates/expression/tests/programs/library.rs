//! Values of Rust and its library, for the tests of printing.
#![allow(dead_code, unused_variables)]

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CString, OsString};
use std::num::{NonZeroU32, Wrapping};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

struct Point {
    x: i32,
    y: i32,
}
struct Pair(u8, &'static str);
struct Unit;
struct Generic<T> {
    inner: T,
}
enum Color {
    Red,
    Green,
}
enum Shape {
    Circle { radius: f64 },
    Square(u32),
    Nothing,
}
enum Single {
    Only(i32),
}
union Bits {
    whole: u32,
    parts: [u8; 4],
}
struct Node {
    value: i32,
    next: Option<Box<Node>>,
}
trait Animal {
    fn legs(&self) -> u32;
}
struct Dog {
    age: u32,
}
impl Animal for Dog {
    fn legs(&self) -> u32 {
        4
    }
}

static GLOBAL: i32 = 42;
static mut COUNTER: u64 = 7;

#[inline(never)]
fn stop() {
    std::hint::black_box(());
}

fn double(value: i32) -> i32 {
    value * 2
}

fn main() {
    let (a, b, c, d) = (-5i8, 250u8, -30000i16, 60000u16);
    let (e, f, g, h) = (i32::MIN, u32::MAX, i64::MAX, u64::MAX);
    let (wide, uwide, size) = (i128::MAX, u128::MAX, 99usize);
    let (single, real, whole) = (1.1f32, 1.1f64, 3.0f64);
    let (yes, letter, newline, accent) = (true, 'x', '\n', 'é');
    let unit = ();
    let point = Point { x: 1, y: 2 };
    let pair = Pair(3, "three");
    let nothing = Unit;
    let generic = Generic { inner: Some(5u8) };
    let tuple = (1, "two", 3.5);
    let one_tuple = (7u8,);
    let nested = ((1, 2), [3, 4]);
    let color = Color::Green;
    let circle = Shape::Circle { radius: 2.5 };
    let square = Shape::Square(9);
    let no_shape = Shape::Nothing;
    let only = Single::Only(4);
    let bits = Bits { whole: 0x01020304 };
    let some = Some(3u32);
    let none: Option<u32> = None;
    let some_ref = Some(&point.x);
    let no_ref: Option<&i32> = None;
    let some_text = Some(String::from("inside"));
    let no_text: Option<String> = None;
    let deep_option = Some(Some(1u8));
    let some_bool = Some(true);
    let none_bool: Option<bool> = None;
    let some_char = Some('q');
    let good: Result<u8, String> = Ok(1);
    let bad: Result<u8, String> = Err("broken".to_string());
    let text = String::from("hello \"world\"\n");
    let empty = String::new();
    let unicode = String::from("grüße €");
    let long_text = "x".repeat(300);
    let borrowed = "a str";
    let slice: &[i32] = &[1, 2, 3];
    let no_slice: &[i32] = &[];
    let mut array = [1u16, 2, 3];
    let matrix = [[1, 2], [3, 4]];
    let zeros = [0u8; 50];
    let vector = vec![1, 2, 3];
    let no_vector: Vec<i32> = Vec::new();
    let words = vec![String::from("one"), String::from("two")];
    let points = vec![Point { x: 1, y: 2 }, Point { x: 3, y: 4 }];
    let many: Vec<u32> = (0..300).collect();
    let mut ring: VecDeque<i32> = (0..6).collect();
    for _ in 0..4 {
        ring.pop_front();
        ring.push_back(9);
    }
    let linked: LinkedList<i32> = [1, 2, 3].into_iter().collect();
    let heap: BinaryHeap<i32> = [2, 5].into_iter().collect();
    let map: HashMap<String, i32> = [("key".to_string(), 1)].into_iter().collect();
    let no_map: HashMap<String, i32> = HashMap::new();
    let set: HashSet<u64> = [77].into_iter().collect();
    let tree: BTreeMap<i32, &str> = (0..40).map(|i| (i, "v")).collect();
    let small_tree: BTreeMap<&str, Vec<i32>> = [("a", vec![1]), ("b", vec![])].into();
    let no_tree: BTreeMap<i32, i32> = BTreeMap::new();
    let tree_set: BTreeSet<i32> = [3, 1, 2].into();
    let boxed = Box::new(11);
    let boxed_point = Box::new(Point { x: 5, y: 6 });
    let boxed_slice: Box<[i32]> = vec![1, 2].into();
    let boxed_text: Box<str> = "boxed".into();
    let list = Node { value: 1, next: Some(Box::new(Node { value: 2, next: None })) };
    let rc = Rc::new(12);
    let rc_two = Rc::clone(&rc);
    let weak: Weak<i32> = Rc::downgrade(&rc);
    let dangling: Weak<i32> = Weak::new();
    let arc = Arc::new(String::from("shared"));
    let rc_text: Rc<str> = "counted".into();
    let arc_slice: Arc<[i32]> = vec![4, 5].into();
    let cell = Cell::new(13);
    let ref_cell = RefCell::new(vec![1]);
    let mutably = RefCell::new(14);
    let guard = mutably.borrow_mut();
    let once: OnceCell<i32> = OnceCell::from(3);
    let mutex = Mutex::new(15);
    let locked = Mutex::new(16);
    let lock_guard = locked.lock().unwrap();
    let rw_lock = RwLock::new(17);
    let duration = Duration::from_millis(1500);
    let path = PathBuf::from("/tmp/file");
    let path_ref = Path::new("/etc");
    let os = OsString::from("os");
    let c_string = CString::new("c text").unwrap();
    let non_zero = NonZeroU32::new(18).unwrap();
    let maybe_non_zero = NonZeroU32::new(0);
    let wrapping = Wrapping(19u8);
    let ordering = std::cmp::Ordering::Less;
    let atomic = AtomicU64::new(20);
    let atomic_flag = AtomicBool::new(true);
    let function: fn(i32) -> i32 = double;
    let dog = Dog { age: 3 };
    let animal: &dyn Animal = &dog;
    let boxed_animal: Box<dyn Animal> = Box::new(Dog { age: 5 });
    let range = 1..5;
    let inclusive = 1..=5;
    let from = 3..;
    let pinned: Pin<Box<i32>> = Box::pin(21);
    let reference = &point;
    let mutable = &mut array;
    let raw = &raw const point;
    let closure = |v: i32| v + size as i32;
    let shared_state = Arc::new(Mutex::new(HashMap::from([(1u8, "one")])));
    stop();
    println!("{}", closure(1) + mutable.len() as i32 + *guard + *lock_guard + function(GLOBAL));
    println!("{}", animal.legs() + boxed_animal.legs() + unsafe { COUNTER } as u32);
}
