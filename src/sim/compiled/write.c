#include "sim/compiled/ops.h"

#include "ptx/liveness.h"
#include "sim/block.h"
#include "sim/lower/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const sim_value_types[SIM_VALUE_TYPES] = {"<32 x i16>",   "<32 x i32>",    "<32 x i64>",
                                                      "<32 x float>", "<32 x double>", "i32"};
const char *const sim_value_halves[SIM_VALUE_TYPES] = {"<16 x i16>",   "<16 x i32>",    "<16 x i64>",
                                                       "<16 x float>", "<16 x double>", "i16"};

/* ---- text ---- */

static uint32_t write_numbered(sim_writer *w, const char *format, va_list arguments) {
    const uint32_t id = ++w->next;
    text_printf(w->out, "  %%v%u = ", id);
    text_vprintf(w->out, format, arguments);
    text_put(w->out, "\n");
    return id;
}

uint32_t sim_write_id(sim_writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const uint32_t id = write_numbered(w, format, arguments);
    va_end(arguments);
    return id;
}

sim_value sim_write_value(sim_writer *w, sim_value_type type, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const uint32_t id = write_numbered(w, format, arguments);
    va_end(arguments);
    return (sim_value){.id = id, .type = (uint8_t)type};
}

void sim_write_line(sim_writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(w->out, format, arguments);
    va_end(arguments);
    text_put(w->out, "\n");
}

sim_value sim_value_constant(sim_value_type type, uint64_t bits) {
    return (sim_value){.type = (uint8_t)type, .bits = bits};
}

static char *next_operand(sim_writer *w) {
    return w->operands[w->operand++ % SIM_OPERAND_TEXTS];
}

/* All lanes alike, written out: 32 times at most 24 characters. */
static void spread_constant(char *out, const char *lane, uint64_t bits) {
    size_t at = 0;
    out[at++] = '<';
    for (unsigned l = 0; l < SIM_LANES; l++)
        at += (size_t)snprintf(out + at, SIM_OPERAND_TEXT - at, "%s%s %" PRIu64, l ? "," : "", lane, bits);
    out[at++] = '>';
    out[at] = 0;
}

const char *sim_operand(sim_writer *w, sim_value v) {
    static const char *const lanes[SIM_VALUE_TYPES] = {"i16", "i32", "i64", "float", "double", NULL};
    static const uint64_t masks[SIM_VALUE_TYPES] = {0xffff, UINT32_MAX, UINT64_MAX, 0, 0, UINT32_MAX};
    char *out = next_operand(w);
    const uint64_t bits = v.bits & masks[v.type];
    if (v.id)
        snprintf(out, SIM_OPERAND_TEXT, "%%v%u", v.id);
    else if (v.type == SIM_VALUE_MASK)
        snprintf(out, SIM_OPERAND_TEXT, "%d", (int)(int32_t)bits);
    else if (!bits)
        snprintf(out, SIM_OPERAND_TEXT, "zeroinitializer");
    else
        spread_constant(out, lanes[v.type], bits);
    return out;
}

const char *sim_pointer_type(sim_writer *w, const char *type) {
    char *out = next_operand(w);
    snprintf(out, SIM_OPERAND_TEXT, w->opaque ? "ptr" : "%s*", type);
    return out;
}

uint32_t sim_write_pointer(sim_writer *w, uint32_t address, const char *type) {
    return sim_write_id(w, "inttoptr i64 %%v%u to %s", address, sim_pointer_type(w, type));
}

uint32_t sim_write_sum(sim_writer *w, uint32_t base, int64_t offset) {
    return offset ? sim_write_id(w, "add i64 %%v%u, %" PRId64, base, offset) : base;
}

/* Vectors are loaded into registers of their own: LLVM (14 to 19 at least) folds the load of one operand of a guarded
 * logic operation of three into the instruction, vpternlog, and takes the operands in the wrong order. It leaves
 * volatile loads alone. */
uint32_t sim_write_load(sim_writer *w, uint32_t address, const char *type, unsigned alignment) {
    const uint32_t pointer = sim_write_pointer(w, address, type);
    return sim_write_id(w, "load %s%s, %s %%v%u, align %u", *type == '<' ? "volatile " : "", type,
                        sim_pointer_type(w, type), pointer, alignment);
}

uint32_t sim_write_native(sim_writer *w, size_t offset) {
    const uint32_t at = sim_write_id(w, "add i64 %%n, %zu", offset);
    return sim_write_load(w, at, "i64", 8);
}

void sim_write_count(sim_writer *w, uint32_t address, const char *addend) {
    const uint32_t pointer = sim_write_pointer(w, address, "i64");
    const uint32_t old = sim_write_id(w, "load i64, %s %%v%u, align 8", sim_pointer_type(w, "i64"), pointer);
    const uint32_t sum = sim_write_id(w, "add i64 %%v%u, %s", old, addend);
    sim_write_line(w, "  store i64 %%v%u, %s %%v%u, align 8", sum, sim_pointer_type(w, "i64"), pointer);
}

/* ---- the register file ---- */

static unsigned lane_alignment(uint8_t type) {
    return type == SIM_VALUE_MASK ? 4 : 64;
}

static uint32_t slot_address(sim_writer *w, uint32_t slot) {
    return sim_write_id(w, "add i64 %%regs, %u", slot);
}

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

/* The bits of floating-point lanes; every NaN becomes the one that hardware makes. */
static sim_value bits_of(sim_writer *w, sim_value v) {
    const sim_value bits = cast_bits(w, v, bits_type(v.type));
    if (!v.raw) return bits;
    const uint32_t is_nan = sim_write_id(w, "fcmp uno %s %%v%u, %%v%u", sim_value_types[v.type], v.id, v.id);
    const sim_value nan = sim_value_constant(bits.type, 0x7fffffff);
    return sim_write_value(w, bits.type, "select <32 x i1> %%v%u, %s %s, %s %s", is_nan, sim_value_types[bits.type],
                           sim_operand(w, nan), sim_value_types[bits.type], sim_operand(w, bits));
}

static sim_cached *find_cached(sim_writer *w, uint32_t slot) {
    const uint32_t at = w->cached_at[slot / 4];
    return at ? &w->cached[at - 1] : NULL;
}

static sim_cached *add_cached(sim_writer *w, uint32_t slot, sim_value value) {
    sim_cached item = {.slot = slot, .value = value};
    ARENA_PUSH(w->memory, w->cached, w->cached_count, w->cached_capacity, item);
    w->cached_at[slot / 4] = (uint32_t)w->cached_count;
    return &w->cached[w->cached_count - 1];
}

static sim_value cached_bits(sim_writer *w, sim_cached *c) {
    if (!is_floating(c->value.type)) return c->value;
    if (!c->as_bits.id) {
        const sim_value bits = bits_of(w, c->value);
        c->as_bits = bits;
    }
    return c->as_bits;
}

static void store_cached(sim_writer *w, sim_cached *c) {
    const sim_value bits = cached_bits(w, c);
    const char *type = sim_value_types[bits.type];
    const uint32_t pointer = sim_write_pointer(w, slot_address(w, c->slot), type);
    sim_write_line(w, "  store %s %s, %s %%v%u, align %u", type, sim_operand(w, bits), sim_pointer_type(w, type),
                   pointer, lane_alignment(bits.type));
    c->dirty = false;
}

/* Constants are known without the register file, which has them too. */
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
    static const uint8_t widths[SIM_VALUE_TYPES] = {2, 4, 8, 4, 8, 0};
    out->bits = c->bits;
    return c->slot == slot && c->bytes == widths[type];
}

bool sim_slot_is_constant(const sim_writer *w, uint32_t slot, sim_value_type type, sim_value *out) {
    const uint32_t at = w->cached_at[slot / 4];
    if (at) *out = w->cached[at - 1].value;
    return at ? out->id == 0 && out->type == type : constant_of(w, slot, (uint8_t)type, out);
}

static sim_value read_any(sim_writer *w, uint32_t slot, uint8_t type, bool may_be_raw) {
    sim_value constant;
    if (constant_of(w, slot, type, &constant)) return is_floating(type) ? cast_bits(w, constant, type) : constant;
    sim_cached *c = find_cached(w, slot);
    if (c && bits_type(c->value.type) != bits_type(type)) { /* another width: by way of the register file */
        if (c->dirty) store_cached(w, c);
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

/* The old value where the guard is off. */
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

/* ---- what is live ---- */

static void mark_live(sim_writer *w, const uint64_t *row, bool live) {
    for (size_t k = 0; k < w->live_words; k++)
        for (uint64_t left = row[k]; left; left &= left - 1)
            w->live_at[w->program->register_slots[k * 64 + (size_t)__builtin_ctzll(left)] / 4] = live;
}

void sim_write_back(sim_writer *w, uint32_t before, uint32_t after) {
    const uint64_t *first = w->live + (before - w->live_first) * w->live_words;
    const uint64_t *second = w->live + (after - w->live_first) * w->live_words;
    mark_live(w, first, true);
    mark_live(w, second, true);
    for (size_t i = 0; i < w->cached_count; i++) {
        sim_cached *c = &w->cached[i];
        const uint32_t at = c->slot / 4;
        if (c->dirty && w->cached_at[at] == i + 1 && (w->live_at[at] || !w->register_at[at])) store_cached(w, c);
    }
    mark_live(w, first, false);
    mark_live(w, second, false);
}

void sim_write_back_aside(sim_writer *w, uint32_t before) {
    sim_cached *const known = ARENA_ARRAY(w->memory, w->cached_count + 1, sim_cached);
    if (w->cached_count) memcpy(known, w->cached, w->cached_count * sizeof *known);
    sim_write_back(w, before, before);
    if (w->cached_count) memcpy(w->cached, known, w->cached_count * sizeof *known);
}

typedef struct live_scan {
    uint64_t *row;
    bool guarded, writes;
} live_scan;

static void scan_register(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    const uint64_t bit = UINT64_C(1) << reg % 64;
    if (writes != s->writes) return;
    if (!writes || s->guarded)
        s->row[reg / 64] |= bit;
    else
        s->row[reg / 64] &= ~bit;
}

/* From the block's end upwards. */
static void find_live(sim_writer *w, uint32_t block) {
    const ptx_liveness *live = w->blocks_live;
    const ptx_function *f = w->program->function;
    const ptx_block *b = &f->blocks[block];
    const size_t words = live->words;
    w->live_words = words;
    w->live_first = b->first;
    w->live = ARENA_ARRAY(w->memory, (b->end - b->first + 1) * words, uint64_t);
    memcpy(w->live + (b->end - b->first) * words, live->out + block * words, words * sizeof *w->live);
    for (uint32_t i = b->end; i-- > b->first;) {
        live_scan s = {.row = w->live + (i - b->first) * words, .guarded = f->instructions[i].guarded, .writes = true};
        memcpy(s.row, s.row + words, words * sizeof *s.row);
        ptx_visit_registers(&f->instructions[i], scan_register, &s);
        s.writes = false;
        ptx_visit_registers(&f->instructions[i], scan_register, &s);
    }
}

/* ---- ends ---- */

void sim_write_end(sim_writer *w, unsigned step, uint32_t pc) {
    const uint64_t word =
        pc | (uint64_t)step << SIM_SEGMENT_STEP_SHIFT | (uint64_t)w->executed << SIM_SEGMENT_OPS_SHIFT;
    sim_write_line(w, "  ret i64 %" PRIu64, word);
}

void sim_write_end_with(sim_writer *w, uint32_t step, uint32_t pc) {
    const uint64_t word = pc | (uint64_t)w->executed << SIM_SEGMENT_OPS_SHIFT;
    const uint32_t wide = sim_write_id(w, "zext i32 %%v%u to i64", step);
    const uint32_t shifted = sim_write_id(w, "shl i64 %%v%u, %d", wide, SIM_SEGMENT_STEP_SHIFT);
    const uint32_t whole = sim_write_id(w, "or i64 %%v%u, %" PRIu64, shifted, word);
    sim_write_line(w, "  ret i64 %%v%u", whole);
}

/* ---- operations ---- */

/* Operations that stand for no instruction come in front of the next one's. */
static bool stands_alone(const sim_op *op) {
    return op->run == sim_run_yield || op->run == sim_run_jump || op->run == sim_run_end || op->run == sim_run_past ||
           op->run == sim_run_finish_products;
}

/* The instruction that the operation at `pc` belongs to, or stands in front of. */
static uint32_t instruction_at(const sim_writer *w, uint32_t pc, uint32_t end_pc, uint32_t end) {
    const sim_op *ops = w->program->ops;
    while (pc < end_pc && stands_alone(&ops[pc])) pc++;
    return pc < end_pc ? ops[pc].instruction : end;
}

/* A warp may stop there, or lanes part: little would be gained by going on in the same segment. */
static bool ends_segment(const sim_op *op, const ptx_instruction *i) {
    if (op->run == sim_run_yield || op->run == sim_run_jump || op->run == sim_run_end) return true;
    if (stands_alone(op)) return false;
    switch (i->op) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX:
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_RED_POPC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_RED_POPC: return true;
    default: return false;
    }
}

static bool enters_block(const sim_op *op) {
    return op->run == sim_run_enter || op->run == sim_run_enter_join;
}

enum { MOST_OPS = 600 };

uint32_t sim_most_segments(const sim_program *p) {
    size_t most = p->function->block_count + p->op_count / MOST_OPS;
    for (size_t pc = 0; pc < p->op_count; pc++) {
        const sim_op *op = &p->ops[pc];
        most += !enters_block(op) && ends_segment(op, &p->function->instructions[op->instruction]);
    }
    return (uint32_t)most;
}

static bool is_part(const sim_writer *w) {
    return w->form == SIM_CODE_PART;
}

/* The lanes of the running path that the mask has: N; the mask itself for whole warps. */
static uint32_t lanes_in(sim_writer *w, uint32_t mask) {
    return is_part(w) ? sim_write_id(w, "and i32 %%v%u, %%v%u", mask, w->lanes) : mask;
}

static uint32_t active_lanes(sim_writer *w, const sim_op *op) {
    if (is_part(w) && op->guard == SIM_SLOT_TRUE) return w->lanes;
    const sim_value guard = sim_read_slot(w, op->guard, SIM_VALUE_MASK);
    return lanes_in(w, sim_write_id(w, "xor i32 %s, %d", sim_operand(w, guard), (int)(int32_t)op->guard_flip));
}

/* N of all lanes that run: an operand. */
static const char *all_lanes(sim_writer *w) {
    const sim_value part = {.id = w->lanes, .type = SIM_VALUE_MASK};
    return sim_operand(w, is_part(w) ? part : sim_value_constant(SIM_VALUE_MASK, SIM_ALL_LANES));
}

static uint32_t write_running_lanes(sim_writer *w) {
    const uint32_t warp = sim_write_native(w, offsetof(sim_native, warp));
    return sim_write_load(w, sim_write_sum(w, warp, offsetof(sim_warp, active)), "i32", 4);
}

/* Calls the operation's handler; N of its step. */
static uint32_t write_call(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t active) {
    const uint32_t warp = sim_write_native(w, offsetof(sim_native, warp));
    const uint32_t ops = sim_write_native(w, offsetof(sim_native, ops));
    const uint32_t at = sim_write_sum(w, ops, (int64_t)(pc * sizeof *op));
    const uint32_t run = sim_write_load(w, sim_write_sum(w, at, offsetof(sim_op, run)), "i64", 8);
    const uint32_t function = sim_write_pointer(w, run, "i32 (i64, i64, i32)");
    return sim_write_id(w, "call i32 %%v%u(i64 %%v%u, i64 %%v%u, i32 %%v%u)", function, warp, at, active);
}

/* Behind a handler: on, or out where it stopped, went elsewhere, or changed which lanes run. */
static void write_check(sim_writer *w, uint32_t step, uint32_t pc, uint32_t on) {
    const uint32_t lanes = write_running_lanes(w);
    const uint32_t missing = sim_write_id(w, "xor i32 %%v%u, %s", lanes, all_lanes(w));
    const uint32_t differs = sim_write_id(w, "or i32 %%v%u, %%v%u", missing, step);
    const uint32_t goes_on = sim_write_id(w, "icmp eq i32 %%v%u, 0", differs);
    const uint32_t out = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", goes_on, on, out);
    sim_write_line(w, "l%u:", out);
    sim_write_end_with(w, step, pc + 1);
}

/* Leaves the operation to its handler, in the middle of a segment. */
static void write_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction) {
    sim_close_cohorts(w);
    sim_write_back(w, instruction, instruction + (stands_alone(op) ? 0 : 1));
    const uint32_t on = ++w->labels, run = ++w->labels;
    const uint32_t active = active_lanes(w, op);
    w->executed++;
    if (op->guard != SIM_SLOT_TRUE) {
        const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", active);
        sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, on, run);
        sim_write_line(w, "l%u:", run);
    }
    sim_forget_all(w);
    const uint32_t step = write_call(w, op, pc, active);
    write_check(w, step, pc, on);
    sim_write_line(w, "l%u:", on);
}

/* ---- handlers that do nothing but read and write their instruction's registers: all else stays known ---- */

typedef struct touched {
    sim_writer *w;
    bool marks, written_only;
} touched;

static void mark_touched(void *context, uint32_t reg, bool writes) {
    const touched *t = context;
    if (writes || !t->written_only) t->w->live_at[t->w->program->register_slots[reg] / 4] = t->marks;
}

/* Calls `each` for what is known of the instruction's registers, or those that it writes, and of what no register has.
 */
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

static void write_pure_handler(sim_writer *w, const sim_op *op, uint32_t pc, const ptx_instruction *i) {
    const uint32_t on = ++w->labels;
    const uint32_t active = active_lanes(w, op);
    each_touched(w, i, false, store_dirty);
    w->executed++;
    if (op->guard != SIM_SLOT_TRUE) {
        const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", active), run = ++w->labels;
        sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, on, run);
        sim_write_line(w, "l%u:", run);
    }
    (void)write_call(w, op, pc, active);
    sim_write_line(w, "  br label %%l%u", on);
    sim_write_line(w, "l%u:", on);
    each_touched(w, i, true, forget_cached);
}

void sim_write_handler_call(sim_writer *w, const sim_op *op, uint32_t on) {
    const uint32_t step = write_call(w, op, w->pc, active_lanes(w, op));
    write_check(w, step, w->pc, on);
}

/* Leaves it to its handler, at the end of a segment. */
static void write_last_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction) {
    sim_close_cohorts(w);
    sim_write_back(w, instruction, instruction + (stands_alone(op) ? 0 : 1));
    const uint32_t active = active_lanes(w, op);
    w->executed++;
    if (op->guard != SIM_SLOT_TRUE) {
        const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", active);
        const uint32_t skip = ++w->labels, run = ++w->labels;
        sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, skip, run);
        sim_write_line(w, "l%u:", skip);
        sim_write_end(w, SIM_NEXT, pc + 1);
        sim_write_line(w, "l%u:", run);
    }
    sim_write_end_with(w, write_call(w, op, pc, active), pc + 1);
}

/* Goes to `target` from `pc`. Paths of a warp may take turns where they branch backwards. */
static void write_way(sim_writer *w, uint32_t pc, uint32_t target) {
    const unsigned step = is_part(w) && target <= pc ? SIM_SEGMENT_TURN : SIM_NEXT;
    sim_write_end(w, step, target);
}

/* Lanes that part are the interpreter's. */
static void write_branch(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t end) {
    sim_close_cohorts(w);
    const sim_value predicate = sim_read_slot(w, op->a, SIM_VALUE_MASK);
    const uint32_t set = sim_write_id(w, "xor i32 %s, %d", sim_operand(w, predicate), (int)(int32_t)op->imm);
    const uint32_t taken = lanes_in(w, set);
    const uint32_t yes = ++w->labels, some = ++w->labels, no = ++w->labels, both = ++w->labels;
    sim_write_back(w, end - 1, end);
    const uint32_t all = sim_write_id(w, "icmp eq i32 %%v%u, %s", taken, all_lanes(w));
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", all, yes, some);
    sim_write_line(w, "l%u:", some);
    const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", taken);
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, no, both);
    sim_write_line(w, "l%u:", both);
    sim_write_end(w, SIM_NEXT, pc);
    w->executed++;
    sim_write_line(w, "l%u:", yes);
    write_way(w, pc, op->target);
    sim_write_line(w, "l%u:", no);
    sim_write_end(w, SIM_NEXT, op->x);
}

static void write_count_at(sim_writer *w, size_t table, uint32_t index, const char *addend) {
    const uint32_t base = sim_write_native(w, table);
    sim_write_count(w, sim_write_sum(w, base, (int64_t)(index * sizeof(uint64_t))), addend);
}

/* How many lanes a mask has, as an operand. */
static const char *write_lane_count(sim_writer *w, uint32_t mask) {
    const uint32_t lanes = sim_write_id(w, "call i32 @llvm.ctpop.i32(i32 %%v%u)", mask);
    return sim_operand(w, (sim_value){.id = sim_write_id(w, "zext i32 %%v%u to i64", lanes), .type = SIM_VALUE_MASK});
}

static void write_enter(sim_writer *w, const sim_op *op) {
    write_count_at(w, offsetof(sim_native, block_runs), op->x, "1");
    write_count_at(w, offsetof(sim_native, block_threads), op->x, is_part(w) ? write_lane_count(w, w->lanes) : "32");
}

static void write_guarded_count(sim_writer *w, const sim_op *op) {
    const uint32_t active = active_lanes(w, op);
    const uint32_t any = sim_write_id(w, "icmp ne i32 %%v%u, 0", active);
    const sim_value ran = {.id = sim_write_id(w, "zext i1 %%v%u to i64", any), .type = SIM_VALUE_MASK};
    write_count_at(w, offsetof(sim_native, instruction_runs), op->instruction, sim_operand(w, ran));
    write_count_at(w, offsetof(sim_native, instruction_threads), op->instruction, write_lane_count(w, active));
}

/* Operations that only count, or do nothing while there are no checks. */
static bool write_bookkeeping(sim_writer *w, const sim_op *op) {
    if (enters_block(op))
        write_enter(w, op);
    else if (op->run == sim_run_count)
        write_guarded_count(w, op);
    else if (op->run != sim_run_past)
        return false;
    w->executed++;
    return true;
}

/* An operation across lanes that has them all, and so waits for nobody. */
static bool has_all_lanes(const sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value members;
    if (is_part(w) || op->guard != SIM_SLOT_TRUE || !sim_op_is_collective(i)) return false;
    return op->y == SIM_SLOT_TRUE ||
           (sim_slot_is_constant(w, op->y, SIM_VALUE_I32, &members) && (uint32_t)members.bits == SIM_ALL_LANES);
}

/* Whether an operation's handler does no more than its instruction says of registers. */
static bool is_pure(const sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (stands_alone(op) || op->run == sim_run_clock) return false;
    return sim_op_is_arithmetic(i) || has_all_lanes(w, op, i);
}

/* Not all forms need a handler; true if the operation was written. */
static bool write_known(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (stands_alone(op) || op->run == sim_run_clock) return false;
    const bool is_shared = op->form == SIM_FORM_SHARED_LOAD || op->form == SIM_FORM_SHARED_STORE;
    if (is_shared) return !is_part(w) && sim_write_shared(w, op);
    if (op->form == SIM_FORM_GLOBAL) return !is_part(w) && sim_write_global(w, op);
    w->guarded = is_part(w) || op->guard != SIM_SLOT_TRUE;
    if (w->guarded) w->guard = active_lanes(w, op);
    const bool known = has_all_lanes(w, op, i) ? sim_write_collective(w, op, i) : sim_write_op(w, op, i);
    w->guarded = false;
    w->executed += known;
    return known;
}

/* ---- segments ---- */

/* The operation that ends a segment which begins at `pc`; end_pc: the block's end does. */
static uint32_t find_end(const sim_writer *w, uint32_t pc, uint32_t end_pc) {
    const ptx_instruction *instructions = w->program->function->instructions;
    for (; pc < end_pc; pc++) {
        const sim_op *op = &w->program->ops[pc];
        if (!enters_block(op) && ends_segment(op, &instructions[op->instruction])) return pc;
    }
    return end_pc;
}

static sim_segment *begin_segment(sim_writer *w, uint32_t pc, uint32_t end_pc, sim_written *out) {
    sim_segment *s = ARENA_NEW(w->kept, sim_segment);
    s->pc = pc;
    s->block = w->block;
    ARENA_PUSH(w->memory, out->segments, out->count, out->capacity, s);
    w->segment = s;
    w->segment_end = find_end(w, pc, end_pc);
    w->executed = 0;
    memset(w->cohorts, 0, sizeof w->cohorts);
    sim_forget_all(w);
    sim_write_line(w, "define i64 @s%u(i64 %%n) #0 {", pc);
    const uint32_t regs = sim_write_native(w, offsetof(sim_native, regs));
    sim_write_line(w, "  %%regs = add i64 %%v%u, 0", regs);
    if (is_part(w)) w->lanes = write_running_lanes(w);
    return s;
}

static void end_segment(sim_writer *w, sim_segment *s) {
    s->ops = w->executed;
    sim_write_line(w, "}");
}

/* Writes the operation that ends a segment. */
static void write_last(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction, uint32_t end) {
    const bool jumps = op->form == SIM_FORM_JUMP || op->run == sim_run_jump;
    const bool yields = op->run == sim_run_yield && op->guard == SIM_SLOT_TRUE;
    if (op->form == SIM_FORM_BRANCH) {
        write_branch(w, op, pc, end);
        return;
    }
    if (!jumps && !yields) {
        write_last_handler(w, op, pc, instruction);
        return;
    }
    sim_close_cohorts(w);
    sim_write_back(w, yields ? instruction : end, yields ? instruction : end);
    w->executed++;
    if (yields)
        sim_write_end(w, SIM_YIELD, pc + 1);
    else if (op->run == sim_run_jump)
        sim_write_end(w, SIM_NEXT, op->target);
    else
        write_way(w, pc, op->target);
}

/* Writes operations from *pc on until one ends the segment. */
static void write_segment(sim_writer *w, uint32_t *pc, uint32_t end_pc, uint32_t end, sim_written *out) {
    const ptx_function *f = w->program->function;
    sim_segment *s = begin_segment(w, *pc, end_pc, out);
    while (*pc < end_pc) {
        const sim_op *op = &w->program->ops[*pc];
        const uint32_t at = *pc, instruction = instruction_at(w, at, end_pc, end);
        const ptx_instruction *i = instruction < end ? &f->instructions[instruction] : NULL;
        w->pc = at;
        if (w->executed >= MOST_OPS) break;
        ++*pc;
        if (write_bookkeeping(w, op)) continue;
        const bool last = ends_segment(op, i);
        if (last) {
            write_last(w, op, at, instruction, end);
            end_segment(w, s);
            return;
        }
        if (write_known(w, op, i)) continue;
        if (is_pure(w, op, i))
            write_pure_handler(w, op, at, i);
        else
            write_handler(w, op, at, instruction);
    }
    const uint32_t next = instruction_at(w, *pc, end_pc, end);
    sim_close_cohorts(w);
    sim_write_back(w, next, next);
    sim_write_end(w, SIM_NEXT, *pc);
    end_segment(w, s);
}

/* ---- a block ---- */

void sim_write_begin(sim_writer *w) {
    const sim_program *p = w->program;
    const size_t words = p->register_bytes / 4 + 1;
    w->cached_at = ARENA_ARRAY(w->memory, words, uint32_t);
    w->constant_at = ARENA_ARRAY(w->memory, words, const sim_constant_item *);
    w->register_at = ARENA_ARRAY(w->memory, words, bool);
    w->live_at = ARENA_ARRAY(w->memory, words, bool);
    for (size_t i = 0; i < p->constant_count; i++) w->constant_at[p->constants[i].slot / 4] = &p->constants[i];
    for (size_t r = 0; r < p->function->register_count; r++)
        if (p->register_slots[r] >= SIM_SLOTS_FIXED) w->register_at[p->register_slots[r] / 4] = true;
}

/* LLVM's functions of lanes: FUNCTION(result, name, parameters). */
#define OF_INTEGERS(FUNCTION, lanes, suffix)      \
    FUNCTION(lanes, "ctpop." suffix, lanes)       \
    FUNCTION(lanes, "ctlz." suffix, lanes ", i1") \
    FUNCTION(lanes, "bitreverse." suffix, lanes)
#define OF_FLOATS(FUNCTION, lanes, suffix)                      \
    FUNCTION(lanes, "fma." suffix, lanes ", " lanes ", " lanes) \
    FUNCTION(lanes, "sqrt." suffix, lanes)                      \
    FUNCTION(lanes, "rint." suffix, lanes)                      \
    FUNCTION(lanes, "trunc." suffix, lanes)                     \
    FUNCTION(lanes, "floor." suffix, lanes)                     \
    FUNCTION(lanes, "ceil." suffix, lanes)                      \
    FUNCTION("<32 x i32>", "fptosi.sat.v32i32." suffix, lanes)  \
    FUNCTION("<32 x i64>", "fptosi.sat.v32i64." suffix, lanes)  \
    FUNCTION("<32 x i32>", "fptoui.sat.v32i32." suffix, lanes)  \
    FUNCTION("<32 x i64>", "fptoui.sat.v32i64." suffix, lanes)
#define TERNARY_WORDS "<32 x i32>, <32 x i32>, <32 x i32>"
#define FUNCTIONS(FUNCTION)                                    \
    OF_INTEGERS(FUNCTION, "<32 x i32>", "v32i32")              \
    OF_INTEGERS(FUNCTION, "<32 x i64>", "v32i64")              \
    OF_FLOATS(FUNCTION, "<32 x float>", "v32f32")              \
    OF_FLOATS(FUNCTION, "<32 x double>", "v32f64")             \
    FUNCTION("<32 x i32>", "fshl.v32i32", TERNARY_WORDS)       \
    FUNCTION("<32 x i32>", "fshr.v32i32", TERNARY_WORDS)       \
    FUNCTION("i32", "ctpop.i32", "i32")                        \
    FUNCTION("i32", "vector.reduce.add.v32i32", "<32 x i32>")  \
    FUNCTION("i32", "vector.reduce.and.v32i32", "<32 x i32>")  \
    FUNCTION("i32", "vector.reduce.or.v32i32", "<32 x i32>")   \
    FUNCTION("i32", "vector.reduce.xor.v32i32", "<32 x i32>")  \
    FUNCTION("i32", "vector.reduce.smin.v32i32", "<32 x i32>") \
    FUNCTION("i32", "vector.reduce.smax.v32i32", "<32 x i32>") \
    FUNCTION("i32", "vector.reduce.umin.v32i32", "<32 x i32>") \
    FUNCTION("i32", "vector.reduce.umax.v32i32", "<32 x i32>")

static void declare_functions(sim_writer *w) {
#define DECLARATION(result, name, parameters) "declare " result " @llvm." name "(" parameters ")\n"
    text_put(w->out, FUNCTIONS(DECLARATION));
}

static void declare_gathers(sim_writer *w, unsigned bits) {
    char lane[8], kind[8] = "";
    snprintf(lane, sizeof lane, "i%u", bits);
    if (!w->opaque) snprintf(kind, sizeof kind, "i%u", bits);
    const char *pointer = sim_pointer_type(w, lane);
    sim_write_line(w, "declare <16 x %s> @llvm.masked.gather.v16%s.v16p0%s(<16 x %s>, i32, <16 x i1>, <16 x %s>)", lane,
                   lane, kind, pointer, lane);
    sim_write_line(w, "declare void @llvm.masked.scatter.v16%s.v16p0%s(<16 x %s>, <16 x %s>, i32, <16 x i1>)", lane,
                   kind, lane, pointer);
}

void sim_write_finish(sim_writer *w) {
    sim_write_mufu_functions(w);
    declare_functions(w);
    declare_gathers(w, 32);
    declare_gathers(w, 64);
    sim_write_line(w, "!0 = !{!\"branch_weights\", i32 2000, i32 1}");
    sim_write_line(w,
                   "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" }");
}

void sim_write_block(sim_writer *w, uint32_t block, sim_code_form form, const uint16_t *kinds, sim_written *out) {
    const sim_program *p = w->program;
    const ptx_function *f = p->function;
    const uint32_t end = f->blocks[block].end;
    const uint32_t end_pc = block + 1 < f->block_count ? p->block_ops[block + 1] : (uint32_t)p->op_count - 1;
    w->block = block;
    w->form = form;
    w->first_pc = p->block_ops[block];
    w->kinds = kinds;
    find_live(w, block);
    for (uint32_t pc = p->block_ops[block]; pc < end_pc;) write_segment(w, &pc, end_pc, end, out);
}
