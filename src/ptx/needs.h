/* The PTX version and targets that things need: instructions (isa.def), later forms of them (needs.def), special
 * registers (special.def), directives (directives.def) and targets (targets.def). */
#ifndef HAUL_PTX_NEEDS_H
#define HAUL_PTX_NEEDS_H

#include "ptx/ir.h"

/* Row i of targets.def is bit i. */
typedef uint64_t ptx_target_set;

typedef struct ptx_need {
    uint16_t version;        /* the first one, times ten */
    ptx_target_set targets;  /* that support it */
    const char *target_text; /* as isa.def and needs.def write it, for the strictest need */
} ptx_need;

/* Returns what the instruction needs: its row, and what its modifiers, types and operands add. */
ptx_need ptx_need_of(const ptx_instruction *i);
/* Returns whether operands may add to what the modifiers and types of such an instruction need. */
bool ptx_need_depends_on_operands(unsigned op);
ptx_need ptx_need_of_special(unsigned special);
/* Gets the need of a directive or another name in directives.def; returns false if it is not there, and needs
 * nothing. */
bool ptx_need_of_directive(const char *name, size_t length, ptx_need *need);

/* Returns the row of targets.def for `sm_<sm><suffix>`; for one later than all of them, the latest of its kind. Returns
 * -1 if no such target exists or existed. */
int ptx_target_of(unsigned sm, char suffix);
/* Returns the first PTX version, times ten, that knows a row's target. */
unsigned ptx_target_version(unsigned target);
/* Returns the bytes of static shared memory that a kernel may have. */
uint32_t ptx_target_shared_bytes(unsigned target);
/* Returns the target that is a GPU's own, by its compute capability times ten: the one for that GPU alone (sm_90a), if
 * there is such. It runs what needs a set with this target. */
ptx_target_set ptx_target_of_gpu(unsigned sm);
/* Formats `80` as "sm_80 or later", `90a|100f` as "sm_90a or sm_100f"; the text lives in the arena. */
const char *ptx_describe_targets(arena *a, const char *target_text);
/* Returns whether all rows of the tables could be read; a test checks that. */
bool ptx_needs_are_read(void);

#endif
