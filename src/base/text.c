/* Strings that grow. A failure is remembered in the text, so that callers check once at the end. */
#include "base/text.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* Most printed text fits into this, so that it need not be formatted twice. */
enum { USUAL_LENGTH = 64 };

void text_free(text *t) {
    memory_free(t->bytes);
    *t = (text){0};
}

void text_clear(text *t) {
    t->length = 0;
    t->failed = false;
    if (t->bytes) t->bytes[0] = '\0';
}

const char *text_string(const text *t) {
    return t->bytes ? t->bytes : "";
}

/* Doubles, so that appending bytes one by one stays cheap. */
static bool reserve(text *t, size_t more) {
    if (t->failed) return false;
    size_t need = t->length + more + 1;
    if (need <= t->capacity) return true;
    size_t capacity = t->capacity * 2 > need ? t->capacity * 2 : need + 64;
    char *bytes = memory_resize(t->bytes, capacity);
    if (!bytes) {
        t->failed = true;
        return false;
    }
    t->bytes = bytes;
    t->capacity = capacity;
    return true;
}

void text_append(text *t, const char *bytes, size_t length) {
    if (!reserve(t, length)) return;
    if (length) memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

void text_put(text *t, const char *string) {
    text_append(t, string, strlen(string));
}

/* Formats into the room that is there, and again if that was too small. */
void text_vprintf(text *t, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    if (reserve(t, USUAL_LENGTH)) {
        const size_t room = t->capacity - t->length;
        const int length = vsnprintf(t->bytes + t->length, room, format, arguments);
        const bool fits = length >= 0 && (size_t)length < room;
        if (!fits) t->bytes[t->length] = '\0';
        if (!fits && length >= 0 && reserve(t, (size_t)length))
            vsnprintf(t->bytes + t->length, (size_t)length + 1, format, again);
        if (length >= 0 && !t->failed) t->length += (size_t)length;
    }
    va_end(again);
}

void text_printf(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(t, format, arguments);
    va_end(arguments);
}
