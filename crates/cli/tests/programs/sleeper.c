#include <unistd.h>

volatile int go_on = 1;
int rounds;

int main(void)
{
    char byte;
    write(1, "up\n", 3);
    while (go_on && read(0, &byte, 1) == 1)
        rounds++;
    write(1, "bye\n", 4);
    return 7;
}
