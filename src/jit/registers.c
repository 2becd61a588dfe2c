/* The register file while a segment is written: which slots have known values, and write-back.
 *
 * A segment reads a register from memory once and writes it back only if its value is needed later: by a handler, at
 * the segment's end, or in another block. Until then the writer knows the value by its name in the IR, and by its form,
 * as integers or as floating point. Liveness before each instruction says which values must be written back at all. */
#include "jit/write.h"
#include "lower/internal.h"
#include "ptx/liveness.h"
#include "state/program.h"

#include <string.h>

static unsigned lane_alignment(uint8_t type) {
    return type == SIM_VALUE_MASK ? 4 : 64;
}

static uint32_t slot_address(sim_writer *w, uint32_t slot) {
    return sim_write_id(w, "add i64 %%regs, %u", slot);
}

/* Reads a register from memory. */
static sim_value load_slot(sim_writer *w, uint32_t slot, uint8_t type) {
    const uint32_t at = slot_address(w, slot);
    return (sim_value){.id = sim_write_load(w, at, sim_value_types[type], lane_alignment(type)), .type = type};
}

static bool is_floating(uint8_t type) {
    return type == SIM_VALUE_F32 || type == SIM_VALUE_F64;
}

static uint8_t bits_type(uint8_t type) {
    return type == SIM_VALUE_F32 ? SIM_VALUE_I32 : type == SIM_VALUE_F64 ? SIM_VALUE_I64 : type;
}

static sim_value cast_bits(sim_writer *w, sim_value v, uint8_t type) {
    return sim_write_value(w, type, "bitcast %s %s to %s", sim_value_types[v.type], sim_operand(w, v),
                           sim_value_types[type]);
}

/* Returns the bits of floating-point lanes; every NaN becomes the canonical one. */
static sim_value bits_of(sim_writer *w, sim_value v) {
    const sim_value bits = cast_bits(w, v, bits_type(v.type));
    if (!v.raw) return bits;
    const uint32_t is_nan = sim_write_id(w, "fcmp uno %s %%v%u, %%v%u", sim_value_types[v.type], v.id, v.id);
    const sim_value nan = sim_value_constant(bits.type, 0x7fffffff);
    return sim_write_value(w, bits.type, "select <32 x i1> %%v%u, %s %s, %s %s", is_nan, sim_value_types[bits.type],
                           sim_operand(w, nan), sim_value_types[bits.type], sim_operand(w, bits));
}

/* Returns the known value of a slot, or NULL. */
static sim_cached *find_cached(sim_writer *w, uint32_t slot) {
    const uint32_t at = w->cached_at[slot / 4];
    return at ? &w->cached[at - 1] : NULL;
}

/* Notes a value as the slot's. */
static sim_cached *add_cached(sim_writer *w, uint32_t slot, sim_value value) {
    sim_cached item = {.slot = slot, .value = value};
    ARENA_PUSH(w->memory, w->cached, w->cached_count, w->cached_capacity, item);
    w->cached_at[slot / 4] = (uint32_t)w->cached_count;
    return &w->cached[w->cached_count - 1];
}

/* The value as integers, converted once. */
static sim_value cached_bits(sim_writer *w, sim_cached *c) {
    if (!is_floating(c->value.type)) return c->value;
    if (!c->as_bits.id) {
        const sim_value bits = bits_of(w, c->value);
        c->as_bits = bits;
    }
    return c->as_bits;
}

/* Writes a known value back to the register file. */
static void store_cached(sim_writer *w, sim_cached *c) {
    const sim_value bits = cached_bits(w, c);
    const char *type = sim_value_types[bits.type];
    const uint32_t pointer = sim_write_pointer(w, slot_address(w, c->slot), type);
    sim_write_line(w, "  store %s %s, %s %%v%u, align %u", type, sim_operand(w, bits), sim_pointer_type(w, type),
                   pointer, lane_alignment(bits.type));
    c->dirty = false;
}

/* Constants are known without the register file, which holds them too. */
static bool constant_of(const sim_writer *w, uint32_t slot, uint8_t type, sim_value *out) {
    const uint8_t bits = bits_type(type);
    if (slot == SIM_SLOT_TRUE || slot == SIM_SLOT_FALSE) {
        *out = sim_value_constant(SIM_VALUE_MASK, slot == SIM_SLOT_TRUE ? SIM_ALL_LANES : 0);
        return type == SIM_VALUE_MASK;
    }
    *out = sim_value_constant(bits, 0);
    if (slot == SIM_SLOT_ZERO) return true;
    const sim_constant_item *c = w->constant_at[slot / 4];
    if (!c || type == SIM_VALUE_MASK) return false;
    static const uint8_t widths[SIM_VALUE_TYPES] = {2, 4, 8, 4, 8, 0, 0};
    out->bits = c->bits;
    return c->slot == slot && c->bytes == widths[type];
}

bool sim_slot_is_constant(const sim_writer *w, uint32_t slot, sim_value_type type, sim_value *out) {
    const uint32_t at = w->cached_at[slot / 4];
    if (at) *out = w->cached[at - 1].value;
    return at ? out->id == 0 && out->type == type : constant_of(w, slot, (uint8_t)type, out);
}

/* Reads a slot as that type: from constants, known values, or the register file. */
static sim_value read_any(sim_writer *w, uint32_t slot, uint8_t type, bool may_be_raw) {
    sim_value constant;
    if (constant_of(w, slot, type, &constant)) return is_floating(type) ? cast_bits(w, constant, type) : constant;
    sim_cached *c = find_cached(w, slot);
    if (c && bits_type(c->value.type) != bits_type(type)) { /* another width: goes through the register file */
        if (c->dirty) {
            store_cached(w, c);
            w->stored = true;
        }
        w->cached_at[slot / 4] = 0;
        c = NULL;
    }
    if (!c) c = add_cached(w, slot, load_slot(w, slot, type));
    if (!is_floating(type)) return cached_bits(w, c);
    if (c->value.type == type && (may_be_raw || !c->value.raw)) return c->value;
    const sim_value bits = cached_bits(w, c);
    return cast_bits(w, bits, type);
}

sim_value sim_read_slot(sim_writer *w, uint32_t slot, sim_value_type type) {
    return read_any(w, slot, (uint8_t)type, false);
}

sim_value sim_read_raw(sim_writer *w, uint32_t slot) {
    return read_any(w, slot, SIM_VALUE_F32, true);
}

uint32_t sim_write_bits(sim_writer *w, sim_value mask) {
    return sim_write_id(w, "bitcast i32 %s to <32 x i1>", sim_operand(w, mask));
}

/* Keeps the old value in lanes where the guard is off. */
static sim_value choose_guarded(sim_writer *w, uint32_t slot, sim_value value) {
    const sim_value guard = {.id = w->guard, .type = SIM_VALUE_MASK};
    if (is_floating(value.type)) value = bits_of(w, value);
    const sim_value old = read_any(w, slot, value.type, false);
    const char *type = sim_value_types[value.type];
    if (value.type == SIM_VALUE_MASK) {
        const uint32_t made = sim_write_id(w, "and i32 %s, %%v%u", sim_operand(w, value), guard.id);
        const uint32_t off = sim_write_id(w, "xor i32 %%v%u, -1", guard.id);
        const uint32_t kept = sim_write_id(w, "and i32 %s, %%v%u", sim_operand(w, old), off);
        return sim_write_value(w, SIM_VALUE_MASK, "or i32 %%v%u, %%v%u", made, kept);
    }
    const uint32_t bits = sim_write_bits(w, guard);
    return sim_write_value(w, (sim_value_type)value.type, "select <32 x i1> %%v%u, %s %s, %s %s", bits, type,
                           sim_operand(w, value), type, sim_operand(w, old));
}

void sim_write_slot(sim_writer *w, uint32_t slot, sim_value value) {
    if (w->guarded) value = choose_guarded(w, slot, value);
    sim_cached *c = find_cached(w, slot);
    if (!c) c = add_cached(w, slot, value);
    *c = (sim_cached){.slot = slot, .value = value, .dirty = true};
}

void sim_forget_all(sim_writer *w) {
    for (size_t i = 0; i < w->cached_count; i++) w->cached_at[w->cached[i].slot / 4] = 0;
    w->cached_count = 0;
}

/* ---- liveness ---- */

/* Applies the changes of liveness at one instruction. */
static void flip(sim_writer *w, uint32_t row) {
    for (uint32_t k = w->first_flip[row]; k < w->first_flip[row + 1]; k++)
        w->live[w->flips[k] / 64] ^= UINT64_C(1) << w->flips[k] % 64;
}

/* Marks the slots of registers that are live before an instruction of the block, or at its end; or unmarks them. */
static void mark_live(sim_writer *w, uint32_t instruction, bool live) {
    const uint32_t row = instruction - w->live_first;
    while (w->live_row < row) flip(w, w->live_row++);
    while (w->live_row > row) flip(w, --w->live_row);
    for (size_t k = 0; k < w->live_words; k++)
        for (uint64_t left = w->live[k]; left; left &= left - 1)
            w->live_at[w->program->register_slots[k * 64 + (size_t)__builtin_ctzll(left)] / 4] = live;
}

/* Writes back what is live before either of two instructions. */
void sim_write_back(sim_writer *w, uint32_t before, uint32_t after) {
    mark_live(w, before, true);
    if (after != before) mark_live(w, after, true);
    for (size_t i = 0; i < w->cached_count; i++) {
        sim_cached *c = &w->cached[i];
        const uint32_t at = c->slot / 4;
        if (c->dirty && w->cached_at[at] == i + 1 && (w->live_at[at] || !w->register_at[at])) store_cached(w, c);
    }
    mark_live(w, after, false);
    if (after != before) mark_live(w, before, false);
}

/* Writes back on a path that leaves, without forgetting anything on the other one. */
void sim_write_back_aside(sim_writer *w, uint32_t before) {
    sim_cached *const known = ARENA_ARRAY(w->memory, w->cached_count + 1, sim_cached);
    if (w->cached_count) memcpy(known, w->cached, w->cached_count * sizeof *known);
    sim_write_back(w, before, before);
    if (w->cached_count) memcpy(w->cached, known, w->cached_count * sizeof *known);
}

typedef struct live_scan {
    sim_writer *w;
    bool guarded, writes;
    size_t count, capacity; /* of flips */
} live_scan;

/* Records a flip if liveness of the register changes at this instruction. */
static void scan_register(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    const bool becomes = !writes || s->guarded, is = s->w->live[reg / 64] >> reg % 64 & 1;
    if (writes != s->writes || becomes == is) return;
    s->w->live[reg / 64] ^= UINT64_C(1) << reg % 64;
    ARENA_PUSH(s->w->memory, s->w->flips, s->count, s->capacity, reg);
}

/* Scans from the block's end upwards, so flips are in reverse order first. */
static size_t find_flips(sim_writer *w, const ptx_block *b) {
    live_scan s = {.w = w};
    for (uint32_t i = b->end; i-- > b->first;) {
        const ptx_instruction *instruction = &w->program->function->instructions[i];
        s.guarded = instruction->guarded;
        const size_t before = s.count;
        s.writes = true;
        ptx_visit_registers(instruction, scan_register, &s);
        s.writes = false;
        ptx_visit_registers(instruction, scan_register, &s);
        w->first_flip[i - b->first] = (uint32_t)(s.count - before);
    }
    return s.count;
}

/* Liveness changes little from one instruction to the next, so only the changes (flips) are stored. */
void sim_find_live(sim_writer *w, uint32_t block) {
    const ptx_function *f = w->program->function;
    const ptx_block *b = &f->blocks[block];
    const uint32_t rows = b->end - b->first;
    w->live_words = f->register_count / 64 + 1;
    w->live_first = b->first;
    w->live_row = 0;
    w->live = ARENA_ARRAY(w->memory, w->live_words, uint64_t);
    w->first_flip = ARENA_ARRAY(w->memory, rows + 1, uint32_t);
    w->flips = NULL;
    for (const ptx_live_word *word = ptx_live_words(w->blocks_live, block);
         word < ptx_live_words(w->blocks_live, block + 1); word++)
        for (uint64_t bits = word->out; bits; bits &= bits - 1) {
            const uint32_t reg = ptx_live_register(w->blocks_live, word, bits);
            w->live[reg / 64] |= UINT64_C(1) << reg % 64;
        }
    const size_t count = find_flips(w, b);
    for (size_t k = 0; k < count / 2; k++) {
        const uint32_t swap = w->flips[k];
        w->flips[k] = w->flips[count - 1 - k];
        w->flips[count - 1 - k] = swap;
    }
    for (uint32_t row = 0, at = 0; row <= rows; row++) {
        const uint32_t own = w->first_flip[row];
        w->first_flip[row] = at;
        at += own;
    }
}

/* ---- registers of one instruction ---- */

typedef struct touched {
    sim_writer *w;
    bool marks, written_only;
} touched;

/* Marks the registers of an instruction, or unmarks them. */
static void mark_touched(void *context, uint32_t reg, bool writes) {
    const touched *t = context;
    if (writes || !t->written_only) t->w->live_at[t->w->program->register_slots[reg] / 4] = t->marks;
}

/* Calls `each` for known values of the instruction's registers, or of those that it writes, and of slots of no
 * register. */
static void each_touched(sim_writer *w, const ptx_instruction *i, bool written_only,
                         void (*each)(sim_writer *w, sim_cached *c)) {
    touched t = {w, true, written_only};
    ptx_visit_registers(i, mark_touched, &t);
    for (size_t k = 0; k < w->cached_count; k++) {
        const uint32_t at = w->cached[k].slot / 4;
        if (w->cached_at[at] == k + 1 && (w->live_at[at] || !w->register_at[at])) each(w, &w->cached[k]);
    }
    t.marks = false;
    ptx_visit_registers(i, mark_touched, &t);
}

static void store_dirty(sim_writer *w, sim_cached *c) {
    if (c->dirty) store_cached(w, c);
}

static void forget_cached(sim_writer *w, sim_cached *c) {
    w->cached_at[c->slot / 4] = 0;
}

void sim_write_back_touched(sim_writer *w, const ptx_instruction *i) {
    each_touched(w, i, false, store_dirty);
}

void sim_forget_written(sim_writer *w, const ptx_instruction *i) {
    each_touched(w, i, true, forget_cached);
}
