/* What machine code loads from the bank of parameters. */
#include "sim/count/counting.h"

static bool reads_extent(const ptx_instruction *i) {
    bool reads = false;
    for (unsigned k = 0; k < i->operand_count; k++)
        reads |= i->operands[k].kind == PTX_SPECIAL_REGISTER && i->operands[k].special >= PTX_SPECIAL_NTID_X &&
                 i->operands[k].special <= PTX_SPECIAL_NTID_Z;
    return reads;
}

static bool reads_parameter(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return i->op == PTX_OP_LD && (space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY) &&
           i->operands[1].parts[0].kind != PTX_REGISTER;
}

static bool leads_back(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return (b->next != PTX_NO_BLOCK && b->next <= block) || (b->taken != PTX_NO_BLOCK && b->taken <= block);
}

/* In a loop parameters may be loaded over and over, for whatever instruction takes them. */
sim_bank_loads sim_bank_loads_of(const ptx_function *f, const haul_traffic *executed) {
    enum { UNTOLD = 2 }; /* a warp's: what is loaded twice, descriptors */
    uint64_t all = 0;
    bool loops = false;
    const uint64_t warps = f->instruction_count ? executed[0].instructions : 0;
    sim_bank_loads loads = {warps, warps, warps * (1 + UNTOLD)};
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *instruction = &f->instructions[i];
        const bool parameter = reads_parameter(instruction), extent = reads_extent(instruction);
        if (extent || (parameter && ptx_bits(instruction->type) == 64)) loads.usual += executed[i].instructions;
        if (extent || parameter) loads.most += executed[i].instructions;
        all += executed[i].instructions;
    }
    for (size_t b = 0; b < f->block_count; b++) loops |= leads_back(f, (uint32_t)b);
    if (loops) loads.most += all;
    return loads;
}
