# pigz/round.sh WORK
# Compresses and decompresses with four threads. 10 MB; WAYFARER_MEGABYTES=100 for the full size.
. "$(dirname "$0")/../common.sh"
work=$1
megabytes=${WAYFARER_MEGABYTES:-10}

seq 1 100000000 | head -c "$((megabytes * 1000000))" >"$work/numbers"
before=$(sha256sum <"$work/numbers")
pigz -p 4 -k "$work/numbers" || fail "pigz"
expect "bytes" "$((megabytes * 1000000))" "$(pigz -l "$work/numbers.gz" | awk 'NR == 2 { print $2 }')"
expect "decompressed" "$before" "$(pigz -d -c -p 4 "$work/numbers.gz" | sha256sum)"
stat -c '%s bytes compressed' "$work/numbers.gz"
