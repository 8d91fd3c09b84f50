// A function that throws, for calls from the prompt.
#include <cstdio>
#include <stdexcept>

int half(int number)
{
    if (number % 2 != 0)
        throw std::runtime_error("odd");
    return number / 2;
}

int half_or_none(int number)
{
    try {
        return half(number);
    } catch (const std::runtime_error &) {
        return -1;
    }
}

int main()
{
    int number = half_or_none(4);
    printf("%d %d\n", number, half(8));
    return 0;
}
