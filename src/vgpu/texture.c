/* Texture and surface objects of the virtual GPU.
 *
 * An object is a number that kernels get as a parameter; context->textures finds the description behind it
 * (exec/texture/texture.h). A resource is an array, a mipmap, or plain device memory, which becomes a level with a
 * layout of its own. Creation checks the resource's kind, size and alignment, the sampler, and whether both fit
 * together. The descriptions that the program gave are kept for queries. exec/texture/ samples, and array.c makes
 * arrays. */
#include "base/status.h"
#include "vgpu/internal.h"
#include "vgpu/work.h"

#include <string.h>

/* HAUL_ERROR_ARGUMENT, with a message. */
static haul_status wrong(const char *what) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "texture: %s", what);
}

/* ---- resources ---- */

/* Layers of an array are no dimension. */
static void take_shape(sim_texture *t, const sim_array_shape *s) {
    const bool layers = s->flags & (DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_CUBE);
    t->format = s->format;
    t->channels = s->channels;
    t->flags = s->flags;
    t->dimensions = !s->extent[1] ? 1 : s->extent[2] && !layers ? 3 : 2;
}

/* An object belongs to one device, as its array does. */
static haul_status take_array(CUcontext c, sim_texture *t, CUarray handle) {
    const struct CUarray_st *a = sim_array_of(c, handle);
    if (!a) return HAUL_ERROR_ARGUMENT;
    if (a->context != c) return wrong("the array is on another device");
    take_shape(t, &a->shape);
    t->level_count = 1;
    t->levels[0] = a->level;
    return HAUL_OK;
}

/* All levels, with the first one's format. */
static haul_status take_mipmap(CUcontext c, sim_texture *t, CUmipmappedArray handle) {
    const struct CUmipmappedArray_st *m = sim_mipmap_of(c, handle);
    if (!m) return HAUL_ERROR_ARGUMENT;
    if (m->context != c) return wrong("the mipmapped array is on another device");
    take_shape(t, &m->shape);
    t->level_count = m->shape.level_count;
    for (unsigned l = 0; l < t->level_count; l++) t->levels[l] = m->levels[l].level;
    return HAUL_OK;
}

/* Makes plain device memory a level. Sets everything but the layout and the extent. */
static haul_status take_memory(CUcontext c, sim_texture *t, CUdeviceptr address, uint64_t bytes) {
    sim_level *l = &t->levels[0];
    if (address % SIM_TEXTURE_ALIGNMENT)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: memory at 0x%llx: must be aligned to %d bytes", address,
                         SIM_TEXTURE_ALIGNMENT);
    l->host = sim_memory_at(c->memory, address, bytes);
    if (!l->host)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: %llu bytes at 0x%llx lie in no allocation",
                         (unsigned long long)bytes, address);
    l->address = address;
    l->bytes = bytes;
    t->level_count = 1;
    return HAUL_OK;
}

/* Texels of all formats have a power of two of bytes. */
static haul_status take_format(sim_texture *t, CUarray_format format, unsigned channels) {
    const unsigned bytes = sim_texel_bytes((unsigned)format, channels);
    if (!bytes)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: format 0x%x with %u channels does not exist", (unsigned)format,
                         channels);
    t->format = (uint8_t)format;
    t->channels = (uint8_t)channels;
    t->levels[0].texel_bits = (uint8_t)__builtin_ctz(bytes);
    return HAUL_OK;
}

/* Limits of plain memory, in texels; the pitch is in bytes. */
enum { MOST_LINEAR_TEXELS = 1 << 27, MOST_PITCH_WIDTH = 131072, MOST_PITCH_HEIGHT = 65000, MOST_PITCH = 2097120 };

/* One row of texels; bytes after the last whole one are left out. */
static haul_status take_linear(CUcontext c, sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    HAUL_TRY(take_format(t, r->of.linear.format, r->of.linear.channels));
    sim_level *l = &t->levels[0];
    const uint64_t texels = r->of.linear.bytes >> l->texel_bits;
    if (!texels || texels > MOST_LINEAR_TEXELS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "texture: linear memory of %llu texels, but must have 1 to %d",
                         (unsigned long long)texels, MOST_LINEAR_TEXELS);
    l->layout = SIM_LAYOUT_LINEAR;
    l->extent[0] = (uint32_t)texels;
    l->extent[1] = l->extent[2] = 1;
    t->dimensions = 1;
    return take_memory(c, t, r->of.linear.address, texels << l->texel_bits);
}

/* The last row needs no bytes after its texels. */
static haul_status take_pitch(CUcontext c, sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    HAUL_TRY(take_format(t, r->of.pitch.format, r->of.pitch.channels));
    sim_level *l = &t->levels[0];
    const uint64_t width = r->of.pitch.width, height = r->of.pitch.height, pitch = r->of.pitch.pitch;
    if (!width || !height || width > MOST_PITCH_WIDTH || height > MOST_PITCH_HEIGHT)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "texture: pitched memory of %llu x %llu texels, but must have 1 to %d x 1 to %d",
                         (unsigned long long)width, (unsigned long long)height, MOST_PITCH_WIDTH, MOST_PITCH_HEIGHT);
    if (pitch % SIM_TEXTURE_PITCH || pitch < width << l->texel_bits || pitch > MOST_PITCH)
        return haul_fail(
            HAUL_ERROR_ARGUMENT,
            "texture: a pitch of %llu bytes: must be a multiple of %d, hold a row of %llu, and be %d at most",
            (unsigned long long)pitch, SIM_TEXTURE_PITCH, (unsigned long long)width << l->texel_bits, MOST_PITCH);
    l->layout = SIM_LAYOUT_PITCH;
    l->pitch = pitch;
    l->extent[0] = (uint32_t)width;
    l->extent[1] = (uint32_t)height;
    l->extent[2] = 1;
    t->dimensions = 2;
    return take_memory(c, t, r->of.pitch.address, (height - 1) * pitch + (width << l->texel_bits));
}

/* Keeps the description and fills in levels and format from it. */
static haul_status take_resource(CUcontext c, sim_texture *t, const CUDA_RESOURCE_DESC *r) {
    t->resource = *r;
    t->kind = (uint8_t)r->kind;
    switch (r->kind) {
    case DRIVER_RESOURCE_ARRAY: return take_array(c, t, r->of.array);
    case DRIVER_RESOURCE_MIPMAP: return take_mipmap(c, t, r->of.mipmap);
    case DRIVER_RESOURCE_LINEAR: return take_linear(c, t, r);
    case DRIVER_RESOURCE_PITCH2D: return take_pitch(c, t, r);
    default: return wrong("no such kind of resource");
    }
}

/* ---- views ---- */

/* CUresourceViewFormat: formats in threes, of 1, 2 and 4 channels. Block-compressed ones follow. */
static haul_status take_view_format(sim_texture *t, int format) {
    static const uint8_t formats[] = {DRIVER_FORMAT_U8,  DRIVER_FORMAT_S8,  DRIVER_FORMAT_U16, DRIVER_FORMAT_S16,
                                      DRIVER_FORMAT_U32, DRIVER_FORMAT_S32, DRIVER_FORMAT_F16, DRIVER_FORMAT_F32};
    const int last = 3 * (int)sizeof formats;
    if (!format) return HAUL_OK;
    if (format < 0 || format > last)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "texture: the view's format 0x%x is not supported", (unsigned)format);
    const uint8_t element = formats[(format - 1) / 3], channels = (uint8_t)(1 << (format - 1) % 3);
    if (sim_texel_bytes(element, channels) != sim_texel_bytes(t->format, t->channels))
        return wrong("the elements of a view must have as many bytes as those of the array");
    t->format = element;
    t->channels = channels;
    return HAUL_OK;
}

/* The first of the view's levels becomes level 0. */
static haul_status take_view_levels(sim_texture *t, unsigned first, unsigned last) {
    if (first > last || last >= t->level_count) return wrong("a view of levels that the array does not have");
    t->level_count = (uint8_t)(last - first + 1);
    memmove(t->levels, t->levels + first, t->level_count * sizeof *t->levels);
    return HAUL_OK;
}

/* Layers follow each other in each level. Six are a cube's faces. */
static haul_status take_view_layers(sim_texture *t, unsigned first, unsigned last) {
    const bool is_cube = t->flags & DRIVER_ARRAY_CUBE, layered = t->flags & DRIVER_ARRAY_LAYERED;
    const unsigned count = last - first + 1, unit = is_cube ? 6 : 1;
    if (!layered)
        return first || last > (is_cube ? 5 : 0) ? wrong("a view of layers of an array without layers") : HAUL_OK;
    if (first > last || last >= t->levels[0].extent[2] || first % unit || count % unit)
        return wrong("a view of layers that the array does not have");
    for (unsigned i = 0; i < t->level_count; i++) {
        sim_level *l = &t->levels[i];
        l->address += first * l->slice;
        l->host += first * l->slice;
        l->extent[2] = count;
        l->bytes = count * l->slice;
    }
    return HAUL_OK;
}

/* A view has the size of its array: only block-compressed formats change it. */
static haul_status take_view(sim_texture *t, const CUDA_RESOURCE_VIEW_DESC *v) {
    const uint32_t *extent = t->levels[0].extent;
    if (t->kind != DRIVER_RESOURCE_ARRAY && t->kind != DRIVER_RESOURCE_MIPMAP)
        return wrong("a view is one of an array");
    if (v->width != extent[0] || (t->dimensions > 1 && v->height != extent[1]) ||
        (t->dimensions > 2 && v->depth != extent[2]))
        return wrong("a view must be as large as the array");
    HAUL_TRY(take_view_format(t, v->format));
    HAUL_TRY(take_view_levels(t, v->first_level, v->last_level));
    HAUL_TRY(take_view_layers(t, v->first_layer, v->last_layer));
    memcpy(&t->view, v, offsetof(CUDA_RESOURCE_VIEW_DESC, reserved)); /* the runtime's structure ends there */
    return HAUL_OK;
}

/* ---- samplers ---- */

enum {
    KNOWN_FLAGS = DRIVER_TEXTURE_INTEGERS | DRIVER_TEXTURE_NORMALIZED | DRIVER_TEXTURE_SRGB | DRIVER_TEXTURE_SEAMLESS |
                  DRIVER_TEXTURE_NO_TRILINEAR_TRICKS,
};

/* Values that CUDA does not know, and flags that haul does not. */
static haul_status check_modes(const CUDA_TEXTURE_DESC *d) {
    for (unsigned k = 0; k < 3; k++)
        if (d->address[k] < 0 || d->address[k] > DRIVER_ADDRESS_BORDER) return wrong("no such address mode");
    if (d->filter < 0 || d->filter > DRIVER_FILTER_LINEAR || d->level_filter < 0 ||
        d->level_filter > DRIVER_FILTER_LINEAR)
        return wrong("no such filter mode");
    if (d->flags & ~(unsigned)KNOWN_FLAGS)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "texture: flags 0x%x are not supported", d->flags);
    return HAUL_OK;
}

/* A bias and limits of the level matter for mipmaps only. Anisotropy has no effect. */
static haul_status take_sampler(sim_texture *t, const CUDA_TEXTURE_DESC *d) {
    HAUL_TRY(check_modes(d));
    t->description = *d;
    t->sampler = (sim_sampler){.linear = d->filter == DRIVER_FILTER_LINEAR,
                               .levels_linear = d->level_filter == DRIVER_FILTER_LINEAR,
                               .normalized = d->flags & DRIVER_TEXTURE_NORMALIZED,
                               .integers = d->flags & DRIVER_TEXTURE_INTEGERS,
                               .srgb = d->flags & DRIVER_TEXTURE_SRGB,
                               .seamless = d->flags & DRIVER_TEXTURE_SEAMLESS,
                               .bias = d->level_bias,
                               .least = d->level_least,
                               .most = d->level_most};
    for (unsigned k = 0; k < 3; k++) t->sampler.address[k] = (uint8_t)d->address[k];
    for (unsigned k = 0; k < 4; k++) t->sampler.border[k] = d->border[k];
    return HAUL_OK;
}

/* Checks the sampler against the resource. */
static haul_status check_texture(const sim_texture *t) {
    if (t->sampler.linear && sim_texture_gives_integers(t))
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "texture: linear filtering of %s elements read as integers; read them as normalized floats, "
                         "or use the point filter",
                         sim_format_name(t->format));
    if (t->sampler.srgb && t->format != DRIVER_FORMAT_U8) return wrong("sRGB needs elements of 8 bits");
    if (t->kind == DRIVER_RESOURCE_MIPMAP && !t->sampler.normalized)
        return wrong("a mipmapped array needs normalized coordinates");
    if ((t->flags & DRIVER_ARRAY_CUBE) && !t->sampler.normalized) return wrong("a cube needs normalized coordinates");
    return HAUL_OK;
}

/* ---- objects ---- */

/* The parts of an object; a surface has the resource alone. */
typedef struct parts {
    const CUDA_RESOURCE_DESC *resource;
    const CUDA_TEXTURE_DESC *sampler;
    const CUDA_RESOURCE_VIEW_DESC *view; /* NULL: none */
} parts;
typedef haul_status (*make_fn)(CUcontext c, sim_texture *t, const parts *p);

/* The object exists only if it could be made. *out: its handle, or 0. */
static CUresult create(CUcontext c, unsigned long long *out, const parts *p, make_fn make) {
    unsigned long long handle;
    *out = 0;
    sim_texture *t = sim_textures_add(&c->textures, &handle);
    if (!t) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a texture"));
    const haul_status status = make(c, t, p);
    if (status == HAUL_OK)
        *out = handle;
    else
        sim_textures_remove(&c->textures, t);
    return sim_result_of(status);
}

/* The resource first, as the view and the sampler are checked against it. */
static haul_status make_texture(CUcontext c, sim_texture *t, const parts *p) {
    HAUL_TRY(take_resource(c, t, p->resource));
    if (p->view) HAUL_TRY(take_view(t, p->view));
    HAUL_TRY(take_sampler(t, p->sampler));
    return check_texture(t);
}

/* An array alone: surfaces have no sampler. */
static haul_status make_surface(CUcontext c, sim_texture *t, const parts *p) {
    t->is_surface = true;
    if (p->resource->kind != DRIVER_RESOURCE_ARRAY)
        return haul_fail(HAUL_ERROR_ARGUMENT, "surface: the resource must be an array");
    HAUL_TRY(take_resource(c, t, p->resource));
    if (t->flags & DRIVER_ARRAY_SURFACE) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "surface: the array was not made for surface loads and stores; create it "
                                          "with CUDA_ARRAY3D_SURFACE_LDST (cudaArraySurfaceLoadStore)");
}

CUresult sim_call_texture_create(CUtexObject *out, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
                                 const CUDA_RESOURCE_VIEW_DESC *view) {
    SIM_ENTER(c);
    if (!out || !r || !d) return sim_wrong("cuTexObjectCreate: an argument is missing");
    return create(c, out, &(parts){r, d, view}, make_texture);
}

CUresult sim_call_surface_create(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
    SIM_ENTER(c);
    if (!out || !r) return sim_wrong("cuSurfObjectCreate: an argument is missing");
    return create(c, out, &(parts){.resource = r}, make_surface);
}

/* NULL, with a message, unless it is a live object of that kind. */
static sim_texture *find(CUcontext c, unsigned long long handle, bool surface) {
    sim_texture *t = sim_textures_find(&c->textures, handle);
    if (t && t->is_surface == surface) return t;
    sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "%s: 0x%llx is not the handle of a live object",
                            surface ? "surface" : "texture", handle));
    return NULL;
}

/* Waits for pending kernels, which may use the object. */
static CUresult destroy(unsigned long long handle, bool surface) {
    SIM_ENTER(c);
    sim_texture *t = find(c, handle, surface);
    if (!t) return CUDA_INVALID_VALUE;
    (void)sim_work_finish_all(c, false);
    sim_textures_remove(&c->textures, t);
    return CUDA_SUCCESS;
}

CUresult sim_call_texture_destroy(CUtexObject handle) {
    return destroy(handle, false);
}

CUresult sim_call_surface_destroy(CUsurfObject handle) {
    return destroy(handle, true);
}

/* Returns what the program gave. */
static CUresult describe(CUDA_RESOURCE_DESC *r, unsigned long long handle, bool surface) {
    SIM_ENTER(c);
    const sim_texture *t = find(c, handle, surface);
    if (!t || !r) return CUDA_INVALID_VALUE;
    *r = t->resource;
    return CUDA_SUCCESS;
}

CUresult sim_call_texture_resource(CUDA_RESOURCE_DESC *r, CUtexObject handle) {
    return describe(r, handle, false);
}

CUresult sim_call_surface_resource(CUDA_RESOURCE_DESC *r, CUsurfObject handle) {
    return describe(r, handle, true);
}

CUresult sim_driver_texture_view(CUtexObject handle, CUDA_RESOURCE_VIEW_DESC *view) {
    SIM_ENTER(c);
    const sim_texture *t = find(c, handle, false);
    if (!t) return CUDA_INVALID_VALUE;
    *view = t->view;
    return CUDA_SUCCESS;
}

CUresult sim_call_texture_sampler(CUDA_TEXTURE_DESC *d, CUtexObject handle) {
    SIM_ENTER(c);
    const sim_texture *t = find(c, handle, false);
    if (!t || !d) return CUDA_INVALID_VALUE;
    *d = t->description;
    return CUDA_SUCCESS;
}

/* ---- objects whose array was destroyed ---- */

/* Kernels that use such an object get a fault that tells why. */
void sim_orphan_objects(CUcontext c, CUarray array, CUmipmappedArray mipmap) {
    for (size_t i = 0; i < c->textures.count; i++) {
        sim_texture *t = c->textures.items[i];
        const bool of_array = array && t->kind == DRIVER_RESOURCE_ARRAY && t->resource.of.array == array;
        const bool of_mipmap = mipmap && t->kind == DRIVER_RESOURCE_MIPMAP && t->resource.of.mipmap == mipmap;
        if (t->state == SIM_OBJECT_LIVE && (of_array || of_mipmap)) t->state = SIM_OBJECT_ORPHAN;
    }
}
