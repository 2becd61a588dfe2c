#include "state/footprint.h"

#include "base/memory.h"

#include <string.h>

uint32_t sim_part_lanes(sim_bytes bytes, sim_owner owner) {
    uint32_t lanes = owner.stride ? 0 : owner.lanes;
    for (unsigned b = 0; owner.stride && b < SIM_FOOTPRINT_LINE; b++)
        if (sim_bytes_has(bytes, b)) lanes |= sim_owner_lanes(owner, b);
    return lanes;
}

/* Describes the same owner from the start of the line on, as far as there are lanes, so that parts of a row have one
 * owner. */
static sim_owner from_line_start(sim_owner o, unsigned bytes) {
    const unsigned stride = (unsigned)o.stride, lanes = (unsigned)__builtin_ctz(o.lanes);
    unsigned steps = o.start / stride;
    if (o.start % stride + bytes <= stride) o.start = (uint8_t)(steps * stride);
    if (steps * o.step > lanes) steps = lanes / o.step;
    o.start = (uint8_t)(o.start - steps * stride);
    o.lanes >>= steps * o.step;
    return o;
}

sim_owner sim_owner_evenly(unsigned first, unsigned start, unsigned stride, unsigned bytes) {
    const sim_owner o = {{.lanes = 1u << first, .start = (uint8_t)start, .stride = (int8_t)stride, .step = 1}};
    return from_line_start(o, bytes);
}

/* True if all bytes of a word have the same lanes. */
static bool is_by_words(sim_owner o) {
    if (o.stride == 0) return true;
    return o.stride % 4 == 0 && o.start % 4 == (o.stride > 0 ? 0 : 3) && (!o.run || o.run >= 2);
}

bool sim_same_lanes(sim_bytes bytes, sim_owner a, sim_owner b) {
    if (a.bits == b.bits) return true;
    if (is_by_words(a) && is_by_words(b)) {
        for (uint32_t left = sim_bytes_words(bytes); left; left &= left - 1) {
            const unsigned byte = 4 * (unsigned)__builtin_ctz(left);
            if (sim_owner_lanes(a, byte) != sim_owner_lanes(b, byte)) return false;
        }
        return true;
    }
    for (unsigned h = 0; h < 2; h++)
        for (uint64_t left = bytes.half[h]; left; left &= left - 1) {
            const unsigned byte = 64 * h + (unsigned)__builtin_ctzll(left);
            if (sim_owner_lanes(a, byte) != sim_owner_lanes(b, byte)) return false;
        }
    return true;
}

/* ---- making one ---- */

/* Lanes that touch the same bytes. */
typedef struct element {
    uint32_t address;
    uint32_t lanes;
} element;

/* The smallest power of two after which all lanes' addresses repeat; 32 if they do not. */
static unsigned period_of(uint32_t active, const uint32_t address[SIM_LANES]) {
    if (active != SIM_ALL_LANES) return SIM_LANES;
    for (unsigned period = 1; period < SIM_LANES; period *= 2) {
        uint32_t differs = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) differs |= address[l] ^ address[l % period];
        if (!differs) return period;
    }
    return SIM_LANES;
}

static unsigned list_elements(uint32_t active, const uint32_t address[SIM_LANES], element elements[SIM_LANES]) {
    const unsigned period = period_of(active, address);
    const uint32_t repeats = period == SIM_LANES ? 1 : SIM_ALL_LANES / ((1u << period) - 1);
    unsigned count = 0;
    for (uint32_t left = period == SIM_LANES ? active : (1u << period) - 1; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (count && elements[count - 1].address == address[l])
            elements[count - 1].lanes |= repeats << l;
        else
            elements[count++] = (element){address[l], repeats << l};
    }
    return count;
}

/* Finds the owner of a part that begins with these two; false if there is none. Two single lanes may have inactive
 * lanes between them. */
static bool find_owner(const element *a, const element *b, unsigned bytes, sim_owner *owner) {
    int step = __builtin_ctz(b->lanes) - __builtin_ctz(a->lanes);
    int32_t stride = (int32_t)(b->address - a->address);
    if (step <= 0 || a->lanes << step != b->lanes || stride > 127 || stride < -127) return false;
    const bool single = (a->lanes & (a->lanes - 1)) == 0;
    if (single && stride % step == 0 && (stride / step >= (int)bytes || -stride / step >= (int)bytes)) {
        stride /= step;
        step = 1;
    }
    const unsigned start = (unsigned)(a->address % SIM_FOOTPRINT_LINE) + (stride < 0 ? bytes - 1 : 0);
    *owner = (sim_owner){{.lanes = a->lanes, .start = (uint8_t)start, .stride = (int8_t)stride, .step = (uint8_t)step}};
    if (stride > 0) *owner = from_line_start(*owner, bytes);
    return true;
}

static bool in_line(const element *e, uint32_t line) {
    return e->address / SIM_FOOTPRINT_LINE == line;
}

static bool owns(sim_owner owner, const element *e, unsigned bytes) {
    const unsigned from = (unsigned)(e->address % SIM_FOOTPRINT_LINE);
    return sim_owner_lanes(owner, from) == e->lanes && sim_owner_lanes(owner, from + bytes - 1) == e->lanes;
}

/* ---- runs ---- */

/* Elements of a butterfly: lane l has element expand(l) after `base`, in runs of 1 << log elements. */
typedef struct butterfly {
    uint32_t base;
    unsigned log; /* 0: not a butterfly */
} butterfly;

enum { MOST_RUN_LOG = 4, LEAST_ELEMENTS = 3 };

static uint32_t expand(unsigned lane, unsigned log) {
    return lane >> log << (log + 1) | (lane & ((1u << log) - 1));
}

static bool is_butterfly(const element *e, unsigned count, unsigned bytes, butterfly b) {
    uint32_t differs = 0;
    for (unsigned i = 0; i < count; i++)
        differs |= (e[i].address - expand((unsigned)__builtin_ctz(e[i].lanes), b.log) * bytes) ^ b.base;
    return !differs;
}

static butterfly find_butterfly(const element *e, unsigned count, unsigned bytes) {
    const butterfly none = {0, 0};
    if (count < LEAST_ELEMENTS || bytes < 4) return none;
    for (unsigned i = 0; i < count; i++)
        if (e[i].lanes & (e[i].lanes - 1)) return none;
    for (unsigned log = 1; log < MOST_RUN_LOG && bytes << (log + 1) <= SIM_FOOTPRINT_LINE; log++) {
        const butterfly b = {e->address - expand((unsigned)__builtin_ctz(e->lanes), log) * bytes, log};
        if (is_butterfly(e, count, bytes, b)) return b;
    }
    return none;
}

/* Finds the owner of the butterfly's elements in one line, from its first run on; false if no run begins there. */
static bool owner_of_runs(butterfly b, uint32_t line, unsigned bytes, sim_owner *owner) {
    const uint32_t start = line * SIM_FOOTPRINT_LINE, period = bytes << (b.log + 1);
    const uint32_t before = start > b.base ? (start - b.base + period - 1) / period : 0;
    const uint32_t first = b.base + before * period - start, lane = before << b.log;
    if (b.base + before * period < start || first >= SIM_FOOTPRINT_LINE || lane >= SIM_LANES) return false;
    *owner = (sim_owner){{.lanes = 1u << lane,
                          .start = (uint8_t)first,
                          .stride = (int8_t)bytes,
                          .step = 1,
                          .run = (uint8_t)(b.log + (unsigned)__builtin_ctz(bytes))}};
    return true;
}

/* ---- parts ---- */

/* Finds the owner of the first two elements, or of the butterfly; false if the first element stands alone. */
static bool find_part_owner(const element *e, unsigned count, unsigned bytes, butterfly b, sim_owner *owner) {
    const uint32_t line = e->address / SIM_FOOTPRINT_LINE;
    if (b.log && owner_of_runs(b, line, bytes, owner) && owns(*owner, e, bytes)) return true;
    return count > 1 && in_line(&e[1], line) && find_owner(e, &e[1], bytes, owner);
}

/* Makes a part of the first elements; returns how many it took. Runs own all further elements of a butterfly. */
static unsigned make_part(const element *e, unsigned count, unsigned bytes, butterfly b, sim_part *p) {
    const uint32_t line = e->address / SIM_FOOTPRINT_LINE;
    unsigned taken = 1;
    *p = (sim_part){.owner = {{.lanes = e->lanes}}};
    sim_owner owner;
    if (find_part_owner(e, count, bytes, b, &owner)) {
        p->owner = owner;
        while (taken < count && in_line(&e[taken], line) &&
               (owner.run ||
                (owns(owner, &e[taken], bytes) && (owner.stride > 0) == (e[taken].address > e[taken - 1].address))))
            taken++;
    }
    for (unsigned i = 0; i < taken; i++) {
        const unsigned from = (unsigned)(e[i].address % SIM_FOOTPRINT_LINE);
        p->bytes = sim_bytes_or(p->bytes, sim_bytes_aligned(from, bytes));
        p->lanes |= e[i].lanes;
    }
    return taken;
}

/* True if the lanes are adjacent; those in between may be inactive. */
static bool are_adjacent(unsigned bytes, uint32_t active, const uint32_t address[SIM_LANES]) {
    const unsigned first = (unsigned)__builtin_ctz(active);
    const uint32_t base = address[first] - first * bytes;
    uint32_t apart = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) apart |= (uint32_t)(address[l] != base + l * bytes) << l;
    return !(apart & active);
}

/* Makes the parts of adjacent lanes, and returns their number. Their active lanes may depend on data, so that no cached
 * shape fits. */
static unsigned make_adjacent(sim_part parts[SIM_LANES], unsigned bytes, uint32_t active,
                              const uint32_t address[SIM_LANES]) {
    unsigned count = 0;
    const uint32_t first_line = address[__builtin_ctz(active)] / SIM_FOOTPRINT_LINE;
    for (uint32_t left = active; left;) {
        const unsigned first = (unsigned)__builtin_ctz(left), start = (unsigned)(address[first] % SIM_FOOTPRINT_LINE);
        const unsigned end = first + (SIM_FOOTPRINT_LINE - start) / bytes;
        const uint32_t lanes = end < SIM_LANES ? left & ((1u << end) - 1) : left;
        sim_part *p = &parts[count++];
        *p = (sim_part){.owner = {{.lanes = lanes}},
                        .line = (int32_t)(address[first] / SIM_FOOTPRINT_LINE - first_line),
                        .lanes = lanes};
        if (lanes & (lanes - 1)) p->owner = sim_owner_evenly(first, start, bytes, bytes);
        for (uint32_t l = lanes; l; l &= l - 1)
            p->bytes =
                sim_bytes_or(p->bytes, sim_bytes_aligned(start + bytes * ((unsigned)__builtin_ctz(l) - first), bytes));
        left &= ~lanes;
    }
    return count;
}

/* Returns whether the elements are rows of lines, of which each `apart`-th element lies in the same line, at an even
 * stride: lanes that store a tile's rows as columns. */
static bool is_interleaved(const element *e, unsigned count, unsigned apart) {
    const uint32_t stride = e[apart].address - e[0].address;
    for (unsigned i = apart; i < count; i++)
        if (e[i].address - e[i - apart].address != stride || !in_line(&e[i], e[i % apart].address / SIM_FOOTPRINT_LINE))
            return false;
    return true;
}

/* Puts interleaved elements of a line side by side, so that they become one part. */
static void group_by_line(element elements[SIM_LANES], unsigned count) {
    element grouped[SIM_LANES];
    unsigned apart = 2, n = 0;
    if (count < 4 || in_line(&elements[1], elements[0].address / SIM_FOOTPRINT_LINE)) return;
    while (apart <= count / 2 && !is_interleaved(elements, count, apart)) apart *= 2;
    if (apart > count / 2) return;
    for (unsigned first = 0; first < apart; first++)
        for (unsigned i = first; i < count; i += apart) grouped[n++] = elements[i];
    memcpy(elements, grouped, count * sizeof *grouped);
}

/* Makes the parts of any lanes, and returns their number. */
static unsigned make_parts(sim_part parts[SIM_LANES], unsigned bytes, uint32_t active,
                           const uint32_t address[SIM_LANES]) {
    element elements[SIM_LANES];
    const uint32_t first = address[__builtin_ctz(active)];
    if (are_adjacent(bytes, active, address)) return make_adjacent(parts, bytes, active, address);
    const unsigned count = list_elements(active, address, elements);
    group_by_line(elements, count);
    const butterfly b = find_butterfly(elements, count, bytes);
    unsigned made = 0;
    for (unsigned i = 0; i < count;) {
        sim_part *p = &parts[made++];
        const uint32_t line = elements[i].address / SIM_FOOTPRINT_LINE;
        i += make_part(&elements[i], count - i, bytes, b, p);
        p->line = (int32_t)(line - first / SIM_FOOTPRINT_LINE);
    }
    return made;
}

/* Returns a footprint in the slot with room for `count` parts, or NULL if the host has no memory. */
static sim_footprint *with_room(sim_footprint **slot, unsigned count) {
    if (*slot && (*slot)->capacity >= count) return *slot;
    sim_footprint *f = memory_resize(*slot, sizeof *f + count * sizeof *f->parts);
    if (!f) return NULL;
    f->capacity = (uint8_t)count;
    return *slot = f;
}

static sim_footprint *make(sim_footprint **slot, unsigned bytes, uint32_t active, const uint32_t address[SIM_LANES]) {
    sim_part parts[SIM_LANES];
    const uint32_t first = address[__builtin_ctz(active)];
    const unsigned count = make_parts(parts, bytes, active, address);
    sim_footprint *f = with_room(slot, count);
    if (!f) return NULL;
    f->active = active;
    f->bytes = (uint8_t)bytes;
    f->phase = (uint8_t)(first % SIM_FOOTPRINT_LINE);
    f->count = (uint8_t)count;
    for (unsigned l = 0; l < SIM_LANES; l++) f->apart[l] = active >> l & 1 ? address[l] - first : 0;
    memcpy(f->parts, parts, count * sizeof *parts);
    return f;
}

/* ---- the cache by instruction ---- */

bool sim_footprints_create(sim_footprints *kept, size_t instructions) {
    kept->count = instructions * SIM_FOOTPRINT_WAYS;
    kept->list = memory_zeroed(kept->count + 1, sizeof *kept->list);
    return kept->list != NULL;
}

void sim_footprints_free(sim_footprints *kept) {
    for (size_t i = 0; kept->list && i < kept->count; i++) memory_free(kept->list[i]);
    memory_free(kept->list);
}

static sim_footprint **slot_of(const sim_footprints *kept, uint32_t instruction, uint32_t first) {
    return &kept->list[instruction * SIM_FOOTPRINT_WAYS + first / 4 % SIM_FOOTPRINT_WAYS];
}

/* The first lane's address is `first`; the others are as far from it as when the footprint was made. */
static inline bool is_like(const sim_footprint *f, unsigned bytes, uint32_t active, uint32_t first) {
    return f && f->active == active && f->phase == first % SIM_FOOTPRINT_LINE && f->bytes == bytes;
}

const sim_footprint *sim_footprint_of(sim_footprints *kept, uint32_t instruction, unsigned bytes, uint32_t active,
                                      const uint32_t address[SIM_LANES]) {
    const uint32_t first = address[__builtin_ctz(active)];
    sim_footprint **slot = slot_of(kept, instruction, first);
    const sim_footprint *f = *slot;
    if (is_like(f, bytes, active, first)) {
        uint32_t differs = 0;
        if (active == SIM_ALL_LANES)
            for (unsigned l = 0; l < SIM_LANES; l++) differs |= (address[l] - first) ^ f->apart[l];
        else
            for (uint32_t left = active; left; left &= left - 1)
                differs |= (address[__builtin_ctz(left)] - first) ^ f->apart[__builtin_ctz(left)];
        if (!differs) return f;
    }
    return make(slot, bytes, active, address);
}
