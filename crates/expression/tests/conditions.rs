//! Compiled conditions: the program gives what the evaluator gives.

mod support;

use support::stopped;
use wayfarer_expression::{Scope, compile_condition, evaluate};
use wayfarer_predicate::{Program, Target, holds};
use wayfarer_symbols::location::Memory;
use wayfarer_symbols::registers::Register;
use wayfarer_symbols::unwind::AddressSpace;

/// A frame of a core file as the agent would see a thread.
struct Frame<'a> {
    scope: &'a support::core_scope::CoreScope,
    activation: usize,
}

impl Target for Frame<'_> {
    fn register(&mut self, number: u16) -> Option<u64> {
        self.scope.backtrace.stack.activations[self.activation]
            .registers
            .get(Register(number))
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        Memory::read(self.scope.core.memory(), address, buffer).is_ok()
    }
}

fn check(source: &str, options: &[&str], level: usize, conditions: &[&str], refused: &[&str]) {
    let mut stopped = stopped(source, options, &[]);
    let activation = stopped.scope.backtrace.frames[level].activation;
    stopped.scope.level = level;
    let pc = stopped.scope.backtrace.stack.activations[activation].pc;
    let language = stopped.scope.language();
    let mut wrong = Vec::new();
    for condition in conditions {
        let parsed = support::parse(&mut stopped.scope, condition, language).expect(condition);
        let Some(program) = compile_condition(&parsed, &stopped.scope.core, pc) else {
            wrong.push(format!("{condition} is not compiled"));
            continue;
        };
        assert_eq!(
            Program::from_bytes(&program.to_bytes()).as_ref(),
            Ok(&program)
        );
        let mut frame = Frame {
            scope: &stopped.scope,
            activation,
        };
        let found = holds(&program, &mut frame);
        let value = evaluate(&parsed, &mut stopped.scope).expect(condition);
        let text = wayfarer_expression::print(
            &value,
            &wayfarer_expression::Format::default(),
            &mut stopped.scope,
        )
        .expect(condition);
        let expected = !matches!(text.as_str(), "0" | "false" | "0x0" | "-0");
        if found != Ok(expected) {
            wrong.push(format!("{condition}: compiled {found:?}, evaluated {text}"));
        }
    }
    for condition in refused {
        if let Ok(parsed) = support::parse(&mut stopped.scope, condition, language)
            && compile_condition(&parsed, &stopped.scope.core, pc).is_some()
        {
            wrong.push(format!("{condition} is compiled"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn c_conditions() {
    check(
        "values.c",
        &["-O0", "-DCONDITIONS"],
        1,
        &[
            "i == -42",
            "i > 0",
            "i < 0",
            "u > 3000000000",
            "i < u",
            "s == -3 && us == 65535",
            "c == 'a'",
            "neg < 0",
            "uc > 100",
            "l == 1099511627776",
            "ul == -1",
            "ll < 0",
            "b",
            "!b",
            "f > 1.0",
            "f > 1.2",
            "d == 1.1",
            "d * 2 > 2.1",
            "i / 5 == -8",
            "i % 5 == -2",
            "i << 2",
            "u >> 4 == 250000000",
            "i & 2",
            "col == BLUE",
            "pt.x == 1 && pt.y == 2",
            "pp->x == 1",
            "pp->y == 3",
            "pp == 0",
            "np == 0",
            "arr[2] == 3",
            "*arr == 1",
            "arr[1] + arr[2] == 5",
            "two[1][2] == 6",
            "bi.a == 5",
            "bi.b == -3",
            "bi.c",
            "bi.d == 123456789012",
            "bi.e == BLUE",
            "un.i == 1065353216",
            "an.p == 2",
            "an.named.z == 5",
            "head.value == 1",
            "head.next->value == 2",
            "hp->next->value == 2",
            "global_array[3] == 4",
            "*gp == 3",
            "fx.n == 2",
            "str[0] == 'a'",
            "argc == 1",
            "argc > 1 || i < 0",
            "np && *np == 3",
            "i < 0 ? 1 : 0",
            "(char)i == -42",
            "(unsigned char)i == 214",
            "(long)&pt == (long)pp",
            "-i == 42",
            "~i == 41",
            "pp + 1 > pp",
            "&arr[3] == arr + 3",
            "*(arr + 1) == 2",
            "0x10 == 16",
            "$rip != 0",
            "fp == callback || 1",
            "whole == 3",
            "third < 0.34",
            "f + 1 == 2.1",
            "sc + uc == 195",
        ],
        &[
            "callback(1)",
            "i = 3",
            "$x",
            "nosuch == 1",
            "big == 1",
            "ld > 1",
            "'values.c'::tail.value == 2",
            "server:i == 1",
            "buf == \"hello\"",
        ],
    );
}

#[test]
fn optimised_conditions_follow_the_registers() {
    // With optimisation a local may have no place: then there is no program, or the right one.
    check(
        "values.c",
        &["-O1", "-DCONDITIONS"],
        1,
        &["head.value == 1", "global_array[0] == 1"],
        &[],
    );
}

#[test]
fn cpp_conditions() {
    check(
        "library.cpp",
        &["-O0", "-DCONDITIONS"],
        1,
        &[
            "global == 42",
            "int_reference == 42",
            "round.id == 7",
            "base->id == 7",
            "round.radius > 1",
            "reference.id == 8",
            "both.x == 1 && both.z == 3",
            "truth",
            "!truth",
            "plain == shapes::SQUARE",
            "pair.first == 1",
            "fixed._M_elems[1] == 2",
        ],
        &["numbers[0] == 1", "text == \"hello\""],
    );
}

#[test]
fn rust_conditions() {
    check(
        "library.rs",
        &["-Copt-level=0", "-Cdebuginfo=2", "-Cdebug-assertions=on"],
        1,
        &[
            "a == -5",
            "b > 200",
            "point.x == 1",
            "reference.y == 2",
            "*boxed == 11",
            "tuple.0 == 1",
            "yes && size == 99",
            "!yes",
            "array[1] == 2",
            "real > 1.0",
            "e < 0",
            "h == 18446744073709551615u64",
            "letter == 'x'",
            "pair.0 == 3",
            "nested.1[1] == 4",
        ],
        &["vector[0] == 1", "text == \"x\""],
    );
}
