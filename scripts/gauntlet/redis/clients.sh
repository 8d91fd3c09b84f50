# redis/clients.sh PORT COMMANDS [ARGUMENTS OF redis-benchmark…]
# COMMANDS commands from 50 connections, half SET, half GET; then a conversation whose answers are known.
. "$(dirname "$0")/../common.sh"
port=$1
commands=$2
shift 2

cli() { redis-cli -p "$port" "$@"; }

redis-benchmark -p "$port" -c 50 -n $((commands / 2)) -t set,get -q "$@" | tr '\r' '\n' | grep 'requests per second' ||
    fail "redis-benchmark"

cli flushall >/dev/null
expect "set" OK "$(cli set greeting hello)"
expect "get" hello "$(cli get greeting)"
expect "incr" 3 "$(for step in 1 2 3; do cli incr counter; done | tail -n 1)"
expect "list" 1000 "$(seq 1 1000 | sed 's/^/rpush numbers /' | cli | tail -n 1)"
expect "range" "1 2 3" "$(cli lrange numbers 0 2 | tr '\n' ' ' | sed 's/ $//')"
expect "script" 42 "$(cli eval 'return 6 * 7' 0)"
expect "expiry" 1 "$(cli expire greeting 100)"
cli randomkey
cli time | tr '\n' ' '
cli info stats | grep total_commands_processed
