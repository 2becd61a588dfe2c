#include "mpi/nccl.h"

#include <stdio.h>

#ifdef HAUL_HAVE_NCCL

#include <dlfcn.h>
#include <nccl.h>
#include <string.h>

_Static_assert(sizeof(ncclUniqueId) == NCCL_NAME_BYTES, "the name is NCCL's");

#define FUNCTIONS(F)      \
    F(ncclGetErrorString) \
    F(ncclGetUniqueId)    \
    F(ncclCommInitRank)   \
    F(ncclCommDestroy)    \
    F(ncclAllGather)      \
    F(ncclAllReduce)      \
    F(ncclSend)           \
    F(ncclRecv)           \
    F(ncclGroupStart)     \
    F(ncclGroupEnd)

/* Its functions; all or none are there. */
static struct {
#define F(name) __typeof__(name) *name;
    FUNCTIONS(F)
#undef F
} nccl;

static ncclComm_t communicator;
static uint32_t own_rank, rank_count;

static int check(ncclResult_t result, char *words, size_t size) {
    if (result != ncclSuccess) snprintf(words, size, "NCCL: %s", nccl.ncclGetErrorString(result));
    return (int)result;
}

/* The library is not unloaded: its threads live on. */
static bool load(void) {
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
#ifdef HAUL_NCCL_LIBRARY
    if (!library) library = dlopen(HAUL_NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) return false;
#define F(name) \
    if (!(*(void **)(void *)&nccl.name = dlsym(library, #name))) return false;
    FUNCTIONS(F)
#undef F
    return true;
}

bool nccl_load(void) {
    static enum { UNKNOWN, MISSING, THERE } state;
    if (state == UNKNOWN) state = load() ? THERE : MISSING;
    return state == THERE;
}

int nccl_name(unsigned char name[NCCL_NAME_BYTES], char *words, size_t size) {
    ncclUniqueId id;
    const int result = check(nccl.ncclGetUniqueId(&id), words, size);
    memcpy(name, &id, NCCL_NAME_BYTES);
    return result;
}

int nccl_open(const unsigned char name[NCCL_NAME_BYTES], uint32_t rank, uint32_t count, char *words, size_t size) {
    ncclUniqueId id;
    memcpy(&id, name, sizeof id);
    own_rank = rank;
    rank_count = count;
    return check(nccl.ncclCommInitRank(&communicator, (int)count, id, (int)rank), words, size);
}

void nccl_close(void) {
    if (communicator) (void)nccl.ncclCommDestroy(communicator);
    communicator = NULL;
}

static void *at(uint64_t address) {
    return (void *)(uintptr_t)address;
}

int nccl_gather(uint64_t own, uint64_t count, uint64_t all, void *stream, char *words, size_t size) {
    return check(nccl.ncclAllGather(at(own), at(all), count, ncclInt8, communicator, stream), words, size);
}

/* In the order of haul_ranks_type and haul_ranks_operation. */
int nccl_reduce(uint64_t values, uint64_t count, int type, int operation, void *stream, char *words, size_t size) {
    static const ncclDataType_t types[] = {ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat32, ncclFloat64};
    static const ncclRedOp_t operations[] = {ncclSum, ncclMin, ncclMax};
    return check(
        nccl.ncclAllReduce(at(values), at(values), count, types[type], operations[operation], communicator, stream),
        words, size);
}

/* Sends to one neighbour and receives from it. */
static ncclResult_t swap(uint64_t out, uint64_t out_bytes, uint64_t in, uint64_t in_bytes, uint32_t with,
                         void *stream) {
    ncclResult_t result = ncclSuccess;
    if (out_bytes) result = nccl.ncclSend(at(out), out_bytes, ncclInt8, (int)with, communicator, stream);
    if (result == ncclSuccess && in_bytes)
        result = nccl.ncclRecv(at(in), in_bytes, ncclInt8, (int)with, communicator, stream);
    return result;
}

/* All four messages are one group, so that none waits for another. */
int nccl_halo(uint64_t address, uint64_t before, uint64_t inside, uint64_t after, void *stream, char *words,
              size_t size) {
    const uint64_t own = address + before, end = own + inside;
    ncclResult_t result = nccl.ncclGroupStart();
    if (result == ncclSuccess && own_rank + 1 < rank_count)
        result = swap(end - before, before, end, after, own_rank + 1, stream);
    if (result == ncclSuccess && own_rank > 0) result = swap(own, after, address, before, own_rank - 1, stream);
    const ncclResult_t ended = nccl.ncclGroupEnd();
    return check(result == ncclSuccess ? ended : result, words, size);
}

#else

bool nccl_load(void) {
    return false;
}

static int missing(char *words, size_t size) {
    snprintf(words, size, "built without NCCL");
    return 1;
}

int nccl_name(unsigned char name[NCCL_NAME_BYTES], char *words, size_t size) {
    (void)name;
    return missing(words, size);
}

int nccl_open(const unsigned char name[NCCL_NAME_BYTES], uint32_t rank, uint32_t count, char *words, size_t size) {
    (void)name, (void)rank, (void)count;
    return missing(words, size);
}

void nccl_close(void) {}

int nccl_gather(uint64_t own, uint64_t count, uint64_t all, void *stream, char *words, size_t size) {
    (void)own, (void)count, (void)all, (void)stream;
    return missing(words, size);
}

int nccl_reduce(uint64_t values, uint64_t count, int type, int operation, void *stream, char *words, size_t size) {
    (void)values, (void)count, (void)type, (void)operation, (void)stream;
    return missing(words, size);
}

int nccl_halo(uint64_t address, uint64_t before, uint64_t inside, uint64_t after, void *stream, char *words,
              size_t size) {
    (void)address, (void)before, (void)inside, (void)after, (void)stream;
    return missing(words, size);
}

#endif
