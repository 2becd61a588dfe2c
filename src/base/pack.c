#include "base/pack.h"

#include <string.h>

void pack_bytes(text *out, const void *bytes, size_t count) {
    text_append(out, bytes, count);
}

void pack_number(text *out, uint64_t number) {
    pack_bytes(out, &number, sizeof number);
}

/* The length is one more than the string's; 0 stands for NULL. */
void pack_string(text *out, const char *string) {
    pack_number(out, string ? strlen(string) + 1 : 0);
    if (string) text_put(out, string);
}

void unpack_bytes(pack_reader *r, void *bytes, size_t count) {
    memset(bytes, 0, count);
    r->failed |= count > (size_t)(r->end - r->at);
    if (r->failed) return;
    memcpy(bytes, r->at, count);
    r->at += count;
}

uint64_t unpack_number(pack_reader *r) {
    uint64_t number;
    unpack_bytes(r, &number, sizeof number);
    return number;
}

const char *unpack_string(pack_reader *r, arena *memory) {
    const uint64_t length = unpack_number(r);
    r->failed |= length > (uint64_t)(r->end - r->at) + 1;
    if (length == 0 || r->failed) return NULL;
    char *string = arena_copy(memory, r->at, length - 1);
    r->at += length - 1;
    r->failed |= !string;
    return string;
}

void *unpack_array(pack_reader *r, arena *memory, size_t count, size_t size) {
    r->failed |= size && count > (size_t)(r->end - r->at) / size;
    if (count == 0 || r->failed) return NULL;
    void *array = arena_array(memory, count, size);
    r->failed |= !array;
    if (array) unpack_bytes(r, array, count * size);
    return array;
}
