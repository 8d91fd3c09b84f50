int lined(int n);
int unlined(int n);

int main(void)
{
    int n = unlined(4);
    n += lined(n);
    n += lined(n) + unlined(n);
    return n == 0;
}
