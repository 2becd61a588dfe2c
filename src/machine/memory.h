/* Device memory: a reserved range of host addresses that stands for the device's, its allocations, and the windows
 * through which generic addresses reach the other spaces.
 *
 * Each device has addresses of its own, which stay reserved in the host's address space. Memory that the host may touch
 * too (pinned and managed) has the same address there; touching other device memory faults on the host. Each access of
 * a kernel is checked against the live allocations, so no kernel, however hostile, touches other memory of the host. */
#ifndef HAUL_MACHINE_MEMORY_H
#define HAUL_MACHINE_MEMORY_H

#include "machine/range.h"
#include "machine/marks.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Windows of the 64-bit generic address space. They lie between the devices' memory and 0x555555554000. Above that,
 * Linux loads programs, their heaps up to 2^44 further, and libraries. A kernel may get any of those host addresses. */
#define SIM_SHARED_WINDOW 0x0000480000000000ull   /* shared memory of the executing block */
#define SIM_LOCAL_WINDOW 0x0000490000000000ull    /* local memory of the executing thread */
#define SIM_PARAM_WINDOW 0x00004a0000000000ull    /* the kernel's parameters */
#define SIM_FUNCTION_WINDOW 0x00004b0000000000ull /* addresses of functions; loads from them fault */
#define SIM_WINDOW_MASK 0xffffff0000000000ull
/* Returns whether a generic address is in shared memory of the executing block. */
static inline bool sim_is_shared_address(uint64_t address) {
    return (address & SIM_WINDOW_MASK) == SIM_SHARED_WINDOW;
}
/* The first device's memory, followed by the others'. Linux and its sanitizers place nothing there on their own. */
#define SIM_GLOBAL_BASE 0x0000200000000000ull
#define SIM_GLOBAL_STRIDE (2ull << 40)
enum { SIM_ALLOCATION_UNIT = 512, SIM_MOST_MEMORIES = 16 };
#define SIM_HOST_BYTES (256ull << 30) /* the most host memory that may be mapped at once, registered memory aside */

typedef struct sim_memory sim_memory;

/* A part of an allocation that is divided further and answers for its pieces. `find`: the piece that contains the
 * address; `was_freed`: the freed piece that contains it; `before`: the last piece that ends at or before it. */
typedef struct sim_carving {
    uint64_t from, to;
    const void *context;
    bool (*find)(const void *context, uint64_t address, sim_range *range); /* sets from and to */
    bool (*was_freed)(const void *context, uint64_t address, sim_range *range);
    bool (*before)(const void *context, uint64_t address, sim_range *range);
} sim_carving;

haul_status sim_memory_create(uint64_t bytes, sim_memory **memory);
void sim_memory_free(sim_memory *memory);
/* Adds what is mapped for that device in virtual memory (virtual.h); its size counts against this memory's. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_see_virtual(sim_memory *memory, unsigned device);
/* Before a launch: makes room to mark whatever it writes. */
void sim_memory_prepare_written(sim_memory *memory);

/* Allocates `bytes`, rounded up to 512, with pages of its own from 2 MiB on; the pages are zero until written. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY, with the size requested and the bytes left. */
haul_status sim_memory_allocate(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* Allocates at the far end of memory, for what modules bring along. So a kernel's buffers begin at the start of memory
 * whatever else is loaded, as on hardware. */
haul_status sim_memory_allocate_last(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* The same for a range that is never written as a whole: the host need only be able to give `committed` bytes of it. */
haul_status sim_memory_reserve_last(sim_memory *memory, uint64_t bytes, uint64_t committed, uint64_t *address);
/* Helps to find bugs: from now on allocations keep gaps between each other, and freed memory is not reused while there
 * is other memory. Addresses then differ from the hardware's. */
void sim_memory_keep_apart(sim_memory *memory);
/* Returns where the next allocation that is kept apart will lie: after all earlier ones. Going back to an earlier place
 * forgets what was freed behind it; nothing there may be live. */
uint64_t sim_memory_place(const sim_memory *memory);
void sim_memory_go_back(sim_memory *memory, uint64_t place);
/* Sets the divided part; there is at most one. All zero removes it. */
void sim_memory_carve(sim_memory *memory, const sim_carving *carving);
/* Returns the place of the restrictions of its use (regions.h), which are freed with it; NULL there: none. */
struct sim_regions **sim_memory_regions(sim_memory *memory);
/* Frees an allocation. HAUL_ERROR_ARGUMENT if `address` is not its start. */
haul_status sim_memory_release(sim_memory *memory, uint64_t address);
/* Allocates device memory that the host accesses at the same address. It counts as written, since the host may write it
 * at any time. Errors: HAUL_ERROR_OUT_OF_MEMORY; HAUL_ERROR_UNSUPPORTED if the host uses these addresses otherwise. */
haul_status sim_memory_allocate_managed(sim_memory *memory, uint64_t bytes, uint64_t *address);
/* Makes host memory accessible to kernels. It keeps its own address or, if that means something else to kernels, gets
 * one after the device's memory. It counts as written. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_map(sim_memory *memory, void *host, uint64_t bytes, uint64_t *address);
/* Does the same for new host memory, after the device's memory. The host has it at the same address unless something
 * else is there. */
haul_status sim_memory_map_new(sim_memory *memory, uint64_t bytes, void **host, uint64_t *address);
/* Returns a number that no other allocation or mapping of this memory has or had; 0 if nothing is at the address. */
uint64_t sim_memory_number(const sim_memory *memory, uint64_t address);
/* Returns whether the address is in managed memory. */
bool sim_memory_is_managed(const sim_memory *memory, uint64_t address);
/* Finds the memory whose range of addresses contains the address; NULL if none does. */
const sim_memory *sim_memory_at_address(uint64_t address);
/* Returns where mapped memory begins and ends, in large pages; 0 if nothing is mapped. */
uint64_t sim_memory_first_mapped(const sim_memory *memory, uint64_t *end);
void sim_memory_unmap(sim_memory *memory, uint64_t address);
void sim_memory_usage(const sim_memory *memory, uint64_t *free, uint64_t *total);
uint64_t sim_memory_largest_free(const sim_memory *memory);

/* ---- several devices of one program ---- */

/* Joins the memories of devices that one program uses. `family` has `count` of them and lives as long as they do;
 * `place` is this one's index. Each device has access to mapped host memory and managed memory of all of them, and to
 * other memory once it is a peer. */
void sim_memory_join(sim_memory *memory, sim_memory *const *family, unsigned count, unsigned place);
/* Sets whether the device at the place has access to this memory's allocations. Returns false, with no effect, if it
 * was so already. */
bool sim_memory_set_peer(sim_memory *memory, unsigned place, bool reaches);
/* Returns whether another device has access to some of this memory. */
bool sim_memory_is_shared(const sim_memory *memory);
/* Gets where the memory of the program's k-th device begins and ends; empty if it is this one.
 * Returns false if there are not so many. */
bool sim_memory_peer(const sim_memory *memory, unsigned k, uint64_t *from, uint64_t *to);
/* Gives the devices of a mask (bit p: place p) access to the allocation at the address, peers or not. */
void sim_memory_set_visible(sim_memory *memory, uint64_t address, uint64_t places);
/* Returns the family's memory that has something at the address, or `memory` if none has. */
sim_memory *sim_memory_owner(sim_memory *memory, uint64_t address);

/* ---- several processes of one program ---- */

/* Shares the allocation that contains the address with other processes: it moves into a file of this process, and
 * counts as written, since the others' writes are not known. Errors: HAUL_ERROR_ARGUMENT if no sharable allocation is
 * there; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_share(sim_memory *memory, uint64_t address, int *file, uint64_t *place, uint64_t *bytes);
/* Makes memory shared by another process an allocation of this memory; it counts as written. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_memory_import(sim_memory *memory, int file, uint64_t place, uint64_t bytes, uint64_t *address);

/* ---- looking up addresses ---- */

/* From now on memory may be allocated while kernels run. Memory that they use must not be freed meanwhile. */
void sim_memory_share_lists(void);
/* Finds the allocation that contains `address`; false if there is none. */
bool sim_memory_find(const sim_memory *memory, uint64_t address, sim_range *range);
/* Finds the last allocation that ends at or before `address`; false if there is none. */
bool sim_memory_before(const sim_memory *memory, uint64_t address, sim_range *range);
/* Returns the marks of written bytes, and the address's place in them; NULL unless memory is kept apart. */
sim_marks *sim_memory_written(const sim_memory *memory, uint64_t address, uint64_t *at);
/* In serial phases: gives memory back that is no longer needed for that. */
void sim_memory_settle_written(const sim_memory *memory);
/* Marks bytes as not written. */
void sim_memory_forget_written(sim_memory *memory, uint64_t address, uint64_t bytes);
/* Marks bytes that the host writes. */
void sim_memory_mark_written(sim_memory *memory, uint64_t address, uint64_t bytes);
/* Marks all allocations: somebody may have written them whose writes were not followed. */
void sim_memory_mark_all_written(sim_memory *memory);
/* For multicast addresses: sim_virtual_copies(), and the address at which the device's own copy is mapped, if it is. */
unsigned sim_memory_copies(const sim_memory *memory, uint64_t address, unsigned bytes, unsigned char **copies,
                           const char **why);
bool sim_memory_own_copy(const sim_memory *memory, uint64_t address, uint64_t *own);
/* Returns whether the device may only read what is mapped there (virtual memory). */
bool sim_memory_is_read_only(const sim_memory *memory, uint64_t address);
/* Like sim_memory_at(), for memory to be written. */
void *sim_memory_at_to_write(const sim_memory *memory, uint64_t address, uint64_t bytes);
/* Says why an access outside of allocations is wrong, as the beginning of a sentence. */
const char *sim_memory_reason(const sim_memory *memory, uint64_t address);
/* Returns whether `address` lies in freed memory that is not in use; *range: the former allocation. */
bool sim_memory_was_freed(const sim_memory *memory, uint64_t address, sim_range *range);
/* Returns host memory for bytes address .. address+bytes-1; NULL unless they lie in one allocation. */
void *sim_memory_at(const sim_memory *memory, uint64_t address, uint64_t bytes);

/* ---- after allocations ---- */

/* An access outside of allocations that hardware does not notice: its last byte is `away` bytes from an allocation of
 * `size` bytes. */
typedef enum sim_side { SIM_BEHIND, SIM_BEFORE, SIM_FREED } sim_side;
typedef struct sim_beyond {
    sim_side side;
    uint64_t away, size;
} sim_beyond;

/* A kernel's farthest access there; writes take precedence. size 0: none. */
typedef struct sim_overrun {
    sim_beyond furthest;
    bool wrote;
} sim_overrun;
static inline void sim_overrun_add(sim_overrun *o, const sim_beyond *b, bool wrote) {
    if (wrote < o->wrote || (wrote == o->wrote && b->away < o->furthest.away)) return;
    *o = (sim_overrun){*b, wrote};
}

/* From now on kernels may access, as on hardware, everything in a page with an allocation: large pages of device
 * memory, small ones of managed and host memory. Nothing else changes. */
void sim_memory_map_pages(sim_memory *memory);
/* Returns host memory for bytes of such pages, in or outside of allocations; NULL if there is none. `how` may be
 * NULL. */
void *sim_memory_in_pages(const sim_memory *memory, uint64_t address, uint64_t bytes, sim_beyond *how);

/* Does the same, but prefers an allocation if the bytes lie in one. */
void *sim_memory_at_or_in_pages(const sim_memory *memory, uint64_t address, uint64_t bytes);

#endif
