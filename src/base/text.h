/* A growing text buffer. Out of memory sets `failed`, and later writes do nothing, so writers check once at the end. */
#ifndef HAUL_BASE_TEXT_H
#define HAUL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct text {
    char *bytes; /* NUL-terminated once anything was written, else NULL: use text_string() */
    size_t length, capacity;
    bool failed;
} text;

/* Strings owned by others. */
typedef struct text_list {
    const char **items;
    size_t count;
} text_list;

void text_free(text *t);
void text_clear(text *t);
const char *text_string(const text *t);
void text_append(text *t, const char *bytes, size_t length);
void text_put(text *t, const char *string);
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(text *t, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
