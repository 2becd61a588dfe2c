/* Shared by the kernels that test transfers: shared memory as the host wants it, its content afterwards, and compute
 * warps beside the team. */
#ifndef HAUL_DEVICE_TRANSFER_CUH
#define HAUL_DEVICE_TRANSFER_CUH

#include <haul/device.h>

#include "point.h"

#define CANARY 0xa5a5a5a5u

enum { HANDOVER_BARRIER = 1, TEAM_BARRIER = 3 };

extern __shared__ __align__(128) unsigned char shared[];
__shared__ haul_channel_memory memory;

typedef struct bench {
    const point *p;
    haul_transfer t;
    unsigned char *here, *there; /* the pointers of shared and global memory */
    const void *index;
    const haul_tensor_view *view;
    haul_coordinates at;
} bench;

HAUL_DEVICE void copy_words(void *to, const void *from, unsigned bytes, unsigned rank, unsigned size) {
    for (unsigned i = rank; i < bytes / 4; i += size) ((unsigned *)to)[i] = ((const unsigned *)from)[i];
}

/* Shared memory as the host wants it: canaries (no images), or an image; the index list behind it. */
HAUL_DEVICE bench prepare(const point *p, const haul_tensor_view *view, unsigned char *arena,
                          const unsigned char *images, const unsigned char *lists) {
    const unsigned rank = haul_thread_rank(), size = haul_block_threads();
    bench b = {p, p->t, shared + p->shared, arena + p->global, lists + p->list, view, {{0}}};
    b.at = haul_at5(p->place.at[0], p->place.at[1], p->place.at[2], p->place.at[3], p->place.at[4]);
    if (images)
        copy_words(shared, images + p->image, p->shared_bytes, rank, size);
    else
        for (unsigned i = rank; i < p->shared_bytes / 4; i += size) ((unsigned *)shared)[i] = CANARY;
    if (p->flags & POINT_INDEX_IN_SHARED) {
        copy_words(shared + p->shared_bytes, lists + p->list, p->list_bytes, rank, size);
        b.index = shared + p->shared_bytes;
    }
    haul_proxy_fence();
    __syncthreads();
    return b;
}

/* Now and then a warp falls far behind, so that those that do not wait for it overtake it. */
HAUL_DEVICE void dawdle(unsigned round) {
    const unsigned turns = (haul_thread_rank() / 32 * 7 + round * 5 + blockIdx.x) % 64 == 0 ? 8000 : 0;
#pragma unroll 1
    for (unsigned k = 0; k < turns; k++) asm volatile("" ::: "memory");
}

/* Words are read by other threads than wrote them. */
HAUL_DEVICE void dump(const bench *b, unsigned char *images, unsigned round, unsigned rank, unsigned size) {
    unsigned char *image = images + b->p->image + (unsigned long long)round * b->p->shared_bytes;
    dawdle(round);
    copy_words(image, shared, b->p->shared_bytes, size - 1 - rank, size);
}

/* The compute warps' side: they read what the DMA warps have brought. */
HAUL_DEVICE void consume(const bench *b, unsigned char *images, haul_handover h) {
    const unsigned first = 32 * b->p->team, behind = first + b->p->threads, rank = haul_thread_rank();
    for (unsigned round = 0; round < b->p->rounds; round++) {
        haul_compute_start(&h);
        haul_compute_wait(&h);
        dump(b, images, round, rank < first ? rank : rank - (behind - first), haul_block_threads() - b->p->threads);
    }
}

/* Returns the team that haul_this_thread() or a similar function makes, chosen at run time. */
HAUL_DEVICE haul_team team_of(const point *p) {
    if (p->team_kind == HAUL_TEAM_THREAD) return haul_this_thread();
    if (p->team_kind == HAUL_TEAM_WARP) return haul_this_warp();
    if (p->team_kind == HAUL_TEAM_BLOCK) return haul_this_block(p->t.threads);
    return haul_these_warps(p->team, p->threads, TEAM_BARRIER);
}

HAUL_DEVICE int is_member(const point *p) {
    const unsigned rank = haul_thread_rank();
    if (p->team_kind == HAUL_TEAM_THREAD) return rank == p->team;
    if (p->team_kind == HAUL_TEAM_WARP) return rank / 32 == p->team;
    return p->team_kind == HAUL_TEAM_BLOCK || rank / 32 - p->team < p->threads / 32;
}

/* ARGUMENTS of a verb, behind the descriptor. ROUTE: the channel. */
#define ROUTE &channel
#define LOAD_ARGUMENTS ROUTE, b.here, b.there
#define GATHER_ARGUMENTS ROUTE, b.here, b.there, b.index
#define HALO_LOAD_ARGUMENTS b.here, b.there, p->place, p->fill
#define TILE_LOAD_ARGUMENTS ROUTE, b.here, b.view, b.at
#define STORE_ARGUMENTS b.there, b.here
#define SCATTER_ARGUMENTS b.there, b.here, b.index
#define HALO_STORE_ARGUMENTS b.there, b.here, p->place
#define TILE_STORE_ARGUMENTS b.view, b.at, b.here

#define PARAMETERS                                                                                   \
    const point *points, const haul_tensor_view *views, unsigned char *arena, unsigned char *images, \
        const unsigned char *lists

/* The kernel of a transfer to shared memory. TRANSFER carries it out once, by `self`, the team. */
#define LOAD_KERNEL(name, SELF, CHANNEL, TRANSFER)                               \
    extern "C" __global__ void __launch_bounds__(1024) name(PARAMETERS) {        \
        const point *p = &points[blockIdx.x];                                    \
        const haul_handover handover = {HANDOVER_BARRIER, haul_block_threads()}; \
        const int specialised = (p->flags & POINT_SPECIALISED) != 0;             \
        bench b = prepare(p, &views[blockIdx.x], arena, 0, lists);               \
        if (!is_member(p)) {                                                     \
            if (specialised) consume(&b, images, handover);                      \
            return;                                                              \
        }                                                                        \
        const haul_team self = SELF;                                             \
        haul_channel channel = CHANNEL;                                          \
        for (unsigned round = 0; round < p->rounds; round++) {                   \
            if (specialised) haul_dma_await(&handover);                          \
            TRANSFER;                                                            \
            if (specialised)                                                     \
                haul_dma_finish(&handover);                                      \
            else                                                                 \
                dump(&b, images, round, self.rank, self.size);                   \
            if (b.t.how & HAUL_DESTINATION_FREE) {                               \
                haul_proxy_fence();                                              \
                haul_team_sync(&self);                                           \
            }                                                                    \
            b.there += p->round_step;                                            \
        }                                                                        \
        (void)channel;                                                           \
    }

/* The kernel of a transfer from shared memory, whose source is overwritten when TRANSFER is done. */
#define STORE_KERNEL(name, SELF, TRANSFER)                                                    \
    extern "C" __global__ void __launch_bounds__(1024) name(PARAMETERS) {                     \
        const point *p = &points[blockIdx.x];                                                 \
        bench b = prepare(p, &views[blockIdx.x], arena, images, lists);                       \
        if (!is_member(p)) return;                                                            \
        const haul_team self = SELF;                                                          \
        dawdle(0);                                                                            \
        TRANSFER;                                                                             \
        dawdle(0);                                                                            \
        for (unsigned i = self.size - 1 - self.rank; i < p->shared_bytes / 4; i += self.size) \
            ((unsigned *)shared)[i] = CANARY;                                                 \
    }

#endif
