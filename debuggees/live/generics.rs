//! Generic functions and types, traits, methods, associated functions.

trait Scale {
    fn scale(&self, factor: i32) -> i32;
}

struct Point<T> {
    x: T,
    y: T,
}

impl Scale for Point<i32> {
    #[inline(never)]
    fn scale(&self, factor: i32) -> i32 {
        let scaled = self.x * factor + self.y;
        stop_here(scaled);
        scaled
    }
}

impl<T: Copy + Into<f64>> Point<T> {
    #[inline(never)]
    fn length(&self) -> f64 {
        let x: f64 = self.x.into();
        let y: f64 = self.y.into();
        stop_here((x + y) as i32);
        x.hypot(y)
    }
}

#[inline(never)]
fn scale_all<S: Scale>(items: &[S], factor: i32) -> i32 {
    let mut sum = 0;
    for item in items {
        sum += item.scale(factor);
    }
    sum
}

fn main() {
    let points = [Point { x: 1, y: 2 }, Point { x: 3, y: 4 }];
    let sum = scale_all(&points, 10);
    let single = Point { x: 3.0f32, y: 4.0 };
    let length = single.length();
    let dynamic: &dyn Scale = &points[1];
    let again = dynamic.scale(2);
    stop_here(sum + length as i32 + again);
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
