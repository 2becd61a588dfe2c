/* The tools of the kernels' host functions: a launch is a table of its form, its extent and its arguments, from which
 * it is checked. */
#ifndef HAUL_KERNELS_LAUNCH_H
#define HAUL_KERNELS_LAUNCH_H

#include <haul/kernels.h>

/* ---- arguments ---- */

typedef struct kernels_argument {
    haul_argument value;
    const char *name; /* the buffer's name, for messages */
    uint64_t bytes;   /* required size of a buffer */
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

/* ---- constants tuned for an architecture ---- */

/* A family's forms: the public ones, which are those of the newest architecture, and those of this one. */
typedef struct kernels_family {
    const haul_kernel_form *shown, *own;
} kernels_family;

typedef struct kernels_constant_row {
    const char *name, *value;
} kernels_constant_row;

typedef struct kernels_tables {
    uint32_t architecture;
    const kernels_family *families; /* families whose forms depend on tuned constants */
    size_t family_count;
    const kernels_constant_row *constants;
    size_t constant_count;
} kernels_tables;

uint32_t kernels_sm_count(const haul_kernels *k);
uint32_t kernels_architecture(const haul_kernels *k); /* 90 for sm_90 */

/* A numeric constant for the device's architecture; 0 if there is none of that name. */
uint32_t kernels_tuned(const haul_kernels *k, const char *name);

/* Whether memory is so fast for the number of SMs that a block has too few stores in flight if it holds them back until
 * its loads have arrived. An H100 has 25 GB/s for each SM and is faster with such blocks; an H200 has 36 GB/s and is
 * slower by 2 to 4 % (bench/results/bench-h200-2026-11-21.md). It also wants other forms of other kernels
 * (bench/results/sweep-h200-2026-11-28.md). */
bool kernels_memory_outruns_pacing(const haul_kernels *k);

/* The tables of kernels/tuned/, the oldest architecture first. */
extern const kernels_tables kernels_tables_sm_80, kernels_tables_sm_90;

/* ---- launches ---- */

typedef struct kernels_launch {
    const char *function; /* "haul_saxpy", for messages */
    const haul_kernel_form *forms;
    unsigned form_count, form;
    const char *kernel;   /* NULL: the kernel of the form */
    uint64_t extent[3];   /* elements in x, y, z, which the form's tiles cover (in z each is 1 high); 0 in y or z:
                             no such dimension */
    uint64_t blocks_in_y; /* blocks in y of a grid that covers; 0: one for each tile */
    uint32_t extra_shared_bytes; /* dynamic shared memory in addition to the form's */
    uint32_t blocks_per_sm;      /* limit for a grid that strides; 0: as many as fit */
    const kernels_argument *arguments;
    size_t argument_count;
} kernels_launch;

/* Sets the fields that every launch has. */
#define KERNELS_FORM(table, number) \
    .forms = (table), .form_count = sizeof(table) / sizeof(table)[0], .form = (unsigned)(number)
#define KERNELS_ARGUMENTS(table) .arguments = (table), .argument_count = sizeof(table) / sizeof(table)[0]

/* Checks the table, loads the module if needed, launches and waits. */
haul_status kernels_run(haul_kernels *k, const kernels_launch *launch, haul_run *run);

/* The newest module of kernels/NAME.cu that the device can run. Valid until haul_kernels_close(). Errors:
 * HAUL_ERROR_NOT_FOUND, and those of haul_module_load(). */
haul_status kernels_module(haul_kernels *k, const char *name, haul_module **module);

#endif
