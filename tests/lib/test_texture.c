/* Arrays, textures and surfaces of the C library; textures in described launches; what checks find about them. */
#include "lib/launch/launches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
/* %t: the texture or surface, %o: the thread's word of the buffer, %r0: the thread, %r1: four times that, %f0: its
 * number and a half */
#define KERNEL(body)                                                                                      \
    HEAD ".visible .entry k(.param .u64 p_t, .param .u64 p_o) {\n"                                        \
         ".reg .b32 %r<16>;\n.reg .f32 %f<8>;\n.reg .b64 %t, %o;\n.reg .pred %p<4>;\n"                    \
         "ld.param.u64 %t, [p_t];\nld.param.u64 %o, [p_o];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n" \
         "mad.wide.u32 %o, %r0, 4, %o;\ncvt.rn.f32.u32 %f0, %r0;\nadd.f32 %f0, %f0, 0f3F000000;\n" body "ret;\n}\n"
#define KEEP "st.global.f32 [%o], %f1;\n"

static haul_device *device;

static int start(void **state) {
    (void)state;
    return haul_device_open("sim:h100", &(haul_device_options){.check = true}, &device) == HAUL_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    haul_device_close(device);
    return 0;
}

static void assert_says(const char *words) {
    if (!strstr(haul_message(), words)) fail_msg("'%s' does not say '%s'", haul_message(), words);
}

/* Runs KERNEL(body) with 32 threads; out: 32 words. `run` gets the launch's record. */
static haul_status run(const char *ptx, const haul_texture *t, float out[32], haul_run **record) {
    haul_module *module;
    haul_buffer *buffer;
    assert_int_equal(haul_module_load(device, "k.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 128, &buffer), HAUL_OK);
    assert_int_equal(haul_run_create(device, record), HAUL_OK);
    const haul_argument arguments[] = {haul_texture_argument(t), {.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
    const haul_status status = haul_launch_run(module, &launch, *record);
    if (status == HAUL_OK) assert_int_equal(haul_buffer_read(buffer, 0, out, 128), HAUL_OK);
    haul_buffer_free(buffer);
    haul_module_unload(module);
    return status;
}

static const haul_array_shape row = {.width = 32, .format = HAUL_FORMAT_F32, .channels = 1, .surface = true};

static void a_texture_is_fetched_from_an_array(void **state) {
    (void)state;
    float in[32], back[32], out[32];
    haul_array *a;
    haul_texture *t;
    haul_run *record;
    for (int i = 0; i < 32; i++) in[i] = (float)(100 + i);
    assert_int_equal(haul_array_create(device, &row, &a), HAUL_OK);
    assert_int_equal(haul_array_bytes(a, 0), 128);
    assert_int_equal(haul_array_write(a, 0, in), HAUL_OK);
    assert_int_equal(haul_array_read(a, 0, back), HAUL_OK);
    assert_memory_equal(back, in, sizeof in);
    const haul_sampler s = {.linear = true, .address = {HAUL_ADDRESS_CLAMP}};
    assert_int_equal(haul_texture_create(device, &(haul_texture_source){.array = a}, &s, &t), HAUL_OK);
    assert_int_equal(
        run(KERNEL("add.f32 %f0, %f0, 0f3F000000;\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f0}];\n" KEEP), t,
            out, &record),
        HAUL_OK);
    for (int i = 0; i < 31; i++) assert_float_equal(out[i], in[i] + 0.5f, 0);
    assert_float_equal(out[31], 131, 0);
    assert_float_equal(record->launches[0].counters[HAUL_COUNTER_L1_TEXTURE_REQUESTS], 8, 0);
    assert_int_equal(record->launches[0].finding_count, 0);
    assert_int_equal(haul_texture_argument(t).kind, HAUL_ARGUMENT_I64);
    assert_int_equal(haul_texture_argument(t).integer, haul_texture_handle(t));
    haul_run_free(record);
    haul_texture_free(t);
    haul_array_free(a);
}

static void arrays_are_copied_in_streams(void **state) {
    (void)state;
    haul_host *host;
    haul_stream *stream;
    haul_array *a;
    float back[32] = {0};
    assert_int_equal(haul_host_create(device, sizeof back, HAUL_HOST_PINNED, &host), HAUL_OK);
    float *in = haul_host_memory(host);
    for (int i = 0; i < 32; i++) in[i] = (float)i;
    assert_int_equal(haul_stream_create(device, 0, &stream), HAUL_OK);
    assert_int_equal(haul_array_create(device, &row, &a), HAUL_OK);
    assert_int_equal(haul_array_write_in(stream, a, 0, in), HAUL_OK);
    assert_int_equal(haul_array_read_in(stream, a, 0, back), HAUL_OK);
    assert_int_equal(haul_stream_wait(stream), HAUL_OK);
    assert_memory_equal(back, in, sizeof back);
    assert_int_equal(haul_array_read_in(stream, a, 1, back), HAUL_ERROR_ARGUMENT);
    haul_array_free(a);
    haul_stream_free(stream);
    haul_host_free(host);
}

static void levels_of_a_mipmap_are_written_one_by_one(void **state) {
    (void)state;
    unsigned char level[64], back[64];
    haul_array *a;
    const haul_array_shape shape = {.width = 16, .height = 8, .format = HAUL_FORMAT_U8, .channels = 2, .levels = 3};
    assert_int_equal(haul_array_create(device, &shape, &a), HAUL_OK);
    assert_int_equal(haul_array_bytes(a, 1), 64);
    assert_int_equal(haul_array_bytes(a, 2), 16);
    assert_int_equal(haul_array_bytes(a, 3), 0);
    for (unsigned i = 0; i < 64; i++) level[i] = (unsigned char)i;
    assert_int_equal(haul_array_write(a, 1, level), HAUL_OK);
    assert_int_equal(haul_array_read(a, 1, back), HAUL_OK);
    assert_memory_equal(back, level, 64);
    assert_int_equal(haul_array_write(a, 3, level), HAUL_ERROR_ARGUMENT);
    assert_says("has no level 3");
    haul_array_free(a);
}

static void what_does_not_go_together_is_refused(void **state) {
    (void)state;
    haul_texture *t;
    haul_buffer *b;
    haul_array *a;
    const haul_sampler s = {.linear = false};
    assert_int_equal(haul_texture_create(device, &(haul_texture_source){.width = 4}, &s, &t), HAUL_ERROR_ARGUMENT);
    assert_says("it needs an array or a buffer");
    assert_int_equal(haul_buffer_create(device, 1024, &b), HAUL_OK);
    haul_texture_source source = {.buffer = b, .format = HAUL_FORMAT_F32, .channels = 1, .width = 300};
    assert_int_equal(haul_texture_create(device, &source, &s, &t), HAUL_ERROR_ARGUMENT);
    assert_says("reach beyond its end");
    source.width = 10, source.height = 4, source.pitch = 48;
    assert_int_equal(haul_texture_create(device, &source, &s, &t), HAUL_ERROR_ARGUMENT);
    assert_says("must be a multiple of 32");
    const haul_array_shape plain = {.width = 8, .format = HAUL_FORMAT_U8, .channels = 1};
    assert_int_equal(haul_array_create(device, &plain, &a), HAUL_OK);
    assert_int_equal(haul_surface_create(a, &t), HAUL_ERROR_ARGUMENT);
    assert_says("made without `surface`");
    assert_null(t);
    haul_array_free(a);
    haul_buffer_free(b);
}

/* ---- findings: a defect and its fixed twin ---- */

static void expect(const char *ptx, const haul_texture *t, haul_finding_kind kind) {
    haul_run *record;
    float out[32];
    (void)run(ptx, t, out, &record);
    const haul_launch_record *l = &record->launches[0];
    if (kind == HAUL_FINDING_COUNT) {
        if (l->finding_count) fail_msg("%s on a correct kernel", haul_finding_kinds[l->findings[0].kind].key);
    } else {
        assert_true(l->finding_count > 0);
        assert_string_equal(haul_finding_kinds[l->findings[0].kind].key, haul_finding_kinds[kind].key);
    }
    haul_run_free(record);
}

#define WRITE "sust.b.1d.b32.trap [%t, {%r1}], %r0;\n"
#define READ(at) "suld.b.1d.b32.trap %r3, [%t, {" at "}];\nmov.b32 %f1, %r3;\n" KEEP

static haul_texture *make_surface(uint32_t width, haul_array **a, bool write) {
    static const float zeros[64];
    haul_texture *s;
    haul_array_shape shape = row;
    shape.width = width;
    assert_int_equal(haul_array_create(device, &shape, a), HAUL_OK);
    if (write) assert_int_equal(haul_array_write(*a, 0, zeros), HAUL_OK);
    assert_int_equal(haul_surface_create(*a, &s), HAUL_OK);
    return s;
}

static void reads_of_what_the_launch_wrote_are_stale(void **state) {
    (void)state;
    haul_array *a;
    haul_texture *s = make_surface(64, &a, true);
    expect(KERNEL(WRITE "bar.sync 0;\n" READ("%r1")), s, HAUL_FINDING_TEXTURE_STALE);
    expect(KERNEL(WRITE "bar.sync 0;\nadd.u32 %r2, %r1, 128;\n" READ("%r2")), s, HAUL_FINDING_COUNT);
    haul_texture_free(s);
    haul_array_free(a);
}

static void texels_that_nobody_wrote_are_found(void **state) {
    (void)state;
    haul_array *a;
    haul_texture *s = make_surface(32, &a, false);
    expect(KERNEL(READ("%r1")), s, HAUL_FINDING_UNINITIALISED_READ);
    haul_texture_free(s);
    haul_array_free(a);
    s = make_surface(32, &a, true);
    expect(KERNEL(READ("%r1")), s, HAUL_FINDING_COUNT);
    haul_texture_free(s);
    haul_array_free(a);
}

static void stores_of_two_threads_to_one_texel_race(void **state) {
    (void)state;
    haul_array *a;
    haul_texture *s = make_surface(32, &a, true);
    expect(KERNEL("shr.u32 %r2, %r0, 1;\nshl.b32 %r2, %r2, 2;\nsust.b.1d.b32.trap [%t, {%r2}], %r0;\n"), s,
           HAUL_FINDING_RACE_GLOBAL);
    expect(KERNEL("shr.u32 %r2, %r0, 1;\nshl.b32 %r2, %r2, 2;\nsured.b.add.1d.u32.trap [%t, {%r2}], %r0;\n"), s,
           HAUL_FINDING_COUNT);
    haul_texture_free(s);
    haul_array_free(a);
}

static void surfaces_end_where_they_end(void **state) {
    (void)state;
    haul_array *a;
    haul_texture *s = make_surface(31, &a, true);
    expect(KERNEL(WRITE), s, HAUL_FINDING_OUT_OF_BOUNDS);
    expect(KERNEL("setp.lt.u32 %p0, %r0, 31;\n@%p0 sust.b.1d.b32.trap [%t, {%r1}], %r0;\n"), s, HAUL_FINDING_COUNT);
    haul_texture_free(s);
    haul_array_free(a);
}

static void fetches_outside_linear_memory_are_told(void **state) {
    (void)state;
    static const float zeros[32];
    haul_buffer *b;
    haul_texture *t;
    const haul_sampler s = {.linear = false};
    assert_int_equal(haul_buffer_create(device, 128, &b), HAUL_OK);
    assert_int_equal(haul_buffer_write(b, 0, zeros, 128), HAUL_OK);
    const haul_texture_source source = {.buffer = b, .format = HAUL_FORMAT_F32, .channels = 1, .width = 32};
    assert_int_equal(haul_texture_create(device, &source, &s, &t), HAUL_OK);
    expect(KERNEL("add.u32 %r2, %r0, 1;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r2}];\n" KEEP), t,
           HAUL_FINDING_TEXTURE_RANGE);
    expect(KERNEL("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r0}];\n" KEEP), t, HAUL_FINDING_COUNT);
    haul_texture_free(t);
    haul_buffer_free(b);
}

/* ---- described launches ---- */

static const char fetch_words[] = KERNEL("tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%t, {%f0, 0f3F000000}];\n"
                                         "st.global.u32 [%o], %r2;\n");

static void a_line_describes_a_texture(void **state) {
    (void)state;
    static const char line[] =
        "{\"kernel\":\"k\",\"grid\":[1],\"block\":[32],\"args\":[{\"tex\":\"iota\",\"shape\":[32,4],\"format\":\"u32\","
        "\"as\":\"border\",\"seed\":5},{\"buf\":\"zero\",\"words\":32}]}\n";
    launch_list list = {0};
    haul_module *module;
    haul_run *record;
    assert_int_equal(launch_read_text(&list, "l.jsonl", line, strlen(line)), HAUL_OK);
    assert_int_equal(haul_module_load(device, "k.ptx", fetch_words, strlen(fetch_words), &module), HAUL_OK);
    assert_int_equal(haul_run_create(device, &record), HAUL_OK);
    assert_int_equal(launch_run(device, module, &list.items[0], record), HAUL_OK);
    launch_list other = {0};
    launch_argument same;
    assert_int_equal(launch_parse_argument(&other, "tex:iota:32x4:u32:border:5", &same), HAUL_OK);
    launch_description again = list.items[0];
    launch_argument arguments[2] = {same, list.items[0].arguments[1]};
    again.arguments = arguments;
    assert_int_equal(launch_run(device, module, &again, record), HAUL_OK);
    assert_true(arguments[1].hash == list.items[0].arguments[1].hash);
    json_t *back = launch_texture_to_json(&same);
    assert_string_equal(json_string_value(json_object_get(back, "format")), "u32x1");
    assert_int_equal(json_array_size(json_object_get(back, "shape")), 2);
    json_decref(back);
    haul_run_free(record);
    haul_module_unload(module);
    launch_list_free(&list);
    launch_list_free(&other);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"tex:f01:64", "a texture is tex:FILL:SHAPE:FORMAT"},
        {"tex:f02:64:f32", "no such fill rule"},
        {"tex:f01:64x:f32", "the shape is WIDTH"},
        {"tex:f01:0:f32", "the shape is WIDTH"},
        {"tex:f01:64:f64", "the format is none of"},
        {"tex:f01:64:f32x3", "x1, x2 or x4"},
        {"tex:f01:64:f32:linear,soft", "the words are linear"},
        {"surf:f01:64:f32:memory", "neither is a surface"},
        {"tex:f01:64:f32::-1", "the seed is no 32-bit number"},
        {"tex:f01:4000000000x4000000000:f32", "larger than any memory"},
    };
    launch_list list = {0};
    launch_argument a;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(launch_parse_argument(&list, wrong[i].text, &a), HAUL_ERROR_ARGUMENT);
        assert_says(wrong[i].says);
    }
    launch_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_texture_is_fetched_from_an_array),
        cmocka_unit_test(arrays_are_copied_in_streams),
        cmocka_unit_test(levels_of_a_mipmap_are_written_one_by_one),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(reads_of_what_the_launch_wrote_are_stale),
        cmocka_unit_test(texels_that_nobody_wrote_are_found),
        cmocka_unit_test(stores_of_two_threads_to_one_texel_race),
        cmocka_unit_test(surfaces_end_where_they_end),
        cmocka_unit_test(fetches_outside_linear_memory_are_told),
        cmocka_unit_test(a_line_describes_a_texture),
        cmocka_unit_test(wrong_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, start, end);
}
