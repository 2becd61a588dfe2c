/* Tensor copies: one instruction moves a box of an array. Compiled only for architectures that have them. */
#ifndef HAUL_DEVICE_TENSOR_H
#define HAUL_DEVICE_TENSOR_H

#include <haul/device/config.h>

#if HAUL_HAS_BULK

/* HAUL_TENSOR_COPY expands `text` with the coordinates of a box of 1 to 5 dimensions, the innermost first. Operand 0 is
 * the shared address, 1 the map, 2 the barrier (loads) or unused, 3 the policy; coordinates follow. */
#define HAUL_TENSOR_ASM(dimensions, before, after, coordinates)                                                      \
    asm volatile(before dimensions after coordinates ::"r"(shared), "l"(map), "r"(barrier), "l"(policy), "r"(at[0]), \
                 "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])                                                      \
                 : "memory")
#define HAUL_TENSOR_EACH_RANK(before, after, open, close)                                        \
    do {                                                                                         \
        if (rank == 1) HAUL_TENSOR_ASM(".1d", before, after, open "{%4}" close);                 \
        if (rank == 2) HAUL_TENSOR_ASM(".2d", before, after, open "{%4, %5}" close);             \
        if (rank == 3) HAUL_TENSOR_ASM(".3d", before, after, open "{%4, %5, %6}" close);         \
        if (rank == 4) HAUL_TENSOR_ASM(".4d", before, after, open "{%4, %5, %6, %7}" close);     \
        if (rank == 5) HAUL_TENSOR_ASM(".5d", before, after, open "{%4, %5, %6, %7, %8}" close); \
    } while (0)

/* Copies the box at coordinates `at` of the map's array to shared memory; `barrier` counts all its bytes, also those
 * outside the array. */
HAUL_DEVICE void haul_tensor_load(unsigned shared, const void *map, unsigned rank, const int at[5], unsigned barrier,
                                  int hinted, unsigned long long policy) {
    if (hinted)
        HAUL_TENSOR_EACH_RANK("cp.async.bulk.tensor",
                              ".shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint",
                              " [%0], [%1, ", "], [%2], %3;");
    else
        HAUL_TENSOR_EACH_RANK("cp.async.bulk.tensor", ".shared::cluster.global.tile.mbarrier::complete_tx::bytes",
                              " [%0], [%1, ", "], [%2];");
}

/* Copies the box in shared memory to coordinates `at`, in the thread's open bulk group. Parts outside are not
 * written. */
HAUL_DEVICE void haul_tensor_store(unsigned shared, const void *map, unsigned rank, const int at[5], int hinted,
                                   unsigned long long policy) {
    const unsigned barrier = 0;
    if (hinted)
        HAUL_TENSOR_EACH_RANK("cp.async.bulk.tensor", ".global.shared::cta.tile.bulk_group.L2::cache_hint", " [%1, ",
                              "], [%0], %3;");
    else
        HAUL_TENSOR_EACH_RANK("cp.async.bulk.tensor", ".global.shared::cta.tile.bulk_group", " [%1, ", "], [%0];");
}

/* Adds the box in shared memory to the array's elements; the map says their type. */
HAUL_DEVICE void haul_tensor_add(unsigned shared, const void *map, unsigned rank, const int at[5]) {
    const unsigned barrier = 0;
    const unsigned long long policy = 0;
    HAUL_TENSOR_EACH_RANK("cp.reduce.async.bulk.tensor", ".global.shared::cta.add.tile.bulk_group", " [%1, ",
                          "], [%0];");
}

#endif
#endif
