/* Source lines as a comparison sees them: without comments, each run of blanks as one. */
#ifndef HAUL_REPORT_CODE_H
#define HAUL_REPORT_CODE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The code of a text's lines: "" for one that has none, such as a comment. */
typedef struct report_code {
    const char **lines;
    size_t count;
} report_code;

/* Splits C++ source. Lives in `memory`, which has a jump point. */
report_code report_code_of(arena *memory, const char *text);
/* The code of a single line, which begins outside comments. NULL without memory, if there is no jump point. */
const char *report_code_of_line(arena *memory, const char *line);
/* A PTX instruction without the numbers of its registers, which any change of the kernel moves. */
const char *report_code_of_ptx(arena *memory, const char *instruction);

/* Whether two lines have the same code; blanks do not matter. */
bool report_code_equal(const char *a, const char *b);
/* Returns how much two lines have in common, from 0 to 1: the share of equal pairs of adjacent characters. */
double report_code_likeness(const char *a, const char *b);

#endif
