/* Products of matrices by a warp (nvcuda::wmma): half, bfloat16, 8-bit integers, tf32 and double. */
#ifndef HAUL_TOOLCHAIN_MMA_H
#define HAUL_TOOLCHAIN_MMA_H
#define __CUDA_MMA_H__ /* programs ask for it */

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__)

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment;

/* Registers of asm: their names in the text, and as operands. */
#define HAUL_TEXT_1(v) "{%[" #v "0]}"
#define HAUL_TEXT_2(v) "{%[" #v "0], %[" #v "1]}"
#define HAUL_TEXT_4(v) "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3]}"
#define HAUL_TEXT_8(v) \
    "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3], %[" #v "4], %[" #v "5], %[" #v "6], %[" #v "7]}"
#define HAUL_REGISTERS_1(v, constraint, at) [v##0] constraint(at[0])
#define HAUL_REGISTERS_2(v, constraint, at) HAUL_REGISTERS_1(v, constraint, at), [v##1] constraint(at[1])
#define HAUL_REGISTERS_4(v, constraint, at) \
    HAUL_REGISTERS_2(v, constraint, at), [v##2] constraint(at[2]), [v##3] constraint(at[3])
#define HAUL_REGISTERS_8(v, constraint, at)                                                                            \
    HAUL_REGISTERS_4(v, constraint, at), [v##4] constraint(at[4]), [v##5] constraint(at[5]), [v##6] constraint(at[6]), \
        [v##7] constraint(at[7])

#define HAUL_LOAD_AS(letter, layout, shape, type, count, constraint, word, words, fragment, from, stride) \
    word words[count];                                                                                    \
    asm volatile("wmma.load." #letter ".sync.aligned." #layout "." shape "." type                         \
                 " " HAUL_TEXT_##count(r) ", "                                                            \
                                          "[%[from]], %[stride];"                                         \
                 : HAUL_REGISTERS_##count(r, "=" constraint, words)                                       \
                 : [from] "l"(from), [stride] "r"(stride)                                                 \
                 : "memory");                                                                             \
    __builtin_memcpy(fragment.x, words, sizeof words);

/* ---- operands: HAUL_OPERAND(letter, m, n, k, T, T in memory, T in registers, elements, type, registers) ---- */

#define HAUL_OPERAND_OF(letter, layout, m, n, k, T, memory, element, elements, type, count, constraint, word)          \
    template <> struct fragment<matrix_##letter, m, n, k, T, layout##_major> {                                         \
        typedef element element_type, storage_element_type;                                                            \
        enum { num_elements = elements, num_storage_elements = elements };                                             \
        element x[elements];                                                                                           \
    };                                                                                                                 \
    HAUL_TC_DEVICE void load_matrix_sync(fragment<matrix_##letter, m, n, k, T, layout##_major> &f, const memory *from, \
                                         unsigned stride) {                                                            \
        HAUL_LOAD_AS(letter, layout, "m" #m "n" #n "k" #k, type, count, constraint, word, words, f, from, stride)      \
    }
#define HAUL_OPERAND(letter, ...)             \
    HAUL_OPERAND_OF(letter, row, __VA_ARGS__) \
    HAUL_OPERAND_OF(letter, col, __VA_ARGS__)

#define HAUL_SHAPES(OPERANDS) OPERANDS(16, 16, 16) OPERANDS(32, 8, 16) OPERANDS(8, 32, 16)
#define HAUL_HALF_OPERANDS(m, n, k)                                               \
    HAUL_OPERAND(a, m, n, k, __half, __half, __half, 16, "f16", 8, "r", unsigned) \
    HAUL_OPERAND(b, m, n, k, __half, __half, __half, 16, "f16", 8, "r", unsigned)
HAUL_SHAPES(HAUL_HALF_OPERANDS)
#undef HAUL_HALF_OPERANDS

#define HAUL_WIDE_OPERANDS(T, type, m, n, a_size, b_size, a_count, b_count)  \
    HAUL_OPERAND(a, m, n, 16, T, T, T, a_size, type, a_count, "r", unsigned) \
    HAUL_OPERAND(b, m, n, 16, T, T, T, b_size, type, b_count, "r", unsigned)
HAUL_WIDE_OPERANDS(__nv_bfloat16, "bf16", 16, 16, 8, 8, 4, 4)
HAUL_WIDE_OPERANDS(__nv_bfloat16, "bf16", 32, 8, 16, 4, 8, 2)
HAUL_WIDE_OPERANDS(__nv_bfloat16, "bf16", 8, 32, 4, 16, 2, 8)
HAUL_WIDE_OPERANDS(signed char, "s8", 16, 16, 8, 8, 2, 2)
HAUL_WIDE_OPERANDS(signed char, "s8", 32, 8, 16, 4, 4, 1)
HAUL_WIDE_OPERANDS(signed char, "s8", 8, 32, 4, 16, 1, 4)
HAUL_WIDE_OPERANDS(unsigned char, "u8", 16, 16, 8, 8, 2, 2)
HAUL_WIDE_OPERANDS(unsigned char, "u8", 32, 8, 16, 4, 4, 1)
HAUL_WIDE_OPERANDS(unsigned char, "u8", 8, 32, 4, 16, 1, 4)
#undef HAUL_WIDE_OPERANDS
HAUL_OPERAND(a, 16, 16, 8, precision::tf32, float, float, 4, "tf32", 4, "r", unsigned)
HAUL_OPERAND(b, 16, 16, 8, precision::tf32, float, float, 4, "tf32", 4, "r", unsigned)
HAUL_OPERAND(a, 8, 8, 4, double, double, double, 1, "f64", 1, "d", double)
HAUL_OPERAND(b, 8, 8, 4, double, double, double, 1, "f64", 1, "d", double)

/* ---- accumulators ---- */

#define HAUL_STORE_AS(layout, shape, type, count, constraint, words, to, stride)                    \
    asm volatile("wmma.store.d.sync.aligned." #layout "." shape "." type                            \
                 " [%[to]], " HAUL_TEXT_##count(r) ", "                                             \
                                                   "%[stride];"                                     \
                 :                                                                                  \
                 : HAUL_REGISTERS_##count(r, constraint, words), [to] "l"(to), [stride] "r"(stride) \
                 : "memory");
#define HAUL_ACCUMULATOR(m, n, k, T, elements, type, count, constraint, word)                                  \
    template <> struct fragment<accumulator, m, n, k, T> {                                                     \
        typedef T element_type, storage_element_type;                                                          \
        enum { num_elements = elements, num_storage_elements = elements };                                     \
        T x[elements];                                                                                         \
    };                                                                                                         \
    HAUL_TC_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *from, unsigned stride, \
                                         layout_t layout) {                                                    \
        if (layout == mem_row_major) {                                                                         \
            HAUL_LOAD_AS(c, row, "m" #m "n" #n "k" #k, type, count, constraint, word, words, f, from, stride)  \
        } else {                                                                                               \
            HAUL_LOAD_AS(c, col, "m" #m "n" #n "k" #k, type, count, constraint, word, words, f, from, stride)  \
        }                                                                                                      \
    }                                                                                                          \
    HAUL_TC_DEVICE void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &f, unsigned stride,  \
                                          layout_t layout) {                                                   \
        word words[count];                                                                                     \
        __builtin_memcpy(words, f.x, sizeof words);                                                            \
        if (layout == mem_row_major) {                                                                         \
            HAUL_STORE_AS(row, "m" #m "n" #n "k" #k, type, count, constraint, words, to, stride)               \
        } else {                                                                                               \
            HAUL_STORE_AS(col, "m" #m "n" #n "k" #k, type, count, constraint, words, to, stride)               \
        }                                                                                                      \
    }
#define HAUL_ACCUMULATORS(m, n, k)                                \
    HAUL_ACCUMULATOR(m, n, k, float, 8, "f32", 8, "f", float)     \
    HAUL_ACCUMULATOR(m, n, k, __half, 8, "f16", 4, "r", unsigned) \
    HAUL_ACCUMULATOR(m, n, k, int, 8, "s32", 8, "r", int)
HAUL_SHAPES(HAUL_ACCUMULATORS)
#undef HAUL_ACCUMULATORS
HAUL_ACCUMULATOR(16, 16, 8, float, 8, "f32", 8, "f", float)
HAUL_ACCUMULATOR(8, 8, 4, double, 2, "f64", 2, "d", double)

template <class Fragment, class T> HAUL_TC_DEVICE void fill_fragment(Fragment &f, const T &value) {
    for (int i = 0; i < Fragment::num_elements; i++) f.x[i] = value;
}
HAUL_TC_DEVICE float __float_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

/* ---- products: HAUL_PRODUCT(m, n, k, T, T of d, T of c, types, registers, words and constraints) ---- */

#define HAUL_PRODUCT_OF(la, lb, m, n, k, T, D, C, rounding, types, na, nb, nd, nc, wi, ci, wd, cd, wc, cc)          \
    HAUL_TC_DEVICE void mma_sync(fragment<accumulator, m, n, k, D> &d,                                              \
                                 const fragment<matrix_a, m, n, k, T, la##_major> &a,                               \
                                 const fragment<matrix_b, m, n, k, T, lb##_major> &b,                               \
                                 const fragment<accumulator, m, n, k, C> &c, bool = false) {                        \
        wi as[na], bs[nb];                                                                                          \
        wd ds[nd];                                                                                                  \
        wc cs[nc];                                                                                                  \
        __builtin_memcpy(as, a.x, sizeof as);                                                                       \
        __builtin_memcpy(bs, b.x, sizeof bs);                                                                       \
        __builtin_memcpy(cs, c.x, sizeof cs);                                                                       \
        asm volatile("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k rounding "." types                  \
                     " " HAUL_TEXT_##nd(d) ", " HAUL_TEXT_##na(a) ", " HAUL_TEXT_##nb(b) ", " HAUL_TEXT_##nc(c) ";" \
                     : HAUL_REGISTERS_##nd(d, "=" cd, ds)                                                           \
                     : HAUL_REGISTERS_##na(a, ci, as), HAUL_REGISTERS_##nb(b, ci, bs),                              \
                       HAUL_REGISTERS_##nc(c, cc, cs));                                                             \
        __builtin_memcpy(d.x, ds, sizeof ds);                                                                       \
    }
#define HAUL_PRODUCT(...)                  \
    HAUL_PRODUCT_OF(row, row, __VA_ARGS__) \
    HAUL_PRODUCT_OF(row, col, __VA_ARGS__) \
    HAUL_PRODUCT_OF(col, row, __VA_ARGS__) \
    HAUL_PRODUCT_OF(col, col, __VA_ARGS__)

#define HAUL_HALF_PRODUCTS(m, n, k)                                                                                   \
    HAUL_PRODUCT(m, n, k, __half, float, float, "", "f32.f32", 8, 8, 8, 8, unsigned, "r", float, "f", float, "f")     \
    HAUL_PRODUCT(m, n, k, __half, __half, __half, "", "f16.f16", 8, 8, 4, 4, unsigned, "r", unsigned, "r", unsigned,  \
                 "r")                                                                                                 \
    HAUL_PRODUCT(m, n, k, __half, float, __half, "", "f32.f16", 8, 8, 8, 4, unsigned, "r", float, "f", unsigned, "r") \
    HAUL_PRODUCT(m, n, k, __half, __half, float, "", "f16.f32", 8, 8, 4, 8, unsigned, "r", unsigned, "r", float, "f")
HAUL_SHAPES(HAUL_HALF_PRODUCTS)
#undef HAUL_HALF_PRODUCTS
#define HAUL_WIDE_PRODUCT(m, n, T, D, types, na, nb, word, constraint) \
    HAUL_PRODUCT(m, n, 16, T, D, D, "", types, na, nb, 8, 8, unsigned, "r", word, constraint, word, constraint)
HAUL_WIDE_PRODUCT(16, 16, __nv_bfloat16, float, "f32.bf16.bf16.f32", 4, 4, float, "f")
HAUL_WIDE_PRODUCT(32, 8, __nv_bfloat16, float, "f32.bf16.bf16.f32", 8, 2, float, "f")
HAUL_WIDE_PRODUCT(8, 32, __nv_bfloat16, float, "f32.bf16.bf16.f32", 2, 8, float, "f")
HAUL_WIDE_PRODUCT(16, 16, signed char, int, "s32.s8.s8.s32", 2, 2, int, "r")
HAUL_WIDE_PRODUCT(32, 8, signed char, int, "s32.s8.s8.s32", 4, 1, int, "r")
HAUL_WIDE_PRODUCT(8, 32, signed char, int, "s32.s8.s8.s32", 1, 4, int, "r")
HAUL_WIDE_PRODUCT(16, 16, unsigned char, int, "s32.u8.u8.s32", 2, 2, int, "r")
HAUL_WIDE_PRODUCT(32, 8, unsigned char, int, "s32.u8.u8.s32", 4, 1, int, "r")
HAUL_WIDE_PRODUCT(8, 32, unsigned char, int, "s32.u8.u8.s32", 1, 4, int, "r")
#undef HAUL_WIDE_PRODUCT
HAUL_PRODUCT(16, 16, 8, precision::tf32, float, float, "", "f32.tf32.tf32.f32", 4, 4, 8, 8, unsigned, "r", float, "f",
             float, "f")
HAUL_PRODUCT(8, 8, 4, double, double, double, ".rn", "f64.f64.f64.f64", 1, 1, 2, 2, double, "d", double, "d", double,
             "d")

#undef HAUL_PRODUCT
#undef HAUL_PRODUCT_OF
#undef HAUL_ACCUMULATOR
#undef HAUL_STORE_AS
#undef HAUL_SHAPES
#undef HAUL_OPERAND
#undef HAUL_OPERAND_OF
#undef HAUL_LOAD_AS
#undef HAUL_REGISTERS_1
#undef HAUL_REGISTERS_2
#undef HAUL_REGISTERS_4
#undef HAUL_REGISTERS_8
#undef HAUL_TEXT_1
#undef HAUL_TEXT_2
#undef HAUL_TEXT_4
#undef HAUL_TEXT_8

}
}

#endif
#endif
