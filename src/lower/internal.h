/* What lower.c keeps while it lowers, and the operations that no instruction stands for. */
#ifndef HAUL_LOWER_INTERNAL_H
#define HAUL_LOWER_INTERNAL_H

#include "assembler/shared_layout.h"
#include "base/number.h"
#include "base/pointer_map.h"
#include "lower/lower.h"
#include "state/pattern.h"
#include "state/program.h"

typedef struct sim_constants {
    sim_constant_item *items;
    size_t count, capacity;
    uint32_t *map; /* open addressing; index + 1 */
    size_t map_capacity;
    uint32_t end; /* of the register file so far */
} sim_constants;

typedef struct sim_placement {
    sim_variable_place *items;
    size_t count, capacity;
    pointer_map by_variable; /* numbers of items */
    sim_address_of address_of;
    void *context;
} sim_placement;

/* Which address register of the basic block being lowered each pattern belongs to. The number behind the last
 * register's stands for constant addresses. */
typedef struct sim_patterns {
    uint32_t slot;                /* of the first; 0: no pattern yet */
    uint32_t next;                /* to be given to another register */
    uint32_t owner[SIM_PATTERNS]; /* the register + 1; 0: nobody */
} sim_patterns;

/* place.c: gives every variable of the kernel its place, and the program its shared, local and parameter sizes. */
void sim_place_variables(sim_lowering *l);
/* Where a variable is, in its own space's addresses. */
uint64_t sim_variable_address(sim_lowering *l, const ptx_variable *variable);

/* operands.c: the registers that the instruction writes are no longer what patterns were found for. */
void sim_forget_patterns(sim_patterns *p, const ptx_instruction *i);

/* slots.c: the registers' slots, from *end of the register file on; *end moves behind them. */
uint32_t *sim_assign_slots(sim_lowering *l, uint32_t *end);
/* By register: some instruction reads it. */
bool *sim_find_read_registers(sim_lowering *l);

/* past.c. Waits for all threads of the block. */
bool sim_waits_for_block(const ptx_instruction *i);
/* By basic block with such a barrier: the block that threads come to which have gone round it, and never come back from
 * (PTX_NO_BLOCK: none); and which blocks are such. */
void sim_find_past(sim_lowering *l, uint32_t *past, bool *is_past);

/* Operations between instructions: without the instruction's guard, and with it. */
sim_op *sim_append_between(sim_lowering *l, sim_form form);
sim_op *sim_emit_between(sim_lowering *l, sim_form form);

/* Sets p->texts. */
haul_status sim_describe_instructions(sim_program *p, arena *memory);

#endif
