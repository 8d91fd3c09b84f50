//! Box, Rc, Arc, RefCell, Mutex, Cell and recursive types.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

struct Node {
    value: i32,
    next: Option<Box<Node>>,
}

#[inline(never)]
fn sum(node: &Node) -> i32 {
    let rest = match &node.next {
        Some(next) => sum(next),
        None => {
            stop_here(node.value);
            0
        }
    };
    node.value + rest
}

fn main() {
    let list = Node { value: 1, next: Some(Box::new(Node { value: 2, next: None })) };
    let shared = Rc::new(RefCell::new(41));
    *shared.borrow_mut() += 1;
    let guarded = Arc::new(Mutex::new(7u8));
    let cell = Cell::new(13i16);
    let boxed = Box::new(64i64);
    let total = sum(&list);
    stop_here(total + *shared.borrow() + i32::from(cell.get()) + *boxed as i32);
    std::hint::black_box((&guarded, &shared, &boxed));
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
