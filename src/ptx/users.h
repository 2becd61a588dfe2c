/* The instructions that read and write each register. */
#ifndef HAUL_PTX_USERS_H
#define HAUL_PTX_USERS_H

#include "ptx/ir.h"

/* Register r's instructions are instructions[first[r]] .. instructions[first[r + 1] - 1], in order. An instruction that
 * names the register several times appears that often. */
typedef struct ptx_users {
    uint32_t *first, *instructions;
} ptx_users;

/* Finds readers and writers; either may be NULL. Allocates in `memory`, which has a jump point. */
void ptx_users_find(const ptx_function *function, arena *memory, ptx_users *readers, ptx_users *writers);

#endif
