/* Describes the machine code of each access: its class for the counters, how it is cached, whether it becomes a loop or
 * is aggregated over a warp, and the parts that it is split into or combined to.
 *
 * This is the last step of the assembler's model. It changes no instruction: the result is a row for each, which
 * counting and the clock read beside the instruction. */
#include "assembler/assembler.h"
#include "assembler/combine.h"
#include "assembler/local.h"
#include "ptx/traits.h"

/* ---- classes ---- */

/* Chooses by state space. Generic accesses count as global ones. */
static haul_memory_class plain_class(const ptx_instruction *i, haul_memory_class global, haul_memory_class local,
                                     haul_memory_class shared) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_NONE:
    case PTX_MOD_GLOBAL: return global;
    case PTX_MOD_LOCAL: return local;
    default: return ptx_in_shared(i) ? shared : HAUL_CLASS_NONE;
    }
}

static bool is_needed(const ptx_operand *d, const sim_values *v) {
    bool any = false;
    for (uint32_t k = 0; d->kind == PTX_VECTOR && k < d->part_count; k++) any |= is_needed(&d->parts[k], v);
    if (d->kind == PTX_VECTOR) return any;
    return d->kind == PTX_REGISTER ? v->needed[d->reg] : d->kind != PTX_SINK;
}

/* Memory has no atomics on single halves: machine code uses a load and compare-and-swaps of the word around them. */
static bool is_lone_half(const ptx_instruction *i) {
    bool vector = i->op == PTX_OP_ATOM_VECTOR || i->op == PTX_OP_RED_VECTOR;
    return !vector && ptx_bits(i->type) == 16 && ptx_types[i->type].kind == 'F';
}

/* The first operand of an atom receives the old value; if no instruction needs it, the atom is a reduction. Machine
 * code has no reductions at generic addresses, and none that acquire. */
static haul_memory_class atomic_class(const ptx_instruction *i, const sim_values *v) {
    if (ptx_in_shared(i)) return HAUL_CLASS_SHARED_ATOMIC;
    if (i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE || is_lone_half(i)) return HAUL_CLASS_GLOBAL_ATOMIC;
    if (ptx_is(i->op, PTX_KIND_REDUCTION)) return HAUL_CLASS_GLOBAL_REDUCTION;
    bool exchanges = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_EXCH || i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_CAS;
    return is_needed(&i->operands[0], v) || exchanges || ptx_acquires(i) ? HAUL_CLASS_GLOBAL_ATOMIC
                                                                         : HAUL_CLASS_GLOBAL_REDUCTION;
}

static bool in_params(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
}

/* Parameters are in a constant bank. At a fixed address they are operands, or loaded as the assembler sees fit; at a
 * computed one they are loaded like constants. */
static haul_memory_class load_class(const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_SPACE] == PTX_MOD_CONST) return HAUL_CLASS_CONSTANT_LOAD;
    if (in_params(i) && i->operands[1].parts[0].kind == PTX_REGISTER) return HAUL_CLASS_CONSTANT_LOAD;
    return plain_class(i, HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_LOCAL_LOAD, HAUL_CLASS_SHARED_LOAD);
}

/* ldmatrix and stmatrix know shared memory only, wmma global memory, too. */
static haul_memory_class matrix_class(const ptx_instruction *i, haul_memory_class global, haul_memory_class shared) {
    return ptx_has(i->op, PTX_TRAIT_SHARED) ? shared : plain_class(i, global, HAUL_CLASS_NONE, shared);
}

/* The class by kind and space; HAUL_CLASS_NONE for instructions without counted accesses. */
static haul_memory_class class_of(const ptx_instruction *i, const sim_values *v) {
    switch (ptx_kind_of(i->op)) {
    case PTX_KIND_LOAD: return load_class(i);
    case PTX_KIND_STORE:
        return plain_class(i, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_LOCAL_STORE, HAUL_CLASS_SHARED_STORE);
    case PTX_KIND_ATOMIC:
    case PTX_KIND_REDUCTION: return atomic_class(i, v);
    case PTX_KIND_MATRIX_LOAD: return matrix_class(i, HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_SHARED_LOAD);
    case PTX_KIND_MATRIX_STORE: return matrix_class(i, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_SHARED_STORE);
    case PTX_KIND_COPY:
        return i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS;
    case PTX_KIND_TEXTURE: return HAUL_CLASS_TEXTURE;
    case PTX_KIND_SURFACE_LOAD: return HAUL_CLASS_SURFACE_LOAD;
    case PTX_KIND_SURFACE_STORE: return HAUL_CLASS_SURFACE_STORE;
    case PTX_KIND_SURFACE_REDUCTION: return HAUL_CLASS_SURFACE_REDUCTION;
    case PTX_KIND_ENGINE_LOAD: return HAUL_CLASS_BULK_LOAD;
    case PTX_KIND_ENGINE_STORE: return HAUL_CLASS_BULK_STORE;
    default: return HAUL_CLASS_NONE;
    }
}

/* Machine code has no source size. A constant 0 becomes a predicate that is never true. A register becomes a predicate
 * computed for each lane, with the source address moved up by the bytes not to be read. */
static bool is_sized(const ptx_instruction *i) {
    return i->op == PTX_OP_CP_ASYNC && i->operand_count > 3 && i->operands[3].kind == PTX_REGISTER;
}

/* How L1 treats the access: by memory order, cache operator and priority. */
static sim_caching caching_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ORDER]) {
    case PTX_MOD_VOLATILE:
    case PTX_MOD_RELAXED:
    case PTX_MOD_ACQUIRE:
    case PTX_MOD_MMIO_ACQUIRE:
    case PTX_MOD_MMIO: return SIM_CACHED_VOLATILE;
    default: break;
    }
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CV) return SIM_CACHED_VOLATILE;
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG) return SIM_CACHED_IN_L2;
    if (i->mods[PTX_SLOT_CACHE] == PTX_MOD_LU) return SIM_CACHED_IF_THERE;
    if (i->mods[PTX_SLOT_EVICT_L1] == PTX_MOD_L1_NO_ALLOCATE) return SIM_CACHED_IF_THERE;
    return i->mods[PTX_SLOT_NC] ? SIM_CACHED_READ_ONLY : SIM_CACHED;
}

/* Atomics in shared memory are loops, except for 32-bit integers, exchange and compare-and-swap. A compare-and-swap of
 * 16 bits is a loop, too, on the word around them. */
static bool needs_loop(const ptx_instruction *i, unsigned class) {
    unsigned what = i->mods[PTX_SLOT_ATOMIC];
    if (what == PTX_MOD_ATOM_EXCH) return false;
    if (what == PTX_MOD_ATOM_CAS) return ptx_bits(i->type) == 16;
    if (class == HAUL_CLASS_GLOBAL_ATOMIC) return is_lone_half(i);
    return class == HAUL_CLASS_SHARED_ATOMIC && (ptx_bits(i->type) != 32 || ptx_types[i->type].kind == 'F');
}

static bool is_update(unsigned class) {
    return class == HAUL_CLASS_GLOBAL_ATOMIC || class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* Atomics that shared memory and redux have: 32-bit integers. */
static bool in_word(const ptx_instruction *i) {
    return ptx_bits(i->type) == 32 && ptx_types[i->type].kind != 'F';
}

/* Returns whether the lanes of a warp can combine it (redux) before one of them accesses memory. */
static bool can_aggregate(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD:
    case PTX_MOD_ATOM_MIN:
    case PTX_MOD_ATOM_MAX:
    case PTX_MOD_ATOM_AND:
    case PTX_MOD_ATOM_OR:
    case PTX_MOD_ATOM_XOR: return in_word(i);
    default: return false;
    }
}

/* If all lanes add the same value, they are counted instead (vote, popc), which also gives each lane's old value. Old
 * values of sums of words need a scan (shfl) by a whole warp. */
static sim_aggregation aggregation_of(const ptx_instruction *i, unsigned class, const sim_values *v) {
    if (class != HAUL_CLASS_GLOBAL_REDUCTION && class != HAUL_CLASS_GLOBAL_ATOMIC && class != HAUL_CLASS_SHARED_ATOMIC)
        return SIM_AGGREGATED_NEVER;
    const bool is_red = i->op == PTX_OP_RED, old_needed = !is_red && is_needed(&i->operands[0], v);
    if ((i->op != PTX_OP_ATOM && !is_red) || !sim_is_uniform(v, &i->operands[is_red ? 0 : 1]))
        return SIM_AGGREGATED_NEVER;
    const bool adds = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_ADD;
    const bool counts = adds && ptx_types[i->type].kind != 'F' && ptx_bits(i->type) >= 32;
    if (counts && sim_is_uniform(v, &i->operands[is_red ? 1 : 2])) return SIM_AGGREGATED_ALWAYS;
    if (!old_needed) return can_aggregate(i) ? SIM_AGGREGATED_ALWAYS : SIM_AGGREGATED_NEVER;
    return adds && in_word(i) ? SIM_AGGREGATED_WHOLE : SIM_AGGREGATED_NEVER;
}

/* True for a constant, also in a register that is written once. */
static bool is_constant(const ptx_function *f, const sim_values *v, const ptx_operand *o, uint64_t bits) {
    if (o->kind == PTX_REGISTER && v->definitions[o->reg] == 1) {
        const ptx_instruction *source = &f->instructions[v->definition[o->reg]];
        return source->op == PTX_OP_MOV && source->operands[1].kind == PTX_INTEGER &&
               (uint32_t)source->operands[1].bits == bits;
    }
    return o->kind == PTX_INTEGER && (uint32_t)o->bits == bits;
}

/* Machine code counts the lanes of each word at once (ATOMS.POPC.INC) if they add one and nothing needs the old value.
 */
static bool counts_up(const ptx_function *f, const ptx_instruction *i, unsigned class, const sim_values *v) {
    const bool is_red = i->op == PTX_OP_RED;
    if (class != HAUL_CLASS_SHARED_ATOMIC || (i->op != PTX_OP_ATOM && !is_red) || !in_word(i)) return false;
    if (!is_red && is_needed(&i->operands[0], v)) return false;
    const ptx_operand *by = &i->operands[is_red ? 1 : 2];
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD: return is_constant(f, v, by, 1);
    case PTX_MOD_ATOM_INC: return is_constant(f, v, by, UINT32_MAX);
    default: return false;
    }
}

/* The bytes of a lane's access. */
static unsigned access_bytes(const ptx_instruction *i) {
    return i->op == PTX_OP_LD || i->op == PTX_OP_ST ? sim_element_count(i) * sim_element_bytes(i)
                                                    : sim_element_bytes(i);
}

/* Arrays in registers are no accesses. */
static void drop_local(const ptx_function *f, sim_assembled *assembled) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        uint8_t *class = &assembled[k].class;
        if (*class == HAUL_CLASS_LOCAL_LOAD || *class == HAUL_CLASS_LOCAL_STORE) *class = HAUL_CLASS_NONE;
    }
}

/* A part is plain if it is the access as PTX has it, which is the usual case and counted faster. */
sim_assembled *sim_assemble(const ptx_function *f, arena *memory, arena *scratch) {
    sim_assembled *assembled = ARENA_ARRAY(memory, f->instruction_count + 1, sim_assembled);
    sim_values values;
    sim_values_find(f, scratch, &values);
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        sim_assembled *a = &assembled[k];
        a->class = (uint8_t)class_of(i, &values);
        a->caching = (uint8_t)caching_of(i);
        a->aggregated = (uint8_t)aggregation_of(i, a->class, &values);
        a->loops = needs_loop(i, a->class);
        a->loops_in_shared = is_update(a->class) && needs_loop(i, HAUL_CLASS_SHARED_ATOMIC);
        a->counts_up = counts_up(f, i, a->class, &values);
        a->generic = a->class == HAUL_CLASS_GLOBAL_ATOMIC && i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE;
        a->sized = is_sized(i);
        a->parts[a->part_count++] = (sim_part){0, (uint8_t)access_bytes(i)};
    }
    if (sim_local_in_registers(f, &values, scratch)) drop_local(f, assembled);
    sim_combine_accesses(f, &values, scratch, assembled);
    for (size_t k = 0; k < f->instruction_count; k++) {
        sim_assembled *a = &assembled[k];
        a->plain = a->part_count == 1 && a->parts[0].start == 0 &&
                   a->parts[0].width == (uint8_t)access_bytes(&f->instructions[k]);
    }
    return assembled;
}
