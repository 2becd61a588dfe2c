/* Tensor maps with interleaved channels: where an H100 found the 16-byte units of a box, and where it put them in
 * shared memory (driver 580). Elements of 2 bytes are their own index, so a unit's first element identifies it. */
#include "kernel.h"

#include "machine/tensor.h"

enum { OUTSIDE = -1, UNITS = 64 };

typedef struct copied {
    int count;           /* units of 16 bytes */
    int32_t unit[UNITS]; /* in shared memory's order: the index of the first element, or OUTSIDE */
} copied;

static sim_tensor three(uint32_t interleave, uint32_t swizzle, uint32_t width, uint32_t pixels, uint32_t images) {
    return (sim_tensor){.type = SIM_TENSOR_U16,
                        .rank = 3,
                        .interleave = interleave,
                        .swizzle = swizzle,
                        .extent = {width, 20, 3},
                        .pitch = {1024, 8192},
                        .box = {pixels, 9, images},
                        .step = {1, 1, 1}};
}

static copied copy_at(const sim_tensor *t, int32_t x, int32_t y, int32_t z) {
    const int32_t at[SIM_TENSOR_RANK] = {x, y, z};
    unsigned char map[SIM_TENSOR_MAP_BYTES];
    sim_tensor again;
    sim_tensor_walk walk;
    sim_tensor_row row;
    copied c = {0};
    sim_tensor_pack(t, map);
    if (sim_tensor_unpack(map, &again) != HAUL_OK) fail_msg("%s", haul_message());
    assert_in_range(sim_tensor_box_bytes(&again), 1, 16 * UNITS);
    sim_tensor_walk_start(&walk, &again, at, false);
    while (sim_tensor_walk_next(&walk, &row))
        for (uint32_t b = 0; b < row.bytes; b += 16, c.count++) {
            const bool inside = b >= row.from && b < row.to;
            const uint64_t from = row.global + b - row.from;
            c.unit[sim_tensor_swizzle(&again, row.offset + b) / 16] = inside ? (int32_t)(from / 2) : OUTSIDE;
        }
    return c;
}

#define EXPECT(c, ...)                                                                                      \
    do {                                                                                                    \
        const int32_t want_[] = {__VA_ARGS__};                                                              \
        for (size_t i_ = 0; i_ < sizeof want_ / sizeof want_[0]; i_++)                                      \
            if ((c).unit[i_] != want_[i_]) fail_msg("unit %zu is %d, not %d", i_, (c).unit[i_], want_[i_]); \
    } while (0)

static void pixels_of_16_bytes_lie_side_by_side_and_one_slice_is_taken(void **state) {
    (void)state;
    const sim_tensor t = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 2);
    const copied c = copy_at(&t, 0, 0, 0);
    assert_int_equal(c.count, 16);
    EXPECT(c, 0, 8, 16, 24, 32, 40, 48, 56, 4096, 4104, 4112, 4120, 4128, 4136, 4144, 4152);
}

static void the_last_coordinate_but_one_counts_slices(void **state) {
    (void)state;
    const sim_tensor t = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 1);
    EXPECT(copy_at(&t, 0, 2, 0), 1024, 1032, 1040, 1048, 1056, 1064, 1072, 1080);
    EXPECT(copy_at(&t, 0, 19, 0), 9728, 9736, 9744, 9752, 9760, 9768, 9776, 9784);
    EXPECT(copy_at(&t, 0, 20, 0), OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE);
}

static void pixels_outside_are_filled(void **state) {
    (void)state;
    const sim_tensor t = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 2);
    EXPECT(copy_at(&t, -3, 0, 1), OUTSIDE, OUTSIDE, OUTSIDE, 4096, 4104, 4112, 4120, 4128, OUTSIDE, OUTSIDE, OUTSIDE,
           8192);
    EXPECT(copy_at(&t, 17, 0, 2), 8328, 8336, 8344, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE);
    const sim_tensor odd = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_NONE, 19, 8, 1);
    EXPECT(copy_at(&odd, 13, 0, 0), 104, 112, 120, 128, 136, 144, OUTSIDE, OUTSIDE);
}

static void pixels_of_32_bytes_are_swizzled_in_rows_without_gaps(void **state) {
    (void)state;
    const sim_tensor t = three(SIM_TENSOR_INTERLEAVE_32B, SIM_TENSOR_SWIZZLE_32B, 20, 16, 2);
    const copied c = copy_at(&t, 0, 0, 0);
    assert_int_equal(c.count, 64);
    EXPECT(c, 0, 8, 16, 24, 32, 40, 48, 56, 72, 64, 88, 80, 104, 96, 120, 112, 128, 136, 144, 152, 160, 168, 176, 184,
           200, 192, 216, 208, 232, 224, 248, 240, 4096, 4104, 4112, 4120, 4128, 4136, 4144, 4152);
    EXPECT(copy_at(&t, 17, 0, 2), 8464, 8472, 8480, 8488, 8496, 8504, OUTSIDE, OUTSIDE, OUTSIDE);
}

static void other_dimensions_are_as_without(void **state) {
    (void)state;
    const sim_tensor t = {.type = SIM_TENSOR_U16,
                          .rank = 4,
                          .interleave = SIM_TENSOR_INTERLEAVE_16B,
                          .extent = {20, 3, 20, 2},
                          .pitch = {512, 2048, 16384},
                          .box = {8, 2, 8, 1},
                          .step = {1, 1, 1, 1}};
    const int32_t at[SIM_TENSOR_RANK] = {1, 1, 2, 1};
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_tensor_walk_start(&walk, &t, at, false);
    for (uint32_t r = 0; r < 2; r++) {
        assert_true(sim_tensor_walk_next(&walk, &row));
        assert_int_equal(row.global / 2, r ? 10760 : 10504);
        assert_int_equal(row.to, 128);
    }
    assert_false(sim_tensor_walk_next(&walk, &row));
}

/* ---- by pixels (im2col): dimension 0 and those after it are walked, the last but one is a slice ---- */

static sim_tensor by_pixels(uint32_t rank, uint32_t interleave, uint32_t pixels) {
    sim_tensor t = {.type = SIM_TENSOR_U16,
                    .rank = rank,
                    .interleave = interleave,
                    .extent = {20, 6, 5, 3},
                    .pitch = {1024, 8192, 65536},
                    .box = {8},
                    .step = {1, 1, 1, 1},
                    .by_pixels = true,
                    .pixels = pixels};
    if (rank == 3) t.extent[2] = 3;
    return t;
}

/* Units of 16 bytes, in shared memory's order. */
static copied pixels_at(const sim_tensor *t, int32_t x, int32_t y, int32_t z) {
    copied c = copy_at(t, x, y, z);
    for (int i = 0; i < c.count; i++)
        if (c.unit[i] != OUTSIDE) c.unit[i] /= 8;
    return c;
}

static void pixels_are_walked_between_corners_in_one_slice(void **state) {
    (void)state;
    sim_tensor t = by_pixels(3, SIM_TENSOR_INTERLEAVE_16B, 24);
    t.lower[0] = -1, t.upper[0] = -2;
    const copied c = pixels_at(&t, -1, 1, 0);
    assert_int_equal(c.count, 24);
    EXPECT(c, OUTSIDE, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, OUTSIDE, 576, 577, 578,
           579);
    EXPECT(pixels_at(&t, 0, -1, 0), OUTSIDE, OUTSIDE);
    EXPECT(pixels_at(&t, 0, 6, 0), OUTSIDE, OUTSIDE);
}

static void pixels_of_a_copy_are_moved_by_its_offsets(void **state) {
    (void)state;
    sim_tensor t = by_pixels(4, SIM_TENSOR_INTERLEAVE_16B, 24), again;
    const int32_t at[SIM_TENSOR_RANK] = {1, 1, 0, 0};
    unsigned char map[SIM_TENSOR_MAP_BYTES];
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_tensor_pack(&t, map);
    assert_int_equal(sim_tensor_unpack(map, &again), HAUL_OK);
    again.shift[0] = 1, again.shift[1] = 2;
    sim_tensor_walk_start(&walk, &again, at, false);
    for (uint64_t n = 0; n < 24; n++) {
        assert_true(sim_tensor_walk_next(&walk, &row));
        assert_int_equal(row.to - row.from, n == 18 ? 0 : 16);
        if (n != 18) assert_int_equal(row.global / 16, n < 18 ? 194 + n : 257 + n - 19);
    }
    assert_false(sim_tensor_walk_next(&walk, &row));
}

static void pixels_are_walked_by_their_steps(void **state) {
    (void)state;
    sim_tensor t = by_pixels(3, SIM_TENSOR_INTERLEAVE_16B, 24);
    t.step[0] = 2, t.lower[0] = 2, t.upper[0] = 1;
    EXPECT(pixels_at(&t, 3, 0, 0), 3, 5, 7, 9, 11, 13, 15, 17, 19, 514, 516, 518, 520, 522, 524, 526, 528, 530, OUTSIDE,
           1026, 1028, 1030, 1032, 1034);
}

static void images_are_walked_by_their_step(void **state) {
    (void)state;
    sim_tensor t = by_pixels(3, SIM_TENSOR_INTERLEAVE_16B, 20);
    t.step[2] = 2;
    EXPECT(pixels_at(&t, 3, 0, 0), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 1024, 1025, 1026);
    sim_tensor plain = by_pixels(3, SIM_TENSOR_INTERLEAVE_NONE, 10);
    plain.step[2] = 2;
    EXPECT(pixels_at(&plain, 0, 3, 0), 192, 256, 320, 1024, 1088, 1152, 1216, 1280, 1344, OUTSIDE);
}

static void pixels_of_32_bytes_are_swizzled(void **state) {
    (void)state;
    sim_tensor t = by_pixels(4, SIM_TENSOR_INTERLEAVE_32B, 20);
    t.swizzle = SIM_TENSOR_SWIZZLE_32B;
    t.box[0] = 32; /* channels: more than a slice has */
    const int32_t at[SIM_TENSOR_RANK] = {17, 0, 2, 0};
    unsigned char map[SIM_TENSOR_MAP_BYTES];
    sim_tensor again;
    sim_tensor_pack(&t, map);
    assert_int_equal(sim_tensor_unpack(map, &again), HAUL_OK);
    assert_int_equal(sim_tensor_box_bytes(&again), 20 * 32);
    EXPECT(pixels_at(&again, at[0], at[1], at[2]), 1058, 1059, 1060, 1061, 1062, 1063, 1088, 1089, 1091, 1090, 1093,
           1092, 1095, 1094, 1097, 1096, 1098, 1099, 1100, 1101, 1102, 1103, 1104, 1105, 1107, 1106);
}

/* ---- the longest row, by a kernel ---- */

enum { PIXELS = 256, ROW_BYTES = 32 * PIXELS, THREADS = 256, WIDTH = 250 };

#define COPY                                                                                                      \
    HEAD ".extern .shared .align 1024 .b8 box[];\n.shared .align 8 .b64 bar;\n"                                   \
         ".visible .entry k(.param .u64 p_out, .param .align 64 .b8 p_map[128]) {\n.reg .b32 %r<16>;\n"           \
         ".reg .b64 %rd<8>;\n.reg .pred %p<2>;\nld.param.u64 %rd0, [p_out];\nmov.b64 %rd1, p_map;\n"              \
         "cvta.param.u64 %rd1, %rd1;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, box;\nmov.u32 %r2, bar;\n"               \
         "setp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\nfence.proxy.async;\n"           \
         "bar.sync 0;\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 8192;\n"                          \
         "@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], "          \
         "[%rd1, {0, 1, 0}], [%r2];\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n"             \
         "@!%p1 bra WAIT;\nmov.u32 %r5, 0;\nDUMP: mad.lo.u32 %r3, %r5, 256, %r0;\nshl.b32 %r3, %r3, 2;\n"         \
         "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd2, %rd0, %rd3;\nadd.u32 %r4, %r1, %r3;\nld.shared.b32 %r6, [%r4];\n" \
         "st.global.b32 [%rd2], %r6;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 8;\n@%p1 bra DUMP;\n" END

static haul_tensor interleaved(haul_buffer *from) {
    return (haul_tensor){.buffer = from,
                         .type = HAUL_TENSOR_F32,
                         .rank = 3,
                         .extent = {WIDTH, 2, 1},
                         .pitch = {ROW_BYTES, 2 * ROW_BYTES},
                         .box = {PIXELS, 1, 1},
                         .interleave = HAUL_TENSOR_INTERLEAVE_32B};
}

static haul_tensor_map interleaved_map(haul_buffer *from) {
    const haul_tensor t = interleaved(from);
    haul_tensor_map map;
    if (haul_tensor_map_encode(&t, &map) != HAUL_OK) fail_msg("%s", haul_message());
    return map;
}

static void the_longest_row_arrives(void **state) {
    (void)state;
    static uint32_t in[2 * ROW_BYTES / 4], out[ROW_BYTES / 4];
    haul_device *device;
    haul_module *module;
    haul_buffer *from, *to;
    for (uint32_t i = 0; i < 2 * ROW_BYTES / 4; i++) in[i] = i;
    assert_int_equal(haul_device_open("sim:h100", &(haul_device_options){.threads = 1}, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof in, &from), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof out, &to), HAUL_OK);
    assert_int_equal(haul_buffer_write(from, 0, in, sizeof in), HAUL_OK);
    const haul_tensor_map map = interleaved_map(from);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = to},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map, .size = sizeof map}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {1, 1, 1},
                                .block = {THREADS, 1, 1},
                                .shared_bytes = ROW_BYTES,
                                .arguments = arguments,
                                .argument_count = 2};
    if (haul_module_load(device, "test.ptx", COPY, strlen(COPY), &module) != HAUL_OK ||
        haul_launch_run(module, &launch, NULL) != HAUL_OK)
        fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_read(to, 0, out, sizeof out), HAUL_OK);
    expect_words(out, ROW_BYTES / 4, i < 8 * WIDTH ? ROW_BYTES / 4 + i : 0);
    haul_device_close(device);
}

static void the_library_takes_no_pixels_beyond_the_buffer_and_no_tiles(void **state) {
    (void)state;
    haul_device *device;
    haul_buffer *buffer;
    haul_tensor_map map;
    haul_tensor_view view;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 32 * WIDTH + ROW_BYTES - 1, &buffer), HAUL_OK);
    haul_tensor t = interleaved(buffer);
    assert_int_equal(haul_tensor_map_encode(&t, &map), HAUL_ERROR_ARGUMENT);
    assert_string_equal(haul_message(),
                        "tensor map: an array of 16192 bytes from byte 0 on reaches beyond its buffer of 16191");
    t.extent[1] = 1;
    assert_int_equal(haul_tensor_view_encode(&t, &view), HAUL_ERROR_ARGUMENT);
    assert_string_equal(haul_message(), "tensor view: tiles cannot have interleaved channels: use a tensor map");
    t.interleave = (haul_tensor_interleave)3;
    assert_int_equal(haul_tensor_map_encode(&t, &map), HAUL_ERROR_ARGUMENT);
    haul_device_close(device);
}

static void expect_wrong(sim_tensor t, const char *message) {
    assert_int_equal(sim_tensor_check(&t), HAUL_ERROR_ARGUMENT);
    assert_string_equal(haul_message(), message);
}

static void bad_maps_are_refused(void **state) {
    (void)state;
    sim_tensor t = three(3, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 1);
    expect_wrong(t, "tensor map: interleave 3 must be none, 16B or 32B (0 to 2)");
    t = three(SIM_TENSOR_INTERLEAVE_32B, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 1);
    t.pitch[0] = 1040;
    expect_wrong(t, "tensor map: stride 1040 of dimension 1 must be a multiple of 32 below 2^40");
    t = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_NONE, 20, 8, 1);
    t.rank = 2;
    expect_wrong(t, "tensor map: rank 2 must be 3 to 5 for interleaved channels");
    t = three(SIM_TENSOR_INTERLEAVE_16B, SIM_TENSOR_SWIZZLE_32B, 20, 8, 1);
    expect_wrong(t, "tensor map: swizzle 1 is not supported for interleave 1: none, of 32B also 32B (0, 1)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_of_16_bytes_lie_side_by_side_and_one_slice_is_taken),
        cmocka_unit_test(the_last_coordinate_but_one_counts_slices),
        cmocka_unit_test(pixels_outside_are_filled),
        cmocka_unit_test(pixels_of_32_bytes_are_swizzled_in_rows_without_gaps),
        cmocka_unit_test(other_dimensions_are_as_without),
        cmocka_unit_test(pixels_are_walked_between_corners_in_one_slice),
        cmocka_unit_test(pixels_of_a_copy_are_moved_by_its_offsets),
        cmocka_unit_test(pixels_are_walked_by_their_steps),
        cmocka_unit_test(images_are_walked_by_their_step),
        cmocka_unit_test(pixels_of_32_bytes_are_swizzled),
        cmocka_unit_test(the_longest_row_arrives),
        cmocka_unit_test(the_library_takes_no_pixels_beyond_the_buffer_and_no_tiles),
        cmocka_unit_test(bad_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
