#include "works.h"

#include <string.h>

enum {
    WORDS = 1 << 24,
    PRODUCT_SIDE = 512,
    TRANSPOSE_SIDE = 4096,
    HISTOGRAM_BLOCKS = 1024,
    SORT_RUN = 1024,
    BODIES = 4096
};
/* Sizes of the scattered works: elements, rows or vertices. */
enum { MANY = 1 << 21, FEW = 1 << 19, ROWS = 1 << 17, DEGREE = 31, EDGES = ROWS * (DEGREE + 1) / 2 + (ROWS >> 2) };

#define NUMBER(n) \
    { .fill = BENCH_INTEGER, .value = (n) }
#define REAL(x) \
    { .fill = BENCH_REAL, .value = (x) }
#define DOUBLE(x) \
    { .fill = BENCH_DOUBLE, .value = (x) }
#define FLOATS(count) \
    { .fill = BENCH_FLOATS, .value = (count) }
#define DOUBLES(count) \
    { .fill = BENCH_DOUBLES, .value = (count) }
#define HALVES(count) \
    { .fill = BENCH_HALVES, .value = (count) / 2 }
#define KEYS(count) \
    { .fill = BENCH_KEYS, .value = (count) }
#define RANDOM(count, limit) \
    { .fill = BENCH_RANDOM, .value = (count), .below = (limit) }
#define PERMUTATION(count) \
    { .fill = BENCH_PERMUTATION, .value = (count) }
#define ROW_STARTS(count, most) \
    { .fill = BENCH_ROWS, .value = (count), .below = (most) }
#define ZEROS(count) \
    { .fill = BENCH_ZEROS, .value = (count) }

/* clang-format off */
const bench_work bench_works[] = {
    {"saxpy 2^24", "saxpy", "saxpy_scalar", {WORDS / 256, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS), REAL(1.5), FLOATS(WORDS), FLOATS(WORDS)}, NULL},
    {"saxpy 2^24, float4", "saxpy", "saxpy_vector", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS), REAL(1.5), FLOATS(WORDS), FLOATS(WORDS)}, NULL},
    {"product 512", "sgemm", "sgemm_tiled", {PRODUCT_SIDE / 16, PRODUCT_SIDE / 16, 1}, {16, 16, 1},
     {FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), FLOATS(PRODUCT_SIDE * PRODUCT_SIDE),
      FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), NUMBER(PRODUCT_SIDE)}, NULL},
    {"product 512, LDGSTS", NULL, "product_staged", {PRODUCT_SIDE / 64, PRODUCT_SIDE / 64, 1}, {256, 1, 1},
     {FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), FLOATS(PRODUCT_SIDE * PRODUCT_SIDE),
      FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), NUMBER(PRODUCT_SIDE)}, NULL},
    {"product 512, 4 x 4 a thread", NULL, "product_in_registers", {PRODUCT_SIDE / 64, PRODUCT_SIDE / 64, 1}, {256, 1, 1},
     {FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), FLOATS(PRODUCT_SIDE * PRODUCT_SIDE),
      FLOATS(PRODUCT_SIDE * PRODUCT_SIDE), NUMBER(PRODUCT_SIDE)}, NULL},
    {"records 2^20", NULL, "shorten_records", {WORDS / 16 / 256, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 16), FLOATS(WORDS / 4), ZEROS(WORDS / 16 * 3)}, NULL},
    {"transpose 4096", NULL, "transpose_padded", {TRANSPOSE_SIDE / 32, TRANSPOSE_SIDE / 32, 1}, {32, 8, 1},
     {FLOATS(TRANSPOSE_SIDE * TRANSPOSE_SIDE), FLOATS(TRANSPOSE_SIDE * TRANSPOSE_SIDE),
      NUMBER(TRANSPOSE_SIDE)}, NULL},
    {"histogram 2^24", NULL, "histogram_shared", {HISTOGRAM_BLOCKS, 1, 1}, {256, 1, 1},
     {KEYS(WORDS), KEYS(256), NUMBER(WORDS)}, NULL},
    {"bitonic sort 2^20", NULL, "bitonic_sort", {WORDS / 16 / SORT_RUN, 1, 1}, {SORT_RUN / 2, 1, 1},
     {KEYS(WORDS / 16)}, NULL},
    {"f64 axpy 2^22", NULL, "saxpy_double", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 4), DOUBLE(1.5), DOUBLES(WORDS / 2), DOUBLES(WORDS / 2)}, NULL},
    {"f64 product 256", NULL, "product_double", {16, 16, 1}, {16, 16, 1},
     {DOUBLES(2 * 256 * 256), DOUBLES(2 * 256 * 256), DOUBLES(2 * 256 * 256),
      NUMBER(256)}, NULL},
    {"f16x2 polynomial 2^22", NULL, "polynomial_half2", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 4), KEYS(WORDS / 4), KEYS(WORDS / 4)}, NULL},
    {"bytes 2^24", NULL, "brighten_bytes", {WORDS / 256, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS), KEYS(WORDS / 4), KEYS(WORDS / 4)}, NULL},
    {"sum by shuffles 2^24", NULL, "sum_shuffled", {WORDS / 2048, 1, 1}, {256, 1, 1},
     {FLOATS(WORDS), FLOATS(WORDS / 2048), NUMBER(WORDS)}, NULL},
    {"f16 product 512, mma", NULL, "product_halves", {PRODUCT_SIDE / 64, PRODUCT_SIDE / 64, 1}, {128, 1, 1},
     {HALVES(PRODUCT_SIDE * PRODUCT_SIDE), HALVES(PRODUCT_SIDE * PRODUCT_SIDE), FLOATS(PRODUCT_SIDE * PRODUCT_SIDE),
      NUMBER(PRODUCT_SIDE)}, NULL},
    {"bodies 4096", NULL, "pull_bodies", {BODIES / 256, 1, 1}, {256, 1, 1},
     {FLOATS(4 * BODIES), FLOATS(4 * BODIES), NUMBER(BODIES)}, NULL},
    {"options 2^22", NULL, "price_options", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 4), FLOATS(WORDS / 4), FLOATS(WORDS / 4), FLOATS(WORDS / 4)}, NULL},
    {"rows of weights 2^24", NULL, "weigh_rows", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 128), FLOATS(WORDS), FLOATS(WORDS)}, NULL},
    {"turned pairs 2^22", NULL, "turn_pairs", {WORDS / 1024, 1, 1}, {256, 1, 1},
     {NUMBER(WORDS / 4), FLOATS(WORDS / 2), FLOATS(WORDS / 2)}, NULL},
    {"gather from 64 MiB", NULL, "gather_words", {MANY / 256, 1, 1}, {256, 1, 1},
     {NUMBER(MANY), RANDOM(MANY, WORDS), KEYS(WORDS), ZEROS(MANY),
      NUMBER(WORDS - 1)}, bench_check_gather},
    {"gather from 32 KiB", NULL, "gather_words", {MANY / 256, 1, 1}, {256, 1, 1},
     {NUMBER(MANY), RANDOM(MANY, 1 << 13), KEYS(1 << 13), ZEROS(MANY),
      NUMBER((1 << 13) - 1)}, bench_check_gather},
    {"scatter 2^21", NULL, "scatter_words", {MANY / 256, 1, 1}, {256, 1, 1},
     {NUMBER(MANY), PERMUTATION(MANY), KEYS(MANY), ZEROS(MANY)}, bench_check_scatter},
    {"strides 33 and 17", NULL, "copy_fields", {FEW / 256, 1, 1}, {256, 1, 1},
     {NUMBER(FEW), KEYS(33 * FEW), ZEROS(17 * FEW)}, bench_check_fields},
    {"sparse product 2^17", NULL, "multiply_rows", {ROWS / 256, 1, 1}, {256, 1, 1},
     {NUMBER(ROWS), ROW_STARTS(ROWS + 1, DEGREE), RANDOM(EDGES, 1 << 20), FLOATS(EDGES),
      FLOATS(1 << 20), ZEROS(ROWS)}, bench_check_product},
    {"hash table, CAS 2^19", NULL, "insert_keys", {FEW / 256, 1, 1}, {256, 1, 1},
     {NUMBER(FEW), RANDOM(FEW, 1u << 31), ZEROS(2 * FEW), NUMBER(2 * FEW - 1)},
     bench_check_table},
    {"ranks by atomics 2^20", NULL, "rank_keys", {2 * FEW / 256, 1, 1}, {256, 1, 1},
     {NUMBER(2 * FEW), RANDOM(2 * FEW, 1 << 16), ZEROS(1 << 16), ZEROS(2 * FEW),
      NUMBER((1 << 16) - 1)}, bench_check_ranks},
    {"frontier 2^15", NULL, "expand_frontier", {ROWS / 4 / 256, 1, 1}, {256, 1, 1},
     {NUMBER(ROWS / 4), ROW_STARTS(ROWS + 1, DEGREE), RANDOM(EDGES, 1 << 20),
      ZEROS(1 << 20), ZEROS(1 << 20), ZEROS(1)}, bench_check_queue},
};
/* clang-format on */

const size_t bench_work_count = sizeof bench_works / sizeof bench_works[0];

size_t bench_words_of(const bench_argument *a) {
    return a->fill >= BENCH_FLOATS ? (size_t)a->value : 0;
}

/* Any bit of i may change any bit of it; of numbers below a power of two it is a permutation. */
static uint32_t scattered(uint32_t i, uint32_t mask) {
    i = (i ^ i >> 9) * 0x7feb352du & mask;
    i = (i ^ i >> 11) * 0x846ca68bu & mask;
    return i ^ i >> 10;
}

static uint32_t random_below(uint32_t i, uint32_t below) {
    return (uint32_t)((uint64_t)scattered(i + 1, UINT32_MAX) * below >> 32);
}

static void fill_rows(const bench_argument *a, uint32_t *words) {
    uint32_t start = 0;
    for (size_t i = 0; i < (size_t)a->value; i++) {
        words[i] = start;
        start += 1 + random_below((uint32_t)i, (uint32_t)a->below);
    }
}

static void fill_doubles(uint32_t *words, size_t count) {
    for (size_t i = 1; i < count; i += 2) {
        const double value = (double)(i % 1024) / 1024;
        memcpy(&words[i - 1], &value, sizeof value);
    }
}

static uint32_t word_of(const bench_argument *a, size_t i) {
    const float real = (float)(i % 1024) / 1024.0f;
    uint32_t word = 0;
    switch (a->fill) {
    case BENCH_FLOATS: memcpy(&word, &real, sizeof word); break;
    case BENCH_HALVES: word = 0x2c003000u + ((uint32_t)i * 0x9e3779b1u & 0x03ff03ffu); break;
    case BENCH_KEYS: word = (uint32_t)i * 0x9e3779b1u >> 7; break;
    case BENCH_RANDOM: word = random_below((uint32_t)i, (uint32_t)a->below); break;
    case BENCH_PERMUTATION: word = scattered((uint32_t)i, (uint32_t)a->value - 1); break;
    default: break;
    }
    return word;
}

void bench_fill_words(const bench_argument *a, uint32_t *words) {
    const size_t count = bench_words_of(a);
    if (a->fill == BENCH_ROWS)
        fill_rows(a, words);
    else if (a->fill == BENCH_DOUBLES)
        fill_doubles(words, count);
    else
        for (size_t i = 0; i < count; i++) words[i] = word_of(a, i);
}
