/* A program that loads a library by the runtime and launches its kernels by handle; functions of the driver's by name;
 * and texts of errors. Its first argument chooses the test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

extern int cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count);
extern int cudaLibraryUnload(void *library);
extern int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
extern int cudaLibraryGetGlobal(void **address, size_t *bytes, void *library, const char *name);
extern int cudaLibraryGetManaged(void **address, size_t *bytes, void *library, const char *name);
extern int cudaLibraryGetKernelCount(unsigned *count, void *library);
extern int cudaLibraryEnumerateKernels(void **kernels, unsigned count, void *library);
extern int cudaKernelSetAttributeForDevice(void *kernel, int attribute, int value, int device);
extern int cudaFuncGetName(const char **name, const void *kernel);
extern int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **parameters, size_t shared, void *stream);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern const char *cudaGetErrorName(int error);
extern const char *cudaGetErrorString(int error);
extern int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *found);
extern int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                            unsigned long long flags, int *found);
extern int cuGetErrorString(int error, const char **text);

enum { MOST_DYNAMIC_SHARED = 8 };

/* both: adds its argument to the managed variable; other: nothing */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 plain = 5;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 sum = 40;\n"
    ".visible .entry add(.param .u32 by) {\n  .reg .b32 %r<4>;\n  ld.param.u32 %r1, [by];\n"
    "  ld.global.u32 %r2, [sum];\n  add.u32 %r2, %r2, %r1;\n  st.global.u32 [sum], %r2;\n  ret;\n}\n"
    ".visible .entry other() {\n  ret;\n}\n";

static void must(const char *what, int result) {
    if (!result) return;
    printf("%s: %s\n", what, cudaGetErrorName(result));
    exit(1);
}

static void use_library(void) {
    void *library, *kernel, *kernels[4], *sum, *plain;
    unsigned by = 2, count;
    size_t bytes;
    const char *name;
    const dim3 one = {1, 1, 1};
    void *parameters[] = {&by};
    must("load", cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    must("kernel", cudaLibraryGetKernel(&kernel, library, "add"));
    must("launch", cudaLaunchKernel(kernel, one, one, parameters, 0, NULL));
    must("wait", cudaDeviceSynchronize());
    must("managed", cudaLibraryGetManaged(&sum, &bytes, library, "sum"));
    must("variable", cudaLibraryGetGlobal(&plain, &bytes, library, "plain"));
    must("name", cudaFuncGetName(&name, kernel));
    must("attribute", cudaKernelSetAttributeForDevice(kernel, MOST_DYNAMIC_SHARED, 65536, 0));
    must("large launch", cudaLaunchKernel(kernel, one, one, parameters, 65536, NULL));
    must("wait again", cudaDeviceSynchronize());
    must("count", cudaLibraryGetKernelCount(&count, library));
    must("all", cudaLibraryEnumerateKernels(kernels, 4, library));
    printf("%s: %u, %zu bytes, %u kernels\n", name, *(uint32_t *)sum, bytes, count);
    printf("%s %s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "none")),
           cudaGetErrorName(cudaLibraryGetManaged(&sum, &bytes, library, "plain")));
    must("unload", cudaLibraryUnload(library));
}

/* Functions of the driver's, by name: one that is there, in a form of its version, and one that is not. */
static void find_functions(void) {
    int (*info)(size_t *, size_t *), found[3];
    void *other;
    size_t free_bytes, bytes;
    const int result = cudaGetDriverEntryPoint("cuMemGetInfo", (void **)&info, 0, &found[0]);
    printf("%d %d, %d\n", result, found[0], info(&free_bytes, &bytes));
    printf("%d ", cudaGetDriverEntryPoint("cuNoSuchThing", &other, 0, &found[1]));
    printf("%d %d\n", found[1], other == NULL);
    printf("%d ", cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &other, 11000, 0, &found[2]));
    printf("%d %d\n", found[2], other == NULL);
}

static void print_texts(void) {
    static const int errors[] = {0, 1, 2, 209, 700, 719, 720, 801, 999, 54321};
    const char *text;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) puts(cudaGetErrorString(errors[i]));
    printf("%d", cuGetErrorString(700, &text));
    printf(" %s\n", text);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "library")) use_library();
    if (!strcmp(what, "functions")) find_functions();
    if (!strcmp(what, "errors")) print_texts();
    return 0;
}
