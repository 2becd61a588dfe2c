/* Integer formulas over names, as tuning describes launches: "ceil(SIZE, 4 * THREADS)".
 *
 * Numbers are decimal; a suffix K, M or G means 2^10, 2^20, 2^30. Operators by precedence: ( ), ceil(a, b) which is a /
 * b rounded up, min(a, b), max(a, b); * / %; + -; < <= > >= == !=, which give 1 or 0; &&. All are 64-bit signed. */
#ifndef HAUL_LIB_TUNE_FORMULA_H
#define HAUL_LIB_TUNE_FORMULA_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct formula_name {
    const char *name;
    int64_t value;
    bool unknown; /* a known name without a number */
} formula_name;

/* Evaluates a formula. Errors: HAUL_ERROR_ARGUMENT with `what`, the formula and the reason: a name that is none of
 * `names` (with the nearest one), a division by zero, an overflow, or wrong syntax. */
haul_status formula_evaluate(const char *what, const char *formula, const formula_name *names, size_t count,
                             int64_t *value);

/* True if `name` occurs in the formula. */
bool formula_has(const char *formula, const char *name);

#endif
