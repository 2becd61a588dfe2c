/* The state of a lowering in progress, and operations between instructions. */
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

/* For each pattern, the address register of the current basic block that owns it. The number after the last register's
 * stands for constant addresses. */
typedef struct sim_patterns {
    uint32_t slot;                /* of the first pattern; 0: none yet */
    uint32_t next;                /* the next one to be reassigned */
    uint32_t owner[SIM_PATTERNS]; /* the register + 1; 0: free */
} sim_patterns;

/* place.c: places every variable of the kernel, and sets the program's shared, local and parameter sizes. */
void sim_place_variables(sim_lowering *l);
/* Returns a variable's address in its own space. */
uint64_t sim_variable_address(sim_lowering *l, const ptx_variable *variable);

/* operands.c: drops the patterns of registers that the instruction writes. */
void sim_forget_patterns(sim_patterns *p, const ptx_instruction *i);

/* slots.c: assigns slots to registers from *end of the register file on, and advances *end. */
uint32_t *sim_assign_slots(sim_lowering *l, uint32_t *end);
/* Returns, by register, whether some instruction reads it. */
bool *sim_find_read_registers(sim_lowering *l);

/* skipped_barriers.c: returns whether the instruction waits for all threads of the block. */
bool sim_waits_for_block(const ptx_instruction *i);
/* Finds, for each basic block with such a barrier, the block that threads reach if they skip the barrier and never
 * return to it (PTX_NO_BLOCK: none). `is_target` marks these blocks. */
void sim_find_skip_targets(sim_lowering *l, uint32_t *past, bool *is_target);

/* Append an operation between instructions: without the instruction's guard, or with it. */
sim_op *sim_append_between(sim_lowering *l, sim_form form);
sim_op *sim_emit_between(sim_lowering *l, sim_form form);

/* Sets p->texts. */
haul_status sim_describe_instructions(sim_program *p, arena *memory);

#endif
