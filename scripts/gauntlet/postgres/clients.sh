# clients.sh WORK: a PostgreSQL server from its first start to its end, with clients that race for the same rows.
. "$(dirname "$0")/../common.sh"
work=$1
for directory in /usr/lib/postgresql/*/bin; do
    PATH="$PATH:$directory"
done

# The server refuses to run as root: root becomes nobody for it.
plain_user=()
mkdir -p "$work/data"
if [ "$(id -u)" -eq 0 ]; then
    plain_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod a+rx "$work"
    chown 65534:65534 "$work/data"
fi
cd "$work/data" || fail "no $work/data"
export HOME="$work/data" PGHOST="$work/data" PGDATABASE=postgres PGUSER=wayfarer

"${plain_user[@]}" initdb -D cluster -A trust -U wayfarer --no-sync >/dev/null || fail "initdb"
start "${plain_user[@]}" postgres -D cluster -k "$work/data" -c listen_addresses= -c fsync=off >/dev/null 2>&1
server=${started[0]}
wait_until psql -c 'select 1'

psql -q -c "create table accounts (id int primary key, sum int, note text);
    insert into accounts select i, 100, md5(random()::text) from generate_series(1, 200) i"
clients=()
for client in 1 2 3; do
    psql -q -c "update accounts set sum = sum + $client, note = md5(note || random()) where id % 3 < $client" &
    clients+=($!)
done
for client in "${clients[@]}"; do
    wait "$client" || fail "a client"
done
expect "sum of all accounts" "20932" "$(psql -Atc 'select sum(sum) from accounts')"
psql -Atc "select md5(string_agg(note, '' order by id)), now() from accounts"

kill -INT "$server"
wait "$server"
expect "end of the server" 0 $?
started=()
