// Smart pointers, references, pointers to members.
#include <memory>

volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

struct Node {
    int value;
    std::unique_ptr<Node> next;
    int twice() const { return value * 2; }
};

__attribute__((noinline)) static int walk(const Node &first, int &visited, int &&temporary) {
    int total = temporary;
    for (const Node *node = &first; node; node = node->next.get()) {
        total += node->value;
        visited++;
    }
    stop_here(total);
    return total;
}

int main() {
    auto shared = std::make_shared<int>(31);
    std::unique_ptr<int> nothing;
    Node list{1, std::make_unique<Node>(Node{2, nullptr})};
    int Node::*member = &Node::value;
    int visited = 0;
    int total = walk(list, visited, 5);
    stop_here(total + visited + *shared + list.*member + (nothing ? 1 : 0));
    return 0;
}
