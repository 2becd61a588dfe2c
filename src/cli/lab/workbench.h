/* The tools of experiments: launches described as data, whose results are compared with the host's.
 *
 * Lifetimes: a lab_workbench lives for one experiment and owns its kernels, its run record and the host arrays of
 * lab_floats(). If the lab has a GPU, each launch also happens there; its results are verified, and its times and
 * counters are shown beside. Device buffers live for one launch: lab_measure() makes them from the arguments and frees
 * them. */
#ifndef HAUL_CLI_LAB_WORKBENCH_H
#define HAUL_CLI_LAB_WORKBENCH_H

#include "base/arena.h"
#include "cli/lab/experiment.h"

#include <haul/kernels.h>
#include <haul/texture.h>
#include <stdint.h>

#define EXPERIMENT(name, title, text) haul_status lab_run_##name(lab_workbench *b);
#include "cli/lab/experiments.def"
#undef EXPERIMENT

enum { LAB_ARGUMENTS = 8 };

/* A device that launches run on, with its kernels and their records. */
typedef struct lab_side {
    haul_device *device; /* NULL: no such side */
    haul_kernels *kernels;
    haul_run *run;
} lab_side;

/* A launch on both sides: its index in their runs. */
typedef struct lab_pair {
    const char *label;
    size_t own, real;
} lab_pair;

struct lab_workbench {
    lab *lab;
    report_section *section;
    lab_side own, real;  /* lab.device and lab.real */
    bool only_simulates; /* launches do not run on the GPU: only the model's estimates are wanted */
    lab_pair *pairs;
    size_t pair_count, pair_capacity;
    arena memory;
    size_t launches, wrong;
};

/* Begins an experiment: its kernels and its section of the report. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status lab_workbench_begin(lab_workbench *b, lab *l, report_section *section);
/* haul_kernels_limit_blocks() on all sides. */
void lab_limit_blocks(lab_workbench *b, uint32_t blocks);
/* Ends an experiment with `status`. If all went well, adds the table of GPU measurements and the check that every
 * launch gave the host's results. Frees the workbench and returns `status`. */
haul_status lab_workbench_end(lab_workbench *b, haul_status status);

/* ---- host arrays; NULL without memory, which the functions below accept and lab_measure() reports ---- */

/* Floats in (0, 1], the same for the same seed. */
float *lab_floats(lab_workbench *b, size_t count, uint32_t seed);
/* Contents of lab_result() buffers before the launch: a pattern that no kernel writes. */
float *lab_untouched(lab_workbench *b, size_t count);

/* ---- a launch ---- */

typedef enum lab_argument_kind { LAB_END, LAB_U32, LAB_F32, LAB_INPUT, LAB_RESULT, LAB_IMAGE } lab_argument_kind;

typedef struct lab_argument {
    lab_argument_kind kind;
    uint32_t word;
    float real;
    /* INPUT: contents; RESULT: contents before (NULL: untouched) and expected contents after. */
    const float *before, *after;
    size_t count;
    uint32_t width; /* IMAGE: width of its rows; a texture over an array, no filter, clamped */
} lab_argument;

static inline lab_argument lab_u32(uint32_t word) {
    return (lab_argument){.kind = LAB_U32, .word = word};
}
static inline lab_argument lab_f32(float real) {
    return (lab_argument){.kind = LAB_F32, .real = real};
}
static inline lab_argument lab_input(const float *contents, size_t count) {
    return (lab_argument){.kind = LAB_INPUT, .before = contents, .count = count};
}
static inline lab_argument lab_image(const float *contents, uint32_t width, uint32_t height) {
    return (lab_argument){.kind = LAB_IMAGE, .before = contents, .count = (size_t)width * height, .width = width};
}
static inline lab_argument lab_result(const float *before, const float *after, size_t count) {
    return (lab_argument){.kind = LAB_RESULT, .before = before, .after = after, .count = count};
}

/* Launches a kernel that has a host function. `argument` are the launch's arguments, `with` is the launch's `with`. */
typedef haul_status lab_function(haul_kernels *kernels, const haul_argument *argument, const void *with, haul_run *run);

/* Extents that are 0 mean 1. Arguments end at the first LAB_END. */
typedef struct lab_launch {
    const char *kernel;
    lab_function *function; /* then module and extents are not used */
    const void *with;
    uint32_t parameter; /* of the function: distinguishes its launches of one kernel; 0: none */
    const char *module;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    lab_argument arguments[LAB_ARGUMENTS];
    const char *variable; /* a variable of the module, set to `contents` before the launch; NULL: none */
    const float *contents;
    size_t variable_count;
} lab_launch;

/* Runs the launch; `record` gets a copy of its record, valid until lab_workbench_end(). Results that are not
 * bit-identical to the expected ones are noted in the section and counted; they are not errors of this call. */
haul_status lab_measure(lab_workbench *b, const lab_launch *launch, haul_launch_record *record);

/* Blocks of `block` that cover n. */
static inline uint32_t lab_blocks(size_t n, uint32_t block) {
    return (uint32_t)((n + block - 1) / block);
}

/* Adds Nsight Compute's memory tables for one launch; `title` names it. */
void lab_show_memory(lab_workbench *b, const char *title, const haul_launch_record *record);

#endif
