/* The table of libhaul_mpi.so, the library that src/lib/ranks loads. It is built from src/mpi, and knows haul only by
 * this header, so that haul needs no MPI and the library no haul.
 *
 * Functions return 0, or a number above it; error() then says in words what went wrong for the calling thread. Ranks
 * are numbered from 0. RANKS_NONE as a partner: nothing is sent, or received. */
#ifndef HAUL_LIB_RANKS_ENGINE_H
#define HAUL_LIB_RANKS_ENGINE_H

#include <stdint.h>

enum { RANKS_VERSION = 1 };
#define RANKS_NONE UINT32_MAX

typedef struct ranks_engine {
    uint32_t version; /* RANKS_VERSION */
    int (*open)(uint32_t *rank, uint32_t *count, uint32_t *local, uint32_t *locals);
    void (*close)(void);
    const char *(*error)(void);
    int (*broadcast)(uint32_t from, void *bytes, uint64_t count);
    int (*gather)(const void *own, uint64_t count, void *all);
    int (*send)(uint32_t to, const void *bytes, uint64_t count);
    int (*receive)(uint32_t from, void *bytes, uint64_t count);
    /* Sends to one rank while it receives from another. */
    int (*exchange)(uint32_t to, const void *out, uint64_t out_count, uint32_t from, void *in, uint64_t in_count);
    /* Over all ranks, in place; type: haul_ranks_type; operation: haul_ranks_operation. */
    int (*reduce)(void *values, uint64_t count, int type, int operation);

    /* Device memory, through NCCL. The device's context is current, addresses are the device's, `stream` is a CUstream.
     * Calls queue work. device_open() comes first, on all ranks; *usable: all of them have NCCL. device_is_there():
     * this one does. */
    int (*device_is_there)(void);
    int (*device_open)(int *usable);
    int (*device_gather)(uint64_t own, uint64_t count, uint64_t all, void *stream);
    int (*device_reduce)(uint64_t values, uint64_t count, int type, int operation, void *stream);
    /* Both directions at once, as haul_ranks_exchange_halo(). */
    int (*device_halo)(uint64_t address, uint64_t before, uint64_t inside, uint64_t after, void *stream);
} ranks_engine;

/* The only function that the library exports. */
typedef const ranks_engine *ranks_engine_function(void);

#endif
