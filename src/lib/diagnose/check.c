/* Checks a transfer and its circumstances (diagnose_check()).
 *
 * haul/transfer.h states the rules of descriptors once, as HAUL_CHECK_... macros that take the kind of check as an
 * argument. In kernels they expand to static assertions; here REFUSE_... makes them return an error with the same
 * words. The checks below add what a compiler cannot know: addresses, the place of a box, the team, the machine's
 * limits. */
#include "base/status.h"
#include "lib/diagnose/diagnose.h"

#include <math.h>

/* The checks of haul/transfer.h with their messages, at run time. */
#define REFUSE_0(name, condition, text) \
    if (!(condition)) return haul_fail(HAUL_ERROR_ARGUMENT, "%s", text)
#define REFUSE_1(name, condition, text, a, rest) \
    if (!(condition)) return haul_fail(HAUL_ERROR_ARGUMENT, text "%lld" rest, (long long)(a))
#define REFUSE_2(name, condition, text, a, between, b) \
    if (!(condition)) return haul_fail(HAUL_ERROR_ARGUMENT, text "%lld" between "%lld", (long long)(a), (long long)(b))

/* Larger than any array, and small enough that sums of addresses cannot overflow. */
enum { MOST_PITCH_BITS = 40, MOST_EXTENT_BITS = 30 };

/* Whether the value exceeds 2^bits in either direction. */
static bool is_far(long long value, unsigned bits) {
    return value > 1ll << bits || value < -(1ll << bits);
}

/* Sequential, strided and indirect transfers. */
static haul_status check_rows(const haul_transfer *t) {
    HAUL_CHECK_ROWS(REFUSE, , t->bytes, t->shared_pitch, t->global_pitch, t->alignment, t->how);
    REFUSE_1(, !is_far(t->global_pitch, MOST_PITCH_BITS), "the global pitch is up to 2^40 bytes, not ", t->global_pitch,
             "");
    REFUSE_0(, t->count > 0, "a transfer has at least one element");
    HAUL_CHECK_APART(REFUSE, , t->count, t->bytes, t->shared_pitch);
    return HAUL_OK;
}

/* Halos, which have a radius, and tiles. */
static haul_status check_box(const haul_transfer *t) {
    HAUL_CHECK_BOX(REFUSE, , t->element, t->shared_pitch, t->alignment, t->how);
    for (unsigned d = 0; d < 5; d++)
        REFUSE_1(, t->box[d] >= 1 && t->box[d] <= 65535, "a box has 1 to 65535 elements in each dimension, not ",
                 t->box[d], "");
    if (t->radius) {
        REFUSE_1(, t->rank == 2, "a halo has 2 dimensions, not ", t->rank, "");
        REFUSE_1(, t->radius <= 1024, "a halo has a radius of at most 1024, not ", t->radius, "");
        HAUL_CHECK_HALO(REFUSE, , (uint64_t)t->element, t->box[0], t->radius, t->shared_pitch, t->alignment, t->how);
        return HAUL_OK;
    }
    HAUL_CHECK_TILE(REFUSE, , (uint64_t)t->element, t->rank, t->box[0], t->box[1], t->box[2], t->box[3], t->box[4],
                    t->shared_pitch, t->alignment, t->how);
    return HAUL_OK;
}

/* The box's position and the array's extents and pitches. */
static haul_status check_place(const haul_transfer *t, const haul_place *place) {
    for (unsigned d = 0; d < t->rank; d++)
        REFUSE_2(, !is_far(place->at[d], MOST_EXTENT_BITS) && place->extent[d] <= INT32_MAX,
                 "a box lies up to 2^30 elements from the start of an array of up to 2^31 - 1, not at ", place->at[d],
                 " of ", place->extent[d]);
    for (unsigned d = 1; d < t->rank; d++) {
        REFUSE_2(, place->pitch[d - 1] % t->alignment == 0, "the array's pitches are multiples of the alignment ",
                 t->alignment, "; one is ", place->pitch[d - 1]);
        REFUSE_1(, !is_far(place->pitch[d - 1], MOST_PITCH_BITS), "the array's pitches are up to 2^40 bytes, not ",
                 place->pitch[d - 1], "");
    }
    return HAUL_OK;
}

/* Returns how far a transfer reaches from its first byte in global memory, in either direction. */
static double reach_of(const haul_transfer *t, const haul_circumstances *c) {
    double rows = t->count, reach = 0;
    if (t->shape == HAUL_SHAPE_INDIRECT && !c->index) rows = (double)c->rows;
    for (unsigned i = 0; t->shape == HAUL_SHAPE_INDIRECT && c->index && i < t->count; i++)
        rows = fmax(rows, fabs((double)c->index[i]));
    if (t->shape != HAUL_SHAPE_BOX) return rows * fabs((double)t->global_pitch);
    for (unsigned d = 1; d < t->rank; d++)
        reach += ((double)t->box[d] + 2 * t->radius) * fabs((double)c->place.pitch[d - 1]);
    return reach;
}

/* Keeps all addresses within 64 bits, so that the walk needs no checks. */
static haul_status check_reach(const haul_transfer *t, const haul_circumstances *c) {
    REFUSE_0(, c->global < 1ull << 60, "the global address is below 2^60");
    REFUSE_0(, reach_of(t, c) <= 0x1p43, "the transfer reaches over more than 2^43 bytes of global memory");
    return HAUL_OK;
}

/* Both addresses have the declared alignment. */
static haul_status check_addresses(const haul_transfer *t, const haul_circumstances *c) {
    REFUSE_2(, c->global % t->alignment == 0, "the global address is a multiple of the alignment ", t->alignment,
             "; it is off by ", c->global % t->alignment);
    REFUSE_2(, c->shared % t->alignment == 0, "the shared address is a multiple of the alignment ", t->alignment,
             "; it is off by ", c->shared % t->alignment);
    REFUSE_2(, !(t->how & HAUL_CONGRUENT) || (c->global ^ c->shared) % 16 == 0,
             "HAUL_CONGRUENT needs both addresses equally far from a multiple of 16; the global one is off by ",
             c->global % 16, ", the shared one by ", c->shared % 16);
    return HAUL_OK;
}

/* Requirements of haul_tensor_map_encode() and the engine on a box's place (docs/memory-model.md). */
static haul_status check_tensor(const haul_transfer *t, const haul_circumstances *c) {
    REFUSE_1(, c->shared % 128 == 0, "tensor copies want a multiple of 128 in shared memory; the address is off by ",
             c->shared % 128, "");
    REFUSE_1(, (int64_t)c->place.at[0] * t->element % 16 == 0,
             "tensor copies begin at multiples of 16 bytes of a row; this one is ",
             (int64_t)c->place.at[0] * t->element, " bytes from its start");
    for (unsigned d = 0; d < t->rank; d++)
        REFUSE_1(, c->place.at[d] >= 0 || c->direction == HAUL_DIRECTION_LOAD,
                 "only loads by tensor copies begin before the array; this store begins at ", c->place.at[d], "");
    return HAUL_OK;
}

/* Checks of additions, which the compiler cannot make because the descriptor does not say that it is one. */
static haul_status check_addition(const haul_transfer *t) {
    REFUSE_0(, (t->how & HAUL_ADD_BITS) != 0,
             "an addition needs the type of its elements: add HAUL_ADD_F32 or another");
    REFUSE_0(, t->radius == 0, "halos are loaded and stored, not added");
    REFUSE_2(, t->shape != HAUL_SHAPE_BOX || t->element % HAUL_ADD_BYTES(t->how) == 0, "elements of ", t->element,
             " bytes are not made up of numbers of ", HAUL_ADD_BYTES(t->how));
    return HAUL_OK;
}

/* Teams must fit in the block, and the block on the machine. */
static haul_status check_team(const diagnose_case *k) {
    const haul_circumstances *c = &k->c;
    REFUSE_2(, c->block_threads >= 1 && c->block_threads <= k->machine->max_threads_per_block, "a block has 1 to ",
             k->machine->max_threads_per_block, " threads, not ", c->block_threads);
    REFUSE_2(, c->team != HAUL_TEAM_BLOCK || k->t.threads == 0 || k->t.threads == c->block_threads,
             "the descriptor says ", k->t.threads, " threads, the block has ", c->block_threads);
    REFUSE_2(, (uint64_t)c->teams * k->team_threads <= c->block_threads, "the teams have ",
             (uint64_t)c->teams * k->team_threads, " threads in all, the block has ", c->block_threads);
    REFUSE_1(, c->stages >= 1 && c->stages <= 16, "a pipeline has 1 to 16 stages, not ", c->stages, "");
    return HAUL_OK;
}

uint64_t diagnose_shared_span(const haul_transfer *t) {
    if (t->shape != HAUL_SHAPE_BOX) return (uint64_t)(t->count - 1) * t->shared_pitch + t->bytes;
    const uint64_t plane = (uint64_t)t->box[1] * t->box[2], rest = (uint64_t)t->box[3] * t->box[4];
    const uint64_t row = (uint64_t)(t->box[0] + 2 * t->radius) * t->element;
    uint64_t rows, span;
    if (__builtin_mul_overflow(plane, rest, &rows) ||
        __builtin_mul_overflow(rows + 2 * t->radius - 1, (uint64_t)t->shared_pitch, &span))
        return UINT64_MAX;
    return span + row;
}

/* The span may be absurdly large; it is limited before it is multiplied. */
static haul_status check_shared(const diagnose_case *k) {
    const uint64_t span = diagnose_shared_span(&k->t), most = 1ull << 40;
    const uint64_t bytes = (span < most ? span : most) * k->c.stages * k->c.teams + k->c.shared_bytes;
    if (bytes <= k->machine->shared_per_block_optin) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_LIMIT,
        "the block needs %llu bytes of shared memory, of which %s gives it %u: move less at a time, or have "
        "fewer stages",
        (unsigned long long)bytes, k->machine->name, k->machine->shared_per_block_optin);
}

/* Five eighths of L2 can be set aside. */
static haul_status check_l2(const diagnose_case *k) {
    const haul_circumstances *c = &k->c;
    const uint64_t most = k->machine->l2_bytes / 8 * 5;
    REFUSE_0(, c->hot_bytes < 1ull << 60 && c->between_bytes < 1ull << 60, "no more than 2^60 bytes are read again");
    REFUSE_2(, c->set_aside <= most, "no more than ", most, " bytes of L2 can be set aside, not ", c->set_aside);
    return HAUL_OK;
}

haul_status diagnose_check(const diagnose_case *k) {
    const haul_transfer *t = &k->t;
    HAUL_CHECK_COMMON(REFUSE, , t->alignment, t->threads, t->how, haul_shape_of(t), k->machine->sm);
    HAUL_TRY(t->shape == HAUL_SHAPE_BOX ? check_box(t) : check_rows(t));
    if (t->shape == HAUL_SHAPE_BOX) HAUL_TRY(check_place(t, &k->c.place));
    HAUL_TRY(check_addresses(t, &k->c));
    if (k->engine == HAUL_BY_TENSOR) HAUL_TRY(check_tensor(t, &k->c));
    if (k->c.direction == HAUL_DIRECTION_ADD) HAUL_TRY(check_addition(t));
    HAUL_TRY(check_team(k));
    HAUL_TRY(check_shared(k));
    HAUL_TRY(check_l2(k));
    return check_reach(t, &k->c);
}
