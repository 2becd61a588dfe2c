/* Libraries and their kernels.
 *
 * A library has a module for each of the program's devices, all made from one image when it is loaded; a kernel of a
 * library has a function for each device. That is how one handle works in contexts of all devices. Handles are the
 * addresses of the structures here. They are looked up in lists before they are used, so that a wrong handle gives
 * an error. The lock of session.c protects the lists.
 *
 * Programs may pass a library's kernel wherever CUDA expects a function. cuda_function_of() translates both: every
 * call that takes a CUfunction passes through it. */
#include "base/memory.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <string.h>

struct CUkern_st {
    CUlibrary library;                      /* owns the kernel */
    CUfunction functions[SIM_MOST_DEVICES]; /* by the program's device number */
    CUkernel next;
};

struct CUlib_st {
    CUmodule modules[SIM_MOST_DEVICES]; /* by the program's device number */
    CUkernel kernels;                   /* those that the program has asked for */
    CUlibrary next;
};

static CUlibrary libraries;

static CUresult check(CUlibrary library) {
    for (CUlibrary l = libraries; l; l = l->next)
        if (l == library) return CUDA_SUCCESS;
    return cuda_wrong(CUDA_INVALID_HANDLE, "there is no such library");
}

/* Compares addresses only, so the handle may be any value. */
static bool is_kernel(CUkernel kernel) {
    for (CUlibrary l = libraries; l; l = l->next)
        for (CUkernel k = l->kernels; k; k = k->next)
            if (k == kernel) return true;
    return false;
}

/* A handle that is no function may be a kernel; then the function for the thread's device is meant. */
CUresult cuda_function_of(CUfunction *handle) {
    if (sim_driver_has_function(*handle)) return CUDA_SUCCESS;
    const CUkernel kernel = (CUkernel)(void *)*handle;
    if (!is_kernel(kernel)) return cuda_wrong(CUDA_INVALID_HANDLE, "there is no such function");
    *handle = kernel->functions[standin_selected()];
    return CUDA_SUCCESS;
}

static CUresult check_kernel(CUkernel kernel) {
    return is_kernel(kernel) ? CUDA_SUCCESS : cuda_wrong(CUDA_INVALID_HANDLE, "there is no such kernel");
}

/* ---- libraries ---- */

/* Registers a library of these modules, one for each device. */
static CUresult add(CUlibrary *library, CUmodule *modules) {
    CUlibrary l = memory_zeroed(1, sizeof *l);
    if (!l) return CUDA_OUT_OF_MEMORY;
    memcpy(l->modules, modules, sizeof l->modules);
    l->next = libraries;
    *library = libraries = l;
    return CUDA_SUCCESS;
}

/* Loads one module, for the selected device. */
typedef CUresult load_module(const driver_table *d, const void *from, CUmodule *module);

static CUresult load_image(const driver_table *d, const void *image, CUmodule *module) {
    return cuda_load_image(d, "PTX", image, module);
}

static CUresult load_file(const driver_table *d, const void *path, CUmodule *module) {
    return cuda_load_file(d, path, module);
}

/* Loads for all devices at once, because the program may free the image; managed variables exist once. */
static CUresult load(const driver_table *d, load_module *load_one, const void *from, CUlibrary *library) {
    CUmodule modules[SIM_MOST_DEVICES] = {0};
    CUresult result = library ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    const unsigned before = standin_selected();
    for (unsigned i = 0; i < standin_device_count() && result == CUDA_SUCCESS; i++) {
        (void)standin_select(i);
        sim_driver_share_managed(modules[0]);
        result = load_one(d, from, &modules[i]);
    }
    sim_driver_share_managed(NULL);
    (void)standin_select(before);
    return result == CUDA_SUCCESS ? add(library, modules) : result;
}

/* Options of the library are hints for code loading, and ignored. */
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, int *options, void **values, unsigned count,
                           int *library_options, void **library_values, unsigned library_count) {
    CUDA_ENTER_DEVICE(d);
    (void)library_options, (void)library_values, (void)library_count;
    const cuda_log log = cuda_read_log(count, options, values);
    const CUresult result = load(d, load_image, image, library);
    cuda_write_log(&log, result);
    return cuda_leave(result);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, int *options, void **values, unsigned count,
                               int *library_options, void **library_values, unsigned library_count) {
    CUDA_ENTER_DEVICE(d);
    (void)library_options, (void)library_values, (void)library_count;
    const cuda_log log = cuda_read_log(count, options, values);
    const CUresult result = load(d, load_file, path, library);
    cuda_write_log(&log, result);
    return cuda_leave(result);
}

/* Frees the library and its kernels. Their modules are unloaded before. */
static void forget(CUlibrary library) {
    CUlibrary *link = &libraries;
    while (*link != library) link = &(*link)->next;
    *link = library->next;
    for (CUkernel k = library->kernels, next; k; k = next) {
        next = k->next;
        memory_free(k);
    }
    memory_free(library);
}

/* Ends at the first module that cannot be unloaded; the library then stays. */
CUresult cuLibraryUnload(CUlibrary library) {
    CUDA_ENTER_DEVICE(d);
    CUresult result = check(library);
    for (unsigned i = standin_device_count(); i-- > 0 && result == CUDA_SUCCESS;)
        result = cuda_unload(d, library->modules[i]);
    if (result == CUDA_SUCCESS) forget(library);
    return cuda_leave(result);
}

/* The module of the thread's device. */
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    CUDA_ENTER(d);
    (void)d;
    const CUresult result = module ? check(library) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *module = library->modules[standin_selected()];
    return cuda_leave(result);
}

/* The variable of the thread's device. */
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
    CUDA_ENTER(d);
    CUresult result = name ? check(library) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->module_variable(address, bytes, library->modules[standin_selected()], name);
    return cuda_leave(result);
}

/* Managed variables are found like others. Only the kind of their memory tells them apart. */
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
    CUdeviceptr at = 0;
    sim_allocation a;
    const CUresult result = cuLibraryGetGlobal(&at, bytes, library, name);
    if (result != CUDA_SUCCESS) return result;
    CUDA_ENTER(d);
    (void)d;
    const bool is_managed = sim_driver_allocation(at, &a) && a.kind == SIM_MANAGED_MEMORY;
    if (is_managed && address) *address = at;
    return cuda_leave(is_managed ? CUDA_SUCCESS : CUDA_NOT_FOUND);
}

/* Functions that host and device call by one address are for GPUs that share the host's page tables; no virtual GPU
 * does (attribute 129), so no library has any. */
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!function || !name) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = check(library);
    return cuda_leave(result == CUDA_SUCCESS ? CUDA_NOT_FOUND : result);
}

/* ---- kernels ---- */

/* The same kernel always has the same handle. */
static CUresult kernel_of(CUlibrary library, const CUfunction *functions, CUkernel *kernel) {
    for (CUkernel k = library->kernels; k; k = k->next)
        if (k->functions[0] == functions[0]) {
            *kernel = k;
            return CUDA_SUCCESS;
        }
    CUkernel k = memory_zeroed(1, sizeof *k);
    if (!k) return CUDA_OUT_OF_MEMORY;
    *k = (struct CUkern_st){.library = library, .next = library->kernels};
    memcpy(k->functions, functions, sizeof k->functions);
    *kernel = library->kernels = k;
    return CUDA_SUCCESS;
}

/* Looks the name up in every device's module. */
static CUresult find_kernel(const driver_table *d, CUlibrary library, const char *name, CUkernel *kernel) {
    CUfunction functions[SIM_MOST_DEVICES] = {0};
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < standin_device_count() && result == CUDA_SUCCESS; i++)
        result = d->module_function(&functions[i], library->modules[i], name);
    return result == CUDA_SUCCESS ? kernel_of(library, functions, kernel) : result;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    CUDA_ENTER_DEVICE(d);
    const CUresult result = kernel && name ? check(library) : CUDA_INVALID_VALUE;
    return cuda_leave(result == CUDA_SUCCESS ? find_kernel(d, library, name, kernel) : result);
}

/* All modules of a library have the same kernels. */
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUresult result = count ? check(library) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    *count = 0;
    for (size_t at = 0; cuda_next_kernel(library->modules[0], &at);) ++*count;
    return cuda_leave(CUDA_SUCCESS);
}

/* Gives at most `room` kernels, in the order of the PTX. */
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library) {
    CUDA_ENTER_DEVICE(d);
    CUresult result = kernels ? check(library) : CUDA_INVALID_VALUE;
    const char *name;
    unsigned count = 0;
    for (size_t at = 0; result == CUDA_SUCCESS && count < room; count++) {
        if (!(name = cuda_next_kernel(library->modules[0], &at))) break;
        result = find_kernel(d, library, name, &kernels[count]);
    }
    return cuda_leave(result);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    CUDA_ENTER(d);
    (void)d;
    const CUresult result = function ? check_kernel(kernel) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *function = kernel->functions[standin_selected()];
    return cuda_leave(result);
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUresult result = library ? check_kernel(kernel) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *library = kernel->library;
    return cuda_leave(result);
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUresult result = name ? check_kernel(kernel) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *name = cuda_entry(kernel->functions[0])->name;
    return cuda_leave(result);
}

/* Here a device is named, so no context needs to be current. */
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device) {
    CUDA_ENTER_DEVICE(d);
    CUdevice real = device;
    CUresult result = value ? check_kernel(kernel) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuda_device_of(&real);
    if (result == CUDA_SUCCESS) result = d->function_attribute(value, attribute, kernel->functions[device]);
    return cuda_leave(result);
}

CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice device) {
    CUDA_ENTER_DEVICE(d);
    CUdevice real = device;
    CUresult result = check_kernel(kernel);
    if (result == CUDA_SUCCESS) result = cuda_device_of(&real);
    if (result == CUDA_SUCCESS) result = d->function_set(kernel->functions[device], attribute, value);
    return cuda_leave(result);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
    return cuFuncGetParamInfo((CUfunction)(void *)kernel, index, offset, bytes);
}

CUresult cuKernelGetParamCount(CUkernel kernel, size_t *count) {
    return cuFuncGetParamCount((CUfunction)(void *)kernel, count);
}

/* A preference without effect, as in function.c. */
CUresult cuKernelSetCacheConfig(CUkernel kernel, int preference, CUdevice device) {
    CUDA_ENTER_DEVICE(d);
    (void)d, (void)preference;
    const CUresult result = check_kernel(kernel);
    return cuda_leave(result == CUDA_SUCCESS ? cuda_device_of(&device) : result);
}
