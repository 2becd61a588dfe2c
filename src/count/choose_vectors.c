/* Chooses the variant of vector_*.c that this host runs best. */
#include "base/variant.h"
#include "count/vectors.h"

#define DECLARE(variant) extern const sim_vectors sim_vectors_##variant
VARIANT_EACH(DECLARE);

_Atomic(const sim_vectors *) sim_vectors_chosen;

static const sim_vectors *best_vectors(void) {
    VARIANT_RETURN_BEST(&sim_vectors);
}

const sim_vectors *sim_vectors_choose(void) {
    const sim_vectors *best = best_vectors();
    atomic_store_explicit(&sim_vectors_chosen, best, memory_order_relaxed);
    return best;
}
