/* Measured on 2026-11-21 by haul 0.1.0, on NVIDIA H100 80GB HBM3:
 *
 *     haul tune --device gpu:0 --seconds 30 --header kernels/tuned/sm_90.h all
 *
 * A definition that is there already wins. */

/* copy.paced: 706.05 us, 1.000 times as fast as with what the search began with */
#ifndef COPY_PACED_THREADS
#define COPY_PACED_THREADS 512
#endif

/* copy.bulk: 741.28 us, 1.000 times as fast as with what the search began with */
#ifndef COPY_BULK_FLOATS
#define COPY_BULK_FLOATS 8192
#endif
#ifndef COPY_BULK_STAGES
#define COPY_BULK_STAGES 3
#endif

/* saxpy.paced: 522.30 us, 1.000 times as fast as with what the search began with */
#ifndef SAXPY_PACED_THREADS
#define SAXPY_PACED_THREADS 704
#endif

/* saxpy.vector, which an H200 takes: 731.0 us there; 256 threads take 739.3 (sweep of 2026-11-28) */
#ifndef SAXPY_VECTOR_THREADS
#define SAXPY_VECTOR_THREADS 768
#endif

/* saxpy.roles: 553.22 us. HAUL_BY_LDGSTS, 128, 4, 2 were 1.016 times as fast, but bulk copies are what this form shows.
 */
#ifndef SAXPY_ROLES_ENGINE
#define SAXPY_ROLES_ENGINE HAUL_AUTO
#endif
#ifndef SAXPY_ROLES_THREADS
#define SAXPY_ROLES_THREADS 256
#endif
#ifndef SAXPY_ROLES_STAGES
#define SAXPY_ROLES_STAGES 4
#endif
#ifndef SAXPY_ROLES_BLOCKS
#define SAXPY_ROLES_BLOCKS 8
#endif

/* maxpool15.vector: 706.59 us, 1.000 times as fast as with what the search began with */
#ifndef MAXPOOL_THREADS
#define MAXPOOL_THREADS 768
#endif
#ifndef MAXPOOL_VECTORS
#define MAXPOOL_VECTORS 2
#endif

/* maxpool15.lines, which an H200 takes: 507.5 us there, where a copy takes 507.0; one piece a warp 513.8, three 507.4,
 * four 507.7 (sweep of 2026-11-28) */
#ifndef MAXPOOL_LINES_THREADS
#define MAXPOOL_LINES_THREADS 128
#endif
#ifndef MAXPOOL_LINES_PIECES
#define MAXPOOL_LINES_PIECES 2
#endif

/* gather.groups: 373.54 us, 1.000 times as fast as with what the search began with */
#ifndef ROWS_THREADS
#define ROWS_THREADS 128
#endif
#ifndef ROWS_AHEAD
#define ROWS_AHEAD 2
#endif

/* transpose.swizzled: 732.83 us, 1.000 times as fast as with what the search began with */
#ifndef TRANSPOSE_BLOCKS_PER_SM
#define TRANSPOSE_BLOCKS_PER_SM 3
#endif

/* matvec.warp: 353.22 us, 1.000 times as fast as with what the search began with */
#ifndef MATVEC_THREADS
#define MATVEC_THREADS 256
#endif
#ifndef MATVEC_UNROLL
#define MATVEC_UNROLL 4
#endif

/* matvec.split, on an H200: sweep of 2026-11-28 */
#ifndef MATVEC_SPLIT_THREADS
#define MATVEC_SPLIT_THREADS 512
#endif
#ifndef MATVEC_SPLIT_UNROLL
#define MATVEC_SPLIT_UNROLL 2
#endif
#ifndef MATVEC_SPLIT_BLOCKS
#define MATVEC_SPLIT_BLOCKS 2
#endif

/* fused.strips_32x32: 395.39 us, 1.000 times as fast as with what the search began with */
#ifndef FUSED_STRIP_SLAB_32
#define FUSED_STRIP_SLAB_32 8
#endif

/* fused.strips_64x64: 875.71 us, 1.000 times as fast as with what the search began with */
#ifndef FUSED_STRIP_WARPS
#define FUSED_STRIP_WARPS 8
#endif
#ifndef FUSED_STRIP_SLAB
#define FUSED_STRIP_SLAB 16
#endif
#ifndef FUSED_STRIP_BLOCKS
#define FUSED_STRIP_BLOCKS 2
#endif

/* stencil.lanes_r1 and stencil.column_r8, which an H200 takes: sweep of 2026-11-28 */
#ifndef STENCIL_LANES_WIDE
#define STENCIL_LANES_WIDE 4
#endif
#ifndef STENCIL_LANES_DOWN
#define STENCIL_LANES_DOWN 4
#endif
#ifndef STENCIL_COLUMN_ROWS
#define STENCIL_COLUMN_ROWS 16
#endif
#ifndef STENCIL_COLUMN_WARPS
#define STENCIL_COLUMN_WARPS 4
#endif
#ifndef STENCIL_COLUMN_BLOCKS
#define STENCIL_COLUMN_BLOCKS 4
#endif

/* stencil.walk_r8: 807.04 us, 1.000 times as fast as with what the search began with */
#ifndef STENCIL_WALK_WARPS
#define STENCIL_WALK_WARPS 4
#endif
#ifndef STENCIL_WALK_ROWS
#define STENCIL_WALK_ROWS 4
#endif
#ifndef STENCIL_WALK_AHEAD
#define STENCIL_WALK_AHEAD 1
#endif
#ifndef STENCIL_WALK_BLOCKS
#define STENCIL_WALK_BLOCKS 3
#endif
