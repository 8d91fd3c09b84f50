# stress/threads.sh
# Short rounds of stress-ng: threads that come and go, mutexes, semaphores, and a timer that fires faster than
# its handler returns.
. "$(dirname "$0")/../common.sh"
for what in pthread mutex timer sigsuspend; do
    stress-ng --quiet --$what 2 --$what-ops 50 --timeout 20 || fail "$what"
    echo "$what"
done
