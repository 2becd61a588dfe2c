/* Tensor copies (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor): boxes of arrays that a tensor map describes. Each
 * active lane, usually one, issues a copy of its own.
 *
 * The map is 128 bytes that the host has encoded; machine/tensor.h reads them and walks boxes. It is read at the issue,
 * so a kernel may change it afterwards. The issue checks the map, the coordinates, the shared memory, and every row of
 * the box that is inside the array. Then the copy is in flight like a bulk copy (bulk.c, exec/async.c). tensormap.c has
 * the instructions that change maps.
 *
 * d, imm, SIM_OP_WIDE: the map's generic address; a, x: the shared one; c, y: the mbarrier; count: the reduction. more,
 * target: position in the pool and number of the coordinates, which the mask of a multicast and the offsets of im2col
 * follow.
 *
 * imm2: bits 0 and 1: the shared and mbarrier registers are wide; bit 2: multicast; bit 3: the map must be for im2col;
 * bit 4: four separate rows instead of a box; bit 5: .cta_group::2; from bit 6 on: the sim_tensor_wide that the map
 * must have. */
#include "assembler/shared_layout.h"
#include "count/count.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "machine/tensor.h"
#include "state/block.h"

/* Rows of a gather or scatter. */
enum { ROWS = 4 };

/* ---- the map ---- */

/* Returns the map's bytes, in memory or in a parameter of the kernel (__grid_constant__); NULL if there are none. */
static const unsigned char *map_bytes(const sim_grid *g, uint64_t address) {
    if ((address & SIM_WINDOW_MASK) != SIM_PARAM_WINDOW) return sim_memory_at(g->memory, address, SIM_TENSOR_MAP_BYTES);
    const uint64_t offset = address - SIM_PARAM_WINDOW;
    const bool inside = offset <= g->program->param_bytes && g->program->param_bytes - offset >= SIM_TENSOR_MAP_BYTES;
    return inside ? g->params + offset : NULL;
}

enum { MULTICAST = 4, BY_PIXELS = 8, FOUR_ROWS = 16, OF_PAIR = 32, WIDE_BIT = 6 };

/* Returns whether it is a gather or scatter of four rows. */
static bool takes_rows(const sim_op *op) {
    return op->imm2 & FOUR_ROWS;
}

static const char *walk_name(bool by_pixels, sim_tensor_wide wide) {
    static const char *const wides[] = {"im2col", "im2col::w", "im2col::w::128"};
    return by_pixels ? wides[wide] : "tiles";
}

/* Records the fault and returns false if the map was made for another mode than the copy's. */
static bool check_walk(sim_warp *w, const sim_op *op, unsigned lane, const sim_tensor *t) {
    const bool by_pixels = op->imm2 & BY_PIXELS;
    const sim_tensor_wide wide = (sim_tensor_wide)(op->imm2 >> WIDE_BIT);
    if (t->by_pixels == by_pixels && t->wide == wide) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "tensor map for %s used in a copy by %s",
              walk_name(t->by_pixels, t->wide), walk_name(by_pixels, wide));
    return false;
}

/* Reads and checks the map. Records the fault and returns false if it does not suit the copy. */
static bool read_map(sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b) {
    sim_tensor *t = &b->tensor;
    const uint64_t address = sim_lane_address(w, op->d, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm;
    const unsigned char *bytes = address % SIM_TENSOR_MAP_ALIGNMENT ? NULL : map_bytes(w->sm->grid, address);
    if (!bytes) {
        sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
                  "tensor map at 0x%llx: must be 64-byte aligned, in global or constant memory or a kernel parameter",
                  (unsigned long long)address);
        return false;
    }
    if (sim_tensor_unpack(bytes, t) != HAUL_OK) {
        sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "%s", haul_message());
        return false;
    }
    if (w->sm->hazards) sim_hazard_map_used(w, op, lane, address);
    b->map = address;
    if (!check_walk(w, op, lane, t)) return false;
    if (takes_rows(op) && t->rank == 2 && t->box[1] == 1) return true;
    if (!takes_rows(op) && t->rank == op->target) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
              takes_rows(op) ? "tensor map of rank %u and %u rows in a copy of four rows: must be 2 and 1"
                             : "tensor map of rank %u in a copy with %u coordinates",
              t->rank, takes_rows(op) ? t->box[1] : op->target);
    return false;
}

/* ---- checks ---- */

/* Records the fault and returns false unless the box's bytes in shared memory are aligned and inside. */
static bool check_shared(sim_warp *w, const sim_op *op, unsigned lane, uint32_t shared, uint64_t bytes) {
    if (shared % SIM_TENSOR_ALIGNMENT) {
        sim_fault(w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
                  "misaligned tensor copy: shared 0x%x must be a multiple of 128", shared);
        return false;
    }
    if (shared + bytes <= w->sm->grid->shared_bytes && shared >= SIM_SHARED_START) return true;
    sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
              "tensor copy outside the block's shared memory: a box of %llu bytes at 0x%x", (unsigned long long)bytes,
              shared);
    return false;
}

/* Stores cannot swap the halves of chunks. */
static bool check_direction(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    if (b->kind == SIM_BULK_LOAD || b->tensor.swizzle != SIM_TENSOR_SWIZZLE_ATOM_32B_FLIP_8B) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
              "tensor map with a swizzle that swaps 8 bytes: only loads may use it");
    return false;
}

/* Records the fault and returns false if the box begins where the ISA does not allow it. */
static bool check_start(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    for (uint32_t d = 0; d < b->tensor.rank && b->kind != SIM_BULK_LOAD; d++) {
        if (b->at[d] >= 0) continue;
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
                  "tensor copy: coordinate %d of dimension %u: only loads may begin before the array", b->at[d], d);
        return false;
    }
    if (sim_tensor_may_start_at(&b->tensor, b->at[0])) return true;
    sim_fault(w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
              "misaligned tensor copy: coordinate %d of dimension 0, times %u bytes, must be a multiple of 16 bytes",
              b->at[0], sim_tensor_element_bytes(&b->tensor));
    return false;
}

/* The part of the box inside the array must lie in an allocation. */
static bool check_rows(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_range range = {0};
    sim_tensor_walk_start(&walk, &b->tensor, b->at, b->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row)) {
        const uint32_t bytes = row.to - row.from;
        if (!bytes) continue;
        bool inside = row.global >= range.from && row.global < range.to;
        if (!inside) inside = sim_memory_find(w->sm->grid->memory, row.global, &range);
        if (b->kind != SIM_BULK_LOAD && sim_memory_is_read_only(w->sm->grid->memory, row.global)) inside = false;
        if (inside && range.to - row.global >= bytes) continue;
        if (sim_reach_stretch(w->sm, row.global, bytes, b->kind != SIM_BULK_LOAD)) continue;
        sim_fault_concerns(w, HAUL_SPACE_GLOBAL, row.global, bytes);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
                  "tensor copy outside any allocation: %u bytes at 0x%llx", bytes, (unsigned long long)row.global);
        return false;
    }
    return true;
}

/* Returns the ranks that get the copy; 0 without multicast. */
static uint32_t multicast_ranks(const sim_warp *w, const sim_op *op, unsigned lane) {
    if (!(op->imm2 & MULTICAST)) return 0;
    return SIM_SLOT(w, uint16_t, w->sm->grid->program->pool[op->more + op->target])[lane];
}

/* ---- copies ---- */

/* With four rows, reads those of the first. */
static void read_coordinates(const sim_warp *w, const sim_op *op, unsigned lane, int32_t at[SIM_TENSOR_RANK]) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (uint32_t d = 0; d < SIM_TENSOR_RANK; d++) at[d] = d < op->target ? SIM_SLOT(w, int32_t, slots[d])[lane] : 0;
}

/* {halo, offset}; PTX gives their ranges. */
static bool read_halo(sim_warp *w, const sim_op *op, unsigned lane, const uint32_t slots[2], sim_tensor *t) {
    enum { MOST_OFFSET = 31, MOST_HALO_128 = 31, MOST_HALO = 511 };
    const uint32_t most = t->wide == SIM_TENSOR_WIDE_W128 ? MOST_HALO_128 : MOST_HALO;
    t->halo = SIM_SLOT(w, uint16_t, slots[0])[lane];
    t->shift[0] = SIM_SLOT(w, uint16_t, slots[1])[lane];
    if (t->halo <= most && t->shift[0] <= MOST_OFFSET) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
              "tensor copy: a halo of %u pixels and an offset of %u: must be at most %u and %u", t->halo, t->shift[0],
              most, MOST_OFFSET);
    return false;
}

/* Reads im2col's offsets into the tensor, which describes this copy alone. Returns false if one is out of range. */
static bool read_offsets(sim_warp *w, const sim_op *op, unsigned lane, sim_tensor *t) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more + op->target + 1;
    if (t->wide != SIM_TENSOR_WIDE_NONE) return read_halo(w, op, lane, slots, t);
    for (uint32_t d = 0; t->by_pixels && d + 2 < t->rank; d++) t->shift[d] = SIM_SLOT(w, uint16_t, slots[d])[lane];
    return true;
}

/* Returns the index of one of the four rows; the coordinate of the columns precedes them in the pool. */
static int32_t row_of(const sim_warp *w, const sim_op *op, unsigned lane, unsigned row) {
    return SIM_SLOT(w, int32_t, w->sm->grid->program->pool[op->more + 1 + row])[lane];
}

/* Fills in the lane's copy. Returns false, with the fault recorded, if it is invalid. */
static bool describe(sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b, sim_block **waits) {
    b->thread = w->index * SIM_LANES + lane;
    b->group = w->block->async.bulk_groups[b->thread];
    b->shared = (uint32_t)sim_lane_address(w, op->a, op->imm2 & 1, lane) + op->x;
    b->barrier = (uint32_t)sim_lane_address(w, op->c, op->imm2 & 2, lane) + op->y;
    *waits = b->kind == SIM_BULK_LOAD ? sim_load_waiter(w, op, lane, b, op->imm2 & OF_PAIR) : w->block;
    if (!*waits || !sim_check_ranks(w, op, lane, multicast_ranks(w, op, lane))) return false;
    if (!read_map(w, op, lane, b)) return false;
    if (!read_offsets(w, op, lane, &b->tensor) || !check_direction(w, op, lane, b)) return false;
    const uint64_t room = sim_tensor_shared_bytes(&b->tensor) * (takes_rows(op) ? ROWS : 1);
    if (!check_shared(w, op, lane, b->shared, room)) return false;
    b->bytes = (uint32_t)sim_tensor_box_bytes(&b->tensor);
    read_coordinates(w, op, lane, b->at);
    return takes_rows(op) || (check_start(w, op, lane, b) && check_rows(w, op, lane, b));
}

/* Reductions as the instruction names them; the map's element type decides what they are (REDUCE_BITS: and, or,
 * xor). */
typedef enum reduction { REDUCE_BITS, REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_INC, REDUCE_DEC } reduction;

static const struct {
    uint8_t add, min, max;
} reductions[SIM_TENSOR_TYPES] = {
#define TENSOR_TYPE(id, name, bytes, floating, add, min, max) {SIM_ATOMIC_##add, SIM_ATOMIC_##min, SIM_ATOMIC_##max},
#include "driver/tensor_types.def"
#undef TENSOR_TYPE
};

/* count: the reduction; bytes: the kind of REDUCE_BITS */
static uint8_t atomic_kind(const sim_op *op, const sim_tensor *t) {
    const bool integers = t->type >= SIM_TENSOR_U32 && t->type <= SIM_TENSOR_S64;
    switch ((reduction)op->count) {
    case REDUCE_ADD: return reductions[t->type].add;
    case REDUCE_MIN: return reductions[t->type].min;
    case REDUCE_MAX: return reductions[t->type].max;
    case REDUCE_INC: return t->type == SIM_TENSOR_U32 ? SIM_ATOMIC_INC : SIM_ATOMIC_NONE;
    case REDUCE_DEC: return t->type == SIM_TENSOR_U32 ? SIM_ATOMIC_DEC : SIM_ATOMIC_NONE;
    default: return integers ? op->bytes : SIM_ATOMIC_NONE;
    }
}

/* Finds the operation on elements. Records the fault and returns false if there is none for the type. */
static bool describe_reduction(sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b) {
    if (b->kind != SIM_BULK_REDUCE) return true;
    b->atomic = atomic_kind(op, &b->tensor);
    b->element = (uint8_t)sim_tensor_element_bytes(&b->tensor);
    if (b->atomic != SIM_ATOMIC_NONE) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
              "tensor reduction: not defined for the tensor map's element type");
    return false;
}

static unsigned receivers(const sim_warp *w, const sim_op *op, unsigned lane) {
    return op->imm2 & MULTICAST ? (unsigned)__builtin_popcount(multicast_ranks(w, op, lane)) : 1;
}

/* A multicast signals each destination's own mbarrier. With .cta_group::2, it signals one block of each pair: the even
 * or odd one, as for the given mbarrier's block. */
static bool add_copy(sim_warp *w, const sim_op *op, unsigned lane, sim_block *waits, const sim_bulk *b) {
    sim_block *const cluster = w->block->cluster;
    if (!(op->imm2 & MULTICAST)) return sim_issue_bulk(w, lane, waits, b);
    for (uint32_t ranks = multicast_ranks(w, op, lane); ranks; ranks &= ranks - 1) {
        const uint32_t rank = (uint32_t)__builtin_ctz(ranks);
        const uint32_t signalled = op->imm2 & OF_PAIR ? (rank & ~1u) | (waits->rank & 1) : rank;
        sim_bulk copy = *b;
        copy.destination = signalled == rank ? NULL : &cluster[rank];
        if (!sim_issue_bulk(w, lane, &cluster[signalled], &copy)) return false;
    }
    return true;
}

/* Each of the four rows is copied as a box of one row. */
static bool next_row(sim_warp *w, const sim_op *op, unsigned lane, unsigned row, sim_bulk *b) {
    if (row) b->shared += sim_tensor_row_pitch(&b->tensor);
    b->at[1] = row_of(w, op, lane, row);
    return check_start(w, op, lane, b) && check_rows(w, op, lane, b);
}

/* Compares the operands of stores: addresses and all coordinates. */
static bool operands_agree(const sim_warp *w, const sim_op *op, unsigned lane, unsigned other) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    bool agree = sim_lanes_agree(w, op->d, op->flags & SIM_OP_WIDE, lane, other) &&
                 sim_lanes_agree(w, op->a, op->imm2 & 1, lane, other);
    for (uint32_t d = 0; d < op->target; d++) agree = agree && sim_lanes_agree(w, slots[d], false, lane, other);
    return agree;
}

/* Issues the active lanes' copies. All rows of a gather or scatter are copies of their own. */
static sim_step copy_tensor(sim_warp *w, const sim_op *op, uint32_t active, sim_bulk_kind kind) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_block *waits;
        sim_bulk b = {.kind = (uint8_t)kind, .instruction = op->instruction};
        if (!describe(w, op, lane, &b, &waits) || !describe_reduction(w, op, lane, &b)) return SIM_STOP;
        b.repeats = kind == SIM_BULK_STORE && sim_repeats_store(w, op, active, lane, operands_agree);
        for (unsigned row = 0; row < (takes_rows(op) ? ROWS : 1); row++) {
            if (takes_rows(op) && !next_row(w, op, lane, row, &b)) return SIM_STOP;
            if (!add_copy(w, op, lane, waits, &b)) return sim_no_room_for(w, op, active, "a copy");
            if (!b.repeats) sim_count_bulk(w->sm->counting, w, op, lane, &b, receivers(w, op, lane));
        }
    }
    return SIM_NEXT;
}

static sim_step tensor_load(sim_warp *w, const sim_op *op, uint32_t active) {
    return copy_tensor(w, op, active, SIM_BULK_LOAD);
}

static sim_step tensor_store(sim_warp *w, const sim_op *op, uint32_t active) {
    return copy_tensor(w, op, active, SIM_BULK_STORE);
}

static sim_step tensor_reduce(sim_warp *w, const sim_op *op, uint32_t active) {
    return copy_tensor(w, op, active, SIM_BULK_REDUCE);
}

/* ---- lowering ---- */

static sim_tensor_wide wide_of(unsigned mode) {
    if (mode == PTX_MOD_IM2COL_W) return SIM_TENSOR_WIDE_W;
    return mode == PTX_MOD_IM2COL_W128 ? SIM_TENSOR_WIDE_W128 : SIM_TENSOR_WIDE_NONE;
}

/* Returns whether the instruction has an operand with im2col's offsets. */
static bool has_offsets(const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_LOAD_MODE];
    return mode == PTX_MOD_IM2COL || wide_of(mode) != SIM_TENSOR_WIDE_NONE;
}

static bool goes_by_pixels(const ptx_instruction *i) {
    return has_offsets(i) || i->mods[PTX_SLOT_LOAD_MODE] == PTX_MOD_IM2COL_NO_OFFSETS;
}

/* Pools coordinates, the mask of a multicast, and im2col's offsets, which are zero if the form has none. */
static uint32_t pool_place(sim_lowering *l, const ptx_instruction *i, const ptx_operand *at) {
    const unsigned mask_at = has_offsets(i) ? 4 : 3;
    const bool multicast = i->mods[PTX_SLOT_MULTICAST] != 0, is_wide = wide_of(i->mods[PTX_SLOT_LOAD_MODE]);
    const uint32_t offsets = is_wide ? 2 : goes_by_pixels(i) ? at->part_count - 2 : 0;
    uint32_t slots[2 * SIM_TENSOR_RANK], count = 0;
    for (uint32_t d = 0; d < at->part_count; d++) slots[count++] = sim_source(l, &at->parts[d], PTX_S32);
    slots[count++] = multicast ? sim_source(l, &i->operands[mask_at], PTX_U16) : SIM_SLOT_ZERO;
    for (uint32_t d = 0; d < offsets; d++)
        slots[count++] = has_offsets(i) ? sim_source(l, &i->operands[3].parts[d], PTX_U16) : SIM_SLOT_ZERO;
    return sim_pool(l, slots, count);
}

/* Returns the form's bits of imm2. */
static uint32_t form_of(const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_LOAD_MODE];
    const bool four_rows = mode == PTX_MOD_GATHER || mode == PTX_MOD_SCATTER;
    const bool of_pair = i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2;
    return (i->mods[PTX_SLOT_MULTICAST] ? MULTICAST : 0u) | (goes_by_pixels(i) ? BY_PIXELS : 0u) |
           (four_rows ? FOUR_ROWS : 0u) | (of_pair ? OF_PAIR : 0u) | (uint32_t)wide_of(mode) << WIDE_BIT;
}

/* operands[tensor]: map and coordinates; the others: shared memory and the mbarrier, if there is one */
static haul_status lower_tensor(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned tensor,
                                unsigned shared_at, unsigned barrier_at, haul_memory_class class) {
    bool shared_wide, map_wide, barrier_wide = false;
    int64_t shared_offset, map_offset, barrier_offset = 0;
    uint32_t barrier = SIM_SLOT_ZERO;
    const ptx_operand *at = &i->operands[tensor].parts[1];
    const uint32_t place = pool_place(l, i, at), policy = sim_policy_slot(l, i);
    const uint32_t map = sim_address(l, &i->operands[tensor], &map_wide, &map_offset);
    const uint32_t shared = sim_address(l, &i->operands[shared_at], &shared_wide, &shared_offset);
    if (barrier_at) barrier = sim_address(l, &i->operands[barrier_at], &barrier_wide, &barrier_offset);
    sim_op *op = sim_emit(l, run);
    op->policy = policy;
    op->d = map;
    op->imm = map_offset;
    op->a = shared;
    op->x = (uint32_t)shared_offset;
    op->c = barrier;
    op->y = (uint32_t)barrier_offset;
    op->imm2 = (uint32_t)shared_wide | (uint32_t)barrier_wide << 1 | form_of(i);
    op->more = place;
    op->target = at->part_count;
    op->flags |= map_wide ? SIM_OP_WIDE : 0;
    op->memory_class = (uint8_t) class;
    return HAUL_OK;
}

haul_status LOWER(CP_TENSOR_LOAD)(sim_lowering *l, const ptx_instruction *i) {
    return lower_tensor(l, i, tensor_load, 1, 0, 2, HAUL_CLASS_BULK_LOAD);
}

/* im2col: the box is made of pixels, moved by offsets, as a convolution reads them. */
haul_status LOWER(CP_TENSOR_IM2COL)(sim_lowering *l, const ptx_instruction *i) {
    return lower_tensor(l, i, tensor_load, 1, 0, 2, HAUL_CLASS_BULK_LOAD);
}

/* im2col::w and im2col::w::128: the pixels run along the width only, with a halo. */
haul_status LOWER(CP_TENSOR_WIDE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_tensor(l, i, tensor_load, 1, 0, 2, HAUL_CLASS_BULK_LOAD);
}

haul_status LOWER(CP_TENSOR_STORE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_tensor(l, i, tensor_store, 0, 1, 0, HAUL_CLASS_BULK_STORE);
}

static reduction reduction_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD: return REDUCE_ADD;
    case PTX_MOD_ATOM_MIN: return REDUCE_MIN;
    case PTX_MOD_ATOM_MAX: return REDUCE_MAX;
    case PTX_MOD_ATOM_INC: return REDUCE_INC;
    case PTX_MOD_ATOM_DEC: return REDUCE_DEC;
    default: return REDUCE_BITS;
    }
}

haul_status LOWER(CP_REDUCE_TENSOR)(sim_lowering *l, const ptx_instruction *i) {
    HAUL_TRY(lower_tensor(l, i, tensor_reduce, 0, 1, 0, HAUL_CLASS_BULK_STORE));
    sim_op *op = sim_last_op(l);
    op->count = (uint8_t)reduction_of(i);
    op->bytes = i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_AND  ? SIM_ATOMIC_AND
                : i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_OR ? SIM_ATOMIC_OR
                                                              : SIM_ATOMIC_XOR;
    return HAUL_OK;
}
