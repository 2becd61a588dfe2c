/* Not measured on such a machine: what was found for sm_90. */

#ifndef COPY_PACED_THREADS
#define COPY_PACED_THREADS 512
#endif

#ifndef COPY_BULK_FLOATS
#define COPY_BULK_FLOATS 8192
#endif
#ifndef COPY_BULK_STAGES
#define COPY_BULK_STAGES 3
#endif

#ifndef SAXPY_PACED_THREADS
#define SAXPY_PACED_THREADS 704
#endif

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

#ifndef MAXPOOL_THREADS
#define MAXPOOL_THREADS 768
#endif
#ifndef MAXPOOL_VECTORS
#define MAXPOOL_VECTORS 2
#endif

#ifndef ROWS_THREADS
#define ROWS_THREADS 128
#endif
#ifndef ROWS_AHEAD
#define ROWS_AHEAD 2
#endif

#ifndef TRANSPOSE_BLOCKS_PER_SM
#define TRANSPOSE_BLOCKS_PER_SM 3
#endif

#ifndef MATVEC_THREADS
#define MATVEC_THREADS 256
#endif
#ifndef MATVEC_UNROLL
#define MATVEC_UNROLL 4
#endif

#ifndef FUSED_STRIP_SLAB_32
#define FUSED_STRIP_SLAB_32 8
#endif

#ifndef FUSED_STRIP_WARPS
#define FUSED_STRIP_WARPS 8
#endif
#ifndef FUSED_STRIP_SLAB
#define FUSED_STRIP_SLAB 16
#endif
#ifndef FUSED_STRIP_BLOCKS
#define FUSED_STRIP_BLOCKS 2
#endif

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
