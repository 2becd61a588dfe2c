/* Escapes text for HTML and SVG. Bytes that are not valid UTF-8, and control characters, become question marks: a page
 * with them would be invalid. */
#include "report/write/markup.h"

#include <stdint.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at `s`, 0 if there is none (overlong forms and surrogates are invalid). */
static size_t sequence_length(const char *s) {
    const unsigned char *u = (const unsigned char *)s;
    size_t length = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
    }
    if (u[0] == 0xe0 && u[1] < 0xa0) return 0;
    if (u[0] == 0xed && u[1] > 0x9f) return 0;
    if (u[0] == 0xf0 && u[1] < 0x90) return 0;
    if (u[0] == 0xf4 && u[1] > 0x8f) return 0;
    return length;
}

/* Returns the character's entity; NULL if it needs none. */
static const char *entity(char c) {
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\n':
    case '\t': return NULL;
    default: return (unsigned char)c < 0x20 || c == 0x7f ? "?" : NULL;
    }
}

void markup_put(text *out, const char *s) {
    while (s && *s) {
        size_t length = sequence_length(s);
        const char *instead = length ? entity(*s) : "?";
        if (instead)
            text_put(out, instead);
        else
            text_append(out, s, length);
        s += length ? length : 1;
    }
}
