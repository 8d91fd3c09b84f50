/* The library of `library.c` and `plugin.c`. */
static int library_static = 11;
int library_global = 22;
__thread int library_own = 33;
void library_note(int value);
int library_answer(int question, int (*call_back)(int));

__attribute__((noinline)) void library_note(int value) { library_global += value & 0; }

__attribute__((noinline)) static int inside(int depth, int (*call_back)(int)) {
    int local = depth + library_static;
    library_own++;
    int answer = 0;
    answer += call_back(local);
    return answer + library_global;
}

int library_answer(int question, int (*call_back)(int)) {
    int doubled = question * 2;
    int answer = 0;
    library_note(doubled);
    answer += inside(doubled, call_back);
    return answer + doubled + library_own;
}
