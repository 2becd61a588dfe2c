/* Estimates how many registers machine code takes, which limits the blocks of an SM.
 *
 * The base is the most registers that are live at once after the assembler's simplifications and its schedule. Machine
 * code has some more, since the assembler does not use as few as possible. How many was fitted to what ptxas 13.0 gives
 * two thirds of the recorded kernels (tests/data/registers); docs/memory-model.md has the score. Where ptxas is
 * installed, it is asked instead. */
#include "assembler/registers.h"

#include "assembler/compact.h"
#include "assembler/pressure.h"
#include "assembler/unroll.h"
#include "assembler/values.h"
#include "ptx/traits.h"

/* Without bounds the scheduler moves loads ahead as long as an SM still holds all the threads that it can. OVERHEAD
 * registers are not for live values. With bounds, it may use ROOMY_BUDGET, and spreads
 * values over SPREAD more. */
const uint32_t sim_register_shares[SIM_SHARES] = {32, 40, 64};
enum { OVERHEAD = 8, ROOMY_BUDGET = 84, SPREAD = 4 };

/* Machine registers by live ones: a line of three pieces. */
static double machine_registers(double live) {
    enum { FEW = 8, MANY = 28 };
    const double few = live < FEW ? live : FEW, many = live > MANY ? live - MANY : 0;
    return 6 + few + 0.88 * (live - few - many) + 1.09 * many;
}

/* What the function has of things that take registers of their own. */
typedef struct contents {
    uint32_t copies;      /* cp.async */
    uint32_t sums;        /* registers of a wgmma's sums */
    uint32_t banks;       /* the most live ones, if each stays in its bank; only with calls and routines */
    bool calls, routines; /* of functions; of divisions and the like */
    bool long_loop;
    bool bounded;   /* by .minnctapersm */
    uint32_t warps; /* of a block */
} contents;

static uint32_t vector_registers(const ptx_function *f, const ptx_operand *o) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < o->part_count; k++)
        if (o->parts[k].kind == PTX_REGISTER) sum += (ptx_bits(f->registers[o->parts[k].reg].type) + 31) / 32;
    return sum;
}

static contents look_at(const ptx_function *f) {
    enum { LONG = 100 };
    contents c = {.calls = f->callee_count > 0};
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        c.calls |= i->op == PTX_OP_CALL;
        c.routines |= sim_is_call(i);
        c.copies += ptx_is(i->op, PTX_KIND_COPY);
        if (!ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT) || !i->operand_count) continue;
        const uint32_t sums = vector_registers(f, &i->operands[0]);
        if (sums > c.sums) c.sums = sums;
    }
    for (uint32_t b = 0; b < f->block_count; b++)
        c.long_loop |= f->instruction_count >= LONG && (f->blocks[b].next <= b || f->blocks[b].taken <= b);
    return c;
}

static unsigned bits_of(uint32_t n) {
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

enum { WARP = 32, REGISTERS = 65536, MOST_REGISTERS = 255 };
/* Registers of a thread if an SM holds so many blocks. */
static uint32_t registers_of(uint32_t blocks, uint32_t warps) {
    enum { UNIT = 8 };
    const uint32_t share = REGISTERS / (blocks * warps * WARP) / UNIT * UNIT;
    return share < MOST_REGISTERS ? share : MOST_REGISTERS;
}

/* The blocks that an SM with this share holds at most: half as many as warps, and as its warps allow. */
static uint32_t most_blocks(unsigned share, uint32_t warps) {
    const uint32_t most_warps = REGISTERS / WARP / sim_register_shares[share];
    const uint32_t by_warps = most_warps / warps, most = most_warps / 2;
    if (by_warps > most) return most;
    return by_warps ? by_warps : 1;
}

/* The registers that the assembler wants to keep to, so that an SM holds as many blocks as it can, or the first number
 * with which it holds fewer that leaves room. .minnctapersm tells it otherwise. None: UINT32_MAX. */
static uint32_t target_of(unsigned share, uint32_t least, const contents *c) {
    enum { BESIDE_LIVE = 4, BESIDE_LIVE_LATER = 5 };
    uint32_t blocks = most_blocks(share, c->warps);
    if (least + BESIDE_LIVE <= registers_of(blocks, c->warps)) return registers_of(blocks, c->warps);
    while (!c->bounded && --blocks)
        if (least + BESIDE_LIVE_LATER <= registers_of(blocks, c->warps)) return registers_of(blocks, c->warps);
    return UINT32_MAX;
}

/* With calls, the assembler keeps to `full` registers only if few are live, and to no step beyond. With routines as
 * well, it rather leaves registers free than reads two of one bank. */
static double with_calls(double registers, uint32_t full, uint32_t least, const contents *c) {
    enum { CALL = 6, CALL_LEAST = 24, BESIDE_BANKS = 10 };
    registers += CALL;
    if (registers > full && least < full - OVERHEAD) registers = full;
    if (c->banks > CALL_LEAST && registers < c->banks + BESIDE_BANKS) registers = c->banks + BESIDE_BANKS;
    return registers > CALL_LEAST ? registers : CALL_LEAST;
}

/* The assembler keeps to `target`, and to `full` if that takes few registers less. */
static double keep_to(double registers, uint32_t full, uint32_t target, uint32_t least) {
    enum { FEW = 3 };
    if (registers > full && registers < full + FEW && least < full) return full;
    return registers > target ? target : registers;
}

/* Adds what the contents take. The sums of wgmma lie above the registers that a call may change. */
static double with_contents(double registers, uint32_t full, uint32_t target, uint32_t least, const contents *c) {
    enum { SUMS_FROM = 28, SUMS_STEP = 8 };
    registers += bits_of(c->copies) + (c->long_loop ? 0.8 : 0);
    const double sums = SUMS_FROM + (c->sums + SUMS_STEP - 1) / SUMS_STEP * SUMS_STEP;
    if (!c->calls) registers = keep_to(registers, full, target, least);
    if (c->sums && registers < sums) registers = sums;
    return c->calls ? with_calls(registers, full, least, c) : registers;
}

/* Live registers if the loads alone do not fit in the budget: the assembler keeps nearer to the order that takes the
 * least without a schedule, and finds only some of those that need fewer registers. */
static double live_above(uint32_t budget, uint32_t scheduled, uint32_t least) {
    if (scheduled <= budget) return scheduled;
    if (least > scheduled) return scheduled + 0.8 * (least - scheduled);
    return least > budget ? least : budget;
}

/* The warps of a block. Without .maxntid or .reqntid, the assembler counts with blocks of 128 threads, and so it does
 * with .minnctapersm. */
static uint32_t warps_of(const ptx_function *flat) {
    enum { USUAL = 4, MOST_THREADS = 1024 };
    const uint64_t threads = ptx_bounded_threads(flat);
    if (!threads || threads > MOST_THREADS || flat->min_blocks) return USUAL;
    return (uint32_t)(threads + WARP - 1) / WARP;
}

sim_register_need sim_estimate_registers(const ptx_function *flat, arena *memory) {
    const ptx_function *f = sim_compact(sim_unroll_uniform(flat, memory), memory);
    contents c = look_at(f);
    c.bounded = flat->min_blocks > 0;
    c.warps = warps_of(flat);
    const uint32_t least = sim_pressure_least(f, sim_register_shares[0] - OVERHEAD, memory);
    sim_register_need need = {0};
    uint32_t scheduled = 0, last = 0;
    for (unsigned k = 0; k < SIM_SHARES; k++) {
        const uint32_t full = registers_of(most_blocks(k, c.warps), c.warps), budget = full - OVERHEAD;
        if (!k && c.calls && c.routines)
            scheduled = sim_pressure_with_banks(f, budget, &c.banks, memory);
        else if (!k || scheduled >= last)
            scheduled = sim_pressure_scheduled(f, budget, memory);
        last = budget;
        const double live = live_above(budget, scheduled, least);
        need.usual[k] = with_contents(machine_registers(live), full, target_of(k, least, &c), least, &c);
        if (!k) need.least = machine_registers(least < live ? least : live);
    }
    if (!flat->min_blocks) return need;
    const uint32_t roomy = sim_pressure_scheduled(f, ROOMY_BUDGET, memory);
    need.roomy = with_contents(machine_registers(roomy) + SPREAD, UINT32_MAX, UINT32_MAX, UINT32_MAX, &c);
    return need;
}
