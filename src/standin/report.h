/* What the stand-in says of a program's launches. record.c chooses launches and hands on the records of those that are
 * done: to profile.c, to check.c, or, before they begin, to recorder.c. All are called between standin_enter() and
 * standin_leave(). */
#ifndef HAUL_STANDIN_REPORT_H
#define HAUL_STANDIN_REPORT_H

#include "base/text.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include <haul/run.h>

/* What launches have taken: estimated microseconds, bytes of device memory. */
typedef struct standin_sums {
    double us, read, written;
} standin_sums;

enum { STANDIN_SHAPE_ROWS = 64 };

/* A kernel's launches with the same grid, block and dynamic shared memory. */
typedef struct standin_shape {
    unsigned grid[3], block[3], shared_bytes;
    uint64_t launches, chosen, counted; /* chosen: to be counted, checked or recorded */
    standin_sums sums;                  /* of those that were counted */
    struct standin_shape *next;         /* in its row */
} standin_shape;

/* A kernel that is profiled, checked or recorded. */
typedef struct standin_kernel_record {
    CUfunction handle;
    const char *symbol;
    unsigned device; /* its number */
    bool wanted;
    uint64_t launches, counted;
    uint64_t blocks, counted_blocks;           /* of the launches that were counted */
    haul_run *worst;                           /* the longest of those that were counted */
    standin_shape *shapes[STANDIN_SHAPE_ROWS]; /* by hash */
    struct standin_kernel_record *next, *next_in_row;
} standin_kernel_record;

/* ---- record.c ---- */

/* From now on kernels of graphs, which the driver launches, are chosen as all others are. */
void standin_watch_graphs(void);

/* A launch that a report waits for has ended with a failure. */
bool standin_has_fault(void);
/* If no stream has anything to do, all launches so far are done: hands on their records. */
void standin_look_at_done(void);

/* ---- profile.c ---- */

/* Takes the run, with the record of one launch of the kernel and shape, the `number`-th of the program. */
void standin_profile_launch(standin_kernel_record *kernel, standin_shape *shape, uint64_t number, haul_run *run);
/* The report of all kernels, the list's first one given. */
haul_status standin_put_profile(const standin_kernel_record *kernels);

/* ---- check.c ---- */

void standin_check_launch(unsigned device, const haul_launch_record *record);
/* What a call of the program's did wrong. */
void standin_check_call(CUresult result);
/* Leaks, but for a program that is interrupted; totals and files. Returns whether something makes the check fail. */
haul_status standin_put_check(bool interrupted, bool *failed);

/* ---- recorder.c ---- */

/* Around a launch of the kernel: keeps what it is given, `parameters` as cuLaunchKernel() takes them, and writes its
 * line with what it left. A launch that cannot be written is told, and the program goes on. */
void standin_begin_recording(const driver_table *d, const standin_kernel_record *kernel, const CUlaunchConfig *config,
                             void **parameters);
void standin_take_recording(const driver_table *d, const standin_kernel_record *kernel);
void standin_end_recording(void);

/* ---- output.c ---- */

/* Makes a file of that name that no other process of the program has; `own` gets its name, `descriptor` it. */
haul_status standin_make_output(const char *path, text *own, int *descriptor);
/* Writes all of a report's file; `content` is empty then. */
haul_status standin_write(const char *path, text *content);
/* Appends to the report, which is standard error or a file; `out` is empty then. */
void standin_print(text *out);
int standin_report_descriptor(void);

#endif
