// Details of functions that few programs call: what they return, also for wrong arguments. Nothing here is computed;
// the expected output is what an H200 says. Calls come by the runtime's functions, or by the driver's where it has
// none.
#include "sample.h"

#include <cuda.h>

enum { BLOCKS = 16 };

__global__ void add(int *x, int n) {
    if (threadIdx.x == 0) atomicAdd(x, n);
}

static void say(const char *what, cudaError_t error) {
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static void say(const char *what, CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    printf("%s: %s\n", what, name);
}

static int *word;

static cudaGraphNode_t add_kernel(cudaGraph_t graph, int n, unsigned blocks = BLOCKS) {
    cudaGraphNode_t node;
    void *parameters[] = {&word, &n};
    cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(32);
    p.kernelParams = parameters;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    return node;
}

static cudaLaunchAttributeValue get(cudaGraphNode_t node, cudaLaunchAttributeID id) {
    cudaLaunchAttributeValue value;
    memset(&value, -1, sizeof value);
    CHECK(cudaGraphKernelNodeGetAttribute(node, id, &value));
    return value;
}

static void attributes_of_kernels() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_kernel(graph, 1), second = add_kernel(graph, 1), huge = add_kernel(graph, 1, 1 << 20);
    cudaLaunchAttributeValue value = {};
    printf("priority %d\n", get(first, cudaLaunchAttributePriority).priority);
    printf("cooperative %d\n", get(first, cudaLaunchAttributeCooperative).cooperative);
    printf("cluster %u\n", get(first, cudaLaunchAttributeClusterDimension).clusterDim.x);
    printf("window of %zu\n", get(first, cudaLaunchAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes);
    const cudaLaunchMemSyncDomainMap map = get(first, cudaLaunchAttributeMemSyncDomainMap).memSyncDomainMap;
    printf("domains %d %d\n", map.default_, map.remote);
    value.priority = -3;
    say("priority -3", cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributePriority, &value));
    value.priority = -100;
    say("priority -100", cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributePriority, &value));
    printf("priorities %d %d\n", get(first, cudaLaunchAttributePriority).priority,
           get(second, cudaLaunchAttributePriority).priority);
    value = {};
    value.clusterDim.x = 4, value.clusterDim.y = value.clusterDim.z = 1;
    say("clusters of 4", cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeClusterDimension, &value));
    value.clusterDim.x = 3;
    say("clusters of 3", cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeClusterDimension, &value));
    printf("clusters of %u\n", get(first, cudaLaunchAttributeClusterDimension).clusterDim.x);
    value = {};
    value.cooperative = 1;
    say("cooperative", cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributeCooperative, &value));
    say("too many blocks", cudaGraphKernelNodeSetAttribute(huge, cudaLaunchAttributeCooperative, &value));
    say("a stream's attribute",
        cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributeSynchronizationPolicy, &value));
    CHECK(cudaGraphKernelNodeCopyAttributes(second, first));
    printf("copied: priority %d, ", get(second, cudaLaunchAttributePriority).priority);
    printf("cooperative %d\n", get(second, cudaLaunchAttributeCooperative).cooperative);
    CHECK(cudaGraphDestroyNode(huge));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
}

static void edges() {
    cudaGraph_t graph;
    cudaGraphNode_t fill, from[4], to[4];
    cudaGraphEdgeData data[4], programmatic = {}, no_port = {}, order = {};
    size_t count = 4;
    cudaMemsetParams zero = {};
    zero.dst = word, zero.elementSize = 4, zero.width = zero.height = 1;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    cudaGraphNode_t first = add_kernel(graph, 1), second = add_kernel(graph, 1);
    programmatic.from_port = cudaGraphKernelNodePortProgrammatic;
    programmatic.type = no_port.type = cudaGraphDependencyTypeProgrammatic;
    order.from_port = cudaGraphKernelNodePortLaunchCompletion;
    say("programmatic", cudaGraphAddDependencies(graph, &first, &second, &programmatic, 1));
    say("again", cudaGraphAddDependencies(graph, &first, &second, &programmatic, 1));
    say("without a port", cudaGraphAddDependencies(graph, &first, &second, &no_port, 1));
    say("from a fill", cudaGraphAddDependencies(graph, &fill, &second, &programmatic, 1));
    say("behind its begin", cudaGraphAddDependencies(graph, &first, &second, &order, 1));
    say("plain beside it", cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
    say("number", cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    printf("%zu edges\n", count);
    count = 4;
    say("without data", cudaGraphGetEdges(graph, from, to, nullptr, &count));
    count = 4;
    say("with data", cudaGraphGetEdges(graph, from, to, data, &count));
    say("none such", cudaGraphRemoveDependencies(graph, &fill, &second, nullptr, 1));
    CHECK(cudaGraphDestroy(graph));
}

static void captured() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], from[2], to[2];
    cudaGraphEdgeData data[2] = {};
    size_t count = 2, edge_count = 2;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
    config.gridDim = dim3(BLOCKS), config.blockDim = dim3(32), config.stream = stream;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaLaunchKernelEx(&config, add, word, 1));
    config.attrs = &attribute, config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, add, word, 1));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    CHECK(cudaGraphGetEdges(graph, from, to, data, &edge_count));
    printf("%zu nodes, priority %d, ", count, get(nodes[0], cudaLaunchAttributePriority).priority);
    printf("%zu edge, port %d, type %d\n", edge_count, data[0].from_port, data[0].type);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

static void children() {
    cudaGraph_t graph, inner, other, larger;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    int now = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&inner, 0));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphCreate(&larger, 0));
    add_kernel(inner, 1), add_kernel(other, 10), add_kernel(larger, 1), add_kernel(larger, 1);
    CHECK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, inner));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    say("a like graph", cudaGraphExecChildGraphNodeSetParams(executable, node, other));
    say("a larger one", cudaGraphExecChildGraphNodeSetParams(executable, node, larger));
    CHECK(cudaMemset(word, 0, sizeof *word));
    CHECK(cudaGraphLaunch(executable, nullptr));
    to_host(&now, word, 1);
    printf("added %d\n", now);
    CHECK(cudaGraphExecDestroy(executable));
    for (cudaGraph_t each : {graph, inner, other, larger}) CHECK(cudaGraphDestroy(each));
}

static void copy_nodes() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaArray_t array;
    static int host[6];
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    cudaMemcpy3DParms p = {}, is;
    CHECK(cudaMallocArray(&array, &channels, 8, 4));
    CHECK(cudaGraphCreate(&graph, 0));
    p.srcPtr = make_cudaPitchedPtr(host, 12, 3, 2);
    p.dstArray = array, p.dstPos = make_cudaPos(1, 0, 0), p.extent = make_cudaExtent(3, 2, 1);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
    memset(&is, -1, sizeof is);
    say("its box", cudaGraphMemcpyNodeGetParams(node, &is));
    printf("array %d at %zu, host %d, pitch %zu, extent %zu %zu %zu, kind %d\n", is.dstArray == array, is.dstPos.x,
           is.srcPtr.ptr == host, is.srcPtr.pitch, is.extent.width, is.extent.height, is.extent.depth, is.kind);
    cudaArraySparseProperties sparse;
    cudaArrayMemoryRequirements needs;
    cudaArray_t plane;
    say("sparse properties", cudaArrayGetSparseProperties(&sparse, array));
    say("memory requirements", cudaArrayGetMemoryRequirements(&needs, array, 0));
    say("a plane", cudaArrayGetPlane(&plane, array, 0));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampler = {};
    cudaTextureObject_t texture;
    cudaResourceViewDesc view;
    CHECK(cudaCreateTextureObject(&texture, &resource, &sampler, nullptr));
    say("no view", cudaGetTextureObjectResourceViewDesc(&view, texture));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFreeArray(array));
}

static void streams() {
    cudaStream_t stream, other;
    cudaStreamAttrValue value = {};
    int priority;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    printf("priority %d, policy %d\n", priority, value.syncPolicy);
    value.syncPolicy = cudaSyncPolicyBlockingSync;
    say("a policy", cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    value.syncPolicy = (cudaSynchronizationPolicy)7;
    say("no policy", cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    say("copied", cudaStreamCopyAttributes(other, stream));
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &value));
    CHECK(cudaStreamGetPriority(other, &priority));
    printf("priority %d, policy %d\n", priority, value.syncPolicy);
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeMemSyncDomainMap, &value));
    printf("domains %d %d\n", value.memSyncDomainMap.default_, value.memSyncDomainMap.remote);
    say("a kernel's attribute", cudaStreamGetAttribute(stream, cudaLaunchAttributeClusterDimension, &value));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
}

static void batches() {
    cudaStream_t stream;
    int *host, got = 0;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&host, 64));
    cudaMemcpy3DBatchOp box = {};
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = host, box.dst.op.ptr.ptr = word;
    box.extent = make_cudaExtent(sizeof *word, 1, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    *host = 11;
    say("read during the call", cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    *host = 12;
    CHECK(cudaStreamSynchronize(stream));
    to_host(&got, word, 1);
    printf("copied %d\n", got);
    say("the default stream", cudaMemcpy3DBatchAsync(1, &box, 0, nullptr));
    box.extent.height = 0;
    say("no rows", cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    box.extent.height = 1;
    box.srcAccessOrder = (cudaMemcpySrcAccessOrder)0;
    say("no order", cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    say("nothing", cudaMemcpy3DBatchAsync(0, &box, 0, stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(stream));
}

static void pools() {
    cudaMemPool_t pool, own, imported;
    cudaMemPoolProps properties = {};
    cudaMemPoolPtrExportData data;
    int reuse[3] = {-1, -1, -1}, descriptor;
    unsigned long long high = 1;
    char *memory, *usual, *other = nullptr;
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&own, &properties));
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    for (int i = 0; i < 3; i++)
        CHECK(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)(cudaMemPoolReuseFollowEventDependencies + i), &reuse[i]));
    printf("reuse %d %d %d\n", reuse[0], reuse[1], reuse[2]);
    say("a mark set to 1", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    CHECK(cudaMallocFromPoolAsync((void **)&memory, 4096, pool, nullptr));
    CHECK(cudaMalloc((void **)&usual, 4096));
    CHECK(cudaDeviceSynchronize());
    say("not of a pool", cudaMemPoolExportPointer(&data, usual));
    say("within the allocation", cudaMemPoolExportPointer(&data, memory + 1024));
    say("a pool for this process alone",
        cudaMemPoolExportToShareableHandle(&descriptor, own, cudaMemHandleTypePosixFileDescriptor, 0));
    say("a flag", cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 1));
    say("another type", cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypeNone, 0));
    cudaIpcMemHandle_t handle;
    say("as memory of its own", cudaIpcGetMemHandle(&handle, memory));
    CHECK(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolExportPointer(&data, memory));
    say("imported by this process", cudaMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor,
                                                                         cudaMemHandleTypePosixFileDescriptor, 0));
    say("an allocation of it", cudaMallocFromPoolAsync((void **)&other, 64, imported, nullptr));
    say("as the device's pool", cudaDeviceSetMemPool(0, imported));
    say("into another pool", cudaMemPoolImportPointer((void **)&other, own, &data));
    say("its memory", cudaMemPoolImportPointer((void **)&other, imported, &data));
    printf("at another address %d\n", other != memory);
    say("freed", cudaFree(other));
    CHECK(cudaMemPoolDestroy(imported));
    CHECK(cudaMemPoolDestroy(own));
    CHECK(cudaFree(usual));
    CHECK(cudaFreeAsync(memory, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPoolDestroy(pool));
}

static void launches() {
    cudaEvent_t timed, untimed;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    CHECK(cudaEventCreate(&timed));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    config.gridDim = dim3(BLOCKS), config.blockDim = dim3(32);
    config.attrs = &attribute, config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = untimed;
    say("an event without times", cudaLaunchKernelEx(&config, add, word, 1));
    CHECK(cudaEventSynchronize(untimed));
    attribute.val.programmaticEvent.event = timed;
    say("one with times", cudaLaunchKernelEx(&config, add, word, 1));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(timed));
    CHECK(cudaEventDestroy(untimed));
}

static void tensor_maps() {
    alignas(64) CUtensorMap map;
    const cuuint64_t extents[] = {64, 64}, strides[] = {256};
    const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
    char *memory = on_device<char>(1 << 16);
    say("a map", cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, memory, extents, strides, box, steps,
                                        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("another address", cuTensorMapReplaceAddress(&map, memory + (1 << 15)));
    say("not aligned", cuTensorMapReplaceAddress(&map, memory + 4));
    CHECK(cudaFree(memory));
}

// Calls that fail: 26
int main() {
    static const struct {
        const char *name;
        void (*run)();
    } parts[] = {{"attributes of kernels", attributes_of_kernels},
                 {"edges", edges},
                 {"captured", captured},
                 {"children", children},
                 {"copy nodes, arrays", copy_nodes},
                 {"streams", streams},
                 {"batches", batches},
                 {"pools", pools},
                 {"launches", launches},
                 {"tensor maps", tensor_maps}};
    word = on_device<int>(1);
    for (const auto &part : parts) {
        printf("-- %s\n", part.name);
        part.run();
    }
    CHECK(cudaFree(word));
    return finish();
}
