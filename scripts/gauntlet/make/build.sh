# make/build.sh WORK
# A parallel build: many short processes, a job server over a pipe, temporary files.
. "$(dirname "$0")/../common.sh"
bash "$(dirname "$0")/prepare.sh" "$1/project"
make -C "$1/project" -j2 || fail "make"
expect "objects" 10 "$(ls "$1"/project/*.o | wc -l)"
[ -x "$1/project/program" ] || fail "no program"
expect "second make" "up to date" "$(make -C "$1/project" program | grep -o 'up to date')"
