#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

/* Gather and scatter have the same forms, in the same order: facts about one hold for the other. */
const haul_kernel_form haul_gather_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_GATHER(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

const haul_kernel_form haul_scatter_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_SCATTER(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

_Static_assert((int)HAUL_GATHER_FORMS == (int)HAUL_SCATTER_FORMS, "gather and scatter have the same forms");

enum {
    BLOCK = 256,         /* largest number of places in a block of the forms GROUPS and KEPT */
    STAGE_BYTES = 4096,  /* size of a stage of the form TRANSFER, in whole rows */
    MOST_BYTES = 1 << 14 /* largest row that goes through a stage */
};

/* A gather or a scatter of rows. */
typedef struct row_move {
    uint32_t count, row_bytes, index_bytes;
    haul_gather_form form;
} row_move;

static haul_gather_form choose_form(const row_move *m) {
    if (m->form) return m->form;
    if (m->row_bytes % 4) return HAUL_GATHER_BYTES;
    return m->row_bytes % 16 ? HAUL_GATHER_WORDS : HAUL_GATHER_GROUPS;
}

/* Bytes that a row must be a multiple of. */
static uint32_t unit_of(haul_gather_form form) {
    if (form == HAUL_GATHER_BYTES) return 1;
    return form == HAUL_GATHER_WORDS ? 4 : 16;
}

static haul_status check_rows(const char *function, const row_move *m) {
    uint32_t unit = unit_of(m->form);
    if (m->index_bytes != 4 && m->index_bytes != 8)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: indices of %u bytes: 4 or 8 must be", function, m->index_bytes);
    if (m->row_bytes == 0 || m->row_bytes % unit)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: rows of %u bytes: this form needs a multiple of %u", function,
                         m->row_bytes, unit);
    if (m->form == HAUL_GATHER_TRANSFER && m->row_bytes > MOST_BYTES)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: rows of %u bytes: stages hold at most %u", function, m->row_bytes,
                         (unsigned)MOST_BYTES);
    return HAUL_OK;
}

/* Lanes of a group: as many as a row has vectors, rounded up to a power of two, at most a warp. */
static uint32_t log2_lanes(uint32_t row_bytes) {
    uint32_t log2 = 0;
    while (log2 < 5 && (16u << log2) < row_bytes) log2++;
    return log2;
}

static uint32_t stage_rows(uint32_t row_bytes) {
    return row_bytes < STAGE_BYTES ? STAGE_BYTES / row_bytes : 1;
}

/* The unit that the form's tiles count: units of rows, rows, places of lanes, or stages. Adds parameters that only some
 * kernels have to `arguments`. */
static uint64_t extent_of(const row_move *m, kernels_argument *arguments, size_t *count) {
    uint32_t log2 = log2_lanes(m->row_bytes), lane_bytes = 16u << log2, rows = stage_rows(m->row_bytes);
    uint64_t pieces = (m->row_bytes + lane_bytes - 1) / lane_bytes;
    switch (m->form) {
    case HAUL_GATHER_BYTES:
    case HAUL_GATHER_WORDS: return (uint64_t)m->count * m->row_bytes / unit_of(m->form);
    case HAUL_GATHER_GROUPS:
    case HAUL_GATHER_KEPT:
        arguments[(*count)++] = (kernels_argument)KERNELS_U32(log2);
        arguments[(*count)++] = (kernels_argument)KERNELS_U32((int64_t)pieces);
        return m->count * pieces << log2;
    case HAUL_GATHER_TRANSFER:
        arguments[(*count)++] = (kernels_argument)KERNELS_U32(rows);
        return ((uint64_t)m->count + rows - 1) / rows;
    default: return m->count;
    }
}

/* `buffers`: destination, source, index. */
static haul_status move_rows(haul_kernels *k, kernels_launch *launch, const row_move *m,
                             const kernels_argument buffers[3], haul_run *run) {
    HAUL_TRY(check_rows(launch->function, m));
    kernels_argument arguments[8] = {buffers[0],
                                     buffers[1],
                                     buffers[2],
                                     KERNELS_U32(m->count),
                                     KERNELS_U32(m->row_bytes),
                                     KERNELS_U32(m->index_bytes)};
    launch->form = (unsigned)m->form;
    launch->arguments = arguments;
    launch->argument_count = 6;
    launch->extent[0] = extent_of(m, arguments, &launch->argument_count);
    bool grouped = m->form == HAUL_GATHER_GROUPS || m->form == HAUL_GATHER_KEPT;
    if (grouped && launch->extent[0] >> log2_lanes(m->row_bytes) > UINT32_MAX - BLOCK)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %u rows of %u bytes: too many for one launch", launch->function,
                         m->count, m->row_bytes);
    if (m->form == HAUL_GATHER_TRANSFER) launch->extra_shared_bytes = stage_rows(m->row_bytes) * m->row_bytes;
    return kernels_run(k, launch, run);
}

haul_status haul_gather(haul_kernels *kernels, haul_gather_form form, uint32_t count, uint32_t row_bytes,
                        uint32_t index_bytes, haul_buffer *table, haul_buffer *index, haul_buffer *out, haul_run *run) {
    row_move m = {count, row_bytes, index_bytes, form};
    m.form = choose_form(&m);
    kernels_launch launch = {.function = "haul_gather", KERNELS_FORM(haul_gather_forms, m.form)};
    const kernels_argument buffers[] = {KERNELS_OUT(out, count, row_bytes), KERNELS_IN(table, 1, row_bytes),
                                        KERNELS_IN(index, count, index_bytes)};
    return move_rows(kernels, &launch, &m, buffers, run);
}

haul_status haul_scatter(haul_kernels *kernels, haul_scatter_form form, uint32_t count, uint32_t row_bytes,
                         uint32_t index_bytes, haul_buffer *in, haul_buffer *index, haul_buffer *table, haul_run *run) {
    row_move m = {count, row_bytes, index_bytes, (haul_gather_form)form};
    m.form = choose_form(&m);
    kernels_launch launch = {.function = "haul_scatter", KERNELS_FORM(haul_scatter_forms, m.form)};
    const kernels_argument buffers[] = {KERNELS_OUT(table, count, row_bytes), KERNELS_IN(in, count, row_bytes),
                                        KERNELS_IN(index, count, index_bytes)};
    return move_rows(kernels, &launch, &m, buffers, run);
}
