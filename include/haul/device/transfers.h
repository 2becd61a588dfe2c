/* Transfers by a team: start, wait, and both in one call.
 *
 * The name says who calls: haul_thread_... one thread for itself, haul_warp_... all 32 lanes of a warp, haul_warps_...
 * all threads of a set of DMA warps (haul_these_warps()), haul_block_... all threads of the block. All threads of the
 * team make the call together, with the same arguments; no other thread does. The verbs:
 *
 *   load, store, add           sequential and strided transfers: global to shared, shared to global, and shared memory
 *                              added to global memory (element type: HAUL_ADD_... in `how`)
 *   gather, scatter,           indirect transfers; index: `count` numbers of 32 (or, HAUL_INDEX_64, 64) bits in global
 *   scatter_add                or shared memory
 *   halo_load, halo_store      halos; both pointers are to the interior's first element. fill: the value of elements
 *                              outside the array, as a 4-byte word, in which shorter elements repeat
 *   tile_load, tile_store,     boxes at coordinates of a haul_tensor_view; shared memory that tensor copies may access
 *   tile_add                   must be aligned to 128 bytes
 *
 * ..._start(&flight, ...) issues as much as can be in flight; haul_..._wait(&flight) completes it. HAUL_FLIGHT(flight)
 * declares the flight. Work between the two calls overlaps. Without _start a call does both.
 *
 * Memory order. Other teams must not touch a load's destination. Within the team, start (LDG: wait) begins with the
 * team's barrier, so that threads still reading the destination are waited for (HAUL_DESTINATION_FREE omits it). After
 * the wait, all threads of the team may read the destination. A store begins with the team's barrier (and proxy fence),
 * so that it includes what any thread of the team has written. wait_read returns when the source may be overwritten,
 * wait when the data is in global memory, visible as if the team's threads had stored it. Nothing is ordered for other
 * teams.
 *
 * Loads by bulk and tensor copies complete on a channel, created once by haul_..._channel() and used by one team. Other
 * engines do not use it, and HAUL_AUTO takes one of those if the channel is 0. LDGSTS completes by thread: a wait waits
 * for all copies that the thread has started. For several transfers in flight use a pipeline
 * (haul/device/pipeline.h). */
#ifndef HAUL_DEVICE_TRANSFERS_H
#define HAUL_DEVICE_TRANSFERS_H

#include <haul/device/engine.h>

/* ---- channels ---- */

/* Called by all of the team; ends with the team's barrier. memory: in shared memory, used by this channel only. */
HAUL_DEVICE haul_channel haul_team_channel(const haul_team *team, haul_channel_memory *memory) {
    haul_channel channel = {haul_shared_address(memory), 0, 0};
#if HAUL_HAS_BULK
    if (team->rank == 0) {
        haul_barrier_init(channel.barrier, 1);
        haul_barrier_init_fence();
    }
    haul_team_sync(team);
#endif
    return channel;
}

/* Waits for all bytes requested on the channel since the last wait. */
HAUL_DEVICE void haul_channel_wait(const haul_team *team, haul_channel *channel) {
#if HAUL_HAS_BULK
    if (team->rank == 0) haul_barrier_arrive_expecting(channel->barrier, channel->bytes);
    haul_barrier_wait(channel->barrier, channel->parity, "channel", 0, "team");
    channel->parity ^= 1;
    channel->bytes = 0;
#endif
}

/* ---- flights ---- */

#ifdef HAUL_DEBUG
#define HAUL_BOARD_EXPECT_0(name, condition, text) HAUL_EXPECT(condition, "transfer", 0, "flags", "haul: " text)

/* Checks flags known only at run time; the compiler has checked constant ones. `width`: of an access. One function for
 * all transfers, because it has many conditions. */
static __device__ __noinline__ __attribute__((unused)) void haul_expect_how(haul_how how, unsigned shape,
                                                                            unsigned width) {
    HAUL_CHECK_HOW(HAUL_BOARD_EXPECT, , how, shape, HAUL_ARCH);
    HAUL_EXPECT(HAUL_IN_FLIGHT_FITS(how, width), "transfer", 0, "flags",
                "haul: HAUL_IN_FLIGHT is a multiple of the access width");
}
#endif

/* shapes: the shapes that the function moves (HAUL_OF_...). */
#define HAUL_EXPECT_SHAPE(t, shapes)                                                                                  \
    HAUL_EXPECT((haul_shape_of(t) & (shapes)) != 0, "transfer", 0, "shape",                                           \
                "haul: this function moves another shape than the descriptor's: load, store and add move sequential " \
                "and strided transfers, gather and scatter indirect ones, halo_... halos and tile_... tiles")
/* The shapes that gather and scatter move. They ignore the index when the descriptor needs none. */
#define HAUL_OF_LISTS (HAUL_OF_ROWS | HAUL_OF_INDIRECT)
/* Stands for a missing list of indices; no access to this address is possible. A null pointer would not do: compilers
 * assume that it is never accessed, and delete the code after such an access. */
#define HAUL_NO_INDEX ((const void *)8)

/* Indirect transfers have a list. */
#define HAUL_EXPECT_INDEX(t, index)                                                          \
    HAUL_EXPECT((t)->shape != HAUL_SHAPE_INDIRECT || (index) != 0, "transfer", 0, "indices", \
                "haul: the pointer to the list of indices is null")

/* The newest architecture whose engines HAUL_AUTO may choose: bulk and tensor loads cannot complete without a
 * channel. */
HAUL_DEVICE unsigned haul_load_arch(const haul_channel *channel) {
    return channel ? HAUL_ARCH : HAUL_OLDER_ARCH;
}

#define HAUL_LACKS_CHANNEL \
    "haul: bulk and tensor loads complete on a channel: pass one, or ask for HAUL_AUTO, HAUL_BY_LDG or HAUL_BY_LDGSTS"
#define HAUL_LACKS_TYPE "haul: the descriptor says no type of the elements to add: OR one of HAUL_ADD_... to `how`"
HAUL_REFUSAL(haul_load_without_channel, HAUL_LACKS_CHANNEL);
HAUL_REFUSAL(haul_addition_without_type, HAUL_LACKS_TYPE);

/* Bulk and tensor loads need a channel. */
HAUL_DEVICE void haul_require_channel(unsigned engine, const haul_channel *channel) {
    const int needed = HAUL_HAS_BULK && (engine == HAUL_CARRIED_BY_BULK || engine == HAUL_CARRIED_BY_TENSOR);
    HAUL_REFUSE_KNOWN(!needed || channel != 0, haul_load_without_channel);
    HAUL_REQUIRE(!needed || channel != 0, "transfer", 0, "loading", HAUL_LACKS_CHANNEL);
}

HAUL_DEVICE void haul_board(haul_flight *f, haul_transfer t, haul_team team, haul_direction direction, unsigned engine,
                            const void *shared, const void *global) {
    f->t = t;
    f->team = team;
    f->direction = direction;
    f->engine = engine;
    f->shared = haul_shared_address(shared);
    f->global = haul_global_address(global);
    f->channel = 0;
    f->index = 0;
    f->map = 0;
    f->fill = 0;
    f->head = haul_head_bytes(&f->t, f->shared);
    HAUL_EXPECT(f->global % t.alignment == 0 && f->shared % t.alignment == 0, "transfer", 0, "shared or global memory",
                "haul: an address is not aligned as the descriptor says");
    HAUL_EXPECT(!(t.how & HAUL_CONGRUENT) || ((f->global ^ f->shared) & 15) == 0, "transfer", 0,
                "shared and global memory",
                "haul: HAUL_CONGRUENT: the addresses are not equally far from a 16-byte boundary");
    HAUL_EXPECT(engine != HAUL_CARRIED_BY_TENSOR || f->shared % 128 == 0, "transfer", 0, "shared memory",
                "haul: a tensor copy needs shared memory that is aligned to 128 bytes");
    HAUL_REFUSE_KNOWN(direction != HAUL_DIRECTION_ADD || (t.how & HAUL_ADD_BITS), haul_addition_without_type);
    HAUL_REQUIRE(direction != HAUL_DIRECTION_ADD || (t.how & HAUL_ADD_BITS), "transfer", 0, "adding", HAUL_LACKS_TYPE);
#ifdef HAUL_DEBUG
    HAUL_EXPECT(shared != 0, "transfer", 0, "shared memory", "haul: the pointer to shared memory is null");
    HAUL_EXPECT(global != 0 || haul_shape_of(&t) == HAUL_OF_TILE, "transfer", 0, "global memory",
                "haul: the pointer to global memory is null");
    haul_expect_how(t.how, haul_shape_of(&t), haul_piece_width(&t, 0));
#endif
}

/* Waits until the team is done with a load's destination: nobody reads it, or writes it by ordinary stores. */
HAUL_DEVICE void haul_enter_load(const haul_flight *f) {
    if (f->t.how & HAUL_DESTINATION_FREE) return;
    if (haul_is_bulk(f)) haul_proxy_fence();
    haul_team_sync(&f->team);
}

/* Starts and completes, for rows and for boxes. */
#define HAUL_DEFINE_PHASES(kind)                                   \
    HAUL_DEVICE void haul_begin_##kind##_load(haul_flight *f) {    \
        if (f->engine == HAUL_CARRIED_BY_LDG) {                    \
            haul_hold_##kind##_load(f);                            \
        } else {                                                   \
            haul_enter_load(f);                                    \
            haul_issue_##kind##_load(f);                           \
        }                                                          \
    }                                                              \
    HAUL_DEVICE void haul_end_##kind##_load(haul_flight *f) {      \
        if (f->engine == HAUL_CARRIED_BY_LDG) {                    \
            haul_enter_load(f);                                    \
            haul_release_##kind##_load(f);                         \
            haul_move_all_##kind##_load(f, haul_##kind##_held(f)); \
        } else {                                                   \
            haul_end_copies(f);                                    \
        }                                                          \
        haul_team_sync(&f->team);                                  \
    }                                                              \
    HAUL_DEVICE void haul_begin_##kind##_store(haul_flight *f) {   \
        if (haul_is_bulk(f)) haul_proxy_fence();                   \
        haul_team_sync(&f->team);                                  \
        if (haul_is_bulk(f)) {                                     \
            haul_issue_##kind##_store(f);                          \
            haul_bulk_commit();                                    \
        } else {                                                   \
            haul_move_all_##kind##_store(f);                       \
        }                                                          \
    }

/* Waits for LDGSTS, bulk and tensor loads in flight. */
HAUL_DEVICE void haul_end_copies(haul_flight *f) {
    if (f->engine == HAUL_CARRIED_BY_LDGSTS)
        haul_ldgsts_wait_all();
    else
        haul_channel_wait(&f->team, f->channel);
}

HAUL_DEFINE_PHASES(rows)
HAUL_DEFINE_PHASES(box)

HAUL_DEVICE void haul_end_store(haul_flight *f, int read_only) {
    if (haul_is_bulk(f) && f->team.rank < 32) {
        if (read_only)
            haul_bulk_wait_read();
        else
            haul_bulk_wait();
    }
    haul_team_sync(&f->team);
}

HAUL_DEVICE void haul_end_whole_store(haul_flight *f) {
    haul_end_store(f, 0);
}

HAUL_DEVICE void haul_end(haul_flight *f, int read_only) {
    if (f->direction != HAUL_DIRECTION_LOAD)
        haul_end_store(f, read_only);
    else if (f->t.shape == HAUL_SHAPE_BOX)
        haul_end_box_load(f);
    else
        haul_end_rows_load(f);
}

/* ---- per-shape setup of a flight ---- */

/* shapes: rows, or also indirect transfers. */
HAUL_DEVICE void haul_start_rows_load(haul_flight *f, haul_transfer t, haul_team team, haul_channel *channel,
                                      const void *shared, const void *global, const void *index, unsigned shapes) {
    HAUL_EXPECT_SHAPE(&t, shapes);
    HAUL_EXPECT_INDEX(&t, index);
    const unsigned engine = haul_rows_engine(&t, HAUL_DIRECTION_LOAD, haul_load_arch(channel));
    haul_board(f, t, team, HAUL_DIRECTION_LOAD, engine, shared, global);
    haul_require_channel(engine, channel);
    f->channel = channel;
    f->index = index;
    haul_begin_rows_load(f);
}

HAUL_DEVICE void haul_start_rows_store(haul_flight *f, haul_transfer t, haul_team team, haul_direction direction,
                                       const void *shared, const void *global, const void *index, unsigned shapes) {
    HAUL_EXPECT_SHAPE(&t, shapes);
    HAUL_EXPECT_INDEX(&t, index);
    haul_board(f, t, team, direction, haul_rows_engine(&t, direction, HAUL_ARCH), shared, global);
    f->index = index;
    haul_begin_rows_store(f);
}

HAUL_DEVICE void haul_start_halo_load(haul_flight *f, haul_transfer t, haul_team team, const void *shared,
                                      const void *global, haul_place place, unsigned fill) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_HALO);
    haul_board(f, t, team, HAUL_DIRECTION_LOAD, haul_box_engine(&t, HAUL_DIRECTION_LOAD, HAUL_ARCH), shared, global);
    f->place = place;
    f->fill = fill;
    haul_begin_box_load(f);
}

HAUL_DEVICE void haul_start_halo_store(haul_flight *f, haul_transfer t, haul_team team, haul_direction direction,
                                       const void *shared, const void *global, haul_place place) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_HALO);
    haul_board(f, t, team, direction, haul_box_engine(&t, direction, HAUL_ARCH), shared, global);
    f->place = place;
    haul_begin_box_store(f);
}

typedef struct haul_coordinates {
    int at[5];
} haul_coordinates;

/* Coordinates of a box's first element, the innermost first. */
HAUL_DEVICE haul_coordinates haul_at5(int c0, int c1, int c2, int c3, int c4) {
    haul_coordinates c = {{c0, c1, c2, c3, c4}};
    return c;
}
HAUL_DEVICE haul_coordinates haul_at4(int c0, int c1, int c2, int c3) {
    return haul_at5(c0, c1, c2, c3, 0);
}
HAUL_DEVICE haul_coordinates haul_at3(int c0, int c1, int c2) {
    return haul_at5(c0, c1, c2, 0, 0);
}
HAUL_DEVICE haul_coordinates haul_at2(int c0, int c1) {
    return haul_at5(c0, c1, 0, 0, 0);
}
HAUL_DEVICE haul_coordinates haul_at1(int c0) {
    return haul_at5(c0, 0, 0, 0, 0);
}

/* The place of a halo's interior: element (x, y) of an array of width x height elements, whose rows are `pitch` bytes
 * apart. */
HAUL_DEVICE haul_place haul_area(int x, int y, unsigned width, unsigned height, long long pitch) {
    haul_place place = {{x, y, 0, 0, 0}, {width, height, 1, 1, 1}, {pitch, 0, 0, 0}};
    return place;
}

/* The same by named fields, in elements of the type: HAUL_AREA(float, .x = x, .y = y, .width = ..., .pitch = ...). */
#ifdef __CUDACC_RTC__ /* it has no statements in expressions */
#define HAUL_AREA(type, ...)                                                              \
    ([&] {                                                                                \
        haul_area_fields haul_given = {0, 0, 0, 0, 0};                                    \
        HAUL_EACH(HAUL_SET_FIELD, haul_given, __VA_ARGS__)                                \
        return haul_area(haul_given.x, haul_given.y, haul_given.width, haul_given.height, \
                         haul_given.pitch * (long long)sizeof(type));                     \
    }())
#else
#define HAUL_AREA(type, ...)                                                       \
    (__extension__({                                                               \
        haul_area_fields haul_given = {0, 0, 0, 0, 0};                             \
        HAUL_EACH(HAUL_SET_FIELD, haul_given, __VA_ARGS__)                         \
        haul_area(haul_given.x, haul_given.y, haul_given.width, haul_given.height, \
                  haul_given.pitch *(long long)sizeof(type));                      \
    }))
#endif

HAUL_DEVICE void haul_aim_tile(haul_flight *f, const haul_tensor_view *view, haul_coordinates c) {
    f->map = &view->map;
    f->fill = view->fill;
    f->place.at[0] = c.at[0];
    f->place.at[1] = c.at[1];
    f->place.at[2] = c.at[2];
    f->place.at[3] = c.at[3];
    f->place.at[4] = c.at[4];
    if (f->engine == HAUL_CARRIED_BY_TENSOR) return;
    unsigned long long origin = view->base + (unsigned long long)((long long)c.at[0] * f->t.element);
    f->place.extent[0] = view->extent[0];
#define HAUL_AIM_DIMENSION(d)                                         \
    if (f->t.rank > d) {                                              \
        f->place.extent[d] = view->extent[d];                         \
        f->place.pitch[d - 1] = view->pitch[d - 1];                   \
        origin += (unsigned long long)(c.at[d] * view->pitch[d - 1]); \
    }
    HAUL_AIM_DIMENSION(1)
    HAUL_AIM_DIMENSION(2)
    HAUL_AIM_DIMENSION(3)
    HAUL_AIM_DIMENSION(4)
#undef HAUL_AIM_DIMENSION
    f->global = origin;
}

HAUL_DEVICE void haul_start_tile_load(haul_flight *f, haul_transfer t, haul_team team, haul_channel *channel,
                                      const void *shared, const haul_tensor_view *view, haul_coordinates c) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_TILE);
    const unsigned engine = haul_box_engine(&t, HAUL_DIRECTION_LOAD, haul_load_arch(channel));
    haul_board(f, t, team, HAUL_DIRECTION_LOAD, engine, shared, (const void *)0);
    haul_require_channel(engine, channel);
    f->channel = channel;
    haul_aim_tile(f, view, c);
    haul_begin_box_load(f);
}

HAUL_DEVICE void haul_start_tile_store(haul_flight *f, haul_transfer t, haul_team team, haul_direction direction,
                                       const void *shared, const haul_tensor_view *view, haul_coordinates c) {
    HAUL_EXPECT_SHAPE(&t, HAUL_OF_TILE);
    haul_board(f, t, team, direction, haul_box_engine(&t, direction, HAUL_ARCH), shared, (const void *)0);
    haul_aim_tile(f, view, c);
    haul_begin_box_store(f);
}

/* ---- the functions by team ---- */

#define HAUL_UNPACK(...) __VA_ARGS__
/* Defines two functions: a verb's start, and the verb. WHO and SELF: the parameter that names the team, if there is
 * one, as declared and as passed on; PARAMETERS and ARGUMENTS: the verb's other parameters likewise; all in
 * parentheses. `shape` and `ending`: the functions that start and complete it. first: the descriptor's number among the
 * verb's parameters; TO, FROM and LAST: the distances from it to `to`, `from`, and `last`, which is `index` or `from`
 * again. */
#define HAUL_DEFINE_VERB(prefix, verb, first, WHO, SELF, PARAMETERS, ARGUMENTS, TO, FROM, LAST, last, shape, ending, \
                         STARTED)                                                                                    \
    HAUL_GIVEN_NUMBERS(1, 1 + first + TO, 1 + first + FROM, 1 + first + LAST)                                        \
    HAUL_DEVICE void haul_##prefix##_##verb##_start(haul_flight *flight, HAUL_UNPACK WHO haul_transfer t,            \
                                                    HAUL_UNPACK PARAMETERS) HAUL_GIVEN(flight) HAUL_GIVEN(to)        \
        HAUL_GIVEN(from) HAUL_GIVEN(last) {                                                                          \
        haul_start_##shape(flight, t, HAUL_UNPACK STARTED);                                                          \
    }                                                                                                                \
    HAUL_GIVEN_NUMBERS(first + TO, first + FROM, first + LAST)                                                       \
    HAUL_DEVICE void haul_##prefix##_##verb(HAUL_UNPACK WHO haul_transfer t, HAUL_UNPACK PARAMETERS) HAUL_GIVEN(to)  \
        HAUL_GIVEN(from) HAUL_GIVEN(last) {                                                                          \
        HAUL_FLIGHT(flight);                                                                                         \
        haul_##prefix##_##verb##_start(&flight, HAUL_UNPACK SELF t, HAUL_UNPACK ARGUMENTS);                          \
        haul_end_##ending(&flight);                                                                                  \
    }

/* Defines all functions of one kind of team. first: number of the descriptor among a verb's parameters; TEAM: the team
 * of a transfer t; ANY_TEAM: the team without a transfer. */
#define HAUL_DEFINE_TRANSFERS(prefix, first, WHO, SELF, TEAM, ANY_TEAM)                                                \
    HAUL_GIVEN_NUMBERS(first)                                                                                          \
    HAUL_DEVICE haul_channel haul_##prefix##_channel(HAUL_UNPACK WHO haul_channel_memory *memory) HAUL_GIVEN(memory) { \
        const haul_team all = ANY_TEAM;                                                                                \
        return haul_team_channel(&all, memory);                                                                        \
    }                                                                                                                  \
    HAUL_DEVICE void haul_##prefix##_wait(haul_flight *flight) {                                                       \
        haul_end(flight, 0);                                                                                           \
    }                                                                                                                  \
    HAUL_DEVICE void haul_##prefix##_wait_read(haul_flight *flight) {                                                  \
        haul_end(flight, 1);                                                                                           \
    }                                                                                                                  \
    HAUL_DEFINE_VERB(prefix, load, first, WHO, SELF, (haul_channel * channel, void *to, const void *from),             \
                     (channel, to, from), 2, 3, 3, from, rows_load, rows_load,                                         \
                     (TEAM, channel, to, from, HAUL_NO_INDEX, HAUL_OF_ROWS))                                           \
    HAUL_DEFINE_VERB(prefix, store, first, WHO, SELF, (void *to, const void *from), (to, from), 1, 2, 2, from,         \
                     rows_store, whole_store, (TEAM, HAUL_DIRECTION_STORE, from, to, HAUL_NO_INDEX, HAUL_OF_ROWS))     \
    HAUL_DEFINE_VERB(prefix, add, first, WHO, SELF, (void *to, const void *from), (to, from), 1, 2, 2, from,           \
                     rows_store, whole_store, (TEAM, HAUL_DIRECTION_ADD, from, to, HAUL_NO_INDEX, HAUL_OF_ROWS))       \
    HAUL_DEFINE_VERB(prefix, gather, first, WHO, SELF,                                                                 \
                     (haul_channel * channel, void *to, const void *from, const void *index),                          \
                     (channel, to, from, index), 2, 3, 4, index, rows_load, rows_load,                                 \
                     (TEAM, channel, to, from, index, HAUL_OF_LISTS))                                                  \
    HAUL_DEFINE_VERB(prefix, scatter, first, WHO, SELF, (void *to, const void *from, const void *index),               \
                     (to, from, index), 1, 2, 3, index, rows_store, whole_store,                                       \
                     (TEAM, HAUL_DIRECTION_STORE, from, to, index, HAUL_OF_LISTS))                                     \
    HAUL_DEFINE_VERB(prefix, scatter_add, first, WHO, SELF, (void *to, const void *from, const void *index),           \
                     (to, from, index), 1, 2, 3, index, rows_store, whole_store,                                       \
                     (TEAM, HAUL_DIRECTION_ADD, from, to, index, HAUL_OF_LISTS))                                       \
    HAUL_DEFINE_VERB(prefix, halo_load, first, WHO, SELF,                                                              \
                     (void *to, const void *from, haul_place place, unsigned fill), (to, from, place, fill), 1, 2, 2,  \
                     from, halo_load, box_load, (TEAM, to, from, place, fill))                                         \
    HAUL_DEFINE_VERB(prefix, halo_store, first, WHO, SELF, (void *to, const void *from, haul_place place),             \
                     (to, from, place), 1, 2, 2, from, halo_store, whole_store,                                        \
                     (TEAM, HAUL_DIRECTION_STORE, from, to, place))                                                    \
    HAUL_DEFINE_VERB(prefix, tile_load, first, WHO, SELF,                                                              \
                     (haul_channel * channel, void *to, const haul_tensor_view *from, haul_coordinates at),            \
                     (channel, to, from, at), 2, 3, 3, from, tile_load, box_load, (TEAM, channel, to, from, at))       \
    HAUL_DEFINE_VERB(prefix, tile_store, first, WHO, SELF,                                                             \
                     (const haul_tensor_view *to, haul_coordinates at, const void *from), (to, at, from), 1, 3, 3,     \
                     from, tile_store, whole_store, (TEAM, HAUL_DIRECTION_STORE, from, to, at))                        \
    HAUL_DEFINE_VERB(prefix, tile_add, first, WHO, SELF,                                                               \
                     (const haul_tensor_view *to, haul_coordinates at, const void *from), (to, at, from), 1, 3, 3,     \
                     from, tile_store, whole_store, (TEAM, HAUL_DIRECTION_ADD, from, to, at))

HAUL_DEFINE_TRANSFERS(thread, 1, (), (), haul_this_thread(), haul_this_thread())
HAUL_DEFINE_TRANSFERS(warp, 1, (), (), haul_this_warp(), haul_this_warp())
HAUL_DEFINE_TRANSFERS(warps, 2, (haul_team team, ), (team, ), team, team)
HAUL_DEFINE_TRANSFERS(block, 1, (), (), haul_this_block(t.threads), haul_this_block(0))

#endif
