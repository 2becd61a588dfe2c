/* What the programs that try a learner's solution share: inputs, the call, the comparison, and what is reported.
 *
 * Such a program is three files: the learner's, with the host function that the exercise asks for; the exercise's
 * check.cpp, which has the cases and the reference; and harness.cpp, which has main(). `haul exercise` compiles and
 * runs it:
 *
 *     PROGRAM RESULTS test         tries all cases but the last
 *     PROGRAM RESULTS measure N    tries the last, the large one, N times, and times it
 *
 * RESULTS gets a JSON object a line; harness.cpp says which. Any call of CUDA that fails is reported there too. */
#ifndef HAUL_EXERCISES_HARNESS_H
#define HAUL_EXERCISES_HARNESS_H

#include <cuda_runtime.h>
#include <stddef.h>

/* name: for people, "n = 1000: the last block is not full". tag: for symptoms, "tail". n, m: sizes. */
typedef struct exercise_case {
    const char *name, *tag;
    int n, m;
} exercise_case;

/* ---- what an exercise has, in its check.cpp ---- */

/* The cases; the last one is large and is what is measured. */
extern const exercise_case exercise_cases[];
extern const int exercise_case_count;
/* Makes the inputs of a case, calls the learner's function while exercise_again(), and holds the results. */
void exercise_try(const exercise_case *c);

/* ---- what it takes ---- */

/* Host memory until the end of the case. */
void *exercise_host(size_t bytes);
/* The same, page-locked. */
void *exercise_pinned(size_t bytes);
/* `count` whole numbers below `limit` (at most 2^24), the same in every run: sums of few are exact. */
float *exercise_numbers(size_t count, unsigned limit);
/* Device memory of exactly so many bytes until the end of the case, with those of `values`. */
void *exercise_on_device(const void *values, size_t bytes);
/* Device memory for results; a NaN that no exercise computes is in each until it is written. */
float *exercise_output(size_t count);

/* True once before each call of the learner's function, then false; what it did is complete from then on:
 *     while (exercise_again()) scale(out, in, n); */
bool exercise_again(void);

/* Bytes that any solution has to read and write in global memory, each once. The ideal time is that of a copy of so
 * many bytes, unless exercise_ideal() says it in microseconds. */
void exercise_moves(double bytes);
void exercise_ideal(double us);
/* When the next stretch of work on the device is done by `work`: microseconds. */
double exercise_time(void (*work)(void *), void *context);

/* Holds results in device memory against the right ones: `height` rows of `width`, `pitch` apart. What lies between
 * the rows must be as exercise_output() left it. NaN is never right. Returns NULL if all are right or were not made,
 * else the results until the end of the case: for what an exercise can tell of its own mistakes. */
const float *exercise_hold(const float *device, const float *want, size_t width, size_t height, size_t pitch);
/* The same of results in host memory, a row of them. */
void exercise_hold_host(const float *results, const float *want, size_t count);

/* Something else that is wrong with the case: a short name for symptoms, and a sentence. */
void exercise_fault(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
