#include "report/diff/align.h"

#include "report/code.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_EDITS = 3000, /* the trace takes the square of it in words */
    MOST_CELLS = 1 << 20
};

/* ---- equal lines ---- */

typedef struct sequences {
    const char *const *a, *const *b;
    size_t a_count, b_count;
    size_t *match;
} sequences;

/* Furthest places in `a` by diagonal, after each number of edits: row d has the diagonals -d to d. */
typedef struct trace {
    int *rows[MOST_EDITS + 1];
} trace;

static int furthest(const int *row, int d, int k) {
    return row[k + d];
}

/* Where diagonal k begins after d edits: from a deletion on k - 1 or an insertion on k + 1. */
static int step(const int *before, int d, int k) {
    if (d == 0) return 0;
    const bool down = k == -d || (k != d && furthest(before, d - 1, k - 1) < furthest(before, d - 1, k + 1));
    return down ? furthest(before, d - 1, k + 1) : furthest(before, d - 1, k - 1) + 1;
}

static int follow(const sequences *s, int x, int k) {
    while (x < (int)s->a_count && x - k < (int)s->b_count && report_code_equal(s->a[x], s->b[x - k])) x++;
    return x;
}

/* Runs until both sequences end. Returns the number of edits, or -1 if there are too many. */
static int find_edits(const sequences *s, trace *t, arena *scratch) {
    for (int d = 0; d <= MOST_EDITS; d++) {
        t->rows[d] = ARENA_ARRAY(scratch, 2 * (size_t)d + 1, int);
        for (int k = -d; k <= d; k += 2) {
            int x = step(d ? t->rows[d - 1] : NULL, d, k);
            /* beyond an end there is nothing to follow */
            if (x <= (int)s->a_count && x - k <= (int)s->b_count) x = follow(s, x, k);
            t->rows[d][k + d] = x;
            if (x >= (int)s->a_count && x - k >= (int)s->b_count) return d;
        }
    }
    return -1;
}

static void walk_back(const sequences *s, const trace *t, int d) {
    int x = (int)s->a_count, k = (int)s->a_count - (int)s->b_count;
    for (; d >= 0; d--) {
        const int *before = d ? t->rows[d - 1] : NULL;
        const int begin = step(before, d, k);
        for (; x > begin; x--) s->match[x - 1] = (size_t)(x - 1 - k);
        if (d == 0) return;
        const bool down = k == -d || (k != d && furthest(before, d - 1, k - 1) < furthest(before, d - 1, k + 1));
        k = down ? k + 1 : k - 1;
        x = furthest(before, d - 1, k);
    }
}

/* The lines that both begin and end with need no search. */
void align_equal(const char *const *a, size_t a_count, const char *const *b, size_t b_count, size_t *match,
                 arena *scratch) {
    size_t head = 0;
    for (size_t i = 0; i < a_count; i++) match[i] = ALIGN_NONE;
    while (head < a_count && head < b_count && report_code_equal(a[head], b[head])) match[head] = head, head++;
    while (a_count > head && b_count > head && report_code_equal(a[a_count - 1], b[b_count - 1]))
        match[--a_count] = --b_count;
    sequences s = {a + head, b + head, a_count - head, b_count - head, match + head};
    if (!s.a_count || !s.b_count || s.a_count + s.b_count > INT32_MAX / 2) return;
    trace *t = ARENA_NEW(scratch, trace);
    const int edits = find_edits(&s, t, scratch);
    if (edits >= 0) walk_back(&s, t, edits);
    for (size_t i = 0; i < s.a_count; i++)
        if (s.match[i] != ALIGN_NONE) s.match[i] += head;
}

/* ---- lines that are alike ---- */

void align_alike(size_t a_count, size_t b_count, double (*likeness)(const void *context, size_t i, size_t j),
                 const void *context, size_t *match, arena *scratch) {
    const size_t width = b_count + 1;
    for (size_t i = 0; i < a_count; i++) match[i] = ALIGN_NONE;
    if (!a_count || !b_count || (a_count + 1) > MOST_CELLS / width) return;
    double *best = ARENA_ARRAY(scratch, (a_count + 1) * width, double);
    double *like = ARENA_ARRAY(scratch, (a_count + 1) * width, double);
    for (size_t i = a_count; i-- > 0;) {
        for (size_t j = b_count; j-- > 0;) {
            const size_t at = i * width + j;
            like[at] = likeness(context, i, j);
            best[at] = best[at + 1] > best[at + width] ? best[at + 1] : best[at + width];
            const double paired = like[at] + best[at + width + 1];
            if (like[at] > 0 && paired > best[at]) best[at] = paired;
        }
    }
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        const size_t at = i * width + j;
        if (like[at] > 0 && best[at] == like[at] + best[at + width + 1])
            match[i++] = j++;
        else if (best[at] == best[at + width])
            i++;
        else
            j++;
    }
}
