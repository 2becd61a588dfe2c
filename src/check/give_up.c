/* Follows the control flow behind a wait twice: with its result true, and with its result false. Each path carries what
 * is computed from the result, and ends where nothing of that is live any more: from there on the program cannot tell
 * whether it has waited. A place where paths of both kinds end is reached without a wait. A path also ends at another
 * wait, which stands in for this one, and where the thread ends. */
#include "check/give_up.h"

#include "check/internal.h"
#include "check/wait_condition.h"
#include "ptx/edges.h"
#include "ptx/traits.h"

#include <string.h>

enum { MOST_TRACKED = 16, MOST_PATHS = 64 };

/* A register that is computed from the wait's result. */
typedef struct tracked {
    uint32_t reg;
    bool known;
    uint64_t bits; /* of a predicate: 0 or 1 */
} tracked;

typedef struct path {
    uint32_t at; /* the next instruction */
    unsigned count;
    tracked list[MOST_TRACKED];
} path;

typedef struct search {
    const ptx_function *function;
    const ptx_liveness *live;
    bool *visited; /* by block */
    bool *ends;    /* by block: a path ends there */
    bool escapes;  /* the result goes where it is not followed */
    unsigned count;
    path paths[MOST_PATHS];
} search;

/* ---- registers of a path ---- */

static const tracked *find(const path *p, uint32_t reg) {
    for (unsigned k = 0; k < p->count; k++)
        if (p->list[k].reg == reg) return &p->list[k];
    return NULL;
}

static void forget(path *p, uint32_t reg) {
    for (unsigned k = 0; k < p->count; k++)
        if (p->list[k].reg == reg) p->list[k] = p->list[--p->count];
}

static void track(search *s, path *p, tracked t) {
    forget(p, t.reg);
    s->escapes |= p->count == MOST_TRACKED;
    if (!s->escapes) p->list[p->count++] = t;
}

typedef struct use {
    search *s;
    path *p;
    bool reads, tracks; /* it reads a tracked register; registers that it writes become tracked */
} use;

static void note_read(void *context, uint32_t reg, bool writes) {
    use *u = context;
    u->reads |= !writes && find(u->p, reg);
}

static void note_write(void *context, uint32_t reg, bool writes) {
    use *u = context;
    if (!writes) return;
    if (u->tracks)
        track(u->s, u->p, (tracked){.reg = reg});
    else
        forget(u->p, reg);
}

/* ---- values ---- */

static tracked value_of(const path *p, const ptx_operand *o) {
    const tracked *t = o->kind == PTX_REGISTER ? find(p, o->reg) : NULL;
    if (o->kind == PTX_INTEGER) return (tracked){.known = true, .bits = o->bits};
    if (!t || o->negated) return (tracked){0};
    return *t;
}

static tracked comparison(const ptx_instruction *i, tracked a, tracked b) {
    if (!a.known || !b.known || !ptx_is_integer(i->type)) return (tracked){0};
    return (tracked){
        .known = true,
        .bits = sim_compares(i->mods[PTX_SLOT_COMPARE], ptx_is_signed(i->type), (int64_t)a.bits, (int64_t)b.bits)};
}

/* Returns the result of an `and` or `or`. One known predicate can decide it: false an `and`, true an `or`. */
static tracked logic(const ptx_instruction *i, tracked a, tracked b) {
    const uint64_t decides = i->op == PTX_OP_OR;
    if (i->type == PTX_PRED && a.known && a.bits == decides) return a;
    if (i->type == PTX_PRED && b.known && b.bits == decides) return b;
    if (!a.known || !b.known) return (tracked){0};
    return (tracked){.known = true, .bits = i->op == PTX_OP_AND ? a.bits & b.bits : a.bits | b.bits};
}

static tracked result_of(const path *p, const ptx_instruction *i) {
    const tracked a = i->operand_count > 1 ? value_of(p, &i->operands[1]) : (tracked){0};
    const tracked b = i->operand_count > 2 ? value_of(p, &i->operands[2]) : (tracked){0};
    switch (i->op) {
    case PTX_OP_MOV: return a;
    case PTX_OP_NOT: return i->type == PTX_PRED ? (tracked){.known = a.known, .bits = !a.bits} : (tracked){0};
    case PTX_OP_AND:
    case PTX_OP_OR: return logic(i, a, b);
    case PTX_OP_SETP: return comparison(i, a, b);
    case PTX_OP_SELP: {
        const tracked c = value_of(p, &i->operands[3]);
        return !c.known ? (tracked){0} : c.bits ? a : b;
    }
    default: return (tracked){0};
    }
}

/* ---- steps ---- */

/* True if the path goes on behind the instruction. */
static bool step(search *s, path *p, const ptx_instruction *i) {
    use u = {.s = s, .p = p};
    if (ptx_is(i->op, PTX_KIND_MBARRIER_WAIT)) return false;
    if (ptx_is(i->op, PTX_KIND_BRANCH)) return true;
    const tracked *guard = i->guarded ? find(p, i->guard) : NULL;
    if (guard && guard->known && (guard->bits != 0) == i->guard_negated) return true;
    if (i->op == PTX_OP_TRAP || i->op == PTX_OP_EXIT || i->op == PTX_OP_RET) return i->guarded && !guard;
    ptx_visit_registers(i, note_read, &u);
    if (u.reads && !ptx_is_pure(i->op)) s->escapes = true;
    const tracked result = u.reads ? result_of(p, i) : (tracked){0};
    u.tracks = u.reads || (i->guarded && find(p, i->operands[0].reg) && i->operands[0].kind == PTX_REGISTER);
    ptx_visit_registers(i, note_write, &u);
    if (u.reads && result.known && (!i->guarded || guard) && i->operands[0].kind == PTX_REGISTER)
        track(s, p, (tracked){i->operands[0].reg, true, result.bits});
    return true;
}

static void enter(search *s, const path *from, uint32_t block) {
    path p = *from;
    if (block == PTX_NO_BLOCK) return;
    for (unsigned k = p.count; k-- > 0;)
        if (!ptx_is_live_in(s->live, block, p.list[k].reg)) p.list[k] = p.list[--p.count];
    if (!p.count) {
        s->ends[block] = true;
        return;
    }
    if (s->visited[block]) return;
    s->visited[block] = true;
    s->escapes |= s->count == MOST_PATHS;
    p.at = s->function->blocks[block].first;
    if (!s->escapes) s->paths[s->count++] = p;
}

static void follow(search *s, path p) {
    const ptx_function *f = s->function;
    const ptx_block *b = &f->blocks[ptx_block_of(f, p.at)];
    for (; p.at < b->end; p.at++)
        if (!step(s, &p, &f->instructions[p.at])) return;
    const ptx_instruction *last = &f->instructions[b->end - 1];
    const tracked *guard = last->guarded && ptx_is(last->op, PTX_KIND_BRANCH) ? find(&p, last->guard) : NULL;
    const bool is_decided = guard && guard->known, is_taken = is_decided && (guard->bits != 0) != last->guard_negated;
    s->escapes |= b->table_count != 0;
    if (!is_decided || is_taken) enter(s, &p, b->taken);
    if (!is_decided || !is_taken) enter(s, &p, b->next);
}

/* Marks the blocks where the program forgets the wait's result. Returns false if it cannot be followed. */
static bool follow_all(search *s, uint32_t wait, bool result) {
    const ptx_operand *to = &s->function->instructions[wait].operands[0];
    const path first = {.at = wait + 1, .count = 1, .list = {{to->reg, true, result}}};
    memset(s->visited, 0, s->function->block_count * sizeof *s->visited);
    s->count = 0;
    s->paths[s->count++] = first;
    while (s->count && !s->escapes) follow(s, s->paths[--s->count]);
    return !s->escapes;
}

/* ---- what lies behind a success ---- */

static bool has_wait(const ptx_function *f, const ptx_block *b) {
    for (uint32_t i = b->first; i < b->end; i++)
        if (ptx_is(f->instructions[i].op, PTX_KIND_MBARRIER_WAIT)) return true;
    return false;
}

/* Adds the blocks that the program may reach from those in `reached`: without another wait, or also behind one, but
 * not behind block `end`. */
static void reach(const ptx_function *f, bool *reached, bool past_waits, uint32_t end, arena *memory) {
    uint32_t *list = ARENA_ARRAY(memory, f->block_count, uint32_t);
    size_t count = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        if (reached[b]) list[count++] = b;
    while (count) {
        const uint32_t at = list[--count];
        const ptx_block *b = &f->blocks[at];
        if (at == end || (!past_waits && has_wait(f, b))) continue;
        for (uint32_t k = 0; k < ptx_edge_count(b); k++) {
            const uint32_t to = ptx_edge(b, k);
            if (to == PTX_NO_BLOCK || reached[to]) continue;
            reached[to] = true;
            list[count++] = to;
        }
    }
}

/* Finds the blocks behind places that only a success leads to, without those that the program may also reach while it
 * does not know yet (`undecided`), or from a place where it no longer knows. */
static void find_behind(const ptx_function *f, uint32_t wait, const bool *failed, const bool *succeeded,
                        const bool *undecided, arena *memory, bool *behind) {
    const uint32_t end = ptx_block_of(f, wait);
    bool *unsure = ARENA_ARRAY(memory, f->block_count, bool);
    for (uint32_t b = 0; b < f->block_count; b++) {
        behind[b] = succeeded[b] && !failed[b];
        unsure[b] = failed[b];
    }
    reach(f, behind, true, end, memory);
    reach(f, unsure, false, end, memory);
    for (uint32_t b = 0; b < f->block_count; b++) behind[b] = behind[b] && !unsure[b] && !undecided[b] && b != end;
}

bool sim_may_give_up(const ptx_function *f, const ptx_liveness *live, uint32_t wait, arena *memory, bool *behind) {
    const ptx_instruction *at = &f->instructions[wait];
    search s = {.function = f, .live = live};
    if (at->guarded || at->operands[0].kind != PTX_REGISTER || !f->block_count) return false;
    s.visited = ARENA_ARRAY(memory, f->block_count, bool);
    bool *failed = s.ends = ARENA_ARRAY(memory, f->block_count, bool);
    if (f->blocks[ptx_block_of(f, wait)].end == wait + 1 || !follow_all(&s, wait, false)) return false;
    const bool *undecided = s.visited;
    s.visited = ARENA_ARRAY(memory, f->block_count, bool);
    s.ends = ARENA_ARRAY(memory, f->block_count, bool);
    if (!follow_all(&s, wait, true)) return false;
    size_t b = 0;
    while (b < f->block_count && !(failed[b] && s.ends[b])) b++;
    if (b == f->block_count) return false;
    find_behind(f, wait, failed, s.ends, undecided, memory, behind);
    return true;
}
