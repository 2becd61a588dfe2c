/* Stands in for LLVM in run_loading.sh: takes long to load, and ends the process badly if the program ends meanwhile.
 * It has none of LLVM's functions, so kernels are interpreted. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile int is_loaded;

static void at_end(void) {
    if (is_loaded) return;
    fputs("the program ended while the library was being loaded\n", stderr);
    abort();
}

__attribute__((constructor)) static void load(void) {
    const struct timespec half_a_second = {.tv_nsec = 500000000};
    atexit(at_end);
    nanosleep(&half_a_second, NULL);
    is_loaded = 1;
    fputs("loaded\n", stderr);
}
