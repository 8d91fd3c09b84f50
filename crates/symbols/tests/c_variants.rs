//! A C program in every form of debug information that compilers and tools make of it.

mod support;

use support::{Scratch, functions, lines, marked};
use wayfarer_symbols::types::{Dimension, Type};
use wayfarer_symbols::{Module, ScopeKind, SymbolsError, VariableKind, VariableLocation};

const PROGRAM: &str = "list.c";

/// What must hold for the program without optimisation, however its debug information is stored.
fn check_plain(module: &Module) {
    assert!(module.has_debug_information());
    for name in ["push", "visit", "main"] {
        let places = module.function_places(name).expect(name);
        assert_eq!(functions(&places), [name]);
        assert_eq!(lines(&places), [marked(PROGRAM, name)], "{name}");
        let function = module.function_at(places[0].address).unwrap().unwrap();
        assert_eq!(function.name, name);
        assert!(function.entry.unwrap() < places[0].address);
    }
    check_inlined(module);
    check_lines(module);
    check_variables(module);
    check_types(module);
    check_globals(module);
}

fn check_inlined(module: &Module) {
    let places = module.function_places("square").unwrap();
    assert_eq!(functions(&places), ["square"]);
    assert!(places[0].is_inlined);
    let scopes = module.scopes_at(places[0].address).unwrap();
    let kinds: Vec<ScopeKind> = scopes.iter().map(|scope| scope.kind).collect();
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind != ScopeKind::Block)
            .collect::<Vec<_>>(),
        [&ScopeKind::Function, &ScopeKind::Inlined]
    );
    let inlined = scopes
        .iter()
        .find(|scope| scope.kind == ScopeKind::Inlined)
        .unwrap();
    let call = inlined.call.as_ref().unwrap();
    assert_eq!(call.line, marked(PROGRAM, "inner"));
    assert_eq!(module.function(inlined.die).unwrap().name, "square");
    let area = &module
        .line_places(PROGRAM, marked(PROGRAM, "square"))
        .unwrap()[0];
    let names: Vec<String> = module
        .variables_at(area.address)
        .unwrap()
        .into_iter()
        .map(|variable| variable.name)
        .collect();
    assert_eq!(names, ["area", "side"]);
}

fn check_lines(module: &Module) {
    let call = marked(PROGRAM, "call");
    let places = module.line_places(PROGRAM, call).unwrap();
    assert_eq!(lines(&places), [call]);
    assert_eq!(functions(&places), ["each"]);
    let row = module.line_at(places[0].address).unwrap().unwrap();
    assert_eq!(row.position.line, call);
    assert!(row.position.file.path.ends_with(PROGRAM));
    let range = module.step_range(places[0].address).unwrap().unwrap().range;
    assert!(range.contains(places[0].address));
    assert!(range.length() >= row.range.length());
    // A comment stands for the next line with code: the start of main, after its prologue.
    let comment = module
        .line_places(PROGRAM, marked(PROGRAM, "comment"))
        .unwrap();
    assert_eq!(functions(&comment), ["main"]);
    assert_eq!(lines(&comment), [marked(PROGRAM, "main")]);
    assert!(matches!(
        module.line_places(PROGRAM, 10_000),
        Err(SymbolsError::NoCodeAtLine { .. })
    ));
    assert!(matches!(
        module.line_places("nowhere.c", 1),
        Err(SymbolsError::UnknownFile { .. })
    ));
    assert_eq!(module.find_source_files(PROGRAM).unwrap().len(), 1);
}

fn check_variables(module: &Module) {
    let place = &module
        .line_places(PROGRAM, marked(PROGRAM, "inner"))
        .unwrap()[0];
    let outer = module.scopes_at(place.address).unwrap()[0].die;
    let variables = module.variables_in(outer, place.address).unwrap();
    let described: Vec<(&str, VariableKind, String)> = variables
        .iter()
        .map(|v| (v.name.as_str(), v.kind, module.type_name(v.type_id)))
        .collect();
    assert_eq!(
        described,
        [
            ("inner", VariableKind::Local, "int".to_owned()),
            ("sum", VariableKind::Local, "int *".to_owned()),
            ("node", VariableKind::Parameter, "struct node *".to_owned()),
            ("context", VariableKind::Parameter, "void *".to_owned()),
        ]
    );
    assert!(variables[0].depth > variables[1].depth);
    for variable in &variables {
        assert!(matches!(variable.location, VariableLocation::Expression(_)));
        assert!(variable.declared.is_some());
    }
}

fn check_types(module: &Module) {
    let node = module.find_types("struct node").unwrap()[0];
    let read = module.type_of(node).unwrap();
    let Type::Aggregate(node) = &*read else {
        panic!("{read:?}")
    };
    let names: Vec<_> = node
        .members
        .iter()
        .map(|m| m.name.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["at", "value", "color", "next", "rest"]);
    let rest = module.type_of(node.members[4].type_id.unwrap()).unwrap();
    let Type::Array(rest) = &*rest else {
        panic!("{rest:?}")
    };
    assert_eq!(rest.dimensions, [Dimension::Unknown]);
    let point = module
        .type_of(module.find_types("point").unwrap()[0])
        .unwrap();
    let Type::Aggregate(point) = &*point else {
        panic!("{point:?}")
    };
    assert_eq!(point.size, 16);
    let fields: Vec<_> = point.members.iter().filter_map(|m| m.bit_field).collect();
    let bits: Vec<_> = fields.iter().map(|f| (f.bit_offset, f.bit_size)).collect();
    assert_eq!(bits, [(32, 3), (35, 7)]);
    let visitor = module.find_types("visitor").unwrap()[0];
    assert_eq!(module.type_name(Some(visitor)), "visitor");
    let pointer = module.strip(visitor).unwrap();
    assert_eq!(
        module.type_name(Some(pointer)),
        "int (*)(struct node *, void *)"
    );
    assert_eq!(module.size_of(visitor), Some(8));
    let blue = &module.find_enumerators("BLUE").unwrap()[0];
    assert_eq!(blue.value, -1);
    assert_eq!(module.type_name(Some(blue.type_id)), "enum color");
}

fn check_globals(module: &Module) {
    let count = &module.find_globals("total_count").unwrap()[0];
    assert_eq!(module.type_name(count.type_id), "int");
    assert!(matches!(count.location, VariableLocation::Expression(_)));
    let banner = &module.find_globals("banner").unwrap()[0];
    assert_eq!(module.type_name(banner.type_id), "const char * const");
    for name in ["calls", "push::calls"] {
        assert_eq!(module.find_globals(name).unwrap().len(), 1, "{name}");
    }
    assert!(module.find_globals("visit::calls").unwrap().is_empty());
}

fn compiled(options: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.source(PROGRAM);
    scratch.run("gcc", &[options, &[PROGRAM, "-o", "list"]].concat());
    scratch
}

#[test]
fn every_version_of_dwarf_is_read() {
    for version in ["-gdwarf-5", "-gdwarf-4", "-gdwarf-3", "-gdwarf-2"] {
        for layout in ["-pie", "-no-pie"] {
            let scratch = compiled(&["-O0", version, layout]);
            let module = scratch.load("list");
            assert_eq!(module.is_position_independent(), layout == "-pie");
            check_plain(&module);
        }
    }
}

#[test]
fn other_ways_to_store_it_are_read() {
    for options in [
        &["-O0", "-g", "-gz=zlib"][..],
        &["-O0", "-g", "-gz=zlib-gnu"],
        &["-O0", "-gdwarf-4", "-fdebug-types-section"],
        &["-O0", "-gdwarf-5", "-fdebug-types-section"],
        &["-O0", "-gdwarf-4", "-gsplit-dwarf"],
        &["-O0", "-gdwarf-5", "-gsplit-dwarf"],
    ] {
        let scratch = compiled(options);
        check_plain(&scratch.load("list"));
    }
}

#[test]
fn a_package_of_split_files_is_read() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let scratch = compiled(&["-O0", version, "-gsplit-dwarf"]);
        // Older versions of the tool do not know version 5: then the .dwo stays in use.
        if scratch.try_run("dwp", &["-e", "list", "-o", "list.dwp"]) {
            let files = std::fs::read_dir(&scratch.path).unwrap();
            for file in files.flatten() {
                if file
                    .path()
                    .extension()
                    .is_some_and(|extension| extension == "dwo")
                {
                    std::fs::remove_file(file.path()).unwrap();
                }
            }
        }
        check_plain(&scratch.load("list"));
    }
}

#[test]
fn sections_compressed_with_zstd_are_read() {
    let scratch = compiled(&["-O0", "-g"]);
    scratch.run(
        "objcopy",
        &["--compress-debug-sections=zstd", "list", "packed"],
    );
    check_plain(&scratch.load("packed"));
}

#[test]
fn separate_debug_files_are_found() {
    let scratch = compiled(&["-O0", "-g"]);
    scratch.run("objcopy", &["--only-keep-debug", "list", "list.debug"]);
    scratch.run("strip", &["-o", "bare", "list"]);
    let bare = scratch.load("bare");
    assert!(!bare.has_debug_information());
    assert!(matches!(
        bare.line_places(PROGRAM, 1),
        Err(SymbolsError::NoDebugInformation { .. })
    ));
    scratch.run(
        "objcopy",
        &["--add-gnu-debuglink=list.debug", "bare", "linked"],
    );
    let linked = scratch.load("linked");
    assert!(linked.debug_file().unwrap().ends_with("list.debug"));
    check_plain(&linked);
    // Another file under the linked name is not taken, and neither is a missing one.
    let id = bare.build_id().expect("a build id").to_vec();
    let text: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let directory = scratch.path.join("debug/.build-id").join(&text[..2]);
    std::fs::create_dir_all(&directory).unwrap();
    let by_id = directory.join(format!("{}.debug", &text[2..]));
    std::fs::rename(scratch.path.join("list.debug"), &by_id).unwrap();
    let found = scratch.load("bare");
    assert_eq!(found.debug_file(), Some(by_id.as_path()));
    check_plain(&found);
    std::fs::write(&by_id, b"not an ELF file").unwrap();
    assert!(!scratch.load("bare").has_debug_information());
}

#[test]
fn parts_shared_by_dwz_are_read() {
    let scratch = compiled(&["-O0", "-gdwarf-4"]);
    std::fs::copy(scratch.path.join("list"), scratch.path.join("twin")).unwrap();
    scratch.run("dwz", &["-m", "common.debug", "list", "twin"]);
    check_plain(&scratch.load("list"));
    check_plain(&scratch.load("twin"));
}

#[test]
fn optimised_code_stops_where_gdb_stops() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let scratch = compiled(&["-O2", version]);
        let module = scratch.load("list");
        // gcc describes optimised variables everywhere: the breakpoint is at the very entry.
        let push = module.find_functions("push").unwrap();
        let entry = push.iter().find_map(|function| function.entry).unwrap();
        let places = module.function_places("push").unwrap();
        assert!(places.iter().any(|place| place.address == entry));
        assert!(places.iter().any(|place| place.is_inlined), "{places:?}");
        let visit = module.function_places("visit").unwrap();
        let names: Vec<String> = module
            .variables_at(visit[0].address)
            .unwrap()
            .into_iter()
            .map(|variable| variable.name)
            .collect();
        assert!(names.contains(&"node".to_owned()), "{names:?}");
        assert!(names.contains(&"sum".to_owned()), "{names:?}");
    }
}

#[test]
fn symbols_serve_without_debug_information() {
    let scratch = compiled(&["-O0"]);
    let module = scratch.load("list");
    assert!(!module.has_debug_information());
    let places = module.function_places("push").unwrap();
    assert_eq!(functions(&places), ["push"]);
    let symbol = module.symbols_named("push")[0];
    assert!(places[0].address > symbol.address);
    assert_eq!(
        module.symbolic_address(symbol.address.plus(4)),
        Some("push+4".to_owned())
    );
    let stub = module.symbols_named("printf");
    assert_eq!(stub.len(), 1, "the stub of a library's function");
    let error = module.function_places("psuh").unwrap_err();
    assert!(error.to_string().contains("push"), "{error}");
}
