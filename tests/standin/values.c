/* Parts of the driver API and the runtime that programs use seldom: values that streams write and wait for, user
 * objects, batches, green contexts, memory and pools as file descriptors, core dumps, logs. usage: values TASK */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void *handle;
typedef unsigned long long address;

/* CUstreamBatchMemOpParams of a value, CUDA_BATCH_MEM_OP_NODE_PARAMS, CUdevResource, CUmemLocation */
typedef struct value_op {
    unsigned op;
    address at;
    unsigned long long value;
    unsigned flags;
    address alias;
    unsigned long long rest;
} value_op;
typedef struct batch {
    handle context;
    unsigned count;
    value_op *ops;
    unsigned flags;
} batch;
typedef struct resource {
    int type;
    unsigned char reserved[92];
    unsigned sms, least, unit, room[9];
} resource;
/* cudaDevSmResourceGroupParams */
typedef struct sm_group {
    unsigned count, unit, preferred_unit, flags, reserved[12];
} sm_group;
typedef struct location {
    int type, id;
} location;
typedef struct copy_attributes {
    int source_order; /* 1: that of the stream */
    location source, target;
    unsigned flags;
} copy_attributes;
typedef struct memory_properties {
    int type, handles;
    location where;
    void *security;
    unsigned char rest[8];
} memory_properties;

typedef struct pool_properties {
    int type, handles;
    location where;
    void *security;
    size_t most_bytes;
    unsigned char rest[56];
} pool_properties;
typedef struct pool_data {
    unsigned char bytes[64];
} pool_data;
/* CUDA_MEMCPY3D_BATCH_OP between two places in memory. */
typedef struct copy_side {
    int kind; /* 1: memory */
    address at;
    size_t row, layer;
    location hint;
} copy_side;
typedef struct copy_box {
    copy_side from, to;
    size_t width, height, depth;
    int source_order;
    unsigned flags;
} copy_box;

#define MUST(call) must(call, #call)
#define CALL(name, ...) extern int name(__VA_ARGS__);
CALL(cuInit, unsigned)
CALL(cuDevicePrimaryCtxRetain, handle *, int)
CALL(cuCtxSetCurrent, handle)
CALL(cuCtxGetCurrent, handle *)
CALL(cuCtxSynchronize, void)
CALL(cuMemAlloc_v2, address *, size_t)
CALL(cuMemAllocHost_v2, void **, size_t)
CALL(cuMemcpyHtoD_v2, address, const void *, size_t)
CALL(cuMemcpyDtoH_v2, void *, address, size_t)
CALL(cuMemsetD8_v2, address, unsigned char, size_t)
CALL(cuMemsetD32Async, address, unsigned, size_t, handle)
CALL(cuStreamCreate, handle *, unsigned)
CALL(cuStreamSynchronize, handle)
CALL(cuStreamQuery, handle)
CALL(cuStreamBeginCapture_v2, handle, int)
CALL(cuStreamEndCapture, handle, handle *)
CALL(cuStreamWaitValue32_v2, handle, address, unsigned, unsigned)
CALL(cuStreamWaitValue64_v2, handle, address, unsigned long long, unsigned)
CALL(cuStreamWriteValue32_v2, handle, address, unsigned, unsigned)
CALL(cuStreamWriteValue64_v2, handle, address, unsigned long long, unsigned)
CALL(cuStreamBatchMemOp_v2, handle, unsigned, value_op *, unsigned)
CALL(cuGraphCreate, handle *, unsigned)
CALL(cuGraphDestroy, handle)
CALL(cuGraphClone, handle *, handle)
CALL(cuGraphInstantiateWithFlags, handle *, handle, unsigned long long)
CALL(cuGraphLaunch, handle, handle)
CALL(cuGraphExecDestroy, handle)
CALL(cuGraphExecGetFlags, handle, unsigned long long *)
CALL(cuGraphAddBatchMemOpNode, handle *, handle, const handle *, size_t, const batch *)
CALL(cuGraphBatchMemOpNodeGetParams, handle, batch *)
CALL(cuGraphBatchMemOpNodeSetParams, handle, const batch *)
CALL(cuGraphExecBatchMemOpNodeSetParams, handle, handle, const batch *)
CALL(cudaUserObjectCreate, handle *, void *, void (*)(void *), unsigned, unsigned)
CALL(cudaUserObjectRelease, handle, unsigned)
CALL(cudaGraphRetainUserObject, handle, handle, unsigned, unsigned)
CALL(cuGraphReleaseUserObject, handle, handle, unsigned)
CALL(cuMemcpyBatchAsync_v2, address *, address *, size_t *, size_t, const void *, const size_t *, size_t, handle)
CALL(cudaMemcpyBatchAsync, void *, void *, size_t *, size_t, const void *, const size_t *, size_t, handle)
CALL(cuMemcpy3DBatchAsync_v2, size_t, copy_box *, unsigned long long, handle)
CALL(cuMemPoolCreate, handle *, const pool_properties *)
CALL(cuMemPoolDestroy, handle)
CALL(cuMemPoolGetAttribute, handle, int, void *)
CALL(cuMemPoolSetAttribute, handle, int, void *)
CALL(cuMemAllocFromPoolAsync, address *, size_t, handle, handle)
CALL(cuMemFreeAsync, address, handle)
CALL(cuDeviceSetMemPool, int, handle)
CALL(cuMemGetDefaultMemPool, handle *, location *, int)
CALL(cuPointerGetAttribute, void *, int, address)
CALL(cuDeviceGetAttribute, int *, int, int)
CALL(cuMemPoolExportToShareableHandle, void *, handle, int, unsigned long long)
CALL(cuMemPoolImportFromShareableHandle, handle *, void *, int, unsigned long long)
CALL(cuMemPoolExportPointer, pool_data *, address)
CALL(cuMemPoolImportPointer, address *, handle, pool_data *)
CALL(cuMemAllocManaged, address *, size_t, unsigned)
CALL(cuMemPrefetchBatchAsync, address *, size_t *, size_t, const location *, const size_t *, size_t, unsigned long long,
     handle)
CALL(cuMemRangeGetAttribute, void *, size_t, int, address, size_t)
CALL(cuDeviceGetDevResource, int, resource *, int)
CALL(cuDevSmResourceSplitByCount, resource *, unsigned *, const resource *, resource *, unsigned, unsigned)
CALL(cuDevResourceGenerateDesc, handle *, resource *, unsigned)
CALL(cuGreenCtxCreate, handle *, handle, int, unsigned)
CALL(cuGreenCtxDestroy, handle)
CALL(cuGreenCtxGetDevResource, handle, resource *, int)
CALL(cuGreenCtxStreamCreate, handle *, handle, unsigned, int)
CALL(cuGreenCtxRecordEvent, handle, handle)
CALL(cuCtxFromGreenCtx, handle *, handle)
CALL(cuStreamGetGreenCtx, handle, handle *)
CALL(cudaDeviceGetDevResource, int, resource *, int)
CALL(cudaDevSmResourceSplit, resource *, unsigned, const resource *, resource *, unsigned, sm_group *)
CALL(cudaDevResourceGenerateDesc, handle *, resource *, unsigned)
CALL(cudaGreenCtxCreate, handle *, handle, int, unsigned)
CALL(cudaDeviceGetExecutionCtx, handle *, int)
CALL(cudaExecutionCtxDestroy, handle)
CALL(cudaExecutionCtxGetDevResource, handle, resource *, int)
CALL(cudaExecutionCtxGetDevice, int *, handle)
CALL(cudaExecutionCtxGetId, handle, unsigned long long *)
CALL(cudaExecutionCtxStreamCreate, handle *, handle, unsigned, int)
CALL(cudaExecutionCtxRecordEvent, handle, handle)
CALL(cudaExecutionCtxWaitEvent, handle, handle)
CALL(cudaExecutionCtxSynchronize, handle)
CALL(cudaStreamGetDevResource, handle, resource *, int)
CALL(cuEventCreate, handle *, unsigned)
CALL(cuEventQuery, handle)
CALL(cuMemCreate, unsigned long long *, size_t, const memory_properties *, unsigned long long)
CALL(cuMemRelease, unsigned long long)
CALL(cuMemAddressReserve, address *, size_t, size_t, address, unsigned long long)
CALL(cuMemMap, address, size_t, size_t, unsigned long long, unsigned long long)
CALL(cuMemSetAccess, address, size_t, const void *, size_t)
CALL(cuMemExportToShareableHandle, void *, unsigned long long, int, unsigned long long)
CALL(cuMemImportFromShareableHandle, unsigned long long *, void *, int)
CALL(cuCheckpointProcessLock, int, void *)
CALL(cuCheckpointProcessCheckpoint, int, void *)
CALL(cuCheckpointProcessRestore, int, void *)
CALL(cuCheckpointProcessUnlock, int, void *)
CALL(cuCheckpointProcessGetState, int, int *)
CALL(cuCoredumpSetAttribute, int, void *, size_t *)
CALL(cuCoredumpGetAttribute, int, void *, size_t *)
CALL(cuLogsCurrent, unsigned *, unsigned)
CALL(cuLogsRegisterCallback, void (*)(void *, int, char *, size_t), void *, handle *)
CALL(cuLogsUnregisterCallback, handle)
CALL(cuLogsDumpToMemory, unsigned *, char *, size_t *, unsigned)
CALL(cuFlushGPUDirectRDMAWrites, int, int)

enum { NON_BLOCKING = 1, AT_LEAST = 0, EQUAL = 1, AND = 2, NOR = 3 };
enum { WAIT_32 = 1, WRITE_32 = 2, WRITE_64 = 5, BARRIER = 6 };

static void must(int result, const char *what) {
    if (!result) return;
    printf("%s gave %d\n", what, result);
    exit(1);
}

static void open_device(void) {
    handle context;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
}

static address words(unsigned count) {
    address at;
    MUST(cuMemAlloc_v2(&at, 8 * count));
    MUST(cuMemsetD8_v2(at, 0, 8 * count));
    MUST(cuCtxSynchronize());
    return at;
}

static handle new_stream(void) {
    handle stream;
    MUST(cuStreamCreate(&stream, NON_BLOCKING));
    return stream;
}

static unsigned long long read_word(address at) {
    unsigned long long value = 0;
    MUST(cuMemcpyDtoH_v2(&value, at, sizeof value));
    return value;
}

/* ---- values ---- */

static void *write_later(void *word) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    __atomic_store_n((unsigned *)word, 5, __ATOMIC_RELEASE);
    return NULL;
}

/* One stream waits for another one, issued later, and for a host thread. */
static void use_values(void) {
    const address at = words(4);
    const handle first = new_stream(), second = new_stream();
    void *host;
    pthread_t thread;
    MUST(cuMemAllocHost_v2(&host, 8));
    memset(host, 0, 8);
    MUST(cuStreamWaitValue32_v2(first, at, 3, AT_LEAST));
    MUST(cuStreamWriteValue64_v2(first, at + 8, 1ull << 40 | 7, 0));
    printf("before: %d\n", cuStreamQuery(first));
    MUST(cuStreamWriteValue32_v2(second, at, 4, 0));
    MUST(cuStreamSynchronize(first));
    printf("written: %#llx\n", read_word(at + 8));
    MUST(cuStreamWaitValue32_v2(first, (address)(uintptr_t)host, 4, AND));
    pthread_create(&thread, NULL, write_later, host);
    MUST(cuStreamSynchronize(first));
    pthread_join(thread, NULL);
    MUST(cuStreamWaitValue64_v2(first, at + 8, ~(1ull << 40 | 7), NOR));
    printf("never: %d\n", cuStreamSynchronize(first));
}

/* A batch, alone, in a capture and as a node that is changed. */
static void use_batches(void) {
    const address at = words(4);
    const handle stream = new_stream();
    handle graph, executable, node;
    value_op ops[] = {{WAIT_32, at, 0, EQUAL, 0, 0}, {BARRIER, 0, 0, 0, 0, 0}, {WRITE_32, at + 8, 11, 0, 0, 0}};
    batch all = {.count = 3, .ops = ops}, told;
    MUST(cuCtxGetCurrent(&all.context));
    MUST(cuStreamBatchMemOp_v2(stream, 3, ops, 0));
    MUST(cuStreamSynchronize(stream));
    printf("batch: %llu\n", read_word(at + 8));
    ops[2].value = 12;
    MUST(cuStreamBeginCapture_v2(stream, 2));
    MUST(cuStreamBatchMemOp_v2(stream, 3, ops, 0));
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiateWithFlags(&executable, graph, 0));
    MUST(cuGraphLaunch(executable, stream));
    MUST(cuStreamSynchronize(stream));
    printf("captured: %llu\n", read_word(at + 8));
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &all));
    MUST(cuGraphBatchMemOpNodeGetParams(node, &told));
    printf("node: %u operations, the last writes %llu\n", told.count, told.ops[told.count - 1].value);
    MUST(cuGraphInstantiateWithFlags(&executable, graph, 0));
    ops[2].value = 13;
    MUST(cuGraphExecBatchMemOpNodeSetParams(executable, node, &all));
    MUST(cuGraphLaunch(executable, stream));
    MUST(cuStreamSynchronize(stream));
    printf("changed: %llu\n", read_word(at + 8));
}

/* ---- user objects ---- */

static void say(void *what) {
    printf("%s ends\n", (const char *)what);
}

static void use_objects(void) {
    static char names[][16] = {"the graph's", "the program's"};
    handle graph, clone, executable, objects[2];
    unsigned long long flags;
    MUST(cuGraphCreate(&graph, 0));
    for (int i = 0; i < 2; i++) MUST(cudaUserObjectCreate(&objects[i], names[i], say, 1, 1));
    MUST(cudaGraphRetainUserObject(graph, objects[0], 1, 1));
    MUST(cudaGraphRetainUserObject(graph, objects[1], 2, 0));
    MUST(cuGraphReleaseUserObject(graph, objects[1], 1));
    MUST(cuGraphInstantiateWithFlags(&executable, graph, 8));
    MUST(cuGraphClone(&clone, graph));
    MUST(cuGraphExecGetFlags(executable, &flags));
    printf("flags %llu\n", flags);
    MUST(cuGraphDestroy(graph));
    MUST(cuGraphDestroy(clone));
    puts("without the graph");
    MUST(cuGraphExecDestroy(executable));
    puts("without the executable");
    MUST(cudaUserObjectRelease(objects[1], 1));
    printf("once more: %d\n", cudaUserObjectRelease(objects[1], 1));
}

/* ---- batches of copies ---- */

static void copy_batches(void) {
    const address at = words(8);
    const handle stream = new_stream();
    unsigned long long from[2] = {21, 22}, to[2] = {0};
    address in[] = {at, at + 8}, host[] = {(uintptr_t)&from[0], (uintptr_t)&from[1]};
    address out[] = {(uintptr_t)&to[0], (uintptr_t)&to[1]}, managed;
    size_t bytes[] = {8, 8}, all = 4096, first = 0;
    const location device = {1, 0};
    int where = -1;
    const copy_attributes in_order = {.source_order = 1};
    MUST(cuMemcpyBatchAsync_v2(in, host, bytes, 2, &in_order, &first, 1, stream));
    MUST(cudaMemcpyBatchAsync(out, in, bytes, 2, &in_order, &first, 1, stream));
    MUST(cuStreamSynchronize(stream));
    printf("copied: %llu %llu\n", to[0], to[1]);
    MUST(cuMemAllocManaged(&managed, all, 1));
    MUST(cuMemPrefetchBatchAsync(&managed, &all, 1, &device, &first, 1, 0, stream));
    MUST(cuMemRangeGetAttribute(&where, sizeof where, 4, managed, all));
    printf("prefetched to %d\n", where);
}

/* A rectangle out of a larger one; its source may be changed as soon as the call returns. */
static void copy_boxes(void) {
    const address at = words(4);
    const handle stream = new_stream();
    unsigned long long *from, to[4] = {0};
    MUST(cuMemAllocHost_v2((void **)&from, 6 * 8));
    for (unsigned i = 0; i < 6; i++) from[i] = 31 + i;
    copy_box in = {{1, (uintptr_t)&from[1], 3 * 8, 2, {0, 0}}, {1, at, 0, 0, {0, 0}}, 2 * 8, 2, 1, 2, 0};
    copy_box out = {{1, at, 0, 0, {0, 0}}, {1, (uintptr_t)to, 0, 0, {0, 0}}, 4 * 8, 1, 1, 1, 1};
    MUST(cuMemcpy3DBatchAsync_v2(1, &in, 0, stream));
    from[1] = 0;
    MUST(cuMemcpy3DBatchAsync_v2(1, &out, 0, stream));
    MUST(cuStreamSynchronize(stream));
    printf("boxes: %llu %llu %llu %llu\n", to[0], to[1], to[2], to[3]);
    out.height = 0;
    in.source_order = 0;
    printf("no height: %d, no order: %d, no stream: %d\n", cuMemcpy3DBatchAsync_v2(1, &out, 0, stream),
           cuMemcpy3DBatchAsync_v2(1, &in, 0, stream), cuMemcpy3DBatchAsync_v2(1, &out, 0, NULL));
}

/* ---- green contexts ---- */

static void use_green(void) {
    resource all, groups[2], rest, own;
    unsigned count = 0;
    handle description, green, context, current, stream, of, event;
    const address at = words(1);
    MUST(cuDeviceGetDevResource(0, &all, 1));
    MUST(cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, 10));
    printf("%u SMs: %u groups of 10\n", all.sms, count);
    count = 2;
    MUST(cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, 10));
    printf("%u groups of %u, %u left\n", count, groups[1].sms, rest.sms);
    MUST(cuDevResourceGenerateDesc(&description, groups, 1));
    MUST(cuGreenCtxCreate(&green, description, 0, 1));
    MUST(cuGreenCtxGetDevResource(green, &own, 1));
    MUST(cuCtxFromGreenCtx(&context, green));
    MUST(cuCtxSetCurrent(context));
    MUST(cuCtxGetCurrent(&current));
    MUST(cuGreenCtxStreamCreate(&stream, green, NON_BLOCKING, 0));
    MUST(cuStreamGetGreenCtx(stream, &of));
    MUST(cuEventCreate(&event, 0));
    MUST(cuMemsetD32Async(at, 31, 1, stream));
    MUST(cuGreenCtxRecordEvent(green, event));
    printf("its %u SMs, current: %d, its stream: %d, done: %d, %llu\n", own.sms, current == context, of == green,
           cuEventQuery(event), read_word(at));
    MUST(cuGreenCtxDestroy(green));
    printf("twice: %d\n", cuGreenCtxDestroy(green));
}

/* The same by the runtime, with groups of different sizes. */
static void use_execution(void) {
    resource all, groups[2], rest, own;
    sm_group asked[2] = {{.count = 16}, {.count = 0}}, odd = {.count = 12};
    handle description, green, primary, stream, event;
    unsigned long long ids[2];
    int device = -1;
    const address at = words(1);
    MUST(cudaDeviceGetDevResource(0, &all, 1));
    MUST(cudaDevSmResourceSplit(groups, 2, &all, &rest, 0, asked));
    printf("%u SMs by %u: %u, %u, %u left, no unit: %d\n", all.sms, all.unit, groups[0].sms, groups[1].sms, rest.sms,
           cudaDevSmResourceSplit(groups + 1, 1, &all, &rest, 0, &odd));
    MUST(cudaDevResourceGenerateDesc(&description, groups, 1));
    MUST(cudaGreenCtxCreate(&green, description, 0, 0));
    MUST(cudaDeviceGetExecutionCtx(&primary, 0));
    MUST(cudaExecutionCtxStreamCreate(&stream, green, 0, 0));
    MUST(cuEventCreate(&event, 0));
    MUST(cuMemsetD32Async(at, 32, 1, stream));
    MUST(cudaExecutionCtxRecordEvent(green, event));
    MUST(cudaExecutionCtxWaitEvent(primary, event));
    MUST(cudaExecutionCtxSynchronize(primary));
    MUST(cudaExecutionCtxGetDevice(&device, green));
    MUST(cudaExecutionCtxGetId(green, &ids[0]));
    MUST(cudaExecutionCtxGetId(primary, &ids[1]));
    MUST(cudaStreamGetDevResource(stream, &own, 1));
    MUST(cudaExecutionCtxGetDevResource(primary, &all, 1));
    printf("device %d, %u of %u SMs, ids differ: %d, %llu\n", device, own.sms, all.sms, ids[0] != ids[1],
           read_word(at));
    MUST(cudaExecutionCtxDestroy(green));
    printf("twice: %d, none: %d\n", cudaExecutionCtxDestroy(green), cudaExecutionCtxSynchronize(NULL));
}

/* ---- memory as a file descriptor ---- */

static address map(unsigned long long memory, size_t bytes) {
    const struct {
        location where;
        int flags;
    } access = {{1, 0}, 3};
    address at;
    MUST(cuMemAddressReserve(&at, bytes, 0, 0, 0));
    MUST(cuMemMap(at, bytes, 0, memory, 0));
    MUST(cuMemSetAccess(at, bytes, &access, 1));
    return at;
}

/* The child is a process of its own, as a forked one may not use what its parent has opened. */
static int import(const char *descriptor) {
    unsigned long long memory, value = 0;
    open_device();
    MUST(cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)atoi(descriptor), 1));
    const address at = map(memory, 2 << 20);
    MUST(cuMemcpyDtoH_v2(&value, at, sizeof value));
    value++;
    MUST(cuMemcpyHtoD_v2(at, &value, sizeof value));
    return cuCtxSynchronize();
}

/* Virtual memory is made, mapped and shared without a current context. */
static void share_memory(const char *program) {
    const memory_properties properties = {.type = 1, .handles = 1, .where = {1, 0}};
    unsigned long long memory, value = 41;
    handle context;
    int file;
    MUST(cuCtxGetCurrent(&context));
    MUST(cuCtxSetCurrent(NULL));
    char number[16];
    MUST(cuMemCreate(&memory, 2 << 20, &properties, 0));
    const address at = map(memory, 2 << 20);
    MUST(cuMemExportToShareableHandle(&file, memory, 1, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuMemcpyHtoD_v2(at, &value, sizeof value));
    snprintf(number, sizeof number, "%d", dup(file)); /* stays open over exec */
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, "import", number, NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("the child ended with %d, and left %llu\n", WEXITSTATUS(status), read_word(at));
    printf("no such memory: %d\n", cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)STDOUT_FILENO, 1));
}

/* ---- pools of the host ---- */

/* Adds one to the word there, as host code. */
static void use_host_memory(handle pool) {
    address at;
    unsigned kind;
    const unsigned long long value = 41;
    MUST(cuMemAllocFromPoolAsync(&at, 64, pool, NULL));
    MUST(cuMemcpyHtoD_v2(at, &value, sizeof value));
    ++*(unsigned long long *)(uintptr_t)at;
    MUST(cuPointerGetAttribute(&kind, 2, at));
    printf("%llu in memory of type %u\n", read_word(at), kind);
    MUST(cuMemFreeAsync(at, NULL));
}

static void use_host_pools(void) {
    const pool_properties properties = {.type = 1, .where = {2, 0}};
    location host = {2, 0};
    handle pool, own;
    int supported;
    open_device();
    MUST(cuDeviceGetAttribute(&supported, 144, 0));
    MUST(cuMemGetDefaultMemPool(&pool, &host, 1));
    MUST(cuMemPoolCreate(&own, &properties));
    printf("supported: %d\n", supported);
    use_host_memory(pool);
    use_host_memory(own);
    printf("for the device: %d\n", cuDeviceSetMemPool(0, pool));
    MUST(cuMemPoolDestroy(own));
}

/* ---- pools of other processes ---- */

/* The parent's data comes by standard input. */
static int import_pool(const char *descriptor) {
    handle pool;
    address at, other;
    pool_data data;
    unsigned long long value = 0, used;
    open_device();
    MUST(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)atoi(descriptor), 1, 0));
    if (read(STDIN_FILENO, &data, sizeof data) != sizeof data) return 4;
    MUST(cuMemPoolImportPointer(&at, pool, &data));
    MUST(cuMemcpyDtoH_v2(&value, at, sizeof value));
    value++;
    MUST(cuMemcpyHtoD_v2(at, &value, sizeof value));
    printf("imported: what it uses: %d, for allocations: %d, for the device: %d\n",
           cuMemPoolGetAttribute(pool, 7, &used), cuMemAllocFromPoolAsync(&other, 8, pool, NULL),
           cuDeviceSetMemPool(0, pool));
    MUST(cuMemFreeAsync(at, NULL));
    MUST(cuCtxSynchronize());
    printf("freed again: %d\n", cuMemFreeAsync(at, NULL));
    data.bytes[0] ^= 1;
    printf("no such memory: %d\n", cuMemPoolImportPointer(&at, pool, &data));
    MUST(cuMemPoolDestroy(pool));
    return 0;
}

/* The second allocation, which does not begin with a page. */
static void share_pool(const char *program) {
    const pool_properties shared = {.type = 1, .handles = 1, .where = {1, 0}}, own = {.type = 1, .where = {1, 0}};
    handle pool, unshared;
    address first, at, other;
    pool_data data;
    int file, ends[2], status = -1;
    unsigned long long value = 41;
    char number[16];
    MUST(cuMemPoolCreate(&pool, &shared));
    MUST(cuMemPoolCreate(&unshared, &own));
    MUST(cuMemAllocFromPoolAsync(&first, 100, pool, NULL));
    MUST(cuMemAllocFromPoolAsync(&at, 100, pool, NULL));
    MUST(cuMemAllocFromPoolAsync(&other, 100, unshared, NULL));
    MUST(cuMemcpyHtoD_v2(at, &value, sizeof value));
    printf("of its own: %d %d\n", cuMemPoolExportToShareableHandle(&file, unshared, 1, 0),
           cuMemPoolExportPointer(&data, other));
    MUST(cuMemPoolExportToShareableHandle(&file, pool, 1, 0));
    MUST(cuMemPoolExportPointer(&data, at));
    snprintf(number, sizeof number, "%d", dup(file)); /* stays open over exec */
    if (pipe(ends) || write(ends[1], &data, sizeof data) != sizeof data) exit(3);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        execl(program, program, "import-pool", number, NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    printf("the child ended with %d, and left %llu\n", WEXITSTATUS(status), read_word(at));
    printf("no such pool: %d\n", cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)STDOUT_FILENO, 1, 0));
}

/* ---- checkpoints ---- */

typedef struct reader {
    handle context;
    address at;
    unsigned long long value; /* once it has read */
} reader;

static void *read_value(void *data) {
    reader *r = data;
    unsigned long long value;
    MUST(cuCtxSetCurrent(r->context));
    value = read_word(r->at);
    __atomic_store_n(&r->value, value, __ATOMIC_RELEASE);
    return NULL;
}

/* While the process is locked, a thread's call waits. */
static void use_checkpoints(void) {
    const int process = getpid();
    int states[3];
    reader r = {.at = words(1)};
    pthread_t thread;
    MUST(cuCtxGetCurrent(&r.context));
    MUST(cuMemsetD32Async(r.at, 7, 1, NULL));
    MUST(cuCheckpointProcessLock(process, NULL));
    pthread_create(&thread, NULL, read_value, &r);
    MUST(cuCheckpointProcessCheckpoint(process, NULL));
    MUST(cuCheckpointProcessGetState(process, &states[0]));
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    const unsigned long long before = __atomic_load_n(&r.value, __ATOMIC_ACQUIRE);
    const int early = cuCheckpointProcessUnlock(process, NULL);
    MUST(cuCheckpointProcessRestore(process, NULL));
    MUST(cuCheckpointProcessGetState(process, &states[1]));
    MUST(cuCheckpointProcessUnlock(process, NULL));
    MUST(cuCheckpointProcessGetState(process, &states[2]));
    pthread_join(thread, NULL);
    printf("states %d %d %d, read before %llu, then %llu\n", states[0], states[1], states[2], before, r.value);
    printf("unlocked early: %d, another process: %d\n", early, cuCheckpointProcessLock(getppid(), NULL));
}

/* ---- settings and logs ---- */

static void on_log(void *data, int level, char *message, size_t bytes) {
    printf("told: level %d, %d\n", level, strlen(message) == bytes);
    ++*(int *)data;
}

static void use_logs(void) {
    unsigned now;
    int calls = 0;
    handle entry;
    char text[1024], name[32] = "core.%p", told[32];
    size_t bytes = sizeof name, room = sizeof told, length = sizeof text;
    MUST(cuCoredumpSetAttribute(5, name, &bytes));
    MUST(cuCoredumpGetAttribute(5, told, &room));
    printf("core dumps go to %s, %zu bytes\n", told, room);
    MUST(cuFlushGPUDirectRDMAWrites(0, 100));
    MUST(cuLogsRegisterCallback(on_log, &calls, &entry));
    MUST(cuLogsCurrent(&now, 0));
    printf("a wrong copy: %d\n", cuMemcpyHtoD_v2(64, text, 4));
    MUST(cuLogsUnregisterCallback(entry));
    MUST(cuLogsDumpToMemory(&now, text, &length, 0));
    const char *level = strstr(text, "[CUDA]");
    printf("%d call, log: %s", calls, level ? level : text);
}

int main(int count, char **values) {
    const char *what = count > 1 ? values[1] : "";
    if (strcmp(what, "import") == 0) return import(values[2]);
    if (strcmp(what, "import-pool") == 0) return import_pool(values[2]);
    open_device();
    if (strcmp(what, "values") == 0) use_values();
    if (strcmp(what, "batches") == 0) use_batches();
    if (strcmp(what, "objects") == 0) use_objects();
    if (strcmp(what, "copies") == 0) copy_batches();
    if (strcmp(what, "green") == 0) use_green();
    if (strcmp(what, "execution") == 0) use_execution();
    if (strcmp(what, "share") == 0) share_memory(values[0]);
    if (strcmp(what, "boxes") == 0) copy_boxes();
    if (strcmp(what, "host-pools") == 0) use_host_pools();
    if (strcmp(what, "pools") == 0) share_pool(values[0]);
    if (strcmp(what, "checkpoints") == 0) use_checkpoints();
    if (strcmp(what, "logs") == 0) use_logs();
    return 0;
}
