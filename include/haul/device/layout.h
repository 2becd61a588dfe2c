/* Layouts of shared memory that keep a warp's accesses free of bank conflicts.
 *
 * The rule: shared memory has 32 banks of 4 bytes. A warp's access takes as many wavefronts as the most loaded bank has
 * distinct words. Accesses of 8 and 16 bytes are served by half and by quarter warps. A tile has no conflicts along a
 * column if the rows' first words lie in different banks, for as many rows as lanes are served at once:
 *
 *   padding    a pitch that is one access longer than a multiple of 128 bytes shifts each row by one access
 *              (HAUL_PADDED_PITCH); it costs one access a row
 *   XOR        column c of row r is stored at column c ^ (r % n), n accesses a row (haul_swizzle); it costs nothing,
 *              but a row must be a power of two of accesses, and only accesses of one width have no conflicts
 *
 * Tensor copies swizzle by 16-byte chunks as they write (haul_tensor.swizzle); haul_tensor_swizzle() finds an element.
 */
#ifndef HAUL_DEVICE_LAYOUT_H
#define HAUL_DEVICE_LAYOUT_H

#include <haul/device/config.h>

/* The shortest pitch for rows of `bytes` at which columns of `access`-byte accesses (4, 8 or 16) have no conflicts. It
 * is an odd number of accesses, so that consecutive rows start in different banks. */
#define HAUL_PADDED_PITCH(bytes, access) ((((bytes) + (access)-1) / (access) | 1) * (access))

/* The place of access `column` of row `row`, in accesses from the row's start. `columns`: accesses a row, a power of
 * two; `access`: bytes, 4, 8 or 16. With rows of 128 bytes or more there is no conflict between lanes that read one
 * column of 128 / access consecutive rows, nor between lanes that read one row. */
HAUL_DEVICE unsigned haul_swizzle(unsigned row, unsigned column, unsigned columns, unsigned access) {
    const unsigned turns = 128 / access;
    return column ^ (row & (haul_smaller(columns, turns) - 1));
}

/* The place of byte `offset` of a dense box that a tensor copy wrote with a swizzle of `width` bytes (32, 64 or 128):
 * bits 4 and up are XORed with bits 7 and up. The box starts at a multiple of 8 * width. */
HAUL_DEVICE unsigned haul_tensor_swizzle(unsigned offset, unsigned width) {
    return offset ^ (offset >> 3 & (width - 16));
}

#endif
