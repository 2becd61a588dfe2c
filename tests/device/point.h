/* One transfer of a sweep: what test_sweep.c draws and transfer.cu carries out, a block each. */
#ifndef HAUL_DEVICE_POINT_H
#define HAUL_DEVICE_POINT_H

#include <haul/transfer.h>

enum {
    POINT_TWO_PHASES = 1,     /* start and wait, with a look at the descriptor between them */
    POINT_WAIT_READ = 2,      /* stores: the source is overwritten when it has been read */
    POINT_SPECIALISED = 4,    /* the other warps of the block read what DMA warps bring */
    POINT_INDEX_IN_SHARED = 8 /* the index list is copied to shared memory first */
};

/* Shared memory of a block: `shared_bytes` that are dumped to `image` (loads), or filled from there (stores), the
 * transfer's own side at `shared` among them; behind that the index list. */
typedef struct point {
    haul_transfer t;
    haul_place place;
    long long global;         /* of the pointer handed over, from the arena's start; boxes: may lie before it */
    unsigned long long image; /* offset in `images`; rounds have one each */
    unsigned long long list;  /* offset in `lists` */
    unsigned shared, shared_bytes, list_bytes;
    haul_team_kind team_kind;
    unsigned team, threads; /* number of the thread, warp or first warp; threads of a set of warps */
    unsigned rounds;        /* times that it is made, each `round_step` bytes of global memory further */
    unsigned round_step;
    unsigned flags, fill;
    unsigned reserved;
} point;

#endif
