use std::fmt;

#[derive(Debug, Clone)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Debug)]
enum Shape {
    Circle { center: Point, radius: f64 },
    Empty,
}

#[derive(Debug)]
struct Wrap<T> {
    inner: T,
}

struct Secret(i32);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret(ends in {})", self.0 % 10)
    }
}

struct Plain {
    n: i32,
}

fn risky(n: i32) -> i32 {
    if n > 3 {
        panic!("too big");
    }
    n + 1
}

fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle { radius, .. } => radius * 3.0,
        Shape::Empty => 0.0,
    }
}

fn main() {
    let p = Point { x: 1, y: -2 };
    let shape = Shape::Circle { center: p.clone(), radius: 2.0 };
    let few = Wrap { inner: 5_u8 };
    let whole = Wrap { inner: p.clone() };
    let secret = Secret(1234);
    let plain = Plain { n: 4 };
    let outcome = std::panic::catch_unwind(|| risky(2) + risky(9));
    println!("{p:?} {shape:?} {few:?} {whole:?} {secret:?}");
    println!("{} {} {:?}", area(&shape), plain.n, outcome.is_err());
    println!("{:?}", Shape::Empty);
}
