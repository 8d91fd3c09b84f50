//! What an expression looks like after parsing, before anything is known of the program.

/// The language whose rules an expression follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// C, also used where the language of a frame is unknown.
    #[default]
    C,
    /// C++.
    Cpp,
    /// Rust.
    Rust,
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The `NAME` or `NAME.T` of a `NAME:expression`, for the debugger to choose the process.
    pub process: Option<String>,
    /// The expression itself.
    pub root: Node,
    /// The language it was parsed for.
    pub language: Language,
    /// The text it was parsed from, without the process.
    pub text: String,
}

/// One node of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Rust's `[a, b]`.
    Array(Vec<Node>),
    /// Rust's `[value; count]`.
    ArrayOf(Box<Node>, Box<Node>),
    /// Rust's `Name { field: value }`.
    Structure(Box<StructureLiteral>),
    /// An integer literal.
    Integer {
        /// Its value.
        value: u128,
        /// What its suffix or its notation says of its type.
        suffix: IntegerSuffix,
        /// Written in another base than ten, which lets C choose an unsigned type.
        decimal: bool,
    },
    /// A floating-point literal.
    Float {
        /// Its value.
        value: f64,
        /// Four for `f`, eight for none, sixteen for `l`.
        bytes: u8,
    },
    /// A character literal and the size of its type: 1 for `'a'`, 4 for `L'a'` and Rust's `'a'`.
    Character {
        /// The code point.
        value: u32,
        /// The size of its type.
        bytes: u8,
    },
    /// A string literal.
    Text(Vec<u8>),
    /// `true` or `false`.
    Boolean(bool),
    /// A variable, function, constant, static member, or a type where one is expected.
    Name(String),
    /// `'file.c'::name` or `function::name`: the first part is a file or a function.
    Scoped(String, Box<Node>),
    /// A register or a convenience variable, without its `$`.
    Dollar(String),
    /// An entry of the value history.
    History(History),
    /// An operator before its operand.
    Unary(UnaryOperator, Box<Node>),
    /// An operator between its operands.
    Binary(BinaryOperator, Box<Node>, Box<Node>),
    /// `a = b`, or `a += b` with the operator.
    Assign(Option<BinaryOperator>, Box<Node>, Box<Node>),
    /// `a++` and `a--`: the value before the change.
    Postfix(BinaryOperator, Box<Node>),
    /// `a ? b : c`.
    Conditional(Box<Node>, Box<Node>, Box<Node>),
    /// `(type)a` or `a as type`.
    Cast(TypeSyntax, Box<Node>),
    /// `a.field`, and `a->field`, which asks the same of a pointer.
    Field(Box<Node>, String),
    /// `a->field`.
    Arrow(Box<Node>, String),
    /// `a[i]`.
    Index(Box<Node>, Box<Node>),
    /// `a[from..to]`.
    Slice {
        /// What is sliced.
        base: Box<Node>,
        /// The first index, 0 if absent.
        from: Option<Box<Node>>,
        /// The index after the last, the length if absent.
        to: Option<Box<Node>>,
        /// Written `..=`.
        inclusive: bool,
    },
    /// `a@n`: an array of n objects, the first of which is a.
    Repeat(Box<Node>, Box<Node>),
    /// `f(a, b)`.
    Call(Box<Node>, Vec<Node>),
    /// `sizeof a`, `sizeof(type)`.
    SizeOf(Box<Node>),
    /// `alignof(type)`.
    AlignOf(Box<Node>),
    /// A type where an expression may stand: `ptype struct point`, `sizeof(int)`.
    Type(TypeSyntax),
    /// `{type} address`.
    At(TypeSyntax, Box<Node>),
}

/// An entry of the value history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// `$7`.
    Absolute(u32),
    /// `$` is 0, `$$` is 1, `$$7` is 7 before the last.
    Last(u32),
}

/// The type that an integer literal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerSuffix {
    /// Nothing: the smallest of the language's types that holds it.
    None,
    /// C: `u`, and the number of `l`.
    C {
        /// Written with `u`.
        unsigned: bool,
        /// How many `l`.
        long: u8,
    },
    /// Rust: `u8` … `i128`, `usize`, `isize`.
    Rust {
        /// The size of the type; 0 for `usize` and `isize`.
        bytes: u8,
        /// Whether it is signed.
        signed: bool,
    },
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-a`
    Negate,
    /// `+a`
    Plus,
    /// `!a`: bitwise for Rust's integers
    Not,
    /// `~a`
    Complement,
    /// `*a`
    Dereference,
    /// `&a`
    AddressOf,
    /// `++a`
    Increment,
    /// `--a`
    Decrement,
}

/// Rust's `Name { field: value, ..base }`.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureLiteral {
    /// The structure.
    pub name: String,
    /// Members and their values.
    pub fields: Vec<(String, Node)>,
    /// Where the other members come from.
    pub base: Option<Node>,
}

/// Operators between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Remainder,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`
    ShiftRight,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// `a, b`
    Comma,
}

impl UnaryOperator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Negate => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::Not => "!",
            UnaryOperator::Complement => "~",
            UnaryOperator::Dereference => "*",
            UnaryOperator::AddressOf => "&",
            UnaryOperator::Increment => "++",
            UnaryOperator::Decrement => "--",
        }
    }
}

impl BinaryOperator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
            BinaryOperator::ShiftLeft => "<<",
            BinaryOperator::ShiftRight => ">>",
            BinaryOperator::BitAnd => "&",
            BinaryOperator::BitOr => "|",
            BinaryOperator::BitXor => "^",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessOrEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterOrEqual => ">=",
            BinaryOperator::And => "&&",
            BinaryOperator::Or => "||",
            BinaryOperator::Comma => ",",
        }
    }

    /// Whether the result is a truth value.
    pub fn compares(self) -> bool {
        matches!(
            self,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        )
    }
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSyntax {
    /// A name, with `struct`, `union`, `enum` or `class` before it if written so.
    Named {
        /// The keyword.
        keyword: Option<String>,
        /// The name: for C's basic types in the order in which DWARF has them.
        name: String,
    },
    /// `T *`, `*const T`
    Pointer(Box<TypeSyntax>),
    /// `T &`, `&T`
    Reference(Box<TypeSyntax>),
    /// `T &&`
    RvalueReference(Box<TypeSyntax>),
    /// `T [n]`, `[T; n]`
    Array(Box<TypeSyntax>, Option<u64>),
    /// `[T]`
    Slice(Box<TypeSyntax>),
    /// `(A, B)`
    Tuple(Vec<TypeSyntax>),
    /// `R (A, B)`, `fn(A, B) -> R`
    Function(Box<TypeSyntax>, Vec<TypeSyntax>),
    /// `const T`
    Const(Box<TypeSyntax>),
    /// `volatile T`
    Volatile(Box<TypeSyntax>),
    /// `typeof(a)`, `decltype(a)`
    TypeOf(Box<Node>),
}
