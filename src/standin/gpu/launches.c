/* The driver's functions that launch, and those that invalidate what launches need.
 *
 * Each function here has a name that the real driver exports, and passes the same arguments on. Launches go through
 * start(), the real function and stop(). Functions that end contexts collect pending times before, as the events end
 * with their context. Those that unload modules make haul forget what their handles meant.
 *
 * A function may be called by several threads at once. No lock is held while the real driver works, except for
 * pending times at the end of a context. */
#include "standin/gpu/gpu.h"
#include "standin/standin.h"

#include <stdatomic.h>

#define USED(symbol, parameters) CUresult symbol parameters;
#include "standin/gpu/used.def"
#undef USED

/* ---- around a launch ---- */

/* A launch between start() and stop(). `pair` is NULL if the launch is not timed. */
typedef struct timing {
    gpu_launch launch;
    CUstream stream;
    gpu_pair *pair;
    bool is_captured;
} timing;

/* A captured launch does not run yet. It gets no events, which would be nodes of the graph. */
static timing start(CUfunction function, const CUlaunchConfig *config, CUstream stream) {
    timing t = {.stream = stream, .is_captured = gpu_is_captured(stream)};
    if (t.is_captured) return t;
    gpu_lock();
    t.launch = gpu_choose(function, config);
    gpu_unlock();
    if (t.launch.is_timed) t.pair = gpu_begin(stream);
    return t;
}

/* Returns the launch's result, which is the program's. */
static CUresult stop(const timing *t, CUresult result) {
    if (t->launch.kernel) gpu_end(t->pair, t->stream, &t->launch, result);
    if (!t->is_captured || result != CUDA_SUCCESS) return result;
    gpu_lock();
    gpu_count_captured();
    gpu_unlock();
    return result;
}

/* ---- kernels ---- */

/* `own` returns the stream to use for code with a default stream for each thread. Each macro defines one signature
 * of the driver's functions that launch. */
#define LAUNCH(symbol, own)                                                                                           \
    CUresult symbol(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,         \
                    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,    \
                    void **extra) {                                                                                   \
        const CUlaunchConfig config = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, 0, 0, 0}; \
        const timing t = start(function, &config, own(stream));                                                       \
        return stop(&t, gpu_real()->symbol(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, \
                                           stream, parameters, extra));                                               \
    }
#define COOPERATIVE(symbol, own)                                                                                      \
    CUresult symbol(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,         \
                    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters) {  \
        const CUlaunchConfig config = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, 0, 0, 0}; \
        const timing t = start(function, &config, own(stream));                                                       \
        return stop(&t, gpu_real()->symbol(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, \
                                           stream, parameters));                                                      \
    }
#define EXTENDED(symbol, own)                                                                             \
    CUresult symbol(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) { \
        if (!config) return gpu_real()->symbol(config, function, parameters, extra);                      \
        const timing t = start(function, config, own(config->stream));                                    \
        return stop(&t, gpu_real()->symbol(config, function, parameters, extra));                         \
    }
#define GRAPH(symbol, own)                                                                    \
    CUresult symbol(CUgraphExec executable, CUstream stream) {                                \
        const timing t = start(NULL, &(const CUlaunchConfig){.stream = stream}, own(stream)); \
        return stop(&t, gpu_real()->symbol(executable, stream));                              \
    }
#define AS_IT_IS(stream) (stream)
LAUNCH(cuLaunchKernel, AS_IT_IS)
LAUNCH(cuLaunchKernel_ptsz, standin_own)
COOPERATIVE(cuLaunchCooperativeKernel, AS_IT_IS)
COOPERATIVE(cuLaunchCooperativeKernel_ptsz, standin_own)
EXTENDED(cuLaunchKernelEx, AS_IT_IS)
EXTENDED(cuLaunchKernelEx_ptsz, standin_own)
GRAPH(cuGraphLaunch, AS_IT_IS)
GRAPH(cuGraphLaunch_ptsz, standin_own)

/* ---- the ends of contexts and modules ---- */

/* Waits for pending times, since the events are destroyed with their context. NULL: all contexts, as a primary
 * context is known only by its device. */
static void finish(CUcontext context) {
    gpu_lock();
    gpu_finish(context);
    gpu_forget_functions();
    gpu_unlock();
}

#define END_OF_CONTEXT(symbol)              \
    CUresult symbol(CUcontext context) {    \
        if (context) finish(context);       \
        return gpu_real()->symbol(context); \
    }
#define END_OF_PRIMARY(symbol, ends)       \
    CUresult symbol(CUdevice device) {     \
        if (ends(device)) finish(NULL);    \
        return gpu_real()->symbol(device); \
    }

/* Counts how often the program holds each device's primary context, as far as its calls show: the last release destroys
 * it. */
enum { MOST_DEVICES = 64 }; /* for devices beyond, each release counts as the last */
static atomic_int held[MOST_DEVICES];

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    const CUresult result = gpu_real()->cuDevicePrimaryCtxRetain(context, device);
    if (result == CUDA_SUCCESS && device >= 0 && device < MOST_DEVICES) held[device]++;
    return result;
}

/* Also true if the program releases more than its calls have retained, as the runtime may have. */
static bool ends_by_release(CUdevice device) {
    return device < 0 || device >= MOST_DEVICES || --held[device] <= 0;
}

/* A reset destroys the context whoever holds it. */
static bool ends_by_reset(CUdevice device) {
    if (device >= 0 && device < MOST_DEVICES) held[device] = 0;
    return true;
}

END_OF_CONTEXT(cuCtxDestroy)
END_OF_CONTEXT(cuCtxDestroy_v2)
END_OF_PRIMARY(cuDevicePrimaryCtxRelease, ends_by_release)
END_OF_PRIMARY(cuDevicePrimaryCtxRelease_v2, ends_by_release)
END_OF_PRIMARY(cuDevicePrimaryCtxReset, ends_by_reset)
END_OF_PRIMARY(cuDevicePrimaryCtxReset_v2, ends_by_reset)

/* Before the module goes, since its handles may be used again at once. */
CUresult cuModuleUnload(CUmodule module) {
    gpu_lock();
    gpu_forget_functions();
    gpu_unlock();
    return gpu_real()->cuModuleUnload(module);
}

/* ---- kernels of libraries ---- */

CUresult cuLibraryGetKernel(CUfunction *kernel, CUlibrary library, const char *name) {
    const CUresult result = gpu_real()->cuLibraryGetKernel(kernel, library, name);
    if (result != CUDA_SUCCESS) return result;
    gpu_lock();
    gpu_add_library_kernel(*kernel, library);
    gpu_unlock();
    return result;
}

CUresult cuLibraryEnumerateKernels(CUfunction *kernels, unsigned count, CUlibrary library) {
    for (unsigned i = 0; kernels && i < count; i++) kernels[i] = NULL; /* there may be fewer */
    const CUresult result = gpu_real()->cuLibraryEnumerateKernels(kernels, count, library);
    if (result != CUDA_SUCCESS) return result;
    gpu_lock();
    for (unsigned i = 0; i < count; i++)
        if (kernels[i]) gpu_add_library_kernel(kernels[i], library);
    gpu_unlock();
    return result;
}

CUresult cuLibraryUnload(CUlibrary library) {
    gpu_lock();
    gpu_forget_functions();
    gpu_forget_library(library);
    gpu_unlock();
    return gpu_real()->cuLibraryUnload(library);
}
