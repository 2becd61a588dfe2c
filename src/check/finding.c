#include "check/finding.h"

#include "base/mangled.h"
#include "base/memory.h"
#include "base/number.h"
#include "ptx/pattern.h"
#include "ptx/traits.h"
#include "state/block.h"
#include "state/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Findings of one kind to keep: a kernel that is wrong everywhere needs no more. */
enum { MOST = 256 };

static bool same_place(const sim_findings *f, const haul_finding_access *a, const haul_finding_access *b) {
    if (!a->action || !b->action) return a->action == b->action;
    return a->instruction == b->instruction || f->places[a->instruction] == f->places[b->instruction];
}

static bool is_same(const sim_findings *f, const haul_finding *a, const haul_finding *b) {
    return a->kind == b->kind && a->grade == b->grade && same_place(f, &a->access, &b->access) &&
           same_place(f, &a->other, &b->other);
}

/* Returns the finding's index, or `count` if it is not in the list. */
static size_t find(const sim_findings *f, const haul_finding *found) {
    size_t at = 0;
    if (f->last < f->count && is_same(f, &f->items[f->last].finding, found)) return f->last;
    while (at < f->count && !is_same(f, &f->items[at].finding, found)) at++;
    return at;
}

static bool make_room(sim_findings *f) {
    sim_finding *items = memory_grow(f->items, f->count, &f->capacity, sizeof *items);
    if (items) f->items = items;
    f->failed |= !items;
    return items != NULL;
}

sim_finding *sim_findings_add(sim_findings *f, const haul_finding *found) {
    f->last = find(f, found);
    if (f->last < f->count || f->kinds[found->kind] == MOST || !make_room(f)) return NULL;
    sim_finding *new = &f->items[f->count++];
    *new = (sim_finding){.finding = *found};
    f->kinds[found->kind]++;
    return new;
}

void sim_findings_concern(sim_findings *f, uint64_t warp, uint32_t lanes) {
    if (f->last < f->count) f->failed |= !sim_threads_add(&f->items[f->last].threads, warp, lanes);
}

void sim_findings_free(sim_findings *f) {
    for (size_t i = 0; i < f->count; i++) sim_threads_free(&f->items[i].threads);
    memory_free(f->items);
    *f = (sim_findings){0};
}

haul_finding_access sim_finding_access(haul_action action, uint32_t instruction, const sim_block *b, uint32_t thread) {
    const uint32_t *size = b->sm->grid->block;
    const ptx_instruction *i = &b->sm->grid->program->function->instructions[instruction];
    haul_finding_access a = {.action = action, .instruction = instruction};
    if (ptx_is_access(i->op)) a.bytes = ptx_bits(i->type) / 8 * ptx_vector_length(i);
    memcpy(a.block, b->at, sizeof a.block);
    a.thread[0] = thread % size[0];
    a.thread[1] = thread / size[0] % size[1];
    a.thread[2] = thread / size[0] / size[1];
    return a;
}

/* ---- naming the object at an address ---- */

static void locate_variable(const sim_program *p, ptx_space space, sim_finding *f, const char *where) {
    const uint64_t at = f->finding.address;
    for (size_t i = 0; i < p->variable_count; i++) {
        const sim_variable_place *v = &p->variables[i];
        if (v->variable->space != space || at < v->at || at >= v->at + v->variable->size) continue;
        size_t length;
        const char *name = mangled_name(v->variable->name, &length);
        snprintf(f->object, sizeof f->object, "%.*s + %llu (%llu bytes of %s memory)", length < 60 ? (int)length : 60,
                 name, (unsigned long long)(at - v->at), (unsigned long long)v->variable->size, where);
        return;
    }
}

/* Names a static variable, an offset into dynamic shared memory, or the distance past its end. */
static void locate_shared(const sim_grid *g, sim_finding *f) {
    const uint64_t at = f->finding.address, dynamic = g->program->dynamic_shared_at;
    locate_variable(g->program, PTX_SPACE_SHARED, f, "shared");
    if (*f->object) return;
    if (at >= dynamic && at < dynamic + g->dynamic_bytes)
        snprintf(f->object, sizeof f->object, "dynamic shared memory + %llu (of %u bytes)",
                 (unsigned long long)(at - dynamic), g->dynamic_bytes);
    else if (at >= g->shared_bytes)
        snprintf(f->object, sizeof f->object, "%llu bytes past the block's shared memory",
                 (unsigned long long)(at - g->shared_bytes));
}

/* Returns the argument that points into from .. to-1; -1: none does. */
static int argument_into(const sim_grid *g, uint64_t from, uint64_t to) {
    const ptx_function *f = g->program->function;
    uint64_t at = 0;
    for (size_t i = 0; i < f->param_count; i++) {
        const ptx_variable *v = f->params[i];
        uint64_t value = 0;
        at = number_align(at, v->alignment);
        if (v->size == 8) memcpy(&value, g->params + at, 8);
        if (value >= from && value < to) return (int)i;
        at += v->size;
    }
    return -1;
}

/* Names the allocation at the address, or the one that ends before it, by the argument that points to it. */
static void locate_global(const sim_grid *g, sim_finding *f) {
    sim_range range;
    const uint64_t at = f->finding.address;
    const bool inside = sim_memory_find(g->memory, at, &range);
    if (!inside && !sim_memory_before(g->memory, at, &range)) return;
    const int argument = argument_into(g, range.from, range.to);
    char name[32] = "an allocation";
    if (argument >= 0) snprintf(name, sizeof name, "argument %d's buffer", argument);
    if (inside)
        snprintf(f->object, sizeof f->object, "%s + %llu (of %llu bytes)", name, (unsigned long long)(at - range.from),
                 (unsigned long long)(range.to - range.from));
    else
        snprintf(f->object, sizeof f->object, "%llu bytes past the end of %s (of %llu bytes)",
                 (unsigned long long)(at - range.to), name, (unsigned long long)(range.to - range.from));
}

void sim_finding_locate(const sim_grid *g, sim_finding *f) {
    switch (f->finding.space) {
    case HAUL_SPACE_SHARED: locate_shared(g, f); return;
    case HAUL_SPACE_GLOBAL: locate_global(g, f); return;
    case HAUL_SPACE_LOCAL: locate_variable(g->program, PTX_SPACE_LOCAL, f, "local"); return;
    default: return;
    }
}

/* ---- the record ---- */

static int order(const void *left, const void *right) {
    const haul_finding *a = &((const sim_finding *)left)->finding, *b = &((const sim_finding *)right)->finding;
    if (a->grade != b->grade) return (int)a->grade - (int)b->grade;
    if (a->access.instruction != b->access.instruction) return a->access.instruction < b->access.instruction ? -1 : 1;
    if (a->other.instruction != b->other.instruction) return a->other.instruction < b->other.instruction ? -1 : 1;
    if (a->kind != b->kind) return (int)a->kind - (int)b->kind;
    if (a->access.action != b->access.action) return (int)a->access.action - (int)b->access.action;
    return (int)a->other.action - (int)b->other.action;
}

static void merge_one(sim_findings *all, const sim_finding *one) {
    sim_finding *new = sim_findings_add(all, &one->finding);
    if (new) {
        *new = *one;
        new->threads = (sim_threads){0};
    }
    if (all->last < all->count) all->failed |= !sim_threads_join(&all->items[all->last].threads, &one->threads);
}

/* Drops advice if the same finding was an error in other blocks. */
static void drop_superseded(sim_findings *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        haul_finding as_error = all->items[i].finding;
        as_error.grade = haul_finding_kinds[as_error.kind].grade;
        const size_t other = as_error.grade == all->items[i].finding.grade ? all->count : find(all, &as_error);
        if (other == all->count)
            all->items[kept++] = all->items[i];
        else
            sim_threads_free(&all->items[i].threads);
    }
    all->count = kept;
}

/* Merges the SMs' lists in order and counts threads and blocks of each finding. */
static void merge(const sim_findings *const *lists, size_t count, uint32_t warps, sim_findings *all) {
    all->places = lists[0]->places;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lists[i]->count; k++) merge_one(all, &lists[i]->items[k]);
    drop_superseded(all);
    for (size_t i = 0; i < all->count; i++) {
        haul_finding *f = &all->items[i].finding;
        f->count = sim_threads_count(&all->items[i].threads);
        all->failed |= !sim_threads_count_blocks(&all->items[i].threads, warps, &f->blocks);
    }
    if (all->count) qsort(all->items, all->count, sizeof *all->items, order);
}

bool sim_findings_record(const sim_findings *const *lists, size_t count, uint32_t warps, arena *memory,
                         haul_launch_record *record) {
    sim_findings all = {0};
    merge(lists, count, warps, &all);
    /* The arena may jump: nothing on the heap may be needed any more by then. */
    sim_finding *kept = NULL;
    jmp_buf out_of_memory, *const outer = memory->out_of_memory;
    if (setjmp(out_of_memory)) {
        sim_findings_free(&all);
        memory->out_of_memory = outer;
        return false;
    }
    memory->out_of_memory = &out_of_memory;
    kept = ARENA_ARRAY(memory, all.count + 1, sim_finding);
    record->findings = ARENA_ARRAY(memory, all.count + 1, haul_finding);
    memory->out_of_memory = outer;
    for (size_t i = 0; i < all.count; i++) {
        kept[i] = all.items[i];
        record->findings[i] = kept[i].finding;
        record->findings[i].object = *kept[i].object ? kept[i].object : NULL;
        record->findings[i].what = kept[i].what;
    }
    record->finding_count = all.count;
    const bool whole = !all.failed;
    sim_findings_free(&all);
    return whole;
}
