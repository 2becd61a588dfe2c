/* A program that waits without a call of CUDA's, for what its argument names. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaStreamCreate(void **stream);
extern int cudaStreamSynchronize(void *stream);
extern int cudaStreamQuery(void *stream);
extern int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *data);
extern const char *cudaGetErrorName(int error);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

enum { NOT_READY = 600 };

/* raise: flag[0] = 1; answer: waits until flag[0] is 1, then flag[1] = 2 */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry raise(.param .u64 flag) {\n  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [flag];\n  st.volatile.u32 [%rd1], 1;\n  ret;\n}\n"
                          ".visible .entry answer(.param .u64 flag) {\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
                          "  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [flag];\nagain:\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  setp.ne.u32 %p1, %r1, 1;\n  @%p1 bra again;\n"
                          "  st.volatile.u32 [%rd1+4], 2;\n  ret;\n}\n";

static void *stream;
static volatile uint32_t *flag;

static void launch(const char *name) {
    static void *module;
    void *function, *address = (void *)(uintptr_t)flag, *parameters[] = {&address};
    if (!module && cuModuleLoadData(&module, ptx)) exit(3);
    if (cuModuleGetFunction(&function, module, name)) exit(4);
    if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL)) exit(5);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called;

static void tell(void *data) {
    pthread_mutex_lock(&lock);
    called = *(const int *)data;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until_told(void) {
    pthread_mutex_lock(&lock);
    while (!called) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void for_a_host_function(void) {
    static int seven = 7;
    launch("raise");
    cudaLaunchHostFunc(stream, tell, &seven);
    wait_until_told();
    printf("%d %u\n", called, flag[0]);
}

static void for_what_a_kernel_writes(void) {
    launch("raise");
    while (!flag[0]) continue;
    printf("%u\n", flag[0]);
}

static void for_an_answer(void) {
    launch("answer");
    flag[0] = 1;
    while (!flag[1]) continue;
    printf("%u\n", flag[1]);
}

/* The host function waits for the main thread, which makes calls meanwhile. */
static void meanwhile(void *unused) {
    (void)unused;
    wait_until_told();
}

static void for_another_thread(void) {
    static int one = 1;
    void *memory;
    cudaLaunchHostFunc(stream, meanwhile, NULL);
    const int before = cudaStreamQuery(stream) == NOT_READY;
    cudaMalloc(&memory, 1024);
    tell(&one);
    printf("%d %s\n", before, cudaGetErrorName(cudaStreamSynchronize(stream)));
}

static int answer_of_call;

static void call_within(void *memory) {
    answer_of_call = cudaMalloc(memory, 8);
}

static void calls_in_a_host_function(void) {
    void *memory;
    cudaLaunchHostFunc(stream, call_within, &memory);
    cudaStreamSynchronize(stream);
    puts(cudaGetErrorName(answer_of_call));
}

int main(int count, char **values) {
    void *host;
    const char *what = count > 1 ? values[1] : "";
    if (cudaMallocHost(&host, 8) || cudaStreamCreate(&stream)) return 2;
    flag = memset(host, 0, 8);
    if (!strcmp(what, "host-function")) for_a_host_function();
    if (!strcmp(what, "memory")) for_what_a_kernel_writes();
    if (!strcmp(what, "answer")) for_an_answer();
    if (!strcmp(what, "thread")) for_another_thread();
    if (!strcmp(what, "call")) calls_in_a_host_function();
    return 0;
}
