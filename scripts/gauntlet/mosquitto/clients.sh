# mosquitto/clients.sh WORK PORT
# Three subscribers and four publishers at quality of service 1, one pair at 0.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2
per_publisher=100
publishers=4

subscribe() { mosquitto_sub -h 127.0.0.1 -p "$port" "$@"; }
publish() { mosquitto_pub -h 127.0.0.1 -p "$port" "$@"; }
# With -l it has a thread more, and about once in a hundred plain runs never says goodbye, all lines sent. Who lost
# a line is told by the subscribers.
publish_lines() { timeout 20 mosquitto_pub -h 127.0.0.1 -p "$port" -l "$@" || [ $? = 124 ]; }

# A persistent session exists from its first subscription on, so nothing is lost if a publisher is quicker
# than the subscriber that comes back for its messages.
for number in 1 2 3; do
    subscribe -c -i "subscriber-$number" -q 1 -t 'once/#' -E -W 10 || fail "registering subscriber $number"
done
subscribers=()
for number in 1 2 3; do
    subscribe -c -i "subscriber-$number" -q 1 -t 'once/#' -C $((per_publisher * publishers)) -W 30 \
        >"$work/once-$number.txt" &
    subscribers+=($!)
done
for number in $(seq 1 $publishers); do
    seq 1 $per_publisher | sed "s/^/from-$number-/" | publish_lines -q 1 -t "once/$number" &
    subscribers+=($!)
done
for process in "${subscribers[@]}"; do
    wait "$process" || fail "a client ended with $?"
done
for number in 1 2 3; do
    expect "subscriber $number, different messages" $((per_publisher * publishers)) \
        "$(sort -u "$work/once-$number.txt" | wc -l)"
done
# The order in which the publishers' messages meet is what differs between runs.
cksum <"$work/once-1.txt"

# Not through the function: the process that is ended later must be the subscriber itself.
start mosquitto_sub -h 127.0.0.1 -p "$port" -q 0 -t 'zero/#' -W 30 >"$work/zero.txt"
heard_anything() { publish -q 0 -t zero/hello -m hello && [ -s "$work/zero.txt" ]; }
wait_until heard_anything
seq 1 200 | publish_lines -q 0 -t zero/data
publish -q 0 -t zero/end -m end
wait_until grep -q '^end$' "$work/zero.txt"
expect "at most once" 200 "$(grep -c '^[0-9]*$' "$work/zero.txt")"

publish -r -q 1 -t kept/state -m remembered
expect "retained" remembered "$(subscribe -t kept/state -C 1 -W 10)"
