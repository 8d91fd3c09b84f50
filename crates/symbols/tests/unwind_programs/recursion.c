/* A deep recursion with a callback through the C library, which has no debug information here. */
#include <stdlib.h>

struct pair {
    int key;
    long weight;
};

static struct pair pairs[4] = {{3, 30}, {1, 10}, {2, 20}, {0, 5}};
volatile int sink;

__attribute__((noinline)) void stop_here(int depth) { sink = depth; }

static int compare(const void *left, const void *right) {
    const struct pair *a = left;
    const struct pair *b = right;
    if (a->key == 0 || b->key == 0)
        stop_here(a->key + b->key);
    return (a->key > b->key) - (a->key < b->key);
}

__attribute__((noinline)) static int descend(int depth, long total) {
    if (depth == 0) {
        qsort(pairs, 4, sizeof pairs[0], compare);
        return (int)total;
    }
    int below = descend(depth - 1, total + depth);
    return below + depth;
}

int main(int argc, char **argv) {
    (void)argv;
    int result = descend(5, argc);
    sink = result;
    return 0;
}
