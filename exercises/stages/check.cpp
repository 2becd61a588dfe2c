#include "../harness.h"

enum { TILE = 128 };

void reverse_tiles(float *out, const float *in, int tiles);

const exercise_case exercise_cases[] = {
    {"2640 tiles: ten a block", "many", 2640, 0},
    {"264 tiles: one a block", "one", 264, 0},
    {"1 tile: most blocks have none", "small", 1, 0},
    {"300 tiles: some blocks have two", "few", 300, 0},
    {"600 tiles: fewer a block than stages", "few", 600, 0},
    {"2777 tiles: not all blocks have as many", "many", 2777, 0},
    {"16384 tiles, measured", "measured", 16384, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n * TILE;
    const float *in = exercise_numbers(n, 1 << 24), *from = (float *)exercise_on_device(in, n * 4);
    float *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = in[i / TILE * TILE + TILE - 1 - i % TILE];
    while (exercise_again()) reverse_tiles(out, from, c->n);
    exercise_moves(8.0 * (double)n);
    exercise_hold(out, want, n, 1, n);
}
