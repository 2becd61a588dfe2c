#include "assembler/engine.h"

sim_engine_use sim_engine_use_of(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_CP_BULK_LOAD:
    case PTX_OP_CP_TENSOR_LOAD:
    case PTX_OP_CP_TENSOR_IM2COL:
    case PTX_OP_CP_TENSOR_WIDE: return SIM_ENGINE_LOADS;
    case PTX_OP_CP_BULK_STORE:
    case PTX_OP_CP_REDUCE_BULK:
    case PTX_OP_CP_TENSOR_STORE:
    case PTX_OP_CP_REDUCE_TENSOR: return SIM_ENGINE_STORES;
    case PTX_OP_CP_BULK_SHARED:
    case PTX_OP_CP_REDUCE_SHARED:
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC: return SIM_ENGINE_HANDS_ON;
    default: return SIM_ENGINE_NONE;
    }
}
