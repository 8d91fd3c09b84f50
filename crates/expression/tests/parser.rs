//! The parser: a table of texts and trees, what is refused, and random round trips.

use wayfarer_expression::{BinaryOperator, History, Language, Node, TypeSyntax, parse, parse_with};

/// The tree with every pair of parentheses that it could have.
fn show(node: &Node) -> String {
    match node {
        Node::Integer { value, .. } => value.to_string(),
        Node::Float { value, bytes } => format!("{value}/{bytes}"),
        Node::Character { value, bytes } => format!("char{value}/{bytes}"),
        Node::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Node::Boolean(truth) => truth.to_string(),
        Node::Name(name) => name.clone(),
        Node::Scoped(scope, inner) => format!("'{scope}'::{}", show(inner)),
        Node::Dollar(name) => format!("${name}"),
        Node::History(History::Absolute(number)) => format!("$#{number}"),
        Node::History(History::Last(number)) => format!("$-{number}"),
        Node::Unary(operator, operand) => {
            format!("({}{})", operator.symbol(), show(operand))
        }
        Node::Binary(operator, left, right) => {
            format!("({} {} {})", show(left), operator.symbol(), show(right))
        }
        Node::Assign(operator, target, source) => {
            let sign = operator.map(BinaryOperator::symbol).unwrap_or_default();
            format!("({} {sign}= {})", show(target), show(source))
        }
        Node::Postfix(operator, operand) => {
            format!(
                "({}{}{})",
                show(operand),
                operator.symbol(),
                operator.symbol()
            )
        }
        Node::Conditional(condition, chosen, other) => {
            format!("({} ? {} : {})", show(condition), show(chosen), show(other))
        }
        Node::Cast(target, operand) => format!("(<{}>{})", show_type(target), show(operand)),
        Node::Field(base, name) => format!("{}.{name}", show(base)),
        Node::Arrow(base, name) => format!("{}->{name}", show(base)),
        Node::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        Node::Slice {
            base,
            from,
            to,
            inclusive,
        } => {
            let bound = |bound: &Option<Box<Node>>| bound.as_deref().map(show).unwrap_or_default();
            let sign = if *inclusive { "..=" } else { ".." };
            format!("{}[{}{sign}{}]", show(base), bound(from), bound(to))
        }
        Node::Repeat(base, count) => format!("({} @ {})", show(base), show(count)),
        Node::Call(function, arguments) => {
            let list: Vec<String> = arguments.iter().map(show).collect();
            format!("{}({})", show(function), list.join(", "))
        }
        Node::Array(elements) => {
            let list: Vec<String> = elements.iter().map(show).collect();
            format!("[{}]", list.join(", "))
        }
        Node::ArrayOf(value, count) => format!("[{}; {}]", show(value), show(count)),
        Node::Structure(literal) => {
            let fields = literal.fields.iter();
            let mut list: Vec<String> = fields
                .map(|(name, value)| format!("{name}: {}", show(value)))
                .collect();
            list.extend(
                literal
                    .base
                    .as_ref()
                    .map(|base| format!("..{}", show(base))),
            );
            format!("{} {{ {} }}", literal.name, list.join(", "))
        }
        Node::SizeOf(operand) => format!("sizeof({})", show(operand)),
        Node::AlignOf(operand) => format!("alignof({})", show(operand)),
        Node::Type(syntax) => format!("<{}>", show_type(syntax)),
        Node::At(syntax, address) => format!("{{{}}}{}", show_type(syntax), show(address)),
    }
}

fn show_type(syntax: &TypeSyntax) -> String {
    match syntax {
        TypeSyntax::Named {
            keyword: Some(keyword),
            name,
        } => format!("{keyword} {name}"),
        TypeSyntax::Named { name, .. } => name.clone(),
        TypeSyntax::Pointer(target) => format!("*{}", show_type(target)),
        TypeSyntax::Reference(target) => format!("&{}", show_type(target)),
        TypeSyntax::RvalueReference(target) => format!("&&{}", show_type(target)),
        TypeSyntax::Array(element, count) => {
            let count = count.map(|count| count.to_string()).unwrap_or_default();
            format!("[{count}]{}", show_type(element))
        }
        TypeSyntax::Slice(element) => format!("[]{}", show_type(element)),
        TypeSyntax::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(show_type).collect();
            format!("({})", parts.join(","))
        }
        TypeSyntax::Function(result, parameters) => {
            let list: Vec<String> = parameters.iter().map(show_type).collect();
            format!("fn({}):{}", list.join(","), show_type(result))
        }
        TypeSyntax::Const(target) => format!("const {}", show_type(target)),
        TypeSyntax::Volatile(target) => format!("volatile {}", show_type(target)),
        TypeSyntax::TypeOf(node) => format!("typeof({})", show(node)),
    }
}

fn tree(text: &str, language: Language) -> String {
    let known = |name: &str| matches!(name, "point_t" | "size_t" | "std::vector<int>");
    match parse_with(text, language, &known) {
        Ok(expression) => show(&expression.root),
        Err(error) => format!("error at {}: {}", error.position, error.message),
    }
}

#[test]
fn c_trees() {
    let table = [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("(1 + 2) * 3", "((1 + 2) * 3)"),
        ("a - b - c", "((a - b) - c)"),
        ("a = b = c", "(a = (b = c))"),
        ("a += b << 2", "(a += (b << 2))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        (
            "a || b && c | d ^ e & f == g < h << i + j * k",
            "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))",
        ),
        ("*p->next[2].x", "(*p->next[2].x)"),
        ("&a[1]", "(&a[1])"),
        ("-x++", "(-(x++))"),
        ("*argv@argc", "((*argv) @ argc)"),
        ("arr[0]@4", "(arr[0] @ 4)"),
        ("a@2+3", "(a @ (2 + 3))"),
        ("p@n << 1", "((p @ n) << 1)"),
        ("(int)x", "(<int>x)"),
        ("(unsigned long int)x", "(<unsigned long>x)"),
        ("(struct point *)p", "(<*struct point>p)"),
        ("(point_t)x", "(<point_t>x)"),
        ("(point_t) - x * 2", "((<point_t>(-x)) * 2)"),
        ("(x) - y", "(x - y)"),
        ("(x)(y)", "x(y)"),
        ("(size_t)&x", "(<size_t>(&x))"),
        ("(char *)p + 1", "((<*char>p) + 1)"),
        ("(int (*)(int, char *))p", "(<*fn(int,*char):int>p)"),
        ("(int (*)[3])p", "(<*[3]int>p)"),
        ("(char *[4])p", "(<[4]*char>p)"),
        ("(const char *const)p", "(<const *const char>p)"),
        ("sizeof(int)", "sizeof(<int>)"),
        ("sizeof(struct s)", "sizeof(<struct s>)"),
        ("sizeof x", "sizeof(x)"),
        ("sizeof(x) + 1", "(sizeof(x) + 1)"),
        ("sizeof(point_t)", "sizeof(<point_t>)"),
        ("int", "<int>"),
        ("struct point", "<struct point>"),
        ("unsigned", "<unsigned int>"),
        ("point *", "<*point>"),
        ("f(1, \"s\", a + b)", "f(1, \"s\", (a + b))"),
        ("f()", "f()"),
        ("$1 + $ + $$ + $$3", "((($#1 + $-0) + $-1) + $-3)"),
        ("$rip + $x", "($rip + $x)"),
        ("'file.c'::var", "'file.c'::var"),
        (
            "'a' + '\\n' + '\\x41' + '\\101'",
            "(((char97/1 + char10/1) + char65/1) + char65/1)",
        ),
        (
            "0x10 + 010 + 0b11 + 10u + 10UL",
            "((((16 + 8) + 3) + 10) + 10)",
        ),
        (
            "1.5 + 1e3 + 1.5f + .5",
            "(((1.5/8 + 1000/8) + 1.5/4) + 0.5/8)",
        ),
        ("\"a\\tb\" \"c\"", "\"a\\tbc\""),
        ("{int} 0x10", "{int}16"),
        ("a.b.c->d", "a.b.c->d"),
        ("!a == b", "((!a) == b)"),
        ("a, b", "(a , b)"),
        ("typeof(x) *", "<*typeof(x)>"),
        ("a < b > c", "((a < b) > c)"),
        ("~a & -b", "((~a) & (-b))"),
    ];
    for (text, expected) in table {
        assert_eq!(tree(text, Language::C), expected, "{text}");
    }
}

#[test]
fn cpp_trees() {
    let table = [
        ("ns::var", "ns::var"),
        ("Class<int, char *>::count", "Class<int, char*>::count"),
        ("::global", "global"),
        ("this->x", "this->x"),
        ("static_cast<long>(x)", "(<long>x)"),
        ("(std::vector<int> *)p", "(<*std::vector<int>>p)"),
        ("std::vector<int>", "std::vector<int>"),
        ("a.Base::x", "a.Base::x"),
        ("int(x)", "(<int>x)"),
        ("(bool)x", "(<bool>x)"),
        ("a < b", "(a < b)"),
        ("a < b && c > d", "((a < b) && (c > d))"),
        ("true && !false", "(true && (!false))"),
        ("(char &)x", "(<&char>x)"),
    ];
    for (text, expected) in table {
        assert_eq!(tree(text, Language::Cpp), expected, "{text}");
    }
}

#[test]
fn rust_trees() {
    let table = [
        ("t.0.1", "t.0.1"),
        ("x as u8 + 1", "((<u8>x) + 1)"),
        ("-x as i64", "(<i64>(-x))"),
        ("v[1..3]", "v[1..3]"),
        ("&v[..]", "(&v[..])"),
        ("v[..=2]", "v[..=2]"),
        ("&mut x", "(&x)"),
        (
            "1_000u32 + 0xff_u8 + 0o17 + 1.5f32",
            "(((1000 + 255) + 15) + 1.5/4)",
        ),
        ("b'a'", "char97/1"),
        ("'é'", "char233/4"),
        ("alloc::vec::Vec<u8>", "alloc::vec::Vec<u8>"),
        ("x as *const u8", "(<*u8>x)"),
        ("x as &[u8]", "(<&[]u8>x)"),
        ("x as [u8; 4]", "(<[4]u8>x)"),
        ("self.count == 3", "(self.count == 3)"),
        ("r\"raw\\n\"", "\"raw\\\\n\""),
        (
            "core::option::Option<u32>::Some",
            "core::option::Option<u32>::Some",
        ),
        ("a == b && !c", "((a == b) && (!c))"),
        ("x = 5", "(x = 5)"),
        ("[1, a + 2]", "[1, (a + 2)]"),
        ("[0; 4]", "[0; 4]"),
        ("Point { x: 1, y: b.y }", "Point { x: 1, y: b.y }"),
        ("Point { x: 1, ..old }", "Point { x: 1, ..old }"),
    ];
    for (text, expected) in table {
        assert_eq!(tree(text, Language::Rust), expected, "{text}");
    }
}

#[test]
fn a_process_stands_before_its_expression() {
    let parsed =
        |text: &str| parse(text, Language::Cpp).map(|found| (found.process, show(&found.root)));
    let with = |process: &str, tree: &str| Ok((Some(process.to_string()), tree.to_string()));
    assert_eq!(parsed("server:count"), with("server", "count"));
    assert_eq!(parsed("worker.2:a + 1"), with("worker.2", "(a + 1)"));
    assert_eq!(parsed("2.1:x"), with("2.1", "x"));
    assert_eq!(parsed("ns::x"), Ok((None, "ns::x".to_string())));
    assert_eq!(parsed("a ? b : c"), Ok((None, "(a ? b : c)".to_string())));
}

#[test]
fn wrong_text_is_refused_at_its_place() {
    let refused = |text: &str| parse(text, Language::C).expect_err(text);
    for (text, position) in [
        ("1 +", 3),
        ("(1", 2),
        ("a b", 2),
        ("a[1", 3),
        ("\"open", 0),
        ("1 ` 2", 2),
        ("", 0),
        ("f(1,", 4),
        ("0x", 0),
        ("x.", 2),
        ("''", 0),
    ] {
        assert_eq!(refused(text).position, position, "{text}");
    }
    assert!(
        refused("1 +")
            .message
            .contains("A syntax error in expression, near `'.")
    );
    assert!(
        refused(&"(".repeat(10_000))
            .message
            .contains("nested too deeply")
    );
    assert!(
        refused(&"1+".repeat(5_000))
            .message
            .contains("nested too deeply")
    );
    assert!(
        refused(&"1 ".repeat(100_000))
            .message
            .contains("longer than")
    );
}

/// A random tree in its full parentheses parses to the same tree again.
#[test]
fn random_trees_survive_their_text() {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    fn build(random: &mut dyn FnMut(usize) -> usize, depth: usize) -> String {
        if depth == 0 || random(4) == 0 {
            return ["a", "b", "1", "$x", "17", "c"][random(6)].to_string();
        }
        let inner = build(random, depth - 1);
        match random(6) {
            0 => format!("({}{inner})", ["-", "!", "~", "*", "&"][random(5)]),
            1 => format!("{inner}[{}]", build(random, depth - 1)),
            // After a number, a point would belong to it.
            2 if inner.ends_with(|last: char| last.is_ascii_digit()) => format!("{inner}[1].field"),
            2 => format!("{inner}.field"),
            3 => format!("f({inner}, {})", build(random, depth - 1)),
            4 => format!(
                "({inner} ? {} : {})",
                build(random, depth - 1),
                build(random, depth - 1)
            ),
            _ => {
                let operator = [
                    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "<", "&&", "||",
                ][random(14)];
                format!("({inner} {operator} {})", build(random, depth - 1))
            }
        }
    }
    for _ in 0..3000 {
        let text = build(&mut random, 5);
        assert_eq!(tree(&text, Language::C), text);
    }
}
