/* The kernels that ship with haul, as C functions; link with -lhaul_kernels -lhaul.
 *
 * Every function checks its arguments, launches one kernel and waits for its end. What they have in common:
 *
 * - `form` says how the data is moved; HAUL_<KERNEL>_AUTO, which is 0, is what haul recommends for the device. All
 * forms of a kernel give the same bits.
 * - Buffers may be larger than what is used of them; nothing beyond it is written. A buffer that is written is none of
 *   the others.
 * - `run` (may be NULL) gets the launch's record appended.
 * - Errors: HAUL_ERROR_ARGUMENT (a buffer missing or too small, sizes that cannot be; the message says which),
 *   HAUL_ERROR_UNSUPPORTED (the form needs a newer architecture), and those of haul_launch_run(). */
#ifndef HAUL_KERNELS_H
#define HAUL_KERNELS_H

#include <haul/haul.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels on one device. Modules are loaded when first needed and kept. */
typedef struct haul_kernels haul_kernels;

/* Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_kernels_open(haul_device *device, haul_kernels **kernels);
/* Before the device is closed; NULL is allowed. */
void haul_kernels_close(haul_kernels *kernels);

/* Forms whose blocks stride through the data (HAUL_GRID_STRIDES) launch at most `blocks` blocks from now on; 0, as in
 * the beginning: as many as the device holds at once. */
void haul_kernels_limit_blocks(haul_kernels *kernels, uint32_t blocks);

/* ---- forms ---- */

typedef enum haul_grid {
    HAUL_GRID_COVERS, /* a block for each tile */
    HAUL_GRID_STRIDES /* as many blocks as the device holds at once, which go on from tile to tile */
} haul_grid;

/* How a kernel comes, one row of <haul/kernels.def>. */
typedef struct haul_kernel_form {
    const char *name;           /* "two_stages" */
    const char *module;         /* kernels/<module>.cu */
    const char *kernel;         /* what a launch asks for, and how it is called in a run record */
    const char *label;          /* "LDGSTS, 2 stages" */
    uint32_t architecture;      /* the oldest that it runs on: 80 for sm_80 */
    uint32_t block[2], tile[2]; /* in x and y: threads of a block, elements that it does at a time */
    haul_grid grid;
    uint32_t shared_bytes; /* dynamic shared memory a block */
    uint32_t ahead;        /* bytes that a thread can have asked for when it first waits */
} haul_kernel_form;

/* ---- copy: out[i] = in[i] ---- */

typedef enum haul_copy_form {
    HAUL_COPY_AUTO,
#define HAUL_KERNEL_COPY(FORM, ...) HAUL_COPY_##FORM,
#include <haul/kernels.def>
    HAUL_COPY_FORMS
} haul_copy_form;

extern const haul_kernel_form haul_copy_forms[HAUL_COPY_FORMS]; /* by form; for AUTO there is only a name */

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

/* n1 rows of n0 floats; element (i0, i1) lies at lead + i1 * pitch + i0. Before each row there is one element more
 * (lead >= 1), and behind the last row there may be another row. pitch >= n0. */
typedef struct haul_rows {
    uint32_t n0, n1, pitch, lead;
} haul_rows;

/* Where rows begin: one behind the other; the first on a cache line; all of them on one. */
typedef enum haul_padding { HAUL_PADDING_NONE, HAUL_PADDING_LEAD, HAUL_PADDING_PITCH } haul_padding;

/* Rows with a column before and one behind. */
haul_rows haul_rows_lay_out(uint32_t n0, uint32_t n1, haul_padding padding);
/* Floats that a buffer must have for n1 rows and the one more that differences along the slow dimension need. */
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

/* Rows 0 to n1 - 1, and nothing between them: what the layout costs without a neighbour. */
haul_status haul_copy_rows(haul_kernels *kernels, haul_copy_rows_form form, const haul_rows *rows, haul_buffer *in,
                           haul_buffer *out, haul_run *run);
/* out(i0, i1) = scale * (in(i0, i1) - in(i0 - 1, i1)) on rows 0 to n1 - 1. */
haul_status haul_derivative_fast(haul_kernels *kernels, haul_derivative_fast_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run);
/* out(i0, i1) = scale * (in(i0, i1) - in(i0, i1 - 1)) on rows 1 to n1; row 0 is only read. */
haul_status haul_derivative_slow(haul_kernels *kernels, haul_derivative_slow_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run);

#ifdef __cplusplus
}
#endif
#endif
