/* A cross of radius 1 to 8 on every plane of a volume of nx x ny x nz floats, rows `pitch` floats apart.
 *
 * With s = c[0] * in(x, y), then for k = 1 to radius
 *     s = fma(c[k], (in(x - k, y) + in(x + k, y)) + (in(x, y - k) + in(x, y + k)), s),
 * out(x, y) = s. All forms do this in this order and give the same bits. Elements outside the plane count as 0.
 *
 * Every element is used 4 * radius + 1 times. The plain form loads it from global memory each time. Two others load
 * vectors, and keep a column of them in registers; in one of them lanes exchange what lies beside. Most others load a
 * tile and the ring around it into shared memory: by hand, or by haul's halo transfers in six ways to buffer and to
 * compute. In the last form each warp goes down its own strip.
 * There is a kernel for each radius, so that coefficients stay in constant memory and loops unroll; blocks stride
 * through the planes by gridDim.z. */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>
#include <haul/device.h>
#include "tuned.cuh"

#define COEFFICIENTS 9
#define WARPS 8     /* compute warps: the first of a block 32 threads wide */
#define DMA_WARPS 2 /* DMA warps of a set, which only copy */
#define ROWS 4      /* rows of outputs that a thread computes, four in each */
#define TILE_X 128
#define TILE_Y (WARPS * ROWS)

typedef struct volume {
    unsigned nx, ny, nz, pitch;
} volume;

/* ---- plain: cached loads ---- */

static __device__ __forceinline__ float at(const float *plane, const volume *v, int x, int y) {
    bool inside = (unsigned)x < v->nx && (unsigned)y < v->ny;
    return inside ? plane[(size_t)y * v->pitch + x] : 0.0f;
}

/* Blocks of up to 256 threads of any shape; the grid covers nx x ny. */
static __device__ __forceinline__ void plain(int radius, const float *in, float *out, volume v, const float *c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t plane = (size_t)v.pitch * v.ny;
    if (x >= v.nx || y >= v.ny) return;
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        const float *p = in + z * plane;
        float sum = c[0] * at(p, &v, x, y);
#pragma unroll
        for (int k = 1; k <= radius; k++) {
            float row = at(p, &v, x - k, y) + at(p, &v, x + k, y), column = at(p, &v, x, y - k) + at(p, &v, x, y + k);
            sum = fmaf(c[k], row + column, sum);
        }
        out[z * plane + (size_t)y * v.pitch + x] = sum;
    }
}

/* ---- by vectors: cached 16-byte loads, no shared memory ----
 *
 * A thread computes VECTOR_ROWS rows of four outputs, and keeps the column of vectors that they need in registers.
 * Neighbours beside it come from L1, where other threads' loads have brought them. Blocks end with their plane: an SM
 * holds so many that some load while others compute. With radius 8 an SM holds too few threads for this. */

#define VECTOR_WARPS 4
#define VECTOR_ROWS 4

/* Four neighbours; rows are whole vectors. */
static __device__ __forceinline__ float4 vector_at(const float *plane, const volume *v, int x, int y) {
    bool inside = (unsigned)x < v->nx && (unsigned)y < v->ny;
    return inside ? *(const float4 *)(plane + (size_t)y * v->pitch + x) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Adds the neighbours at one distance to four sums. */
static __device__ __forceinline__ float4 add_ring(float c, const float *left, const float *right, float4 above,
                                                  float4 below, float4 sum) {
    return make_float4(fmaf(c, (left[0] + right[0]) + (above.x + below.x), sum.x),
                       fmaf(c, (left[1] + right[1]) + (above.y + below.y), sum.y),
                       fmaf(c, (left[2] + right[2]) + (above.z + below.z), sum.z),
                       fmaf(c, (left[3] + right[3]) + (above.w + below.w), sum.w));
}

/* Four outputs of a row: `middle` points to the first one's input among its neighbours, `column` to their vector. */
static __device__ __forceinline__ float4 cross4_of(int radius, const float *middle, const float4 *column,
                                                   const float *c) {
    float4 sum = make_float4(c[0] * middle[0], c[0] * middle[1], c[0] * middle[2], c[0] * middle[3]);
#pragma unroll
    for (int k = 1; k <= radius; k++) sum = add_ring(c[k], middle - k, middle + k, column[-k], column[k], sum);
    return sum;
}

/* in and out: 16-byte aligned, nx and pitch multiples of 4. Blocks of 32 x VECTOR_WARPS threads. */
static __device__ __forceinline__ void by_vectors(int radius, const float *in, float *out, volume v, const float *c) {
    const int ring = (radius + 3) / 4, x = (blockIdx.x * 32 + threadIdx.x) * 4;
    const int y = (blockIdx.y * VECTOR_WARPS + threadIdx.y) * VECTOR_ROWS;
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        const float *plane = in + (size_t)z * v.pitch * v.ny;
        float *to = out + (size_t)z * v.pitch * v.ny;
        float4 column[VECTOR_ROWS + 16], row[5];
#pragma unroll
        for (int k = 0; k < VECTOR_ROWS + 2 * radius; k++) column[k] = vector_at(plane, &v, x, y + k - radius);
#pragma unroll
        for (int j = 0; j < VECTOR_ROWS; j++) {
#pragma unroll
            for (int k = -ring; k <= ring; k++)
                row[ring + k] = k == 0 ? column[radius + j] : vector_at(plane, &v, x + 4 * k, y + j);
            float4 sum = cross4_of(radius, &row[ring].x, column + radius + j, c);
            if (x < v.nx && y + j < v.ny) *(float4 *)(to + (size_t)(y + j) * v.pitch + x) = sum;
        }
    }
}

/* ---- by lanes: the same, but neighbours beside a vector come from other lanes, for a radius of up to 4 ----
 *
 * Only the first and the last lane load what lies beside. All loads of a block are issued at once and nothing is loaded
 * after the first store, so that blocks that run together read and write one stretch of memory. On an H200 that
 * decides: 0.98 of a copy instead of 0.94. A block's warps are LANES_WIDE side by side. */

#define LANES_WIDE STENCIL_LANES_WIDE
#define LANES_WARPS (STENCIL_LANES_WIDE * STENCIL_LANES_DOWN)

/* The vectors beside a row's `center`, of which `radius` words each are used. `edge`: the one beside the warp's 128
 * words, in its first and its last lane. */
static __device__ __forceinline__ void put_sides(int radius, float4 row[3], float4 center, float4 edge) {
    const unsigned lane = threadIdx.x;
    row[0] = row[2] = edge;
    row[1] = center;
#pragma unroll
    for (int k = 0; k < radius; k++) {
        float *left = &row[0].x + 3 - k, *right = &row[2].x + k;
        const float from_left = __shfl_up_sync(~0u, (&center.x)[3 - k], 1);
        const float from_right = __shfl_down_sync(~0u, (&center.x)[k], 1);
        if (lane > 0) *left = from_left;
        if (lane < 31) *right = from_right;
    }
}

/* in and out: 16-byte aligned, nx and pitch multiples of 4. Blocks of 32 x LANES_WARPS threads. */
static __device__ __forceinline__ void by_lanes(int radius, const float *in, float *out, volume v, const float *c) {
    const int lane = threadIdx.x, x = ((int)(blockIdx.x * LANES_WIDE + threadIdx.y % LANES_WIDE) * 32 + lane) * 4;
    const int y = (int)(blockIdx.y * STENCIL_LANES_DOWN + threadIdx.y / LANES_WIDE) * VECTOR_ROWS;
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        const float *plane = in + (size_t)z * v.pitch * v.ny;
        float *to = out + (size_t)z * v.pitch * v.ny;
        float4 column[VECTOR_ROWS + 8], edge[VECTOR_ROWS];
#pragma unroll
        for (int k = 0; k < VECTOR_ROWS + 2 * radius; k++) column[k] = vector_at(plane, &v, x, y + k - radius);
#pragma unroll
        for (int j = 0; j < VECTOR_ROWS; j++) {
            edge[j] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (lane == 0 || lane == 31) edge[j] = vector_at(plane, &v, lane == 0 ? x - 4 : x + 4, y + j);
        }
#pragma unroll
        for (int j = 0; j < VECTOR_ROWS; j++) {
            float4 row[3];
            put_sides(radius, row, column[radius + j], edge[j]);
            float4 sum = cross4_of(radius, &row[1].x, column + radius + j, c);
            if (x < v.nx && y + j < v.ny) *(float4 *)(to + (size_t)(y + j) * v.pitch + x) = sum;
        }
    }
}

/* ---- from a tile in shared memory ---- */

/* Rows of a tile have SIDE floats on the left and on the right, of which the ring takes whole vectors. It is a sector,
 * so that 16-byte copies, which bypass L1, find both sides equally far from one. */
#define SIDE 8
#define RING(radius) (((radius) + 3) / 4)
#define TILE_PITCH (TILE_X + 2 * SIDE)
#define STAGE(radius) (TILE_PITCH * (TILE_Y + 2 * (radius))) /* floats of a tile with its ring */
#define ORIGIN(radius) ((radius)*TILE_PITCH + SIDE)          /* offset of the tile in a stage */

/* Four neighbouring outputs; `center` points to the first one's input. */
static __device__ __forceinline__ float4 cross4(int radius, const float *center, const float *c) {
    float row[4 + 2 * SIDE], *middle = row + SIDE;
#pragma unroll
    for (int k = -4 * RING(radius); k < 4 + 4 * RING(radius); k += 4)
        *(float4 *)(middle + k) = *(const float4 *)(center + k);
    float4 sum = make_float4(c[0] * middle[0], c[0] * middle[1], c[0] * middle[2], c[0] * middle[3]);
#pragma unroll
    for (int k = 1; k <= radius; k++) {
        float4 above = *(const float4 *)(center - k * TILE_PITCH);
        float4 below = *(const float4 *)(center + k * TILE_PITCH);
        sum = add_ring(c[k], middle - k, middle + k, above, below, sum);
    }
    return sum;
}

static __device__ __forceinline__ void store4(float *row, unsigned x, unsigned nx, float4 value) {
    if (x + 3 < nx) {
        *(float4 *)(row + x) = value;
        return;
    }
    if (x < nx) row[x] = value.x;
    if (x + 1 < nx) row[x + 1] = value.y;
    if (x + 2 < nx) row[x + 2] = value.z;
}

/* A warp of 32 lanes computes ROWS rows of the tile; `stage` begins with the tile's ring. */
static __device__ __forceinline__ void compute_rows(int radius, const float *stage, unsigned warp, unsigned lane,
                                                    float *plane, volume v, const float *c) {
    const float *origin = stage + ORIGIN(radius);
    unsigned x = blockIdx.x * TILE_X + lane * 4, first = warp * ROWS, y = blockIdx.y * TILE_Y + first;
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        float4 sum = cross4(radius, origin + (first + k) * TILE_PITCH + lane * 4, c);
        if (y + k < v.ny) store4(plane + (size_t)(y + k) * v.pitch, x, v.nx, sum);
    }
}

/* ---- by hand: two stages of LDGSTS, all threads load and compute ---- */

/* Starts the copy of four neighbours; what lies outside the plane is not read and becomes zeros. x is a multiple of 4.
 */
static __device__ __forceinline__ void fetch4(float *to, const float *plane, volume v, int x, int y) {
    bool inside = (unsigned)x < v.nx && (unsigned)y < v.ny;
    int bytes = inside ? min(16, 4 * ((int)v.nx - x)) : 0;
    const float *from = inside ? plane + (size_t)y * v.pitch + x : plane;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
}

/* Starts the copies of a plane's tile and ring, without the corners, which a cross never uses, and commits the group
 * even if there is no plane: the waits count groups. */
static __device__ __forceinline__ void fetch_tile(int radius, float *stage, const float *in, volume v, unsigned z) {
    int x = blockIdx.x * TILE_X, y = (int)(blockIdx.y * TILE_Y) - radius;
    unsigned lane = threadIdx.x, t = threadIdx.y * 32 + lane;
    const float *plane = in + (size_t)z * v.pitch * v.ny;
    if (z < v.nz) {
        for (int row = threadIdx.y; row < TILE_Y + 2 * radius; row += WARPS) {
            float *to = stage + row * TILE_PITCH + SIDE + lane * 4;
            fetch4(to, plane, v, x + lane * 4, y + row);
        }
        const int ring = RING(radius);
        for (int i = t; i < TILE_Y * 2 * ring; i += 32 * WARPS) {
            int row = radius + i / (2 * ring), vector = i % (2 * ring) - ring;
            int column = vector < 0 ? vector * 4 : TILE_X + vector * 4;
            fetch4(stage + row * TILE_PITCH + SIDE + column, plane, v, x + column, y + row);
        }
    }
    __pipeline_commit();
}

/* in and out: 16-byte aligned, pitch a multiple of 4. Blocks of 32 x WARPS threads; dynamic shared memory: two stages.
 */
static __device__ __forceinline__ void by_hand(int radius, const float *in, float *out, volume v, const float *c) {
    extern __shared__ __align__(128) float stages[];
    unsigned now = 0;
    fetch_tile(radius, stages, in, v, blockIdx.z);
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z, now ^= 1) {
        fetch_tile(radius, stages + (now ^ 1) * STAGE(radius), in, v, z + gridDim.z);
        __pipeline_wait_prior(1);
        __syncthreads();
        compute_rows(radius, stages + now * STAGE(radius), threadIdx.y, threadIdx.x, out + (size_t)z * v.pitch * v.ny,
                     v, c);
        __syncthreads(); /* all have read the stage before it is filled again */
    }
}

/* ---- with haul's halo transfers: `halo` is a tile with its ring, without the corners ---- */

/* The place of the block's tile in a plane. */
static __device__ __forceinline__ haul_place place_of(volume v) {
    return HAUL_AREA(float, .x = blockIdx.x * TILE_X, .y = blockIdx.y * TILE_Y, .width = v.nx, .height = v.ny,
                     .pitch = v.pitch);
}

static __device__ __forceinline__ const float *tile_of(const float *in, volume v, unsigned z) {
    return in + ((size_t)z * v.ny + blockIdx.y * TILE_Y) * v.pitch + blockIdx.x * TILE_X;
}

static __device__ __forceinline__ float *plane_of(float *out, volume v, unsigned z) {
    return out + (size_t)z * v.pitch * v.ny;
}

/* One buffer, all threads copy and compute: other blocks of the SM must hide the copies. */
static __device__ __forceinline__ void single_unified(int radius, haul_transfer halo, const float *in, float *out,
                                                      volume v, const float *c) {
    extern __shared__ __align__(128) float stages[];
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        haul_block_halo_load(halo, stages + ORIGIN(radius), tile_of(in, v, z), place_of(v), 0);
        compute_rows(radius, stages, threadIdx.y, threadIdx.x, plane_of(out, v, z), v, c);
    }
}

/* One buffer again, but a tile is COLUMN_Y high, and each warp goes down COLUMN_ROWS rows of it: each row is read from
 * shared memory once as part of a column, which stays in registers, and once more, with its neighbours, as a center.
 * Blocks end with their tile. So those that run together read and write one stretch of memory, as with by_lanes(),
 * which on an H200 is worth more than loads that overlap computing: warps that go down whole planes reach 0.82 of a
 * copy there whatever the radius is, this form 0.96 with radius 4 and 0.92 with radius 8. */

#define COLUMN_ROWS STENCIL_COLUMN_ROWS
#define COLUMN_WARPS STENCIL_COLUMN_WARPS
#define COLUMN_Y (COLUMN_ROWS * COLUMN_WARPS)

static __device__ __forceinline__ void compute_column(int radius, const float *stage, float *plane, volume v,
                                                      const float *c) {
    const int ring = RING(radius), lane = threadIdx.x, first = threadIdx.y * COLUMN_ROWS;
    const float *top = stage + first * TILE_PITCH + SIDE + lane * 4; /* `radius` rows above the first output */
    const unsigned x = blockIdx.x * TILE_X + lane * 4, y = blockIdx.y * COLUMN_Y + first;
    float *to = plane + (size_t)y * v.pitch;
    float4 column[COLUMN_ROWS + 16];
#pragma unroll
    for (int k = 0; k < 2 * radius; k++) column[k] = *(const float4 *)(top + k * TILE_PITCH);
#pragma unroll
    for (int k = 0; k < COLUMN_ROWS; k++, to += v.pitch) {
        float4 row[5];
        column[2 * radius + k] = *(const float4 *)(top + (2 * radius + k) * TILE_PITCH);
#pragma unroll
        for (int i = -ring; i <= ring; i++)
            row[ring + i] = i == 0 ? column[radius + k] : *(const float4 *)(top + (radius + k) * TILE_PITCH + 4 * i);
        float4 sum = cross4_of(radius, &row[ring].x, column + radius + k, c);
        if (y + k < v.ny) store4(to, x, v.nx, sum);
    }
}

/* Starts the copies of the tile and its ring, without the corners. By hand: with 128 threads for a tile of 8192 outputs
 * each instruction of a copy counts. */
static __device__ __forceinline__ void fetch_column_tile(int radius, float *stage, const float *plane, volume v) {
    const int x = (int)(blockIdx.x * TILE_X), y = (int)(blockIdx.y * COLUMN_Y) - radius, lane = threadIdx.x;
    const int ring = RING(radius), t = (int)threadIdx.y * 32 + lane;
    for (int r = threadIdx.y; r < COLUMN_Y + 2 * radius; r += COLUMN_WARPS)
        fetch4(stage + r * TILE_PITCH + SIDE + lane * 4, plane, v, x + lane * 4, y + r);
    for (int i = t; i < COLUMN_Y * 2 * ring; i += 32 * COLUMN_WARPS) {
        const int row = radius + i / (2 * ring), vector = i % (2 * ring) - ring;
        const int column = vector < 0 ? vector * 4 : TILE_X + vector * 4;
        fetch4(stage + row * TILE_PITCH + SIDE + column, plane, v, x + column, y + row);
    }
    __pipeline_commit();
}

/* in and out: 16-byte aligned, pitch a multiple of 4. */
static __device__ __forceinline__ void down_columns(int radius, const float *in, float *out, volume v, const float *c) {
    extern __shared__ __align__(128) float stages[];
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        fetch_column_tile(radius, stages, in + (size_t)z * v.ny * v.pitch, v);
        __pipeline_wait_prior(0);
        __syncthreads();
        compute_column(radius, stages, plane_of(out, v, z), v, c);
        __syncthreads(); /* all have read the tile before it is filled again */
    }
}

/* Two buffers, all threads copy and compute: a round starts the copy of plane z, and computes the one before meanwhile.
 * The first round has none to compute, the last none to copy. */
static __device__ __forceinline__ void double_unified(int radius, haul_transfer halo, const float *in, float *out,
                                                      volume v, const float *c) {
    extern __shared__ __align__(128) float stages[];
    HAUL_BLOCK_PIPELINE_WITH(planes, .stages = 2, .threads = 32 * WARPS, .engine = HAUL_BY_LDGSTS);
    for (unsigned z = blockIdx.z, full = 0;; z += gridDim.z) {
        const bool first = z == blockIdx.z, last = z >= v.nz;
        if (!first) full = haul_block_pipeline_wait(&planes);
        if (!last) {
            unsigned empty = haul_block_pipeline_acquire(&planes);
            haul_block_pipeline_halo_load(&planes, halo, stages + empty * STAGE(radius) + ORIGIN(radius),
                                          tile_of(in, v, z), place_of(v), 0);
            haul_block_pipeline_commit(&planes);
        }
        if (!first) {
            compute_rows(radius, stages + full * STAGE(radius), threadIdx.y, threadIdx.x,
                         plane_of(out, v, z - gridDim.z), v, c);
            haul_block_pipeline_release(&planes);
        }
        if (last) break;
    }
}

/* One buffer, which a set of DMA warps fills whenever the others are done with it. */
static __device__ __forceinline__ void single_dma(int radius, haul_transfer halo, const float *in, float *out, volume v,
                                                  const float *c) {
    extern __shared__ __align__(128) float stages[];
    HAUL_HANDOVER(buffer, 1, 32 * WARPS, 32 * DMA_WARPS);
    const bool computes = threadIdx.y < WARPS;
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        if (computes) {
            haul_compute_start(&buffer);
            haul_compute_wait(&buffer);
            compute_rows(radius, stages, threadIdx.y, threadIdx.x, plane_of(out, v, z), v, c);
        } else {
            haul_dma_await(&buffer);
            haul_warps_halo_load(haul_these_warps(WARPS, 32 * DMA_WARPS, 3), halo, stages + ORIGIN(radius),
                                 tile_of(in, v, z), place_of(v), 0);
            haul_dma_finish(&buffer);
        }
    }
}

/* Two buffers, each with its own set of DMA warps: one handover, one set and every second plane each. A buffer may be
 * filled again as soon as it has been read. */
static __device__ __forceinline__ void double_dma(int radius, haul_transfer halo, const float *in, float *out, volume v,
                                                  const float *c) {
    extern __shared__ __align__(128) float stages[];
    HAUL_HANDOVER(even, 1, 32 * WARPS, 32 * DMA_WARPS);
    HAUL_HANDOVER(odd, 3, 32 * WARPS, 32 * DMA_WARPS);
    const unsigned hop = gridDim.z;
    if (threadIdx.y < WARPS) {
        haul_compute_start(&even);
        if (blockIdx.z + hop < v.nz) haul_compute_start(&odd);
        for (unsigned z = blockIdx.z, now = 0; z < v.nz; z += hop, now ^= 1) {
            const haul_handover buffer = now ? odd : even;
            haul_compute_wait(&buffer);
            compute_rows(radius, stages + now * STAGE(radius), threadIdx.y, threadIdx.x, plane_of(out, v, z), v, c);
            if (z + 2 * hop < v.nz) haul_compute_start(&buffer);
        }
    } else {
        const unsigned set = (threadIdx.y - WARPS) / DMA_WARPS;
        const haul_handover buffer = set ? odd : even;
        for (unsigned z = blockIdx.z + set * hop; z < v.nz; z += 2 * hop) {
            haul_dma_await(&buffer);
            haul_warps_halo_load(haul_these_warps(WARPS + set * DMA_WARPS, 32 * DMA_WARPS, 5 + set), halo,
                                 stages + set * STAGE(radius) + ORIGIN(radius), tile_of(in, v, z), place_of(v), 0);
            haul_dma_finish(&buffer);
        }
    }
}

/* Two buffers, which one set of DMA warps fills in turn, without coming back to wait: a pipeline of two stages. */
static __device__ __forceinline__ void manual_dma(int radius, haul_transfer halo, const float *in, float *out, volume v,
                                                  const float *c) {
    extern __shared__ __align__(128) float stages[];
    HAUL_SPLIT_PIPELINE_WITH(planes, .stages = 2, .consumer_warps = WARPS, .producer_warps = DMA_WARPS,
                             .first_producer_warp = WARPS, .engine = HAUL_BY_LDGSTS);
    if (haul_is_producer(&planes)) {
        haul_producer producer = haul_producer_of(&planes);
        for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
            unsigned stage = haul_producer_acquire(&producer);
            haul_producer_halo_load(&producer, halo, stages + stage * STAGE(radius) + ORIGIN(radius), tile_of(in, v, z),
                                    place_of(v), 0);
            haul_producer_commit(&producer);
        }
    } else {
        haul_consumer consumer = haul_consumer_of(&planes);
        for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
            unsigned stage = haul_consumer_wait(&consumer);
            compute_rows(radius, stages + stage * STAGE(radius), threadIdx.y, threadIdx.x, plane_of(out, v, z), v, c);
            haul_consumer_release(&consumer);
        }
    }
}

/* Four neighbours of a row, which need not be whole vectors. */
static __device__ __forceinline__ float4 load_within(const float *plane, const volume *v, int x, int y) {
    bool inside = (unsigned)x < v->nx && (unsigned)y < v->ny;
    const float *from = plane + (size_t)y * v->pitch + x;
    if (!inside) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (x + 3 < v->nx) return *(const float4 *)from;
    return make_float4(from[0], x + 1 < v->nx ? from[1] : 0.0f, x + 2 < v->nx ? from[2] : 0.0f, 0.0f);
}

/* ---- walking: a warp goes down a strip of its plane, and waits for no other warp ----
 *
 * A warp computes WALK_ROWS rows of its 128 columns at a time. Of the column of vectors that these need it keeps the
 * last 2 * radius in registers from one step to the next, so that each row is read from shared memory once as part of a
 * column, and once more, with its neighbours, as a center. Rows arrive by LDGSTS in a ring in shared memory that
 * belongs to the warp, WALK_AHEAD steps before they are used: only the warp's own barrier is needed. Only `radius` rows
 * at each end of a warp's span, and a sector at each side, are read more than once. */

#define WALK_WARPS STENCIL_WALK_WARPS /* warps of a block, side by side */
#define WALK_ROWS STENCIL_WALK_ROWS   /* rows that a warp computes at a time */
#define WALK_AHEAD STENCIL_WALK_AHEAD /* steps whose loads are in flight when one is computed */
#define WALK_RING(radius) ((radius) + (1 + WALK_AHEAD) * WALK_ROWS) /* rows of the ring */
#define WALK_COLUMN(radius) (2 * (radius) + WALK_ROWS)

/* A strip: its first element's place in the plane, and its number of rows. */
typedef struct strip {
    const float *plane;
    int x, y, rows;
    float *ring;   /* of `WALK_RING(radius)` rows; row 0 of the strip goes into the first */
    unsigned slot; /* the ring's row that holds the strip's row `first` */
    int first;     /* the next row to compute */
} strip;

/* The lane's vector of row `first + ahead` of the strip in the ring; `ahead` is less than the ring's rows. */
static __device__ __forceinline__ float *ring_row(int radius, strip s, unsigned ahead) {
    unsigned slot = s.slot + ahead;
    return s.ring + (slot < WALK_RING(radius) ? slot : slot - WALK_RING(radius)) * TILE_PITCH;
}

static __device__ __forceinline__ void go_down(int radius, strip *s) {
    s->first += WALK_ROWS;
    s->slot += WALK_ROWS;
    if (s->slot >= WALK_RING(radius)) s->slot -= WALK_RING(radius);
}

/* Starts the copies of `count` rows from `first + ahead` on, sides included, except rows that no output needs. */
static __device__ __forceinline__ void fetch_rows(int radius, strip s, volume v, int ahead, int count) {
    const int ring = RING(radius), lane = threadIdx.x;
    if (s.first + ahead < s.rows + radius) {
        const int y = s.y + s.first + ahead;
#pragma unroll
        for (int k = 0; k < count; k++)
            fetch4(ring_row(radius, s, ahead + k) + SIDE + lane * 4, s.plane, v, s.x + lane * 4, y + k);
#pragma unroll
        for (int i = lane; i < count * 2 * ring; i += 32) {
            int row = i / (2 * ring), vector = i % (2 * ring) - ring;
            int column = vector < 0 ? vector * 4 : TILE_X + vector * 4;
            fetch4(ring_row(radius, s, ahead + row) + SIDE + column, s.plane, v, s.x + column, y + row);
        }
    }
    __pipeline_commit();
}

/* Loads the rows of a column above the strip's first from memory, and takes those from there on that the first step
 * needs from the ring. */
static __device__ __forceinline__ void start_column(int radius, float4 *column, strip s, volume v) {
#pragma unroll
    for (int k = 0; k < radius; k++) column[k] = load_within(s.plane, &v, s.x + 4 * (int)threadIdx.x, s.y + k - radius);
    __pipeline_wait_prior(WALK_AHEAD);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < radius; k++)
        column[radius + k] = *(const float4 *)(ring_row(radius, s, k) + SIDE + threadIdx.x * 4);
}

/* Rows `first` to `first + WALK_ROWS` of the strip. */
static __device__ __forceinline__ void compute_step(int radius, float4 *column, strip s, float *plane, volume v,
                                                    const float *c) {
    const int ring = RING(radius), lane = threadIdx.x;
#pragma unroll
    for (int k = 0; k < WALK_ROWS; k++)
        column[2 * radius + k] = *(const float4 *)(ring_row(radius, s, radius + k) + SIDE + lane * 4);
#pragma unroll
    for (int k = 0; k < WALK_ROWS; k++) {
        float4 row[5];
        const float *center = ring_row(radius, s, k) + SIDE + lane * 4;
#pragma unroll
        for (int i = -ring; i <= ring; i++)
            row[ring + i] = i == 0 ? column[radius + k] : *(const float4 *)(center + 4 * i);
        float4 sum = cross4_of(radius, &row[ring].x, column + radius + k, c);
        if (s.first + k < s.rows) store4(plane + (size_t)(s.y + s.first + k) * v.pitch, s.x + lane * 4, v.nx, sum);
    }
#pragma unroll
    for (int k = 0; k < 2 * radius; k++) column[k] = column[k + WALK_ROWS];
}

static __device__ __forceinline__ void walk_strip(int radius, strip s, float *plane, volume v, const float *c) {
    float4 column[WALK_COLUMN(8)];
    fetch_rows(radius, s, v, 0, radius);
#pragma unroll
    for (int a = 0; a < WALK_AHEAD; a++) fetch_rows(radius, s, v, radius + a * WALK_ROWS, WALK_ROWS);
    start_column(radius, column, s, v);
#pragma unroll 1
    for (; s.first < s.rows; go_down(radius, &s)) {
        __syncwarp(); /* all lanes have read the rows that the next ones replace */
        fetch_rows(radius, s, v, radius + WALK_AHEAD * WALK_ROWS, WALK_ROWS);
        __pipeline_wait_prior(WALK_AHEAD);
        __syncwarp();
        compute_step(radius, column, s, plane, v, c);
    }
    __pipeline_wait_prior(0);
    __syncwarp();
}

/* in and out: 16-byte aligned, pitch a multiple of 4. Blocks of 32 x WALK_WARPS threads, dynamic shared memory: the
 * warps' rings; the grid covers TILE_X * WALK_WARPS in x, and divides the rows among as many blocks as it has in y. */
static __device__ __forceinline__ void walk(int radius, const float *in, float *out, volume v, const float *c) {
    extern __shared__ __align__(128) float stages[];
    const int span = ((int)v.ny - 1) / (int)gridDim.y + 1, y = (int)blockIdx.y * span;
    strip s = {in,
               (int)(blockIdx.x * WALK_WARPS + threadIdx.y) * TILE_X,
               y,
               min(span, (int)v.ny - y),
               stages + threadIdx.y * WALK_RING(radius) * TILE_PITCH,
               0,
               0};
    if (s.x >= v.nx || s.rows <= 0) return;
    for (unsigned z = blockIdx.z; z < v.nz; z += gridDim.z) {
        s.plane = in + (size_t)z * v.pitch * v.ny;
        walk_strip(radius, s, plane_of(out, v, z), v, c);
    }
}

/* ---- the kernels ---- */

/* Coefficients beyond the radius are ignored. `most`: threads of a block; without it the compiler keeps so many rows in
 * registers that an SM holds one block of them. */
#define KERNEL(form, most, radius, ...) \
    KERNEL_BOUNDED(form, most, ((radius) <= 4 ? 3 : 2) - ((most) > 320), radius, __VA_ARGS__)
#define KERNEL_BOUNDED(form, most, blocks, radius, ...)                                                         \
    extern "C" __global__ void __launch_bounds__(most, blocks) stencil_##form##_r##radius(                      \
        const float *in, float *out, unsigned nx, unsigned ny, unsigned nz, unsigned pitch, float c0, float c1, \
        float c2, float c3, float c4, float c5, float c6, float c7, float c8) {                                 \
        const volume v = {nx, ny, nz, pitch};                                                                   \
        const float c[COEFFICIENTS] = {c0, c1, c2, c3, c4, c5, c6, c7, c8};                                     \
        __VA_ARGS__;                                                                                            \
    }
#define KERNELS(define, form, threads)                                                                  \
    define(form, threads, 1) define(form, threads, 2) define(form, threads, 3) define(form, threads, 4) \
        define(form, threads, 5) define(form, threads, 6) define(form, threads, 7) define(form, threads, 8)

#define PLAIN_FORM(form, threads, radius) KERNEL(form, threads, radius, form(radius, in, out, v, c))
KERNELS(PLAIN_FORM, plain, 32 * WARPS)
KERNELS(PLAIN_FORM, by_hand, 32 * WARPS)

/* Registers are limited so that an SM can have 16 warps. */
#define VECTOR_FORM(form, threads, radius) KERNEL_BOUNDED(form, threads, 4, radius, form(radius, in, out, v, c))
KERNELS(VECTOR_FORM, by_vectors, 32 * VECTOR_WARPS)

/* 32 warps an SM for a radius of 1 and 2, 16 beyond: registers hold the column and the edges. */
#define LANES_FORM(radius)                                                                                            \
    KERNEL_BOUNDED(by_lanes, 32 * LANES_WARPS,                                                                        \
                   ((radius) <= 2 ? 32 : 16) / LANES_WARPS > 1 ? ((radius) <= 2 ? 32 : 16) / LANES_WARPS : 1, radius, \
                   by_lanes(radius, in, out, v, c))
LANES_FORM(1)
LANES_FORM(2)
LANES_FORM(3)
LANES_FORM(4)

#define COLUMN_FORM(form, threads, radius) \
    KERNEL_BOUNDED(form, threads, STENCIL_COLUMN_BLOCKS, radius, form(radius, in, out, v, c))
KERNELS(COLUMN_FORM, down_columns, 32 * COLUMN_WARPS)

#define WALK_FORM(form, threads, radius) \
    KERNEL_BOUNDED(form, threads, STENCIL_WALK_BLOCKS, radius, form(radius, in, out, v, c))
KERNELS(WALK_FORM, walk, 32 * WALK_WARPS)

/* team: threads that copy a tile together. */
#define HALO_FORM(form, size, team, reach)                                                                             \
    KERNEL(form, size, reach,                                                                                          \
           HAUL_HALO_WITH(halo, float, .width = TILE_X, .height = TILE_Y, .radius = reach, .shared_pitch = TILE_PITCH, \
                          .vector = 4, .threads = team, .no_corners = 1);                                              \
           form(reach, halo, in, out, v, c))
#define UNIFIED_FORM(form, threads, radius) HALO_FORM(form, threads, threads, radius)
#define DMA_FORM(form, threads, radius) HALO_FORM(form, threads, 32 * DMA_WARPS, radius)
KERNELS(UNIFIED_FORM, single_unified, 32 * WARPS)
KERNELS(UNIFIED_FORM, double_unified, 32 * WARPS)
KERNELS(DMA_FORM, single_dma, 32 * (WARPS + DMA_WARPS))
KERNELS(DMA_FORM, double_dma, 32 * (WARPS + 2 * DMA_WARPS))
KERNELS(DMA_FORM, manual_dma, 32 * (WARPS + DMA_WARPS))
