# redis/replica.sh WORK PRIMARY_PORT REPLICA_PORT
# A primary, a replica that copies a snapshot and then follows, and clients of both.
. "$(dirname "$0")/../common.sh"
work=$1
primary=$2
replica=$3
mkdir -p "$work/primary" "$work/replica"

common_options=(--bind 127.0.0.1 --save '' --appendonly no)
start redis-server --port "$primary" --dir "$work/primary" "${common_options[@]}" --repl-diskless-sync-delay 0
wait_until redis-cli -p "$primary" ping
seq 1 500 | sed 's/.*/set early:& value-&/' | redis-cli -p "$primary" >/dev/null

start redis-server --port "$replica" --dir "$work/replica" "${common_options[@]}" --replicaof 127.0.0.1 "$primary"
wait_until redis-cli -p "$replica" ping
link_is_up() { redis-cli -p "$replica" info replication | grep -q 'master_link_status:up'; }
wait_until link_is_up

redis-benchmark -p "$primary" -c 10 -n 5000 -r 1000 -t set,incr,lpush -q >/dev/null || fail "redis-benchmark"
seq 1 500 | sed 's/.*/set late:& value-&/' | redis-cli -p "$primary" >/dev/null
# WAIT counts the replicas that have taken everything this very connection wrote.
expect "acknowledged by" 1 "$(printf 'set last word\nwait 1 5000\n' | redis-cli -p "$primary" | tail -n 1)"

expect "from the snapshot" value-123 "$(redis-cli -p "$replica" get early:123)"
expect "from the stream" value-456 "$(redis-cli -p "$replica" get late:456)"
expect "last" word "$(redis-cli -p "$replica" get last)"
expect "size" "$(redis-cli -p "$primary" dbsize)" "$(redis-cli -p "$replica" dbsize)"
expect "a replica refuses" "READONLY" "$(redis-cli -p "$replica" set no way | grep -o READONLY)"

redis-cli -p "$replica" shutdown nosave
redis-cli -p "$primary" shutdown nosave
wait "${started[@]}"
echo "both ended"
