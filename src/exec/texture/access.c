/* Finds the object of a lane's handle and checks that the lane may use it: it exists, is of the right kind, has its
 * memory, and has as many dimensions as the instruction. A message says which of these is wrong. */
#include "exec/texture/access.h"

#include "exec/fault.h"

/* Records the fault; returns NULL. */
static const sim_texture *refuse(sim_warp *w, const sim_op *op, unsigned lane, haul_finding_kind kind, bool surface,
                                 uint64_t handle, const char *why) {
    sim_fault(w, op, kind, 1u << lane, "%s: handle 0x%llx: %s", surface ? "surface" : "texture",
              (unsigned long long)handle, why);
    return NULL;
}

/* Memory of textures that are not arrays may have been freed. The instruction's last allocation is asked first, as for
 * loads. */
static bool memory_is_there(sim_warp *w, const sim_op *op, const sim_texture *t) {
    sim_range *range = &w->sm->reaches[op->instruction].range;
    const uint64_t from = t->levels[0].address, to = from + t->levels[0].bytes;
    if (t->kind != DRIVER_RESOURCE_LINEAR && t->kind != DRIVER_RESOURCE_PITCH2D) return true;
    if (from >= range->from && to <= range->to) return true;
    return sim_memory_find(w->sm->grid->memory, from, range) && to <= range->to;
}

/* An orphan is an object whose array was destroyed before it. */
const sim_texture *sim_find_object(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle, bool surface) {
    const sim_textures *table = w->sm->grid->textures;
    const sim_texture *t = table ? sim_textures_find(table, handle) : NULL;
    if (!t)
        return refuse(w, op, lane, HAUL_FINDING_ILLEGAL_ACCESS, surface, handle,
                      "there is no such object, or it has been destroyed");
    if (t->is_surface != surface)
        return refuse(w, op, lane, HAUL_FINDING_ILLEGAL_ACCESS, surface, handle,
                      t->is_surface ? "it is a surface" : "it is a texture");
    if (t->state == SIM_OBJECT_ORPHAN)
        return refuse(w, op, lane, HAUL_FINDING_USE_AFTER_FREE, surface, handle, "its array has been destroyed");
    if (memory_is_there(w, op, t)) return t;
    return refuse(w, op, lane, HAUL_FINDING_USE_AFTER_FREE, surface, handle, "its memory has been freed");
}

const sim_texture *sim_find_texture(sim_warp *w, const sim_op *op, unsigned lane, uint64_t handle,
                                    sim_geometry geometry, bool surface) {
    const sim_texture *t = sim_find_object(w, op, lane, handle, surface);
    const char *wanted = t ? sim_texture_misfit(t, geometry) : NULL;
    if (!wanted) return t;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
              "%s: handle 0x%llx: the instruction is for %s, the object has %u dimension%s%s%s",
              surface ? "surface" : "texture", (unsigned long long)handle, wanted, t->dimensions,
              t->dimensions == 1 ? "" : "s", t->flags & DRIVER_ARRAY_LAYERED ? ", layered" : "",
              t->flags & DRIVER_ARRAY_CUBE ? ", a cube" : "");
    return NULL;
}
