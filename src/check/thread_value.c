#include "check/thread_value.h"

#include "base/number.h"
#include "check/wait_condition.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"

#include <string.h>

/* Values that take more steps are not followed. */
enum { MOST_STEPS = 128, MOST_DEPTH = 24 };

typedef struct search {
    const sim_warp *w;
    const uint32_t *writer;
    unsigned lane, depth, steps;
    bool by_block; /* the block's index has had a part in it */
} search;

typedef sim_thread_value value;

static const value unknown = {0};

static value known(uint64_t bits) {
    return (value){.known = true, .bits = bits};
}

static value operand(search *s, const ptx_operand *o, unsigned type);

static uint64_t ones(unsigned type) {
    const unsigned bits = type == PTX_PRED ? 1 : ptx_bits(type);
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Returns the value as one of that type: a signed one with its sign, others with zeros. */
static uint64_t as_type(uint64_t bits, unsigned type) {
    bits &= ones(type);
    return ptx_is_signed(type) && bits > ones(type) >> 1 ? bits | ~ones(type) : bits;
}

/* ---- the last writer ---- */

typedef struct writer_search {
    uint32_t reg;
    bool found;
} writer_search;

static void note_writer(void *context, uint32_t reg, bool writes) {
    writer_search *s = context;
    s->found |= writes && reg == s->reg;
}

uint32_t sim_last_writer(const ptx_function *f, uint32_t at, uint32_t reg) {
    const uint32_t first = f->blocks[ptx_block_of(f, at)].first;
    writer_search s = {.reg = reg};
    for (uint32_t k = at; k-- > first;) {
        ptx_visit_registers(&f->instructions[k], note_writer, &s);
        if (s.found) return k;
    }
    return PTX_NO_BLOCK;
}

/* ---- where values come from ---- */

static value special(search *s, unsigned name) {
    const sim_grid *g = s->w->sm->grid;
    const uint32_t thread = s->w->index * SIM_LANES + s->lane, *size = g->block;
    switch (name) {
    case PTX_SPECIAL_TID_X: return known(thread % size[0]);
    case PTX_SPECIAL_TID_Y: return known(thread / size[0] % size[1]);
    case PTX_SPECIAL_TID_Z: return known(thread / size[0] / size[1]);
    case PTX_SPECIAL_NTID_X:
    case PTX_SPECIAL_NTID_Y:
    case PTX_SPECIAL_NTID_Z: return known(size[name - PTX_SPECIAL_NTID_X]);
    case PTX_SPECIAL_CTAID_X:
    case PTX_SPECIAL_CTAID_Y:
    case PTX_SPECIAL_CTAID_Z: s->by_block = true; return known(s->w->block->at[name - PTX_SPECIAL_CTAID_X]);
    case PTX_SPECIAL_NCTAID_X:
    case PTX_SPECIAL_NCTAID_Y:
    case PTX_SPECIAL_NCTAID_Z: return known(g->grid[name - PTX_SPECIAL_NCTAID_X]);
    case PTX_SPECIAL_LANEID: return known(s->lane);
    default: return unknown;
    }
}

static value parameter(const search *s, const ptx_instruction *i) {
    const sim_grid *g = s->w->sm->grid;
    const ptx_function *f = g->program->function;
    const ptx_operand *from = &i->operands[1];
    const uint64_t bytes = ptx_bits(i->type) / 8;
    uint64_t at = 0, bits = 0;
    if (from->parts[0].kind != PTX_VARIABLE_ADDRESS || from->offset < 0) return unknown;
    for (size_t k = 0; k < f->param_count; k++) {
        const ptx_variable *v = f->params[k];
        at = number_align(at, v->alignment);
        if (v == from->parts[0].variable && (uint64_t)from->offset + bytes <= v->size && bytes <= sizeof bits) {
            memcpy(&bits, g->params + at + (uint64_t)from->offset, bytes);
            return known(as_type(bits, i->type));
        }
        at += v->size;
    }
    return unknown;
}

/* ---- instructions ---- */

/* One operand may decide alone: a false one of a conjunction, a true one of a disjunction. */
static value logic(unsigned op, value a, value b, uint64_t all) {
    const uint64_t decides = op == PTX_OP_OR ? all : 0;
    if (op != PTX_OP_XOR && ((a.known && a.bits == decides) || (b.known && b.bits == decides))) return known(decides);
    if (!a.known || !b.known) return unknown;
    return known(op == PTX_OP_AND ? a.bits & b.bits : op == PTX_OP_OR ? a.bits | b.bits : a.bits ^ b.bits);
}

static value comparison(search *s, const ptx_instruction *i) {
    const value a = operand(s, &i->operands[1], i->type), b = operand(s, &i->operands[2], i->type);
    value result = unknown;
    if (i->operands[0].kind != PTX_REGISTER || !ptx_is_integer(i->type)) return unknown;
    if (a.known && b.known)
        result =
            known(sim_compares(i->mods[PTX_SLOT_COMPARE], ptx_is_signed(i->type), (int64_t)a.bits, (int64_t)b.bits));
    if (i->op == PTX_OP_SETP) return result;
    const unsigned how = i->mods[PTX_SLOT_COMBINE];
    const unsigned op = how == PTX_MOD_AND ? PTX_OP_AND : how == PTX_MOD_OR ? PTX_OP_OR : PTX_OP_XOR;
    return logic(op, result, operand(s, &i->operands[3], PTX_PRED), 1);
}

static value shifted(const ptx_instruction *i, value a, value by) {
    const uint32_t bits = (uint32_t)by.bits;
    if (!a.known || !by.known) return unknown;
    if (i->op == PTX_OP_SHR) return known(sim_shifted_right(i->type, a.bits, bits));
    return known(bits < ptx_bits(i->type) ? a.bits << bits : 0);
}

static value quotient(const ptx_instruction *i, uint64_t a, uint64_t b) {
    const int64_t x = (int64_t)a, y = (int64_t)b;
    const bool divides = i->op == PTX_OP_DIV;
    if (!b || (ptx_is_signed(i->type) && y == -1)) return unknown;
    if (ptx_is_signed(i->type)) return known((uint64_t)(divides ? x / y : x % y));
    return known(divides ? a / b : a % b);
}

static value arithmetic(search *s, const ptx_instruction *i) {
    const bool high = i->mods[PTX_SLOT_MODE] == PTX_MOD_HI;
    const value a = operand(s, &i->operands[1], i->type), b = operand(s, &i->operands[2], i->type);
    if (!a.known || !b.known || high || i->mods[PTX_SLOT_SAT]) return unknown;
    switch (i->op) {
    case PTX_OP_ADD: return known(a.bits + b.bits);
    case PTX_OP_SUB: return known(a.bits - b.bits);
    case PTX_OP_MUL:
    case PTX_OP_MUL_WIDE: return known(a.bits * b.bits);
    case PTX_OP_MAD: break;
    default: return quotient(i, a.bits, b.bits);
    }
    const value c = operand(s, &i->operands[3], i->type);
    return c.known ? known(a.bits * b.bits + c.bits) : unknown;
}

static value bit_field(search *s, const ptx_instruction *i) {
    const value a = operand(s, &i->operands[1], i->type), at = operand(s, &i->operands[2], PTX_U32);
    const value count = operand(s, &i->operands[3], PTX_U32);
    const uint64_t end = (at.bits & 255) + (count.bits & 255), bits = ptx_bits(i->type);
    if (!a.known || !at.known || !count.known || !(count.bits & 255) || end > bits) return unknown;
    const uint64_t top = a.bits << (64 - end);
    const unsigned down = (unsigned)(64 - (count.bits & 255));
    return known(ptx_is_signed(i->type) ? (uint64_t)((int64_t)top >> down) : top >> down);
}

static value selected(search *s, const ptx_instruction *i) {
    const value c = operand(s, &i->operands[3], PTX_PRED);
    return c.known ? operand(s, &i->operands[c.bits ? 1 : 2], i->type) : unknown;
}

bool sim_is_constant(const ptx_function *f, const ptx_instruction *i, const ptx_operand *o, uint32_t *number) {
    const uint32_t at = (uint32_t)(i - f->instructions);
    const uint32_t set = o->kind == PTX_REGISTER ? sim_last_writer(f, at, o->reg) : PTX_NO_BLOCK;
    if (set != PTX_NO_BLOCK && f->instructions[set].op == PTX_OP_MOV && !f->instructions[set].guarded)
        o = &f->instructions[set].operands[1];
    *number = (uint32_t)o->bits;
    return o->kind == PTX_INTEGER;
}

bool sim_is_broadcast(const ptx_function *f, const ptx_instruction *i, uint32_t *lane) {
    uint32_t segments, members;
    if (i->op != PTX_OP_SHFL || i->mods[PTX_SLOT_MODE] != PTX_MOD_IDX || i->guarded || i->operand_count < 5)
        return false;
    if (!sim_is_constant(f, i, &i->operands[2], lane) || !sim_is_constant(f, i, &i->operands[3], &segments))
        return false;
    return *lane < SIM_LANES && segments == SIM_LANES - 1 && sim_is_constant(f, i, &i->operands[4], &members) &&
           members == SIM_ALL_LANES;
}

static value broadcast(search *s, const ptx_instruction *i, unsigned lane) {
    const unsigned self = s->lane;
    s->lane = lane;
    const value v = operand(s, &i->operands[1], i->type);
    s->lane = self;
    return v;
}

/* reg: which of the instruction's results. */
static value result_of(search *s, const ptx_instruction *i, uint32_t reg) {
    const ptx_operand *d = i->operands[0].kind == PTX_PAIR ? &i->operands[0].parts[0] : &i->operands[0];
    uint32_t lane;
    if (sim_is_broadcast(s->w->sm->grid->program->function, i, &lane))
        return d->reg == reg ? broadcast(s, i, lane) : unknown;
    if (i->operands[0].kind != PTX_REGISTER || i->guarded || i->type == PTX_U16X2 || i->type == PTX_S16X2)
        return unknown;
    switch (i->op) {
    case PTX_OP_MOV: return operand(s, &i->operands[1], i->type);
    case PTX_OP_CVT: return ptx_is_integer(i->type) ? operand(s, &i->operands[1], i->type2) : unknown;
    case PTX_OP_LD: return ptx_loads_parameter(i) ? parameter(s, i) : unknown;
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MUL_WIDE:
    case PTX_OP_MAD:
    case PTX_OP_DIV:
    case PTX_OP_REM: return arithmetic(s, i);
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
        return logic(i->op, operand(s, &i->operands[1], i->type), operand(s, &i->operands[2], i->type), ones(i->type));
    case PTX_OP_NOT: {
        const value a = operand(s, &i->operands[1], i->type);
        return a.known ? known(~a.bits & ones(i->type)) : unknown;
    }
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shifted(i, operand(s, &i->operands[1], i->type), operand(s, &i->operands[2], PTX_U32));
    case PTX_OP_SETP:
    case PTX_OP_SETP_COMBINE: return comparison(s, i);
    case PTX_OP_SELP: return selected(s, i);
    case PTX_OP_BFE: return bit_field(s, i);
    default: return unknown;
    }
}

static value of_register(search *s, uint32_t reg) {
    const uint32_t writer = s->writer[reg];
    if (!writer || s->depth == MOST_DEPTH || ++s->steps > MOST_STEPS) return unknown;
    s->depth++;
    const value v = result_of(s, &s->w->sm->grid->program->function->instructions[writer - 1], reg);
    s->depth--;
    return v;
}

static value operand(search *s, const ptx_operand *o, unsigned type) {
    value v = unknown;
    if (type != PTX_PRED && !ptx_is_integer(type)) return unknown;
    if (o->kind == PTX_INTEGER) v = known(o->bits);
    if (o->kind == PTX_SPECIAL_REGISTER) v = special(s, o->special);
    if (o->kind == PTX_REGISTER) v = of_register(s, o->reg);
    if (o->negated) v.bits = ~v.bits;
    v.bits = as_type(v.bits, type);
    return v;
}

sim_thread_value sim_thread_value_of(const sim_warp *w, const uint32_t *writer, unsigned lane, uint32_t reg) {
    search s = {.w = w, .writer = writer, .lane = lane};
    value v = of_register(&s, reg);
    v.by_block = s.by_block;
    return v;
}
