/* Divides registers into two banks. Registers that must differ or be alike form a tree of links; the first instructions
 * decide, and what contradicts them is left out. */
#include "assembler/register_banks.h"

#include "ptx/traits.h"

typedef struct bank_link {
    uint32_t to, size; /* itself if it is the root; registers of the tree, at the root */
    bool differs;      /* it is in the other bank than `to` */
} bank_link;

/* Returns the root of the register's tree, and whether the register is in the other bank than the root. */
static uint32_t root_of(const bank_link *links, uint32_t reg, bool *differs) {
    *differs = false;
    for (; links[reg].to != reg; reg = links[reg].to) *differs ^= links[reg].differs;
    return reg;
}

/* Puts two registers in different banks, if nothing has decided that yet. The smaller tree goes below the larger one.
 */
static void part(bank_link *links, uint32_t a, uint32_t b) {
    bool a_differs, b_differs;
    uint32_t above = root_of(links, a, &a_differs), below = root_of(links, b, &b_differs);
    if (above == below) return;
    if (links[above].size < links[below].size) {
        const uint32_t larger = below;
        below = above;
        above = larger;
    }
    links[above].size += links[below].size;
    links[below].to = above;
    links[below].differs = a_differs == b_differs;
}

static bool is_single(const ptx_function *f, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER) return false;
    const unsigned type = f->registers[o->reg].type;
    return type != PTX_PRED && ptx_bits(type) <= 32;
}

uint8_t *sim_register_banks_find(const ptx_function *f, arena *memory) {
    bank_link *links = ARENA_ARRAY(memory, f->register_count + 1, bank_link);
    uint8_t *banks = ARENA_ARRAY(memory, f->register_count + 1, uint8_t);
    for (uint32_t r = 0; r < f->register_count; r++) links[r] = (bank_link){.to = r, .size = 1};
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (ptx_is_pure(i->op) && i->operand_count > 2 && is_single(f, &i->operands[1]) &&
            is_single(f, &i->operands[2]))
            part(links, i->operands[1].reg, i->operands[2].reg);
    }
    for (uint32_t r = 0; r < f->register_count; r++) {
        bool differs;
        const uint32_t root = root_of(links, r, &differs);
        if (links[root].size > 1) banks[r] = differs ? SIM_ODD_BANK : SIM_EVEN_BANK;
    }
    return banks;
}
