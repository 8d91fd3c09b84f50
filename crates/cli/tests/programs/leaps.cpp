#include <csetjmp>
#include <cstdio>
#include <stdexcept>

struct Guard {
    int *count;
    ~Guard() { ++*count; }
};

static jmp_buf environment;
int left;

int inner(int n)
{
    Guard guard{&left};
    if (n > 1)
        throw std::runtime_error("too big");
    return n;
}

int middle(int n)
{
    Guard guard{&left};
    int r = inner(n);
    return r + 1;
}

int caught(int n)
{
    try {
        return inner(n);
    } catch (const std::exception &) {
        return -1;
    }
}

void jumper(int n)
{
    if (n)
        longjmp(environment, 7);
}

int main()
{
    int total = 0;
    try {
        total += middle(1);
        total += middle(5);
        total += 100;
    } catch (const std::exception &) {
        total += 1;
    }
    total += caught(3);
    int v = setjmp(environment);
    if (v == 0)
        jumper(1);
    else
        total += v;
    std::printf("%d\n", total);
    return 0;
}
