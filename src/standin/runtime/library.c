/* Libraries and kernels by handle, by the driver API's functions. The runtime's handles are the driver's.
 *
 * cuda/library.c has the functions. Only those whose arguments differ need more than a forward: addresses are
 * pointers here, and an attribute is set for a device by its number. */
#include "standin/cuda/cuda.h"

CUresult cudaLibraryLoadData(CUlibrary *library, const void *code, int *options, void **values, unsigned count,
                             int *library_options, void **library_values, unsigned library_count) {
    STANDIN_FORWARD(
        cuLibraryLoadData(library, code, options, values, count, library_options, library_values, library_count));
}

CUresult cudaLibraryLoadFromFile(CUlibrary *library, const char *path, int *options, void **values, unsigned count,
                                 int *library_options, void **library_values, unsigned library_count) {
    STANDIN_FORWARD(
        cuLibraryLoadFromFile(library, path, options, values, count, library_options, library_values, library_count));
}

CUresult cudaLibraryUnload(CUlibrary library) {
    STANDIN_FORWARD(cuLibraryUnload(library));
}

CUresult cudaLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    STANDIN_FORWARD(cuLibraryGetKernel(kernel, library, name));
}

CUresult cudaLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    STANDIN_FORWARD(cuLibraryGetKernelCount(count, library));
}

CUresult cudaLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library) {
    STANDIN_FORWARD(cuLibraryEnumerateKernels(kernels, room, library));
}

/* cuLibraryGetGlobal() or cuLibraryGetManaged(). */
typedef CUresult find_variable(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name);

/* Looks a variable up by the driver API's function. */
static CUresult find(find_variable *find_one, void **address, size_t *bytes, CUlibrary library, const char *name) {
    CUdeviceptr at = 0;
    standin_use_runtime();
    const CUresult result = find_one(&at, bytes, library, name);
    if (result == CUDA_SUCCESS && address) *address = (void *)(uintptr_t)at;
    return standin_fail(result);
}

CUresult cudaLibraryGetGlobal(void **address, size_t *bytes, CUlibrary library, const char *name) {
    return find(cuLibraryGetGlobal, address, bytes, library, name);
}

CUresult cudaLibraryGetManaged(void **address, size_t *bytes, CUlibrary library, const char *name) {
    return find(cuLibraryGetManaged, address, bytes, library, name);
}

/* For a kernel of the program itself, or of a library. */
CUresult cudaKernelSetAttributeForDevice(const void *kernel, int attribute, int value, int device) {
    CUfunction function;
    const driver_table *d = standin_enter();
    if (!standin_is_device(device)) return standin_leave(CUDA_INVALID_DEVICE);
    const unsigned before = standin_select((unsigned)device);
    CUresult result = standin_kernel(d, kernel, &function);
    if (result == CUDA_SUCCESS) result = d->function_set(function, attribute, value);
    (void)standin_select(before);
    return standin_leave(result);
}
