/* Usual products: dense ones that can be computed straight from registers, which is several times as fast as element by
 * element (ops/multiply.h). */
#ifndef HAUL_EXEC_OPS_USUAL_H
#define HAUL_EXEC_OPS_USUAL_H

#include "exec/ops/near.h"
#include "exec/ops/whole.h"

/* Returns whether sim_multiply_usual() is worth a try. */
static inline bool sim_may_be_usual(const sim_product *p, unsigned sm) {
    return !(p->flags & SIM_PRODUCT_SPARSE) && (sim_whole_words(p) || sim_near_way_of(p, sm).words);
}

/* Adds a product to the sums of sim_load_sums(). Returns false if the caller must compute it otherwise. */
static inline bool sim_multiply_usual(const sim_product *p, const sim_row_registers *r, unsigned sm, float *sums) {
    return sim_whole_words(p) ? sim_multiply_whole(p, r, sums) : sim_multiply_near(p, r, sm, sums);
}

#endif
