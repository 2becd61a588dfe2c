/* Values that streams write and wait for: cuStreamWriteValue32() and similar functions, batches of them, and graph
 * nodes of batches. CUDA's structures become sim_value_op; the virtual GPU does the work (vgpu/values.c). Barriers and
 * flushes in a batch are dropped, since a stream's work is in order and its writes are seen by all. */
#include "base/memory.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

/* CUstreamBatchMemOpType and flags of waits. */
enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
enum { COMPARISONS = 3, FLUSH_BEFORE = 1 << 30, NO_BARRIER = 1, MOST_OPS = 256 };

/* ---- single values ---- */

static CUresult issue(CUstream stream, const sim_value_op *op) {
    CUDA_ENTER_STREAM(d, stream);
    (void)d;
    return cuda_leave(sim_driver_issue_values(stream, op, 1));
}

static CUresult wait(CUstream stream, CUdeviceptr address, uint64_t value, unsigned width, unsigned flags) {
    if (flags & ~(unsigned)(COMPARISONS | FLUSH_BEFORE)) return CUDA_INVALID_VALUE;
    return issue(stream, &(sim_value_op){true, flags & COMPARISONS, width, address, value});
}

static CUresult write(CUstream stream, CUdeviceptr address, uint64_t value, unsigned width, unsigned flags) {
    if (flags & ~(unsigned)NO_BARRIER) return CUDA_INVALID_VALUE;
    return issue(stream, &(sim_value_op){false, 0, width, address, value});
}

/* Defines a function and its second version, which is the same here. */
#define VALUE_CALL(name, does, type)                                                       \
    CUresult name##_v2(CUstream stream, CUdeviceptr address, type value, unsigned flags) { \
        return does(stream, address, value, sizeof value, flags);                          \
    }                                                                                      \
    CUresult name(CUstream stream, CUdeviceptr address, type value, unsigned flags) {      \
        return does(stream, address, value, sizeof value, flags);                          \
    }
VALUE_CALL(cuStreamWaitValue32, wait, unsigned)
VALUE_CALL(cuStreamWaitValue64, wait, unsigned long long)
VALUE_CALL(cuStreamWriteValue32, write, unsigned)
VALUE_CALL(cuStreamWriteValue64, write, unsigned long long)

/* ---- batches ---- */

/* Converts the operations that have an effect; *count becomes their number. */
static CUresult take(const cuda_value_op *from, sim_value_op *to, unsigned *count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++) {
        const cuda_value_op *f = &from[i];
        const bool waits = f->op == WAIT_32 || f->op == WAIT_64, wide = f->op == WAIT_64 || f->op == WRITE_64;
        if (f->op == FLUSH || f->op == BARRIER) continue;
        if (!waits && !wide && f->op != WRITE_32)
            return cuda_wrong(CUDA_NOT_SUPPORTED, "haul has no memory operation of that kind");
        to[kept++] = (sim_value_op){.waits = waits,
                                    .comparison = waits ? (int)(f->value.flags & COMPARISONS) : 0,
                                    .width = wide ? 8 : 4,
                                    .address = f->value.address,
                                    .value = wide ? f->value.value : (unsigned)f->value.value};
    }
    *count = kept;
    return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, cuda_value_op *ops, unsigned flags) {
    sim_value_op taken[MOST_OPS];
    if (!ops || !count || count > MOST_OPS || flags) return CUDA_INVALID_VALUE;
    CUDA_ENTER_STREAM(d, stream);
    (void)d;
    CUresult result = take(ops, taken, &count);
    if (result == CUDA_SUCCESS) result = sim_driver_issue_values(stream, taken, count);
    return cuda_leave(result);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, cuda_value_op *ops, unsigned flags) {
    return cuStreamBatchMemOp_v2(stream, count, ops, flags);
}

/* ---- nodes ---- */

/* A driver refuses a batch without a context (an H200). */
static CUresult take_batch(const cuda_batch *batch, sim_value_op *to, unsigned *count) {
    *count = batch ? batch->count : 0;
    if (!*count || *count > MOST_OPS || !batch->context || !batch->ops || batch->flags) return CUDA_INVALID_VALUE;
    return take(batch->ops, to, count);
}

CUresult cuda_add_batch(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t behind_count,
                        const cuda_batch *batch) {
    sim_value_op ops[MOST_OPS];
    unsigned count;
    const CUresult result = take_batch(batch, ops, &count);
    return result == CUDA_SUCCESS ? sim_driver_node_add_values(node, graph, behind, behind_count, ops, count) : result;
}

CUresult cuda_set_batch(CUgraphExec executable, CUgraphNode node, const cuda_batch *batch) {
    sim_value_op ops[MOST_OPS];
    unsigned count;
    const CUresult result = take_batch(batch, ops, &count);
    if (result != CUDA_SUCCESS) return result;
    return executable ? sim_driver_executable_set_values(executable, node, ops, count)
                      : sim_driver_node_set_values(node, ops, count);
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *behind, size_t count,
                                  const cuda_batch *batch) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(node ? cuda_add_batch(node, graph, behind, count, batch) : CUDA_INVALID_VALUE);
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const cuda_batch *batch) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(cuda_set_batch(NULL, node, batch));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node, const cuda_batch *batch) {
    CUDA_ENTER_HANDLE(d);
    (void)d;
    return cuda_leave(executable ? cuda_set_batch(executable, node, batch) : CUDA_INVALID_VALUE);
}

static cuda_value_op given_back(const sim_value_op *op) {
    cuda_value_op to = {0};
    to.value.op = op->waits ? (op->width == 8 ? WAIT_64 : WAIT_32) : op->width == 8 ? WRITE_64 : WRITE_32;
    to.value.address = op->address;
    to.value.value = op->value;
    to.value.flags = (unsigned)op->comparison;
    return to;
}

/* The operations stay until the thread's next query. */
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, cuda_batch *batch) {
    static _Thread_local cuda_value_op *told;
    sim_value_op ops[MOST_OPS];
    unsigned count = 0;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    CUresult result = batch ? sim_driver_node_values(node, ops, MOST_OPS, &count) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    memory_free(told);
    told = memory_zeroed(count + 1, sizeof *told);
    for (unsigned i = 0; told && i < count; i++) told[i] = given_back(&ops[i]);
    *batch = (cuda_batch){.count = told ? count : 0, .ops = told};
    result = cuda_leave(told ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY);
    return result == CUDA_SUCCESS ? cuCtxGetCurrent(&batch->context) : result;
}
