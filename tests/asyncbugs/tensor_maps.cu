/* Tensor copies and tensor maps. The maps are of `in` and `out`: 64 rows of 64 floats, in boxes of 8 rows of 32. sm_90.
 */
#include "asyncbugs.cuh"

struct alignas(64) map {
    char opaque[128];
};

#define BOX 256 /* floats */
#undef KERNEL
#if FIXED
#define MAPPED(name)                                                                                                 \
    extern "C" __global__ void ok_##name(const float *in, float *out, map *maps, const __grid_constant__ map in_map, \
                                         const __grid_constant__ map out_map)
#else
#define MAPPED(name)                                                                                                  \
    extern "C" __global__ void bad_##name(const float *in, float *out, map *maps, const __grid_constant__ map in_map, \
                                          const __grid_constant__ map out_map)
#endif

#define tensor_load(s, m, x, y, b)                                                                                \
    PTX("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], " \
        "[%4];" ::"r"(SHARED(s)),                                                                                 \
        "l"(m), "r"(x), "r"(y), "r"(SHARED(b))                                                                    \
        : "memory")
#define tensor_store(m, x, y, s)                                                                                     \
    PTX("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), "r"(x), "r"(y), \
        "r"(SHARED(s))                                                                                               \
        : "memory")
#define tensor_add(m, x, y, s)                                                                                  \
    PTX("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m), \
        "r"(x), "r"(y), "r"(SHARED(s))                                                                          \
        : "memory")
/* Threads 0 to 31 copy a map, and make it that of the rows from `address` on. */
#define map_copy(to, from) \
    if (T < 32) ((unsigned *)(to))[T] = ((const unsigned *)(from))[T]
#define map_replace(m, address) \
    PTX("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(m), "l"(address) : "memory")
#define map_release() PTX("fence.proxy.tensormap::generic.release.gpu;" ::: "memory")
#define map_acquire(m) PTX("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(m) : "memory")

/* ---- copies ---- */

/* The arrival tells no bytes. */
MAPPED(tensor_bytes_not_told) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        if (FIXED)
            barrier_expect(&full, 4 * BOX);
        else
            barrier_arrive(&full);
        tensor_load(s, &in_map, 32, 8, &full);
    }
    barrier_wait(&full, 0);
    out[T] = s[T]; /* BUG */
}

/* Parts of a box outside the tensor are filled with zeros, which count as bytes. */
MAPPED(tensor_bytes_at_the_edge) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    if (T == 0) {
        barrier_expect(&full, FIXED ? 4 * BOX : 2 * BOX);
        tensor_load(s, &in_map, 48, 8, &full);
    }
    barrier_wait(&full, 0); /* BUG */
    out[T] = s[T];
}

/* A box is stored without a fence behind the threads' stores. */
MAPPED(tensor_store_without_fence) {
    __shared__ alignas(128) float s[BOX];
    s[T] = in[T];
    s[T + 128] = in[T + 128];
    if (FIXED) fence_async();
    __syncthreads();
    if (T == 0) {
        tensor_store(&out_map, 0, 16, s); /* BUG */
        bulk_commit();
        bulk_wait(0);
    }
}

/* The box is overwritten before the engine has read it. */
MAPPED(tensor_store_source_reused) {
    __shared__ alignas(128) float s[BOX];
    for (int k = 0; k < 3; k++) {
        s[T] = in[T + k]; /* BUG */
        s[T + 128] = in[T + 128 + k];
        fence_async();
        __syncthreads();
        if (T == 0) {
            tensor_store(&out_map, 0, 8 * k, s);
            bulk_commit();
            if (FIXED) bulk_wait_read(0);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* The same for a reduction, with a wait that leaves the last one in flight. */
MAPPED(tensor_reduction_wait_too_loose) {
    __shared__ alignas(128) float s[BOX];
    for (int k = 0; k < 3; k++) {
        s[T] = in[T + k]; /* BUG */
        s[T + 128] = in[T + 128 + k];
        fence_async();
        __syncthreads();
        if (T == 0) {
            tensor_add(&out_map, 0, 8, s);
            bulk_commit();
            bulk_wait_read(FIXED ? 0 : 1);
        }
        __syncthreads();
    }
    if (T == 0) bulk_wait(0);
}

/* The wait for the second box is missing. */
MAPPED(tensor_wait_for_first_box) {
    __shared__ alignas(128) float s[2][BOX];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    if (T == 0)
        for (int k = 0; k < 2; k++) {
            barrier_expect(&full[k], 4 * BOX);
            tensor_load(s[k], &in_map, 32 * k, 0, &full[k]);
        }
    barrier_wait(&full[0], 0);
    if (FIXED) barrier_wait(&full[1], 0);
    out[T] = s[0][T] + s[1][T]; /* BUG */
    barrier_wait(&full[1], 0);
}

/* A stored box is loaded back behind a wait for the source only. */
MAPPED(tensor_stored_box_loaded_back) {
    __shared__ alignas(128) float s[2][BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    s[0][T] = in[T];
    s[0][T + 128] = in[T + 128];
    fence_async();
    __syncthreads();
    if (T == 0) {
        tensor_store(&out_map, 0, 32, s[0]);
        bulk_commit();
        if (FIXED)
            bulk_wait(0);
        else
            bulk_wait_read(0);
        barrier_expect(&full, 4 * BOX);
        tensor_load(s[1], &out_map, 0, 32, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[1][T];
    if (T == 0) bulk_wait(0);
}

/* ---- maps that the kernel changes ---- */

/* The changed map is used without an acquire. */
MAPPED(map_changed_without_acquire) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    map_copy(maps, &in_map);
    __syncthreads();
    if (T == 0) {
        map_replace(maps, in + 512);
        map_release();
        if (FIXED) map_acquire(maps);
        barrier_expect(&full, 4 * BOX);
        tensor_load(s, maps, 0, 8, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T];
}

/* The changed map is never released. */
MAPPED(map_changed_without_release) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    map_copy(maps, &in_map);
    __syncthreads();
    if (T == 0) {
        map_replace(maps, in + 512);
        if (FIXED) map_release();
        map_acquire(maps);
        barrier_expect(&full, 4 * BOX);
        tensor_load(s, maps, 0, 8, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T];
}

/* The map is acquired before it is changed. */
MAPPED(map_acquired_before_change) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    map_copy(maps, &in_map);
    __syncthreads();
    if (T == 0) {
        if (!FIXED) map_acquire(maps);
        map_replace(maps, in + 512);
        map_release();
        if (FIXED) map_acquire(maps);
        barrier_expect(&full, 4 * BOX);
        tensor_load(s, maps, 0, 8, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T];
}

/* The map of the next tile is made in the place of one that a copy in flight still uses. */
MAPPED(map_changed_under_a_load) {
    __shared__ alignas(128) float s[2][BOX];
    __shared__ mbarrier full[2];
    START(&full[0], 1);
    START(&full[1], 1);
    map_copy(maps, &in_map);
    __syncthreads();
    if (T == 0) {
        for (int k = 0; k < 2; k++) {
            if (FIXED && k) barrier_wait(&full[0], 0);
            map_replace(maps, in + 512 * k); /* BUG */
            map_release();
            map_acquire(maps);
            barrier_expect(&full[k], 4 * BOX);
            tensor_load(s[k], maps, 0, 8, &full[k]);
        }
    }
    barrier_wait(&full[0], 0);
    barrier_wait(&full[1], 0);
    out[T] = s[0][T] + s[1][T];
}

/* The same for a store, with a wait for nothing before the change. */
MAPPED(map_changed_under_a_store) {
    __shared__ alignas(128) float s[2][BOX];
    for (int k = 0; k < 4; k++) s[k / 2][T + 128 * (k % 2)] = in[T + 128 * k];
    map_copy(maps, &out_map);
    fence_async();
    __syncthreads();
    if (T == 0) {
        for (int k = 0; k < 2; k++) {
            if (FIXED && k) bulk_wait(0);
            map_replace(maps, out + 512 * k); /* BUG */
            map_release();
            map_acquire(maps);
            tensor_store(maps, 0, 8, s[k]);
            bulk_commit();
        }
        bulk_wait(0);
    }
}

/* Two maps are changed, and the acquire is for one: its 128 bytes are those of the first map. */
MAPPED(one_of_two_maps_acquired) {
    __shared__ alignas(128) float s[2][BOX];
    __shared__ mbarrier full;
    START(&full, 1);
    map_copy(maps, &in_map);
    map_copy(maps + 1, &in_map);
    __syncthreads();
    if (T == 0) {
        map_replace(maps, in + 512);
        map_replace(maps + 1, in + 1024);
        map_release();
        map_acquire(maps);
        if (FIXED) map_acquire(maps + 1);
        barrier_expect(&full, 8 * BOX);
        tensor_load(s[0], maps, 0, 8, &full);
        tensor_load(s[1], maps + 1, 0, 8, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[0][T] + s[1][T];
}

/* Block 0 makes the map and raises a flag. Block 1 acquires the flag, which says nothing of the copy engine. */
MAPPED(map_of_another_block_without_acquire) {
    __shared__ alignas(128) float s[BOX];
    __shared__ mbarrier full;
    unsigned ready = 0;
    if (blockIdx.x == 0) {
        map_copy(maps, &in_map);
        __syncthreads();
        if (T == 0) {
            map_replace(maps, in + 512);
            map_release();
            store_release(WORD, 1);
        }
        return;
    }
    START(&full, 1);
    if (T == 0) {
        while (!ready) load_acquire(ready, WORD);
        if (FIXED) map_acquire(maps);
        barrier_expect(&full, 4 * BOX);
        tensor_load(s, maps, 0, 8, &full); /* BUG */
    }
    barrier_wait(&full, 0);
    out[T] = s[T];
}
