/* Writes docs/runtime.md or docs/driver.md: the functions of the CUDA runtime or driver API, and which of them the
 * stand-in has. usage: haul_gen_runtime_docs runtime|driver */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum reason {
    HERE,
#define REASON(id, text) id,
#include "standin/reasons.def"
#undef REASON
    REASONS
} reason;

static const char *const texts[] = {
#define REASON(id, text) [id] = (text),
#include "standin/reasons.def"
#undef REASON
};

typedef struct function {
    const char *name;
    reason reason; /* why the stand-in lacks it */
} function;

static const function runtime[] = {
#define RUNTIME(name) {#name, HERE},
#define MISSING(name, reason) {#name, reason},
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
};

static const function driver[] = {
#define NAME(name, version) {#name, HERE},
#define REFUSED(name, version, reason) {#name, reason},
#include "standin/cuda/names.def"
#undef NAME
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
     "13.0, some of later versions, and those for OpenGL, EGL and VDPAU (`src/standin/cuda/names.def`). Forms of a "
     "function, `_v2` and so on, "
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
        if (p->functions[i].reason == HERE && strcmp(p->functions[i].name, form) == 0) return true;
    return false;
}

static size_t count(const page *p, reason r) {
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) n += is_listed(p->functions[i].name) && p->functions[i].reason == r;
    return n;
}

static size_t count_missing(const page *p) {
    size_t n = 0;
    for (reason r = HERE + 1; r < REASONS; r++) n += count(p, r);
    return n;
}

static void print(const page *p, reason r) {
    for (size_t i = 0; i < p->count; i++) {
        const char *name = p->functions[i].name;
        if (!is_listed(name) || p->functions[i].reason != r) continue;
        const bool by_thread = has_form(p, name, "_ptsz") || has_form(p, name, "_ptds");
        printf("- `%s`%s\n", name, by_thread ? ", also with a default stream for each thread" : "");
    }
}

int main(int argument_count, char **arguments) {
    const bool of_driver = argument_count == 2 && strcmp(arguments[1], "driver") == 0;
    if (!of_driver && (argument_count != 2 || strcmp(arguments[1], "runtime") != 0)) return 2;
    const page *p = &pages[of_driver];
    printf("%s\n## Supported: %zu\n\n", p->begin, count(p, HERE));
    print(p, HERE);
    printf("\n## Not supported: %zu\n\n%s\n", count_missing(p), p->refused);
    for (reason r = HERE + 1; r < REASONS; r++) {
        if (!count(p, r)) continue;
        printf("\n%s\n\n", texts[r]);
        print(p, r);
    }
    return 0;
}
