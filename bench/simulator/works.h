/* The works of bench_simulator: kernels, their launches, and the expected results of those with scattered accesses. */
#ifndef HAUL_BENCH_SIMULATOR_WORKS_H
#define HAUL_BENCH_SIMULATOR_WORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bench_fill {
    BENCH_NONE,
    BENCH_INTEGER,
    BENCH_REAL,
    BENCH_DOUBLE,
    /* buffers */
    BENCH_FLOATS,      /* from 0 to 1, over and over */
    BENCH_DOUBLES,     /* likewise */
    BENCH_HALVES,      /* two a word, from 1/16 to 1/4 */
    BENCH_KEYS,        /* integers a golden ratio apart */
    BENCH_RANDOM,      /* integers below `below` */
    BENCH_PERMUTATION, /* of the numbers below their count, a power of two */
    BENCH_ROWS,        /* where rows start that have 1 to `below` elements each */
    BENCH_ZEROS,       /* before each launch */
} bench_fill;

typedef struct bench_argument {
    bench_fill fill;
    double value; /* or how many words */
    double below;
} bench_argument;

enum { BENCH_MOST_ARGUMENTS = 6 };

typedef struct bench_words {
    uint32_t *words;
    size_t count;
} bench_words;

/* By argument, what buffers held before a launch and hold after it. */
typedef bool bench_check(const bench_words *before, const bench_words *after);

typedef struct bench_work {
    const char *name, *module, *kernel; /* module NULL: kernels.cu */
    uint32_t grid[3], block[3];
    bench_argument arguments[BENCH_MOST_ARGUMENTS];
    bench_check *check; /* NULL: the result is not looked at */
} bench_work;

extern const bench_work bench_works[];
extern const size_t bench_work_count;

/* Returns the words of the argument's buffer; 0 if it is no buffer. */
size_t bench_words_of(const bench_argument *argument);
void bench_fill_words(const bench_argument *argument, uint32_t *words);

bench_check bench_check_gather, bench_check_scatter, bench_check_fields, bench_check_product, bench_check_table,
    bench_check_ranks, bench_check_queue;

#endif
