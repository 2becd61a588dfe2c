/* What the lanes of a warp do, read from samples of an instruction's accesses, and what would cost less. */
#ifndef HAUL_REPORT_PROFILE_LANES_H
#define HAUL_REPORT_PROFILE_LANES_H

#include <haul/run.h>

/* Places in global (or constant) memory: sums over the samples. */
typedef struct report_places {
    double samples, lanes, distinct; /* distinct: places that lanes name */
    double sectors;                  /* that their bytes touch */
    double aligned;                  /* ... if each run of bytes began where a sector does */
    double ideal;                    /* ... if the bytes lay in one such run */
    double runs;                     /* stretches of bytes without a gap */
    double rows;                     /* of lanes one after the other, at one place or side by side */
    int64_t stride;                  /* bytes from most lanes to the next, in all samples; 0: there is no such number */
    bool rows_alike;                 /* all but the first and the last of a sample have as many lanes */
    bool side_by_side;               /* lanes lie where those of a whole warp without gaps would */
} report_places;
report_places report_places_of(const haul_access *samples, size_t count);

/* Where the stride leaves room for them: how many of the instructions' lanes lie in the cell of `stride` bytes in which
 * those of the first one do. *dense: they fill a cell that begins at a multiple of the stride. */
size_t report_members_of(const haul_instruction_record *const *instructions, size_t count, int64_t stride, bool *dense);

/* What an access to shared memory is, as far as its wavefronts depend on it. */
typedef enum report_banked { REPORT_BANKED_LOAD, REPORT_BANKED_STORE, REPORT_BANKED_ATOMIC } report_banked;

/* Wavefronts of all samples together. */
double report_wavefronts_of(const haul_access *samples, size_t count, report_banked as);
/* Whether lanes name words in no order, as those of look-ups do, and those of tiles do not. */
bool report_looks_up(const haul_access *samples, size_t count, report_banked as);
/* Those that stores to the same places would take without bank conflicts. */
double report_passes_of(const haul_access *samples, size_t count);
/* Of copies by LDGSTS through L1: those that reading their sources takes. */
double report_source_wavefronts_of(const haul_access *samples, size_t count);
/* Of copies by LDGSTS around L1. */
double report_split_wavefronts_of(const haul_access *samples, size_t count);

/* Whether lanes of an access often name one place. */
bool report_shares_words(const haul_access *samples, size_t count);

/* A change of where things lie in shared memory. */
typedef struct report_layout {
    uint32_t pitch;    /* bytes of a row */
    uint32_t padding;  /* bytes to put behind each row */
    uint32_t units;    /* of a row, that change places: unit u of row r goes to u ^ r % units */
    uint32_t copies;   /* of a table, interleaved by lane */
    double wavefronts; /* of all samples together, then */
} report_layout;

/* Finds the padding, of a multiple of `unit` bytes, that removes most bank conflicts. False: none removes half. */
bool report_find_padding(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found);
/* The same for a swizzle of units of `unit` bytes. */
bool report_find_swizzle(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found);
/* What so many copies of a table, interleaved by lane, would leave. */
report_layout report_try_copies(const haul_access *samples, size_t count, report_banked as, uint32_t copies);
/* Finds the fewest copies that remove nearly all bank conflicts. False: 32 do not. */
bool report_find_copies(const haul_access *samples, size_t count, report_banked as, report_layout *found);

/* Copies whose lanes lie side by side on both sides, so that 16 bytes a lane could carry them. */
bool report_could_be_wide(const haul_access *samples, size_t count);

#endif
