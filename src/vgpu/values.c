/* Values in memory that streams write and wait for (cuStreamWriteValue32() and similar functions), and graph nodes of
 * them.
 *
 * A wait is work that cannot go on until the value is there, like a kernel that polls: wait.c does other streams' work
 * and lets other threads run meanwhile. The value may be device memory or memory of the host. */
#include "base/memory.h"
#include "base/status.h"
#include "vgpu/graph.h"
#include "vgpu/internal.h"
#include "vgpu/work.h"

#include <string.h>

/* ---- the work ---- */

/* With fewer than 8 bytes the rest is 0. Others may write the value at the same time, so it is read in one piece. */
static uint64_t value_at(const void *at, unsigned width) {
    return width == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                      : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

/* Differences are cyclic, as in CUDA. */
static bool holds(const sim_work *w, uint64_t now) {
    const uint64_t mask = w->width == 8 ? UINT64_MAX : UINT32_MAX, value = w->value & mask;
    switch (w->comparison) {
    case SIM_VALUE_EQUAL: return now == value;
    case SIM_VALUE_AND: return now & value;
    case SIM_VALUE_NOR: return ~(now | value) & mask;
    default: return !((now - value) >> (8 * w->width - 1) & 1);
    }
}

haul_status sim_value_write(CUcontext c, const sim_work *w) {
    void *at = sim_at_to_write(c, w->to, w->width);
    if (!at) return HAUL_ERROR_ARGUMENT;
    if (w->width == 8)
        __atomic_store_n((uint64_t *)at, w->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)w->value, __ATOMIC_RELEASE);
    sim_note_effects(c);
    return HAUL_OK;
}

haul_status sim_value_await(CUcontext c, const sim_work *w, bool *is_there) {
    const void *at = sim_at(c, w->to, w->width);
    *is_there = false;
    if (!at) return HAUL_ERROR_ARGUMENT;
    *is_there = holds(w, value_at(at, w->width));
    if (*is_there || !w->ends_now) return HAUL_OK;
    return haul_fail(HAUL_ERROR_DEADLOCK,
                     "a stream waits for the value %llu at 0x%llx, which is %llu, and nothing else will be done",
                     (unsigned long long)w->value, (unsigned long long)w->to,
                     (unsigned long long)value_at(at, w->width));
}

/* ---- calls ---- */

/* The address must be a multiple of the width, and in memory. */
static CUresult make(CUcontext c, const sim_value_op *op, sim_work *w) {
    if (op->address % op->width) return sim_wrong("a value's address must be a multiple of its size");
    if (!sim_at(c, op->address, op->width)) return CUDA_INVALID_VALUE;
    *w = (sim_work){.kind = op->waits ? SIM_WORK_AWAIT : SIM_WORK_WRITE,
                    .to = op->address,
                    .value = op->value,
                    .width = op->width,
                    .comparison = op->comparison};
    return CUDA_SUCCESS;
}

CUresult sim_driver_issue_values(CUstream handle, const sim_value_op *ops, unsigned count) {
    CUstream s;
    sim_work work;
    SIM_ENTER(c);
    CUresult result = sim_stream_of(c, handle, &s);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) result = make(c, &ops[i], &work);
    if (result == CUDA_SUCCESS && s->capture) return sim_capture_values(s, ops, count);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = make(c, &ops[i], &work);
        if (result == CUDA_SUCCESS) result = sim_issue(s, &work);
    }
    return result;
}

/* ---- nodes ---- */

CUresult sim_node_set_values(CUgraphNode n, const sim_value_op *ops, unsigned count) {
    sim_work *works = memory_zeroed(count + 1, sizeof *works);
    CUresult result = works ? CUDA_SUCCESS : sim_no_memory("a graph's node");
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) result = make(n->graph->context, &ops[i], &works[i]);
    if (result != CUDA_SUCCESS) {
        memory_free(works);
        return result;
    }
    sim_node_free_works(n);
    n->works = works;
    n->work_count = count;
    return CUDA_SUCCESS;
}

CUresult sim_driver_node_set_values(CUgraphNode handle, const sim_value_op *ops, unsigned count) {
    SIM_ENTER(c);
    CUgraphNode n = sim_node_of(c, handle);
    return n && n->type == DRIVER_NODE_VALUES ? sim_node_set_values(n, ops, count) : CUDA_INVALID_VALUE;
}

CUresult sim_driver_node_values(CUgraphNode handle, sim_value_op *ops, unsigned room, unsigned *count) {
    SIM_ENTER(c);
    const struct CUgraphNode_st *n = sim_node_of(c, handle);
    *count = 0;
    if (!n || n->type != DRIVER_NODE_VALUES) return CUDA_INVALID_VALUE;
    for (; *count < n->work_count && *count < room; ++*count) {
        const sim_work *w = &n->works[*count];
        ops[*count] = (sim_value_op){w->kind == SIM_WORK_AWAIT, w->comparison, w->width, w->to, w->value};
    }
    *count = (unsigned)n->work_count;
    return CUDA_SUCCESS;
}
