//! Names, types and variables of C++.

mod support;

use support::{Scratch, functions, lines, marked};
use wayfarer_symbols::VariableLocation;
use wayfarer_symbols::types::{Constant, MemberPosition, Type};

const PROGRAM: &str = "shapes.cc";

fn compiled(options: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.source(PROGRAM);
    scratch.source("hidden.cc");
    let files = [PROGRAM, "hidden.cc", "-o", "shapes"];
    scratch.run("g++", &[options, &files].concat());
    scratch
}

#[test]
fn functions_are_found_by_all_their_names() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let scratch = compiled(&["-O0", version]);
        let module = scratch.load("shapes");
        for (name, function, mark) in [
            ("geometry::Circle::area", "geometry::Circle::area", "area"),
            ("Circle::area", "geometry::Circle::area", "area"),
            ("area", "geometry::Circle::area", "area"),
            ("::geometry::Circle::area", "geometry::Circle::area", "area"),
            (
                "geometry::twice<double>",
                "geometry::twice<double>",
                "twice",
            ),
            ("over(int)", "geometry::over", "over int"),
            ("geometry::over(double)", "geometry::over", "over double"),
            (
                "secret",
                "geometry::(anonymous namespace)::secret",
                "secret",
            ),
            (
                "geometry::secret",
                "geometry::(anonymous namespace)::secret",
                "secret",
            ),
        ] {
            let places = module.function_places(name).expect(name);
            assert_eq!(functions(&places), [function], "{name}");
            assert_eq!(lines(&places), [marked(PROGRAM, mark)], "{name}");
        }
        let both = module.function_places("twice").unwrap();
        assert_eq!(both.len(), 2);
        assert_eq!(module.function_places("geometry::over").unwrap().len(), 2);
        assert!(module.function_places("over(char)").is_err());
        assert!(module.function_places("::area").is_err());
        let pattern = module.functions_matching("^geometry::.*ar").unwrap();
        assert!(pattern.iter().any(|f| f.name == "geometry::Circle::area"));
    }
}

#[test]
fn classes_are_read() {
    let scratch = compiled(&["-O0", "-g"]);
    let module = scratch.load("shapes");
    let circle = module.find_types("geometry::Circle").unwrap()[0];
    assert_eq!(module.type_name(Some(circle)), "geometry::Circle");
    let read = module.type_of(circle).unwrap();
    let Type::Aggregate(circle) = &*read else {
        panic!("{read:?}")
    };
    assert!(circle.is_dynamic);
    assert_eq!(circle.bases.len(), 1);
    assert!(
        circle
            .methods
            .iter()
            .any(|m| &*m.name == "area" && m.is_virtual)
    );
    let shape = module.type_of(circle.bases[0].type_id).unwrap();
    let Type::Aggregate(shape) = &*shape else {
        panic!("{shape:?}")
    };
    let limit = shape
        .static_members
        .iter()
        .find(|m| &*m.name == "limit")
        .unwrap();
    assert_eq!(limit.constant, Some(Constant::Integer(12)));
    let both = module
        .type_of(module.find_types("Both").unwrap()[0])
        .unwrap();
    let Type::Aggregate(both) = &*both else {
        panic!("{both:?}")
    };
    assert!(!both.bases[0].is_virtual && both.bases[1].is_virtual);
    assert!(matches!(
        both.bases[1].position,
        MemberPosition::Expression(_)
    ));
    let vector = module.find_types("std::vector<int>").unwrap();
    assert!(vector.is_empty(), "its name has the allocator");
    let vector = module.find_types("std::vector").unwrap();
    assert!(!vector.is_empty());
}

#[test]
fn a_declared_type_is_found_where_it_is_defined() {
    let scratch = compiled(&["-O0", "-g"]);
    let module = scratch.load("shapes");
    // Definitions come first, so the last one found is the declaration.
    let declared = *module.find_types("Hidden").unwrap().last().unwrap();
    let Type::Aggregate(hidden) = &*module.type_of(declared).unwrap() else {
        panic!()
    };
    assert!(!hidden.is_declaration);
    assert_eq!(hidden.members.len(), 2);
    assert_eq!(module.size_of(declared), Some(16));
}

#[test]
fn statics_of_classes_and_namespaces_are_found() {
    let scratch = compiled(&["-O0", "-g"]);
    let module = scratch.load("shapes");
    for name in ["geometry::Shape::count", "Shape::count"] {
        let found = module.find_globals(name).unwrap();
        assert_eq!(found[0].qualified_name, "geometry::Shape::count");
        assert!(matches!(found[0].location, VariableLocation::Expression(_)));
    }
    let limit = &module.find_globals("Shape::limit").unwrap()[0];
    assert_eq!(
        limit.location,
        VariableLocation::Constant(Constant::Integer(12))
    );
    let square = &module.find_enumerators("geometry::Kind::Square").unwrap()[0];
    assert_eq!(square.value, 1);
    let pointer = &module.find_globals("member_pointer").unwrap()[0];
    assert_eq!(module.type_name(pointer.type_id), "int Both::*");
}

#[test]
fn methods_and_lambdas_see_their_variables() {
    let scratch = compiled(&["-O0", "-g"]);
    let module = scratch.load("shapes");
    let area = &module.function_places("area").unwrap()[0];
    let variables = module.variables_at(area.address).unwrap();
    assert_eq!(variables[0].name, "this");
    assert!(variables[0].is_artificial);
    assert_eq!(
        module.type_name(variables[0].type_id),
        "const geometry::Circle * const"
    );
    let print = &module
        .line_places(PROGRAM, marked(PROGRAM, "print"))
        .unwrap()[0];
    let variables = module.variables_at(print.address).unwrap();
    let names: Vec<_> = variables.iter().map(|v| v.name.as_str()).collect();
    for name in ["circle", "text", "numbers", "kind", "both", "add"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let text = variables.iter().find(|v| v.name == "text").unwrap();
    assert_eq!(module.type_name(text.type_id), "const std::string &");
    let lambda = module
        .line_places(PROGRAM, marked(PROGRAM, "lambda"))
        .unwrap();
    assert!(
        functions(&lambda)
            .iter()
            .any(|name| name.ends_with("operator()"))
    );
}
