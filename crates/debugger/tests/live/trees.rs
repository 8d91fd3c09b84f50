//! Values as trees: of C, C++ and Rust, level by level, and no more of them than is asked for.

use std::sync::{Arc, Mutex};

use wayfarer_debugger::view::{ChildView, NodeView, ValueKind};
use wayfarer_debugger::{Run, ValueHandle};

use crate::Test;
use crate::bench::Bench;

/// The smallest front end, whose lines a test reads.
#[path = "../../examples/tree_as_json.rs"]
mod tree_as_json;

pub const TESTS: &[Test] = &[
    ("trees::a_big_vector_by_range", a_big_vector_by_range),
    ("trees::of_a_c_program", of_a_c_program),
    ("trees::of_a_cpp_program", of_a_cpp_program),
    ("trees::of_a_rust_program", of_a_rust_program),
    ("trees::in_another_front_end", in_another_front_end),
];

/// `name: type kind = summary`, one line for each node, children further in.
fn drawn(bench: &mut Bench, name: &str, node: &NodeView, depth: usize) -> String {
    let mut text = format!(
        "{:indent$}{name}: {} {} = {}\n",
        "",
        node.type_name,
        node.kind.name(),
        node.summary,
        indent = depth * 2
    );
    if depth < 3 && node.kind != ValueKind::String {
        for child in children(bench, &node.handle, 0..10) {
            text += &drawn(bench, &child.name, &child.node, depth + 1);
        }
    }
    text
}

fn children(
    bench: &mut Bench,
    handle: &ValueHandle,
    range: std::ops::Range<u64>,
) -> Vec<ChildView> {
    bench.debugger.children(handle, range).expect("children")
}

fn tree(bench: &mut Bench, expression: &str) -> String {
    let node = bench.at().tree(expression).expect("a value");
    drawn(bench, expression, &node, 0)
}

/// The middle of the elements is taken away: whoever reads it fails.
const BIG: &str = r#"#include <cstdint>
#include <sys/mman.h>
#include <vector>
int stop(std::vector<int> &numbers)
{
  return numbers.back();
}
int main()
{
  std::vector<int> numbers;
  for (int i = 0; i < 4000000; i++)
    numbers.push_back(i);
  uintptr_t first = (uintptr_t)numbers.data();
  uintptr_t from = (first + 4096) & ~(uintptr_t)4095;
  munmap((void *)from, 15u << 20);
  stop(numbers);
  _Exit(stop(numbers) != 3999999);
}
"#;

fn a_big_vector_by_range() {
    let mut bench = Bench::new();
    let source = BIG.replace("#include <vector>", "#include <cstdlib>\n#include <vector>");
    bench.launch("big.cc", &source, &["-O0"]);
    bench.set("stop");
    bench.run();
    let node = bench.at().tree("numbers").expect("a vector");
    assert_eq!(node.children, Some(4_000_000));
    assert_eq!(node.kind, ValueKind::List);
    let last = children(&mut bench, &node.handle, 3_999_998..5_000_000);
    let shown: Vec<String> = last
        .iter()
        .map(|child| format!("{} = {}", child.name, child.node.summary))
        .collect();
    assert_eq!(shown, ["[3999998] = 3999998", "[3999999] = 3999999"]);
    let lost = children(&mut bench, &node.handle, 2_000_000..2_000_001);
    assert_eq!(lost[0].node.kind, ValueKind::Missing, "{lost:?}");
    assert!(children(&mut bench, &node.handle, 9_000_000..9_000_001).is_empty());
    // The same from what `print` and `info args` show.
    let printed = bench.at().print("numbers", None).map(|view| view.handle);
    let printed = printed.expect("a value").expect("a handle");
    assert_eq!(children(&mut bench, &printed, 7..8)[0].node.summary, "7");
    let arguments = bench.at().arguments().expect("arguments");
    let argument = arguments[0].handle.clone().expect("a handle");
    assert_eq!(
        bench.debugger.open(&argument).expect("open").children,
        Some(4_000_000)
    );
    // It is good until the program runs on.
    let stop = bench.run();
    assert_eq!(Bench::place(&stop), "stop:7");
    for handle in [&node.handle, &printed, &argument, &last[0].node.handle] {
        let error = bench.debugger.children(handle, 0..1).expect_err("stale");
        let words = "The program has run on since this value was shown.";
        assert_eq!(error.to_string(), words);
    }
    let again = bench.at().tree("numbers[3]").expect("an element");
    assert_eq!((again.summary.as_str(), again.children), ("3", Some(0)));
}

fn of_a_c_program() {
    let mut bench = Bench::new();
    let source = r#"struct point { int x, y; };
struct shape { struct point corners[2]; const char *name; struct shape *next; union { int i; float f; } u; };
static int look(struct shape *shape)
{
  return shape->corners[1].y;
}
int main(void)
{
  struct shape second = { { { 5, 6 }, { 7, 8 } }, "second", 0, { 0 } };
  struct shape first = { { { 1, 2 }, { 3, 4 } }, "first", &second, { 1 } };
  return look(&first);
}
"#;
    bench.launch("shapes.c", source, &["-O0"]);
    bench.set("look");
    bench.run();
    let drawn = tree(&mut bench, "shape->corners");
    assert_eq!(
        drawn,
        "shape->corners: struct point [2] list = {...}
  [0]: struct point structure = {...}
    x: int scalar = 1
    y: int scalar = 2
  [1]: struct point structure = {...}
    x: int scalar = 3
    y: int scalar = 4
"
    );
    bench.go_to(1);
    let roots = bench.at().variable_trees().expect("variables");
    let names: Vec<&str> = roots.iter().map(|root| root.name.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    let members = children(&mut bench, &roots[1].node.handle, 0..10);
    let kinds: Vec<(&str, ValueKind)> = members
        .iter()
        .map(|member| (member.name.as_str(), member.node.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("corners", ValueKind::List),
            ("name", ValueKind::Pointer),
            ("next", ValueKind::Pointer),
            ("u", ValueKind::Union)
        ]
    );
    let next = children(&mut bench, &members[2].node.handle, 0..1);
    let text = bench.debugger.text(&next[0].node.handle).expect("text");
    assert!(
        text.contains("corners = {{x = 5, y = 6}, {x = 7, y = 8}}"),
        "{text}"
    );
}

fn of_a_cpp_program() {
    let mut bench = Bench::new();
    let source = r#"#include <map>
#include <string>
#include <vector>
struct Base { int id = 9; };
struct Derived : Base { std::vector<int> numbers{1, 2}; };
int main()
{
  Derived derived;
  std::map<std::string, int> ages{{"ada", 36}, {"bob", 7}};
  return derived.id + (int)ages.size();
}
"#;
    bench.launch("classes.cc", source, &["-O0"]);
    bench.set("classes.cc:10");
    bench.run();
    let drawn = tree(&mut bench, "derived");
    assert!(
        drawn.contains("  <Base>: Base structure = {...}\n    id: int scalar = 9\n"),
        "{drawn}"
    );
    assert!(drawn.contains("    [1]: int scalar = 2\n"), "{drawn}");
    let ages = bench.at().tree("ages").expect("a map");
    assert_eq!((ages.kind, ages.children), (ValueKind::Map, Some(2)));
    let entries = children(&mut bench, &ages.handle, 1..2);
    let key = entries[0].key.as_ref().expect("a key");
    assert_eq!(
        (key.summary.as_str(), entries[0].node.summary.as_str()),
        ("\"bob\"", "7")
    );
}

fn of_a_rust_program() {
    let mut bench = Bench::new();
    let source = r#"enum State { Idle, Busy { job: u32 } }
struct Worker { name: String, states: Vec<State>, boss: Option<Box<u8>> }
fn look(worker: &Worker) -> usize {
    worker.states.len() + worker.name.len()
}
fn main() {
    let worker = Worker {
        name: "ada".to_string(),
        states: vec![State::Idle, State::Busy { job: 7 }],
        boss: Some(Box::new(5)),
    };
    println!("{}", look(&worker) + worker.boss.as_ref().map_or(0, |boss| **boss as usize));
}
"#;
    bench.launch("workers.rs", source, &["-C", "opt-level=0"]);
    bench.set("workers.rs:4");
    bench.run();
    let drawn = tree(&mut bench, "*worker");
    assert!(
        drawn.contains("  name: alloc::string::String string = \"ada\"\n"),
        "{drawn}"
    );
    assert!(drawn.contains("      job: u32 scalar = 7\n"), "{drawn}");
    assert!(
        drawn.contains("  boss: core::option::Option<alloc::boxed::Box<u8"),
        "{drawn}"
    );
    let stop = bench.go(Run::Finish);
    assert!(
        Bench::place(&stop).contains("main"),
        "{}",
        Bench::place(&stop)
    );
}

fn in_another_front_end() {
    let mut bench = Bench::new();
    let source = r#"struct node { int value; struct node *next; };
static int sum(struct node *list)
{
  return list ? list->value + sum(list->next) : 0;
}
int main(void)
{
  struct node last = { 2, 0 }, first = { 1, &last };
  return sum(&first) - 3;
}
"#;
    let program = bench.build("list.c", source, &["-O0"]);
    let what = wayfarer_debugger::Launch {
        argv: vec![program.into_os_string()],
        ..Default::default()
    };
    let written: Arc<Mutex<Vec<u8>>> = Arc::default();
    let lines: tree_as_json::Lines = written.clone();
    tree_as_json::session(&mut bench.debugger, what, "sum", "*list", &lines).expect("a session");
    let text = String::from_utf8(written.lock().expect("written").clone()).expect("text");
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let objects: Vec<serde_json::Value> = text.lines().map(read).collect();
    let stops: Vec<&serde_json::Value> = objects
        .iter()
        .filter(|object| object["event"] == "stopped")
        .collect();
    assert_eq!(stops.len(), 2, "{text}");
    assert_eq!(stops[1]["frame"]["function"], "sum");
    let tree = &objects.last().expect("a tree")["value"];
    assert_eq!(tree["kind"], "structure");
    assert_eq!(tree["children"][0]["value"]["short"], "1");
    let next = &tree["children"][1]["value"]["children"][0]["value"];
    assert_eq!(next["type"], "struct node");
    assert_eq!(next["children"][0]["value"]["short"], "2");
    // The bench listened, too, and heard of the same stops.
    let heard = bench.events.lock().expect("events");
    let heard = heard
        .iter()
        .filter(|event| matches!(event, wayfarer_debugger::Event::Stopped(_)));
    assert_eq!(heard.count(), 2);
}
