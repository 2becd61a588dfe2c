/* Records of launches as bytes, for another rank (base/pack.h). */
#ifndef HAUL_LIB_LAUNCH_PACK_H
#define HAUL_LIB_LAUNCH_PACK_H

#include "base/pack.h"

#include <haul/run.h>

void launch_pack_record(text *out, const haul_launch_record *record);
/* The record's arrays and strings live in `memory`. A failure is the reader's. */
void launch_unpack_record(pack_reader *r, arena *memory, haul_launch_record *record);

#endif
