/* Which bytes of which lines a warp access touches, and which lanes each byte is touched by, in a few parts: what the
 * shadows of memory are kept in (check/lines.c, check/global_play.c).
 *
 * An instruction tends to touch memory in the same shape each time, at another place: a footprint is found once for a
 * shape and kept by instruction. */
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
static inline bool sim_bytes_equal(sim_bytes a, sim_bytes b) {
    return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}
static inline bool sim_bytes_overlap(sim_bytes a, sim_bytes b) {
    return sim_bytes_any(sim_bytes_and(a, b));
}
/* The four bits of a word of the line. */
static inline unsigned sim_bytes_of_word(sim_bytes a, unsigned word) {
    return (unsigned)(a.half[word / 16] >> 4 * (word % 16)) & 15;
}
static inline bool sim_bytes_has(sim_bytes a, unsigned byte) {
    return a.half[byte / 64] >> byte % 64 & 1;
}
/* Bytes from .. to-1 of the line. */
sim_bytes sim_bytes_range(unsigned from, unsigned to);
/* The `bytes` from `from` on, aligned to themselves: at most 32. */
static inline sim_bytes sim_bytes_aligned(unsigned from, unsigned bytes) {
    const uint64_t bits = ((UINT64_C(1) << bytes) - 1) << from % 64;
    return (sim_bytes){{from < 64 ? bits : 0, from < 64 ? 0 : bits}};
}

/* Whose a byte is: `lanes` at byte `start`, `step` lanes further for each `stride` bytes; for a negative stride for
 * each -stride bytes before it; stride 0: `lanes` everywhere. With runs (a positive stride only), only every other
 * piece of 1 << run bytes has lanes: a butterfly of elements exchanges them so. Equal bits mean the same. */
typedef union sim_owner {
    struct {
        uint32_t lanes;
        uint8_t start;
        int8_t stride;
        uint8_t step, run; /* run 0: none */
    };
    uint64_t bits;
} sim_owner;

/* Bytes behind the start of an owner's first run, those between runs left out; negative: between runs, or before. */
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
/* No byte has two lanes. */
static inline bool sim_owner_is_single(sim_owner o) {
    return (o.lanes & (o.lanes - 1)) == 0;
}

typedef struct sim_part {
    sim_bytes bytes;
    sim_owner owner;
    int32_t line;   /* behind the line of the first active lane */
    uint32_t lanes; /* all of them */
} sim_part;

/* Whether each of the bytes is the same lanes'. */
bool sim_same_lanes(sim_bytes bytes, sim_owner a, sim_owner b);
/* Lanes from `first` on, a lane each `stride` bytes (at least `bytes`) from byte `start` of the line on. */
sim_owner sim_owner_evenly(unsigned first, unsigned start, unsigned stride, unsigned bytes);
/* All lanes that touch any of the bytes. */
uint32_t sim_part_lanes(sim_bytes bytes, sim_owner owner);

typedef struct sim_footprint {
    uint32_t apart[SIM_LANES]; /* address less that of the first active lane; 0 for inactive lanes */
    uint32_t active;
    uint8_t bytes, phase; /* of a lane; of the first lane's address in its line */
    uint16_t count;
    sim_part parts[SIM_LANES];
} sim_footprint;

/* By instruction, SIM_FOOTPRINT_WAYS for each, by place in the line; NULL until needed. */
typedef struct sim_footprints {
    sim_footprint **list;
    size_t count;
} sim_footprints;

bool sim_footprints_create(sim_footprints *kept, size_t instructions);
void sim_footprints_free(sim_footprints *kept);

/* Of an access of `bytes` (at most 128, aligned to themselves) by each active lane; there is one. Valid until the same
 * instruction's next one. NULL when the host has no memory. */
const sim_footprint *sim_footprint_of(sim_footprints *kept, uint32_t instruction, unsigned bytes, uint32_t active,
                                      const uint32_t address[SIM_LANES]);

#endif
