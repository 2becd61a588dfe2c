/* Nodes of graphs in detail: attributes of kernels, edges with data, graphs within graphs, forms of earlier versions,
 * queries of copies; and attributes of streams. usage: nodes TASK */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
typedef unsigned long long address;

/* CUDA_KERNEL_NODE_PARAMS, whose first form ends before `kernel`; CUgraphEdgeData; CUlaunchAttribute */
typedef struct kernel_params {
    handle function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    handle kernel, context;
} kernel_params;
typedef struct edge_data {
    unsigned char from_port, to_port, type, reserved[5];
} edge_data;
typedef union value {
    char bytes[64];
    handle event;
    struct {
        void *base;
        size_t bytes;
        float hit_ratio;
        int hit, miss;
    } window;
    unsigned cluster[3];
    int number;
    unsigned char domain_map[2];
} value;
typedef struct attribute {
    int id;
    char padding[4];
    value value;
} attribute;
typedef struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    handle stream;
    attribute *attributes;
    unsigned attribute_count;
} launch_config;
typedef struct fill_params {
    address to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} fill_params;

/* cudaMemcpy3DParms */
typedef struct pitched {
    void *at;
    size_t pitch, width, height;
} pitched;
typedef struct box_params {
    handle from_array;
    size_t from_at[3];
    pitched from;
    handle to_array;
    size_t to_at[3];
    pitched to;
    size_t extent[3];
    int kind;
} box_params;

#define MUST(call) must(call, #call)
#define CALL(name, ...) extern int name(__VA_ARGS__);
CALL(cuInit, unsigned)
CALL(cuDevicePrimaryCtxRetain, handle *, int)
CALL(cuCtxSetCurrent, handle)
CALL(cuModuleLoadData, handle *, const void *)
CALL(cuModuleGetFunction, handle *, handle, const char *)
CALL(cuMemAlloc_v2, address *, size_t)
CALL(cuMemcpyDtoH_v2, void *, address, size_t)
CALL(cuMemsetD8_v2, address, unsigned char, size_t)
CALL(cuStreamCreate, handle *, unsigned)
CALL(cuStreamCreateWithPriority, handle *, unsigned, int)
CALL(cuStreamGetPriority, handle, int *)
CALL(cuStreamSynchronize, handle)
CALL(cuStreamSetAttribute, handle, int, const value *)
CALL(cuStreamGetAttribute, handle, int, value *)
CALL(cuStreamCopyAttributes, handle, handle)
CALL(cuStreamBeginCapture_v2, handle, int)
CALL(cuStreamEndCapture, handle, handle *)
CALL(cuEventCreate, handle *, unsigned)
CALL(cuStreamWaitEvent, handle, handle, unsigned)
CALL(cuMemsetD32Async, address, unsigned, size_t, handle)
CALL(cuLaunchKernelEx, const launch_config *, handle, void **, void **)
CALL(cuGraphCreate, handle *, unsigned)
CALL(cuGraphAddKernelNode, handle *, handle, const handle *, size_t, const kernel_params *)
CALL(cuGraphAddKernelNode_v2, handle *, handle, const handle *, size_t, const kernel_params *)
CALL(cuGraphAddMemsetNode, handle *, handle, const handle *, size_t, const fill_params *, handle)
CALL(cuGraphAddChildGraphNode, handle *, handle, const handle *, size_t, handle)
CALL(cuGraphKernelNodeGetParams, handle, kernel_params *)
CALL(cuGraphKernelNodeSetParams, handle, const kernel_params *)
CALL(cuGraphKernelNodeSetParams_v2, handle, const kernel_params *)
CALL(cuGraphExecKernelNodeSetParams, handle, handle, const kernel_params *)
CALL(cuGraphExecChildGraphNodeSetParams, handle, handle, handle)
CALL(cuGraphExecUpdate, handle, handle, handle *, int *)
CALL(cuGraphKernelNodeSetAttribute, handle, int, const value *)
CALL(cuGraphKernelNodeGetAttribute, handle, int, value *)
CALL(cuGraphKernelNodeCopyAttributes, handle, handle)
CALL(cuGraphAddDependencies_v2, handle, const handle *, const handle *, const edge_data *, size_t)
CALL(cuGraphRemoveDependencies_v2, handle, const handle *, const handle *, const edge_data *, size_t)
CALL(cuGraphGetEdges, handle, handle *, handle *, size_t *)
CALL(cuGraphGetEdges_v2, handle, handle *, handle *, edge_data *, size_t *)
CALL(cuGraphNodeGetDependencies_v2, handle, handle *, edge_data *, size_t *)
CALL(cuGraphGetNodes, handle, handle *, size_t *)
CALL(cuGraphInstantiateWithFlags, handle *, handle, unsigned long long)
CALL(cuGraphLaunch, handle, handle)
CALL(cudaMallocArray, handle *, const int *, size_t, size_t, unsigned)
CALL(cudaGraphAddMemcpyNode, handle *, handle, const handle *, size_t, const box_params *)
CALL(cudaGraphMemcpyNodeGetParams, handle, box_params *)

/* add(word, n): each block's first thread adds n to the word. */
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry add(.param .u64 word, .param .u32 n) {\n"
                          "  .reg .u32 %t, %n;\n  .reg .u64 %a;\n  .reg .pred %p;\n"
                          "  mov.u32 %t, %tid.x;\n  setp.ne.u32 %p, %t, 0;\n  @%p bra $end;\n"
                          "  ld.param.u64 %a, [word];\n  ld.param.u32 %n, [n];\n"
                          "  cvta.to.global.u64 %a, %a;\n  red.global.add.u32 [%a], %n;\n$end:\n  ret;\n}\n";

enum { WINDOW = 1, COOPERATIVE = 2, SYNCHRONIZATION = 3, CLUSTER = 4, PROGRAMMATIC = 6, PRIORITY = 8, DOMAIN_MAP = 9 };
enum { EVENT = 7, BEGIN_EVENT = 12, UPDATABLE = 13, NO_TIMING = 2 };
enum { DOMAIN = 10, BLOCKING_SYNC = 4, PROGRAMMATIC_PORT = 1, PROGRAMMATIC_EDGE = 1, NON_BLOCKING = 1 };

static handle function, graph;
static address word;

static void must(int result, const char *what) {
    if (!result) return;
    printf("%s gave %d\n", what, result);
    exit(1);
}

static void begin(void) {
    handle context, module;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&function, module, "add"));
    MUST(cuMemAlloc_v2(&word, 4));
    MUST(cuMemsetD8_v2(word, 0, 4));
    MUST(cuGraphCreate(&graph, 0));
}

/* 16 blocks. */
static kernel_params adding(unsigned *n) {
    static void *parameters[2];
    parameters[0] = &word;
    parameters[1] = n;
    return (kernel_params){.function = function, .grid = {16, 1, 1}, .block = {32, 1, 1}, .parameters = parameters};
}

static handle add_kernel(handle to, handle behind, unsigned n) {
    handle node;
    const kernel_params p = adding(&n);
    MUST(cuGraphAddKernelNode_v2(&node, to, &behind, behind != NULL, &p));
    return node;
}

static handle instantiate(void) {
    handle executable;
    MUST(cuGraphInstantiateWithFlags(&executable, graph, 0));
    return executable;
}

/* The word, after a launch. */
static unsigned launch(handle executable) {
    unsigned now;
    MUST(cuGraphLaunch(executable, NULL));
    MUST(cuMemcpyDtoH_v2(&now, word, sizeof now));
    return now;
}

static value get(handle node, int id) {
    value v;
    memset(&v, -1, sizeof v);
    MUST(cuGraphKernelNodeGetAttribute(node, id, &v));
    return v;
}

static void use_attributes(void) {
    const handle first = add_kernel(graph, NULL, 1), second = add_kernel(graph, first, 1);
    value priority = {.number = -3}, cluster = {.cluster = {4, 1, 1}}, wrong = {.cluster = {3, 1, 1}},
          on = {.number = 1};
    value window = {.window = {(void *)(uintptr_t)word, 4, 1, 2, 1}}, domain = {.number = 1};
    unsigned n = 2;
    printf("at first: priority %d, cluster %u, cooperative %d, domains %d %d\n", get(first, PRIORITY).number,
           get(first, CLUSTER).cluster[0], get(first, COOPERATIVE).number, get(first, DOMAIN_MAP).domain_map[0],
           get(first, DOMAIN_MAP).domain_map[1]);
    MUST(cuGraphKernelNodeSetAttribute(first, PRIORITY, &priority));
    MUST(cuGraphKernelNodeSetAttribute(first, CLUSTER, &cluster));
    MUST(cuGraphKernelNodeSetAttribute(first, WINDOW, &window));
    MUST(cuGraphKernelNodeSetAttribute(first, DOMAIN, &domain));
    MUST(cuGraphKernelNodeSetAttribute(second, COOPERATIVE, &on));
    const int refused = cuGraphKernelNodeSetAttribute(first, CLUSTER, &wrong);
    const kernel_params p = adding(&n);
    MUST(cuGraphKernelNodeSetParams_v2(first, &p));
    printf("set: priority %d, cluster %u, window of %zu, domain %d, cooperative %d\n", get(first, PRIORITY).number,
           get(first, CLUSTER).cluster[0], get(first, WINDOW).window.bytes, get(first, DOMAIN).number,
           get(second, COOPERATIVE).number);
    MUST(cuGraphKernelNodeCopyAttributes(second, first));
    printf("copied: priority %d, cluster %u, domain %d, cooperative %d\n", get(second, PRIORITY).number,
           get(second, CLUSTER).cluster[0], get(second, DOMAIN).number, get(second, COOPERATIVE).number);
    printf("a cluster that does not fit: %d, no attribute: %d, of a stream: %d\n", refused != 0,
           cuGraphKernelNodeGetAttribute(first, 77, &on), cuGraphKernelNodeSetAttribute(first, SYNCHRONIZATION, &on));
    printf("launched: %u\n", launch(instantiate()));
}

/* A captured launch has the attributes that it was given and those of its stream. */
static void capture_attributes(void) {
    handle stream, captured, nodes[2], from[2], to[2];
    edge_data data[2];
    size_t count = 2, edges = 2;
    unsigned n = 1;
    void *parameters[] = {&word, &n};
    attribute given[] = {{.id = PROGRAMMATIC, .value = {.number = 1}},
                         {.id = CLUSTER, .value = {.cluster = {2, 1, 1}}}};
    launch_config config = {.grid = {16, 1, 1}, .block = {32, 1, 1}};
    MUST(cuStreamCreateWithPriority(&stream, NON_BLOCKING, -2));
    config.stream = stream;
    MUST(cuStreamBeginCapture_v2(stream, 0));
    MUST(cuLaunchKernelEx(&config, function, parameters, NULL));
    config.attributes = given;
    config.attribute_count = 2;
    MUST(cuLaunchKernelEx(&config, function, parameters, NULL));
    MUST(cuStreamEndCapture(stream, &captured));
    MUST(cuGraphGetNodes(captured, nodes, &count));
    printf("%zu nodes: priorities %d %d, clusters %u %u\n", count, get(nodes[0], PRIORITY).number,
           get(nodes[1], PRIORITY).number, get(nodes[0], CLUSTER).cluster[0], get(nodes[1], CLUSTER).cluster[0]);
    MUST(cuGraphGetEdges_v2(captured, from, to, data, &edges));
    printf("%zu edge: port %d, type %d\n", edges, data[0].from_port, data[0].type);
}

/* Events that a launch records: another stream waits for them. */
static void record_events(void) {
    handle stream, other;
    unsigned n = 1, now;
    void *parameters[] = {&word, &n};
    attribute given[2] = {{.id = EVENT}, {.id = BEGIN_EVENT}}, updatable = {.id = UPDATABLE, .value = {.number = 1}};
    launch_config config = {.grid = {16, 1, 1}, .block = {32, 1, 1}, .attributes = given, .attribute_count = 2};
    for (int i = 0; i < 2; i++) MUST(cuEventCreate(&given[i].value.event, NO_TIMING));
    MUST(cuStreamCreate(&stream, NON_BLOCKING));
    MUST(cuStreamCreate(&other, NON_BLOCKING));
    config.stream = stream;
    MUST(cuLaunchKernelEx(&config, function, parameters, NULL));
    for (int i = 0; i < 2; i++) MUST(cuStreamWaitEvent(other, given[i].value.event, 0));
    MUST(cuMemsetD32Async(word, 5, 1, other));
    MUST(cuStreamSynchronize(other));
    MUST(cuStreamSynchronize(stream));
    MUST(cuMemcpyDtoH_v2(&now, word, sizeof now));
    config.attributes = &updatable;
    config.attribute_count = 1;
    printf("set behind the launch: %u, a node for kernels: %d\n", now,
           cuLaunchKernelEx(&config, function, parameters, NULL));
}

static void use_edges(void) {
    const edge_data programmatic = {PROGRAMMATIC_PORT, 0, PROGRAMMATIC_EDGE, {0}},
                    wrong = {0, 0, PROGRAMMATIC_EDGE, {0}};
    const fill_params zero = {.to = word, .element = 4, .width = 1, .height = 1};
    const handle first = add_kernel(graph, NULL, 1), second = add_kernel(graph, NULL, 2);
    handle fill, from[4], to[4], behind[4];
    edge_data data[4];
    size_t count = 4, more = 4;
    MUST(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &zero, NULL));
    MUST(cuGraphAddDependencies_v2(graph, &first, &second, &programmatic, 1));
    MUST(cuGraphAddDependencies_v2(graph, &fill, &first, NULL, 1));
    printf("from a fill: %d, without a port: %d, twice: %d\n",
           cuGraphAddDependencies_v2(graph, &fill, &second, &programmatic, 1),
           cuGraphAddDependencies_v2(graph, &first, &second, &wrong, 1),
           cuGraphAddDependencies_v2(graph, &first, &second, &programmatic, 1));
    MUST(cuGraphGetEdges_v2(graph, from, to, data, &count));
    MUST(cuGraphNodeGetDependencies_v2(second, behind, data, &more));
    printf("%zu edges, that of the second kernel: port %d, type %d\n", count, data[0].from_port, data[0].type);
    printf("without data: %d, their number: %d\n", cuGraphGetEdges(graph, from, to, &count),
           cuGraphGetEdges(graph, NULL, NULL, &count));
    printf("launched: %u\n", launch(instantiate()));
    printf("the plain one is not there: %d\n", cuGraphRemoveDependencies_v2(graph, &first, &second, NULL, 1));
    MUST(cuGraphRemoveDependencies_v2(graph, &first, &second, &programmatic, 1));
    MUST(cuGraphGetEdges(graph, from, to, &count));
    printf("removed: %zu left\n", count);
}

static void use_children(void) {
    handle inner, other, larger, node;
    MUST(cuGraphCreate(&inner, 0));
    MUST(cuGraphCreate(&other, 0));
    MUST(cuGraphCreate(&larger, 0));
    add_kernel(inner, NULL, 1);
    add_kernel(other, NULL, 10);
    add_kernel(larger, add_kernel(larger, NULL, 1), 1);
    MUST(cuGraphAddChildGraphNode(&node, graph, NULL, 0, inner));
    const handle executable = instantiate();
    const unsigned before = launch(executable);
    MUST(cuGraphExecChildGraphNodeSetParams(executable, node, other));
    printf("before %u, changed %u\n", before, launch(executable) - before);
    printf("more nodes: %d\n", cuGraphExecChildGraphNodeSetParams(executable, node, larger));
}

/* Before CUDA 12 the parameters of kernels had two members less. */
static void use_first_forms(void) {
    unsigned n = 1;
    struct {
        address word;
        unsigned n;
    } packed = {word, 5};
    size_t bytes = 12;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    handle node, failed, other;
    kernel_params p = adding(&n), is;
    int what = -1;
    p.kernel = p.context = (handle)1; /* are not looked at */
    MUST(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
    memset(&is, -1, sizeof is);
    MUST(cuGraphKernelNodeGetParams(node, &is));
    printf("function %d, grid %u, n %u, behind it %d\n", is.function == function, is.grid[0],
           *(unsigned *)is.parameters[1], is.kernel == (handle)-1);
    const handle executable = instantiate();
    printf("%u\n", launch(executable));
    n = 2;
    MUST(cuGraphExecKernelNodeSetParams(executable, node, &p));
    printf("%u\n", launch(executable));
    p.parameters = NULL;
    p.extra = extra;
    MUST(cuGraphKernelNodeSetParams(node, &p));
    MUST(cuGraphExecUpdate(executable, graph, &failed, &what));
    printf("%u, updated: %d\n", launch(executable), what);
    other = graph;
    MUST(cuGraphCreate(&graph, 0));
    printf("not updated: %d", cuGraphExecUpdate(executable, graph, &failed, &what));
    printf(", %d\n", what);
    graph = other;
}

/* A box between an array of int and memory. */
static void query_copies(void) {
    static const int channels[5] = {32, 0, 0, 0, 0}; /* of 32 bits, signed */
    int host[6] = {0};
    handle array, node;
    box_params is, p = {.from = {host, 12, 3, 2}, .to_at = {1, 0, 0}, .extent = {3, 2, 1}, .kind = 1};
    MUST(cudaMallocArray(&array, channels, 8, 4, 0));
    p.to_array = array;
    MUST(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
    MUST(cudaGraphMemcpyNodeGetParams(node, &is));
    printf("to the array: %d, at %zu, from the host: %d, pitch %zu, extent %zu %zu %zu, kind %d\n",
           is.to_array == array, is.to_at[0], is.from.at == host, is.from.pitch, is.extent[0], is.extent[1],
           is.extent[2], is.kind);
}

static void use_streams(void) {
    handle stream, other;
    int priority;
    value policy = {.number = BLOCKING_SYNC}, low = {.number = 7}, is;
    MUST(cuStreamCreateWithPriority(&stream, NON_BLOCKING, -100));
    MUST(cuStreamCreate(&other, NON_BLOCKING));
    MUST(cuStreamGetPriority(stream, &priority));
    MUST(cuStreamGetAttribute(stream, SYNCHRONIZATION, &is));
    printf("priority %d, policy %d\n", priority, is.number);
    MUST(cuStreamSetAttribute(stream, SYNCHRONIZATION, &policy));
    MUST(cuStreamCopyAttributes(other, stream));
    MUST(cuStreamGetAttribute(other, SYNCHRONIZATION, &is));
    MUST(cuStreamGetPriority(other, &priority));
    printf("copied: priority %d, policy %d\n", priority, is.number);
    MUST(cuStreamGetAttribute(stream, DOMAIN_MAP, &is));
    printf("domains %d %d, no policy: %d, of kernels: %d\n", is.domain_map[0], is.domain_map[1],
           cuStreamSetAttribute(stream, SYNCHRONIZATION, &low), cuStreamGetAttribute(stream, CLUSTER, &is));
}

int main(int count, char **values) {
    static const struct {
        const char *name;
        void (*run)(void);
    } tasks[] = {{"attributes", use_attributes}, {"captured", capture_attributes}, {"edges", use_edges},
                 {"events", record_events},      {"children", use_children},       {"forms", use_first_forms},
                 {"copies", query_copies},       {"streams", use_streams}};
    begin();
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (count > 1 && strcmp(values[1], tasks[i].name) == 0) tasks[i].run();
    return 0;
}
