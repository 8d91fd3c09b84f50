# redis.sh DIRECTORY PORT
# The set of the benchmark: a server, 50 connections with 100,000 SET and 100,000 GET, and its end.
# Prints the rates of redis-benchmark, and how long the whole took by its own clock.
. "$(dirname "$0")/../scripts/gauntlet/common.sh"
directory=$1
port=$2
began=$EPOCHREALTIME

start redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$directory" >/dev/null
server=${started[0]}
wait_until redis-cli -p "$port" ping
redis-benchmark -p "$port" -c 50 -n 100000 -t set,get -q || fail "redis-benchmark"
redis-cli -p "$port" shutdown nosave
wait "$server"

ended=$EPOCHREALTIME
awk -v began="$began" -v ended="$ended" 'BEGIN { printf "seconds: %.3f\n", ended - began }'
