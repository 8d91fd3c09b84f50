#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i64,
}
struct Pair(u8, u16);

fn show(point: &Point, pair: &Pair) -> i64 {
    i64::from(point.x) + point.y + i64::from(pair.0) + i64::from(pair.1)
}

fn main() {
    let point = Point { x: 1, y: 2 };
    let pair = Pair(3, 4);
    println!("{}", show(&point, &pair));
}
