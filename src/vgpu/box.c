/* cuMemcpy2D, cuMemcpy3D and their variants on the virtual GPU.
 *
 * CUDA's description has an address of each kind for both sides, and says which one counts; find_end() reduces a
 * side to one kind (box_copy.h). A copy in two dimensions is a box of one slice. Copies in graphs are made by
 * sim_make_copy(), too (nodes.c). */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/box_copy.h"
#include "vgpu/internal.h"
#include "vgpu/work.h"

/* One end of a copy; its kind says which of the addresses counts. */
typedef struct end {
    int kind; /* DRIVER_MEMORY_... */
    const void *host;
    CUdeviceptr device; /* with DRIVER_MEMORY_UNIFIED, any address */
    CUarray array;
} end;

/* With unified addresses, the address alone tells where the memory is. */
static bool is_on_device(CUcontext c, CUdeviceptr address) {
    sim_range range;
    return sim_memory_find(sim_memory_owner(c->memory, address), address, &range);
}

/* Fills in the kind and the address; x, y, z, pitch and height are set already. */
static CUresult find_end(CUcontext c, const end *e, sim_box_side *side) {
    const bool unified = e->kind == DRIVER_MEMORY_UNIFIED;
    if (e->kind == DRIVER_MEMORY_ARRAY) {
        const struct CUarray_st *a = sim_array_of(c, e->array);
        if (!a) return sim_result_of(HAUL_ERROR_ARGUMENT);
        side->kind = SIM_BOX_ARRAY;
        side->level = a->level;
        return CUDA_SUCCESS;
    }
    if (e->kind == DRIVER_MEMORY_HOST || (unified && !is_on_device(c, e->device))) {
        side->kind = SIM_BOX_HOST;
        side->address = unified ? e->device : (uint64_t)(uintptr_t)e->host;
        return CUDA_SUCCESS;
    }
    if (e->kind != DRIVER_MEMORY_DEVICE && !unified) return sim_wrong("copy: no such kind of memory");
    side->kind = SIM_BOX_DEVICE;
    side->address = e->device;
    return CUDA_SUCCESS;
}

/* Checks the copy; its memory is looked up again when it is done. Only a copy with the host on one side has `host`
 * set. */
CUresult sim_make_copy(CUcontext c, const CUDA_MEMCPY3D *d, sim_work *work) {
    sim_box_copy box = {
        .from = {.x = d->from_x, .y = d->from_y, .z = d->from_z, .pitch = d->from_pitch, .height = d->from_height},
        .to = {.x = d->to_x, .y = d->to_y, .z = d->to_z, .pitch = d->to_pitch, .height = d->to_height},
        .width = d->width,
        .height = d->height,
        .depth = d->depth};
    const end from = {d->from_kind, d->from_host, d->from_device, d->from_array};
    const end to = {d->to_kind, d->to_host, d->to_device, d->to_array};
    if (d->from_level || d->to_level) return sim_wrong("cuMemcpy3D: levels must be 0; a mipmap's levels are arrays");
    CUresult result = find_end(c, &from, &box.from);
    if (result == CUDA_SUCCESS) result = find_end(c, &to, &box.to);
    if (result == CUDA_SUCCESS) result = sim_result_of(sim_box_check(c->memory, &box));
    if (result != CUDA_SUCCESS) return result;
    sim_box_copy *own = memory_alloc(sizeof *own);
    if (!own) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a copy"));
    *own = box;
    *work = (sim_work){.kind = SIM_WORK_COPY_BOX, .box = own, .effects = sim_member_of(c, 0)->effects};
    const bool in = box.from.kind == SIM_BOX_HOST, out = box.to.kind == SIM_BOX_HOST;
    if (!in && !out) return CUDA_SUCCESS;
    const sim_box_side *side = in ? &own->from : &own->to;
    work->host = (void *)(uintptr_t)sim_box_first(side);
    work->bytes = sim_box_span(own, side);
    work->pageable = !sim_find_pinned(c, work->host, work->bytes);
    return CUDA_SUCCESS;
}

/* A copy from pageable memory goes through a driver buffer before the call returns. Nothing is done for an empty
 * box. */
static CUresult copy(const CUDA_MEMCPY3D *d, CUstream handle, bool waits) {
    CUstream s;
    sim_work work;
    SIM_ENTER(c);
    if (!d) return sim_wrong("copy: the description is missing");
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!d->width || !d->height || !d->depth) return CUDA_SUCCESS;
    const CUresult made = sim_make_copy(c, d, &work);
    if (made != CUDA_SUCCESS) return made;
    if (work.box->from.kind == SIM_BOX_HOST && c->check && !s->capture && !work.pageable)
        work.source = sim_box_hash(work.box);
    const bool now = waits || (work.pageable && !s->capture);
    return now ? sim_issue_and_wait(s, &work) : sim_issue(s, &work);
}

/* Copies one slice; its height does not matter, since no other slice follows. A pitch of 0 means rows without gaps. */
static CUresult copy_slice(const CUDA_MEMCPY2D *d, CUstream stream, bool waits) {
    if (!d) return sim_wrong("cuMemcpy2D: the description is missing");
    const CUDA_MEMCPY3D whole = {.from_x = d->from_x,
                                 .from_y = d->from_y,
                                 .from_kind = d->from_kind,
                                 .from_host = d->from_host,
                                 .from_device = d->from_device,
                                 .from_array = d->from_array,
                                 .from_pitch = d->from_pitch ? d->from_pitch : d->from_x + d->width,
                                 .to_x = d->to_x,
                                 .to_y = d->to_y,
                                 .to_kind = d->to_kind,
                                 .to_host = d->to_host,
                                 .to_device = d->to_device,
                                 .to_array = d->to_array,
                                 .to_pitch = d->to_pitch ? d->to_pitch : d->to_x + d->width,
                                 .width = d->width,
                                 .height = d->height,
                                 .depth = 1};
    return copy(&whole, stream, waits);
}

/* The forms without a stream use the legacy default stream and wait. */
CUresult sim_call_copy_2d(const CUDA_MEMCPY2D *d) {
    return copy_slice(d, NULL, true);
}

CUresult sim_call_copy_2d_async(const CUDA_MEMCPY2D *d, CUstream stream) {
    return copy_slice(d, stream, false);
}

CUresult sim_call_copy_3d(const CUDA_MEMCPY3D *d) {
    return copy(d, NULL, true);
}

CUresult sim_call_copy_3d_async(const CUDA_MEMCPY3D *d, CUstream stream) {
    return copy(d, stream, false);
}
