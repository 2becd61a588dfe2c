/* Texture and surface objects of the runtime: the driver's, with channels instead of formats.
 *
 * An object is the driver's number. Its description is translated in both directions: take_...() when the program
 * makes an object, give_...() when it asks for what an object was made from. Both depend on the version of CUDA, as
 * structures have grown: what an old program's structure lacks is neither read nor written. array.h has the
 * structures, array.c the formats, and vgpu/texture.c the objects. */
#include "standin/runtime/array.h"
#include "standin/runtime/version.h"
#include "standin/standin.h"

#include <stddef.h>
#include <string.h>

/* ---- resources ---- */

/* CUDA_INVALID_VALUE for an unknown kind, CUDA_INVALID_CHANNELS for channels without a format. */
static CUresult take_resource(CUDA_RESOURCE_DESC *to, const cudaResourceDesc *from) {
    *to = (CUDA_RESOURCE_DESC){.kind = from->kind};
    switch (from->kind) {
    case DRIVER_RESOURCE_ARRAY: to->of.array = from->of.array; return CUDA_SUCCESS;
    case DRIVER_RESOURCE_MIPMAP: to->of.mipmap = from->of.mipmap; return CUDA_SUCCESS;
    case DRIVER_RESOURCE_LINEAR:
        to->of.linear.address = (uintptr_t)from->of.linear.address;
        to->of.linear.bytes = from->of.linear.bytes;
        return standin_format(&from->of.linear.channels, &to->of.linear.format, &to->of.linear.channels);
    case DRIVER_RESOURCE_PITCH2D:
        to->of.pitch.address = (uintptr_t)from->of.pitch.address;
        to->of.pitch.width = from->of.pitch.width;
        to->of.pitch.height = from->of.pitch.height;
        to->of.pitch.pitch = from->of.pitch.pitch;
        return standin_format(&from->of.pitch.channels, &to->of.pitch.format, &to->of.pitch.channels);
    default: return CUDA_INVALID_VALUE;
    }
}

/* The opposite of take_resource(). The driver knows only the four kinds. */
static cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *from) {
    cudaResourceDesc to = {.kind = from->kind};
    switch (from->kind) {
    case DRIVER_RESOURCE_ARRAY: to.of.array = from->of.array; break;
    case DRIVER_RESOURCE_MIPMAP: to.of.mipmap = from->of.mipmap; break;
    case DRIVER_RESOURCE_LINEAR:
        to.of.linear.address = (void *)(uintptr_t)from->of.linear.address;
        to.of.linear.channels = standin_channels(from->of.linear.format, from->of.linear.channels);
        to.of.linear.bytes = from->of.linear.bytes;
        break;
    default:
        to.of.pitch.address = (void *)(uintptr_t)from->of.pitch.address;
        to.of.pitch.channels = standin_channels(from->of.pitch.format, from->of.pitch.channels);
        to.of.pitch.width = from->of.pitch.width;
        to.of.pitch.height = from->of.pitch.height;
        to.of.pitch.pitch = from->of.pitch.pitch;
    }
    return to;
}

/* Before CUDA 13 the structure ends after the fields for pitched memory. */
static void give_resource(cudaResourceDesc *to, const CUDA_RESOURCE_DESC *from) {
    enum { BYTES_BEFORE_13 = 64 };
    const cudaResourceDesc all = resource_of(from);
    _Static_assert(sizeof all == 144, "as CUDA 13.0 has it");
    _Static_assert(offsetof(cudaResourceDesc, of.pitch) + sizeof all.of.pitch == BYTES_BEFORE_13,
                   "as CUDA 12.3 has it");
    memcpy(to, &all, standin_cuda_version() < 13 ? (size_t)BYTES_BEFORE_13 : sizeof all);
}

/* ---- samplers ---- */

/* The driver reads integers as fractions unless told not to. */
static CUDA_TEXTURE_DESC take_sampler(const cudaTextureDesc *from, bool has_seamless) {
    CUDA_TEXTURE_DESC to = {.filter = from->filter,
                            .anisotropy = from->anisotropy,
                            .level_filter = from->level_filter,
                            .level_bias = from->level_bias,
                            .level_least = from->level_least,
                            .level_most = from->level_most};
    memcpy(to.address, from->address, sizeof to.address);
    memcpy(to.border, from->border, sizeof to.border);
    if (!from->reads_fractions) to.flags |= DRIVER_TEXTURE_INTEGERS;
    if (from->normalized) to.flags |= DRIVER_TEXTURE_NORMALIZED;
    if (from->srgb) to.flags |= DRIVER_TEXTURE_SRGB;
    if (from->no_trilinear_tricks) to.flags |= DRIVER_TEXTURE_NO_TRILINEAR_TRICKS;
    if (has_seamless && from->seamless) to.flags |= DRIVER_TEXTURE_SEAMLESS;
    return to;
}

/* The opposite of take_sampler(). The structure of CUDA 11 ends before `seamless`. */
static void give_sampler(cudaTextureDesc *to, const CUDA_TEXTURE_DESC *from, bool has_seamless) {
    const bool seamless = from->flags & DRIVER_TEXTURE_SEAMLESS;
    const cudaTextureDesc known = {.filter = from->filter,
                                   .reads_fractions = !(from->flags & DRIVER_TEXTURE_INTEGERS),
                                   .srgb = (from->flags & DRIVER_TEXTURE_SRGB) != 0,
                                   .normalized = (from->flags & DRIVER_TEXTURE_NORMALIZED) != 0,
                                   .anisotropy = from->anisotropy,
                                   .level_filter = from->level_filter,
                                   .level_bias = from->level_bias,
                                   .level_least = from->level_least,
                                   .level_most = from->level_most,
                                   .no_trilinear_tricks = (from->flags & DRIVER_TEXTURE_NO_TRILINEAR_TRICKS) != 0,
                                   .seamless = seamless};
    memcpy(to, &known, has_seamless ? sizeof known : offsetof(cudaTextureDesc, seamless));
    memcpy(to->address, from->address, sizeof to->address);
    memcpy(to->border, from->border, sizeof to->border);
}

/* ---- textures ---- */

/* `view` may be NULL: then the texture shows all of the resource. */
static CUresult create(CUtexObject *texture, const cudaResourceDesc *resource, const cudaTextureDesc *sampler,
                       const CUDA_RESOURCE_VIEW_DESC *view, bool has_seamless) {
    CUDA_RESOURCE_DESC looks_at;
    CUDA_RESOURCE_VIEW_DESC part = {0};
    const driver_table *d = standin_enter();
    if (!texture || !resource || !sampler) return standin_leave(CUDA_INVALID_VALUE);
    const CUDA_TEXTURE_DESC reads = take_sampler(sampler, has_seamless);
    const CUresult result = take_resource(&looks_at, resource);
    if (view) memcpy(&part, view, offsetof(CUDA_RESOURCE_VIEW_DESC, reserved)); /* which CUDA 12 does not have */
    return standin_leave(result == CUDA_SUCCESS ? d->texture_create(texture, &looks_at, &reads, view ? &part : NULL)
                                                : result);
}

/* In CUDA 11 the sampler's structure is the short one; 11 also has the second form, for the long one. */
CUresult cudaCreateTextureObject(CUtexObject *texture, const cudaResourceDesc *resource, const cudaTextureDesc *sampler,
                                 const CUDA_RESOURCE_VIEW_DESC *view) {
    return create(texture, resource, sampler, view, standin_cuda_version() > 11);
}

/* The form of later versions, for the long structure. */
CUresult cudaCreateTextureObject_v2(CUtexObject *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *sampler, const CUDA_RESOURCE_VIEW_DESC *view) {
    return create(texture, resource, sampler, view, true);
}

/* 0 is allowed. Waits for kernels that may use the object. */
CUresult cudaDestroyTextureObject(CUtexObject texture) {
    if (!texture) return CUDA_SUCCESS;
    STANDIN_CALL(texture_destroy(texture));
}

CUresult cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, CUtexObject texture) {
    CUDA_RESOURCE_DESC known;
    const driver_table *d = standin_enter();
    const CUresult result = resource ? d->texture_resource(&known, texture) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) give_resource(resource, &known);
    return standin_leave(result);
}

/* Both forms of the query. */
static CUresult get_sampler(cudaTextureDesc *sampler, CUtexObject texture, bool has_seamless) {
    CUDA_TEXTURE_DESC known;
    const driver_table *d = standin_enter();
    const CUresult result = sampler ? d->texture_sampler(&known, texture) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) give_sampler(sampler, &known, has_seamless);
    return standin_leave(result);
}

CUresult cudaGetTextureObjectTextureDesc(cudaTextureDesc *sampler, CUtexObject texture) {
    return get_sampler(sampler, texture, standin_cuda_version() > 11);
}

CUresult cudaGetTextureObjectTextureDesc_v2(cudaTextureDesc *sampler, CUtexObject texture) {
    return get_sampler(sampler, texture, true);
}

/* ---- surfaces ---- */

/* The array must have been made for surfaces. */
CUresult cudaCreateSurfaceObject(CUsurfObject *surface, const cudaResourceDesc *resource) {
    CUDA_RESOURCE_DESC looks_at;
    const driver_table *d = standin_enter();
    CUresult result = surface && resource ? take_resource(&looks_at, resource) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->surface_create(surface, &looks_at);
    return standin_leave(result);
}

CUresult cudaDestroySurfaceObject(CUsurfObject surface) {
    if (!surface) return CUDA_SUCCESS;
    STANDIN_CALL(surface_destroy(surface));
}

CUresult cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, CUsurfObject surface) {
    CUDA_RESOURCE_DESC known;
    const driver_table *d = standin_enter();
    const CUresult result = resource ? d->surface_resource(&known, surface) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) give_resource(resource, &known);
    return standin_leave(result);
}
