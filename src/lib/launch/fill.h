/* The rules that fill buffers and textures; lib/launch/launches.h defines each. */
#ifndef HAUL_LIB_LAUNCH_FILL_H
#define HAUL_LIB_LAUNCH_FILL_H

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
#define LAUNCH_FILLS(FILL)   \
    LAUNCH_RULES(FILL, FILL) \
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
/* LAUNCH_FILL_COUNT if there is no such rule. */
launch_fill launch_fill_find(const char *name);

struct launch_argument;
/* Completes the argument after rule, words, seed and bound are read: `perm` without a seed becomes `shuffle`, and
 * limits are checked. Errors: HAUL_ERROR_ARGUMENT; the message says what is wrong, but not where. */
haul_status launch_settle_fill(struct launch_argument *argument, bool seed_given);
/* Makes `count` words of the argument's rule, from word `first` on. */
void launch_fill_words(const struct launch_argument *argument, uint32_t *words, size_t count, uint64_t first);

#endif
