/* The bytes of each line that a warp access touches, and the lanes that touch each byte, in a few parts. The checks'
 * shadow memory is kept in this form (check/).
 *
 * An instruction tends to touch memory in the same shape each time, at another address. So a footprint is computed once
 * for each shape and cached by instruction. */
#ifndef HAUL_STATE_FOOTPRINT_H
#define HAUL_STATE_FOOTPRINT_H

#include "state/op.h"

#include <stdbool.h>
#include <stddef.h>

enum { SIM_FOOTPRINT_LINE = 128, SIM_FOOTPRINT_WAYS = 8 };

/* Bytes of a line, a bit each. */
typedef struct sim_bytes {
    uint64_t half[2];
} sim_bytes;

static inline sim_bytes sim_bytes_and(sim_bytes a, sim_bytes b) {
    return (sim_bytes){{a.half[0] & b.half[0], a.half[1] & b.half[1]}};
}
static inline sim_bytes sim_bytes_or(sim_bytes a, sim_bytes b) {
    return (sim_bytes){{a.half[0] | b.half[0], a.half[1] | b.half[1]}};
}
static inline sim_bytes sim_bytes_without(sim_bytes a, sim_bytes b) {
    return (sim_bytes){{a.half[0] & ~b.half[0], a.half[1] & ~b.half[1]}};
}
static inline bool sim_bytes_any(sim_bytes a) {
    return (a.half[0] | a.half[1]) != 0;
}
static inline bool sim_bytes_all(sim_bytes a) {
    return (a.half[0] & a.half[1]) == UINT64_MAX;
}
static inline bool sim_bytes_equal(sim_bytes a, sim_bytes b) {
    return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}
static inline bool sim_bytes_overlap(sim_bytes a, sim_bytes b) {
    return sim_bytes_any(sim_bytes_and(a, b));
}
/* The bytes of one word of the line, as four bits. */
static inline unsigned sim_bytes_of_word(sim_bytes a, unsigned word) {
    return (unsigned)(a.half[word / 16] >> 4 * (word % 16)) & 15;
}
/* Returns a bit for each word of the line of which some byte is in the set. */
static inline uint32_t sim_bytes_words(sim_bytes a) {
    uint32_t words[2];
    for (unsigned h = 0; h < 2; h++) {
        uint64_t x = a.half[h];
        x |= x >> 1;
        x = (x | x >> 2) & UINT64_C(0x1111111111111111);
        x = (x | x >> 3) & UINT64_C(0x0303030303030303);
        x = (x | x >> 6) & UINT64_C(0x000f000f000f000f);
        x = (x | x >> 12) & UINT64_C(0x000000ff000000ff);
        words[h] = (uint32_t)(x | x >> 24) & 0xffff;
    }
    return words[0] | words[1] << 16;
}
/* Returns all bytes of the words, which are a bit each. */
static inline sim_bytes sim_bytes_of_words(uint32_t words) {
    sim_bytes b;
    for (unsigned h = 0; h < 2; h++) {
        uint64_t x = words >> 16 * h & 0xffff;
        x = (x | x << 24) & UINT64_C(0x000000ff000000ff);
        x = (x | x << 12) & UINT64_C(0x000f000f000f000f);
        x = (x | x << 6) & UINT64_C(0x0303030303030303);
        x = (x | x << 3) & UINT64_C(0x1111111111111111);
        b.half[h] = x * 15;
    }
    return b;
}
static inline bool sim_bytes_has(sim_bytes a, unsigned byte) {
    return a.half[byte / 64] >> byte % 64 & 1;
}
/* Returns the line's bytes before byte `end`. */
static inline sim_bytes sim_bytes_before(unsigned end) {
    if (end >= 128) return (sim_bytes){{UINT64_MAX, UINT64_MAX}};
    const uint64_t bits = (UINT64_C(1) << end % 64) - 1;
    return (sim_bytes){{end < 64 ? bits : UINT64_MAX, end < 64 ? 0 : bits}};
}
/* Returns bytes from .. to-1 of the line. */
static inline sim_bytes sim_bytes_range(unsigned from, unsigned to) {
    return sim_bytes_without(sim_bytes_before(to), sim_bytes_before(from));
}
/* Returns `bytes` bytes (at most 32) from `from` on, which is aligned to their number. */
static inline sim_bytes sim_bytes_aligned(unsigned from, unsigned bytes) {
    const uint64_t bits = ((UINT64_C(1) << bytes) - 1) << from % 64;
    return (sim_bytes){{from < 64 ? bits : 0, from < 64 ? 0 : bits}};
}

/* The lanes that own a byte: `lanes` at byte `start`, shifted by `step` lanes for each `stride` bytes after it, or
 * before it if stride is negative. Stride 0: `lanes` own every byte. With runs (positive stride only), only every other
 * piece of 1 << run bytes has an owner, as in a butterfly exchange. Equal bits mean equal owners. */
typedef union sim_owner {
    struct {
        uint32_t lanes;
        uint8_t start;
        int8_t stride;
        uint8_t step, run; /* run 0: none */
    };
    uint64_t bits;
} sim_owner;

/* Counts the bytes from the start of an owner's first run, without those between runs; negative between runs, or before
 * the first. */
static inline int sim_bytes_in_runs(int apart, unsigned run) {
    if (apart < 0 || apart >> run & 1) return -1;
    return apart >> (run + 1) << run | (apart & ((1 << run) - 1));
}

static inline uint32_t sim_owner_lanes(sim_owner o, unsigned byte) {
    if (o.stride == 0) return o.lanes;
    int apart = o.stride > 0 ? (int)byte - o.start : o.start - (int)byte;
    if (o.run && (apart = sim_bytes_in_runs(apart, o.run)) < 0) return 0;
    const int further = apart / (o.stride > 0 ? o.stride : -o.stride) * o.step;
    return further >= 0 && further < SIM_LANES ? o.lanes << further : 0;
}
/* Returns whether no byte has two lanes. */
static inline bool sim_owner_is_single(sim_owner o) {
    return (o.lanes & (o.lanes - 1)) == 0;
}

typedef struct sim_part {
    sim_bytes bytes;
    sim_owner owner;
    int32_t line;   /* relative to the line of the first active lane */
    uint32_t lanes; /* of the whole part */
} sim_part;

/* Returns whether `a` and `b` give each of the bytes the same lanes. */
bool sim_same_lanes(sim_bytes bytes, sim_owner a, sim_owner b);
/* Makes an owner: lanes from `first` on, one for each `stride` bytes (at least `bytes`) from byte `start` of the line
 * on. */
sim_owner sim_owner_evenly(unsigned first, unsigned start, unsigned stride, unsigned bytes);
/* Returns all lanes that touch any of the bytes. */
uint32_t sim_part_lanes(sim_bytes bytes, sim_owner owner);

typedef struct sim_footprint {
    uint32_t apart[SIM_LANES]; /* relative to the first active lane's address; 0 for inactive lanes */
    uint32_t active;
    uint8_t bytes, phase;    /* bytes of a lane; offset of the first lane's address in its line */
    uint8_t count, capacity; /* of parts: mostly few */
    sim_part parts[];
} sim_footprint;

/* A cache of footprints: SIM_FOOTPRINT_WAYS for each instruction, by offset in the line; NULL until needed. */
typedef struct sim_footprints {
    sim_footprint **list;
    size_t count;
} sim_footprints;

bool sim_footprints_create(sim_footprints *kept, size_t instructions);
void sim_footprints_free(sim_footprints *kept);

/* Returns the footprint of an access of `bytes` bytes (at most 128, aligned to their number) by each active lane; some
 * lane is active. Valid until the same instruction's next call. NULL if the host has no memory. */
const sim_footprint *sim_footprint_of(sim_footprints *kept, uint32_t instruction, unsigned bytes, uint32_t active,
                                      const uint32_t address[SIM_LANES]);

#endif
