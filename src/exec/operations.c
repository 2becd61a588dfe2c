/* Chooses the operations for the host: exec/ops is compiled once for each vector extension, and each variant has a
 * table of lowering functions. Handlers between instructions exist once. */
#include "exec/operations.h"

#include "base/variant.h"
#include "exec/interpreter.h"

#define DECLARE(variant) extern const sim_lower_fn sim_lower_table_##variant[PTX_OP_COUNT]
VARIANT_EACH(DECLARE);

static const sim_lower_fn *best_table(void) {
    VARIANT_RETURN_BEST(sim_lower_table);
}

sim_operations sim_operations_best(void) {
    return (sim_operations){best_table(), sim_between_handlers};
}
