/* Memory that a program describes by NVTX's memory extension: heaps whose regions a suballocator of its own hands out,
 * permissions, and bytes that were initialised. `haul check` compares kernels' accesses with it (machine/regions.h).
 *
 * On the first such call, NVTX's headers load the library of NVTX_INJECTION64_PATH and ask it for functions, as for
 * ranges (nvtx.c). Numbers and structures are those of nvToolsExtMem.h and nvToolsExtMemCudaRt.h, version 1. A change
 * applies to later launches, so earlier ones are executed first. Permissions that hold for a thread or a stream are not
 * taken over. */
#include "machine/regions.h"
#include "standin/settings.h"
#include "standin/standin.h"
#include "vgpu/driver.h"

#include <stddef.h>

enum { MODULE_MEMORY = 1, TYPE_ADDRESSES = 1, USAGE_SUBALLOCATOR = 1 };
enum { FLAG_RESET = 8 };

/* nvtxMemVirtualRangeDesc_t */
typedef struct address_range {
    size_t bytes;
    const void *first;
} address_range;

/* nvtxMemHeapDesc_t, without what follows the range */
typedef struct heap_description {
    uint16_t version, size;
    uint32_t reserved, usage, type;
    size_t range_bytes;
    const address_range *range;
} heap_description;

/* nvtxMemRegionsRegisterBatch_t */
typedef struct region_batch {
    uint16_t version, size;
    uint32_t type;
    const void *heap;
    size_t count, element_bytes;
    const unsigned char *elements; /* address_range */
    const void **handles;
} region_batch;

/* nvtxMemRegionsResizeBatch_t, nvtxMemMarkInitializedBatch_t; of nvtxMemRegionsUnregisterBatch_t the elements are
 * addresses or handles. */
typedef struct range_batch {
    uint16_t version, size;
    uint32_t type;
    size_t count, element_bytes;
    const unsigned char *elements;
} range_batch;

/* nvtxMemPermissionsAssignRegionDesc_t and nvtxMemPermissionsAssignBatch_t */
typedef struct permission {
    uint32_t uses, type;
    const void *region;
} permission;
typedef struct permission_batch {
    uint16_t version, size;
    uint32_t reserved;
    const void *permissions;
    size_t count, element_bytes;
    const unsigned char *elements;
} permission_batch;

/* ---- one change ---- */

static uint64_t address_of(const void *pointer) {
    return (uintptr_t)pointer;
}

/* Begins a change of what is known of the memory at the address: NULL without checks, or if the host has no memory.
 * end_change() ends it in any case. */
static sim_regions *begin_change(const void *at) {
    (void)standin_enter();
    if (standin_asked.task != STANDIN_CHECK) return NULL;
    standin_synchronize_all();
    return sim_driver_restrict(address_of(at));
}

static void end_change(void) {
    (void)standin_leave(CUDA_SUCCESS);
}

static const void *element_of(const unsigned char *elements, size_t bytes, size_t i) {
    return elements + i * bytes;
}

/* ---- NVTX's functions ---- */

/* A heap's handle is its address, and so is a region's. */
static const void *register_heap(const void *domain, const heap_description *h) {
    (void)domain;
    if (!h || h->type != TYPE_ADDRESSES || h->range_bytes < sizeof(address_range) || !h->range) return NULL;
    sim_regions *r = begin_change(h->range->first);
    if (r && h->usage == USAGE_SUBALLOCATOR) sim_regions_add_heap(r, address_of(h->range->first), h->range->bytes);
    end_change();
    return h->range->first;
}

static void unregister_heap(const void *domain, const void *heap) {
    (void)domain;
    sim_regions *r = begin_change(heap);
    if (r) sim_regions_remove_heap(r, address_of(heap));
    end_change();
}

static void reset_heap(const void *domain, const void *heap) {
    (void)domain;
    sim_regions *r = begin_change(heap);
    if (r) sim_regions_reset_heap(r, address_of(heap));
    end_change();
}

static void set_region(const address_range *range) {
    sim_regions *r = begin_change(range->first);
    if (r) sim_regions_add(r, address_of(range->first), range->bytes);
    end_change();
}

static void register_regions(const void *domain, const region_batch *b) {
    (void)domain;
    for (size_t i = 0; b && b->type == TYPE_ADDRESSES && i < b->count; i++) {
        const address_range *range = element_of(b->elements, b->element_bytes, i);
        set_region(range);
        if (b->handles) b->handles[i] = range->first;
    }
}

static void resize_regions(const void *domain, const range_batch *b) {
    (void)domain;
    for (size_t i = 0; b && b->type == TYPE_ADDRESSES && i < b->count; i++)
        set_region(element_of(b->elements, b->element_bytes, i));
}

static void unregister_regions(const void *domain, const range_batch *b) {
    (void)domain;
    for (size_t i = 0; b && i < b->count; i++) {
        const void *const *region = element_of(b->elements, b->element_bytes, i);
        sim_regions *r = begin_change(*region);
        if (r) sim_regions_remove(r, address_of(*region));
        end_change();
    }
}

/* The permissions of all threads and streams, the only ones there are. */
static const void *process_wide(const void *domain) {
    static const char token;
    (void)domain;
    return &token;
}

/* A region's bytes, or those of an allocation from the address on. */
static uint64_t bytes_from(const sim_regions *r, uint64_t address) {
    sim_allocation a;
    const uint64_t bytes = sim_regions_size(r, address);
    if (bytes || !sim_driver_allocation(address, &a)) return bytes;
    return a.first + a.bytes - address;
}

static void assign_permissions(const void *domain, const permission_batch *b) {
    if (!b || (b->permissions && b->permissions != process_wide(domain))) return;
    for (size_t i = 0; i < b->count; i++) {
        const permission *p = element_of(b->elements, b->element_bytes, i);
        const uint64_t address = address_of(p->region);
        sim_regions *r = begin_change(p->region);
        const unsigned uses = p->uses & FLAG_RESET ? SIM_REGION_ALL : p->uses & SIM_REGION_ALL;
        if (r) sim_regions_permit(r, address, bytes_from(r, address), uses);
        end_change();
    }
}

/* ---- the entry point for NVTX ---- */

typedef struct segment {
    size_t number, count;
    intptr_t *functions;
} segment;

/* nvtxExtModuleInfo_t */
typedef struct module_info {
    uint16_t version, size, module, compatibility;
    size_t segment_count;
    segment *segments;
} module_info;

/* Functions that haul takes over, by number. */
#define TAKEN(TAKE)             \
    TAKE(0, register_heap)      \
    TAKE(1, unregister_heap)    \
    TAKE(2, reset_heap)         \
    TAKE(3, register_regions)   \
    TAKE(4, resize_regions)     \
    TAKE(5, unregister_regions) \
    TAKE(7, assign_permissions) \
    TAKE(13, process_wide)

int InitializeInjectionNvtxExtension(module_info *m);

/* NVTX's headers call this by its name. Returns 1 if functions were taken over. */
int InitializeInjectionNvtxExtension(module_info *m) {
    if (!m || m->module != MODULE_MEMORY || !m->segment_count) return 0;
    const segment *s = &m->segments[0];
#define TAKE(number, name) \
    if ((number) < s->count) s->functions[number] = (intptr_t)name;
    TAKEN(TAKE)
#undef TAKE
    return 1;
}
