int total;

void turn(int number)
{
    total += number;
}

int main(void)
{
    for (int number = 0; number < 20000000; number++)
        turn(number);
    return 0;
}
