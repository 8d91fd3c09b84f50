# make/prepare.sh DIRECTORY
# Writes a C project of ten small files and its Makefile.
mkdir -p "$1"
objects=""
for number in 0 1 2 3 4 5 6 7 8; do
    objects="$objects part$number.o"
    cat >"$1/part$number.c" <<END
#include <stdio.h>
#include <string.h>
#include "project.h"

int part$number(const char *text) {
    char line[64];
    snprintf(line, sizeof line, "%s-%d", text, $number);
    puts(line);
    return (int)strlen(line);
}
END
done
{
    echo "#pragma once"
    for number in 0 1 2 3 4 5 6 7 8; do echo "int part$number(const char *text);"; done
} >"$1/project.h"
{
    echo '#include "project.h"'
    echo 'int main(void) { int sum = 0;'
    for number in 0 1 2 3 4 5 6 7 8; do echo "sum += part$number(\"part\");"; done
    echo 'return sum == 9 * 6 ? 0 : 1; }'
} >"$1/main.c"
{
    echo "program: main.o$objects"
    printf '\tgcc -o $@ $^\n'
    echo '%.o: %.c project.h'
    printf '\tgcc -O1 -Wall -c -o $@ $<\n'
    echo 'clean:'
    printf '\trm -f program *.o\n'
} >"$1/Makefile"
