/* Binary search in what is sorted. */
#ifndef HAUL_BASE_SEARCH_H
#define HAUL_BASE_SEARCH_H

#include <stddef.h>

/* Sets `found` (a size_t) to the first of the indices 0 to count - 1 that is not before what is searched for; to count
 * when all are. `is_before` is an expression of `k`, which it names, a size_t; true up to some index and false from
 * there on. It is asked once for each halving of the count, which is evaluated once.
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
