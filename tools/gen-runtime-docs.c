/* Writes docs/runtime.md or docs/driver.md: the functions of the CUDA runtime or driver API, and which of them the
 * stand-in has. usage: haul_gen_runtime_docs runtime|driver */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct function {
    const char *name;
    bool is_here;
} function;

static const function runtime[] = {
#define RUNTIME(name) {#name, true},
#define MISSING(name) {#name, false},
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
};

static const function driver[] = {
#define CALL(name, version, is_here) {#name, is_here},
#include "standin_names.inc"
#undef CALL
};

typedef struct page {
    const function *functions;
    size_t count;
    const char *begin, *refused;
} page;

static const page pages[] = {
    {runtime, sizeof runtime / sizeof *runtime,
     "# Functions of the CUDA runtime that programs may call\n\n"
     "`haul run -- PROGRAM` ([run.md](run.md)) puts haul's own CUDA runtime into the program. This list is made from "
     "the "
     "runtime's table (`src/standin/runtime/runtime.def`), which has the functions of CUDA 11, 12 and 13. The driver "
     "API is in "
     "[driver.md](driver.md).\n",
     "These return `cudaErrorNotSupported` (801). haul names those that a program called when it ends."},
    {driver, sizeof driver / sizeof *driver,
     "# Functions of the CUDA driver API that programs may call\n\n"
     "`haul run -- PROGRAM` ([run.md](run.md)) gives the program haul's own `libcuda.so.1`. It exports the names of "
     "CUDA "
     "13.0 and those for OpenGL, EGL and VDPAU (`src/standin/cuda/names.def`). Forms of a function, `_v2` and so on, "
     "are "
     "named each. The runtime API is in [runtime.md](runtime.md).\n",
     "These return `CUDA_ERROR_NOT_SUPPORTED` (801). haul names those that a program called when it ends."}};

/* Forms with a default stream for each thread stand beside the plain ones; what compilers call is of no interest. */
static bool is_listed(const char *name) {
    return strncmp(name, "__", 2) != 0 && !strstr(name, "_pt");
}

static bool has_form(const page *p, const char *name, const char *suffix) {
    char form[128];
    snprintf(form, sizeof form, "%s%s", name, suffix);
    for (size_t i = 0; i < p->count; i++)
        if (p->functions[i].is_here && strcmp(p->functions[i].name, form) == 0) return true;
    return false;
}

static size_t count(const page *p, bool is_here) {
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) n += is_listed(p->functions[i].name) && p->functions[i].is_here == is_here;
    return n;
}

static void print(const page *p, bool is_here) {
    for (size_t i = 0; i < p->count; i++) {
        const char *name = p->functions[i].name;
        if (!is_listed(name) || p->functions[i].is_here != is_here) continue;
        const bool by_thread = has_form(p, name, "_ptsz") || has_form(p, name, "_ptds");
        printf("- `%s`%s\n", name, by_thread ? ", also with a default stream for each thread" : "");
    }
}

int main(int argument_count, char **arguments) {
    const bool of_driver = argument_count == 2 && strcmp(arguments[1], "driver") == 0;
    if (!of_driver && (argument_count != 2 || strcmp(arguments[1], "runtime") != 0)) return 2;
    const page *p = &pages[of_driver];
    printf("%s\n## Supported: %zu\n\n", p->begin, count(p, true));
    print(p, true);
    printf("\n## Not supported: %zu\n\n%s\n\n", count(p, false), p->refused);
    print(p, false);
    return 0;
}
