#!/bin/bash
# Phenomenon: many short programs work on files: mktemp, find, sort, xargs, tar, cp, rm.
# Nondeterministic: names, times, inodes.
directory=$(mktemp -d)
cd "$directory" || exit 1
for i in 1 2 3 4 5 6; do
    head -c $((RANDOM % 3000)) /dev/urandom > "file-$RANDOM"
done
mkdir below
cp -p file-* below/
find . -type f -printf '%i %s %p\n' | sort -k2n | head -4
stat -c '%y %n' below
tar cf - below | tar tf - | sort | tail -3
find . -name 'file-*' -print0 | xargs -0 -n 4 cksum | awk '{sum += $1} END {print "sum", sum}'
cd / && rm -r "$directory"
echo "done in $directory"
