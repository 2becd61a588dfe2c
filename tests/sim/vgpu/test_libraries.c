/* libcu++, cooperative groups and more that users write, as compiled by nvcc (tests/data/ptx/libraries.cu, users.cu),
 * without and with checks; the expected results are computed here. */
#include "kernel.h"

/* Lanes that spin on others of their warp run longest: `semaphores`, 3 million operations. */
enum { THREADS = 256, BATCHES = 5, ROW = 96 * 4, LIMIT = 20000000 };

#define LIBRARIES TEST_DATA "/ptx/libraries.ptx"
#define USERS TEST_DATA "/ptx/users.ptx"

/* A launch with one or two buffers and, if it is not 0, a number. */
typedef struct trial {
    const char *kernel;
    const char *file; /* NULL: LIBRARIES */
    const void *in;   /* NULL: no such buffer */
    size_t in_bytes;
    void *out;
    size_t out_bytes;
    int32_t number;
    uint32_t blocks, threads;
} trial;

static void run_once(const trial *t, bool check) {
    const haul_device_options options = {.check = check, .threads = 2, .instruction_limit = LIMIT};
    haul_device *device;
    haul_module *module;
    haul_buffer *in, *out;
    haul_run *run;
    haul_argument arguments[3];
    uint32_t count = 0;
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    if (haul_module_load_file(device, t->file ? t->file : LIBRARIES, &module) != HAUL_OK)
        fail_msg("%s", haul_message());
    if (t->in) {
        assert_int_equal(haul_buffer_create(device, t->in_bytes, &in), HAUL_OK);
        assert_int_equal(haul_buffer_write(in, 0, t->in, t->in_bytes), HAUL_OK);
        arguments[count++] = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = in};
    }
    assert_int_equal(haul_buffer_create(device, t->out_bytes, &out), HAUL_OK);
    assert_int_equal(haul_buffer_write(out, 0, t->out, t->out_bytes), HAUL_OK);
    arguments[count++] = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = out};
    if (t->number) arguments[count++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = t->number};
    const haul_launch launch = {.kernel = t->kernel,
                                .grid = {t->blocks ? t->blocks : 1, 1, 1},
                                .block = {t->threads ? t->threads : 1, 1, 1},
                                .arguments = arguments,
                                .argument_count = count};
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    if (haul_launch_run(module, &launch, run) != HAUL_OK) fail_msg("%s: %s", t->kernel, haul_message());
    for (size_t i = 0; i < run->launches[0].finding_count; i++)
        if (run->launches[0].findings[i].grade == HAUL_GRADE_ERROR)
            fail_msg("%s: found %s: %s", t->kernel, haul_finding_kinds[run->launches[0].findings[i].kind].key,
                     run->launches[0].findings[i].what);
    assert_int_equal(haul_buffer_read(out, 0, t->out, t->out_bytes), HAUL_OK);
    haul_run_free(run);
    haul_device_close(device);
}

static void expect(const trial *t, const void *expected) {
    void *first = malloc(t->out_bytes);
    memcpy(first, t->out, t->out_bytes);
    for (unsigned check = 0; check < 2; check++) {
        memcpy(t->out, first, t->out_bytes);
        run_once(t, check);
        if (memcmp(t->out, expected, t->out_bytes)) fail_msg("%s: %s", t->kernel, check ? "with checks" : "wrong");
    }
    free(first);
}

/* ---- atomics: one thread's operations, three times ---- */

/* Scopes make no difference: each round begins with the results of the one before. */
#define ATOMICS(name, T, is_integer)                                                                \
    do {                                                                                            \
        T words[8] = {(T)5}, expected[8] = {(T)0}, p = (T)5, sum = 0;                               \
        for (int round = 0; round < 3; round++) {                                                   \
            sum = (T)(sum + p + 10 + 12); /* load, exchange, the failed comparison's value */       \
            p = (T)20;                                                                              \
            sum = (T)(sum + 20 + 27);                                                               \
            p = (T)25;                                                                              \
            sum = (T)(sum + 25 + 24);                                                               \
            p = (T)30;                                                                              \
            if (is_integer) sum = (T)(sum + 30 + (30 & 0x1c) + ((30 & 0x1c) | 3)), p = (T)(31 ^ 6); \
        }                                                                                           \
        expected[0] = p, expected[1] = sum;                                                         \
        expect(&(trial){.kernel = "atomics_" name, INTO(words)}, expected);                         \
    } while (0)

static void atomics_of_all_types_do_each_operation(void **state) {
    (void)state;
    ATOMICS("i32", int32_t, true);
    ATOMICS("u32", uint32_t, true);
    ATOMICS("i64", int64_t, true);
    ATOMICS("u64", uint64_t, true);
    ATOMICS("i16", int16_t, true);
    ATOMICS("u8", uint8_t, true);
    ATOMICS("f32", float, false);
    ATOMICS("f64", double, false);
}

static void blocks_hand_a_number_on(void **state) {
    (void)state;
    enum { BLOCKS = 60 };
    static const uint32_t zero[1];
    uint32_t out[BLOCKS] = {0}, expected[BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++) expected[i] = 3 * i * (i + 1) / 2;
    expect(&(trial){.kernel = "relay", FROM(zero), INTO(out), .blocks = BLOCKS, .threads = 32}, expected);
}

/* ---- barriers and pipelines ---- */

static uint32_t input[BATCHES * ROW + 2 * THREADS];

static void number_input(void) {
    for (uint32_t i = 0; i < sizeof input / sizeof *input; i++) input[i] = i * 2654435761u;
}

static void semaphores_and_latches_let_all_through(void **state) {
    (void)state;
    uint32_t out[64] = {0}, expected[64];
    for (uint32_t i = 0; i < 64; i++) expected[i] = 64;
    expect(&(trial){.kernel = "semaphores", INTO(out), .threads = 64}, expected);
}

static void barriers_wait_for_copies(void **state) {
    (void)state;
    uint32_t out[THREADS] = {0}, expected[THREADS];
    number_input();
    for (uint32_t i = 0; i < THREADS; i++) expected[i] = input[255 - (i ^ 1)] + 1;
    expect(&(trial){.kernel = "barriers", FROM(input), INTO(out), .threads = THREADS}, expected);
}

static void pipelines_of_threads_have_two_stages(void **state) {
    (void)state;
    uint32_t out[THREADS] = {0}, expected[THREADS];
    number_input();
    for (uint32_t i = 0; i < THREADS; i++) expected[i] = input[i] + input[256 + i];
    expect(&(trial){.kernel = "thread_pipeline", FROM(input), INTO(out), .threads = THREADS}, expected);
}

static void pipelines_of_blocks_have_roles(void **state) {
    (void)state;
    uint32_t out[BATCHES * ROW] = {0};
    number_input();
    expect(&(trial){.kernel = "block_pipeline", FROM(input), INTO(out), .number = BATCHES, .threads = 128}, input);
}

/* ---- groups ---- */

static int32_t reduced(const int32_t *in, uint32_t from, uint32_t count, int which) {
    int32_t sum = which == 0 ? 0 : in[from];
    for (uint32_t i = from; i < from + count; i++)
        sum = which == 0 ? sum + in[i] : which == 1 ? (in[i] < sum ? in[i] : sum) : in[i] > sum ? in[i] : sum;
    return sum;
}

static int32_t of_odd(const int32_t *in, uint32_t warp, bool first) {
    int32_t most = 0, count = 0, one = 0;
    for (uint32_t i = warp; i < warp + 32; i++) {
        if (!(in[i] & 1)) continue;
        if (!count++) one = most = in[i];
        if (in[i] > most) most = in[i];
    }
    return first ? one + count : most;
}

static void groups_reduce_and_scan(void **state) {
    (void)state;
    int32_t in[THREADS], out[THREADS] = {0}, expected[THREADS];
    for (int32_t i = 0; i < THREADS; i++) in[i] = (i * 37 + 11) % 101;
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t tile = i / 8 * 8, warp = i / 32 * 32;
        int32_t sum = reduced(in, tile, 8, 0) + reduced(in, warp, 32, 1) + reduced(in, tile, i - tile + 1, 0);
        sum += reduced(in, warp, i - warp, 0) + in[i % 8 == 7 ? i : i + 1] + in[i ^ 3] + 4;
        if (in[i] & 1) sum += of_odd(in, warp, true) + of_odd(in, warp, false);
        int32_t same = 0;
        for (uint32_t k = warp; k < warp + 32; k++) same ^= (in[k] & 3) == (in[i] & 3) ? in[k] : 0;
        expected[i] = sum + same;
    }
    expect(&(trial){.kernel = "groups", FROM(in), INTO(out), .threads = THREADS}, expected);
}

static void tiles_may_be_larger_than_a_warp(void **state) {
    (void)state;
    double in[THREADS], out[THREADS] = {0}, expected[THREADS], sums[2] = {0};
    for (int i = 0; i < THREADS; i++) sums[i / 128] += in[i] = i * 0.25;
    for (int i = 0; i < THREADS; i++) expected[i] = sums[i / 128] + i % 16 + 1;
    expect(&(trial){.kernel = "large_tiles", FROM(in), INTO(out), .threads = THREADS}, expected);
}

static void groups_copy(void **state) {
    (void)state;
    uint32_t out[128 * 4] = {0}, expected[128 * 4];
    number_input();
    for (uint32_t i = 0; i < 128 * 4; i++) expected[i] = input[(127 - i / 4) * 4 + i % 4];
    expect(&(trial){.kernel = "group_copy", FROM(input), INTO(out), .threads = 128}, expected);
}

/* ---- user programs ---- */

__extension__ typedef unsigned __int128 u128;

static void integers_of_128_bits_divide(void **state) {
    (void)state;
    enum { DIVISIONS = 32 };
    u128 in[2 * DIVISIONS], out[2 * DIVISIONS] = {0}, expected[2 * DIVISIONS];
    for (unsigned i = 0; i < DIVISIONS; i++) {
        in[2 * i] = (~(u128)0 >> 3 * i) - 12345u * i;
        in[2 * i + 1] = ((u128)(i + 3) << 4 * (31 - i)) + 7 * i;
        expected[2 * i] = in[2 * i] / in[2 * i + 1];
        expected[2 * i + 1] = in[2 * i] % in[2 * i + 1];
    }
    expect(&(trial){.kernel = "divide_128", .file = USERS, FROM(in), INTO(out), .threads = DIVISIONS}, expected);
}

static void inverse_roots_are_good_to_an_ulp(void **state) {
    (void)state;
    double in[64], out[64] = {0}, expected[64];
    for (int i = 0; i < 64; i++) in[i] = 0.37 * (i + 1) * (i % 7 + 1), expected[i] = 1;
    expect(&(trial){.kernel = "inverse_roots", .file = USERS, FROM(in), INTO(out), .threads = 64}, expected);
}

static int by_value(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void a_merge_sort_looks_at_its_keys_only(void **state) {
    (void)state;
    enum { KEYS = 150 };
    int32_t in[KEYS], out[KEYS] = {0}, expected[KEYS];
    for (int i = 0; i < KEYS; i++) expected[i] = in[i] = i * 7919 % 1013 - 500;
    qsort(expected, KEYS, sizeof *expected, by_value);
    expect(&(trial){.kernel = "merge_sort", .file = USERS, FROM(in), INTO(out), .number = KEYS, .threads = 64},
           expected);
}

static void padding_goes_along(void **state) {
    (void)state;
    int32_t out[32] = {0}, expected[32];
    for (int i = 0; i < 32; i++) expected[i] = (100 - (i ^ 1)) * 1000 + (i ^ 1);
    expect(&(trial){.kernel = "padded", .file = USERS, INTO(out), .threads = 32}, expected);
}

static void groups_may_be_larger_than_what_they_copy(void **state) {
    (void)state;
    int32_t in[13], out[13] = {0}, expected[13];
    for (int i = 0; i < 13; i++) in[i] = expected[12 - i] = 5 * i + 1;
    expect(&(trial){.kernel = "copy_13", .file = USERS, FROM(in), INTO(out), .threads = 16}, expected);
}

static void lanes_take_a_lock_in_turn(void **state) {
    (void)state;
    enum { LANES = 96 };
    int32_t out[LANES] = {0}, expected[LANES], sum = 0;
    for (int i = 0; i < LANES; i++) sum = 2 * sum % 1009 + 1;
    for (int i = 0; i < LANES; i++) expected[i] = sum * 1000 + 3 * LANES;
    expect(&(trial){.kernel = "in_turn", .file = USERS, INTO(out), .threads = LANES}, expected);
}

/* Sizes that leave lanes over in a warp's last round; these repeat the copy of the last other lane. */
static void warps_copy_any_number_of_bytes(void **state) {
    (void)state;
    static const int32_t sizes[] = {4, 100, 130, 200, 256};
    enum { WARPS = 4, SPAN = 256 };
    number_input();
    const char *in = (const char *)input;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        char out[WARPS * SPAN] = {0}, expected[WARPS * SPAN] = {0};
        for (int k = 0; k < WARPS; k++)
            for (int i = 0; i < sizes[n]; i++) expected[SPAN * k + i] = in[SPAN * k + 4 * k + sizes[n] - 1 - i];
        expect(&(trial){.kernel = "tile_copy", FROM(input), INTO(out), .number = sizes[n], .threads = 128}, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_of_all_types_do_each_operation),
        cmocka_unit_test(blocks_hand_a_number_on),
        cmocka_unit_test(semaphores_and_latches_let_all_through),
        cmocka_unit_test(barriers_wait_for_copies),
        cmocka_unit_test(pipelines_of_threads_have_two_stages),
        cmocka_unit_test(pipelines_of_blocks_have_roles),
        cmocka_unit_test(groups_reduce_and_scan),
        cmocka_unit_test(tiles_may_be_larger_than_a_warp),
        cmocka_unit_test(groups_copy),
        cmocka_unit_test(warps_copy_any_number_of_bytes),
        cmocka_unit_test(integers_of_128_bits_divide),
        cmocka_unit_test(inverse_roots_are_good_to_an_ulp),
        cmocka_unit_test(a_merge_sort_looks_at_its_keys_only),
        cmocka_unit_test(padding_goes_along),
        cmocka_unit_test(groups_may_be_larger_than_what_they_copy),
        cmocka_unit_test(lanes_take_a_lock_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
