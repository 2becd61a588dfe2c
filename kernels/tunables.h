/* The tuning problems of the shipped kernels: kernels/tunables.def as arrays, whose rows name their kernel. */
#ifndef HAUL_KERNELS_TUNABLES_H
#define HAUL_KERNELS_TUNABLES_H

#include <stddef.h>
#include <stdint.h>

typedef enum kernels_tunable_id {
#define TUNABLE(id, ...) KERNELS_TUNABLE_##id,
#include <kernels/tunables.def>
    KERNELS_TUNABLES
} kernels_tunable_id;

/* Formulas and arguments as in lib/tune/tune.h. */
typedef struct kernels_tunable kernels_tunable;
struct kernels_tunable {
    const char *name, *what; /* "saxpy.paced"; one line for people */
    const char *file;        /* "saxpy" for kernels/saxpy.cu */
    uint32_t architecture;   /* the oldest architecture that is worth tuning for */
    const char *kernel, *grid, *block, *shared;
    const char *reference, *reference_grid, *reference_block;
    uint32_t reference_arguments; /* number of arguments; 0: all */
    const char *bytes;
    int64_t size, virtual_size, check_size; /* SIZE on a GPU, on a virtual one, and for verification */
};

extern const kernels_tunable kernels_tunables[KERNELS_TUNABLES];

/* A row that belongs to a kernel. */
typedef struct kernels_tunable_row {
    kernels_tunable_id kernel;
    const char *name, *text; /* a parameter's name and values; else only the text */
} kernels_tunable_row;

extern const kernels_tunable_row kernels_tunable_parameters[], kernels_tunable_arguments[],
    kernels_tunable_requirements[];
extern const size_t kernels_tunable_parameter_count, kernels_tunable_argument_count, kernels_tunable_requirement_count;

/* The value of a constant for an architecture (90 for sm_90), from kernels/tuned/, as in the source: "704",
 * "HAUL_AUTO". NULL if there is no such constant. */
const char *kernels_constant(const char *name, uint32_t architecture);

#endif
