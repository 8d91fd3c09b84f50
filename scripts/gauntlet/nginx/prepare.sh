# nginx/prepare.sh WORK PORT
# A master with two workers that serves files, takes uploads and is a proxy of itself.
work=$1
port=$2
mkdir -p "$work/files/deep/er" "$work/uploads" "$work/temporary"
echo "plain page" >"$work/files/index.html"
seq 1 20000 >"$work/files/numbers.txt"
head -c 1000000 /dev/urandom >"$work/files/random.bin"
echo "found" >"$work/files/deep/er/page.html"

# The workers give up root for an ordinary user, who must still reach the files.
chmod 755 "$work"
chmod 777 "$work/uploads" "$work/temporary"
user_line=""
[ "$(id -u)" -ne 0 ] || user_line="user nobody nogroup;"

cat >"$work/nginx.conf" <<END
$user_line
daemon off;
master_process on;
worker_processes 2;
pid $work/nginx.pid;
error_log stderr warn;
events { worker_connections 64; }
http {
    access_log $work/access.log;
    client_body_temp_path $work/temporary/body;
    proxy_temp_path $work/temporary/proxy;
    fastcgi_temp_path $work/temporary/fastcgi;
    uwsgi_temp_path $work/temporary/uwsgi;
    scgi_temp_path $work/temporary/scgi;
    sendfile on;
    gzip on;
    gzip_types text/plain;
    types { text/html html; text/plain txt; application/octet-stream bin; }
    server {
        listen 127.0.0.1:$port;
        root $work/files;
        location /answer { return 200 "\$request_method \$content_length \$request_id\n"; }
        location /uploads/ { root $work; dav_methods PUT DELETE; }
        location /proxy/ { proxy_pass http://127.0.0.1:$port/; }
    }
}
END
