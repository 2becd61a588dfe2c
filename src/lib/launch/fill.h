/* The rules that fill buffers and textures; lib/launch/launches.h defines each. */
#ifndef HAUL_LIB_LAUNCH_FILL_H
#define HAUL_LIB_LAUNCH_FILL_H

#include "lib/launch/scalar.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The only list of rules: NEXT(id, name), and FIRST(id, name) for the first one. */
#define LAUNCH_RULES(FIRST, NEXT) \
    FIRST(F01, "f01")             \
    NEXT(U32, "u32")              \
    NEXT(IOTA, "iota")            \
    NEXT(PERM, "perm")            \
    NEXT(SHUFFLE, "shuffle")      \
    NEXT(INDEX, "index")          \
    NEXT(ZERO, "zero")            \
    NEXT(POISON, "poison")

/* Rules, and other sources of contents. */
#define LAUNCH_FILLS(FILL)     \
    LAUNCH_RULES(FILL, FILL)   \
    FILL(ELEMENTS, "elements") \
    FILL(FILE, "file")

/* "f01, u32, ...": for help and messages. */
#define LAUNCH_FIRST_WORD(id, name) name
#define LAUNCH_NEXT_WORD(id, name) ", " name
#define LAUNCH_RULE_LIST LAUNCH_RULES(LAUNCH_FIRST_WORD, LAUNCH_NEXT_WORD)

typedef enum launch_fill {
#define FILL(id, name) LAUNCH_FILL_##id,
    LAUNCH_FILLS(FILL)
#undef FILL
        LAUNCH_FILL_COUNT
} launch_fill;

/* Upper limit of the numbers that `shuffle` permutes and `index` draws. */
#define LAUNCH_MOST_INDICES (UINT64_C(1) << 32)

extern const char *const launch_fill_names[LAUNCH_FILL_COUNT];
/* The only list of distributions of typed elements: SPREAD(id, name, how many numbers it takes). */
#define LAUNCH_SPREADS(SPREAD)    \
    SPREAD(PLAIN, "", 0)          \
    SPREAD(UNIFORM, "uniform", 2) \
    SPREAD(NORMAL, "normal", 2)   \
    SPREAD(VALUE, "value", 1)

enum launch_spread {
#define SPREAD(id, name, numbers) LAUNCH_SPREAD_##id,
    LAUNCH_SPREADS(SPREAD)
#undef SPREAD
};

/* Elements of a scalar's type. PLAIN: real numbers in (0, 1], any bits of integers. UNIFORM: from numbers[0] to
 * numbers[1]; integers include both. NORMAL: mean and deviation. VALUE: all are numbers[0]. */
typedef struct launch_elements {
    const launch_scalar *scalar;
    uint64_t count;
    unsigned spread;
    double numbers[2];
} launch_elements;

/* LAUNCH_FILL_COUNT if there is no such rule. */
launch_fill launch_fill_find(const char *name);

struct launch_argument;
/* Completes the argument after rule, words, seed and bound are read: `perm` without a seed becomes `shuffle`, and
 * limits are checked. Errors: HAUL_ERROR_ARGUMENT; the message says what is wrong, but not where. */
haul_status launch_settle_fill(struct launch_argument *argument, bool seed_given);
/* The same after type, count and distribution of elements are read: sets the number of words. */
haul_status launch_settle_elements(struct launch_argument *argument);
/* Reads "0:1" as the distribution of this name; or the member of an object that has a distribution's name. */
haul_status launch_parse_spread(const char *name, const char *numbers, launch_elements *elements);
haul_status launch_read_spread(json_t *object, launch_elements *elements);
void launch_spread_to_json(const launch_elements *elements, json_t *object);
/* The distribution's name in options and files; NULL behind the last. The first, PLAIN, has the empty name. */
const char *launch_spread_name(unsigned spread);
void launch_fill_elements(const struct launch_argument *argument, uint32_t *words, size_t count, uint64_t first);
/* Makes `count` words of the argument's rule, from word `first` on. */
void launch_fill_words(const struct launch_argument *argument, uint32_t *words, size_t count, uint64_t first);

#endif
