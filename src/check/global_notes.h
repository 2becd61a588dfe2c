/* The notes of a line of global memory, when rows or words take their place. */
#ifndef HAUL_CHECK_GLOBAL_NOTES_H
#define HAUL_CHECK_GLOBAL_NOTES_H

#include "check/global_shadow.h"

/* Makes a row of the last of the notes and of those before it that are of the same access, if its lanes lie at an even
 * stride. Returns their number. */
unsigned sim_notes_join(const sim_slice *s, const sim_note *notes, unsigned count, sim_row *r);
/* Returns the lane of a note that touches the word, as a bit: it is in the note. */
static inline uint32_t sim_note_lane(const sim_note *n, unsigned word) {
    const unsigned each = (unsigned)__builtin_popcount(n->words) / (unsigned)__builtin_popcount(n->lanes);
    unsigned before = (unsigned)__builtin_popcount(n->words & ((1u << word) - 1)) / each;
    uint32_t lanes = n->lanes;
    for (; before; before--) lanes &= lanes - 1;
    return lanes & -lanes;
}
/* Takes the line's notes away, as notes of one lane each; returns their number. The last is the oldest. */
unsigned sim_notes_take(sim_slice *s, sim_page_line *l, sim_note notes[SIM_LINE_WORDS]);

#endif
