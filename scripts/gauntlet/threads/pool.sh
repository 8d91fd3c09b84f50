# threads/pool.sh WORK
# Builds a C++ pool of threads and runs it with four and with sixteen workers. The program lies beside WORK,
# which is gone when the replay begins: a replay needs the same programs.
. "$(dirname "$0")/../common.sh"
pool=$(dirname "$1")/pool
g++ -std=c++17 -O2 -pthread -o "$pool" "$(dirname "$0")/pool.cpp" || fail "g++"
"$pool" 4 5000 || fail "four workers"
"$pool" 16 5000 || fail "sixteen workers"
