/* The lowering functions of this variant, by ptx_op, and its part of counting. */
#include "sim/lower/lower.h"
#include "sim/ops/counting.h"

#define INSTRUCTION(id, mnemonic, suffixes, operands, effect, version, sm) \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i);
#include "ptx/isa.def"
#undef INSTRUCTION

const sim_lower_fn SIM_PASTE(sim_lower_table, SIM_VARIANT)[PTX_OP_COUNT] = {
#define INSTRUCTION(id, mnemonic, suffixes, operands, effect, version, sm) [PTX_OP_##id] = LOWER(id),
#include "ptx/isa.def"
#undef INSTRUCTION
};

extern const sim_vectors SIM_PASTE(sim_vectors, SIM_VARIANT);

const sim_vectors SIM_PASTE(sim_vectors, SIM_VARIANT) = {
    .bank_pass = SIM_BANK_PASS,
    .coalesce = SIM_COALESCE,
    .tag_wavefronts = SIM_TAG_WAVEFRONTS,
    .find_log_places = SIM_FIND_LOG_PLACES,
    .l2_play = SIM_L2_PLAY,
};
