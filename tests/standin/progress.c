/* A program that waits without a call of CUDA's, for what its argument names. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaDeviceSynchronize(void);
extern int cudaSetDevice(int device);
extern int cudaStreamCreate(void **stream);
extern int cudaStreamCreateWithFlags(void **stream, unsigned flags);
extern int cudaStreamDestroy(void *stream);
extern int cudaStreamSynchronize(void *stream);
extern int cudaStreamQuery(void *stream);
extern int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *data);
extern const char *cudaGetErrorName(int error);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

enum { NOT_READY = 600, NON_BLOCKING = 1, TO_HOST = 2 };

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

static void *module; /* of the current device */

static void launch_into(const char *name, void *into) {
    void *function, *address = (void *)(uintptr_t)flag, *parameters[] = {&address};
    if (!module && cuModuleLoadData(&module, ptx)) exit(3);
    if (cuModuleGetFunction(&function, module, name)) exit(4);
    if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, into, parameters, NULL)) exit(5);
}

static void launch(const char *name) {
    launch_into(name, stream);
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

/* ---- kernels that wait for the host, which goes on calling CUDA ---- */

static void on_the_default_stream(void) {
    launch_into("answer", NULL);
    const int before = cudaStreamQuery(NULL) == NOT_READY;
    flag[0] = 1;
    const int result = cudaDeviceSynchronize();
    printf("%d %s %u\n", before, cudaGetErrorName(result), flag[1]);
}

/* Work behind the kernel waits for it, in the default stream and in others. */
static void in_order(void) {
    void *device, *host, *other;
    if (cudaMalloc(&device, 8) || cudaMallocHost(&host, 8) || cudaStreamCreate(&other)) exit(6);
    memset(host, 9, 8);
    launch_into("answer", NULL);
    cudaMemcpyAsync(host, (const void *)(uintptr_t)flag, 8, TO_HOST, NULL);
    launch_into("raise", other);
    const unsigned before = *(volatile unsigned char *)host;
    flag[0] = 1;
    const int result = cudaStreamSynchronize(other);
    printf("%u %s %u %u\n", before, cudaGetErrorName(result), ((unsigned *)host)[0], ((unsigned *)host)[1]);
}

static void while_calls_go_on(void) {
    void *memory;
    launch("answer");
    for (int k = 0; k < 50; k++) {
        usleep(1000);
        if (cudaMalloc(&memory, 64)) exit(7);
    }
    flag[0] = 1;
    const int result = cudaStreamSynchronize(stream);
    printf("%s %u\n", cudaGetErrorName(result), flag[1]);
}

static void for_a_kernel_of_another_stream(void) {
    void *other;
    if (cudaStreamCreateWithFlags(&other, NON_BLOCKING)) exit(8);
    launch_into("answer", NULL);
    launch_into("raise", other);
    const int result = cudaDeviceSynchronize();
    printf("%s %u\n", cudaGetErrorName(result), flag[1]);
}

static void for_a_kernel_of_another_device(void) {
    launch_into("answer", NULL);
    module = NULL;
    if (cudaSetDevice(1)) exit(9);
    launch_into("raise", NULL);
    cudaSetDevice(0);
    const int result = cudaDeviceSynchronize();
    printf("%s %u\n", cudaGetErrorName(result), flag[1]);
}

static void *set_later(void *unused) {
    usleep(100000);
    flag[0] = 1;
    return unused;
}

static void for_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set_later, NULL);
    launch_into("answer", NULL);
    const int result = cudaDeviceSynchronize();
    printf("%s %u\n", cudaGetErrorName(result), flag[1]);
    pthread_join(thread, NULL);
}

static void in_a_stream_that_is_destroyed(void) {
    launch("answer");
    const int destroyed = cudaStreamDestroy(stream);
    flag[0] = 1;
    while (!flag[1]) continue;
    printf("%s %u\n", cudaGetErrorName(destroyed), flag[1]);
}

static void for_nobody(void) {
    launch_into("answer", NULL);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"host-function", for_a_host_function},
             {"memory", for_what_a_kernel_writes},
             {"answer", for_an_answer},
             {"thread", for_another_thread},
             {"call", calls_in_a_host_function},
             {"default-stream", on_the_default_stream},
             {"order", in_order},
             {"calls", while_calls_go_on},
             {"other-stream", for_a_kernel_of_another_stream},
             {"other-device", for_a_kernel_of_another_device},
             {"host-thread", for_a_thread},
             {"destroyed", in_a_stream_that_is_destroyed},
             {"nobody", for_nobody}};

int main(int count, char **values) {
    void *host;
    const char *what = count > 1 ? values[1] : "";
    if (cudaMallocHost(&host, 8) || cudaStreamCreate(&stream)) return 2;
    flag = memset(host, 0, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(what, cases[i].name)) cases[i].run();
    return 0;
}
