#!/bin/bash
# Phenomenon: process substitution, coprocesses, named descriptors.
# Nondeterministic: pids and random numbers.
paste <(seq 1 5) <(for i in 1 2 3 4 5; do echo "$RANDOM"; done) <(yes "$$" | head -5)
coproc ADDER { while read -r a b; do echo $((a + b)); done; }
for i in 1 2 3; do
    echo "$i $RANDOM" >&"${ADDER[1]}"
    read -r sum <&"${ADDER[0]}"
    echo "sum $sum"
done
exec {ADDER[1]}>&-
wait
exec 7> >(sed 's/^/from 7: /')
echo "written by $$" >&7
exec 7>&-
wait $!
diff <(echo one) <(echo two)
echo "diff said $?"
