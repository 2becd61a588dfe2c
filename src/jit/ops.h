/* Operations of ops.c that have files of their own. A function that writes an operation returns false, and writes
 * nothing, if the operation's handler has to do it. */
#ifndef HAUL_JIT_OPS_H
#define HAUL_JIT_OPS_H

#include "jit/expressions.h"

/* ---- floating point (floats.c) ---- */

/* Roundings of AVX-512's functions, without exceptions. */
enum { SIM_ROUND_DOWN = 9, SIM_ROUND_UP = 10, SIM_ROUND_TO_ZERO = 11 };

/* The same number in all lanes. */
sim_value sim_write_number(sim_writer *w, sim_value_type type, double number);
/* Turns subnormal numbers into zeros of their sign. */
sim_value sim_write_flush(sim_writer *w, sim_value a);
/* Returns a * b of flushed singles, flushed as products are. */
sim_value sim_write_product_flushed(sim_writer *w, sim_value a, sim_value b);
/* Single and double precision. These functions return false if the instruction belongs to another group. */
bool sim_write_float(sim_writer *w, const sim_op *op, const ptx_instruction *i);
bool sim_write_convert(sim_writer *w, const sim_op *op, const ptx_instruction *i);

/* ---- approximate functions (mufu.c) ---- */

bool sim_write_approximate(sim_writer *w, const sim_op *op, const ptx_instruction *i);

/* ---- half precision (halves.c) ---- */

bool sim_write_halves(sim_writer *w, const sim_op *op, const ptx_instruction *i);
/* cvt of f16 or bf16 from and to single precision. */
bool sim_write_convert_half(sim_writer *w, const sim_op *op, const ptx_instruction *i);
bool sim_write_pack_halves(sim_writer *w, const sim_op *op, const ptx_instruction *i);

/* ---- integers (integer.c) ---- */

/* Writes an operation of a row of lower/integer.def. */
bool sim_write_integer(sim_writer *w, const sim_op *op, const ptx_instruction *i);

/* ---- across lanes (collective.c) ---- */

bool sim_write_collective(sim_writer *w, const sim_op *op, const ptx_instruction *i);

#endif
