/* Expected results of the scattered works. Where atomics may be executed in any order, only results that do not depend
 * on the order. */
#include "works.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool bench_check_gather(const bench_words *before, const bench_words *after) {
    const uint32_t *places = before[1].words, *table = before[2].words, *out = after[3].words;
    bool right = true;
    for (size_t i = 0; i < after[3].count; i++) right &= out[i] == table[places[i]];
    return right;
}

bool bench_check_scatter(const bench_words *before, const bench_words *after) {
    const uint32_t *places = before[1].words, *in = before[2].words, *out = after[3].words;
    bool right = true;
    for (size_t i = 0; i < after[3].count; i++) right &= out[places[i]] == in[i];
    return right;
}

bool bench_check_fields(const bench_words *before, const bench_words *after) {
    const uint32_t *in = before[1].words, *out = after[2].words;
    bool right = true;
    for (size_t i = 0; i < after[2].count; i++) right &= out[i] == (i % 17 ? 0 : in[i / 17 * 33]);
    return right;
}

bool bench_check_product(const bench_words *before, const bench_words *after) {
    const uint32_t *starts = before[1].words, *columns = before[2].words;
    const float *values = (const float *)before[3].words, *x = (const float *)before[4].words,
                *y = (const float *)after[5].words;
    bool right = true;
    for (size_t row = 0; row < after[5].count; row++) {
        float sum = 0;
        for (uint32_t k = starts[row]; k < starts[row + 1]; k++) sum = fmaf(values[k], x[columns[k]], sum);
        right &= memcmp(&sum, &y[row], sizeof sum) == 0;
    }
    return right;
}

static int compare_words(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorted, each once; returns how many. */
static size_t distinct(uint32_t *words, size_t count) {
    size_t kept = 0;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || words[i] != words[i - 1]) words[kept++] = words[i];
    return kept;
}

/* Whether both have the same words, `b` each of them once. */
static bool same_set(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    uint32_t *one = malloc((a_count + b_count) * sizeof *one), *other = one + a_count;
    if (!one) return false;
    memcpy(one, a, a_count * sizeof *a);
    memcpy(other, b, b_count * sizeof *b);
    const size_t kept = distinct(one, a_count);
    const bool same = distinct(other, b_count) == b_count && kept == b_count && !memcmp(one, other, kept * sizeof *one);
    free(one);
    return same;
}

bool bench_check_table(const bench_words *before, const bench_words *after) {
    uint32_t *keys = before[1].words, *table = after[2].words;
    size_t filled = 0;
    for (size_t i = 0; i < before[1].count; i++) keys[i] |= 1;
    for (size_t i = 0; i < after[2].count; i++)
        if (table[i]) table[filled++] = table[i];
    return same_set(keys, before[1].count, table, filled);
}

bool bench_check_ranks(const bench_words *before, const bench_words *after) {
    const uint32_t *keys = before[1].words, *counts = after[2].words, *ranks = after[3].words;
    uint64_t *sums = calloc(after[2].count, sizeof *sums);
    bool right = sums != NULL;
    for (size_t i = 0; right && i < after[3].count; i++) {
        right &= ranks[i] < counts[keys[i]];
        sums[keys[i]] += 1 + 2 * (uint64_t)ranks[i];
    }
    /* of n ranks from 0 on, 1 + 2 * rank add up to the square of n */
    for (size_t k = 0; right && k < after[2].count; k++) right &= sums[k] == (uint64_t)counts[k] * counts[k];
    free(sums);
    return right;
}

bool bench_check_queue(const bench_words *before, const bench_words *after) {
    const uint32_t *starts = before[1].words, *edges = before[2].words, *queue = after[4].words;
    enum { VERTICES = 1 << 15 };
    return same_set(edges, starts[VERTICES], queue, *after[5].words);
}
