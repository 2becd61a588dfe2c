/* Transfers whose descriptors are known at run time only, by every team: test_sweep.c launches a block for each point.
 */
#include <haul/device/config.h>
/* Nothing is known that unrolling could make use of; it would take minutes. */
#undef HAUL_UNROLL
#define HAUL_UNROLL _Pragma("unroll 1")
#include "transfer.cuh"

/* The functions of sets of warps carry out what any team does. */
#define DEFINE_LOAD(verb, ARGUMENTS)                                                            \
    LOAD_KERNEL(run_##verb, team_of(p), haul_warps_channel(self, &memory), HAUL_FLIGHT(flight); \
                haul_warps_##verb##_start(&flight, self, b.t, ARGUMENTS); haul_warps_wait(&flight);)
#define DEFINE_STORE(verb, ARGUMENTS)                                      \
    STORE_KERNEL(run_##verb, team_of(p), HAUL_FLIGHT(flight);              \
                 haul_warps_##verb##_start(&flight, self, b.t, ARGUMENTS); \
                 if (p->flags & POINT_WAIT_READ) haul_warps_wait_read(&flight); else haul_warps_wait(&flight);)

DEFINE_LOAD(load, LOAD_ARGUMENTS)
DEFINE_LOAD(gather, GATHER_ARGUMENTS)
DEFINE_LOAD(halo_load, HALO_LOAD_ARGUMENTS)
DEFINE_LOAD(tile_load, TILE_LOAD_ARGUMENTS)
DEFINE_STORE(store, STORE_ARGUMENTS)
DEFINE_STORE(scatter, SCATTER_ARGUMENTS)
DEFINE_STORE(halo_store, HALO_STORE_ARGUMENTS)
DEFINE_STORE(tile_store, TILE_STORE_ARGUMENTS)
DEFINE_STORE(add, STORE_ARGUMENTS)
DEFINE_STORE(scatter_add, SCATTER_ARGUMENTS)
DEFINE_STORE(tile_add, TILE_STORE_ARGUMENTS)
