/* Structs in structs, unions, anonymous members, flexible arrays. */
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
};
union number {
    int whole;
    float part;
    unsigned char bytes[4];
};
struct shape {
    struct point corners[3];
    union number weight;
    struct {
        short red, green;
    };
    const char *name;
};
struct message {
    size_t length;
    char text[];
};

volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int area(struct shape shape, const struct point *origin) {
    struct point first = shape.corners[0];
    stop_here(first.x + origin->y);
    return first.x * origin->y + shape.red;
}

int main(void) {
    struct shape triangle = {{{1, 2}, {3, 4}, {5, 6}}, {.whole = 0x3f800000}, {7, 8}, "triangle"};
    struct point origin = {-1, -2};
    struct message *message = malloc(sizeof *message + 6);
    message->length = 5;
    strcpy(message->text, "hello");
    int result = area(triangle, &origin);
    stop_here(result + (int)message->length);
    free(message);
    return 0;
}
