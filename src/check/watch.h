/* The shadow of global memory: what is kept of each line of 128 bytes, in slices of all addresses that are played side
 * by side. global.c plays accesses against it; watch.c has its memory.
 *
 *     slice -> pages by number -> lines -> rows: which warp wrote and read which bytes last
 *                                       or words: the same of each word, where rows do not do */
#ifndef HAUL_CHECK_WATCH_H
#define HAUL_CHECK_WATCH_H

#include "check/internal.h"
#include "state/block.h"

/* Who wrote bytes last, or read them since: the last reader; of its cluster another warp, or other lanes, that it does
 * not know of; and the last reader of another cluster. Whoever knows one of two such readers of a cluster mostly knows
 * the other too, behind a barrier; who knows neither, or is one of them, is told apart by either. */
typedef enum sim_row_role { SIM_ROW_READER, SIM_ROW_READER_BESIDE, SIM_ROW_READER_BEFORE, SIM_ROW_WRITER } sim_row_role;
enum { SIM_READERS = SIM_ROW_WRITER };

/* An access to a word. */
typedef struct sim_touch {
    uint32_t cluster, instruction, time, epoch; /* epoch 0: never */
    union {
        uint32_t lanes;  /* of a reader */
        uint8_t lane[4]; /* of a writer, by byte */
    };
    uint16_t actor;
    uint8_t bytes; /* of the word, a bit each */
    uint8_t action : 6, strong : 2;
} sim_touch;

typedef struct sim_word_shadow {
    sim_touch writer, readers[SIM_READERS]; /* by role */
    uint32_t value;
} sim_word_shadow;

typedef struct sim_row {
    sim_bytes bytes; /* no byte is in two rows of a role */
    sim_owner owner;
    uint32_t cluster, time, epoch, instruction;
    uint32_t next;
    uint16_t actor;
    uint8_t action;
    uint8_t role : 6, strong : 2;
} sim_row;

enum { SIM_LINE_WORDS = SIM_FOOTPRINT_LINE / 4, SIM_PAGE_LINES = (1 << SIM_WATCH_PAGE) / SIM_FOOTPRINT_LINE };
enum { SIM_PAGE_WORDS = SIM_PAGE_LINES * SIM_LINE_WORDS };
/* What a line's number is of. */
#define SIM_NO_ROW UINT32_MAX
#define SIM_LINE_DETAILED 0x80000000u
#define SIM_LINE_UNWATCHED (SIM_NO_ROW - 1)

typedef struct sim_page {
    uint32_t lines[SIM_PAGE_LINES]; /* index of the first row, or SIM_LINE_DETAILED and that of its words, or
                                       SIM_LINE_UNWATCHED */
    uint32_t *values;               /* hashes of what was stored; NULL until needed */
} sim_page;

typedef struct sim_page_slot {
    uint64_t number;
    sim_page *page;
} sim_page_slot;

/* Items that keep their places, in blocks. */
enum { SIM_BLOCK_ROWS = 512, SIM_BLOCK_LINES = 16 };

typedef struct sim_slice {
    sim_page_slot *pages; /* open addressing by number */
    size_t capacity, count;
    sim_page_slot *last;
    void **rows; /* blocks of SIM_BLOCK_ROWS */
    uint32_t row_count, row_blocks, free_row;
    void **words;      /* blocks of SIM_BLOCK_LINES lines */
    uint32_t detailed; /* lines */
    sim_findings findings;
    bool failed;
} sim_slice;

struct sim_watch {
    _Atomic uint8_t published[SIM_PLACES]; /* SIM_TOLD_... of addresses that were written, a few to a place */
    const sim_grid *grid;
    sim_known **released; /* by cluster, by actor: what it has told all blocks of, then the reads that it has told of;
                           * NULL: too many to be kept */
    uint32_t epoch;
    sim_slice slices[SIM_WATCH_SLICES];
};

haul_status sim_watch_no_memory(void);

/* The page, made when it is first asked for. NULL when the host has no memory. */
sim_page *sim_slice_find_page(sim_slice *s, uint64_t number);
static inline sim_page *sim_slice_page(sim_slice *s, uint64_t number) {
    return s->last && s->last->number == number ? s->last->page : sim_slice_find_page(s, number);
}

static inline sim_row *sim_slice_row(const sim_slice *s, uint32_t index) {
    return (sim_row *)s->rows[index / SIM_BLOCK_ROWS] + index % SIM_BLOCK_ROWS;
}

/* SIM_NO_ROW when the host has no memory. */
uint32_t sim_slice_take_row(sim_slice *s);
/* The row that `link` names leaves its list. */
void sim_slice_drop_row(sim_slice *s, uint32_t *link);
void sim_slice_drop_rows(sim_slice *s, uint32_t *link);

static inline sim_word_shadow *sim_slice_words(const sim_slice *s, uint32_t index) {
    return (sim_word_shadow *)s->words[index / SIM_BLOCK_LINES] + (size_t)(index % SIM_BLOCK_LINES) * SIM_LINE_WORDS;
}

/* Words of one more line, and their index. NULL when there are too many, or the host has no memory. */
sim_word_shadow *sim_slice_add_words(sim_slice *s, uint32_t *index);

#endif
