#include "sim/assembler.h"

/* ---- classes ---- */

static bool in_shared(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA || space == PTX_MOD_SHARED_CLUSTER;
}

static haul_memory_class plain_class(const ptx_instruction *i, haul_memory_class global, haul_memory_class local,
                                     haul_memory_class shared) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_NONE:
    case PTX_MOD_GLOBAL: return global;
    case PTX_MOD_LOCAL: return local;
    default: return in_shared(i) ? shared : HAUL_CLASS_NONE;
    }
}

/* The first operand of an atom is the register for the old value. */
static haul_memory_class atomic_class(const ptx_instruction *i) {
    if (in_shared(i)) return HAUL_CLASS_SHARED_ATOMIC;
    return i->operands[0].kind == PTX_SINK ? HAUL_CLASS_GLOBAL_REDUCTION : HAUL_CLASS_GLOBAL_ATOMIC;
}

static haul_memory_class class_of(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_LD: return plain_class(i, HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_LOCAL_LOAD, HAUL_CLASS_SHARED_LOAD);
    case PTX_OP_LDU: return HAUL_CLASS_GLOBAL_LOAD;
    case PTX_OP_ST: return plain_class(i, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_LOCAL_STORE, HAUL_CLASS_SHARED_STORE);
    case PTX_OP_ATOM: return atomic_class(i);
    case PTX_OP_RED: return in_shared(i) ? HAUL_CLASS_SHARED_ATOMIC : HAUL_CLASS_GLOBAL_REDUCTION;
    case PTX_OP_CP_ASYNC:
        return i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS;
    case PTX_OP_CP_BULK_LOAD: return HAUL_CLASS_BULK_LOAD;
    case PTX_OP_CP_BULK_STORE:
    case PTX_OP_CP_REDUCE_BULK: return HAUL_CLASS_BULK_STORE;
    default: return HAUL_CLASS_NONE;
    }
}

static sim_caching caching_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ORDER]) {
    case PTX_MOD_VOLATILE:
    case PTX_MOD_RELAXED:
    case PTX_MOD_ACQUIRE:
    case PTX_MOD_MMIO: return SIM_CACHED_VOLATILE;
    default: break;
    }
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CV) return SIM_CACHED_VOLATILE;
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG) return SIM_CACHED_IN_L2;
    if (i->mods[PTX_SLOT_EVICT_L1] == PTX_MOD_L1_NO_ALLOCATE) return SIM_CACHED_IN_L2;
    return i->mods[PTX_SLOT_NC] ? SIM_CACHED_READ_ONLY : SIM_CACHED;
}

sim_assembled *sim_assemble(const ptx_function *function, arena *memory) {
    sim_assembled *assembled = ARENA_ARRAY(memory, function->instruction_count + 1, sim_assembled);
    for (size_t i = 0; assembled && i < function->instruction_count; i++) {
        assembled[i].class = (uint8_t)class_of(&function->instructions[i]);
        assembled[i].caching = (uint8_t)caching_of(&function->instructions[i]);
    }
    return assembled;
}
