/* The source line that a user sees an instruction at. */
#ifndef HAUL_PTX_USERS_PLACE_H
#define HAUL_PTX_USERS_PLACE_H

#include "ptx/ir.h"

/* Finds the files that belong to the toolchain; called once for each text of a module. */
void ptx_find_toolchain_files(ptx_module *module);
/* Returns the file of a place, which are numbered from 1 on; NULL if there is no such place, or its file has no name.
 */
const char *ptx_file_of(const ptx_module *module, uint32_t place);
/* Leaves files of the toolchain by the chain of inlined calls. Returns the innermost place that is not in one, or the
 * outermost if all are; 0: there is no line information. */
uint32_t ptx_users_place(const ptx_module *module, uint32_t place);

#endif
