/* Inside the device benchmark: arrays, checks, timing, reports. */
#ifndef HAUL_BENCH_DEVICE_HARNESS_H
#define HAUL_BENCH_DEVICE_HARNESS_H

#include <stdio.h>

#include "bench.h"

#define HARNESS_ODD_MOST ((1u << 22) + 64) /* the largest size that only gets checked */

/* Microseconds a launch, over the rounds. */
typedef struct {
    float median, low, high; /* low, high: a tenth of the samples lie below, above */
    int valid;               /* the candidate computed what it should */
} harness_result;

void harness_run(const bench_work *w, const bench_case *c, const bench_candidate *k, const bench_buffers *b);
size_t harness_copied(const bench_case *c);
void harness_open(bench_buffers *b, const bench_case *c);
void harness_close(bench_buffers *b);
void harness_allow_shared(const bench_work *w);

/* Prepares, launches once, counts what is wrong, and prints it. */
unsigned long long harness_check(const bench_work *w, const bench_case *c, const bench_candidate *k,
                                 const bench_buffers *b);

/* The same for many small sizes; b holds HARNESS_ODD_MOST floats. */
unsigned long long harness_check_sizes(const bench_work *w, const bench_candidate *k, const bench_buffers *b);

/* Times the valid candidates: `rounds` rounds, each in an order of its own. */
void timing_measure(const bench_work *w, const bench_case *c, const bench_buffers *sets, unsigned set_count,
                    unsigned rounds, harness_result *results);

void report_case(const bench_work *w, const bench_case *c, const harness_result *results, unsigned rounds, FILE *json,
                 int first);

#endif
