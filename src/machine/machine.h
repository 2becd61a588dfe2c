/* Machine descriptions: what differs between GPUs is data, in machines.def, each figure with its source there. */
#ifndef HAUL_MACHINE_MACHINE_H
#define HAUL_MACHINE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { SIM_MAX_CARVEOUTS = 12 };

typedef struct sim_machine {
    const char *name;    /* "h100": the NAME of --device sim:NAME */
    const char *product; /* "NVIDIA H100 80GB HBM3" */
    uint32_t sm;         /* compute capability x 10: 90 */
    uint32_t sms, gpcs;
    uint32_t max_threads_per_sm, max_blocks_per_sm, max_threads_per_block;
    uint32_t registers_per_sm, register_unit; /* warps get registers in units */
    uint32_t max_registers_per_thread;
    uint32_t unified_bytes;    /* L1 and shared memory of one SM together */
    uint32_t shared_per_sm;    /* the largest carve-out */
    uint32_t shared_per_block; /* static limit */
    uint32_t shared_per_block_optin;
    uint32_t shared_reserved;              /* by the system, in each block */
    uint32_t shared_unit;                  /* allocation granularity */
    uint32_t carveouts[SIM_MAX_CARVEOUTS]; /* bytes, ascending, up to the largest; 0 ends the list */
    uint64_t l2_bytes;
    uint32_t l2_slices;
    uint32_t l2_partitions;  /* with two, SMs read through their own, which keeps copies of the other's lines */
    uint32_t l2_fetch_bytes; /* what an L2 miss reads from device memory */
    uint64_t memory_bytes;
    double memory_gbps;        /* peak */
    double sm_mhz, memory_mhz; /* boost; memory clock as the driver reports it */
    double l2_gbps;            /* L2 to SMs, sustained */
    double loaded_latency_ns;  /* of a read from device memory under full load */
    double launch_us;          /* between two events around an empty kernel */
    double dram_latency_ns, l2_latency_ns, l1_latency_cycles, shared_latency_cycles;
    double host_link_gbps;                  /* one way, pinned */
    double host_link_both_gbps;             /* sum of both directions when both are busy */
    double pageable_gbps;                   /* one way, pageable memory */
    double host_pair_gbps;                  /* one way, pinned: two neighbouring GPUs at once together */
    uint32_t nvlinks;                       /* of a GPU; 0: there are none, and such devices cannot be peers */
    double peer_gbps;                       /* one way over all links of a GPU, by copy engines */
    double peer_read_gbps, peer_write_gbps; /* by kernels that read, or write, a peer's memory */
    double peer_flag_us;       /* a flag's way to a peer's memory and back, both kernels polling their own memory */
    double host_copy_gbps;     /* one host thread, memory to memory */
    double uncached_read_gbps; /* one host thread, from write-combined memory */
    double file_gbps;          /* files of the host */
    uint32_t copy_engines;
} sim_machine;

/* The largest block and grid in x, y and z, the same on all machines (CUDA C++ Programming Guide, compute
 * capabilities). */
extern const uint32_t sim_most_block[3], sim_most_grid[3];

extern const sim_machine sim_machines[];
extern const size_t sim_machine_count;

/* Finds a machine by name; NULL if there is none. */
const sim_machine *sim_machine_find(const char *name);

#endif
