/* The stand-in's reports on a program's launches. record.c chooses launches and passes the records of finished ones to
 * profile.c or check.c, or, before they begin, to recorder.c. All are called between standin_enter() and
 * standin_leave(). */
#ifndef HAUL_STANDIN_REPORT_H
#define HAUL_STANDIN_REPORT_H

#include "base/text.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include <haul/run.h>

/* Sums over launches: estimated microseconds, bytes of device memory. */
typedef struct standin_sums {
    double us, read, written;
} standin_sums;

enum { STANDIN_SHAPE_ROWS = 64 };

/* A kernel's launches with the same grid, block and dynamic shared memory. Launches of one shape resemble each
 * other, so a few of them are counted and stand for the others. */
typedef struct standin_shape {
    unsigned grid[3], block[3], shared_bytes;
    uint64_t launches, chosen, counted; /* chosen: to be counted, checked or recorded */
    standin_sums sums;                  /* of counted launches */
    struct standin_shape *next;         /* next in the hash row */
} standin_shape;

/* A kernel that is profiled, checked or recorded. record.c makes it at the kernel's first launch and owns it; none
 * is freed. */
typedef struct standin_kernel_record {
    CUfunction handle; /* the kernel on its device */
    const char *symbol;
    unsigned device;                           /* the device's number */
    bool wanted;                               /* the filter for kernels takes it */
    uint64_t launches, counted;                /* of all shapes */
    uint64_t blocks, counted_blocks;           /* of counted launches */
    haul_run *worst;                           /* the longest counted launch */
    standin_shape *shapes[STANDIN_SHAPE_ROWS]; /* by hash */
    struct standin_kernel_record *next, *next_in_row;
} standin_kernel_record;

/* Where a launch of the program is. */
typedef struct standin_launch_place {
    uint64_t number; /* among all launches, from 0 on */
    uint64_t stream; /* by cudaStreamGetId(), with --csv; 0 for the default stream */
} standin_launch_place;

/* ---- record.c ---- */

/* Chooses kernels of graphs, which the driver launches, like all others from now on. */
void standin_watch_graphs(void);

/* Whether a launch that a report waits for has failed. */
bool standin_has_fault(void);
/* If no stream has work, all launches so far are done: passes on their records. */
void standin_look_at_done(void);

/* ---- profile.c ---- */

/* Takes over the run, with the record of one launch of the kernel and shape. */
void standin_profile_launch(standin_kernel_record *kernel, standin_shape *shape, const standin_launch_place *launch,
                            haul_run *run);
/* Prints the report of all kernels, a list. */
haul_status standin_put_profile(const standin_kernel_record *kernels);

/* ---- trace.c ---- */

/* Traces the work of streams from now on, if that was asked for. */
void standin_watch_placed(void);
/* Adds a launch whose record is complete. */
void standin_trace_launch(const haul_run *run);
/* Writes the trace, if one was asked for. */
haul_status standin_put_trace(void);

/* ---- check.c ---- */

/* `place`: of the call that launched the kernel; NULL if it is not known. */
void standin_check_launch(unsigned device, const haul_launch_record *record, const void *place);
/* Findings between operations of the program, as a record of its calls. */
void standin_check_program(const haul_launch_record *record);
/* Reports a failed call of the program; `of_launch`: it gives a kernel or a graph to the device. */
void standin_check_call(CUresult result, bool of_launch);
struct standin_caller; /* runtime/caller.h */
/* The program asks for the thread's last error, which is that of the call. `is_late`: other calls have come since.
 * `for_launch`: the latest was a launch, whose error the program takes it for. */
void standin_check_asked(const struct standin_caller *failed, CUresult result, bool is_late, bool for_launch);
/* Reports leaks, unless the program is interrupted, then totals and files. Sets whether the check fails. */
haul_status standin_put_check(bool interrupted, bool *failed);

/* ---- order.c ---- */

/* Reports operations and host code that nothing orders, from now on. */
haul_status standin_watch_order(void);

/* ---- resources.c ---- */

/* Returns a table of the same functions that notes what the program makes and releases by it. */
const driver_table *standin_watch_resources(const driver_table *driver);
/* Reports what is left, once. */
void standin_report_resources(void);

/* ---- recorder.c ---- */

/* Called around a launch of the kernel: keeps its inputs, `parameters` as for cuLaunchKernel(), and writes its line
 * with its results. If a launch cannot be written, prints why, and the program continues. */
void standin_begin_recording(const driver_table *d, const standin_kernel_record *kernel, const CUlaunchConfig *config,
                             void **parameters);
void standin_take_recording(const driver_table *d, const standin_kernel_record *kernel);
void standin_end_recording(void);

/* ---- saved.c ---- */

/* Makes the files for the case that the program is killed, if the command line watches it. */
void standin_open_saved(void);
void standin_count_saved(uint64_t launches);
/* Saves the report if it lacks something (`is_new`: it does now) and the last time is long enough ago. */
void standin_save_report(bool is_new);
bool standin_has_unsaved(void); /* also between calls */
/* The report has been made, so the saved one goes. */
void standin_close_saved(void);

/* ---- record.c: the report of launches that are done, while others may come ---- */

haul_status standin_put_report_so_far(void);

/* ---- output.c ---- */

/* Creates a file of that name that no other process of the program has; sets `own` to its name, and `descriptor`. */
haul_status standin_make_output(const char *path, text *own, int *descriptor);
/* Writes a report's whole file and empties `content`. A file that this process has written is replaced. */
haul_status standin_write(const char *path, text *content);
/* Appends to the report, on standard error or in a file, and empties `out`. */
void standin_print(text *out);
int standin_report_descriptor(void);
/* The report's file, or "" for standard error. */
const char *standin_report_path(void);
/* From now on standin_print() appends to `to` instead, and standin_write() replaces what it has written; NULL: as
 * usual. */
void standin_collect(text *to);
bool standin_is_collecting(void);

#endif
