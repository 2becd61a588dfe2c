/* Background products: registers that are used before the warp has waited for them, and what a wait orders. */
#include "base/memory.h"
#include "check/internal.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"

typedef struct touch {
    const sim_product_queue *products;
    const sim_warp *warp;
    const uint8_t *held; /* by register: SIM_HELD_* */
    bool sets;           /* a mov of a constant: it sets a sum before the product runs (lower/) */
    uint32_t reg;
    bool writes, found;
    uint32_t product; /* the instruction that reads or writes the register */
} touch;

/* Sums may not be read or written, factors may not be written. */
static void compare(void *context, uint32_t reg, bool writes) {
    touch *t = context;
    if (reg == t->reg && (writes || t->writes)) t->found = true;
}

/* Looks for a product in flight that uses the register. */
static void find_product(void *context, uint32_t reg, bool writes) {
    touch *t = context;
    const bool of_sum = t->held[reg] & SIM_HELD_SUM && !t->sets;
    if (!of_sum && !(writes && t->held[reg] & SIM_HELD_FACTOR)) return;
    for (size_t n = 0; n < t->products->count && !t->found; n++) {
        t->reg = reg, t->writes = writes;
        t->product = t->products->items[n].op->instruction;
        ptx_visit_held_registers(sim_instruction_of(t->warp, t->product), compare, t);
    }
}

/* True for instructions that may use such registers: products that add to the same sums, and copies between registers,
 * which the assembler removes. */
static bool may_touch(const ptx_instruction *i) {
    if (i->op != PTX_OP_MOV) return ptx_is_warpgroup_product(i);
    return i->operands[0].kind == PTX_REGISTER && i->operands[1].kind == PTX_REGISTER;
}

static bool sets_register(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && i->operands[0].kind == PTX_REGISTER && i->operands[1].kind != PTX_VECTOR;
}

void sim_hazard_products_step(sim_warp *w, const sim_op *op, uint32_t active) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    touch t = {.products = sim_products_of(w), .warp = w, .held = w->sm->grid->program->held, .sets = sets_register(i)};
    if (!t.products->count || !t.held || may_touch(i)) return;
    ptx_visit_registers(i, find_product, &t);
    if (!t.found) return;
    const sim_suspect s = {.kind = HAUL_FINDING_MATRIX_BEFORE_WAIT,
                           .action = t.writes ? HAUL_ACTION_WRITE : HAUL_ACTION_READ,
                           .other_action = HAUL_ACTION_ASYNC_WRITE,
                           .instruction = op->instruction,
                           .other_instruction = t.product,
                           .lanes = active,
                           .thread = sim_actor(w) * SIM_LANES + (unsigned)__builtin_ctz(active)};
    sim_finding *f = sim_hazard_report(w, &s);
    const bool loads = sim_instruction_of(w, t.product)->op == PTX_OP_TMEM_LD;
    if (f)
        sim_hazard_say(f, "register %s belongs to a %s has covered",
                       w->sm->grid->program->function->registers[t.reg].name,
                       loads ? "tcgen05.ld that no tcgen05.wait::ld" : "wgmma.mma_async that no wgmma.wait_group");
}

/* ---- waits ---- */

static uint32_t place_in_warpgroup(const sim_domain *d, uint32_t actor) {
    return actor % d->warps % SIM_WARPGROUP;
}

uint32_t sim_hazard_products_made(const sim_warp *w) {
    return sim_domain_of(w->block)->now;
}

/* All lanes of the warp learn what the warpgroup did until then. That is more than the ISA promises: it speaks of the
 * product's own accesses only. */
void sim_hazard_products_waited(sim_warp *w, uint32_t made) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t self = sim_actor(w), first = self - place_in_warpgroup(d, self);
    for (uint32_t i = 0; i < d->views[self].count; i++) {
        sim_view *v = sim_view_at(&d->views[self], i);
        for (uint32_t n = 0; n < SIM_WARPGROUP; n++) sim_known_add(&v->order[first + n], (sim_known){.all = made});
        v->products = made;
        sim_view_refresh(d, v);
    }
    d->now++;
}

bool sim_has_yet_to_wait(const sim_visit *k, uint32_t instruction) {
    const sim_product_queue *q = sim_products_of(k->w);
    for (size_t i = 0; i < q->count; i++)
        if (q->items[i].op->instruction == instruction) return true;
    return false;
}

/* Every later meeting of the two warps tells more than the wait did. */
bool sim_relies_on_own_wait(const sim_visit *k, uint32_t actor, const sim_read *r) {
    const uint32_t place = place_in_warpgroup(k->d, actor);
    if (!k->d->has_steps || actor == k->actor) return false;
    if (actor - place != k->actor - place_in_warpgroup(k->d, k->actor)) return false;
    if (!ptx_is_warpgroup_product(sim_instruction_of(k->w, r->instruction))) return false;
    const sim_known *known = &k->v->order[actor];
    const uint32_t told = k->v->products;
    return told >= r->time && known->all == told && !(known->lanes && known->some > told);
}
