#include "check/unused_load.h"

#include "assembler/dominance.h"
#include "base/memory.h"
#include "base/status.h"
#include "check/internal.h"
#include "check/scratch.h"
#include "check/thread_value.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "ptx/register_list.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <string.h>

/* Loads with more uses count as used, and so do those whose value flows into more registers: a kernel may have many
 * loads. Further conditions of a use are left out. */
enum { MOST_USES = 8, MOST_REGISTERS = 4096, MOST_GUARDS = 6 };

enum { ANY_LANE = SIM_LANES - 1 };

/* Whether only the thread decides a register's value. */
enum { UNKNOWN, ASKED, BY_THREAD, BY_OTHERS };

typedef struct search {
    const ptx_function *function;
    ptx_users readers;
    sim_dominance dominance;
    uint32_t *writer; /* by register: sim_unused_loads.writer */
    uint8_t *decided; /* by register */
    uint32_t load;
    ptx_register_list value; /* registers that the load's value may have flowed into */
    sim_load_guard guards[(MOST_USES + 1) * (MOST_GUARDS + 1)];
    uint32_t guard_count, use_count;
    uint32_t reach; /* sim_unused_load.reach of the current load */
    sim_unused_loads *table;
    uint32_t table_count;
    bool found; /* the table is whole */
} search;

/* ---- values that the thread decides ---- */

typedef struct sources {
    search *search;
    bool all, any;
} sources;

static bool is_by_thread(search *s, uint32_t reg);

static void ask_source(void *context, uint32_t reg, bool writes) {
    sources *x = context;
    if (writes) return;
    const bool is = is_by_thread(x->search, reg);
    x->all &= is;
    x->any |= is;
}

/* Either operand of a logical operation may decide it. */
static bool is_by_thread(search *s, uint32_t reg) {
    uint8_t *decided = &s->decided[reg];
    if (*decided != UNKNOWN) return *decided == BY_THREAD;
    *decided = ASKED;
    const ptx_instruction *i = s->writer[reg] ? &s->function->instructions[s->writer[reg] - 1] : NULL;
    sources x = {.search = s, .all = true};
    uint32_t lane;
    if (i && sim_is_broadcast(s->function, i, &lane)) {
        const ptx_operand *from = &i->operands[1];
        *decided = from->kind == PTX_REGISTER && is_by_thread(s, from->reg) ? BY_THREAD : BY_OTHERS;
        return *decided == BY_THREAD;
    }
    const bool is_computed = i && !i->guarded && (ptx_is_pure(i->op) || ptx_loads_parameter(i));
    if (is_computed) ptx_visit_registers(i, ask_source, &x);
    const bool either = is_computed && (i->op == PTX_OP_AND || i->op == PTX_OP_OR || i->op == PTX_OP_SETP_COMBINE);
    *decided = is_computed && (either ? x.any : x.all) ? BY_THREAD : BY_OTHERS;
    return *decided == BY_THREAD;
}

/* ---- the conditions of a use ---- */

static void add_guard(search *s, uint32_t reg, bool is_true, bool is_branch) {
    const ptx_instruction *load = &s->function->instructions[s->load];
    if (load->guarded && load->guard == reg && load->guard_negated != is_true) return; /* all its lanes fulfil it */
    if (is_by_thread(s, reg))
        s->guards[s->guard_count++] = (sim_load_guard){.reg = reg, .is_true = is_true, .is_branch = is_branch};
}

/* Adds the conditions of the branches that lead to the block, except those that lead to the load as well. */
static void add_branches(search *s, uint32_t block) {
    const ptx_function *f = s->function;
    const uint32_t from = s->guard_count, load = ptx_block_of(f, s->load);
    while (!sim_dominates(&s->dominance, block, load) && s->guard_count < from + MOST_GUARDS) {
        const uint32_t above = s->dominance.parent[block];
        if (above == PTX_NO_BLOCK) return;
        const ptx_block *b = &f->blocks[above];
        const ptx_instruction *branch = &f->instructions[b->end - 1];
        const bool decides = branch->op == PTX_OP_BRA && branch->guarded && b->taken != b->next &&
                             ptx_predecessor_count(&s->dominance.above, block) == 1;
        if (decides && b->taken == block) add_guard(s, branch->guard, !branch->guard_negated, false);
        if (decides && b->next == block) add_guard(s, branch->guard, branch->guard_negated, false);
        block = above;
    }
}

static bool is_same(const sim_load_guard *a, const sim_load_guard *b) {
    return a->reg == b->reg && a->is_true == b->is_true && a->is_branch == b->is_branch && a->ends_use == b->ends_use;
}

/* True if an earlier use has the conditions of the last one, which begin at `first`. */
static bool is_known(const search *s, uint32_t first) {
    const uint32_t count = s->guard_count - first;
    for (uint32_t at = 0; at < first; at++) {
        uint32_t n = 0;
        while (n < count && is_same(&s->guards[at + n], &s->guards[first + n])) n++;
        if (n == count && (!at || s->guards[at - 1].ends_use)) return true;
    }
    return false;
}

/* Adds a use of the value. Returns false if nothing is known of who executes it. */
static bool add_use(search *s, uint32_t instruction) {
    const ptx_instruction *at = &s->function->instructions[instruction];
    const uint32_t first = s->guard_count;
    if (s->use_count == MOST_USES) return false;
    if (at->guarded) add_guard(s, at->guard, !at->guard_negated, at->op == PTX_OP_BRA);
    add_branches(s, ptx_block_of(s->function, instruction));
    if (s->guard_count == first) return false;
    s->guards[s->guard_count - 1].ends_use = true;
    if (is_known(s, first))
        s->guard_count = first;
    else
        s->use_count++;
    return true;
}

/* ---- where a loaded value flows ---- */

static bool holds(const ptx_operand *o, uint32_t reg) {
    for (uint32_t k = 0; o->kind == PTX_VECTOR && k < o->part_count; k++)
        if (o->parts[k].kind == PTX_REGISTER && o->parts[k].reg == reg) return true;
    return false;
}

/* Returns to which lanes of a warp, as sim_unused_load.reach has it, a shuffle hands a value on. */
static uint32_t reach_of_shuffle(const search *s, const ptx_instruction *i) {
    uint32_t bits;
    const bool crosses = i->op == PTX_OP_SHFL && i->mods[PTX_SLOT_MODE] == PTX_MOD_BFLY &&
                         sim_is_constant(s->function, i, &i->operands[2], &bits);
    return (crosses ? bits : ANY_LANE) & ANY_LANE;
}

/* True if the instruction hands the register's value on to other lanes: not if the value only says whose it takes. */
static bool hands_on(const ptx_instruction *i, uint32_t reg) {
    if (!ptx_is(i->op, PTX_KIND_COLLECTIVE) || (i->guarded && i->guard == reg)) return false;
    for (unsigned k = 2; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_REGISTER && i->operands[k].reg == reg) return false;
    return true;
}

/* Returns whether the instruction only computes registers of the warp from the value in the register, and adds the
 * lanes that it reaches. Each lane's sums of wgmma depend on its own warp's rows only. */
static bool goes_on(search *s, const ptx_instruction *i, uint32_t reg) {
    const bool is_group = ptx_is_warpgroup_product(i);
    if (ptx_is_pure(i->op) || (is_group && holds(&i->operands[0], reg))) return true;
    const bool is_factor = ptx_is(i->op, PTX_KIND_PRODUCT) || (is_group && holds(&i->operands[1], reg));
    if (!is_factor && !hands_on(i, reg)) return false;
    s->reach |= is_factor ? ANY_LANE : reach_of_shuffle(s, i);
    return true;
}

/* Follows the value through registers, whatever path control takes. All else that reads it is a use: a store, an
 * address, a branch. Returns false if any lane may use the value. */
static bool find_uses(search *s) {
    const ptx_instruction *instructions = s->function->instructions;
    s->guard_count = s->use_count = s->reach = 0;
    ptx_register_list_clear(&s->value);
    ptx_list_results(&s->value, &instructions[s->load]);
    for (uint32_t next = 0; next < s->value.count; next++) {
        const uint32_t reg = s->value.registers[next];
        for (uint32_t k = s->readers.first[reg]; k < s->readers.first[reg + 1]; k++) {
            const uint32_t i = s->readers.instructions[k];
            if (goes_on(s, &instructions[i], reg))
                ptx_list_results(&s->value, &instructions[i]);
            else if (!add_use(s, i))
                return false;
            if (s->value.count > MOST_REGISTERS) return false;
        }
    }
    return s->use_count > 0;
}

/* ---- the table ---- */

/* True for a product of wgmma with a in shared memory: its rows belong to one warp. */
static bool is_described_product(const ptx_instruction *i) {
    return ptx_is_warpgroup_product(i) && i->operands[1].kind != PTX_VECTOR;
}

static bool is_ordinary_load(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return i->op == PTX_OP_LD && !sim_is_strong(i, PTX_OP_LD) && !i->mods[PTX_SLOT_NC] &&
           (space == PTX_MOD_GLOBAL || space == PTX_MOD_NONE);
}

static bool may_be_unused(const ptx_instruction *i) {
    return is_ordinary_load(i) || is_described_product(i);
}

/* Appends the conditions of the current load. */
static bool keep(search *s) {
    sim_unused_loads *t = s->table;
    sim_load_guard *guards = memory_resize(t->guards, (s->table_count + s->guard_count) * sizeof *guards);
    if (!guards) return false;
    t->guards = guards;
    memcpy(guards + s->table_count, s->guards, s->guard_count * sizeof *guards);
    t->of[s->load].first = s->table_count;
    t->of[s->load].end = s->table_count += s->guard_count;
    t->of[s->load].reach = s->reach;
    return true;
}

static bool make_table(search *s) {
    const ptx_function *f = s->function;
    sim_unused_loads *t = s->table = memory_zeroed(1, sizeof *t);
    if (!t) return false;
    t->of = memory_zeroed(f->instruction_count, sizeof *t->of);
    t->writer = memory_zeroed(f->register_count + 1, sizeof *t->writer);
    if (t->writer) memcpy(t->writer, s->writer, f->register_count * sizeof *t->writer);
    return t->of && t->writer;
}

/* Returns false if the host runs out of memory. */
static bool fill_table(search *s) {
    for (s->load = 0; s->load < s->function->instruction_count; s->load++)
        if (may_be_unused(&s->function->instructions[s->load]) && find_uses(s) &&
            ((!s->table && !make_table(s)) || !keep(s)))
            return false;
    return true;
}

static void prepare(search *s, arena *memory) {
    const ptx_function *f = s->function;
    const size_t registers = f->register_count + 1;
    ptx_users writers;
    s->writer = ARENA_ARRAY(memory, registers, uint32_t);
    s->decided = ARENA_ARRAY(memory, registers, uint8_t);
    s->value = ptx_register_list_make(f, memory);
    sim_dominance_find(f, memory, &s->dominance);
    ptx_users_find(f, memory, &s->readers, &writers);
    for (size_t r = 0; r < f->register_count; r++)
        if (writers.first[r + 1] == writers.first[r] + 1) s->writer[r] = writers.instructions[writers.first[r]] + 1;
}

static void find_all(void *context, arena *memory) {
    search *s = context;
    prepare(s, memory);
    s->found = fill_table(s);
}

haul_status sim_unused_loads_find(const sim_program *p, sim_unused_loads **out) {
    search s = {.function = p->function};
    *out = NULL;
    HAUL_TRY(sim_with_scratch(find_all, &s));
    *out = s.table;
    return s.found ? HAUL_OK : haul_no_memory("the launch's checks");
}

void sim_unused_loads_free(sim_unused_loads *loads) {
    if (!loads) return;
    memory_free(loads->of);
    memory_free(loads->guards);
    memory_free(loads->writer);
    memory_free(loads);
}

/* ---- while the launch runs ---- */

static bool uses_value(const sim_warp *w, const sim_unused_load *load, unsigned lane, bool *by_block) {
    const sim_unused_loads *table = w->sm->grid->unused;
    bool may_use = true;
    for (uint32_t k = load->first; k < load->end; k++) {
        const sim_load_guard *g = &table->guards[k];
        if (may_use) {
            const sim_thread_value v = sim_thread_value_of(w, table->writer, lane, g->reg);
            *by_block |= v.by_block;
            may_use = !v.known || (!g->is_branch && (v.bits != 0) == g->is_true);
        }
        if (g->ends_use && may_use) return true;
        if (g->ends_use) may_use = true;
    }
    return false;
}

/* Adds the lanes whose numbers differ from those of `lanes` in any of these bits. */
static uint32_t spread_lanes(uint32_t lanes, uint32_t bits) {
    static const uint32_t without[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff};
    for (unsigned b = 0; b < sizeof without / sizeof *without; b++)
        if (bits & 1u << b) lanes |= (lanes >> (1u << b) & without[b]) | (lanes & without[b]) << (1u << b);
    return lanes;
}

static sim_unused_memo find_lanes(const sim_warp *w, uint32_t instruction) {
    const sim_unused_load *load = &w->sm->grid->unused->of[instruction];
    uint32_t used = 0;
    bool by_block = false;
    for (unsigned l = 0; l < SIM_LANES && ~used; l++)
        if (!(used >> l & 1) && uses_value(w, load, l, &by_block)) used |= spread_lanes(1u << l, load->reach);
    return (sim_unused_memo){.cluster = by_block ? w->block->cluster_index : SIM_EACH_CLUSTER,
                             .instruction = instruction + 1,
                             .actor = sim_actor(w),
                             .lanes = ~used};
}

uint32_t sim_lanes_without_use(const sim_warp *w, uint32_t instruction) {
    const uint32_t actor = sim_actor(w);
    sim_unused_memo *m = &w->sm->hazards->unused[(instruction * 7 + actor) % SIM_UNUSED_MEMOS];
    const bool is_known = m->instruction == instruction + 1 && m->actor == actor &&
                          (m->cluster == SIM_EACH_CLUSTER || m->cluster == w->block->cluster_index);
    if (!is_known) *m = find_lanes(w, instruction);
    return m->lanes;
}
