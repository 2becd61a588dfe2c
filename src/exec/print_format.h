/* printf() as device code calls it: a format string and a buffer of arguments, both in device memory. */
#ifndef HAUL_EXEC_PRINT_FORMAT_H
#define HAUL_EXEC_PRINT_FORMAT_H

#include "base/text.h"
#include "state/warp.h"

#include <stdint.h>

enum {
    SIM_PRINT_ARGUMENTS = 32,   /* the most arguments of a call; further conversions are printed unchanged */
    SIM_PRINT_FIELD = 1 << 16,  /* the widest field and the largest precision */
    SIM_PRINT_STRING = 1 << 20, /* the longest string */
    SIM_PRINT_WHY = 160,
};

/* Formats for lane `lane` and appends to `out`. The arguments begin at `list`, each aligned to its size (C promotes int
 * and double). Conversions are C's without %n and wide characters. *result: the number of arguments used, or -1 for a
 * null format. Returns false if something cannot be read or is no conversion; `why` says what. */
bool sim_print_format(const sim_warp *w, unsigned lane, uint64_t format, uint64_t list, text *out, int *result,
                      char why[SIM_PRINT_WHY]);

#endif
