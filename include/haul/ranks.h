/* Ranks: processes that work together, one for each GPU, on one machine or on many.
 *
 * MPI starts and connects them (`mpirun -n 4 PROGRAM`); NCCL moves device memory between GPUs if it is there. Both are
 * in a library of its own, libhaul_mpi.so, which is loaded when a program was started by an MPI launcher; haul itself
 * does not need them. Functions without `local` in their description are collective: all ranks call them, in the same
 * order. */
#ifndef HAUL_RANKS_H
#define HAUL_RANKS_H

#include <haul/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_ranks haul_ranks;

/* Opens the ranks of this program; initializes MPI unless the program has done so. A program that no MPI launcher
 * started is one rank alone and needs no MPI. `library`: the path of libhaul_mpi.so; NULL: the loader searches.
 * HAUL_MPI of the environment names another one, or is "off": this process is alone. Errors: HAUL_ERROR_NOT_FOUND if
 * the library or MPI cannot be loaded; HAUL_ERROR_DRIVER from MPI. */
haul_status haul_ranks_open(const char *library, haul_ranks **ranks);
/* Finalizes MPI if haul_ranks_open() has initialized it. Close ranks before the device whose memory they have
 * exchanged. NULL is allowed. */
void haul_ranks_close(haul_ranks *ranks);

/* Local. NULL stands for one rank. */
unsigned haul_ranks_rank(const haul_ranks *ranks); /* 0 to count - 1 */
unsigned haul_ranks_count(const haul_ranks *ranks);
unsigned haul_ranks_local(const haul_ranks *ranks);  /* this rank's number among those of its machine */
unsigned haul_ranks_locals(const haul_ranks *ranks); /* how many these are */

/* Local: chooses this rank's device of a list for haul_devices_open(): each rank of a machine takes the next, from the
 * beginning again after the last. "auto" means "gpu:all" where there is a GPU, else "sim:h100". Errors:
 * HAUL_ERROR_ARGUMENT; with one rank, the list as it is. */
haul_status haul_ranks_choose_device(const haul_ranks *ranks, const char *names, char device[256]);
/* Waits for all ranks. If any of them passes a failure, all get the first such rank's status, with its message. */
haul_status haul_ranks_agree(haul_ranks *ranks, haul_status status);
/* Gives all ranks the bytes of rank `from`. */
haul_status haul_ranks_broadcast(haul_ranks *ranks, unsigned from, void *bytes, uint64_t count);
/* Gives all ranks the `count` bytes of each rank, in the order of ranks; `all` has room for them. */
haul_status haul_ranks_gather(haul_ranks *ranks, const void *own, uint64_t count, void *all);
/* Local to two ranks: send to, and receive from, another rank; both wait. */
haul_status haul_ranks_send(haul_ranks *ranks, unsigned to, const void *bytes, uint64_t count);
haul_status haul_ranks_receive(haul_ranks *ranks, unsigned from, void *bytes, uint64_t count);

/* ---- device memory ----
 *
 * A call moves data after the stream's earlier work and before its later work. With NCCL and real GPUs it is queued;
 * otherwise it goes through the host, and the call waits. */

/* Says which way device buffers go: "NCCL", or "MPI through the host". Local. */
const char *haul_ranks_way(const haul_ranks *ranks, const haul_device *device);
/* Exchanges halos between neighbours. A buffer has `before` bytes of halo, `inside` bytes of the rank's own data, and
 * `after` bytes of halo. The last `before` bytes of a rank's data go to the next rank, the first `after` bytes to the
 * rank before. The first rank's `before` and the last rank's `after` stay as they are. */
haul_status haul_ranks_exchange_halo(haul_ranks *ranks, haul_stream *stream, haul_buffer *buffer, uint64_t before,
                                     uint64_t inside, uint64_t after);
/* Gives all ranks the first `bytes` of each rank's `own`, in the order of ranks in `all`. */
haul_status haul_ranks_all_gather(haul_ranks *ranks, haul_stream *stream, haul_buffer *own, haul_buffer *all,
                                  uint64_t bytes);
typedef enum haul_ranks_type {
    HAUL_RANKS_I32,
    HAUL_RANKS_U32,
    HAUL_RANKS_I64,
    HAUL_RANKS_U64,
    HAUL_RANKS_F32,
    HAUL_RANKS_F64
} haul_ranks_type;
typedef enum haul_ranks_operation { HAUL_RANKS_SUM, HAUL_RANKS_LEAST, HAUL_RANKS_GREATEST } haul_ranks_operation;
/* Replaces `count` elements at the beginning of each rank's buffer by the sum, least or greatest over all ranks. The
 * order of a sum is the library's, so floating-point sums may differ in their last bits between libraries. */
haul_status haul_ranks_reduce(haul_ranks *ranks, haul_stream *stream, haul_buffer *buffer, uint64_t count,
                              haul_ranks_type type, haul_ranks_operation operation);

#ifdef __cplusplus
}
#endif
#endif
