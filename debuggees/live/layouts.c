/* What C can do with memory: flexible arrays, arrays of a length known at run time, tables of functions, unions in
   structures without names, pointers to arrays, wide characters. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

struct packet {
    unsigned short length;
    char kind[4];
    int data[];
};

struct tagged {
    int tag;
    union {
        int whole;
        float part;
        struct {
            short low, high;
        };
    };
};

typedef int (*operation)(int, int);
static int add(int left, int right) { return left + right; }
static int subtract(int left, int right) { return left - right; }

struct table {
    const char *name;
    operation operations[3];
    struct table *next;
};

__attribute__((noinline)) static int measure(int length, const struct packet *packet) {
    int numbers[length];
    char letters[length + 2];
    for (int index = 0; index < length; index++)
        numbers[index] = index * index;
    memset(letters, 'x', sizeof letters);
    letters[length + 1] = 0;
    stop_here(numbers[length - 1] + letters[0] + packet->length);
    return numbers[1] + letters[1];
}

int main(void) {
    struct packet *packet = calloc(1, sizeof *packet + 3 * sizeof(int));
    packet->length = 3;
    memcpy(packet->kind, "abcd", 4);
    packet->data[2] = 9;
    struct tagged tagged = {1, {.whole = 0x20001}};
    struct table last = {"last", {subtract, NULL, NULL}, NULL};
    struct table first = {"first", {add, subtract, NULL}, &last};
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int(*row)[3] = &grid[1];
    wchar_t wide[] = L"wide";
    __int128 huge = (__int128)1 << 100;
    _Complex double point = 1.0 + 2.0i;
    int total = measure(5, packet) + first.operations[0](1, 2) + (*row)[1];
    stop_here(total + tagged.low + (int)wide[0] + (int)(huge >> 99) + (int)__real__ point + last.operations[0](3, 1));
    free(packet);
    return 0;
}
