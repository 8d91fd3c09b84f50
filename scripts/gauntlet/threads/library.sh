# threads/library.sh WORK
# Builds a program whose own locks are all pthread's, and a library under it that locks by hand. Both lie
# beside WORK, which is gone when the replay begins: a replay needs the same programs.
. "$(dirname "$0")/../common.sh"
place=$(dirname "$1")
source=$(dirname "$0")
gcc -O2 -shared -fPIC -o "$place/libhand.so" "$source/hand_lock.c" || fail "gcc, library"
gcc -O2 -o "$place/library" "$source/library.c" "$place/libhand.so" || fail "gcc, program"
"$place/library" || fail "program"
