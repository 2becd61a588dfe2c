/* Repeats one launch on a virtual GPU under several schedules, each time from the same state, and compares what it
 * leaves: buffers, surfaces and the module's variables. */
#ifndef HAUL_LIB_LAUNCH_TRIALS_H
#define HAUL_LIB_LAUNCH_TRIALS_H

#include "lib/launch/launches.h"
#include "machine/heap.h"

/* One piece of memory that a launch may write. */
typedef struct launch_piece {
    size_t argument;      /* of the kernel; valid if `variable` is NULL */
    const char *variable; /* of the module */
    unsigned char *bytes;
    uint64_t size;
} launch_piece;

typedef struct launch_contents {
    launch_piece *pieces;
    size_t count;
} launch_contents;

void launch_contents_free(launch_contents *contents);

/* The first word of four bytes that differs; the last one of a piece may be shorter. */
typedef struct launch_difference {
    const launch_piece *piece; /* of the first contents */
    uint64_t word, words;      /* its index; the number of words that differ, of all pieces */
    uint32_t values[2];
} launch_difference;

/* Returns false if there is no difference. Both must come from the same launch. */
bool launch_contents_differ(const launch_contents *a, const launch_contents *b, launch_difference *difference);

/* One run: its record and what it left. */
typedef struct launch_trial {
    haul_run *run;
    const haul_launch_record *record; /* NULL: the launch never began */
    haul_status status;               /* the launch's: HAUL_OK, a fault, a deadlock */
    launch_contents contents;
} launch_trial;

void launch_trial_free(launch_trial *trial);

/* State that persists between launches: the module's variables and the device's heap (NULL: none). */
typedef struct launch_state {
    launch_contents variables;
    sim_heap_copy *heap;
} launch_state;

typedef struct launch_trials {
    haul_device *device;
    haul_module *module;
    launch_description *launch;
    launch_workspace workspace;
    launch_state before, after; /* the first run */
    bool has_run;
} launch_trials;

/* Allocates the launch's buffers and saves the state. `t` must be all zeros; call launch_trials_end() also after an
 * error. Errors: those of launch_run(). */
haul_status launch_trials_begin(launch_trials *t, haul_device *device, haul_module *module, launch_description *launch);
/* Runs the launch from the saved state; call launch_trial_free() also after an error. Only the first run hashes buffers
 * (argument.hash) and writes output files. A kernel's failure is no error: it is in `trial`. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY, those of files. */
haul_status launch_trials_run(launch_trials *t, const haul_device_options *schedule, launch_trial *trial);
/* Leaves variables and heap as the first run did and frees the rest. */
haul_status launch_trials_end(launch_trials *t);

#endif
