#include <stdio.h>

struct pair {
    int left;
    int right;
};

int total;
unsigned char bytes[4] = {1, 2, 3, 255};

static int add(int a, int b)
{
    int sum = a + b;
    total += sum;
    return sum;
}

int main(void)
{
    struct pair pair = {3, 4};
    const char *text = "hello";
    for (int i = 0; i < 5; i++) {
        pair.left = add(i, pair.right);
    }
    printf("%s %d %d\n", text, pair.left, total);
    return 3;
}
