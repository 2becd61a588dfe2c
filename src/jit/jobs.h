/* Compile jobs and the thread that does them. */
#ifndef HAUL_JIT_JOBS_H
#define HAUL_JIT_JOBS_H

#include "jit/compiled.h"

typedef struct sim_job {
    sim_compiled *program;
    uint32_t block; /* SIM_JOB_CACHED: all blocks that have cached code */
    sim_code_form form;
    sim_code_level level;
    uint64_t weight; /* the heaviest job is done first */
} sim_job;

#define SIM_JOB_CACHED UINT32_MAX

/* jobs.c: queues a job for the thread, which is started if necessary. */
void sim_jobs_add(const sim_job *j);
/* Does a job at once. */
void sim_jobs_do(const sim_job *j);
/* Waits until LLVM is loaded, if a job needs it. While loading, LLVM registers exit handlers. A program that ends
 * meanwhile runs them concurrently with LLVM's constructors, and crashes. So no launch returns before. */
void sim_jobs_await_library(void);
/* Removes the program's jobs, and waits for one in progress. */
void sim_jobs_drop(const sim_compiled *c);

/* program.c: does a job; called by one thread at a time. */
void sim_compile(const sim_job *j);

#endif
