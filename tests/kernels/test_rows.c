/* Rows gathered and scattered by index, in every form that can move them. */
#include "fixture.h"

enum { CANARY = 0xa5, BYTES_MARGIN = 160 };

/* `bytes` of canaries, and a margin of them. */
static uint8_t *byte_canaries(size_t bytes) {
    uint8_t *b = malloc(bytes + BYTES_MARGIN);
    assert_non_null(b);
    memset(b, CANARY, bytes + BYTES_MARGIN);
    return b;
}

static haul_buffer *upload_bytes(const void *b, size_t bytes) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, bytes, &buffer));
    must(haul_buffer_write(buffer, 0, b, bytes));
    return buffer;
}

/* Ends the buffer. */
static void assert_bytes(const char *what, haul_buffer *buffer, const uint8_t *expected, size_t bytes) {
    uint8_t *got = byte_canaries(bytes);
    must(haul_buffer_read(buffer, 0, got, bytes + BYTES_MARGIN));
    for (size_t i = 0; i < bytes + BYTES_MARGIN; i++) {
        if (got[i] != expected[i])
            fail_msg("%s on %s: byte %zu of %zu is %02x, expected %02x", what, haul_device_name(device), i, bytes,
                     got[i], expected[i]);
    }
    free(got);
    haul_buffer_free(buffer);
}

/* `count` rows of a table that has some more, each at most once: in steps that visit every row of it. */
typedef struct shuffle {
    uint32_t count, table_rows;
} shuffle;

static shuffle shuffle_of(uint32_t count) {
    shuffle s = {count, count + count / 3 + 2};
    while (s.table_rows % 7 == 0) s.table_rows++;
    return s;
}

static uint32_t row_at(shuffle s, uint32_t i) {
    return (uint32_t)(((uint64_t)i * 7 + 3) % s.table_rows);
}

static haul_buffer *upload_indices(shuffle s, uint32_t index_bytes) {
    uint64_t *wide = malloc((size_t)s.count * 8);
    assert_non_null(wide);
    uint32_t *narrow = (uint32_t *)wide;
    for (uint32_t i = 0; i < s.count; i++) {
        if (index_bytes == 8)
            wide[i] = row_at(s, i);
        else
            narrow[i] = row_at(s, i);
    }
    haul_buffer *buffer = upload_bytes(wide, (size_t)s.count * index_bytes);
    free(wide);
    return buffer;
}

static bool can_move(const haul_kernel_form *form, uint32_t row_bytes) {
    if (form->architecture > haul_device_architecture(device)) return false;
    if (strcmp(form->name, "bytes") == 0 || strcmp(form->name, "auto") == 0) return true;
    return row_bytes % (strcmp(form->name, "words") == 0 ? 4 : 16) == 0;
}

static void check_gather(uint32_t count, uint32_t row_bytes, uint32_t index_bytes) {
    shuffle s = shuffle_of(count);
    size_t table_bytes = (size_t)s.table_rows * row_bytes, bytes = (size_t)count * row_bytes;
    uint8_t *table = byte_canaries(table_bytes), *out = byte_canaries(bytes), *before = byte_canaries(bytes);
    for (size_t i = 0; i < table_bytes; i++) table[i] = (uint8_t)(i * 2654435761u >> 13);
    for (uint32_t i = 0; i < count; i++)
        memcpy(out + (size_t)i * row_bytes, table + (size_t)row_at(s, i) * row_bytes, row_bytes);
    haul_buffer *from = upload_bytes(table, table_bytes), *index = upload_indices(s, index_bytes);
    for (unsigned form = HAUL_GATHER_AUTO; form < HAUL_GATHER_FORMS; form++) {
        if (!can_move(&haul_gather_forms[form], row_bytes)) continue;
        haul_buffer *to = upload_bytes(before, bytes + BYTES_MARGIN);
        must(haul_gather(kernels, (haul_gather_form)form, count, row_bytes, index_bytes, from, index, to, NULL));
        assert_bytes(haul_gather_forms[form].name, to, out, bytes);
    }
    haul_buffer_free(from), haul_buffer_free(index);
    free(table), free(out), free(before);
}

static void check_scatter(uint32_t count, uint32_t row_bytes, uint32_t index_bytes) {
    shuffle s = shuffle_of(count);
    size_t table_bytes = (size_t)s.table_rows * row_bytes, bytes = (size_t)count * row_bytes;
    uint8_t *in = byte_canaries(bytes), *table = byte_canaries(table_bytes), *before = byte_canaries(table_bytes);
    for (size_t i = 0; i < bytes; i++) in[i] = (uint8_t)(i * 2654435761u >> 11);
    for (uint32_t i = 0; i < count; i++)
        memcpy(table + (size_t)row_at(s, i) * row_bytes, in + (size_t)i * row_bytes, row_bytes);
    haul_buffer *from = upload_bytes(in, bytes), *index = upload_indices(s, index_bytes);
    for (unsigned form = HAUL_SCATTER_AUTO; form < HAUL_SCATTER_FORMS; form++) {
        if (!can_move(&haul_scatter_forms[form], row_bytes)) continue;
        haul_buffer *to = upload_bytes(before, table_bytes + BYTES_MARGIN);
        must(haul_scatter(kernels, (haul_scatter_form)form, count, row_bytes, index_bytes, from, index, to, NULL));
        assert_bytes(haul_scatter_forms[form].name, to, table, table_bytes);
    }
    haul_buffer_free(from), haul_buffer_free(index);
    free(in), free(table), free(before);
}

static void check_rows(uint32_t count, uint32_t row_bytes) {
    for (uint32_t index_bytes = 4; index_bytes <= 8; index_bytes += 4) {
        check_gather(count, row_bytes, index_bytes);
        check_scatter(count, row_bytes, index_bytes);
    }
}

static void check_all(void) {
    static const uint32_t widths[] = {1, 6, 16, 20, 32, 48, 64, 127, 128, 144, 496, 512, 528};
    for (size_t w = 0; w < COUNT(widths); w++) {
        check_rows(5, widths[w]);
        check_rows(257, widths[w]);
    }
    check_rows(1, 32);
    check_rows(33, 2048);
    check_rows(70, 4096);
}

static void rows_arrive_whole_whatever_their_length(void **state) {
    (void)state;
    on_each_machine(check_all);
}

/* Blocks go on to rows far behind, and rings go around many times. */
static void check_strides(void) {
    for (uint32_t blocks = 1; blocks <= 3; blocks += 2) {
        haul_kernels_limit_blocks(kernels, blocks);
        check_rows(3001, 32);
        check_rows(1003, 208);
        check_rows(250, 1040);
    }
    haul_kernels_limit_blocks(kernels, 0);
}

static void a_block_goes_on_from_rows_to_rows(void **state) {
    (void)state;
    on_each_machine(check_strides);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    haul_buffer *a = upload_canaries(64), *b = upload_canaries(64), *i = upload_canaries(64);
    expect_failure(haul_gather(kernels, 0, 2, 32, 2, a, i, b, NULL), HAUL_ERROR_ARGUMENT, "indices of 2 bytes");
    expect_failure(haul_gather(kernels, 0, 0, 32, 4, a, i, b, NULL), HAUL_ERROR_ARGUMENT, "no elements");
    expect_failure(haul_gather(kernels, 0, 2, 0, 4, a, i, b, NULL), HAUL_ERROR_ARGUMENT, "rows of 0 bytes");
    expect_failure(haul_scatter(kernels, HAUL_SCATTER_GROUPS, 2, 24, 4, a, i, b, NULL), HAUL_ERROR_ARGUMENT,
                   "needs a multiple of 16");
    expect_failure(haul_scatter(kernels, HAUL_SCATTER_TRANSFER, 2, 1 << 15, 4, a, i, b, NULL), HAUL_ERROR_ARGUMENT,
                   "stages hold at most 16384");
    expect_failure(haul_scatter(kernels, 0, 100, 32, 4, a, i, b, NULL), HAUL_ERROR_ARGUMENT, "table: the buffer has");
    haul_buffer_free(a), haul_buffer_free(b), haul_buffer_free(i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_arrive_whole_whatever_their_length),
        cmocka_unit_test(a_block_goes_on_from_rows_to_rows),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
