/* A cross of radius 1 to 8 on every plane of a volume of nx x ny x nz floats, rows `pitch` floats apart.
 *
 * With s = c[0] * in(x, y), then for k = 1 to radius
 *     s = fma(c[k], (in(x - k, y) + in(x + k, y)) + (in(x, y - k) + in(x, y + k)), s),
 * out(x, y) = s. All forms do this in this order and give the same bits. What lies outside the plane counts as 0.
 *
 * Every element is wanted 4 * radius + 1 times. The plain form asks global memory each time; the others bring a tile
 * and the ring around it into shared memory, one plane while they compute the last. There is one kernel for each
 * radius, so that coefficients stay in constant memory and loops unroll; blocks go on through the planes by gridDim.z.
 */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>

#define COEFFICIENTS 9
#define WARPS 8 /* that compute: of a block of 32 x WARPS threads */
#define ROWS 4  /* of outputs that a thread computes, four in each */
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

/* ---- from a tile in shared memory ---- */

/* Rows of a tile have SIDE floats on the left and on the right, of which the ring takes whole vectors. It is a sector,
 * so that 16-byte copies, which go around L1, find both sides equally far from one. */
#define SIDE 8
#define RING(radius) (((radius) + 3) / 4)
#define TILE_PITCH (TILE_X + 2 * SIDE)
#define STAGE(radius) (TILE_PITCH * (TILE_Y + 2 * (radius))) /* floats of a tile with its ring */

/* Four neighbouring outputs; `center` points at the first one's input. */
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
        sum.x = fmaf(c[k], (middle[0 - k] + middle[0 + k]) + (above.x + below.x), sum.x);
        sum.y = fmaf(c[k], (middle[1 - k] + middle[1 + k]) + (above.y + below.y), sum.y);
        sum.z = fmaf(c[k], (middle[2 - k] + middle[2 + k]) + (above.z + below.z), sum.z);
        sum.w = fmaf(c[k], (middle[3 - k] + middle[3 + k]) + (above.w + below.w), sum.w);
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

/* A warp of 32 lanes computes ROWS rows of the tile, whose ring `stage` begins with. */
static __device__ __forceinline__ void compute_rows(int radius, const float *stage, unsigned warp, unsigned lane,
                                                    float *plane, volume v, const float *c) {
    const float *origin = stage + radius * TILE_PITCH + SIDE;
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

/* Starts the copies of a plane's tile and ring, without the corners, which a cross never asks for, and closes the group
 * even where there is no plane: the waits count groups. */
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

/* ---- the kernels ---- */

/* Coefficients that a radius does not have are not looked at. Left to itself the compiler keeps so many rows in
 * registers that an SM holds one block. */
#define STENCIL(form, radius)                                                                                   \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, (radius) <= 4 ? 3 : 2) stencil_##form##_r##radius( \
        const float *in, float *out, unsigned nx, unsigned ny, unsigned nz, unsigned pitch, float c0, float c1, \
        float c2, float c3, float c4, float c5, float c6, float c7, float c8) {                                 \
        const volume v = {nx, ny, nz, pitch};                                                                   \
        const float c[COEFFICIENTS] = {c0, c1, c2, c3, c4, c5, c6, c7, c8};                                     \
        form(radius, in, out, v, c);                                                                            \
    }
#define STENCILS(form) \
    STENCIL(form, 1)   \
    STENCIL(form, 2)   \
    STENCIL(form, 3)   \
    STENCIL(form, 4)   \
    STENCIL(form, 5)   \
    STENCIL(form, 6)   \
    STENCIL(form, 7)   \
    STENCIL(form, 8)

STENCILS(plain)
STENCILS(by_hand)
