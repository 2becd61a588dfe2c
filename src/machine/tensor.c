#include "machine/tensor.h"

#include "base/status.h"

#include <string.h>

enum {
    MOST_STEP = 8,
    CHUNK = 16,
    PROMOTIONS = 4,
    FILL_NAN = 1,
    FILLS = 2,
    VERSION = 1,
};
#define MAGIC 0x544c4148u      /* "HALT" */
#define MAGIC_MADE 0x4d4c4148u /* "HALM": a kernel builds it from zeros, field by field */
#define MOST_EXTENT (1ull << 32)
#define MOST_PITCH (1ull << 40)

static const struct {
    uint8_t bytes;
    bool floating;
} types[SIM_TENSOR_TYPES] = {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) {bytes, floating},
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
};

/* The virtual GPU's own layout of the 128 bytes. */
typedef struct packed_tensor {
    uint32_t magic;
    uint8_t version, rank, type, interleave, swizzle, promotion, fill, wide;
    uint32_t set; /* of a map that a kernel builds: a bit for each field, see field_bit() */
    uint64_t address;
    uint64_t pitch[SIM_TENSOR_RANK - 1];
    uint32_t last[SIM_TENSOR_RANK]; /* extent - 1 */
    uint16_t box[SIM_TENSOR_RANK];
    uint8_t step[SIM_TENSOR_RANK];
    uint8_t by_pixels;
    int16_t lower[SIM_TENSOR_PLACE], upper[SIM_TENSOR_PLACE];
    uint16_t pixels;
    uint8_t atomicity; /* selects the variant of a 128-byte swizzle */
    uint8_t rest[21];
} packed_tensor;
_Static_assert(sizeof(packed_tensor) == SIM_TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

/* ---- checks: cuTensorMapEncodeTiled's requirements ---- */

__attribute__((format(printf, 1, 2))) static haul_status wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_ARGUMENT, format, arguments);
    va_end(arguments);
    return haul_fail_in(HAUL_ERROR_ARGUMENT, "tensor map");
}

static haul_status check_interleave(const sim_tensor *t) {
    if (t->interleave == SIM_TENSOR_INTERLEAVE_NONE) return HAUL_OK;
    if (t->interleave > SIM_TENSOR_INTERLEAVE_32B)
        return wrong("interleave %u must be none, 16B or 32B (0 to 2)", t->interleave);
    if (t->rank < 3) return wrong("rank %u must be 3 to 5 for interleaved channels", t->rank);
    if (t->wide != SIM_TENSOR_WIDE_NONE)
        return wrong("interleave %u is not supported for im2col::w, only none (0)", t->interleave);
    if (t->swizzle > (t->interleave == SIM_TENSOR_INTERLEAVE_32B ? SIM_TENSOR_SWIZZLE_32B : SIM_TENSOR_SWIZZLE_NONE))
        return wrong("swizzle %u is not supported for interleave %u: none, of 32B also 32B (0, 1)", t->swizzle,
                     t->interleave);
    return HAUL_OK;
}

static haul_status check_kind(const sim_tensor *t) {
    if (t->type >= SIM_TENSOR_TYPES) return wrong("element type %u is not known", t->type);
    if (t->rank < 1 || t->rank > SIM_TENSOR_RANK) return wrong("rank %u must be 1 to 5", t->rank);
    HAUL_TRY(check_interleave(t));
    if (t->swizzle >= SIM_TENSOR_SWIZZLES)
        return wrong("swizzle %u must be none, 32B, 64B or one of 128B (0 to 6)", t->swizzle);
    if (t->promotion >= PROMOTIONS) return wrong("L2 promotion %u must be 0 to 3", t->promotion);
    if (t->fill >= FILLS) return wrong("out-of-bounds fill %u must be zero or NaN (0, 1)", t->fill);
    if (t->fill == FILL_NAN && !types[t->type].floating) return wrong("only floating types can be filled with NaN");
    return HAUL_OK;
}

static haul_status check_array(const sim_tensor *t) {
    const unsigned unit = t->interleave == SIM_TENSOR_INTERLEAVE_32B ? 2 * CHUNK : CHUNK;
    if (t->address % unit)
        return wrong("global address 0x%llx must be a multiple of %u", (unsigned long long)t->address, unit);
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->extent[d] == 0 || t->extent[d] > MOST_EXTENT)
            return wrong("extent %llu of dimension %u must be 1 to 2^32", (unsigned long long)t->extent[d], d);
    for (uint32_t d = 0; d + 1 < t->rank; d++)
        if (t->pitch[d] % unit || t->pitch[d] >= MOST_PITCH)
            return wrong("stride %llu of dimension %u must be a multiple of %u below 2^40",
                         (unsigned long long)t->pitch[d], d + 1, unit);
    return HAUL_OK;
}

enum { MOST_PIXELS = 1024, PIXELS_OF_W128 = 128, PIXELS_OF_GROUP = 32 };

static bool is_wide(const sim_tensor *t) {
    return t->wide != SIM_TENSOR_WIDE_NONE;
}

/* The first dimension that is walked pixel by pixel. Dimension 0 is channels. With interleaved channels it is pixels,
 * and the last dimension but one is slices of channels. */
static uint32_t first_walked(const sim_tensor *t) {
    return t->interleave ? 0 : 1;
}

static haul_status check_walk(const sim_tensor *t) {
    if (t->rank < 3) return wrong("rank %u must be 3 to 5 for im2col", t->rank);
    if (t->wide > SIM_TENSOR_WIDE_W128) return wrong("mode %u must be W or W128 (0, 1)", t->wide - 1u);
    if (t->wide != SIM_TENSOR_WIDE_W128 && (t->pixels == 0 || t->pixels > MOST_PIXELS))
        return wrong("%u pixels must be 1 to 1024", t->pixels);
    if (is_wide(t) && (t->swizzle < SIM_TENSOR_SWIZZLE_64B || t->swizzle > SIM_TENSOR_SWIZZLE_ATOM_32B))
        return wrong("swizzle %u must be 64B, 128B or 128B by 32 bytes (2 to 4) for im2col::w", t->swizzle);
    return HAUL_OK;
}

/* Corners have 16 bits with one spatial dimension, 8 each with two, 5 each with three. */
static haul_status check_corners(const sim_tensor *t) {
    static const int32_t most[] = {32768, 128, 16};
    HAUL_TRY(check_walk(t));
    for (uint32_t d = 0; d + 2 < (is_wide(t) ? 3 : t->rank); d++) {
        const int32_t limit = is_wide(t) ? most[0] : most[t->rank - 3];
        const uint32_t walked = d + first_walked(t);
        if (t->lower[d] < -limit || t->lower[d] >= limit || t->upper[d] < -limit || t->upper[d] >= limit)
            return wrong("corners %d and %d of dimension %u must be %d to %d", t->lower[d], t->upper[d], walked, -limit,
                         limit - 1);
        if ((int64_t)t->extent[walked] - 1 + t->upper[d] < t->lower[d])
            return wrong("corners %d and %d of dimension %u have nothing between them", t->lower[d], t->upper[d],
                         walked);
    }
    return HAUL_OK;
}

/* The swizzle's width, without its variant. */
static uint32_t swizzle_mode(uint32_t swizzle) {
    return swizzle < SIM_TENSOR_SWIZZLE_128B ? swizzle : SIM_TENSOR_SWIZZLE_128B;
}

static uint32_t swizzle_bytes(const sim_tensor *t) {
    return (uint32_t)CHUNK << swizzle_mode(t->swizzle);
}

static haul_status check_box(const sim_tensor *t) {
    for (uint32_t d = 0; d < (t->by_pixels ? 1 : t->rank); d++) {
        if (t->box[d] == 0 || t->box[d] > SIM_TENSOR_MOST_BOX)
            return wrong("box of %u elements in dimension %u must be 1 to 256", t->box[d], d);
    }
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->step[d] == 0 || t->step[d] > MOST_STEP)
            return wrong("element stride %u of dimension %u must be 1 to 8", t->step[d], d);
    const uint32_t bytes = t->box[0] * types[t->type].bytes;
    if (bytes % CHUNK) return wrong("box of %u bytes in dimension 0 must be a multiple of 16 bytes", bytes);
    if (t->swizzle && bytes > swizzle_bytes(t) && !(t->interleave && t->by_pixels))
        return wrong("box of %u bytes in dimension 0 is more than the swizzle's %u", bytes, swizzle_bytes(t));
    return HAUL_OK;
}

haul_status sim_tensor_check(const sim_tensor *t) {
    HAUL_TRY(check_kind(t));
    HAUL_TRY(check_array(t));
    if (t->by_pixels) HAUL_TRY(check_corners(t));
    return check_box(t);
}

/* ---- the 128 bytes ---- */

void sim_tensor_pack(const sim_tensor *t, unsigned char map[SIM_TENSOR_MAP_BYTES]) {
    packed_tensor p = {.magic = MAGIC,
                       .version = VERSION,
                       .rank = (uint8_t)t->rank,
                       .type = (uint8_t)t->type,
                       .interleave = (uint8_t)t->interleave,
                       .swizzle = (uint8_t)swizzle_mode(t->swizzle),
                       .atomicity = (uint8_t)(t->swizzle - swizzle_mode(t->swizzle)),
                       .promotion = (uint8_t)t->promotion,
                       .fill = (uint8_t)t->fill,
                       .address = t->address};
    for (uint32_t d = 0; d < t->rank; d++) {
        if (d + 1 < t->rank) p.pitch[d] = t->pitch[d];
        p.last[d] = (uint32_t)(t->extent[d] - 1);
        p.box[d] = (uint16_t)t->box[d];
        p.step[d] = (uint8_t)t->step[d];
    }
    p.by_pixels = t->by_pixels;
    p.wide = (uint8_t)t->wide;
    p.pixels = (uint16_t)t->pixels;
    for (uint32_t d = 0; d < SIM_TENSOR_PLACE; d++) {
        p.lower[d] = (int16_t)t->lower[d];
        p.upper[d] = (int16_t)t->upper[d];
    }
    memcpy(map, &p, sizeof p);
}

static haul_status no_map(void) {
    return wrong("these 128 bytes were not made by cuTensorMapEncodeTiled for the virtual GPU, nor from zeros by "
                 "tensormap.replace");
}

static bool is_map(const packed_tensor *p) {
    return (p->magic == MAGIC || p->magic == MAGIC_MADE) && p->version == VERSION;
}

/* Fields by their PTX names. A field that is not listed may stay zero: an atomicity of 16 bytes. */
static const struct {
    const char *name;
    bool of_dimension;
} fields[] = {
    [SIM_TENSOR_FIELD_ADDRESS] = {"global_address", false},
    [SIM_TENSOR_FIELD_RANK] = {"rank", false},
    [SIM_TENSOR_FIELD_BOX] = {"box_dim", true},
    [SIM_TENSOR_FIELD_EXTENT] = {"global_dim", true},
    [SIM_TENSOR_FIELD_PITCH] = {"global_stride", true},
    [SIM_TENSOR_FIELD_STEP] = {"element_stride", true},
    [SIM_TENSOR_FIELD_TYPE] = {"elemtype", false},
    [SIM_TENSOR_FIELD_INTERLEAVE] = {"interleave_layout", false},
    [SIM_TENSOR_FIELD_SWIZZLE] = {"swizzle_mode", false},
    [SIM_TENSOR_FIELD_FILL] = {"fill_mode", false},
};

/* Each field with dimensions has five bits; the other fields follow with one bit each. */
static uint32_t field_bit(sim_tensor_field field, uint32_t dimension) {
    enum { OF_DIMENSIONS = 4 };
    if (field >= SIM_TENSOR_FIELD_BOX && field <= SIM_TENSOR_FIELD_STEP)
        return 1u << ((field - SIM_TENSOR_FIELD_BOX) * SIM_TENSOR_RANK + dimension);
    return 1u << (OF_DIMENSIONS * SIM_TENSOR_RANK + (field < SIM_TENSOR_FIELD_BOX ? field : field - OF_DIMENSIONS));
}

static haul_status check_field(const packed_tensor *p, sim_tensor_field field) {
    const uint32_t rank = p->set & field_bit(SIM_TENSOR_FIELD_RANK, 0) ? p->rank : 1;
    const uint32_t dimensions = !fields[field].of_dimension ? 1 : rank - (field == SIM_TENSOR_FIELD_PITCH);
    for (uint32_t d = 0; d < dimensions && d < SIM_TENSOR_RANK; d++) {
        if (p->set & field_bit(field, d)) continue;
        if (fields[field].of_dimension)
            return wrong("%s of dimension %u was never set: a map that begins as zeros needs every field "
                         "(tensormap.replace)",
                         fields[field].name, d);
        return wrong("%s was never set: a map that begins as zeros needs every field (tensormap.replace)",
                     fields[field].name);
    }
    return HAUL_OK;
}

static haul_status check_made(const packed_tensor *p) {
    for (unsigned f = 0; p->magic == MAGIC_MADE && f < sizeof fields / sizeof *fields; f++)
        HAUL_TRY(check_field(p, (sim_tensor_field)f));
    return HAUL_OK;
}

haul_status sim_tensor_unpack(const unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor *t) {
    packed_tensor p;
    memcpy(&p, map, sizeof p);
    if (!is_map(&p)) return no_map();
    HAUL_TRY(check_made(&p));
    *t = (sim_tensor){.type = p.type,
                      .rank = p.rank,
                      .interleave = p.interleave,
                      .swizzle = p.swizzle + (p.swizzle == SIM_TENSOR_SWIZZLE_128B ? p.atomicity : 0u),
                      .promotion = p.promotion,
                      .fill = p.fill,
                      .address = p.address};
    for (uint32_t d = 0; d < SIM_TENSOR_RANK; d++) {
        if (d + 1 < SIM_TENSOR_RANK) t->pitch[d] = p.pitch[d];
        t->extent[d] = p.last[d] + 1ull;
        t->box[d] = p.box[d];
        t->step[d] = p.step[d];
    }
    t->by_pixels = p.by_pixels;
    t->wide = (sim_tensor_wide)p.wide;
    t->pixels = p.pixels;
    for (uint32_t d = 0; d < SIM_TENSOR_PLACE; d++) {
        t->lower[d] = p.lower[d];
        t->upper[d] = p.upper[d];
    }
    return sim_tensor_check(t);
}

/* PTX and the driver API number the floating types differently. */
static haul_status set_type(packed_tensor *p, uint64_t value) {
    static const uint8_t floating[] = {SIM_TENSOR_F16,  SIM_TENSOR_F32,  SIM_TENSOR_F32_FTZ, SIM_TENSOR_F64,
                                       SIM_TENSOR_BF16, SIM_TENSOR_TF32, SIM_TENSOR_TF32_FTZ};
    const uint64_t count = SIM_TENSOR_F16 + sizeof floating;
    if (value >= count) return wrong("element type %llu is not known", (unsigned long long)value);
    p->type = value < SIM_TENSOR_F16 ? (uint8_t)value : floating[value - SIM_TENSOR_F16];
    return HAUL_OK;
}

static haul_status set_dimension(packed_tensor *p, sim_tensor_field field, uint32_t d, uint64_t value) {
    const uint32_t dimensions = SIM_TENSOR_RANK - (field == SIM_TENSOR_FIELD_PITCH);
    if (d >= dimensions) return wrong("dimension %u must be below %u", d, dimensions);
    switch (field) {
    case SIM_TENSOR_FIELD_BOX: p->box[d] = (uint16_t)(value > UINT16_MAX ? 0 : value); break;
    case SIM_TENSOR_FIELD_EXTENT: p->last[d] = (uint32_t)value - 1; break;
    case SIM_TENSOR_FIELD_PITCH: p->pitch[d] = value; break;
    default: p->step[d] = (uint8_t)(value > UINT8_MAX ? 0 : value); break;
    }
    return HAUL_OK;
}

static haul_status set_swizzle(packed_tensor *p, uint64_t value) {
    if (value > SIM_TENSOR_SWIZZLE_128B)
        return wrong("swizzle %llu must be none, 32B, 64B or 128B (0 to 3)", (unsigned long long)value);
    p->swizzle = (uint8_t)value;
    return HAUL_OK;
}

/* The atomicity counts once the swizzle is one of 128 bytes. */
static haul_status set_atomicity(packed_tensor *p, uint64_t value) {
    if (value >= SIM_TENSOR_SWIZZLES - SIM_TENSOR_SWIZZLE_128B)
        return wrong("swizzle atomicity %llu must be 0 to 3", (unsigned long long)value);
    p->atomicity = (uint8_t)value;
    return HAUL_OK;
}

static haul_status set_field(packed_tensor *p, sim_tensor_field field, uint32_t dimension, uint64_t value) {
    const uint8_t small = (uint8_t)(value > UINT8_MAX ? UINT8_MAX : value);
    switch (field) {
    case SIM_TENSOR_FIELD_ADDRESS: p->address = value; return HAUL_OK;
    case SIM_TENSOR_FIELD_RANK: p->rank = (uint8_t)(value > SIM_TENSOR_RANK ? 0 : value + 1); return HAUL_OK;
    case SIM_TENSOR_FIELD_TYPE: return set_type(p, value);
    case SIM_TENSOR_FIELD_INTERLEAVE: p->interleave = small; return HAUL_OK;
    case SIM_TENSOR_FIELD_SWIZZLE: return set_swizzle(p, value);
    case SIM_TENSOR_FIELD_FILL: p->fill = small; return HAUL_OK;
    case SIM_TENSOR_FIELD_ATOMICITY: return set_atomicity(p, value);
    default: return set_dimension(p, field, dimension, value);
    }
}

haul_status sim_tensor_replace(unsigned char map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field, uint32_t dimension,
                               uint64_t value) {
    static const unsigned char zeros[SIM_TENSOR_MAP_BYTES];
    packed_tensor p;
    memcpy(&p, map, sizeof p);
    if (!memcmp(map, zeros, sizeof zeros)) {
        p.magic = MAGIC_MADE;
        p.version = VERSION;
    }
    if (!is_map(&p)) return no_map();
    HAUL_TRY(set_field(&p, field, dimension, value));
    p.set |= field_bit(field, dimension);
    memcpy(map, &p, sizeof p);
    return HAUL_OK;
}

/* ---- boxes ---- */

unsigned sim_tensor_element_bytes(const sim_tensor *t) {
    return types[t->type].bytes;
}

/* Bytes of what dimension 0 counts: an element, or a slice of an interleaved pixel's channels. */
static unsigned unit_bytes(const sim_tensor *t) {
    return t->interleave ? (unsigned)CHUNK << (t->interleave - 1) : types[t->type].bytes;
}

/* The elements that a copy takes along a dimension; dimension 0 is dense. It takes one slice whatever the box says, as
 * an H100 does. */
static uint32_t elements(const sim_tensor *t, uint32_t d) {
    if (t->interleave && d == t->rank - 2) return 1;
    return d == 0 ? t->box[0] : (t->box[d] + t->step[d] - 1) / t->step[d];
}

/* The units of a row. An interleaved pixel has the channels of one slice, however many the map names. */
static uint32_t row_units(const sim_tensor *t) {
    return t->interleave && t->by_pixels ? 1 : t->box[0];
}

/* A swizzle spreads rows over its whole width, so narrower rows leave a gap, as on hardware. */
uint32_t sim_tensor_row_pitch(const sim_tensor *t) {
    return t->swizzle && !t->interleave ? swizzle_bytes(t) : row_units(t) * unit_bytes(t);
}

static uint64_t rows_of(const sim_tensor *t) {
    uint64_t rows = 1;
    if (t->wide == SIM_TENSOR_WIDE_W128) return PIXELS_OF_W128 + PIXELS_OF_W128 / PIXELS_OF_GROUP * t->halo;
    if (t->by_pixels) return t->pixels + t->halo;
    for (uint32_t d = 1; d < t->rank; d++) rows *= elements(t, d);
    return rows;
}

uint64_t sim_tensor_shared_bytes(const sim_tensor *t) {
    return rows_of(t) * sim_tensor_row_pitch(t);
}

uint64_t sim_tensor_box_bytes(const sim_tensor *t) {
    return rows_of(t) * row_units(t) * unit_bytes(t);
}

void sim_tensor_walk_start(sim_tensor_walk *walk, const sim_tensor *t, const int32_t at[SIM_TENSOR_RANK], bool stores) {
    *walk = (sim_tensor_walk){.tensor = t, .at = at, .stores = stores};
    for (uint32_t d = 0; d < t->rank; d++) walk->pixel[d] = at[d];
}

/* The pixel of a wide map's walk that a row holds. After the first 128 rows come the halos of each 32: the first pixel
 * of each, then the second. */
static uint32_t pixel_of_row(const sim_tensor *t, uint32_t row) {
    const uint32_t groups = PIXELS_OF_W128 / PIXELS_OF_GROUP;
    if (t->wide != SIM_TENSOR_WIDE_W128 || row < PIXELS_OF_W128) return row;
    row -= PIXELS_OF_W128;
    return (row % groups + 1) * PIXELS_OF_GROUP + row / groups;
}

/* Moves along dimension 1 only; after its upper corner comes the next image. */
static void place_wide(sim_tensor_walk *walk) {
    const sim_tensor *t = walk->tensor;
    const int64_t first = walk->at[1], last = (int64_t)t->extent[1] - 1 + t->upper[0], step = t->step[1];
    const int64_t of_first = first <= last ? (last - first) / step + 1 : 1, of_next = (last - t->lower[0]) / step + 1;
    const int64_t pixel = pixel_of_row(t, walk->index[0]), beyond = pixel - of_first;
    walk->pixel[1] = beyond < 0 ? first + pixel * step : t->lower[0] + beyond % of_next * step;
    walk->pixel[t->rank - 1] = walk->at[t->rank - 1] + (beyond < 0 ? 0 : 1 + beyond / of_next);
}

/* Moves to the next place between the corners; after the last one of an image comes the next image. */
static void advance_pixel(sim_tensor_walk *walk) {
    const sim_tensor *t = walk->tensor;
    walk->ended = ++walk->index[0] == rows_of(t);
    if (is_wide(t)) {
        place_wide(walk);
        return;
    }
    for (uint32_t k = 0; k + 2 < t->rank; k++) {
        const uint32_t d = k + first_walked(t);
        walk->pixel[d] += t->step[d];
        if (walk->pixel[d] <= (int64_t)t->extent[d] - 1 + t->upper[k]) return;
        walk->pixel[d] = t->lower[k];
    }
    walk->pixel[t->rank - 1] += t->step[t->rank - 1];
}

static void advance(sim_tensor_walk *walk) {
    if (walk->tensor->by_pixels) {
        advance_pixel(walk);
        return;
    }
    for (uint32_t d = 1; d < walk->tensor->rank; d++) {
        if (++walk->index[d] < elements(walk->tensor, d)) return;
        walk->index[d] = 0;
    }
    walk->ended = true;
}

bool sim_tensor_may_start_at(const sim_tensor *t, int32_t x) {
    return (int64_t)x * unit_bytes(t) % CHUNK == 0;
}

/* Clips the row's elements to those inside the array, 0 .. extent-1. */
static void clip_row(const sim_tensor *t, int64_t first, bool stores, sim_tensor_row *row) {
    const unsigned size = unit_bytes(t);
    int64_t from = first < 0 ? -first : 0, to = (int64_t)t->extent[0] - first;
    if (to > (int64_t)row_units(t)) to = (int64_t)row_units(t);
    if (from >= to) return;
    row->from = (uint32_t)from * size;
    row->to = (uint32_t)to * size;
    if (stores) row->to = (row->to + CHUNK - 1) / CHUNK * CHUNK;
    row->global = t->address + (uint64_t)(first + from) * size;
}

/* The row's coordinate in dimension d. */
static int64_t place_of(const sim_tensor_walk *walk, uint32_t d) {
    const sim_tensor *t = walk->tensor;
    if (!t->by_pixels) return (int64_t)walk->at[d] + (int64_t)walk->index[d] * t->step[d];
    const uint32_t first = first_walked(t);
    return walk->pixel[d] + (d >= first && d + 2 < t->rank + first ? t->shift[d - first] : 0);
}

bool sim_tensor_walk_next(sim_tensor_walk *walk, sim_tensor_row *row) {
    const sim_tensor *t = walk->tensor;
    if (walk->ended) return false;
    *row = (sim_tensor_row){.offset = walk->offset, .bytes = row_units(t) * unit_bytes(t)};
    uint64_t outer = 0;
    bool inside = true;
    for (uint32_t d = 1; d < t->rank; d++) {
        const int64_t at = place_of(walk, d);
        inside = inside && at >= 0 && (uint64_t)at < t->extent[d];
        outer += (uint64_t)at * t->pitch[d - 1];
    }
    if (inside) clip_row(t, t->interleave ? place_of(walk, 0) : walk->at[0], walk->stores, row);
    row->global += outer;
    walk->offset += sim_tensor_row_pitch(t);
    advance(walk);
    return true;
}

uint32_t sim_tensor_swizzle(const sim_tensor *t, uint32_t address) {
    static const uint8_t masks[SIM_TENSOR_SWIZZLES] = {0, 1, 3, 7, 3, 3, 1}, shifts[] = {4, 4, 4, 4, 5, 5, 6};
    return address ^ ((address >> 7 & masks[t->swizzle]) << shifts[t->swizzle]);
}

bool sim_tensor_flips(const sim_tensor *t, uint32_t address) {
    return t->swizzle == SIM_TENSOR_SWIZZLE_ATOM_32B_FLIP_8B && (address >> 7 & 1);
}

void sim_tensor_fill(const sim_tensor *t, unsigned char *to, size_t bytes) {
    static const uint64_t nans = 0x7ff77ff77ff77ff7;
    const uint64_t pattern = t->fill == FILL_NAN ? nans : 0;
    for (size_t at = 0; at < bytes; at += sizeof pattern) memcpy(to + at, &pattern, sizeof pattern);
}

void sim_tensor_convert(const sim_tensor *t, unsigned char *elements, size_t bytes) {
    if (t->type != SIM_TENSOR_TF32 && t->type != SIM_TENSOR_TF32_FTZ) return;
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t bits;
        memcpy(&bits, elements + at, 4);
        const bool finite = (bits & 0x7f800000) != 0x7f800000;
        bits = (bits + (finite ? 0x1000 : 0)) & ~0x1fffu;
        memcpy(elements + at, &bits, 4);
    }
}
