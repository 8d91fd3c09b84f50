mod inner {
    pub static COUNT: u32 = 5;

    pub struct Stack {
        pub items: Vec<u32>,
    }

    impl Stack {
        pub fn push(&mut self, item: u32) -> usize {
            self.items.push(item); // mark: push
            self.items.len()
        }
    }

    pub trait Named {
        fn name(&self) -> String;
    }

    impl Named for Stack {
        fn name(&self) -> String {
            format!("stack of {}", self.items.len()) // mark: name
        }
    }
}

use inner::{Named, Stack};

#[derive(Debug)]
enum Shape {
    Empty,
    Circle(f64),
    Square { side: u32 },
}

fn generic<T: Copy>(value: T) -> T {
    std::hint::black_box(value) // mark: generic
}

#[inline(always)]
fn tiny(number: u32) -> u32 {
    number + 3 // mark: tiny
}

fn main() {
    let mut stack = Stack { items: vec![1, 2] }; // mark: main
    let length = stack.push(tiny(3));
    let shapes = [Shape::Empty, Shape::Circle(1.5), Shape::Square { side: 4 }];
    let maybe: Option<&str> = Some("text");
    let nothing: Option<u64> = None;
    let pair = (1u8, 'x');
    let twice = |number: u32| number * 2;
    println!(
        "{length} {} {shapes:?} {maybe:?} {nothing:?} {pair:?} {} {} {} {}", // mark: print
        stack.name(),
        generic(7u64),
        generic("x"),
        twice(4),
        inner::COUNT
    );
}
