/* Registers that a value flows into, or that it comes from: a worklist in which each register stands once. */
#ifndef HAUL_PTX_REGISTER_LIST_H
#define HAUL_PTX_REGISTER_LIST_H

#include "ptx/ir.h"

typedef struct ptx_register_list {
    uint32_t *round_of; /* by register: the last round in which it was listed */
    uint32_t round;
    uint32_t *registers, count;
} ptx_register_list;

/* Makes an empty list for the function's registers. Allocates in `memory`, which has a jump point. */
ptx_register_list ptx_register_list_make(const ptx_function *function, arena *memory);
/* Makes the list empty again. */
void ptx_register_list_clear(ptx_register_list *list);

void ptx_list_register(ptx_register_list *list, uint32_t reg);
/* Lists the registers that the instruction writes. */
void ptx_list_results(ptx_register_list *list, const ptx_instruction *instruction);
/* Lists the registers that the instruction reads, its guard included. */
void ptx_list_sources(ptx_register_list *list, const ptx_instruction *instruction);

static inline bool ptx_is_listed(const ptx_register_list *list, uint32_t reg) {
    return list->round_of[reg] == list->round;
}

#endif
