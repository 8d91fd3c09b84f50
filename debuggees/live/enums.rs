//! Enums with and without data, Option and Result, niches.

#[derive(Clone, Copy)]
#[allow(dead_code)]
enum Colour {
    Red,
    Green = 7,
    Blue,
}

#[allow(dead_code)]
enum Shape {
    Nothing,
    Circle(f64),
    Rectangle { width: u32, height: u32 },
    Tagged(u8, i64),
}

#[inline(never)]
fn area(shape: &Shape, colour: Colour, limit: Option<u32>) -> Result<f64, String> {
    let base = match shape {
        Shape::Nothing => 0.0,
        Shape::Circle(radius) => radius * radius * 3.0,
        Shape::Rectangle { width, height } => f64::from(width * height),
        Shape::Tagged(tag, value) => f64::from(*tag) + *value as f64,
    };
    stop_here(base as i32 + colour as i32);
    match limit {
        Some(most) if base > f64::from(most) => Err(String::from("too large")),
        _ => Ok(base),
    }
}

fn main() {
    let circle = Shape::Circle(2.0);
    let rectangle = Shape::Rectangle { width: 30, height: 4 };
    let nowhere: Option<&u32> = None;
    let number = 99u32;
    let somewhere: Option<&u32> = Some(&number);
    let first = area(&circle, Colour::Red, None);
    let second = area(&rectangle, Colour::Blue, Some(100));
    stop_here(first.is_ok() as i32 + second.is_err() as i32);
    std::hint::black_box((&nowhere, &somewhere, &first, &second));
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
