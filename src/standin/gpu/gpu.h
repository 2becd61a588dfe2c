/* haul profile --device gpu:N -- PROGRAM: a libcuda.so.1 that forwards to the real driver and times launches. It is
 * preloaded into the program and exports every name of cuda/names.def. Each call goes to the real driver with the same
 * arguments; a launch gets an event before and an event after it.
 *
 *     trampolines.c  the exported names; each jumps to the real function
 *     driver.c       loads the real driver; cuGetProcAddress()
 *     wrapped.def    functions that haul wraps
 *     used.def       real functions that haul calls
 *     launches.c     launches; calls that invalidate handles and events
 *     events.c       pairs of events, by context
 *     kernels.c      which launches are timed, and their sums
 *     report.c       the report
 *     ending.c       the end of the program */
#ifndef HAUL_STANDIN_GPU_GPU_H
#define HAUL_STANDIN_GPU_GPU_H

#include "driver/driver.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CUlib_st *CUlibrary;

/* ---- driver.c ---- */

/* The real driver; the first call loads it. */
typedef struct gpu_driver {
#define USED(symbol, parameters) CUresult(*symbol) parameters;
#include "standin/gpu/used.def"
#undef USED
} gpu_driver;
const gpu_driver *gpu_real(void);

/* ---- kernels.c ---- */

/* All launches of one name. */
typedef struct gpu_kernel {
    const char *symbol;               /* GPU_GRAPH stands for launches of graphs */
    bool wanted;                      /* the filter for kernels takes it */
    unsigned grid[3], block[3];       /* of the first launch */
    bool has_grids, has_blocks;       /* other launches differ */
    uint64_t launches, chosen, timed; /* chosen: to be timed */
    double us, shortest, longest;     /* of timed launches */
    struct gpu_kernel *next;
} gpu_kernel;
#define GPU_GRAPH "[graph launch]"

/* A launch between gpu_choose() and its report. */
typedef struct gpu_launch {
    gpu_kernel *kernel; /* NULL: excluded by the filters */
    bool is_timed;
    uint64_t number; /* of the launch in the program, from 0 on */
    unsigned grid[3], block[3], shared_bytes;
} gpu_launch;

/* Locks out other threads. */
void gpu_lock(void);
bool gpu_try_lock(void);
void gpu_unlock(void);

/* With the lock: chooses a launch about to be made (`function` is NULL for a graph), counts one that was made, adds a
 * time, counts one that became part of a graph. */
gpu_launch gpu_choose(CUfunction function, const CUlaunchConfig *config);
void gpu_count(const gpu_launch *launch);
void gpu_add_time(const gpu_launch *launch, double us);
void gpu_count_captured(void);
/* Forgets functions, whose handles may mean other kernels from now on. */
void gpu_forget_functions(void);
/* Notes that a handle is that of a library's kernel, not of a function, until its library is unloaded. */
void gpu_add_library_kernel(CUfunction kernel, CUlibrary library);
void gpu_forget_library(CUlibrary library);
/* The kernels in the order of their first launches. */
const gpu_kernel *gpu_kernels(void);
uint64_t gpu_captured(void);

/* ---- events.c ---- */

/* A launch between two events. */
typedef struct gpu_pair gpu_pair;

/* Records an event in the stream. NULL: the launch cannot be timed. */
gpu_pair *gpu_begin(CUstream stream);
/* Records the other event after the launch, if it was made. `pair` may be NULL. */
void gpu_end(gpu_pair *pair, CUstream stream, const gpu_launch *launch, CUresult result);
/* Waits for all pairs of the context (NULL: of all), for at most GPU_MOST_SECONDS, and destroys the events. Needs the
 * lock. */
enum { GPU_MOST_SECONDS = 20 };
void gpu_finish(CUcontext context);
/* Mean microseconds between two events with nothing between them, and with an empty kernel; negative: not known. */
typedef struct gpu_overhead {
    double nothing, kernel;
} gpu_overhead;
gpu_overhead gpu_cost(void);
/* Lets the thread make any call while it or another thread captures. Returns its earlier mode, for gpu_restore(). */
int gpu_relax(void);
void gpu_restore(int mode);
/* Whether a launch into the stream would become part of a graph. */
bool gpu_is_captured(CUstream stream);

/* ---- report.c ---- */

/* Queries the device's name; called once the driver is in use. */
void gpu_prepare_report(void);
/* Reports a launch that has been timed. Needs the lock. */
void gpu_put_launch(const gpu_launch *launch, double us);
/* Reports all timed launches. Needs the lock. */
void gpu_report(void);

/* ---- ending.c ---- */

/* Makes the report appear at the end of this process; called once the driver is in use. */
void gpu_prepare_end(void);

#endif
