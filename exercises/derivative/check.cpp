#include "../harness.h"

void derivative(float *out, const float *in, int n0, int n1, int pitch);

const exercise_case exercise_cases[] = {
    {"64 x 256: whole blocks", "whole", 64, 256},
    {"100 x 256: columns that fill no block", "columns", 100, 256},
    {"64 x 37: rows that fill no block", "rows", 64, 37},
    {"33 x 129: neither", "rows", 33, 129},
    {"1 x 1: a single element", "small", 1, 1},
    {"5 x 3: less than a block", "small", 5, 3},
    {"1024 x 1024, measured", "measured", 1024, 1024},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

/* Distinguishes a derivative along the other dimension from other mistakes. */
static void look_for_other_dimension(const float *got, const float *in, int n0, int n1, int pitch) {
    int same = 0, seen = 0;
    for (int y = 0; y < n1; y++) {
        for (int x = 0; x + 1 < n0; x++, seen++) {
            const float difference = in[y * pitch + x + 1] - in[y * pitch + x];
            same += got[y * pitch + x] == difference || got[y * pitch + x] == -difference;
        }
    }
    if (seen >= 8 && same * 2 > seen) exercise_fault("fast-dimension", "most are the difference of two columns");
}

/* Rows of n0 floats without gaps. */
static void look_for_ignored_pitch(const float *got, const float *in, int n0, int n1, int pitch) {
    int same = 0;
    for (int i = 0; i < n0 * n1; i++) same += got[i] == in[i + n0] - in[i];
    if (pitch > n0 && n1 > 1 && same * 2 > n0 * n1) exercise_fault("pitch", "most are there as if rows had no gaps");
}

static void look_for_sign(const float *got, const float *want, int n0, int n1, int pitch) {
    for (int y = 0; y < n1; y++)
        for (int x = 0; x < n0; x++)
            if (got[y * pitch + x] != -want[y * n0 + x]) return;
    if (want[0] != 0) exercise_fault("sign", "all have the other sign");
}

void exercise_try(const exercise_case *c) {
    const int n0 = c->n, n1 = c->m, pitch = n0 / 32 * 32 + 32;
    const size_t bytes = ((size_t)n1 * (size_t)pitch + (size_t)n0) * 4;
    const float *in = exercise_numbers(bytes / 4, 1 << 20), *from = (float *)exercise_on_device(in, bytes);
    float *want = (float *)exercise_host((size_t)n0 * (size_t)n1 * 4);
    float *out = exercise_output((size_t)(n1 - 1) * (size_t)pitch + (size_t)n0);
    for (int y = 0; y < n1; y++)
        for (int x = 0; x < n0; x++) want[y * n0 + x] = in[(y + 1) * pitch + x] - in[y * pitch + x];
    while (exercise_again()) derivative(out, from, n0, n1, pitch);
    exercise_moves(4.0 * n0 * (2.0 * n1 + 1));
    const float *got = exercise_hold(out, want, (size_t)n0, (size_t)n1, (size_t)pitch);
    if (got) look_for_other_dimension(got, in, n0, n1, pitch);
    if (got) look_for_ignored_pitch(got, in, n0, n1, pitch);
    if (got) look_for_sign(got, want, n0, n1, pitch);
}
