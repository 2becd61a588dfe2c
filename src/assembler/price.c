/* Prices of instructions, from cost.def and the shapes of products. */
#include "assembler/price.h"

#include "assembler/assembler.h"
#include "assembler/copies.h"
#include "assembler/division.h"
#include "assembler/fuse.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

#include <string.h>

typedef enum cost_type { COST_ANY, COST_DOUBLE, COST_LONG, COST_WHOLE } cost_type;

static const struct {
    const char *mnemonic;
    cost_type of;
    uint8_t latency, slots, pipe;
    float busy;
} costs[] = {
#define COST(mnemonic, of, latency, issued, pipe, busy) {mnemonic, COST_##of, latency, issued, SIM_PIPE_##pipe, busy},
#include "assembler/cost.def"
#undef COST
};

enum { LATENCY = 4, SHARED_LATENCY = 26, SHARED_ATOMIC_LATENCY = 60 };
enum { PRODUCT_OF_A_WARP = 33 }; /* of mma, 16 x 8 x 16; wmma makes two that do not depend on each other */

/* By operation and type: the row of the table + 1, or NO_ROW; 0: not looked up yet. */
enum { NO_ROW = 255, TYPES = 4 };
_Static_assert(sizeof costs / sizeof *costs < NO_ROW, "a row's number fits a byte");

struct sim_prices {
    const uint8_t *fused;
    const bool *copies;
    const uint8_t *divisions;
    const sim_assembled *assembled;
    uint8_t rows[PTX_OP_COUNT][TYPES];
};

sim_prices *sim_prices_new(const ptx_function *f, const sim_writers *writers, const sim_assembled *assembled,
                           arena *memory) {
    sim_prices *prices = arena_alloc(memory, sizeof *prices);
    prices->fused = sim_fuse(f, writers, memory);
    prices->copies = sim_find_copies(f, writers, memory);
    prices->divisions = sim_find_divisions(f, writers, memory);
    prices->assembled = assembled;
    return prices;
}

/* Doubles, 64-bit integers and other integers have prices of their own. */
static cost_type type_of(const ptx_instruction *i) {
    if (i->type == PTX_F64) return COST_DOUBLE;
    if (i->type == PTX_U64 || i->type == PTX_S64 || i->type == PTX_B64) return COST_LONG;
    return i->type != PTX_TYPE_NONE && ptx_is_integer(i->type) ? COST_WHOLE : COST_ANY;
}

/* Parameters are read with the instruction that uses them, at no cost. */
static sim_price price_of_access(const ptx_instruction *i, bool atomic) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    if (ptx_in_shared(i)) return (sim_price){.latency = atomic ? SHARED_ATOMIC_LATENCY : SHARED_LATENCY, .slots = 1};
    const bool near = space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
    return near ? (sim_price){0} : (sim_price){.slots = 1, .waits = space != PTX_MOD_CONST};
}

/* The first row with the mnemonic and the type. */
static uint8_t find_row(const char *mnemonic, cost_type type) {
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        if ((costs[k].of == COST_ANY || costs[k].of == type) && strcmp(costs[k].mnemonic, mnemonic) == 0)
            return (uint8_t)(k + 1);
    return NO_ROW;
}

/* A warpgroup's product keeps the tensor cores of all four schedulers busy for half as many cycles as it has columns,
 * whatever the type: its depth is 32 bytes. A narrow one takes as long as one of 32 columns. */
static sim_price price_of_warpgroup(const ptx_instruction *i) {
    enum { LEAST = 16 };
    const float columns = (float)ptx_shape_of(i).n / 2, cycles = columns > LEAST ? columns : LEAST;
    return (sim_price){cycles, 1, false, SIM_PIPE_TENSOR, cycles};
}

/* A warp's product by mma keeps the tensor core busy for 6 cycles if it has 2,048 products of 16 bits: two thirds of
 * what a warpgroup reaches. Doubles have units of their own, with 32 products a cycle. */
static sim_price price_of_product(const ptx_instruction *i) {
    const ptx_shape s = ptx_shape_of(i);
    const ptx_type element = ptx_element_type(i, 'a');
    const float products = (float)s.m * s.n * s.k, bits = element == PTX_TF32 ? 32 : (float)ptx_types[element].bits;
    const float busy = bits > 32 ? products / 32 : products * bits / (16 * 2048) * 6;
    const float instructions = products > 2048 && ptx_has(i->op, PTX_TRAIT_WMMA) ? 2 : 1;
    return (sim_price){PRODUCT_OF_A_WARP, instructions, false, SIM_PIPE_TENSOR, busy};
}

sim_price sim_price_of(sim_prices *prices, const ptx_instruction *i) {
    const cost_type type = type_of(i);
    uint8_t *row = &prices->rows[i->op][type];
    if (ptx_is(i->op, PTX_KIND_WARPGROUP_PRODUCT)) return price_of_warpgroup(i);
    if (ptx_is(i->op, PTX_KIND_PRODUCT)) return price_of_product(i);
    if (ptx_is(i->op, PTX_KIND_LOAD)) return price_of_access(i, false);
    if (ptx_is(i->op, PTX_KIND_ATOMIC)) return price_of_access(i, true);
    if (ptx_is(i->op, PTX_KIND_TEXTURE | PTX_KIND_SURFACE_LOAD)) return (sim_price){.slots = 1, .waits = true};
    if (*row == 0) *row = find_row(ptx_ops[i->op].mnemonic, type);
    const bool computes = type == COST_ANY && !ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_REDUCTION);
    if (*row == NO_ROW) return (sim_price){LATENCY, 1, false, computes ? SIM_PIPE_FMA : SIM_PIPE_NONE, 1};
    return (sim_price){costs[*row - 1].latency, costs[*row - 1].slots, false, costs[*row - 1].pipe,
                       costs[*row - 1].busy};
}

/* Quotients and remainders of 32 bits, as ptxas 13.0 makes them for sm_90: a reciprocal has three instructions of the
 * unit of special functions, which wait for each other. Signs take some more. */
static sim_price price_of_division(sim_prices *prices, const ptx_instruction *i, sim_division part) {
    enum { CORRECT = 10, RECIPROCAL = 8, CORRECT_SIGNED = 14, RECIPROCAL_SIGNED = 10, AGAIN = 3, AGAIN_SIGNED = 7 };
    enum { RECIPROCAL_LATENCY = 60, RECIPROCAL_BUSY = 3 * 8 };
    const bool has_signs = i->type == PTX_S32 || i->type == PTX_S16;
    sim_price p = sim_price_of(prices, i);
    if (part == SIM_DIVISION_AGAIN)
        return (sim_price){LATENCY, has_signs ? AGAIN_SIGNED : AGAIN, false, SIM_PIPE_ALU, 0};
    p.slots = has_signs ? CORRECT_SIGNED : CORRECT;
    if (part == SIM_DIVISION_WITHOUT_RECIPROCAL) return (sim_price){p.latency, p.slots, false, SIM_PIPE_FMA, p.slots};
    p.slots += has_signs ? RECIPROCAL_SIGNED : RECIPROCAL;
    p.latency += RECIPROCAL_LATENCY;
    p.busy = RECIPROCAL_BUSY;
    return p;
}

bool sim_is_of_another(const sim_prices *prices, uint32_t index, const ptx_instruction *i) {
    if (prices->fused[index] == 0) return true;
    return prices->assembled && ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_STORE) &&
           prices->assembled[index].part_count == 0;
}

sim_price sim_price_at(sim_prices *prices, uint32_t index, const ptx_instruction *i) {
    enum { PRODUCT_CYCLES = 2, WIDE_LATENCY = LATENCY + 1 };
    sim_price p = sim_price_of(prices, i);
    const uint8_t left = prices->fused[index];
    if (left == 0) return (sim_price){0};
    if (prices->divisions[index]) return price_of_division(prices, i, prices->divisions[index]);
    if (prices->copies[index]) return (sim_price){.latency = LATENCY, .slots = 1};
    if (left != SIM_NOT_FUSED) p = (sim_price){WIDE_LATENCY, left, false, SIM_PIPE_FMA, PRODUCT_CYCLES * (float)left};
    if (sim_is_of_another(prices, index, i)) p.slots = 0;
    return p;
}

/* Returns the machine instructions. Address conversions are none, nor are most copies between registers, and the last
 * product of a group closes it. Reading a parameter or a special register is one, though a warp does not wait for it.
 */
float sim_issued_by(const ptx_instruction *i, const sim_price *p) {
    if (i->op == PTX_OP_CVTA || i->op == PTX_OP_CVTA_TO || i->op == PTX_OP_WGMMA_COMMIT) return 0;
    if (i->op == PTX_OP_MOV) return p->slots > 0 || i->operands[1].kind != PTX_REGISTER;
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return 1 + SIM_COPY_FILLERS;
    return p->slots > 1 ? p->slots : 1;
}

/* Measured on an H200: besides loads of constants and two instructions for each barrier, the address divergence unit
 * gets reads of the block's number and one instruction for each group of copies. */
float sim_adu_of(const ptx_instruction *i) {
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return 1;
    return ptx_reads_special(i, PTX_SPECIAL_CTAID_X, PTX_SPECIAL_CTAID_Z);
}

/* The load/store unit gets shuffles, reads of the thread's number and the fillers of copies as well. */
float sim_lsu_of(const ptx_instruction *i) {
    if (i->op == PTX_OP_CP_ASYNC_COMMIT) return SIM_COPY_FILLERS;
    return i->op == PTX_OP_SHFL || ptx_reads_special(i, PTX_SPECIAL_TID_X, PTX_SPECIAL_TID_Z);
}

/* True if the instruction enters the queue of memory accesses. */
bool sim_is_queued(const ptx_instruction *i, const sim_price *p) {
    const unsigned accesses = PTX_KIND_STORE | PTX_KIND_REDUCTION | PTX_KIND_COPY | PTX_KIND_ATOMIC |
                              PTX_KIND_MATRIX_LOAD | PTX_KIND_MATRIX_STORE;
    if (p->pipe == SIM_PIPE_MIO || p->waits || ptx_is(i->op, accesses)) return true;
    return ptx_is(i->op, PTX_KIND_LOAD) && ptx_in_shared(i);
}

/* Returns whether the unit of special functions converts the number. */
bool sim_converts(const ptx_instruction *i) {
    if (i->op != PTX_OP_CVT) return false;
    return ptx_is_integer(i->type) != ptx_is_integer(i->type2) || i->type == PTX_F64 || i->type2 == PTX_F64;
}
