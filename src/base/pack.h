/* Data as bytes, for another process of the same program: numbers and structures as they lie in memory, texts with
 * their length. Writers append to a text, which notes a lack of memory; readers check bounds. */
#ifndef HAUL_BASE_PACK_H
#define HAUL_BASE_PACK_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pack_bytes(text *out, const void *bytes, size_t count);
void pack_number(text *out, uint64_t number);
void pack_string(text *out, const char *string); /* NULL is allowed */

typedef struct pack_reader {
    const char *at, *end;
    bool failed; /* the bytes have ended, or there was no memory; what is read then is zero */
} pack_reader;

void unpack_bytes(pack_reader *r, void *bytes, size_t count);
uint64_t unpack_number(pack_reader *r);
const char *unpack_string(pack_reader *r, arena *memory);
/* Reads `count` elements into new memory; NULL for none. */
void *unpack_array(pack_reader *r, arena *memory, size_t count, size_t size);

#endif
