// Bug: ABA. A stack without locks pops by compare-and-exchange; between its look at the top and the exchange
// the same block has gone and come back above another one. Pattern: IBM System/370 Principles of Operation, 1983.
// Fails with status 1 when blocks are lost or are there twice.
#include "bug.h"

struct block {
    struct block *next;
    int number;
};

static struct block blocks[4];
static struct block *top;

static void push(struct block *block)
{
    block->next = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&top, &block->next, block, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

static struct block *pop(unsigned window)
{
    for (;;) {
        struct block *seen = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
        if (!seen)
            return NULL;
        struct block *next = seen->next;
        if (window)
            dawdle(window);
        if (__atomic_compare_exchange_n(&top, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return seen;
    }
}

static void *slow(void *argument)
{
    for (int i = 0; i < 5; i++) {
        struct block *block = pop(40);
        if (block)
            push(block);
    }
    return argument;
}

static void *quick(void *argument)
{
    for (int i = 0; i < 5; i++) {
        struct block *first = pop(0), *second = pop(0);
        dawdle(10);
        if (first)
            push(first);
        dawdle(40);
        if (second)
            push(second);
    }
    return argument;
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        blocks[i].number = i;
        push(&blocks[i]);
    }
    run_two(slow, quick, NULL);
    int found = 0, number[4] = {0};
    for (struct block *block = top; block && found < 8; block = block->next, found++)
        number[block->number]++;
    printf("%d blocks: %d %d %d %d\n", found, number[0], number[1], number[2], number[3]);
    return found == 4 ? 0 : WRONG;
}
