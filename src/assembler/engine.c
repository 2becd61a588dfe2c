/* Which instructions start a copy engine, and in which direction, by their kind. */
#include "assembler/engine.h"

#include "ptx/traits.h"

sim_engine_use sim_engine_use_of(const ptx_instruction *i) {
    switch (ptx_kind_of(i->op)) {
    case PTX_KIND_ENGINE_LOAD: return SIM_ENGINE_LOADS;
    case PTX_KIND_ENGINE_STORE: return SIM_ENGINE_STORES;
    case PTX_KIND_ENGINE_SHARED: return SIM_ENGINE_HANDS_ON;
    default: return SIM_ENGINE_NONE;
    }
}
