/* The known name that is nearest to a misspelt one, for messages. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST_NAME = 63 };

static size_t smallest(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* The Levenshtein distance, computed row by row. */
static size_t distance(const char *a, const char *b) {
    size_t row[LONGEST_NAME + 1], length = strlen(b);
    if (strlen(a) > LONGEST_NAME || length > LONGEST_NAME) return LONGEST_NAME;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[length];
}

/* NULL if none is close: about a third of the letters may differ. */
const char *nearest_name(const char *name, const char *const *names, size_t count) {
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(name, names[i]);
        if (d < least) least = d, nearest = names[i];
    }
    return nearest;
}
