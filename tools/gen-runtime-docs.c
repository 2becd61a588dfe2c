/* Writes docs/runtime.md: the functions of the CUDA runtime API, and which of them the stand-in has. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    bool is_here;
} functions[] = {
#define RUNTIME(name) {#name, true},
#define MISSING(name) {#name, false},
#include "standin/runtime.def"
#undef RUNTIME
#undef MISSING
};
enum { COUNT = sizeof functions / sizeof *functions };

/* Forms with a default stream for each thread stand beside the plain ones; what compilers call is of no interest. */
static bool is_listed(const char *name) {
    return strncmp(name, "__", 2) != 0 && !strstr(name, "_pt");
}

static bool has_form(const char *name, const char *suffix) {
    char form[128];
    snprintf(form, sizeof form, "%s%s", name, suffix);
    for (size_t i = 0; i < COUNT; i++)
        if (functions[i].is_here && strcmp(functions[i].name, form) == 0) return true;
    return false;
}

static size_t count(bool is_here) {
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++) n += is_listed(functions[i].name) && functions[i].is_here == is_here;
    return n;
}

static void print(bool is_here) {
    for (size_t i = 0; i < COUNT; i++) {
        const char *name = functions[i].name;
        if (!is_listed(name) || functions[i].is_here != is_here) continue;
        const bool by_thread = has_form(name, "_ptsz") || has_form(name, "_ptds");
        printf("- `%s`%s\n", name, by_thread ? ", also with a default stream for each thread" : "");
    }
}

int main(void) {
    printf("# Functions of the CUDA runtime that programs may call\n\n"
           "`haul run -- PROGRAM` ([run.md](run.md)) puts haul's own CUDA runtime into the program. This list is made "
           "from the runtime's table (`src/standin/runtime.def`), which has the functions of CUDA 13.0.\n\n"
           "## Supported: %zu\n\n",
           count(true));
    print(true);
    printf("\n## Not supported: %zu\n\n"
           "These return `cudaErrorNotSupported` (801). haul names those that a program called when it ends.\n\n",
           count(false));
    print(false);
    return 0;
}
