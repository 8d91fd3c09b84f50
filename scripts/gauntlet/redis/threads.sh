# redis/threads.sh WORK PORT COMMANDS
# A redis-server with four threads for its connections, and clients, in one recording.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2

start redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" \
    --io-threads 4 --io-threads-do-reads yes
server=${started[0]}
wait_until redis-cli -p "$port" ping
bash "$(dirname "$0")/clients.sh" "$port" "$3" || fail "clients"
redis-cli -p "$port" shutdown nosave
wait "$server"
expect "server ended with" 0 "$?"
