/* Arrays, textures and surfaces over the driver table.
 *
 * An array is opaque memory in a layout that the hardware chooses; a texture is a handle with which kernels read an
 * array or a buffer through a sampler, a surface one with which they write an array. Both are haul_texture here, since
 * the driver's objects differ only in how they are made and destroyed. The device keeps lists of them and frees them
 * when it closes; an array must outlive its textures. */
#include <haul/texture.h>

#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/stream.h"

#include <string.h>

struct haul_array {
    haul_device *device;
    haul_array_shape shape;
    CUarray array; /* NULL if the array has several levels */
    CUmipmappedArray mipmap;
    haul_array *next;
};

/* A texture or a surface. */
struct haul_texture {
    haul_device *device;
    bool is_surface;
    unsigned long long handle; /* what a kernel gets as its argument */
    haul_texture *next;
};

/* ---- arrays ---- */

/* The driver's flags of a shape. */
static unsigned flags_of(const haul_array_shape *s) {
    return (unsigned)((s->layered ? DRIVER_ARRAY_LAYERED : 0) | (s->surface ? DRIVER_ARRAY_SURFACE : 0) |
                      (s->cube ? DRIVER_ARRAY_CUBE : 0) | (s->gather ? DRIVER_ARRAY_GATHER : 0));
}

/* More than one level makes a mipmap, whose levels are arrays of their own (find_level()). */
static haul_status make_array(haul_device *d, haul_array *a) {
    const haul_array_shape *s = &a->shape;
    const CUDA_ARRAY3D_DESCRIPTOR shape = {.width = s->width,
                                           .height = s->height,
                                           .depth = s->depth,
                                           .format = (CUarray_format)s->format,
                                           .channels = s->channels,
                                           .flags = flags_of(s)};
    HAUL_TRY(device_enter(d));
    const CUresult result = s->levels > 1 ? d->driver->mipmap_create(&a->mipmap, &shape, s->levels)
                                          : d->driver->array_create_3d(&a->array, &shape);
    return device_check(d, result, "an array");
}

/* The driver checks the shape. */
haul_status haul_array_create(haul_device *d, const haul_array_shape *shape, haul_array **array) {
    *array = NULL;
    haul_array *a = memory_zeroed(1, sizeof *a);
    if (!a) return haul_no_memory("a texture's description");
    a->device = d;
    a->shape = *shape;
    const haul_status status = make_array(d, a);
    if (status != HAUL_OK) {
        memory_free(a);
        return status;
    }
    a->next = d->arrays;
    d->arrays = a;
    *array = a;
    return HAUL_OK;
}

/* Takes the array out of the device's list, and frees the mipmap or the array. */
void haul_array_free(haul_array *a) {
    if (!a) return;
    haul_device *d = a->device;
    for (haul_array **link = &d->arrays; *link; link = &(*link)->next) {
        if (*link != a) continue;
        *link = a->next;
        break;
    }
    if (device_enter(d) == HAUL_OK && a->mipmap) d->driver->mipmap_destroy(a->mipmap);
    if (device_enter(d) == HAUL_OK && a->array) d->driver->array_destroy(a->array);
    memory_free(a);
}

/* ---- copies ---- */

/* The others are 16 bits wide. */
static unsigned channel_bytes(haul_format format) {
    switch (format) {
    case HAUL_FORMAT_U8:
    case HAUL_FORMAT_S8: return 1;
    case HAUL_FORMAT_U32:
    case HAUL_FORMAT_S32:
    case HAUL_FORMAT_F32: return 4;
    default: return 2;
    }
}

/* Each level has half of the extent of the one before, at least 1. */
static uint64_t level_extent(uint32_t extent, uint32_t level) {
    const uint64_t less = level < 32 ? extent >> level : 0;
    return less ? less : 1;
}

/* Sets the extent of a level: bytes of a row, rows, slices. Layers and a cube's faces do not become fewer. */
static void level_box(const haul_array *a, uint32_t level, uint64_t box[3]) {
    const haul_array_shape *s = &a->shape;
    box[0] = level_extent(s->width, level) * s->channels * channel_bytes(s->format);
    box[1] = level_extent(s->height, level);
    box[2] = s->layered || s->cube ? s->depth : level_extent(s->depth, level);
}

/* 0 for a level that the array lacks. */
uint64_t haul_array_bytes(const haul_array *a, uint32_t level) {
    uint64_t box[3];
    level_box(a, level, box);
    return level == 0 || level < a->shape.levels ? box[0] * box[1] * box[2] : 0;
}

/* Sets `array` to a level of the array. */
static haul_status find_level(const haul_array *a, uint32_t level, CUarray *array) {
    *array = a->array;
    if (level == 0 && a->array) return HAUL_OK;
    if (!a->mipmap || level >= a->shape.levels)
        return haul_fail(HAUL_ERROR_ARGUMENT, "array: it has no level %u", level);
    return device_check(a->device, a->device->driver->mipmap_level(array, a->mipmap, level), "a level of an array");
}

/* Copies a whole level from the host (`from`) or to it (`to`); the other is NULL. Host memory has no gaps between rows.
 * `stream` NULL: waits for the copy. */
static haul_status copy_level(haul_array *a, uint32_t level, const void *from, void *to, haul_stream *stream) {
    const haul_device *d = a->device;
    uint64_t box[3];
    CUarray array;
    HAUL_TRY(device_enter(d));
    HAUL_TRY(find_level(a, level, &array));
    level_box(a, level, box);
    const CUDA_MEMCPY3D copy = {.from_kind = from ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_ARRAY,
                                .from_host = from,
                                .from_array = array,
                                .from_pitch = box[0],
                                .from_height = box[1],
                                .to_kind = from ? DRIVER_MEMORY_ARRAY : DRIVER_MEMORY_HOST,
                                .to_host = to,
                                .to_array = array,
                                .to_pitch = box[0],
                                .to_height = box[1],
                                .width = box[0],
                                .height = box[1],
                                .depth = box[2]};
    const CUresult result = stream ? d->driver->copy_3d_async(&copy, stream->handle) : d->driver->copy_3d(&copy);
    return device_check(d, result, from ? "copying to an array" : "copying from an array");
}

/* The four functions differ in direction and in whether they wait. */
haul_status haul_array_write(haul_array *a, uint32_t level, const void *host) {
    return copy_level(a, level, host, NULL, NULL);
}

haul_status haul_array_read(haul_array *a, uint32_t level, void *host) {
    return copy_level(a, level, NULL, host, NULL);
}

haul_status haul_array_write_in(haul_stream *stream, haul_array *a, uint32_t level, const void *host) {
    return copy_level(a, level, host, NULL, stream);
}

haul_status haul_array_read_in(haul_stream *stream, haul_array *a, uint32_t level, void *host) {
    return copy_level(a, level, NULL, host, stream);
}

/* ---- textures ---- */

/* Describes an array as a resource of a texture or surface. */
static CUDA_RESOURCE_DESC array_resource(const haul_array *a) {
    CUDA_RESOURCE_DESC r = {.kind = a->mipmap ? DRIVER_RESOURCE_MIPMAP : DRIVER_RESOURCE_ARRAY};
    if (a->mipmap)
        r.of.mipmap = a->mipmap;
    else
        r.of.array = a->array;
    return r;
}

/* Describes part of a buffer: rows at a pitch if there is a height, else a row of texels. Fails if it reaches beyond
 * the buffer. */
static haul_status buffer_resource(const haul_texture_source *s, CUDA_RESOURCE_DESC *r) {
    const uint64_t row = s->width * s->channels * channel_bytes(s->format);
    const bool rows = s->height != 0;
    const CUdeviceptr address = s->buffer->address + s->offset;
    if (s->width >> 32 || s->height >> 32 || s->pitch >> 32)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: width, height and pitch must be below 2^32");
    HAUL_TRY(buffer_check_range(s->buffer, s->offset, rows ? (s->height - 1) * s->pitch + row : row));
    *r = (CUDA_RESOURCE_DESC){.kind = rows ? DRIVER_RESOURCE_PITCH2D : DRIVER_RESOURCE_LINEAR};
    if (rows) {
        r->of.pitch.address = address;
        r->of.pitch.format = (CUarray_format)s->format;
        r->of.pitch.channels = s->channels;
        r->of.pitch.width = s->width;
        r->of.pitch.height = s->height;
        r->of.pitch.pitch = s->pitch;
    } else {
        r->of.linear.address = address;
        r->of.linear.format = (CUarray_format)s->format;
        r->of.linear.channels = s->channels;
        r->of.linear.bytes = row;
    }
    return HAUL_OK;
}

enum { MOST_LEVELS = 16 }; /* of a mipmap: the default limit of a sampler */

/* Translates the sampler to the driver's structure. */
static CUDA_TEXTURE_DESC describe_sampler(const haul_sampler *s) {
    CUDA_TEXTURE_DESC t = {
        .filter = s->linear ? DRIVER_FILTER_LINEAR : DRIVER_FILTER_POINT,
        .flags =
            (unsigned)((s->integers ? DRIVER_TEXTURE_INTEGERS : 0) | (s->normalized ? DRIVER_TEXTURE_NORMALIZED : 0) |
                       (s->srgb ? DRIVER_TEXTURE_SRGB : 0) | (s->seamless ? DRIVER_TEXTURE_SEAMLESS : 0)),
        .level_filter = s->linear_levels ? DRIVER_FILTER_LINEAR : DRIVER_FILTER_POINT,
        .level_bias = s->level_bias,
        .level_least = s->least_level,
        .level_most = s->most_level > 0 ? s->most_level : MOST_LEVELS};
    for (unsigned k = 0; k < 3; k++) t.address[k] = (int)s->address[k];
    memcpy(t.border, s->border, sizeof t.border);
    return t;
}

/* Adds an object that could be made to the device's list, else frees it. *texture must be NULL before. */
static haul_status keep(haul_device *d, haul_status status, haul_texture *made, haul_texture **texture) {
    if (status != HAUL_OK) {
        memory_free(made);
        return status;
    }
    made->next = d->textures;
    d->textures = made;
    *texture = made;
    return HAUL_OK;
}

/* Creates the driver's object. The source is an array or a buffer. */
static haul_status make_texture(haul_device *d, const haul_texture_source *source, const haul_sampler *sampler,
                                haul_texture *t) {
    CUDA_RESOURCE_DESC r;
    const CUDA_TEXTURE_DESC s = describe_sampler(sampler);
    if (!source->array == !source->buffer)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: it needs an array or a buffer, and not both");
    if (source->array)
        r = array_resource(source->array);
    else
        HAUL_TRY(buffer_resource(source, &r));
    HAUL_TRY(device_enter(d));
    return device_check(d, d->driver->texture_create(&t->handle, &r, &s, NULL), "a texture");
}

/* The sampler is part of the object: another one needs another texture. */
haul_status haul_texture_create(haul_device *d, const haul_texture_source *source, const haul_sampler *sampler,
                                haul_texture **texture) {
    *texture = NULL;
    haul_texture *t = memory_zeroed(1, sizeof *t);
    if (!t) return haul_no_memory("a texture's description");
    t->device = d;
    return keep(d, make_texture(d, source, sampler, t), t, texture);
}

/* Surfaces need an array made for them. */
static haul_status make_surface(haul_array *a, haul_texture *t) {
    const CUDA_RESOURCE_DESC r = array_resource(a);
    if (!a->shape.surface) return haul_fail(HAUL_ERROR_ARGUMENT, "surface: the array was made without `surface`");
    if (a->mipmap)
        return haul_fail(HAUL_ERROR_UNSUPPORTED,
                         "surface: a mipmapped array has no surface: create an array without levels");
    HAUL_TRY(device_enter(a->device));
    return device_check(a->device, a->device->driver->surface_create(&t->handle, &r), "a surface");
}

haul_status haul_surface_create(haul_array *a, haul_texture **surface) {
    *surface = NULL;
    haul_texture *t = memory_zeroed(1, sizeof *t);
    if (!t) return haul_no_memory("a texture's description");
    t->device = a->device;
    t->is_surface = true;
    return keep(a->device, make_surface(a, t), t, surface);
}

/* The array or buffer stays. */
void haul_texture_free(haul_texture *t) {
    if (!t) return;
    haul_device *d = t->device;
    for (haul_texture **link = &d->textures; *link; link = &(*link)->next) {
        if (*link != t) continue;
        *link = t->next;
        break;
    }
    if (device_enter(d) == HAUL_OK)
        (void)(t->is_surface ? d->driver->surface_destroy(t->handle) : d->driver->texture_destroy(t->handle));
    memory_free(t);
}

uint64_t haul_texture_handle(const haul_texture *t) {
    return t->handle;
}

/* Kernels take a texture as a 64-bit number. */
haul_argument haul_texture_argument(const haul_texture *t) {
    return (haul_argument){.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)t->handle};
}
