/* The works: sizes of their arrays, haul's functions, the job for peers, and verification.
 *
 * A work is a bench_work of functions, grouped here by work; the table at the end puts them together. The numbers x, y,
 * z of a size have a meaning of their own in each work (rows.def). `bytes` of an extent counts each byte that must move
 * once, from and to memory: caches, halos and intermediate results do not count, since a better kernel needs less of
 * them. Adding a work takes its functions here, a row in rows.def, and a kernel in verify.cu. */
#include "cli/bench/bench.h"

#include <kernels/verify.h>

/* ---- arrays: copy, saxpy, maxpool ---- */

/* Arrays of n floats in and out, of which each element costs bytes_each. */
static bench_extent flat(uint64_t n, double bytes_each) {
    return (bench_extent){.in = n, .out = n, .copied = n, .bytes = bytes_each * (double)n};
}

/* A float is read and one written: also max pooling, whose neighbours need not be read again. */
static bench_extent copy_extent(const bench_size *s) {
    return flat(s->x, 8);
}

/* x and y are read, y is written. */
static bench_extent saxpy_extent(const bench_size *s) {
    return flat(s->x, 12);
}

/* Halves the work; below 4096 floats it stays as it is, which ends fitting_size()'s loop. */
static void halve_x(bench_size *s) {
    if (s->x > 4096) s->x /= 2;
}

static unsigned log2_of(uint32_t n) {
    unsigned log2 = 0;
    while (n >>= 1) log2++;
    return log2;
}

static void describe_copy(const bench_size *s, text *out) {
    text_printf(out, "copy 2^%u", log2_of(s->x));
}

static void describe_saxpy(const bench_size *s, text *out) {
    text_printf(out, "SAXPY 2^%u", log2_of(s->x));
}

static void describe_maxpool(const bench_size *s, text *out) {
    text_printf(out, "maxpool15 2^%u", log2_of(s->x));
}

/* For works whose elements are verified by their index alone. */
static void no_shape(const bench_size *s, uint32_t shape[2]) {
    (void)s;
    shape[0] = shape[1] = 0;
}

static void no_job(const bench_size *s, haul_peer_job *job) {
    (void)s, (void)job;
}

static haul_status ship_copy(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b, haul_run *run) {
    return haul_copy(k, (haul_copy_form)form, s->x, b->in, b->out, run);
}

static haul_status ship_saxpy(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b, haul_run *run) {
    return haul_saxpy(k, (haul_saxpy_form)form, s->x, VERIFY_ALPHA, b->in, b->out, run);
}

static haul_status ship_maxpool(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b,
                                haul_run *run) {
    return haul_maxpool15(k, (haul_maxpool15_form)form, s->x, b->in, b->out, run);
}

/* ---- gather ---- */

/* Rows of y bytes in x floats. */
static uint32_t rows_of_table(const bench_size *s) {
    return s->x / (s->y / 4);
}

/* The indices are not counted: they are few against the rows. */
static bench_extent gather_extent(const bench_size *s) {
    bench_extent e = flat(s->x, 8);
    e.index = rows_of_table(s);
    return e;
}

static void describe_gather(const bench_size *s, text *out) {
    if (s->y % 1024)
        text_printf(out, "gather rows of %u B", s->y);
    else
        text_printf(out, "gather rows of %u KiB", s->y / 1024);
}

static void gather_shape(const bench_size *s, uint32_t shape[2]) {
    shape[0] = rows_of_table(s);
    shape[1] = s->y / 4;
}

static void gather_job(const bench_size *s, haul_peer_job *job) {
    job->rows = rows_of_table(s);
    job->columns = s->y / 4;
}

static haul_status ship_gather(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b, haul_run *run) {
    return haul_gather(k, (haul_gather_form)form, rows_of_table(s), s->y, 4, b->in, b->index, b->out, run);
}

/* ---- transpose ---- */

static bench_extent transpose_extent(const bench_size *s) {
    return flat((uint64_t)s->x * s->y, 8);
}

/* Keeps the matrix near a square. */
static void halve_longer(bench_size *s) {
    uint32_t *longer = s->x > s->y ? &s->x : &s->y;
    if (*longer > 64) *longer /= 2;
}

static void describe_transpose(const bench_size *s, text *out) {
    text_printf(out, "transpose %u x %u", s->y, s->x);
}

static void matrix_shape(const bench_size *s, uint32_t shape[2]) {
    shape[0] = s->y;
    shape[1] = s->x;
}

static void matrix_job(const bench_size *s, haul_peer_job *job) {
    job->rows = s->y;
    job->columns = s->x;
}

static haul_status ship_transpose(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b,
                                  haul_run *run) {
    return haul_transpose(k, (haul_transpose_form)form, s->y, s->x, b->in, b->out, run);
}

/* ---- stencil ---- */

static bench_extent stencil_extent(const bench_size *s) {
    return flat((uint64_t)s->x * s->x * s->y, 8);
}

/* Fewer planes first, so that the planes keep their size as long as possible. */
static void shrink_volume(bench_size *s) {
    if (s->y > 4)
        s->y /= 2;
    else if (s->x > 64)
        s->x /= 2;
}

static void describe_stencil(const bench_size *s, text *out) {
    text_printf(out, "stencil of radius %u", s->z);
}

static void stencil_shape(const bench_size *s, uint32_t shape[2]) {
    shape[0] = s->x;
    shape[1] = s->z;
}

static void stencil_job(const bench_size *s, haul_peer_job *job) {
    job->rows = job->columns = s->x;
    job->radius = s->z;
}

/* The volume has no padding; coefficients are those that verify.cu checks with. */
static haul_status ship_stencil(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b,
                                haul_run *run) {
    const haul_volume volume = {s->x, s->x, s->y, s->x};
    float coefficients[HAUL_STENCIL_MOST_RADIUS + 1];
    for (int i = 0; i <= HAUL_STENCIL_MOST_RADIUS; i++) coefficients[i] = VERIFY_COEFFICIENT(i);
    return haul_stencil(k, (haul_stencil_form)form, &volume, s->z, coefficients, b->in, b->out, run);
}

/* ---- fused ---- */

/* The copy to compare with moves the smaller of B and C; `temporary` is for forms with f(B) in memory. */
static bench_extent fused_extent(const bench_size *s) {
    const uint64_t columns = s->x, m = s->y, k = s->z;
    return (bench_extent){.in = k * columns,
                          .out = m * columns,
                          .small = m * k,
                          .temporary = k * columns,
                          .copied = (m < k ? m : k) * columns,
                          .bytes = 4.0 * (double)((m + k) * columns)};
}

static void describe_fused(const bench_size *s, text *out) {
    text_printf(out, "C = A f(B), A %u x %u", s->y, s->z);
}

static void fused_shape(const bench_size *s, uint32_t shape[2]) {
    shape[0] = s->z;
    shape[1] = s->x;
}

static void fused_job(const bench_size *s, haul_peer_job *job) {
    job->rows = s->y;
    job->columns = s->x;
    job->inner = s->z;
}

static haul_status ship_fused(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b, haul_run *run) {
    return haul_fused(k, (haul_fused_form)form, s->y, s->z, s->x, b->small, b->in, b->temporary, b->out, run);
}

/* ---- matvec ---- */

/* Only A counts. A copy of half as many floats moves as many bytes, since a copy also writes. */
static bench_extent matvec_extent(const bench_size *s) {
    const uint64_t elements = (uint64_t)s->x * s->y;
    return (bench_extent){
        .in = elements, .out = s->y, .small = s->x, .copied = elements / 2, .bytes = 4.0 * (double)elements};
}

static void describe_matvec(const bench_size *s, text *out) {
    text_printf(out, "y = A x, A %u x %u", s->y, s->x);
}

static void matvec_shape(const bench_size *s, uint32_t shape[2]) {
    shape[0] = s->x;
    shape[1] = 0;
}

static haul_status ship_matvec(haul_kernels *k, unsigned form, const bench_size *s, const bench_set *b, haul_run *run) {
    return haul_matvec(k, (haul_matvec_form)form, s->y, s->x, b->in, b->small, b->out, run);
}

/* ---- the table ---- */

/* WORK(name, family, FAMILY, PLAIN, lanes, adds, extent, shrink, shape, job): `family` and PLAIN are of kernels.def;
 * members that are not named here have the work's name. */
#define WORK(NAME, family, FAMILY, PLAIN, LANES, ADDS, extent_of, shrink_by, shape_of, job_of) \
    const bench_work bench_##NAME = {.name = #NAME,                                            \
                                     .verify = "verify_" #NAME,                                \
                                     .lanes = (LANES),                                         \
                                     .forms = haul_##family##_forms,                           \
                                     .form_count = HAUL_##FAMILY##_FORMS,                      \
                                     .plain = HAUL_##FAMILY##_##PLAIN,                         \
                                     .adds = (ADDS),                                           \
                                     .extent = extent_of,                                      \
                                     .describe = describe_##NAME,                              \
                                     .shrink = shrink_by,                                      \
                                     .shape = shape_of,                                        \
                                     .job = job_of,                                            \
                                     .ship = ship_##NAME};
// clang-format off
WORK(copy,      copy,      COPY,      SCALAR,       1, false, copy_extent,      halve_x,       no_shape,      no_job)
WORK(saxpy,     saxpy,     SAXPY,     SCALAR,       1, true,  saxpy_extent,     halve_x,       no_shape,      no_job)
WORK(maxpool,   maxpool15, MAXPOOL15, PLAIN,        1, false, copy_extent,      halve_x,       no_shape,      no_job)
WORK(gather,    gather,    GATHER,    WARP,         1, false, gather_extent,    halve_x,       gather_shape,  gather_job)
WORK(transpose, transpose, TRANSPOSE, PADDED,       1, false, transpose_extent, halve_longer,  matrix_shape,  matrix_job)
WORK(stencil,   stencil,   STENCIL,   PLAIN,        1, false, stencil_extent,   shrink_volume, stencil_shape, stencil_job)
WORK(fused,     fused,     FUSED,     TWO_KERNELS,  1, false, fused_extent,     halve_x,       fused_shape,   fused_job)
WORK(matvec,    matvec,    MATVEC,    PLAIN,       32, false, matvec_extent,    halve_longer,  matvec_shape,  matrix_job)
// clang-format on
