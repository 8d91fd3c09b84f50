# What the scenarios share. Source it; every loop in here ends by itself.
set -u
export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C

# Ends the scenario with a reason on stderr.
fail() {
    echo "scenario failed: $*" >&2
    exit 1
}

# expect WHAT WANTED CAME
expect() {
    [ "$2" = "$3" ] || fail "$1: wanted '$2', came '$3'"
    echo "$1: $3"
}

# Waits, ten seconds at most, until something accepts connections on PORT of this host.
wait_for_port() {
    local attempt
    for attempt in {1..200}; do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then
            return 0
        fi
        sleep 0.05
    done
    fail "nothing listens on port $1 after ten seconds"
}

# Runs "$@" until it succeeds, ten seconds at most.
wait_until() {
    local attempt
    for attempt in {1..200}; do
        if "$@" >/dev/null 2>&1; then
            return 0
        fi
        sleep 0.05
    done
    fail "still false after ten seconds: $*"
}

# Processes started by `start`; whatever is left of them is ended when the scenario ends.
started=()
start() {
    "$@" &
    started+=($!)
}
end_started() {
    local process
    for process in "${started[@]}"; do
        kill -TERM "$process" 2>/dev/null && wait "$process" 2>/dev/null
    done
}
trap end_started EXIT
