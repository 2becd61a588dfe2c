/* A libcuda.so.1 for tests/standin/run_gpu.sh, in place of the real driver. A kernel's handle is its name; a kernel
 * takes as many microseconds as its grid is wide. "faults" makes all later calls on streams and events fail. It has few
 * functions: the others are missing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, FAULT = 700, RELAXED = 2 };

typedef struct event {
    double us;
    int queries, epoch;
} event;

static double now;
static int epoch, fault;
static _Thread_local int mode;
static atomic_int events;
static const void *captured = (void *)3;

static int expect(int fact, const char *what) {
    if (!fact) printf("driver: %s\n", what);
    return OK;
}

int cuInit(unsigned flags) {
    return (int)flags;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return OK;
}

int cuDeviceGetName(char *name, int length, int device) {
    snprintf(name, (size_t)length, "Mock GPU %d", device);
    return OK;
}

int cuCtxGetCurrent(void **context) {
    *context = (void *)1;
    return OK;
}

int cuCtxPushCurrent_v2(void *context) {
    return expect(context == (void *)1, "another context");
}

int cuCtxPopCurrent_v2(void **context) {
    return cuCtxGetCurrent(context);
}

/* Events end with their context. */
int cuDevicePrimaryCtxReset_v2(int device) {
    epoch++;
    return device;
}

/* "!name" is a library's kernel, not a function: where one is known, nobody asks for it as a function. */
int cuFuncGetName(const char **name, const char *function) {
    expect(strcmp(function, "!plain") != 0, "a kernel instead of a function");
    *name = function;
    return *function == '!' ? INVALID_HANDLE : OK;
}

int cuLibraryGetKernel(const char **kernel, void *from, const char *name) {
    *kernel = name;
    return from ? OK : INVALID_HANDLE;
}

int cuLibraryUnload(void *unloaded) {
    return unloaded ? OK : INVALID_HANDLE;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    (void)device;
    return cuCtxGetCurrent(context);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    return OK;
}

int cuKernelGetName(const char **name, const char *kernel) {
    *name = kernel + 1;
    return OK;
}

int cuThreadExchangeStreamCaptureMode(int *given) {
    const int before = mode;
    mode = *given;
    *given = before;
    return OK;
}

int cuStreamIsCapturing(const void *stream, int *status) {
    *status = stream == captured;
    return fault;
}

int cuStreamCreate(void **stream, unsigned flags) {
    (void)flags;
    *stream = (void *)4;
    return fault;
}

int cuStreamSynchronize(void *stream) {
    return stream ? OK : INVALID_HANDLE;
}

int cuStreamDestroy_v2(void *stream) {
    return stream ? OK : INVALID_HANDLE;
}

int cuEventCreate(event **e, unsigned flags) {
    expect(mode == RELAXED, "events are made while another thread may capture");
    *e = calloc(1, sizeof **e);
    (*e)->epoch = epoch;
    events++;
    return flags ? INVALID_HANDLE : OK;
}

int cuEventDestroy_v2(event *e) {
    events--;
    free(e);
    return OK;
}

int cuEventRecord(event *e, const void *stream) {
    expect(stream != captured, "an event in a stream that is captured");
    if (e->epoch != epoch || fault) return INVALID_HANDLE;
    *e = (event){.us = now, .epoch = epoch};
    now += 0.25;
    return OK;
}

/* Work is done when it was asked for a second time. */
int cuEventQuery(event *e) {
    expect(mode == RELAXED, "events are looked at while another thread may capture");
    if (e->epoch != epoch || fault) return INVALID_HANDLE;
    return e->queries++ ? OK : NOT_READY;
}

int cuEventElapsedTime(float *ms, const event *start, const event *end) {
    *ms = (float)((end->us - start->us) / 1000);
    return OK;
}

int cuLaunchKernel(const char *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra) {
    if (fault) return fault;
    (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z, (void)shared;
    (void)parameters, (void)extra;
    if (stream != captured) now += grid_x;
    if (strcmp(function, "faults") == 0) fault = FAULT;
    return grid_x ? OK : 1;
}

int cuLaunchKernel_ptsz(const char *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,
                        void **extra) {
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
                          extra);
}

int cuGraphLaunch(void *executable, void *stream) {
    (void)stream;
    now += 100;
    return executable ? OK : INVALID_HANDLE;
}

int cuLaunchCooperativeKernel(const char *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters) {
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
                          NULL);
}

/* Any name will do: all registers that hold arguments, and some of the stack. */
int cuMemcpy2D_v2(int a, int b, int c, int d, int e, int f, int g, double p, double q, double r, double s, double t,
                  double u, double v, double w, double x) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (int)(p + q + r + s + t + u + v + w + x);
}

/* A launch has another address here than by its name. */
static int launch(const char *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra) {
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
                          extra);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
    char whole[64];
    (void)version;
    snprintf(whole, sizeof whole, "%s%s", name, flags & 2 ? "_ptsz" : "");
    void *own = dlopen(getenv("HAUL_GPU_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
    *function = dlsym(own, whole);
    if (!flags && strcmp(name, "cuLaunchKernel") == 0) *function = (void *)launch;
    if (!*function) *function = dlsym(own, name);
    if (status) *status = !*function;
    return *function ? OK : NOT_FOUND;
}

__attribute__((destructor)) static void tell(void) {
    if (getenv("MOCK_TELLS")) printf("driver: %d events left\n", events);
}
