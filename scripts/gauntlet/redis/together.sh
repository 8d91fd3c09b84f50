# redis/together.sh WORK PORT COMMANDS [ARGUMENTS OF redis-benchmark…]
# redis-server, redis-benchmark and redis-cli in one recording.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2

start redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work"
server=${started[0]}
wait_until redis-cli -p "$port" ping

bash "$(dirname "$0")/clients.sh" "${@:2}" || fail "clients"
redis-cli -p "$port" shutdown nosave
wait "$server"
expect "server ended with" 0 "$?"
