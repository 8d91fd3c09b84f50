//! Asks a module what a debugger would ask, and says how long the answer took:
//! `cargo run --release -p wayfarer-symbols --example query -- FILE break NAME`.
//!
//! Questions: `break NAME`, `line FILE:LINE`, `at ADDRESS`, `locals ADDRESS`, `type NAME`,
//! `global NAME`, `regex PATTERN`, `complete PREFIX`, `symbol ADDRESS`, `info`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use wayfarer_symbols::{LoadOptions, Module, ModuleAddress, SymbolsError};

fn address(text: &str) -> ModuleAddress {
    let digits = text.trim_start_matches("0x");
    ModuleAddress(u64::from_str_radix(digits, 16).unwrap_or(0))
}

fn answer(module: &Module, question: &str, operand: &str) -> Result<(), SymbolsError> {
    match question {
        "break" => {
            for place in module.function_places(operand)? {
                show_place(&place);
            }
        }
        "line" => {
            let (file, line) = operand.rsplit_once(':').unwrap_or((operand, "1"));
            for place in module.line_places(file, line.parse().unwrap_or(1))? {
                show_place(&place);
            }
        }
        "at" => {
            let address = address(operand);
            for scope in module.scopes_at(address)? {
                println!("{:?} {:?} {:x?}", scope.kind, scope.die, scope.ranges);
            }
            if let Some(function) = module.function_at(address)? {
                println!("{} {:?}", function.name, function.linkage_name);
            }
            println!("{:?}", module.line_at(address)?);
            println!("{:?}", module.step_range(address)?);
        }
        "locals" => {
            for variable in module.variables_at(address(operand))? {
                println!(
                    "{:?} {} {}: {} {:x?}",
                    variable.kind,
                    variable.depth,
                    variable.name,
                    module.type_name(variable.type_id),
                    variable.location
                );
            }
        }
        "type" => {
            for id in module.find_types(operand)?.into_iter().take(3) {
                println!("{:?} {}", id, module.type_name(Some(id)));
                println!("{:#?}", module.type_of(id)?);
            }
        }
        "global" => {
            for variable in module.find_globals(operand)? {
                let name = module.type_name(variable.type_id);
                println!(
                    "{}: {name} {:x?}",
                    variable.qualified_name, variable.location
                );
            }
        }
        "regex" => {
            for function in module.functions_matching(operand)? {
                println!("{:?} {}", function.entry, function.name);
            }
        }
        "complete" => println!("{:#?}", module.complete_function(operand, 50)),
        "symbol" => println!("{:?}", module.symbolic_address(address(operand))),
        _ => {
            println!("units {}", module.unit_count());
            println!("debug file {:?}", module.debug_file());
            println!("segments {:x?}", module.segments());
        }
    }
    Ok(())
}

fn show_place(place: &wayfarer_symbols::CodePlace) {
    let position = place.position.as_ref();
    println!(
        "{} {} {}:{}{}",
        place.address,
        place.function.as_deref().unwrap_or("?"),
        position.map_or("?", |position| &position.file.name),
        position.map_or(0, |position| position.line),
        if place.is_inlined { " (inlined)" } else { "" }
    );
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, question, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: query FILE QUESTION [OPERAND]");
        return ExitCode::from(2);
    };
    let operand = rest.first().map_or("", String::as_str);
    let start = Instant::now();
    let result = Module::load(Path::new(file), &LoadOptions::default())
        .and_then(|module| answer(&module, question, operand));
    eprintln!("{:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
