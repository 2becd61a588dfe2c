#include "sim/occupancy.h"

#include "ptx/edges.h"
#include "ptx/liveness.h"

#include <string.h>

/* ---- registers ---- */

static uint32_t smallest(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Machine code keeps kernel parameters and constants in constant memory, where instructions read them directly: such
 * PTX registers cost nothing. */
typedef struct register_costs {
    uint8_t *cost;        /* 32-bit registers; 0 for predicates and for what stays in constant memory */
    uint8_t *definitions; /* 0, 1, 2 = more */
} register_costs;

static unsigned full_cost(const ptx_register *r) {
    if (r->type == PTX_PRED) return 0;
    unsigned bits = ptx_bits(r->type);
    return bits <= 32 ? 1 : bits / 32;
}

static void count_definition(void *context, uint32_t reg, bool writes) {
    register_costs *c = context;
    if (writes && c->definitions[reg] < 2) c->definitions[reg]++;
}

static bool is_free_operand(const register_costs *c, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER: return c->definitions[o->reg] == 1 && c->cost[o->reg] == 0;
    case PTX_INTEGER:
    case PTX_FLOATING:
    case PTX_VARIABLE_ADDRESS: return true;
    default: return false;
    }
}

/* True when the instruction only names a constant, a parameter, or a copy of one. */
static bool is_free(const register_costs *c, const ptx_instruction *i) {
    if (i->guarded) return false;
    if (i->op == PTX_OP_LD)
        return i->mods[PTX_SLOT_SPACE] == PTX_MOD_PARAM || i->mods[PTX_SLOT_SPACE] == PTX_MOD_PARAM_ENTRY;
    if (i->op == PTX_OP_MOV || i->op == PTX_OP_CVTA || i->op == PTX_OP_CVTA_TO)
        return is_free_operand(c, &i->operands[1]);
    return false;
}

static void price_registers(const ptx_function *f, register_costs *c) {
    for (size_t r = 0; r < f->register_count; r++) c->cost[r] = (uint8_t)full_cost(&f->registers[r]);
    for (size_t i = 0; i < f->instruction_count; i++) ptx_visit_registers(&f->instructions[i], count_definition, c);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_operand *d = f->instructions[i].operand_count ? &f->instructions[i].operands[0] : NULL;
        if (!d || d->kind != PTX_REGISTER || c->definitions[d->reg] != 1) continue;
        if (is_free(c, &f->instructions[i])) c->cost[d->reg] = 0;
    }
}

/* Walks a block backwards with the set of live registers and what they cost. */
typedef struct live_scan {
    const register_costs *costs;
    uint32_t *live_in; /* by register: the block + 1 in which it is live now, or was when another was walked through */
    uint32_t block, sum, most;
    bool guarded;
} live_scan;

static bool is_live(const live_scan *s, uint32_t reg) {
    return s->live_in[reg] == s->block + 1;
}

static void end_life(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    if (!writes || s->guarded || !is_live(s, reg)) return;
    s->live_in[reg] = 0;
    s->sum -= s->costs->cost[reg];
}

static void make_live(live_scan *s, uint32_t reg) {
    s->live_in[reg] = s->block + 1;
    s->sum += s->costs->cost[reg];
}

static void begin_life(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    if (!writes && !is_live(s, reg)) make_live(s, reg);
}

static void scan_block(const ptx_function *f, const ptx_block *b, live_scan *s) {
    for (uint32_t i = b->end; i-- > b->first;) {
        s->guarded = f->instructions[i].guarded;
        ptx_visit_registers(&f->instructions[i], end_life, s);
        ptx_visit_registers(&f->instructions[i], begin_life, s);
        if (s->sum > s->most) s->most = s->sum;
    }
}

/* The assembler moves loads up, so that many are on their way at once, and unrolls small loops for that: about as many
 * registers as this wait for a block's loads. */
static uint32_t waiting_for_loads(const ptx_function *f, const register_costs *costs, uint32_t block) {
    enum { UNROLLED = 4, MOST = 12 };
    const ptx_block *b = &f->blocks[block];
    const bool loops = ptx_repeats(f, block);
    uint32_t sum = 0;
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *load = &f->instructions[i];
        if (load->op != PTX_OP_LD) continue;
        const ptx_operand *d = &load->operands[0];
        for (uint32_t k = 0; k < (d->kind == PTX_VECTOR ? d->part_count : 1); k++) {
            const ptx_operand *e = d->kind == PTX_VECTOR ? &d->parts[k] : d;
            if (e->kind == PTX_REGISTER) sum += costs->cost[e->reg];
        }
    }
    return smallest(loops ? sum * UNROLLED : sum, MOST);
}

static uint32_t most_live(const ptx_function *f, arena *memory) {
    ptx_liveness liveness;
    register_costs costs = {.cost = ARENA_ARRAY(memory, f->register_count + 1, uint8_t),
                            .definitions = ARENA_ARRAY(memory, f->register_count + 1, uint8_t)};
    ptx_liveness_compute(f, memory, &liveness);
    price_registers(f, &costs);
    live_scan s = {.costs = &costs, .live_in = ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
    for (s.block = 0; s.block < f->block_count; s.block++) {
        s.sum = 0;
        for (const ptx_live_word *w = ptx_live_words(&liveness, s.block); w < ptx_live_words(&liveness, s.block + 1);
             w++)
            for (uint64_t bits = w->out; bits; bits &= bits - 1) make_live(&s, ptx_live_register(&liveness, w, bits));
        scan_block(f, &f->blocks[s.block], &s);
        uint32_t waiting = s.sum + waiting_for_loads(f, &costs, s.block);
        if (waiting > s.most) s.most = waiting;
    }
    return s.most;
}

static uint32_t round_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* What .maxnreg, or .maxntid together with .minnctapersm, leaves for a thread. */
static uint32_t register_limit(const ptx_function *f, const sim_machine *m) {
    uint32_t limit = m->max_registers_per_thread;
    if (f->max_registers && f->max_registers < limit) limit = f->max_registers;
    const uint32_t *size = f->required_threads[0] ? f->required_threads : f->max_threads;
    uint64_t threads = (uint64_t)size[0] * (size[1] ? size[1] : 1) * (size[2] ? size[2] : 1);
    if (!threads) return limit;
    uint32_t blocks = f->min_blocks ? f->min_blocks : 1;
    uint64_t share = m->registers_per_sm / (round_up((uint32_t)threads, 32) * (uint64_t)blocks) / 8 * 8;
    return share && share < limit ? (uint32_t)share : limit;
}

/* Machine code holds the stack pointer and a few addresses and copies that PTX does not name; no kernel gets fewer than
 * 16 registers. Set by the recorded launches of compute capability 9.0 (docs/memory-model.md). */
enum { OVERHEAD_REGISTERS = 8, MIN_REGISTERS = 16 };

uint32_t sim_estimate_registers(const ptx_function *flat, arena *memory) {
    uint32_t estimate = most_live(flat, memory) + OVERHEAD_REGISTERS;
    return estimate < MIN_REGISTERS ? MIN_REGISTERS : estimate;
}

/* ---- occupancy ---- */

/* Registers are given to whole warps, and each of an SM's four quarters has a quarter of them. */
static uint32_t blocks_by_registers(const sim_machine *m, uint32_t warps, uint32_t registers) {
    enum { QUARTERS = 4 };
    uint32_t per_warp = round_up(registers * 32, m->register_unit);
    return m->registers_per_sm / QUARTERS / per_warp * QUARTERS / warps;
}

/* The smallest share of the SM's memory that shared memory can have and that holds so much. */
static uint32_t carveout_for(const sim_machine *m, uint64_t needed) {
    for (unsigned i = 0; i < SIM_MAX_CARVEOUTS && (i == 0 || m->carveouts[i]); i++)
        if (m->carveouts[i] >= needed) return m->carveouts[i];
    return m->shared_per_sm;
}

/* What the driver sets aside is more than the resident blocks need: mostly room for twice as many as registers, warps
 * and block slots allow, up to half of the memory. Read off 219 launches on an H100 (tests/data/l1). */
static uint64_t wanted_carveout(const sim_machine *m, uint32_t threads, const haul_occupancy *o) {
    enum { MOST_WITHOUT_SHARED = 32 << 10, LARGE_BLOCK = 512, LARGEST_BLOCK = 960 };
    const uint64_t needed = (uint64_t)o->shared_per_block * o->blocks_per_sm;
    if (o->shared_per_block == m->shared_reserved) {
        if (o->blocks_per_sm == 1) return needed;
        return threads < LARGE_BLOCK || 4 * needed > MOST_WITHOUT_SHARED ? MOST_WITHOUT_SHARED : 4 * needed;
    }
    if (threads >= LARGEST_BLOCK) return needed;
    const uint32_t others = smallest(smallest(o->limit_blocks, o->limit_warps), o->limit_registers);
    const uint64_t twice = (uint64_t)o->shared_per_block * smallest(2 * others, o->limit_blocks);
    return twice < m->unified_bytes / 2 ? twice : m->unified_bytes / 2;
}

static uint32_t choose_carveout(const sim_machine *m, uint32_t threads, const haul_occupancy *o) {
    const uint64_t needed = (uint64_t)o->shared_per_block * o->blocks_per_sm, wanted = wanted_carveout(m, threads, o);
    return carveout_for(m, wanted > needed ? wanted : needed);
}

void sim_occupancy_of(const sim_machine *m, uint32_t registers, uint32_t threads, uint64_t shared_bytes,
                      haul_occupancy *o) {
    uint32_t warps = (threads + 31) / 32;
    uint64_t block_shared = (shared_bytes + m->shared_unit - 1) / m->shared_unit * m->shared_unit + m->shared_reserved;
    *o = (haul_occupancy){.max_warps_per_sm = m->max_threads_per_sm / 32, .registers_per_thread = registers};
    o->limit_blocks = m->max_blocks_per_sm;
    o->limit_warps = o->max_warps_per_sm / warps;
    o->limit_registers = blocks_by_registers(m, warps, registers ? registers : 1);
    o->limit_shared = (uint32_t)(m->shared_per_sm / block_shared);
    o->blocks_per_sm =
        smallest(smallest(o->limit_blocks, o->limit_warps), smallest(o->limit_registers, o->limit_shared));
    o->warps_per_sm = o->blocks_per_sm * warps;
    o->shared_per_block = (uint32_t)block_shared;
    o->shared_carveout = choose_carveout(m, threads, o);
    o->l1_bytes = m->unified_bytes - o->shared_carveout;
}

uint32_t sim_registers(const sim_machine *m, const sim_program *program) {
    return smallest(program->registers, register_limit(program->function, m));
}

/* The estimate, or less where so many blocks would not fit with it. */
static uint32_t registers_for(const sim_machine *m, uint32_t registers, uint32_t threads, uint32_t blocks) {
    const uint32_t warps = (threads + 31) / 32, step = m->register_unit / 32;
    while (registers > step && blocks_by_registers(m, warps, registers) < blocks)
        registers = (registers - 1) / step * step;
    return registers;
}

void sim_occupancy(const sim_machine *m, const sim_program *program, uint32_t threads, uint32_t dynamic_bytes,
                   uint32_t known_blocks, haul_occupancy *o) {
    const uint64_t shared = program->shared_bytes + dynamic_bytes;
    const uint32_t estimate = sim_registers(m, program);
    sim_occupancy_of(m, estimate, threads, shared, o);
    const uint32_t others = smallest(smallest(o->limit_blocks, o->limit_warps), o->limit_shared);
    const uint32_t registers = registers_for(m, estimate, threads, smallest(known_blocks, others));
    if (registers != estimate) sim_occupancy_of(m, registers, threads, shared, o);
    o->registers_estimated = true;
}
