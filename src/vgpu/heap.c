/* The device heap, the kernels that use it, and the blocks that they leaked.
 *
 * Kernels allocate by malloc() from the heap, which is made in device memory when the first of them is launched
 * (machine/heap.h). Each block knows the kernel, thread and instruction that allocated it. Kernels are known by
 * numbers from 1 on, in context->heap_users; an entry is NULL once its module was unloaded. With checks, what is
 * left at the end is a finding for each allocating instruction. */
#include "base/memory.h"
#include "base/status.h"
#include "check/finding.h"
#include "exec/record.h"
#include "machine/heap.h"
#include "state/program.h"
#include "vgpu/internal.h"

#include <stdio.h>

/* Gives the kernel a number, so that its blocks can be recognized. */
static haul_status add_heap_user(CUcontext c, CUfunction f) {
    if (f->heap_user) return HAUL_OK;
    CUfunction *users = memory_resize(c->heap_users, (c->heap_user_count + 1) * sizeof *users);
    if (!users) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device heap: no memory for its users");
    c->heap_users = users;
    users[c->heap_user_count++] = f;
    f->heap_user = c->heap_user_count;
    return HAUL_OK;
}

/* Creates the heap at the first launch of a kernel that may use it. */
haul_status sim_prepare_heap(CUfunction f) {
    CUcontext c = f->module->context;
    if (!f->program->uses_heap) return HAUL_OK;
    HAUL_TRY(add_heap_user(c, f));
    if (c->heap) return HAUL_OK;
    return sim_heap_create(c->memory, c->heap_bytes ? c->heap_bytes : SIM_HEAP_BYTES, c->check, &c->heap);
}

bool sim_driver_is_prepared(CUfunction f) {
    return f->program && !f->program->uses_heap;
}

/* For trials, which run a launch several times from the same state (lib/launch/trials.c). */
haul_status sim_driver_heap_copy(sim_heap_copy **copy) {
    const CUcontext c = sim_current();
    *copy = NULL;
    return c->heap ? sim_heap_copy_make(c->heap, copy) : HAUL_OK;
}

/* Does nothing if there is no heap. */
void sim_driver_heap_restore(const sim_heap_copy *copy) {
    const CUcontext c = sim_current();
    if (c->heap) sim_heap_copy_restore(c->heap, copy);
}

/* Leaks of one instruction are one finding, with the lanes of all its blocks. */
static void add_leak(const sim_heap_block *b, sim_findings *leaks) {
    const haul_finding found = {.kind = HAUL_FINDING_LEAK,
                                .grade = haul_finding_kinds[HAUL_FINDING_LEAK].grade,
                                .access = b->origin.access,
                                .space = HAUL_SPACE_GLOBAL,
                                .address = b->address,
                                .bytes = b->bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)b->bytes};
    const uint64_t warp = b->origin.block * SIM_MAX_WARPS + b->origin.thread / SIM_LANES;
    sim_finding *leak = sim_findings_add(leaks, &found);
    sim_findings_concern(leaks, warp, 1u << b->origin.thread % SIM_LANES);
    if (leak)
        snprintf(leak->what, sizeof leak->what,
                 "blocks that malloc() gave here were never freed; the first has %u bytes, at 0x%llx", found.bytes,
                 (unsigned long long)found.address);
}

/* Adds the leaks of one kernel to the record. */
static haul_status record_leaks(const sim_heap *heap, uint32_t user, const sim_program *p, arena *memory,
                                haul_launch_record *r) {
    sim_heap_block b = {0};
    uint64_t *places;
    HAUL_TRY(sim_finding_places(p, &places));
    sim_findings leaks = {.places = places};
    const sim_findings *const list = &leaks;
    while (sim_heap_next(heap, &b))
        if (b.origin.user == user) add_leak(&b, &leaks);
    const bool recorded = sim_findings_record(&list, 1, SIM_MAX_WARPS, memory, r);
    sim_findings_free(&leaks);
    memory_free(places);
    return recorded ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for what was never freed");
}

/* The next kernel is the one with the least number after *user that has left blocks. */
haul_status sim_driver_leaks(uint32_t *user, arena *memory, haul_launch_record *record) {
    sim_heap_block b = {0};
    const CUcontext c = sim_current();
    const uint32_t after = *user;
    *user = UINT32_MAX;
    while (c->heap && sim_heap_next(c->heap, &b)) {
        const uint32_t of = b.origin.user;
        if (of > after && of < *user && c->heap_users[of - 1]) *user = of;
    }
    if (*user == UINT32_MAX) return HAUL_OK;
    const sim_program *p = c->heap_users[*user - 1]->program;
    HAUL_TRY(sim_record_program(p, memory, record));
    record->checked = true;
    return record_leaks(c->heap, *user, p, memory, record);
}
