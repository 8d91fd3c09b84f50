# mosquitto/together.sh WORK PORT
# The broker with all of its clients in one recording.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2
bash "$(dirname "$0")/prepare.sh" "$work" "$port"

start mosquitto -c "$work/mosquitto.conf"
broker=${started[0]}
wait_for_port "$port"
bash "$(dirname "$0")/clients.sh" "$work" "$port" || fail "clients"
kill -TERM "$broker"
wait "$broker"
expect "broker ended with" 0 "$?"
