/* Calls of operations' handlers from compiled code: with which lanes, and what follows.
 *
 * A handler is the interpreter's function for an operation. It works on the register file, so values that are only
 * known in the writer are written back before the call and forgotten after it. The segment goes on if the handler says
 * so and the warp's lanes are the same; otherwise it returns, and the interpreter decides what comes next. */
#include "jit/write.h"
#include "lower/internal.h"
#include "state/block.h"

bool sim_stands_alone(const sim_op *op) {
    return sim_is_between(op) && !sim_enters_block(op) && op->form != SIM_FORM_COUNT && op->form != SIM_FORM_CLOCK;
}

uint32_t sim_write_lanes_in(sim_writer *w, uint32_t mask) {
    return sim_is_part(w) ? sim_write_id(w, "and i32 %%v%u, %%v%u", mask, w->lanes) : mask;
}

uint32_t sim_write_active(sim_writer *w, const sim_op *op) {
    if (sim_is_part(w) && op->guard == SIM_SLOT_TRUE) return w->lanes;
    const sim_value guard = sim_read_slot(w, op->guard, SIM_VALUE_MASK);
    return sim_write_lanes_in(w,
                              sim_write_id(w, "xor i32 %s, %d", sim_operand(w, guard), (int)(int32_t)op->guard_flip));
}

const char *sim_write_all_lanes(sim_writer *w) {
    const sim_value part = {.id = w->lanes, .type = SIM_VALUE_MASK};
    return sim_operand(w, sim_is_part(w) ? part : sim_value_constant(SIM_VALUE_MASK, SIM_ALL_LANES));
}

uint32_t sim_write_running(sim_writer *w) {
    const uint32_t warp = sim_write_native(w, offsetof(sim_native, warp));
    return sim_write_load(w, sim_write_sum(w, warp, offsetof(sim_warp, active)), "i32", 4);
}

/* Calls the operation's handler. Returns N of its step. */
static uint32_t write_call(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t active) {
    const uint32_t warp = sim_write_native(w, offsetof(sim_native, warp));
    const uint32_t ops = sim_write_native(w, offsetof(sim_native, ops));
    const uint32_t at = sim_write_sum(w, ops, (int64_t)(pc * sizeof *op));
    const uint32_t run = sim_write_load(w, sim_write_sum(w, at, offsetof(sim_op, run)), "i64", 8);
    const uint32_t function = sim_write_pointer(w, run, "i32 (i64, i64, i32)");
    return sim_write_id(w, "call i32 %%v%u(i64 %%v%u, i64 %%v%u, i32 %%v%u)", function, warp, at, active);
}

uint32_t sim_write_tainted(sim_writer *w) {
    const uint32_t warp = sim_write_native(w, offsetof(sim_native, warp));
    const uint32_t is = sim_write_load(w, sim_write_sum(w, warp, offsetof(sim_warp, tainted)), "i8", 1);
    return sim_write_id(w, "zext i8 %%v%u to i32", is);
}

/* After a handler: continues at `on`, or leaves the segment if the handler stopped, jumped, changed the running lanes,
 * or tainted a register. */
static void write_check(sim_writer *w, uint32_t step, uint32_t pc, uint32_t on) {
    const uint32_t lanes = sim_write_running(w);
    const uint32_t missing = sim_write_id(w, "xor i32 %%v%u, %s", lanes, sim_write_all_lanes(w));
    uint32_t differs = sim_write_id(w, "or i32 %%v%u, %%v%u", missing, step);
    if (sim_checks(w)) differs = sim_write_id(w, "or i32 %%v%u, %%v%u", differs, sim_write_tainted(w));
    const uint32_t goes_on = sim_write_id(w, "icmp eq i32 %%v%u, 0", differs);
    const uint32_t out = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", goes_on, on, out);
    sim_write_line(w, "l%u:", out);
    sim_write_partial_counts(w);
    sim_write_end_with(w, step, pc + 1);
}

/* Skips the call if no lane's guard is true. */
void sim_write_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction) {
    sim_close_cohorts(w);
    sim_write_back(w, instruction, instruction + (sim_stands_alone(op) ? 0 : 1));
    const uint32_t on = ++w->labels, run = ++w->labels;
    const uint32_t active = sim_write_active(w, op);
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

/* A pure handler changes nothing but its results, so only its own registers are written back and forgotten. */
void sim_write_pure_handler(sim_writer *w, const sim_op *op, uint32_t pc, const ptx_instruction *i) {
    const uint32_t on = ++w->labels;
    const uint32_t active = sim_write_active(w, op);
    sim_write_back_touched(w, i);
    w->executed++;
    if (op->guard != SIM_SLOT_TRUE) {
        const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", active), run = ++w->labels;
        sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", none, on, run);
        sim_write_line(w, "l%u:", run);
    }
    (void)write_call(w, op, pc, active);
    sim_write_line(w, "  br label %%l%u", on);
    sim_write_line(w, "l%u:", on);
    sim_forget_written(w, i);
}

void sim_write_handler_call(sim_writer *w, const sim_op *op, uint32_t on) {
    const uint32_t step = write_call(w, op, w->pc, sim_write_active(w, op));
    write_check(w, step, w->pc, on);
}

/* Ends the segment with the handler's step. */
void sim_write_last_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction) {
    sim_close_cohorts(w);
    sim_write_back(w, instruction, instruction + (sim_stands_alone(op) ? 0 : 1));
    const uint32_t active = sim_write_active(w, op);
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
