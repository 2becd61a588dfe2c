/* The access pattern of a warp's lanes, from samples of an instruction's accesses, and cheaper alternatives. */
#ifndef HAUL_REPORT_PROFILE_LANES_H
#define HAUL_REPORT_PROFILE_LANES_H

#include <haul/run.h>

/* Places in global (or constant) memory: sums over the samples. */
typedef struct report_places {
    double samples, lanes, distinct; /* distinct: distinct places of lanes */
    double sectors;                  /* sectors of their bytes */
    double aligned;                  /* sectors if each run of bytes began at a sector */
    double ideal;                    /* sectors if the bytes were one such run */
    double runs;                     /* runs of bytes without a gap */
    double rows;                     /* runs of lanes at one place or at adjacent places */
    int64_t stride;                  /* bytes from most lanes to the next, in all samples; 0: none */
    bool rows_alike;                 /* all but the first and the last of a sample have the same length */
    bool side_by_side;               /* lanes lie as in a whole warp without gaps */
} report_places;
report_places report_places_of(const haul_access *samples, size_t count);

/* Returns how many of the instructions have lanes in the same cell of `stride` bytes as those of the first one, if the
 * stride leaves room for them. *dense: they fill a cell that begins at a multiple of the stride. */
size_t report_members_of(const haul_instruction_record *const *instructions, size_t count, int64_t stride, bool *dense);

/* The kind of an access to shared memory, as far as its wavefronts depend on it. */
typedef enum report_banked { REPORT_BANKED_LOAD, REPORT_BANKED_STORE, REPORT_BANKED_ATOMIC } report_banked;

/* Sum of wavefronts over all samples. */
double report_wavefronts_of(const haul_access *samples, size_t count, report_banked as);
/* Whether lanes use words in no order, as in look-ups but not in tiles. */
bool report_looks_up(const haul_access *samples, size_t count, report_banked as);
/* Wavefronts that stores to the same places would take without bank conflicts. */
double report_passes_of(const haul_access *samples, size_t count);
/* For LDGSTS copies through L1: wavefronts of reading their sources. */
double report_source_wavefronts_of(const haul_access *samples, size_t count);
/* The same for LDGSTS copies around L1. */
double report_split_wavefronts_of(const haul_access *samples, size_t count);

/* Whether lanes of an access often use the same place. */
bool report_shares_words(const haul_access *samples, size_t count);

/* A changed layout of shared memory. */
typedef struct report_layout {
    uint32_t pitch;    /* bytes of a row */
    uint32_t padding;  /* bytes to add after each row */
    uint32_t units;    /* units of a row that are swizzled: unit u of row r goes to u ^ r % units */
    uint32_t copies;   /* copies of a table, interleaved by lane */
    double wavefronts; /* sum over all samples with this layout */
} report_layout;

/* Finds the padding, of a multiple of `unit` bytes, that removes most bank conflicts. Returns false if none removes
 * half. */
bool report_find_padding(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found);
/* The same for a swizzle of units of `unit` bytes. */
bool report_find_swizzle(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found);
/* The layout with this many copies of a table, interleaved by lane. */
report_layout report_try_copies(const haul_access *samples, size_t count, report_banked as, uint32_t copies);
/* Finds the fewest copies that remove nearly all bank conflicts. Returns false if 32 do not. */
bool report_find_copies(const haul_access *samples, size_t count, report_banked as, report_layout *found);

/* Whether the copies' lanes are adjacent on both sides, so that 16 bytes a lane could carry them. */
bool report_could_be_wide(const haul_access *samples, size_t count);

#endif
