//! Arithmetic against wide integers, and assignment.

mod support;

use wayfarer_expression::{
    EvaluationError, Format, Language, Scope, TypeRef, Value, evaluate, parse, print,
};
use wayfarer_symbols::location::{Absence, Fetched, Place, Unreadable};
use wayfarer_symbols::types::Encoding;

/// A scope in which nothing has a name.
struct Nothing(Language);

impl Scope for Nothing {
    fn language(&mut self) -> Language {
        self.0
    }

    fn variable(&mut self, name: &str) -> Result<Option<Value>, EvaluationError> {
        // A value of each type: `ni8`, `nu8` … `nu64`.
        let Some(type_name) = name.strip_prefix('n') else {
            return Ok(None);
        };
        let (letter, digits) = type_name.split_at(1);
        let (signed, bits) = match (letter.as_bytes().first(), digits.parse::<u64>()) {
            (Some(b'i'), Ok(bits)) => (true, bits),
            (Some(b'u'), Ok(bits)) => (false, bits),
            _ => return Ok(None),
        };
        let encoding = if signed {
            Encoding::Signed
        } else {
            Encoding::Unsigned
        };
        let type_ref = TypeRef::base(name, encoding, bits / 8, self.0);
        Ok(Some(Value::computed(
            type_ref,
            vec![0xfb; (bits / 8) as usize],
        )))
    }

    fn type_named(&mut self, _: Option<&str>, _: &str) -> Option<TypeRef> {
        None
    }

    fn fetch(&mut self, place: &Place, _: usize) -> Result<Fetched, Absence> {
        match place.address() {
            Some(address) => Err(Unreadable { address }.into()),
            None => Err(Absence::OptimisedOut),
        }
    }

    fn read(&mut self, address: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable { address })
    }
}

fn value_of(text: &str, language: Language) -> String {
    let result = parse(text, language)
        .map_err(EvaluationError::from)
        .and_then(|parsed| evaluate(&parsed, &mut Nothing(language)))
        .and_then(|value| print(&value, &Format::default(), &mut Nothing(language)));
    match result {
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}

/// C's `int` and `long` by brute force.
#[test]
fn integers_agree_with_wide_integers() {
    let numbers: [i128; 9] = [0, 1, 2, 7, 31, 255, 65536, 2147483647, 4294967296];
    for left in numbers {
        for right in numbers {
            // The literal's own type decides: `int` where it fits, else `long`.
            let wide = left > 2147483647 || right > 2147483647;
            let wrap = |value: i128| {
                if wide {
                    i128::from(value as i64)
                } else {
                    i128::from(value as i32)
                }
            };
            let check = |operator: &str, expected: i128| {
                let text = format!("{left} {operator} {right}");
                assert_eq!(
                    value_of(&text, Language::C),
                    wrap(expected).to_string(),
                    "{text}"
                );
            };
            check("+", left + right);
            check("-", left - right);
            check("*", left * right);
            check("&", left & right);
            check("|", left | right);
            check("^", left ^ right);
            check("==", i128::from(left == right));
            check("<", i128::from(left < right));
            check(">=", i128::from(left >= right));
            if right == 0 {
                assert_eq!(
                    value_of(&format!("{left} / 0"), Language::C),
                    "Division by zero"
                );
            } else {
                check("/", left / right);
                check("%", left % right);
            }
        }
    }
}

#[test]
fn small_types_are_widened_as_the_language_says() {
    let table = [
        ("ni8 + 1", Language::C, "-4"),
        ("nu8 + 5", Language::C, "256"),
        ("ni8 < nu8", Language::C, "1"),
        ("nu32 + 1", Language::C, "4227595260"),
        ("ni32 < nu32 - 1", Language::C, "0"),
        ("ni64 + nu64", Language::C, "17868022691004938230"),
        ("-nu8", Language::C, "-251"),
        ("~nu8", Language::C, "-252"),
        ("nu8 + 5u8", Language::Rust, "0"),
        ("!nu8", Language::Rust, "4"),
        ("ni8 as u32", Language::Rust, "4294967291"),
        ("300 as u8", Language::Rust, "44"),
        ("-1i8 as u8", Language::Rust, "255"),
        ("1.9 as i32", Language::Rust, "1"),
        ("1 << 31", Language::C, "-2147483648"),
        ("1u << 31", Language::C, "2147483648"),
        ("-8 >> 1", Language::C, "-4"),
        ("1.5 + 1", Language::C, "2.5"),
        ("7 / 2.0", Language::C, "3.5"),
        ("1 ? 2 : 3", Language::C, "2"),
        ("2 > 1 && 0", Language::C, "0"),
        ("2 > 1 && 0 == 0", Language::Cpp, "true"),
        (
            "nosuch",
            Language::C,
            "No symbol \"nosuch\" in current context.",
        ),
        (
            "1 = 2",
            Language::C,
            "Left operand of assignment is not an lvalue.",
        ),
        ("*1", Language::C, "Cannot access memory at address 0x1"),
        ("1.5 % 0", Language::C, "-nan(0x8000000000000)"),
        (
            "ni8[1]",
            Language::C,
            "cannot subscript something of type `ni8'",
        ),
        ("1.x", Language::C, "Invalid number \"1.x\"."),
    ];
    for (text, language, expected) in table {
        assert_eq!(value_of(text, language), expected, "{text}");
    }
}

/// Assignments to memory of a core file, kept beside it.
#[test]
fn assignments_change_what_they_should() {
    let mut stopped = support::stopped("values.c", &["-O0", "-DSET"], &[]);
    let mut step = |text: &str, expected: &str| {
        assert_eq!(
            support::text(&mut stopped.scope, text, &Format::default()),
            expected,
            "{text}"
        );
    };
    step("i = 7", "7");
    step("i", "7");
    step("i += 3", "10");
    step("i++", "10");
    step("i", "11");
    step("--i", "10");
    step("c = 'z'", "122 'z'");
    step("c", "122 'z'");
    step("u = -1", "4294967295");
    step("d = 2", "2");
    step("f = 0.5", "0.5");
    step("pt.x = 100", "100");
    step("pt", "{x = 100, y = 2}");
    step("pp->y = 200", "200");
    step("pts[1] = pt", "{x = 100, y = 200}");
    step(
        "pts",
        "{{x = 1, y = 2}, {x = 100, y = 200}, {x = 3, y = 4}}",
    );
    step("bi.b = -7", "-7");
    step(
        "bi",
        "{a = 5, b = -7, c = true, d = 123456789012, e = BLUE}",
    );
    step("bi.d = 1", "1");
    step("bi.e = RED", "RED");
    step("bi.c = 0", "false");
    step("bi", "{a = 5, b = -7, c = false, d = 1, e = RED}");
    step("buf = \"bye\"", "\"bye\", '\\000' <repeats 12 times>");
    step("arr[3] = arr[0] + 41", "42");
    step("*(arr + 1) = 5", "5");
    step("arr", "{1, 5, 3, 42}");
    step("col = GREEN", "GREEN");
    step("b = 5", "true");
    step("np = &arr[2], *np", "3");
    step("$saved = arr[3] * 2", "84");
    step("$saved + 1", "85");
    step("big = 12345678901234567890123", "12345678901234567890123");
}
