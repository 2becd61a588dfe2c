/* The slow path of the checks behind every access; see exec/access.h. Compiled once: the fast path is in the handlers.
 *
 * The fast path knows one allocation for each instruction: the one that it accessed last. If the lanes are not all
 * inside it, the search here finds the first lane's allocation. If some lanes are elsewhere, it then finds that of each
 * lane. Lanes outside all allocations are a fault. If memory is mapped as on hardware, lanes in a page that holds an
 * allocation are none; the farthest such access is noted (sim_overrun). */
#include "exec/access.h"

#include "exec/fault.h"
#include "state/block.h"

/* Returns the active lanes whose address is not a multiple of `alignment`, a power of two. */
static uint32_t misaligned(const uint64_t address[SIM_LANES], uint32_t active, unsigned alignment) {
    uint64_t low_bits = 0;
    uint32_t bad = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) low_bits |= address[l];
    if (!(low_bits & (alignment - 1))) return 0;
    for (unsigned l = 0; l < SIM_LANES; l++) bad |= (uint32_t)((address[l] & (alignment - 1)) != 0) << l;
    return bad & active;
}

/* Returns the active lanes that are outside from .. to-1, or misaligned. */
static uint32_t bad_lanes(const uint64_t address[SIM_LANES], uint32_t active, uint64_t from, uint64_t to,
                          unsigned bytes, unsigned alignment) {
    if (to - from < bytes) return active;
    uint64_t span = to - from - bytes;
    uint32_t outside = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) outside |= (uint32_t)(address[l] - from > span) << l;
    return (outside & active) | misaligned(address, active, alignment);
}

/* Records the fault of the bad lanes. Misaligned lanes are reported first: hardware has an error of its own for them.
 * Returns false. */
static bool fault(sim_warp *w, const sim_op *op, uint32_t bad, haul_space space, const uint64_t address[SIM_LANES],
                  unsigned bytes, unsigned alignment, const char *outside) {
    uint32_t off = misaligned(address, bad, alignment);
    const uint32_t lanes = off ? off : bad;
    const uint64_t first = address[__builtin_ctz(lanes)];
    const haul_finding_kind beyond =
        space == HAUL_SPACE_LOCAL ? HAUL_FINDING_STACK_OVERFLOW : HAUL_FINDING_OUT_OF_BOUNDS;
    sim_fault_concerns(w, space, first, bytes);
    sim_fault(w, op, off ? HAUL_FINDING_MISALIGNED : beyond, lanes, "%s: %u bytes at 0x%llx",
              off ? "misaligned access" : outside, bytes, (unsigned long long)first);
    return false;
}

static bool writes(const sim_op *op) {
    return op->memory_class == HAUL_CLASS_GLOBAL_STORE || op->memory_class == HAUL_CLASS_GLOBAL_REDUCTION ||
           op->memory_class == HAUL_CLASS_GLOBAL_ATOMIC;
}

/* Finds the allocation at the address. Read-only memory is none for an operation that writes. */
static bool find_usable(const sim_memory *m, const sim_op *op, uint64_t address, sim_range *range) {
    return sim_memory_find(m, address, range) && !(writes(op) && sim_memory_is_read_only(m, address));
}

static bool contains(const sim_range *range, uint64_t address) {
    return address >= range->from && address < range->to;
}

/* Checks lanes that access several allocations: each must be inside one of them. The allocations may be separate in
 * host memory, so `places` gets host addresses. `first` is that of the first lane. Lanes mostly access two, often in
 * turns, so the last two are remembered. */
static uint32_t check_one_by_one(const sim_memory *m, const sim_op *op, uint32_t active, sim_range first,
                                 const uint64_t address[SIM_LANES], unsigned bytes, uint64_t places[SIM_LANES]) {
    sim_range range = first, other = {0};
    uint32_t bad = 0;
    for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
        const unsigned l = (unsigned)__builtin_ctz(lanes);
        if (!contains(&range, address[l])) {
            const sim_range last = range;
            range = other;
            other = last;
            if (!contains(&range, address[l]) && !find_usable(m, op, address[l], &range)) range = (sim_range){0};
        }
        if (!contains(&range, address[l]) || range.to - address[l] < bytes) bad |= 1u << l;
        places[l] = range.host + address[l];
    }
    return bad;
}

/* Returns the lanes that hardware would stop, too; the others get their places. */
static uint32_t stopped(sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                        unsigned bytes) {
    uint32_t left = 0;
    for (; lanes; lanes &= lanes - 1) {
        sim_beyond how;
        const unsigned l = (unsigned)__builtin_ctz(lanes);
        const void *place = sim_memory_in_pages(w->sm->grid->memory, address[l], bytes, &how);
        if (!place) left |= 1u << l;
        if (!place) continue;
        w->sm->places[l] = (uintptr_t)place;
        sim_overrun_add(&w->sm->overrun, &how, writes(op));
    }
    return left;
}

/* Keeps the allocation of the first lane for the next access, even if the other lanes are elsewhere. */
bool sim_search_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       unsigned bytes, unsigned alignment, uintptr_t *base) {
    sim_range *range = &w->sm->reaches[op->instruction].range;
    uint64_t first = address[__builtin_ctz(active)];
    const sim_memory *memory = w->sm->grid->memory;
    if (!contains(range, first) && !find_usable(memory, op, first, range)) *range = (sim_range){0};
    *base = range->host;
    uint32_t bad = bad_lanes(address, active, range->from, range->to, bytes, alignment);
    if (bad) {
        const uint32_t off = misaligned(address, bad, alignment);
        bad &= check_one_by_one(memory, op, active, *range, address, bytes, w->sm->places);
        bad = off | stopped(w, op, bad & ~off, address, bytes);
        *base = SIM_SCATTERED;
    }
    return bad == 0 || fault(w, op, bad, HAUL_SPACE_GLOBAL, address, bytes, alignment,
                             sim_memory_reason(memory, address[__builtin_ctz(bad)]));
}

/* Finds out which lanes are wrong. The fast check only says that some lane is. */
bool sim_fault_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES], unsigned bytes,
                      unsigned alignment) {
    uint64_t wide[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) wide[l] = address[l];
    uint32_t bad = bad_lanes(wide, active, 0, w->sm->grid->shared_bytes, bytes, alignment);
    return fault(w, op, bad, HAUL_SPACE_SHARED, wide, bytes, alignment, "access outside the block's shared memory");
}

bool sim_check_window(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    uint32_t bad = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) bad |= (uint32_t)((address[l] - SIM_SHARED_WINDOW) >> 32 != 0) << l;
    bad &= active;
    return bad == 0 ||
           fault(w, op, bad, HAUL_SPACE_SHARED, address, op->bytes, 1, "access outside the block's shared memory");
}

bool sim_fault_frame(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], unsigned bytes,
                     unsigned alignment) {
    const uint32_t bad = bad_lanes(address, active, 0, w->sm->grid->program->frame_bytes, bytes, alignment);
    return fault(w, op, bad, HAUL_SPACE_LOCAL, address, bytes, alignment, "access outside the thread's local memory");
}

/* Parameters have no allocation: they are one array for the whole launch. */
bool sim_check_params(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], unsigned bytes,
                      unsigned alignment, uintptr_t *base) {
    uint32_t bad = bad_lanes(offset, active, 0, w->sm->grid->program->param_bytes, bytes, alignment);
    if (bad)
        return fault(w, op, bad, HAUL_SPACE_PARAM, offset, bytes, alignment, "access outside the kernel's parameters");
    *base = (uintptr_t)w->sm->grid->params;
    return true;
}

/* Asynchronous copies use this: their bytes are one range, not lanes. */
void *sim_reach_stretch(sim_sm *sm, uint64_t address, uint64_t bytes, bool is_write) {
    sim_beyond how;
    const sim_memory *m = sm->grid->memory;
    void *at = is_write ? sim_memory_at_to_write(m, address, bytes) : sim_memory_at(m, address, bytes);
    if (at) return at;
    at = sim_memory_in_pages(m, address, bytes, &how);
    if (at) sim_overrun_add(&sm->overrun, &how, is_write);
    return at;
}

/* ---- memory that one lane reads at an address ---- */

/* Returns the byte at the offset, and how many follow it; NULL beyond the end. */
static const unsigned char *within(const unsigned char *bytes, uint64_t size, uint64_t offset, uint64_t *reach) {
    if (offset >= size) return NULL;
    *reach = size - offset;
    return bytes + offset;
}

static const unsigned char *within_allocation(const sim_memory *memory, uint64_t address, uint64_t *reach) {
    sim_range range;
    if (!sim_memory_find(memory, address, &range)) return NULL;
    *reach = range.to - address;
    return (const unsigned char *)(range.host + address);
}

/* The window of the address tells the memory. */
const unsigned char *sim_lane_view(const sim_warp *w, unsigned lane, uint64_t address, uint64_t *reach) {
    const sim_grid *g = w->sm->grid;
    const uint64_t offset = address & ~SIM_WINDOW_MASK, frame = g->program->frame_bytes;
    switch (address & SIM_WINDOW_MASK) {
    case SIM_SHARED_WINDOW: return within(w->block->shared, g->shared_bytes, offset, reach);
    case SIM_LOCAL_WINDOW:
        return within(w->block->frames + (w->index * SIM_LANES + lane) * frame, frame, offset, reach);
    case SIM_PARAM_WINDOW: return within(g->params, g->program->param_bytes, offset, reach);
    default: return within_allocation(g->memory, address, reach);
    }
}
