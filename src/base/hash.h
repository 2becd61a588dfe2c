/* Two hashes. FNV-1a with 64 bits hashes the buffers of truth files, and names for look-up. The one with 128 bits,
 * eight bytes at a time, makes checksums and keys of the cache; it does not resist deliberate collisions. */
#ifndef HAUL_BASE_HASH_H
#define HAUL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START 1469598103934665603ull /* as in the truth files; not FNV's own offset basis */

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * 1099511628211ull;
    return hash;
}

static inline void hash_both_start(uint64_t hash[2]) {
    hash[0] = HASH_START;
    hash[1] = ~HASH_START;
}

/* Each step maps different words to different states, so any change of a single word changes the hash. */
static inline void hash_both_word(uint64_t hash[2], uint64_t word) {
    hash[0] = (hash[0] ^ word) * 0x9fb21c651e98df25ull;
    hash[1] = (hash[1] + word) * 0xd6e8feb86659fd93ull;
    hash[0] ^= hash[0] >> 32;
    hash[1] ^= hash[1] >> 29;
}

/* Hashes the bytes and their count. */
static inline void hash_both(uint64_t hash[2], const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    uint64_t word;
    hash_both_word(hash, count);
    for (; count >= sizeof word; count -= sizeof word, b += sizeof word) {
        memcpy(&word, b, sizeof word);
        hash_both_word(hash, word);
    }
    word = 0;
    if (count) memcpy(&word, b, count);
    hash_both_word(hash, word);
}

#endif
