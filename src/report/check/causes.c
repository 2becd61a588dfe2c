/* Joins findings that have one cause: an order that is missing once, told at many pairs of places.
 *
 * A kernel that lacks one barrier or fence between a group of writes and a group of reads has a finding for each pair
 * of them. Code between two synchronising instructions is a stretch: an order that is added in front of it, or behind
 * it, orders all its accesses. So findings of one kind whose earlier accesses lie in one stretch have one cause, and
 * those whose later ones do; and so on from each of them. The first of a cause is shown; it lists the pairs of places
 * of the others. All waits of a deadlock have one cause, and so do all waits at a barrier that some threads skip. */
#include "base/status.h"
#include "report/check/check.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Numbers the stretches; `stretches` has an entry for each instruction. */
static void number_stretches(const haul_launch_record *r, uint32_t *stretches) {
    uint32_t stretch = 0;
    for (size_t i = 0; i < r->instruction_count; i++) {
        stretch += r->instructions[i].orders;
        stretches[i] = stretch;
    }
}

/* Only a pair of accesses in the kernel's code lacks an order, and only a read in it a write. */
static bool may_have_company(const report_finding *f) {
    const haul_finding *first = f->first;
    return !f->ignored_by && f->access.instruction && (f->other.instruction || report_lacks_write(f)) &&
           first->access.action != HAUL_ACTION_SYNC && first->other.action != HAUL_ACTION_SYNC;
}

/* Whether two sentences say the same, apart from numbers. */
static bool say_the_same(const char *a, const char *b) {
    if (!a || !b) return a == b;
    while (true) {
        while (isdigit((unsigned char)*a)) a++;
        while (isdigit((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (!*a) return true;
        a++, b++;
    }
}

static bool has_sentence(const haul_finding *f) {
    return f->what && *f->what;
}

static bool is_between_blocks(const haul_finding *f) {
    return f->other.action != HAUL_ACTION_NONE && memcmp(f->access.block, f->other.block, sizeof f->access.block) != 0;
}

static bool is_ordinary(const haul_finding_access *a) {
    return a->action == HAUL_ACTION_READ || a->action == HAUL_ACTION_WRITE;
}

/* True if a barrier of the block, or of the cluster, would cure the race: it is between two warps, or between two lanes
 * of a warp that nothing orders either. */
static bool is_plain_race(const haul_finding *f) {
    if (f->kind != HAUL_FINDING_RACE_SHARED) return false;
    const bool between_blocks = is_between_blocks(f) && is_ordinary(&f->access) && is_ordinary(&f->other);
    return f->between_lanes || !has_sentence(f) || between_blocks;
}

static bool share_sentence(const haul_finding *a, const haul_finding *b) {
    return say_the_same(a->what, b->what) || (is_plain_race(a) && is_plain_race(b));
}

/* Whether the same variable or buffer holds the bytes. Objects read "NAME + OFFSET (...)". */
static bool is_same_object(const haul_finding *a, const haul_finding *b) {
    if (!a->object || !b->object) return a->object == b->object;
    const size_t length = strcspn(a->object, "+");
    return strncmp(a->object, b->object, length + (a->object[length] != '\0')) == 0;
}

static bool share_line(const report_finding *f, const report_finding *g) {
    return report_is_same_line(&f->access, &g->access) || report_is_same_line(&f->access, &g->other) ||
           report_is_same_line(&f->other, &g->access) || report_is_same_line(&f->other, &g->other);
}

/* Both accesses of each finding lie in one stretch. In shared memory one barrier cures them all. In global memory each
 * place may need an atomic operation of its own. */
static bool lie_together(const report_finding *f, const report_finding *g, uint32_t of_f, uint32_t of_g) {
    return of_f == of_g && (f->first->space == HAUL_SPACE_SHARED || share_line(f, g));
}

/* Whether the two tell of one pair of places, met in either order: the blocks of a grid run in any order, and a source
 * that is overwritten too early is overwritten before or after it has been read. */
static bool are_one_pair(const haul_finding *a, const haul_finding *b) {
    if (a->kind != b->kind || a->grade != b->grade || a->access.instruction != b->other.instruction ||
        a->other.instruction != b->access.instruction)
        return false;
    return a->kind == HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN ||
           (a->kind == HAUL_FINDING_RACE_GLOBAL && is_between_blocks(a) && is_between_blocks(b));
}

/* A wait behind the operation on tensor memory would cover all that comes later: loads, and the release of its columns.
 */
static bool lack_one_wait(const haul_finding *a, const haul_finding *b) {
    return a->kind == HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT && b->kind == a->kind && a->grade == b->grade &&
           a->other.instruction == b->other.instruction && has_sentence(a) && say_the_same(a->what, b->what);
}

/* Whether no loop contains both accesses. */
static bool is_straight(const report_finding *f) {
    const uint32_t loop = f->access.instruction->loop;
    return !loop || loop != f->other.instruction->loop;
}

/* Whether the two are one race, met from both sides: without the barrier either access may come first. In a loop they
 * may be two, since a second barrier, before the next round, may be missing as well. */
static bool are_mirrored(const report_finding *f, const report_finding *g) {
    const haul_finding *a = f->first, *b = g->first;
    return (a->kind == HAUL_FINDING_RACE_SHARED || a->kind == HAUL_FINDING_RACE_GLOBAL) &&
           a->access.action == b->other.action && a->other.action == b->access.action && is_straight(f) &&
           is_straight(g);
}

/* Whether one missing order, or one missing write, explains both. */
static bool have_one_cause(const report_finding *f, const report_finding *g, const uint32_t *stretches) {
    const haul_finding *a = f->first, *b = g->first;
    if (are_one_pair(a, b) || lack_one_wait(a, b)) return true;
    if (a->kind != b->kind || a->grade != b->grade || a->space != b->space || !share_sentence(a, b)) return false;
    if ((a->space == HAUL_SPACE_GLOBAL || report_lacks_write(f)) && !is_same_object(a, b)) return false;
    if (report_lacks_write(f) || report_lacks_write(g))
        return report_lacks_write(f) && report_lacks_write(g) &&
               stretches[a->access.instruction] == stretches[b->access.instruction];
    const uint32_t later[] = {stretches[a->access.instruction], stretches[b->access.instruction]};
    const uint32_t earlier[] = {stretches[a->other.instruction], stretches[b->other.instruction]};
    if (later[0] == earlier[0] && later[1] == earlier[1]) return lie_together(f, g, later[0], later[1]);
    if (later[0] == earlier[0] || later[1] == earlier[1]) return false;
    if (are_mirrored(f, g) && later[0] == earlier[1] && later[1] == earlier[0]) return true;
    return a->access.action == b->access.action && a->other.action == b->other.action &&
           (later[0] == later[1] || earlier[0] == earlier[1]);
}

/* The launch's findings while they are joined. */
typedef struct joining {
    report_verdict *v;
    uint32_t *stretches;
    bool *joined;           /* by finding: another one tells it */
    report_finding **queue; /* of one cause */
} joining;

static haul_status begin(joining *j, report_verdict *v) {
    const haul_launch_record *r = v->launch.record;
    *j = (joining){.v = v,
                   .stretches = ARENA_ARRAY(&v->memory, r->instruction_count + 1, uint32_t),
                   .joined = ARENA_ARRAY(&v->memory, v->finding_count + 1, bool),
                   .queue = ARENA_ARRAY(&v->memory, v->finding_count + 1, report_finding *)};
    if (!j->stretches || !j->joined || !j->queue) return haul_no_memory("the findings");
    number_stretches(r, j->stretches);
    return HAUL_OK;
}

static int in_order(const void *left, const void *right) {
    const report_finding *a = *(report_finding *const *)left, *b = *(report_finding *const *)right;
    return (a > b) - (a < b);
}

/* Whether the pair's later access is also the later one in the code: that is where a reader looks first. */
static bool stands_in_order(const report_finding *f) {
    return f->first->access.instruction > f->first->other.instruction;
}

/* Whether the cause concerns more than one warp, but this pair only lanes of one: a cure for them would not do. */
static bool shows_too_little(report_finding **queue, size_t count, const report_finding *f) {
    for (size_t i = 0; i < count && f->first->between_lanes; i++)
        if (is_plain_race(queue[i]->first) && !queue[i]->first->between_lanes) return true;
    return false;
}

/* Puts the pair in front that tells a reader most. */
static void choose_first(report_finding **queue, size_t count) {
    size_t first = 0;
    unsigned best = UINT_MAX;
    if (queue[0]->first->kind == HAUL_FINDING_DEADLOCK) return;
    for (size_t i = 0; i < count; i++) {
        const unsigned flaws = 4u * (queue[i]->first->other.action == HAUL_ACTION_NONE) +
                               2u * shows_too_little(queue, count, queue[i]) + !stands_in_order(queue[i]);
        if (flaws < best) first = i;
        if (flaws < best) best = flaws;
    }
    if (first == 0) return;
    const report_finding usual = *queue[0];
    *queue[0] = *queue[first];
    *queue[first] = usual;
}

/* Copies the findings in the queue behind the first one into its list, in their order. A witness for any of them is one
 * for the cause. */
static haul_status keep_queue(joining *j, size_t count) {
    report_finding *head = j->queue[0];
    if (count == 1) return HAUL_OK;
    report_finding *also = ARENA_ARRAY(&j->v->memory, count - 1, report_finding);
    if (!also) return haul_no_memory("the findings");
    qsort(j->queue, count, sizeof(report_finding *), in_order);
    choose_first(j->queue, count);
    for (size_t i = 1; i < count; i++) {
        also[i - 1] = *j->queue[i];
        if (head->witness && !head->witness->found) head->witness = also[i - 1].witness;
    }
    head->also = also;
    head->also_count = count - 1;
    return HAUL_OK;
}

/* Gathers all findings of the cause of `head`, which comes before all others of them. */
static haul_status gather(joining *j, report_finding *head) {
    report_finding *const end = j->v->findings + j->v->finding_count;
    size_t count = 0;
    j->queue[count++] = head;
    for (size_t at = 0; at < count; at++) {
        for (report_finding *f = head + 1; f < end; f++) {
            bool *joined = &j->joined[f - j->v->findings];
            if (*joined || !may_have_company(f) || !have_one_cause(j->queue[at], f, j->stretches)) continue;
            *joined = true;
            j->queue[count++] = f;
        }
    }
    return keep_queue(j, count);
}

/* ---- reads before writes that nothing orders ---- */

static bool reads_there(const report_finding *pair, const report_finding *read) {
    return (pair->first->access.action == HAUL_ACTION_READ && report_is_same_line(&pair->access, &read->access)) ||
           (pair->first->other.action == HAUL_ACTION_READ && report_is_same_line(&pair->other, &read->access));
}

/* Whether the pair's read may come before its write to the same variable of shared memory: it then finds nothing
 * written. */
static bool pair_explains(const report_finding *f, const report_finding *read) {
    const haul_finding *a = f->first, *b = read->first;
    if (a->kind != HAUL_FINDING_RACE_SHARED && a->kind != HAUL_FINDING_ASYNC_READ_BEFORE_WAIT) return false;
    return a->grade == HAUL_GRADE_ERROR && b->grade == HAUL_GRADE_ERROR && a->space == b->space &&
           is_same_object(a, b) && !report_lacks_write(f) && reads_there(f, read);
}

/* Whether the pair is an error on the same variable or buffer that would stay one whatever that store writes. */
static bool pair_covers(const report_finding *f, const report_finding *same_value) {
    const haul_finding *a = f->first, *b = same_value->first;
    if (a->kind != HAUL_FINDING_RACE_SHARED && a->kind != HAUL_FINDING_RACE_GLOBAL) return false;
    return a->grade == HAUL_GRADE_ERROR && a->space == b->space && is_same_object(a, b) && share_line(f, same_value);
}

typedef bool (*pair_test)(const report_finding *f, const report_finding *other);

/* Whether the test holds for the finding's own pair or for one that it lists. */
static bool any_pair(const report_finding *f, const report_finding *other, pair_test holds) {
    bool found = holds(f, other);
    for (size_t i = 0; i < f->also_count && !found; i++) found = holds(&f->also[i], other);
    return found;
}

/* Appends the read, and those that it tells of, to the finding that explains it. */
static haul_status append(joining *j, report_finding *f, const report_finding *read) {
    report_finding *also = ARENA_ARRAY(&j->v->memory, f->also_count + 1 + read->also_count, report_finding);
    if (!also) return haul_no_memory("the findings");
    for (size_t i = 0; i < f->also_count; i++) also[i] = f->also[i];
    also[f->also_count++] = *read;
    for (size_t i = 0; i < read->also_count; i++) also[f->also_count++] = read->also[i];
    f->also = also;
    j->joined[read - j->v->findings] = true;
    return HAUL_OK;
}

/* Lets the first finding for which the test holds list the other one, too. */
static haul_status explain(joining *j, const report_finding *other, pair_test holds) {
    report_finding *const end = j->v->findings + j->v->finding_count;
    for (report_finding *f = j->v->findings; f < end; f++)
        if (!j->joined[f - j->v->findings] && may_have_company(f) && any_pair(f, other, holds))
            return append(j, f, other);
    return HAUL_OK;
}

/* ---- bulk stores that were not waited for ---- */

/* Whether the two report the same bulk store and the same access, made before any wait covered the store's writes. Such
 * a wait would order the race, too. */
static bool is_used_early(const haul_finding *race, const haul_finding *early) {
    const size_t store = early->other.instruction, use = early->access.instruction;
    if (race->kind != HAUL_FINDING_RACE_GLOBAL || early->kind != HAUL_FINDING_ASYNC_READ_BEFORE_WAIT ||
        early->space != HAUL_SPACE_GLOBAL || early->grade > race->grade)
        return false;
    return (race->access.instruction == store && race->other.instruction == use) ||
           (race->access.instruction == use && race->other.instruction == store);
}

/* Leaves out a race that says less than another finding of the same two places. */
static void leave_out_race(joining *j, const report_finding *race) {
    report_finding *const end = j->v->findings + j->v->finding_count;
    for (report_finding *f = j->v->findings; f < end; f++) {
        if (!may_have_company(f) || !is_used_early(race->first, f->first)) continue;
        if (f->witness && !f->witness->found) f->witness = race->witness;
        j->joined[race - j->v->findings] = true;
        return;
    }
}

/* ---- mbarriers that are used before their initialisation ---- */

/* Whether `f` is that the use of a barrier is not ordered behind its initialisation: in one order of the threads there
 * is none yet when it is used, as `early` says. */
static bool explains_early_use(const report_finding *f, const report_finding *early) {
    const haul_finding *a = f->first, *b = early->first;
    return a->beside_init && b->before_init && !f->ignored_by && !early->ignored_by && a->grade == b->grade &&
           is_same_object(a, b) && report_is_same_line(&f->access, &early->access);
}

static haul_status explain_early_use(joining *j, const report_finding *early) {
    report_finding *const end = j->v->findings + j->v->finding_count;
    for (report_finding *f = j->v->findings; f < end; f++)
        if (!j->joined[f - j->v->findings] && explains_early_use(f, early)) return append(j, f, early);
    return HAUL_OK;
}

/* ---- barriers that some threads skip ---- */

/* All groups of threads that wait at one barrier in vain lack the same threads. */
static haul_status join_skipped(joining *j, size_t head) {
    report_finding *const all = j->v->findings;
    size_t count = 0;
    for (size_t i = head; i < j->v->finding_count; i++) {
        if (j->joined[i] || all[i].ignored_by || all[i].first->kind != HAUL_FINDING_BARRIER_DIVERGENCE ||
            !report_is_same_line(&all[i].access, &all[head].access))
            continue;
        j->joined[i] = count > 0;
        j->queue[count++] = &all[i];
    }
    return count ? keep_queue(j, count) : HAUL_OK;
}

/* ---- deadlocks ---- */

/* A launch in which nothing can go on has one deadlock, at however many places its threads wait. */
static haul_status join_deadlocks(joining *j) {
    size_t count = 0;
    for (size_t i = 0; i < j->v->finding_count; i++) {
        report_finding *f = &j->v->findings[i];
        if (f->ignored_by || f->first->kind != HAUL_FINDING_DEADLOCK) continue;
        j->joined[i] = count > 0;
        j->queue[count++] = f;
    }
    return count ? keep_queue(j, count) : HAUL_OK;
}

haul_status report_join_causes(report_verdict *v) {
    joining j;
    HAUL_TRY(begin(&j, v));
    for (size_t i = 0; i < v->finding_count; i++)
        if (may_have_company(&v->findings[i])) leave_out_race(&j, &v->findings[i]);
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i] && may_have_company(&v->findings[i])) HAUL_TRY(gather(&j, &v->findings[i]));
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i] && may_have_company(&v->findings[i]) && report_lacks_write(&v->findings[i]))
            HAUL_TRY(explain(&j, &v->findings[i], pair_explains));
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i] && may_have_company(&v->findings[i]) &&
            v->findings[i].first->kind == HAUL_FINDING_RACE_SAME_VALUE)
            HAUL_TRY(explain(&j, &v->findings[i], pair_covers));
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i] && v->findings[i].first->before_init) HAUL_TRY(explain_early_use(&j, &v->findings[i]));
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i]) HAUL_TRY(join_skipped(&j, i));
    HAUL_TRY(join_deadlocks(&j));
    size_t kept = 0;
    for (size_t i = 0; i < v->finding_count; i++)
        if (!j.joined[i]) v->findings[kept++] = v->findings[i];
    v->finding_count = kept;
    return HAUL_OK;
}
