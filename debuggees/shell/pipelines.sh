#!/bin/bash
# Phenomenon: pipelines of several programs, command substitution, here-documents.
# Nondeterministic: pids, $RANDOM, nanoseconds, inodes.
echo "shell $$, random $RANDOM, $(date +%N)"
seq 1 200 | shuf | head -20 | sort -n | tr '\n' ' '
echo
for i in 1 2 3; do
    value=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
    echo "$i: $value ${#value}"
done
cat <<END | sed 's/^/> /'
here is $BASHPID
and $RANDOM
END
yes wayfarer | head -3
echo "status of the pipeline: ${PIPESTATUS[*]}"
exit $((RANDOM % 50))
