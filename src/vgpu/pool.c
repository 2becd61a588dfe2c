/* Stream-ordered memory of the virtual GPU. Memory is allocated at once and freed in stream order. A pool keeps only
 * memory in use, so it has nothing to trim.
 *
 * A pool is an account: what is used, its high-water mark, and a limit. Its memory comes from the device's memory
 * like any other, and each allocation is in the context's list with its pool. Others can get the memory as soon as
 * the stream has done the release. Memory of graphs is in the same list, but is never freed before the context
 * (sim_pool_allocate_for_graph()). */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <stdint.h>

typedef struct sim_pooled {
    CUdeviceptr address;
    uint64_t first; /* of its memory; another process's begins within a page */
    uint64_t bytes;
    CUmemoryPool pool; /* NULL: it was destroyed */
    bool for_graph;    /* not freed */
    struct sim_pooled *next;
} sim_pooled;

/* A limit of 0 means none. All devices have access to pools of the host. */
static CUresult make_pool(CUcontext c, uint64_t limit, bool is_of_host, CUmemoryPool *pool) {
    CUmemoryPool p = memory_zeroed(1, sizeof *p);
    if (!p) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a pool"));
    *p = (struct CUmemPool_st){.context = c,
                               .limit = limit,
                               .is_of_host = is_of_host,
                               .visible = is_of_host ? UINT64_MAX : 0,
                               .number = ++c->pool_numbers,
                               .next = c->pools};
    for (unsigned i = 0; i < sizeof p->reuse / sizeof *p->reuse; i++) p->reuse[i] = 1;
    c->pools = p;
    *pool = p;
    return CUDA_SUCCESS;
}

/* Finds the context's default pool of the device or of the host, or makes it. */
static CUresult default_pool_of(CUcontext c, bool is_of_host, CUmemoryPool *pool) {
    for (*pool = c->pools; *pool; *pool = (*pool)->next)
        if ((*pool)->is_default && (*pool)->is_of_host == is_of_host) return CUDA_SUCCESS;
    const CUresult made = make_pool(c, 0, is_of_host, pool);
    if (made == CUDA_SUCCESS) (*pool)->is_default = true;
    return made;
}

static CUresult default_pool(CUcontext c, CUmemoryPool *pool) {
    return default_pool_of(c, false, pool);
}

/* The first device's context has the host's pools. */
CUresult sim_driver_host_pool(CUmemoryPool *pool) {
    SIM_ENTER(c);
    return default_pool_of(sim_member_of(c, 0), true, pool);
}

/* Each device has one, made when it is first asked for. */
CUresult sim_call_pool_default(CUmemoryPool *pool, CUdevice device) {
    SIM_ENTER(c);
    return default_pool(sim_context_of(c, device), pool);
}

/* Gets the pool of allocations that name none. */
CUresult sim_call_pool_used(CUmemoryPool *pool, CUdevice device) {
    SIM_ENTER(current);
    const CUcontext c = sim_context_of(current, device);
    *pool = c->used_pool;
    return c->used_pool ? CUDA_SUCCESS : default_pool(c, pool);
}

/* Only pools of that device are accepted, and none of another process. */
CUresult sim_call_pool_use(CUdevice device, CUmemoryPool pool) {
    SIM_ENTER(current);
    CUcontext c = sim_context_of(current, device);
    for (CUmemoryPool p = c->pools; p; p = p->next) {
        if (p != pool || p->origin || p->is_of_host) continue;
        c->used_pool = pool;
        return CUDA_SUCCESS;
    }
    return sim_wrong("cuDeviceSetMemPool: there is no such pool");
}

/* The pool belongs to the device of its location, or to the host; max_bytes is its limit. */
CUresult sim_call_pool_create(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    SIM_ENTER(c);
    if (properties->handles & ~DRIVER_HANDLE_FILE)
        return sim_result_of(haul_fail(HAUL_ERROR_UNSUPPORTED,
                                       "virtual GPU: cuMemPoolCreate: a pool is shared by file descriptors (1) only"));
    const bool is_of_host = properties->location.type == DRIVER_LOCATION_HOST;
    const CUcontext owner = is_of_host ? sim_member_of(c, 0) : sim_context_of(c, properties->location.id);
    const CUresult made = make_pool(owner, properties->max_bytes, is_of_host, pool);
    if (made == CUDA_SUCCESS) (*pool)->handles = properties->handles;
    return made;
}

/* Compares addresses only. */
static bool has_pool(CUcontext c, const struct CUmemPool_st *pool) {
    for (CUmemoryPool p = c->pools; p; p = p->next)
        if (p == pool) return true;
    return false;
}

/* Finds the program's context that has the pool; c if none has. */
static CUcontext context_of_pool(CUcontext c, const struct CUmemPool_st *pool) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        if (has_pool(sim_member_of(c, i), pool)) return sim_member_of(c, i);
    return c;
}

/* Memory in use outlives the pool. */
CUresult sim_call_pool_destroy(CUmemoryPool pool) {
    SIM_ENTER(current);
    CUcontext c = context_of_pool(current, pool);
    (void)sim_work_finish_all(c, false);
    for (CUmemoryPool *link = &c->pools; *link; link = &(*link)->next) {
        if (*link != pool || pool->is_default) continue;
        for (sim_pooled *p = c->pooled; p; p = p->next)
            if (p->pool == pool) p->pool = NULL;
        *link = pool->next;
        if (c->used_pool == pool) c->used_pool = NULL;
        memory_free(pool);
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

/* Freed memory stays reserved up to the threshold, and up to `keep` when the pool is trimmed. It is only counted: the
 * device's memory is free at once, not at the next wait. */
static void shrink(CUmemoryPool pool, uint64_t keep) {
    const uint64_t least = pool->used > keep ? pool->used : keep;
    if (pool->reserved > least) pool->reserved = least;
}

CUresult sim_call_pool_trim(CUmemoryPool pool, size_t keep) {
    SIM_ENTER(c);
    shrink(pool, keep);
    return CUDA_SUCCESS;
}

/* Sizes have 64 bits, settings of reuse are int. The driver of an H200 (580) goes on counting memory as used that
 * cudaFree() has taken from the pool; that is not imitated. */
CUresult sim_call_pool_get(CUmemoryPool pool, int attribute, void *value) {
    SIM_ENTER(c);
    uint64_t *out = value;
    if (pool->origin) return sim_wrong("cuMemPoolGetAttribute: the pool belongs to another process");
    switch (attribute) {
    case DRIVER_POOL_REUSE:
    case DRIVER_POOL_REUSE + 1:
    case DRIVER_POOL_REUSE + 2: *(int *)value = pool->reuse[attribute - DRIVER_POOL_REUSE]; return CUDA_SUCCESS;
    case DRIVER_POOL_RELEASE_THRESHOLD: *out = pool->threshold; return CUDA_SUCCESS;
    case DRIVER_POOL_RESERVED: *out = pool->reserved; return CUDA_SUCCESS;
    case DRIVER_POOL_USED: *out = pool->used; return CUDA_SUCCESS;
    case DRIVER_POOL_RESERVED_HIGH: *out = pool->reserved_high; return CUDA_SUCCESS;
    case DRIVER_POOL_USED_HIGH: *out = pool->used_high; return CUDA_SUCCESS;
    default: return sim_wrong("cuMemPoolGetAttribute: no such attribute");
    }
}

/* The settings of reuse are kept for queries. The high-water marks can only be reset, to 0. */
CUresult sim_call_pool_set(CUmemoryPool pool, int attribute, void *value) {
    SIM_ENTER(c);
    const uint64_t *in = value;
    const bool is_mark = attribute == DRIVER_POOL_RESERVED_HIGH || attribute == DRIVER_POOL_USED_HIGH;
    if (is_mark && *in) return sim_wrong("cuMemPoolSetAttribute: a high-water mark can only be reset to 0");
    switch (attribute) {
    case DRIVER_POOL_REUSE:
    case DRIVER_POOL_REUSE + 1:
    case DRIVER_POOL_REUSE + 2:
        pool->reuse[attribute - DRIVER_POOL_REUSE] = *(const int *)value != 0;
        return CUDA_SUCCESS;
    case DRIVER_POOL_RELEASE_THRESHOLD:
        pool->threshold = *in;
        shrink(pool, *in);
        return CUDA_SUCCESS;
    case DRIVER_POOL_RESERVED_HIGH: pool->reserved_high = pool->reserved; return CUDA_SUCCESS;
    case DRIVER_POOL_USED_HIGH: pool->used_high = pool->used; return CUDA_SUCCESS;
    default: return sim_wrong("cuMemPoolSetAttribute: no such attribute");
    }
}

/* HAUL_ERROR_OUT_OF_MEMORY if the pool's own limit is too small. */
static haul_status check_limit(const struct CUmemPool_st *pool, uint64_t bytes) {
    char asked[32], used[32], limit[32];
    if (!pool->limit || (bytes <= pool->limit && pool->used <= pool->limit - bytes)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pool: %s requested, but %s of its %s are in use",
                     number_format_bytes((double)bytes, asked), number_format_bytes((double)pool->used, used),
                     number_format_bytes((double)pool->limit, limit));
}

/* If there is no room, waits for memory that streams are about to free. */
static haul_status find_room(CUcontext c, CUmemoryPool pool, uint64_t bytes, uint64_t *address) {
    for (int attempt = 0;; attempt++) {
        haul_status status = check_limit(pool, bytes);
        if (status == HAUL_OK)
            status = pool->is_of_host ? sim_memory_allocate_managed(c->memory, bytes, address)
                                      : sim_memory_allocate(c->memory, bytes, address);
        if (status != HAUL_ERROR_OUT_OF_MEMORY || attempt) return status;
        (void)sim_work_finish_all(c, false);
    }
}

/* The pool, not peer access, decides which devices have access. */
static void show(CUcontext c, const sim_pooled *p) {
    if (c->family) sim_memory_set_visible(c->memory, p->address, p->pool->visible);
}

/* Books memory of the context's device, from `first` on, as an allocation of the pool at `address`. */
static haul_status book(CUcontext c, CUmemoryPool pool, uint64_t first, CUdeviceptr address, uint64_t bytes) {
    sim_pooled *p = memory_zeroed(1, sizeof *p);
    if (!p) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a pool's list");
    *p = (sim_pooled){.address = address, .first = first, .bytes = bytes, .pool = pool, .next = c->pooled};
    c->pooled = p;
    show(c, p);
    sim_order_forget(c, address, bytes);
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (pool->used > pool->reserved) pool->reserved = pool->used;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
    return HAUL_OK;
}

/* The memory can be used at once. */
static CUresult allocate(CUcontext c, CUdeviceptr *address, size_t bytes, CUmemoryPool pool) {
    uint64_t at = 0;
    *address = 0;
    if (pool->origin) return sim_wrong("a pool of another process gives out no memory; import a pointer of it");
    haul_status status = find_room(c, pool, bytes, &at);
    if (status == HAUL_OK && (status = book(c, pool, at, at, bytes)) != HAUL_OK)
        (void)sim_memory_release(c->memory, at);
    if (status == HAUL_OK) *address = at;
    return sim_result_of(status);
}

CUresult sim_call_pool_allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult result = allocate(context_of_pool(c, pool), address, bytes, pool);
    if (result == CUDA_SUCCESS && sim_stream_of(c, stream, &s) == CUDA_SUCCESS) sim_order_allocated(s, *address, bytes);
    return result;
}

bool sim_driver_pool_access(CUmemoryPool pool, CUdevice device) {
    const CUcontext c = context_of_pool(sim_current(), pool), who = sim_context_of(sim_current(), device);
    return who == c || (pool->visible >> who->place & 1);
}

/* Allocations that exist change with the pool, once all work is done. */
CUresult sim_driver_set_pool_access(CUmemoryPool pool, CUdevice device, bool reaches) {
    SIM_ENTER(current);
    const CUcontext c = context_of_pool(current, pool), who = sim_context_of(current, device);
    const uint64_t bit = UINT64_C(1) << who->place;
    if (who == c) return reaches ? CUDA_SUCCESS : sim_wrong("cuMemPoolSetAccess: the pool's own device has access");
    sim_finish_everything(c);
    pool->visible = reaches ? pool->visible | bit : pool->visible & ~bit;
    for (const sim_pooled *p = c->pooled; p; p = p->next)
        if (p->pool == pool) show(c, p);
    return CUDA_SUCCESS;
}

CUresult sim_call_pool_set_access(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = sim_driver_set_pool_access(pool, access[i].location.id, access[i].flags != DRIVER_ACCESS_NONE);
    return result;
}

/* ---- pools of other processes ---- */

CUresult sim_driver_share_pool(CUmemoryPool pool, int handles, uint64_t *number, CUdevice *device) {
    SIM_ENTER(current);
    const CUcontext c = context_of_pool(current, pool);
    if (!has_pool(c, pool) || pool->origin || !handles || !(pool->handles & handles))
        return sim_wrong("cuMemPoolExportToShareableHandle: the pool was not made for handles of that type");
    *number = pool->number;
    *device = c->device;
    return CUDA_SUCCESS;
}

CUresult sim_driver_open_pool(CUdevice device, uint64_t origin, CUmemoryPool *pool) {
    SIM_ENTER(c);
    const CUresult made = make_pool(sim_context_of(c, device), 0, false, pool);
    if (made == CUDA_SUCCESS) (*pool)->origin = origin;
    return made;
}

/* The allocation of a pool that begins at the address. */
static const sim_pooled *pooled_at(CUcontext c, CUdeviceptr address) {
    const sim_pooled *p = c->pooled;
    while (p && p->address != address) p = p->next;
    return p;
}

/* The allocation may be pending in its stream; work is done, as other processes do not know of it. */
CUresult sim_driver_share_pooled(CUdeviceptr address, uint64_t *number, CUdevice *device, int *file, uint64_t *place,
                                 uint64_t *bytes) {
    SIM_ENTER(current);
    const CUcontext c = sim_owner_of(current, address);
    const sim_pooled *p = pooled_at(c, address);
    if (!p || !p->pool || !p->pool->handles)
        return sim_wrong("cuMemPoolExportPointer: no allocation of a pool that can be shared begins at the address");
    *number = p->pool->number;
    *device = c->device;
    sim_finish_everything(current);
    return sim_result_of(sim_memory_share(c->memory, p->first, file, place, bytes));
}

CUresult sim_driver_open_pooled(CUmemoryPool pool, uint64_t origin, int file, uint64_t place, uint64_t bytes,
                                CUdeviceptr *address) {
    sim_range range;
    uint64_t at = 0;
    SIM_ENTER(current);
    const CUcontext c = context_of_pool(current, pool);
    if (!has_pool(c, pool)) return sim_wrong("cuMemPoolImportPointer: there is no such pool");
    if (pool->origin != origin) return CUDA_INVALID_VALUE;
    haul_status status = sim_memory_import(c->memory, file, place, bytes, &at);
    if (status != HAUL_OK) return sim_result_of(status);
    const uint64_t first = sim_memory_find(c->memory, at, &range) ? range.from : at;
    status = book(c, pool, first, at, bytes);
    if (status != HAUL_OK) (void)sim_memory_release(c->memory, first);
    *address = status == HAUL_OK ? at : 0;
    return sim_result_of(status);
}

/* ---- allocations in stream order ---- */

/* In a capture, the memory belongs to the graph. */
CUresult sim_call_allocate_async(CUdeviceptr *address, size_t bytes, CUstream stream) {
    CUstream s;
    SIM_ENTER(c);
    CUmemoryPool pool;
    const bool known = sim_stream_of(c, stream, &s) == CUDA_SUCCESS;
    if (known && s->capture) return sim_capture_allocation(s, address, bytes);
    if (known) c = s->context;
    const CUresult found = sim_call_pool_used(&pool, c->device);
    return found == CUDA_SUCCESS ? sim_call_pool_allocate(address, bytes, pool, stream) : found;
}

/* False for any other address. */
bool sim_pool_is_for_graph(CUcontext c, CUdeviceptr address) {
    const sim_pooled *p = pooled_at(c, address);
    return p && p->for_graph;
}

/* From the default pool, whose figures thus include graphs. */
CUresult sim_pool_allocate_for_graph(CUcontext c, CUdeviceptr *address, size_t bytes) {
    CUmemoryPool pool;
    CUresult result = default_pool(c, &pool);
    if (result == CUDA_SUCCESS) result = allocate(context_of_pool(c, pool), address, bytes, pool);
    if (result == CUDA_SUCCESS) c->pooled->for_graph = true;
    return result;
}

bool sim_pool_has(CUcontext c, CUdeviceptr address) {
    return pooled_at(c, address) != NULL;
}

/* Frees the allocation, unless it is a graph's. */
void sim_pool_return(CUcontext current, CUdeviceptr address) {
    CUcontext c = sim_owner_of(current, address);
    for (sim_pooled **link = &c->pooled; *link; link = &(*link)->next) {
        sim_pooled *p = *link;
        if (p->address != address || p->for_graph) continue;
        *link = p->next;
        if (p->pool) p->pool->used -= p->bytes;
        if (p->pool) shrink(p->pool, p->pool->threshold);
        (void)sim_memory_release(c->memory, p->first);
        memory_free(p);
        return;
    }
}

/* The address must be one that a pool has given out. */
CUresult sim_call_release_async(CUdeviceptr address, CUstream handle) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, handle, &s);
    if (found != CUDA_SUCCESS) return found;
    const sim_work work = {.kind = SIM_WORK_FREE, .from = address};
    if (pooled_at(sim_owner_of(c, address), address)) return sim_issue(s, &work);
    return sim_wrong("cuMemFreeAsync: the address was not allocated in stream order");
}

/* Frees all allocations, those of graphs, too. */
void sim_free_pools(CUcontext c) {
    while (c->pooled) {
        c->pooled->for_graph = false;
        sim_pool_return(c, c->pooled->address);
    }
    while (c->pools) {
        CUmemoryPool p = c->pools;
        c->pools = p->next;
        memory_free(p);
    }
}
