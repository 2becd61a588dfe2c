/* Proxies: the copy engine sees ordinary accesses only after a proxy fence. Views record what threads know of each
 * other's fences: a vector for shared memory and, if a kernel has both such fences and copies that use it, one for
 * global memory. */
#include "assembler/engine.h"
#include "check/internal.h"
#include "ptx/traits.h"
#include "state/block.h"
#include "state/program.h"

#include <string.h>

/* ---- which vectors a kernel needs ---- */

static bool fences_global(const ptx_instruction *i) {
    const unsigned proxy = i->mods[PTX_SLOT_PROXY];
    return i->op == PTX_OP_FENCE_PROXY && (proxy == PTX_MOD_PROXY_ASYNC || proxy == PTX_MOD_PROXY_ASYNC_GLOBAL);
}

/* Products and copies of tensor memory read shared memory as the copy engine does. */
static bool reads_by_descriptor(const ptx_instruction *i) {
    const ptx_kind kind = ptx_kind_of(i->op);
    return kind == PTX_KIND_WARPGROUP_PRODUCT || kind == PTX_KIND_TENSOR_PRODUCT || kind == PTX_KIND_TENSOR_MEMORY;
}

sim_proxy_need sim_proxies_needed(const sim_program *p) {
    bool fences = false, reaches = false, engine = false;
    for (size_t i = 0; i < p->function->instruction_count; i++) {
        const ptx_instruction *at = &p->function->instructions[i];
        const sim_engine_use use = sim_engine_use_of(at);
        fences |= fences_global(at);
        reaches |= use == SIM_ENGINE_LOADS || use == SIM_ENGINE_STORES;
        engine |= use != SIM_ENGINE_NONE || reads_by_descriptor(at);
    }
    return (sim_proxy_need){.spaces = !engine ? 0 : fences && reaches ? 2 : 1, .engine = engine};
}

void sim_proxies_join(const sim_domain *d, sim_known *to, const sim_known *from) {
    for (uint32_t p = 0; p < d->proxies; p++) {
        const size_t at = p * sim_domain_capacity(d);
        sim_known_join(to + at, from + at, d->used);
    }
}

/* ---- fences ---- */

/* All that the view knows has now passed a fence of this proxy. */
static void pass_fence(sim_domain *d, uint32_t actor, const sim_view *v, uint32_t proxy) {
    if (proxy >= d->proxies) return;
    sim_known *known = v->proxy + proxy * sim_domain_capacity(d);
    sim_known_join(known, v->order, d->used);
    sim_known_add(&known[actor], (sim_known){.some = d->now, .lanes = v->lanes});
}

void sim_hazard_proxy_fence(sim_warp *w, uint32_t active, bool shared, bool global) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    sim_views *v = &d->views[actor];
    bool may_know = d->has_looked; /* of other clusters' writes */
    for (uint32_t i = 0, count = v->count; i < count; i++) {
        if (!(sim_view_at(v, i)->lanes & active)) continue;
        sim_view *mine = sim_view_split(d, actor, sim_view_at(v, i), active);
        if (!mine) return;
        may_know |= mine->floor.all || mine->floor.reads || mine->floor.told;
        if (shared) pass_fence(d, actor, mine, 0);
        if (global) pass_fence(d, actor, mine, 1);
    }
    if (global) {
        sim_watch_note_fence(w->sm->hazards->watch, d->cluster_index, d->now);
        d->has_fenced |= may_know;
    }
    d->now++;
}

/* ---- mbarriers that copies complete on ---- */

void sim_hazard_mbarrier_fence(sim_warp *w, uint32_t active) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    for (uint32_t i = 0; i < d->mbarrier_count; i++) {
        sim_watched_mbarrier *m = &d->mbarriers[i];
        if (m->thread / SIM_LANES == actor && active >> m->thread % SIM_LANES & 1) m->fenced = true;
    }
}

/* True if the instruction is in cuda::memcpy_async(). It uses barriers as init() leaves them, without a fence; that is
 * not the user's fault. */
static bool is_of_library(const sim_program *p, uint32_t instruction) {
    const ptx_module *m = p->module;
    uint32_t at = p->function->instructions[instruction].place;
    for (; at; at = m->places[at - 1].inlined_at) {
        const uint32_t file = m->places[at - 1].file;
        const char *name = file < m->file_count ? m->files[file] : NULL;
        if (name && strstr(name, "cuda/__memcpy_async/")) return true;
    }
    return false;
}

/* Within one block this is advice: NVIDIA says that the memory model has come to allow it, for all GPUs and compilers
 * (NVIDIA/cccl#5102). */
void sim_proxy_check_mbarrier(sim_warp *w, unsigned lane, const sim_watched_mbarrier *m, const sim_block *b,
                              const sim_bulk *bulk) {
    if (m->life != SIM_MBARRIER_LIVE || m->fenced || m->block != b || m->address != bulk->barrier) return;
    if (is_of_library(w->sm->grid->program, bulk->instruction)) return;
    const sim_view *v = sim_view_of(sim_domain_of(w->block), sim_actor(w), lane);
    if (sim_knows_thread(v->proxy, m->thread, m->time)) return;
    const sim_suspect s = {.kind = HAUL_FINDING_MISSING_PROXY_FENCE,
                           .action = HAUL_ACTION_ASYNC_WRITE,
                           .other_action = HAUL_ACTION_SYNC,
                           .instruction = bulk->instruction,
                           .other_instruction = m->instruction,
                           .lanes = 1u << lane,
                           .thread = m->thread,
                           .space = HAUL_SPACE_SHARED,
                           .address = bulk->barrier,
                           .bytes = 8,
                           .is_advice = b->sm->grid->cluster_blocks == 1,
                           .is_warning = true};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f,
                       "the mbarrier was initialised without fence.mbarrier_init or fence.proxy.async after it, so the "
                       "copy engine may not see it yet");
}
