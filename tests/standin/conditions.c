/* A program with graphs whose nodes are added by cudaGraphAddNode(), conditional ones among them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct node_params {
    int type, reserved[3];
    union {
        long long room[29];
        struct {
            void *kernel;
            unsigned grid[3], block[3], shared_bytes;
            void **parameters, **extra;
        } kernel;
        struct {
            void *to;
            size_t pitch;
            unsigned value, element;
            size_t width, height;
        } fill;
        struct {
            unsigned long long handle;
            int kind;
            unsigned count;
            void **bodies;
        } condition;
    };
    long long reserved_behind;
} node_params;

extern int cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count);
extern int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMemset(void *address, int value, size_t bytes);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemsetAsync(void *address, int value, size_t bytes, void *stream);
extern int cudaStreamCreate(void **stream);
extern int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *behind, const void *data, size_t count,
                                         int mode);
extern int cudaStreamEndCapture(void *stream, void **graph);
extern int cudaGraphCreate(void **graph, unsigned flags);
extern int cudaGraphDestroy(void *graph);
extern int cudaGraphConditionalHandleCreate(unsigned long long *handle, void *graph, unsigned value, unsigned flags);
extern int cudaGraphAddNode(void **node, void *graph, void *const *behind, const void *data, size_t count,
                            node_params *what);
extern int cudaGraphInstantiate(void **executable, void *graph, unsigned long long flags);
extern int cudaGraphExecNodeSetParams(void *executable, void *node, node_params *what);
extern int cudaGraphExecDestroy(void *executable);
extern int cudaGraphLaunch(void *executable, void *stream);
extern int cudaDeviceSynchronize(void);
extern const char *cudaGetErrorName(int error);

enum { KERNEL = 0, FILL = 2, CONDITION = 13, IF = 0, WHILE = 1, CHOICE = 2, AT_LAUNCH = 1, TO_HOST = 2 };

/* count: adds one to the word, and goes on while it is below `end`; add: adds `by`; choose: the value is the word */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
#define SET                                                                                               \
    "  { .param .b64 h; .param .b32 v;\n  st.param.b64 [h], %rd2;\n  st.param.b32 [v], %r2;\n  call.uni " \
    "cudaGraphSetConditional, (h, v);\n  }\n  ret;\n}\n"
#define BEGIN(name)                                                                                               \
    ".visible .entry " name "(.param .u64 word, .param .u64 handle, .param .u32 number) {\n  .reg .b64 %rd<3>;\n" \
    "  .reg .b32 %r<4>;\n  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [word];\n  ld.param.u64 %rd2, [handle];\n"     \
    "  ld.param.u32 %r3, [number];\n  ld.global.u32 %r1, [%rd1];\n"
    BEGIN("count") "  add.u32 %r1, %r1, 1;\n  st.global.u32 [%rd1], %r1;\n  setp.lt.u32 %p1, %r1, %r3;\n"
                   "  selp.u32 %r2, 1, 0, %p1;\n" SET
                       BEGIN("add") "  add.u32 %r1, %r1, %r3;\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n" BEGIN(
                           "choose") "  mov.u32 %r2, %r1;\n" SET;

static void must(const char *what, int result) {
    if (!result) return;
    printf("%s: %s\n", what, cudaGetErrorName(result));
    exit(1);
}

static void *library, *word, *graph, *executable;
static unsigned long long handle;

static void begin(unsigned value, unsigned flags) {
    must("library", cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    must("memory", cudaMalloc(&word, 8));
    must("fill", cudaMemset(word, 0, 8));
    must("graph", cudaGraphCreate(&graph, 0));
    must("handle", cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
}

static void describe_kernel(node_params *p, const char *name, void *to, unsigned *number) {
    static void *parameters[3], *address;
    static unsigned value;
    address = to;
    value = *number;
    *p = (node_params){.type = KERNEL, .kernel = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = parameters}};
    parameters[0] = &address, parameters[1] = &handle, parameters[2] = &value;
    must("kernel", cudaLibraryGetKernel(&p->kernel.kernel, library, name));
}

static void *add_kernel(void *to_graph, void *behind, const char *name, unsigned number) {
    node_params p;
    void *node;
    describe_kernel(&p, name, word, &number);
    must("kernel node", cudaGraphAddNode(&node, to_graph, &behind, NULL, behind != NULL, &p));
    return node;
}

static void **add_condition(void *to_graph, void *behind, int kind, unsigned count) {
    node_params p = {.type = CONDITION, .condition = {handle, kind, count, NULL}};
    void *node;
    must("condition", cudaGraphAddNode(&node, to_graph, &behind, NULL, behind != NULL, &p));
    return p.condition.bodies;
}

static unsigned launch(void) {
    unsigned value;
    must("launch", cudaGraphLaunch(executable, NULL));
    must("wait", cudaDeviceSynchronize());
    must("copy", cudaMemcpy(&value, word, 4, TO_HOST));
    return value;
}

/* The second launch begins with 10, counts once, and ends. */
static void count_to_ten(void) {
    begin(1, AT_LAUNCH);
    void **bodies = add_condition(graph, NULL, WHILE, 1);
    add_kernel(bodies[0], NULL, "count", 10);
    must("executable", cudaGraphInstantiate(&executable, graph, 0));
    const unsigned first = launch();
    printf("%u %u\n", first, launch());
    must("end", cudaGraphExecDestroy(executable) | cudaGraphDestroy(graph));
}

/* Behind each choice comes another node. */
static void choose(void) {
    begin(0, 0);
    void *first = add_kernel(graph, NULL, "choose", 0);
    void **bodies = add_condition(graph, first, CHOICE, 3);
    for (unsigned k = 0; k < 3; k++) add_kernel(bodies[k], NULL, "add", k + 1);
    must("executable", cudaGraphInstantiate(&executable, graph, 0));
    for (int k = 0; k < 4; k++) printf("%u ", launch());
    puts("");
}

/* 5 rounds of a loop within the branch that is taken; the other branch was captured. */
static void nest(void) {
    void *stream;
    begin(1, AT_LAUNCH);
    void **branches = add_condition(graph, NULL, IF, 2);
    void **bodies = add_condition(branches[0], NULL, WHILE, 1);
    add_kernel(bodies[0], NULL, "count", 5);
    must("stream", cudaStreamCreate(&stream));
    must("capture", cudaStreamBeginCaptureToGraph(stream, branches[1], NULL, NULL, 0, 0));
    must("captured fill", cudaMemsetAsync(word, 1, 4, stream));
    must("end of capture", cudaStreamEndCapture(stream, NULL));
    must("executable", cudaGraphInstantiate(&executable, graph, 0));
    printf("%u\n", launch());
}

static void change(void) {
    node_params p = {.type = FILL};
    void *node;
    unsigned number = 30;
    begin(0, 0);
    p.fill.to = word, p.fill.value = 7, p.fill.element = 4, p.fill.width = 1, p.fill.height = 1;
    must("fill node", cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    void *kernel = add_kernel(graph, node, "add", 20);
    must("executable", cudaGraphInstantiate(&executable, graph, 0));
    const unsigned first = launch();
    p.fill.value = 8;
    must("change", cudaGraphExecNodeSetParams(executable, node, &p));
    describe_kernel(&p, "add", word, &number);
    must("change", cudaGraphExecNodeSetParams(executable, kernel, &p));
    printf("%u %u\n", first, launch());
}

static void refuse(void) {
    begin(0, 0);
    node_params p = {.type = CONDITION, .condition = {handle, WHILE, 2, NULL}};
    void *node;
    const int too_many = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p);
    p.condition.handle = 4711, p.condition.count = 1;
    const int unknown = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p);
    p.type = 9;
    const int kind = cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p);
    printf("%s %s %s\n", cudaGetErrorName(too_many), cudaGetErrorName(unknown), cudaGetErrorName(kind));
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"while", count_to_ten}, {"choice", choose}, {"nested", nest}, {"change", change}, {"refused", refuse}};
    for (size_t i = 0; count > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(words[1], cases[i].name)) cases[i].run();
    return 0;
}
