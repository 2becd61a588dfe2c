/* libhaul_mpi.so: ranks over MPI, as the table that src/lib/ranks loads (lib/ranks/engine.h).
 *
 * The ranks have a communicator of their own, so that their messages do not meet those of a program that uses MPI too.
 * Errors come back as words. MPI counts in int, so large messages go in pieces. */
#include "mpi/nccl.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 30, TAG = 1 };

static MPI_Comm world = MPI_COMM_NULL;
static uint32_t own_rank, rank_count;
static bool is_ours; /* MPI was initialized here */
static char words[MPI_MAX_ERROR_STRING + 64];

static const char *error(void) {
    return words;
}

static int check(int result) {
    int length = 0;
    if (result != MPI_SUCCESS) MPI_Error_string(result, words, &length);
    return result;
}

/* ---- beginning and end ---- */

/* The rank's number among those that share its memory, and theirs. */
static int find_local(uint32_t *local, uint32_t *locals) {
    MPI_Comm node;
    int rank = 0, size = 1,
        result = MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, (int)own_rank, MPI_INFO_NULL, &node);
    if (result != MPI_SUCCESS) return check(result);
    result = MPI_Comm_rank(node, &rank);
    if (result == MPI_SUCCESS) result = MPI_Comm_size(node, &size);
    *local = (uint32_t)rank;
    *locals = (uint32_t)size;
    MPI_Comm_free(&node);
    return check(result);
}

static int begin(uint32_t *rank, uint32_t *count, uint32_t *local, uint32_t *locals) {
    int initialized = 0, given = 0, own = 0, all = 1;
    MPI_Initialized(&initialized);
    is_ours = !initialized;
    int result = initialized ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    if (result == MPI_SUCCESS) result = MPI_Comm_dup(MPI_COMM_WORLD, &world);
    if (result != MPI_SUCCESS) return check(result);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &own);
    MPI_Comm_size(world, &all);
    *rank = own_rank = (uint32_t)own;
    *count = rank_count = (uint32_t)all;
    return find_local(local, locals);
}

static void end(void) {
    nccl_close();
    if (world != MPI_COMM_NULL) MPI_Comm_free(&world);
    if (is_ours) MPI_Finalize();
}

/* ---- messages ---- */

static int partner(uint32_t rank) {
    return rank == RANKS_NONE ? MPI_PROC_NULL : (int)rank;
}

/* The bytes of the piece that begins at `at`. */
static int piece(uint64_t count, uint64_t at) {
    return count <= at ? 0 : count - at < PIECE ? (int)(count - at) : PIECE;
}

static int broadcast(uint32_t from, void *bytes, uint64_t count) {
    for (uint64_t at = 0; at < count; at += PIECE) {
        const int result = MPI_Bcast((char *)bytes + at, piece(count, at), MPI_BYTE, (int)from, world);
        if (result != MPI_SUCCESS) return check(result);
    }
    return MPI_SUCCESS;
}

/* Beyond a piece each rank broadcasts its own. */
static int gather(const void *own, uint64_t count, void *all) {
    if (count <= PIECE) return check(MPI_Allgather(own, (int)count, MPI_BYTE, all, (int)count, MPI_BYTE, world));
    for (uint32_t from = 0; from < rank_count; from++) {
        char *to = (char *)all + from * count;
        if (from == own_rank) memcpy(to, own, count);
        const int result = broadcast(from, to, count);
        if (result != MPI_SUCCESS) return result;
    }
    return MPI_SUCCESS;
}

static int send(uint32_t to, const void *bytes, uint64_t count) {
    int result = MPI_SUCCESS;
    for (uint64_t at = 0; at < count && result == MPI_SUCCESS; at += PIECE)
        result = MPI_Send((const char *)bytes + at, piece(count, at), MPI_BYTE, (int)to, TAG, world);
    return check(result);
}

static int receive(uint32_t from, void *bytes, uint64_t count) {
    int result = MPI_SUCCESS;
    for (uint64_t at = 0; at < count && result == MPI_SUCCESS; at += PIECE)
        result = MPI_Recv((char *)bytes + at, piece(count, at), MPI_BYTE, (int)from, TAG, world, MPI_STATUS_IGNORE);
    return check(result);
}

static int exchange(uint32_t to, const void *out, uint64_t out_count, uint32_t from, void *in, uint64_t in_count) {
    const uint64_t most = out_count > in_count ? out_count : in_count;
    int result = MPI_SUCCESS;
    for (uint64_t at = 0; at < most && result == MPI_SUCCESS; at += PIECE) {
        const int sends = piece(out_count, at), receives = piece(in_count, at);
        result = MPI_Sendrecv((const char *)out + (sends ? at : 0), sends, MPI_BYTE,
                              sends ? partner(to) : MPI_PROC_NULL, TAG, (char *)in + (receives ? at : 0), receives,
                              MPI_BYTE, receives ? partner(from) : MPI_PROC_NULL, TAG, world, MPI_STATUS_IGNORE);
    }
    return check(result);
}

/* In the order of haul_ranks_type and haul_ranks_operation. */
static int reduce(void *values, uint64_t count, int type, int operation) {
    const MPI_Datatype types[] = {MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE};
    const MPI_Op operations[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    const uint64_t bytes = type == HAUL_RANKS_I64 || type == HAUL_RANKS_U64 || type == HAUL_RANKS_F64 ? 8 : 4;
    int result = MPI_SUCCESS;
    for (uint64_t at = 0; at < count && result == MPI_SUCCESS; at += PIECE)
        result = MPI_Allreduce(MPI_IN_PLACE, (char *)values + at * bytes, piece(count, at), types[type],
                               operations[operation], world);
    return check(result);
}

/* ---- NCCL ---- */

static int device_is_there(void) {
    return nccl_load();
}

/* Whether all ranks can load NCCL. */
static int ask_all(int *usable) {
    int32_t least = nccl_load();
    const int result = reduce(&least, 1, HAUL_RANKS_I32, HAUL_RANKS_LEAST);
    *usable = least;
    return result;
}

/* Rank 0 makes the name under which all meet, or tells that it cannot. */
static int device_open(int *usable) {
    struct {
        int result;
        unsigned char name[NCCL_NAME_BYTES];
        char words[sizeof words];
    } first = {0};
    int result = ask_all(usable);
    if (result != 0 || !*usable) return result;
    if (own_rank == 0) first.result = nccl_name(first.name, first.words, sizeof first.words);
    result = broadcast(0, &first, sizeof first);
    if (result != 0) return result;
    if (first.result == 0) return nccl_open(first.name, own_rank, rank_count, words, sizeof words);
    memcpy(words, first.words, sizeof words);
    return first.result;
}

static int device_gather(uint64_t own, uint64_t count, uint64_t all, void *stream) {
    return nccl_gather(own, count, all, stream, words, sizeof words);
}

static int device_reduce(uint64_t values, uint64_t count, int type, int operation, void *stream) {
    return nccl_reduce(values, count, type, operation, stream, words, sizeof words);
}

static int device_halo(uint64_t address, uint64_t before, uint64_t inside, uint64_t after, void *stream) {
    return nccl_halo(address, before, inside, after, stream, words, sizeof words);
}

__attribute__((visibility("default"))) const ranks_engine *haul_ranks_engine(void);
const ranks_engine *haul_ranks_engine(void) {
    static const ranks_engine engine = {.version = RANKS_VERSION,
                                        .open = begin,
                                        .close = end,
                                        .error = error,
                                        .broadcast = broadcast,
                                        .gather = gather,
                                        .send = send,
                                        .receive = receive,
                                        .exchange = exchange,
                                        .reduce = reduce,
                                        .device_is_there = device_is_there,
                                        .device_open = device_open,
                                        .device_gather = device_gather,
                                        .device_reduce = device_reduce,
                                        .device_halo = device_halo};
    return &engine;
}
