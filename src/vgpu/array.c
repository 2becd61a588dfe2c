/* Arrays and mipmaps of the virtual GPU. Only textures, surfaces and copies access their memory, which is laid out
 * in blocks.
 *
 * An array is one level, a mipmap several in one allocation; a mipmap's levels are arrays that the program may use,
 * and end with it. exec/texture/array.h has the layout, which sim_level_lay_out() computes, and checks descriptions.
 * Handles are addresses, looked up in all contexts of the program. texture.c makes objects of arrays, box.c copies
 * to and from them. Pitched memory, which is plain device memory with aligned rows, is here, too. */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

/* ---- handles ---- */

/* Whether the handle is that of a level of the mipmap. */
static bool is_level_of(const struct CUmipmappedArray_st *m, const struct CUarray_st *handle) {
    for (unsigned l = 0; l < m->shape.level_count; l++)
        if (&m->levels[l] == handle) return true;
    return false;
}

/* Levels of mipmaps are arrays, too. */
static bool has_array(CUcontext c, const struct CUarray_st *handle) {
    for (CUarray a = c->arrays; a; a = a->next)
        if (a == handle) return true;
    for (CUmipmappedArray m = c->mipmaps; m; m = m->next)
        if (is_level_of(m, handle)) return true;
    return false;
}

/* Any device's array will do; textures check the device. */
CUarray sim_array_of(CUcontext c, CUarray handle) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        if (has_array(sim_member_of(c, i), handle)) return handle;
    haul_fail(HAUL_ERROR_ARGUMENT, "array: the handle is not that of a live array");
    return NULL;
}

CUmipmappedArray sim_mipmap_of(CUcontext c, CUmipmappedArray handle) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        for (CUmipmappedArray m = sim_member_of(c, i)->mipmaps; m; m = m->next)
            if (m == handle) return m;
    haul_fail(HAUL_ERROR_ARGUMENT, "array: the handle is not that of a live mipmapped array");
    return NULL;
}

/* ---- arrays ---- */

/* Places a level in memory; before, its address is an offset. */
static void settle(CUcontext c, sim_level *l, uint64_t address) {
    l->address += address;
    l->host = sim_memory_at(c->memory, l->address, l->bytes);
}

/* Lays the array out and allocates its memory. */
static haul_status make_array(CUcontext c, CUarray a) {
    uint64_t bytes = 0, address;
    sim_level_lay_out(&a->shape, 0, &a->level, &bytes);
    HAUL_TRY(sim_memory_allocate(c->memory, bytes, &address));
    settle(c, &a->level, address);
    sim_order_forget(c, address, bytes);
    return HAUL_OK;
}

/* The description is checked by sim_array_check(), which fills in the shape. */
CUresult sim_call_array_create_3d(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    SIM_ENTER(c);
    if (!out || !d) return sim_wrong("cuArray3DCreate: an argument is missing");
    *out = NULL;
    CUarray a = memory_zeroed(1, sizeof *a);
    if (!a) return sim_no_memory("an array");
    a->context = c;
    haul_status status = sim_array_check(d, 1, &a->shape);
    if (status == HAUL_OK) status = make_array(c, a);
    if (status != HAUL_OK) {
        memory_free(a);
        return sim_result_of(status);
    }
    a->next = c->arrays;
    c->arrays = a;
    *out = a;
    return CUDA_SUCCESS;
}

CUresult sim_call_array_create(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
    if (!out || !d) return sim_wrong("cuArrayCreate: an argument is missing");
    const CUDA_ARRAY3D_DESCRIPTOR whole = {
        .width = d->width, .height = d->height, .format = d->format, .channels = d->channels};
    return sim_call_array_create_3d(out, &whole);
}

/* Waits for all work first, like the driver when it frees memory. */
CUresult sim_call_array_destroy(CUarray handle) {
    SIM_ENTER(c);
    CUarray a = sim_array_of(c, handle);
    if (!a) return sim_result_of(HAUL_ERROR_ARGUMENT);
    if (a->mipmap) return sim_wrong("cuArrayDestroy: the array is a level of a mipmapped array, and ends with it");
    c = a->context;
    (void)sim_work_finish_all(c, false);
    sim_orphan_objects(c, a, NULL);
    for (CUarray *link = &c->arrays; *link; link = &(*link)->next) {
        if (*link != a) continue;
        *link = a->next;
        break;
    }
    const haul_status status = sim_memory_release(c->memory, a->level.address);
    memory_free(a);
    return sim_result_of(status);
}

/* Dimensions that the array lacks are 0, as in its own description. A level has its own extent. */
CUresult sim_call_array_describe_3d(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray handle) {
    SIM_ENTER(c);
    const struct CUarray_st *a = sim_array_of(c, handle);
    if (!a || !d)
        return a ? sim_wrong("cuArray3DGetDescriptor: an argument is missing") : sim_result_of(HAUL_ERROR_ARGUMENT);
    const bool level = a->mipmap != NULL;
    const uint32_t *full = a->shape.extent;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){.width = level ? a->level.extent[0] : full[0],
                                   .height = level && full[1] ? a->level.extent[1] : full[1],
                                   .depth = level && full[2] ? a->level.extent[2] : full[2],
                                   .format = (CUarray_format)a->shape.format,
                                   .channels = a->shape.channels,
                                   .flags = a->shape.flags};
    return CUDA_SUCCESS;
}

CUresult sim_call_array_describe(CUDA_ARRAY_DESCRIPTOR *d, CUarray handle) {
    CUDA_ARRAY3D_DESCRIPTOR whole = {0};
    if (!d) return sim_wrong("cuArrayGetDescriptor: an argument is missing");
    const CUresult result = sim_call_array_describe_3d(&whole, handle);
    if (result != CUDA_SUCCESS) return result;
    *d = (CUDA_ARRAY_DESCRIPTOR){
        .width = whole.width, .height = whole.height, .format = whole.format, .channels = whole.channels};
    return CUDA_SUCCESS;
}

/* ---- mipmaps ---- */

/* All levels are in one allocation. */
static haul_status make_mipmap(CUcontext c, CUmipmappedArray m) {
    uint64_t bytes = 0;
    for (unsigned l = 0; l < m->shape.level_count; l++) {
        m->levels[l] = (struct CUarray_st){.context = c, .shape = m->shape, .mipmap = m};
        sim_level_lay_out(&m->shape, l, &m->levels[l].level, &bytes);
    }
    HAUL_TRY(sim_memory_allocate(c->memory, bytes, &m->address));
    for (unsigned l = 0; l < m->shape.level_count; l++) settle(c, &m->levels[l].level, m->address);
    sim_order_forget(c, m->address, bytes);
    return HAUL_OK;
}

/* A level for each halving, as many as asked for. */
CUresult sim_call_mipmap_create(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
    SIM_ENTER(c);
    if (!out || !d || !levels) return sim_wrong("cuMipmappedArrayCreate: an argument is missing");
    *out = NULL;
    CUmipmappedArray m = memory_zeroed(1, sizeof *m);
    if (!m) return sim_no_memory("an array");
    m->context = c;
    haul_status status = sim_array_check(d, levels, &m->shape);
    if (status == HAUL_OK) status = make_mipmap(c, m);
    if (status != HAUL_OK) {
        memory_free(m);
        return sim_result_of(status);
    }
    m->next = c->mipmaps;
    c->mipmaps = m;
    *out = m;
    return CUDA_SUCCESS;
}

/* The level's handle is valid as long as the mipmap. */
CUresult sim_call_mipmap_level(CUarray *out, CUmipmappedArray handle, unsigned level) {
    SIM_ENTER(c);
    CUmipmappedArray m = sim_mipmap_of(c, handle);
    if (!m || !out)
        return m ? sim_wrong("cuMipmappedArrayGetLevel: an argument is missing") : sim_result_of(HAUL_ERROR_ARGUMENT);
    if (level >= m->shape.level_count) return sim_wrong("cuMipmappedArrayGetLevel: there is no such level");
    *out = &m->levels[level];
    return CUDA_SUCCESS;
}

/* As for arrays, with objects of the mipmap and of all its levels. */
CUresult sim_call_mipmap_destroy(CUmipmappedArray handle) {
    SIM_ENTER(c);
    CUmipmappedArray m = sim_mipmap_of(c, handle);
    if (!m) return sim_result_of(HAUL_ERROR_ARGUMENT);
    c = m->context;
    (void)sim_work_finish_all(c, false);
    for (unsigned l = 0; l < m->shape.level_count; l++) sim_orphan_objects(c, &m->levels[l], NULL);
    sim_orphan_objects(c, NULL, m);
    for (CUmipmappedArray *link = &c->mipmaps; *link; link = &(*link)->next) {
        if (*link != m) continue;
        *link = m->next;
        break;
    }
    const haul_status status = sim_memory_release(c->memory, m->address);
    memory_free(m);
    return sim_result_of(status);
}

/* The arrays' memory is freed with the context's. */
void sim_free_arrays(CUcontext c) {
    while (c->arrays) {
        CUarray a = c->arrays;
        c->arrays = a->next;
        memory_free(a);
    }
    while (c->mipmaps) {
        CUmipmappedArray m = c->mipmaps;
        c->mipmaps = m->next;
        memory_free(m);
    }
    sim_textures_free(&c->textures);
}

/* ---- pitched memory ---- */

enum { PITCH = 512 }; /* bytes */

/* Rows begin at multiples of PITCH. */
CUresult sim_call_allocate_pitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element) {
    SIM_ENTER(c);
    if (!address || !pitch || !width || !height) return sim_wrong("cuMemAllocPitch: an argument is missing");
    if (element != 4 && element != 8 && element != 16)
        return sim_wrong("cuMemAllocPitch: elements have 4, 8 or 16 bytes");
    if (width > SIZE_MAX - PITCH || height > SIZE_MAX / (width + PITCH))
        return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY,
                                       "cuMemAllocPitch: %zu bytes x %zu rows are more than any memory has", width,
                                       height));
    uint64_t at = 0;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    const haul_status status = sim_memory_allocate(c->memory, *pitch * height, &at);
    *address = at;
    if (status == HAUL_OK) sim_order_forget(c, at, *pitch * height);
    return sim_result_of(status);
}
