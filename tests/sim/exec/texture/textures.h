/* Textures for tests, created from a description, with a generated kernel that fetches from them. Works on any driver
 * table, so that the same cases run on the virtual GPU and on a real one. */
#ifndef HAUL_TESTS_SIM_TEXTURES_H
#define HAUL_TESTS_SIM_TEXTURES_H

#include "driver/driver.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contents of an element, and positions of the lanes' fetches. */
typedef enum tex_content { TEX_RANDOM, TEX_RAMP, TEX_ONE_HOT } tex_content;
typedef enum tex_places { TEX_NEAR, TEX_WILD, TEX_FINE } tex_places;

typedef struct tex_case {
    const char *name;
    const char *fetch; /* the instruction up to its operands: "tex.2d.v4.f32.f32" */
    int resource;      /* DRIVER_RESOURCE_... */
    uint32_t extent[3];
    CUarray_format format;
    unsigned channels, flags, levels;
    int address, filter;
    unsigned sampler; /* DRIVER_TEXTURE_... */
    tex_content content;
    tex_places places;
    bool shifted; /* with offsets {1, -2, 3} */
    bool some;    /* items whose last word is 0 fetch nothing */
    int level_filter;
    float bias, least, most;
    unsigned misses; /* items that the virtual GPU is known to get wrong */
} tex_case;

enum { TEX_ITEMS = 128, TEX_WORDS = 8 }; /* of an item: three coordinates, the layer, four for level or gradients */

static inline uint32_t tex_hash(uint32_t x) {
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    return x ^ x >> 15;
}

static inline unsigned tex_channel_bytes(CUarray_format f) {
    switch (f) {
    case DRIVER_FORMAT_U8:
    case DRIVER_FORMAT_S8: return 1;
    case DRIVER_FORMAT_U16:
    case DRIVER_FORMAT_S16:
    case DRIVER_FORMAT_F16: return 2;
    default: return 4;
    }
}

/* ---- contents ---- */

static inline uint32_t tex_float(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Returns channel c of texel (x, y, z). */
static inline uint32_t tex_element(const tex_case *t, unsigned level, uint32_t x, uint32_t y, uint32_t z, unsigned c) {
    const uint32_t h = tex_hash(x + 977 * y + 65537 * z + 0x1000003 * c + 0x51ed27 * level);
    const bool hot = c == ((x & 1) | (y & 1) << 1);
    switch (t->format) {
    case DRIVER_FORMAT_F32:
        if (t->content == TEX_RAMP) return tex_float((float)(x + 100 * y + 10000 * z + c));
        if (t->content == TEX_ONE_HOT) return tex_float(hot ? 1.0f : 0.0f);
        return tex_float((float)(int32_t)(h >> 8) / 16777216.0f * (h & 1 ? 1 : -1));
    case DRIVER_FORMAT_F16: return 0x3000 + (h & 0x8fff);
    default: return t->content == TEX_RAMP ? x + 16 * y + c : h;
    }
}

static inline unsigned char *tex_fill(const tex_case *t, unsigned level, const uint32_t e[3]) {
    const unsigned bytes = tex_channel_bytes(t->format);
    unsigned char *data = malloc((size_t)e[0] * e[1] * e[2] * t->channels * bytes), *at = data;
    for (uint32_t z = 0; data && z < e[2]; z++)
        for (uint32_t y = 0; y < e[1]; y++)
            for (uint32_t x = 0; x < e[0]; x++)
                for (unsigned c = 0; c < t->channels; c++, at += bytes) {
                    const uint32_t v = tex_element(t, level, x, y, z, c);
                    memcpy(at, &v, bytes);
                }
    return data;
}

/* ---- places ---- */

static inline float tex_unit(uint32_t h) {
    return (float)(h >> 8) / 16777216.0f;
}

static inline float tex_wild(uint32_t h, float extent) {
    static const float odd[] = {0.0f,   -0.0f, 1.0f,   0.5f,        -0.5f, 1e9f,        -1e9f, 3e38f,
                                -3e38f, 1e-9f, -1e-9f, 16777216.0f, 2.5f,  0.99999994f, -1.0f, 1000.25f};
    const float value = odd[h >> 8 & 15];
    switch (h & 7) {
    case 0: return value;
    case 1: return h & 256 ? (h & 512 ? (float)__builtin_inf() : -(float)__builtin_inf()) : (float)__builtin_nan("");
    case 2: return extent + value;
    case 3: return (tex_unit(h) - 0.5f) * 20 * extent;
    case 4: return (tex_unit(h) - 0.5f) * 2e4f * extent;
    default: return (float)(int32_t)((tex_unit(h) - 0.25f) * 2 * extent);
    }
}

/* Returns coordinate d in texels. */
static inline float tex_place(const tex_case *t, unsigned item, unsigned d, float extent) {
    const uint32_t h = tex_hash(item * 4 + d + 0xabcdef);
    switch (t->places) {
    case TEX_WILD: return tex_wild(h, extent);
    case TEX_FINE:
        return (float)(h % (uint32_t)(extent + 1)) + (float)((int)(h >> 16 & 1023) - 512) / 1024.0f +
               (float)((int)(h >> 28) - 8) / 65536.0f;
    default: return (tex_unit(h) * 1.5f - 0.25f) * extent;
    }
}

static inline bool tex_has(const tex_case *t, const char *word) {
    return strstr(t->fetch, word) != NULL;
}

/* Returns whether coordinates are integers. */
static inline bool tex_whole(const tex_case *t) {
    const size_t n = strlen(t->fetch);
    return strncmp(t->fetch, "su", 2) == 0 || (n > 4 && strcmp(t->fetch + n - 4, ".s32") == 0);
}

static inline void tex_item(const tex_case *t, unsigned item, uint32_t words[TEX_WORDS]) {
    const bool cube = tex_has(t, "cube");
    for (unsigned d = 0; d < 3; d++) {
        const float extent = t->extent[d] ? (float)t->extent[d] : 1;
        float at = tex_place(t, item, d, cube ? 2.0f : extent);
        if (cube)
            at -= 1.0f;
        else if (t->sampler & DRIVER_TEXTURE_NORMALIZED)
            at /= extent;
        words[d] =
            tex_whole(t)
                ? (uint32_t)((int32_t)(tex_hash(item * 4 + d) % (2 * t->extent[d] + 8)) - (int32_t)t->extent[d] / 2 - 4)
                : tex_float(at);
    }
    words[3] = tex_hash(item) % 8;
    if (tex_whole(t)) {
        words[4] = tex_hash(item + 99) % 5;
        return;
    }
    for (unsigned k = 0; k < 4; k++) words[4 + k] = tex_float((tex_unit(tex_hash(item * 4 + k + 7777)) - 0.1f) * 0.5f);
    if (tex_has(t, "level")) words[4] = tex_float((tex_unit(tex_hash(item + 5555)) - 0.2f) * 6);
}

/* ---- kernels ---- */

static inline void tex_put(char *to, size_t size, const char *format, ...) {
    const size_t used = strlen(to);
    va_list list;
    va_start(list, format);
    vsnprintf(to + used, size - used, format, list);
    va_end(list);
}

static inline const char *tex_coordinates(const tex_case *t) {
    const bool whole = tex_whole(t);
    if (tex_has(t, ".acube")) return "{%r3, %f0, %f1, %f2}";
    if (tex_has(t, ".cube") || tex_has(t, ".3d")) return whole ? "{%r0, %r1, %r2, %r2}" : "{%f0, %f1, %f2, %f2}";
    if (tex_has(t, ".a2d")) return whole ? "{%r3, %r0, %r1, %r1}" : "{%r3, %f0, %f1, %f1}";
    if (tex_has(t, ".a1d")) return whole ? "{%r3, %r0}" : "{%r3, %f0}";
    if (tex_has(t, ".2d")) return whole ? "{%r0, %r1}" : "{%f0, %f1}";
    return whole ? "{%r0}" : "{%f0}";
}

static inline const char *tex_along(const tex_case *t) {
    if (tex_has(t, "grad.3d") || tex_has(t, "cube")) return ", {%f4, %f5, %f6, %f6}, {%f6, %f7, %f4, %f4}";
    if (tex_has(t, "grad.2d") || tex_has(t, "grad.a2d")) return ", {%f4, %f5}, {%f6, %f7}";
    return ", {%f4}, {%f5}";
}

static inline const char *tex_shift(const tex_case *t) {
    if (tex_has(t, ".3d")) return ", {1, -2, 3, 0}";
    return tex_has(t, "2d") ? ", {1, -2}" : ", {1}";
}

static const char *const tex_queries[3][4] = {{"width", "height", "depth", "channel_data_type"},
                                              {"channel_order", "normalized_coords", "array_size", "num_mipmap_levels"},
                                              {"filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"}};

/* "txq0" to "txq2": four queries each. */
static inline void tex_ask(const tex_case *t, char *ptx, size_t size) {
    for (unsigned k = 0; k < 4; k++)
        tex_put(ptx, size, "txq.%s.b32 %%r%u, [%%t];\n", tex_queries[t->fetch[3] - '0'][k], 15 + k);
}

/* x counts accesses. */
static inline void tex_load_surface(const tex_case *t, char *ptx, size_t size) {
    const unsigned bytes = tex_has(t, ".v4.b32") ? 16 : 4;
    tex_put(ptx, size, "mul.lo.u32 %%r0, %%r0, %u;\nmov.u32 %%r16, 0;\nmov.u32 %%r17, 0;\nmov.u32 %%r18, 0;\n", bytes);
    tex_put(ptx, size, "%s %s, [%%t, %s];\n", t->fetch, bytes == 16 ? "{%r15, %r16, %r17, %r18}" : "%r15",
            tex_coordinates(t));
}

static inline void tex_sample(const tex_case *t, char *ptx, size_t size, const char *d) {
    const char *more = "";
    char level[16] = "";
    if (tex_has(t, "tex.level")) snprintf(level, sizeof level, ", %%%s4", tex_whole(t) ? "r" : "f"), more = level;
    if (tex_has(t, "tex.grad")) more = tex_along(t);
    tex_put(ptx, size, "%s {%%%s15, %%%s16, %%%s17, %%%s18}, [%%t, %s]%s%s;\n", t->fetch, d, d, d, d,
            tex_coordinates(t), more, t->shifted ? tex_shift(t) : "");
}

/* Item i = thread: loads its words, fetches, stores four. */
static inline void tex_kernel(const tex_case *t, char *ptx, size_t size) {
    const bool asks = tex_has(t, "txq"), loads = tex_has(t, "suld");
    const bool integers = asks || loads || tex_has(t, ".u32.") || tex_has(t, ".v4.s32");
    const char *d = integers ? "r" : "f";
    *ptx = '\0';
    tex_put(ptx, size,
            ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 t, .param .u64 in, .param .u64 out) {\n"
            ".reg .b32 %%r<20>;\n.reg .f32 %%f<20>;\n.reg .b64 %%t, %%i, %%o, %%x;\n"
            "ld.param.u64 %%t, [t];\nld.param.u64 %%i, [in];\nld.param.u64 %%o, [out];\n"
            "mov.u32 %%r10, %%ctaid.x;\nmov.u32 %%r11, %%ntid.x;\nmov.u32 %%r12, %%tid.x;\n"
            "mad.lo.u32 %%r10, %%r10, %%r11, %%r12;\n"
            "mad.wide.u32 %%i, %%r10, 32, %%i;\nmad.wide.u32 %%o, %%r10, 16, %%o;\n");
    for (unsigned k = 0; k < TEX_WORDS; k++)
        tex_put(ptx, size, "ld.global.b32 %%r%u, [%%i+%u];\nmov.b32 %%f%u, %%r%u;\n", k, 4 * k, k, k);
    if (t->some) tex_put(ptx, size, ".reg .pred %%p;\nsetp.eq.s32 %%p, %%r7, 0;\n@%%p exit;\n");
    if (asks)
        tex_ask(t, ptx, size);
    else if (loads)
        tex_load_surface(t, ptx, size);
    else
        tex_sample(t, ptx, size, d);
    tex_put(ptx, size, "st.global.v4.%s [%%o], {%%%s15, %%%s16, %%%s17, %%%s18};\nret;\n}\n", integers ? "b32" : "f32",
            d, d, d, d);
}

/* ---- objects ---- */

#define TEX_TRY(call)                              \
    do {                                           \
        const CUresult tried_ = (call);            \
        if (tried_ != CUDA_SUCCESS) return tried_; \
    } while (0)

typedef struct tex_object {
    CUarray array;
    CUmipmappedArray mipmap;
    CUdeviceptr memory;
    CUtexObject texture;
} tex_object;

static inline uint32_t tex_or_one(uint32_t extent) {
    return extent ? extent : 1;
}

static inline CUresult tex_write_level(const driver_table *d, const tex_case *t, CUarray array, unsigned level) {
    uint32_t e[3];
    for (unsigned k = 0; k < 3; k++) {
        const bool layers = k == 2 && (t->flags & (DRIVER_ARRAY_LAYERED | DRIVER_ARRAY_CUBE));
        e[k] = tex_or_one(layers ? t->extent[k] : t->extent[k] >> level);
    }
    unsigned char *data = tex_fill(t, level, e);
    const size_t row = (size_t)e[0] * t->channels * tex_channel_bytes(t->format);
    const CUDA_MEMCPY3D copy = {.from_kind = DRIVER_MEMORY_HOST,
                                .from_host = data,
                                .from_pitch = row,
                                .from_height = e[1],
                                .to_kind = DRIVER_MEMORY_ARRAY,
                                .to_array = array,
                                .width = row,
                                .height = e[1],
                                .depth = e[2]};
    const CUresult result = d->copy_3d(&copy);
    free(data);
    return result;
}

static inline CUresult tex_make_array(const driver_table *d, const tex_case *t, tex_object *o) {
    const CUDA_ARRAY3D_DESCRIPTOR shape = {.width = t->extent[0],
                                           .height = t->extent[1],
                                           .depth = t->extent[2],
                                           .format = t->format,
                                           .channels = t->channels,
                                           .flags = t->flags};
    if (t->resource == DRIVER_RESOURCE_ARRAY) {
        TEX_TRY(d->array_create_3d(&o->array, &shape));
        return tex_write_level(d, t, o->array, 0);
    }
    TEX_TRY(d->mipmap_create(&o->mipmap, &shape, t->levels));
    for (unsigned l = 0; l < t->levels; l++) {
        CUarray level;
        TEX_TRY(d->mipmap_level(&level, o->mipmap, l));
        TEX_TRY(tex_write_level(d, t, level, l));
    }
    return CUDA_SUCCESS;
}

enum { TEX_PITCH = 1024 };

static inline CUresult tex_make_memory(const driver_table *d, const tex_case *t, tex_object *o) {
    const uint32_t e[3] = {t->extent[0], tex_or_one(t->extent[1]), 1};
    const size_t row = (size_t)e[0] * t->channels * tex_channel_bytes(t->format);
    const size_t pitch = t->resource == DRIVER_RESOURCE_LINEAR ? row : TEX_PITCH;
    unsigned char *data = tex_fill(t, 0, e);
    CUresult result = d->allocate(&o->memory, pitch * e[1]);
    for (uint32_t y = 0; y < e[1] && result == CUDA_SUCCESS; y++)
        result = d->copy_to_device(o->memory + y * pitch, data + y * row, row);
    free(data);
    return result;
}

static inline CUDA_RESOURCE_DESC tex_resource(const tex_case *t, const tex_object *o) {
    CUDA_RESOURCE_DESC r = {.kind = t->resource};
    const size_t row = (size_t)t->extent[0] * t->channels * tex_channel_bytes(t->format);
    switch (t->resource) {
    case DRIVER_RESOURCE_ARRAY: r.of.array = o->array; break;
    case DRIVER_RESOURCE_MIPMAP: r.of.mipmap = o->mipmap; break;
    case DRIVER_RESOURCE_LINEAR:
        r.of.linear.address = o->memory;
        r.of.linear.format = t->format;
        r.of.linear.channels = t->channels;
        r.of.linear.bytes = row;
        break;
    default:
        r.of.pitch.address = o->memory;
        r.of.pitch.format = t->format;
        r.of.pitch.channels = t->channels;
        r.of.pitch.width = t->extent[0];
        r.of.pitch.height = t->extent[1];
        r.of.pitch.pitch = TEX_PITCH;
    }
    return r;
}

static inline CUDA_TEXTURE_DESC tex_sampler(const tex_case *t) {
    CUDA_TEXTURE_DESC s = {.filter = t->filter,
                           .flags = t->sampler,
                           .level_filter = t->level_filter,
                           .level_bias = t->bias,
                           .level_least = t->least,
                           .level_most = t->most > 0 ? t->most : 15};
    for (unsigned k = 0; k < 3; k++) s.address[k] = t->address;
    s.border[0] = 0.25f, s.border[1] = 3.0f, s.border[2] = -1.0f, s.border[3] = 0.5f;
    return s;
}

static inline CUresult tex_make(const driver_table *d, const tex_case *t, tex_object *o) {
    const bool array = t->resource == DRIVER_RESOURCE_ARRAY || t->resource == DRIVER_RESOURCE_MIPMAP;
    TEX_TRY(array ? tex_make_array(d, t, o) : tex_make_memory(d, t, o));
    const CUDA_RESOURCE_DESC resource = tex_resource(t, o);
    const CUDA_TEXTURE_DESC sampler = tex_sampler(t);
    if (tex_has(t, "suld")) return d->surface_create(&o->texture, &resource);
    return d->texture_create(&o->texture, &resource, &sampler, NULL);
}

static inline void tex_end(const driver_table *d, const tex_case *t, tex_object *o) {
    if (o->texture && tex_has(t, "suld"))
        d->surface_destroy(o->texture);
    else if (o->texture)
        d->texture_destroy(o->texture);
    if (o->array) d->array_destroy(o->array);
    if (o->mipmap) d->mipmap_destroy(o->mipmap);
    if (o->memory) d->release(o->memory);
    *o = (tex_object){0};
}

/* ---- running ---- */

static inline CUresult tex_launch(const driver_table *d, CUmodule module, CUtexObject texture, CUdeviceptr in,
                                  CUdeviceptr out, unsigned items) {
    CUfunction function;
    void *parameters[] = {&texture, &in, &out};
    TEX_TRY(d->module_function(&function, module, "k"));
    TEX_TRY(d->launch(function, (items + 127) / 128, 1, 1, items < 128 ? items : 128, 1, 1, 0, NULL, parameters, NULL));
    return d->synchronize();
}

static inline CUresult tex_run_in(const driver_table *d, const tex_case *t, const uint32_t *in, uint32_t *out,
                                  unsigned items, tex_object *o, CUdeviceptr buffers[2], CUmodule *module) {
    static char ptx[8192];
    tex_kernel(t, ptx, sizeof ptx);
    TEX_TRY(tex_make(d, t, o));
    TEX_TRY(d->allocate(&buffers[0], items * TEX_WORDS * 4));
    TEX_TRY(d->allocate(&buffers[1], items * 16));
    TEX_TRY(d->copy_to_device(buffers[0], in, items * TEX_WORDS * 4));
    TEX_TRY(d->fill_bytes(buffers[1], 0xee, items * 16));
    TEX_TRY(d->module_load(module, ptx, 0, NULL, NULL));
    TEX_TRY(tex_launch(d, *module, o->texture, buffers[0], buffers[1], items));
    return d->copy_to_host(out, buffers[1], items * 16);
}

/* Four words for each of `items` items, whose words are in `in`. */
static inline CUresult tex_run_items(const driver_table *d, const tex_case *t, const uint32_t *in, uint32_t *out,
                                     unsigned items) {
    tex_object object = {0};
    CUdeviceptr buffers[2] = {0};
    CUmodule module = NULL;
    const CUresult result = tex_run_in(d, t, in, out, items, &object, buffers, &module);
    if (module) d->module_unload(module);
    for (unsigned k = 0; k < 2; k++)
        if (buffers[k]) d->release(buffers[k]);
    tex_end(d, t, &object);
    return result;
}

static inline CUresult tex_run(const driver_table *d, const tex_case *t, uint32_t out[TEX_ITEMS * 4]) {
    static uint32_t in[TEX_ITEMS * TEX_WORDS];
    for (unsigned i = 0; i < TEX_ITEMS; i++) tex_item(t, i, in + (size_t)i * TEX_WORDS);
    return tex_run_items(d, t, in, out, TEX_ITEMS);
}

#endif
