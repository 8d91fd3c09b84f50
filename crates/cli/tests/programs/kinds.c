#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct point {
    int x, y;
};
enum color { RED, GREEN = 5, BLUE };
struct bits {
    unsigned a : 3;
    int b : 5;
};

int counter, other;
double ratio = 1.5;
char name[16] = "wayfarer";
char *string = "text";
_Bool flag = 1;
enum color color = GREEN;
struct bits bits = {5, -3};
struct point points[2] = {{1, 2}, {3, 4}};
unsigned char raw[8] = {0, 1, 2, 3, 4, 5, 6, 0xff};
long longs[2] = {-1, 1L << 40};
double doubles[2] = {1.5, -2.25};

int twice(int n)
{
    int local = n;
    local = local * 2;
    counter += 1;
    return local;
}

void handler(int number)
{
    other = number;
}

int reads(void)
{
    int v = counter;
    v += 1;
    return v;
}

char *show_point(struct point *p)
{
    static char text[64];
    snprintf(text, sizeof text, "<%d|%d>", p->x, p->y);
    return text;
}

int sum(int a, int b)
{
    return a + b;
}

int main(void)
{
    struct point p = {7, 8};
    signal(SIGUSR1, handler);
    int r = twice(3);
    r += reads();
    raise(SIGUSR1);
    r = sum(twice(1), twice(2)) + sum(1, 2);
    for (int i = 0; i < 3; i++)
        r += i;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/true", "true", NULL);
        _exit(9);
    }
    waitpid(pid, NULL, 0);
    write(1, "x\n", 2);
    return p.x + r == 0;
}
