/* The interface of programs that try a learner's solution: inputs, the call, the comparison, and the report.
 *
 * Such a program has three files: the learner's, with the host function of the exercise; the exercise's check.cpp, with
 * the cases and the reference; and harness.cpp, with main(). `haul exercise` compiles and runs it:
 *
 *     PROGRAM RESULTS test         tries all cases but the last
 *     PROGRAM RESULTS measure N    tries the last, the large one, N times, and times it
 *
 * RESULTS gets one JSON object per line, described in harness.cpp. Failed CUDA calls are reported there too. */
#ifndef HAUL_EXERCISES_HARNESS_H
#define HAUL_EXERCISES_HARNESS_H

#include <cuda_runtime.h>
#include <stddef.h>

/* name: for people, "n = 1000: the last block is not full". tag: for symptoms, "tail". n, m: sizes. */
typedef struct exercise_case {
    const char *name, *tag;
    int n, m;
} exercise_case;

/* ---- defined by an exercise in its check.cpp ---- */

/* The cases; the last one is large and is measured. */
extern const exercise_case exercise_cases[];
extern const int exercise_case_count;
/* Makes the inputs of a case, calls the learner's function while exercise_again(), and compares the results. */
void exercise_try(const exercise_case *c);

/* ---- provided by harness.cpp ---- */

/* Host memory until the end of the case. */
void *exercise_host(size_t bytes);
/* The same, page-locked. */
void *exercise_pinned(size_t bytes);
/* `count` integers below `limit` (at most 2^24), the same in every run; sums of few are exact. */
float *exercise_numbers(size_t count, unsigned limit);
/* Device memory of exactly this size until the end of the case, with the contents of `values`. */
void *exercise_on_device(const void *values, size_t bytes);
/* Device memory for results; each holds a NaN that no exercise computes until it is written. */
float *exercise_output(size_t count);

/* True once before each call of the learner's function, then false; the call's work is then complete:
 *     while (exercise_again()) scale(out, in, n); */
bool exercise_again(void);

/* Sets the bytes that any solution must read and write in global memory, each once. The ideal time is that of a copy of
 * as many bytes, unless exercise_ideal() sets it in microseconds. */
void exercise_moves(double bytes);
void exercise_ideal(double us);
/* Calls `work` and returns the microseconds until its work on the device is done. */
double exercise_time(void (*work)(void *), void *context);

/* Compares results in device memory with the right ones: `height` rows of `width`, `pitch` apart. Gaps between the rows
 * must be as exercise_output() left them. NaN is never right. Returns NULL if all are right or were not computed, else
 * the results until the end of the case, so that an exercise can recognise its own mistakes. */
const float *exercise_hold(const float *device, const float *want, size_t width, size_t height, size_t pitch);
/* The same for one row of results in host memory. */
void exercise_hold_host(const float *results, const float *want, size_t count);

/* Reports another fault of the case: a short name for symptoms, and a sentence. */
void exercise_fault(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
