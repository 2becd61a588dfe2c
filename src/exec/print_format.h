/* printf() as device code calls it: a format string and a buffer of arguments, both in device memory. */
#ifndef HAUL_EXEC_PRINT_FORMAT_H
#define HAUL_EXEC_PRINT_FORMAT_H

#include "base/text.h"
#include "state/warp.h"

#include <stdint.h>

enum {
    SIM_PRINT_ARGUMENTS = 32,   /* a call may have; conversions beyond them are printed as they stand */
    SIM_PRINT_FIELD = 1 << 16,  /* the widest field and the largest precision */
    SIM_PRINT_STRING = 1 << 20, /* the longest string */
    SIM_PRINT_WHY = 160,
};

/* Formats for lane `lane` and appends to `out`. The arguments lie from `list` on, each aligned to its size (int and
 * double as C promotes them). *result: the number of arguments used; -1 for a null format. False when something cannot
 * be read or is no conversion: `why` says what. Conversions are C's without %n and wide characters. */
bool sim_print_format(const sim_warp *w, unsigned lane, uint64_t format, uint64_t list, text *out, int *result,
                      char why[SIM_PRINT_WHY]);

#endif
