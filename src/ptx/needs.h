/* Which PTX version and which targets things need: instructions (isa.def) and forms of them that came later
 * (needs.def), special registers (special.def), directives (directives.def) and the targets themselves (targets.def).
 */
#ifndef HAUL_PTX_NEEDS_H
#define HAUL_PTX_NEEDS_H

#include "ptx/ir.h"

/* Row i of targets.def is bit i. */
typedef uint64_t ptx_target_set;

typedef struct ptx_need {
    uint16_t version;        /* the first, times ten */
    ptx_target_set targets;  /* that have it */
    const char *target_text; /* the same as isa.def and needs.def write it: of what is hardest to meet */
} ptx_need;

/* What the instruction needs: its row, and what its modifiers, types and operands add. */
ptx_need ptx_need_of(const ptx_instruction *i);
/* Whether operands can add something to what the modifiers and types of such an instruction need. */
bool ptx_need_depends_on_operands(unsigned op);
ptx_need ptx_need_of_special(unsigned special);
/* Of a directive or what else directives.def names; false: it is not there, and needs nothing. */
bool ptx_need_of_directive(const char *name, size_t length, ptx_need *need);

/* The row of targets.def for `sm_<sm><suffix>`; of one that is later than all of them, the latest of its kind.
 * -1: there is and was no such target. */
int ptx_target_of(unsigned sm, char suffix);
/* The first PTX version that knows a row's target, times ten. */
unsigned ptx_target_version(unsigned target);
/* Bytes of static shared memory that a kernel may have. */
uint32_t ptx_target_shared_bytes(unsigned target);
/* The least number among targets of the set; of the empty set 0. */
unsigned ptx_least_sm(ptx_target_set targets);
/* `80` as "sm_80 or later", `90a|100f` as "sm_90a or sm_100f"; lives in the arena. */
const char *ptx_describe_targets(arena *a, const char *target_text);
/* Whether all rows of the tables could be read, which a test makes sure of. */
bool ptx_needs_are_read(void);

#endif
