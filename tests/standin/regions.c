/* A program with a suballocator that describes its heap by NVTX, as NVTX's headers do it. Its kernel writes a byte for
 * each thread. The first argument names what is wrong; none: nothing. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

extern int cudaMalloc(void **address, size_t bytes);
extern int cudaFree(void *address);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaDeviceSynchronize(void);
extern int cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count);
extern int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
extern int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fill(.param .u64 to) {\n"
    "  .reg .b64 %rd<4>;\n  .reg .b32 %r<2>;\n  ld.param.u64 %rd0, [to];\n  mov.u32 %r0, %tid.x;\n"
    "  cvt.u64.u32 %rd1, %r0;\n  add.u64 %rd2, %rd0, %rd1;\n  st.global.u8 [%rd2], %r0;\n  ret;\n}\n";

enum { HEAP = 4096, REGION = 63, SLOTS = 63 };
enum { HEAP_REGISTER, HEAP_UNREGISTER, HEAP_RESET, REGISTER, RESIZE, UNREGISTER, PERMIT = 7 };
enum { ADDRESSES = 1, SUBALLOCATOR = 1, READ = 1, WRITE = 2, ATOMIC = 4 };

static intptr_t functions[SLOTS];
static void *fill;

typedef struct address_range {
    size_t bytes;
    void *first;
} address_range;

/* The first call loads the listener, which puts its functions into the table. */
static int start_nvtx(void) {
    struct {
        size_t number, count;
        intptr_t *functions;
    } segment = {1, SLOTS, functions};
    struct {
        uint16_t version, size, module, compatibility;
        size_t segments;
        void *segment;
        void *export, *info;
    } module = {3, sizeof module, 1, 0x102, 1, &segment, NULL, NULL};
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    int (*start)(void *) = (int (*)(void *))(uintptr_t)dlsym(library, "InitializeInjectionNvtxExtension");
    return start && start(&module);
}

static void *register_heap(void *at) {
    address_range range = {HEAP, at};
    struct {
        uint16_t version, size;
        uint32_t reserved, usage, type;
        size_t bytes;
        void *range;
    } heap = {0x102, sizeof heap, 0, SUBALLOCATOR, ADDRESSES, sizeof range, &range};
    return ((void *(*)(void *, void *))functions[HEAP_REGISTER])(NULL, &heap);
}

static void register_region(void *heap, void *at, size_t bytes) {
    address_range range = {bytes, at};
    struct {
        uint16_t version, size;
        uint32_t type;
        void *heap;
        size_t count, element;
        void *elements, *handles;
    } batch = {0x102, sizeof batch, ADDRESSES, heap, 1, sizeof range, &range, NULL};
    ((void (*)(void *, void *))functions[REGISTER])(NULL, &batch);
}

static void change_region(int function, size_t element_bytes, void *element) {
    struct {
        uint16_t version, size;
        uint32_t type;
        size_t count, bytes;
        void *elements;
    } batch = {0x102, sizeof batch, ADDRESSES, 1, element_bytes, element};
    ((void (*)(void *, void *))functions[function])(NULL, &batch);
}

static void permit(void *at, uint32_t uses) {
    struct {
        uint32_t uses, type;
        void *at;
    } one = {uses, 1, at};
    struct {
        uint16_t version, size;
        uint32_t reserved;
        void *permissions;
        size_t count, bytes;
        void *elements;
        size_t end;
    } batch = {0x102, sizeof batch, 0, NULL, 1, sizeof one, &one, 0};
    ((void (*)(void *, void *))functions[PERMIT])(NULL, &batch);
}

static int write_bytes(void *to, unsigned count) {
    void *parameters[] = {&to};
    return cudaLaunchKernel(fill, (dim3){1, 1, 1}, (dim3){count, 1, 1}, parameters, 0, NULL) || cudaDeviceSynchronize();
}

int main(int argc, char **argv) {
    const char *wrong = argc > 1 ? argv[1] : "";
    void *library, *memory;
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&fill, library, "fill") || cudaMalloc(&memory, HEAP) || !start_nvtx())
        return 3;
    void *heap = register_heap(memory), *region = (char *)memory + 16;
    register_region(heap, region, REGION);
    if (write_bytes(region, REGION + !strcmp(wrong, "beyond"))) return 4;
    change_region(RESIZE, sizeof(address_range), &(address_range){REGION + 1, region});
    if (!strcmp(wrong, "forbidden")) permit(region, READ | ATOMIC);
    if (write_bytes(region, REGION + 1)) return 5;
    permit(region, READ | WRITE | ATOMIC);
    if (!strcmp(wrong, "unregistered")) change_region(UNREGISTER, sizeof region, &region);
    if (!strcmp(wrong, "reset")) ((void (*)(void *, void *))functions[HEAP_RESET])(NULL, heap);
    if (write_bytes(region, 1)) return 6;
    /* The host may use the whole heap, and so may kernels once it is none any more. */
    if (cudaMemset(memory, 0, HEAP)) return 7;
    ((void (*)(void *, void *))functions[HEAP_UNREGISTER])(NULL, heap);
    return write_bytes(memory, 128) || cudaFree(memory);
}
