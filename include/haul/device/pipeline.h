/* Pipelines: rings of 1 to 16 stages of shared memory, some of which are filled while others are used.
 *
 * Unified: every thread of a team fills and uses. The function names say the team: haul_thread_pipeline_...,
 * haul_warp_pipeline_..., haul_block_pipeline_...; all threads of the team make each call.
 *
 *     HAUL_BLOCK_PIPELINE_WITH(p, .stages = 4, .threads = 256); // declares p, prepares it; all threads of the block
 *     for (k = 0; k < 3; k++) fill(k);                        // fill: acquire, load, commit
 *     for (k = 0; k < tiles; k++) {
 *         unsigned s = haul_block_pipeline_wait(&p);          // stage s is full
 *         fill(k + 3);                                        // an empty commit if there is no tile k + 3
 *         ... use tile[s] ...
 *         haul_block_pipeline_release(&p);
 *     }
 *
 * Specialised: producer warps fill, consumer warps use, each in its own loop with the same number of rounds.
 *
 *     // warp 0 produces, warps 1 to 8 consume
 *     HAUL_SPLIT_PIPELINE_WITH(p, .stages = 4, .producer_warps = 1, .first_consumer_warp = 1, .consumer_warps = 8);
 *     if (haul_is_producer(&p)) {
 *         haul_producer w = haul_producer_of(&p);
 *         for (k = 0; k < tiles; k++) {
 *             unsigned s = haul_producer_acquire(&w);         // blocks until stage s is free
 *             haul_producer_load(&w, t, tile[s], source(k));
 *             haul_producer_commit(&w);                       // full when everything since acquire has arrived
 *         }
 *     } else if (haul_is_consumer(&p)) {
 *         haul_consumer r = haul_consumer_of(&p);
 *         for (k = 0; k < tiles; k++) {
 *             unsigned s = haul_consumer_wait(&r);            // blocks until stage s is full
 *             ... use tile[s] ...
 *             haul_consumer_release(&r);
 *         }
 *     }
 *
 * Between acquire and commit a stage takes any number of transfers, and ordinary stores if haul_..._wrote() announces
 * them. An empty commit makes a stage full at once, so that both sides keep counting rounds. Every stage that holds
 * copies must be waited for before the kernel ends.
 *
 * `how` decides how stages become full. HAUL_AUTO uses transaction mbarriers on sm_90, filled by bulk and tensor copies
 * that the team's first warp issues, and LDGSTS elsewhere. HAUL_BY_LDGSTS and HAUL_BY_LDG have all filling threads copy
 * (and turn AUTO and bulk transfers into such). Unified LDGSTS pipelines count each thread's groups and use the team's
 * barrier. In specialised ones each producer thread arrives on an mbarrier when its copies are done, on sm_80 as well.
 * So the 16 named barriers do not limit the number of pipelines and stages, and producers need not come back to wait.
 *
 * Memory order: after a wait, all threads that waited may read the stage's data. A release lets the next fill begin;
 * this thread's earlier reads of the stage are done, and also its writes if `how` has HAUL_STAGES_WRITTEN (copy engines
 * do not see ordinary stores without a fence).
 *
 * With HAUL_DEBUG these end the launch with a message: a wait that takes too long, a role in the wrong warp, a fifth
 * tile for four stages, and a wait for a stage that nobody committed. */
#ifndef HAUL_DEVICE_PIPELINE_H
#define HAUL_DEVICE_PIPELINE_H

#include <haul/device/transfers.h>

enum { HAUL_STAGES_LIMIT = 16 };

/* How a stage becomes full. */
typedef enum haul_ring_mode {
    HAUL_RING_GROUPS,   /* unified: each thread's groups of copies, and the team's barrier */
    HAUL_RING_ARRIVALS, /* specialised: an mbarrier that every producer thread arrives on */
    HAUL_RING_BYTES     /* an mbarrier that counts bytes, and one arrival */
} haul_ring_mode;

/* The filling side of a ring. Barriers of stage s: full + 8 s, empty + 8 s. */
typedef struct haul_ring {
    const char *name;
    haul_ring_mode mode;
    haul_how how;
    haul_team team; /* the threads that fill */
    unsigned stages;
    unsigned full, empty;
    unsigned stage;       /* the next stage to be filled, or the one being filled */
    unsigned parity;      /* parity of the phase of `empty` that frees it */
    unsigned stored;      /* ordinary stores went into the open stage */
    unsigned copied;      /* LDGSTS copies went into the open stage */
    haul_channel channel; /* counts the open stage's bytes */
} haul_ring;

/* ---- filling ---- */

HAUL_DEVICE unsigned haul_ring_step(unsigned stage, unsigned stages) {
    return stage + 1 == stages ? 0 : stage + 1;
}

/* With counted bytes, the team's first warp fills alone. */
HAUL_DEVICE int haul_ring_fills(const haul_ring *r) {
    return r->mode != HAUL_RING_BYTES || r->team.rank < 32;
}

/* The threads that fill, over which pieces are distributed. */
HAUL_DEVICE haul_team haul_ring_fillers(const haul_ring *r) {
    haul_team team = r->team;
    if (r->mode == HAUL_RING_BYTES) team.size = haul_smaller(team.size, 32);
    return team;
}

/* The same transfer by an engine that fits the ring's mode. `older`: the number of the engine to use if bytes are not
 * counted; here the number alone names the engine. */
HAUL_DEVICE haul_transfer haul_ring_transfer(const haul_ring *r, haul_transfer t, unsigned older) {
    const haul_how engine = t.how & HAUL_ENGINE_BITS, others = t.how & ~HAUL_ENGINE_BITS;
    if (r->mode == HAUL_RING_BYTES) {
        if (engine == HAUL_AUTO && haul_fits_bulk(&t)) t.how = others | HAUL_BY_BULK;
    } else if (engine != HAUL_BY_LDG && engine != HAUL_BY_LDGSTS) {
        t.how = others | (r->how & HAUL_ENGINE_BITS ? r->how & HAUL_ENGINE_BITS : older);
    }
    return t;
}

/* Prepares a flight into the open stage. */
#define HAUL_DEFINE_RING_BOARD(kind)                                                                       \
    HAUL_DEVICE void haul_ring_board_##kind(haul_ring *r, haul_flight *f, haul_transfer t, const void *to, \
                                            const void *from) {                                            \
        haul_transfer plain = t;                                                                           \
        plain.how &= ~HAUL_ENGINE_BITS;                                                                    \
        t = haul_ring_transfer(r, t, haul_##kind##_engine(&plain, HAUL_DIRECTION_LOAD, HAUL_OLDER_ARCH));  \
        haul_board(f, t, haul_ring_fillers(r), HAUL_DIRECTION_LOAD,                                        \
                   haul_##kind##_engine(&t, HAUL_DIRECTION_LOAD, HAUL_ARCH), to, from);                    \
    }

HAUL_DEFINE_RING_BOARD(rows)
HAUL_DEFINE_RING_BOARD(box)

HAUL_DEVICE void haul_ring_note(haul_ring *r, const haul_flight *f) {
    if (f->engine == HAUL_CARRIED_BY_LDG || haul_has_crumbs(f) ||
        (f->t.shape == HAUL_SHAPE_BOX && !(f->t.how & HAUL_UNBOUNDED)))
        r->stored = 1;
    if (f->engine == HAUL_CARRIED_BY_LDGSTS) r->copied = 1;
    r->channel.bytes = f->channel->bytes;
}

/* shapes: rows, or also indirect transfers. */
HAUL_DEVICE void haul_ring_load(haul_ring *r, haul_transfer t, void *to, const void *from, const void *index,
                                unsigned shapes) {
    HAUL_EXPECT_SHAPE(&t, shapes);
    HAUL_EXPECT_INDEX(&t, index);
    if (!haul_ring_fills(r)) return;
    HAUL_FLIGHT(f);
    haul_channel channel = r->channel;
    haul_ring_board_rows(r, &f, t, to, from);
    f.channel = &channel;
    f.index = index;
    haul_carry_rows_load(&f);
    haul_ring_note(r, &f);
}

HAUL_DEVICE void haul_ring_box(haul_ring *r, haul_flight *f) {
    haul_channel channel = r->channel;
    f->channel = &channel;
    if (f->engine == HAUL_CARRIED_BY_LDG)
        haul_move_all_box_load(f, 0);
    else
        haul_issue_box_load(f);
    haul_ring_note(r, f);
}

HAUL_DEVICE void haul_ring_halo_load(haul_ring *r, haul_transfer t, void *to, const void *from, haul_place place,
                                     unsigned fill) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_HALO);
    if (!haul_ring_fills(r)) return;
    HAUL_FLIGHT(f);
    haul_ring_board_box(r, &f, t, to, from);
    f.place = place;
    f.fill = fill;
    haul_ring_box(r, &f);
}

HAUL_DEVICE void haul_ring_tile_load(haul_ring *r, haul_transfer t, void *to, const haul_tensor_view *view,
                                     haul_coordinates at) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_TILE);
    if (!haul_ring_fills(r)) return;
    HAUL_FLIGHT(f);
    haul_ring_board_box(r, &f, t, to, (const void *)0);
    haul_aim_tile(&f, view, at);
    haul_ring_box(r, &f);
}

/* Says that the filling threads have written into the open stage by ordinary stores. */
HAUL_DEVICE void haul_ring_wrote(haul_ring *r) {
    HAUL_EXPECT(haul_ring_fills(r), r->name, r->stage, "filling",
                "haul: where copies are counted by bytes, only the filling team's first warp may write into a stage: "
                "declare the pipeline with HAUL_BY_LDG or HAUL_BY_LDGSTS");
    r->stored = 1;
}

/* Arrives for the open stage: once for the team, or once for each thread. */
HAUL_DEVICE void haul_ring_arrive(haul_ring *r) {
    const unsigned full = r->full + 8 * r->stage;
    if (r->mode == HAUL_RING_ARRIVALS) {
        if ((r->how & HAUL_ENGINE_BITS) == HAUL_BY_LDG && !r->copied) {
            haul_barrier_arrive(full);
        } else {
            if (r->stored) __threadfence_block();
            haul_barrier_arrive_after_copies(full);
        }
        return;
    }
#if HAUL_HAS_BULK
    if (!haul_ring_fills(r)) return;
    if (r->copied) haul_ldgsts_wait_all();
    if (r->copied || r->stored) __syncwarp();
    if (r->team.rank == 0) haul_barrier_arrive_expecting(full, r->channel.bytes);
#endif
}

HAUL_DEVICE void haul_ring_commit(haul_ring *r) {
    if (r->mode == HAUL_RING_GROUPS)
        haul_ldgsts_commit();
    else
        haul_ring_arrive(r);
    r->channel.bytes = 0;
    r->stored = 0;
    r->copied = 0;
    r->stage = haul_ring_step(r->stage, r->stages);
    if (r->stage == 0) r->parity ^= 1;
}

/* Sets the barrier on which loads of the stage about to be filled complete. */
HAUL_DEVICE void haul_ring_open(haul_ring *r) {
    r->channel.barrier = r->full + 8 * r->stage;
}

/* Called by one thread of the block. */
HAUL_DEVICE void haul_ring_init(const haul_ring *r, unsigned full_arrivals, unsigned empty_arrivals) {
    for (unsigned s = 0; s < r->stages; s++) {
        haul_barrier_init(r->full + 8 * s, full_arrivals);
        haul_barrier_init(r->empty + 8 * s, empty_arrivals);
    }
    haul_barrier_init_fence();
}

#define HAUL_RING_EXPECT_0(name, condition, text) HAUL_EXPECT(condition, name, 0, "flags", "haul: " text)

HAUL_DEVICE haul_ring haul_ring_of(const char *name, haul_channel_memory *barriers, unsigned stages, haul_how how,
                                   haul_ring_mode threads_mode, haul_team team) {
    const haul_how engine = how & HAUL_ENGINE_BITS;
    HAUL_CHECK_PIPELINE(HAUL_RING_EXPECT, name, how, team.kind == HAUL_TEAM_THREAD, HAUL_ARCH);
    const int bytes =
        HAUL_HAS_BULK && engine != HAUL_BY_LDG && engine != HAUL_BY_LDGSTS && team.kind != HAUL_TEAM_THREAD;
    const unsigned full = haul_shared_address(barriers);
    haul_ring r = {
        name,        bytes ? HAUL_RING_BYTES : threads_mode, how, team, stages, full, full + 8 * stages, 0, 1, 0, 0,
        {full, 0, 0}};
    return r;
}

/* ---- unified pipelines ---- */

typedef struct haul_pipeline {
    haul_ring ring;
    unsigned stage, parity; /* for the next stage to be used */
    unsigned in_flight;     /* stages committed and not yet waited for */
    unsigned busy;          /* stages acquired and not yet released */
    unsigned unmet;         /* stages released since the team's last barrier (GROUPS) */
} haul_pipeline;

HAUL_DEVICE haul_pipeline haul_pipeline_of(haul_ring ring) {
    haul_pipeline p = {ring, 0, 0, 0, 0, 0};
    return p;
}

HAUL_DEVICE unsigned haul_team_warps(const haul_team *team) {
    return (team->size + 31) / 32;
}

HAUL_DEVICE void haul_pipeline_meet(haul_pipeline *p) {
    haul_team_sync(&p->ring.team);
    p->unmet = 0;
}

/* Returns the stage to be filled next; blocks until all of the team have released it. */
HAUL_DEVICE unsigned haul_pipeline_acquire(haul_pipeline *p) {
    haul_ring *r = &p->ring;
    HAUL_EXPECT(p->busy < r->stages, r->name, r->stage, "filling",
                "haul: all stages are taken: release one before another tile is put in");
    if (r->mode == HAUL_RING_GROUPS) {
        if (p->busy + p->unmet >= r->stages) haul_pipeline_meet(p);
    } else if (haul_ring_fills(r)) {
        haul_barrier_wait(r->empty + 8 * r->stage, r->parity, r->name, r->stage, "filling");
    }
    p->busy++;
    haul_ring_open(r);
    return r->stage;
}

HAUL_DEVICE void haul_pipeline_commit(haul_pipeline *p) {
    haul_ring_commit(&p->ring);
    p->in_flight++;
}

/* Returns the stage to be used next; blocks until it is full. */
HAUL_DEVICE unsigned haul_pipeline_wait(haul_pipeline *p) {
    haul_ring *r = &p->ring;
    HAUL_EXPECT(p->in_flight > 0, r->name, p->stage, "using", "haul: waits for a stage that was never committed");
    p->in_flight--;
    if (r->mode == HAUL_RING_GROUPS) {
        haul_ldgsts_wait(p->in_flight);
        haul_pipeline_meet(p);
    } else {
        haul_barrier_wait(r->full + 8 * p->stage, p->parity, r->name, p->stage, "using");
    }
    return p->stage;
}

/* Lets the stage that was waited for last be filled again. */
HAUL_DEVICE void haul_pipeline_release(haul_pipeline *p) {
    haul_ring *r = &p->ring;
    if (r->mode == HAUL_RING_BYTES) {
        if (r->how & HAUL_STAGES_WRITTEN) haul_proxy_fence();
        __syncwarp();
        if (r->team.rank % 32 == 0) haul_barrier_arrive(r->empty + 8 * p->stage);
    }
    p->busy--;
    p->unmet++;
    p->stage = haul_ring_step(p->stage, r->stages);
    if (p->stage == 0) p->parity ^= 1;
}

HAUL_GIVEN_NUMBERS(2)
HAUL_DEVICE haul_pipeline haul_block_pipeline(const char *name, haul_channel_memory *barriers, unsigned stages,
                                              unsigned threads, haul_how how) HAUL_GIVEN(barriers) {
    const haul_ring r = haul_ring_of(name, barriers, stages, how, HAUL_RING_GROUPS, haul_this_block(threads));
    if (r.mode == HAUL_RING_BYTES) {
        if (r.team.rank == 0) haul_ring_init(&r, 1, haul_team_warps(&r.team));
        __syncthreads();
    }
    return haul_pipeline_of(r);
}

HAUL_GIVEN_NUMBERS(2)
HAUL_DEVICE haul_pipeline haul_warp_pipeline(const char *name, haul_channel_memory *barriers, unsigned stages,
                                             haul_how how) HAUL_GIVEN(barriers) {
    const haul_ring r = haul_ring_of(name, barriers, stages, how, HAUL_RING_GROUPS, haul_this_warp());
    if (r.mode == HAUL_RING_BYTES) {
        if (r.team.rank == 0) haul_ring_init(&r, 1, 1);
        __syncwarp();
    }
    return haul_pipeline_of(r);
}

HAUL_DEVICE haul_pipeline haul_thread_pipeline(const char *name, unsigned stages, haul_how how) {
    return haul_pipeline_of(
        haul_ring_of(name, (haul_channel_memory *)0, stages, how, HAUL_RING_GROUPS, haul_this_thread()));
}

#define HAUL_CHECK_RING(name, number, how, of_threads)                  \
    HAUL_CHECK_PIPELINE(HAUL_ASSERT, name, how, of_threads, HAUL_ARCH); \
    HAUL_STATIC_ASSERT((number) >= 1 && (number) <= HAUL_STAGES_LIMIT,  \
                       "haul: " #name ": a pipeline has 1 to 16 stages; this one asks for " #number)

/* Unified, for the whole block of `team` threads (0: queried at run time). Called by all threads of the block. */
#define HAUL_BLOCK_PIPELINE(name, number, team, how)              \
    HAUL_CHECK_RING(name, number, how, 0);                        \
    __shared__ haul_channel_memory name##_barriers[2 * (number)]; \
    haul_pipeline name = haul_block_pipeline(#name, name##_barriers, number, team, how)
/* Unified, one for each of the block's `warps` warps. */
#define HAUL_WARP_PIPELINE(name, number, warps, how)                     \
    HAUL_CHECK_RING(name, number, how, 0);                               \
    __shared__ haul_channel_memory name##_barriers[warps][2 * (number)]; \
    haul_pipeline name = haul_warp_pipeline(#name, name##_barriers[haul_thread_rank() / 32], number, how)
/* Unified, one for each thread, which uses only data that it has copied itself. Copies go by LDGSTS, or by LDG. */
#define HAUL_THREAD_PIPELINE(name, number, how) \
    HAUL_CHECK_RING(name, number, how, 1);      \
    haul_pipeline name = haul_thread_pipeline(#name, number, how)

/* The same by named fields: HAUL_BLOCK_PIPELINE_WITH(ring, .stages = 4, .threads = 256) and so on. All have .stages,
 * .engine and .stages_written, which is 1 for HAUL_STAGES_WRITTEN; those of warps have .warps, of the block .threads.
 */
#define HAUL_PIPELINE_FIELDS(name, kind, ...)     \
    HAUL_DECLARE_FIELDS(name, kind, __VA_ARGS__); \
    HAUL_ASSERT_FIELDS(name, HAUL_PIPELINE_QUALIFIERS)
#define HAUL_PIPELINE_HOW(name) HAUL_FLAGS(HAUL_PIPELINE_QUALIFIERS, name##_fields)
#define HAUL_BLOCK_PIPELINE_WITH(name, ...)                  \
    HAUL_PIPELINE_FIELDS(name, block_pipeline, __VA_ARGS__); \
    HAUL_BLOCK_PIPELINE(name, name##_fields.stages, name##_fields.threads, HAUL_PIPELINE_HOW(name))
#define HAUL_WARP_PIPELINE_WITH(name, ...)                  \
    HAUL_PIPELINE_FIELDS(name, warp_pipeline, __VA_ARGS__); \
    HAUL_WARP_PIPELINE(name, name##_fields.stages, name##_fields.warps, HAUL_PIPELINE_HOW(name))
#define HAUL_THREAD_PIPELINE_WITH(name, ...)                  \
    HAUL_PIPELINE_FIELDS(name, thread_pipeline, __VA_ARGS__); \
    HAUL_THREAD_PIPELINE(name, name##_fields.stages, HAUL_PIPELINE_HOW(name))

#define HAUL_DEFINE_PIPELINE(prefix)                                                                                   \
    HAUL_DEVICE unsigned haul_##prefix##_pipeline_acquire(haul_pipeline *p) {                                          \
        return haul_pipeline_acquire(p);                                                                               \
    }                                                                                                                  \
    HAUL_GIVEN_NUMBERS(1, 3, 4)                                                                                        \
    HAUL_DEVICE void haul_##prefix##_pipeline_load(haul_pipeline *p, haul_transfer t, void *to, const void *from)      \
        HAUL_GIVEN(to) HAUL_GIVEN(from) {                                                                              \
        haul_ring_load(&p->ring, t, to, from, HAUL_NO_INDEX, HAUL_OF_ROWS);                                            \
    }                                                                                                                  \
    HAUL_GIVEN_NUMBERS(1, 3, 4, 5)                                                                                     \
    HAUL_DEVICE void haul_##prefix##_pipeline_gather(haul_pipeline *p, haul_transfer t, void *to, const void *from,    \
                                                     const void *index) HAUL_GIVEN(to) HAUL_GIVEN(from)                \
        HAUL_GIVEN(index) {                                                                                            \
        haul_ring_load(&p->ring, t, to, from, index, HAUL_OF_LISTS);                                                   \
    }                                                                                                                  \
    HAUL_GIVEN_NUMBERS(1, 3, 4)                                                                                        \
    HAUL_DEVICE void haul_##prefix##_pipeline_halo_load(haul_pipeline *p, haul_transfer t, void *to, const void *from, \
                                                        haul_place place, unsigned fill) HAUL_GIVEN(to)                \
        HAUL_GIVEN(from) {                                                                                             \
        haul_ring_halo_load(&p->ring, t, to, from, place, fill);                                                       \
    }                                                                                                                  \
    HAUL_GIVEN_NUMBERS(1, 3, 4)                                                                                        \
    HAUL_DEVICE void haul_##prefix##_pipeline_tile_load(haul_pipeline *p, haul_transfer t, void *to,                   \
                                                        const haul_tensor_view *from, haul_coordinates at)             \
        HAUL_GIVEN(to) HAUL_GIVEN(from) {                                                                              \
        haul_ring_tile_load(&p->ring, t, to, from, at);                                                                \
    }                                                                                                                  \
    HAUL_DEVICE void haul_##prefix##_pipeline_wrote(haul_pipeline *p) {                                                \
        haul_ring_wrote(&p->ring);                                                                                     \
    }                                                                                                                  \
    HAUL_DEVICE void haul_##prefix##_pipeline_commit(haul_pipeline *p) {                                               \
        haul_pipeline_commit(p);                                                                                       \
    }                                                                                                                  \
    HAUL_DEVICE unsigned haul_##prefix##_pipeline_wait(haul_pipeline *p) {                                             \
        return haul_pipeline_wait(p);                                                                                  \
    }                                                                                                                  \
    HAUL_DEVICE void haul_##prefix##_pipeline_release(haul_pipeline *p) {                                              \
        haul_pipeline_release(p);                                                                                      \
    }

HAUL_DEFINE_PIPELINE(thread)
HAUL_DEFINE_PIPELINE(warp)
HAUL_DEFINE_PIPELINE(block)

/* ---- specialised pipelines ---- */

typedef struct haul_split {
    haul_ring ring; /* team: the producers, whatever this thread's role is */
    unsigned first_producer, producers, first_consumer, consumers; /* threads of the block */
} haul_split;

typedef struct haul_producer {
    haul_ring ring;
} haul_producer;

typedef struct haul_consumer {
    const char *name;
    haul_how how;
    unsigned stages, full, empty;
    unsigned stage, parity; /* for the next stage to be used */
} haul_consumer;

/* Called by all threads of the block; ends with its barrier. */
HAUL_GIVEN_NUMBERS(2)
HAUL_DEVICE haul_split haul_split_pipeline(const char *name, haul_channel_memory *barriers, unsigned stages,
                                           unsigned first_producer, unsigned producers, unsigned first_consumer,
                                           unsigned consumers, haul_how how) HAUL_GIVEN(barriers) {
    const haul_team team = {HAUL_TEAM_WARPS, haul_thread_rank() - first_producer, producers, 0};
    haul_split p = {haul_ring_of(name, barriers, stages, how, HAUL_RING_ARRIVALS, team), first_producer, producers,
                    first_consumer, consumers};
    HAUL_EXPECT(first_producer + producers <= haul_block_threads() &&
                    first_consumer + consumers <= haul_block_threads(),
                name, 0, "block", "haul: the block has fewer threads than the pipeline's roles");
    if (haul_thread_rank() == 0)
        haul_ring_init(&p.ring, p.ring.mode == HAUL_RING_BYTES ? 1 : producers, (consumers + 31) / 32);
    __syncthreads();
    return p;
}

/* Producers: the block's warps from `first_producer` on, `producers` threads; consumers likewise. No warp may be both;
 * warps that are neither take no part. */
#define HAUL_SPLIT_PIPELINE(name, number, first_producer_warp, producers, first_consumer_warp, consumers, how)         \
    HAUL_CHECK_RING(name, number, how, 0);                                                                             \
    HAUL_STATIC_ASSERT((producers) > 0 && (producers) % 32 == 0 && (consumers) > 0 && (consumers) % 32 == 0,           \
                       "haul: " #name ": roles are whole warps; this pipeline has " #producers " and " #consumers      \
                       " threads");                                                                                    \
    HAUL_STATIC_ASSERT((first_producer_warp)*32 + (producers) <= (first_consumer_warp)*32 ||                           \
                           (first_consumer_warp)*32 + (consumers) <= (first_producer_warp)*32,                         \
                       "haul: " #name ": a warp produces or consumes, not both");                                      \
    __shared__ haul_channel_memory name##_barriers[2 * (number)];                                                      \
    const haul_split name = haul_split_pipeline(#name, name##_barriers, number, 32 * (first_producer_warp), producers, \
                                                32 * (first_consumer_warp), consumers, how)

/* The same by named fields, in warps: .first_producer_warp, .producer_warps, .first_consumer_warp, .consumer_warps. */
#define HAUL_SPLIT_PIPELINE_WITH(name, ...)                                                   \
    HAUL_PIPELINE_FIELDS(name, split_pipeline, __VA_ARGS__);                                  \
    HAUL_SPLIT_PIPELINE(name, name##_fields.stages, name##_fields.first_producer_warp,        \
                        32 * name##_fields.producer_warps, name##_fields.first_consumer_warp, \
                        32 * name##_fields.consumer_warps, HAUL_PIPELINE_HOW(name))

/* Whether this thread has the role; the same for all threads of a warp. */
HAUL_DEVICE int haul_is_producer(const haul_split *p) {
    return haul_thread_rank() - p->first_producer < p->producers;
}
HAUL_DEVICE int haul_is_consumer(const haul_split *p) {
    return haul_thread_rank() - p->first_consumer < p->consumers;
}

/* Producers only. */
HAUL_DEVICE haul_producer haul_producer_of(const haul_split *p) {
    haul_producer w = {p->ring};
    HAUL_EXPECT(haul_is_producer(p), p->ring.name, 0, "producer",
                "haul: a thread that is no producer runs the producer's code");
    return w;
}

/* Consumers only. */
HAUL_DEVICE haul_consumer haul_consumer_of(const haul_split *p) {
    haul_consumer r = {p->ring.name, p->ring.how, p->ring.stages, p->ring.full, p->ring.empty, 0, 0};
    HAUL_EXPECT(haul_is_consumer(p), p->ring.name, 0, "consumer",
                "haul: a thread that is no consumer runs the consumer's code");
    return r;
}

/* All producer threads: returns the stage to be filled next; blocks until the consumers have released it. */
HAUL_DEVICE unsigned haul_producer_acquire(haul_producer *w) {
    haul_ring *r = &w->ring;
    if (haul_ring_fills(r)) haul_barrier_wait(r->empty + 8 * r->stage, r->parity, r->name, r->stage, "producer");
    haul_ring_open(r);
    return r->stage;
}
/* All producer threads: transfers into the acquired stage. Does not block, but LDG waits for its own loads. */
HAUL_GIVEN_NUMBERS(1, 3, 4)
HAUL_DEVICE void haul_producer_load(haul_producer *w, haul_transfer t, void *to, const void *from) HAUL_GIVEN(to)
    HAUL_GIVEN(from) {
    haul_ring_load(&w->ring, t, to, from, HAUL_NO_INDEX, HAUL_OF_ROWS);
}
HAUL_GIVEN_NUMBERS(1, 3, 4, 5)
HAUL_DEVICE void haul_producer_gather(haul_producer *w, haul_transfer t, void *to, const void *from, const void *index)
    HAUL_GIVEN(to) HAUL_GIVEN(from) HAUL_GIVEN(index) {
    haul_ring_load(&w->ring, t, to, from, index, HAUL_OF_LISTS);
}
HAUL_GIVEN_NUMBERS(1, 3, 4)
HAUL_DEVICE void haul_producer_halo_load(haul_producer *w, haul_transfer t, void *to, const void *from,
                                         haul_place place, unsigned fill) HAUL_GIVEN(to) HAUL_GIVEN(from) {
    haul_ring_halo_load(&w->ring, t, to, from, place, fill);
}
HAUL_GIVEN_NUMBERS(1, 3, 4)
HAUL_DEVICE void haul_producer_tile_load(haul_producer *w, haul_transfer t, void *to, const haul_tensor_view *from,
                                         haul_coordinates at) HAUL_GIVEN(to) HAUL_GIVEN(from) {
    haul_ring_tile_load(&w->ring, t, to, from, at);
}
/* All threads that wrote: says that ordinary stores also went into the acquired stage; the commit orders them. */
HAUL_DEVICE void haul_producer_wrote(haul_producer *w) {
    haul_ring_wrote(&w->ring);
}
/* All producer threads: the stage becomes full when everything put into it has arrived. Does not block. */
HAUL_DEVICE void haul_producer_commit(haul_producer *w) {
    haul_ring_commit(&w->ring);
}

/* All consumer threads: returns the stage to be used next; blocks until it is full. */
HAUL_DEVICE unsigned haul_consumer_wait(haul_consumer *r) {
    haul_barrier_wait(r->full + 8 * r->stage, r->parity, r->name, r->stage, "consumer");
    return r->stage;
}
/* All consumer threads: this warp is done with the stage that it waited for last. Does not block. */
HAUL_DEVICE void haul_consumer_release(haul_consumer *r) {
    if (r->how & HAUL_STAGES_WRITTEN) haul_proxy_fence();
    __syncwarp();
    if (haul_lane() == 0) haul_barrier_arrive(r->empty + 8 * r->stage);
    r->stage = haul_ring_step(r->stage, r->stages);
    if (r->stage == 0) r->parity ^= 1;
}

#endif
