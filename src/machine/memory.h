/* Device memory: one reserved stretch of host address space that stands for the device's, allocations in it, and the
 * windows through which generic addresses reach the other spaces.
 *
 * The addresses of each device are its own, and are kept free in the host's address space: what the host may touch too
 * (pinned and managed memory) is there at the same address, and touching other device memory faults on the host. Each
 * access of a kernel is checked against the live allocations, so none, however hostile, touches anything else of the
 * host's. */
#ifndef HAUL_MACHINE_MEMORY_H
#define HAUL_MACHINE_MEMORY_H

#include "machine/range.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where things lie in the 64-bit generic address space: between the devices' memory and 0x555555554000, above which
 * Linux loads programs, with their heaps behind them up to 2^44 further on, and libraries. A kernel may get any address
 * of these. */
#define SIM_SHARED_WINDOW 0x0000480000000000ull   /* the executing block's shared memory */
#define SIM_LOCAL_WINDOW 0x0000490000000000ull    /* the executing thread's local memory */
#define SIM_PARAM_WINDOW 0x00004a0000000000ull    /* the kernel's parameters */
#define SIM_FUNCTION_WINDOW 0x00004b0000000000ull /* addresses of functions: nothing to load from */
#define SIM_WINDOW_MASK 0xffffff0000000000ull
/* The first device's memory; the next ones' follow. Linux and its sanitizers put nothing there by themselves. */
#define SIM_GLOBAL_BASE 0x0000200000000000ull
#define SIM_GLOBAL_STRIDE (2ull << 40)
enum { SIM_ALLOCATION_UNIT = 512, SIM_MOST_MEMORIES = 16 };
#define SIM_HOST_BYTES (256ull << 30) /* how much host memory may be mapped at once, registered memory aside */

typedef struct sim_memory sim_memory;

/* A part of an allocation that is cut up further: what lies there is asked of these. `find`: the piece that the address
 * is in; `was_freed`: the one that was freed; `before`: the last one that ends at or before it. */
typedef struct sim_carving {
    uint64_t from, to;
    const void *context;
    bool (*find)(const void *context, uint64_t address, sim_range *range); /* sets from and to */
    bool (*was_freed)(const void *context, uint64_t address, sim_range *range);
    bool (*before)(const void *context, uint64_t address, sim_range *range);
} sim_carving;

haul_status sim_memory_create(uint64_t bytes, sim_memory **memory);
void sim_memory_free(sim_memory *memory);
/* From now on it is also what is mapped for that device in virtual memory (virtual.h), of which it has so many bytes
 * less. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_see_virtual(sim_memory *memory, unsigned device);
/* Before a launch: whatever it writes there can be marked. */
void sim_memory_prepare_written(sim_memory *memory);

/* `bytes` rounded up to 512, from 1 MiB on aligned to 2 MiB; zero pages until written. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY, with what was asked and is left. */
haul_status sim_memory_allocate(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* The same at the far end of memory: for what modules bring along, so that a kernel's buffers begin at the start of
 * memory whatever else is loaded, as they do on hardware. */
haul_status sim_memory_allocate_last(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* For finding defects: from now on allocations keep a gap between each other, and what is freed is not used again as
 * long as there is other memory. Addresses are then not those that hardware gives. */
void sim_memory_keep_apart(sim_memory *memory);
/* There is one at most; all zero: none any more. */
void sim_memory_carve(sim_memory *memory, const sim_carving *carving);
/* HAUL_ERROR_ARGUMENT when `address` is not the start of an allocation. */
haul_status sim_memory_release(sim_memory *memory, uint64_t address);
/* Device memory that the host reaches too, at the same address; it counts as written, as the host can write it at any
 * time. Errors: HAUL_ERROR_OUT_OF_MEMORY; HAUL_ERROR_UNSUPPORTED where the host has something else at these addresses.
 */
haul_status sim_memory_allocate_managed(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* Makes host memory reachable for kernels, at its own address, or, where that means something else to kernels, at one
 * behind the device's own memory; it counts as written. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_map(sim_memory *memory, void *host, uint64_t bytes, uint64_t *address);
/* The same for new host memory, behind the device's own memory, where the host has it too unless something else is
 * there.
 */
haul_status sim_memory_map_new(sim_memory *memory, uint64_t bytes, void **host, uint64_t *address);
/* A number that no other allocation of this memory, nor other mapped memory, has or had; 0: nothing is at the address.
 */
uint64_t sim_memory_number(const sim_memory *memory, uint64_t address);
/* Whether it is managed memory. */
bool sim_memory_is_managed(const sim_memory *memory, uint64_t address);
/* The memory in whose part of the address space the address lies; NULL: none. */
const sim_memory *sim_memory_at_address(uint64_t address);
/* Where such memory begins and ends, in large pages; 0: none is mapped. */
uint64_t sim_memory_first_mapped(const sim_memory *memory, uint64_t *end);
void sim_memory_unmap(sim_memory *memory, uint64_t address);
void sim_memory_usage(const sim_memory *memory, uint64_t *free, uint64_t *total);
uint64_t sim_memory_largest_free(const sim_memory *memory);

/* ---- several devices of one program ---- */

/* Memories of devices that one program uses, `count` of them, each told its place in the list, which lives as long as
 * they do. Each device finds host memory that is mapped and managed memory of all of them, and other memory once it is
 * a peer. */
void sim_memory_join(sim_memory *memory, sim_memory *const *family, unsigned count, unsigned place);
/* From now on the device at the place finds the memory's allocations, or does not any more. Returns false, with no
 * effect, if that was so already. */
bool sim_memory_set_peer(sim_memory *memory, unsigned place, bool reaches);
/* The allocation at the address is for the devices of this mask (a bit a place), whoever is a peer. */
void sim_memory_set_visible(sim_memory *memory, uint64_t address, uint64_t places);
/* Returns the memory of the family that has something at the address, or `memory` if none has. */
sim_memory *sim_memory_owner(sim_memory *memory, uint64_t address);

/* ---- several processes of one program ---- */

/* Where other processes find the allocation that the address lies in: a file of this process, which from now on has
 * all of the memory. Errors: HAUL_ERROR_ARGUMENT: no allocation is there that can be shared; HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status sim_memory_share(sim_memory *memory, uint64_t address, int *file, uint64_t *place, uint64_t *bytes);
/* Makes what another process shares an allocation of this memory; it counts as written. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_import(sim_memory *memory, int file, uint64_t place, uint64_t bytes, uint64_t *address);

/* ---- looking up addresses ---- */

/* The allocation that `address` lies in; false when there is none. Not to be called while allocations change. */
bool sim_memory_find(const sim_memory *memory, uint64_t address, sim_range *range);
/* The last allocation that ends at or before `address`; false when there is none. */
bool sim_memory_before(const sim_memory *memory, uint64_t address, sim_range *range);
/* What has been written, by words of four bytes (a bit each), of memory that is kept apart: NULL otherwise. The words
 * behind that of `address` follow. */
unsigned char *sim_memory_written(const sim_memory *memory, uint64_t address);
/* Nobody has written those bytes yet. */
void sim_memory_forget_written(sim_memory *memory, uint64_t address, uint64_t bytes);
/* Marks what the host writes. */
void sim_memory_mark_written(sim_memory *memory, uint64_t address, uint64_t bytes);
/* Multicast addresses, as sim_virtual_copies(); and the address that the device's own copy is mapped at, if it is. */
unsigned sim_memory_copies(const sim_memory *memory, uint64_t address, unsigned bytes, unsigned char **copies,
                           const char **why);
bool sim_memory_own_copy(const sim_memory *memory, uint64_t address, uint64_t *own);
/* Whether the device may read what is mapped there and not write it (virtual memory). */
bool sim_memory_is_read_only(const sim_memory *memory, uint64_t address);
/* The same as sim_memory_at() for what is to be written. */
void *sim_memory_at_to_write(const sim_memory *memory, uint64_t address, uint64_t bytes);
/* Why an access to an address in no allocation is wrong, as the beginning of a sentence. */
const char *sim_memory_reason(const sim_memory *memory, uint64_t address);
/* Whether `address` lies in memory that was freed and is not in use; *range: what was allocated there. */
bool sim_memory_was_freed(const sim_memory *memory, uint64_t address, sim_range *range);
/* Host memory for bytes address .. address+bytes-1; NULL unless all lie in one allocation. */
void *sim_memory_at(const sim_memory *memory, uint64_t address, uint64_t bytes);

/* ---- behind allocations ---- */

/* Where an access lies that hardware does not notice: in no allocation, `away` bytes from one of `size` bytes, up to
 * and with its last byte. */
typedef enum sim_side { SIM_BEHIND, SIM_BEFORE, SIM_FREED } sim_side;
typedef struct sim_beyond {
    sim_side side;
    uint64_t away, size;
} sim_beyond;

/* What a kernel did there: the access that is furthest away, of the writes if there are any. size 0: nothing. */
typedef struct sim_overrun {
    sim_beyond furthest;
    bool wrote;
} sim_overrun;
static inline void sim_overrun_add(sim_overrun *o, const sim_beyond *b, bool wrote) {
    if (wrote < o->wrote || (wrote == o->wrote && b->away < o->furthest.away)) return;
    *o = (sim_overrun){*b, wrote};
}

/* From now on kernels reach, as on hardware, all that lies in a page with an allocation: large pages of device memory,
 * small ones of managed and host memory. Nothing else changes. */
void sim_memory_map_pages(sim_memory *memory);
/* Host memory for bytes of such pages, which need not lie in an allocation; NULL: there is none. `how` may be NULL. */
void *sim_memory_in_pages(const sim_memory *memory, uint64_t address, uint64_t bytes, sim_beyond *how);

/* The same for what may lie in an allocation, too. */
void *sim_memory_at_or_in_pages(const sim_memory *memory, uint64_t address, uint64_t bytes);

#endif
