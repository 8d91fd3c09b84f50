/* Arrays of more than one dimension, strings, pointers into arrays, repeated elements. */
volatile int sink;
__attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static int walk(int rows, int matrix[][3], const char *words[2]) {
    int total = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < 3; column++)
            total += matrix[row][column];
    int *middle = &matrix[1][1];
    stop_here(total + *middle);
    return total + words[0][0];
}

int main(void) {
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const char *words[2] = {"alpha", "beta"};
    char buffer[16] = "partly";
    double zeros[20] = {0};
    zeros[19] = 1.0;
    int total = walk(2, matrix, words);
    stop_here(total + buffer[0] + (int)zeros[19]);
    return 0;
}
