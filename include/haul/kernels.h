/* The kernels that ship with haul, as C functions; link with -lhaul_kernels -lhaul.
 *
 * Every function checks its arguments, launches one kernel and waits for its end. Common rules:
 *
 * - `form` chooses how the data is moved; HAUL_<KERNEL>_AUTO, which is 0, is haul's recommendation for the device. All
 *   forms of a kernel give the same bits, but for HAUL_FUSED_TENSOR.
 * - Buffers may be larger than the part that is used; nothing beyond that part is written. A buffer that is written
 * must
 *   not be any of the others.
 * - A launch record is appended to `run` (may be NULL).
 * - Errors: HAUL_ERROR_ARGUMENT (a buffer missing or too small, impossible sizes; the message says which),
 *   HAUL_ERROR_UNSUPPORTED (the form needs a newer architecture), and those of haul_launch_run(). */
#ifndef HAUL_KERNELS_H
#define HAUL_KERNELS_H

#include <haul/haul.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels on one device. Modules are loaded when first needed, and stay loaded. */
typedef struct haul_kernels haul_kernels;

/* Does not load anything yet. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_kernels_open(haul_device *device, haul_kernels **kernels);
/* Call it before the device is closed; NULL is allowed. */
void haul_kernels_close(haul_kernels *kernels);

/* Limits the blocks of forms whose blocks stride through the data (HAUL_GRID_STRIDES) to `blocks` from now on. 0, the
 * initial value: as many as the device holds at once. */
void haul_kernels_limit_blocks(haul_kernels *kernels, uint32_t blocks);

/* ---- forms ---- */

typedef enum haul_grid {
    HAUL_GRID_COVERS, /* a block for each tile */
    HAUL_GRID_STRIDES /* as many blocks as the device holds at once, each for several tiles */
} haul_grid;

/* One form of a kernel, a row of <haul/kernels.def>. Blocks, tiles and shared memory are those of the newest
 * architecture that kernels/tuned/ has constants for; an older one's module may have others. */
typedef struct haul_kernel_form {
    const char *name;           /* "two_stages" */
    const char *module;         /* "saxpy" for kernels/saxpy.cu */
    const char *kernel;         /* its name in a launch and in a run record */
    const char *label;          /* "LDGSTS, 2 stages" */
    uint32_t architecture;      /* the oldest architecture that it runs on: 80 for sm_80 */
    uint32_t block[2], tile[2]; /* in x and y: threads of a block, and elements that a block handles at a time */
    haul_grid grid;
    uint32_t shared_bytes; /* dynamic shared memory a block */
    uint32_t ahead;        /* bytes that a thread can have requested when it first waits */
} haul_kernel_form;

/* ---- copy: out[i] = in[i] ---- */

typedef enum haul_copy_form {
    HAUL_COPY_AUTO,
#define HAUL_KERNEL_COPY(FORM, ...) HAUL_COPY_##FORM,
#include <haul/kernels.def>
    HAUL_COPY_FORMS
} haul_copy_form;

extern const haul_kernel_form haul_copy_forms[HAUL_COPY_FORMS]; /* indexed by form; AUTO has only a name */

/* n floats, n > 0. */
haul_status haul_copy(haul_kernels *kernels, haul_copy_form form, uint32_t n, haul_buffer *in, haul_buffer *out,
                      haul_run *run);

/* ---- saxpy: y[i] = alpha * x[i] + y[i], rounded once ---- */

typedef enum haul_saxpy_form {
    HAUL_SAXPY_AUTO,
#define HAUL_KERNEL_SAXPY(FORM, ...) HAUL_SAXPY_##FORM,
#include <haul/kernels.def>
    HAUL_SAXPY_FORMS
} haul_saxpy_form;

extern const haul_kernel_form haul_saxpy_forms[HAUL_SAXPY_FORMS];

/* n floats, n > 0. */
haul_status haul_saxpy(haul_kernels *kernels, haul_saxpy_form form, uint32_t n, float alpha, haul_buffer *x,
                       haul_buffer *y, haul_run *run);

/* ---- maxpool15: out[i] is the largest of in[i - 15] to in[i + 15], clamped to the array ---- */

typedef enum haul_maxpool15_form {
    HAUL_MAXPOOL15_AUTO,
#define HAUL_KERNEL_MAXPOOL15(FORM, ...) HAUL_MAXPOOL15_##FORM,
#include <haul/kernels.def>
    HAUL_MAXPOOL15_FORMS
} haul_maxpool15_form;

extern const haul_kernel_form haul_maxpool15_forms[HAUL_MAXPOOL15_FORMS];

/* 0 < n < 2^31 floats, none of them NaN. */
haul_status haul_maxpool15(haul_kernels *kernels, haul_maxpool15_form form, uint32_t n, haul_buffer *in,
                           haul_buffer *out, haul_run *run);

/* ---- derivatives: first differences of an array of rows ---- */

/* n1 rows of n0 floats; element (i0, i1) lies at lead + i1 * pitch + i0. Each row has one element before it (lead >=
 * 1), and there may be another row after the last. pitch >= n0. */
typedef struct haul_rows {
    uint32_t n0, n1, pitch, lead;
} haul_rows;

/* Where rows begin: without gaps; the first on a cache line; each on a cache line. */
typedef enum haul_padding { HAUL_PADDING_NONE, HAUL_PADDING_LEAD, HAUL_PADDING_PITCH } haul_padding;

/* Lays out rows with a column before and one after them. */
haul_rows haul_rows_lay_out(uint32_t n0, uint32_t n1, haul_padding padding);
/* Floats that a buffer needs for n1 rows and the additional row that differences along the slow dimension need. */
uint64_t haul_rows_floats(const haul_rows *rows);

typedef enum haul_copy_rows_form {
    HAUL_COPY_ROWS_AUTO,
#define HAUL_KERNEL_COPY_ROWS(FORM, ...) HAUL_COPY_ROWS_##FORM,
#include <haul/kernels.def>
    HAUL_COPY_ROWS_FORMS
} haul_copy_rows_form;

typedef enum haul_derivative_fast_form {
    HAUL_DERIVATIVE_FAST_AUTO,
#define HAUL_KERNEL_DERIVATIVE_FAST(FORM, ...) HAUL_DERIVATIVE_FAST_##FORM,
#include <haul/kernels.def>
    HAUL_DERIVATIVE_FAST_FORMS
} haul_derivative_fast_form;

typedef enum haul_derivative_slow_form {
    HAUL_DERIVATIVE_SLOW_AUTO,
#define HAUL_KERNEL_DERIVATIVE_SLOW(FORM, ...) HAUL_DERIVATIVE_SLOW_##FORM,
#include <haul/kernels.def>
    HAUL_DERIVATIVE_SLOW_FORMS
} haul_derivative_slow_form;

extern const haul_kernel_form haul_copy_rows_forms[HAUL_COPY_ROWS_FORMS];
extern const haul_kernel_form haul_derivative_fast_forms[HAUL_DERIVATIVE_FAST_FORMS];
extern const haul_kernel_form haul_derivative_slow_forms[HAUL_DERIVATIVE_SLOW_FORMS];

/* Copies rows 0 to n1 - 1, and nothing between them: the cost of the layout alone. */
haul_status haul_copy_rows(haul_kernels *kernels, haul_copy_rows_form form, const haul_rows *rows, haul_buffer *in,
                           haul_buffer *out, haul_run *run);
/* out(i0, i1) = scale * (in(i0, i1) - in(i0 - 1, i1)) on rows 0 to n1 - 1. */
haul_status haul_derivative_fast(haul_kernels *kernels, haul_derivative_fast_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run);
/* out(i0, i1) = scale * (in(i0, i1) - in(i0, i1 - 1)) on rows 1 to n1; row 0 is only read. */
haul_status haul_derivative_slow(haul_kernels *kernels, haul_derivative_slow_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run);

/* ---- gather and scatter: rows of bytes by a list of indices ---- */

typedef enum haul_gather_form {
    HAUL_GATHER_AUTO,
#define HAUL_KERNEL_GATHER(FORM, ...) HAUL_GATHER_##FORM,
#include <haul/kernels.def>
    HAUL_GATHER_FORMS
} haul_gather_form;

extern const haul_kernel_form haul_gather_forms[HAUL_GATHER_FORMS];

typedef enum haul_scatter_form {
    HAUL_SCATTER_AUTO,
#define HAUL_KERNEL_SCATTER(FORM, ...) HAUL_SCATTER_##FORM,
#include <haul/kernels.def>
    HAUL_SCATTER_FORMS
} haul_scatter_form;

extern const haul_kernel_form haul_scatter_forms[HAUL_SCATTER_FORMS];

/* `count` contiguous rows of `row_bytes` bytes, both above 0. `index` holds unsigned integers of `index_bytes` (4 or 8)
 * bytes. They are not checked: each must be the number of a row of `table`, and for scatter no two may be the same.
 *
 * Forms move words (row_bytes a multiple of 4), or vectors (of 16), or bytes; AUTO takes the widest that row_bytes
 * allows. Errors: HAUL_ERROR_ARGUMENT also if the form cannot move such rows. */

/* out[i] = table[index[i]]; the table must have at least one row. */
haul_status haul_gather(haul_kernels *kernels, haul_gather_form form, uint32_t count, uint32_t row_bytes,
                        uint32_t index_bytes, haul_buffer *table, haul_buffer *index, haul_buffer *out, haul_run *run);
/* table[index[i]] = in[i]; other rows of the table do not change. */
haul_status haul_scatter(haul_kernels *kernels, haul_scatter_form form, uint32_t count, uint32_t row_bytes,
                         uint32_t index_bytes, haul_buffer *in, haul_buffer *index, haul_buffer *table, haul_run *run);

/* ---- transpose: out[j][i] = in[i][j] ---- */

typedef enum haul_transpose_form {
    HAUL_TRANSPOSE_AUTO,
#define HAUL_KERNEL_TRANSPOSE(FORM, ...) HAUL_TRANSPOSE_##FORM,
#include <haul/kernels.def>
    HAUL_TRANSPOSE_FORMS
} haul_transpose_form;

extern const haul_kernel_form haul_transpose_forms[HAUL_TRANSPOSE_FORMS];

/* rows x columns floats, row-major, both above 0. If both are multiples of 4, accesses have 16 bytes. */
haul_status haul_transpose(haul_kernels *kernels, haul_transpose_form form, uint32_t rows, uint32_t columns,
                           haul_buffer *in, haul_buffer *out, haul_run *run);

/* ---- matvec: y = A x ---- */

typedef enum haul_matvec_form {
    HAUL_MATVEC_AUTO,
#define HAUL_KERNEL_MATVEC(FORM, ...) HAUL_MATVEC_##FORM,
#include <haul/kernels.def>
    HAUL_MATVEC_FORMS
} haul_matvec_form;

extern const haul_kernel_form haul_matvec_forms[HAUL_MATVEC_FORMS];

/* A: rows x columns floats, row-major, both above 0. kernels/matvec.cu says in which order the products are added. */
haul_status haul_matvec(haul_kernels *kernels, haul_matvec_form form, uint32_t rows, uint32_t columns, haul_buffer *a,
                        haul_buffer *x, haul_buffer *y, haul_run *run);

/* ---- fused: C = A * f(B) with f(x) = x |x| + x / 2 ---- */

typedef enum haul_fused_form {
    HAUL_FUSED_AUTO,
#define HAUL_KERNEL_FUSED(FORM, ...) HAUL_FUSED_##FORM,
#include <haul/kernels.def>
    HAUL_FUSED_FORMS
} haul_fused_form;

extern const haul_kernel_form haul_fused_forms[HAUL_FUSED_FORMS];

/* A: m x k floats, B: k x n, C: m x n, row-major, m, k and n above 0. Only the form TWO_KERNELS needs `temporary`, k x
 * n floats; it writes f(B) there and appends two launches to `run`. Others take NULL. All forms but PLAIN keep A in
 * shared memory: m up to 128, k up to 128; n below 2^31.
 *
 * TENSOR, which AUTO takes on Hopper for k up to 64, multiplies on tensor cores, each factor as the sum of two numbers
 * of 11 bits. Its bits are not those of the other forms; an element is off by at most 2^-20 of the sum of its products'
 * sizes. Factors must be finite and below 2^127. */
haul_status haul_fused(haul_kernels *kernels, haul_fused_form form, uint32_t m, uint32_t k, uint32_t n, haul_buffer *a,
                       haul_buffer *b, haul_buffer *temporary, haul_buffer *c, haul_run *run);

/* ---- stencil: a cross of radius 1 to 8 on every plane of a volume ---- */

/* nz planes of ny rows of nx floats; rows are `pitch` floats apart, planes pitch * ny. */
typedef struct haul_volume {
    uint32_t nx, ny, nz, pitch;
} haul_volume;

/* Floats of a buffer that holds the volume. */
uint64_t haul_volume_floats(const haul_volume *volume);

enum { HAUL_STENCIL_MOST_RADIUS = 8 };

typedef enum haul_stencil_form {
    HAUL_STENCIL_AUTO,
#define HAUL_KERNEL_STENCIL(FORM, ...) HAUL_STENCIL_##FORM,
#include <haul/kernels.def>
    HAUL_STENCIL_FORMS
} haul_stencil_form;

extern const haul_kernel_form haul_stencil_forms[HAUL_STENCIL_FORMS];

/* With s = c[0] * in(x, y, z), then for k = 1 to radius
 *     s = fma(c[k], (in(x - k, y, z) + in(x + k, y, z)) + (in(x, y - k, z) + in(x, y + k, z)), s),
 * out(x, y, z) = s. Every step is rounded to single precision, and elements outside the plane count as 0. The gaps
 * between rows are not written. `coefficients`: radius + 1 floats in host memory. Forms other than PLAIN need a pitch
 * that is a multiple of 4, VECTOR and LANES also such an nx, LANES a radius of up to 4; AUTO takes any. */
haul_status haul_stencil(haul_kernels *kernels, haul_stencil_form form, const haul_volume *volume, uint32_t radius,
                         const float *coefficients, haul_buffer *in, haul_buffer *out, haul_run *run);

#ifdef __cplusplus
}
#endif
#endif
