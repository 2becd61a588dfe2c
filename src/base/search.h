/* Binary search in sorted data. */
#ifndef HAUL_BASE_SEARCH_H
#define HAUL_BASE_SEARCH_H

#include <stddef.h>

/* Sets `found` (a size_t) to the first index of 0 to count - 1 where `is_before` is false; to count if there is none.
 * `is_before` is an expression of the index, a size_t named `k`: true up to some index and false from there on. It is
 * evaluated once for each halving; count is evaluated once.
 *
 *     SEARCH_FIRST(at, count, k, sorted[k] < wanted);
 */
#define SEARCH_FIRST(found, count, k, is_before)             \
    do {                                                     \
        size_t search_low = 0, search_high = (count);        \
        while (search_low < search_high) {                   \
            const size_t k = (search_low + search_high) / 2; \
            if (is_before)                                   \
                search_low = k + 1;                          \
            else                                             \
                search_high = k;                             \
        }                                                    \
        (found) = search_low;                                \
    } while (0)

#endif
