#include "check/adder_words.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/scratch.h"
#include "ptx/liveness.h"
#include "ptx/register_list.h"
#include "ptx/spaces.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <string.h>

enum { FIRST_WORDS = 16 };

struct sim_adders {
    sim_adder_word *words; /* open addressing */
    size_t count, capacity;
};

/* ---- which kernels need it ---- */

typedef struct search {
    const ptx_function *function;
    ptx_users writers;
    ptx_register_list sources; /* of the address */
    uint64_t *bases;           /* a bit for each parameter that the address may come from */
    bool any;                  /* it may come from anywhere */
} search;

/* Adds the parameter that the instruction loads; pointers have 64 bits. */
static void add_parameter(search *s, const ptx_instruction *load) {
    const ptx_operand *from = &load->operands[1].parts[0];
    for (size_t k = 0; k < s->function->param_count; k++)
        if (from->kind == PTX_VARIABLE_ADDRESS && s->function->params[k] == from->variable) {
            s->bases[k / 64] |= UINT64_C(1) << k % 64;
            return;
        }
    s->any = true;
}

static void trace_writer(search *s, const ptx_instruction *i) {
    if (ptx_loads_parameter(i)) {
        if (ptx_bits(i->type) >= 64) add_parameter(s, i);
        return;
    }
    if (ptx_is_pure(i->op)) {
        ptx_list_sources(&s->sources, i);
        for (unsigned k = 0; k < i->operand_count; k++) s->any |= i->operands[k].kind == PTX_VARIABLE_ADDRESS;
    } else if (ptx_bits(i->type) >= 64)
        s->any = true; /* a pointer from memory */
}

/* Adds the parameters from which the address may be computed, whatever path control takes. */
static void trace(search *s, const ptx_instruction *access) {
    const ptx_operand *memory = ptx_accessed_memory(access);
    const ptx_operand *base = memory && memory->kind == PTX_MEMORY ? &memory->parts[0] : NULL;
    if (!base || base->kind != PTX_REGISTER) {
        s->any = true;
        return;
    }
    ptx_register_list_clear(&s->sources);
    ptx_list_register(&s->sources, base->reg);
    for (uint32_t next = 0; next < s->sources.count && !s->any; next++) {
        const uint32_t reg = s->sources.registers[next];
        for (uint32_t k = s->writers.first[reg]; k < s->writers.first[reg + 1]; k++)
            trace_writer(s, &s->function->instructions[s->writers.instructions[k]]);
    }
}

static bool is_in_global(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_GLOBAL || space == PTX_MOD_NONE;
}

static bool is_adder(const ptx_instruction *i) {
    return (ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION) && is_in_global(i)) || i->op == PTX_OP_CP_REDUCE_BULK;
}

static bool is_ordinary(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return (i->op == PTX_OP_LD || i->op == PTX_OP_ST) && is_in_global(i) &&
           (order == PTX_MOD_NONE || order == PTX_MOD_WEAK);
}

/* Joins the parameters of all atomic operations, or of all ordinary accesses. */
static void trace_all(search *s, bool adders) {
    const ptx_function *f = s->function;
    for (size_t i = 0; i < f->instruction_count && !s->any; i++) {
        const ptx_instruction *at = &f->instructions[i];
        if (adders ? is_adder(at) : is_ordinary(at)) trace(s, at);
    }
}

static bool may_meet(const ptx_function *f, arena *memory) {
    const size_t words = f->param_count / 64 + 1;
    search s = {
        .function = f, .sources = ptx_register_list_make(f, memory), .bases = ARENA_ARRAY(memory, words, uint64_t)};
    ptx_users_find(f, memory, NULL, &s.writers);
    trace_all(&s, true);
    if (s.any) return true;
    const uint64_t *added = s.bases;
    s.bases = ARENA_ARRAY(memory, words, uint64_t);
    trace_all(&s, false);
    bool meets = s.any;
    for (size_t k = 0; k < words; k++) meets |= (added[k] & s.bases[k]) != 0;
    return meets;
}

/* ---- results ---- */

typedef struct result {
    const ptx_function *function;
    ptx_users readers;
    ptx_register_list value; /* registers that the result may have flowed into */
} result;

/* Returns how the instruction uses the register; pure ones pass its value on. */
static uint8_t use_in(result *r, const ptx_instruction *i, uint32_t reg) {
    if (i->guarded && i->guard == reg) return SIM_RESULT_DECIDES;
    if (ptx_is_address_in(i, reg)) return SIM_RESULT_ADDRESSES;
    if (ptx_is_pure(i->op)) {
        ptx_list_results(&r->value, i);
        return 0;
    }
    return SIM_RESULT_DECIDES;
}

static uint8_t uses_of(result *r, const ptx_instruction *atomic) {
    uint8_t uses = 0;
    ptx_register_list_clear(&r->value);
    ptx_list_results(&r->value, atomic);
    for (uint32_t next = 0; next < r->value.count; next++) {
        const uint32_t reg = r->value.registers[next];
        for (uint32_t k = r->readers.first[reg]; k < r->readers.first[reg + 1]; k++)
            uses |= use_in(r, &r->function->instructions[r->readers.instructions[k]], reg);
    }
    return uses;
}

static void find_uses(const ptx_function *f, arena *memory, uint8_t *uses) {
    result r = {.function = f, .value = ptx_register_list_make(f, memory)};
    ptx_users_find(f, memory, &r.readers, NULL);
    for (size_t i = 0; i < f->instruction_count; i++)
        if (ptx_is(f->instructions[i].op, PTX_KIND_ATOMIC)) uses[i] = uses_of(&r, &f->instructions[i]);
}

/* ---- the table ---- */

typedef struct analysis {
    const ptx_function *function;
    uint8_t *uses;
    bool meets;
} analysis;

static void find_all(void *context, arena *memory) {
    analysis *a = context;
    a->meets = may_meet(a->function, memory);
    if (a->meets) find_uses(a->function, memory, a->uses);
}

haul_status sim_adders_find(const sim_program *p, uint8_t **uses) {
    const ptx_function *f = p->function;
    bool adds = false;
    for (size_t i = 0; i < f->instruction_count; i++) adds |= is_adder(&f->instructions[i]);
    *uses = NULL;
    if (!adds) return HAUL_OK;
    analysis a = {.function = f, .uses = memory_zeroed(f->instruction_count, sizeof *a.uses)};
    if (!a.uses) return haul_no_memory("the launch's checks");
    const haul_status status = sim_with_scratch(find_all, &a);
    if (status == HAUL_OK && a.meets)
        *uses = a.uses;
    else
        memory_free(a.uses);
    return status;
}

/* ---- the table ---- */

static sim_adder_word *place_of(sim_adder_word *words, size_t capacity, uint64_t address) {
    size_t at = (size_t)(address / 4 * 0x9e3779b97f4a7c15ull >> 32) & (capacity - 1);
    while (words[at].address && words[at].address != address) at = (at + 1) & (capacity - 1);
    return &words[at];
}

static bool grow(sim_adders *a) {
    const size_t capacity = a->capacity ? 2 * a->capacity : FIRST_WORDS;
    sim_adder_word *words = memory_zeroed(capacity, sizeof *words);
    if (!words) return false;
    for (size_t i = 0; i < a->capacity; i++)
        if (a->words[i].address) *place_of(words, capacity, a->words[i].address) = a->words[i];
    memory_free(a->words);
    a->words = words;
    a->capacity = capacity;
    return true;
}

sim_adder_word *sim_adder_word_at(sim_adders **adders, uint64_t address, bool adds, bool *failed) {
    if (!*adders && adds) *adders = memory_zeroed(1, sizeof **adders);
    sim_adders *a = *adders;
    if (adds && (!a || (2 * a->count >= a->capacity && !grow(a)))) {
        *failed = true;
        return NULL;
    }
    if (!a || !a->capacity) return NULL;
    sim_adder_word *w = place_of(a->words, a->capacity, address);
    if (w->address || !adds) return w->address ? w : NULL;
    a->count++;
    w->address = address;
    return w;
}

void sim_adders_free(sim_adders *adders) {
    if (adders) memory_free(adders->words);
    memory_free(adders);
}
