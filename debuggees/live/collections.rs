//! Vec, String, slices, maps, queues.

use std::collections::{BTreeMap, VecDeque};

struct Record {
    name: String,
    marks: Vec<u16>,
}

#[inline(never)]
fn total(records: &[Record], text: &str) -> usize {
    let mut sum = 0;
    for record in records {
        sum += record.marks.iter().map(|mark| *mark as usize).sum::<usize>();
        sum += record.name.len();
    }
    stop_here(sum as i32);
    sum + text.len()
}

fn main() {
    let records = vec![
        Record { name: String::from("Ada"), marks: vec![1, 2] },
        Record { name: String::from("Grace"), marks: vec![] },
    ];
    let mut queue = VecDeque::from([1i32, 2, 3]);
    queue.rotate_left(1);
    let ages = BTreeMap::from([(1u8, 10i32), (2, 20)]);
    let slice = &records[..1];
    let sum = total(slice, "words");
    let boxed: Box<[i32]> = vec![4, 5].into_boxed_slice();
    stop_here(sum as i32 + queue.len() as i32 + ages.len() as i32 + boxed[0]);
    std::hint::black_box((&records, &queue, &ages, &boxed));
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
