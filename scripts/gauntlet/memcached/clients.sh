# memcached/clients.sh PORT REQUESTS
# Four clients at once, REQUESTS each; then what they counted together.
. "$(dirname "$0")/../common.sh"
port=$1
requests=$2

clients=()
for name in anna bert cara dirk; do
    /usr/bin/python3 "$(dirname "$0")/client.py" "$port" "$name" "$requests" &
    clients+=($!)
done
for client in "${clients[@]}"; do
    wait "$client" || fail "client $client"
done

# One question to the server by way of the shell alone.
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'get shared0\r\nquit\r\n' >&3
expect "counted together" "$((requests / 8 * 4))" "$(sed -n 2p <&3 | tr -d '\r')"
