// Phenomenon: std::random_device, which reads RDRAND without a system call.
// Nondeterministic: the numbers.
#include <cstdio>
#include <random>

int main()
{
    std::random_device device;
    std::mt19937 generator(device());
    std::uniform_int_distribution<int> die(1, 6);
    std::printf("%u %u:", device(), device());
    for (int i = 0; i < 10; i++)
        std::printf(" %d", die(generator));
    std::printf("\n");
}
