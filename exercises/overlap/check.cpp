#include "../harness.h"

#include <string.h>

void process(float *to, const float *from, float *device, int n);

const exercise_case exercise_cases[] = {
    {"n = 1048576", "whole", 1048576, 0},
    {"n = 1234567: the last chunk is not full", "tail", 1234567, 0},
    {"n = 1: a single element", "small", 1, 0},
    {"n = 1000: less than most chunks", "small", 1000, 0},
    {"n = 8388608, measured", "measured", 8388608, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

typedef struct both_ways {
    float *to, *from, *device, *other;
    size_t bytes;
    cudaStream_t in, out;
} both_ways;

/* In and out at once, since no dependency separates them. */
static void copy_both_ways(void *context) {
    const both_ways *b = (both_ways *)context;
    cudaMemcpyAsync(b->device, b->from, b->bytes, cudaMemcpyHostToDevice, b->in);
    cudaMemcpyAsync(b->to, b->other, b->bytes, cudaMemcpyDeviceToHost, b->out);
}

static void time_ideal(both_ways *b) {
    cudaStreamCreateWithFlags(&b->in, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b->out, cudaStreamNonBlocking);
    exercise_ideal(exercise_time(copy_both_ways, b));
    cudaStreamDestroy(b->in);
    cudaStreamDestroy(b->out);
}

/* Distinguishes unchanged elements from other mistakes. */
static void look_for_unchanged(const float *got, const float *want, const float *in, size_t n) {
    size_t wrong = 0, unchanged = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += got[i] != want[i];
        unchanged += got[i] != want[i] && got[i] == in[i];
    }
    if (wrong && unchanged == wrong) exercise_fault("unchanged", "these came back as they went in");
}

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n, bytes = n * 4;
    const bool measured = strcmp(c->tag, "measured") == 0;
    const float *in = exercise_numbers(n, 1 << 20);
    float *want = (float *)exercise_host(bytes), *got = (float *)exercise_host(bytes);
    both_ways b = {(float *)exercise_pinned(bytes), (float *)exercise_pinned(bytes), exercise_output(n), NULL, bytes, NULL, NULL};
    memcpy(b.from, in, bytes);
    memset(b.to, 0, bytes);
    for (size_t i = 0; i < n; i++) want[i] = 2 * in[i] + 1;
    while (exercise_again()) {
        process(b.to, b.from, b.device, c->n);
        if (!measured) memcpy(got, b.to, bytes); /* contents when the function returns */
    }
    exercise_moves(2.0 * (double)bytes);
    exercise_hold_host(measured ? b.to : got, want, n);
    if (!measured && memcmp(got, want, bytes) != 0 && memcmp(b.to, want, bytes) == 0)
        exercise_fault("too-early", "all results are right a moment later");
    look_for_unchanged(measured ? b.to : got, want, in, n);
    b.other = exercise_output(n);
    if (measured) time_ideal(&b);
}
