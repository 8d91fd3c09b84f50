# memcached/together.sh WORK PORT REQUESTS
# A memcached with four threads and its clients in one recording.
. "$(dirname "$0")/../common.sh"
port=$2
requests=$3

start memcached -t 4 -l 127.0.0.1 -p "$port" -U 0 -u "$(id -un)"
server=${started[0]}
wait_for_port "$port"
bash "$(dirname "$0")/clients.sh" "$port" "$requests" || fail "clients"
kill -TERM "$server"
wait "$server"
expect "server ended with" 0 "$?"
