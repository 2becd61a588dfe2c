/* Device memory of the virtual GPU: allocation, copies, fills; and limits of the context.
 *
 * Calls check addresses and sizes, then issue work, whose effect comes later (work.c). Memory that the host has not
 * pinned is pageable: a copy from or to it is over when the call returns, also for the asynchronous forms, as on
 * hardware. That is not so in captures, where the graph's launch copies. box.c has copies of rectangles, host.c
 * pinned memory, pool.c stream-ordered memory. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "count/l2.h"
#include "exec/call.h"
#include "machine/heap.h"
#include "machine/virtual.h"
#include "ptx/inline.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <string.h>

/* Bytes of the current device. */
CUresult sim_call_memory_info(size_t *free, size_t *total) {
    uint64_t left, all;
    SIM_ENTER(c);
    sim_memory_usage(c->memory, &left, &all);
    *free = left;
    *total = all;
    return CUDA_SUCCESS;
}

/* The address is 0 after a failure. */
CUresult sim_call_allocate(CUdeviceptr *address, size_t bytes) {
    uint64_t at = 0;
    SIM_ENTER(c);
    haul_status status = sim_memory_allocate(c->memory, bytes, &at);
    *address = at;
    if (status == HAUL_OK) sim_order_forget(c, at, bytes);
    return sim_result_of(status);
}

/* To which stream the memory is attached does not matter here. */
CUresult sim_call_managed_allocate(CUdeviceptr *address, size_t bytes, unsigned flags) {
    uint64_t at = 0;
    SIM_ENTER(c);
    if (flags != DRIVER_ATTACH_GLOBAL && flags != DRIVER_ATTACH_HOST)
        return sim_wrong("cuMemAllocManaged: flags must be 1 (attach global) or 2 (attach host)");
    if (!bytes) return sim_wrong("cuMemAllocManaged: the size must not be 0");
    const haul_status status = sim_memory_allocate_managed(c->memory, bytes, &at);
    *address = at;
    return sim_result_of(status);
}

/* Whether a kernel has allocated it, with a message: the host may neither free nor copy it. */
static bool is_in_heap(CUcontext c, CUdeviceptr address) {
    if (!c->heap || !sim_heap_contains(c->heap, address)) return false;
    sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT,
                            "device memory: 0x%llx was allocated by a kernel; only kernels can use it", address));
    return true;
}

/* Waits for all work first, since a stream may still use the memory. CUDA does so, too, but not for memory of a pool:
 * its uses must be over. Memory of a graph stays, since the graph may be launched again. */
CUresult sim_call_release(CUdeviceptr address) {
    SIM_ENTER(current);
    CUcontext c = sim_owner_of(current, address);
    const bool is_pooled = sim_pool_has(c, address), is_for_graph = sim_pool_is_for_graph(c, address);
    if (is_pooled && !is_for_graph) sim_order_host_freed(c, address);
    (void)sim_work_finish_all(c, false);
    if (!is_pooled || is_for_graph) sim_order_host_waited_for_all(c);
    if (is_in_heap(c, address)) return CUDA_INVALID_VALUE;
    if (is_for_graph) return CUDA_SUCCESS;
    if (is_pooled) {
        sim_pool_return(c, address);
        return CUDA_SUCCESS;
    }
    return sim_result_of(sim_memory_release(c->memory, address));
}

/* Virtual memory tells why it is not accessible. */
void *sim_at(CUcontext current, CUdeviceptr address, size_t bytes) {
    CUcontext c = sim_owner_of(current, address);
    void *host = sim_memory_at(c->memory, address, bytes);
    if (is_in_heap(c, address)) return NULL;
    if (!host && sim_is_virtual(address))
        sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual memory: %s: %zu bytes at 0x%llx",
                                sim_memory_reason(c->memory, address), bytes, address));
    else if (!host)
        sim_result_of(
            haul_fail(HAUL_ERROR_ARGUMENT, "device memory: %zu bytes at 0x%llx lie in no allocation", bytes, address));
    return host;
}

/* Memory that this device may only read is refused. */
void *sim_at_to_write(CUcontext current, CUdeviceptr address, size_t bytes) {
    CUcontext c = sim_owner_of(current, address);
    if (sim_memory_is_read_only(c->memory, address)) {
        sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual memory: %s: %zu bytes at 0x%llx",
                                sim_memory_reason(c->memory, address), bytes, address));
        return NULL;
    }
    void *host = sim_at(c, address, bytes);
    if (host) sim_memory_mark_written(c->memory, address, bytes);
    return host;
}

/* ---- copies ---- */

/* With checks, the source's hash at the call is kept, so that a later change shows (check_source() in work.c). */
static CUresult copy_in(CUstream handle, CUdeviceptr to, const void *from, size_t bytes, bool waits) {
    CUstream s;
    SIM_ENTER(c);
    if (bytes == 0) return CUDA_SUCCESS;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!from) return sim_wrong("copy to device: the source is NULL");
    if (!sim_at(c, to, bytes)) return CUDA_INVALID_VALUE;
    sim_work work = {.kind = SIM_WORK_COPY_IN,
                     .to = to,
                     .host = (void *)(uintptr_t)from,
                     .bytes = bytes,
                     .pageable = !sim_find_pinned(c, from, bytes),
                     .effects = sim_member_of(c, 0)->effects};
    if (c->check && !s->capture && !work.pageable) work.source = hash_bytes(HASH_START, from, bytes);
    /* A copy from pageable memory goes through a driver buffer before the call returns. */
    return waits || (work.pageable && !s->capture) ? sim_issue_and_wait(s, &work) : sim_issue(s, &work);
}

/* A copy to pageable memory is over when the call returns. */
static CUresult copy_out(CUstream handle, void *to, CUdeviceptr from, size_t bytes, bool waits) {
    CUstream s;
    SIM_ENTER(c);
    if (bytes == 0) return CUDA_SUCCESS;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!to) return sim_wrong("copy to host: the destination is NULL");
    if (!sim_at(c, from, bytes)) return CUDA_INVALID_VALUE;
    const sim_work work = {.kind = SIM_WORK_COPY_OUT,
                           .from = from,
                           .host = to,
                           .bytes = bytes,
                           .pageable = !sim_find_pinned(c, to, bytes)};
    return waits || (work.pageable && !s->capture) ? sim_issue_and_wait(s, &work) : sim_issue(s, &work);
}

CUresult sim_call_copy_to_device(CUdeviceptr to, const void *from, size_t bytes) {
    return copy_in(NULL, to, from, bytes, true);
}

CUresult sim_call_copy_to_device_async(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, from, bytes, false);
}

CUresult sim_call_copy_to_host(void *to, CUdeviceptr from, size_t bytes) {
    return copy_out(NULL, to, from, bytes, true);
}

CUresult sim_call_copy_to_host_async(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_out(stream, to, from, bytes, false);
}

/* The addresses tell the devices. */
CUresult sim_call_copy_peer_async(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                  size_t bytes, CUstream stream) {
    (void)to_context, (void)from_context;
    return sim_call_copy_on_device_async(to, from, bytes, stream);
}

/* Both addresses may be of other devices. */
CUresult sim_call_copy_on_device_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle) {
    CUstream s;
    SIM_ENTER(c);
    if (bytes == 0) return CUDA_SUCCESS;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (!sim_at(c, to, bytes) || !sim_at(c, from, bytes)) return CUDA_INVALID_VALUE;
    const sim_work work = {.kind = SIM_WORK_COPY_DEVICE, .to = to, .from = from, .bytes = bytes};
    return sim_issue(s, &work);
}

CUresult sim_call_copy_on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return sim_call_copy_on_device_async(to, from, bytes, NULL);
}

/* ---- fills ---- */

/* Pinned and managed memory. */
static bool host_uses(CUcontext c, CUdeviceptr address) {
    return sim_pinned_at(c, address) || sim_memory_is_managed(sim_owner_of(c, address)->memory, address);
}

/* Elements of `width` bytes. Only a fill of memory that the host uses, too, can wait, as CUDA documents it. */
static CUresult fill(CUdeviceptr to, unsigned value, unsigned width, size_t count, CUstream handle, bool waits) {
    CUstream s;
    SIM_ENTER(c);
    if (count == 0) return CUDA_SUCCESS;
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    if (to % width || count > SIZE_MAX / width)
        return sim_wrong(
            "cuMemset: the address must be a multiple of the element's size, and the fill smaller than any memory");
    if (!sim_at(c, to, count * width)) return CUDA_INVALID_VALUE;
    const sim_work work = {.kind = SIM_WORK_FILL, .to = to, .bytes = count * width, .value = value, .width = width};
    return waits && host_uses(c, to) ? sim_issue_and_wait(s, &work) : sim_issue(s, &work);
}

CUresult sim_call_fill_bytes(CUdeviceptr to, unsigned char value, size_t count) {
    return fill(to, value, 1, count, NULL, true);
}

/* The address must be a multiple of the element. */
CUresult sim_call_fill_halves(CUdeviceptr to, unsigned short value, size_t count) {
    return fill(to, value, 2, count, NULL, true);
}

CUresult sim_call_fill_words(CUdeviceptr to, unsigned value, size_t count) {
    return fill(to, value, 4, count, NULL, true);
}

CUresult sim_call_fill_bytes_async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill(to, value, 1, count, stream, false);
}

CUresult sim_call_fill_halves_async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill(to, value, 2, count, stream, false);
}

CUresult sim_call_fill_words_async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill(to, value, 4, count, stream, false);
}

/* ---- limits ---- */

/* Limits in bytes: of a fetch into L2, the heap's least size, the buffer of printf() (by default for each SM, and its
 * least size); and launches by kernels that may be pending. As an H200 has them, whose heap has at least 4 MiB, though:
 * tests use smaller ones. */
enum { LEAST_FETCH = 32, MOST_FETCH = 128, LEAST_HEAP = 4096, PRINT_BYTES_AN_SM = 64 << 10, LEAST_PRINT = 512 << 10 };
enum { PENDING_LAUNCHES = 2048 };

/* Kernels with calls depend on the stack's size, so they are lowered again. */
static CUresult set_stack(CUcontext c, size_t value) {
    if (value > SIM_MOST_STACK) return sim_wrong("cuCtxSetLimit: a thread's stack can have at most 512 KiB");
    const CUresult finished = sim_work_finish_all(c, false);
    c->stack_bytes = value < SIM_CALL_BYTES ? SIM_CALL_BYTES : value;
    for (CUmodule m = c->modules; m; m = m->next)
        for (CUfunction f = m->functions; f; f = f->next)
            if (f->program && (f->program->callees || f->program->function->dynamic)) sim_forget_program(f);
    return finished;
}

/* The heap is allocated at the first launch of a kernel that needs it. */
static CUresult set_heap(CUcontext c, size_t value) {
    const uint64_t bytes = value < LEAST_HEAP ? LEAST_HEAP : value;
    if (c->heap) return sim_wrong("cuCtxSetLimit: the heap's size cannot change after a kernel has used it");
    if (bytes > sim_memory_largest_free(c->memory))
        return sim_wrong("cuCtxSetLimit: the heap is larger than the free device memory");
    c->heap_bytes = bytes;
    return CUDA_SUCCESS;
}

/* `value` is how much of L2 persisting lines may take, in bytes. If L2 keeps its contents between launches, earlier
 * launches still run with the old limit. */
static CUresult set_aside(CUcontext c, size_t value) {
    const CUresult finished = c->keeps_l2 ? sim_work_finish_all(c, false) : CUDA_SUCCESS;
    c->persisting_l2 = value;
    return finished;
}

/* A value out of range is raised or refused, as CUDA does for each limit. */
CUresult sim_call_limit_set(int limit, size_t value) {
    SIM_ENTER(c);
    switch (limit) {
    case DRIVER_LIMIT_STACK: return set_stack(c, value);
    case DRIVER_LIMIT_HEAP: return set_heap(c, value);
    case DRIVER_LIMIT_PRINT: c->print_bytes = value < LEAST_PRINT ? LEAST_PRINT : value; return CUDA_SUCCESS;
    case DRIVER_LIMIT_PENDING_LAUNCHES: c->pending_launches = value; return CUDA_SUCCESS;
    case DRIVER_LIMIT_L2_FETCH:
        if (value > MOST_FETCH) return sim_wrong("cuCtxSetLimit: a fetch into L2 has at most 128 bytes");
        c->machine.l2_fetch_bytes = value <= LEAST_FETCH ? LEAST_FETCH : value <= 64 ? 64 : MOST_FETCH;
        return CUDA_SUCCESS;
    case DRIVER_LIMIT_PERSISTING_L2:
        if (value > sim_most_persisting(&c->machine))
            return sim_wrong("cuCtxSetLimit: the limit exceeds what L2 can set aside");
        return set_aside(c, value);
    case DRIVER_LIMIT_SHARED:
    case DRIVER_LIMIT_GRAPHICS: return CUDA_NOT_PERMITTED;
    case DRIVER_LIMIT_SYNC_DEPTH:
    case DRIVER_LIMIT_GRAPHICS_FALLBACK: return CUDA_UNSUPPORTED_LIMIT;
    default: return sim_wrong("cuCtxSetLimit: no such limit");
    }
}

/* A limit that was not set has its default. */
CUresult sim_call_limit_get(size_t *value, int limit) {
    SIM_ENTER(c);
    switch (limit) {
    case DRIVER_LIMIT_STACK: *value = c->stack_bytes ? c->stack_bytes : PTX_STACK_BYTES; return CUDA_SUCCESS;
    case DRIVER_LIMIT_HEAP: *value = c->heap_bytes ? c->heap_bytes : SIM_HEAP_BYTES; return CUDA_SUCCESS;
    case DRIVER_LIMIT_PRINT:
        *value = c->print_bytes ? c->print_bytes : (size_t)PRINT_BYTES_AN_SM * c->machine.sms;
        return CUDA_SUCCESS;
    case DRIVER_LIMIT_PENDING_LAUNCHES:
        *value = c->pending_launches ? c->pending_launches : PENDING_LAUNCHES;
        return CUDA_SUCCESS;
    case DRIVER_LIMIT_L2_FETCH: *value = c->machine.l2_fetch_bytes; return CUDA_SUCCESS;
    case DRIVER_LIMIT_PERSISTING_L2: *value = c->persisting_l2; return CUDA_SUCCESS;
    case DRIVER_LIMIT_SHARED: *value = c->machine.shared_per_block_optin; return CUDA_SUCCESS;
    case DRIVER_LIMIT_GRAPHICS: *value = 0; return CUDA_SUCCESS;
    case DRIVER_LIMIT_SYNC_DEPTH:
    case DRIVER_LIMIT_GRAPHICS_FALLBACK: return CUDA_UNSUPPORTED_LIMIT;
    default: return sim_wrong("cuCtxGetLimit: no such limit");
    }
}

/* Earlier launches still have their persisting lines. */
CUresult sim_call_persisting_reset(void) {
    SIM_ENTER(c);
    if (!c->keeps_l2) return CUDA_SUCCESS;
    const CUresult finished = sim_work_finish_all(c, false);
    if (c->l2) sim_l2_reset_persisting(c->l2);
    return finished;
}
