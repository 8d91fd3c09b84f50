//! Every scalar type of Rust, tuples and arrays.

#[inline(never)]
fn scalars(small: i8, byte: u8, wide: i64, widest: u128, flag: bool, letter: char, part: f32, twice: f64) -> i64 {
    let pair = (small, letter);
    let array = [byte, byte.wrapping_add(1), 3];
    let nested = ((1u16, -1i16), [true, flag]);
    let unit = ();
    stop_here(i32::from(small) + i32::from(byte));
    std::hint::black_box((&pair, &array, &nested, &unit, part, twice, widest));
    wide + i64::from(array[1])
}

fn main() {
    let size: usize = 12345;
    let result = scalars(-8, 250, -1_000_000_000_000, 1 << 100, true, 'ß', 0.5, -1.25);
    stop_here(result as i32);
    std::hint::black_box(size);
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
