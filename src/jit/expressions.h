/* Expressions in LLVM's IR. Each function writes a line or a few, and returns the value. */
#ifndef HAUL_JIT_EXPRESSIONS_H
#define HAUL_JIT_EXPRESSIONS_H

#include "jit/write.h"

/* ---- types ---- */

/* Gets integer lanes as wide as the operand's register, or as the type if it is none; 8 bits are stored in 16. Returns
 * false if there are none. */
bool sim_register_type(const sim_writer *w, const ptx_operand *o, unsigned type, sim_value_type *out);
/* True if the operand's lanes are as wide as the type. */
bool sim_has_own_width(const sim_writer *w, const ptx_operand *o, unsigned type);

static inline bool sim_type_is_packed(unsigned type) {
    return type == PTX_U16X2 || type == PTX_S16X2;
}

/* ---- values ---- */

sim_value sim_write_two(sim_writer *w, const char *operation, sim_value a, sim_value b);
/* Converts lane by lane to another type: "trunc", "sitofp", "bitcast" ... */
sim_value sim_write_as(sim_writer *w, const char *how, sim_value a, sim_value_type to);
/* Converts between widths of integers. */
sim_value sim_write_cast(sim_writer *w, sim_value a, sim_value_type to, bool extends_sign);
/* Returns N of the lanes for which the relation holds, as a vector of bits. */
uint32_t sim_write_relation(sim_writer *w, const char *relation, sim_value a, sim_value b);
sim_value sim_write_choice(sim_writer *w, uint32_t bits, sim_value yes, sim_value no);
/* Converts a vector of bits to a mask. */
sim_value sim_write_mask(sim_writer *w, uint32_t bits);
sim_value sim_read_mask(sim_writer *w, uint32_t slot, uint32_t flip);
/* Calls LLVM's function of up to three values of one type, by its name without the type: "fma". */
sim_value sim_write_function(sim_writer *w, const char *name, const sim_value *values, unsigned count);
/* The same from one type to another: "fptosi.sat". */
sim_value sim_write_conversion(sim_writer *w, const char *name, sim_value a, sim_value_type to);
/* Returns the lesser or greater of two integers. */
sim_value sim_write_lesser(sim_writer *w, sim_value a, sim_value b, bool is_signed, bool lesser);
/* Returns a comparison's relation as LLVM names it; NULL if the type has none of that name. */
const char *sim_relation_of(const ptx_instruction *i, bool floating);

#endif
