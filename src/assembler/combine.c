/* Combines accesses to neighbouring addresses into wider ones, as ptxas does.
 *
 * Wider accesses mean fewer requests and wavefronts, so the counters depend on them. Blocks are walked in the order of
 * the dominator tree. Loads are grouped into regions: two loads of a region have nothing between them that might change
 * the memory, so either may be moved to the other. Stores are combined only if they follow each other in a block. Then
 * nodes, the accesses with their places, are merged within regions (merge.c), and each instruction gets the parts that
 * are left of it. Alignment may be proved by another access to the same base. */
#include "assembler/combine.h"

#include "assembler/bases.h"
#include "assembler/dominance.h"
#include "assembler/extend.h"
#include "assembler/merge.h"
#include "base/search.h"
#include "ptx/spaces.h"
#include "ptx/traits.h"

#include <stdlib.h>

/* Memories whose accesses are kept apart. */
enum { SHARED, GLOBAL, READ_ONLY, LOCAL, DOMAINS };

/* An access proves the alignment of its address on every path through it. */
typedef struct proof {
    uint64_t base;
    uint32_t block;
    uint8_t alignment; /* log2 */
} proof;

/* Loads of one region may be combined if one's block dominates the other's; stores must be in one block. */
typedef struct combining {
    const ptx_function *function;
    const sim_values *values;
    sim_assembled *assembled;
    arena *memory;
    const uint8_t *extended; /* by register */
    sim_dominance dominance;
    sim_bases bases;
    uint8_t *separated; /* by block: domains in which something separates earlier loads from later ones, one bit each */
    uint8_t *between;   /* by block: the same on any path to it from its parent */
    uint32_t (*at_end)[DOMAINS]; /* by block: the regions of loads at its end */
    uint32_t loads[DOMAINS], stores[DOMAINS], regions;
    uint32_t *follows; /* by region of stores: the one that it follows at once and overwrites wholly; or 0 */
    sim_node_list single, loaded, stored;
    sim_node_list begun; /* stores that begin a region of loads, by its number */
    proof *proofs;
    size_t proof_count, proof_capacity;
} combining;

/* Returns DOMAINS for spaces whose accesses are not combined. */
static unsigned domain_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return SHARED;
    case PTX_MOD_GLOBAL: return i->mods[PTX_SLOT_NC] ? READ_ONLY : GLOBAL;
    case PTX_MOD_LOCAL: return LOCAL;
    default: return DOMAINS;
    }
}

/* ---- one instruction's elements ---- */

unsigned sim_element_bytes(const ptx_instruction *i) {
    return ptx_bits(i->type) / 8;
}

static const ptx_operand *value_operand(const ptx_instruction *i) {
    return &i->operands[i->op == PTX_OP_ST ? 1 : 0];
}

unsigned sim_element_count(const ptx_instruction *i) {
    const ptx_operand *value = value_operand(i);
    return value->kind == PTX_VECTOR ? value->part_count : 1;
}

/* The bytes of a lane's access. */
static unsigned access_bytes(const ptx_instruction *i) {
    return sim_element_count(i) * sim_element_bytes(i);
}

/* Accesses with different cache hints are not combined. */
static uint16_t hints_of(const ptx_instruction *i) {
    return (uint16_t)(i->mods[PTX_SLOT_CACHE] * PTX_MOD_COUNT + i->mods[PTX_SLOT_EVICT_L1]);
}

/* Whether an instruction uses the loaded element. */
static bool element_needed(const ptx_instruction *i, const sim_values *v, unsigned element) {
    const ptx_operand *value = value_operand(i);
    if (value->kind == PTX_VECTOR) value = &value->parts[element];
    return value->kind == PTX_REGISTER && v->needed[value->reg];
}

/* A load is as wide as its aligned runs of needed elements. A store stays whole, and so does a load if all of it is
 * needed. The PTX form of a vector guarantees the alignment of the vector. Whole vectors of bytes and halves are loaded
 * as words. */
static void list_elements(combining *s, uint32_t index, sim_place place, sim_node_list *nodes) {
    enum { HALF = 2, WORD = 4, WIDEST = 16 };
    const ptx_instruction *i = &s->function->instructions[index];
    unsigned count = sim_element_count(i), bytes = sim_element_bytes(i), needed = 0;
    for (unsigned e = 0; e < count; e++) needed += i->op == PTX_OP_ST || element_needed(i, s->values, e);
    const bool whole = needed == count && count * bytes <= WIDEST;
    const bool words = whole && i->op == PTX_OP_LD && bytes < WORD && count * bytes >= WORD;
    const bool halves = i->op == PTX_OP_LD && count == 1 && bytes == HALF && !sim_is_extended_load(s->extended, i);
    for (unsigned e = 0; e < (whole ? 1 : count); e++) {
        if (!whole && !element_needed(i, s->values, e)) continue;
        sim_node n = {.instruction = index,
                      .element = (uint8_t)(words ? WORD : bytes),
                      .at = e * bytes,
                      .size = (uint8_t)(whole ? count * bytes : bytes),
                      .alignment = (uint8_t)__builtin_ctz(count * bytes),
                      .halves = halves,
                      .local = domain_of(i) == LOCAL};
        ARENA_PUSH(nodes->memory, nodes->items, nodes->count, nodes->capacity, n);
    }
    sim_merge_nodes(nodes, true, NULL);
    unsigned covered = 0;
    for (size_t k = 0; k < nodes->count; k++) covered += nodes->items[k].size;
    for (size_t k = 0; k < nodes->count; k++) {
        nodes->items[k].holes = covered > needed * bytes;
        nodes->items[k].base = place.base;
        nodes->items[k].hints = hints_of(i);
        nodes->items[k].alignment = place.alignment;
        nodes->items[k].at += place.offset;
        nodes->items[k].origin = place.offset;
    }
}

/* ---- regions ---- */

enum {
    IN_SHARED = 1 << SHARED,
    IN_GLOBAL = 1 << GLOBAL,
    IN_LOCAL = 1 << LOCAL,
    IN_ANY = IN_SHARED | IN_GLOBAL | IN_LOCAL,
    IN_ALL = (1 << DOMAINS) - 1
};

/* A generic store may write to any memory. */
static unsigned written_domains(const ptx_instruction *i) {
    switch (domain_of(i)) {
    case SHARED: return IN_SHARED;
    case GLOBAL:
    case READ_ONLY: return IN_GLOBAL;
    case LOCAL: return IN_LOCAL;
    default: return i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE ? IN_ANY : 0;
    }
}

/* Returns the domains in which an instruction keeps earlier loads from being combined with later ones. Products of
 * fragments are on registers alone. */
static unsigned separates(const ptx_instruction *i) {
    if (sim_is_crossed(i) || ptx_is(i->op, PTX_KIND_PRODUCT)) return 0;
    if (ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) return written_domains(i);
    if (sim_is_call(i)) return IN_ANY;
    return ptx_is_pure(i->op) ? 0 : IN_ALL;
}

/* Begins a new region of loads in each of the domains: later loads are not combined with earlier ones. */
static void begin_loads(combining *s, unsigned domains) {
    for (unsigned d = 0; d < DOMAINS; d++)
        if (domains >> d & 1) s->loads[d] = ++s->regions;
}

static void begin_stores(combining *s, unsigned domains) {
    for (unsigned d = 0; d < DOMAINS; d++)
        if (domains >> d & 1) s->stores[d] = ++s->regions;
}

/* ---- paths between blocks ---- */

/* Finds, by block, the domains that something on a path from the parent separates, one bit each. */
static void find_between(combining *s, unsigned domain, bool *separates_here, uint32_t *top) {
    const sim_dominance *d = &s->dominance;
    bool any = false;
    for (uint32_t b = 0; b < s->function->block_count; b++) {
        separates_here[b] = s->separated[b] >> domain & 1;
        any |= separates_here[b];
    }
    if (!any) return;
    sim_find_tops(d, d->order, d->order_count, separates_here, top);
    for (uint32_t b = 0; b < s->function->block_count; b++)
        if (top[b] == b) s->between[b] = (uint8_t)(s->between[b] | 1u << domain);
}

/* A block without a parent is reached from outside, so nothing is known. */
static void look_between(combining *s) {
    const ptx_function *f = s->function;
    bool *separates_here = ARENA_ARRAY(s->memory, f->block_count + 1, bool);
    uint32_t *top = ARENA_ARRAY(s->memory, f->block_count + 1, uint32_t);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
            s->separated[b] = (uint8_t)(s->separated[b] | separates(&f->instructions[i]));
    for (unsigned domain = 0; domain < DOMAINS; domain++) find_between(s, domain, separates_here, top);
    for (uint32_t b = 0; b < f->block_count; b++)
        if (s->dominance.parent[b] == PTX_NO_BLOCK) s->between[b] = IN_ALL;
}

/* Continues the regions at the end of the parent, unless something in between separates them. */
static void enter_block(combining *s, uint32_t block) {
    const unsigned separated = s->between[block];
    for (unsigned d = 0; d < DOMAINS; d++)
        if (!(separated >> d & 1)) s->loads[d] = s->at_end[s->dominance.parent[block]][d];
    begin_loads(s, separated);
    begin_stores(s, IN_ALL);
}

/* ---- instructions ---- */

static void append(sim_node_list *to, const sim_node_list *from, uint32_t region, uint32_t block) {
    for (size_t k = 0; k < from->count; k++) {
        sim_node n = from->items[k];
        n.region = region;
        n.block = block;
        ARENA_PUSH(to->memory, to->items, to->count, to->capacity, n);
    }
}

/* An access with the width of its alignment proves what its base is aligned to. */
static void prove(combining *s, const ptx_instruction *i, sim_place place, uint32_t block) {
    const unsigned whole = (unsigned)__builtin_ctz(access_bytes(i));
    const unsigned offset = place.offset ? (unsigned)__builtin_ctzll((uint64_t)place.offset) : whole;
    const proof p = {place.base, block, (uint8_t)(whole < offset ? whole : offset)};
    if (p.alignment > place.alignment) ARENA_PUSH(s->memory, s->proofs, s->proof_count, s->proof_capacity, p);
}

/* Returns whether the store that began the region wrote these bytes, which are therefore in registers. */
static bool was_written(const combining *s, const sim_node *n, uint32_t region) {
    size_t behind;
    SEARCH_FIRST(behind, s->begun.count, k, s->begun.items[k].region <= region);
    const sim_node *w = behind ? &s->begun.items[behind - 1] : NULL;
    return w && w->region == region && w->base == n->base && w->hints == n->hints && w->element == n->element &&
           w->at <= n->at && n->at + n->size <= w->at + w->size;
}

/* A guarded load may not happen, so it is combined with nothing and proves nothing. */
static void scan_load(combining *s, uint32_t index, uint32_t block, unsigned domain) {
    const ptx_instruction *i = &s->function->instructions[index];
    const sim_place place = sim_bases_place(&s->bases, index, block);
    begin_stores(s, domain == READ_ONLY ? 0 : 1u << domain);
    if (!sim_is_ordinary(i) || access_bytes(i) > 16 || (i->guarded && (domain == SHARED || domain == LOCAL))) return;
    if (!i->guarded) prove(s, i, place, block);
    s->assembled[index].part_count = 0;
    s->single.count = 0;
    list_elements(s, index, place, &s->single);
    const uint32_t region = i->guarded ? ++s->regions : s->loads[domain];
    if (s->single.count == 1 && was_written(s, &s->single.items[0], region)) return;
    append(&s->loaded, &s->single, region, block);
}

typedef enum meeting { NEIGHBOUR, OVERLAPS, ELSEWHERE } meeting;

/* Consecutive stores are combined as long as they stay in one window of 16 bytes and overwrite nothing. */
static meeting meets_last(const combining *s, const sim_node *n, uint32_t region) {
    enum { WINDOW_SHIFT = 4 };
    for (size_t k = s->stored.count; k-- > 0 && s->stored.items[k].region >= region;) {
        const sim_node *w = &s->stored.items[k];
        if (w->region != region) continue;
        if (w->base != n->base || w->at >> WINDOW_SHIFT != n->at >> WINDOW_SHIFT) return ELSEWHERE;
        if (w->at < n->at + n->size && n->at < w->at + w->size) return OVERLAPS;
    }
    return NEIGHBOUR;
}

/* A store that overwrites its predecessor begins a region, which may make the predecessor superfluous. */
static void scan_store(combining *s, uint32_t index, uint32_t block, unsigned domain) {
    const ptx_instruction *i = &s->function->instructions[index];
    const sim_place place = sim_bases_place(&s->bases, index, block);
    begin_loads(s, 1u << domain);
    if (i->guarded || !sim_is_ordinary(i) || access_bytes(i) > 16) {
        begin_stores(s, 1u << domain);
        return;
    }
    prove(s, i, place, block);
    s->assembled[index].part_count = 0;
    s->single.count = 0;
    list_elements(s, index, place, &s->single);
    const uint32_t before = s->stores[domain];
    const meeting meets = meets_last(s, &s->single.items[0], before);
    if (meets != NEIGHBOUR) begin_stores(s, 1u << domain);
    if (meets == OVERLAPS) s->follows[s->stores[domain]] = before;
    append(&s->stored, &s->single, s->stores[domain], block);
    append(&s->begun, &s->single, s->loads[domain], block);
}

/* Constant loads have at most 8 bytes. */
static void split_constant(sim_assembled *a) {
    enum { WIDEST = 8 };
    for (unsigned p = 0; p < a->part_count; p++) {
        sim_part *part = &a->parts[p];
        if (part->width <= WIDEST || a->part_count == SIM_MAX_PARTS) continue;
        a->parts[a->part_count++] = (sim_part){(int16_t)(part->start + WIDEST), (uint8_t)(part->width - WIDEST)};
        part->width = WIDEST;
    }
}

/* A place is fixed if it is a variable's address or a number, not a register. */
static void scan_constant_load(combining *s, uint32_t index) {
    const ptx_instruction *i = &s->function->instructions[index];
    const uint64_t base = sim_place_of(s->function, s->values, ptx_accessed_memory(i)).base;
    sim_assembled *a = &s->assembled[index];
    a->fixed = base % 2 == 0;
    if (access_bytes(i) > 16) return;
    a->part_count = 0;
    s->single.count = 0;
    list_elements(s, index, (sim_place){0}, &s->single);
    sim_place_nodes(&s->single, s->assembled);
    split_constant(a);
}

/* Handles one instruction, and afterwards takes the bases that it writes. */
static void scan_instruction(combining *s, uint32_t index, uint32_t block) {
    const ptx_instruction *i = &s->function->instructions[index];
    const unsigned domain = domain_of(i);
    if (i->op == PTX_OP_LD && domain < DOMAINS) {
        scan_load(s, index, block, domain);
    } else if (i->op == PTX_OP_ST && domain < DOMAINS) {
        scan_store(s, index, block, domain == READ_ONLY ? GLOBAL : domain);
    } else if (s->assembled[index].class == HAUL_CLASS_CONSTANT_LOAD) {
        scan_constant_load(s, index);
    } else {
        begin_loads(s, separates(i));
        begin_stores(s, i->op == PTX_OP_LD ? written_domains(i) : sim_is_predicated(i) ? IN_ALL : separates(i));
    }
    sim_bases_pass(&s->bases, index, block);
}

static void scan_block(combining *s, uint32_t block) {
    enter_block(s, block);
    for (uint32_t i = s->function->blocks[block].first; i < s->function->blocks[block].end; i++)
        scan_instruction(s, i, block);
    for (unsigned d = 0; d < DOMAINS; d++) s->at_end[block][d] = s->loads[d];
}

/* ---- the function ---- */

/* A proof, or a node that uses proofs from blocks above it. Sorted by base, then in the order of a walk through the
 * tree of blocks, proofs first. */
typedef struct place_in_walk {
    uint64_t base;
    uint32_t enter, leave;
    sim_node *node; /* NULL: a proof */
    uint8_t alignment;
} place_in_walk;

static int compare_places(const void *left, const void *right) {
    const place_in_walk *a = left, *b = right;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->enter != b->enter) return a->enter < b->enter ? -1 : 1;
    return (a->node != NULL) - (b->node != NULL);
}

static place_in_walk *list_places(const combining *s, const sim_node_list *nodes, size_t count) {
    const ptx_tree_times *t = &s->dominance.times;
    place_in_walk *list = ARENA_ARRAY(s->memory, count + 1, place_in_walk), *next = list;
    for (size_t k = 0; k < s->proof_count; k++) {
        const proof *p = &s->proofs[k];
        *next++ = (place_in_walk){p->base, t->enter[p->block], t->leave[p->block], NULL, p->alignment};
    }
    for (size_t k = 0; k < nodes->count; k++) {
        sim_node *n = &nodes->items[k];
        *next++ = (place_in_walk){n->base, t->enter[n->block], t->leave[n->block], n, 0};
    }
    qsort(list, count, sizeof *list, compare_places);
    return list;
}

/* Proofs in the blocks around the current one are on a stack, each with the best alignment so far. */
static void apply_proofs(const combining *s, sim_node_list *nodes) {
    const size_t count = s->proof_count + nodes->count;
    if (!s->proof_count || !nodes->count) return;
    const place_in_walk *list = list_places(s, nodes, count);
    place_in_walk *around = ARENA_ARRAY(s->memory, s->proof_count, place_in_walk);
    size_t depth = 0;
    for (const place_in_walk *p = list; p < list + count; p++) {
        while (depth && (around[depth - 1].base != p->base || around[depth - 1].leave <= p->enter)) depth--;
        const uint8_t best = depth ? around[depth - 1].alignment : 0;
        if (!p->node) {
            around[depth] = *p;
            if (best > p->alignment) around[depth].alignment = best;
            depth++;
        } else if (best > p->node->alignment) {
            p->node->alignment = best;
        }
    }
}

static bool is_access(const ptx_instruction *i) {
    return (i->op == PTX_OP_LD || i->op == PTX_OP_ST) && domain_of(i) < DOMAINS;
}

static void set_up(combining *s) {
    const ptx_function *f = s->function;
    const size_t blocks = f->block_count + 1;
    s->extended = sim_find_extended(f, s->memory);
    sim_dominance_find(f, s->memory, &s->dominance);
    sim_bases_find(f, s->values, &s->dominance, is_access, s->memory, &s->bases);
    s->separated = ARENA_ARRAY(s->memory, blocks, uint8_t);
    s->between = ARENA_ARRAY(s->memory, blocks, uint8_t);
    s->at_end = arena_array(s->memory, blocks, sizeof *s->at_end);
    /* at most one region for each domain of an instruction, one more for loads, and one for each domain of a block */
    s->follows = ARENA_ARRAY(s->memory, 2 * DOMAINS * (f->instruction_count + blocks) + 1, uint32_t);
    s->single.memory = s->loaded.memory = s->stored.memory = s->begun.memory = s->memory;
    look_between(s);
}

void sim_combine_accesses(const ptx_function *f, const sim_values *v, arena *memory, sim_assembled *assembled) {
    combining s = {.function = f, .values = v, .assembled = assembled, .memory = memory};
    set_up(&s);
    for (uint32_t k = 0; k < s.dominance.order_count; k++) scan_block(&s, s.dominance.order[k]);
    apply_proofs(&s, &s.loaded);
    apply_proofs(&s, &s.stored);
    sim_merge_nodes(&s.loaded, true, &s.dominance);
    sim_merge_nodes(&s.stored, false, &s.dominance);
    sim_drop_overwritten(&s.stored, s.follows);
    sim_place_nodes(&s.loaded, assembled);
    sim_place_nodes(&s.stored, assembled);
}
