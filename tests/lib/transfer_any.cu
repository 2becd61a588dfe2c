/* A transfer that is known at run time only, by the device library: what haul_diagnose() predicts. The block's first
 * `team_threads` threads are the team. shared_at: where the transfer's bytes lie in shared memory. */
#include <haul/device.h>

static __device__ __forceinline__ char *shared_place(unsigned shared_at) {
    extern __shared__ char dynamic[];
    return dynamic + (shared_at - haul_shared_address(dynamic));
}

static __device__ __forceinline__ haul_coordinates coordinates(const haul_place *place) {
    return haul_at5(place->at[0], place->at[1], place->at[2], place->at[3], place->at[4]);
}

extern "C" __global__ __launch_bounds__(1024) void rows_any(haul_transfer t, int direction, int kind,
                                                            unsigned team_threads, char *global, const void *index,
                                                            unsigned shared_at) {
    __shared__ haul_channel_memory memory;
    if (threadIdx.x >= team_threads) return;
    const haul_team team = {(haul_team_kind)kind, threadIdx.x, team_threads, 1};
    haul_channel channel = haul_warps_channel(team, &memory);
    char *shared = shared_place(shared_at);
    if (direction == HAUL_DIRECTION_LOAD) haul_warps_gather(team, t, &channel, shared, global, index);
    if (direction == HAUL_DIRECTION_STORE) haul_warps_scatter(team, t, global, shared, index);
    if (direction == HAUL_DIRECTION_ADD) haul_warps_scatter_add(team, t, global, shared, index);
}

extern "C" __global__ __launch_bounds__(1024) void halo_any(haul_transfer t, haul_place place, int direction, int kind,
                                                            unsigned team_threads, char *global, unsigned shared_at) {
    if (threadIdx.x >= team_threads) return;
    const haul_team team = {(haul_team_kind)kind, threadIdx.x, team_threads, 1};
    char *shared = shared_place(shared_at);
    if (direction == HAUL_DIRECTION_LOAD) haul_warps_halo_load(team, t, shared, global, place, 0);
    if (direction == HAUL_DIRECTION_STORE) haul_warps_halo_store(team, t, global, shared, place);
}

static __device__ __forceinline__ void move_tile(haul_transfer t, const haul_place *place, const haul_tensor_view *view,
                                                 int direction, int kind, unsigned team_threads, unsigned shared_at) {
    __shared__ haul_channel_memory memory;
    const haul_team team = {(haul_team_kind)kind, threadIdx.x, team_threads, 1};
    haul_channel channel = haul_warps_channel(team, &memory);
    char *shared = shared_place(shared_at);
    if (direction == HAUL_DIRECTION_LOAD) haul_warps_tile_load(team, t, &channel, shared, view, coordinates(place));
    if (direction == HAUL_DIRECTION_STORE) haul_warps_tile_store(team, t, view, coordinates(place), shared);
    if (direction == HAUL_DIRECTION_ADD) haul_warps_tile_add(team, t, view, coordinates(place), shared);
}

/* By LDG or LDGSTS. The view's numbers are the place's. */
extern "C" __global__ __launch_bounds__(1024) void tile_any(haul_transfer t, haul_place place, int direction, int kind,
                                                            unsigned team_threads, unsigned long long array,
                                                            unsigned shared_at) {
    haul_tensor_view view = {{{0}},
                             array,
                             {place.pitch[0], place.pitch[1], place.pitch[2], place.pitch[3]},
                             {place.extent[0], place.extent[1], place.extent[2], place.extent[3], place.extent[4]},
                             t.element,
                             0,
                             0};
    if (threadIdx.x < team_threads) move_tile(t, &place, &view, direction, kind, team_threads, shared_at);
}

#if HAUL_HAS_BULK
/* By tensor copies, which find the view's map in global memory and read nothing else of it. */
extern "C" __global__ __launch_bounds__(1024) void tensor_any(haul_transfer t, haul_place place, int direction,
                                                              int kind, unsigned team_threads,
                                                              const haul_tensor_view *view, unsigned shared_at) {
    t.how = (t.how & ~HAUL_ENGINE_BITS) | HAUL_BY_TENSOR;
    if (threadIdx.x < team_threads) move_tile(t, &place, view, direction, kind, team_threads, shared_at);
}
#endif

/* Descriptors that are constant: what a compiler folds makes the same accesses. */
#define LOAD haul_block_load(t, &channel, shared, global)
#define STORE haul_block_store(t, global, shared)
#define ADD haul_block_add(t, global, shared)
#define GATHER haul_block_gather(t, &channel, shared, global, index)
#define HALO haul_block_halo_load(t, shared, global, place, 0)
#define CONSTANT(id, declaration, verb)                                                                                \
    extern "C" __global__ __launch_bounds__(256) void constant_##id(haul_place place, char *global, const void *index, \
                                                                    unsigned shared_at) {                              \
        __shared__ haul_channel_memory memory;                                                                         \
        haul_channel channel = haul_block_channel(&memory);                                                            \
        char *shared = shared_place(shared_at);                                                                        \
        HAUL_UNPACK declaration;                                                                                       \
        verb;                                                                                                          \
    }
#include "transfer_constant.def"
