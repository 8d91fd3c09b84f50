int unlined(int n)
{
    return n + 1;
}
