/* Matching of two sequences of lines. */
#ifndef HAUL_REPORT_DIFF_ALIGN_H
#define HAUL_REPORT_DIFF_ALIGN_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define ALIGN_NONE SIZE_MAX

/* A longest common subsequence (Myers, "An O(ND) difference algorithm", 1986): sets match[i] to the index of a[i]'s
 * equal in b, or ALIGN_NONE. Sequences that differ in thousands of lines are matched at their beginning and end only.
 * `scratch` has a jump point. */
void align_equal(const char *const *a, size_t a_count, const char *const *b, size_t b_count, size_t *match,
                 arena *scratch);

/* Matches in order so that the sum of likeness(context, i, j) is the greatest; pairs with a likeness of 0 never match.
 */
void align_alike(size_t a_count, size_t b_count, double (*likeness)(const void *context, size_t i, size_t j),
                 const void *context, size_t *match, arena *scratch);

#endif
