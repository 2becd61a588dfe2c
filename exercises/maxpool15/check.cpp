#include "../harness.h"

enum { RADIUS = 15 };

void maxpool15(float *out, const float *in, int n);

const exercise_case exercise_cases[] = {
    {"n = 8192: whole blocks", "whole", 8192, 0},
    {"n = 1: a single element", "small", 1, 0},
    {"n = 15: below the radius", "small", 15, 0},
    {"n = 17: windows that are cut on both sides", "small", 17, 0},
    {"n = 31: a single whole window", "small", 31, 0},
    {"n = 200: less than most blocks", "small", 200, 0},
    {"n = 8200: a few elements behind whole blocks", "tail", 8200, 0},
    {"n = 10007: a prime number", "tail", 10007, 0},
    {"n = 1048576, measured", "measured", 1048576, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

static float largest(const float *in, int from, int to) {
    float value = in[from];
    for (int i = from + 1; i <= to; i++) value = in[i] > value ? in[i] : value;
    return value;
}

/* Values rise and fall slowly, so that a window that lacks any of its elements shows. */
static void make_input(float *in, int n) {
    const float *noise = exercise_numbers((size_t)n, 16);
    for (int i = 0; i < n; i++) in[i] = 1 + 16 * (float)(i / 64 % 2 ? 64 - i % 64 : i % 64) + noise[i];
}

void exercise_try(const exercise_case *c) {
    const int n = c->n;
    const size_t bytes = (size_t)n * 4;
    float *in = (float *)exercise_host(bytes), *want = (float *)exercise_host(bytes);
    make_input(in, n);
    for (int i = 0; i < n; i++)
        want[i] = largest(in, i < RADIUS ? 0 : i - RADIUS, n - 1 - i < RADIUS ? n - 1 : i + RADIUS);
    const float *from = (float *)exercise_on_device(in, bytes);
    float *out = exercise_output((size_t)n);
    while (exercise_again()) maxpool15(out, from, n);
    exercise_moves(2.0 * (double)bytes);
    exercise_hold(out, want, (size_t)n, 1, (size_t)n);
}
