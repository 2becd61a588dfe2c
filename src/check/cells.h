/* Cells: the shadow of each word of shared memory. shared.c checks threads' accesses against them, async_copies.c
 * asynchronous copies and background products. shared_reports.c reports what these find. */
#ifndef HAUL_CHECK_CELLS_H
#define HAUL_CHECK_CELLS_H

#include "check/internal.h"

/* True if the access of `thread` at `time` is ordered before the current access. */
bool sim_visit_knows(const sim_visit *k, uint32_t thread, uint32_t time);
/* True if `thread` stands for a copy that completes on an mbarrier, not for a thread. */
static inline bool sim_visit_is_engine(const sim_visit *k, uint32_t thread) {
    return thread / SIM_LANES >= k->d->actors;
}

/* Reports the current access together with an earlier one: instruction `other` of `thread`, to the same bytes. Returns
 * NULL if the finding was merged into an existing one. */
sim_finding *sim_visit_report(const sim_visit *k, haul_finding_kind kind, uint32_t address, uint32_t bytes,
                              haul_action other_action, uint32_t other, uint32_t thread);
/* Returns the lanes of an access to compare with the writer: not the writer itself, if others access with it. */
uint32_t sim_lanes_beside(const sim_visit *k, uint32_t writer, uint32_t lanes);
/* Report the current access with the write that the cell describes, which does not come before it, with the write of a
 * copy that may still arrive, or with an earlier read. `told`: a flag has told the thread of the write
 * (sim_was_told()). */
void sim_cell_report_writer(const sim_visit *k, uint32_t address, uint32_t bytes, const sim_cell *c, bool told);
void sim_cell_report_arriving(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                              uint32_t thread);
void sim_cell_report_reader(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                            uint32_t thread);
/* Reports two unordered writes, unless they are harmless. The second keeps those of a word as a contest if it can, and
 * returns true if the word stays contested. */
void sim_cell_report_overwrite(const sim_visit *k, const sim_cell *c, uint32_t address, uint32_t bytes);
bool sim_cell_overwrite(const sim_visit *k, const sim_cell *c, uint32_t word);
/* Advises a barrier of the warpgroup behind the wait for a product, whose parts others' warps read. */
void sim_cell_report_own_wait(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                              uint32_t thread);
/* Taints a load's register, or marks bytes of a factor. Any other read of uninitialised bytes is reported at once. */
void sim_cell_report_uninitialised(const sim_visit *k, uint32_t lanes, uint32_t address, uint32_t bytes);
/* Advises a barrier between the write and the product for which the visitor reads. */
void sim_visit_report_own_store(const sim_visit *k, uint32_t address, uint32_t bytes, const sim_cell *c);
/* Returns the kind of access that wrote a cell with this state. */
haul_action sim_cell_writer(const sim_visit *k, uint8_t state, uint32_t instruction);
/* Checks a read of the word by `lanes`. Returns false if it reported something. */
bool sim_cell_check_read(const sim_visit *k, uint32_t word, sim_cell *c, uint32_t lanes);
/* Checks a write of `count` words by the current lane and gives their cells `state`. */
void sim_cells_write(const sim_visit *k, uint32_t word, uint32_t count, uint8_t state);
/* contest.c. The suspect describes an unordered write of a different value. Returns true if it is kept as a contest and
 * false if it has to be reported at once. sim_contest_of() returns the number of the word's contest + 1, or 0 if that
 * has been reported. */
bool sim_contest_note(const sim_visit *k, const sim_suspect *s);
uint8_t sim_contest_of(const sim_visit *k, const sim_cell *c);
/* Marks words that a reduction in flight will add to. */
void sim_cells_add(const sim_visit *k, uint32_t word, uint32_t count);
/* peer.c. The first reports a write to a word that a copy to another block still reads. The second reports a use of a
 * word that reductions from other blocks may still add to, and returns false if it did. */
void sim_peers_check_source(const sim_visit *k, uint32_t word);
bool sim_peers_check_sum(const sim_visit *k, uint32_t word);

/* Records the read of a word by an asynchronous operation that has just finished. */
void sim_cell_finish_read(const sim_visit *k, uint32_t word, sim_read *plane, uint32_t lanes);
/* Records that the lanes have read the word. */
static inline void sim_cell_mark_read(const sim_visit *k, sim_cell *c, sim_read *r, uint32_t lanes) {
    const uint32_t now = k->d->now;
    c->read_time = now;
    c->readers |= 1u << k->actor % 32;
    r->lanes = r->time == now ? r->lanes | lanes : lanes;
    r->time = now;
    r->instruction = k->instruction;
}

#endif
