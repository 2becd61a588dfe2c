/* Device memory between ranks, by NCCL: its header at build time, and its library when it is first asked for, so that
 * ranks without GPUs do not load it. Functions but nccl_load() return 0, or a number above it with words about the
 * failure. */
#ifndef HAUL_MPI_NCCL_H
#define HAUL_MPI_NCCL_H

#include "lib/ranks/engine.h"

#include <haul/ranks.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NCCL_NAME_BYTES = 128 }; /* ncclUniqueId */

/* Whether NCCL is there; the other functions need it. */
bool nccl_load(void);
/* Makes the name under which the ranks of a communicator meet; one rank does. */
int nccl_name(unsigned char name[NCCL_NAME_BYTES], char *words, size_t size);
/* Opens the communicator for the current CUDA context; all ranks do, with the same name. */
int nccl_open(const unsigned char name[NCCL_NAME_BYTES], uint32_t rank, uint32_t count, char *words, size_t size);
/* Safe to call without one. */
void nccl_close(void);

/* The functions device_... of ranks_engine. */
int nccl_gather(uint64_t own, uint64_t count, uint64_t all, void *stream, char *words, size_t size);
int nccl_reduce(uint64_t values, uint64_t count, int type, int operation, void *stream, char *words, size_t size);
int nccl_halo(uint64_t address, uint64_t before, uint64_t inside, uint64_t after, void *stream, char *words,
              size_t size);

#endif
