/* Timing: events around each sample, candidates interleaved in a new order every round. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "harness.h"

#define WARM_UP 3 /* rounds that are not counted */

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static harness_result summary(float *samples, unsigned count) {
    qsort(samples, count, sizeof *samples, by_value);
    harness_result r = {samples[count / 2], samples[count / 10], samples[count - 1 - count / 10], 1};
    return r;
}

/* The order of a round: who runs before whom, and finds whose lines in L2, must not be the same each time. */
static void shuffle(unsigned *order, unsigned count, unsigned *seed) {
    for (unsigned i = count; i > 1; i--) {
        *seed = *seed * 1664525u + 1013904223u;
        unsigned j = (*seed >> 8) % i, swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

typedef struct {
    const bench_work *work;
    const bench_case *wanted;
    const bench_buffers *sets;
    unsigned set_count, turn; /* turn: the next launch's set */
    cudaEvent_t *events;      /* two a candidate */
} timing;

static void sample(timing *t, unsigned candidate) {
    bench_cuda(cudaEventRecord(t->events[2 * candidate], nullptr), "event");
    for (unsigned i = 0; i < t->wanted->train; i++, t->turn++) {
        harness_run(t->work, t->wanted, &t->work->candidates[candidate], &t->sets[t->turn % t->set_count]);
    }
    bench_cuda(cudaEventRecord(t->events[2 * candidate + 1], nullptr), "event");
}

/* Queues a round behind a copy that keeps the device busy until the queue is ahead of it. */
static void one_round(timing *t, const unsigned *order, unsigned count) {
    for (unsigned i = 0; i < 2; i++, t->turn++) bench_memcpy(t->wanted, &t->sets[t->turn % t->set_count]);
    for (unsigned i = 0; i < count; i++) sample(t, order[i]);
    t->turn++;
    bench_cuda(cudaDeviceSynchronize(), "a round");
}

static float microseconds(const timing *t, unsigned candidate) {
    float ms = 0.0f;
    bench_cuda(cudaEventElapsedTime(&ms, t->events[2 * candidate], t->events[2 * candidate + 1]), "event");
    return ms * 1000.0f / (float)t->wanted->train;
}

void timing_measure(const bench_work *w, const bench_case *c, const bench_buffers *sets, unsigned set_count,
                    unsigned rounds, harness_result *results) {
    unsigned *order = (unsigned *)calloc(w->count, sizeof *order), count = 0, seed = 12345;
    float *samples = (float *)calloc((size_t)w->count * rounds, sizeof *samples);
    timing t = {w, c, sets, set_count, 0, (cudaEvent_t *)calloc(2u * w->count, sizeof(cudaEvent_t))};
    for (unsigned i = 0; i < w->count; i++) {
        if (results[i].valid) order[count++] = i;
    }
    for (unsigned i = 0; i < 2 * w->count; i++) bench_cuda(cudaEventCreate(&t.events[i]), "event");
    for (unsigned r = 0; r < rounds + WARM_UP; r++) {
        shuffle(order, count, &seed);
        one_round(&t, order, count);
        for (unsigned i = 0; i < count && r >= WARM_UP; i++) {
            samples[(size_t)order[i] * rounds + r - WARM_UP] = microseconds(&t, order[i]);
        }
    }
    for (unsigned i = 0; i < count; i++) results[order[i]] = summary(samples + (size_t)order[i] * rounds, rounds);
    for (unsigned i = 0; i < 2 * w->count; i++) cudaEventDestroy(t.events[i]);
    free(t.events);
    free(samples);
    free(order);
}
