/* CudaDMA's classes over haul/device.h. Programs written for cudaDMAv2.h, or for cudaDMA.h before it, compile with this
 * header in its place. docs/cudadma.md explains what each template parameter and member becomes, and how to migrate
 * further.
 *
 * C++11 or later, header only, for sm_70 and later; the interface is CudaDMA's, the code is not. Additional parameters:
 *
 *   HOW        last template parameter of each class, default HAUL_CUDADMA_HOW: flags of haul/flags.h. HAUL_BY_LDG goes
 *              through registers, as CudaDMA did; HAUL_BY_LDGSTS copies without registers; HAUL_AUTO is LDGSTS for the
 *              loads that it can make
 *
 *   DIRECTION  after HOW: HAUL_DIRECTION_LOAD, from global to shared memory, or HAUL_DIRECTION_STORE, back
 *
 * The compiler refuses wrong template arguments, with the messages of haul/device.h. Blocks have an x extent only, as
 * with CudaDMA. For programs without C++, or for bulk and tensor copies, use haul/device.h. */
#ifndef HAUL_CUDADMA_H
#define HAUL_CUDADMA_H

#ifndef __cplusplus
#error "haul/cudadma.h has CudaDMA's classes and needs C++: use haul/device.h in C"
#endif

#include <haul/device.h>
/* Host functions; NVRTC takes none, so they do nothing there. */
#ifdef __CUDACC_RTC__
#define HAUL_CUDADMA_HOST __device__
#else
#include <stdio.h>
#define HAUL_CUDADMA_HOST __host__
#endif

/* Flags of objects that do not specify their own. */
#ifndef HAUL_CUDADMA_HOW
#define HAUL_CUDADMA_HOW HAUL_BY_LDG
#endif

#define HAUL_MEMBER __device__ __forceinline__

enum CudaDMALoadQualifier {
    LOAD_CACHE_ALL,       /* ld.ca */
    LOAD_CACHE_GLOBAL,    /* ld.cg */
    LOAD_CACHE_STREAMING, /* ld.cs */
    LOAD_CACHE_LAST_USE,  /* ld.lu; with GLOBAL_LOAD too: PTX has no ld.global.lu.nc */
    LOAD_CACHE_VOLATILE   /* ld.cv; likewise */
};

/* For stores to global memory: shared memory has no such operators. */
enum CudaDMAStoreQualifier {
    STORE_WRITE_BACK,         /* st.wb */
    STORE_CACHE_GLOBAL,       /* st.cg */
    STORE_CACHE_STREAMING,    /* st.cs */
    STORE_CACHE_WRITE_THROUGH /* st.wt */
};

HAUL_DEVICE void ptx_cudaDMA_barrier_blocking(int name, int threads) {
    haul_named_sync((unsigned)name, (unsigned)threads);
}
HAUL_DEVICE void ptx_cudaDMA_barrier_nonblocking(int name, int threads) {
    haul_named_arrive((unsigned)name, (unsigned)threads);
}

/* ---- template arguments as flags ---- */

#define HAUL_CUDADMA_CONSTANT static __host__ __device__ __forceinline__ constexpr

HAUL_CUDADMA_CONSTANT haul_how haul_cudadma_load_operator(int qualifier) {
    return qualifier == LOAD_CACHE_GLOBAL      ? HAUL_LOAD_CG
           : qualifier == LOAD_CACHE_STREAMING ? HAUL_LOAD_CS
           : qualifier == LOAD_CACHE_LAST_USE  ? HAUL_LOAD_LU
           : qualifier == LOAD_CACHE_VOLATILE  ? HAUL_LOAD_CV
                                               : 0;
}

HAUL_CUDADMA_CONSTANT haul_how haul_cudadma_store_operator(int qualifier) {
    return qualifier == STORE_CACHE_GLOBAL          ? HAUL_STORE_CG
           : qualifier == STORE_CACHE_STREAMING     ? HAUL_STORE_CS
           : qualifier == STORE_CACHE_WRITE_THROUGH ? HAUL_STORE_WT
                                                    : 0;
}

/* The engine of pieces of `width` bytes: stores by threads go by LDG. */
HAUL_CUDADMA_CONSTANT haul_how haul_cudadma_engine(haul_how how, int width, haul_direction direction) {
    return direction != HAUL_DIRECTION_LOAD       ? HAUL_BY_LDG
           : HAUL_ENGINE_OF(how) != HAUL_AUTO     ? HAUL_ENGINE_OF(how)
           : width >= 4 || (how & HAUL_CONGRUENT) ? HAUL_BY_LDGSTS
                                                  : HAUL_BY_LDG;
}

/* Whether a load with GLOBAL_LOAD is read-only in PTX, which has no read-only loads that are volatile or a line's last
 * use. */
HAUL_CUDADMA_CONSTANT bool haul_cudadma_is_read_only(bool global_load, int qualifier) {
    return global_load && qualifier != LOAD_CACHE_LAST_USE && qualifier != LOAD_CACHE_VOLATILE;
}

/* The flags that qualifiers add. LDGSTS always reads global memory, and bypasses L1 if told to cache in L2. */
HAUL_CUDADMA_CONSTANT haul_how haul_cudadma_qualifiers(haul_how engine, bool global_load, int load, int store,
                                                       haul_direction direction) {
    return direction != HAUL_DIRECTION_LOAD                        ? haul_cudadma_store_operator(store)
           : engine == HAUL_BY_LDGSTS && load == LOAD_CACHE_GLOBAL ? HAUL_BYPASS_L1
           : engine == HAUL_BY_LDG && haul_cudadma_is_read_only(global_load, load)
               ? HAUL_LOAD_NC | haul_cudadma_load_operator(load)
               : haul_cudadma_load_operator(load);
}

/* `how` of a transfer, with its engine and the bytes that a thread has in flight. */
HAUL_CUDADMA_CONSTANT haul_how haul_cudadma_how(haul_how how, haul_how engine, int bytes_per_thread) {
    return (how & ~HAUL_ENGINE_BITS) | engine |
           (engine == HAUL_BY_LDG && !(how & HAUL_IN_FLIGHT_BITS) ? HAUL_IN_FLIGHT(bytes_per_thread) : 0);
}

/* ---- who takes part ---- */

HAUL_REFUSAL(haul_cudadma_without_barrier,
             "haul: a dmaID is 0 to 7: it stands for named barriers 2 dmaID and 2 dmaID + 1");
HAUL_REFUSAL(haul_cudadma_of_half_warps, "haul: DMA threads and compute threads are whole warps");

/* Compute threads and DMA threads, and the handover between them (haul/device/barrier.h). dmaID 0 takes named barrier
 * 0, which __syncthreads() uses as well: in kernels that call it, begin with 1. */
class CudaDMA {
  public:
    HAUL_MEMBER CudaDMA(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start) {
        const unsigned all = (unsigned)(num_dma_threads + num_compute_threads);
        HAUL_REFUSE_KNOWN(dmaID >= 0 && dmaID < 8, haul_cudadma_without_barrier);
        HAUL_REQUIRE(dmaID >= 0 && dmaID < 8, "CudaDMA", (unsigned)dmaID, "dmaID", "haul: a dmaID is 0 to 7");
        handover.first = 2 * (unsigned)dmaID;
        handover.threads = all;
        team.kind = HAUL_TEAM_WARPS;
        team.rank = threadIdx.x - (unsigned)dma_threadIdx_start;
        team.size = (unsigned)num_dma_threads;
        team.barrier = 0; /* DMA threads need no barrier among themselves: each stores what it has loaded */
    }
    /* Compute threads: the buffer may be filled. Does not block. */
    HAUL_MEMBER void start_async_dma() const {
        expect_warps();
        haul_compute_start(&handover);
    }
    /* Compute threads: blocks until the buffer is full. */
    HAUL_MEMBER void wait_for_dma_finish() const {
        haul_compute_wait(&handover);
    }
    /* DMA threads; execute_dma() and wait_xfer_finish() do both. */
    HAUL_MEMBER void wait_for_dma_start() const {
        expect_warps();
        haul_dma_await(&handover);
    }
    HAUL_MEMBER void finish_async_dma() const {
        haul_dma_finish(&handover);
    }
    HAUL_MEMBER bool owns_this_thread() const {
        return team.rank < team.size;
    }

  protected:
    HAUL_MEMBER void expect_warps() const {
        HAUL_REFUSE_KNOWN(handover.threads % 32 == 0, haul_cudadma_of_half_warps);
        HAUL_REQUIRE(handover.threads % 32 == 0, "CudaDMA", handover.first / 2, "handover",
                     "haul: DMA threads and compute threads are whole warps");
    }
    haul_handover handover;
    haul_team team;
};

/* For transfers that a program writes itself, between wait_for_dma_start() and finish_async_dma(). */
class CudaDMACustom : public CudaDMA {
  protected:
    HAUL_MEMBER CudaDMACustom(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start)
        : CudaDMA(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start) {}
};

/* Objects with and without a handover. */
template <bool DO_SYNC> class haul_cudadma_party : public CudaDMA {
  public:
    HAUL_MEMBER haul_cudadma_party(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start)
        : CudaDMA(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start) {}
};

#define HAUL_CUDADMA_NO_HANDOVER(member)                                                                          \
    template <bool NEVER = false> HAUL_MEMBER void member() const {                                               \
        static_assert(NEVER, "haul: " #member "() belongs to objects with DO_SYNC: others have __syncthreads()"); \
    }

template <> class haul_cudadma_party<false> : public CudaDMA {
  public:
    HAUL_MEMBER haul_cudadma_party(int, int num_dma_threads, int, int dma_threadIdx_start)
        : CudaDMA(0, num_dma_threads > 0 ? num_dma_threads : (int)blockDim.x, 0, dma_threadIdx_start) {}
    HAUL_CUDADMA_NO_HANDOVER(start_async_dma)
    HAUL_CUDADMA_NO_HANDOVER(wait_for_dma_finish)
    HAUL_CUDADMA_NO_HANDOVER(wait_for_dma_start)
    HAUL_CUDADMA_NO_HANDOVER(finish_async_dma)
};

/* ---- a constructor's numbers, in CudaDMA's order, without template arguments ---- */

template <int COUNT> struct haul_cudadma_numbers {
    int at[COUNT + 1];
    int next;
    HAUL_MEMBER int take() {
        return at[next++];
    }
    HAUL_MEMBER int take_unless(int constant) {
        return constant ? constant : take();
    }
    HAUL_MEMBER int take_or(int otherwise) {
        return next < COUNT ? take() : otherwise;
    }
};

/* The numbers that a constructor derives from them. */
struct haul_cudadma_made {
    int dma_id, dma_threads, compute_threads, first_thread, bytes, count, from_stride, to_stride;
};

/* Which strides follow the sizes. */
enum haul_cudadma_strides {
    HAUL_CUDADMA_NO_STRIDE, /* sequential objects: none */
    HAUL_CUDADMA_BOTH,      /* strided ones of version 2: one for both sides, or one a side */
    HAUL_CUDADMA_PACKED,    /* of version 1: the source's, and the destination's unless its elements are side by side */
    HAUL_CUDADMA_ALTERNATE  /* indirect ones: none, or that of the side without indices */
};

template <bool DO_SYNC, haul_cudadma_strides STRIDES, int BYTES, int THREADS, int ELEMENTS> struct haul_cudadma_maker {
    enum {
        SIZES = (BYTES == 0) + (ELEMENTS == 0),
        LEAST = (DO_SYNC ? 3 + (THREADS == 0) : 0) + SIZES +
                (STRIDES == HAUL_CUDADMA_BOTH || STRIDES == HAUL_CUDADMA_PACKED),
        MOST = LEAST + (STRIDES != HAUL_CUDADMA_NO_STRIDE) + (DO_SYNC ? 0 : (THREADS == 0) + 1)
    };
    template <int COUNT> static HAUL_MEMBER haul_cudadma_made make(haul_cudadma_numbers<COUNT> n) {
        static_assert(COUNT >= LEAST && COUNT <= MOST,
                      "haul: a CudaDMA constructor takes dmaID, DMA threads, compute threads and the first DMA thread "
                      "(without DO_SYNC the second and the last, after all others), then bytes of an element, elements "
                      "and strides; numbers that are template arguments are left out");
        haul_cudadma_made m = {0, THREADS, 0, 0, 0, 0, 0, 0};
        if (DO_SYNC) {
            m.dma_id = n.take();
            m.dma_threads = n.take_unless(THREADS);
            m.compute_threads = n.take();
            m.first_thread = n.take();
        }
        m.bytes = n.take_unless(BYTES);
        m.count = n.take_unless(ELEMENTS);
        if (STRIDES != HAUL_CUDADMA_NO_STRIDE) m.from_stride = n.take_or(0);
        if (STRIDES == HAUL_CUDADMA_BOTH) m.to_stride = n.take_or(m.from_stride);
        if (STRIDES == HAUL_CUDADMA_PACKED) m.to_stride = n.take_or(m.bytes);
        if (!DO_SYNC) {
            m.dma_threads = THREADS ? THREADS : n.take_or(0);
            m.first_thread = n.take_or(0);
        }
        return m;
    }
};

/* ---- elements that an index places in shared memory: scattered by loads, gathered by stores ---- */

/* Places are counted in elements; shared_pitch is 0. */
HAUL_DEVICE unsigned haul_placed_shared(const haul_flight *f, const haul_piece *p) {
    return f->shared + ((const unsigned *)f->index)[p->element] * f->t.bytes + (unsigned)p->shared;
}

HAUL_DEVICE void haul_fetch_placed_load(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, 0, i);
    haul_load_global(v, f->global + (unsigned long long)p.global, haul_rows_width(&f->t, area), f->t.how);
}

HAUL_DEVICE void haul_put_placed_load(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, 0, i);
    haul_store_shared(haul_placed_shared(f, &p), v, haul_rows_width(&f->t, area));
}

HAUL_DEVICE void haul_fetch_placed_store(const haul_flight *f, unsigned area, unsigned i, uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, 0, i);
    haul_load_shared(v, haul_placed_shared(f, &p), haul_rows_width(&f->t, area));
}

HAUL_DEVICE void haul_put_placed_store(const haul_flight *f, unsigned area, unsigned i, const uint4 *v) {
    const haul_piece p = haul_row_piece(&f->t, 0, i);
    haul_put_global(f, f->global + (unsigned long long)p.global, v, haul_rows_width(&f->t, area));
}

HAUL_DEVICE unsigned haul_placed_count(const haul_transfer *t, unsigned area, unsigned head) {
    return haul_rows_count(t, area, head);
}

HAUL_DEVICE unsigned haul_placed_held(const haul_flight *f) {
    return haul_rows_held(f);
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
HAUL_DEFINE_MOVES(placed, load)
HAUL_DEFINE_MOVES(placed, store)

HAUL_DEVICE void haul_ldgsts_placed(haul_flight *f) {
    const unsigned count = haul_rows_count(&f->t, 0, 0), steps = haul_steps(f, count);
#pragma unroll 8
    for (unsigned k = 0; k < steps; k++) {
        if (!haul_has_step(f, count, k)) continue;
        const haul_piece p = haul_row_piece(&f->t, 0, f->team.rank + k * f->team.size);
        haul_ldgsts(haul_placed_shared(f, &p), f->global + (unsigned long long)p.global, haul_rows_width(&f->t, 0),
                    f->t.how);
    }
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/* ---- two phases ---- */

/* State that start_xfer_async() leaves for wait_xfer_finish(): the loads, as named members, because an array would keep
 * a compiler from splitting the object into registers, and their source. */
struct haul_cudadma_pending {
    uint4 v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15;
    const void *from, *index;
};
#define HAUL_CUDADMA_EACH_HELD(EACH) \
    EACH(0)                          \
    EACH(1)                          \
    EACH(2)                          \
    EACH(3) EACH(4) EACH(5) EACH(6) EACH(7) EACH(8) EACH(9) EACH(10) EACH(11) EACH(12) EACH(13) EACH(14) EACH(15)

HAUL_DEVICE void haul_cudadma_keep(haul_cudadma_pending *pending, const haul_flight *f, unsigned held) {
#define HAUL_KEEP(n) \
    if (n < held) pending->v##n = f->held[n];
    HAUL_CUDADMA_EACH_HELD(HAUL_KEEP)
#undef HAUL_KEEP
}

HAUL_DEVICE void haul_cudadma_take_up(const haul_cudadma_pending *pending, const haul_flight *f, unsigned held) {
#define HAUL_TAKE_UP(n) \
    if (n < held) f->held[n] = pending->v##n;
    HAUL_CUDADMA_EACH_HELD(HAUL_TAKE_UP)
#undef HAUL_TAKE_UP
}

/* ---- transfers of elements: the common part of sequential, strided and indirect objects ---- */

/* PLACED: an index gives the elements' places in shared memory. */
template <bool DO_SYNC, int ALIGNMENT, int BYTES_PER_THREAD, haul_how HOW, haul_direction DIRECTION, bool PLACED>
class haul_cudadma_rows : public haul_cudadma_party<DO_SYNC> {
  protected:
    static constexpr bool LOADS = DIRECTION == HAUL_DIRECTION_LOAD;
    static constexpr haul_how ENGINE = haul_cudadma_engine(HOW, ALIGNMENT, DIRECTION);

    HAUL_MEMBER explicit haul_cudadma_rows(const haul_cudadma_made &m)
        : haul_cudadma_party<DO_SYNC>(m.dma_id, m.dma_threads, m.compute_threads, m.first_thread) {}

    /* Checks the template arguments. Sizes known only at run time are 0. */
    template <int BYTES, int THREADS> HAUL_MEMBER void check() const {
        constexpr haul_how how = haul_cudadma_how(HOW, ENGINE, BYTES_PER_THREAD);
        static_assert(LOADS || DIRECTION == HAUL_DIRECTION_STORE, "haul: CudaDMA objects load or store");
        static_assert(ENGINE == HAUL_BY_LDG || ENGINE == HAUL_BY_LDGSTS,
                      "haul: CudaDMA objects go by LDG or LDGSTS; bulk and tensor copies are haul/device.h's");
        static_assert(BYTES_PER_THREAD >= ALIGNMENT, "haul: BYTES_PER_THREAD is at least ALIGNMENT");
        static_assert(BYTES >= 0 && THREADS >= 0, "haul: sizes and numbers of threads are not negative");
        static_assert(!PLACED || !(HOW & HAUL_CONGRUENT),
                      "haul: HAUL_CONGRUENT does not go with indices of shared memory");
        HAUL_CHECK_COMMON(HAUL_ASSERT, CudaDMA, ALIGNMENT, THREADS, how, HAUL_OF_ROWS, HAUL_ARCH);
        HAUL_CHECK_ROWS(HAUL_ASSERT, CudaDMA, (BYTES ? BYTES : ALIGNMENT), 0, 0, ALIGNMENT, how);
    }

    /* A flight between the two pointers. */
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>
    HAUL_MEMBER void board(haul_flight *f, const void *from, const void *to, const void *index) const {
        constexpr haul_how how = haul_cudadma_how(HOW, ENGINE, BYTES_PER_THREAD) |
                                 haul_cudadma_qualifiers(ENGINE, GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL, DIRECTION);
        static_assert(LOADS || !GLOBAL_LOAD,
                      "haul: GLOBAL_LOAD says that the source is global memory; a store's is not");
        static_assert(LOAD_QUAL >= LOAD_CACHE_ALL && LOAD_QUAL <= LOAD_CACHE_VOLATILE, "haul: no such load qualifier");
        static_assert(STORE_QUAL >= STORE_WRITE_BACK && STORE_QUAL <= STORE_CACHE_WRITE_THROUGH,
                      "haul: no such store qualifier");
        HAUL_CHECK_HOW(HAUL_ASSERT, CudaDMA, how, HAUL_OF_ROWS, HAUL_ARCH);
        HAUL_EXPECT(this->owns_this_thread(), "CudaDMA", this->handover.first / 2, "DMA thread",
                    "haul: a thread that the object does not own calls it");
        haul_transfer same = t;
        same.how = how;
        haul_board(f, same, this->team, DIRECTION, (unsigned)HAUL_ENGINE_NUMBER(ENGINE), LOADS ? to : from,
                   LOADS ? from : to);
        f->index = index;
    }

    HAUL_MEMBER void await() const {
        if (DO_SYNC) CudaDMA::wait_for_dma_start();
    }
    HAUL_MEMBER void finish() const {
        if (DO_SYNC) CudaDMA::finish_async_dma();
    }

    /* Loads through registers as much as may be in flight; stores all of it once the destination is free. */
    HAUL_MEMBER void hold(haul_flight *f) const {
        if (PLACED)
            LOADS ? haul_hold_placed_load(f) : haul_hold_placed_store(f);
        else
            LOADS ? haul_hold_rows_load(f) : haul_hold_rows_store(f);
    }
    HAUL_MEMBER void release(haul_flight *f) const {
        const unsigned held = haul_rows_held(f);
        if (PLACED) {
            LOADS ? haul_release_placed_load(f) : haul_release_placed_store(f);
            LOADS ? haul_move_placed_load(f, 0, held) : haul_move_placed_store(f, 0, held);
        } else {
            LOADS ? haul_release_rows_load(f) : haul_release_rows_store(f);
            LOADS ? haul_move_rows_load(f, 0, held) : haul_move_rows_store(f, 0, held);
            LOADS ? haul_load_crumbs(f) : haul_store_crumbs(f);
        }
    }
    HAUL_MEMBER void issue(haul_flight *f) const {
        if (PLACED)
            haul_ldgsts_placed(f);
        else
            haul_issue_rows_load(f);
    }

    /* The source of a store and the destination of LDGSTS belong to the DMA threads once the transfer is started. */
    HAUL_MEMBER void begin(haul_flight *f) const {
        if (!LOADS || ENGINE == HAUL_BY_LDGSTS) await();
        if (ENGINE == HAUL_BY_LDGSTS)
            issue(f);
        else
            hold(f);
    }
    HAUL_MEMBER void end(haul_flight *f) const {
        if (LOADS && ENGINE == HAUL_BY_LDG) await();
        if (ENGINE == HAUL_BY_LDGSTS)
            haul_ldgsts_wait_all();
        else
            release(f);
        finish();
    }

    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>
    HAUL_MEMBER void execute(const void *from, void *to, const void *index) const {
        HAUL_FLIGHT(f);
        board<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(&f, from, to, index);
        begin(&f);
        end(&f);
    }
    /* to: an address as far from a multiple of 16 as the destination will be. */
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>
    HAUL_MEMBER void start(const void *from, const void *to, const void *index) {
        HAUL_FLIGHT(f);
        board<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(&f, from, to, index);
        begin(&f);
        pending.from = from;
        pending.index = index;
        if (ENGINE == HAUL_BY_LDG) haul_cudadma_keep(&pending, &f, haul_rows_held(&f));
    }
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL> HAUL_MEMBER void wait(void *to) const {
        HAUL_FLIGHT(f);
        board<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(&f, pending.from, to, pending.index);
        if (ENGINE == HAUL_BY_LDG) haul_cudadma_take_up(&pending, &f, haul_rows_held(&f));
        end(&f);
    }

    haul_transfer t;
    haul_cudadma_pending pending;

  public:
    /* Each of CudaDMA's three forms: without qualifiers, with GLOBAL_LOAD, with all of them. */
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL> HAUL_MEMBER void wait_xfer_finish(void *dst_ptr) const {
        wait<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(dst_ptr);
    }
    template <bool GLOBAL_LOAD> HAUL_MEMBER void wait_xfer_finish(void *dst_ptr) const {
        wait<GLOBAL_LOAD, LOAD_CACHE_ALL, STORE_WRITE_BACK>(dst_ptr);
    }
    HAUL_MEMBER void wait_xfer_finish(void *dst_ptr) const {
        wait<false, LOAD_CACHE_ALL, STORE_WRITE_BACK>(dst_ptr);
    }
};

/* execute_dma() and start_xfer_async() in three forms each. LDGSTS needs the destination when it starts: it takes it as
 * an additional argument, and wait_xfer_finish() takes the same again. PARAMETERS and ARGUMENTS: of the index, if there
 * is one; INDEX: itself, or 0. */
#define HAUL_CUDADMA_VERBS(PARAMETERS, ARGUMENTS, INDEX)                                                          \
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>                                                    \
    HAUL_MEMBER void execute_dma(HAUL_UNPACK PARAMETERS const void *src_ptr, void *dst_ptr) const {               \
        this->template execute<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(src_ptr, dst_ptr, INDEX);                      \
    }                                                                                                             \
    template <bool GLOBAL_LOAD>                                                                                   \
    HAUL_MEMBER void execute_dma(HAUL_UNPACK PARAMETERS const void *src_ptr, void *dst_ptr) const {               \
        execute_dma<GLOBAL_LOAD, LOAD_CACHE_ALL, STORE_WRITE_BACK>(HAUL_UNPACK ARGUMENTS src_ptr, dst_ptr);       \
    }                                                                                                             \
    HAUL_MEMBER void execute_dma(HAUL_UNPACK PARAMETERS const void *src_ptr, void *dst_ptr) const {               \
        execute_dma<false, LOAD_CACHE_ALL, STORE_WRITE_BACK>(HAUL_UNPACK ARGUMENTS src_ptr, dst_ptr);             \
    }                                                                                                             \
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>                                                    \
    HAUL_MEMBER void start_xfer_async(HAUL_UNPACK PARAMETERS const void *src_ptr, void *dst_ptr) {                \
        this->template start<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(src_ptr, dst_ptr, INDEX);                        \
    }                                                                                                             \
    HAUL_MEMBER void start_xfer_async(HAUL_UNPACK PARAMETERS const void *src_ptr, void *dst_ptr) {                \
        start_xfer_async<false, LOAD_CACHE_ALL, STORE_WRITE_BACK>(HAUL_UNPACK ARGUMENTS src_ptr, dst_ptr);        \
    }                                                                                                             \
    template <bool GLOBAL_LOAD, int LOAD_QUAL, int STORE_QUAL>                                                    \
    HAUL_MEMBER void start_xfer_async(HAUL_UNPACK PARAMETERS const void *src_ptr) {                               \
        static_assert(                                                                                            \
            haul_cudadma_engine(HOW, ALIGNMENT, DIRECTION) == HAUL_BY_LDG,                                        \
            "haul: LDGSTS starts when it knows where to: start_xfer_async(source, destination), or HAUL_BY_LDG"); \
        this->template start<GLOBAL_LOAD, LOAD_QUAL, STORE_QUAL>(src_ptr, src_ptr, INDEX);                        \
    }                                                                                                             \
    template <bool GLOBAL_LOAD> HAUL_MEMBER void start_xfer_async(HAUL_UNPACK PARAMETERS const void *src_ptr) {   \
        start_xfer_async<GLOBAL_LOAD, LOAD_CACHE_ALL, STORE_WRITE_BACK>(HAUL_UNPACK ARGUMENTS src_ptr);           \
    }                                                                                                             \
    HAUL_MEMBER void start_xfer_async(HAUL_UNPACK PARAMETERS const void *src_ptr) {                               \
        start_xfer_async<false, LOAD_CACHE_ALL, STORE_WRITE_BACK>(HAUL_UNPACK ARGUMENTS src_ptr);                 \
    }

/* ---- diagnose ---- */

/* Prints steps as CudaDMA counts them (a step brings all that the DMA threads may have in flight), and the command that
 * prints the rest. Host. */
static inline HAUL_CUDADMA_HOST void haul_cudadma_diagnose(const char *name, const char *shape, int alignment,
                                                           int bytes_per_thread, int bytes_per_elmt,
                                                           int num_dma_threads, int num_elmts, bool fully_templated,
                                                           bool verbose) {
#ifndef __CUDACC_RTC__
    const bool wrong = alignment <= 0 || bytes_per_thread < alignment || bytes_per_thread % alignment ||
                       bytes_per_elmt <= 0 || num_dma_threads <= 0 || num_elmts <= 0;
    printf("%s: %d element%s of %d bytes, aligned to %d, by %d DMA threads with %d bytes in flight each\n", name,
           num_elmts, num_elmts == 1 ? "" : "s", bytes_per_elmt, alignment, num_dma_threads, bytes_per_thread);
    if (wrong) {
        printf("  Not possible: all numbers are at least 1, and bytes in flight are a multiple of the alignment.\n");
        return;
    }
    const long long pieces = (long long)num_elmts * ((bytes_per_elmt + alignment - 1) / alignment);
    const long long a_step = (long long)num_dma_threads * (bytes_per_thread / alignment);
    const long long steps = (pieces + a_step - 1) / a_step;
    if (verbose) printf("  %lld accesses of up to %d bytes; a step has room for %lld\n", pieces, alignment, a_step);
    printf("  Steps: %lld. %s%s\n", steps,
           steps == 1 ? "All of it is in flight at once."
                      : "To have all of it in flight at once: more DMA threads, or more bytes in flight of each",
           steps == 1       ? ""
           : alignment < 16 ? ", or a wider alignment."
                            : ".");
    printf("  haul diagnose %s --bytes %d", shape, bytes_per_elmt);
    if (num_elmts > 1) printf(" --count %d", num_elmts);
    printf(" --align %d --team warps --dma-threads %d --threads %d --engine ldg --how in-flight=%d%s\n", alignment,
           num_dma_threads, num_dma_threads, bytes_per_thread, fully_templated ? "" : " --run-time");
#endif
}

/* ---- CudaDMASequential ---- */

/* BYTES_PER_ELMT contiguous bytes; 0: known at run time, as DMA_THREADS. */
template <bool DO_SYNC = false, int ALIGNMENT = 0, int BYTES_PER_THREAD = 4 * ALIGNMENT, int BYTES_PER_ELMT = 0,
          int DMA_THREADS = 0, haul_how HOW = HAUL_CUDADMA_HOW, haul_direction DIRECTION = HAUL_DIRECTION_LOAD>
class CudaDMASequential : public haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION, false> {
    typedef haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION, false> rows;
    typedef haul_cudadma_maker<DO_SYNC, HAUL_CUDADMA_NO_STRIDE, BYTES_PER_ELMT, DMA_THREADS, 1> maker;

    HAUL_MEMBER explicit CudaDMASequential(haul_cudadma_made m) : rows(m) {
        this->template check<BYTES_PER_ELMT, DMA_THREADS>();
        this->t = (haul_sequential)((unsigned)m.bytes, ALIGNMENT, (unsigned)m.dma_threads, 0);
    }

  public:
    template <typename... NUMBERS>
    HAUL_MEMBER explicit CudaDMASequential(NUMBERS... numbers)
        : CudaDMASequential(maker::make(haul_cudadma_numbers<(int)sizeof...(numbers)>{{(int)numbers..., 0}, 0})) {}
    HAUL_CUDADMA_VERBS((), (), HAUL_NO_INDEX)

    static HAUL_CUDADMA_HOST void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads,
                                           bool fully_templated, bool verbose = false) {
        haul_cudadma_diagnose("CudaDMASequential", "sequential", alignment, bytes_per_thread, bytes_per_elmt,
                              num_dma_threads, 1, fully_templated, verbose);
    }
};

/* ---- CudaDMAStrided ---- */

/* NUM_ELMTS elements, strides in bytes: one for both sides, or the source's and the destination's. STRIDES: the meaning
 * of a single one. */
template <bool DO_SYNC = false, int ALIGNMENT = 0, int BYTES_PER_THREAD = 4 * ALIGNMENT, int BYTES_PER_ELMT = 0,
          int DMA_THREADS = 0, int NUM_ELMTS = 0, haul_how HOW = HAUL_CUDADMA_HOW,
          haul_direction DIRECTION = HAUL_DIRECTION_LOAD, haul_cudadma_strides STRIDES = HAUL_CUDADMA_BOTH>
class CudaDMAStrided : public haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION, false> {
    typedef haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION, false> rows;
    typedef haul_cudadma_maker<DO_SYNC, STRIDES, BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS> maker;

    HAUL_MEMBER explicit CudaDMAStrided(haul_cudadma_made m) : rows(m) {
        const bool loads = DIRECTION == HAUL_DIRECTION_LOAD;
        this->template check<BYTES_PER_ELMT, DMA_THREADS>();
        this->t = (haul_strided)((unsigned)m.count, (unsigned)m.bytes, (unsigned)(loads ? m.to_stride : m.from_stride),
                                 loads ? m.from_stride : m.to_stride, ALIGNMENT, (unsigned)m.dma_threads, 0);
    }

  public:
    template <typename... NUMBERS>
    HAUL_MEMBER explicit CudaDMAStrided(NUMBERS... numbers)
        : CudaDMAStrided(maker::make(haul_cudadma_numbers<(int)sizeof...(numbers)>{{(int)numbers..., 0}, 0})) {}
    HAUL_CUDADMA_VERBS((), (), HAUL_NO_INDEX)

    static HAUL_CUDADMA_HOST void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads,
                                           int num_elmts, bool fully_templated, bool verbose = false) {
        haul_cudadma_diagnose("CudaDMAStrided", "strided", alignment, bytes_per_thread, bytes_per_elmt, num_dma_threads,
                              num_elmts, fully_templated, verbose);
    }
};

/* ---- CudaDMAIndirect ---- */

/* GATHER: element i comes from place index[i] of the source; else it goes to place index[i] of the destination. Places
 * are BYTES_PER_ELMT apart; on the other side elements are `alternate_stride` bytes apart, at least BYTES_PER_ELMT.
 * Indices are not negative. */
template <bool GATHER = true, bool DO_SYNC = false, int ALIGNMENT = 0, int BYTES_PER_THREAD = 4 * ALIGNMENT,
          int BYTES_PER_ELMT = 0, int DMA_THREADS = 0, int NUM_ELMTS = 0, haul_how HOW = HAUL_CUDADMA_HOW,
          haul_direction DIRECTION = HAUL_DIRECTION_LOAD>
class CudaDMAIndirect : public haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION,
                                                 GATHER != (DIRECTION == HAUL_DIRECTION_LOAD)> {
    static constexpr bool PLACED = GATHER != (DIRECTION == HAUL_DIRECTION_LOAD);
    typedef haul_cudadma_rows<DO_SYNC, ALIGNMENT, BYTES_PER_THREAD, HOW, DIRECTION, PLACED> rows;
    typedef haul_cudadma_maker<DO_SYNC, HAUL_CUDADMA_ALTERNATE, BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS> maker;

    HAUL_MEMBER explicit CudaDMAIndirect(haul_cudadma_made m) : rows(m) {
        const int stride = m.from_stride > m.bytes ? m.from_stride : m.bytes;
        this->template check<BYTES_PER_ELMT, DMA_THREADS>();
        /* whole pieces only: no element has a narrower rest */
        if (PLACED)
            this->t = (haul_strided)((unsigned)m.count, (unsigned)m.bytes, 0, stride, HAUL_LOW_BIT(ALIGNMENT | m.bytes),
                                     (unsigned)m.dma_threads, 0);
        else
            this->t = (haul_indirect)((unsigned)m.count, (unsigned)m.bytes, (unsigned)stride, m.bytes, ALIGNMENT,
                                      (unsigned)m.dma_threads, 0);
    }

  public:
    template <typename... NUMBERS>
    HAUL_MEMBER explicit CudaDMAIndirect(NUMBERS... numbers)
        : CudaDMAIndirect(maker::make(haul_cudadma_numbers<(int)sizeof...(numbers)>{{(int)numbers..., 0}, 0})) {}
    HAUL_CUDADMA_VERBS((const int *index_ptr, ), (index_ptr, ), index_ptr)

    static HAUL_CUDADMA_HOST void diagnose(int alignment, int bytes_per_thread, int bytes_per_elmt, int num_dma_threads,
                                           int num_elmts, bool fully_templated, bool verbose = false) {
        haul_cudadma_diagnose("CudaDMAIndirect", "indirect", alignment, bytes_per_thread, bytes_per_elmt,
                              num_dma_threads, num_elmts, fully_templated, verbose);
    }
};

/* ---- CudaDMAHalo ---- */

/* The ring of RADIUS elements around dimx x dimy elements. Both pointers are to the interior's first element. Rows are
 * `pitch` elements apart in global memory and dimx + 2 RADIUS in shared memory. ALIGNMENT: of the rows' first bytes. */
template <typename ELMT_TYPE, int RADIUS, bool CORNERS, int ALIGNMENT, haul_how HOW = HAUL_CUDADMA_HOW>
class CudaDMAHalo : public CudaDMA {
  public:
    HAUL_MEMBER CudaDMAHalo(int dmaID, int num_dma_threads, int num_compute_threads, int dma_threadIdx_start, int dimx,
                            int dimy, int pitch)
        : CudaDMA(dmaID, num_dma_threads, num_compute_threads, dma_threadIdx_start) {
        constexpr int size = (int)sizeof(ELMT_TYPE), side = RADIUS * size;
        constexpr haul_how how = (HOW & ~HAUL_ENGINE_BITS) | haul_cudadma_engine(HOW, size, HAUL_DIRECTION_LOAD) |
                                 HAUL_RING_ONLY | HAUL_UNBOUNDED | (CORNERS ? 0 : HAUL_NO_CORNERS);
        constexpr int aligned = ALIGNMENT > size ? ALIGNMENT : size; /* as pointers to elements are */
        HAUL_CHECK_COMMON(HAUL_ASSERT, CudaDMAHalo, ALIGNMENT, 0, how, HAUL_OF_HALO, HAUL_ARCH);
        HAUL_CHECK_BOX(HAUL_ASSERT, CudaDMAHalo, size, aligned, aligned, how);
        static_assert(RADIUS > 0, "haul: CudaDMAHalo: a halo has a radius of at least 1");
        static_assert(HAUL_ENGINE_OF(how) != HAUL_BY_LDGSTS || size % 4 == 0,
                      "haul: CudaDMAHalo: LDGSTS moves 4, 8 or 16 bytes");
        const int row = (dimx + 2 * RADIUS) * size;
        /* common alignment of the origin and both pitches */
        const unsigned alignment = HAUL_LOW_BIT(aligned | side | row | pitch * size);
        t = (haul_halo)(size, (unsigned)dimx, (unsigned)dimy, RADIUS, (unsigned)row, alignment,
                        (unsigned)num_dma_threads, how);
        place = haul_area(0, 0, (unsigned)dimx, (unsigned)dimy, (long long)pitch * size);
    }
    HAUL_MEMBER void execute_dma(const void *src_origin, void *dst_origin) const {
        wait_for_dma_start();
        execute_dma_no_sync(src_origin, dst_origin);
        finish_async_dma();
    }
    HAUL_MEMBER void execute_dma_no_sync(const void *src_origin, void *dst_origin) const {
        HAUL_FLIGHT(f);
        haul_board(&f, t, team, HAUL_DIRECTION_LOAD, (unsigned)HAUL_ENGINE_NUMBER(t.how), dst_origin, src_origin);
        f.place = place;
        if (HAUL_ENGINE_NUMBER(t.how) == HAUL_CARRIED_BY_LDGSTS) {
            haul_issue_box_load(&f);
            haul_ldgsts_wait_all();
        } else {
            haul_move_all_box_load(&f, 0);
        }
    }

  private:
    haul_transfer t;
    haul_place place;
};

/* ---- names of CudaDMA 1 ---- */

template <bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT = 0, int DMA_THREADS = 0>
using cudaDMASequential = CudaDMASequential<DO_SYNC, ALIGNMENT, 4 * ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS>;
template <bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT = 0, int DMA_THREADS = 0, int NUM_ELMTS = 0>
using cudaDMAStrided = CudaDMAStrided<DO_SYNC, ALIGNMENT, 4 * ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS,
                                      HAUL_CUDADMA_HOW, HAUL_DIRECTION_LOAD, HAUL_CUDADMA_PACKED>;
template <bool GATHER, bool DO_SYNC, int ALIGNMENT, int BYTES_PER_ELMT = 0, int DMA_THREADS = 0, int NUM_ELMTS = 0>
using cudaDMAIndirect =
    CudaDMAIndirect<GATHER, DO_SYNC, ALIGNMENT, 4 * ALIGNMENT, BYTES_PER_ELMT, DMA_THREADS, NUM_ELMTS>;
template <typename ELMT_TYPE, int RADIUS, bool CORNERS, int ALIGNMENT>
using cudaDMAHalo = CudaDMAHalo<ELMT_TYPE, RADIUS, CORNERS, ALIGNMENT>;
typedef CudaDMACustom cudaDMACustom;

#endif
