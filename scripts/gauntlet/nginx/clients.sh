# nginx/clients.sh WORK PORT
# curl: several files, one connection for many requests, 404, HEAD, POST, PUT, ranges, gzip, a proxy hop.
. "$(dirname "$0")/../common.sh"
work=$1
base=http://127.0.0.1:$2
get() { curl --silent --show-error --max-time 20 "$@"; }

expect "page" "plain page" "$(get "$base/")"
expect "deep page" "found" "$(get "$base/deep/er/page.html")"
get "$base/numbers.txt" | cmp - "$work/files/numbers.txt" || fail "numbers.txt differs"
get "$base/random.bin" | cmp - "$work/files/random.bin" || fail "random.bin differs"
expect "not there" 404 "$(get -o /dev/null -w '%{http_code}' "$base/nowhere")"
expect "head" 200 "$(get -I -o /dev/null -w '%{http_code}' "$base/numbers.txt")"
expect "range" "1 2 3 " "$(get -r 0-5 "$base/numbers.txt" | tr '\n' ' ')"
expect "compressed" "$(cksum <"$work/files/numbers.txt")" "$(get --compressed "$base/numbers.txt" | cksum)"
expect "through the proxy" "found" "$(get "$base/proxy/deep/er/page.html")"

# Twenty requests over one connection.
expect "keep-alive" "20 requests, 1 connection" "$(
    get -o /dev/null -w '%{num_connects}\n' "$base/deep/er/page.html?[1-20]" |
        awk '{ requests++; connections += $1 } END { print requests " requests, " connections " connection" }'
)"

seq 1 5000 >"$work/body.txt"
get --data-binary @"$work/body.txt" "$base/answer"
expect "posted" "POST $(wc -c <"$work/body.txt")" "$(get --data-binary @"$work/body.txt" "$base/answer" | cut -d' ' -f1,2)"
expect "put" 201 "$(get -T "$work/body.txt" -o /dev/null -w '%{http_code}' "$base/uploads/body.txt")"
cmp "$work/body.txt" "$work/uploads/body.txt" || fail "the upload differs"
expect "deleted" 204 "$(get -X DELETE -o /dev/null -w '%{http_code}' "$base/uploads/body.txt")"

# Both workers at once.
clients=()
for number in 1 2 3 4 5 6; do
    get -o /dev/null "$base/random.bin?$number" "$base/numbers.txt?$number" -o /dev/null &
    clients+=($!)
done
for process in "${clients[@]}"; do
    wait "$process" || fail "a parallel curl ended with $?"
done
echo "six in parallel: done"
