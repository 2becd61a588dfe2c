/* The kernels that ship, as candidates: the forms of <haul/kernels.def>, launched by their own host functions
 * (kernels/NAME.c), which run here on what shipped.cu puts in place of haul's library: the CUDA runtime, without a wait
 * behind each launch. Each form comes as nvcc compiled it, and as the PTX that haul's programs embed. */
#ifndef HAUL_BENCH_DEVICE_SHIPPED_H
#define HAUL_BENCH_DEVICE_SHIPPED_H

#include <haul/kernels.h>

#include "bench.h"

struct shipped_build {
    const char *endings[2]; /* of a module's file: .sm_90.ptx, or else .ptx */
    haul_kernels *kernels;
};

extern shipped_build shipped_nvcc, shipped_ptx;

/* Device memory that a candidate works on. */
struct haul_buffer {
    void *at;
};

/* Looks for modules in the folder `kernels` beside the program. */
void shipped_open(const char *program);

/* Whether the build has the kernels. */
int shipped_there(const shipped_build *build);

/* Stops the program with haul's message when a host function has failed. */
void shipped_must(haul_status status);

#define SHIPPED(form, name)                                                  \
    {"haul " name, nullptr, 0, 0, 0, 0, 0, nullptr, 0, form, &shipped_nvcc}, \
        {"haul " name " ptx", nullptr, 0, 0, 0, 0, 0, nullptr, 0, form, &shipped_ptx},
#define PEER(name, run, unchecked) \
    { name, nullptr, 0, 0, 0, 0, 0, run, unchecked, 0, nullptr }

#endif
