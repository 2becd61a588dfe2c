/* Copies of boxes between host memory, device memory and arrays (box_copy.h).
 *
 * Memory is rows at a pitch; an array's bytes are in blocks, so a row of it is contiguous only in pieces. A row is
 * copied in pieces that are contiguous on both sides. A copy is checked when it is issued, and again when it is
 * done, as memory may have been freed. box.c translates CUDA's descriptions, and work.c executes copies in streams. */
#include "vgpu/box_copy.h"

#include "base/hash.h"
#include "base/status.h"

#include <string.h>

uint64_t sim_box_first(const sim_box_side *s) {
    return s->address + (s->z * s->height + s->y) * s->pitch + s->x;
}

uint64_t sim_box_on_device(const sim_box_side *s) {
    return s->kind == SIM_BOX_HOST ? 0 : s->kind == SIM_BOX_ARRAY ? s->level.address : s->address;
}

uint64_t sim_box_span(const sim_box_copy *c, const sim_box_side *s) {
    return ((c->depth - 1) * s->height + c->height - 1) * s->pitch + c->width;
}

/* ---- checks ---- */

static haul_status wrong(const char *what, uint64_t has, uint64_t wants) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "copy: %s: %llu, but must be at least %llu", what, (unsigned long long)has,
                     (unsigned long long)wants);
}

/* Written so that no sum overflows. */
static bool reaches_beyond(uint64_t from, uint64_t count, uint64_t extent) {
    return from > extent || count > extent - from;
}

/* Positions and widths are in bytes, but must be whole elements. */
static haul_status check_array(const sim_box_copy *c, const sim_box_side *s) {
    const sim_level *l = &s->level;
    const uint64_t row = (uint64_t)l->extent[0] << l->texel_bits, texel = UINT64_C(1) << l->texel_bits;
    if (s->x % texel || c->width % texel)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "copy: %llu bytes from byte %llu of an array's row: both must be "
                         "multiples of the element size, %llu bytes",
                         (unsigned long long)c->width, (unsigned long long)s->x, (unsigned long long)texel);
    if (!reaches_beyond(s->x, c->width, row) && !reaches_beyond(s->y, c->height, l->extent[1]) &&
        !reaches_beyond(s->z, c->depth, l->extent[2]))
        return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "copy: a box of %llu bytes x %llu x %llu from (%llu, %llu, %llu) on exceeds an array of "
                     "%llu bytes x %u x %u",
                     (unsigned long long)c->width, (unsigned long long)c->height, (unsigned long long)c->depth,
                     (unsigned long long)s->x, (unsigned long long)s->y, (unsigned long long)s->z,
                     (unsigned long long)row, l->extent[1], l->extent[2]);
}

/* Sizes beyond `most` count as overflows: no memory is as large. */
static bool overflows(const sim_box_copy *c, const sim_box_side *s) {
    const uint64_t most = UINT64_C(1) << 46;
    uint64_t rows, bytes;
    return __builtin_mul_overflow(s->z + c->depth, s->height, &rows) ||
           __builtin_add_overflow(rows, s->y + c->height, &rows) || __builtin_mul_overflow(rows, s->pitch, &bytes) ||
           bytes > most || s->x > most || c->width > most;
}

/* Returns the host memory of a device address, on any device of the program. */
static void *at(sim_memory *m, uint64_t address, uint64_t bytes) {
    return sim_memory_at(sim_memory_owner(m, address), address, bytes);
}

/* A single row needs no pitch, and a single slice no height. */
static haul_status check_pitched(sim_memory *m, const sim_box_copy *c, const sim_box_side *s) {
    if ((c->height > 1 || c->depth > 1) && s->pitch < s->x + c->width)
        return wrong("the pitch is smaller than a row", s->pitch, s->x + c->width);
    if (c->depth > 1 && s->height < s->y + c->height)
        return wrong("the height is smaller than a slice", s->height, s->y + c->height);
    if (overflows(c, s)) return haul_fail(HAUL_ERROR_ARGUMENT, "copy: the size of the box overflows");
    if (!s->address) return haul_fail(HAUL_ERROR_ARGUMENT, "copy: an address is missing");
    if (s->kind == SIM_BOX_HOST || at(m, sim_box_first(s), sim_box_span(c, s))) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "copy: device memory: %llu bytes at 0x%llx lie in no allocation",
                     (unsigned long long)sim_box_span(c, s), (unsigned long long)sim_box_first(s));
}

static haul_status check_side(sim_memory *m, const sim_box_copy *c, const sim_box_side *s) {
    return s->kind == SIM_BOX_ARRAY ? check_array(c, s) : check_pitched(m, c, s);
}

haul_status sim_box_check(sim_memory *m, const sim_box_copy *c) {
    HAUL_TRY(check_side(m, c, &c->from));
    return check_side(m, c, &c->to);
}

/* ---- moving ---- */

/* The piece of a row that begins at byte x of the box: host and device address, and contiguous bytes. */
typedef struct piece {
    unsigned char *host;
    uint64_t device, bytes;
} piece;

/* Treats an array as one of bytes, to find the place of any byte. */
uint64_t sim_box_array_piece(const sim_box_side *s, uint64_t x, uint64_t y, uint64_t z, uint64_t *bytes) {
    const uint64_t byte = s->x + x;
    sim_level level = s->level;
    level.texel_bits = 0;
    *bytes = SIM_BOX_PIECE - byte % SIM_BOX_PIECE;
    return sim_level_offset(&level, (uint32_t)byte, (uint32_t)(s->y + y), (uint32_t)(s->z + z));
}

static piece piece_at(sim_memory *m, const sim_box_side *s, uint64_t x, uint64_t y, uint64_t z) {
    if (s->kind == SIM_BOX_ARRAY) {
        uint64_t bytes;
        const uint64_t at = sim_box_array_piece(s, x, y, z, &bytes);
        return (piece){s->level.host + at, s->level.address + at, bytes};
    }
    const uint64_t first = sim_box_first(s) + (z * s->height + y) * s->pitch + x;
    if (s->kind == SIM_BOX_HOST) return (piece){(unsigned char *)(uintptr_t)first, 0, UINT64_MAX};
    return (piece){at(m, first, 1), first, UINT64_MAX};
}

/* Source and target may overlap within a piece. */
static void move_row(sim_memory *m, const sim_box_copy *c, uint64_t y, uint64_t z) {
    for (uint64_t x = 0; x < c->width;) {
        const piece from = piece_at(m, &c->from, x, y, z), to = piece_at(m, &c->to, x, y, z);
        uint64_t bytes = c->width - x;
        if (from.bytes < bytes) bytes = from.bytes;
        if (to.bytes < bytes) bytes = to.bytes;
        memmove(to.host, from.host, bytes);
        if (to.device) sim_memory_mark_written(m, to.device, bytes);
        x += bytes;
    }
}

/* Checks first, as memory may have been freed since the call. */
haul_status sim_box_run(sim_memory *m, const sim_box_copy *c) {
    HAUL_TRY(sim_box_check(m, c));
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++) move_row(m, c, y, z);
    return HAUL_OK;
}

/* The gaps between rows do not count. */
uint64_t sim_box_hash(const sim_box_copy *c) {
    uint64_t hash = HASH_START;
    for (uint64_t z = 0; z < c->depth; z++) {
        for (uint64_t y = 0; y < c->height; y++) {
            const uint64_t at = sim_box_first(&c->from) + (z * c->from.height + y) * c->from.pitch;
            hash = hash_bytes(hash, (const void *)(uintptr_t)at, c->width);
        }
    }
    return hash;
}
