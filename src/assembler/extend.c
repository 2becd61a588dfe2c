/* Which 16-bit loads machine code extends to 32 bits: those whose value is used as a wider number.
 *
 * An extended load cannot be part of a wider one, so combine.c needs to know. The rule was read off ptxas 13.0's
 * machine code for four adjacent loads with one use each (docs/memory-model.md). */
#include "assembler/extend.h"

#include "ptx/liveness.h"
#include "ptx/traits.h"

/* How a value is extended. */
enum { BY_ZEROS = 1, BY_SIGN = 2, EITHER = BY_ZEROS | BY_SIGN };

/* How a 16-bit type is extended; 0 for others. */
static uint8_t by_type(ptx_type type) {
    switch (type) {
    case PTX_U16:
    case PTX_B16: return BY_ZEROS;
    case PTX_S16: return BY_SIGN;
    default: return 0;
    }
}

/* Conversions to wider integers extend by the source's type. */
static uint8_t conversion_extends(const ptx_instruction *i) {
    switch (i->type) {
    case PTX_U32:
    case PTX_S32:
    case PTX_U64:
    case PTX_S64: return by_type(i->type2);
    case PTX_F32: return i->type2 == PTX_BF16 ? EITHER : 0;
    default: return 0;
    }
}

/* How an instruction extends the 16-bit values that it reads. */
static uint8_t extends(const ptx_instruction *i) {
    if (i->op == PTX_OP_CVT) return conversion_extends(i);
    if (ptx_has(i->op, PTX_TRAIT_EXTENDS_BY_TYPE)) return by_type(i->type);
    return ptx_has(i->op, PTX_TRAIT_EXTENDS_EITHER) && by_type(i->type) ? EITHER : 0;
}

typedef struct extension_scan {
    uint8_t *extended;
    uint8_t how;
    bool changed;
} extension_scan;

static void note_use(void *context, uint32_t reg, bool writes) {
    extension_scan *scan = context;
    const uint8_t all = (uint8_t)(scan->extended[reg] | scan->how);
    if (writes || all == scan->extended[reg]) return;
    scan->extended[reg] = all;
    scan->changed = true;
}

/* A copy is extended in the same way as its result. */
static uint8_t use_of(const extension_scan *scan, const ptx_instruction *i) {
    if (i->op != PTX_OP_MOV || i->operands[0].kind != PTX_REGISTER) return extends(i);
    return by_type(i->type) ? scan->extended[i->operands[0].reg] : 0;
}

/* Walks backwards until nothing changes, since copies pass their result's use on to their source. */
const uint8_t *sim_find_extended(const ptx_function *f, arena *memory) {
    extension_scan scan = {.extended = ARENA_ARRAY(memory, f->register_count + 1, uint8_t), .changed = true};
    while (scan.changed) {
        scan.changed = false;
        for (size_t k = f->instruction_count; k-- > 0;) {
            scan.how = use_of(&scan, &f->instructions[k]);
            if (scan.how) ptx_visit_registers(&f->instructions[k], note_use, &scan);
        }
    }
    return scan.extended;
}

bool sim_is_extended_load(const uint8_t *extended, const ptx_instruction *load) {
    const ptx_operand *value = &load->operands[0];
    return value->kind != PTX_REGISTER || (extended[value->reg] & by_type(load->type));
}
