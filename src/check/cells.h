/* The cells of shared memory's words (shared.c), as threads' accesses meet them, and copies and products in the
 * background (copied.c). */
#ifndef HAUL_CHECK_CELLS_H
#define HAUL_CHECK_CELLS_H

#include "check/internal.h"

/* Whether what `thread` did then is ordered before the access at hand. */
bool sim_visit_knows(const sim_visit *k, uint32_t thread, uint32_t time);
/* It is no thread but a copy that arrives by way of an mbarrier. */
static inline bool sim_visit_is_engine(const sim_visit *k, uint32_t thread) {
    return thread / SIM_LANES >= k->d->actors;
}

/* Of the access at hand, with what `other`, an instruction of `thread`, did to these bytes before. NULL when it was
 * folded into another. */
sim_finding *sim_visit_report(const sim_visit *k, haul_finding_kind kind, uint32_t address, uint32_t bytes,
                              haul_action other_action, uint32_t other, uint32_t thread);
/* How a cell of that state was written. */
haul_action sim_cell_writer(const sim_visit *k, uint8_t state, uint32_t instruction);
/* The lanes read the word: false when something was found. */
bool sim_cell_check_read(const sim_visit *k, uint32_t word, sim_cell *c, uint32_t lanes);
/* The lane writes `count` words from `word` on, which are of that state then. */
void sim_cells_write(const sim_visit *k, uint32_t word, uint32_t count, uint8_t state);
/* contest.c. The access, which the suspect describes, writes another value than is in the word, without order: false
 * when that is to be told at once. Such a word is read: the number of the contest, + 1; 0: it has been told. */
bool sim_contest_note(const sim_visit *k, const sim_suspect *s);
uint8_t sim_contest_of(const sim_visit *k, const sim_cell *c);
/* A reduction is going to add to the words. */
void sim_cells_add(const sim_visit *k, uint32_t word, uint32_t count);
/* peer.c. The access writes a word that copies to other blocks read; it uses one that reductions of other blocks add
 * to, which returns false when something was found. */
void sim_peers_check_source(const sim_visit *k, uint32_t word);
bool sim_peers_check_sum(const sim_visit *k, uint32_t word);

/* The lanes have read the word behind the issue of what reads it. */
void sim_cell_finish_read(const sim_visit *k, uint32_t word, sim_read *plane, uint32_t lanes);
/* The lanes have read it. */
static inline void sim_cell_mark_read(const sim_visit *k, sim_cell *c, sim_read *r, uint32_t lanes) {
    const uint32_t now = k->d->now;
    c->read_time = now;
    c->readers |= 1u << k->actor % 32;
    r->lanes = r->time == now ? r->lanes | lanes : lanes;
    r->time = now;
    r->instruction = k->instruction;
}

#endif
