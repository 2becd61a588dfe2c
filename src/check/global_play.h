/* Replaying logged accesses to global memory: what global_play.c, which goes through the log and keeps lines' rows, and
 * global_words.c, which checks words and reports, know of the current access. */
#ifndef HAUL_CHECK_GLOBAL_PLAY_H
#define HAUL_CHECK_GLOBAL_PLAY_H

#include "check/global_shadow.h"

/* An access that is replayed. */
typedef struct sim_play {
    const sim_watch *watch;
    sim_slice *s;
    unsigned number; /* of the slice */
    const sim_logged *e;
    const uint64_t *addresses;       /* of `lanes` */
    const uint32_t *values;          /* of the lanes; NULL: not known */
    bool folds;                      /* of the page */
    const sim_known *known, *fenced; /* fenced: of reads by the copy engine; NULL: there was no fence */
    uint64_t address;                /* of the word */
    uint32_t value;
    uint32_t by;    /* number of the accessor; 0: not known yet */
    bool is_first;  /* no note names the accessor yet */
    uint32_t lanes; /* of the entry's list, or its warps, that touch the slice */
    unsigned lane;
    uint8_t bytes;        /* of the word */
    const sim_part *part; /* of the line */
    sim_page **pages;     /* of scattered lanes from the next one on */
} sim_play;

static inline bool sim_play_reads(const sim_play *p) {
    return sim_only_reads(p->e->action);
}

static inline uint64_t sim_play_address(const sim_play *p, unsigned lane) {
    if (!p->e->has_list) return p->e->base + (uint64_t)(p->e->stride * lane);
    return p->addresses[__builtin_popcount(p->lanes & ((1u << lane) - 1))];
}

/* Hashes of stored values are as wide as the page's. */
static inline uint32_t sim_value_fold(uint32_t hash) {
    const uint16_t folded = (uint16_t)(hash >> 16 ^ hash);
    return folded ? folded : 1;
}

/* Returns the hash of what the lane stores, as wide as the page's; 0 if it is not known. */
static inline uint32_t sim_play_value(const sim_play *p, unsigned lane) {
    if (!p->values) return 0;
    return p->folds ? sim_value_fold(p->values[lane]) : p->values[lane];
}

static inline uint32_t sim_page_value(const sim_page *g, unsigned word) {
    if (!g->values) return 0;
    return g->folds ? ((const uint16_t *)g->values)[word] : ((const uint32_t *)g->values)[word];
}

static inline void sim_page_set_value(sim_page *g, unsigned word, uint32_t value) {
    if (g->folds)
        ((uint16_t *)g->values)[word] = (uint16_t)value;
    else
        ((uint32_t *)g->values)[word] = value;
}

/* True if both accesses are strong and the scope of each reaches the other: then they do not race, unless both are part
 * of updates. */
bool sim_play_cannot_race(const sim_play *p, const sim_touch *t);
/* The row's access as a touch, without bytes and lanes. */
sim_touch sim_touch_of_row(const sim_row *r);

/* global_values.c. Saves hashes of the stored values of a line, to tell races of equal values from others. */
void sim_play_note_values(const sim_play *p, sim_page *g, unsigned line, const sim_part *part);
/* The same for lanes that store as many of the words each, in their order. */
void sim_play_note_lanes_values(const sim_play *p, sim_page *g, unsigned line, uint32_t lanes, uint32_t words);

/* Returns the number of the current access's accessor. 0: the host runs out of memory. */
uint32_t sim_play_accessor(sim_play *p);
/* Replaces the line's rows by words. Returns NULL if there are too many, or the host runs out of memory. */
sim_line_words *sim_play_detail(sim_play *p, sim_page *g, unsigned line);
/* Gives a line without rows words in place of those notes, which are of one lane each. */
void sim_play_detail_notes(sim_play *p, sim_page *g, unsigned line, const sim_note *notes, unsigned count);
/* Replays a lane's read of a word that nobody has written, if all it does is replace the last read, which another
 * cluster made. Returns false otherwise. Most reads of data that a launch only reads are of this kind. */
bool sim_play_read_again(sim_play *p, sim_line_words *line, unsigned word, unsigned lane);
/* Replays the lane's access to `from` .. `to`-1 in the line that has these words. */
void sim_play_words(sim_play *p, sim_line_words *words, uint64_t from, uint64_t to);
/* The same for lanes' accesses to line `line` of memory. */
void sim_play_lanes(sim_play *p, sim_line_words *words, uint64_t line, uint32_t lanes);

/* adders.c. Keeps earlier atomic operations on a word, and reports ordinary accesses that nothing orders behind them.
 */
void sim_adders_play(const sim_play *p);

#endif
