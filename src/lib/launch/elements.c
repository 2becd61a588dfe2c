/* Buffers of typed elements: their numbers' distribution, and the words that hold them.
 *
 * An element is a function of seed and index, made by exact arithmetic only, so that every machine fills the same bits.
 */
#include "base/number.h"
#include "base/status.h"
#include "exec/half.h"
#include "lib/launch/mix.h"
#include "lib/launch/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- distributions ---- */

static const char *const spread_names[] = {
#define SPREAD(id, name, numbers) [LAUNCH_SPREAD_##id] = name,
    LAUNCH_SPREADS(SPREAD)
#undef SPREAD
};
static const unsigned char numbers_of[] = {
#define SPREAD(id, name, numbers) [LAUNCH_SPREAD_##id] = numbers,
    LAUNCH_SPREADS(SPREAD)
#undef SPREAD
};
enum { SPREADS = sizeof spread_names / sizeof *spread_names };

const char *launch_spread_name(unsigned spread) {
    return spread < SPREADS ? spread_names[spread] : NULL;
}

static bool is_real(const launch_scalar *s) {
    return s->low == s->high;
}

/* The greatest u64 is stored as the greatest i64. */
static double greatest(const launch_scalar *s) {
    return s->low == 0 && s->high == INT64_MAX ? 0x1p64 : (double)s->high;
}

static haul_status check_numbers(const launch_elements *e) {
    const char *name = spread_names[e->spread];
    const unsigned numbers = numbers_of[e->spread];
    const double *const n = e->numbers;
    if (!isfinite(n[0]) || !isfinite(n[1])) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: needs finite numbers", name);
    if (e->spread == LAUNCH_SPREAD_UNIFORM && n[0] > n[1])
        return haul_fail(HAUL_ERROR_ARGUMENT, "uniform: the lower bound comes first");
    if (e->spread == LAUNCH_SPREAD_NORMAL && n[1] < 0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "normal: the deviation must not be negative");
    if (is_real(e->scalar) || e->spread == LAUNCH_SPREAD_NORMAL) return HAUL_OK;
    for (unsigned i = 0; i < numbers; i++)
        if (n[i] != floor(n[i]) || n[i] < (double)e->scalar->low || n[i] > greatest(e->scalar))
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %g is no %s", name, n[i], e->scalar->name);
    return HAUL_OK;
}

haul_status launch_parse_spread(const char *name, const char *string, launch_elements *e) {
    char first[64];
    const size_t length = strcspn(string, ":");
    e->spread = LAUNCH_SPREAD_PLAIN + 1;
    while (e->spread < SPREADS && strcmp(name, spread_names[e->spread]) != 0) e->spread++;
    if (e->spread == SPREADS) return haul_fail(HAUL_ERROR_ARGUMENT, "`%s` is not a distribution", name);
    const unsigned numbers = numbers_of[e->spread];
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : 0), string);
    const bool has_second = string[length] == ':';
    if (!number_f64(first, &e->numbers[0]) || has_second != (numbers == 2) ||
        (has_second && !number_f64(string + length + 1, &e->numbers[1])))
        return haul_fail(HAUL_ERROR_ARGUMENT, numbers == 2 ? "%s= needs two numbers, as %s=0:1" : "%s= needs a number",
                         name, name);
    return check_numbers(e);
}

haul_status launch_read_spread(json_t *object, launch_elements *e) {
    for (unsigned i = LAUNCH_SPREAD_PLAIN + 1; i < SPREADS; i++) {
        json_t *value = json_object_get(object, spread_names[i]);
        const unsigned numbers = numbers_of[i];
        if (!value) continue;
        if (e->spread != LAUNCH_SPREAD_PLAIN)
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s and %s exclude each other", spread_names[e->spread],
                             spread_names[i]);
        e->spread = i;
        for (unsigned k = 0; k < numbers; k++) {
            json_t *number = numbers == 1 ? value : json_array_get(value, k);
            if (!json_is_number(number) || (numbers > 1 && json_array_size(value) != numbers))
                return haul_fail(HAUL_ERROR_ARGUMENT, "%s: must be %s", spread_names[i],
                                 numbers == 1 ? "a number" : "two numbers, as [0, 1]");
            e->numbers[k] = json_number_value(number);
        }
        HAUL_TRY(check_numbers(e));
    }
    return HAUL_OK;
}

void launch_spread_to_json(const launch_elements *e, json_t *object) {
    if (e->spread == LAUNCH_SPREAD_PLAIN) return;
    json_t *value =
        numbers_of[e->spread] == 1 ? json_real(e->numbers[0]) : json_pack("[f, f]", e->numbers[0], e->numbers[1]);
    json_object_set_new(object, spread_names[e->spread], value);
}

haul_status launch_settle_elements(launch_argument *a) {
    const uint64_t bytes = launch_scalar_bytes(a->elements.scalar);
    if (a->elements.count > (UINT64_C(1) << 42) / bytes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "too many elements for a buffer");
    a->words = (a->elements.count * bytes + 3) / 4;
    return HAUL_OK;
}

/* ---- elements ---- */

/* A random number in [0, 1) with 53 bits; `turn` numbers those of one element. */
static double unit(uint64_t key, uint64_t index, uint64_t turn) {
    return (double)(launch_mix(launch_mix(key ^ index) + turn) >> 11) * 0x1p-53;
}

/* The sum of twelve uniform numbers less six has mean 0, variance 1 and nearly the normal distribution; it needs no
 * function whose last bit depends on the C library. */
static double normal(uint64_t key, uint64_t index) {
    double sum = -6;
    for (unsigned i = 0; i < 12; i++) sum += unit(key, index, i);
    return sum;
}

/* A number within the limits of an integer type, as its bits. */
static uint64_t clamp_whole(const launch_scalar *s, double x) {
    const double rounded = rint(x);
    if (rounded <= (double)s->low) return (uint64_t)s->low;
    if (rounded >= greatest(s)) return greatest(s) == 0x1p64 ? UINT64_MAX : (uint64_t)s->high;
    return rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
}

static uint64_t bits_of_real(const launch_scalar *s, double x) {
    const float single = (float)x;
    uint32_t bits;
    uint64_t whole;
    switch (s->kind) {
    case HAUL_ARGUMENT_I16: return encode(*s->name == 'b' ? sim_bf16 : sim_f16, x, SIM_ROUND_EVEN, false);
    case HAUL_ARGUMENT_F32: memcpy(&bits, &single, sizeof bits); return bits;
    default: memcpy(&whole, &x, sizeof whole); return whole;
    }
}

/* As likely as each other: all integers from low to high, which may be all of the type. */
static double uniform_whole(const launch_elements *e, uint64_t key, uint64_t index) {
    const double count = e->numbers[1] - e->numbers[0] + 1;
    return e->numbers[0] + floor(unit(key, index, 0) * count);
}

static uint64_t element(const launch_elements *e, uint64_t key, uint64_t index) {
    const double *const n = e->numbers;
    const bool real = is_real(e->scalar);
    double x = n[0];
    if (e->spread == LAUNCH_SPREAD_PLAIN && !real) {
        const uint64_t random = launch_mix(key ^ index);
        return e->scalar->high == 1 ? random & 1 : random;
    }
    if (e->spread == LAUNCH_SPREAD_PLAIN) x = 1 - unit(key, index, 0);
    if (e->spread == LAUNCH_SPREAD_UNIFORM)
        x = real ? n[0] + unit(key, index, 0) * (n[1] - n[0]) : uniform_whole(e, key, index);
    if (e->spread == LAUNCH_SPREAD_NORMAL) x = n[0] + n[1] * normal(key, index);
    return real ? bits_of_real(e->scalar, x) : clamp_whole(e->scalar, x);
}

void launch_fill_elements(const launch_argument *a, uint32_t *words, size_t count, uint64_t first) {
    const launch_elements *e = &a->elements;
    const unsigned bytes = launch_scalar_bytes(e->scalar);
    const uint64_t key = launch_mix(a->seed);
    unsigned char *to = (unsigned char *)words;
    for (uint64_t at = 0; at < count * 4;) {
        const uint64_t byte = first * 4 + at, index = byte / bytes, skipped = byte % bytes;
        const uint64_t left = count * 4 - at, size = bytes - skipped < left ? bytes - skipped : left;
        const uint64_t value = index < e->count ? element(e, key, index) >> 8 * skipped : 0;
        memcpy(to + at, &value, size);
        at += size;
    }
}
