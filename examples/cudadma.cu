/* Programs in CudaDMA's manner: SAXPY, a stencil, a gather, a dense and a sparse matrix-vector product. Each comes
 *
 *   _plain     without shared memory
 *   _by_hand   with DMA warps whose loads and stores are written out, as CudaDMA's objects make them
 *   _objects   with the objects of haul/cudadma.h in their place
 *   _ldgsts    with the same objects, told to copy without registers
 *   _pipeline  with a pipeline of haul/device.h, which takes bulk copies on sm_90
 *
 * cudadma.c runs all of them and compares results and traffic; docs/cudadma.md explains them. All take
 *   (a, b, index, out, rounds)
 * and a block does `rounds` tiles, an even number. */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/cudadma.h>

#define DEVICE static __device__ __forceinline__
#define STAGES 4

/* ---- DMA by hand: as many loads as may be in flight, then the start, as many stores, and so on ---- */

template <int THREADS> class by_hand : public CudaDMACustom {
  protected:
    size_t self;
    HAUL_MEMBER by_hand(int id, int compute, int first) : CudaDMACustom(id, THREADS, compute, first) {
        self = threadIdx.x - (size_t)first;
    }
    /* WORD: bytes of an access; piece k of COUNT comes from from(k) and goes to to(k). */
    template <class WORD, int COUNT, int IN_FLIGHT, class FROM, class TO>
    HAUL_MEMBER void move(const FROM &from, const TO &to) const {
        enum { HELD = IN_FLIGHT / (int)sizeof(WORD) };
        WORD v[HELD];
#pragma unroll
        for (unsigned first = 0; first < COUNT; first += THREADS * HELD) {
#pragma unroll
            for (unsigned i = 0; i < HELD; i++)
                if (first + i * THREADS + self < COUNT) v[i] = *(const WORD *)from.at(first + i * THREADS + self);
            if (first == 0) wait_for_dma_start();
#pragma unroll
            for (unsigned i = 0; i < HELD; i++)
                if (first + i * THREADS + self < COUNT) *(WORD *)to.at(first + i * THREADS + self) = v[i];
        }
        finish_async_dma();
    }
};

/* The start of piece k: in one run; in elements of PIECES words of SIZE bytes; in elements chosen by an index. */
template <int SIZE> struct run {
    const char *first;
    HAUL_MEMBER char *at(size_t k) const {
        return (char *)first + k * SIZE;
    }
};
template <int SIZE, int PIECES> struct every {
    const char *first;
    unsigned pitch;
    HAUL_MEMBER char *at(size_t k) const {
        return (char *)first + k / PIECES * pitch + k % PIECES * SIZE;
    }
};
template <int SIZE, int PIECES> struct chosen {
    const char *first;
    const int *index;
    HAUL_MEMBER const char *at(size_t k) const {
        return first + (size_t)index[k / PIECES] * (PIECES * SIZE) + k % PIECES * SIZE;
    }
};

template <int BYTES, int THREADS, int IN_FLIGHT> struct hand_run : by_hand<THREADS> {
    HAUL_MEMBER hand_run(int id, int compute, int first) : by_hand<THREADS>(id, compute, first) {}
    HAUL_MEMBER void execute_dma(const void *from, void *to) const {
        const run<16> source = {(const char *)from}, target = {(char *)to};
        this->template move<uint4, BYTES / 16, IN_FLIGHT>(source, target);
    }
};

template <int BYTES, int COUNT, int THREADS, int IN_FLIGHT> struct hand_rows : by_hand<THREADS> {
    unsigned source_pitch, target_pitch;
    HAUL_MEMBER hand_rows(int id, int compute, int first, int from, int to) : by_hand<THREADS>(id, compute, first) {
        source_pitch = (unsigned)from, target_pitch = (unsigned)to;
    }
    HAUL_MEMBER void execute_dma(const void *from, void *to) const {
        const every<16, BYTES / 16> source = {(const char *)from, source_pitch}, target = {(char *)to, target_pitch};
        this->template move<uint4, COUNT *(BYTES / 16), IN_FLIGHT>(source, target);
    }
};

template <class WORD, int BYTES, int COUNT, int THREADS, int IN_FLIGHT> struct hand_gather : by_hand<THREADS> {
    enum { SIZE = (int)sizeof(WORD), PIECES = BYTES / SIZE };
    HAUL_MEMBER hand_gather(int id, int compute, int first) : by_hand<THREADS>(id, compute, first) {}
    HAUL_MEMBER void execute_dma(const int *index, const void *from, void *to) const {
        const chosen<SIZE, PIECES> source = {(const char *)from, index};
        const run<SIZE> target = {(char *)to};
        this->template move<WORD, COUNT * PIECES, IN_FLIGHT>(source, target);
    }
};

/* Kernels with one body, by hand and by objects. */
#define PARAMETERS const float *a, const float *b, const int *index, float *out, unsigned rounds
#define ARGUMENTS a, b, index, out, rounds
#define FORM(name, ...)                                                     \
    extern "C" __global__ void __launch_bounds__(384, 2) name(PARAMETERS) { \
        __VA_ARGS__(ARGUMENTS);                                             \
    }                                                                       \
    static_assert(true, "ends with a semicolon")

/* ---- SAXPY: out[i] = 2 a[i] + out[i]. Tiles of 1024 floats; 256 compute threads, and a DMA warp for each buffer of a
 * and of out: double buffering. Blocks of 384; _pipeline of 288, _plain of 256 threads. ---- */

namespace saxpy {
enum { TILE = 1024, BYTES = 4 * TILE, COMPUTE = 256, DMA = 32, IN_FLIGHT = 128 };
typedef hand_run<BYTES, DMA, IN_FLIGHT> hand;
typedef CudaDMASequential<true, 16, IN_FLIGHT, BYTES, DMA> object;
typedef CudaDMASequential<true, 16, IN_FLIGHT, BYTES, DMA, HAUL_BY_LDGSTS> ldgsts;

DEVICE size_t tile_at(unsigned round) {
    return ((size_t)round * gridDim.x + blockIdx.x) * TILE;
}

DEVICE void use(float *out, const float *x, const float *y, unsigned round) {
    const float4 p = ((const float4 *)x)[threadIdx.x], q = ((const float4 *)y)[threadIdx.x];
    ((float4 *)(out + tile_at(round)))[threadIdx.x] =
        make_float4(fmaf(2, p.x, q.x), fmaf(2, p.y, q.y), fmaf(2, p.z, q.z), fmaf(2, p.w, q.w));
}

template <class OBJECT>
DEVICE void serve(const OBJECT &dma, float *tile, const float *from, unsigned first, unsigned rounds) {
    for (unsigned k = first; k < rounds; k += 2) dma.execute_dma(from + tile_at(k), tile);
}

template <class OBJECT> DEVICE void twice(PARAMETERS) {
    __shared__ __align__(128) float x[2][TILE], y[2][TILE];
    OBJECT x0(1, COMPUTE, COMPUTE), y0(2, COMPUTE, COMPUTE + DMA);
    OBJECT x1(3, COMPUTE, COMPUTE + 2 * DMA), y1(4, COMPUTE, COMPUTE + 3 * DMA);
    if (x0.owns_this_thread()) {
        serve(x0, x[0], a, 0, rounds);
    } else if (y0.owns_this_thread()) {
        serve(y0, y[0], out, 0, rounds);
    } else if (x1.owns_this_thread()) {
        serve(x1, x[1], a, 1, rounds);
    } else if (y1.owns_this_thread()) {
        serve(y1, y[1], out, 1, rounds);
    } else {
        x0.start_async_dma(), y0.start_async_dma(), x1.start_async_dma(), y1.start_async_dma();
        for (unsigned k = 0; k < rounds; k += 2) {
            x0.wait_for_dma_finish(), y0.wait_for_dma_finish();
            use(out, x[0], y[0], k);
            if (k + 2 < rounds) x0.start_async_dma(), y0.start_async_dma();
            x1.wait_for_dma_finish(), y1.wait_for_dma_finish();
            use(out, x[1], y[1], k + 1);
            if (k + 2 < rounds) x1.start_async_dma(), y1.start_async_dma();
        }
    }
}

DEVICE void plain(PARAMETERS) {
    for (unsigned k = 0; k < rounds; k++) use(out, a + tile_at(k), out + tile_at(k), k);
}

DEVICE void pipeline(PARAMETERS) {
    __shared__ __align__(128) float x[STAGES][TILE], y[STAGES][TILE];
    HAUL_SEQUENTIAL_WITH(tile, float, .count = TILE, .vector = 4, .threads = DMA);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .first_producer_warp = COMPUTE / 32, .producer_warps = DMA / 32,
                             .consumer_warps = COMPUTE / 32);
    if (haul_is_producer(&ring)) {
        haul_producer w = haul_producer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_producer_acquire(&w);
            haul_producer_load(&w, tile, x[s], a + tile_at(k));
            haul_producer_load(&w, tile, y[s], out + tile_at(k));
            haul_producer_commit(&w);
        }
    } else {
        haul_consumer r = haul_consumer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_consumer_wait(&r);
            use(out, x[s], y[s], k);
            haul_consumer_release(&r);
        }
    }
}
} // namespace saxpy

FORM(saxpy_plain, saxpy::plain);
FORM(saxpy_by_hand, saxpy::twice<saxpy::hand>);
FORM(saxpy_objects, saxpy::twice<saxpy::object>);
FORM(saxpy_ldgsts, saxpy::twice<saxpy::ldgsts>);
FORM(saxpy_pipeline, saxpy::pipeline);

/* ---- Stencil: a star of radius 4 in each plane of `rounds`: out = c[0] m + c[1] (w + e + n + s) + ... with c[k] =
 * 2^-k. Rows of 288 floats, 136 in a plane, with a margin of 4; tiles of 32 x 8, one a compute thread; grid (8, 16).
 * Single, double and manual buffering. Blocks of 320 threads, double of 384, _pipeline of 288, _plain of 256. ---- */

namespace stencil {
enum { RADIUS = 4, WIDTH = 32, HEIGHT = 8, PITCH = 288, ROWS = 136, PLANE = PITCH * ROWS };
enum { ROW = WIDTH + 2 * RADIUS, COUNT = HEIGHT + 2 * RADIUS, TILE = ROW * COUNT, COMPUTE = WIDTH * HEIGHT, DMA = 64 };
enum { IN_FLIGHT = 48 };
typedef hand_rows<4 * ROW, COUNT, DMA, IN_FLIGHT> hand;
typedef CudaDMAStrided<true, 16, IN_FLIGHT, 4 * ROW, DMA, COUNT> object;
typedef CudaDMAStrided<true, 16, IN_FLIGHT, 4 * ROW, DMA, COUNT, HAUL_BY_LDGSTS> ldgsts;

/* The first float that the tile needs; it belongs to the margin. */
DEVICE size_t tile_at(unsigned plane) {
    return (size_t)plane * PLANE + blockIdx.y * HEIGHT * PITCH + blockIdx.x * WIDTH;
}

DEVICE void use(float *out, const float *tile, unsigned pitch, unsigned plane) {
    const unsigned x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
    const float *m = tile + (y + RADIUS) * pitch + x + RADIUS;
    float sum = m[0], scale = 1;
#pragma unroll
    for (int k = 1; k <= RADIUS; k++) {
        scale *= 0.5f;
        sum = fmaf(scale, (m[-k] + m[k]) + (m[-k * (int)pitch] + m[k * (int)pitch]), sum);
    }
    out[tile_at(plane) + (y + RADIUS) * PITCH + x + RADIUS] = sum;
}

template <class OBJECT> DEVICE OBJECT make(int id, int set) {
    return OBJECT(id, COMPUTE, COMPUTE + set * DMA, 4 * PITCH, 4 * ROW);
}

template <class OBJECT> DEVICE void once(PARAMETERS) {
    __shared__ __align__(128) float tile[TILE];
    const OBJECT dma = make<OBJECT>(1, 0);
    if (dma.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k++) dma.execute_dma(a + tile_at(k), tile);
    } else {
        for (unsigned k = 0; k < rounds; k++) {
            dma.start_async_dma();
            dma.wait_for_dma_finish();
            use(out, tile, ROW, k);
        }
    }
}

/* The compute threads' side of two buffers. */
template <class OBJECT>
DEVICE void use_two(const OBJECT &even, const OBJECT &odd, float *out, float (*tile)[TILE], unsigned rounds) {
    even.start_async_dma(), odd.start_async_dma();
    for (unsigned k = 0; k < rounds; k += 2) {
        even.wait_for_dma_finish();
        use(out, tile[0], ROW, k);
        if (k + 2 < rounds) even.start_async_dma();
        odd.wait_for_dma_finish();
        use(out, tile[1], ROW, k + 1);
        if (k + 2 < rounds) odd.start_async_dma();
    }
}

/* Two sets of DMA warps. */
template <class OBJECT> DEVICE void twice(PARAMETERS) {
    __shared__ __align__(128) float tile[2][TILE];
    const OBJECT even = make<OBJECT>(1, 0), odd = make<OBJECT>(2, 1);
    if (even.owns_this_thread())
        for (unsigned k = 0; k < rounds; k += 2) even.execute_dma(a + tile_at(k), tile[0]);
    else if (odd.owns_this_thread())
        for (unsigned k = 1; k < rounds; k += 2) odd.execute_dma(a + tile_at(k), tile[1]);
    else
        use_two(even, odd, out, tile, rounds);
}

/* One set that serves both buffers. */
template <class OBJECT> DEVICE void in_turn(PARAMETERS) {
    __shared__ __align__(128) float tile[2][TILE];
    const OBJECT even = make<OBJECT>(1, 0), odd = make<OBJECT>(2, 0);
    if (even.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k += 2) {
            even.execute_dma(a + tile_at(k), tile[0]);
            odd.execute_dma(a + tile_at(k + 1), tile[1]);
        }
    } else {
        use_two(even, odd, out, tile, rounds);
    }
}

DEVICE void plain(PARAMETERS) {
    for (unsigned k = 0; k < rounds; k++) use(out, a + tile_at(k), PITCH, k);
}

DEVICE void pipeline(PARAMETERS) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_STRIDED_WITH(box, float, .rows = COUNT, .row = ROW, .global_pitch = PITCH, .vector = 4, .threads = 32);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .first_producer_warp = COMPUTE / 32, .producer_warps = 1,
                             .consumer_warps = COMPUTE / 32);
    if (haul_is_producer(&ring)) {
        haul_producer w = haul_producer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_producer_acquire(&w);
            haul_producer_load(&w, box, tile[s], a + tile_at(k));
            haul_producer_commit(&w);
        }
    } else {
        haul_consumer r = haul_consumer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_consumer_wait(&r);
            use(out, tile[s], ROW, k);
            haul_consumer_release(&r);
        }
    }
}
} // namespace stencil

FORM(stencil_plain, stencil::plain);
FORM(stencil_single_by_hand, stencil::once<stencil::hand>);
FORM(stencil_single_objects, stencil::once<stencil::object>);
FORM(stencil_single_ldgsts, stencil::once<stencil::ldgsts>);
FORM(stencil_double_by_hand, stencil::twice<stencil::hand>);
FORM(stencil_double_objects, stencil::twice<stencil::object>);
FORM(stencil_double_ldgsts, stencil::twice<stencil::ldgsts>);
FORM(stencil_manual_by_hand, stencil::in_turn<stencil::hand>);
FORM(stencil_manual_objects, stencil::in_turn<stencil::object>);
FORM(stencil_manual_ldgsts, stencil::in_turn<stencil::ldgsts>);
FORM(stencil_pipeline, stencil::pipeline);

/* ---- Gather: row i of out is row index[i] of a; rows of 128 floats, tiles of 16; double buffering. Blocks of 384
 * threads, _pipeline of 288, _plain of 256. ---- */

namespace gather {
enum { FLOATS = 128, BYTES = 4 * FLOATS, COUNT = 16, TILE = COUNT * FLOATS, COMPUTE = 256, DMA = 64, IN_FLIGHT = 128 };
typedef hand_gather<uint4, BYTES, COUNT, DMA, IN_FLIGHT> hand;
typedef CudaDMAIndirect<true, true, 16, IN_FLIGHT, BYTES, DMA, COUNT> object;
typedef CudaDMAIndirect<true, true, 16, IN_FLIGHT, BYTES, DMA, COUNT, HAUL_BY_LDGSTS> ldgsts;

DEVICE size_t rows_at(unsigned round) {
    return ((size_t)round * gridDim.x + blockIdx.x) * COUNT;
}

DEVICE void use(float *out, const float *tile, unsigned round) {
    float4 *to = (float4 *)(out + rows_at(round) * FLOATS);
#pragma unroll
    for (unsigned i = threadIdx.x; i < TILE / 4; i += COMPUTE) to[i] = ((const float4 *)tile)[i];
}

template <class OBJECT> DEVICE void twice(PARAMETERS) {
    __shared__ __align__(128) float tile[2][TILE];
    const OBJECT even(1, COMPUTE, COMPUTE), odd(2, COMPUTE, COMPUTE + DMA);
    if (even.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k += 2) even.execute_dma(index + rows_at(k), a, tile[0]);
    } else if (odd.owns_this_thread()) {
        for (unsigned k = 1; k < rounds; k += 2) odd.execute_dma(index + rows_at(k), a, tile[1]);
    } else {
        even.start_async_dma(), odd.start_async_dma();
        for (unsigned k = 0; k < rounds; k += 2) {
            even.wait_for_dma_finish();
            use(out, tile[0], k);
            if (k + 2 < rounds) even.start_async_dma();
            odd.wait_for_dma_finish();
            use(out, tile[1], k + 1);
            if (k + 2 < rounds) odd.start_async_dma();
        }
    }
}

/* A warp a row. */
DEVICE void plain(PARAMETERS) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 0; k < rounds; k++)
        for (unsigned i = threadIdx.x / 32; i < COUNT; i += COMPUTE / 32) {
            const size_t row = rows_at(k) + i;
            ((float4 *)(out + row * FLOATS))[lane] = ((const float4 *)(a + (size_t)index[row] * FLOATS))[lane];
        }
}

DEVICE void pipeline(PARAMETERS) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_INDIRECT_WITH(rows, float, .rows = COUNT, .row = FLOATS, .vector = 4, .threads = 32);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .first_producer_warp = COMPUTE / 32, .producer_warps = 1,
                             .consumer_warps = COMPUTE / 32);
    if (haul_is_producer(&ring)) {
        haul_producer w = haul_producer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_producer_acquire(&w);
            haul_producer_gather(&w, rows, tile[s], a, index + rows_at(k));
            haul_producer_commit(&w);
        }
    } else {
        haul_consumer r = haul_consumer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_consumer_wait(&r);
            use(out, tile[s], k);
            haul_consumer_release(&r);
        }
    }
}
} // namespace gather

FORM(gather_plain, gather::plain);
FORM(gather_by_hand, gather::twice<gather::hand>);
FORM(gather_objects, gather::twice<gather::object>);
FORM(gather_ldgsts, gather::twice<gather::ldgsts>);
FORM(gather_pipeline, gather::pipeline);

/* ---- Dense product: out = A b, A in a by columns, a row a compute thread. DMA warps bring b, 256 numbers at a time;
 * double buffering. Blocks of 192 threads, _pipeline of 160, _plain of 128. ---- */

namespace dense {
enum { CHUNK = 256, BYTES = 4 * CHUNK, COMPUTE = 128, DMA = 32, IN_FLIGHT = 32 };
typedef hand_run<BYTES, DMA, IN_FLIGHT> hand;
typedef CudaDMASequential<true, 16, IN_FLIGHT, BYTES, DMA> object;
typedef CudaDMASequential<true, 16, IN_FLIGHT, BYTES, DMA, HAUL_BY_LDGSTS> ldgsts;

DEVICE float use(float sum, const float *a, const float *x, unsigned round) {
    const unsigned rows = gridDim.x * COMPUTE;
    a += (size_t)round * CHUNK * rows + blockIdx.x * COMPUTE + threadIdx.x;
#pragma unroll 16
    for (unsigned k = 0; k < CHUNK; k++) sum = fmaf(a[(size_t)k * rows], x[k], sum);
    return sum;
}

DEVICE void put(float *out, float sum) {
    out[blockIdx.x * COMPUTE + threadIdx.x] = sum;
}

template <class OBJECT> DEVICE void twice(PARAMETERS) {
    __shared__ __align__(128) float x[2][CHUNK];
    const OBJECT even(1, COMPUTE, COMPUTE), odd(2, COMPUTE, COMPUTE + DMA);
    if (even.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k += 2) even.execute_dma(b + k * CHUNK, x[0]);
    } else if (odd.owns_this_thread()) {
        for (unsigned k = 1; k < rounds; k += 2) odd.execute_dma(b + k * CHUNK, x[1]);
    } else {
        float sum = 0;
        even.start_async_dma(), odd.start_async_dma();
        for (unsigned k = 0; k < rounds; k += 2) {
            even.wait_for_dma_finish();
            sum = use(sum, a, x[0], k);
            if (k + 2 < rounds) even.start_async_dma();
            odd.wait_for_dma_finish();
            sum = use(sum, a, x[1], k + 1);
            if (k + 2 < rounds) odd.start_async_dma();
        }
        put(out, sum);
    }
}

DEVICE void plain(PARAMETERS) {
    float sum = 0;
    for (unsigned k = 0; k < rounds; k++) sum = use(sum, a, b + k * CHUNK, k);
    put(out, sum);
}

DEVICE void pipeline(PARAMETERS) {
    __shared__ __align__(128) float x[STAGES][CHUNK];
    HAUL_SEQUENTIAL_WITH(chunk, float, .count = CHUNK, .vector = 4, .threads = DMA);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .first_producer_warp = COMPUTE / 32, .producer_warps = DMA / 32,
                             .consumer_warps = COMPUTE / 32);
    if (haul_is_producer(&ring)) {
        haul_producer w = haul_producer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_producer_acquire(&w);
            haul_producer_load(&w, chunk, x[s], b + k * CHUNK);
            haul_producer_commit(&w);
        }
    } else {
        haul_consumer r = haul_consumer_of(&ring);
        float sum = 0;
        for (unsigned k = 0; k < rounds; k++) {
            sum = use(sum, a, x[haul_consumer_wait(&r)], k);
            haul_consumer_release(&r);
        }
        put(out, sum);
    }
}
} // namespace dense

FORM(dense_plain, dense::plain);
FORM(dense_by_hand, dense::twice<dense::hand>);
FORM(dense_objects, dense::twice<dense::object>);
FORM(dense_ldgsts, dense::twice<dense::ldgsts>);
FORM(dense_pipeline, dense::pipeline);

/* ---- Sparse product: out = A b. Slices of 128 rows have equally many numbers a row; numbers (a) and columns (index)
 * of a slice lie four a row by four a row, row by row each: 512 in a tile. DMA warps bring numbers and gather what they
 * are multiplied with; double buffering. Blocks of 320 threads, _pipeline of 160, _plain of 128. ---- */

namespace sparse {
enum { EACH = 4, COMPUTE = 128, TILE = EACH * COMPUTE, BYTES = 4 * TILE, DMA = 64, NUMBERS_DMA = 32 };
enum { IN_FLIGHT = 32, NUMBERS_IN_FLIGHT = 64 };
struct hands {
    typedef hand_run<BYTES, NUMBERS_DMA, NUMBERS_IN_FLIGHT> numbers;
    typedef hand_gather<float, 4, TILE, DMA, IN_FLIGHT> factors;
};
template <haul_how HOW> struct objects {
    typedef CudaDMASequential<true, 16, NUMBERS_IN_FLIGHT, BYTES, NUMBERS_DMA, HOW> numbers;
    typedef CudaDMAIndirect<true, true, 4, IN_FLIGHT, 4, DMA, TILE, HOW> factors;
};

DEVICE size_t tile_at(unsigned round, unsigned rounds) {
    return ((size_t)blockIdx.x * rounds + round) * TILE;
}

DEVICE float use(float sum, const float *numbers, const float *factors) {
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        sum = fmaf(numbers[k * COMPUTE + threadIdx.x], factors[k * COMPUTE + threadIdx.x], sum);
    return sum;
}

DEVICE void put(float *out, float sum) {
    out[blockIdx.x * COMPUTE + threadIdx.x] = sum;
}

template <class SET> DEVICE void twice(PARAMETERS) {
    __shared__ __align__(128) float numbers[2][TILE], factors[2][TILE];
    const typename SET::numbers n0(1, COMPUTE, COMPUTE), n1(2, COMPUTE, COMPUTE + NUMBERS_DMA);
    const typename SET::factors f0(3, COMPUTE, COMPUTE + 2 * NUMBERS_DMA),
        f1(4, COMPUTE, COMPUTE + 2 * NUMBERS_DMA + DMA);
    if (n0.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k += 2) n0.execute_dma(a + tile_at(k, rounds), numbers[0]);
    } else if (n1.owns_this_thread()) {
        for (unsigned k = 1; k < rounds; k += 2) n1.execute_dma(a + tile_at(k, rounds), numbers[1]);
    } else if (f0.owns_this_thread()) {
        for (unsigned k = 0; k < rounds; k += 2) f0.execute_dma(index + tile_at(k, rounds), b, factors[0]);
    } else if (f1.owns_this_thread()) {
        for (unsigned k = 1; k < rounds; k += 2) f1.execute_dma(index + tile_at(k, rounds), b, factors[1]);
    } else {
        float sum = 0;
        n0.start_async_dma(), f0.start_async_dma(), n1.start_async_dma(), f1.start_async_dma();
        for (unsigned k = 0; k < rounds; k += 2) {
            n0.wait_for_dma_finish(), f0.wait_for_dma_finish();
            sum = use(sum, numbers[0], factors[0]);
            if (k + 2 < rounds) n0.start_async_dma(), f0.start_async_dma();
            n1.wait_for_dma_finish(), f1.wait_for_dma_finish();
            sum = use(sum, numbers[1], factors[1]);
            if (k + 2 < rounds) n1.start_async_dma(), f1.start_async_dma();
        }
        put(out, sum);
    }
}

DEVICE void plain(PARAMETERS) {
    float sum = 0;
    for (unsigned k = 0; k < rounds * EACH; k++) {
        const size_t i = tile_at(0, rounds) + k * COMPUTE + threadIdx.x;
        sum = fmaf(a[i], b[index[i]], sum);
    }
    put(out, sum);
}

DEVICE void pipeline(PARAMETERS) {
    __shared__ __align__(128) float numbers[STAGES][TILE], factors[STAGES][TILE];
    HAUL_SEQUENTIAL_WITH(of_numbers, float, .count = TILE, .vector = 4, .threads = 32);
    HAUL_INDIRECT_WITH(of_factors, float, .rows = TILE, .row = 1, .threads = 32);
    HAUL_SPLIT_PIPELINE_WITH(ring, .stages = STAGES, .first_producer_warp = COMPUTE / 32, .producer_warps = 1,
                             .consumer_warps = COMPUTE / 32);
    if (haul_is_producer(&ring)) {
        haul_producer w = haul_producer_of(&ring);
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_producer_acquire(&w);
            haul_producer_load(&w, of_numbers, numbers[s], a + tile_at(k, rounds));
            haul_producer_gather(&w, of_factors, factors[s], b, index + tile_at(k, rounds));
            haul_producer_commit(&w);
        }
    } else {
        haul_consumer r = haul_consumer_of(&ring);
        float sum = 0;
        for (unsigned k = 0; k < rounds; k++) {
            const unsigned s = haul_consumer_wait(&r);
            sum = use(sum, numbers[s], factors[s]);
            haul_consumer_release(&r);
        }
        put(out, sum);
    }
}
} // namespace sparse

FORM(sparse_plain, sparse::plain);
FORM(sparse_by_hand, sparse::twice<sparse::hands>);
FORM(sparse_objects, sparse::twice<sparse::objects<HAUL_BY_LDG>>);
FORM(sparse_ldgsts, sparse::twice<sparse::objects<HAUL_BY_LDGSTS>>);
FORM(sparse_pipeline, sparse::pipeline);
