#include "sim/assembler/assembler.h"

#include "sim/assembler/local.h"
#include "sim/assembler/merge.h"
#include "sim/copy/engine.h"

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

static bool is_needed(const ptx_operand *d, const sim_values *v) {
    bool any = false;
    for (uint32_t k = 0; d->kind == PTX_VECTOR && k < d->part_count; k++) any |= is_needed(&d->parts[k], v);
    if (d->kind == PTX_VECTOR) return any;
    return d->kind == PTX_REGISTER ? v->needed[d->reg] : d->kind != PTX_SINK;
}

static bool is_reduction(const ptx_instruction *i) {
    return i->op == PTX_OP_RED || i->op == PTX_OP_RED_VECTOR;
}

/* Halves that stand alone, which memory knows no atomics for: a load and compare-and-swaps of the word around them. */
static bool is_lone_half(const ptx_instruction *i) {
    bool vector = i->op == PTX_OP_ATOM_VECTOR || i->op == PTX_OP_RED_VECTOR;
    return !vector && ptx_bits(i->type) == 16 && ptx_types[i->type].kind == 'F';
}

/* The first operand of an atom is the register for the old value: one that nobody needs makes it a reduction. Machine
 * code has no reductions at generic addresses. */
static haul_memory_class atomic_class(const ptx_instruction *i, const sim_values *v) {
    if (in_shared(i)) return HAUL_CLASS_SHARED_ATOMIC;
    if (i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE || is_lone_half(i)) return HAUL_CLASS_GLOBAL_ATOMIC;
    if (is_reduction(i)) return HAUL_CLASS_GLOBAL_REDUCTION;
    bool exchanges = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_EXCH || i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_CAS;
    return is_needed(&i->operands[0], v) || exchanges ? HAUL_CLASS_GLOBAL_ATOMIC : HAUL_CLASS_GLOBAL_REDUCTION;
}

static haul_memory_class engine_class(const ptx_instruction *i) {
    switch (sim_engine_use_of(i)) {
    case SIM_ENGINE_LOADS: return HAUL_CLASS_BULK_LOAD;
    case SIM_ENGINE_STORES: return HAUL_CLASS_BULK_STORE;
    default: return HAUL_CLASS_NONE;
    }
}

static bool in_params(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
}

/* Parameters lie in a constant bank: at a fixed place they are operands, or loaded as the assembler sees fit, at a
 * computed one they are loaded like constants. */
static haul_memory_class load_class(const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_SPACE] == PTX_MOD_CONST) return HAUL_CLASS_CONSTANT_LOAD;
    if (in_params(i) && i->operands[1].parts[0].kind == PTX_REGISTER) return HAUL_CLASS_CONSTANT_LOAD;
    return plain_class(i, HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_LOCAL_LOAD, HAUL_CLASS_SHARED_LOAD);
}

static haul_memory_class class_of(const ptx_instruction *i, const sim_values *v) {
    switch (i->op) {
    case PTX_OP_LD: return load_class(i);
    case PTX_OP_LDU: return HAUL_CLASS_GLOBAL_LOAD;
    case PTX_OP_ST: return plain_class(i, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_LOCAL_STORE, HAUL_CLASS_SHARED_STORE);
    case PTX_OP_ATOM:
    case PTX_OP_ATOM_VECTOR:
    case PTX_OP_RED:
    case PTX_OP_RED_VECTOR: return atomic_class(i, v);
    case PTX_OP_LDMATRIX:
    case PTX_OP_LDMATRIX_B8: return HAUL_CLASS_SHARED_LOAD;
    case PTX_OP_WMMA_LOAD_A:
    case PTX_OP_WMMA_LOAD_B:
    case PTX_OP_WMMA_LOAD_C: return plain_class(i, HAUL_CLASS_GLOBAL_LOAD, HAUL_CLASS_NONE, HAUL_CLASS_SHARED_LOAD);
    case PTX_OP_WMMA_STORE: return plain_class(i, HAUL_CLASS_GLOBAL_STORE, HAUL_CLASS_NONE, HAUL_CLASS_SHARED_STORE);
    case PTX_OP_STMATRIX:
    case PTX_OP_STMATRIX_B8: return HAUL_CLASS_SHARED_STORE;
    case PTX_OP_CP_ASYNC:
        return i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS;
    case PTX_OP_TEX:
    case PTX_OP_TEX_LEVEL:
    case PTX_OP_TEX_GRADIENTS:
    case PTX_OP_TLD4: return HAUL_CLASS_TEXTURE;
    case PTX_OP_SULD: return HAUL_CLASS_SURFACE_LOAD;
    case PTX_OP_SUST:
    case PTX_OP_SUST_FORMATTED: return HAUL_CLASS_SURFACE_STORE;
    case PTX_OP_SURED:
    case PTX_OP_SURED_FORMATTED: return HAUL_CLASS_SURFACE_REDUCTION;
    default: return engine_class(i);
    }
}

/* Machine code has no source size. A constant 0 becomes a predicate that is never true, a register one that is computed
 * for each lane, with a source address that is moved up by what is not to be read. */
static bool is_sized(const ptx_instruction *i) {
    return i->op == PTX_OP_CP_ASYNC && i->operand_count > 3 && i->operands[3].kind == PTX_REGISTER;
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

/* Shared memory's atomics know 32-bit integers, exchange and compare-and-swap; all else is a loop. */
static bool needs_loop(const ptx_instruction *i, unsigned class) {
    unsigned what = i->mods[PTX_SLOT_ATOMIC];
    if (what == PTX_MOD_ATOM_EXCH || what == PTX_MOD_ATOM_CAS) return false;
    if (class == HAUL_CLASS_GLOBAL_ATOMIC) return is_lone_half(i);
    return class == HAUL_CLASS_SHARED_ATOMIC && (ptx_bits(i->type) != 32 || ptx_types[i->type].kind == 'F');
}

static bool in_word(const ptx_instruction *i) {
    return ptx_bits(i->type) == 32 && ptx_types[i->type].kind != 'F';
}

/* What the lanes of a warp can do among themselves (redux) before one of them goes to memory. */
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

/* Lanes that all add the same are counted instead (vote, popc); from that each lane's old value follows as well. Old
 * values of sums of words come from a scan (shfl), which takes a whole warp. */
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

/* ---- one instruction's elements ---- */

static unsigned element_bytes(const ptx_instruction *i) {
    return ptx_bits(i->type) / 8;
}

static const ptx_operand *value_operand(const ptx_instruction *i) {
    return &i->operands[i->op == PTX_OP_ST ? 1 : 0];
}

static const ptx_operand *address_operand(const ptx_instruction *i) {
    return &i->operands[i->op == PTX_OP_ST ? 0 : 1];
}

static unsigned element_count(const ptx_instruction *i) {
    const ptx_operand *value = value_operand(i);
    return value->kind == PTX_VECTOR ? value->part_count : 1;
}

static bool is_ordinary(const ptx_instruction *i) {
    unsigned order = i->mods[PTX_SLOT_ORDER];
    return (order == PTX_MOD_NONE || order == PTX_MOD_WEAK) && i->mods[PTX_SLOT_CACHE] != PTX_MOD_CV;
}

static bool element_needed(const ptx_instruction *i, const sim_values *v, unsigned element) {
    const ptx_operand *value = value_operand(i);
    if (value->kind == PTX_VECTOR) value = &value->parts[element];
    return value->kind == PTX_REGISTER && v->needed[value->reg];
}

/* A load is as wide as its aligned runs of needed elements; a store, or a load of which all is needed, stays whole.
 * A vector's own alignment is what its PTX form promises. */
static void list_elements(const ptx_instruction *i, uint32_t index, const sim_values *v, sim_place place,
                          sim_node_list *nodes) {
    unsigned count = element_count(i), bytes = element_bytes(i), needed = 0;
    for (unsigned e = 0; e < count; e++) needed += i->op == PTX_OP_ST || element_needed(i, v, e);
    bool whole = needed == count && count * bytes <= 16;
    for (unsigned e = 0; e < (whole ? 1 : count); e++) {
        if (!whole && !element_needed(i, v, e)) continue;
        sim_node n = {.instruction = index,
                      .element = (uint8_t)bytes,
                      .at = e * bytes,
                      .size = (uint8_t)(whole ? count * bytes : bytes),
                      .alignment = (uint8_t)__builtin_ctz(count * bytes)};
        ARENA_PUSH(nodes->memory, nodes->items, nodes->count, nodes->capacity, n);
    }
    sim_merge_nodes(nodes, true);
    for (size_t k = 0; k < nodes->count; k++) {
        nodes->items[k].base = place.base;
        nodes->items[k].alignment = place.alignment;
        nodes->items[k].at += place.offset;
        nodes->items[k].origin = place.offset;
    }
}

/* ---- a run of blocks that follow each other ---- */

typedef struct merge_scan {
    const ptx_function *function;
    const sim_values *values;
    sim_assembled *assembled;
    sim_node_list single;  /* of the instruction at hand */
    sim_node_list loads;   /* since the last instruction that loads must not cross */
    sim_node_list stores;  /* likewise for stores */
    sim_node_list written; /* what a load may take from a register instead */
} merge_scan;

static void close_loads(merge_scan *s) {
    sim_drop_repeats(&s->loads, false);
    sim_merge_nodes(&s->loads, true);
    sim_place_nodes(&s->loads, s->assembled);
}

static void close_stores(merge_scan *s) {
    sim_drop_repeats(&s->stores, true);
    sim_merge_nodes(&s->stores, false);
    sim_place_nodes(&s->stores, s->assembled);
}

static void close_all(merge_scan *s) {
    close_loads(s);
    close_stores(s);
    s->written.count = 0;
}

static void append(sim_node_list *to, const sim_node_list *from) {
    for (size_t k = 0; k < from->count; k++) ARENA_PUSH(to->memory, to->items, to->count, to->capacity, from->items[k]);
}

static bool was_written(const merge_scan *s, const sim_node *n) {
    for (size_t k = 0; k < s->written.count; k++) {
        const sim_node *w = &s->written.items[k];
        if (w->base == n->base && w->at == n->at && w->size == n->size && w->element == n->element) return true;
    }
    return false;
}

static void scan_load(merge_scan *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    sim_place place = sim_place_of(s->function, s->values, address_operand(i));
    close_stores(s);
    if (i->guarded || !is_ordinary(i)) return;
    s->assembled[index].part_count = 0;
    s->single.count = 0;
    list_elements(i, index, s->values, place, &s->single);
    if (s->single.count == 1 && was_written(s, &s->single.items[0])) return;
    append(&s->loads, &s->single);
}

/* Another base may mean the same bytes; another offset from the same base does not. */
static void remember_written(merge_scan *s, const sim_node *n) {
    size_t kept = 0;
    for (size_t k = 0; k < s->written.count; k++) {
        const sim_node *w = &s->written.items[k];
        bool apart = w->base == n->base && (w->at + w->size <= n->at || n->at + n->size <= w->at);
        if (apart) s->written.items[kept++] = *w;
    }
    s->written.count = kept;
    ARENA_PUSH(s->written.memory, s->written.items, s->written.count, s->written.capacity, *n);
}

static void scan_store(merge_scan *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    sim_place place = sim_place_of(s->function, s->values, address_operand(i));
    close_loads(s);
    if (i->guarded || !is_ordinary(i)) {
        close_all(s);
        return;
    }
    s->assembled[index].part_count = 0;
    s->single.count = 0;
    list_elements(i, index, s->values, place, &s->single);
    append(&s->stores, &s->single);
    remember_written(s, &s->single.items[0]);
}

/* Global loads are not merged with others, but narrowed to what is needed of them. */
static void scan_global_load(merge_scan *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    if (!is_ordinary(i) || element_count(i) * element_bytes(i) > 16) return;
    s->assembled[index].part_count = 0;
    s->single.count = 0;
    list_elements(i, index, s->values, (sim_place){0, 0, 0}, &s->single);
    sim_place_nodes(&s->single, s->assembled);
}

/* Constant loads are of 8 bytes at most. */
static void split_constant(sim_assembled *a) {
    enum { WIDEST = 8 };
    for (unsigned p = 0; p < a->part_count; p++) {
        sim_part *part = &a->parts[p];
        if (part->width <= WIDEST || a->part_count == SIM_MAX_PARTS) continue;
        a->parts[a->part_count++] = (sim_part){(int16_t)(part->start + WIDEST), (uint8_t)(part->width - WIDEST)};
        part->width = WIDEST;
    }
}

/* A place is fixed when it is a variable's or a number, not a register's. */
static void scan_constant_load(merge_scan *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    const uint64_t base = sim_place_of(s->function, s->values, address_operand(i)).base;
    sim_assembled *a = &s->assembled[index];
    a->fixed = base % 2 == 0;
    if (element_count(i) * element_bytes(i) > 16) return;
    a->part_count = 0;
    s->single.count = 0;
    list_elements(i, index, s->values, (sim_place){0, 0, 0}, &s->single);
    sim_place_nodes(&s->single, s->assembled);
    split_constant(a);
}

/* Instructions that keep shared accesses before them from being merged with those behind. Shuffles, votes, global
 * accesses and the closing of a group of copies do not. */
static bool separates(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_CP_ASYNC_COMMIT:
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_VOTE_BALLOT:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_ELECT:
    case PTX_OP_BRA:
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU: return false;
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_ATOM_VECTOR:
    case PTX_OP_RED:
    case PTX_OP_RED_VECTOR: return i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE || in_shared(i);
    default: return !sim_is_arithmetic(i);
    }
}

static void scan_instruction(merge_scan *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    const unsigned class = s->assembled[index].class;
    if (i->op == PTX_OP_LD && class == HAUL_CLASS_SHARED_LOAD) {
        scan_load(s, index);
    } else if (i->op == PTX_OP_ST && class == HAUL_CLASS_SHARED_STORE) {
        scan_store(s, index);
    } else if (i->op == PTX_OP_LD && i->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL) {
        scan_global_load(s, index);
    } else if (class == HAUL_CLASS_CONSTANT_LOAD) {
        scan_constant_load(s, index);
    } else if (separates(i)) {
        close_all(s);
    }
}

static void count_predecessor(uint8_t *counts, uint32_t block, size_t block_count) {
    if (block < block_count && counts[block] < 3) counts[block]++; /* 3: many */
}

static uint8_t *count_predecessors(const ptx_function *f, arena *memory) {
    uint8_t *counts = ARENA_ARRAY(memory, f->block_count + 1, uint8_t);
    count_predecessor(counts, 0, f->block_count);
    for (size_t b = 0; b < f->block_count; b++) {
        count_predecessor(counts, f->blocks[b].next, f->block_count);
        count_predecessor(counts, f->blocks[b].taken, f->block_count);
        for (uint32_t t = 0; t < f->blocks[b].table_count; t++)
            count_predecessor(counts, f->blocks[b].table[t], f->block_count);
    }
    return counts;
}

static bool only_jumps(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return b->end == b->first + 1 && f->instructions[b->first].op == PTX_OP_BRA && b->taken == PTX_NO_BLOCK;
}

/* The block that goes on where this one ends, as only this one leads there; PTX_NO_BLOCK when there is none. */
static uint32_t follower(const ptx_function *f, uint32_t block, const uint8_t *predecessors) {
    uint32_t next = f->blocks[block].next, taken = f->blocks[block].taken;
    bool jumps = next < f->block_count && only_jumps(f, next); /* clang writes "@p bra THEN; bra JOIN; THEN:" */
    const uint32_t candidates[] = {jumps ? taken : next, jumps ? next : taken};
    for (unsigned k = 0; k < 2; k++)
        if (candidates[k] < f->block_count && candidates[k] != block && predecessors[candidates[k]] == 1)
            return candidates[k];
    return PTX_NO_BLOCK;
}

/* A block that accesses behind it may cross, and that has none itself. */
static bool is_crossed(const merge_scan *s, uint32_t block) {
    const ptx_block *b = &s->function->blocks[block];
    if (b->taken != PTX_NO_BLOCK) return false;
    for (uint32_t k = b->first; k < b->end; k++) {
        const unsigned class = s->assembled[k].class;
        if (class == HAUL_CLASS_SHARED_LOAD || class == HAUL_CLASS_SHARED_STORE) return false;
        if (separates(&s->function->instructions[k])) return false;
    }
    return true;
}

/* Where two ways meet again: `block`, which `before` may jump over, and the jump. */
static uint32_t join_behind(const merge_scan *s, uint32_t before, uint32_t block, const uint8_t *predecessors) {
    const ptx_function *f = s->function;
    if (before >= f->block_count || block >= f->block_count || !is_crossed(s, block)) return PTX_NO_BLOCK;
    const uint32_t join = f->blocks[block].next;
    const bool meets = join < f->block_count && predecessors[join] == 2 &&
                       (f->blocks[before].taken == join || f->blocks[before].next == join);
    return meets ? join : PTX_NO_BLOCK;
}

static uint32_t successor(const merge_scan *s, uint32_t before, uint32_t block, const uint8_t *predecessors) {
    const uint32_t next = follower(s->function, block, predecessors);
    return next != PTX_NO_BLOCK ? next : join_behind(s, before, block, predecessors);
}

/* Loads behind a branch, and behind what it jumps over, are merged with loads before it. Stores are not. */
static void scan_from(merge_scan *s, uint32_t block, const uint8_t *predecessors, bool *scanned) {
    const ptx_function *f = s->function;
    uint32_t before = PTX_NO_BLOCK;
    while (block < f->block_count && !scanned[block]) {
        scanned[block] = true;
        for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end; i++) scan_instruction(s, i);
        close_stores(s);
        s->written.count = 0;
        const uint32_t next = successor(s, before, block, predecessors);
        before = block;
        block = next;
    }
    close_all(s);
}

static void merge_shared(const ptx_function *f, const sim_values *v, arena *memory, sim_assembled *assembled) {
    merge_scan s = {.function = f,
                    .values = v,
                    .assembled = assembled,
                    .single.memory = memory,
                    .loads.memory = memory,
                    .stores.memory = memory,
                    .written.memory = memory};
    const uint8_t *predecessors = count_predecessors(f, memory);
    bool *scanned = ARENA_ARRAY(memory, f->block_count + 1, bool);
    bool *follows = ARENA_ARRAY(memory, f->block_count + 1, bool);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const uint32_t next = follower(f, b, predecessors), join = join_behind(&s, b, next, predecessors);
        if (next != PTX_NO_BLOCK) follows[next] = true;
        if (join != PTX_NO_BLOCK) follows[join] = true;
    }
    for (uint32_t b = 0; b < f->block_count; b++)
        if (!follows[b]) scan_from(&s, b, predecessors, scanned);
    for (uint32_t b = 0; b < f->block_count; b++) scan_from(&s, b, predecessors, scanned); /* loops nobody enters */
}

static unsigned access_bytes(const ptx_instruction *i) {
    return i->op == PTX_OP_LD || i->op == PTX_OP_ST ? element_count(i) * element_bytes(i) : element_bytes(i);
}

static void drop_local(const ptx_function *f, sim_assembled *assembled) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        uint8_t *class = &assembled[k].class;
        if (*class == HAUL_CLASS_LOCAL_LOAD || *class == HAUL_CLASS_LOCAL_STORE) *class = HAUL_CLASS_NONE;
    }
}

sim_assembled *sim_assemble(const ptx_function *f, arena *memory) {
    sim_assembled *assembled = ARENA_ARRAY(memory, f->instruction_count + 1, sim_assembled);
    sim_values values;
    sim_values_find(f, memory, &values);
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        sim_assembled *a = &assembled[k];
        a->class = (uint8_t)class_of(i, &values);
        a->caching = (uint8_t)caching_of(i);
        a->aggregated = (uint8_t)aggregation_of(i, a->class, &values);
        a->loops = needs_loop(i, a->class);
        a->sized = is_sized(i);
        a->parts[a->part_count++] = (sim_part){0, (uint8_t)access_bytes(i)};
    }
    if (sim_local_in_registers(f, &values)) drop_local(f, assembled);
    merge_shared(f, &values, memory, assembled);
    for (size_t k = 0; k < f->instruction_count; k++) {
        sim_assembled *a = &assembled[k];
        a->plain = a->part_count == 1 && a->parts[0].start == 0 &&
                   a->parts[0].width == (uint8_t)access_bytes(&f->instructions[k]);
    }
    return assembled;
}
