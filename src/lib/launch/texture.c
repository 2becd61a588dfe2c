/* Textures and surfaces as arguments of described launches.
 *
 * A description has a shape, a format and words such as `linear,wrap`; the same structure comes from a launch file and
 * from the command line, and finish() completes both. Its elements are filled as a buffer's words, without gaps; in
 * pitched memory each row begins at a multiple of PITCH_UNIT. Only surfaces are hashed after the kernel, since kernels
 * cannot write textures. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/read.h"

#include <string.h>

/* `what` is the text that is wrong. */
static haul_status wrong(const char *what, const char *must) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "texture: `%s`: %s", what, must);
}

/* ---- description ---- */

static const struct {
    const char *name;
    haul_format format;
    unsigned bytes; /* of a channel */
} formats[] = {{"u8", HAUL_FORMAT_U8, 1},   {"u16", HAUL_FORMAT_U16, 2}, {"u32", HAUL_FORMAT_U32, 4},
               {"s8", HAUL_FORMAT_S8, 1},   {"s16", HAUL_FORMAT_S16, 2}, {"s32", HAUL_FORMAT_S32, 4},
               {"f16", HAUL_FORMAT_F16, 2}, {"f32", HAUL_FORMAT_F32, 4}};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *format_name(haul_format format) {
    unsigned i = 0;
    while (i + 1 < FORMATS && formats[i].format != format) i++;
    return formats[i].name;
}

/* Reads "f32" or "u8x4" to format and number of channels. */
static haul_status parse_format(const char *string, haul_array_shape *s) {
    const size_t length = strcspn(string, "x");
    const char *times = string + length;
    unsigned i = 0;
    while (i < FORMATS && (strlen(formats[i].name) != length || strncmp(formats[i].name, string, length) != 0)) i++;
    if (i == FORMATS) return wrong(string, "the format is none of u8, u16, u32, s8, s16, s32, f16, f32");
    s->format = formats[i].format;
    s->channels = strcmp(times, "x2") == 0 ? 2 : strcmp(times, "x4") == 0 ? 4 : 1;
    if (*times && strcmp(times, "x1") != 0 && s->channels == 1)
        return wrong(string, "a format has x1, x2 or x4 channels");
    return HAUL_OK;
}

/* Applies a word of LAUNCH_TEXTURE_WORDS; false if it is none. */
static bool apply_word(launch_texture *t, const char *word, size_t length) {
#define WORD(name, sets)                                              \
    if (strlen(name) == length && strncmp(name, word, length) == 0) { \
        t->sets;                                                      \
        return true;                                                  \
    }
    LAUNCH_TEXTURE_WORDS(WORD)
#undef WORD
    return false;
}

/* Applies all words; commas separate them. The address mode is the same in all dimensions. */
static haul_status parse_words(const char *as, launch_texture *t) {
    for (const char *word = as; *word;) {
        const size_t length = strcspn(word, ",");
        if (length && !apply_word(t, word, length))
            return wrong(as, "the words are linear, wrap, clamp, mirror, border, normalized, integers, srgb, seamless, "
                             "layered, cube, gather, memory, pitched");
        word += length + (word[length] == ',');
    }
    for (unsigned k = 0; k < 3; k++) t->sampler.address[k] = t->mode;
    return HAUL_OK;
}

/* Bytes of an element with all its channels. */
static unsigned texel_bytes(const haul_array_shape *s) {
    unsigned i = 0;
    while (i + 1 < FORMATS && formats[i].format != s->format) i++;
    return formats[i].bytes * s->channels;
}

/* Extents that are 0 are dimensions that the shape lacks. */
static uint64_t at_least_one(uint32_t extent) {
    return extent ? extent : 1;
}

static uint64_t row_bytes(const haul_array_shape *s) {
    return (uint64_t)s->width * texel_bytes(s);
}

/* Bytes of all elements, without gaps. */
static uint64_t contents(const haul_array_shape *s) {
    return row_bytes(s) * at_least_one(s->height) * at_least_one(s->depth);
}

#define MOST_BYTES (UINT64_C(1) << 40)

/* Makes the argument, once all of its parts are read: checks that they go together, and stores it in the list's
 * memory. */
static haul_status finish(launch_list *list, launch_texture *t, const char *fill, bool seed_given, const char *as,
                          launch_argument *a) {
    haul_array_shape *s = &t->shape;
    a->fill = launch_fill_find(fill);
    if (a->fill == LAUNCH_FILL_COUNT || a->fill == LAUNCH_FILL_FILE || a->fill == LAUNCH_FILL_ELEMENTS)
        return wrong(fill, "no such fill rule; use " LAUNCH_RULE_LIST);
    HAUL_TRY(parse_words(as, t));
    if (t->memory != LAUNCH_IN_ARRAY && (t->is_surface || s->layered || s->cube || s->depth))
        return wrong(as, "memory has one dimension, pitched memory two, and neither is a surface");
    if (t->memory == LAUNCH_IN_PITCHED && !s->height) s->height = 1;
    if ((uint64_t)s->width * at_least_one(s->height) > MOST_BYTES / 16 / at_least_one(s->depth))
        return wrong(as, "the texture is larger than any memory");
    s->surface = t->is_surface;
    t->as = arena_copy(&list->memory, as, strlen(as));
    a->texture = ARENA_NEW(&list->memory, launch_texture);
    if (!t->as || !a->texture) return haul_no_memory("the launch");
    *a->texture = *t;
    a->kind = HAUL_ARGUMENT_I64;
    a->words = (contents(s) + 3) / 4;
    return launch_settle_fill(a, seed_given);
}

/* ---- reading ---- */

/* The member's text; `otherwise` if it is missing, NULL if it is no text. */
static const char *string_of(json_t *object, const char *key, const char *otherwise) {
    json_t *value = json_object_get(object, key);
    return value ? json_string_value(value) : otherwise;
}

/* A height or depth of 0 is allowed and means that the dimension is missing; the width is not 0. */
static haul_status read_shape(json_t *array, haul_array_shape *s) {
    uint32_t *extents[3] = {&s->width, &s->height, &s->depth};
    if (json_array_size(array) < 1 || json_array_size(array) > 3)
        return wrong("shape", "must be an array of one to three numbers");
    for (size_t k = 0; k < json_array_size(array); k++) {
        json_t *value = json_array_get(array, k);
        const json_int_t n = json_integer_value(value);
        if (!json_is_integer(value) || n < 0 || n > UINT32_MAX) return wrong("shape", "its numbers must be whole");
        *extents[k] = (uint32_t)n;
    }
    return s->width ? HAUL_OK : wrong("shape", "the width must not be 0");
}

haul_status launch_read_texture(launch_list *list, json_t *object, launch_argument *a) {
    launch_texture t = {.is_surface = json_object_get(object, "surf") != NULL, .mode = HAUL_ADDRESS_CLAMP};
    const char *fill = string_of(object, t.is_surface ? "surf" : "tex", NULL), *as = string_of(object, "as", "");
    const char *format = string_of(object, "format", NULL);
    int64_t seed = 1;
    if (!fill || !as || !format) return wrong(t.is_surface ? "surf" : "tex", "fill rule, format and `as` are strings");
    if (json_object_get(object, "seed"))
        HAUL_TRY(launch_read_integer(json_object_get(object, "seed"), "seed", 0, UINT32_MAX, &seed));
    a->seed = (uint32_t)seed;
    HAUL_TRY(read_shape(json_object_get(object, "shape"), &t.shape));
    HAUL_TRY(parse_format(format, &t.shape));
    return finish(list, &t, fill, json_object_get(object, "seed") != NULL, as, a);
}

/* Cuts off the field and moves past it; NULL if there is none left. */
static char *next_field(char **rest) {
    char *field = *rest;
    if (!field) return NULL;
    *rest = strchr(field, ':');
    if (*rest) *(*rest)++ = '\0';
    return field;
}

/* Reads "64x32x4". */
static haul_status parse_shape(char *given, haul_array_shape *s) {
    uint32_t *extents[3] = {&s->width, &s->height, &s->depth};
    for (unsigned k = 0; given; k++) {
        char *end = strchr(given, 'x');
        uint64_t n;
        if (end) *end = '\0';
        if (k == 3 || !number_u64(given, &n) || !n || n > UINT32_MAX)
            return wrong(given, "the shape is WIDTH, WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH");
        *extents[k] = (uint32_t)n;
        given = end ? end + 1 : NULL;
    }
    return HAUL_OK;
}

/* `fields` is cut into pieces. Texts that the argument keeps are copied into the list's memory. */
haul_status launch_parse_texture(launch_list *list, char *fields, bool is_surface, launch_argument *a) {
    launch_texture t = {.is_surface = is_surface, .mode = HAUL_ADDRESS_CLAMP};
    const char *fill = next_field(&fields);
    char *shape = next_field(&fields);
    const char *format = next_field(&fields), *as = next_field(&fields), *seed = next_field(&fields);
    uint64_t number = 1;
    if (!format || fields)
        return wrong(fill, "a texture is tex:FILL:SHAPE:FORMAT[:AS[:SEED]], as tex:f01:64x32:f32:linear");
    if (seed && (!number_u64(seed, &number) || number > UINT32_MAX)) return wrong(seed, "the seed is no 32-bit number");
    a->seed = (uint32_t)number;
    HAUL_TRY(parse_shape(shape, &t.shape));
    HAUL_TRY(parse_format(format, &t.shape));
    return finish(list, &t, fill, seed != NULL, as ? as : "", a);
}

/* The members from which the texture can be made again. */
json_t *launch_texture_to_json(const launch_argument *a) {
    const launch_texture *t = a->texture;
    const haul_array_shape *s = &t->shape;
    json_t *shape = json_array();
    json_array_append_new(shape, json_integer(s->width));
    if (s->height || s->depth) json_array_append_new(shape, json_integer(s->height));
    if (s->depth) json_array_append_new(shape, json_integer(s->depth));
    return json_pack("{s:s, s:o, s:o, s:s, s:I}", t->is_surface ? "surf" : "tex", launch_fill_names[a->fill], "shape",
                     shape, "format", json_sprintf("%sx%u", format_name(s->format), s->channels), "as", t->as, "seed",
                     (json_int_t)a->seed);
}

/* ---- creation ---- */

enum { PITCH_UNIT = 512 }; /* bytes */

/* Bytes from one row to the next. */
static uint64_t pitch_of(const launch_texture *t) {
    const uint64_t row = row_bytes(&t->shape);
    return t->memory == LAUNCH_IN_PITCHED ? (row + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT : row;
}

/* Creates the array or memory, fills it, and makes the argument. The workspace owns all of it, also after an error. */
haul_status launch_texture_start(haul_device *device, const launch_argument *a, launch_workspace *w, size_t i) {
    const launch_texture *t = a->texture;
    haul_texture_source source = {.format = t->shape.format, .channels = t->shape.channels, .width = t->shape.width};
    if (t->memory == LAUNCH_IN_ARRAY) {
        HAUL_TRY(haul_array_create(device, &t->shape, &w->arrays[i]));
        source.array = w->arrays[i];
    } else {
        HAUL_TRY(haul_buffer_create(device, pitch_of(t) * at_least_one(t->shape.height), &w->buffers[i]));
        source.buffer = w->buffers[i];
        source.height = t->memory == LAUNCH_IN_PITCHED ? t->shape.height : 0;
        source.pitch = pitch_of(t);
    }
    HAUL_TRY(t->is_surface ? haul_surface_create(w->arrays[i], &w->textures[i])
                           : haul_texture_create(device, &source, &t->sampler, &w->textures[i]));
    w->arguments[i] = haul_texture_argument(w->textures[i]);
    return launch_texture_fill(a, w, i);
}

/* Writes rows one by one, because of the gaps between them in memory. */
static haul_status fill_rows(const launch_texture *t, haul_buffer *buffer, const unsigned char *bytes) {
    const uint64_t row = row_bytes(&t->shape);
    for (uint64_t y = 0; y < at_least_one(t->shape.height); y++)
        HAUL_TRY(haul_buffer_write(buffer, y * pitch_of(t), bytes + y * row, row));
    return HAUL_OK;
}

/* Makes all elements in host memory first: rows have to be cut from them. */
haul_status launch_texture_fill(const launch_argument *a, const launch_workspace *w, size_t i) {
    uint32_t *words = memory_alloc(a->words * sizeof *words);
    if (!words) return haul_no_memory("the launch");
    launch_fill_words(a, words, a->words, 0);
    const haul_status status = w->arrays[i] ? haul_array_write(w->arrays[i], 0, words)
                                            : fill_rows(a->texture, w->buffers[i], (const unsigned char *)words);
    memory_free(words);
    return status;
}

/* The hash covers whole words; the bytes behind the last element are zeros. */
haul_status launch_texture_take(launch_argument *a, const launch_workspace *w, size_t i) {
    if (!a->texture->is_surface) return HAUL_OK;
    uint32_t *words = memory_zeroed(a->words, sizeof *words);
    if (!words) return haul_no_memory("the launch");
    const haul_status status = haul_array_read(w->arrays[i], 0, words);
    a->hash = hash_bytes(HASH_START, words, a->words * sizeof *words);
    memory_free(words);
    return status;
}
