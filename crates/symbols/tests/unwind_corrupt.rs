//! A damaged stack, damaged registers: the walk ends, says why, and never panics.

mod unwind_support;

use std::cell::RefCell;

use unwind_support::core_file::CoreFile;
use unwind_support::{gdb, program};
use wayfarer_symbols::LoadOptions;
use wayfarer_symbols::frames::{Backtrace, BacktraceOptions, Viewpoint};
use wayfarer_symbols::location::{Memory, Unreadable};
use wayfarer_symbols::registers::{Register, Registers};
use wayfarer_symbols::unwind::{AddressSpace, EndOfStack, LoadedModule, MOST_ACTIVATIONS};

/// A small generator, so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A core file in whose stack some words are wrong.
struct Damaged<'a> {
    core: &'a CoreFile,
    words: Vec<(u64, u64)>,
    reads: RefCell<usize>,
}

impl Memory for Damaged<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        *self.reads.borrow_mut() += 1;
        self.core.memory().read(address, buffer)?;
        for (index, byte) in buffer.iter_mut().enumerate() {
            let at = address + index as u64;
            let word = self.words.iter().find(|(start, _)| *start == at & !7);
            if let Some((_, value)) = word {
                *byte = value.to_le_bytes()[(at & 7) as usize];
            }
        }
        Ok(())
    }
}

impl AddressSpace for Damaged<'_> {
    fn memory(&self) -> &dyn Memory {
        self
    }

    fn module_at(&self, address: u64) -> Option<LoadedModule> {
        self.core.module_at(address)
    }

    fn modules(&self) -> Vec<LoadedModule> {
        self.core.modules()
    }
}

fn core_of(source: &str) -> (CoreFile, Registers) {
    let directory = std::env::temp_dir().join(format!(
        "wayfarer-corrupt-{}-{}",
        source.replace('.', "-"),
        std::process::id()
    ));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let binary = program::build(&directory, &[source], &["-O2", "-fno-stack-protector"]);
    gdb::stop_and_dump(&directory, &binary, &["break stop_here", "run"]);
    let options = LoadOptions {
        cache_directory: None,
        ..LoadOptions::default()
    };
    let core = CoreFile::load(&directory.join("core"), &options);
    std::fs::remove_dir_all(&directory).expect("the directory was ours");
    let registers = core.threads[0].1.clone();
    (core, registers)
}

#[test]
fn an_overwritten_return_address_ends_the_walk_with_a_reason() {
    let (core, registers) = core_of("smashed.c");
    let backtrace = Backtrace::walk(&core, &registers, &BacktraceOptions::default());
    assert!(backtrace.frames.len() >= 2, "stop_here and smash are there");
    assert_eq!(backtrace.frames[1].function.as_deref(), Some("smash"));
    assert_ne!(backtrace.end, EndOfStack::Outermost);
    let message = backtrace.message().expect("a damaged stack has a message");
    assert!(message.starts_with("Backtrace stopped: "), "{message}");
}

#[test]
fn random_damage_neither_panics_nor_loops() {
    let (core, registers) = core_of("recursion.c");
    let stack = registers.sp().expect("a stack pointer") & !7;
    let code = registers.pc().expect("a program counter");
    let mut numbers = Numbers(0x5eed_1234_5678_9abc);
    for _ in 0..300 {
        let words = (0..8)
            .map(|_| {
                let at = stack + (numbers.next() % 128) * 8;
                let value = match numbers.next() % 5 {
                    0 => numbers.next(),
                    1 => 0,
                    2 => stack + numbers.next() % 1024,
                    3 => code + numbers.next() % 512,
                    _ => u64::MAX - numbers.next() % 16,
                };
                (at, value)
            })
            .collect();
        let damaged = Damaged {
            core: &core,
            words,
            reads: RefCell::new(0),
        };
        let mut start = registers.clone();
        if numbers.next().is_multiple_of(3) {
            start.set(Register::RBP, numbers.next());
        }
        if numbers.next().is_multiple_of(7) {
            start.set(Register::RIP, numbers.next() % (1 << 48));
        }
        let backtrace = Backtrace::walk(&damaged, &start, &BacktraceOptions::default());
        assert!(!backtrace.frames.is_empty());
        assert!(backtrace.stack.activations.len() < MOST_ACTIVATIONS);
        look_at_everything(&damaged, &backtrace);
    }
}

fn look_at_everything(space: &dyn AddressSpace, backtrace: &Backtrace) {
    for frame in &backtrace.frames {
        let (Some(loaded), Some(scope)) = (&frame.module, frame.scope) else {
            continue;
        };
        let Some(viewpoint) = Viewpoint::frame(space, &backtrace.stack, frame.activation) else {
            continue;
        };
        let variables = loaded.module.variables_in(scope, frame.lookup_address);
        for variable in variables.unwrap_or_default() {
            let place = viewpoint.place_of(&variable);
            let _ = viewpoint.fetch(&place, 8);
        }
    }
}
