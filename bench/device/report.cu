/* Tables and JSON. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/* GB/s; 0 for a candidate that was not timed. */
static double rate(const bench_case *c, const bench_candidate *k, const harness_result *r) {
    double bytes = k->run == bench_memcpy ? 8.0 * (double)harness_copied(c) : c->bytes;
    return r->valid ? bytes / (double)r->median / 1e3 : 0.0;
}

/* Index of the candidate of that name. */
static unsigned named(const bench_work *w, const char *name) {
    unsigned i = 0;
    while (strcmp(w->candidates[i].name, name) != 0) i++;
    return i;
}

static void report_row(const bench_work *w, const bench_case *c, const harness_result *results, unsigned i, FILE *json,
                       int first) {
    const bench_candidate *k = &w->candidates[i];
    double own = rate(c, k, &results[i]);
    printf("%-28s %10.2f %9.2f %9.2f %8.1f", k->name, (double)results[i].median, (double)results[i].low,
           (double)results[i].high, own);
    if (json != nullptr) {
        fprintf(json, "%s\n  {\"case\": \"%s\", \"n\": %zu, \"launches\": %u, \"candidate\": \"%s\"", first ? "" : ",",
                c->name, c->n, c->train, k->name);
        fprintf(json, ", \"us\": %.3f, \"us_low\": %.3f, \"us_high\": %.3f, \"gbps\": %.1f", (double)results[i].median,
                (double)results[i].low, (double)results[i].high, own);
    }
    for (unsigned r = 0; r < BENCH_COUNT(w->references) && w->references[r] != nullptr; r++) {
        unsigned at = named(w, w->references[r]);
        double reference = rate(c, &w->candidates[at], &results[at]), ratio = own / reference;
        printf(" %9.4f", ratio);
        if (json != nullptr && reference > 0.0) fprintf(json, ", \"of_%s\": %.4f", w->references[r], ratio);
    }
    printf("\n");
    if (json != nullptr) fprintf(json, "}");
}

void report_case(const bench_work *w, const bench_case *c, const harness_result *results, unsigned rounds, FILE *json,
                 int first) {
    unsigned *order = (unsigned *)calloc(w->count, sizeof *order), count = 0;
    for (unsigned i = 0; i < w->count; i++) {
        if (!results[i].valid) continue;
        unsigned at = count++;
        for (; at > 0 && rate(c, &w->candidates[order[at - 1]], &results[order[at - 1]]) <
                             rate(c, &w->candidates[i], &results[i]);
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    printf("\n%s: median of %u, tenth and ninetieth percentile; ratios of rates\n", c->name, rounds);
    printf("%-28s %10s %9s %9s %8s", "", "us", "low", "high", "GB/s");
    for (unsigned r = 0; r < BENCH_COUNT(w->references) && w->references[r] != nullptr; r++) {
        printf("  /%7.7s", w->references[r]);
    }
    printf("\n");
    for (unsigned i = 0; i < count; i++) report_row(w, c, results, order[i], json, first && i == 0);
    free(order);
}
