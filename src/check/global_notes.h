/* The notes of a line of global memory, when rows or words take their place. */
#ifndef HAUL_CHECK_GLOBAL_NOTES_H
#define HAUL_CHECK_GLOBAL_NOTES_H

#include "check/global_shadow.h"

/* Makes a row of the last of the notes and of those before it that are of the same access, if its lanes lie at an even
 * stride. Returns their number. */
unsigned sim_notes_join(const sim_slice *s, const sim_note *notes, unsigned count, sim_row *r);
/* Takes the line's notes away, as notes of one lane each; returns their number. The last is the oldest. */
unsigned sim_notes_take(sim_slice *s, sim_page_line *l, sim_note notes[SIM_LINE_WORDS]);

#endif
