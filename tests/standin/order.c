/* A program whose streams, graph nodes and host code use the same memory. Its first argument names the case, its second
 * one is `ordered` or `unordered`. Each case differs only by what orders its two operations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
extern int cudaMallocAsync(void **address, size_t bytes, void *stream);
extern int cudaFree(void *address);
extern int cudaFreeAsync(void *address, void *stream);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
extern int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
extern int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaStreamCreateWithFlags(void **stream, unsigned flags);
extern int cudaStreamSynchronize(void *stream);
extern int cudaStreamQuery(void *stream);
extern int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
extern int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
extern int cudaEventCreate(void **event);
extern int cudaEventRecord(void *event, void *stream);
extern int cudaEventQuery(void *event);
extern int cudaDeviceSynchronize(void);
extern int cudaStreamBeginCapture(void *stream, int mode);
extern int cudaStreamEndCapture(void *stream, void **graph);
extern int cudaGraphCreate(void **graph, unsigned flags);
extern int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags);
extern int cudaGraphLaunch(void *executable, void *stream);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetGlobal_v2(void **address, size_t *bytes, void *module, const char *name);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

typedef struct attribute {
    int id, padding, value[16];
} attribute;
typedef struct launch_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    attribute *attributes;
    unsigned count;
} launch_config;
extern int cudaLaunchKernelExC(const launch_config *config, void *function, void **parameters);

typedef struct channels {
    int x, y, z, w, kind;
} channels;
extern int cudaMallocArray(void **array, const channels *format, size_t width, size_t height, unsigned flags);
extern int cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                    size_t height, int kind, void *stream);
extern int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, void *array, size_t x, size_t y, size_t width,
                                      size_t height, int kind, void *stream);

typedef struct kernel_node {
    void *function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra, *kernel, *context;
} kernel_node;
extern int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *behind, size_t count,
                                   const kernel_node *what);

/* cudaGraphNodeParams of a conditional node */
typedef struct condition_node {
    int type, reserved[3];
    unsigned long long handle;
    int kind;
    unsigned count;
    void **bodies;
    long long room[27];
} condition_node;
extern int cudaGraphConditionalHandleCreate(unsigned long long *handle, void *graph, unsigned value, unsigned flags);
extern int cudaGraphAddNode(void **node, void *graph, void *const *behind, const void *edges, size_t count,
                            condition_node *what);

enum { PAGE = 4096 };
enum { COUNT = 256, BYTES = COUNT * 4, TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, NON_BLOCKING = 1, CONDITION = 13 };
enum { PROGRAMMATIC = 6 };

/* out[i] = in[i] + 1; and adds one to the word at `out` in each thread */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry next(.param .u64 out, .param .u64 in) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd1, [out];\n  ld.param.u64 %rd2, [in];\n  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd1, %rd1, %rd3;\n  add.s64 %rd2, %rd2, %rd3;\n"
    "  ld.u32 %r2, [%rd2];\n  add.u32 %r2, %r2, 1;\n  st.u32 [%rd1], %r2;\n  ret;\n}\n"
    ".visible .entry count(.param .u64 out, .param .u64 in) {\n"
    "  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n  red.global.add.u32 [%rd1], 1;\n  ret;\n}\n";

/* first lets what depends on it start and then writes a word of `out`; early reads it at once, patient waits first. */
/* A kernel of which the first threads wait. */
#define FIRST_WAIT(name, count)                                                                               \
    ".visible .entry " name "(.param .u64 in) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  .reg .pred %p;\n" \
    "  ld.param.u64 %rd1, [in];\n  mov.u32 %r1, %tid.x;\n  setp.ge.u32 %p, %r1, " count ";\n  @%p bra M;\n"   \
    "  griddepcontrol.wait;\nM: ld.u32 %r1, [%rd1];\n  st.u32 [%rd1+4], %r1;\n  ret;\n}\n"

static const char dependents[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry first(.param .u64 out) {\n"
    "  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n  griddepcontrol.launch_dependents;\n"
    "  st.u32 [%rd1], 1;\n  ret;\n}\n"
    ".visible .entry early(.param .u64 in) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [in];\n"
    "  ld.u32 %r1, [%rd1];\n  st.u32 [%rd1+4], %r1;\n  ret;\n}\n"
    ".visible .entry patient(.param .u64 in) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [in];\n"
    "  griddepcontrol.wait;\n  ld.u32 %r1, [%rd1];\n  st.u32 [%rd1+4], %r1;\n  ret;\n}\n"
    ".visible .entry hasty(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n"
    "  griddepcontrol.launch_dependents;\n  st.u32 [%rd1+8], 1;\n  ret;\n}\n"
    ".visible .entry polite(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n"
    "  griddepcontrol.launch_dependents;\n  griddepcontrol.wait;\n  st.u32 [%rd1+8], 1;\n  ret;\n}\n"
    ".visible .entry eager(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n"
    "  st.u32 [%rd1], 2;\n  griddepcontrol.wait;\n  ret;\n}\n"
    ".visible .entry led(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n  setp.ne.u32 %p, %r1, 0;\n  @%p bra M;\n"
    "  griddepcontrol.wait;\nM: bar.sync 0;\n  st.u32 [%rd1], 2;\n  ret;\n}\n"
    ".visible .entry ahead(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [out];\n"
    "  ld.u32 %r1, [%rd1];\n  griddepcontrol.wait;\n  st.u32 [%rd1], %r1;\n  ret;\n}\n"
    ".visible .entry behind(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [out];\n"
    "  griddepcontrol.wait;\n  ld.u32 %r1, [%rd1];\n  st.u32 [%rd1], %r1;\n  ret;\n}\n" FIRST_WAIT("none", "0")
        FIRST_WAIT("one", "1");

static unsigned ordered;
static void *streams[2], *event, *next, *counter;
static char *a, *b, *pinned, *device_page, *page, *managed;
static volatile int seen;

static void must(int result, const char *what) {
    if (!result) return;
    fprintf(stderr, "%s gave %d\n", what, result);
    exit(3);
}
#define MUST(call) must(call, #call)

static void launch_kernel(void *kernel, void *to, void *from, void *stream) {
    void *parameters[] = {&to, &from};
    MUST(cuLaunchKernel(kernel, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL));
}

static void launch(void *to, void *from, void *stream) {
    launch_kernel(next, to, from, stream);
}

/* The second stream's next work comes after the first one's, if the case is ordered. */
static void order(void) {
    if (!ordered) return;
    MUST(cudaEventRecord(event, streams[0]));
    MUST(cudaStreamWaitEvent(streams[1], event, 0));
}

static void copy_and_kernel(void) {
    MUST(cudaMemcpyAsync(a, pinned, BYTES, TO_DEVICE, streams[0]));
    order();
    launch(b, a, streams[1]);
}

static void two_kernels(void) {
    launch(a, b, streams[0]);
    order();
    launch(b, a, streams[1]);
}

/* The order that the kernel behind the fill lacks would order what its stream does next as well. */
static void one_order_for_two(void) {
    MUST(cudaMemsetAsync(a, 1, BYTES, streams[0]));
    order();
    launch(b, a, streams[1]);
    MUST(cudaMemcpyAsync(pinned, a, BYTES, TO_HOST, streams[1]));
}

/* What the last of several operations lacks would order the earlier ones, too. */
static void one_order_behind_two(void) {
    MUST(cudaMemsetAsync(a, 1, BYTES, streams[0]));
    launch(a, b, streams[0]);
    order();
    MUST(cudaMemcpyAsync(pinned, a, BYTES, TO_HOST, streams[1]));
}

static const char constants[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 words[1024];\n"
    ".visible .entry pick(.param .u64 out, .param .u64 unused) {\n  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd1, [out];\n  mov.u32 %r2, %tid.x;\n  mad.wide.u32 %rd2, %r2, 4, %rd1;\n"
    "  ld.const.u32 %r1, [words+8];\n  st.global.u32 [%rd2], %r1;\n  ret;\n}\n";

/* The kernel reads one word of constant memory, which the other stream's copy changes, or copies next to. */
static void constant_memory(void) {
    void *module, *pick, *words;
    size_t bytes;
    MUST(cuModuleLoadData(&module, constants));
    MUST(cuModuleGetFunction(&pick, module, "pick"));
    MUST(cuModuleGetGlobal_v2(&words, &bytes, module, "words"));
    MUST(cudaMemsetAsync((char *)words + (ordered ? 12 : 8), 1, 4, streams[0]));
    launch_kernel(pick, a, NULL, streams[1]);
}

/* The two halves are no race, one byte of overlap is. */
static void halves(void) {
    MUST(cudaMemsetAsync(a, 1, BYTES / 2 + !ordered, streams[0]));
    MUST(cudaMemsetAsync(a + BYTES / 2, 2, BYTES / 2, streams[1]));
}

/* A copy within a buffer must not reach into its own source. */
static void shifted(void) {
    const size_t bytes = BYTES / 2 + !ordered;
    MUST(cudaMemset(a, 1, BYTES));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpyAsync(a + BYTES - bytes, a, bytes, ON_DEVICE, streams[0]));
}

/* A result that is copied back has to be computed first, or set. */
static void copy_of_unwritten(void) {
    char *result;
    MUST(cudaMalloc((void **)&result, BYTES));
    if (ordered) MUST(cudaMemsetAsync(result + BYTES / 2, 1, 1, streams[0]));
    MUST(cudaMemcpyAsync(pinned, result, BYTES, TO_HOST, streams[0]));
    MUST(cudaStreamSynchronize(streams[0]));
    MUST(cudaFree(result));
}

/* The program's own wait is an order, too. */
static void host_wait(void) {
    launch(a, b, streams[0]);
    if (ordered) MUST(cudaStreamSynchronize(streams[0]));
    launch(a, b, streams[1]);
}

/* So is asking until the work is done. */
static void ask_stream(void) {
    launch(a, b, streams[0]);
    while (ordered && cudaStreamQuery(streams[0])) continue;
    launch(a, b, streams[1]);
}

static void ask_event(void) {
    launch(a, b, streams[0]);
    MUST(cudaEventRecord(event, streams[0]));
    while (ordered && cudaEventQuery(event)) continue;
    launch(a, b, streams[1]);
}

/* cudaMemset() does not wait, and streams that do not block take no notice of the default stream. */
static void default_stream(void) {
    void *blocking;
    MUST(cudaStreamCreateWithFlags(&blocking, 0));
    MUST(cudaMemset(a, 1, BYTES));
    launch(b, a, ordered ? blocking : streams[1]);
}

/* Work on the default stream, on any memory, comes behind what streams that take notice of it have had, and before what
 * they get later. An allocation is no work, though it may wait on a GPU. */
static void default_between(void) {
    void *blocking[2], *more;
    for (int i = 0; i < 2; i++) MUST(cudaStreamCreateWithFlags(&blocking[i], 0));
    launch(a, b, blocking[0]);
    if (ordered) MUST(cudaMemset(device_page, 1, 1));
    MUST(cudaMalloc(&more, BYTES));
    launch(b, a, blocking[1]);
    MUST(cudaFree(more));
}

/* An event that was recorded too early orders nothing. */
static void early_event(void) {
    if (!ordered) MUST(cudaEventRecord(event, streams[0]));
    launch(a, b, streams[0]);
    if (ordered) MUST(cudaEventRecord(event, streams[0]));
    MUST(cudaStreamWaitEvent(streams[1], event, 0));
    MUST(cudaMemcpyAsync(pinned, a, BYTES, TO_HOST, streams[1]));
}

static void release(void) {
    void *pooled;
    MUST(cudaMallocAsync(&pooled, BYTES, streams[1]));
    MUST(cudaMemsetAsync(pooled, 0, BYTES, streams[1]));
    MUST(cudaStreamSynchronize(streams[1]));
    launch(a, pooled, streams[0]);
    order();
    MUST(cudaFreeAsync(pooled, streams[1]));
}

/* cudaFree() does not wait for uses of a pool's memory. */
static void release_at_once(void) {
    void *pooled;
    MUST(cudaMallocAsync(&pooled, BYTES, streams[0]));
    MUST(cudaMemsetAsync(pooled, 0, BYTES, streams[0]));
    if (ordered) MUST(cudaStreamSynchronize(streams[0]));
    MUST(cudaFree(pooled));
}

/* For other memory it does, on all streams. */
static void release_after_wait(void) {
    void *own;
    MUST(cudaMalloc(&own, BYTES));
    MUST(cudaMemsetAsync(own, 0, BYTES, streams[0]));
    MUST(cudaFree(own));
}

/* Memory that a pool gives out again is new, whatever stream had it before. */
static void reuse(void) {
    void *pooled;
    for (int i = 0; i < 2; i++) {
        MUST(cudaMallocAsync(&pooled, BYTES, streams[i]));
        MUST(cudaMemsetAsync(pooled, 0, BYTES, streams[i]));
        MUST(cudaFreeAsync(pooled, streams[i]));
        usleep(50000); /* haul does the work meanwhile */
    }
}

/* The memory is the first stream's until that one's work has come so far. */
static void allocate(void) {
    void *pooled;
    MUST(cudaMallocAsync(&pooled, BYTES, streams[0]));
    order();
    MUST(cudaMemsetAsync(pooled, 0, BYTES, streams[1]));
    MUST(cudaFreeAsync(pooled, streams[1]));
}

static void launch_dependent(void *kernel, int is_programmatic) {
    attribute early = {.id = PROGRAMMATIC, .value = {is_programmatic}};
    void *parameters[] = {&a};
    launch_config config = {{1, 1, 1}, {1, 1, 1}, 0, streams[0], &early, 1};
    MUST(cudaLaunchKernelExC(&config, kernel, parameters));
}

static void launch_behind_first(const char *kernel) {
    void *module, *first, *second;
    MUST(cuModuleLoadData(&module, dependents));
    MUST(cuModuleGetFunction(&first, module, "first"));
    MUST(cuModuleGetFunction(&second, module, kernel));
    launch_dependent(first, 0);
    launch_dependent(second, 1);
}

/* Launches of one stream that may overlap: the later kernel has to wait for the earlier one. */
static void dependent(void) {
    launch_behind_first(ordered ? "patient" : "early");
}

/* Until its wait, the later kernel may run beside the earlier one. A barrier can put threads behind the wait of another
 * thread. */
static void dependent_start(void) {
    launch_behind_first(ordered ? "led" : "eager");
}

/* The later kernel reads before its wait what it writes again behind that. */
static void dependent_in_place(void) {
    launch_behind_first(ordered ? "behind" : "ahead");
}

/* Threads that go round the wait have not waited. */
static void dependent_bypass(void) {
    launch_behind_first(ordered ? "one" : "none");
}

/* A launch between the two uses other memory, but must wait all the same: the last one waits for that launch only. */
static void dependent_chain(void) {
    void *module, *first, *between, *patient;
    MUST(cuModuleLoadData(&module, dependents));
    MUST(cuModuleGetFunction(&first, module, "first"));
    MUST(cuModuleGetFunction(&between, module, ordered ? "polite" : "hasty"));
    MUST(cuModuleGetFunction(&patient, module, "patient"));
    launch_dependent(first, 0);
    launch_dependent(between, 1);
    launch_dependent(patient, 1);
}

/* The last launch is an ordinary one: it comes after all that the stream has. */
static void dependent_chain_ends(void) {
    void *module, *first, *hasty, *early;
    MUST(cuModuleLoadData(&module, dependents));
    MUST(cuModuleGetFunction(&first, module, "first"));
    MUST(cuModuleGetFunction(&hasty, module, "hasty"));
    MUST(cuModuleGetFunction(&early, module, "early"));
    launch_dependent(first, 0);
    launch_dependent(hasty, 1);
    launch_dependent(early, 0);
}

/* Not without the attribute, and not if the program waits between the two. */
static void dependent_in_turn(void) {
    void *module, *first, *early;
    MUST(cuModuleLoadData(&module, dependents));
    MUST(cuModuleGetFunction(&first, module, "first"));
    MUST(cuModuleGetFunction(&early, module, "early"));
    launch_dependent(first, 0);
    launch_dependent(early, 0);
    launch_dependent(first, 0);
    MUST(cudaStreamSynchronize(streams[0]));
    launch_dependent(early, 1);
}

static void graph(void) {
    void *g, *executable, *nodes[2], *to = a, *from = b;
    void *first[] = {&to, &from}, *second[] = {&from, &to};
    kernel_node what = {.function = next, .grid = {1, 1, 1}, .block = {COUNT, 1, 1}, .parameters = first};
    MUST(cudaGraphCreate(&g, 0));
    MUST(cuGraphAddKernelNode_v2(&nodes[0], g, NULL, 0, &what));
    what.parameters = second;
    MUST(cuGraphAddKernelNode_v2(&nodes[1], g, nodes, ordered, &what));
    MUST(cudaGraphInstantiate(&executable, g, 0));
    MUST(cudaGraphLaunch(executable, streams[0]));
    MUST(cudaGraphLaunch(executable, streams[1]));
}

/* A kernel in a graph reads what the graph's own memory holds: before it is freed, or behind that. */
static void graph_memory(void) {
    void *g, *executable, *own;
    MUST(cudaStreamBeginCapture(streams[0], 0));
    MUST(cudaMallocAsync(&own, BYTES, streams[0]));
    MUST(cudaMemsetAsync(own, 1, BYTES, streams[0]));
    if (!ordered) MUST(cudaFreeAsync(own, streams[0]));
    launch(a, own, streams[0]);
    if (ordered) MUST(cudaFreeAsync(own, streams[0]));
    MUST(cudaStreamEndCapture(streams[0], &g));
    MUST(cudaGraphInstantiate(&executable, g, 0));
    for (int k = 0; k < 2; k++) MUST(cudaGraphLaunch(executable, streams[0]));
}

/* A copy into an array, and one of its lower right quarter. */
static void array_copies(void) {
    void *array;
    const channels bytes = {8, 0, 0, 0, 1};
    MUST(cudaMallocArray(&array, &bytes, 32, 32, 0));
    MUST(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 32, 32, 32, TO_DEVICE, streams[0]));
    order();
    MUST(cudaMemcpy2DFromArrayAsync(a, 16, array, 16, 16, 16, 16, ON_DEVICE, streams[1]));
}

/* Quarters side by side are no race, one column of overlap is. */
static void array_parts(void) {
    void *array;
    const channels bytes = {8, 0, 0, 0, 1};
    MUST(cudaMallocArray(&array, &bytes, 32, 32, 0));
    MUST(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 32, 16u + !ordered, 32, TO_DEVICE, streams[0]));
    MUST(cudaMemcpy2DToArrayAsync(array, 16, 0, pinned, 32, 16, 32, TO_DEVICE, streams[1]));
}

/* The kernel of a conditional node's graph runs in the stream that launches the graph. */
static void conditional(void) {
    void *g, *body, *executable, *node, *to = a, *from = b, *parameters[] = {&to, &from};
    const kernel_node what = {.function = next, .grid = {1, 1, 1}, .block = {COUNT, 1, 1}, .parameters = parameters};
    condition_node condition = {.type = CONDITION, .count = 1};
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphConditionalHandleCreate(&condition.handle, g, 1, 1));
    MUST(cudaGraphAddNode(&node, g, NULL, NULL, 0, &condition));
    body = condition.bodies[0];
    MUST(cuGraphAddKernelNode_v2(&node, body, NULL, 0, &what));
    MUST(cudaGraphInstantiate(&executable, g, 0));
    MUST(cudaGraphLaunch(executable, streams[0]));
    order();
    launch(b, a, streams[1]);
}

/* Atomic operations need no order among themselves. */
static void atomics(void) {
    launch_kernel(counter, a, NULL, streams[0]);
    if (ordered)
        launch_kernel(counter, a, NULL, streams[1]);
    else
        launch(b, a, streams[1]);
}

/* ---- host code ---- */

static void read_result(void) {
    MUST(cudaMemcpyAsync(page, device_page, PAGE, TO_HOST, streams[0]));
    if (ordered) MUST(cudaStreamSynchronize(streams[0]));
    seen += page[17];
}

static void refill_source(void) {
    MUST(cudaMemcpyAsync(device_page, page, PAGE, TO_DEVICE, streams[0]));
    seen += page[17]; /* reading it is right */
    if (ordered) MUST(cudaStreamSynchronize(streams[0]));
    memset(page, 2, PAGE);
}

/* The kernel is launched into the default stream, the program does not wait for it. */
static void read_managed(void) {
    launch_kernel(next, managed, managed, NULL);
    if (ordered) MUST(cudaDeviceSynchronize());
    seen += managed[17];
}

static void write_managed(void) {
    launch_kernel(next, b, managed, streams[0]);
    if (ordered) MUST(cudaStreamSynchronize(streams[0]));
    managed[17] = 1;
}

/* The kernel has used the end of one allocation and the start of the next. Legacy work is done at once. */
static void write_behind(void) {
    char *front, *behind;
    MUST(cudaMallocManaged((void **)&front, PAGE, 1));
    MUST(cudaMallocManaged((void **)&behind, PAGE, 1));
    memset(behind, 1, PAGE);
    launch_kernel(next, front + PAGE - BYTES, behind, NULL);
    if (ordered) MUST(cudaDeviceSynchronize());
    behind[17] = 9;
    MUST(cudaDeviceSynchronize());
}

/* cudaMemset() of memory that the host uses, too, is over when the call returns; cudaMemsetAsync() is not. */
static void fill_pinned(void) {
    MUST(ordered ? cudaMemset(page, 3, PAGE) : cudaMemsetAsync(page, 3, PAGE, NULL));
    page[17] = 1;
}

static void fill_managed(void) {
    MUST(ordered ? cudaMemset(managed, 3, BYTES) : cudaMemsetAsync(managed, 3, BYTES, NULL));
    seen += managed[17];
}

static void fill_rectangle(void) {
    MUST(ordered ? cudaMemset2D(page, PAGE / 2, 3, 32, 2) : cudaMemset2DAsync(page, PAGE / 2, 3, 32, 2, NULL));
    page[17] = 1;
}

/* The kernel uses the third quarter of a page; the program meanwhile uses the first, or the same. */
static void read_quarters(void) {
    char *quarters;
    MUST(cudaMallocManaged((void **)&quarters, PAGE, 1));
    memset(quarters, 1, PAGE);
    launch_kernel(next, quarters + PAGE / 2, quarters + PAGE / 2, streams[0]);
    seen += quarters[ordered ? 17 : PAGE / 2 + 17];
}

/* The kernel has read the third quarter of a pinned page; the program writes the first, or the same. Legacy work is
 * done at once. */
static void write_quarters(void) {
    launch_kernel(next, b, page + PAGE / 2, NULL);
    page[ordered ? 17 : PAGE / 2 + 17] = 9;
    MUST(cudaDeviceSynchronize());
}

static void take_result(void *data) {
    (void)data;
    seen += page[17];
}

/* A stream's host function takes the result of another stream's copy. */
static void host_function(void) {
    MUST(cudaMemcpyAsync(page, device_page, PAGE, TO_HOST, streams[0]));
    order();
    MUST(cudaLaunchHostFunc(streams[1], take_result, NULL));
    MUST(cudaStreamSynchronize(streams[1]));
}

static void fill_source(void *data) {
    (void)data;
    memset(page, 3, PAGE);
}

/* A host function fills what another stream's copy reads. A later copy of its own stream is in order. */
static void host_function_of_source(void) {
    MUST(cudaMemcpyAsync(device_page, page, PAGE, TO_DEVICE, streams[0]));
    order();
    MUST(cudaLaunchHostFunc(streams[1], fill_source, NULL));
    MUST(cudaMemcpyAsync(b, page, BYTES, TO_DEVICE, streams[1]));
    MUST(cudaStreamSynchronize(streams[1]));
}

/* The kernel uses the second page of the allocation only. */
static void read_pages(void) {
    char *pages;
    MUST(cudaMallocManaged((void **)&pages, (size_t)2 * PAGE, 1));
    memset(pages, 1, (size_t)2 * PAGE);
    launch_kernel(next, pages + PAGE, pages + PAGE, streams[0]);
    seen += pages[17];
    if (ordered) MUST(cudaDeviceSynchronize());
    seen += pages[PAGE + 17];
}

/* The second launch reads what the first one has written, or what nobody has. */
static void fresh(void) {
    char *c;
    MUST(cudaMalloc((void **)&c, 2 * BYTES));
    launch(c, a, streams[0]);
    launch(b, ordered ? c : c + BYTES, streams[0]);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"fresh", fresh},
             {"copy", copy_and_kernel},
             {"kernels", two_kernels},
             {"one-order-for-two", one_order_for_two},
             {"one-order-behind-two", one_order_behind_two},
             {"constant-memory", constant_memory},
             {"halves", halves},
             {"shifted", shifted},
             {"unwritten", copy_of_unwritten},
             {"wait", host_wait},
             {"ask-stream", ask_stream},
             {"ask-event", ask_event},
             {"default-stream", default_stream},
             {"default-between", default_between},
             {"event", early_event},
             {"release", release},
             {"release-at-once", release_at_once},
             {"release-after-wait", release_after_wait},
             {"allocate", allocate},
             {"dependent", dependent},
             {"dependent-start", dependent_start},
             {"dependent-in-place", dependent_in_place},
             {"dependent-bypass", dependent_bypass},
             {"dependent-in-turn", dependent_in_turn},
             {"dependent-chain", dependent_chain},
             {"dependent-chain-ends", dependent_chain_ends},
             {"graph", graph},
             {"graph-memory", graph_memory},
             {"array", array_copies},
             {"array-parts", array_parts},
             {"condition", conditional},
             {"reuse", reuse},
             {"atomics", atomics},
             {"result", read_result},
             {"source", refill_source},
             {"managed", read_managed},
             {"managed-late", write_managed},
             {"managed-behind", write_behind},
             {"fill-pinned", fill_pinned},
             {"fill-managed", fill_managed},
             {"fill-rectangle", fill_rectangle},
             {"managed-pages", read_pages},
             {"managed-quarters", read_quarters},
             {"pinned-quarters", write_quarters},
             {"host-function", host_function},
             {"host-function-source", host_function_of_source}};

int main(int argc, char **argv) {
    void *module;
    if (argc != 3) return 2;
    ordered = !strcmp(argv[2], "ordered");
    for (int i = 0; i < 2; i++) MUST(cudaStreamCreateWithFlags(&streams[i], NON_BLOCKING));
    MUST(cudaEventCreate(&event));
    MUST(cudaMalloc((void **)&a, BYTES));
    MUST(cudaMalloc((void **)&b, BYTES));
    MUST(cudaMallocHost((void **)&pinned, BYTES));
    MUST(cudaMalloc((void **)&device_page, PAGE));
    MUST(cudaMallocHost((void **)&page, PAGE));
    MUST(cudaMallocManaged((void **)&managed, BYTES, 1));
    memset(pinned, 1, BYTES);
    memset(page, 1, PAGE);
    memset(managed, 1, BYTES);
    MUST(cudaMemset(device_page, 0, PAGE));
    MUST(cudaMemset(a, 0, BYTES));
    MUST(cudaMemset(b, 0, BYTES));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&next, module, "next"));
    MUST(cuModuleGetFunction(&counter, module, "count"));
    MUST(cudaDeviceSynchronize());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, argv[1])) cases[i].run();
    MUST(cudaDeviceSynchronize());
    return 0;
}
