/* What the kernels' host functions are written with: a launch is a table of its form, its extent and its arguments;
 * what can be checked is checked from the table. */
#ifndef HAUL_KERNELS_LAUNCH_H
#define HAUL_KERNELS_LAUNCH_H

#include <haul/kernels.h>

/* ---- arguments ---- */

typedef struct kernels_argument {
    haul_argument value;
    const char *name; /* of a buffer, for messages */
    uint64_t bytes;   /* that a buffer has to have */
    bool written;
} kernels_argument;

#define KERNELS_U32(number)                                        \
    {                                                              \
        .value = {.kind = HAUL_ARGUMENT_I32, .integer = (number) } \
    }
#define KERNELS_F32(number)                                             \
    {                                                                   \
        .value = {.kind = HAUL_ARGUMENT_F32, .real = (double)(number) } \
    }
/* The buffer in the variable `in`, of which `count` elements of `size` bytes are read, or written. */
#define KERNELS_IN(in, count, size) \
    { .value = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = (in)}, .name = #in, .bytes = (uint64_t)(count) * (size) }
#define KERNELS_OUT(out, count, size)                                                                                \
    {                                                                                                                \
        .value = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = (out)}, .name = #out, .bytes = (uint64_t)(count) * (size), \
        .written = true                                                                                              \
    }

enum { KERNELS_MOST_ARGUMENTS = 24 };

/* ---- what was tuned for an architecture ---- */

/* A family's forms: as everybody sees them, which is as the newest architecture has them, and as this one does. */
typedef struct kernels_family {
    const haul_kernel_form *shown, *own;
} kernels_family;

typedef struct kernels_constant_row {
    const char *name, *value;
} kernels_constant_row;

typedef struct kernels_tables {
    uint32_t architecture;
    const kernels_family *families; /* whose forms depend on what was tuned */
    size_t family_count;
    const kernels_constant_row *constants;
    size_t constant_count;
} kernels_tables;

uint32_t kernels_sm_count(const haul_kernels *k);

/* A numeric constant as the device's architecture has it; 0 when there is none of that name. */
uint32_t kernels_tuned(const haul_kernels *k, const char *name);

/* Whether memory is so fast for the number of SMs that a block which holds its stores back until its loads have arrived
 * has too few of them under way. An H100 has 25 GB/s for each SM and is faster with such blocks; an H200 has 36 GB/s
 * and is slower by 2 to 4 % (bench/results/bench-h200-2026-11-21.md). */
bool kernels_memory_outruns_pacing(const haul_kernels *k);

/* Those of kernels/tuned/, the oldest architecture first. */
extern const kernels_tables kernels_tables_sm_80, kernels_tables_sm_90;

/* ---- launches ---- */

typedef struct kernels_launch {
    const char *function; /* "haul_saxpy", for messages */
    const haul_kernel_form *forms;
    unsigned form_count, form;
    const char *kernel;          /* NULL: the form's */
    uint64_t extent[3];          /* elements in x, y, z, which the form's tiles cover (in z each is 1 high); a y or z
                                    of 0 means that there is no such dimension */
    uint64_t blocks_in_y;        /* of a grid that covers; 0: as many as there are tiles */
    uint32_t extra_shared_bytes; /* dynamic shared memory beside the form's */
    uint32_t blocks_per_sm;      /* of a grid that strides, at most; 0: as many as fit */
    const kernels_argument *arguments;
    size_t argument_count;
} kernels_launch;

/* Fills in the fields of a launch that are there in every one. */
#define KERNELS_FORM(table, number) \
    .forms = (table), .form_count = sizeof(table) / sizeof(table)[0], .form = (unsigned)(number)
#define KERNELS_ARGUMENTS(table) .arguments = (table), .argument_count = sizeof(table) / sizeof(table)[0]

/* Checks the table, loads the module where it is not there yet, launches and waits. */
haul_status kernels_run(haul_kernels *k, const kernels_launch *launch, haul_run *run);

/* The module of kernels/NAME.cu in its newest form that the device can run. Valid until haul_kernels_close(). Errors:
 * HAUL_ERROR_NOT_FOUND, and those of haul_module_load(). */
haul_status kernels_module(haul_kernels *k, const char *name, haul_module **module);

#endif
