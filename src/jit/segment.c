/* Writing segments and blocks: which operations compiled code does itself, in which order, and how a segment ends. */
#include "jit/compiled.h"
#include "jit/ops.h"
#include "lower/internal.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Returns the instruction that the operation at `pc` belongs to or precedes. */
static uint32_t instruction_at(const sim_writer *w, uint32_t pc, uint32_t end_pc, uint32_t end) {
    const sim_op *ops = w->program->ops;
    while (pc < end_pc && sim_stands_alone(&ops[pc])) pc++;
    return pc < end_pc ? ops[pc].instruction : end;
}

/* True if a warp may stop there or lanes may diverge: little would be gained by continuing in the same segment. Atomics
 * whose result is used wait for the serial phase, after which the warp goes on behind them. */
static bool ends_segment(const sim_op *op, const ptx_instruction *i) {
    if (op->form == SIM_FORM_YIELD || op->form == SIM_FORM_GO_ON || op->form == SIM_FORM_END) return true;
    if (sim_stands_alone(op)) return false;
    return ptx_has(i->op, PTX_TRAIT_STOPS) || op->memory_class == HAUL_CLASS_GLOBAL_ATOMIC;
}

enum { MOST_OPS = 600 };

uint32_t sim_most_segments(const sim_program *p) {
    size_t most = p->function->block_count + p->op_count / MOST_OPS;
    for (size_t pc = 0; pc < p->op_count; pc++) {
        const sim_op *op = &p->ops[pc];
        most += !sim_enters_block(op) && ends_segment(op, &p->function->instructions[op->instruction]);
    }
    return (uint32_t)most;
}

/* Writes a jump from `pc` to `target`. Paths of a warp may take turns at backward branches. */
static void write_jump(sim_writer *w, uint32_t pc, uint32_t target) {
    const unsigned step = target <= pc ? SIM_SEGMENT_TURN : SIM_NEXT;
    sim_write_end(w, step, target);
}

static void write_count_at(sim_writer *w, size_t table, uint32_t index, const char *addend) {
    const uint32_t base = sim_write_native(w, table);
    sim_write_count(w, sim_write_sum(w, base, (int64_t)(index * sizeof(uint64_t))), addend);
}

/* Returns the number of lanes in a mask, as an operand. */
static const char *write_lane_count(sim_writer *w, uint32_t mask) {
    const uint32_t lanes = sim_write_id(w, "call i32 @llvm.ctpop.i32(i32 %%v%u)", mask);
    return sim_operand(w, (sim_value){.id = sim_write_id(w, "zext i32 %%v%u to i64", lanes), .type = SIM_VALUE_MASK});
}

/* Counts an execution of the block. */
static void write_enter(sim_writer *w, const sim_op *op) {
    if (sim_counts(w) || !sim_is_part(w)) write_count_at(w, offsetof(sim_native, block_runs), op->x, "1");
    if (!sim_counts(w)) return;
    write_count_at(w, offsetof(sim_native, block_threads), op->x,
                   sim_is_part(w) ? write_lane_count(w, w->lanes) : "32");
}

/* Counts an execution of a guarded instruction. */
static void write_guarded_count(sim_writer *w, const sim_op *op) {
    const uint32_t active = sim_write_active(w, op);
    const uint32_t any = sim_write_id(w, "icmp ne i32 %%v%u, 0", active);
    const sim_value ran = {.id = sim_write_id(w, "zext i1 %%v%u to i64", any), .type = SIM_VALUE_MASK};
    write_count_at(w, offsetof(sim_native, instruction_runs), op->instruction, sim_operand(w, ran));
    write_count_at(w, offsetof(sim_native, instruction_threads), op->instruction, write_lane_count(w, active));
}

/* Writes operations that only count, or that do nothing without checks. */
static bool write_bookkeeping(sim_writer *w, const sim_op *op) {
    if (sim_enters_block(op))
        write_enter(w, op);
    else if (op->form == SIM_FORM_COUNT && sim_counts(w))
        write_guarded_count(w, op);
    else if (op->form != SIM_FORM_COUNT && (op->form != SIM_FORM_PAST || sim_checks(w)))
        return false;
    w->executed++;
    return true;
}

/* True for an operation across lanes in which all lanes take part, so that it waits for none. */
static bool has_all_lanes(const sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value members;
    if (sim_is_part(w) || op->guard != SIM_SLOT_TRUE || !ptx_is(i->op, PTX_KIND_COLLECTIVE)) return false;
    return op->y == SIM_SLOT_TRUE ||
           (sim_slot_is_constant(w, op->y, SIM_VALUE_I32, &members) && (uint32_t)members.bits == SIM_ALL_LANES);
}

/* True if the operation's handler only reads and writes its instruction's registers. */
static bool is_pure(const sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (sim_stands_alone(op) || op->form == SIM_FORM_CLOCK) return false;
    return ptx_is(i->op, PTX_KIND_ARITHMETIC) || has_all_lanes(w, op, i);
}

/* Writes the operation if it needs no handler. Returns true if it did. */
static bool write_known(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (sim_stands_alone(op) || op->form == SIM_FORM_CLOCK) return false;
    const bool is_shared = op->form == SIM_FORM_SHARED_LOAD || op->form == SIM_FORM_SHARED_STORE;
    if (is_shared && !w->skipped) return !sim_is_part(w) && sim_write_shared(w, op);
    if (op->form == SIM_FORM_GLOBAL) return !sim_is_part(w) && sim_write_global(w, op);
    w->guarded = sim_is_part(w) || op->guard != SIM_SLOT_TRUE;
    if (w->guarded) w->guard = sim_write_active(w, op);
    if (is_shared) {
        const bool is_written = sim_write_shared(w, op);
        w->guarded = false;
        return is_written;
    }
    const bool known = has_all_lanes(w, op, i) ? sim_write_collective(w, op, i) : sim_write_op(w, op, i);
    w->guarded = false;
    w->executed += known;
    return known;
}

/* ---- blocks that some lanes skip ---- */

enum { MOST_SKIPPED = 24 };

/* True if the branch skips the block behind it, whose lanes then meet the others. */
static bool skips_block(const sim_writer *w, const sim_op *op) {
    const sim_program *p = w->program;
    const sim_op *first = &p->ops[op->x];
    if (op->count || op->y != op->target || op->target <= op->x || op->target - op->x > MOST_SKIPPED) return false;
    if (first->form != SIM_FORM_ENTER || p->ops[op->target].form != SIM_FORM_ENTER_JOIN) return false;
    return p->block_ops[first->x] == op->x && p->block_ops[first->x + 1] == op->target;
}

/* Writes the block's operations for the lanes that do not skip it. Returns false if one of them needs a handler. */
static bool write_lanes_of_block(sim_writer *w, const sim_op *op) {
    const sim_program *p = w->program;
    for (uint32_t at = op->x; at < op->target; at++) {
        const sim_op *own = &p->ops[at];
        const ptx_instruction *i = &p->function->instructions[own->instruction];
        w->pc = at;
        if (write_bookkeeping(w, own)) continue;
        if (ends_segment(own, i) || !write_known(w, own, i)) return false;
    }
    return true;
}

/* Where lanes disagree at a branch around a short block, writes the block under a mask, as long as nothing counts its
 * accesses. The interpreter would run it as a path of its own, first of all, and then let the lanes meet, which is an
 * operation more. Returns false, and writes nothing, if it has to. */
static bool write_skipped(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t taken) {
    const size_t length = w->out->length, cohorts = w->segment->cohort_count;
    const uint32_t executed = w->executed, end = w->segment_end;
    if (sim_is_part(w) || sim_counts(w) || !skips_block(w, op)) return false;
    const uint32_t block = w->program->ops[op->x].x, last = w->program->function->blocks[block].end;
    w->skipped = true;
    w->stored = false;
    w->branch_pc = pc;
    w->before_branch = executed;
    w->segment_end = op->target;
    w->lanes = sim_write_id(w, "xor i32 %%v%u, -1", taken);
    w->executed++;
    const bool known = write_lanes_of_block(w, op);
    w->skipped = false;
    sim_close_cohorts(w);
    if (known) {
        sim_find_live(w, block);
        sim_write_back(w, last, last);
        const uint32_t meet = sim_write_pointer(w, sim_write_native(w, offsetof(sim_native, meet)), "void (i64)");
        sim_write_line(w, "  call void %%v%u(i64 %%n)", meet);
        w->executed++;
        sim_write_end(w, SIM_NEXT, op->target);
        w->most = w->executed;
    } else {
        w->out->length = length;
        w->segment->cohort_count = cohorts;
    }
    w->executed = executed;
    w->segment_end = end;
    return known;
}

/* If lanes diverge, the interpreter takes over, unless those that do not take the branch can run a short block here. */
static void write_branch(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t end) {
    sim_close_cohorts(w);
    const sim_value predicate = sim_read_slot(w, op->a, SIM_VALUE_MASK);
    const uint32_t set = sim_write_id(w, "xor i32 %s, %d", sim_operand(w, predicate), (int)(int32_t)op->imm);
    const uint32_t taken = sim_write_lanes_in(w, set);
    const uint32_t yes = ++w->labels, some = ++w->labels, no = ++w->labels, both = ++w->labels;
    sim_write_back(w, end - 1, end);
    const uint32_t all = sim_write_id(w, "icmp eq i32 %%v%u, %s", taken, sim_write_all_lanes(w));
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", all, yes, some);
    sim_write_line(w, "l%u:", some);
    const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", taken);
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, no, both);
    sim_write_line(w, "l%u:", both);
    if (!write_skipped(w, op, pc, taken)) sim_write_end(w, SIM_NEXT, pc);
    w->executed++;
    sim_write_line(w, "l%u:", yes);
    write_jump(w, pc, op->target);
    sim_write_line(w, "l%u:", no);
    sim_write_end(w, SIM_NEXT, op->x);
}

/* ---- segments ---- */

/* Returns the operation that ends a segment beginning at `pc`; end_pc if that is the end of the block. */
static uint32_t find_end(const sim_writer *w, uint32_t pc, uint32_t end_pc) {
    const ptx_instruction *instructions = w->program->function->instructions;
    for (; pc < end_pc; pc++) {
        const sim_op *op = &w->program->ops[pc];
        if (!sim_enters_block(op) && ends_segment(op, &instructions[op->instruction])) return pc;
    }
    return end_pc;
}

static sim_segment *begin_segment(sim_writer *w, uint32_t pc, uint32_t end_pc, sim_written *out) {
    sim_segment *s = ARENA_NEW(w->lasting, sim_segment);
    s->pc = pc;
    s->block = w->block;
    s->form = w->form;
    ARENA_PUSH(w->memory, out->segments, out->count, out->capacity, s);
    w->segment = s;
    w->segment_end = find_end(w, pc, end_pc);
    w->executed = w->most = 0;
    memset(w->cohorts, 0, sizeof w->cohorts);
    sim_forget_all(w);
    sim_write_line(w, "define i64 @s%u(i64 %%n) #0 {", pc);
    const uint32_t regs = sim_write_native(w, offsetof(sim_native, regs));
    sim_write_line(w, "  %%regs = add i64 %%v%u, 0", regs);
    if (sim_is_part(w)) w->lanes = sim_write_running(w);
    return s;
}

static void end_segment(sim_writer *w, sim_segment *s) {
    s->ops = w->executed > w->most ? w->executed : w->most;
    sim_write_line(w, "}");
}

/* Writes the operation that ends a segment. */
static void write_last(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction, uint32_t end) {
    const bool jumps = op->form == SIM_FORM_JUMP || op->form == SIM_FORM_GO_ON;
    const bool yields = op->form == SIM_FORM_YIELD && op->guard == SIM_SLOT_TRUE;
    if (op->form == SIM_FORM_BRANCH) {
        write_branch(w, op, pc, end);
        return;
    }
    if (!jumps && !yields) {
        sim_write_last_handler(w, op, pc, instruction);
        return;
    }
    sim_close_cohorts(w);
    sim_write_back(w, yields ? instruction : end, yields ? instruction : end);
    w->executed++;
    if (yields)
        sim_write_end(w, SIM_YIELD, pc + 1);
    else if (op->form == SIM_FORM_GO_ON)
        sim_write_end(w, SIM_NEXT, op->target);
    else
        write_jump(w, pc, op->target);
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
            sim_write_pure_handler(w, op, at, i);
        else
            sim_write_handler(w, op, at, instruction);
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

/* LLVM's functions on lanes: FUNCTION(result, name, parameters). */
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

/* Functions of the host's own instructions. */
static void declare_avx512(sim_writer *w) {
    text_put(w->out,
             "declare <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32>, <16 x i32>, <16 x i32>)\n"
             "declare <32 x i16> @llvm.x86.avx512.pmaddubs.w.512(<64 x i8>, <64 x i8>)\n"
             "declare <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16>, <32 x i16>)\n"
             "declare <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float>, <16 x float>, <16 x float>, i32)\n"
             "declare <16 x float> @llvm.x86.avx512.add.ps.512(<16 x float>, <16 x float>, i32)\n"
             "declare <16 x float> @llvm.x86.avx512.sub.ps.512(<16 x float>, <16 x float>, i32)\n"
             "declare <16 x float> @llvm.x86.avx512.mul.ps.512(<16 x float>, <16 x float>, i32)\n");
}

static void declare_gathers(sim_writer *w, unsigned bits) {
    char lane[8], kind[8] = "", lanes[24];
    snprintf(lane, sizeof lane, "i%u", bits);
    if (!w->opaque) snprintf(kind, sizeof kind, "i%u", bits);
    const char *pointer = sim_pointer_type(w, lane);
    sim_write_line(w, "declare <16 x %s> @llvm.masked.gather.v16%s.v16p0%s(<16 x %s>, i32, <16 x i1>, <16 x %s>)", lane,
                   lane, kind, pointer, lane);
    sim_write_line(w, "declare void @llvm.masked.scatter.v16%s.v16p0%s(<16 x %s>, <16 x %s>, i32, <16 x i1>)", lane,
                   kind, lane, pointer);
    snprintf(lanes, sizeof lanes, "<16 x %s>", lane);
    sim_write_line(w, "declare void @llvm.masked.store.v16%s.p0%s%s(%s, %s, i32, <16 x i1>)", lane,
                   w->opaque ? "" : "v16", kind, lanes, sim_pointer_type(w, lanes));
}

void sim_write_finish(sim_writer *w) {
    sim_write_mufu_functions(w);
    declare_functions(w);
    declare_gathers(w, 32);
    declare_gathers(w, 64);
    sim_write_line(w, "declare void @llvm.prefetch.p0%s(%s, i32, i32, i32)", w->opaque ? "" : "i8",
                   sim_pointer_type(w, "i8"));
    if (w->has_avx512) declare_avx512(w);
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
    sim_find_live(w, block);
    for (uint32_t pc = p->block_ops[block]; pc < end_pc;) write_segment(w, &pc, end_pc, end, out);
}
