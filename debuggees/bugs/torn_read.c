// Bug: torn read. Two words belong together, but are written and read one after the other. Pattern: the
// length and buffer of a string in MySQL's query log, Lu et al., ASPLOS 2008.
// Fails with status 1 when a reader sees an old and a new half.
#include "bug.h"

static volatile int price = 1, check = -1;
static int torn;

static void *write_both(void *argument)
{
    for (int i = 2; i < 12; i++) {
        price = i;
        dawdle(10);
        check = -i;
        dawdle(40);
    }
    return argument;
}

static void *read_both(void *argument)
{
    for (int i = 0; i < 10; i++) {
        int seen = price;
        if (i % 2)
            dawdle(5);
        int seen_check = check;
        if (seen != -seen_check) {
            printf("%d goes with %d\n", seen, seen_check);
            torn++;
        }
        dawdle(30);
    }
    return argument;
}

int main(void)
{
    run_two(write_both, read_both, NULL);
    printf("%d torn\n", torn);
    return torn ? WRONG : 0;
}
