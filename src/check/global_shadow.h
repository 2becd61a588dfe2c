/* The shadow of global memory: what is recorded for each line of 128 bytes. Slices of the address space are replayed in
 * parallel. global_play.c checks accesses against it; global_shadow.c allocates it.
 *
 *     slice -> pages by number -> lines -> notes: which lanes have touched which words, none of them twice
 *                                       or rows: which warp last wrote and read which bytes
 *                                       or words: the same for each word, if rows are not enough
 *
 * Notes and words name accessors by number: many are touched by one access. */
#ifndef HAUL_CHECK_GLOBAL_SHADOW_H
#define HAUL_CHECK_GLOBAL_SHADOW_H

#include "check/accessors.h"
#include "check/internal.h"
#include "check/shadow_memory.h"
#include "state/block.h"

/* The last writer of bytes and those who have read them since: the last reader; a reader of its cluster that it does
 * not know of (another warp, or other lanes); and the last reader of another cluster. After a barrier, a thread that
 * knows one of two such readers mostly knows the other too. A thread that knows neither, or is one of them, is detected
 * through either. */
typedef enum sim_row_role { SIM_ROW_READER, SIM_ROW_READER_BESIDE, SIM_ROW_READER_BEFORE, SIM_ROW_WRITER } sim_row_role;
enum { SIM_READERS = SIM_ROW_WRITER };

/* An access to a word. */
typedef struct sim_touch {
    uint32_t cluster, instruction, time, epoch; /* epoch: number of the next release; 0: never */
    union {
        uint32_t lanes;  /* of a reader */
        uint8_t lane[4]; /* of a writer, by byte */
    };
    uint16_t actor;
    uint8_t bytes; /* of the word, a bit each */
    uint8_t action : 6, strong : 2;
} sim_touch;

/* A touch as words keep it; all zero: there was none. */
typedef struct sim_kept_touch {
    uint32_t by : 28, bytes : 4; /* by: the accessor's number; 0: there was no such access */
    union {
        uint32_t lanes;
        uint8_t lane[4];
    };
} sim_kept_touch;

/* The last access of several warps that each had whole lines to themselves, a lane for each of its elements, or, with
 * elements of one or two bytes, a line together with the next warps. Such lines share it, as long as nothing else is
 * known of them. */
typedef struct sim_shared_row {
    uint32_t cluster, time, epoch, instruction;
    uint32_t lines; /* that share it; 0: it is free */
    uint32_t next;  /* free one */
    uint8_t action, role, strong;
} sim_shared_row;

typedef struct sim_row {
    sim_bytes bytes; /* no byte is in two rows of a role */
    sim_owner owner;
    uint32_t cluster, time, epoch, instruction;
    uint32_t next;
    uint16_t actor;
    uint8_t action;
    uint8_t role : 6, strong : 2;
} sim_row;

/* All that is known of some words of a line: lanes have read or written them in one access. In the lanes' order, each
 * has as many of the words. Scattered lanes mostly leave it at that, in far less memory than rows take. */
typedef struct sim_note {
    uint32_t by;           /* the accessor's number; 0: the note is free */
    uint32_t lanes, words; /* a bit each */
    uint32_t next;         /* SIM_LINE_NOTED | index, or SIM_NO_ROW */
} sim_note;

enum { SIM_LINE_WORDS = SIM_FOOTPRINT_LINE / 4, SIM_PAGE_LINES = (1 << SIM_WATCH_PAGE) / SIM_FOOTPRINT_LINE };
enum { SIM_PAGE_WORDS = SIM_PAGE_LINES * SIM_LINE_WORDS };

/* The touches of some words of a line in one role: scattered lanes touch few. They are in the words' order; in a list
 * with room for all words, each has the place of its number. */
typedef struct sim_touches {
    sim_kept_touch *list; /* room for `capacity`; of writers, behind that, hashes of the values that were stored last */
    uint32_t words, capacity;
} sim_touches;

/* The words of a line. Most lines have few roles; the others' lists are NULL. */
enum { SIM_ROLES = SIM_ROW_WRITER + 1 };
typedef struct sim_line_words {
    sim_touches roles[SIM_ROLES];
} sim_line_words;

/* Returns the word's place in a list of some words, or where it would be. */
static inline unsigned sim_place_among(uint32_t words, unsigned word) {
    return (unsigned)__builtin_popcount(words & ((1u << word) - 1));
}

static inline unsigned sim_touches_place(const sim_touches *t, unsigned word) {
    return t->capacity == SIM_LINE_WORDS ? word : sim_place_among(t->words, word);
}

/* Returns what is kept of the word in that role, or NULL. */
static inline sim_kept_touch *sim_word_kept(const sim_line_words *line, unsigned word, sim_row_role role) {
    const sim_touches *t = &line->roles[role];
    return t->words >> word & 1 ? &t->list[sim_touches_place(t, word)] : NULL;
}

static inline sim_kept_touch sim_word_touch(const sim_line_words *line, unsigned word, sim_row_role role) {
    const sim_kept_touch *kept = sim_word_kept(line, word, role);
    return kept ? *kept : (sim_kept_touch){0};
}

/* Returns the hashes behind a list of writers. */
static inline uint32_t *sim_touches_values(const sim_touches *t) {
    return (uint32_t *)(void *)(t->list + t->capacity);
}

/* Returns the hash of the value that was stored last to the word, which has a writer. */
static inline uint32_t *sim_word_value(const sim_line_words *line, unsigned word) {
    const sim_touches *t = &line->roles[SIM_ROW_WRITER];
    return sim_touches_values(t) + sim_touches_place(t, word);
}

/* The first pages of a slice get hashes of 32 bits, which tell all values of a word apart; the others get 16 bits,
 * since they would need as much memory as the kernel's own data. */
enum { SIM_EXACT_PAGES = (32 << 20 >> SIM_WATCH_PAGE) / SIM_WATCH_SLICES };
/* Values of sim_page_line.link: the index of the first row, or one of these. */
#define SIM_NO_ROW UINT32_MAX
#define SIM_LINE_UNWATCHED (SIM_NO_ROW - 1)
#define SIM_LINE_DETAILED 0x80000000u /* | index of the words, which it has instead of rows */
#define SIM_LINE_SHARED 0x40000000u   /* | index of a shared row, its only one */
#define SIM_LINE_NOTED 0xc0000000u    /* | index of the newest note: it has notes instead */
enum { SIM_LINK_KIND = 30 };

static inline bool sim_link_has_rows(uint32_t link) {
    return link >> SIM_LINK_KIND == 0;
}
static inline bool sim_link_is_shared(uint32_t link) {
    return link >> SIM_LINK_KIND == SIM_LINE_SHARED >> SIM_LINK_KIND;
}
static inline bool sim_link_is_noted(uint32_t link) {
    return link >= SIM_LINE_NOTED && link < SIM_LINE_UNWATCHED;
}
static inline bool sim_link_is_detailed(uint32_t link) {
    return link >> SIM_LINK_KIND == SIM_LINE_DETAILED >> SIM_LINK_KIND;
}

/* Who has a line with a shared row: the warp, the first of them if there are several, the lane of the first byte, and
 * the bytes of a lane. */
typedef struct sim_line_holder {
    uint16_t actor;
    uint8_t lane, bytes;
} sim_line_holder;

/* Returns how many warps that is. */
static inline unsigned sim_holder_warps(sim_line_holder h) {
    return h.bytes < 4 ? SIM_FOOTPRINT_LINE / (SIM_LANES * (unsigned)h.bytes) : 1;
}

typedef struct sim_page_line {
    uint32_t link;
    union {
        uint32_t used; /* of a line with rows or notes: a bit for each word that has ever been in one */
        sim_line_holder holder;
    };
} sim_page_line;

/* The last atomic operation on each word of a line, for adders.c. by: its accessor's number; 0: none. `more`: an
 * earlier one is kept too (adder_words.h). */
typedef struct sim_kept_adder {
    uint32_t by : 28, more : 1;
    uint32_t lanes;
} sim_kept_adder;

/* The last atomic operations on some words of a line, in the words' order. */
typedef struct sim_line_adders {
    uint32_t words, capacity;
    sim_kept_adder list[];
} sim_line_adders;

typedef struct sim_page {
    sim_page_line lines[SIM_PAGE_LINES];
    void *values;             /* hashes of stored values; NULL until needed */
    sim_line_adders **adders; /* by line; NULL until needed */
    uint32_t earlier;         /* lines, a bit each, of which a word has or had sim_kept_adder.more */
    bool folds;               /* its hashes have 16 bits, not 32 */
} sim_page;

typedef struct sim_page_slot {
    uint64_t number;
    sim_page *page;
} sim_page_slot;

/* Rows and words are allocated in blocks, so that they never move. */
enum { SIM_BLOCK_ROWS = 256, SIM_BLOCK_LINES = 64, SIM_BLOCK_SHARED = 256, SIM_BLOCK_NOTES = 256 };

/* Lists of some words of a line: touches of readers and of writers, and atomic operations. They have room for some or
 * for all words, in a few sizes. */
enum { SIM_LIST_READERS, SIM_LIST_WRITERS, SIM_LIST_ADDERS, SIM_LISTS, SIM_LIST_SIZES = 3 };

typedef struct sim_slice {
    sim_shadow_memory *memory; /* the watch's, for what the slice keeps until the launch ends */
    char *chunk;               /* unused bytes: `chunk_left` */
    size_t chunk_left, chunk_bytes;
    sim_page_slot *pages; /* open addressing by number */
    size_t capacity, count;
    sim_page_slot *last;
    void **rows; /* blocks of SIM_BLOCK_ROWS */
    uint32_t row_count, row_blocks, free_row;
    void **shared; /* blocks of SIM_BLOCK_SHARED */
    uint32_t shared_count, shared_blocks, free_shared;
    uint32_t last_shared; /* the shared row that was found last, or SIM_NO_ROW */
    void **notes;         /* blocks of SIM_BLOCK_NOTES */
    uint32_t note_count, note_blocks, free_note;
    void **words;                           /* blocks of SIM_BLOCK_LINES lines */
    uint32_t detailed;                      /* number of lines with words */
    void *spare[SIM_LISTS][SIM_LIST_SIZES]; /* lists of words that have become too short, and their numbers of words */
    sim_accessors *accessors;               /* of all slices */
    sim_accessor_finder finder;
    sim_findings findings;
    uint32_t added;            /* words with a last atomic operation */
    struct sim_adders *adders; /* earlier ones: adder_words.h; NULL until needed */
    bool failed;
} sim_slice;

struct sim_watch {
    _Atomic uint32_t published[SIM_PLACES][SIM_PUBLICATIONS]; /* the last release, by hash of the address written */
    _Atomic uint32_t sources[SIM_PLACES][SIM_PUBLICATIONS];   /* sim_source_bit() of all releases by that word */
    const sim_grid *grid;
    struct sim_flag_words *flag_words;        /* flag_words.h; NULL until needed */
    sim_history *histories[SIM_PUBLICATIONS]; /* by cluster; NULL if there are too many clusters */
    uint32_t most[SIM_PUBLICATIONS];          /* releases that each of them keeps */
    uint32_t releases;                        /* so far; those of one parallel phase have one number */
    _Atomic bool has_released;                /* by the next number */
    uint32_t epoch;
    struct sim_map_news *maps; /* tensor_map.c; NULL: the kernel changes none */
    uint32_t *fences;          /* by cluster: the time of its last proxy fence for global memory; NULL: not kept */
    uint8_t *results;          /* adder_words.h; NULL: adders.c has nothing to do */
    sim_shadow_memory *memory;
    sim_shadow_memory **kept; /* gets `memory` when the launch ends; NULL: nothing is kept */
    sim_accessors accessors;
    sim_slice slices[SIM_WATCH_SLICES];
};

haul_status sim_watch_no_memory(void);
/* Returns whether the cluster has executed a proxy fence for global memory at that time or later; true if unknown. */
bool sim_watch_has_fenced(const sim_watch *watch, uint32_t cluster, uint32_t since);
/* tensor_map.c. *out stays NULL if the kernel changes no tensor map. */
haul_status sim_map_news_create(const sim_program *p, struct sim_map_news **out);
void sim_map_news_free(struct sim_map_news *news);
/* Returns zeroed memory that is the slice's until the launch ends; NULL, with `failed`, if the host has none. */
void *sim_slice_take(sim_slice *s, size_t bytes);
/* `thread` of the cluster, at an instruction. */
haul_finding_access sim_watch_access(const sim_watch *watch, uint32_t cluster, uint32_t thread, haul_action action,
                                     uint32_t instruction);

/* Returns the page; creates it when first requested. Returns NULL if the host runs out of memory. */
sim_page *sim_slice_find_page(sim_slice *s, uint64_t number);
static inline sim_page *sim_slice_page(sim_slice *s, uint64_t number) {
    return s->last && s->last->number == number ? s->last->page : sim_slice_find_page(s, number);
}

/* Returns where the page is among the slice's, or would be. */
static inline size_t sim_slice_slot(const sim_slice *s, uint64_t number) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15ull >> 32) & (s->capacity - 1);
    while (s->pages[at].page && s->pages[at].number != number) at = (at + 1) & (s->capacity - 1);
    return at;
}

/* Returns the page, or NULL if there is none yet. */
static inline sim_page *sim_slice_peek(const sim_slice *s, uint64_t number) {
    return s->capacity ? s->pages[sim_slice_slot(s, number)].page : NULL;
}

/* Returns the number of the address's line in its page. */
static inline unsigned sim_line_in_page(uint64_t address) {
    return (unsigned)(address / SIM_FOOTPRINT_LINE) % SIM_PAGE_LINES;
}

/* Returns what is kept of the word's last atomic operation, or NULL. sim_page_add_adder() makes a place for it, and
 * returns NULL if the host runs out of memory. */
static inline sim_kept_adder *sim_page_adder(const sim_page *g, uint64_t address) {
    sim_line_adders *line = g->adders ? g->adders[sim_line_in_page(address)] : NULL;
    const unsigned word = address / 4 % SIM_LINE_WORDS;
    return line && line->words >> word & 1 ? &line->list[sim_place_among(line->words, word)] : NULL;
}
sim_kept_adder *sim_page_add_adder(sim_slice *s, sim_page *g, uint64_t address);

static inline uint32_t sim_page_line_bit(uint64_t address) {
    return 1u << sim_line_in_page(address);
}
/* Returns whether an earlier atomic operation may be kept of words of the line. */
static inline bool sim_page_has_earlier(const sim_page *g, uint64_t address) {
    return g->earlier & sim_page_line_bit(address);
}

static inline sim_row *sim_slice_row(const sim_slice *s, uint32_t index) {
    return (sim_row *)s->rows[index / SIM_BLOCK_ROWS] + index % SIM_BLOCK_ROWS;
}

/* Returns SIM_NO_ROW if the host runs out of memory. */
uint32_t sim_slice_take_row(sim_slice *s);
/* Unlinks and frees the row that `link` refers to. */
void sim_slice_drop_row(sim_slice *s, uint32_t *link);
void sim_slice_drop_rows(sim_slice *s, uint32_t *link);

static inline sim_shared_row *sim_slice_shared(const sim_slice *s, uint32_t link) {
    const uint32_t index = link & ~SIM_LINE_SHARED;
    return (sim_shared_row *)s->shared[index / SIM_BLOCK_SHARED] + index % SIM_BLOCK_SHARED;
}

/* Returns whether lines can share the row: one warp's, a whole line, each element by the next lane. */
bool sim_row_is_shareable(const sim_row *r);
/* Gives a line without rows a shared row like `r`. Returns false if the host runs out of memory. */
bool sim_slice_share(sim_slice *s, sim_page_line *l, const sim_row *r);
/* The same for a row like `r` of that holder. */
bool sim_slice_share_with(sim_slice *s, sim_page_line *l, const sim_shared_row *r, sim_line_holder holder);
/* Gives a line a shared row in place of its own, which are those of adjacent warps, if `r` is the last of them and they
 * suit. */
void sim_slice_share_by_warps(sim_slice *s, sim_page_line *l, const sim_row *r);
/* Returns the row of warp number `warp` that has a line with a shared one. */
sim_row sim_slice_shared_row(const sim_slice *s, const sim_page_line *l, unsigned warp);
/* Leaves the line without rows. */
void sim_slice_unshare(sim_slice *s, sim_page_line *l);

static inline sim_note *sim_slice_note(const sim_slice *s, uint32_t link) {
    const uint32_t index = link & ~SIM_LINE_NOTED;
    return (sim_note *)s->notes[index / SIM_BLOCK_NOTES] + index % SIM_BLOCK_NOTES;
}
/* Adds a note to a line that has notes, or nothing yet. Returns false if the host runs out of memory. */
bool sim_slice_add_note(sim_slice *s, sim_page_line *l, uint32_t by, uint32_t lanes, uint32_t words);
/* Takes the line's newest note away. */
sim_note sim_slice_drop_note(sim_slice *s, sim_page_line *l);

static inline sim_line_words *sim_slice_words(const sim_slice *s, uint32_t index) {
    return (sim_line_words *)s->words[index / SIM_BLOCK_LINES] + index % SIM_BLOCK_LINES;
}

/* Returns whether lines that need no words may get some: those that need them are not to lack them. */
bool sim_slice_has_spare_words(const sim_slice *s);
/* Adds the words of one line and returns them and their index. Returns NULL if there are too many, or the host runs out
 * of memory. */
sim_line_words *sim_slice_add_words(sim_slice *s, uint32_t *index);
/* Makes room for touches of those words, too. Returns false if the host runs out of memory. */
bool sim_slice_reserve_touches(sim_slice *s, sim_line_words *line, uint32_t words, sim_row_role role);
/* Returns a touch of the word in that role, where there is none yet. Returns NULL if the host runs out of memory. */
sim_kept_touch *sim_slice_add_touch(sim_slice *s, sim_line_words *line, unsigned word, sim_row_role role);
/* Returns the touch of the word in that role, to be set, or NULL. Those of other words in the role may move. */
static inline sim_kept_touch *sim_slice_touch_at(sim_slice *s, sim_line_words *line, unsigned word, sim_row_role role) {
    sim_kept_touch *kept = sim_word_kept(line, word, role);
    return kept ? kept : sim_slice_add_touch(s, line, word, role);
}

/* Appends a zeroed block to `blocks`, which holds `count`. Returns NULL if the host runs out of memory. */
void *sim_slice_add_block(sim_slice *s, void ***blocks, uint32_t count, size_t bytes);

/* ---- accessors ---- */

static inline sim_accessor *sim_slice_accessor_at(const sim_slice *s, uint32_t number) {
    return sim_accessor_at(s->accessors, number);
}

/* Returns the number of the touch's accessor, to be kept in words or notes. 0: the host runs out of memory. */
static inline uint32_t sim_slice_accessor(sim_slice *s, const sim_touch *t) {
    const sim_accessor like = {.cluster = t->cluster,
                               .instruction = t->instruction,
                               .time = t->time,
                               .epoch = t->epoch,
                               .actor = t->actor,
                               .action = t->action & 63u,
                               .strong = t->strong & 3u};
    bool is_new;
    const uint32_t number = sim_accessor_find(s->accessors, &s->finder, &like, &is_new);
    s->failed |= !number;
    return number;
}

/* Frees accessors that no word or note names, if there are many, once the logs have been played. */
void sim_watch_tidy_accessors(sim_watch *watch, sim_sm *sms, uint32_t count, int threads);

/* Returns the touch; its epoch is 0 if there is none. */
static inline sim_touch sim_slice_touch(const sim_slice *s, const sim_kept_touch *k) {
    if (!k->by) return (sim_touch){0};
    const sim_accessor *a = sim_slice_accessor_at(s, k->by);
    return (sim_touch){.cluster = a->cluster,
                       .instruction = a->instruction,
                       .time = a->time,
                       .epoch = a->epoch,
                       .lanes = k->lanes,
                       .actor = a->actor,
                       .bytes = k->bytes,
                       .action = a->action & 63u,
                       .strong = a->strong & 3u};
}

#endif
