/* Schedules each block's instructions as an assembler does and counts live registers.
 *
 * A list scheduler: of the instructions whose operands are there, the one that most later ones wait for comes first, so
 * that loads begin early. When as many registers are live as the budget allows, the instruction that frees most comes
 * first. */
#include "assembler/pressure.h"

#include "assembler/register_banks.h"
#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <string.h>

#define NONE UINT32_MAX
/* State spaces that accesses may be to. A generic access may be to any. */
enum { GENERIC_SPACE, GLOBAL_SPACE, SHARED_SPACE, OTHER_SPACE, SPACES };
enum { WINDOW = 32 }; /* instructions that the scheduler looks at */

/* Cycles until a result is there, as the scheduler counts them. The estimate hardly depends on them. */
enum { ARITHMETIC = 5, DOUBLE = 12, PRODUCT = 20, SHARED = 30, ROUTINE = 40, GLOBAL = 60 };
/* Cycles for which the operands of an access stay occupied. */
enum { HELD = 60 };
/* Registers of a division of integers, of a fragment's addresses, and of an address that no instruction computes. */
enum { DIVISION = 4, FRAGMENT = 3, ADDRESS = 2 };

/* An instruction of the block that is being scheduled. Its operands are uses[first_use] .. uses[first_definition - 1],
 * its results those up to end. */
typedef struct node {
    uint32_t first_use, first_definition, end;
    uint32_t first_edge, waits; /* edges to later nodes; earlier nodes that are not scheduled yet */
    uint32_t latency, height;   /* cycles until its result is there; longest path to the block's end */
    uint32_t ready;             /* the cycle in which its operands are there */
    uint32_t extra;             /* registers that it needs while it runs */
    bool effect;                /* not only on registers */
    uint32_t holds;             /* cycles for which its operands' registers stay occupied */
} node;

typedef struct edge {
    uint32_t to, next, latency;
} edge;

/* What is known of a value within the block. A register has two: the one that comes into the block, by its number, and
 * the one that the block writes, by its number plus the function's registers. */
typedef struct register_state {
    uint32_t pass;          /* the pass over a block that the rest belongs to */
    uint32_t writer;        /* the last node that writes it, or NONE */
    uint32_t readers, left; /* list of nodes that read it since; reads that are not scheduled yet */
    bool live_out, live;
    bool written;   /* by register: the second value is the present one */
    uint32_t held;  /* the cycle until which an access reads it */
    uint32_t root;  /* its value is that of another one, numbered across the block, */
    int64_t beyond; /* plus this constant */
} register_state;

typedef struct reader {
    uint32_t node, next;
} reader;

/* Registers that an access still reads: until then nothing else is put there. */
typedef struct held_registers {
    uint32_t until, count;
} held_registers;

/* What a store writes. */
typedef struct stored_place {
    uint32_t node, base; /* base: the root of its address, or NONE */
    unsigned space;      /* of SPACES */
    int64_t begin, end;
} stored_place;

typedef struct schedule {
    const ptx_function *function;
    arena *memory;
    register_state *state; /* by value */
    uint32_t *made_in;     /* by number of an operand without a register: the last pass that made one for it */
    node *nodes;
    uint32_t *uses;
    edge *edges;
    reader *readers;
    size_t node_count, use_count, edge_count, reader_count;
    size_t node_capacity, use_capacity, edge_capacity, reader_capacity;
    uint32_t block, pass, node, barrier;    /* barrier: the last such node */
    uint32_t stores[SPACES], loads[SPACES]; /* by space: the last store that may be to it; the loads since, a list */
    stored_place *stored;                   /* the block's stores, in order */
    size_t stored_count, stored_capacity;
    bool guarded, ordered; /* ordered: nothing is scheduled */
    uint32_t *window;      /* instructions that wait for nothing, in the order of the PTX */
    uint32_t *heap, heap_count, window_count;
    uint32_t live, most, budget;
    held_registers *held; /* in the order in which they become free */
    size_t held_count, held_capacity, held_first;
    uint32_t held_sum;
    const uint8_t *banks;             /* by register; or NULL if they do not matter */
    uint32_t even, odd, most_of_bank; /* live registers by bank */
    bool *doubled;                    /* by register: it is the other half of a fragment that has its elements twice */
} schedule;

/* Predicates have registers of their own. */
static uint32_t cost_of(const schedule *s, uint32_t value) {
    const uint32_t reg = value % (uint32_t)s->function->register_count;
    const unsigned type = s->function->registers[reg].type;
    if (type == PTX_PRED || s->doubled[reg]) return 0;
    return ptx_bits(type) <= 32 ? 1 : ptx_bits(type) / 32;
}

static register_state *state_of(schedule *s, uint32_t value) {
    register_state *r = &s->state[value];
    if (r->pass != s->pass) *r = (register_state){.pass = s->pass, .writer = NONE, .readers = NONE, .root = value};
    return r;
}

/* ---- the graph of a block ---- */

static void add_edge(schedule *s, uint32_t from, uint32_t to, uint32_t latency) {
    if (from == NONE || from == to) return;
    const edge e = {to, s->nodes[from].first_edge, latency};
    ARENA_PUSH(s->memory, s->edges, s->edge_count, s->edge_capacity, e);
    s->nodes[from].first_edge = (uint32_t)s->edge_count - 1;
    s->nodes[to].waits++;
}

static void add_reader(schedule *s, uint32_t *list, uint32_t at) {
    const reader r = {at, *list};
    ARENA_PUSH(s->memory, s->readers, s->reader_count, s->reader_capacity, r);
    *list = (uint32_t)s->reader_count - 1;
}

static void follow(schedule *s, uint32_t list) {
    for (uint32_t k = list; k != NONE; k = s->readers[k].next) add_edge(s, s->readers[k].node, s->node, 0);
}

static uint32_t present_value(schedule *s, uint32_t reg) {
    return reg + (state_of(s, reg)->written ? (uint32_t)s->function->register_count : 0);
}

static void visit_use(void *context, uint32_t reg, bool writes) {
    schedule *s = context;
    if (writes && !s->guarded) return;
    const uint32_t value = present_value(s, reg);
    register_state *r = state_of(s, value);
    if (r->writer != NONE) add_edge(s, r->writer, s->node, s->nodes[r->writer].latency);
    if (writes) return;
    r->left++;
    add_reader(s, &r->readers, s->node);
    ARENA_PUSH(s->memory, s->uses, s->use_count, s->use_capacity, value);
}

/* An instruction without a guard ends the value that came into the block. */
static void begin_value(schedule *s, uint32_t reg) {
    register_state *in = state_of(s, reg), *made = state_of(s, reg + (uint32_t)s->function->register_count);
    if (in->written || s->guarded) return;
    in->written = true;
    made->live_out = in->live_out;
    in->live_out = false;
}

static void visit_definition(void *context, uint32_t reg, bool writes) {
    schedule *s = context;
    if (!writes) return;
    register_state *r = state_of(s, present_value(s, reg));
    if (r->writer != NONE) add_edge(s, r->writer, s->node, 1);
    follow(s, r->readers);
    r->readers = NONE;
    begin_value(s, reg);
    const uint32_t value = present_value(s, reg);
    r = state_of(s, value);
    r->writer = s->node;
    r->root = 2 * (uint32_t)s->function->register_count + s->node;
    r->beyond = 0;
    ARENA_PUSH(s->memory, s->uses, s->use_count, s->use_capacity, value);
}

static uint32_t latency_of(const ptx_instruction *i) {
    if (ptx_loads_parameter(i)) return 1;
    if (ptx_is(i->op, PTX_KIND_LOAD)) return ptx_in_shared(i) ? SHARED : GLOBAL;
    if (ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_TEXTURE | PTX_KIND_SURFACE_LOAD)) return GLOBAL;
    if (ptx_is(i->op, PTX_KIND_MATRIX_LOAD | PTX_KIND_COLLECTIVE)) return SHARED;
    if (ptx_is(i->op, PTX_KIND_PRODUCT)) return PRODUCT;
    if (sim_is_call(i)) return ROUTINE;
    return ptx_bits(i->type) == 64 && ptx_types[i->type].kind == 'F' ? DOUBLE : ARITHMETIC;
}

static unsigned space_of(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    if (space == PTX_MOD_NONE) return GENERIC_SPACE;
    if (space == PTX_MOD_GLOBAL) return GLOBAL_SPACE;
    return ptx_in_shared(i) ? SHARED_SPACE : OTHER_SPACE;
}

static stored_place place_of(schedule *s, const ptx_instruction *i) {
    stored_place p = {.node = s->node, .base = NONE, .space = space_of(i)};
    for (unsigned k = 0; k < i->operand_count; k++) {
        const ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_MEMORY || o->parts[0].kind != PTX_REGISTER) continue;
        const unsigned parts = i->operands[!k].kind == PTX_VECTOR ? i->operands[!k].part_count : 1;
        const register_state *r = state_of(s, present_value(s, o->parts[0].reg));
        p.base = r->root;
        p.begin = r->beyond + o->offset;
        p.end = p.begin + ptx_bits(i->type) / 8 * parts;
    }
    return p;
}

/* Whether two accesses may be to the same bytes. */
static bool may_meet(const stored_place *a, const stored_place *b) {
    if (a->space != b->space) return a->space == GENERIC_SPACE || b->space == GENERIC_SPACE;
    return a->base == NONE || a->base != b->base || (a->begin < b->end && b->begin < a->end);
}

/* Loads go ahead of stores that are elsewhere for certain: in another space, or at other bytes after the same address.
 * The last `MOST` stores are asked. Stores of a space are in order, so the last one that may be to the load's bytes
 * stands for those before it. */
static void follow_stores(schedule *s, const ptx_instruction *i) {
    enum { MOST = 32 };
    const stored_place p = place_of(s, i);
    bool done[SPACES] = {false};
    unsigned most = MOST;
    for (size_t k = s->stored_count; k-- > 0 && most; most--) {
        const stored_place *q = &s->stored[k];
        if (done[q->space] || !may_meet(q, &p)) continue;
        add_edge(s, q->node, s->node, 1);
        if (p.space != GENERIC_SPACE || q->space == GENERIC_SPACE) return;
        done[q->space] = true;
    }
    for (unsigned k = 0; k < SPACES && !most; k++)
        if (k == p.space || p.space == GENERIC_SPACE) add_edge(s, s->stores[k], s->node, 1);
}

/* Notes a load for the stores that have to stay behind it. */
static void note_load(schedule *s, unsigned space) {
    for (unsigned k = 0; k < SPACES; k++)
        if (k == space || k == GENERIC_SPACE || space == GENERIC_SPACE) add_reader(s, &s->loads[k], s->node);
}

/* A store keeps behind the accesses before it that may be to its space: GENERIC_SPACE for any. */
static void note_store(schedule *s, unsigned space) {
    for (unsigned k = 0; k < SPACES; k++) {
        if (k != space && space != GENERIC_SPACE) continue;
        add_edge(s, s->stores[k], s->node, 1);
        if (k == space) follow(s, s->loads[k]);
        s->loads[k] = NONE;
        s->stores[k] = s->node;
    }
}

/* True if the instruction may move across memory accesses. Shuffles and votes may also move across each other. */
static bool is_free(const ptx_instruction *i) {
    return ptx_is_pure(i->op) || ptx_is(i->op, PTX_KIND_COLLECTIVE);
}

/* Loads keep behind stores to their place and barriers, and stores behind the accesses before them to their space. */
static void order_accesses(schedule *s, const ptx_instruction *i) {
    if (is_free(i) || ptx_loads_parameter(i)) return;
    const bool reads = i->op == PTX_OP_LD && sim_is_ordinary(i), writes = i->op == PTX_OP_ST && sim_is_ordinary(i);
    add_edge(s, s->barrier, s->node, 1);
    if (reads && i->mods[PTX_SLOT_NC] != PTX_MOD_NONE) return;
    if (reads) {
        follow_stores(s, i);
        note_load(s, space_of(i));
        return;
    }
    note_store(s, writes ? space_of(i) : GENERIC_SPACE);
    const stored_place p = writes ? place_of(s, i) : (stored_place){.node = s->node, .base = NONE};
    ARENA_PUSH(s->memory, s->stored, s->stored_count, s->stored_capacity, p);
    if (!ptx_is_access(i->op) || !sim_is_ordinary(i)) s->barrier = s->node;
}

/* Returns the registers that an access needs for an operand that compaction left no register for. An operand that comes
 * from one is numbered (compact.c), and the block's other accesses share what it takes. */
static uint32_t made_for(schedule *s, const ptx_operand *o, uint32_t count) {
    if (o->kind == PTX_VECTOR) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < o->part_count; k++) sum += made_for(s, &o->parts[k], count);
        return sum;
    }
    if ((o->kind != PTX_INTEGER && o->kind != PTX_FLOATING) || !o->bits) return 0;
    if (o->kind == PTX_INTEGER && o->bits <= s->function->register_count) {
        if (s->made_in[o->bits] == s->pass) return 0;
        s->made_in[o->bits] = s->pass;
    }
    return count;
}

/* Whether an address without a register is an offset in the instruction. */
static bool has_window(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return ptx_in_shared(i) || space == PTX_MOD_LOCAL || space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY;
}

/* Registers of an access's operands that are constants or parameters: machine code puts them in registers for it. */
static uint32_t made_of(schedule *s, const ptx_instruction *i) {
    const uint32_t count = (ptx_bits(i->type) + 31) / 32;
    const bool stores =
        ptx_is(i->op, PTX_KIND_STORE) || (ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION) && !has_window(i));
    uint32_t sum = 0;
    for (unsigned k = 0; k < i->operand_count; k++) {
        const ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_MEMORY && stores)
            sum += made_for(s, o, count);
        else if (o->kind == PTX_MEMORY && o->parts[0].kind != PTX_REGISTER && !has_window(i))
            sum += made_for(s, &o->parts[0], ADDRESS);
    }
    return sum;
}

static bool moves_fragment(const ptx_instruction *i) {
    return i->op == PTX_OP_WMMA_LOAD_A || i->op == PTX_OP_WMMA_LOAD_B || i->op == PTX_OP_WMMA_LOAD_C ||
           i->op == PTX_OP_WMMA_STORE;
}

/* The most registers that are live in the routine of a called operation, without those of the result, as the machine
 * code of ptxas 13.0 has them. */
static uint32_t routine_registers(const ptx_instruction *i) {
    enum {
        SINGLE_ROOT = 6,
        SINGLE_QUOTIENT = 8,
        DOUBLE_QUOTIENT = 16,
        DOUBLE_RECIPROCAL = 5,
        UNSIGNED_LONG = 12,
        SIGNED_LONG = 14
    };
    if (ptx_bits(i->type) < 64) return i->op == PTX_OP_RCP || i->op == PTX_OP_SQRT ? SINGLE_ROOT : SINGLE_QUOTIENT;
    if (i->op == PTX_OP_FDIV) return DOUBLE_QUOTIENT;
    if (i->op == PTX_OP_RCP || i->op == PTX_OP_RSQRT) return DOUBLE_RECIPROCAL;
    if (i->op != PTX_OP_DIV && i->op != PTX_OP_REM) return SINGLE_QUOTIENT;
    return ptx_is_signed(i->type) ? SIGNED_LONG : UNSIGNED_LONG;
}

/* Registers of the routine that a called operation runs, and of operations of several steps. */
static uint32_t extra_of(schedule *s, const ptx_instruction *i) {
    if (sim_is_call(i)) return routine_registers(i);
    if (ptx_has(i->op, PTX_TRAIT_DIVIDES)) return DIVISION;
    if (moves_fragment(i)) return FRAGMENT;
    return ptx_is_access(i->op) ? made_of(s, i) : 0;
}

/* An access reads its operands some time after its issue. */
static uint32_t holds_of(const ptx_instruction *i) {
    const unsigned kinds = PTX_KIND_LOAD | PTX_KIND_ATOMIC | PTX_KIND_TEXTURE | PTX_KIND_STORE | PTX_KIND_REDUCTION |
                           PTX_KIND_COPY | PTX_KIND_MATRIX_LOAD;
    return ptx_is(i->op, kinds) && !ptx_loads_parameter(i) ? HELD : 0;
}

/* Whether the instruction copies a register or adds a constant to it. */
static bool moves_on(const ptx_instruction *i) {
    if (i->guarded || i->operand_count < 2 || i->operands[1].kind != PTX_REGISTER) return false;
    return ptx_has(i->op, PTX_TRAIT_MOVES) || (i->op == PTX_OP_ADD && i->operands[2].kind == PTX_INTEGER);
}

static void visit_definitions(schedule *s, const ptx_instruction *i) {
    register_state from = {0};
    const bool moves = moves_on(i);
    if (moves) from = *state_of(s, present_value(s, i->operands[1].reg));
    ptx_visit_registers(i, visit_definition, s);
    if (!moves || i->operands[0].kind != PTX_REGISTER) return;
    register_state *to = state_of(s, present_value(s, i->operands[0].reg));
    to->root = from.root;
    to->beyond = from.beyond + (i->op == PTX_OP_ADD ? (int64_t)i->operands[2].bits : 0);
}

static void add_node(schedule *s, const ptx_instruction *i) {
    const node made = {.first_use = (uint32_t)s->use_count,
                       .first_edge = NONE,
                       .latency = latency_of(i),
                       .extra = extra_of(s, i),
                       .effect = !is_free(i) && i->op != PTX_OP_LD,
                       .holds = holds_of(i)};
    ARENA_PUSH(s->memory, s->nodes, s->node_count, s->node_capacity, made);
    s->node = (uint32_t)s->node_count - 1;
    s->guarded = i->guarded;
    ptx_visit_registers(i, visit_use, s);
    s->nodes[s->node].first_definition = (uint32_t)s->use_count;
    visit_definitions(s, i);
    s->nodes[s->node].end = (uint32_t)s->use_count;
    order_accesses(s, i);
}

static void build(schedule *s) {
    const ptx_block *b = &s->function->blocks[s->block];
    s->node_count = s->use_count = s->edge_count = s->reader_count = s->stored_count = 0;
    s->barrier = NONE;
    for (unsigned k = 0; k < SPACES; k++) s->stores[k] = s->loads[k] = NONE;
    for (uint32_t i = b->first; i < b->end; i++) add_node(s, &s->function->instructions[i]);
    if (b->end > b->first && ptx_is(s->function->instructions[b->end - 1].op, PTX_KIND_BRANCH | PTX_KIND_END))
        for (uint32_t n = 0; n + 1 < s->node_count; n++) add_edge(s, n, (uint32_t)s->node_count - 1, 0);
    for (uint32_t n = (uint32_t)s->node_count; n-- > 0;)
        for (uint32_t e = s->nodes[n].first_edge; e != NONE; e = s->edges[e].next) {
            const uint32_t height = s->nodes[s->edges[e].to].height + (s->edges[e].latency ? s->edges[e].latency : 1);
            if (height > s->nodes[n].height) s->nodes[n].height = height;
        }
}

/* ---- live registers ---- */

/* Begins (1) or ends (-1) the value's life. Wide values have as many registers in each bank. */
static void change_live(schedule *s, uint32_t value, int sign) {
    const uint32_t cost = cost_of(s, value), change = sign > 0 ? cost : 0 - cost;
    s->live += change;
    if (!s->banks || !cost) return;
    const uint8_t bank = s->banks[value % (uint32_t)s->function->register_count];
    if (cost > 1) s->even += change / 2, s->odd += change / 2;
    if (bank == SIM_EVEN_BANK) s->even += change;
    if (bank == SIM_ODD_BANK) s->odd += change;
    const uint32_t fuller = s->even > s->odd ? s->even : s->odd;
    if (fuller > s->most_of_bank) s->most_of_bank = fuller;
}

static void begin_block(schedule *s, const ptx_liveness *l) {
    s->live = s->held_sum = s->even = s->odd = 0;
    s->held_first = s->held_count = 0;
    for (const ptx_live_word *w = ptx_live_words(l, s->block); w < ptx_live_words(l, s->block + 1); w++) {
        for (uint64_t bits = w->out; bits; bits &= bits - 1)
            state_of(s, ptx_live_register(l, w, bits))->live_out = true;
        for (uint64_t bits = w->in; bits; bits &= bits - 1) {
            const uint32_t reg = ptx_live_register(l, w, bits);
            state_of(s, reg)->live = true;
            change_live(s, reg, 1);
        }
    }
    if (s->live > s->most) s->most = s->live;
}

/* Whether the register's life ends with the reads that `n` has of it. */
static bool ends(const schedule *s, const node *n, uint32_t reg) {
    uint32_t reads = 0;
    for (uint32_t k = n->first_use; k < n->first_definition; k++) reads += s->uses[k] == reg;
    return s->state[reg].live && !s->state[reg].live_out && s->state[reg].left == reads;
}

/* How many registers become live less those that end. */
static int growth_of(const schedule *s, const node *n) {
    int sum = 0;
    for (uint32_t k = n->first_use; k < n->first_definition; k++) {
        bool first = true;
        for (uint32_t m = n->first_use; m < k; m++) first &= s->uses[m] != s->uses[k];
        if (first && ends(s, n, s->uses[k])) sum -= (int)cost_of(s, s->uses[k]);
    }
    for (uint32_t k = n->first_definition; k < n->end; k++)
        if (!s->state[s->uses[k]].live) sum += (int)cost_of(s, s->uses[k]);
    return sum;
}

/* The registers of ended lives stay occupied while an access reads them, as long as there are enough. */
static void hold(schedule *s, uint32_t count, uint32_t until, uint32_t cycle) {
    const held_registers h = {until, count};
    if (!count || until <= cycle || s->ordered) return;
    ARENA_PUSH(s->memory, s->held, s->held_count, s->held_capacity, h);
    s->held_sum += count;
    /* Most are held longest; those that an access read some time ago go before them. */
    for (size_t k = s->held_count - 1; k > s->held_first && s->held[k - 1].until > until; k--) {
        s->held[k] = s->held[k - 1];
        s->held[k - 1] = h;
    }
}

static void end_if_unread(schedule *s, uint32_t reg, uint32_t cycle) {
    register_state *r = &s->state[reg];
    if (!r->live || r->live_out || r->left) return;
    r->live = false;
    change_live(s, reg, -1);
    hold(s, cost_of(s, reg), r->held, cycle);
}

static void let_go(schedule *s, uint32_t cycle) {
    while (s->held_first < s->held_count && s->held[s->held_first].until <= cycle)
        s->held_sum -= s->held[s->held_first++].count;
}

static void note_most(schedule *s, uint32_t extra) {
    uint32_t sum = s->live + extra;
    if (sum < s->budget) sum = sum + s->held_sum < s->budget ? sum + s->held_sum : s->budget;
    if (sum > s->most) s->most = sum;
}

static void run_node(schedule *s, const node *n, uint32_t cycle) {
    let_go(s, cycle);
    for (uint32_t k = n->first_use; k < n->first_definition; k++) {
        register_state *r = &s->state[s->uses[k]];
        r->left--;
        if (n->holds) r->held = cycle + n->holds;
    }
    for (uint32_t k = n->first_use; k < n->first_definition; k++) end_if_unread(s, s->uses[k], cycle);
    for (uint32_t k = n->first_definition; k < n->end; k++) {
        register_state *r = &s->state[s->uses[k]];
        if (!r->live) change_live(s, s->uses[k], 1);
        r->live = true;
    }
    note_most(s, n->extra);
    hold(s, n->extra, cycle + n->holds, cycle);
    for (uint32_t k = n->first_definition; k < n->end; k++) end_if_unread(s, s->uses[k], cycle);
}

/* ---- the order ---- */

/* The window holds the first of those that are ready, in the order of the PTX; the rest waits in a heap. */
static void push(schedule *s, uint32_t n) {
    uint32_t at = s->heap_count++;
    for (; at && s->heap[(at - 1) / 2] > n; at = (at - 1) / 2) s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = n;
}

static uint32_t pop(schedule *s) {
    const uint32_t top = s->heap[0], last = s->heap[--s->heap_count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < s->heap_count; at = child) {
        if (child + 1 < s->heap_count && s->heap[child + 1] < s->heap[child]) child++;
        if (s->heap[child] >= last) break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

/* An instruction that may come next. */
typedef struct candidate {
    uint32_t node;
    int growth; /* of the live registers */
} candidate;

static candidate candidate_of(const schedule *s, uint32_t n) {
    return (candidate){n, growth_of(s, &s->nodes[n])};
}

static bool fits(const schedule *s, const candidate *c) {
    return c->growth <= 0 || s->live + (uint32_t)c->growth <= s->budget;
}

static bool is_better(const schedule *s, const candidate *a, const candidate *b, uint32_t cycle) {
    const node *x = &s->nodes[a->node], *y = &s->nodes[b->node];
    const bool fits_x = fits(s, a);
    if (fits_x != fits(s, b)) return fits_x;
    if (!fits_x && a->growth != b->growth) return a->growth < b->growth;
    const bool now_x = x->ready <= cycle, now_y = y->ready <= cycle;
    if (now_x != now_y) return now_x;
    if (!now_x && x->ready != y->ready) return x->ready < y->ready;
    if (x->height != y->height) return x->height > y->height;
    return a->node < b->node;
}

/* Returns the place in the window of the instruction that comes next. */
static uint32_t find_next(const schedule *s, uint32_t cycle) {
    uint32_t best = 0;
    candidate next = candidate_of(s, s->window[0]);
    for (uint32_t k = 1; k < s->window_count; k++) {
        const candidate other = candidate_of(s, s->window[k]);
        if (!is_better(s, &other, &next, cycle)) continue;
        next = other;
        best = k;
    }
    return best;
}

static void release(schedule *s, const node *n, uint32_t cycle) {
    for (uint32_t e = n->first_edge; e != NONE; e = s->edges[e].next) {
        node *to = &s->nodes[s->edges[e].to];
        if (cycle + s->edges[e].latency > to->ready) to->ready = cycle + s->edges[e].latency;
        if (--to->waits == 0) push(s, s->edges[e].to);
    }
}

static void run_list(schedule *s) {
    uint32_t cycle = 0;
    s->heap = ARENA_ARRAY(s->memory, s->node_count + 1, uint32_t);
    s->heap_count = s->window_count = 0;
    for (uint32_t n = 0; n < s->node_count; n++)
        if (!s->nodes[n].waits) push(s, n);
    while (s->heap_count || s->window_count) {
        while (s->window_count < WINDOW && s->heap_count) s->window[s->window_count++] = pop(s);
        const uint32_t best = find_next(s, cycle), n = s->window[best];
        s->window[best] = s->window[--s->window_count];
        if (s->nodes[n].ready > cycle) cycle = s->nodes[n].ready;
        run_node(s, &s->nodes[n], cycle);
        release(s, &s->nodes[n], cycle++);
    }
}

/* ---- depth first ---- */

/* Lists the nodes that node n waits for, the last first: earlier[first[n]] .. earlier[first[n + 1] - 1]. */
static void find_earlier(const schedule *s, uint32_t *first, uint32_t *earlier) {
    for (uint32_t n = 0; n < s->node_count; n++)
        for (uint32_t e = s->nodes[n].first_edge; e != NONE; e = s->edges[e].next) first[s->edges[e].to + 2]++;
    for (size_t n = 2; n < s->node_count + 2; n++) first[n] += first[n - 1];
    for (uint32_t n = (uint32_t)s->node_count; n-- > 0;)
        for (uint32_t e = s->nodes[n].first_edge; e != NONE; e = s->edges[e].next)
            earlier[first[s->edges[e].to + 1]++] = n;
}

/* Runs a node, and at once what then waits for nothing more and takes no more registers than it frees: `ready` has room
 * for all nodes. */
static void run_with_followers(schedule *s, uint32_t first, bool *ran, uint32_t *ready) {
    uint32_t count = 0;
    ready[count++] = first;
    while (count) {
        const uint32_t n = ready[--count];
        run_node(s, &s->nodes[n], 0);
        ran[n] = true;
        for (uint32_t e = s->nodes[n].first_edge; e != NONE; e = s->edges[e].next) {
            const uint32_t to = s->edges[e].to;
            if (--s->nodes[to].waits == 0 && growth_of(s, &s->nodes[to]) <= 0) ready[count++] = to;
        }
    }
}

/* Runs each node directly after those that it waits for, the last of them first. */
static void run_deep(schedule *s) {
    uint32_t *first = ARENA_ARRAY(s->memory, s->node_count + 3, uint32_t);
    uint32_t *earlier = ARENA_ARRAY(s->memory, s->edge_count + 1, uint32_t);
    uint32_t *stack = ARENA_ARRAY(s->memory, s->node_count + 1, uint32_t), *next, depth;
    uint32_t *ready = ARENA_ARRAY(s->memory, s->node_count + 1, uint32_t);
    bool *seen = ARENA_ARRAY(s->memory, s->node_count + 1, bool),
         *ran = ARENA_ARRAY(s->memory, s->node_count + 1, bool);
    find_earlier(s, first, earlier);
    next = ARENA_ARRAY(s->memory, s->node_count + 1, uint32_t);
    for (uint32_t n = 0; n < s->node_count; n++) next[n] = first[n];
    for (uint32_t root = 0; root < s->node_count; root++) {
        const bool is_root = s->nodes[root].first_edge == NONE || s->nodes[root].effect;
        if (seen[root] || ran[root] || !is_root) continue;
        stack[0] = root;
        seen[root] = true;
        for (depth = 1; depth;) {
            const uint32_t n = stack[depth - 1];
            if (ran[n] || next[n] == first[n + 1]) {
                if (!ran[n]) run_with_followers(s, n, ran, ready);
                depth--;
            } else if (!seen[earlier[next[n]]]) {
                seen[earlier[next[n]]] = true;
                stack[depth++] = earlier[next[n]++];
            } else
                next[n]++;
        }
    }
}

static bool loads_doubled(const ptx_instruction *i) {
    return (i->op == PTX_OP_WMMA_LOAD_A || i->op == PTX_OP_WMMA_LOAD_B) && i->type == PTX_F16 &&
           i->mods[PTX_SLOT_SHAPE] == PTX_MOD_M16N16;
}

/* wmma's fragments of 16-bit elements name each element of a 16x16x16 product's matrix in two registers; machine code
 * has one of them. */
static void find_doubled(schedule *s) {
    const ptx_function *f = s->function;
    s->doubled = ARENA_ARRAY(s->memory, f->register_count + 1, bool);
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_operand *o = f->instructions[k].operands;
        if (!loads_doubled(&f->instructions[k])) continue;
        for (uint32_t p = o->part_count / 2; p < o->part_count; p++)
            if (o->parts[p].kind == PTX_REGISTER) s->doubled[o->parts[p].reg] = true;
    }
}

typedef enum block_order { WRITTEN, DEPTH_FIRST, SCHEDULED } block_order;

/* Returns the most registers live at once in the block. */
static uint32_t run_block(schedule *s, const ptx_liveness *liveness, block_order order) {
    s->pass++;
    s->most = 0;
    s->ordered = order != SCHEDULED;
    begin_block(s, liveness);
    build(s);
    switch (order) {
    case WRITTEN:
        for (uint32_t n = 0; n < s->node_count; n++) run_node(s, &s->nodes[n], 0);
        break;
    case DEPTH_FIRST: run_deep(s); break;
    case SCHEDULED: run_list(s); break;
    }
    return s->most;
}

/* The same by the order that takes the least, which is not looked for below `enough`. */
static uint32_t run_least(schedule *s, const ptx_liveness *liveness, uint32_t enough) {
    const uint32_t written = run_block(s, liveness, WRITTEN);
    if (written <= enough) return written;
    const uint32_t deep = run_block(s, liveness, DEPTH_FIRST);
    return deep < written ? deep : written;
}

static schedule start(const ptx_function *f, uint32_t budget, const uint8_t *banks, ptx_liveness *liveness,
                      arena *memory) {
    schedule s = {.function = f,
                  .memory = memory,
                  .budget = budget,
                  .banks = banks,
                  .state = ARENA_ARRAY(memory, 2 * f->register_count + 1, register_state),
                  .made_in = ARENA_ARRAY(memory, f->register_count + 2, uint32_t),
                  .window = ARENA_ARRAY(memory, WINDOW, uint32_t)};
    find_doubled(&s);
    ptx_liveness_compute(f, memory, liveness);
    return s;
}

static uint32_t most_scheduled(schedule *s, const ptx_liveness *liveness) {
    uint32_t most = 0;
    for (s->block = 0; s->block < s->function->block_count; s->block++) {
        const uint32_t here = run_block(s, liveness, SCHEDULED);
        if (here > most) most = here;
    }
    return most;
}

uint32_t sim_pressure_scheduled(const ptx_function *f, uint32_t budget, arena *memory) {
    ptx_liveness liveness;
    schedule s = start(f, budget, NULL, &liveness, memory);
    return most_scheduled(&s, &liveness);
}

uint32_t sim_pressure_with_banks(const ptx_function *f, uint32_t budget, uint32_t *of_banks, arena *memory) {
    ptx_liveness liveness;
    schedule s = start(f, budget, sim_register_banks_find(f, memory), &liveness, memory);
    const uint32_t most = most_scheduled(&s, &liveness);
    *of_banks = 2 * s.most_of_bank;
    return most;
}

uint32_t sim_pressure_least(const ptx_function *f, uint32_t enough, arena *memory) {
    ptx_liveness liveness;
    schedule s = start(f, 0, NULL, &liveness, memory);
    uint32_t most = 0;
    for (s.block = 0; s.block < f->block_count; s.block++) {
        const uint32_t here = run_least(&s, &liveness, most > enough ? most : enough);
        if (here > most) most = here;
    }
    return most;
}
