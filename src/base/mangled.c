#include "base/mangled.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A source name is its length in decimal and then itself; NULL when none begins at `s`. */
static const char *source_name(const char *s, size_t *length) {
    if (!isdigit((unsigned char)*s)) return NULL;
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (n == 0 || n > strlen(end)) return NULL;
    *length = n;
    return end;
}

const char *mangled_name(const char *symbol, size_t *length) {
    const char *name = symbol, *next = symbol + 2;
    *length = strlen(symbol);
    if (strncmp(symbol, "_Z", 2) != 0) return name;
    next += *next == 'N' || *next == 'L'; /* a nested name; one of internal linkage */
    size_t part;
    for (const char *found; (found = source_name(next, &part)); next = found + part) {
        name = found;
        *length = part;
        if (symbol[2] != 'N') break;
    }
    return name;
}
