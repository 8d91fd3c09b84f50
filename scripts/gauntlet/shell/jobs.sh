# shell/jobs.sh WORK
# Pipelines, background jobs, traps, fifos, process substitution, a coprocess, wait in its forms.
. "$(dirname "$0")/../common.sh"
cd "$1" || fail "no directory $1"

echo "process $$ of parent $PPID on $(uname -n), random $RANDOM, $(date +%s%N)"
expect "pipeline" 5050 "$(seq 1 100 | awk '{ sum += $1 } END { print sum }')"
expect "long pipeline" 7 "$(seq 1 5000 | grep 7 | sed 's/[^7]//g' | tr -d '\n' | fold -w 1 | sort -u | head -n 1)"
false | true | (exit 3) | cat
expect "statuses" "1 0 3 0" "${PIPESTATUS[*]}"

# Which job ends first differs from run to run.
for job in 1 2 3 4; do
    (
        sleep "0.0$((RANDOM % 5))"
        echo "job $job"
        exit "$job"
    ) &
done
for job in 1 2 3 4; do
    wait -n
    echo "a job ended with $?"
done

mkfifo channel
seq 1 2000 >channel &
expect "fifo" 2000 "$(wc -l <channel)"
wait $!

expect "process substitution" "3" "$(comm -12 <(seq 1 5 | grep -v 4) <(seq 3 4) | tr -d '\n')"

coproc calculator { while read -r left right; do echo $((left * right)); done; }
calculator_process=$calculator_PID
echo "6 7" >&"${calculator[1]}"
read -r product <&"${calculator[0]}"
expect "coprocess" 42 "$product"
exec {calculator[1]}>&-
wait "$calculator_process"

caught=0
trap 'caught=$((caught + 1))' USR1
for signal in 1 2 3; do
    kill -USR1 $$
done
(kill -USR1 $$)
expect "signals caught" 4 "$caught"

sleep 60 &
sleeper=$!
kill -TERM "$sleeper"
wait "$sleeper"
expect "killed job" 143 "$?"

(
    trap 'echo "in the exit trap"; exit 9' EXIT
    exit 1
)
expect "exit trap" 9 "$?"

seq 1 20 | xargs -P 2 -n 5 sh -c 'echo "$$: $*"' arguments | awk '{ print NF }' | sort | uniq -c
cat <<END >document.txt
here document of $$
END
expect "here document" 1 "$(wc -l <document.txt)"
find . -type f -o -type p | sort | tr '\n' ' '
echo
for file in *; do [ -r "$file" ] && printf '%s ' "${file%.*}"; done
echo
ls -l --time-style=full-iso . | tail -n 2
