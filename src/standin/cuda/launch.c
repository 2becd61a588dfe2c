/* Launches, whose parameters come one by one, or packed in the function's layout.
 *
 * All forms end in launch(), which translates the handle, unpacks parameters and calls standin_launch(): there the
 * task decides whether the launch is counted, checked or recorded. The forms of the runtime are in runtime/launch.c,
 * which also uses the checks of shapes; the execution of launches is in vgpu/launch.c. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdint.h>
#include <string.h>

/* CU_LAUNCH_PARAM_...: the keys of `extra`, each followed by its value. */
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_BYTES = 2 };

/* ---- packed parameters ---- */

/* Reads the list of keys and values: the buffer, and the address of its size. */
static CUresult read_extra(void **extra, unsigned char **buffer, size_t *bytes) {
    *buffer = NULL;
    *bytes = 0;
    for (; (uintptr_t)extra[0] != EXTRA_END; extra += 2) {
        switch ((uintptr_t)extra[0]) {
        case EXTRA_BUFFER: *buffer = extra[1]; break;
        case EXTRA_BYTES: *bytes = *(const size_t *)extra[1]; break;
        default: return cuda_wrong(CUDA_INVALID_VALUE, "launch: `extra` has an unknown key");
        }
    }
    return *buffer ? CUDA_SUCCESS : cuda_wrong(CUDA_INVALID_VALUE, "launch: `extra` names no buffer");
}

/* Points each parameter into the buffer. The size must be exactly that of the layout. */
static CUresult point_into(const ptx_function *entry, unsigned char *buffer, size_t bytes, void **parameters) {
    uint64_t end = 0;
    for (size_t i = 0; i < entry->param_count; i++) {
        const uint64_t at = cuda_parameter_offset(entry, i);
        parameters[i] = buffer + at;
        end = at + entry->params[i]->size;
    }
    if (bytes == end) return CUDA_SUCCESS;
    (void)haul_fail(HAUL_ERROR_ARGUMENT, "launch of %s: its parameters have %llu bytes when packed, not %zu",
                    entry->name, (unsigned long long)end, bytes);
    return CUDA_LAUNCH_OUT_OF_RESOURCES; /* as a driver of CUDA 13.0 returns */
}

CUresult cuda_unpack_parameters(CUfunction function, void **extra, void *parameters[CUDA_MOST_PARAMETERS]) {
    const ptx_function *entry = cuda_entry(function);
    unsigned char *buffer;
    size_t bytes;
    if (entry->param_count > CUDA_MOST_PARAMETERS)
        return cuda_wrong(CUDA_INVALID_VALUE, "launch: the kernel has too many parameters");
    const CUresult result = read_extra(extra, &buffer, &bytes);
    return result == CUDA_SUCCESS ? point_into(entry, buffer, bytes, parameters) : result;
}

/* ---- launches ---- */

/* In 64 bits: a grid can have more than 2^32 blocks. */
static unsigned long long blocks_of(const CUlaunchConfig *c) {
    return (unsigned long long)c->grid[0] * c->grid[1] * c->grid[2];
}

/* The device's limits are six attributes in a row: block x, y, z, then grid x, y, z. */
CUresult cuda_check_shape(const driver_table *d, const CUlaunchConfig *c) {
    int most = 0;
    CUresult result = d->device_attribute(&most, DRIVER_DEVICE_MAX_THREADS_PER_BLOCK, standin_device()->handle);
    bool fits = (unsigned long long)c->block[0] * c->block[1] * c->block[2] <= (unsigned)most;
    for (int k = 0; k < 6 && result == CUDA_SUCCESS; k++) {
        const unsigned asked = k < 3 ? c->block[k] : c->grid[k - 3];
        result = d->device_attribute(&most, DRIVER_DEVICE_MAX_BLOCK_X + k, standin_device()->handle);
        fits &= asked > 0 && asked <= (unsigned)most;
    }
    if (result != CUDA_SUCCESS || fits) return result;
    haul_fail(HAUL_ERROR_LIMIT,
              "launch: grid %u x %u x %u, block %u x %u x %u: a size is 0 or beyond the device's limit", c->grid[0],
              c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2]);
    return CUDA_INVALID_VALUE;
}

/* More blocks would wait at the grid's barrier for blocks that never begin. */
CUresult cuda_check_cooperative(const driver_table *d, CUfunction function, const CUlaunchConfig *c) {
    int blocks = 0, sms = 0;
    const int threads = (int)(c->block[0] * c->block[1] * c->block[2]);
    CUresult result = d->device_attribute(&sms, DRIVER_DEVICE_SM_COUNT, standin_device()->handle);
    if (result == CUDA_SUCCESS) result = sim_driver_most_blocks(&blocks, function, threads, c->shared_bytes);
    if (result == CUDA_SUCCESS && blocks_of(c) > (unsigned long long)blocks * (unsigned long long)sms)
        result = cuda_wrong(CUDA_COOPERATIVE_LAUNCH_TOO_LARGE,
                            "a cooperative launch has more blocks than the machine holds at once");
    return result;
}

/* A kernel without parameters may be launched without any array; otherwise exactly one of `parameters` and `extra`
 * is given. */
static CUresult launch(const driver_table *d, CUfunction function, const CUlaunchConfig *config, void **parameters,
                       void **extra) {
    void *unpacked[CUDA_MOST_PARAMETERS];
    CUresult result = cuda_function_of(&function);
    if (result != CUDA_SUCCESS) return result;
    const ptx_function *entry = cuda_entry(function);
    if (parameters && extra) return cuda_wrong(CUDA_INVALID_VALUE, "launch: parameters are given in both ways");
    if (entry->param_count && !parameters && !extra)
        return cuda_wrong(CUDA_INVALID_VALUE, "launch: the kernel has parameters, and none are given");
    if (extra) result = cuda_unpack_parameters(function, extra, unpacked);
    if (result != CUDA_SUCCESS) return result;
    return standin_launch(d, config, function, entry->name, extra ? unpacked : parameters, NULL);
}

/* Checks the shape, then the handle, then whether a cooperative grid fits. */
static CUresult launch_plain(CUfunction function, const CUlaunchConfig *config, bool is_cooperative, void **parameters,
                             void **extra) {
    CUDA_ENTER_STREAM_BESIDE(d, config->stream);
    CUfunction real = function;
    if (cuda_function_of(&real) != CUDA_SUCCESS || !sim_driver_is_prepared(real)) standin_be_alone();
    real = function;
    CUresult result = cuda_check_shape(d, config);
    if (is_cooperative && result == CUDA_SUCCESS) result = cuda_function_of(&real);
    if (is_cooperative && result == CUDA_SUCCESS) result = cuda_check_cooperative(d, real, config);
    if (result == CUDA_SUCCESS) result = launch(d, function, config, parameters, extra);
    return standin_leave_launch_of_driver(result);
}

/* The most common form. */
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                        void **extra) {
    const CUlaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream};
    return launch_plain(function, &config, false, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **parameters) {
    const CUlaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream};
    return launch_plain(function, &config, true, parameters, NULL);
}

static CUresult check_attributes(const CUlaunchConfig *given) {
    CUDA_ENTER_STREAM_BESIDE(d, given->stream);
    (void)d;
    return cuda_leave(standin_check_attributes(given->attributes, given->attribute_count));
}

/* Passes on only the attributes that the virtual GPU knows (standin_attributes()); a cooperative launch becomes a
 * check. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *given, CUfunction function, void **parameters, void **extra) {
    CUlaunchAttribute attributes[STANDIN_MOST_ATTRIBUTES];
    if (!given || (given->attribute_count && !given->attributes)) return CUDA_INVALID_VALUE;
    CUlaunchConfig config = *given;
    const bool is_cooperative = standin_is_cooperative(given->attributes, given->attribute_count);
    CUresult result = given->attribute_count ? check_attributes(given) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS) return result;
    config.attributes = attributes;
    config.attribute_count = standin_attributes(given->attributes, given->attribute_count, attributes);
    result = launch_plain(function, &config, is_cooperative, parameters, extra);
    return result == CUDA_SUCCESS ? standin_record_events(given->attributes, given->attribute_count, given->stream)
                                  : result;
}

/* The other _ptsz forms are generated; here the stream is in a structure. */
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *given, CUfunction function, void **parameters, void **extra) {
    if (!given) return CUDA_INVALID_VALUE;
    CUlaunchConfig config = *given;
    config.stream = standin_own(given->stream);
    return cuLaunchKernelEx(&config, function, parameters, extra);
}

/* ---- launches in the style before CUDA 4: settings are made one by one ---- */

enum { MOST_BYTES = 4096 };

/* The program's settings of a function, which stay until it ends. */
typedef struct settings {
    CUfunction function;
    unsigned block[3], shared_bytes;                   /* block: 1 x 1 x 1 until it is set */
    size_t bytes;                                      /* of parameters, from cuParamSetSize() */
    _Alignas(16) unsigned char parameters[MOST_BYTES]; /* packed by the program */
    struct settings *next;
} settings;

static settings *all_settings;

/* Finds the function's settings, or makes them. */
static CUresult settings_of(CUfunction function, settings **found) {
    const CUresult result = cuda_function_of(&function);
    if (result != CUDA_SUCCESS) return result;
    for (*found = all_settings; *found; *found = (*found)->next)
        if ((*found)->function == function) return CUDA_SUCCESS;
    settings *s = memory_zeroed(1, sizeof *s);
    if (!s) return CUDA_OUT_OF_MEMORY;
    s->function = function;
    s->block[0] = s->block[1] = s->block[2] = 1;
    s->next = all_settings;
    *found = all_settings = s;
    return CUDA_SUCCESS;
}

/* Takes effect with the next launch of the function. */
CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
    settings *s;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const CUresult result = x > 0 && y > 0 && z > 0 ? settings_of(function, &s) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) s->block[0] = (unsigned)x, s->block[1] = (unsigned)y, s->block[2] = (unsigned)z;
    return cuda_leave(result);
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
    settings *s;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const CUresult result = settings_of(function, &s);
    if (result == CUDA_SUCCESS) s->shared_bytes = bytes;
    return cuda_leave(result);
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
    settings *s;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const CUresult result = bytes <= MOST_BYTES ? settings_of(function, &s) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) s->bytes = bytes;
    return cuda_leave(result);
}

/* The program computes the offsets. point_into() checks the whole size at the launch. */
CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes) {
    settings *s;
    CUDA_ENTER_HANDLE(d);
    (void)d;
    const bool fits = value && offset >= 0 && offset <= MOST_BYTES && bytes <= MOST_BYTES - (unsigned)offset;
    const CUresult result = fits ? settings_of(function, &s) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) memcpy(s->parameters + offset, value, bytes);
    return cuda_leave(result);
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value) {
    return cuParamSetv(function, offset, &value, sizeof value);
}

/* Grids of this style have two dimensions. */
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
    settings *s;
    CUDA_ENTER_STREAM(d, stream);
    CUresult result = width > 0 && height > 0 ? settings_of(function, &s) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    void *extra[] = {(void *)EXTRA_BUFFER, s->parameters, (void *)EXTRA_BYTES, &s->bytes, (void *)EXTRA_END};
    CUlaunchConfig config = {
        .grid = {(unsigned)width, (unsigned)height, 1}, .shared_bytes = s->shared_bytes, .stream = stream};
    memcpy(config.block, s->block, sizeof config.block);
    return standin_leave_launch_of_driver(launch(d, function, &config, NULL, extra));
}

CUresult cuLaunchGrid(CUfunction function, int width, int height) {
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function) {
    return cuLaunchGrid(function, 1, 1);
}
