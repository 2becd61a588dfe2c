/* Functions that texture and surface instructions share. */
#ifndef HAUL_EXEC_TEXTURE_ACCESS_H
#define HAUL_EXEC_TEXTURE_ACCESS_H

#include "count/texels.h"
#include "exec/texture/texture.h"
#include "ptx/pattern.h"
#include "state/block.h"
#include "state/lanes.h"

/* Returns the live object of a lane's handle, a surface or a texture, whose memory exists. Otherwise records the fault
 * and returns NULL. In exec/texture/access.c. */
const sim_texture *sim_find_object(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle, bool surface);
/* The same, and checks that the object fits instructions of that geometry. */
const sim_texture *sim_find_texture(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle,
                                    sim_geometry geometry, bool surface);

#endif
