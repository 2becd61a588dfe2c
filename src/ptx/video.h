/* Video instructions: parts of registers, and valid combinations. */
#ifndef HAUL_PTX_VIDEO_H
#define HAUL_PTX_VIDEO_H

#include "ptx/ir.h"

/* Returns whether the instruction takes parts of registers. */
bool ptx_is_video(const ptx_instruction *i);
/* Returns what is wrong with its parts and modifiers; NULL if nothing is. */
const char *ptx_video_fault(const ptx_instruction *i);

#endif
