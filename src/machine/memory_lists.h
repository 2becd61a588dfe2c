/* Shared by the files of a device's memory. allocations.c owns the list of allocations, host_memory.c that of mapped
 * host memory, processes.c the file with memory that other processes see; peers.c knows the program's other devices.
 * device_memory.c creates it all, and addresses.c looks addresses up. */
#ifndef HAUL_MACHINE_MEMORY_LISTS_H
#define HAUL_MACHINE_MEMORY_LISTS_H

#include "base/number.h"
#include "base/search.h"
#include "machine/memory.h"

/* Allocations of at least a page, the size of hardware's large pages, start on one. */
enum { SIM_MEMORY_PAGE = 2 << 20, SIM_MEMORY_HOST_PAGE = 4096 };
/* With allocations kept apart: the gap between them, and the number of freed ones remembered. */
enum { SIM_MEMORY_GAP = 64 << 10, SIM_MEMORY_FREED = 64 };

/* Live allocations, sorted by address; the space between them is free. */
struct sim_memory {
    uint64_t base; /* of the device's addresses */
    unsigned char *host;
    bool reserved; /* the host uses none of the device's addresses */
    uint64_t bytes, used;
    struct {
        uint64_t from, bytes, asked, number;
        bool managed; /* the host accesses it at the same address */
        bool chosen;  /* `visible` says which devices have access, not `peers` */
        uint64_t visible;
        bool imported; /* its pages belong to another process */
    } * blocks;
    size_t count, capacity;
    bool apart;
    bool maps_pages;    /* see sim_memory_map_pages() */
    sim_marks *written; /* NULL unless memory is kept apart */
    uint64_t high;      /* end of everything ever allocated from the start of memory */
    struct {
        uint64_t from, to;
    } freed[SIM_MEMORY_FREED];
    size_t freed_count; /* ever freed; the last SIM_MEMORY_FREED are kept */
    struct {
        uint64_t from, bytes, number;
        unsigned char *host;
        bool owned; /* made for the device, at its address */
    } * mapped;     /* host memory, sorted by address */
    size_t mapped_count, mapped_capacity;
    uint64_t numbers; /* the last number given */
    sim_carving carving;
    struct sim_regions *regions; /* NULL until needed */
    bool sees_virtual;
    unsigned device;            /* in virtual memory */
    sim_marks *virtual_written; /* for all its addresses */
    sim_memory *const *family;  /* all devices of the program; NULL: only this one */
    unsigned family_count, place;
    uint64_t peers; /* bit p: the device at place p has access */
    int file;       /* with the memory, for other processes; 0: none */
};

/* ---- device_memory.c ---- */

/* The device's memory and the room for host memory behind it. */
static inline uint64_t sim_memory_all_bytes(const sim_memory *m) {
    return number_align(m->bytes, SIM_MEMORY_PAGE) + SIM_HOST_BYTES;
}

static inline uint64_t sim_memory_host_pages(uint64_t bytes) {
    return number_align(bytes, SIM_MEMORY_HOST_PAGE);
}

/* Makes host memory at the address, in the reserved range. Returns false if the host has something else there. */
bool sim_memory_show_to_host(const sim_memory *m, uint64_t address, uint64_t bytes);
/* Leaves the addresses reserved, without memory. */
void sim_memory_hide_from_host(uint64_t address, uint64_t bytes);

/* True if the address is in the device's heap, which keeps a list of its own blocks. */
static inline bool sim_memory_is_carved(const sim_memory *m, uint64_t address) {
    return address >= m->carving.from && address < m->carving.to;
}

/* ---- allocations.c ---- */

/* The index of the last allocation that starts at or before `offset`; count if there is none. */
static inline size_t sim_memory_locate(const sim_memory *m, uint64_t offset) {
    size_t at;
    SEARCH_FIRST(at, m->count, k, m->blocks[k].from <= offset);
    return at ? at - 1 : m->count;
}

/* The bytes that the program asked for, without padding. */
static inline sim_range sim_memory_block_range(const sim_memory *m, size_t at) {
    const uint64_t from = m->base + m->blocks[at].from;
    const uintptr_t host = m->blocks[at].managed ? 0 : (uintptr_t)m->host - m->base;
    return (sim_range){.from = from, .to = from + m->blocks[at].asked, .host = host};
}

/* The index of the allocation that contains the address; m->count if there is none. */
static inline size_t sim_memory_block_of(const sim_memory *m, uint64_t address) {
    const size_t at = address < m->base ? m->count : sim_memory_locate(m, address - m->base);
    const bool within = at != m->count && address - m->base - m->blocks[at].from < m->blocks[at].asked;
    return within ? at : m->count;
}

/* Allocates whole pages of the host. */
haul_status sim_memory_allocate_pages(sim_memory *m, uint64_t bytes, uint64_t *address);
/* Says what was asked for and what is left in one piece. */
haul_status sim_memory_no_room(const sim_memory *m, uint64_t bytes, const char *what);

/* ---- processes.c ---- */

/* Maps the memory's own pages over whatever is there. */
bool sim_memory_show_own_pages(const sim_memory *m, uint64_t from, uint64_t bytes);

/* ---- host_memory.c ---- */

/* Finds the mapped host memory that contains the address. */
bool sim_memory_find_mapped(const sim_memory *m, uint64_t address, size_t *at);
bool sim_memory_find_mapped_range(const sim_memory *m, uint64_t address, sim_range *range);

/* ---- peers.c ---- */

/* Finds the family's memory whose range contains the address; `m` if none does. */
static inline const sim_memory *sim_memory_home_of(const sim_memory *m, uint64_t address) {
    for (unsigned i = 0; i < m->family_count; i++)
        if (address - m->family[i]->base < SIM_GLOBAL_STRIDE) return m->family[i];
    return m;
}

/* Finds what other devices of the program have there. */
bool sim_memory_find_in_family(const sim_memory *m, uint64_t address, sim_range *range);

/* ---- addresses.c ---- */

/* The heap is an allocation that is searched further. */
bool sim_memory_find_in_block(const sim_memory *m, size_t at, uint64_t address, sim_range *range);

#endif
