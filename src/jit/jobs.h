/* What is to be compiled, and the thread that does it. */
#ifndef HAUL_JIT_JOBS_H
#define HAUL_JIT_JOBS_H

#include "jit/compiled.h"

typedef struct sim_job {
    sim_compiled *program;
    uint32_t block; /* SIM_JOB_KEPT: all blocks whose code has been kept */
    sim_code_form form;
    sim_code_level level;
    uint64_t weight; /* the heaviest job is done first */
} sim_job;

#define SIM_JOB_KEPT UINT32_MAX

/* jobs.c: for the thread, which is started if need be. */
void sim_jobs_add(const sim_job *j);
/* Does it at once. */
void sim_jobs_do(const sim_job *j);
/* Waits until LLVM has been loaded, if a job asks for it. While it is loaded it registers functions for the program's
 * end; a program that ends meanwhile calls them beside its constructors, and crashes. So no launch returns before. */
void sim_jobs_await_library(void);
/* The program's jobs are not done any more; waits for the one that is being done. */
void sim_jobs_drop(const sim_compiled *c);

/* compiled.c: does a job; called by one thread at a time. */
void sim_compile(const sim_job *j);

#endif
