/* Pipelines that are known at run time only: test_pipelines.c launches a block for each, or for each pair of split
 * ones.
 */
#include <haul/device/config.h>
/* Nothing is known that unrolling could make use of; it would take minutes. */
#undef HAUL_UNROLL
#define HAUL_UNROLL _Pragma("unroll 1")
#include "transfer.cuh"

#include "pipe.h"

typedef struct work {
    bench b;
    const pipe_case *c;
    unsigned char *images;
} work;

HAUL_DEVICE int is_empty(const work *w, unsigned round) {
    return w->c->empty >> round % 32 & 1;
}

/* The transfer of round `round`. */
HAUL_DEVICE haul_transfer transfer_of(const work *w, unsigned round) {
    haul_transfer t = w->b.p->t;
    if (round + 1 == w->b.p->rounds && t.shape != HAUL_SHAPE_BOX) {
        t.bytes = w->c->last_bytes;
        t.count = w->c->last_count;
    }
    return t;
}

HAUL_DEVICE unsigned char *stage_at(const work *w, unsigned stage) {
    return shared + w->c->base + stage * w->b.p->shared_bytes;
}

HAUL_DEVICE haul_coordinates place_of(const work *w, unsigned round) {
    haul_coordinates at = w->b.at;
    at.at[1] += w->b.t.rank > 1 ? (int)round : 0;
    return at;
}

/* One load of any shape, by a side whose functions begin with `prefix`. */
#define DEFINE_FILL(name, type, prefix)                                                     \
    HAUL_DEVICE void name(type *side, const work *w, unsigned round, unsigned stage) {      \
        const haul_transfer t = transfer_of(w, round);                                      \
        const point *p = w->b.p;                                                            \
        unsigned char *to = stage_at(w, stage) + p->shared;                                 \
        const unsigned char *from = w->b.there + (unsigned long long)round * p->round_step; \
        if (t.shape == HAUL_SHAPE_INDIRECT)                                                 \
            prefix##_gather(side, t, to, from, w->b.index);                                 \
        else if (t.shape == HAUL_SHAPE_ROWS)                                                \
            prefix##_load(side, t, to, from);                                               \
        else if (t.radius)                                                                  \
            prefix##_halo_load(side, t, to, from, p->place, p->fill);                       \
        else                                                                                \
            prefix##_tile_load(side, t, to, w->b.view, place_of(w, round));                 \
    }
DEFINE_FILL(fill_unified, haul_pipeline, haul_block_pipeline)
DEFINE_FILL(fill_split, haul_producer, haul_producer)

/* Reads a stage by other threads than brought it; leaves canaries where stages are written to. */
HAUL_DEVICE void use_stage(const work *w, unsigned round, unsigned stage, unsigned rank, unsigned size) {
    const point *p = w->b.p;
    unsigned char *image = w->images + p->image + (unsigned long long)round * p->shared_bytes;
    dawdle(round);
    copy_words(image, stage_at(w, stage), p->shared_bytes, size - 1 - rank, size);
    if (w->c->how & HAUL_STAGES_WRITTEN)
        for (unsigned i = size - 1 - rank; i < p->shared_bytes / 4; i += size)
            ((unsigned *)stage_at(w, stage))[i] = CANARY;
}

HAUL_DEVICE void fill_next(haul_pipeline *pipeline, const work *w, unsigned round) {
    if (round >= w->b.p->rounds) return;
    const unsigned stage = haul_block_pipeline_acquire(pipeline);
    if (!is_empty(w, round)) fill_unified(pipeline, w, round, stage);
    haul_block_pipeline_commit(pipeline);
}

HAUL_DEVICE void run_rounds(haul_pipeline *pipeline, const work *w) {
    const unsigned rounds = w->b.p->rounds, rank = pipeline->ring.team.rank, size = pipeline->ring.team.size;
    const unsigned ahead = w->c->wrong == PIPE_NEVER_COMMITTED ? 0
                           : w->c->wrong == PIPE_MANY_TILES    ? w->c->stages + 1
                                                               : w->c->ahead;
    for (unsigned round = 0; round < ahead; round++) fill_next(pipeline, w, round);
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned stage = haul_block_pipeline_wait(pipeline);
        if (!w->c->late) fill_next(pipeline, w, round + w->c->ahead);
        use_stage(w, round, stage, rank, size);
        haul_block_pipeline_release(pipeline);
        if (w->c->late) fill_next(pipeline, w, round + w->c->ahead);
    }
}

HAUL_DEVICE work prepare_work(const pipe_case *c, const point *p, const haul_tensor_view *view, unsigned char *arena,
                              unsigned char *images, const unsigned char *lists) {
    const unsigned words = c->stages * p->shared_bytes / 4;
    work w = {{p, p->t, shared, arena + p->global, lists + p->list, view, {{0}}}, c, images};
    w.b.at = haul_at5(p->place.at[0], p->place.at[1], p->place.at[2], p->place.at[3], p->place.at[4]);
    for (unsigned i = haul_thread_rank(); i < words; i += haul_block_threads())
        ((unsigned *)stage_at(&w, 0))[i] = CANARY;
    haul_proxy_fence();
    __syncthreads();
    return w;
}

HAUL_DEVICE haul_pipeline pipeline_of(const work *w, haul_channel_memory *barriers) {
    const point *p = w->b.p;
    if (p->team_kind == HAUL_TEAM_THREAD) return haul_thread_pipeline("thread's", w->c->stages, w->c->how);
    if (p->team_kind == HAUL_TEAM_WARP) return haul_warp_pipeline("warp's", barriers, w->c->stages, w->c->how);
    return haul_block_pipeline("block's", barriers, w->c->stages, p->t.threads, w->c->how);
}

__shared__ haul_channel_memory barriers[2][2 * HAUL_STAGES_LIMIT];

extern "C" __global__ void __launch_bounds__(1024) run_unified(const pipe_case *cases, PARAMETERS) {
    const unsigned i = blockIdx.x;
    const work w = prepare_work(&cases[i], &points[i], &views[i], arena, images, lists);
    if (!is_member(w.b.p)) return;
    haul_pipeline pipeline = pipeline_of(&w, barriers[0]);
    run_rounds(&pipeline, &w);
}

HAUL_DEVICE haul_split split_of(const char *name, const pipe_case *c, haul_channel_memory *memory) {
    return haul_split_pipeline(name, memory, c->stages, 32 * c->first_producer, c->producers, 32 * c->first_consumer,
                               c->consumers, c->how);
}

HAUL_DEVICE void produce(const haul_split *split, const work *w) {
    haul_producer producer = haul_producer_of(split);
    const unsigned rounds = w->c->wrong == PIPE_NOTHING_MADE ? 0 : w->b.p->rounds;
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned stage = haul_producer_acquire(&producer);
        if (!is_empty(w, round)) fill_split(&producer, w, round, stage);
        haul_producer_commit(&producer);
    }
}

HAUL_DEVICE void use(const haul_split *split, const work *w) {
    haul_consumer consumer = haul_consumer_of(split);
    const unsigned rounds = w->c->wrong == PIPE_TOO_FEW_ROUNDS ? 1 : w->b.p->rounds;
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned stage = haul_consumer_wait(&consumer);
        use_stage(w, round, stage, haul_thread_rank() - split->first_consumer, split->consumers);
        haul_consumer_release(&consumer);
    }
}

HAUL_DEVICE void play(const haul_split *split, const work *w) {
    const unsigned wrong = w->c->wrong;
    const int producer = haul_is_producer(split), consumer = haul_is_consumer(split);
    if (wrong == PIPE_PRODUCES ? consumer : producer && wrong != PIPE_CONSUMES) produce(split, w);
    if (wrong == PIPE_CONSUMES ? producer : consumer && wrong != PIPE_PRODUCES) use(split, w);
}

/* Two pipelines in a block, each with its own warps. */
extern "C" __global__ void __launch_bounds__(1024) run_split(const pipe_case *cases, PARAMETERS) {
    const unsigned a = 2 * blockIdx.x, b = a + 1;
    const work first = prepare_work(&cases[a], &points[a], &views[a], arena, images, lists);
    const work second = prepare_work(&cases[b], &points[b], &views[b], arena, images, lists);
    const haul_split one = split_of("first", first.c, barriers[0]), two = split_of("second", second.c, barriers[1]);
    play(&one, &first);
    play(&two, &second);
}
