/* Instructions on matrices: shapes, what of a matrix each lane holds, and which forms there are. */
#ifndef HAUL_PTX_MATRIX_H
#define HAUL_PTX_MATRIX_H

#include "ptx/ir.h"

/* Rows, columns and depth of a product, as the instruction's shape says; ldmatrix and stmatrix have no depth. For a
 * warpgroup's product, the rows are those of one warp: 16 of 64. */
typedef struct ptx_shape {
    uint16_t m, n, k;
} ptx_shape;
ptx_shape ptx_shape_of(const ptx_instruction *i);

/* The element type of matrix `which` ('a' to 'd') of a product. */
ptx_type ptx_element_type(const ptx_instruction *i, char which);
/* The registers that a lane has of it, and their type. */
unsigned ptx_fragment_length(const ptx_instruction *i, char which);
ptx_type ptx_fragment_type(ptx_type element);

/* Half of a's elements are left out: k of the shape is twice a's depth in registers or memory. */
bool ptx_is_sparse(const ptx_instruction *i);
bool ptx_is_warpgroup_product(const ptx_instruction *i);

/* Returns a message if an instruction's shape and types do not go together; NULL if they do, and for instructions
 * without matrices. */
const char *ptx_matrix_fault(const ptx_instruction *i);

#endif
