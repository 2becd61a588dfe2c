/* Launches of the runtime.
 *
 * nvcc turns kernel<<<...>>>(...) into a call of __cudaPushCallConfiguration() and one of the kernel's host stub,
 * which pops the configuration and calls cudaLaunchKernel() with addresses of the arguments. All forms end in
 * launch(), which finds the kernel by its host function, checks the shape, and calls standin_launch(). The driver
 * API's forms are in cuda/launch.c. */
#include "standin/cuda/cuda.h"
#include "standin/runtime/caller.h"
#include "standin/runtime/version.h"
#include "standin/settings.h"
#include "vgpu/driver.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernel<<<...>>> ---- */

/* A launch's configuration. The launch's arguments are evaluated between push and pop, and may launch kernels
 * themselves. */
typedef struct configuration {
    dim3 grid, block;
    size_t shared_bytes;
    const void *code; /* of a check: the place of the <<<...>>> */
    CUstream stream;
    struct configuration *outer;
} configuration;

/* Only a pointer: libraries that are loaded late share little thread-local memory. */
static _Thread_local configuration *pushed;

static _Thread_local const void *popped; /* the place of the launch that comes next, or is in progress */

const void *standin_launching(void) {
    return popped;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, CUstream stream) {
    configuration *c = malloc(sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    *c = (configuration){.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream, .outer = pushed};
    if (standin_asked.task == STANDIN_CHECK) c->code = standin_caller_now().address;
    pushed = c;
    return 0;
}

CUresult __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, CUstream *stream) {
    configuration *c = pushed;
    if (!c) return CUDA_INVALID_CONFIGURATION;
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    *stream = c->stream;
    pushed = c->outer;
    popped = c->code;
    free(c);
    return CUDA_SUCCESS;
}

/* The error of CUDA 13.0 on an H100; earlier versions had a separate one for this case. */
static CUresult wrong_shape(void) {
    return standin_cuda_version() >= 13 ? CUDA_INVALID_VALUE : CUDA_INVALID_CONFIGURATION;
}

/* A cooperative launch needs all of its blocks on the device at once. */
static CUresult launch(const void *host, const CUlaunchConfig *config, bool is_cooperative, void **parameters) {
    CUfunction kernel;
    const driver_table *d = standin_enter_beside();
    if (!standin_is_prepared(host)) standin_be_alone();
    CUresult result = standin_kernel(d, host, &kernel);
    if (result == CUDA_SUCCESS && cuda_check_shape(d, config) != CUDA_SUCCESS) result = wrong_shape();
    if (is_cooperative && result == CUDA_SUCCESS) result = cuda_check_cooperative(d, kernel, config);
    if (result == CUDA_SUCCESS) result = standin_launch(d, config, kernel, standin_kernel_name(host), parameters, NULL);
    result = standin_leave_launch(result);
    standin_note_launch();
    popped = NULL;
    return result;
}

static CUresult launch_plain(const void *host, dim3 grid, dim3 block, bool is_cooperative, void **parameters,
                             size_t shared_bytes, CUstream stream) {
    const CUlaunchConfig config = {.grid = {grid.x, grid.y, grid.z},
                                   .block = {block.x, block.y, block.z},
                                   .shared_bytes = (unsigned)shared_bytes,
                                   .stream = stream};
    return launch(host, &config, is_cooperative, parameters);
}

/* Defines a function that launches, and its form for a default stream for each thread. */
#define LAUNCH_CALL(name, is_cooperative)                                                                    \
    CUresult name(const void *f, dim3 grid, dim3 block, void **parameters, size_t shared, CUstream stream) { \
        return launch_plain(f, grid, block, is_cooperative, parameters, shared, stream);                     \
    }                                                                                                        \
    CUresult name##_ptsz(const void *f, dim3 grid, dim3 block, void **p, size_t shared, CUstream stream) {   \
        return launch_plain(f, grid, block, is_cooperative, p, shared, standin_own(stream));                 \
    }
LAUNCH_CALL(__cudaLaunchKernel, false)
LAUNCH_CALL(cudaLaunchKernel, false)
LAUNCH_CALL(cudaLaunchCooperativeKernel, true)

/* These are all that the virtual GPU knows. Others are hints, or events, which are recorded after the launch. */
static bool matters(const CUlaunchAttribute *a) {
    return a->id == DRIVER_LAUNCH_CLUSTER || a->id == DRIVER_LAUNCH_ACCESS_POLICY_WINDOW ||
           a->id == DRIVER_LAUNCH_PROGRAMMATIC || a->id == DRIVER_LAUNCH_PRIORITY || a->id == DRIVER_LAUNCH_COOPERATIVE;
}

bool standin_is_cooperative(const CUlaunchAttribute *attributes, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (attributes[i].id == DRIVER_LAUNCH_COOPERATIVE && attributes[i].value.bytes[0]) return true;
    return false;
}

/* Attributes beyond STANDIN_MOST_ATTRIBUTES are dropped, as `to` has no more room. */
unsigned standin_attributes(const CUlaunchAttribute *from, unsigned count, CUlaunchAttribute *to) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count && kept < STANDIN_MOST_ATTRIBUTES; i++)
        if (matters(&from[i])) to[kept++] = from[i];
    return kept;
}

static bool has_event(const CUlaunchAttribute *a) {
    return a->id == DRIVER_LAUNCH_EVENT || a->id == DRIVER_LAUNCH_BEGIN_EVENT;
}

/* An event of a launch has no times, and is this process's. */
static CUresult check_attribute(const CUlaunchAttribute *a) {
    unsigned flags = 0;
    if (a->id == DRIVER_LAUNCH_UPDATABLE && a->value.number)
        return cuda_wrong(CUDA_NOT_SUPPORTED, "launch: kernels cannot change nodes of graphs on a virtual GPU");
    const CUresult result = has_event(a) ? sim_driver_event_flags(a->value.event, &flags) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS || !has_event(a)) return result;
    const bool fits = flags & DRIVER_EVENT_DISABLE_TIMING && !(flags & DRIVER_EVENT_INTERPROCESS);
    return fits ? CUDA_SUCCESS
                : cuda_wrong(CUDA_NOT_SUPPORTED, "launch: its event must not record times, or be shared");
}

CUresult standin_check_attributes(const CUlaunchAttribute *attributes, unsigned count) {
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) result = check_attribute(&attributes[i]);
    return result;
}

CUresult standin_record_events(const CUlaunchAttribute *attributes, unsigned count, CUstream stream) {
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (has_event(&attributes[i])) result = cuEventRecord(attributes[i].value.event, stream);
    return result;
}

/* The program's attributes may be of kinds that the driver would refuse, so they are filtered first. */
CUresult cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host, void **parameters) {
    CUlaunchAttribute attributes[STANDIN_MOST_ATTRIBUTES];
    CUlaunchConfig config = {.grid = {c->grid.x, c->grid.y, c->grid.z},
                             .block = {c->block.x, c->block.y, c->block.z},
                             .shared_bytes = (unsigned)c->shared_bytes,
                             .stream = c->stream,
                             .attributes = attributes};
    CUresult result = CUDA_SUCCESS;
    if (c->attribute_count) {
        (void)standin_enter_beside();
        result = standin_leave(standin_check_attributes(c->attributes, c->attribute_count));
    }
    if (result != CUDA_SUCCESS) return result;
    config.attribute_count = standin_attributes(c->attributes, c->attribute_count, attributes);
    result = launch(host, &config, standin_is_cooperative(c->attributes, c->attribute_count), parameters);
    if (result != CUDA_SUCCESS) return result;
    return standin_fail(standin_record_events(c->attributes, c->attribute_count, c->stream));
}

CUresult cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *c, const void *host, void **parameters) {
    cudaLaunchConfig_t config = *c;
    config.stream = standin_own(c->stream);
    return cudaLaunchKernelExC(&config, host, parameters);
}
