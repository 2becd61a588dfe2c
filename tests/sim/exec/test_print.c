/* printf() and assert() of device code: vprintf and __assertfail. */
#include "kernel.h"

#include "base/text.h"
#include "vgpu/driver.h"

#define VPRINTF ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 list);\n"
#define ASSERTFAIL                                                                                               \
    ".extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, " \
    ".param .b64 char_size);\n"
/* Calls with the addresses in two registers; the result goes to %r20. */
#define CALL_VPRINTF(format, list)                                \
    "{ .param .b64 f; .param .b64 l; .param .b32 r;\n"            \
    "st.param.b64 [f], " format "; st.param.b64 [l], " list ";\n" \
    "call.uni (r), vprintf, (f, l);\nld.param.b32 %r20, [r]; }\n"
#define NAME(variable, reg) "mov.u64 " reg ", " variable "; cvta.global.u64 " reg ", " reg ";\n"

/* ---- running, and capturing the printed text ---- */

static void catch_text(void *context, const char *bytes, size_t length) {
    text_append(context, bytes, length);
}

static haul_status launch(haul_device *device, const char *ptx, uint32_t blocks, uint32_t threads, const void *in,
                          size_t in_bytes, uint32_t *out, size_t out_bytes) {
    haul_module *module;
    haul_status status = haul_module_load(device, "test.ptx", ptx, strlen(ptx), &module);
    const kernel_run run = {
        .blocks = blocks, .threads = threads, .in = in, .in_bytes = in_bytes, .out = out, .out_bytes = out_bytes};
    return status == HAUL_OK ? launch_on(device, module, &run) : status;
}

/* `in` is what %rd1 points to. */
static haul_status try_print(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t host_threads, const void *in,
                             size_t in_bytes, uint32_t *out, text *printed) {
    const haul_device_options options = {.threads = host_threads};
    static uint32_t unused[4096];
    haul_device *device;
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    sim_driver_set_print((sim_print_sink){catch_text, printed});
    haul_status status = launch(device, ptx, blocks, threads, in, in_bytes, out ? out : unused,
                                out ? sizeof *out * blocks * threads : sizeof unused);
    haul_device_close(device);
    return status;
}

typedef struct arguments {
    char format[128];
    unsigned char list[896];
} arguments;

/* One thread prints `format` with the arguments that the macros below have appended to the list. */
static const char print_one[] =
    KERNEL_WITH(VPRINTF, "add.u64 %rd3, %rd1, 128;\n" CALL_VPRINTF("%rd1", "%rd3") OUT("%r20"));

typedef struct list {
    arguments a;
    size_t at;
} list;

static void put(list *l, const void *value, size_t bytes) {
    l->at = (l->at + bytes - 1) / bytes * bytes;
    memcpy(l->a.list + l->at, value, bytes);
    l->at += bytes;
}

static void put_int(list *l, int value) {
    put(l, &value, 4);
}

static void put_long(list *l, long long value) {
    put(l, &value, 8);
}

static void put_double(list *l, double value) {
    put(l, &value, 8);
}

static void expect_text(const list *l, const char *format, const char *want, int want_result) {
    arguments a = l->a;
    text printed = {0};
    uint32_t result = 12345;
    snprintf(a.format, sizeof a.format, "%s", format);
    if (try_print(print_one, 1, 1, 1, &a, sizeof a, &result, &printed) != HAUL_OK) fail_msg("%s", haul_message());
    assert_string_equal(text_string(&printed), want);
    assert_int_equal((int)result, want_result);
    text_free(&printed);
}

static void expect_refusal(const list *l, const char *format, const char *want) {
    arguments a = l->a;
    text printed = {0};
    snprintf(a.format, sizeof a.format, "%s", format);
    assert_int_equal(try_print(print_one, 1, 1, 1, &a, sizeof a, NULL, &printed), HAUL_ERROR_FAULT);
    if (!strstr(haul_message(), want)) fail_msg("'%s' has no '%s'", haul_message(), want);
    assert_string_equal(text_string(&printed), "");
    text_free(&printed);
}

/* ---- conversions ---- */

static void integers_are_formatted_by_their_size(void **state) {
    (void)state;
    list l = {0};
    put_int(&l, -5);
    put_int(&l, 0x12345);
    put_int(&l, 0x12345);
    put_long(&l, -(1ll << 40));
    put_long(&l, 1ll << 40);
    put_int(&l, -1);
    put_long(&l, 0x0bcdef0123456789);
    put_int(&l, 8);
    expect_text(&l, "%d %hd %hhx %lld %ld %u %llX %o|",
                "-5 9029 45 -1099511627776 1099511627776 4294967295 "
                "BCDEF0123456789 10|",
                8);
}

static void flags_width_and_precision_are_as_in_c(void **state) {
    (void)state;
    list l = {0};
    for (int i = 0; i < 9; i++) put_int(&l, 42);
    expect_text(&l, "%6d|%-6d|%06d|%+d|% d|%#x|%#o|%.4d|%8.4d|", "    42|42    |000042|+42| 42|0x2a|052|0042|    0042|",
                9);
    list stars = {0};
    put_int(&stars, 7), put_int(&stars, 42);
    put_int(&stars, -7), put_int(&stars, 42);
    put_int(&stars, 9), put_int(&stars, 3), put_double(&stars, 3.14159265);
    put_int(&stars, -1), put_double(&stars, 0.5);
    expect_text(&stars, "%*d|%*d|%*.*f|%.*f|", "     42|42     |%*.*f|%.*f|", 9);
}

static void floating_point_is_formatted(void **state) {
    (void)state;
    list l = {0};
    for (int i = 0; i < 8; i++) put_double(&l, 1234.5);
    put_double(&l, 1.0 / 0.0);
    expect_text(&l, "%f %.1f %e %E %g %G %a %12.3e %F\n",
                "1234.500000 1234.5 1.234500e+03 1.234500E+03 1234.5 1234.5 0x1.34ap+10    1.234e+03 INF\n", 9);
}

static void characters_pointers_and_percent_signs(void **state) {
    (void)state;
    list l = {0};
    put_int(&l, 'x'), put_long(&l, 0x7f00beef), put_int(&l, 'y');
    expect_text(&l, "%c %p %3c 100%%", "x 0x7f00beef   y 100%", 3);
}

static void nothing_to_convert_gives_zero(void **state) {
    (void)state;
    const list l = {0};
    expect_text(&l, "plain\n", "plain\n", 0);
    expect_text(&l, "", "", 0);
}

static void arguments_are_aligned_to_their_size(void **state) {
    (void)state;
    list l = {0};
    put_int(&l, 1), put_double(&l, 2), put_int(&l, 3), put_int(&l, 4), put_long(&l, 5), put_int(&l, 6);
    assert_int_equal(l.at, 36);
    expect_text(&l, "%d %g %d %d %lld %d", "1 2 3 4 5 6", 6);
}

/* As in CUDA: conversions beyond 32 arguments are printed unchanged. */
static void at_most_32_arguments_are_used(void **state) {
    (void)state;
    list l = {0};
    char format[128] = "", want[128] = "";
    for (int i = 0; i < 34; i++) {
        put_int(&l, i % 10);
        strcat(format, "%d");
        strcat(want, i < 32 ? (char[]){(char)('0' + i % 10), 0} : "%d");
    }
    expect_text(&l, format, want, 32);
}

static void a_null_format_prints_nothing(void **state) {
    (void)state;
    text printed = {0};
    uint32_t result = 0;
    const char *ptx = KERNEL_WITH(VPRINTF, "mov.u64 %rd3, 0;\n" CALL_VPRINTF("%rd3", "%rd3") OUT("%r20"));
    assert_int_equal(try_print(ptx, 1, 1, 1, NULL, 0, &result, &printed), HAUL_OK);
    assert_int_equal((int)result, -1);
    assert_int_equal(printed.length, 0);
    text_free(&printed);
}

/* ---- strings, in any memory ---- */

static void strings_come_from_any_memory(void **state) {
    (void)state;
    text printed = {0};
    const char *ptx = KERNEL_WITH(
        VPRINTF
        ".const .align 1 .b8 c[6] = {99, 111, 110, 115, 116, 0};\n" /* const */
        ".global .align 1 .b8 f[17] = {37, 115, 32, 37, 115, 32, 37, 46, 50, 115, 32, 37, 53, 115, 124, 10, 0};\n"
        ".shared .align 1 .b8 s[4];\n",
        ".local .align 8 .b8 list[32]; .local .align 1 .b8 text[4];\n"
        "mov.u16 %h0, 108; st.local.u8 [text], %h0; mov.u16 %h0, 0; st.local.u8 [text+1], %h0;\n"      /* l */
        "mov.u16 %h0, 115; st.shared.u8 [s], %h0; st.shared.u8 [s+1], %h0; st.shared.u8 [s+2], %h0;\n" /* sss */
        "mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3; st.local.u64 [list], %rd3;\n"
        "mov.u64 %rd3, text; cvta.local.u64 %rd3, %rd3; st.local.u64 [list+8], %rd3;\n"
        "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.local.u64 [list+16], %rd3;\n"
        "mov.u64 %rd3, 0; st.local.u64 [list+24], %rd3;\n"
        "mov.u64 %rd3, list; cvta.local.u64 %rd3, %rd3;\n" NAME("f", "%rd4") CALL_VPRINTF("%rd4", "%rd3"));
    if (try_print(ptx, 1, 1, 1, NULL, 0, NULL, &printed) != HAUL_OK) fail_msg("%s", haul_message());
    assert_string_equal(text_string(&printed), "const l ss (null)|\n");
    text_free(&printed);
}

static void a_precision_makes_a_string_without_an_end_legal(void **state) {
    (void)state;
    arguments *a = calloc(1, 1 << 12);
    text printed = {0};
    uint32_t result = 0;
    /* The buffer's last four bytes; the allocation ends after them. */
    const char *ptx = KERNEL_WITH(VPRINTF, "add.u64 %rd4, %rd1, 4092; st.global.u64 [%rd1+128], %rd4;\n"
                                           "add.u64 %rd3, %rd1, 128;\n" CALL_VPRINTF("%rd1", "%rd3") OUT("%r20"));
    assert_non_null(a);
    memcpy((char *)a + 4092, "abcd", 4);
    strcpy(a->format, "%.4s|\n");
    assert_int_equal(try_print(ptx, 1, 1, 1, a, 1 << 12, &result, &printed), HAUL_OK);
    assert_string_equal(text_string(&printed), "abcd|\n");
    strcpy(a->format, "%.5s|\n");
    assert_int_equal(try_print(ptx, 1, 1, 1, a, 1 << 12, &result, &printed), HAUL_ERROR_FAULT);
    if (!strstr(haul_message(), "has no terminating zero")) fail_msg("%s", haul_message());
    text_free(&printed);
    free(a);
}

/* ---- invalid formats ---- */

static void hostile_formats_are_refused(void **state) {
    (void)state;
    list l = {0};
    put_long(&l, 0x4242), put_long(&l, 0);
    expect_refusal(&l, "text %n", "'%n' is not a conversion of printf() in device code");
    expect_refusal(&l, "%ls", "'%ls' is not a conversion");
    expect_refusal(&l, "ends in %", "'%' is not a conversion");
    expect_refusal(&l, "%-+ #0123.456y", "'%-+ #0123.456y' is not a conversion");
    expect_refusal(&l, "%s", "a string at 0x4242 is outside of all memory");
    expect_refusal(&l, "%99999999999999999999d", "more than 65536 characters");
    expect_refusal(&l, "%.70000f", "more than 65536 characters");
}

static void the_message_names_kernel_block_and_thread(void **state) {
    (void)state;
    const list l = {0};
    expect_refusal(&l, "%n", "test.ptx:");
    expect_refusal(&l, "%n", "(kernel k, block 0,0,0, thread 0,0,0)");
}

static void formats_and_lists_outside_memory_are_refused(void **state) {
    (void)state;
    text printed = {0};
    const char *far = KERNEL_WITH(VPRINTF, "mov.u64 %rd3, 64;\n" CALL_VPRINTF("%rd3", "%rd3"));
    assert_int_equal(try_print(far, 1, 1, 1, NULL, 0, NULL, &printed), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "the format at 0x40 is outside of all memory"));
    const char *no_list = KERNEL_WITH(VPRINTF, "mov.u64 %rd3, -1;\n" CALL_VPRINTF("%rd1", "%rd3"));
    assert_int_equal(try_print(no_list, 1, 1, 1, "%d", 3, NULL, &printed), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "argument 1 is outside of all memory: 4 bytes"));
    char endless[512];
    memset(endless, 'a', sizeof endless);
    assert_int_equal(try_print(print_one, 1, 1, 1, endless, sizeof endless, NULL, &printed), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "has no terminating zero"));
    assert_int_equal(printed.length, 0);
}

static void a_kernel_cannot_fill_the_hosts_memory(void **state) {
    (void)state;
    text printed = {0};
    list l = {0};
    strcpy(l.a.format, "%65536d");
    const char *ptx =
        KERNEL_WITH(VPRINTF, "add.u64 %rd3, %rd1, 128;\nagain:\n" CALL_VPRINTF("%rd1", "%rd3") "bra again;\n");
    assert_int_equal(try_print(ptx, 1, 32, 1, &l.a, sizeof l.a, NULL, &printed), HAUL_ERROR_LIMIT);
    assert_non_null(strstr(haul_message(), "the blocks of one SM print more than 16 MiB"));
    assert_int_equal(printed.length, 16 << 20);
    text_free(&printed);
}

static void other_functions_without_a_body_are_named(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".extern .func other();\n", "call other;\n")},
                   HAUL_ERROR_UNSUPPORTED, "'other' has no body");
    expect_failure(
        &(kernel_run){.ptx = KERNEL_WITH(".extern .func vprintf(.param .b64 f);\n", "call vprintf, (%rd1);\n")},
        HAUL_ERROR_UNSUPPORTED, "'vprintf' is declared with the wrong parameters");
}

/* ---- order ---- */

/* Each warp prints its block and thread from the lanes whose index is a multiple of 16, twice. */
static const char print_many[] =
    KERNEL_WITH(VPRINTF ".global .align 1 .b8 f[10] = {37, 117, 46, 37, 117, 46, 37, 117, 10, 0};\n", /* %u.%u.%u\n */
                ".local .align 8 .b8 list[16];\n"
                "and.b32 %r3, %r0, 15; setp.ne.u32 %p0, %r3, 0; @%p0 bra done;\n"
                "mov.u32 %r4, %ctaid.x; st.local.u32 [list], %r4; st.local.u32 [list+4], %r0;\n"
                "mov.u64 %rd3, list; cvta.local.u64 %rd3, %rd3;\n" NAME(
                    "f", "%rd4") "mov.u32 %r5, 0;\n"
                                 "again: st.local.u32 [list+8], %r5;\n" CALL_VPRINTF(
                                     "%rd4", "%rd3") "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 2;\n"
                                                     "@%p1 bra again;\ndone:\n");

static void blocks_print_in_grid_order_whatever_the_host_threads(void **state) {
    (void)state;
    text one = {0}, four = {0};
    assert_int_equal(try_print(print_many, 400, 64, 1, NULL, 0, NULL, &one), HAUL_OK);
    assert_int_equal(try_print(print_many, 400, 64, 4, NULL, 0, NULL, &four), HAUL_OK);
    assert_string_equal(text_string(&one), text_string(&four));
    assert_memory_equal(text_string(&one), "0.0.0\n0.16.0\n0.0.1\n0.16.1\n0.32.0\n0.48.0\n0.32.1\n0.48.1\n1.0.0\n", 60);
    unsigned lines = 0, last = 0;
    for (const char *p = text_string(&one); *p; p = strchr(p, '\n') + 1, lines++) {
        const unsigned block = (unsigned)strtoul(p, NULL, 10);
        assert_true(block >= last);
        last = block;
    }
    assert_int_equal(lines, 400 * 8);
    text_free(&one);
    text_free(&four);
}

static void what_a_failing_kernel_has_printed_is_seen(void **state) {
    (void)state;
    text printed = {0};
    list l = {0};
    strcpy(l.a.format, "before\n");
    const char *ptx = KERNEL_WITH(VPRINTF, CALL_VPRINTF("%rd1", "%rd1") "trap;\n");
    assert_int_equal(try_print(ptx, 1, 1, 1, &l.a, sizeof l.a, NULL, &printed), HAUL_ERROR_TRAP);
    assert_string_equal(text_string(&printed), "before\n");
    text_free(&printed);
}

static void a_guard_says_which_lanes_print(void **state) {
    (void)state;
    text printed = {0};
    list l = {0};
    strcpy(l.a.format, "x");
    const char *ptx = KERNEL_WITH(VPRINTF, "{ .param .b64 f; .param .b64 l; .param .b32 r;\n"
                                           "st.param.b64 [f], %rd1; st.param.b64 [l], %rd1; setp.lt.u32 %p0, %r0, 5;\n"
                                           "@%p0 call (r), vprintf, (f, l); }\n");
    assert_int_equal(try_print(ptx, 1, 32, 1, &l.a, sizeof l.a, NULL, &printed), HAUL_OK);
    assert_string_equal(text_string(&printed), "xxxxx");
    text_free(&printed);
}

static void values_may_be_passed_in_registers(void **state) {
    (void)state;
    text printed = {0};
    list l = {0};
    uint32_t out[2] = {0};
    strcpy(l.a.format, "%d;");
    put_int(&l, 7);
    const char *ptx = KERNEL_WITH(VPRINTF, "add.u64 %rd3, %rd1, 128;\ncall (%r5), vprintf, (%rd1, %rd3);\n" OUT("%r5"));
    assert_int_equal(try_print(ptx, 1, 2, 1, &l.a, sizeof l.a, out, &printed), HAUL_OK);
    assert_string_equal(text_string(&printed), "7;7;");
    assert_int_equal(out[1], 1);
    text_free(&printed);
}

/* ---- assertions ---- */

#define STRINGS                                                   \
    ".global .align 1 .b8 text[6] = {105, 32, 60, 32, 110, 0};\n" \
    ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"      \
    ".global .align 1 .b8 func[2] = {102, 0};\n"

static void an_assertion_names_place_and_thread(void **state) {
    (void)state;
    const char *ptx = KERNEL_WITH(
        ASSERTFAIL STRINGS, "setp.lt.u32 %p0, %r1, 97; @%p0 bra good;\n" NAME("text", "%rd3") NAME("file", "%rd4")
                                NAME("func", "%rd5") "call.uni __assertfail, (%rd3, %rd4, 12, %rd5, 1);\ngood:\n");
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 2, .threads = 64}, HAUL_ERROR_TRAP,
                   "a.cu:12: f: assertion failed: i < n (kernel k, block 1,0,0, thread 33,0,0)");
}

static void an_assertion_may_point_to_local_memory_or_nowhere(void **state) {
    (void)state;
    const char *ptx =
        KERNEL_WITH(ASSERTFAIL STRINGS,
                    ".local .align 1 .b8 built[3];\n"
                    "mov.u16 %h0, 104; st.local.u8 [built], %h0; mov.u16 %h0, 105; st.local.u8 [built+1], %h0;\n"
                    "mov.u64 %rd3, built; cvta.local.u64 %rd3, %rd3;\n" NAME(
                        "file", "%rd4") "mov.u64 %rd5, 16;\ncall.uni __assertfail, (%rd3, %rd4, 12, %rd5, 1);\n");
    expect_failure(&(kernel_run){.ptx = ptx}, HAUL_ERROR_TRAP,
                   "a.cu:12: (nothing at 0x10): assertion failed: hi (kernel");
}

static void a_trap_names_place_and_thread(void **state) {
    (void)state;
    const char *ptx = HEAD ".file 1 \"dir/a.cu\"\n" BEGIN "setp.eq.u32 %p0, %r1, 97;\n.loc 1 7 3\n@%p0 trap;\n" END;
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 2, .threads = 64}, HAUL_ERROR_TRAP,
                   "dir/a.cu:7: the kernel executed a trap (kernel k, block 1,0,0, thread 33,0,0)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_formatted_by_their_size),
        cmocka_unit_test(flags_width_and_precision_are_as_in_c),
        cmocka_unit_test(floating_point_is_formatted),
        cmocka_unit_test(characters_pointers_and_percent_signs),
        cmocka_unit_test(nothing_to_convert_gives_zero),
        cmocka_unit_test(arguments_are_aligned_to_their_size),
        cmocka_unit_test(at_most_32_arguments_are_used),
        cmocka_unit_test(a_null_format_prints_nothing),
        cmocka_unit_test(strings_come_from_any_memory),
        cmocka_unit_test(a_precision_makes_a_string_without_an_end_legal),
        cmocka_unit_test(hostile_formats_are_refused),
        cmocka_unit_test(the_message_names_kernel_block_and_thread),
        cmocka_unit_test(formats_and_lists_outside_memory_are_refused),
        cmocka_unit_test(a_kernel_cannot_fill_the_hosts_memory),
        cmocka_unit_test(other_functions_without_a_body_are_named),
        cmocka_unit_test(blocks_print_in_grid_order_whatever_the_host_threads),
        cmocka_unit_test(what_a_failing_kernel_has_printed_is_seen),
        cmocka_unit_test(a_guard_says_which_lanes_print),
        cmocka_unit_test(values_may_be_passed_in_registers),
        cmocka_unit_test(an_assertion_names_place_and_thread),
        cmocka_unit_test(an_assertion_may_point_to_local_memory_or_nowhere),
        cmocka_unit_test(a_trap_names_place_and_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
