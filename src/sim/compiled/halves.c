#include "sim/compiled/ops.h"
bool sim_write_halves(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    (void)w, (void)op, (void)i;
    return false;
}
bool sim_write_convert_half(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    (void)w, (void)op, (void)i;
    return false;
}
