/* Tensor maps as arguments of described launches. The reader fills a haul_tensor, all but its buffer, which exists only
 * when the launch runs (run.c encodes the map then). Ranges are checked here so that numbers fit their fields; whether
 * the map makes sense is for haul_tensor_map_encode() and the driver. */
#include "base/status.h"
#include "lib/launch/read.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const types[] = {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) [HAUL_TENSOR_##id] = (name),
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
};
static const char *const swizzles[] = {"none",         "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B",
                                       "128B_atom_64B"};                 /* by haul_tensor_swizzle */
static const char *const wides[] = {"none", "w", "w128"};                /* by haul_tensor_wide */
static const char *const interleaves[] = {"none", "16B", "32B"};         /* by haul_tensor_interleave */
static const char *const promotions[] = {"none", "64B", "128B", "256B"}; /* by haul_tensor_promotion */

enum { NAMES_MOST = sizeof types / sizeof *types };

/* Fails with the list of names. */
static haul_status unknown(const char *what, const char *name, const char *const *names, size_t count) {
    char list[32 * NAMES_MOST];
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", names[i]);
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s` is none of %s", what, name, list);
}

/* Sets `out` to the index of the name, which is the value of the enumeration. */
static haul_status read_name(launch_list *list, json_t *value, const char *what, const char *const *names, size_t count,
                             int *out) {
    const char *name;
    HAUL_TRY(launch_read_string(list, value, what, &name));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (int)i;
        return HAUL_OK;
    }
    return unknown(what, name, names, count);
}

/* An optional member; its default is the first name. */
static haul_status read_choice(launch_list *list, json_t *object, const char *member, const char *const *names,
                               size_t count, int *out) {
    json_t *value = json_object_get(object, member);
    *out = 0;
    return value ? read_name(list, value, member, names, count, out) : HAUL_OK;
}

#define READ_CHOICE(list, object, member, names, out) \
    read_choice(list, object, member, names, sizeof(names) / sizeof *(names), out)

/* Reads `count` numbers from `low` to `high`. */
/* An array of another length is an error. */
static haul_status read_numbers(json_t *value, const char *what, size_t count, int64_t low, int64_t high,
                                int64_t *out) {
    if (json_array_size(value) != count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: must be an array of %zu numbers", what, count);
    for (size_t i = 0; i < count; i++)
        HAUL_TRY(launch_read_integer(json_array_get(value, i), what, low, high, &out[i]));
    return HAUL_OK;
}

/* Sets rank, extents and pitches; dimension 0 has no pitch. */
static haul_status read_extents(json_t *object, haul_tensor *t) {
    json_t *extent = json_object_get(object, "extent");
    size_t rank = json_array_size(extent);
    int64_t n[5];
    if (rank < 1 || rank > 5) return haul_fail(HAUL_ERROR_ARGUMENT, "extent: must be an array of one to five numbers");
    t->rank = (uint32_t)rank;
    HAUL_TRY(read_numbers(extent, "extent", rank, 1, INT64_C(1) << 32, n));
    for (size_t i = 0; i < rank; i++) t->extent[i] = (uint64_t)n[i];
    if (rank == 1) return HAUL_OK;
    HAUL_TRY(read_numbers(json_object_get(object, "pitch"), "pitch", rank - 1, 1, INT64_C(1) << 40, n));
    for (size_t i = 0; i + 1 < rank; i++) t->pitch[i] = (uint64_t)n[i];
    return HAUL_OK;
}

/* Sets box and steps. Copies by pixels have a box of channels only. */
static haul_status read_box(json_t *object, haul_tensor *t) {
    json_t *steps = json_object_get(object, "step");
    int64_t n[5];
    size_t boxed = t->by_pixels ? 1 : t->rank;
    HAUL_TRY(read_numbers(json_object_get(object, "box"), "box", boxed, 1, 256, n));
    for (size_t i = 0; i < boxed; i++) t->box[i] = (uint32_t)n[i];
    if (!steps) return HAUL_OK;
    HAUL_TRY(read_numbers(steps, "step", t->rank, 1, 8, n));
    for (size_t i = 0; i < t->rank; i++) t->step[i] = (uint32_t)n[i];
    return HAUL_OK;
}

/* Copies by pixels have a number of pixels, and two corners that bound their start. Does nothing for tiles. */
static haul_status read_pixels(launch_list *list, json_t *object, haul_tensor *t) {
    json_t *pixels = json_object_get(object, "pixels");
    int64_t count = 0, lower[3], upper[3];
    int wide;
    if (!pixels) return HAUL_OK;
    if (t->rank < 3) return haul_fail(HAUL_ERROR_ARGUMENT, "pixels: need three to five dimensions");
    HAUL_TRY(launch_read_integer(pixels, "pixels", 1, 1024, &count));
    HAUL_TRY(READ_CHOICE(list, object, "wide", wides, &wide));
    t->wide = (haul_tensor_wide)wide;
    const size_t corners = wide ? 1 : t->rank - 2;
    HAUL_TRY(read_numbers(json_object_get(object, "lower"), "lower", corners, INT16_MIN, INT16_MAX, lower));
    HAUL_TRY(read_numbers(json_object_get(object, "upper"), "upper", corners, INT16_MIN, INT16_MAX, upper));
    t->by_pixels = true;
    t->pixels = (uint32_t)count;
    for (size_t i = 0; i < corners; i++) {
        t->lower[i] = (int32_t)lower[i];
        t->upper[i] = (int32_t)upper[i];
    }
    return HAUL_OK;
}

/* The optional members about layout and promotion. */
static haul_status read_layout(launch_list *list, json_t *object, haul_tensor *t) {
    int interleave, swizzle, promotion;
    HAUL_TRY(READ_CHOICE(list, object, "interleave", interleaves, &interleave));
    HAUL_TRY(READ_CHOICE(list, object, "swizzle", swizzles, &swizzle));
    HAUL_TRY(READ_CHOICE(list, object, "promotion", promotions, &promotion));
    t->interleave = (haul_tensor_interleave)interleave;
    t->swizzle = (haul_tensor_swizzle)swizzle;
    t->promotion = (haul_tensor_promotion)promotion;
    t->fill_nan = json_is_true(json_object_get(object, "nan"));
    return HAUL_OK;
}

haul_status launch_read_tensor(launch_list *list, json_t *object, launch_argument *a) {
    int type = 0;
    haul_tensor *t = ARENA_NEW(&list->memory, haul_tensor);
    if (!t) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the launches");
    HAUL_TRY(read_name(list, json_object_get(object, "tensor"), "tensor", types, NAMES_MOST, &type));
    HAUL_TRY(launch_read_of(list, object, a));
    *t = (haul_tensor){.type = (haul_tensor_type)type};
    HAUL_TRY(read_extents(object, t));
    HAUL_TRY(read_pixels(list, object, t));
    HAUL_TRY(read_box(object, t));
    HAUL_TRY(read_layout(list, object, t));
    a->kind = HAUL_ARGUMENT_BYTES;
    a->tensor = t;
    return HAUL_OK;
}
