//! What is written can be read, whatever it is and wherever it is cut.

extern crate std;

use proptest::prelude::*;
use std::vec::Vec;

use super::*;

/// All tags that there are.
fn tags() -> impl Iterator<Item = u8> {
    (0..PAYLOAD).filter(|tag| fields(*tag).is_some())
}

fn any_tag() -> impl Strategy<Value = u8> {
    prop::sample::select(tags().collect::<Vec<u8>>())
}

/// Numbers of all lengths.
fn any_number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(number, shift)| number >> shift)
}

fn any_value() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0u32..64).prop_map(|(value, shift)| value >> shift)
}

fn any_payload() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop::option::of(prop::collection::vec(any::<u8>(), 0..300))
}

/// A record of any tag, as a reader sees it; fields that the tag has not are 0.
fn seen<'a>(tag: u8, number: u64, check: u8, value: i64, payload: &'a [u8]) -> Record<'a> {
    let (number, check, value) = match fields(tag) {
        Some(Fields::Call) => (number, check, value),
        Some(Fields::Value) if tag == TURN => (number, 0, 0),
        Some(Fields::Value) if tag >= CLOCK => (u64::from(tag - CLOCK), 0, value),
        Some(Fields::Value) => (0, 0, value),
        Some(Fields::Nothing) | None => (0, 0, 0),
    };
    Record {
        tag,
        number,
        check,
        value,
        payload,
        length: 0,
    }
}

/// The same record to be written.
fn head(record: &Record<'_>) -> Head {
    match record.tag {
        TURN => Head::turn(record.number),
        RESULT => Head::result(record.value),
        CLOCK..=CLOCK_LAST => Head::clock(record.number as u8, record.value),
        tag => Head::new(tag, record.number, record.check, record.value),
    }
}

fn written(head: Head, payload: Option<&[u8]>) -> Vec<u8> {
    match payload {
        None => head.encode().to_vec(),
        Some(payload) => [&head.with_payload(payload.len()).encode(), payload].concat(),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        tag in any_tag(),
        number in any_number(),
        check in any::<u8>(),
        value in any_value(),
        payload in any_payload(),
        behind in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let record = seen(tag, number, check, value, payload.as_deref().unwrap_or(&[]));
        let mut bytes = written(head(&record), payload.as_deref());
        let length = bytes.len();
        for cut in 0..length {
            prop_assert_eq!(read(&bytes[..cut]), Err(BadRecord::Truncated));
        }
        bytes.extend_from_slice(&behind);
        prop_assert_eq!(read(&bytes), Ok(Record { length, ..record }));
        let (head, end) = Head::read(&bytes).unwrap();
        prop_assert_eq!(head.size(), end);
        prop_assert_eq!(&*head.encode(), &bytes[..end]);
        prop_assert_eq!(head.has_payload(), payload.is_some());
        prop_assert_eq!(head.value(), if tag == TURN { number as i64 } else { record.value });
    }

    #[test]
    fn a_payload_may_come_before_its_length(
        tag in any_tag(),
        number in any_number(),
        payload in prop::collection::vec(any::<u8>(), 0..128),
    ) {
        let head = Head::new(tag, number, 7, 9);
        let expected = written(head, Some(&payload));
        prop_assert_eq!(&opened::<1>(head, &payload), &expected);
        let wide = opened::<5>(head, &payload);
        let (wide, expected) = (read(&wide).unwrap(), read(&expected).unwrap());
        prop_assert_eq!(wide.length, expected.length + 4);
        prop_assert_eq!(Record { length: 0, ..wide }, Record { length: 0, ..expected });
    }

    #[test]
    fn runs_are_read_as_they_were_written(
        reads in any::<bool>(),
        object in any_number(),
        run in any_number(),
        length in any_number(),
    ) {
        let acquire = Acquire { reads, object, run, length };
        let bytes = acquire.encode();
        let record = read(&bytes).unwrap();
        prop_assert_eq!(record.length, bytes.len());
        prop_assert_eq!(Acquire::of(&record), Some(acquire));
        prop_assert_eq!(record.run_length(), length);
        prop_assert_eq!(record.check == sync::LONG, length >= u64::from(sync::LONG));
    }

    #[test]
    fn any_bytes_are_a_record_or_none(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        match read(&bytes) {
            Ok(record) => prop_assert!(record.length <= bytes.len()),
            Err(BadRecord::UnknownTag(tag)) => prop_assert!(fields(tag).is_none()),
            Err(BadRecord::Truncated) => {}
        }
    }

    #[test]
    fn numbers_of_objects_and_children_survive(address: u64, place: u64, process: u32, thread: u32) {
        let birth = Birth { address, place };
        prop_assert_eq!(Birth::decode(&birth.encode()), Some(birth));
        let child = Child { process, thread };
        prop_assert_eq!(Child::decode(&child.encode()), Some(child));
    }
}

fn opened<const WIDTH: usize>(head: Head, payload: &[u8]) -> Vec<u8> {
    let mut bytes = std::vec![0; Head::LONGEST + payload.len()];
    let start = bytes.as_mut_ptr();
    // SAFETY: room for the longest head, and the payload behind it.
    let length = unsafe {
        let begin = head.open::<WIDTH>(start);
        core::ptr::copy_nonoverlapping(payload.as_ptr(), begin, payload.len());
        let end = begin.add(payload.len());
        close::<WIDTH>(begin, end);
        end.offset_from(start) as usize
    };
    bytes.truncate(length);
    bytes
}

/// The bytes are those of the format's page, not only those that our own reader expects.
#[test]
fn records_look_as_documented() {
    let plain = |head: Head| head.encode().to_vec();
    assert_eq!(
        plain(Head::call(257, 0x5a, -2)),
        [0x01, 0x81, 0x02, 0x5a, 3]
    );
    assert_eq!(
        written(Head::call(0, 1, 2), Some(b"ab")),
        [0x81, 0, 1, 4, 2, b'a', b'b']
    );
    assert_eq!(plain(Head::new(SEND, 1, 9, 200)), [0x02, 1, 9, 0xc8, 1]);
    assert_eq!(plain(Head::result(-1)), [0x03, 1]);
    assert_eq!(plain(Head::new(RECEIVE, 0, 9, 3)), [0x04, 0, 9, 3]);
    assert_eq!(plain(Head::turn(300)), [0x05, 0xac, 2]);
    assert_eq!(plain(Head::new(SIGNAL, 14, 2, -1)), [0x06, 14, 2, 1]);
    assert_eq!(written(Head::bare(START), Some(b"x")), [0x87, 1, b'x']);
    assert_eq!(plain(Head::bare(YIELD)), [0x08]);
    assert_eq!(plain(Head::new(NOTE, 3, 0, 4)), [0x09, 3, 0, 8]);
    assert_eq!(plain(Head::new(EXIT, 231, 5, 1)), [0x0a, 0xe7, 1, 5, 2]);
    assert_eq!(
        written(Head::new(OUTPUT, 1, 6, 5), Some(&[7])),
        [0x8b, 1, 6, 5, 1, 7]
    );
    assert_eq!(plain(Head::new(OUTCOME, 4, 0, -3)), [0x0d, 4, 0, 5]);
    assert_eq!(plain(Head::new(OBJECT, 2, 1, 3)), [0x0e, 2, 1, 6]);
    assert_eq!(plain(Head::new(FINAL, 2, 0, 3)), [0x0f, 2, 0, 3]);
    assert_eq!(plain(Head::new(THREADS, 1, 2, 3)), [0x10, 1, 2, 6]);
    assert_eq!(plain(Head::new(WAIT, 2, 4, 130)), [0x12, 2, 4, 0x82, 1]);
    assert_eq!(plain(Head::new(POSTS, 2, 0, 5)), [0x13, 2, 0, 5]);
    assert_eq!(plain(Head::clock(1, 64)), [0x41, 0x80, 1]);
    let run = |reads, length| {
        let acquire = Acquire {
            reads,
            object: 3,
            run: 7,
            length,
        };
        acquire.encode().to_vec()
    };
    assert_eq!(run(false, 254), [0x0c, 3, 254, 7]);
    assert_eq!(run(true, 300), [0x91, 3, 255, 7, 2, 0xac, 2]);
    assert_eq!(tags().count(), 0x13 + 16);
    assert_eq!(UNENDED_RESULT, *Head::result(UNENDED).encode());
    assert_eq!(WENT_OUT_RESULT, *Head::result(WENT_OUT).encode());
}
