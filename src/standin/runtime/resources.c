/* haul check --leaks -- PROGRAM: memory, streams, events, graphs and other objects that the program never releases.
 *
 * The program's calls get a copy of the driver's table, whose functions that make and release something
 * (resources.def) also keep a list of what there is. haul's own calls use the driver's own table. At the program's end
 * each place that made something which is left is one finding. All state is protected by the lock of session.c. */
#include "base/hash.h"
#include "base/memory.h"
#include "standin/report.h"
#include "standin/runtime/call_finding.h"

#include <inttypes.h>

typedef enum resource_kind {
#define RESOURCE(kind, like, singular, plural) kind,
#include "standin/runtime/resources.def"
    KIND_COUNT
} resource_kind;

static const struct {
    resource_kind like;
    const char *singular, *plural;
} kinds[KIND_COUNT] = {
#define RESOURCE(kind, like, singular, plural) [kind] = {like, singular, plural},
#include "standin/runtime/resources.def"
};

typedef struct made {
    resource_kind kind;
    uint64_t key, bytes, number; /* number: in the order in which all were made */
    standin_caller caller;
    struct made *next; /* in its row */
} made;

enum { ROWS = 1024 };

static made *rows[ROWS];
static const driver_table *real; /* the driver's own table */
static driver_table watched;

static made **row_of(resource_kind kind, uint64_t key) {
    const uint64_t words[] = {kinds[kind].like, key};
    return &rows[hash_bytes(HASH_START, words, sizeof words) % ROWS];
}

/* Returns the link to it; a link to NULL if there is none. */
static made **find(resource_kind kind, uint64_t key) {
    made **link = row_of(kind, key);
    while (*link && ((*link)->key != key || kinds[(*link)->kind].like != kinds[kind].like)) link = &(*link)->next;
    return link;
}

/* Without memory, what was made is not watched. A key of 0 stands for nothing. */
static void add(resource_kind kind, uint64_t key, uint64_t bytes) {
    static uint64_t numbers;
    made **link = find(kind, key);
    if (!key || *link || !(*link = memory_zeroed(1, sizeof **link))) return;
    **link = (made){.kind = kind, .key = key, .bytes = bytes, .number = numbers++, .caller = standin_caller_now()};
}

static void end(resource_kind kind, uint64_t key) {
    made **link = find(kind, key), *gone = *link;
    if (!gone) return;
    *link = gone->next;
    memory_free(gone);
}

/* Memory that is allocated in a capture belongs to the graph. */
static bool is_captured(CUstream stream) {
    int status = 0;
    return real->capture_status(stream, &status) == CUDA_SUCCESS && status;
}

#define MAKES(kind, name, parameters, arguments, key, bytes)         \
    static CUresult watched_##name parameters {                      \
        const CUresult result = real->name arguments;                \
        if (result == CUDA_SUCCESS) add(kind, key, (uint64_t)bytes); \
        return result;                                               \
    }
#define ENDS(kind, name, parameters, arguments, key) \
    static CUresult watched_##name parameters {      \
        end(kind, key);                              \
        return real->name arguments;                 \
    }
#include "standin/runtime/resources.def"

const driver_table *standin_watch_resources(const driver_table *driver) {
    if (real == driver) return &watched;
    real = driver;
    watched = *driver;
#define MAKES(kind, name, parameters, arguments, key, bytes) watched.name = watched_##name;
#define ENDS(kind, name, parameters, arguments, key) watched.name = watched_##name;
#include "standin/runtime/resources.def"
    return &watched;
}

/* ---- the report ---- */

/* Takes all that came from the same place, and is of the same kind, out of the list. */
static made sum_up(const made *first, uint64_t *count) {
    made sum = *first;
    sum.bytes = *count = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (made **link = &rows[i]; *link;) {
            made *r = *link;
            if (r->kind != sum.kind || r->caller.address != sum.caller.address) {
                link = &r->next;
                continue;
            }
            sum.bytes += r->bytes;
            ++*count;
            *link = r->next;
            memory_free(r);
        }
    return sum;
}

static void report_place(const made *sum, uint64_t count) {
    text what = {0};
    text_printf(&what, "%" PRIu64 " %s", count, count == 1 ? kinds[sum->kind].singular : kinds[sum->kind].plural);
    if (sum->bytes) text_printf(&what, " (%" PRIu64 " bytes)", sum->bytes);
    text_put(&what, " made here and never released");
    const standin_call_finding f = {.kind = HAUL_FINDING_NOT_RELEASED,
                                    .what = text_string(&what),
                                    .call = {sum->caller, HAUL_ACTION_ALLOCATE},
                                    .bytes = sum->bytes};
    standin_report_call_finding(&f);
    text_free(&what);
}

/* NULL if nothing is left. */
static const made *oldest(void) {
    const made *first = NULL;
    for (size_t i = 0; i < ROWS; i++)
        for (const made *m = rows[i]; m; m = m->next)
            if (!first || m->number < first->number) first = m;
    return first;
}

void standin_report_resources(void) {
    uint64_t count;
    for (const made *first; (first = oldest());) {
        const made sum = sum_up(first, &count);
        report_place(&sum, count);
    }
}
