/* Copies by pixels along one dimension (im2col::w, im2col::w::128), and the swizzles that keep more than 16 bytes
 * together, on a virtual B200. Expected values are computed pixel by pixel, as the manual describes the walk. */
#include "kernel.h"

enum { CHANNELS = 16, WIDTH = 5, HEIGHT = 3, IMAGES = 40, PIXEL_BYTES = 4 * CHANNELS };
enum { IN_WORDS = CHANNELS * WIDTH * HEIGHT * IMAGES, BOX_BYTES = 32768, THREADS = 64, SENTINEL = 0x5e5e5e5e };

/* %r1: the box, filled with the sentinel; %r2: the mbarrier; %rd1: the map; %h0, %h1: halo and offset; the copy is %s.
 * The box goes to the output. */
#define KERNEL_OF_COPY                                                                                              \
    ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 box[];\n"                     \
    ".shared .align 8 .b64 bar;\n.visible .entry k(.param .u64 p_out, .param .u32 p_halo, .param .u32 p_offset, "   \
    ".param .u32 p_bytes, .param .align 64 .b8 p_map[128]) {\n.reg .b32 %%r<32>;\n.reg .b64 %%rd<16>;\n"            \
    ".reg .b16 %%h<2>;\n.reg .pred %%p<4>;\nld.param.u64 %%rd0, [p_out];\nmov.b64 %%rd1, p_map;\n"                  \
    "cvta.param.u64 %%rd1, %%rd1;\nld.param.u32 %%r5, [p_halo];\ncvt.u16.u32 %%h0, %%r5;\n"                         \
    "ld.param.u32 %%r5, [p_offset];\ncvt.u16.u32 %%h1, %%r5;\nld.param.u32 %%r8, [p_bytes];\n"                      \
    "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, box;\nmov.u32 %%r2, bar;\nadd.u32 %%r6, %%r1, 32768;\n"                  \
    "setp.eq.u32 %%p0, %%r0, 0;\n@%%p0 mbarrier.init.shared::cta.b64 [%%r2], 1;\nmad.lo.u32 %%r3, %%r0, 4, %%r1;\n" \
    "FILL: st.shared.b32 [%%r3], 0x5e5e5e5e;\nadd.u32 %%r3, %%r3, 256;\nsetp.lt.u32 %%p1, %%r3, %%r6;\n"            \
    "@%%p1 bra FILL;\nfence.proxy.async;\nbar.sync 0;\n"                                                            \
    "@%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r2], %%r8;\n%s\n"                                        \
    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [%%r2], 0;\n@!%%p1 bra WAIT;\n"                           \
    "mad.lo.u32 %%r3, %%r0, 4, %%r1;\nmad.wide.u32 %%rd2, %%r0, 4, %%rd0;\n"                                        \
    "DUMP: ld.shared.b32 %%r4, [%%r3];\nst.global.b32 [%%rd2], %%r4;\nadd.u32 %%r3, %%r3, 256;\n"                   \
    "add.u64 %%rd2, %%rd2, 256;\nsetp.lt.u32 %%p1, %%r3, %%r6;\n@%%p1 bra DUMP;\nret;\n}\n"

typedef struct wide_copy {
    haul_tensor tensor;
    int32_t at[4]; /* channel, w, h, image */
    uint32_t halo, offset;
    bool checked;
} wide_copy;

static haul_tensor images(haul_tensor_wide wide, haul_tensor_swizzle swizzle) {
    return (haul_tensor){.type = HAUL_TENSOR_F32,
                         .rank = 4,
                         .extent = {CHANNELS, WIDTH, HEIGHT, IMAGES},
                         .pitch = {PIXEL_BYTES, PIXEL_BYTES * WIDTH, PIXEL_BYTES * WIDTH * HEIGHT},
                         .box = {CHANNELS},
                         .by_pixels = true,
                         .pixels = 13,
                         .lower = {-1},
                         .upper = {1},
                         .swizzle = swizzle,
                         .wide = wide};
}

/* Each word of the input is its index. */
static haul_status run_copy(const wide_copy *c, const char *copy, uint32_t bytes, uint32_t *out) {
    const haul_device_options options = {.threads = 1, .check = c->checked};
    uint32_t *in = malloc(4 * IN_WORDS);
    char ptx[4096];
    haul_device *device;
    haul_module *module;
    haul_buffer *from, *to;
    haul_tensor tensor = c->tensor;
    haul_tensor_map map;
    for (uint32_t i = 0; i < IN_WORDS; i++) in[i] = i;
    snprintf(ptx, sizeof ptx, KERNEL_OF_COPY, copy);
    assert_int_equal(haul_device_open("sim:b200", &options, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4 * IN_WORDS, &from), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, BOX_BYTES, &to), HAUL_OK);
    assert_int_equal(haul_buffer_write(from, 0, in, 4 * IN_WORDS), HAUL_OK);
    free(in);
    tensor.buffer = from;
    if (haul_tensor_map_encode(&tensor, &map) != HAUL_OK) fail_msg("%s", haul_message());
    haul_status status = haul_module_load(device, "wide.ptx", ptx, strlen(ptx), &module);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = to},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = c->halo},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = c->offset},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = bytes},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map, .size = sizeof map}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {1, 1, 1},
                                .block = {THREADS, 1, 1},
                                .shared_bytes = BOX_BYTES,
                                .arguments = arguments,
                                .argument_count = 5};
    if (status == HAUL_OK) status = haul_launch_run(module, &launch, NULL);
    if (status == HAUL_OK) status = haul_buffer_read(to, 0, out, BOX_BYTES);
    haul_device_close(device);
    return status;
}

/* ---- the walk ---- */

typedef struct pixel {
    int32_t w, image;
} pixel;

static uint32_t step_of(const haul_tensor *t) {
    return t->step[1] ? t->step[1] : 1;
}

/* The n-th pixel from the copy's place on. */
static pixel walk(const wide_copy *c, uint32_t n) {
    const int32_t last = WIDTH - 1 + c->tensor.upper[0];
    pixel p = {c->at[1], c->at[3]};
    for (; n; n--) {
        p.w += (int32_t)step_of(&c->tensor);
        if (p.w > last) p = (pixel){c->tensor.lower[0], p.image + 1};
    }
    p.w += (int32_t)c->offset;
    return p;
}

/* The pixel of a row of the box. */
static uint32_t pixel_of(const wide_copy *c, uint32_t row) {
    if (c->tensor.wide == HAUL_TENSOR_WIDE_W || row < 128) return row;
    return 32 * ((row - 128) % 4 + 1) + (row - 128) / 4;
}

static uint32_t rows_of(const wide_copy *c) {
    return c->tensor.wide == HAUL_TENSOR_WIDE_W128 ? 128 + 4 * c->halo : c->tensor.pixels + c->halo;
}

static uint32_t pixel_word(const wide_copy *c, pixel p, uint32_t channel) {
    const bool inside = p.w >= 0 && p.w < WIDTH && p.image < IMAGES && c->at[2] >= 0 && c->at[2] < HEIGHT;
    if (!inside) return c->tensor.fill_nan ? 0x7ff77ff7 : 0;
    return (((uint32_t)p.image * HEIGHT + (uint32_t)c->at[2]) * WIDTH + (uint32_t)p.w) * CHANNELS + channel;
}

/* Returns where the swizzle puts 16 bytes at `byte` of the box: it permutes chunks of 16, 32 or 64 bytes within rows,
 * depending on the line of 128 bytes. */
static uint32_t swizzled(haul_tensor_swizzle swizzle, uint32_t byte) {
    const uint32_t line = byte / 128;
    switch (swizzle) {
    case HAUL_TENSOR_SWIZZLE_64B: return byte ^ line % 4 * 16;
    case HAUL_TENSOR_SWIZZLE_128B: return byte ^ line % 8 * 16;
    case HAUL_TENSOR_SWIZZLE_128B_ATOM_64B: return byte ^ line % 2 * 64;
    default: return byte ^ line % 4 * 32;
    }
}

static void expect_rows(const wide_copy *c, const uint32_t *out) {
    const uint32_t pitch = c->tensor.swizzle == HAUL_TENSOR_SWIZZLE_64B ? 64 : 128;
    for (uint32_t row = 0; row < rows_of(c); row++) {
        const pixel p = walk(c, pixel_of(c, row));
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            const uint32_t byte = row * pitch + 4 * channel, want = pixel_word(c, p, channel);
            const uint32_t got = out[swizzled(c->tensor.swizzle, byte) / 4];
            if (got != want) fail_msg("row %u, channel %u is %u, not %u", row, channel, got, want);
        }
    }
    assert_int_equal(out[rows_of(c) * pitch / 4], SENTINEL);
}

static void expect_copy(const wide_copy *c) {
    char copy[512];
    uint32_t out[BOX_BYTES / 4];
    snprintf(copy, sizeof copy,
             "@%%p0 cp.async.bulk.tensor.4d.shared::cta.global.%s.mbarrier::complete_tx::bytes [%%r1], "
             "[%%rd1, {%d, %d, %d, %d}], [%%r2], {%%h0, %%h1};",
             c->tensor.wide == HAUL_TENSOR_WIDE_W ? "im2col::w" : "im2col::w::128", c->at[0], c->at[1], c->at[2],
             c->at[3]);
    if (run_copy(c, copy, rows_of(c) * PIXEL_BYTES, out) != HAUL_OK) fail_msg("%s", haul_message());
    expect_rows(c, out);
}

static void pixels_of_a_row_go_on_in_the_next_image(void **state) {
    (void)state;
    wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B), .at = {0, -1, 2, 1}};
    expect_copy(&c);
    c.checked = true;
    expect_copy(&c);
    c = (wide_copy){.tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_128B), .at = {0, 3, 0, 0}, .offset = 2};
    expect_copy(&c);
    c.at[1] = -4; /* left of the corners */
    c.at[2] = -1; /* above the images: zeros */
    expect_copy(&c);
}

static void a_halo_comes_behind_the_pixels(void **state) {
    (void)state;
    wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B), .at = {0, 2, 1, 3}, .halo = 9};
    expect_copy(&c);
    c.offset = 31;
    c.tensor.fill_nan = true;
    expect_copy(&c);
}

static void steps_are_taken_along_the_row_alone(void **state) {
    (void)state;
    wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B), .at = {0, -1, 1, 0}, .halo = 1};
    memcpy(c.tensor.step, (uint32_t[]){1, 2, 3, 3}, sizeof(uint32_t[4]));
    c.tensor.upper[0] = 0;
    expect_copy(&c);
    c.halo = 0;
    c.offset = 1;
    expect_copy(&c);
}

static void a_128_has_a_halo_beyond_each_32(void **state) {
    (void)state;
    wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W128, HAUL_TENSOR_SWIZZLE_64B), .at = {0, 1, 2, 4}, .halo = 2};
    c.tensor.pixels = 1; /* unused here */
    expect_copy(&c);
    c.tensor.swizzle = HAUL_TENSOR_SWIZZLE_128B_ATOM_32B;
    c.halo = 3;
    c.offset = 1;
    expect_copy(&c);
}

static void prefetches_are_taken(void **state) {
    (void)state;
    const wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B)};
    uint32_t out[BOX_BYTES / 4];
    assert_int_equal(
        run_copy(&c,
                 "@%p0 cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%rd1, {0, 0, 0, 0}], {2, 1};\n"
                 "@%p0 cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w::128 [%rd1, {0, 0, 0, 0}], "
                 "{%h0, %h1};",
                 0, out),
        HAUL_OK);
}

/* ---- refused maps ---- */

static void expect_refusal(const wide_copy *c, const char *copy, haul_status status, const char *what) {
    uint32_t out[BOX_BYTES / 4];
    assert_int_equal(run_copy(c, copy, 0, out), status);
    if (!strstr(haul_message(), what)) fail_msg("%s", haul_message());
}

#define COPY_BY(mode, info)                                       \
    "@%p0 cp.async.bulk.tensor.4d.shared::cta.global." mode       \
    ".mbarrier::complete_tx::bytes [%r1], [%rd1, {0, 0, 0, 0}], " \
    "[%r2], " info ";"

static void a_copy_and_its_map_walk_alike(void **state) {
    (void)state;
    wide_copy c = {.tensor = images(HAUL_TENSOR_WIDE_W128, HAUL_TENSOR_SWIZZLE_64B)};
    expect_refusal(&c, COPY_BY("im2col::w", "{0, 0}"), HAUL_ERROR_FAULT,
                   "tensor map for im2col::w::128 used in a copy by im2col::w");
    expect_refusal(&c, COPY_BY("im2col", "{0, 0}"), HAUL_ERROR_FAULT,
                   "tensor map for im2col::w::128 used in a copy by im2col");
    expect_refusal(&c, COPY_BY("im2col::w::128", "{32, 0}"), HAUL_ERROR_FAULT,
                   "a halo of 32 pixels and an offset of 0: must be at most 31 and 31");
    expect_refusal(&c, COPY_BY("im2col::w", "{0}"), HAUL_ERROR_SYNTAX, "must be 2 offsets in braces");
}

static haul_status encode_on(const char *name, haul_tensor tensor) {
    haul_device *device;
    haul_tensor_map map;
    assert_int_equal(haul_device_open(name, NULL, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4 * IN_WORDS, &tensor.buffer), HAUL_OK);
    const haul_status status = haul_tensor_map_encode(&tensor, &map);
    haul_device_close(device);
    return status;
}

static void maps_that_make_no_sense_are_refused(void **state) {
    (void)state;
    haul_tensor tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B);
    assert_int_equal(encode_on("sim:b200", tensor), HAUL_OK);
    assert_int_equal(encode_on("sim:h100", tensor), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "needs sm_100 or later"));
    tensor.swizzle = HAUL_TENSOR_SWIZZLE_NONE;
    assert_int_equal(encode_on("sim:b200", tensor), HAUL_ERROR_ARGUMENT);
    assert_non_null(strstr(haul_message(), "for im2col::w"));
    tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B);
    tensor.upper[0] = -9;
    assert_int_equal(encode_on("sim:b200", tensor), HAUL_ERROR_ARGUMENT);
    tensor = images(HAUL_TENSOR_WIDE_W, HAUL_TENSOR_SWIZZLE_64B);
    tensor.pixels = 1025;
    assert_int_equal(encode_on("sim:b200", tensor), HAUL_ERROR_ARGUMENT);
    tensor.wide = HAUL_TENSOR_WIDE_W128;
    assert_int_equal(encode_on("sim:b200", tensor), HAUL_OK);
}

/* ---- other swizzles ---- */

/* A tile of 32 floats by 8: lines of 128 bytes. */
static haul_tensor tile(haul_tensor_swizzle swizzle) {
    return (haul_tensor){.type = HAUL_TENSOR_F32,
                         .rank = 4,
                         .extent = {32, 64, 1, 1},
                         .pitch = {128, 128 * 64, 128 * 64},
                         .box = {32, 8, 1, 1},
                         .swizzle = swizzle};
}

static void chunks_of_32_and_64_bytes_stay_together(void **state) {
    (void)state;
    for (unsigned s = HAUL_TENSOR_SWIZZLE_128B_ATOM_32B; s <= HAUL_TENSOR_SWIZZLE_128B_ATOM_64B; s++) {
        const wide_copy c = {.tensor = tile((haul_tensor_swizzle)s)};
        uint32_t out[BOX_BYTES / 4];
        if (run_copy(&c,
                     "@%p0 cp.async.bulk.tensor.4d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], "
                     "[%rd1, {0, 0, 0, 0}], [%r2];",
                     1024, out) != HAUL_OK)
            fail_msg("%s", haul_message());
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t flip = s == HAUL_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B && i / 32 % 2 ? 2 : 0;
            assert_int_equal(out[swizzled(c.tensor.swizzle, 4 * i) / 4 ^ flip], i);
        }
        assert_int_equal(encode_on("sim:h100", c.tensor), HAUL_ERROR_ARGUMENT);
    }
}

static void a_store_cannot_swap_halves(void **state) {
    (void)state;
    const wide_copy c = {.tensor = tile(HAUL_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B)};
    expect_refusal(&c, "@%p0 cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%rd1, {0, 0, 0, 0}], [%r1];",
                   HAUL_ERROR_FAULT, "only loads may use it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_of_a_row_go_on_in_the_next_image),
        cmocka_unit_test(a_halo_comes_behind_the_pixels),
        cmocka_unit_test(steps_are_taken_along_the_row_alone),
        cmocka_unit_test(a_128_has_a_halo_beyond_each_32),
        cmocka_unit_test(prefetches_are_taken),
        cmocka_unit_test(a_copy_and_its_map_walk_alike),
        cmocka_unit_test(maps_that_make_no_sense_are_refused),
        cmocka_unit_test(chunks_of_32_and_64_bytes_stay_together),
        cmocka_unit_test(a_store_cannot_swap_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
