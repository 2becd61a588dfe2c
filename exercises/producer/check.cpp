#include "../harness.h"

enum { TILE = 128 };

void scale_tiles(float *out, const float *in, int tiles, int blocks);

const exercise_case exercise_cases[] = {
    {"1 block, 1 tile", "one", 1, 1},
    {"1 block, 3 tiles: fewer than stages", "few", 3, 1},
    {"1 block, 10 tiles", "many", 10, 1},
    {"4 blocks, 3 tiles: one has none", "few", 3, 4},
    {"20 blocks, 333 tiles: not all have as many", "many", 333, 20},
    {"264 blocks, 16384 tiles, measured", "measured", 16384, 264},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n * TILE;
    const float *in = exercise_numbers(n, 1 << 20), *from = (float *)exercise_on_device(in, n * 4);
    float *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = 2 * in[i] + 1;
    while (exercise_again()) scale_tiles(out, from, c->n, c->m);
    exercise_moves(8.0 * (double)n);
    exercise_hold(out, want, n, 1, n);
}
