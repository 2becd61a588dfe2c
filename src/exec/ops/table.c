/* The lowering functions of this variant, by ptx_op. An instruction of isa.def without one does not link. */
#include "exec/ops/lanes.h"
#include "lower/lower.h"

#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i);
#include "ptx/isa.def"
#undef INSTRUCTION

const sim_lower_fn SIM_PASTE(sim_lower_table, SIM_VARIANT)[PTX_OP_COUNT] = {
#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) [PTX_OP_##id] = LOWER(id),
#include "ptx/isa.def"
#undef INSTRUCTION
};
