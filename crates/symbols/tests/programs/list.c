#include <stdio.h>
#include <stdlib.h>

enum color { RED, GREEN = 5, BLUE = -1 };

struct point {
  int x;
  unsigned flags : 3;
  unsigned more : 7;
  const char *name;
};

union number {
  int whole;
  float real;
};

struct node {
  struct point at;
  union number value;
  enum color color;
  struct node *next;
  int rest[];
};

typedef int (*visitor)(struct node *, void *);

static int total_count = 42;
const char *const banner = "list";

static inline __attribute__((always_inline)) int square(int side)
{
  int area = side * side; /* mark: square */
  return area;
}

struct node *push(struct node *head, int value)
{
  static int calls;
  struct node *fresh = malloc(sizeof *fresh); /* mark: push */
  calls++;
  if (!fresh)
    abort();
  fresh->value.whole = value;
  fresh->color = GREEN;
  fresh->next = head;
  return fresh;
}

static int visit(struct node *node, void *context)
{
  int *sum = context; /* mark: visit */
  {
    int inner = square(node->value.whole); /* mark: inner */
    *sum += inner;
  }
  return 0;
}

int each(struct node *head, visitor call, void *context)
{
  for (struct node *node = head; node; node = node->next) {
    if (call(node, context)) /* mark: call */
      return 1;
  }
  return 0;
}

/* mark: comment */

int main(int argc, char **argv)
{
  struct node *head = NULL; /* mark: main */
  int sum = 0;
  for (int i = 0; i < argc + 3; i++)
    head = push(head, i);
  each(head, visit, &sum);
  printf("%s %d %d %s\n", banner, sum, total_count, argv[0]); /* mark: print */
  return 0;
}
