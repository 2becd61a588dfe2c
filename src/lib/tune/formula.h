/* Whole-number formulas over names, as tuning describes launches with: "ceil(SIZE, 4 * THREADS)".
 *
 * Numbers are decimal, with K, M or G behind them for 2^10, 2^20, 2^30. In order of strength: ( ), ceil(a, b) which is
 * a / b rounded up, min(a, b), max(a, b); * / %; + -; < <= > >= == !=, which give 1 or 0; &&. All are 64-bit signed. */
#ifndef HAUL_LIB_TUNE_FORMULA_H
#define HAUL_LIB_TUNE_FORMULA_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct formula_name {
    const char *name;
    int64_t value;
    bool unknown; /* it is a name, but has no number */
} formula_name;

/* Errors: HAUL_ERROR_ARGUMENT with `what`, the formula and what is wrong: a name that is none of `names` (the nearest
 * one is told), a division by zero, an overflow, what is no formula. */
haul_status formula_evaluate(const char *what, const char *formula, const formula_name *names, size_t count,
                             int64_t *value);

/* True when `name` is one of the formula's names. */
bool formula_has(const char *formula, const char *name);

#endif
