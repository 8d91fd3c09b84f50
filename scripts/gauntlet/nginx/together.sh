# nginx/together.sh WORK PORT
# nginx with two workers, a change of workers in between, and curl, in one recording.
. "$(dirname "$0")/../common.sh"
work=$1
port=$2
bash "$(dirname "$0")/prepare.sh" "$work" "$port"

start nginx -e stderr -c "$work/nginx.conf"
master=${started[0]}
wait_for_port "$port"
bash "$(dirname "$0")/clients.sh" "$work" "$port" || fail "clients"
kill -HUP "$master"
# New workers take over while the old ones finish: every request meets one or the other.
for number in {1..20}; do
    page=$(curl --silent --max-time 20 "http://127.0.0.1:$port/deep/er/page.html")
    [ "$page" = found ] || fail "request $number after the reload: '$page'"
done
echo "reload: 20 requests answered"
kill -QUIT "$master"
wait "$master"
expect "master ended with" 0 "$?"
