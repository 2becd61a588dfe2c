/* Sampling: turns coordinates into texels and weights, and texels into values.
 *
 * A coordinate becomes a fixed-point number of texels; from it follow one texel (nearest) or two with a weight in
 * 256ths (linear), to which the address mode is applied. In up to three dimensions that makes eight corners, whose
 * weights add up to 256. Between levels of a mipmap, the 256 are divided again. Values are summed in double precision
 * and rounded once.
 *
 * Precisions, roundings and the order of the splits are an H100's, measured; docs/textures.md has them, and says where
 * haul differs by a little. Every texel read is noted for the counters and the checks. */
#include "exec/texture/texture.h"

#include "exec/half.h"
#include "state/texels.h"

#include <math.h>
#include <string.h>

/* ---- texels ---- */

static const struct {
    uint8_t bytes;
    enum { UNSIGNED, SIGNED, FLOAT } kind;
} formats[] = {
#define FORMAT(id, value, bytes, kind, name) [value] = {bytes, kind},
#include "driver/formats.def"
#undef FORMAT
};

/* Reads a channel's bits, extended by the format's sign. */
static inline uint32_t read_channel(unsigned format, const unsigned char *from) {
    uint32_t raw = 0;
    switch (formats[format].bytes) {
    case 1: raw = *from; break;
    case 2: memcpy(&raw, from, 2); break;
    default: memcpy(&raw, from, 4); break;
    }
    const unsigned unused = 32 - 8u * formats[format].bytes;
    if (formats[format].kind == SIGNED) raw = (uint32_t)((int32_t)(raw << unused) >> unused);
    return raw;
}

/* Reads elements from memory: integers unchanged, floats of 16 and 32 bits. */
static void read_texel(unsigned format, unsigned channels, const unsigned char *from, uint32_t raw[4]) {
    for (unsigned c = 0; c < 4; c++) raw[c] = c < channels ? read_channel(format, from + c * formats[format].bytes) : 0;
}

/* Converts to an integer in that range; NaN becomes the least. */
static int64_t clamped(double value, int64_t least, int64_t most) {
    return !(value > (double)least) ? least : value < (double)most ? (int64_t)value : most;
}

/* The inverse of reading, for formatted stores. */
uint32_t sim_texel_channel(unsigned format, uint32_t value, bool is_float) {
    const unsigned bits = 8u * formats[format].bytes;
    if (format == DRIVER_FORMAT_F32) return value;
    if (format == DRIVER_FORMAT_F16) return f16_of_f32(f32_of_bits(value));
    const bool is_signed = formats[format].kind == SIGNED;
    const int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    const int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    const double number = is_float ? (double)f32_of_bits(value) : is_signed ? (double)(int32_t)value : (double)value;
    return (uint32_t)clamped(number, least, most);
}

/* Converts sRGB to linear as IEC 61966-2-1 defines it. */
static float linear_of_srgb(float s) {
    return s <= 0.04045f ? s / 12.92f : (float)pow((s + 0.055) / 1.055, 2.4);
}

/* Returns a channel as a float; integers of 8 and 16 bits are scaled by their range. */
static inline float channel_value(const sim_texture *t, unsigned channel, uint32_t raw) {
    switch (t->format) {
    case DRIVER_FORMAT_F32: return f32_of_bits(raw);
    case DRIVER_FORMAT_F16: return f32_of_f16((uint16_t)raw);
    case DRIVER_FORMAT_U8: {
        const float value = (float)raw / 255.0f;
        return t->sampler.srgb && channel < 3 ? linear_of_srgb(value) : value;
    }
    case DRIVER_FORMAT_U16: return (float)raw / 65535.0f;
    case DRIVER_FORMAT_S8: return fmaxf((float)(int32_t)raw / 127.0f, -1.0f);
    case DRIVER_FORMAT_S16: return fmaxf((float)(int32_t)raw / 32767.0f, -1.0f);
    default: return 0;
    }
}

/* ---- one dimension ---- */

/* The texels on both sides of a coordinate; -1 is the border. Without filtering, or at a texel's centre, the second has
 * no weight. */
typedef struct taps {
    int32_t index[2];
    uint32_t weight; /* of the second, in 256ths */
} taps;

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS, OUTSIDE = -1 };

/* Coordinates that are not normalized never wrap. */
static bool wraps(const sim_sampler *s, unsigned d) {
    return s->normalized && (s->address[d] == DRIVER_ADDRESS_WRAP || s->address[d] == DRIVER_ADDRESS_MIRROR);
}

/* Applies the address mode to whole texels. */
static inline int32_t place(const sim_sampler *s, unsigned d, int64_t index, int64_t extent) {
    const unsigned mode = s->address[d];
    if (index >= 0 && index < extent) return (int32_t)index;
    if (mode == DRIVER_ADDRESS_BORDER) return OUTSIDE;
    if (!wraps(s, d)) return index < 0 ? 0 : (int32_t)extent - 1;
    const int64_t period = mode == DRIVER_ADDRESS_MIRROR ? 2 * extent : extent;
    const int64_t rest = index % period, within = rest < 0 ? rest + period : rest;
    return (int32_t)(within < extent ? within : period - 1 - within);
}

/* Beyond any array, but with room for sums. */
static const double FURTHEST = 1e9;

/* Keeps sums of coordinates within 64 bits. NaN counts as 0. */
static inline double limited(double x) {
    return x != x ? 0 : x < -FURTHEST ? -FURTHEST : x > FURTHEST ? FURTHEST : x;
}

/* A coordinate in texels, with FRACTION_BITS after the point. Normalized coordinates are truncated to that precision
 * first, as on an H100: 9 / 37 in single precision is a little below the ninth of 37 texels. */
enum { FRACTION_BITS = 21 };

static inline int64_t fixed_texel(const sim_sampler *s, float at, uint32_t extent) {
    const int64_t fixed = (int64_t)floor(limited(at) * (1 << FRACTION_BITS));
    return s->normalized ? fixed * extent : fixed;
}

/* Finds the texels along one dimension. `shift`: the instruction's offset in texels. */
static inline __attribute__((always_inline)) taps find_taps(const sim_sampler *s, unsigned d, float at, int32_t shift,
                                                            uint32_t extent, bool linear) {
    const int64_t texel = fixed_texel(s, at, extent), half = 1 << (FRACTION_BITS - 1);
    const int64_t rounding = 1 << (FRACTION_BITS - WEIGHT_BITS - 1);
    taps t = {.weight = 0};
    if (!linear) {
        t.index[0] = t.index[1] = place(s, d, (texel >> FRACTION_BITS) + shift, extent);
        return t;
    }
    /* A texel's value belongs to its centre, half a texel on. The weight is rounded to 256ths. */
    const int64_t fixed = (texel - half + rounding) >> (FRACTION_BITS - WEIGHT_BITS);
    const int64_t first = (fixed >> WEIGHT_BITS) + shift;
    t.weight = (uint32_t)(fixed & (WEIGHT_ONE - 1));
    t.index[0] = place(s, d, first, extent);
    t.index[1] = place(s, d, first + 1, extent);
    if (t.index[0] == t.index[1] && !wraps(s, d)) t.weight = 0; /* the coordinate itself was clamped */
    return t;
}

/* ---- a level ---- */

/* Tags of pitched memory are numbered from here. No line of memory has the upper bit. No line that L1 identifies by its
 * lower 32 bits has the lower one. */
static const uint64_t PITCHED_TAGS = UINT64_C(1) << 51 | UINT64_C(1) << 31;

enum { TAG_ROWS = 4, TAG_BYTES_SHIFT = 5, LINE_SHIFT = 7, SECTOR_SHIFT = 5, SECTORS = 4, WIDEST_TEXEL_BITS = 4 };

/* Returns which of the four tag banks; two tags of a fetch in the same bank need a wavefront each. */
static unsigned tag_bank(const sim_level *l, uint64_t column, uint64_t row, uint32_t z) {
    const uint64_t second = l->texel_bits == WIDEST_TEXEL_BITS ? column >> 1 : 0;
    const uint64_t first = l->texel_bits == WIDEST_TEXEL_BITS ? column : column ^ row >> 1;
    return (unsigned)(first & 1) << 1 | (unsigned)((second ^ row ^ z) & 1);
}

/* In pitched memory a tag stands for four rows of a sector, so the row takes the place of the sector number. */
sim_texel sim_texel_at(const sim_level *l, uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t address = l->address + sim_level_offset(l, x, y, z), row = y % TAG_ROWS;
    const uint64_t column = ((uint64_t)x << l->texel_bits) >> TAG_BYTES_SHIFT, tag_row = y / TAG_ROWS;
    sim_texel t = {address, address >> LINE_SHIFT, (uint8_t)(address >> SECTOR_SHIFT) % SECTORS,
                   (uint8_t)tag_bank(l, column, tag_row, z)};
    if (l->layout == SIM_LAYOUT_LINEAR) t.bank = (uint8_t)(t.tag & 3);
    if (l->layout != SIM_LAYOUT_PITCH) return t;
    t.tag = PITCHED_TAGS | ((address - row * l->pitch) >> SECTOR_SHIFT & UINT32_MAX >> 1);
    t.sector = (uint8_t)row;
    return t;
}

/* Notes a texel once, even if several corners are the same. */
static void note(sim_footprint_texels *texels, sim_texel texel) {
    for (uint32_t i = 0; i < texels->count; i++)
        if (texels->texels[i].address == texel.address) return;
    if (texels->count < SIM_MOST_TEXELS) texels->texels[texels->count++] = texel;
}

/* Returns the border colour as an element of the texture. Textures that return 8- and 16-bit integers use the colour's
 * low bits. */
static uint32_t border_channel(const sim_texture *t, unsigned channel) {
    const uint32_t bits = bits_of_f32(t->sampler.border[channel]);
    const double value = t->sampler.border[channel];
    if (channel >= t->channels) return 0;
    switch (t->format) {
    case DRIVER_FORMAT_U8:
        return t->sampler.integers ? bits & 0xff : (uint32_t)clamped(ceil(value * 255 - 0.5), 0, 255);
    case DRIVER_FORMAT_U16:
        return t->sampler.integers ? bits & 0xffff : (uint32_t)clamped(ceil(value * 65535 - 0.5), 0, 65535);
    case DRIVER_FORMAT_S8:
        return (uint32_t)(t->sampler.integers ? (int8_t)bits : clamped(ceil(value * 127 - 0.5), -127, 127));
    case DRIVER_FORMAT_S16:
        return (uint32_t)(t->sampler.integers ? (int16_t)bits : clamped(ceil(value * 32767 - 0.5), -32767, 32767));
    case DRIVER_FORMAT_F16: return f16_of_f32(t->sampler.border[channel]);
    default: return bits;
    }
}

/* Returns the texel's channels as stored. */
static void raw_texel(const sim_texture *t, const sim_level *l, const int32_t at[3], uint32_t raw[4],
                      sim_footprint_texels *texels) {
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        for (unsigned c = 0; c < 4; c++) raw[c] = border_channel(t, c);
        return;
    }
    const sim_texel texel = sim_texel_at(l, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    read_texel(t->format, t->channels, l->host + (texel.address - l->address), raw);
    note(texels, texel);
}

/* Returns the texel's value: bits of floats, or integers. */
static void texel_value(const sim_texture *t, const sim_level *l, const int32_t at[3], uint32_t value[4],
                        sim_footprint_texels *texels) {
    const bool integers = sim_texture_gives_integers(t);
    raw_texel(t, l, at, value, texels);
    for (unsigned c = 0; c < t->channels && !integers; c++) value[c] = bits_of_f32(channel_value(t, c, value[c]));
}

/* A fetch while it is sampled. */
typedef struct sample {
    const sim_texture *texture;
    const sim_fetch *fetch;
    sim_footprint_texels *texels;
    float at[3];
    uint32_t dimensions; /* sampled dimensions */
    int32_t layer;       /* or slice 0 */
} sample;

/* Finds the texels along each dimension. Dimensions that are not sampled have one: texel 0, or the layer. */
static void find_all_taps(const sample *s, const sim_level *l, bool linear, taps t[3]) {
    for (unsigned d = 0; d < 3; d++) {
        t[d] = (taps){{0, 0}, 0};
        if (d == 2 && s->dimensions < 3) t[d] = (taps){{s->layer, s->layer}, 0};
        if (d < s->dimensions)
            t[d] = find_taps(&s->texture->sampler, d, s->at[d], s->fetch->shift[d], l->extent[d], linear);
    }
}

/* Bit d of `which` selects the first or second texel of dimension d. */
static void corner(const taps t[3], unsigned which, int32_t at[3]) {
    for (unsigned d = 0; d < 3; d++) at[d] = t[d].index[which >> d & 1];
}

/* ---- weights, as on an H100: in 256ths that add up to 256 ---- */

/* Splits `whole` between two texels; the second gets `part` of 256. */
static void split(uint32_t whole, uint32_t part, bool down, uint32_t share[2]) {
    share[1] = (whole * part + WEIGHT_ONE / 2 - down) >> WEIGHT_BITS;
    share[0] = whole - share[1];
}

/* Computes the weight of each corner: bit 0 is x, bit 1 y, bit 2 z. `whole` is split into slices, each slice along x,
 * each part along y. Halfway values favour the second texel in x. */
static void weigh(const taps t[3], uint32_t whole, uint32_t weight[8]) {
    uint32_t slice[2], row[2], column[2];
    split(whole, t[2].weight, false, slice);
    for (unsigned z = 0; z < 2; z++) {
        split(slice[z], t[0].weight, false, row);
        for (unsigned x = 0; x < 2; x++) {
            split(row[x], t[1].weight, !x, column);
            weight[x | z << 2] = column[0];
            weight[x | z << 2 | 2] = column[1];
        }
    }
}

/* Returns the value to weigh: integers as 16 bits of their range, floats unchanged. */
static double channel_to_filter(const sim_texture *t, unsigned channel, uint32_t raw) {
    const int32_t n = (int32_t)raw;
    switch (t->format) {
    case DRIVER_FORMAT_U8:
        return t->sampler.srgb && channel < 3 ? (double)channel_value(t, channel, raw) * 65535 : n * 257;
    case DRIVER_FORMAT_U16: return n;
    case DRIVER_FORMAT_S8: return n * (32767.0 / 127);
    case DRIVER_FORMAT_S16: return n < -32767 ? -32767 : n;
    default: return (double)channel_value(t, channel, raw);
    }
}

/* Rounds to nearest with `bits` of fraction; halfway values go away from zero. */
static double rounded_away(double sum, unsigned bits) {
    const uint64_t cut = UINT64_C(1) << (52 - bits), all = bits_of_f64(sum) + cut / 2;
    return f64_of_bits(all & ~(cut - 1));
}

/* An H100's rounding of signed bytes differs slightly: 4 of 896 sums were off by 1 / 32767. */
static const double s8_rounding = 0.46;

/* Converts a weighted sum into the result. */
static float filtered(const sim_texture *t, double sum) {
    switch (t->format) {
    case DRIVER_FORMAT_F32: return (float)rounded_away(sum, 23);
    case DRIVER_FORMAT_F16: return (float)rounded_away(sum, 10);
    case DRIVER_FORMAT_S8: return (float)floor(sum + s8_rounding) / 32767.0f;
    case DRIVER_FORMAT_S16: return (float)floor(sum + 0.5) / 32767.0f;
    default: return (float)floor(sum + 0.5) / 65535.0f;
    }
}

/* Adds the level's value, weighted with `share` of 256. */
static void filter_level(const sample *s, const sim_level *l, uint32_t share, double sum[4]) {
    const sim_texture *t = s->texture;
    taps along[3];
    uint32_t weight[8];
    find_all_taps(s, l, t->sampler.linear, along);
    weigh(along, share, weight);
    for (unsigned which = 0; which < 8; which++) {
        int32_t at[3];
        uint32_t raw[4];
        if (!weight[which]) continue;
        corner(along, which, at);
        raw_texel(t, l, at, raw, s->texels);
        for (unsigned c = 0; c < t->channels; c++)
            sum[c] += weight[which] / (double)WEIGHT_ONE * channel_to_filter(t, c, raw[c]);
    }
}

/* Takes the nearest texel, unfiltered. */
static void point_level(const sample *s, const sim_level *l, uint32_t value[4]) {
    taps t[3];
    find_all_taps(s, l, false, t);
    const int32_t at[3] = {t[0].index[0], t[1].index[0], t[2].index[0]};
    texel_value(s->texture, l, at, value, s->texels);
}

/* ---- levels ---- */

/* Returns the level that gradients select, from the long axis of the ellipse that a circle on the screen becomes on the
 * texture. An H100 approximates it and is off by up to 0.09 of a level, either way. */
static double level_of_gradients(const sim_texture *t, const sim_fetch *f, uint32_t dimensions) {
    double square[2] = {0}, product = 0;
    for (unsigned d = 0; d < dimensions; d++) {
        const double extent = t->sampler.normalized ? t->levels[0].extent[d] : 1;
        const double x = (double)f->along[0][d] * extent, y = (double)f->along[1][d] * extent;
        square[0] += x * x;
        square[1] += y * y;
        product += x * y;
    }
    /* The long axis of an ellipse from two conjugate half diameters. */
    const double difference = square[0] - square[1];
    return log2((square[0] + square[1] + sqrt(difference * difference + 4 * product * product)) / 2) / 2;
}

/* Returns the level, with fraction, within the limits of sampler and texture. */
static double level_of(const sample *s) {
    const sim_texture *t = s->texture;
    double level = 0;
    if (s->fetch->kind == SIM_FETCH_LEVEL) level = s->fetch->level;
    if (s->fetch->kind == SIM_FETCH_GRADIENTS) level = level_of_gradients(t, s->fetch, s->dimensions);
    if (level != level) level = 0;
    level = fmin(fmax(level + t->sampler.bias, t->sampler.least), t->sampler.most);
    return fmin(fmax(level, 0), t->level_count - 1);
}

static void finish(const sim_texture *t, const double sum[4], uint32_t value[4]) {
    for (unsigned c = 0; c < 4; c++) value[c] = c < t->channels ? bits_of_f32(filtered(t, sum[c])) : 0;
}

/* With linear levels, two levels are mixed; without, the nearest one is taken. */
static void sample_levels(const sample *s, uint32_t value[4]) {
    const sim_texture *t = s->texture;
    const double level = level_of(s);
    const unsigned nearest = (unsigned)floor(level + 0.5), lower = (unsigned)floor(level);
    const bool integers = sim_texture_gives_integers(t);
    const uint32_t next = t->sampler.levels_linear && !integers ? (uint32_t)((level - lower) * WEIGHT_ONE) : 0;
    const sim_level *l = &t->levels[t->sampler.levels_linear ? lower : nearest];
    double sum[4] = {0};
    if ((!t->sampler.linear || integers) && !next) {
        point_level(s, l, value);
        return;
    }
    filter_level(s, l, WEIGHT_ONE - next, sum);
    if (next) filter_level(s, l + 1, next, sum);
    finish(t, sum, value);
}

/* ---- cubes ---- */

/* Returns the face that a direction points at and the position on it, by the CUDA guide's table. */
static unsigned face_of(const float at[3], float on[2]) {
    const float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    unsigned face;
    float s, t, major;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        major = az, s = z < 0 ? -x : x, t = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        major = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        major = ax, s = x < 0 ? z : -z, t = -y;
    }
    on[0] = (s / major + 1) / 2;
    on[1] = (t / major + 1) / 2;
    return face;
}

/* ---- fetches ---- */

static bool is_cube(const sim_fetch *f) {
    return f->geometry == SIM_GEOMETRY_CUBE || f->geometry == SIM_GEOMETRY_ACUBE;
}

/* Layers beyond the last one count as the last. */
static int32_t clamped_layer(const sim_texture *t, uint32_t layer, uint32_t faces) {
    const uint32_t layers = t->levels[0].extent[2] / faces;
    return (int32_t)(layer < layers ? layer : layers - 1);
}

/* A cube's faces are layers: six for each layer of cubes. */
static sample start(const sim_texture *t, const sim_fetch *f, sim_footprint_texels *texels) {
    const bool layered = t->flags & DRIVER_ARRAY_LAYERED;
    sample s = {.texture = t, .fetch = f, .texels = texels, .dimensions = t->dimensions};
    for (unsigned d = 0; d < 3; d++) s.at[d] = f->at[d];
    if (is_cube(f)) {
        const unsigned face = face_of(f->at, s.at);
        s.layer = (layered ? clamped_layer(t, f->layer, 6) * 6 : 0) + (int32_t)face;
    } else if (layered) {
        s.layer = clamped_layer(t, f->layer, 1);
    }
    return s;
}

/* Counter-clockwise from the lower left. */
static void gather(const sample *s, uint32_t value[4]) {
    static const uint8_t corners[4] = {2, 3, 1, 0};
    taps t[3];
    find_all_taps(s, &s->texture->levels[0], true, t);
    for (unsigned k = 0; k < 4; k++) {
        int32_t at[3];
        uint32_t texel[4];
        corner(t, corners[k], at);
        texel_value(s->texture, &s->texture->levels[0], at, texel, s->texels);
        value[k] = texel[s->fetch->component];
    }
}

/* Fetches whole texels without sampling. Outside, the result is zero, unless the fetch names a level: then the nearest
 * texel is taken. */
static void fetch_texels(const sim_texture *t, const sim_fetch *f, const sample *s, uint32_t value[4]) {
    if (f->whole_level >= t->level_count) return;
    const sim_level *l = &t->levels[f->whole_level];
    int32_t at[3] = {0, 0, s->layer};
    bool inside = (f->names_level || (uint32_t)s->layer == f->layer) &&
                  (t->kind == DRIVER_RESOURCE_LINEAR) == (f->geometry == SIM_GEOMETRY_1D);
    for (unsigned d = 0; d < s->dimensions; d++) {
        const int64_t asked = (int64_t)f->whole[d] + f->shift[d], last = (int64_t)l->extent[d] - 1;
        const int64_t index = !f->names_level ? asked : asked < 0 ? 0 : asked > last ? last : asked;
        inside &= index >= 0 && index < l->extent[d];
        at[d] = inside ? (int32_t)index : 0;
    }
    if (inside) texel_value(t, l, at, value, s->texels);
}

/* ---- plain textures, for a whole warp ---- */

bool sim_texture_is_plain(const sim_texture *t, const sim_warp_fetch *f) {
    return (f->geometry == SIM_GEOMETRY_1D || f->geometry == SIM_GEOMETRY_2D) && f->kind != SIM_FETCH_TEXELS &&
           f->kind != SIM_FETCH_GATHER && t->kind != DRIVER_RESOURCE_LINEAR && t->dimensions <= 2 &&
           t->level_count == 1 && !(t->flags & DRIVER_ARRAY_LAYERED);
}

/* Data that all lanes of a plain fetch share. */
typedef struct plain {
    const sim_texture *texture;
    const sim_warp_fetch *fetch;
    const sim_level *level;
    unsigned dimensions, channels;
    bool linear, integers;
} plain;

static inline void plain_taps(const plain *p, unsigned lane, taps t[2]) {
    const sim_sampler *s = &p->texture->sampler;
    t[1] = (taps){{0, 0}, 0};
    for (unsigned d = 0; d < p->dimensions; d++)
        t[d] = find_taps(s, d, p->fetch->at[d][lane], p->fetch->shift[d][lane], p->level->extent[d], p->linear);
}

/* Returns where the texel is in memory of the host; NULL for the border. */
static inline const unsigned char *plain_texel(const plain *p, int32_t x, int32_t y, sim_footprint_texels *texels) {
    if ((x | y) < 0) return NULL;
    if (texels) note(texels, sim_texel_at(p->level, (uint32_t)x, (uint32_t)y, 0));
    return p->level->host + sim_level_offset(p->level, (uint32_t)x, (uint32_t)y, 0);
}

static inline uint32_t plain_channel(const plain *p, const unsigned char *texel, unsigned c) {
    const sim_texture *t = p->texture;
    return texel ? read_channel(t->format, texel + c * formats[t->format].bytes) : border_channel(t, c);
}

static inline void plain_point(const plain *p, unsigned lane, sim_footprint_texels *texels) {
    taps along[2];
    plain_taps(p, lane, along);
    const unsigned char *texel = plain_texel(p, along[0].index[0], along[1].index[0], texels);
    for (unsigned c = 0; c < p->channels; c++) {
        const uint32_t raw = plain_channel(p, texel, c);
        p->fetch->result[c][lane] = p->integers ? raw : bits_of_f32(channel_value(p->texture, c, raw));
    }
}

/* The same weights as those of weigh(), of the first slice. */
static inline void plain_filter(const plain *p, unsigned lane, sim_footprint_texels *texels) {
    taps along[2];
    uint32_t row[2], column[2][2];
    double sum[4] = {0};
    plain_taps(p, lane, along);
    split(WEIGHT_ONE, along[0].weight, false, row);
    for (unsigned x = 0; x < 2; x++) split(row[x], along[1].weight, !x, column[x]);
    for (unsigned which = 0; which < 4; which++) {
        const uint32_t weight = column[which & 1][which >> 1];
        if (!weight) continue;
        const unsigned char *texel = plain_texel(p, along[0].index[which & 1], along[1].index[which >> 1], texels);
        for (unsigned c = 0; c < p->channels; c++)
            sum[c] += weight / (double)WEIGHT_ONE * channel_to_filter(p->texture, c, plain_channel(p, texel, c));
    }
    for (unsigned c = 0; c < p->channels; c++) p->fetch->result[c][lane] = bits_of_f32(filtered(p->texture, sum[c]));
}

/* Inlined for each constant `channels` and `linear`. */
static inline __attribute__((always_inline)) void plain_lanes(const plain *p, uint32_t active,
                                                              sim_texel_access *access) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_footprint_texels *texels = access ? &access->lanes[lane] : NULL;
        if (p->linear)
            plain_filter(p, lane, texels);
        else
            plain_point(p, lane, texels);
    }
}

/* The level is 0, whatever the fetch names. */
void sim_texture_fetch_plain(const sim_texture *t, const sim_warp_fetch *f, uint32_t active, sim_texel_access *access) {
    plain p = {.texture = t, .fetch = f, .level = &t->levels[0], .dimensions = t->dimensions};
    p.integers = sim_texture_gives_integers(t);
    p.linear = t->sampler.linear && !p.integers;
    p.channels = t->channels < f->count ? t->channels : f->count;
    if (p.channels == 1 && p.dimensions == 2 && !p.linear)
        plain_lanes(&(plain){t, f, &t->levels[0], 2, 1, false, p.integers}, active, access);
    else if (p.channels == 1 && p.dimensions == 2)
        plain_lanes(&(plain){t, f, &t->levels[0], 2, 1, true, false}, active, access);
    else
        plain_lanes(&p, active, access);
    for (unsigned c = p.channels; c < f->count; c++)
        for (uint32_t left = active; left; left &= left - 1) f->result[c][__builtin_ctz(left)] = 0;
}

/* Elements that the texture does not have are zero. */
void sim_texture_fetch(const sim_texture *t, const sim_fetch *f, uint32_t value[4], sim_footprint_texels *texels) {
    const sample s = start(t, f, texels);
    texels->count = 0;
    memset(value, 0, 4 * sizeof *value);
    /* Linear memory has no fetches with non-integer coordinates. */
    if (t->kind == DRIVER_RESOURCE_LINEAR && f->kind != SIM_FETCH_TEXELS) return;
    switch ((sim_fetch_kind)f->kind) {
    case SIM_FETCH_TEXELS: fetch_texels(t, f, &s, value); return;
    case SIM_FETCH_GATHER: gather(&s, value); return;
    default: sample_levels(&s, value); return;
    }
}
