# threads/openmp.sh WORK
# Builds a program with OpenMP's loops and tasks and runs it with two and four threads. The program lies
# beside WORK, which is gone when the replay begins: a replay needs the same programs.
. "$(dirname "$0")/../common.sh"
openmp=$(dirname "$1")/openmp
gcc -O2 -fopenmp -o "$openmp" "$(dirname "$0")/openmp.c" || fail "gcc"
OMP_NUM_THREADS=2 "$openmp" || fail "two threads"
OMP_NUM_THREADS=4 "$openmp" || fail "four threads"
