/* The plain name of a function in its C++ symbol, without demangling: the last name of its qualified name. */
#include "base/mangled.h"

#include <ctype.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A source name is a decimal length and the name; returns NULL if none begins at `s`. */
static const char *source_name(const char *s, size_t *length) {
    if (!isdigit((unsigned char)*s)) return NULL;
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (n == 0 || n > strlen(end)) return NULL;
    *length = n;
    return end;
}

/* After the function's encoding come E, the name, and sometimes a number that distinguishes equal names. */
static const char *local_name(const char *symbol, size_t *length) {
    for (const char *e = strchr(symbol, 'E'); e; e = strchr(e + 1, 'E')) {
        size_t part;
        const char *name = source_name(e + 1, &part);
        if (!name || (name[part] && name[part] != '_')) continue;
        *length = part;
        return name;
    }
    return NULL;
}

const char *mangled_name(const char *symbol, size_t *length) {
    const char *name = symbol, *next = symbol + 2;
    size_t part;
    *length = strlen(symbol);
    if (strncmp(symbol, "_Z", 2) != 0) return name;
    if (*next == 'Z' && (name = local_name(next, &part))) {
        *length = part;
        return name;
    }
    name = symbol;
    next += *next == 'N' || *next == 'L'; /* a nested name, or one with internal linkage */
    for (const char *found; (found = source_name(next + (*next == 'L'), &part)); next = found + part) {
        name = found;
        *length = part;
        if (symbol[2] != 'N') break;
    }
    return name;
}

const char *mangled_copy(const char *symbol, char *to, size_t size) {
    size_t length;
    const char *name = mangled_name(symbol, &length);
    snprintf(to, size, "%.*s", length < size ? (int)length : (int)size - 1, name);
    return to;
}
