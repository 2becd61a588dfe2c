/* A program of CUDA VERSION that asks for structures whose size differs between versions: says how much of each is
 * written, and that nothing behind it is. */
#include <stdio.h>
#include <string.h>

extern int cudaMalloc(void **address, size_t bytes);
extern int cudaPointerGetAttributes(void *attributes, const void *address);
extern int cudaCreateTextureObject(unsigned long long *texture, const void *resource, const void *sampler,
                                   const void *view);
extern int cudaGetTextureObjectResourceDesc(void *resource, unsigned long long texture);
extern int cudaGetTextureObjectTextureDesc(void *sampler, unsigned long long texture);
extern int cudaFuncGetAttributes(void *attributes, const void *kernel);
extern int cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count);
extern int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
#if VERSION == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
extern int cudaGetDeviceProperties(void *properties, int device);

enum { ROOM = 4096, GUARD = 0xa5 };

static _Alignas(16) unsigned char given[ROOM];

/* Bytes up to the last one that was written. */
static size_t written(void) {
    size_t bytes = ROOM;
    while (bytes && given[bytes - 1] == GUARD) bytes--;
    return bytes;
}

static void *fresh(void) {
    return memset(given, GUARD, ROOM);
}

static void print(const char *what, int result) {
    printf("%s %d %zu\n", what, result, written());
}

/* A linear texture of 64 numbers: its kind, the address, four channels and their kind, the bytes. */
static unsigned long long make_texture(void *memory) {
    struct {
        int kind;
        void *address;
        int bits[4], of;
        size_t bytes;
        int reserved[32];
    } resource = {.kind = 2, .address = memory, .bits = {32}, .of = 2, .bytes = 256};
    struct {
        int address[3], filter, reads_fractions, rest[14];
    } sampler = {.filter = 0};
    unsigned long long texture = 0;
    const int result = cudaCreateTextureObject(&texture, &resource, &sampler, NULL);
    if (result) printf("texture %d\n", result);
    return texture;
}

int main(void) {
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry empty() {\n  ret;\n}\n";
    void *memory, *library, *kernel = NULL;
    cudaMalloc(&memory, 256);
    const unsigned long long texture = make_texture(memory);
    (void)(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) ||
           cudaLibraryGetKernel(&kernel, library, "empty"));
    print("pointer", cudaPointerGetAttributes(fresh(), memory));
    print("resource", cudaGetTextureObjectResourceDesc(fresh(), texture));
    print("sampler", cudaGetTextureObjectTextureDesc(fresh(), texture));
    print("kernel", cudaFuncGetAttributes(fresh(), kernel));
    print("device", cudaGetDeviceProperties(fresh(), 0));
    return 0;
}
