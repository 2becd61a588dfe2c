/* A program that uses all kinds of memory: what its argument names. Kernels are launched by the driver API. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pointer_attributes {
    int type, device;
    void *device_address, *host_address;
    long reserved[8];
} pointer_attributes;

typedef struct location {
    int type, id;
} location;

extern int cudaMalloc(void **address, size_t bytes);
extern int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
extern int cudaMallocHost(void **address, size_t bytes);
extern int cudaHostRegister(void *host, size_t bytes, unsigned flags);
extern int cudaHostUnregister(void *host);
extern int cudaHostGetFlags(unsigned *flags, void *host);
extern int cudaFree(void *address);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaPointerGetAttributes(pointer_attributes *attributes, const void *address);
extern int cudaMemAdvise(const void *address, size_t bytes, int advice, location l);
extern int cudaMemPrefetchAsync(const void *address, size_t bytes, location l, unsigned flags, void *stream);
extern int cudaMemRangeGetAttribute(void *data, size_t room, int attribute, const void *address, size_t bytes);
extern int cudaStreamAttachMemAsync(void *stream, void *address, size_t bytes, unsigned flags);
extern int cudaDeviceSynchronize(void);
extern const char *cudaGetErrorName(int error);
extern int cuModuleLoadData(void **module, const void *image);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuMemGetAddressRange_v2(uint64_t *first, size_t *bytes, uint64_t address);
extern int cuPointerGetAttribute(void *value, int attribute, uint64_t address);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra);

enum { COUNT = 64, TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, BY_ADDRESS = 4 };

/* out[i] = 2 in[i] */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry twice(.param .u64 out, .param .u64 in) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd1, [out];\n  ld.param.u64 %rd2, [in];\n  mov.u32 %r1, %tid.x;\n"
    "  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd1, %rd1, %rd3;\n  add.s64 %rd2, %rd2, %rd3;\n"
    "  ld.u32 %r2, [%rd2];\n  add.u32 %r2, %r2, %r2;\n  st.u32 [%rd1], %r2;\n  ret;\n}\n";

static int try_twice(void *out, void *in) {
    static void *module, *function;
    void *parameters[] = {&out, &in};
    if (!module &&
        (cudaDeviceSynchronize() || cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, "twice")))
        exit(3);
    const int result = cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, NULL, parameters, NULL);
    return result ? result : cudaDeviceSynchronize();
}

static void twice(void *out, void *in) {
    if (try_twice(out, in)) exit(4);
}

static uint32_t *numbers(uint32_t *to) {
    for (uint32_t i = 0; i < COUNT; i++) to[i] = i;
    return to;
}

enum { NOT_REGISTERED = 713 };

/* No copy is made: the kernel reads and writes what the host does. */
static int in_place(void) {
    void *managed, *pinned;
    uint32_t *registered = numbers(malloc(COUNT * sizeof(uint32_t)));
    cudaMallocManaged(&managed, COUNT * sizeof(uint32_t), 1);
    cudaMallocHost(&pinned, COUNT * sizeof(uint32_t));
    cudaHostRegister(registered, COUNT * sizeof(uint32_t), 2);
    twice(managed, registered);
    twice(pinned, managed);
    twice(registered, pinned);
    cudaDeviceSynchronize();
    printf("%u %u %u\n", ((uint32_t *)managed)[10], ((uint32_t *)pinned)[10], registered[10]);
    cudaHostUnregister(registered);
    if (cudaHostUnregister(registered) != NOT_REGISTERED) return 5; /* the context stays usable */
    free(registered);
    return cudaFree(managed);
}

static void describe(const char *what, const void *address, const void *host) {
    static const char *const types[] = {"not registered", "host", "device", "managed"};
    pointer_attributes p;
    cudaPointerGetAttributes(&p, address);
    printf("%s: %s, device %d%s%s\n", what, types[p.type], p.device, p.device_address == address ? ", for kernels" : "",
           p.host_address == host ? host ? ", for the host" : "" : ", elsewhere");
}

static int describe_all(void) {
    void *device, *managed, *pinned, *plain = malloc(64), *registered = malloc(4096);
    unsigned flags;
    uint64_t first, number;
    size_t bytes;
    cudaMalloc(&device, 1000);
    cudaMallocManaged(&managed, 1000, 1);
    cudaMallocHost(&pinned, 1000);
    cudaHostRegister(registered, 4096, 2);
    describe("device", (char *)device + 4, NULL);
    describe("managed", (char *)managed + 4, (char *)managed + 4);
    describe("pinned", (char *)pinned + 4, (char *)pinned + 4);
    describe("registered", (char *)registered + 4, (char *)registered + 4);
    describe("plain", plain, plain);
    cuMemGetAddressRange_v2(&first, &bytes, (uintptr_t)device + 4);
    printf("range: %s, %zu\n", first == (uintptr_t)device ? "from the start" : "elsewhere", bytes);
    cudaHostGetFlags(&flags, registered);
    printf("flags: %u; of managed memory: %s\n", flags, cudaGetErrorName(cudaHostGetFlags(&flags, managed)));
    printf("plain: %s\n", cudaGetErrorName(cuPointerGetAttribute(&number, 7, (uintptr_t)plain)));
    free(plain);
    return 0;
}

static int advise(void) {
    void *managed, *device;
    int values[3];
    cudaMalloc(&device, 64);
    cudaMallocManaged(&managed, 1 << 20, 1);
    cudaMemAdvise(managed, 1 << 20, 1, (location){1, 0});
    cudaMemAdvise(managed, 1 << 20, 3, (location){2, 0});
    cudaMemAdvise(managed, 1 << 20, 5, (location){1, 0});
    cudaMemPrefetchAsync(managed, 1 << 20, (location){1, 0}, 0, NULL);
    cudaMemRangeGetAttribute(values, 4, 1, managed, 1 << 20);
    cudaMemRangeGetAttribute(values + 1, 4, 2, managed, 1 << 20);
    cudaMemRangeGetAttribute(values + 2, 4, 4, managed, 1 << 20);
    printf("mostly read %d, preferred %d, prefetched to %d\n", values[0], values[1], values[2]);
    cudaMemRangeGetAttribute(values, sizeof values, 3, managed, 1 << 20);
    printf("used by %d %d %d\n", values[0], values[1], values[2]);
    printf("attached: %s\n", cudaGetErrorName(cudaStreamAttachMemAsync(NULL, managed, 0, 1)));
    printf("device memory: %s\n", cudaGetErrorName(cudaMemAdvise(device, 64, 1, (location){1, 0})));
    printf("too large: %s\n", cudaGetErrorName(cudaMemPrefetchAsync(managed, 2 << 20, (location){1, 0}, 0, NULL)));
    printf("no device: %s\n", cudaGetErrorName(cudaMemPrefetchAsync(managed, 64, (location){1, 7}, 0, NULL)));
    return 0;
}

/* Directions that are said to be others than they are. */
static int copy(void) {
    void *a, *b;
    uint32_t host[COUNT], other[COUNT];
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, numbers(host), sizeof host, BY_ADDRESS);
    cudaMemcpy(b, a, sizeof host, TO_DEVICE);
    cudaMemcpy(other, b, sizeof host, BY_ADDRESS);
    printf("%u\n", other[10]);
    printf("%s\n", cudaGetErrorName(cudaMemcpy(other, host, sizeof host, ON_DEVICE)));
    printf("%s\n", cudaGetErrorName(cudaMemcpy(other, host, sizeof host, 5)));
    return 0;
}

__attribute__((noinline)) static void touch_device_memory(volatile uint32_t *memory) {
    memory[4] = 1;
}

static int touch(void) {
    void *device;
    cudaMalloc(&device, 1024);
    printf("soon\n");
    fflush(stdout);
    touch_device_memory(device);
    return 0;
}

static int touch_in_library(void) {
    static char zeros[1024];
    void *device;
    cudaMalloc(&device, sizeof zeros);
    return memcpy(device, zeros, sizeof zeros) == NULL;
}

/* Memory is given in pieces of 512 bytes, from pages of 2 MiB. */
static int behind(void) {
    enum { WORDS = 25, LAST = WORDS - 1 };
    uint32_t words[COUNT], left[WORDS];
    void *in, *out;
    cudaMalloc(&in, sizeof left);
    cudaMalloc(&out, sizeof left);
    cudaMemcpy(in, numbers(words), sizeof left, TO_DEVICE);
    const int result = try_twice(out, in);
    cudaMemcpy(left, out, sizeof left, TO_HOST);
    printf("%d %u %s\n", (int)((uintptr_t)out - (uintptr_t)in), left[LAST], cudaGetErrorName(result));
    return 0;
}

static int far(void) {
    void *memory;
    cudaMalloc(&memory, COUNT * sizeof(uint32_t));
    puts(cudaGetErrorName(try_twice(memory, (void *)((uintptr_t)memory + (8u << 20)))));
    return 0;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(void);
    } tasks[] = {{"in-place", in_place}, {"describe", describe_all},
                 {"advise", advise},     {"copy", copy},
                 {"touch", touch},       {"touch-in-library", touch_in_library},
                 {"behind", behind},     {"far", far}};
    for (size_t i = 0; count > 1 && i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(arguments[1], tasks[i].name) == 0) return tasks[i].run();
    return 5;
}
