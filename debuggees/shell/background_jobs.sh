#!/bin/bash
# Phenomenon: background jobs, wait in its forms, traps, signals to jobs.
# Nondeterministic: pids, the order in which the jobs write and end.
trap 'echo "trap: a signal came"' USR1
for i in 1 2 3 4; do
    (echo "job $i is $BASHPID"; sleep "0.00$((RANDOM % 5))"; exit "$i") &
done
while wait -n; status=$?; [ "$status" -ne 127 ]; do
    echo "a job ended with $status"
done
kill -USR1 $$
sleep 5 &
victim=$!
kill -TERM "$victim"
wait "$victim"
echo "victim $victim ended with $?"
exit 0
