/* What instructions on textures and on surfaces share. */
#ifndef HAUL_EXEC_TEXTURE_ACCESS_H
#define HAUL_EXEC_TEXTURE_ACCESS_H

#include "count/texture.h"
#include "exec/texture/texture.h"
#include "ptx/pattern.h"
#include "state/block.h"
#include "state/lanes.h"

/* The live object of a lane's handle, a surface or a texture, in memory that is there; NULL: the fault has been
 * recorded. In exec/texture/access.c. */
const sim_texture *sim_find_object(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle, bool surface);
/* The same, which instructions of that geometry fit. */
const sim_texture *sim_find_texture(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle,
                                    sim_geometry geometry, bool surface);

#endif
