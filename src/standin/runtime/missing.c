/* Functions of the runtime that haul lacks: they return an error, and the program's end lists them.
 *
 * The table is runtime.def. A function without parameters takes any arguments of the platform's calling convention,
 * so each missing function needs only its name. */
#include "standin/standin.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef enum missing {
#define RUNTIME(name)
#define MISSING(name, reason) MISSING_##name,
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
    MISSING_COUNT
} missing;

static const char *const names[] = {
#define RUNTIME(name)
#define MISSING(name, reason) #name,
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
};

static atomic_ulong asked[MISSING_COUNT];

/* Counts, then fails as a call of the runtime does, so that cudaGetLastError() knows of it. It does not know of private
 * functions: NVIDIA's libraries go on without them, and their callers would take the error for one of a later call. */
static CUresult refuse(missing function, bool is_private) {
    asked[function]++;
    if (is_private) return CUDA_NOT_SUPPORTED;
    standin_enter();
    return standin_leave(CUDA_NOT_SUPPORTED);
}

#define RUNTIME(name)
#define MISSING(name, reason)                                           \
    CUresult name(void) {                                               \
        return refuse(MISSING_##name, strcmp(#reason, "PRIVATE") == 0); \
    }
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING

/* One line for each missing function that was called, with the number of calls. */
void standin_report_missing(void) {
    for (size_t i = 0; i < MISSING_COUNT; i++)
        if (asked[i])
            fprintf(stderr, "haul: %s() is not supported; the program called it %lu time%s\n", names[i],
                    (unsigned long)asked[i], asked[i] == 1 ? "" : "s");
}
