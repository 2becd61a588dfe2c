#include "../harness.h"

#include <string.h>

enum { THREADS = 264 * 512, VECTOR = 4 };

void sum_rounds(float *out, const float4 *table, const float4 *data, int hot, int part, int rounds);

/* n: vectors of the table, m: of a round's part of the stream. */
const exercise_case exercise_cases[] = {
    {"a table of 1000 vectors, parts of 2000", "small", 1000, 2000},
    {"a table of a vector, parts of 200000", "small", 1, 200000},
    {"24 MiB and 48 MiB a round, measured", "measured", 24 << 16, 48 << 16},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

static void add(float *want, const float *values, size_t vectors) {
    for (size_t i = 0; i < vectors; i++)
        for (int k = 0; k < VECTOR; k++) want[i % THREADS] += values[i * VECTOR + k];
}

static void check_left(void) {
    size_t aside = 0;
    if (cudaDeviceGetLimit(&aside, cudaLimitPersistingL2CacheSize) == cudaSuccess && aside)
        exercise_fault("left-aside", "%zu bytes of L2 are still set aside", aside);
}

void exercise_try(const exercise_case *c) {
    enum { ROUNDS = 3 };
    const size_t hot = (size_t)c->n * VECTOR, part = (size_t)c->m * VECTOR;
    const float *table = exercise_numbers(hot, 16), *data = exercise_numbers(part * ROUNDS, 16);
    float *want = (float *)exercise_host(THREADS * 4), *out = exercise_output(THREADS);
    memset(want, 0, THREADS * 4);
    for (int r = 0; r < ROUNDS; r++) {
        add(want, table, hot / VECTOR);
        add(want, data + (size_t)r * part, part / VECTOR);
    }
    const float4 *kept = (float4 *)exercise_on_device(table, hot * 4);
    const float4 *passing = (float4 *)exercise_on_device(data, part * ROUNDS * 4);
    while (exercise_again()) sum_rounds(out, kept, passing, c->n, c->m, ROUNDS);
    exercise_moves(4.0 * (double)(hot + part * ROUNDS + THREADS));
    exercise_hold(out, want, THREADS, 1, THREADS);
    check_left();
}
