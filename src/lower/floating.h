/* Modifiers and constants of the floating-point instructions, for handlers and compiled code alike. */
#ifndef HAUL_LOWER_FLOATING_H
#define HAUL_LOWER_FLOATING_H

#include <stdint.h>

/* Flags in sim_op.x. */
enum {
    SIM_FLUSH = 1,       /* .ftz: subnormal operands and results become zero of the same sign */
    SIM_SATURATE = 2,    /* .sat: the result is clamped to [0, 1], NaN becomes +0 */
    SIM_RELU = 4,        /* .relu: a negative result becomes +0, NaN stays */
    SIM_KEEP_NAN = 8,    /* .NaN: a minimum or maximum is NaN if an operand is */
    SIM_XOR_SIGN = 16,   /* .xorsign: magnitudes are compared; the result's sign is that of the product */
    SIM_MAGNITUDES = 32, /* .abs: magnitudes are compared */
};

/* NVIDIA hardware has one NaN in single precision and one in each half precision; double precision keeps sign and
 * payload of an operand's NaN and makes it quiet. */
#define SIM_NAN_F32 UINT32_C(0x7fffffff)
#define SIM_NAN_F64 UINT64_C(0xfff8000000000000)
#define SIM_NAN_HALF UINT32_C(0x7fff)
#define SIM_QUIET_F32 UINT32_C(0x00400000)
#define SIM_QUIET_F64 UINT64_C(0x0008000000000000)

/* How .ftz decides about products: see flush_product() in exec/floats.h. */
#define SIM_LIFT 0x1p63f
#define SIM_LIFTED_NORMAL UINT32_C(0x60000000) /* any of these bits: at least 2^-126 * SIM_LIFT, or a NaN */

#endif
