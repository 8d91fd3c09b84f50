/* Linked to every C and C++ program here: zeroes the stack below main before it begins. What the loader left there
   differs from run to run, and a debugger shows it as the value of a variable that has none yet. */
__attribute__((constructor)) static void clean_stack(void) {
    volatile char below[1 << 16];
    for (unsigned at = 0; at < sizeof below; at++) below[at] = 0;
}
