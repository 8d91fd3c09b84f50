//! Closures that capture by reference and by value, called through generics and trait objects.

#[inline(never)]
fn apply<F: Fn(i32) -> i32>(function: F, value: i32) -> i32 {
    let result = function(value);
    result + 1
}

#[inline(never)]
fn apply_dynamic(function: &dyn Fn(i32) -> i32, value: i32) -> i32 {
    let result = function(value);
    result + 2
}

fn main() {
    let base = std::hint::black_box(100);
    let name = String::from("captured");
    let by_reference = |value: i32| {
        let sum = base + value;
        stop_here(sum);
        sum + name.len() as i32
    };
    let owned = 7;
    let by_value = move |value: i32| {
        let product = owned * value;
        stop_here(product);
        product
    };
    let first = apply(by_reference, 5);
    let second = apply_dynamic(&by_value, 6);
    stop_here(first + second);
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
