/* haul profile --device gpu:N -- PROGRAM: a libcuda.so.1 that forwards to the real driver and times launches. It is
 * preloaded into the program and exports every name of cuda/names.def. Each call goes to the real driver with the same
 * arguments; a launch gets an event before and an event after it.
 *
 *     trampolines.c  the exported names; each jumps to the real function
 *     driver.c       loads the real driver; cuGetProcAddress()
 *     wrapped.def    functions that have a version here
 *     used.def       real functions that are called here
 *     launches.c     launches; calls that invalidate handles and events
 *     events.c       pairs of events, by context
 *     kernels.c      which launches are timed, their sums
 *     report.c       the report
 *     ending.c       the end of the program */
#ifndef HAUL_STANDIN_GPU_GPU_H
#define HAUL_STANDIN_GPU_GPU_H

#include "driver/driver.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CUlib_st *CUlibrary;

/* ---- driver.c ---- */

/* The real driver. The first call loads it. */
typedef struct gpu_driver {
#define USED(symbol, parameters) CUresult(*symbol) parameters;
#include "standin/gpu/used.def"
#undef USED
} gpu_driver;
const gpu_driver *gpu_real(void);

/* ---- kernels.c ---- */

/* All launches of one name. */
typedef struct gpu_kernel {
    const char *symbol; /* GPU_GRAPH: launches of graphs */
    bool wanted;
    unsigned grid[3], block[3];       /* of the first launch */
    bool has_grids, has_blocks;       /* others have another one */
    uint64_t launches, chosen, timed; /* chosen: to be timed */
    double us, shortest, longest;     /* of those that were timed */
    struct gpu_kernel *next;
} gpu_kernel;
#define GPU_GRAPH "[graph launch]"

typedef struct gpu_launch {
    gpu_kernel *kernel; /* NULL: the filters leave it out */
    bool is_timed;
    uint64_t number; /* of the launch in the program, from 0 on */
    unsigned grid[3], block[3], shared_bytes;
} gpu_launch;

/* One thread at a time. */
void gpu_lock(void);
bool gpu_try_lock(void);
void gpu_unlock(void);

/* ... with the lock: a launch that is about to be made (`function` is NULL for a graph), that was made, that took so
 * long; one that became part of a graph. */
gpu_launch gpu_choose(CUfunction function, const CUlaunchConfig *config);
void gpu_count(const gpu_launch *launch);
void gpu_add_time(const gpu_launch *launch, double us);
void gpu_count_captured(void);
/* Handles may mean other kernels from now on. */
void gpu_forget_functions(void);
/* A handle is that of a library's kernel, not of a function; until its library is unloaded. */
void gpu_add_library_kernel(CUfunction kernel, CUlibrary library);
void gpu_forget_library(CUlibrary library);
/* In the order of their first launches. */
const gpu_kernel *gpu_kernels(void);
uint64_t gpu_captured(void);

/* ---- events.c ---- */

/* A launch between two events. */
typedef struct gpu_pair gpu_pair;

/* Puts an event into the stream. NULL: the launch cannot be timed. */
gpu_pair *gpu_begin(CUstream stream);
/* Puts the other behind the launch, if it was made. `pair` may be NULL. */
void gpu_end(gpu_pair *pair, CUstream stream, const gpu_launch *launch, CUresult result);
/* Waits for all pairs of the context (NULL: of all), for GPU_MOST_SECONDS at most, and gives the events up. With the
 * lock. */
enum { GPU_MOST_SECONDS = 20 };
void gpu_finish(CUcontext context);
/* Mean microseconds between two events with nothing between them, and with an empty kernel; negative: not known. */
typedef struct gpu_overhead {
    double nothing, kernel;
} gpu_overhead;
gpu_overhead gpu_cost(void);
/* Lets the thread make any call while it or another thread captures. Returns what it was allowed before, for
 * gpu_restore(). */
int gpu_relax(void);
void gpu_restore(int mode);
/* A launch into the stream becomes part of a graph. */
bool gpu_is_captured(CUstream stream);

/* ---- report.c ---- */

/* The driver is in use: asks for the device's name. */
void gpu_prepare_report(void);
/* A launch has been timed. With the lock. */
void gpu_put_launch(const gpu_launch *launch, double us);
/* The report of what has been timed. With the lock. */
void gpu_report(void);

/* ---- ending.c ---- */

/* The driver is in use: the report comes at the end of this process. */
void gpu_prepare_end(void);

#endif
