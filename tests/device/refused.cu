/* Misuse that compilers cannot refuse: run_refused.sh launches each kernel, with blocks of 64 threads, and looks for
 * what it is told. */
#include <haul/device.h>

__shared__ __align__(128) char tile[4096];
__shared__ haul_channel_memory memory;

#define KERNEL(name, ...)                                                                                            \
    extern "C" __global__ void name(char *to, const char *from, const unsigned *index, const haul_tensor_view *view, \
                                    haul_how how) {                                                                  \
        haul_channel channel = haul_block_channel(&memory);                                                          \
        (void)channel;                                                                                               \
        for (unsigned i = threadIdx.x; i < sizeof tile / 4; i += blockDim.x) ((unsigned *)tile)[i] = 0;              \
        __syncthreads();                                                                                             \
        __VA_ARGS__;                                                                                                 \
        to[threadIdx.x] = tile[threadIdx.x];                                                                         \
    }
#define BULK HAUL_SEQUENTIAL(t, 2048, 16, 64, HAUL_BY_BULK)
#define ROWS HAUL_SEQUENTIAL(t, 2048, 16, 64, HAUL_AUTO)
#define LIST HAUL_INDIRECT(t, 4, 512, 512, 512, 16, 64, HAUL_AUTO)
#define LIST_LDG HAUL_INDIRECT(t, 4, 512, 512, 512, 16, 64, HAUL_BY_LDG)
#define TILE HAUL_TILE(t, 4, 2, 16, 16, 1, 1, 1, 64, 16, 64, HAUL_AUTO)

/* Misuse that clang sees, and refuses, when everything is inlined. */
#ifdef KNOWN
KERNEL(no_type, ROWS; haul_block_add(t, to, tile))
#if HAUL_HAS_BULK
KERNEL(no_channel, BULK; haul_block_load(t, 0, tile, from))
KERNEL(no_channel_gather, HAUL_INDIRECT(t, 4, 512, 512, 512, 16, 64, HAUL_BY_BULK);
       haul_block_gather(t, 0, tile, from, index))
KERNEL(no_channel_tile, HAUL_TILE(t, 4, 2, 16, 16, 1, 1, 1, 64, 16, 64, HAUL_BY_TENSOR);
       haul_block_tile_load(t, 0, tile, view, haul_at2(0, 0)))
#endif
#else
/* A null pointer that is one when everything is inlined. */
HAUL_DEVICE void *nothing(void) {
    return 0;
}

/* Any build. */
KERNEL(no_type, haul_block_add(haul_sequential(2048, 16, 64, how), to, tile))
#if HAUL_HAS_BULK
KERNEL(no_channel, haul_block_load(haul_sequential(2048, 16, 64, how), 0, tile, from))
#endif
KERNEL(no_channel_auto, ROWS; haul_block_load(t, 0, tile, from))
KERNEL(no_channel_gather, LIST; haul_block_gather(t, 0, tile, from, index))
KERNEL(no_channel_start, ROWS; HAUL_FLIGHT(f); haul_block_load_start(&f, t, 0, tile, from); haul_block_wait(&f))
KERNEL(null_source, ROWS; haul_block_load(t, &channel, tile, nothing()))
KERNEL(null_target, ROWS; haul_block_store(t, nothing(), tile))
KERNEL(null_index, LIST_LDG; haul_block_gather(t, 0, tile, from, nothing()))
KERNEL(null_index_scatter, LIST_LDG; haul_block_scatter(t, to, tile, nothing()))
KERNEL(no_index, LIST_LDG; haul_block_load(t, 0, tile, from))
KERNEL(no_index_store, LIST_LDG; haul_block_store(t, to, tile))
KERNEL(null_view, TILE; haul_block_tile_load(t, &channel, tile, (haul_tensor_view *)nothing(), haul_at2(0, 0)))
KERNEL(null_flight, ROWS; haul_block_load_start((haul_flight *)nothing(), t, &channel, tile, from))
#if HAUL_HAS_BULK
KERNEL(null_shared, ROWS; haul_block_load(t, &channel, nothing(), from))
KERNEL(null_shared_store, ROWS; haul_block_store(t, to, nothing()))
#endif

/* With HAUL_DEBUG, flags known at run time among them. */
#ifdef HAUL_DEBUG
KERNEL(debug_flags, haul_block_load(haul_sequential(2048, 16, 64, how), &channel, tile, from))
KERNEL(debug_null_shared, ROWS; haul_block_load(t, &channel, nothing(), from))
KERNEL(debug_null_index, LIST; haul_block_gather(t, &channel, tile, from, nothing()))
KERNEL(debug_shape, LIST; haul_block_load(t, &channel, tile, from))
KERNEL(debug_halo, ROWS; haul_block_halo_load(t, tile, from, haul_area(0, 0, 8, 8, 32), 0))
KERNEL(debug_pipeline, haul_pipeline p = haul_block_pipeline("ring", &memory, 1, 64, how);
       haul_block_pipeline_acquire(&p))
#endif
#endif
