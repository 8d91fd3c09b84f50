#!/usr/bin/env bash
# Installs the real programs that the gauntlet records, by package name and only where missing.
# A freshly installed daemon is not started: the scenarios start their own, on their own ports.
set -euo pipefail

# One line per program: a command that it provides, then the packages that provide it, best first.
wanted="
redis-server    redis-server
redis-benchmark redis-tools
nginx           nginx-light nginx
mosquitto       mosquitto
mosquitto_pub   mosquitto-clients
curl            curl
/usr/bin/python3 python3
make            make
gcc             gcc
g++             g++
memcached       memcached
pigz            pigz
initdb          postgresql
haproxy         haproxy
stress-ng       stress-ng
gst-launch-1.0  gstreamer1.0-tools
gdb             gdb
objcopy         binutils
/bin/kill       procps
setpriv         util-linux
dwz             dwz
"

export PATH="$PATH:/usr/sbin:/sbin"
# Debian keeps the programs of each version of PostgreSQL in a place of their own.
for directory in /usr/lib/postgresql/*/bin; do
    PATH="$PATH:$directory"
done
missing=()
while read -r program packages; do
    [ -n "$program" ] || continue
    command -v "$program" >/dev/null 2>&1 || missing+=("$packages")
done <<<"$wanted"

if [ "${#missing[@]}" -eq 0 ]; then
    echo "packages: nothing to install"
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "packages: missing: ${missing[*]}" >&2
    echo "packages: no apt-get on this machine; install them with its package manager and run again" >&2
    exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "packages: missing: ${missing[*]}" >&2
        echo "packages: installing needs root; run: sudo $0" >&2
        exit 1
    fi
    as_root=(sudo -n)
fi

# invoke-rc.d asks this file whether it may start a service: 101 means "no". An existing policy is
# the administrator's and is put back afterwards.
policy=/usr/sbin/policy-rc.d
policy_before=""
put_policy_back() {
    if [ -n "$policy_before" ]; then
        "${as_root[@]}" mv -f "$policy_before" "$policy"
    else
        "${as_root[@]}" rm -f "$policy"
    fi
}
if [ -e "$policy" ]; then
    policy_before="$policy.before-wayfarer.$$"
    "${as_root[@]}" cp -p "$policy" "$policy_before"
fi
trap put_policy_back EXIT
printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
"${as_root[@]}" chmod 755 "$policy"

install_packages() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null
}

"${as_root[@]}" apt-get update -qq </dev/null
for choices in "${missing[@]}"; do
    installed=no
    for package in $choices; do
        if install_packages "$package"; then
            installed=yes
            break
        fi
    done
    if [ "$installed" = no ]; then
        echo "packages: could not install any of: $choices" >&2
        exit 1
    fi
    echo "packages: installed one of: $choices"
done
