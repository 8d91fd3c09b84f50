// Parallel loops of OpenMP: a sum, a critical section whose order is printed, tasks, and a barrier in between.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

enum { NUMBERS = 200000, ROUNDS = 400 };

static double values[NUMBERS];

static long fibonacci(int number)
{
    if (number < 2)
        return number;
    long left, right;
#pragma omp task shared(left) if (number > 12)
    left = fibonacci(number - 1);
#pragma omp task shared(right) if (number > 12)
    right = fibonacci(number - 2);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    double sum = 0;
#pragma omp parallel for
    for (int i = 0; i < NUMBERS; i++)
        values[i] = i * 0.5;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < NUMBERS; i++)
        sum += values[i];

    uint32_t order = 0;
    int taken[64] = {0};
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
        {
            order = (order ^ (uint32_t)(omp_get_thread_num() + 1)) * 16777619u;
            taken[omp_get_thread_num()]++;
        }
    }

    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(18);

    printf("sum %.1f, fibonacci %ld, threads %d\norder %08x:", sum, result, omp_get_max_threads(), order);
    for (int i = 0; i < omp_get_max_threads(); i++)
        printf(" %d", taken[i]);
    printf("\n");
    return 0;
}
