//! Values of C, C++ and Rust programs, calls, memory, code.

use wayfarer_debugger::{DisassembleSpec, ExamineSpec, ListSpec, Run};

use crate::Test;
use crate::bench::Bench;

pub const TESTS: &[Test] = &[
    ("values::c_values_and_types", c_values_and_types),
    ("values::calls", calls),
    ("values::code_and_memory", code_and_memory),
    ("values::cpp_values", cpp_values),
    ("values::rust_values", rust_values),
];

const POINTS: &str = r#"#include <math.h>
#include <string.h>
struct point { int x, y; double weight; };
struct point origin = { 1, -2, 0.5 };
const char *title = "hello";
static int numbers[4] = { 1, 2, 3, 4 };
int scale(struct point *p, int by)
{
  p->x *= by;
  return p->x + p->y;
}
double half(double x)
{
  return x / 2;
}
int length(const char *text)
{
  return (int)strlen(text);
}
int main(void)
{
  struct point local = origin;
  int result = scale(&local, 3);
  return result + length(title) + (int)half(numbers[1]);
}
"#;

fn stopped(bench: &mut Bench) {
    bench.launch("points.c", POINTS, &["-O0"]);
    bench.set("points.c:9");
    bench.run();
}

fn c_values_and_types() {
    let mut bench = Bench::new();
    stopped(&mut bench);
    assert_eq!(bench.print("*p"), "{x = 1, y = -2, weight = 0.5}");
    assert_eq!(bench.print("by * 2 + p->y"), "4");
    assert_eq!(bench.print("numbers"), "{1, 2, 3, 4}");
    assert!(
        bench.print("title").ends_with("\"hello\""),
        "{}",
        bench.print("title")
    );
    assert_eq!(bench.at().print("by", Some("x")).expect("hex").text, "0x3");
    bench.at().set_variable("p->x = 10").expect("set");
    assert_eq!(bench.print("p->x"), "10");
    bench.at().set_variable("$k = 5").expect("set");
    assert_eq!(bench.print("$k + by"), "8");
    assert_eq!(bench.at().whatis("p").expect("a type"), "struct point *");
    assert!(bench.at().is_true("by == 3").expect("a truth"));
    let display = bench.at().add_display("p->y", None).expect("a display");
    assert_eq!(display.value.as_deref(), Some("-2"));
}

fn calls() {
    let mut bench = Bench::new();
    stopped(&mut bench);
    assert_eq!(bench.print("half(9)"), "4.5");
    let inside = bench.print("scale(p, 2)");
    assert!(inside.contains("stopped while in a function"), "{inside}");
    bench.debugger.delete_breakpoint(1).expect("deleted");
    let back = bench.at().execute(Run::Return(None), None);
    assert_eq!(back.expect("the call is given up").len(), 1);
    assert_eq!(bench.print("scale(p, 2)"), "0");
    assert_eq!(bench.print("p->x"), "2");
    assert_eq!(bench.print("length(title)"), "5");
    assert_eq!(bench.print("length(\"four\")"), "4");
}

fn code_and_memory() {
    let mut bench = Bench::new();
    stopped(&mut bench);
    let code = bench
        .at()
        .disassemble(DisassembleSpec::default())
        .expect("code");
    assert_eq!(code.function.as_deref(), Some("scale"));
    assert!(
        code.instructions
            .iter()
            .any(|instruction| instruction.current)
    );
    assert!(
        code.instructions
            .iter()
            .any(|instruction| instruction.text.starts_with("ret"))
    );
    let spec = ExamineSpec {
        count: Some(4),
        format: Some('d'),
        unit: Some('w'),
        expression: "numbers".to_owned(),
    };
    let lines = bench.at().examine(spec).expect("memory");
    assert_eq!(lines[0].values, ["1", "2", "3", "4"]);
    let listed = bench
        .at()
        .list(ListSpec::Around("scale".parse().expect("a location")))
        .expect("source");
    assert!(listed.lines.iter().any(|line| line.text == "  p->x *= by;"));
    let line = bench
        .at()
        .info_line(&"points.c:9".parse().expect("a location"))
        .expect("a line");
    assert!(line[0].start < line[0].end);
    let registers = bench.at().registers(&[]).expect("registers");
    assert!(
        registers
            .iter()
            .any(|register| register.name == "rip" && register.natural.contains("scale"))
    );
    assert!(!bench.at().shared_libraries().expect("libraries").is_empty());
}

fn cpp_values() {
    let mut bench = Bench::new();
    let source = r#"#include <map>
#include <string>
#include <vector>
struct Shape {
  int sides;
  int count() const
  {
    return sides;
  }
};
int main()
{
  std::vector<int> numbers{1, 2, 3};
  std::string name = "wayfarer";
  std::map<std::string, int> ages{{"ada", 36}};
  Shape square{4};
  return square.count() + (int)numbers.size() + (int)name.size() + (int)ages.size();
}
"#;
    bench.launch("shapes.cc", source, &["-O0"]);
    bench.set("Shape::count");
    let stop = bench.run();
    assert!(
        Bench::place(&stop).starts_with("Shape::count"),
        "{}",
        Bench::place(&stop)
    );
    assert_eq!(bench.print("sides"), "4");
    bench.go_to(1);
    assert!(
        bench.print("numbers").contains("{1, 2, 3}"),
        "{}",
        bench.print("numbers")
    );
    assert_eq!(bench.print("name"), "\"wayfarer\"");
    assert!(
        bench.print("ages").contains("36"),
        "{}",
        bench.print("ages")
    );
}

fn rust_values() {
    let mut bench = Bench::new();
    let source = r#"enum State { Idle, Busy { job: u32 } }
fn look(state: &State, names: &[String]) -> usize {
    let first = names.first().cloned();
    let count = names.len();
    match state {
        State::Idle => count,
        State::Busy { job } => count + *job as usize + first.map_or(0, |name| name.len()),
    }
}
fn main() {
    let names = vec!["ada".to_string(), "grace".to_string()];
    let busy = State::Busy { job: 7 };
    println!("{}", look(&busy, &names) + look(&State::Idle, &names));
}
"#;
    bench.launch("states.rs", source, &["-C", "opt-level=0"]);
    bench.set("states.rs:5");
    let stop = bench.run();
    assert!(
        Bench::place(&stop).ends_with("look:5"),
        "{}",
        Bench::place(&stop)
    );
    assert_eq!(bench.print("count"), "2");
    assert!(
        bench.print("*state").contains("Busy"),
        "{}",
        bench.print("*state")
    );
    assert!(
        bench.print("first").contains("ada"),
        "{}",
        bench.print("first")
    );
    bench.go_to(1);
    assert!(
        bench.print("names").contains("grace"),
        "{}",
        bench.print("names")
    );
}
