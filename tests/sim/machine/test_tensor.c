/* Tensor maps and tensor copies. Expected layouts are computed element by element, unlike in a copy engine. With
 * HAUL_TEST_DEVICE=gpu:0 in the environment, the copies run on a real GPU, which must agree. */
#include "kernel.h"

enum { IN_BYTES = 1 << 16, SHARED_BYTES = 16384, SENTINEL = 0xaa };

static unsigned char input[IN_BYTES], output[IN_BYTES];
static uint64_t seed;

static uint32_t random_below(uint32_t limit) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static void fill_input(void) {
    seed = 1;
    for (unsigned i = 0; i < IN_BYTES; i++) input[i] = (unsigned char)random_below(256);
}

static const char *device_name(void) {
    const char *name = getenv("HAUL_TEST_DEVICE");
    return name ? name : "sim:h100";
}

static bool is_virtual(void) {
    return strncmp(device_name(), "sim", 3) == 0;
}

/* ---- kernels ---- */

/* %rd0: out, %rd1: in, %rd4: generic address of the map parameter; %r0: thread, %r3: shared `box`; %r4: an mbarrier for
 * one arrival. Thread 0 has %p0. `box` is filled with the sentinel. */
#define TENSOR_BEGIN                                                                                                   \
    HEAD                                                                                                               \
        ".shared .align 1024 .b8 box[16384];\n.shared .align 8 .b64 bar;\n"                                            \
        ".visible .entry k(.param .u64 p_out, .param .u64 p_in, .param .align 64 .b8 p_map[128]) {\n"                  \
        ".reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .pred %p<16>;\n"                                                  \
        "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\nmov.b64 %rd3, p_map;\n"                              \
        "cvta.param.u64 %rd4, %rd3;\nmov.u32 %r0, %tid.x;\nmov.u32 %r3, box;\nmov.u32 %r4, bar;\n"                     \
        "setp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared::cta.b64 [%r4], 1;\n"                                     \
        "shl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r3, %r5;\nadd.u32 %r6, %r3, 16384;\n"                                     \
        "FILL: st.shared.u32 [%r5], 0xaaaaaaaa;\nadd.u32 %r5, %r5, 128;\nsetp.lt.u32 %p1, %r5, %r6;\n@%p1 bra FILL;\n" \
        "fence.proxy.async;\nbar.sync 0;\n"
#define WAIT "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r4], 0;\n@!%p1 bra WAIT;\n"
/* All of `box` goes to the output. */
#define DUMP                                                                                            \
    "shl.b32 %r5, %r0, 2;\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd5, %rd0, %rd5;\nadd.u32 %r5, %r3, %r5;\n" \
    "DUMP: ld.shared.u32 %r7, [%r5];\nst.global.u32 [%rd5], %r7;\nadd.u32 %r5, %r5, 128;\n"             \
    "add.u64 %rd5, %rd5, 128;\nsetp.lt.u32 %p1, %r5, %r6;\n@%p1 bra DUMP;\n"
/* The first bytes of `box` come from the input. */
#define TAKE_INPUT                                                                                      \
    "shl.b32 %r5, %r0, 2;\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd5, %rd1, %rd5;\nadd.u32 %r5, %r3, %r5;\n" \
    "TAKE: ld.global.u32 %r7, [%rd5];\nst.shared.u32 [%r5], %r7;\nadd.u32 %r5, %r5, 128;\n"             \
    "add.u64 %rd5, %rd5, 128;\nsetp.lt.u32 %p1, %r5, %r6;\n@%p1 bra TAKE;\nfence.proxy.async;\nbar.sync 0;\n"

/* A box of a tensor, and its destination. */
typedef struct box_copy {
    haul_tensor tensor;
    int32_t at[5];
    uint32_t shared; /* offset in `box` */
    haul_launch_record *record;
} box_copy;

static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static uint32_t taken(const haul_tensor *t, uint32_t d) {
    const uint32_t step = d && t->step[d] ? t->step[d] : 1;
    return (t->box[d] + step - 1) / step;
}

static uint32_t box_bytes(const haul_tensor *t) {
    uint32_t bytes = sizes[t->type];
    for (uint32_t d = 0; d < t->rank; d++) bytes *= taken(t, d);
    return bytes;
}

static void put_coordinates(const box_copy *c, char out[96]) {
    int used = snprintf(out, 96, "{%d", c->at[0]);
    for (uint32_t d = 1; d < c->tensor.rank; d++) used += snprintf(out + used, 96 - (size_t)used, ", %d", c->at[d]);
    snprintf(out + used, 96 - (size_t)used, "}");
}

static void put_load(const box_copy *c, char *ptx, size_t size) {
    char at[96];
    put_coordinates(c, at);
    snprintf(ptx, size,
             "%s@%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4], %u;\n"
             "@%%p0 cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[%%r3+%u], [%%rd4, %s], [%%r4];\n%s",
             TENSOR_BEGIN, box_bytes(&c->tensor), c->tensor.rank, c->shared, at, WAIT DUMP END);
}

/* `mnemonic`: cp.async.bulk.tensor or cp.reduce.async.bulk.tensor; `operation`: "" or ".add" */
static void put_store(const box_copy *c, const char *mnemonic, const char *operation, char *ptx, size_t size) {
    char at[96];
    put_coordinates(c, at);
    snprintf(ptx, size,
             "%s@%%p0 %s.%ud.global.shared::cta%s.tile.bulk_group [%%rd4, %s], [%%r3+%u];\n"
             "@%%p0 cp.async.bulk.commit_group;\n@%%p0 cp.async.bulk.wait_group 0;\n%s",
             TENSOR_BEGIN TAKE_INPUT, mnemonic, c->tensor.rank, operation, at, c->shared, END);
}

/* ---- running ---- */

typedef struct machine {
    haul_device *device;
    haul_buffer *out, *in;
} machine;

static machine open_machine_as(bool checked) {
    machine m;
    const haul_device_options options = {.threads = 1, .check = checked};
    if (haul_device_open(device_name(), &options, &m.device) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_create(m.device, IN_BYTES, &m.out), HAUL_OK);
    assert_int_equal(haul_buffer_create(m.device, IN_BYTES, &m.in), HAUL_OK);
    return m;
}

static machine open_machine(void) {
    return open_machine_as(false);
}

/* Runs one warp with `map`; `output` goes to the device before and comes back after. */
static haul_status try_map(const machine *m, const char *ptx, const haul_tensor_map *map, haul_launch_record *record) {
    haul_module *module;
    haul_run *run = NULL;
    haul_status status = haul_module_load(m->device, "tensor.ptx", ptx, strlen(ptx), &module);
    if (status != HAUL_OK) return status;
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m->in},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = map, .size = sizeof *map}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 3};
    status = haul_buffer_write(m->in, 0, input, IN_BYTES);
    if (status == HAUL_OK) status = haul_buffer_write(m->out, 0, output, IN_BYTES);
    if (status == HAUL_OK && record) status = haul_run_create(m->device, &run);
    if (status == HAUL_OK) status = haul_launch_run(module, &launch, run);
    if (status == HAUL_OK) status = haul_buffer_read(m->out, 0, output, IN_BYTES);
    if (status == HAUL_OK && run) {
        memcpy(record->counters, run->launches[0].counters, sizeof record->counters);
        record->finding_count = run->launches[0].finding_count;
    }
    haul_run_free(run);
    haul_module_unload(module);
    return status;
}

static haul_status try_copy(const machine *m, const char *ptx, box_copy *c, bool of_output) {
    haul_tensor_map map;
    c->tensor.buffer = of_output ? m->out : m->in;
    const haul_status status = haul_tensor_map_encode(&c->tensor, &map);
    return status == HAUL_OK ? try_map(m, ptx, &map, c->record) : status;
}

/* ---- expected results ---- */

/* Returns where the box's element of this number is in shared memory, and its address in the array's buffer; false if
 * it lies outside. For stores, dimension 0 ends at a multiple of 16 bytes. */
static bool locate(const box_copy *c, uint32_t number, bool stores, uint32_t *shared, uint64_t *global) {
    const haul_tensor *t = &c->tensor;
    const uint32_t width = t->box[0] * sizes[t->type], pitch = t->swizzle ? 16u << t->swizzle : width;
    const uint32_t plain = c->shared + number / t->box[0] * pitch + number % t->box[0] * sizes[t->type];
    const uint32_t bits[] = {0, 1, 3, 7};
    bool inside = true;
    *shared = plain ^ ((plain / 128 & bits[t->swizzle]) * 16);
    *global = t->offset;
    for (uint32_t d = 0; d < t->rank; d++) {
        const uint32_t step = d && t->step[d] ? t->step[d] : 1;
        const int64_t at = (int64_t)c->at[d] + (int64_t)(number % taken(t, d)) * step;
        number /= taken(t, d);
        const uint32_t unit = stores && d == 0 ? 16 / sizes[t->type] : 1;
        inside = inside && at >= 0 && at < (int64_t)((t->extent[d] + unit - 1) / unit * unit);
        *global += (uint64_t)at * (d ? t->pitch[d - 1] : sizes[t->type]);
    }
    return inside;
}

static void expect_load(const box_copy *c) {
    unsigned char expected[SHARED_BYTES];
    const uint32_t size = sizes[c->tensor.type], count = box_bytes(&c->tensor) / size;
    memset(expected, SENTINEL, sizeof expected);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t shared;
        uint64_t global;
        if (locate(c, n, false, &shared, &global))
            memcpy(expected + shared, input + global, size);
        else
            memset(expected + shared, 0, size);
    }
    for (uint32_t i = 0; i < SHARED_BYTES; i++)
        if (output[i] != expected[i]) fail_msg("shared byte %u is %02x, not %02x", i, output[i], expected[i]);
}

static void expect_store(const box_copy *c, const unsigned char *before) {
    static unsigned char expected[IN_BYTES];
    const uint32_t size = sizes[c->tensor.type], count = box_bytes(&c->tensor) / size;
    memcpy(expected, before, IN_BYTES);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t shared;
        uint64_t global;
        if (locate(c, n, true, &shared, &global)) memcpy(expected + global, input + shared, size);
    }
    for (uint32_t i = 0; i < IN_BYTES; i++)
        if (output[i] != expected[i]) fail_msg("byte %u is %02x, not %02x", i, output[i], expected[i]);
}

/* ---- random boxes ---- */

static void choose_box(haul_tensor *t) {
    const uint32_t size = sizes[t->type], unit = 16 / size ? 16 / size : 1;
    const uint32_t widest = t->swizzle ? 1u << t->swizzle : 256 / unit < 16 ? 256 / unit : 16;
    t->box[0] = unit * (1 + random_below(widest));
    uint32_t budget = 8192 / (t->swizzle ? 16u << t->swizzle : t->box[0] * size);
    for (uint32_t d = 1; d < t->rank; d++) {
        const uint32_t most = budget < 24 ? budget : 24;
        t->box[d] = 1 + random_below(most ? most : 1);
        t->step[d] = random_below(3) ? 1 : 1 + random_below(8);
        budget /= t->box[d];
    }
}

static bool choose_array(haul_tensor *t) {
    const uint32_t size = sizes[t->type];
    uint64_t bytes;
    t->extent[0] = 1 + random_below(t->rank > 2 ? 24 : 100);
    bytes = (t->extent[0] * size + 15) / 16 * 16 + 16 * random_below(2);
    for (uint32_t d = 1; d < t->rank; d++) {
        t->extent[d] = 1 + random_below(t->rank > 3 ? 5 : t->rank > 2 ? 9 : 60);
        t->pitch[d - 1] = bytes;
        bytes = bytes * t->extent[d] + 16 * random_below(2);
    }
    t->offset = 16 * random_below(4);
    return t->offset + bytes <= IN_BYTES;
}

static box_copy random_copy(void) {
    box_copy c;
    do {
        memset(&c, 0, sizeof c);
        c.tensor.type = (haul_tensor_type)random_below(HAUL_TENSOR_F32_FTZ);
        c.tensor.rank = 1 + random_below(5);
        c.tensor.swizzle = (haul_tensor_swizzle)random_below(4);
        choose_box(&c.tensor);
    } while (!choose_array(&c.tensor));
    for (uint32_t d = 0; d < c.tensor.rank; d++) {
        const int32_t width = (int32_t)c.tensor.box[d], extent = (int32_t)c.tensor.extent[d];
        c.at[d] =
            random_below(4) ? (int32_t)random_below((uint32_t)extent) : -(int32_t)random_below((uint32_t)width + 2);
    }
    const int32_t unit = 16 / (int32_t)sizes[c.tensor.type];
    c.at[0] = c.at[0] / unit * unit;
    c.shared = 128 * random_below(9);
    return c;
}

enum { SWEEP = 250 };

static void a_box_comes_to_shared_memory_as_its_map_says(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    fill_input();
    for (unsigned n = 0; n < SWEEP; n++) {
        box_copy c = random_copy();
        memset(output, 0, sizeof output);
        put_load(&c, ptx, sizeof ptx);
        if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("box %u: %s", n, haul_message());
        expect_load(&c);
    }
    haul_device_close(m.device);
}

static void a_box_goes_to_the_array_as_its_map_says(void **state) {
    (void)state;
    char ptx[4096];
    static unsigned char before[IN_BYTES];
    const machine m = open_machine();
    fill_input();
    for (unsigned n = 0; n < SWEEP; n++) {
        box_copy c = random_copy();
        for (unsigned d = 0; d < 5; d++)
            c.at[d] = c.at[d] < 0 ? 0 : c.at[d]; /* only loads may begin before the array */
        memset(before, (int)n, sizeof before);
        memcpy(output, before, sizeof output);
        put_store(&c, "cp.async.bulk.tensor", "", ptx, sizeof ptx);
        if (try_copy(&m, ptx, &c, true) != HAUL_OK) fail_msg("box %u: %s", n, haul_message());
        expect_store(&c, before);
    }
    haul_device_close(m.device);
}

/* ---- single behaviours ---- */

/* 10 rows of 8 columns, boxes of 2 rows */
static box_copy small_copy(haul_tensor_type type) {
    return (box_copy){
        .tensor = {.type = type, .rank = 2, .extent = {8, 10}, .pitch = {64}, .box = {8, 2}, .step = {1, 1}}};
}

static void what_lies_outside_can_be_read_as_nan(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    const haul_tensor_type types[] = {HAUL_TENSOR_F16, HAUL_TENSOR_BF16, HAUL_TENSOR_F32, HAUL_TENSOR_F64};
    fill_input();
    for (unsigned k = 0; k < sizeof types / sizeof *types; k++) {
        box_copy c = small_copy(types[k]);
        const unsigned size = sizes[types[k]];
        c.tensor.fill_nan = true;
        c.at[0] = 16 / (int32_t)size;
        c.at[1] = 9;
        put_load(&c, ptx, sizeof ptx);
        if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("%s", haul_message());
        for (unsigned n = 0; n < 16; n++) {
            uint64_t got = 0, want = 0;
            memset(&want, 0x7f, size);
            for (unsigned b = 0; b < size; b += 2) ((unsigned char *)&want)[b] = 0xf7;
            memcpy(&got, output + n * size, size);
            if (n + 16 / size < 8) want = 0, memcpy(&want, input + 9 * 64 + 16 + n * size, size);
            if (got != want)
                fail_msg("type %d, element %u is %llx, not %llx", (int)types[k], n, (unsigned long long)got,
                         (unsigned long long)want);
        }
    }
    haul_device_close(m.device);
}

static void tf32_is_rounded_on_the_way(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_TF32);
    const uint32_t words[] = {0x3f800fff, 0x3f801001, 0xbfb45678, 0x00000000},
                   rounded[] = {0x3f800000, 0x3f802000, 0xbfb46000, 0};
    memset(input, 0, sizeof input);
    memcpy(input, words, sizeof words);
    put_load(&c, ptx, sizeof ptx);
    if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("%s", haul_message());
    assert_memory_equal(output, rounded, sizeof rounded);
    haul_device_close(m.device);
}

static void stores_begin_inside_the_array(void **state) {
    (void)state;
    char ptx[4096];
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    c.at[1] = -1;
    put_store(&c, "cp.async.bulk.tensor", "", ptx, sizeof ptx);
    assert_int_equal(try_copy(&m, ptx, &c, true), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "coordinate -1 of dimension 1: only loads may begin before the array"));
    haul_device_close(m.device);
}

static void a_box_can_be_added_to_an_array(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    c.at[1] = 9; /* the second row lies outside */
    uint32_t *words = (uint32_t *)(void *)output;
    for (unsigned i = 0; i < 32; i++) ((uint32_t *)(void *)input)[i] = 100 + i;
    for (unsigned i = 0; i < IN_BYTES / 4; i++) words[i] = i;
    put_store(&c, "cp.reduce.async.bulk.tensor", ".add", ptx, sizeof ptx);
    if (try_copy(&m, ptx, &c, true) != HAUL_OK) fail_msg("%s", haul_message());
    expect_words(words, IN_BYTES / 4, i >= 144 && i < 152 ? i + 100 + i - 144 : i);
    haul_device_close(m.device);
}

static void reductions_follow_the_element_type(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    const struct {
        haul_tensor_type type;
        const char *operation;
        uint64_t memory, operand, result;
    } cases[] = {
        {HAUL_TENSOR_S32, ".min", 5, 0xfffffffe, 0xfffffffe},
        {HAUL_TENSOR_U32, ".min", 5, 0xfffffffe, 5},
        {HAUL_TENSOR_U64, ".max", 5, 0x8000000000000000, 0x8000000000000000},
        {HAUL_TENSOR_S64, ".max", 5, 0x8000000000000000, 5},
        {HAUL_TENSOR_F32, ".add", 0x3fc00000, 0x40200000, 0x40800000}, /* 1.5 + 2.5 */
        {HAUL_TENSOR_F16, ".add", 0x3e00, 0x4100, 0x4400},
        {HAUL_TENSOR_F16, ".max", 0x3e00, 0x4100, 0x4100},
        {HAUL_TENSOR_BF16, ".min", 0x3fc0, 0x4020, 0x3fc0},
        {HAUL_TENSOR_U32, ".inc", 5, 5, 0},
        {HAUL_TENSOR_U32, ".dec", 0, 7, 7},
        {HAUL_TENSOR_U32, ".and", 0xff00, 0x0ff0, 0x0f00},
        {HAUL_TENSOR_U32, ".or", 0xff00, 0x0ff0, 0xfff0},
        {HAUL_TENSOR_U64, ".xor", 0xff00, 0x0ff0, 0xf0f0},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        const unsigned size = sizes[cases[k].type];
        box_copy c = small_copy(cases[k].type);
        memset(input, 0, sizeof input);
        memset(output, 0, sizeof output);
        memcpy(input, &cases[k].operand, size);
        memcpy(output, &cases[k].memory, size);
        put_store(&c, "cp.reduce.async.bulk.tensor", cases[k].operation, ptx, sizeof ptx);
        if (try_copy(&m, ptx, &c, true) != HAUL_OK) fail_msg("case %u: %s", k, haul_message());
        uint64_t got = 0;
        memcpy(&got, output, size);
        if (got != cases[k].result) fail_msg("case %u: %llx", k, (unsigned long long)got);
    }
    haul_device_close(m.device);
}

static void a_reduction_that_the_type_does_not_have_is_a_fault(void **state) {
    (void)state;
    char ptx[4096];
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_F64);
    put_store(&c, "cp.reduce.async.bulk.tensor", ".max", ptx, sizeof ptx);
    assert_int_equal(try_copy(&m, ptx, &c, true), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "not defined for the tensor map's element type"));
    haul_device_close(m.device);
}

static void a_box_is_not_there_before_the_wait(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    fill_input();
    const char *ptx = TENSOR_BEGIN "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\n"
                                   "@%p0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                                   "[%r3], [%rd4, {0, 0}], [%r4];\n" DUMP END;
    if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("%s", haul_message());
    for (unsigned i = 0; i < 64; i++) assert_int_equal(output[i], SENTINEL);
    haul_device_close(m.device);
}

static void a_map_may_lie_in_global_memory(void **state) {
    (void)state;
    char ptx[4096];
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    haul_tensor_map map;
    fill_input();
    memset(output, 0, sizeof output);
    c.tensor.buffer = m.in;
    c.tensor.offset = 4096;
    assert_int_equal(haul_tensor_map_encode(&c.tensor, &map), HAUL_OK);
    memcpy(input, &map, sizeof map);
    snprintf(ptx, sizeof ptx, "%s",
             TENSOR_BEGIN "prefetch.tensormap [%rd1];\n"
                          "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n"
                          "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\n"
                          "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                          "[%r3], [%rd1, {0, 0}], [%r4];\n" WAIT DUMP END);
    if (try_map(&m, ptx, &map, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    expect_load(&c);
    haul_device_close(m.device);
}

#undef HEAD
#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"
#define REPLACE(field) "@%p0 tensormap.replace.tile." field
#define ON_MAP ".shared::cta.b1024.b32 [%r8], "
#define WIDE_ON_MAP ".shared::cta.b1024.b64 [%r8], "

/* The map comes from the input's start to shared memory and is changed there. It goes to the output's second half, and
 * is used there after `fence`: another array, of 5 rows of 32 bytes, of which the box takes four. */
static haul_status change_map_from(const machine *m, const char *begin, const char *fence, haul_launch_record *record) {
    char ptx[8192];
    box_copy c = small_copy(HAUL_TENSOR_F32);
    haul_tensor_map map;
    fill_input();
    memset(output, 0, sizeof output);
    c.tensor.buffer = m->in;
    c.tensor.offset = 4096;
    assert_int_equal(haul_tensor_map_encode(&c.tensor, &map), HAUL_OK);
    memcpy(input, &map, sizeof map);
    snprintf(
        ptx, sizeof ptx, "%s%s%s%s%s",
        TENSOR_BEGIN
        "add.u32 %r8, %r3, 8192;\nshl.b32 %r9, %r0, 2;\ncvt.u64.u32 %rd6, %r9;\nadd.u64 %rd7, %rd1, %rd6;\n"
        "ld.global.u32 %r10, [%rd7];\nadd.u32 %r9, %r8, %r9;\n",
        begin,
        "bar.warp.sync -1;\n"
        "add.u64 %rd8, %rd1, 8192;\nmov.u32 %r11, 5;\nmov.u64 %rd9, 32;\nmov.u32 %r12, 4;\nmov.u32 %r13, 1;\n" REPLACE(
            "global_address") WIDE_ON_MAP "%rd8;\n" REPLACE("global_dim") ON_MAP "1, %r11;\n" REPLACE("global_stride")
            WIDE_ON_MAP "0, %rd9;\n" REPLACE("box_dim") ON_MAP "1, %r12;\n" REPLACE("element_stride") ON_MAP
        "1, %r13;\n" REPLACE("rank") ON_MAP "%r13;\n" REPLACE("elemtype") ON_MAP "0x2;\n" REPLACE("fill_mode") ON_MAP
        "0x0;\n" REPLACE("swizzle_mode") ON_MAP "0x0;\n" REPLACE("interleave_layout") ON_MAP
        "0x0;\n"
        "bar.warp.sync -1;\nadd.u64 %rd10, %rd0, 32768;\n"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd10], [%r8], 128;\n",
        fence,
        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"
        "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%r3], [%rd10, {0, 3}], [%r4];\n" WAIT DUMP END);
    return try_map(m, ptx, &map, record);
}

static haul_status change_map(const machine *m, const char *fence, haul_launch_record *record) {
    return change_map_from(m, "st.shared.u32 [%r9], %r10;\n", fence, record);
}

/* The fields that change_map() leaves unchanged, in a map that begins as zeros. */
#define FROM_ZEROS "st.shared.u32 [%r9], 0;\nbar.warp.sync -1;\nmov.u32 %r14, 8;\nmov.u32 %r13, 1;\n"
#define BOX_0 REPLACE("box_dim") ON_MAP "0, %r14;\n"
#define DIM_0 REPLACE("global_dim") ON_MAP "0, %r14;\n"
#define STRIDE_0 REPLACE("element_stride") ON_MAP "0, %r13;\n"

#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%rd10], 128;\n"

static void a_kernel_changes_a_map(void **state) {
    (void)state;
    const machine m = open_machine();
    if (change_map(&m, ACQUIRE, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    for (unsigned i = 0; i < 64; i++) assert_int_equal(output[i], input[8192 + 3 * 32 + i]);
    for (unsigned i = 64; i < 128; i++) assert_int_equal(output[i], 0);
    haul_device_close(m.device);
}

static void a_kernel_makes_a_map_from_zeros(void **state) {
    (void)state;
    const machine m = open_machine();
    if (change_map_from(&m, FROM_ZEROS BOX_0 DIM_0 STRIDE_0, ACQUIRE, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    for (unsigned i = 0; i < 64; i++) assert_int_equal(output[i], input[8192 + 3 * 32 + i]);
    for (unsigned i = 64; i < 128; i++) assert_int_equal(output[i], 0);
    haul_device_close(m.device);
}

static void a_map_made_from_zeros_needs_every_field(void **state) {
    (void)state;
    static const struct {
        const char *begin, *why;
    } cases[] = {
        {FROM_ZEROS BOX_0 DIM_0, "element_stride of dimension 0 was never set"},
        {FROM_ZEROS BOX_0 STRIDE_0, "global_dim of dimension 0 was never set"},
        {FROM_ZEROS DIM_0 STRIDE_0, "box_dim of dimension 0 was never set"},
    };
    if (!is_virtual()) skip();
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        const machine m = open_machine();
        assert_int_equal(change_map_from(&m, cases[k].begin, ACQUIRE, NULL), HAUL_ERROR_FAULT);
        if (!strstr(haul_message(), cases[k].why)) fail_msg("'%s' has no '%s'", haul_message(), cases[k].why);
        haul_device_close(m.device);
    }
}

static void a_changed_map_has_to_be_acquired_before_it_is_used(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    const machine m = open_machine_as(true);
    haul_launch_record record = {0};
    assert_int_equal(change_map(&m, ACQUIRE, &record), HAUL_OK);
    assert_int_equal(record.finding_count, 0);
    assert_int_equal(change_map(&m, "", &record), HAUL_OK);
    assert_int_equal(record.finding_count, 1);
    haul_device_close(m.device);
}

static void changes_that_make_no_map_are_faults(void **state) {
    (void)state;
    static const struct {
        const char *change, *why;
    } cases[] = {
        {REPLACE("elemtype") ON_MAP "0x7f;\n", "element type 127 is not known"},
        {REPLACE("box_dim") ON_MAP "5, %r0;\n", "dimension 5 must be below 5"},
        {REPLACE("rank") ".shared::cta.b1024.b32 [%r8+8], %r0;\n", "must be 64-byte aligned"},
        {REPLACE("rank") ".shared::cta.b1024.b32 [%r3], %r0;\n", "were not made by cuTensorMapEncodeTiled"},
    };
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    haul_tensor_map map;
    c.tensor.buffer = m.in;
    assert_int_equal(haul_tensor_map_encode(&c.tensor, &map), HAUL_OK);
    fill_input();
    memcpy(input, &map, sizeof map);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s%s%s",
                 TENSOR_BEGIN "add.u32 %r8, %r3, 8192;\nshl.b32 %r9, %r0, 2;\ncvt.u64.u32 %rd6, %r9;\n"
                              "add.u64 %rd7, %rd1, %rd6;\nld.global.u32 %r10, [%rd7];\nadd.u32 %r9, %r8, %r9;\n"
                              "st.shared.u32 [%r9], %r10;\nbar.warp.sync -1;\n",
                 cases[k].change, END);
        assert_int_equal(try_map(&m, ptx, &map, NULL), HAUL_ERROR_FAULT);
        if (!strstr(haul_message(), cases[k].why)) fail_msg("'%s' has no '%s'", haul_message(), cases[k].why);
    }
    haul_device_close(m.device);
}

/* Both blocks of a cluster wait for the first block's load; each writes to one half of the output. */
static void one_copy_feeds_several_blocks(void **state) {
    (void)state;
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    haul_tensor_map map;
    haul_module *module;
    const char *ptx = TENSOR_BEGIN
        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 64;\nfence.mbarrier_init.release.cluster;\n"
        "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
        ".reg .b16 %h<2>;\nmov.u16 %h0, 3;\nmov.u32 %r20, %cluster_ctarank;\nsetp.eq.and.u32 %p2, %r20, 0, %p0;\n"
        "@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r3], [%rd4, {0, 4}], [%r4], %h0;\n"
        "mul.wide.u32 %rd6, %r20, 16384;\nadd.u64 %rd0, %rd0, %rd6;\n" WAIT DUMP END;
    fill_input();
    c.tensor.buffer = m.in;
    c.at[1] = 4;
    assert_int_equal(haul_tensor_map_encode(&c.tensor, &map), HAUL_OK);
    assert_int_equal(haul_module_load(m.device, "tensor.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = m.out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = m.in},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map, .size = sizeof map}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {2, 1, 1},
                                .block = {32, 1, 1},
                                .arguments = arguments,
                                .argument_count = 3,
                                .cluster = {2, 1, 1}};
    assert_int_equal(haul_buffer_write(m.in, 0, input, IN_BYTES), HAUL_OK);
    if (haul_launch_run(module, &launch, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_read(m.out, 0, output, IN_BYTES), HAUL_OK);
    expect_load(&c);
    memmove(output, output + SHARED_BYTES, SHARED_BYTES);
    expect_load(&c);
    haul_device_close(m.device);
}

static void rows_are_counted_as_the_sectors_they_touch(void **state) {
    (void)state;
    char ptx[4096];
    if (!is_virtual()) skip();
    haul_launch_record record;
    const machine m = open_machine();
    /* 16 rows of 64 bytes, every second one: 8 rows of 2 sectors, all inside */
    box_copy c = {
        .tensor =
            {.type = HAUL_TENSOR_F32, .rank = 2, .extent = {64, 64}, .pitch = {256}, .box = {16, 16}, .step = {1, 2}},
        .record = &record};
    put_load(&c, ptx, sizeof ptx);
    if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("%s", haul_message());
    assert_true(record.counters[HAUL_COUNTER_INST_TMA_LD] == 1);
    assert_true(record.counters[HAUL_COUNTER_TMA_LD_SECTORS] == 16);
    haul_device_close(m.device);
}

/* As the hardware counts: the whole box, though what lies outside the array is filled without being read. */
static void elements_outside_the_array_count_too(void **state) {
    (void)state;
    char ptx[4096];
    if (!is_virtual()) skip();
    haul_launch_record record;
    const machine m = open_machine();
    /* 16 rows of 64 bytes, 2 sectors each: 4 rows lie inside, and of these the first 32 bytes */
    box_copy c = {.tensor = {.type = HAUL_TENSOR_F32, .rank = 2, .extent = {64, 64}, .pitch = {256}, .box = {16, 16}},
                  .at = {56, 60},
                  .record = &record};
    put_load(&c, ptx, sizeof ptx);
    if (try_copy(&m, ptx, &c, false) != HAUL_OK) fail_msg("%s", haul_message());
    assert_true(record.counters[HAUL_COUNTER_INST_TMA_LD] == 1);
    assert_true(record.counters[HAUL_COUNTER_TMA_LD_SECTORS] == 32);
    haul_device_close(m.device);
}

/* ---- misuse ---- */

static void expect_fault(box_copy *c, const char *text) {
    char ptx[4096];
    const machine m = open_machine();
    put_load(c, ptx, sizeof ptx);
    const haul_status status = try_copy(&m, ptx, c, false);
    if (status != HAUL_ERROR_FAULT || !strstr(haul_message(), text))
        fail_msg("status %d, '%s' has no '%s'", (int)status, haul_message(), text);
    haul_device_close(m.device);
}

static void boxes_must_lie_where_the_engine_can_put_them(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    c.shared = 64;
    expect_fault(&c, "must be a multiple of 128");
    c = small_copy(HAUL_TENSOR_U32);
    c.at[0] = -1;
    expect_fault(&c, "coordinate -1 of dimension 0, times 4 bytes, must be a multiple of 16 bytes");
    c = small_copy(HAUL_TENSOR_U32);
    c.tensor.box[1] = 256;
    c.shared = 14 * 1024;
    expect_fault(&c, "outside the block's shared memory");
}

static void a_map_must_have_as_many_dimensions_as_the_copy(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    const char *ptx = TENSOR_BEGIN "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                   "[%r3], [%rd4, {0, 0, 0}], [%r4];\n" END;
    assert_int_equal(try_copy(&m, ptx, &c, false), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "rank 2 in a copy with 3 coordinates"));
    haul_device_close(m.device);
}

static void a_map_is_read_from_memory_only(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    const machine m = open_machine();
    const char *const addresses[] = {"cvta.shared.u64 %rd4, 1024;\n", "mov.u64 %rd4, 0;\n", "add.u64 %rd4, %rd4, 64;\n",
                                     "add.u64 %rd4, %rd4, 32;\n", "mov.u64 %rd4, -64;\n"};
    for (unsigned k = 0; k < sizeof addresses / sizeof *addresses; k++) {
        char ptx[4096];
        box_copy c = small_copy(HAUL_TENSOR_U32);
        snprintf(ptx, sizeof ptx, "%s%s%s", TENSOR_BEGIN, addresses[k],
                 "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%r3], [%rd4, {0, 0}], [%r4];\n" END);
        assert_int_equal(try_copy(&m, ptx, &c, false), HAUL_ERROR_FAULT);
        if (!strstr(haul_message(), "tensor map at")) fail_msg("%s", haul_message());
    }
    haul_device_close(m.device);
}

/* Whatever the 128 bytes are, a copy faults or moves bytes within allocations. */
static void corrupt_maps_do_no_harm(void **state) {
    (void)state;
    char ptx[4096];
    if (!is_virtual()) skip();
    const machine m = open_machine();
    box_copy c = small_copy(HAUL_TENSOR_U32);
    haul_tensor_map good, bad;
    c.tensor.buffer = m.in;
    assert_int_equal(haul_tensor_map_encode(&c.tensor, &good), HAUL_OK);
    put_store(&c, "cp.async.bulk.tensor", "", ptx, sizeof ptx);
    seed = 7;
    unsigned faults = 0;
    for (unsigned n = 0; n < 2000; n++) {
        bad = good;
        for (unsigned k = 0; k <= n % 4; k++)
            ((unsigned char *)&bad)[random_below(96)] ^= (unsigned char)(1 + random_below(255));
        const haul_status status = try_map(&m, ptx, &bad, NULL);
        if (status != HAUL_OK && status != HAUL_ERROR_FAULT) fail_msg("map %u: %s", n, haul_message());
        faults += status == HAUL_ERROR_FAULT;
    }
    assert_true(faults > 500);
    haul_device_close(m.device);
}

static void maps_that_the_engine_cannot_use_are_refused(void **state) {
    (void)state;
    const machine m = open_machine();
    box_copy fine = small_copy(HAUL_TENSOR_U32);
    haul_tensor_map map;
    fine.tensor.buffer = m.in;
    haul_tensor wrong[12];
    for (unsigned k = 0; k < 12; k++) wrong[k] = fine.tensor;
    wrong[0].rank = 0;
    wrong[1].rank = 6;
    wrong[2].offset = 8;
    wrong[3].pitch[0] = 40;
    wrong[4].box[0] = 6;
    wrong[5].box[1] = 257;
    wrong[6].box[1] = 0;
    wrong[7].step[1] = 9;
    wrong[8].fill_nan = true;
    wrong[9].swizzle = HAUL_TENSOR_SWIZZLE_32B, wrong[9].box[0] = 16;
    wrong[10].extent[1] = 0;
    wrong[11].extent[1] = 5000;
    assert_int_equal(haul_tensor_map_encode(&fine.tensor, &map), HAUL_OK);
    for (unsigned k = 0; k < 12; k++)
        if (haul_tensor_map_encode(&wrong[k], &map) != HAUL_ERROR_ARGUMENT) fail_msg("map %u was taken", k);
    haul_device_close(m.device);
}

/* ---- by pixels ---- */

/* A convolution of 3 x 3 with a border of one. The box's corners are one before the first pixel and one before the
 * last; each copy brings the factors of one filter element. Images have 5 x 4 pixels of 8 channels. */
enum { CHANNELS = 8, WIDTH = 5, HEIGHT = 4, IMAGES = 2, PIXELS = 24 };

static haul_tensor images(haul_buffer *buffer) {
    return (haul_tensor){.buffer = buffer,
                         .type = HAUL_TENSOR_U32,
                         .rank = 4,
                         .extent = {CHANNELS, WIDTH, HEIGHT, IMAGES},
                         .pitch = {CHANNELS * 4, WIDTH * CHANNELS * 4, HEIGHT * WIDTH * CHANNELS * 4},
                         .box = {CHANNELS},
                         .by_pixels = true,
                         .pixels = PIXELS,
                         .lower = {-1, -1},
                         .upper = {-1, -1}};
}

static uint32_t pixel_word(int w, int h, int image, unsigned channel) {
    uint32_t word;
    if (w < 0 || w >= WIDTH || h < 0 || h >= HEIGHT || image >= IMAGES) return 0;
    memcpy(&word, input + (((unsigned)(image * HEIGHT + h) * WIDTH + (unsigned)w) * CHANNELS + channel) * 4, 4);
    return word;
}

/* Outputs of the convolution from number `first` on, for the filter element (s, r). */
static void expect_pixels(unsigned first, unsigned s, unsigned r) {
    for (unsigned p = 0; p < PIXELS; p++) {
        const unsigned q = first + p, w = q % WIDTH, h = q / WIDTH % HEIGHT, image = q / WIDTH / HEIGHT;
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            uint32_t got;
            memcpy(&got, output + (p * CHANNELS + channel) * 4, 4);
            const uint32_t want = pixel_word((int)(w + s) - 1, (int)(h + r) - 1, (int)image, channel);
            if (got != want)
                fail_msg("filter (%u, %u), pixel %u, channel %u is %x, not %x", s, r, p, channel, got, want);
        }
    }
}

static void pixels_come_as_a_convolution_wants_them(void **state) {
    (void)state;
    const machine m = open_machine();
    const haul_tensor tensor = images(m.in);
    haul_tensor_map map;
    fill_input();
    if (haul_tensor_map_encode(&tensor, &map) != HAUL_OK) fail_msg("%s", haul_message());
    for (unsigned n = 0; n < 9; n++) {
        char ptx[4096];
        const unsigned s = n % 3, r = n / 3, first = 2 * n;
        snprintf(ptx, sizeof ptx,
                 "%s.reg .b16 %%h<2>;\nmov.u16 %%h0, %u;\n"
                 "@%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r4], %u;\n"
                 "@%%p0 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%%r3], "
                 "[%%rd4, {0, %d, %d, %d}], [%%r4], {%%h0, %u};\n%s",
                 TENSOR_BEGIN, s, PIXELS * CHANNELS * 4, (int)(first % WIDTH) - 1, (int)(first / WIDTH % HEIGHT) - 1,
                 (int)(first / WIDTH / HEIGHT), r, WAIT DUMP END);
        if (try_map(&m, ptx, &map, NULL) != HAUL_OK) fail_msg("%s", haul_message());
        expect_pixels(first, s, r);
    }
    haul_device_close(m.device);
}

static void a_map_is_walked_as_it_was_made_for(void **state) {
    (void)state;
    if (!is_virtual()) skip();
    char ptx[4096];
    const machine m = open_machine();
    haul_tensor tensor = images(m.in);
    haul_tensor_map map;
    assert_int_equal(haul_tensor_map_encode(&tensor, &map), HAUL_OK);
    snprintf(ptx, sizeof ptx, "%s",
             TENSOR_BEGIN
             "@%p0 cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], "
             "[%rd4, {0, 0, 0, 0}], [%r4];\n" END);
    assert_int_equal(try_map(&m, ptx, &map, NULL), HAUL_ERROR_FAULT);
    if (!strstr(haul_message(), "tensor map for im2col used in a copy by tiles")) fail_msg("%s", haul_message());
    tensor.upper[0] = -9;
    assert_int_equal(haul_tensor_map_encode(&tensor, &map), HAUL_ERROR_ARGUMENT);
    tensor.upper[0] = 200;
    assert_int_equal(haul_tensor_map_encode(&tensor, &map), HAUL_ERROR_ARGUMENT);
    haul_device_close(m.device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_comes_to_shared_memory_as_its_map_says),
        cmocka_unit_test(a_box_goes_to_the_array_as_its_map_says),
        cmocka_unit_test(what_lies_outside_can_be_read_as_nan),
        cmocka_unit_test(tf32_is_rounded_on_the_way),
        cmocka_unit_test(stores_begin_inside_the_array),
        cmocka_unit_test(a_box_can_be_added_to_an_array),
        cmocka_unit_test(reductions_follow_the_element_type),
        cmocka_unit_test(a_reduction_that_the_type_does_not_have_is_a_fault),
        cmocka_unit_test(a_box_is_not_there_before_the_wait),
        cmocka_unit_test(a_map_may_lie_in_global_memory),
        cmocka_unit_test(a_kernel_changes_a_map),
        cmocka_unit_test(a_kernel_makes_a_map_from_zeros),
        cmocka_unit_test(a_map_made_from_zeros_needs_every_field),
        cmocka_unit_test(a_changed_map_has_to_be_acquired_before_it_is_used),
        cmocka_unit_test(changes_that_make_no_map_are_faults),
        cmocka_unit_test(one_copy_feeds_several_blocks),
        cmocka_unit_test(rows_are_counted_as_the_sectors_they_touch),
        cmocka_unit_test(elements_outside_the_array_count_too),
        cmocka_unit_test(boxes_must_lie_where_the_engine_can_put_them),
        cmocka_unit_test(a_map_must_have_as_many_dimensions_as_the_copy),
        cmocka_unit_test(a_map_is_read_from_memory_only),
        cmocka_unit_test(corrupt_maps_do_no_harm),
        cmocka_unit_test(maps_that_the_engine_cannot_use_are_refused),
        cmocka_unit_test(pixels_come_as_a_convolution_wants_them),
        cmocka_unit_test(a_map_is_walked_as_it_was_made_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
