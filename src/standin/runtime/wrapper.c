/* The list of wrappers (wrapper.h). It is made before the program's threads begin, and when the program opens a
 * library; calls only read it, under the session's lock. */
#include "standin/runtime/wrapper.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct code_range {
    uintptr_t first, end;
    struct code_range *next;
} code_range;

static code_range *wrappers;

unsigned standin_source_name(const char *symbol, const char **name) {
    if (strncmp(symbol, "_Z", 2) != 0) return 0;
    const char *digits = symbol + 2 + (symbol[2] == 'L' || symbol[2] == 'Z'); /* L: static; Z: local to a function */
    char *end;
    if (*digits < '1' || *digits > '9') return 0;
    const unsigned long length = strtoul(digits, &end, 10);
    *name = end;
    return length <= strlen(end) ? (unsigned)length : 0;
}

void standin_note_wrapper(uintptr_t first, uint64_t bytes) {
    code_range *r = memory_zeroed(1, sizeof *r);
    if (!r) return;
    *r = (code_range){first, first + bytes, wrappers};
    wrappers = r;
}

/* The address is behind the call, which may be the function's last instruction. */
bool standin_is_wrapper(const void *address) {
    const uintptr_t at = (uintptr_t)address;
    for (const code_range *r = wrappers; r; r = r->next)
        if (at > r->first && at <= r->end) return true;
    return false;
}
