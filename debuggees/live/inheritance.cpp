// Bases: several, virtual ones, static members between others, references and pointers to parts.
volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

struct Named {
    const char *name;
    explicit Named(const char *text) : name(text) {}
    virtual ~Named() {}
    virtual int size() const { return 1; }
};

struct Counted {
    static int total;
    long count = 0;
    static const int limit = 10;
    virtual ~Counted() {}
};
int Counted::total = 4;

struct Both : Named, Counted {
    int own = 7;
    int &referred;
    explicit Both(int &number) : Named("both"), referred(number) { count = 3; }
    int size() const override { return own; }
};

struct Root {
    int root = 1;
};
struct Left : virtual Root {
    int left = 2;
};
struct Right : virtual Root {
    int right = 3;
};
struct Diamond : Left, Right {
    int bottom = 4;
};

namespace shapes {
enum class Kind : unsigned char { Round = 1, Square };
union Payload {
    int whole;
    float part;
    unsigned char bytes[4];
};
struct Shape {
    Kind kind;
    static Shape first;
    Payload payload;
    unsigned flags : 3;
    signed tilt : 5;
    bool visible : 1;
};
Shape Shape::first = {Kind::Round, {.whole = 1}, 1, -1, true};
} // namespace shapes

__attribute__((noinline)) static int look(const Named *named, Counted &counted, const Diamond &diamond, shapes::Shape shape) {
    int Counted::*unused = nullptr;
    int Both::*member = &Both::own;
    const Left *left = &diamond;
    int right = diamond.right;
    stop_here(named->size() + static_cast<int>(counted.count) + left->root + right + shape.tilt);
    return unused == nullptr && member != nullptr;
}

int main() {
    int number = 42;
    Both both(number);
    Diamond diamond;
    shapes::Shape shape = {shapes::Kind::Square, {.part = 1.5f}, 5, -7, true};
    int (*function)(const Named *, Counted &, const Diamond &, shapes::Shape) = look;
    int result = function(&both, both, diamond, shape);
    stop_here(result + both.referred);
    return 0;
}
