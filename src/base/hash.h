/* FNV-1a, 64 bits: what truth files hash buffers with, and what names are looked up by. */
#ifndef HAUL_BASE_HASH_H
#define HAUL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 1469598103934665603ull /* as the truth files have it; not FNV's own offset basis */

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * 1099511628211ull;
    return hash;
}

#endif
