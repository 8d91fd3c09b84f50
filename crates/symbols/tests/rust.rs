//! Names, types and variables of Rust.

mod support;

use std::sync::Arc;

use support::{Scratch, functions, lines, marked};
use wayfarer_symbols::types::{Aggregate, Type};
use wayfarer_symbols::{Language, Module};

const PROGRAM: &str = "tour.rs";

fn compiled(options: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.source(PROGRAM);
    let rest = ["--edition=2021", "-g", PROGRAM, "-o", "tour"];
    scratch.run("rustc", &[options, &rest].concat());
    scratch
}

fn aggregate(module: &Module, name: &str) -> Aggregate {
    let id = module.find_types(name).unwrap()[0];
    let read: Arc<Type> = module.type_of(id).unwrap();
    match &*read {
        Type::Aggregate(aggregate) => aggregate.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn functions_are_found_by_path_and_by_its_end() {
    for options in [&["-Cdwarf-version=4"][..], &["-Cdwarf-version=5"]] {
        let scratch = compiled(options);
        let module = scratch.load("tour");
        for (name, mark) in [
            ("tour::main", "main"),
            ("tour::inner::Stack::push", "push"),
            ("Stack::push", "push"),
            ("inner::Stack::push", "push"),
            ("Stack::name", "name"),
            ("generic<u64>", "generic"),
        ] {
            let places = module.function_places(name).expect(name);
            assert_eq!(lines(&places), [marked(PROGRAM, mark)], "{name}");
        }
        assert_eq!(module.function_places("tour::generic").unwrap().len(), 2);
        let tiny = module.function_places("tour::tiny").unwrap();
        assert_eq!(functions(&tiny), ["tour::tiny"]);
        assert!(tiny[0].is_inlined);
        let function = module.function_at(tiny[0].address).unwrap().unwrap();
        assert_eq!(function.name, "tour::main");
        assert_eq!(function.language, Language::Rust);
        let error = module.function_places("tour::mian").unwrap_err();
        assert!(error.to_string().contains("tour::main"), "{error}");
    }
}

#[test]
fn enums_have_variants() {
    let scratch = compiled(&[]);
    let module = scratch.load("tour");
    let shape = aggregate(&module, "tour::Shape");
    let part = shape.variant_part.expect("variants");
    let names: Vec<_> = part
        .variants
        .iter()
        .map(|variant| variant.members[0].name.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["Empty", "Circle", "Square"]);
    assert!(part.discriminant.is_some());
    // The niche of a reference tells the variants apart: one has a value, one is the rest.
    let option = aggregate(&module, "core::option::Option<&str>");
    let part = option.variant_part.expect("variants");
    let listed = part.variants.iter().filter(|v| !v.discriminants.is_empty());
    assert_eq!(listed.count(), 1);
    assert_eq!(part.variants.len(), 2);
    let option = aggregate(&module, "Option<u64>");
    assert_eq!(
        option.qualified_name.as_deref(),
        Some("core::option::Option<u64>")
    );
    let values: Vec<_> = option
        .variant_part
        .unwrap()
        .variants
        .iter()
        .map(|variant| variant.discriminants[0].first)
        .collect();
    assert_eq!(values, [0, 1]);
}

#[test]
fn variables_and_statics_have_their_types() {
    let scratch = compiled(&[]);
    let module = scratch.load("tour");
    let print = &module
        .line_places(PROGRAM, marked(PROGRAM, "print"))
        .unwrap()[0];
    let variables = module.variables_at(print.address).unwrap();
    for (name, expected) in [
        ("stack", "tour::inner::Stack"),
        ("length", "usize"),
        ("shapes", "[tour::Shape; 3]"),
        ("maybe", "core::option::Option<&str>"),
        ("pair", "(u8, char)"),
    ] {
        let variable = variables.iter().find(|v| v.name == name).expect(name);
        assert_eq!(module.type_name(variable.type_id), expected);
    }
    for name in ["tour::inner::COUNT", "inner::COUNT", "COUNT"] {
        let found = module.find_globals(name).unwrap();
        assert_eq!(found[0].qualified_name, "tour::inner::COUNT");
    }
    let push = &module.function_places("Stack::push").unwrap()[0];
    let variables = module.variables_at(push.address).unwrap();
    let described: Vec<_> = variables
        .iter()
        .map(|v| (v.name.as_str(), module.type_name(v.type_id)))
        .collect();
    assert_eq!(
        described,
        [
            ("self", "*mut tour::inner::Stack".to_owned()),
            ("item", "u32".to_owned())
        ]
        .map(|(name, type_name)| (name, type_name.replace("*mut ", "&mut ")))
    );
}

#[test]
fn optimised_programs_are_read() {
    let scratch = compiled(&["-O"]);
    let module = scratch.load("tour");
    let places = module.function_places("tour::main").unwrap();
    assert_eq!(functions(&places), ["tour::main"]);
    for place in places {
        assert!(module.variables_at(place.address).is_ok());
    }
}
