# haproxy/together.sh WORK PORT
# A proxy with four threads that answers by itself, and clients that ask it several at a time.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2

cat >"$work/haproxy.cfg" <<END
global
  nbthread 4
  maxconn 200
defaults
  mode http
  timeout client 20s
  timeout server 20s
  timeout connect 20s
frontend front
  bind 127.0.0.1:$port
  http-request return status 200 content-type text/plain string "hello\n"
END
start haproxy -db -q -f "$work/haproxy.cfg"
server=${started[0]}
wait_for_port "$port"
for round in 1 2 3; do
    answers=$(curl -s --parallel --parallel-max 8 "http://127.0.0.1:$port/[1-40]" 2>/dev/null |
        grep -c hello)
    expect "answers of round $round" 40 "$answers"
done
kill -USR1 "$server"
wait "$server"
expect "server ended with" 0 "$?"
