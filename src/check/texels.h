/* Checks of textures and surfaces. */
#ifndef HAUL_CHECK_TEXELS_H
#define HAUL_CHECK_TEXELS_H

#include "state/block.h"
#include "state/texels.h"

#include <haul/run.h>

/* Checks the texels that the active lanes touch as accesses to global memory. */
void sim_hazard_texels(sim_warp *w, const sim_op *op, uint32_t active, const sim_texel_access *access,
                       haul_action action);
/* Reports that `lanes` fetch outside linear memory of `texels` texels. */
void sim_hazard_texture_range(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t texels);

#endif
