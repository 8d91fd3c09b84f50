int lined(int n)
{
    int doubled = n * 2;
    return doubled;
}
