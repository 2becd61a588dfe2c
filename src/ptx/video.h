/* Video instructions: parts of registers, what goes together. */
#ifndef HAUL_PTX_VIDEO_H
#define HAUL_PTX_VIDEO_H

#include "ptx/ir.h"

/* Whether the instruction takes parts of registers; the number of parts that it works on at once: 1, 2 or 4. */
bool ptx_is_video(const ptx_instruction *i);
unsigned ptx_video_parts(const ptx_instruction *i);
/* What is wrong with its parts and modifiers; NULL: nothing. */
const char *ptx_video_fault(const ptx_instruction *i);

#endif
