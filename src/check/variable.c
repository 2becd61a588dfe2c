/* Accesses to shared memory that leave the variable from which their address was computed, and writes to constant
 * variables (check/origin.h). */
#include "base/mangled.h"
#include "check/internal.h"
#include "check/origin.h"

static void report_outside(sim_warp *w, const sim_suspect *s, const sim_origin *o) {
    size_t length;
    const char *name = mangled_name(o->variable->name, &length);
    const char *side = s->address < o->from ? "before" : "beyond";
    const uint64_t last = s->address + s->bytes;
    const uint64_t far = s->address < o->from ? o->from - s->address : last - o->to;
    sim_finding *f = sim_hazard_report(w, s);
    if (f)
        sim_hazard_say(f, "the address was computed from `%.*s` (%u bytes) and reaches %llu bytes %s it", (int)length,
                       name, o->to - o->from, (unsigned long long)far, side);
}

/* True if the furthest lane is inside. Has no branch per lane, since it runs for every access. */
static bool all_inside(const sim_origin *o, uint32_t active, const uint32_t address[SIM_LANES], uint32_t bytes) {
    uint32_t furthest = 0;
    if (active == SIM_ALL_LANES)
        for (unsigned l = 0; l < SIM_LANES; l++)
            furthest = address[l] - o->from > furthest ? address[l] - o->from : furthest;
    else
        for (uint32_t left = active; left; left &= left - 1) {
            const uint32_t offset = address[__builtin_ctz(left)] - o->from;
            furthest = offset > furthest ? offset : furthest;
        }
    return o->to - o->from >= bytes && furthest <= o->to - o->from - bytes;
}

/* Returns the lanes whose access leaves the variable. */
static uint32_t lanes_outside(const sim_origin *o, uint32_t active, const uint32_t address[SIM_LANES], uint32_t bytes) {
    uint32_t outside = 0;
    for (unsigned l = 0; l < SIM_LANES; l++)
        outside |= (uint32_t)(address[l] < o->from || address[l] + bytes > o->to) << l;
    return outside & active;
}

/* Atomics of one or two bytes are performed on the words that hold them. */
static sim_origin in_words(const sim_origin *o) {
    sim_origin words = *o;
    words.from &= ~3u;
    words.to = (o->to + 3) & ~3u;
    return words;
}

void sim_hazard_inside(sim_warp *w, uint32_t instruction, uint32_t active, const uint32_t address[SIM_LANES],
                       uint32_t bytes, haul_action action, bool is_strong) {
    const sim_origin *o = w->sm->grid->origins;
    if (!o || !o[instruction].variable || o[instruction].variable->space != PTX_SPACE_SHARED) return;
    if (all_inside(&o[instruction], active, address, bytes)) return;
    const sim_origin words = in_words(&o[instruction]);
    const bool by_words = is_strong && bytes <= 4;
    const uint32_t outside = lanes_outside(by_words ? &words : &o[instruction], active, address, bytes);
    if (!outside) return;
    const unsigned lane = (unsigned)__builtin_ctz(outside);
    const sim_suspect s = {.kind = HAUL_FINDING_OUT_OF_BOUNDS,
                           .action = action,
                           .instruction = instruction,
                           .lanes = outside,
                           .thread = SIM_NO_THREAD,
                           .space = HAUL_SPACE_SHARED,
                           .address = address[lane],
                           .bytes = bytes};
    report_outside(w, &s, &o[instruction]);
}

void sim_hazard_constant(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address, haul_action action) {
    const sim_origin *o = w->sm->grid->origins;
    const ptx_variable *v = o ? o[op->instruction].variable : NULL;
    if (!v || v->space != PTX_SPACE_CONST) return;
    const sim_suspect s = {.kind = HAUL_FINDING_ILLEGAL_ACCESS,
                           .action = action,
                           .instruction = op->instruction,
                           .lanes = active,
                           .thread = SIM_NO_THREAD,
                           .space = HAUL_SPACE_GLOBAL,
                           .address = address,
                           .bytes = op->bytes};
    size_t length;
    const char *name = mangled_name(v->name, &length);
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, "`%.*s` is constant memory, which only the host may change: loads need not see this",
                       (int)length, name);
}
