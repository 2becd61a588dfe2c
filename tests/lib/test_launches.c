/* Launch lines: what is read from them, and what is said about those that are wrong. */
#include "lib/launch/launches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static haul_status read(launch_list *list, const char *lines) {
    return launch_read_text(list, "x.jsonl", lines, strlen(lines));
}

static void a_whole_line_is_read(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"id\":7,\"kernel\":\"saxpy\",\"grid\":[256,2],\"block\":[32,8,1],\"smem\":1024,\"file\":"
                       "\"basics\",\"us\":1.5,"
                       "\"args\":[{\"i32\":-5},{\"i32\":4294967295},{\"i64\":-9000000000},{\"f32\":1.5},{\"f64\":2},"
                       "{\"buf\":\"perm\",\"words\":64,\"seed\":5,\"offset\":12,\"after\":\"1d94492b1bfe4bfa\"}],"
                       "\"counters\":{\"inst_global_ld\":3,\"dram__sectors_read\":[80,96],\"of_another_tool\":1}}\n";
    assert_int_equal(read(&list, line), HAUL_OK);
    assert_int_equal(list.count, 1);
    const launch_description *d = &list.items[0];
    assert_int_equal(d->id, 7);
    assert_string_equal(d->kernel, "saxpy");
    assert_string_equal(d->file, "basics");
    assert_string_equal(d->where, "x.jsonl:1");
    assert_int_equal(d->grid[0], 256);
    assert_int_equal(d->grid[1], 2);
    assert_int_equal(d->grid[2], 1);
    assert_int_equal(d->block[1], 8);
    assert_int_equal(d->shared_bytes, 1024);
    assert_int_equal(d->argument_count, 6);
    assert_int_equal(d->arguments[0].integer, -5);
    assert_int_equal(d->arguments[1].integer, UINT32_MAX);
    assert_true(d->arguments[4].kind == HAUL_ARGUMENT_F64 && d->arguments[4].real == 2);
    const launch_argument *buffer = &d->arguments[5];
    assert_int_equal(buffer->fill, LAUNCH_FILL_PERM);
    assert_int_equal(buffer->words, 64);
    assert_int_equal(buffer->seed, 5);
    assert_int_equal(buffer->offset, 12);
    assert_true(buffer->recorded);
    assert_true(buffer->after == 0x1d94492b1bfe4bfa);
    assert_int_equal(d->counter_count, 2); /* the one that haul does not know is left out */
    assert_int_equal(d->counters[1].counter, HAUL_COUNTER_DRAM_READ_SECTORS);
    assert_true(d->counters[1].low == 80 && d->counters[1].high == 96);
    launch_list_free(&list);
}

static void files_shared_buffers_and_bytes_are_read(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"ptx\":\"k.ptx\",\"args\":[{\"buf\":\"file\","
                       "\"path\":\"in.bin\"},{\"buf\":\"same\",\"of\":0,\"at\":4096},{\"bytes\":\"00ff7A\"}]}";
    assert_int_equal(launch_read_text(&list, "there/x.jsonl", line, strlen(line)), HAUL_OK);
    const launch_description *d = &list.items[0];
    assert_string_equal(d->ptx, "there/k.ptx"); /* from the launch file's folder */
    assert_string_equal(d->arguments[0].input, "there/in.bin");
    assert_true(d->arguments[1].shares && d->arguments[1].of == 0 && d->arguments[1].at == 4096);
    assert_int_equal(d->arguments[2].kind, HAUL_ARGUMENT_BYTES);
    assert_int_equal(d->arguments[2].byte_count, 3);
    assert_memory_equal(d->arguments[2].bytes, "\0\377z", 3);
    launch_list_free(&list);
}

static void a_buffer_in_a_structure_is_shared_by_its_path(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[{\"struct\":[{\"i32\":4},{\"struct\":{"
                       "\"in\":{\"buf\":\"zero\",\"words\":4}}},{\"buf\":\"same\",\"of\":[0,1,\"in\"],\"at\":8}]},"
                       "{\"buf\":\"same\",\"of\":[0,1,0]}]}";
    assert_int_equal(read(&list, line), HAUL_OK);
    const launch_argument *a = list.items[0].arguments;
    const size_t inner = a[a[0].structure->first + 1].structure->first;
    assert_string_equal(a[inner].field, "in");
    assert_true(a[1].shares && a[1].of == inner);
    assert_true(a[a[0].structure->first + 2].of == inner && a[a[0].structure->first + 2].at == 8);
    launch_list_free(&list);
}

static void a_tensor_map_is_read(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[{\"tensor\":\"bf16\",\"of\":1,"
                       "\"extent\":[64,8,6,2],\"pitch\":[128,1024,6144],\"box\":[16],\"step\":[1,2,1,1],\"swizzle\":"
                       "\"32B\",\"promotion\":\"256B\",\"nan\":true,\"pixels\":24,\"lower\":[-1,0],\"upper\":[1,2]},"
                       "{\"buf\":\"zero\",\"words\":3072}]}";
    assert_int_equal(read(&list, line), HAUL_OK);
    const launch_argument *a = &list.items[0].arguments[0];
    assert_true(a->kind == HAUL_ARGUMENT_BYTES && a->of == 1);
    const haul_tensor *t = a->tensor;
    assert_true(t->type == HAUL_TENSOR_BF16 && t->rank == 4 && t->fill_nan && t->by_pixels);
    assert_true(t->extent[0] == 64 && t->extent[3] == 2 && t->pitch[2] == 6144);
    assert_true(t->box[0] == 16 && t->step[1] == 2 && t->pixels == 24 && t->lower[0] == -1 && t->upper[1] == 2);
    assert_true(t->swizzle == HAUL_TENSOR_SWIZZLE_32B && t->promotion == HAUL_TENSOR_PROMOTION_256B);
    assert_true(t->interleave == HAUL_TENSOR_INTERLEAVE_NONE);
    launch_list_free(&list);
}

static void channels_of_a_tensor_map_may_be_interleaved(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[{\"tensor\":\"u16\",\"of\":1,\"extent\":"
                       "[20,4,2],\"pitch\":[320,1280],\"box\":[8,1,2],\"interleave\":\"16B\"},"
                       "{\"buf\":\"u32\",\"words\":640}]}";
    assert_int_equal(read(&list, line), HAUL_OK);
    assert_int_equal(list.items[0].arguments[0].tensor->interleave, HAUL_TENSOR_INTERLEAVE_16B);
    launch_list_free(&list);
}

static void empty_lines_are_skipped_and_ids_count(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line = "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[]}";
    char lines[256];
    snprintf(lines, sizeof lines, "\n%s\r\n  \n%s", line, line);
    assert_int_equal(read(&list, lines), HAUL_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[1].id, 1);
    assert_string_equal(list.items[1].where, "x.jsonl:4");
    launch_list_free(&list);
}

static void many_launches_are_kept(void **state) {
    (void)state;
    launch_list list = {0};
    for (int i = 0; i < 1000; i++)
        assert_int_equal(read(&list, "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[{\"i32\":3}]}"), HAUL_OK);
    assert_int_equal(list.count, 1000);
    assert_int_equal(list.items[0].arguments[0].integer, 3);
    launch_list_free(&list);
}

#define LINE(members) "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1]," members "}"

#define BUFFER "\"args\":[{\"buf\":\"zero\",\"words\":4}],"

static void variables_and_windows_are_read(void **state) {
    (void)state;
    launch_list list = {0};
    assert_int_equal(
        read(&list, LINE(BUFFER "\"globals\":{\"t\":{\"buf\":\"iota\",\"words\":9},\"n\":{\"i32\":3}},"
                                "\"l2\":{\"set_aside\":1024,\"arg\":0,\"ratio\":0.5,\"miss\":\"normal\"}")),
        HAUL_OK);
    const launch_description *d = &list.items[0];
    assert_int_equal(d->argument_count, 1);
    assert_int_equal(d->variable_count, 2);
    assert_string_equal(d->arguments[1].variable, "t");
    assert_int_equal(d->arguments[1].words, 9);
    assert_string_equal(d->arguments[2].variable, "n");
    assert_int_equal(d->arguments[2].integer, 3);
    assert_true(d->l2.given && d->l2.has_window && d->l2.set_aside == 1024 && d->l2.ratio == 0.5);
    assert_int_equal(d->l2.hit, HAUL_L2_PERSISTING);
    assert_int_equal(d->l2.miss, HAUL_L2_NORMAL);
    launch_list_free(&list);
}

typedef struct wrong_line {
    const char *line, *message;
} wrong_line;

static void refuses(const wrong_line *wrong) {
    launch_list list = {0};
    assert_int_not_equal(read(&list, wrong->line), HAUL_OK);
    if (!strstr(haul_message(), wrong->message))
        fail_msg("%s:\n  %s\n  has no: %s", wrong->line, haul_message(), wrong->message);
    launch_list_free(&list);
}

static void wrong_lines_are_refused_with_file_line_and_member(void **state) {
    (void)state;
    static const wrong_line cases[] = {
        {"{\"kernel\":", "x.jsonl:1: not valid JSON"},
        {"[1]", "x.jsonl:1: a launch must be a JSON object"},
        {"nonsense", "x.jsonl:1: not valid JSON"},
        {"{\"grid\":[1]}", "x.jsonl:1: kernel: is missing"},
        {"{\"kernel\":3}", "x.jsonl:1: kernel: must be a string"},
        {"{\"kernel\":\"k\",\"block\":[1]}", "x.jsonl:1: grid: is missing"},
        {"{\"kernel\":\"k\",\"grid\":[0],\"block\":[1]}", "x.jsonl:1: grid: 0 is not between 1 and 4294967295"},
        {"{\"kernel\":\"k\",\"grid\":[-1],\"block\":[1]}", "grid: -1 is not between"},
        {"{\"kernel\":\"k\",\"grid\":[1,1,1,1],\"block\":[1]}", "grid: must be an array of one to three numbers"},
        {"{\"kernel\":\"k\",\"grid\":[1.5],\"block\":[1]}", "grid: must be a whole number"},
        {"{\"kernel\":\"k\",\"grid\":[1],\"block\":[99999999999]}", "block: 99999999999 is not between"},
        {LINE("\"args\":{}"), "args: must be an array"},
        {LINE("\"args\":[{}]"), "args[0]: needs one of buf, bytes, struct, tensor, tex, surf, i32, i64, f32, f64, i8"},
        {LINE("\"args\":[3]"), "args[0]: needs one of"},
        {LINE("\"args\":[{\"i32\":1},{\"i32\":4294967296}]"), "args[1]: i32: 4294967296 is not between"},
        {LINE("\"args\":[{\"i32\":1.5}]"), "i32: must be a whole number"},
        {LINE("\"args\":[{\"f32\":\"1\"}]"), "f32: must be a number"},
        {LINE("\"args\":[{\"buf\":\"ones\",\"words\":4}]"), "`ones` is not a fill rule"},
        {LINE("\"args\":[{\"buf\":\"file\"}]"), "args[0]: path: is missing"},
        {LINE("\"args\":[{\"buf\":\"same\"}]"), "args[0]: of: is missing"},
        {LINE("\"args\":[{\"buf\":\"same\",\"of\":0}]"), "of: argument 0 is not a buffer of its own"},
        {LINE("\"args\":[{\"buf\":\"same\",\"of\":7}]"), "of: argument 7 is not a buffer of its own"},
        {LINE("\"args\":[{\"buf\":\"same\",\"of\":[1,0]},{\"struct\":[{\"i32\":1}]}]"),
         "of: that field of argument 1 is not a buffer of its own"},
        {LINE("\"args\":[{\"buf\":\"same\",\"of\":[1,\"in\"]},{\"i32\":1}]"), "of: that field of argument 1 is not"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"at\":-1}]"), "at: -1 is not between"},
        {LINE("\"args\":[{\"bytes\":\"123\"}]"), "bytes: must be hexadecimal digits, two a byte"},
        {LINE("\"args\":[{\"buf\":\"zero\"}]"), "args[0]: words: is missing"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":-4}]"), "words: -4 is not between"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4611686018427387904}]"), "words: 4611686018427387904 is not"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"offset\":257}]"), "offset: 257 is not between 0 and 256"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"after\":\"12\"}]"), "after: must be 16 hexadecimal digits"},
        {LINE("\"args\":[{\"tensor\":\"f99\",\"of\":0}]"), "args[0]: tensor: `f99` is none of u8, u16"},
        {LINE("\"args\":[{\"tensor\":\"f32\"}]"), "args[0]: of: is missing"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0}]"), "extent: must be an array of one to five numbers"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4,4]}]"), "pitch: must be an array of 1 numbers"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4],\"box\":[4]}]"), "of: argument 0 is not a buffer"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":9,\"extent\":[4],\"box\":[4]}]"), "of: argument 9 is not a buffer"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4],\"box\":[4],\"pixels\":2}]"),
         "pixels: need three to five dimensions"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4],\"box\":[4],\"swizzle\":\"16B\"}]"),
         "swizzle: `16B` is none of none, 32B, 64B, 128B"},
        {LINE("\"smem\":-1,\"args\":[]"), "smem: -1 is not between"},
        {LINE("\"args\":[],\"counters\":[]"), "counters: must be an object"},
        {LINE("\"args\":[],\"counters\":{\"inst_executed\":\"x\"}"), "counters: inst_executed: must be a number or"},
        {LINE("\"args\":[],\"counters\":{\"inst_executed\":[2,1]}"), "the lowest comes first"},
        {LINE("\"args\":[],\"globals\":[]"), "globals: must be an object"},
        {LINE("\"args\":[],\"globals\":{\"t\":{\"buf\":\"zero\"}}"), "globals.t: words: is missing"},
        {LINE("\"args\":[],\"l2\":3"), "l2: must be an object"},
        {LINE("\"args\":[],\"l2\":{\"arg\":0}"), "l2.arg: 0 is not between"},
        {LINE("\"args\":[{\"i32\":1}],\"l2\":{\"arg\":0}"), "l2.arg: is not a buffer"},
        {LINE(BUFFER "\"l2\":{\"arg\":0,\"ratio\":2}"), "l2.ratio: must be a number from 0 to 1"},
        {LINE(BUFFER "\"l2\":{\"arg\":0,\"hit\":\"sticky\"}"), "l2.hit: must be normal, streaming or persisting"},
        {LINE("\"kernel\":\"again\",\"args\":[]"), "x.jsonl:1: not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuses(&cases[i]);
}

static void fields_that_are_misspelt_or_of_another_type_are_refused(void **state) {
    (void)state;
    static const wrong_line cases[] = {
        {LINE("\"args\":[],\"smme\":64"), "x.jsonl:1: unknown field `smme`: did you mean `smem`?"},
        {LINE("\"args\":[],\"shared_memory\":64"), "x.jsonl:1: unknown field `shared_memory`: there are id, kernel, "},
        {LINE("\"args\":[],\"counter\":{}"), "unknown field `counter`: did you mean `counters`?"},
        {LINE("\"args\":[],\"smem\":\"64\""), "smem: must be a whole number"},
        {LINE("\"args\":[],\"expect\":\"race\""), "expect: must be an array"},
        {LINE("\"args\":[],\"us_low\":\"1\""), "us_low: must be a number"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"sede\":2}]"),
         "args[0]: unknown field `sede`: did you mean `seed`"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"ofset\":4}]"), "did you mean `offset`?"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"i32\":4}]"), "args[0]: unknown field `i32`"},
        {LINE("\"args\":[{\"buf\":\"zero\",\"words\":4,\"below\":4}]"), "only `index` has a bound"},
        {LINE("\"args\":[{\"buf\":\"index\",\"words\":4,\"below\":0}]"), "below: 0 is not between 1 and"},
        {LINE("\"args\":[{\"bfu\":\"zero\",\"words\":4}]"), "args[0]: unknown field `bfu`: did you mean `buf`?"},
        {LINE("\"args\":[{\"i32\":1,\"i64\":2}]"), "args[0]: unknown field `i64`"},
        {LINE("\"args\":[{\"u8\":256}]"), "args[0]: u8: 256 is not between 0 and 255"},
        {LINE("\"args\":[{\"f32\":\"1.5\"}]"), "args[0]: f32: must be a number"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4],\"box\":[4],\"swizle\":\"32B\"}]"),
         "args[0]: unknown field `swizle`: did you mean `swizzle`?"},
        {LINE("\"args\":[{\"tensor\":\"f32\",\"of\":0,\"extent\":[4],\"box\":[4],\"nan\":1}]"),
         "nan: must be true or false"},
        {LINE("\"args\":[{\"tex\":\"f01\",\"shape\":[4],\"format\":\"f32\",\"words\":4}]"), "unknown field `words`"},
        {LINE("\"args\":[{\"tex\":\"f01\",\"shape\":[4],\"format\":\"f32\",\"seed\":1.5}]"), "seed: must be a whole"},
        {LINE("\"args\":[{\"tex\":\"f01\",\"shape\":[4],\"format\":\"f32\",\"seed\":-1}]"), "seed: -1 is not between"},
        {LINE(BUFFER "\"l2\":{\"arg\":0,\"ratoi\":1}"), "l2: unknown field `ratoi`: did you mean `ratio`?"},
        {LINE(BUFFER "\"l2\":{\"arg\":0,\"hit\":1}"), "l2: hit: must be a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuses(&cases[i]);
}

/* Lines that haul prints, and recorded ones, can be read again. */
static void recorded_fields_and_notes_are_read(void **state) {
    (void)state;
    launch_list list = {0};
    assert_int_equal(read(&list, LINE("\"args\":[],\"us\":1,\"us_low\":0.5,\"us_high\":2,\"estimate_us\":3,\"expect\":"
                                      "[\"race-shared\"],\"notes\":{\"any\":[\"thing\"]},\"tables\":{},\"advice\":[],"
                                      "\"occupancy\":{},\"measured\":{}")),
                     HAUL_OK);
    assert_true(list.items[0].us == 1);
    launch_list_free(&list);
}

static void numbers_of_every_type_are_read(void **state) {
    (void)state;
    launch_list list = {0};
    assert_int_equal(read(&list, LINE("\"args\":[{\"u8\":255},{\"i8\":-128},{\"u16\":65535},{\"i16\":-2},{\"u32\":"
                                      "4294967295},{\"u64\":9},{\"f32\":\"-inf\"}]")),
                     HAUL_OK);
    const launch_argument *a = list.items[0].arguments;
    assert_true(a[0].kind == HAUL_ARGUMENT_I8 && a[0].integer == 255);
    assert_true(a[1].kind == HAUL_ARGUMENT_I8 && a[1].integer == -128);
    assert_true(a[2].kind == HAUL_ARGUMENT_I16 && a[2].integer == 65535);
    assert_true(a[3].kind == HAUL_ARGUMENT_I16 && a[3].integer == -2);
    assert_true(a[4].kind == HAUL_ARGUMENT_I32 && a[4].integer == UINT32_MAX);
    assert_true(a[5].kind == HAUL_ARGUMENT_I64 && a[5].integer == 9);
    assert_true(a[6].kind == HAUL_ARGUMENT_F32 && a[6].real < -1e300);
    launch_list_free(&list);
}

/* A recorded permutation says its seed; without one it is a random permutation. */
static void a_permutation_without_a_seed_is_shuffled(void **state) {
    (void)state;
    launch_list list = {0};
    assert_int_equal(
        read(&list, LINE("\"args\":[{\"buf\":\"perm\",\"words\":64},{\"buf\":\"perm\",\"words\":64,\"seed\":1},"
                         "{\"buf\":\"perm\",\"words\":64,\"seed\":4}]")),
        HAUL_OK);
    assert_int_equal(list.items[0].arguments[0].fill, LAUNCH_FILL_SHUFFLE);
    assert_int_equal(list.items[0].arguments[1].fill, LAUNCH_FILL_PERM);
    assert_int_equal(list.items[0].arguments[2].fill, LAUNCH_FILL_PERM);
    launch_list_free(&list);
}

/* ---- the command line's form ---- */

static haul_status parse(launch_list *list, const char *string, launch_argument *a) {
    return launch_parse_argument(list, string, a);
}

static void arguments_of_the_command_line_are_read(void **state) {
    (void)state;
    launch_list list = {0};
    launch_argument a;
    assert_int_equal(parse(&list, "i32:-1", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_I32 && a.integer == -1);
    assert_int_equal(parse(&list, "i64:9000000000", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_I64 && a.integer == 9000000000);
    assert_int_equal(parse(&list, "f32:1.5", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_F32 && a.real == 1.5);
    assert_int_equal(parse(&list, "f64:-1e300", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_F64 && a.real == -1e300);
    assert_int_equal(parse(&list, "buf:f01:64K", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_BUFFER && a.words == 65536 && a.seed == 1 && a.offset == 0 && !a.output);
    assert_int_equal(parse(&list, "buf:iota:100:7:4,out=o:1.bin", &a), HAUL_OK);
    assert_true(a.fill == LAUNCH_FILL_IOTA && a.words == 100 && a.seed == 7 && a.offset == 4);
    assert_string_equal(a.output, "o:1.bin");
    assert_int_equal(parse(&list, "u64:18446744073709551615", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_I64 && a.integer == -1);
    assert_int_equal(parse(&list, "u8:200", &a), HAUL_OK);
    assert_true(a.kind == HAUL_ARGUMENT_I8 && a.integer == 200);
    assert_int_equal(parse(&list, "buf:index:64:3,below=1K,out=o,below=2", &a), HAUL_OK);
    assert_true(a.fill == LAUNCH_FILL_INDEX && a.words == 64 && a.seed == 3 && a.below == 1024);
    assert_string_equal(a.output, "o,below=2");
    assert_int_equal(parse(&list, "buf:perm:64", &a), HAUL_OK);
    assert_int_equal(a.fill, LAUNCH_FILL_SHUFFLE);
    assert_int_equal(parse(&list, "buf:perm:64:5", &a), HAUL_OK);
    assert_int_equal(a.fill, LAUNCH_FILL_PERM);
    assert_int_equal(parse(&list, "tex:perm:8x8:u32", &a), HAUL_OK);
    assert_int_equal(a.fill, LAUNCH_FILL_SHUFFLE);
    assert_int_equal(parse(&list, "buf:file=in:2.bin", &a), HAUL_OK);
    assert_true(a.fill == LAUNCH_FILL_FILE);
    assert_string_equal(a.input, "in:2.bin");
    launch_list_free(&list);
}

static void refuse_arguments(const char *const *wrong, size_t count) {
    for (size_t i = 0; i < count; i++) {
        launch_list list = {0};
        launch_argument a;
        if (parse(&list, wrong[i], &a) == HAUL_OK) fail_msg("`%s` was accepted", wrong[i]);
        assert_memory_equal(haul_message(), "--arg ", 6);
        launch_list_free(&list);
    }
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        "i32",
                                        "i32:",
                                        "i32:x",
                                        "i32:4294967296",
                                        "i24:3",
                                        "i8:128",
                                        "u8:-1",
                                        "u16:65536",
                                        "u32:-1",
                                        "u64:-1",
                                        "u64:18446744073709551616",
                                        "f32:",
                                        "f32:1.5x",
                                        "buf",
                                        "buf:",
                                        "buf:f01",
                                        "buf:f01:",
                                        "buf:f01:-4",
                                        "buf:f01:4:",
                                        "buf:f01:4:1:300",
                                        "buf:ones:4",
                                        "buf:file=",
                                        "buf:f01:4,out=",
                                        "buf:file:4",
                                        "buf:f01:4:1:0:9",
                                        "buf:f01:9999999999999999999999",
                                        "buf:index:4,below=0",
                                        "buf:index:4,below=8G",
                                        "buf:iota:4,below=4",
                                        "buf:shuffle:8G",
                                        "buf:perm:8G",
                                        "buf:perm:256:12"};
    refuse_arguments(wrong, sizeof wrong / sizeof *wrong);
}

static void wrong_structures_and_elements_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"buf:f16:4,uniform=1:0",
                                        "buf:f16:4,uniform=nan:1",
                                        "buf:f16:4,normal=0:-1",
                                        "buf:i8:4,value=200",
                                        "buf:i8:4,value=1.5",
                                        "buf:zero:4,value=1",
                                        "bytes:",
                                        "bytes:123",
                                        "f32x5:1,2,3,4,5",
                                        "f32x2:1",
                                        "i32[0]:",
                                        "i32[99999]:1",
                                        "struct:{}",
                                        "struct:{i32:1",
                                        "struct:i32:1",
                                        "struct:{a=i32:1,a=i32:2}",
                                        "struct:{a=i32:1,i32:2}",
                                        "struct:{{{{{{{{{{}}}}}}}}}}",
                                        "struct:{bytes:}",
                                        "bool:2",
                                        "bool:maybe"};
    refuse_arguments(wrong, sizeof wrong / sizeof *wrong);
}

static void structures_are_laid_out_as_c_does(void **state) {
    (void)state;
    launch_list list = {0};
    launch_argument a;
    assert_int_equal(parse(&list, "struct:{a=i8:1,b=f64:2.5, c=i16:3 v=f32x4:1,2,3,4,rest=u8[3]:1,2,3}", &a), HAUL_OK);
    const launch_structure *s = a.structure;
    static const uint64_t places[] = {0, 8, 16, 32, 48};
    assert_int_equal(s->count, 5);
    for (size_t i = 0; i < 5; i++) assert_int_equal(s->fields[i].place, places[i]);
    assert_int_equal(s->size, 64);
    assert_int_equal(s->alignment, 16);
    assert_string_equal(s->fields[3].field, "v");
    launch_list_free(&list);
}

static void fields_stand_behind_the_kernels_arguments(void **state) {
    (void)state;
    launch_list list = {0};
    const char *line =
        "{\"kernel\":\"k\",\"grid\":[1],\"block\":[1],\"args\":[{\"struct\":{\"n\":{\"i32\":4},\"inner\":{\"struct\":["
        "{\"buf\":\"f16\",\"count\":7,\"normal\":[0,1]},{\"bool\":true}]}}},{\"buf\":\"zero\",\"words\":8}],"
        "\"globals\":{\"table\":{\"f32\":[1,2,3]}}}";
    assert_int_equal(read(&list, line), HAUL_OK);
    const launch_description *d = &list.items[0];
    assert_int_equal(d->argument_count, 2);
    assert_int_equal(d->field_count, 7); /* n, inner, the three elements of table, and inner's two */
    assert_int_equal(d->variable_count, 1);
    assert_int_equal(d->arguments[2].integer, 4);
    const launch_argument *buffer = &d->arguments[7];
    assert_true(buffer->is_field && buffer->inside == 3 && buffer->fill == LAUNCH_FILL_ELEMENTS);
    assert_int_equal(buffer->words, 4);
    assert_string_equal(d->arguments[9].variable, "table");
    launch_list_free(&list);
}

static void variables_and_windows_of_the_command_line(void **state) {
    (void)state;
    launch_list list = {0};
    launch_argument a;
    launch_l2 l2;
    assert_int_equal(launch_parse_variable(&list, "table=buf:f01:256", &a), HAUL_OK);
    assert_string_equal(a.variable, "table");
    assert_int_equal(a.words, 256);
    assert_int_equal(launch_parse_variable(&list, "table", &a), HAUL_ERROR_ARGUMENT);
    assert_int_equal(launch_parse_variable(&list, "=i32:1", &a), HAUL_ERROR_ARGUMENT);
    assert_int_equal(launch_parse_window("2:0.25", &l2), HAUL_OK);
    assert_true(l2.has_window && l2.argument == 2 && l2.ratio == 0.25 && l2.hit == HAUL_L2_PERSISTING);
    assert_int_equal(launch_parse_window("3", &l2), HAUL_OK);
    assert_true(l2.argument == 3 && l2.ratio == 1);
    static const char *const wrong[] = {"", ":1", "-1", "x", "0:", "0:2", "0:0.5:1", "0 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (launch_parse_window(wrong[i], &l2) == HAUL_OK) fail_msg("`%s` was accepted", wrong[i]);
    launch_list_free(&list);
}

static void extents_have_one_to_three_numbers(void **state) {
    (void)state;
    uint32_t e[3];
    assert_int_equal(launch_parse_extent("--grid", "256", e), HAUL_OK);
    assert_true(e[0] == 256 && e[1] == 1 && e[2] == 1);
    assert_int_equal(launch_parse_extent("--grid", "16x8x4", e), HAUL_OK);
    assert_true(e[0] == 16 && e[1] == 8 && e[2] == 4);
    assert_int_equal(launch_parse_extent("--grid", "[16,8]", e), HAUL_OK);
    assert_true(e[0] == 16 && e[1] == 8 && e[2] == 1);
    static const char *const wrong[] = {"",        "0",          "-1", "1x",  "x1",  "1,,2",
                                        "1x2x3x4", "4294967296", "a",  "1 x", "1.5", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (launch_parse_extent("--grid", wrong[i], e) == HAUL_OK) fail_msg("`%s` was accepted", wrong[i]);
    }
}

static void a_launch_of_the_command_line_makes_a_line(void **state) {
    (void)state;
    launch_list list = {0};
    launch_argument arguments[3];
    assert_int_equal(parse(&list, "i32:64", &arguments[0]), HAUL_OK);
    assert_int_equal(launch_parse_variable(&list, "n=i32:9", &arguments[2]), HAUL_OK);
    assert_int_equal(parse(&list, "buf:f01:64:3", &arguments[1]), HAUL_OK);
    const launch_description given = {.where = "--kernel",
                                      .kernel = "k",
                                      .grid = {2, 1, 1},
                                      .block = {32, 1, 1},
                                      .us = -1,
                                      .arguments = arguments,
                                      .argument_count = 2,
                                      .variable_count = 1,
                                      .l2 = {.given = true,
                                             .set_aside = 4096,
                                             .has_window = true,
                                             .argument = 1,
                                             .ratio = 1,
                                             .hit = HAUL_L2_PERSISTING,
                                             .miss = HAUL_L2_STREAMING}};
    launch_description *d = launch_append(&list, &given);
    assert_non_null(d);
    d->arguments[1].hash = 0xabc;
    haul_launch_record record = {.estimate_us = 2.5, .measured_us = -1};
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) record.counters[i] = -1;
    record.counters[HAUL_COUNTER_INST_EXECUTED] = 12;
    json_t *line = launch_to_json(d, HAUL_SIMULATED, &record);
    char *dump = json_dumps(line, JSON_COMPACT);
    assert_string_equal(
        dump, "{\"id\":0,\"kernel\":\"k\",\"grid\":[2,1,1],\"block\":[32,1,1],\"smem\":0,\"args\":[{\"i32\":64},"
              "{\"buf\":\"f01\",\"words\":64,\"seed\":3,\"offset\":0,\"after\":\"0000000000000abc\"}],"
              "\"globals\":{\"n\":{\"i32\":9}},\"l2\":{\"set_aside\":4096,\"arg\":1,\"ratio\":1.0,"
              "\"hit\":\"persisting\",\"miss\":\"streaming\"},"
              "\"counters\":{\"inst_executed\":12},\"estimate_us\":2.5}");
    free(dump);
    json_decref(line);
    launch_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_line_is_read),
        cmocka_unit_test(files_shared_buffers_and_bytes_are_read),
        cmocka_unit_test(a_buffer_in_a_structure_is_shared_by_its_path),
        cmocka_unit_test(a_tensor_map_is_read),
        cmocka_unit_test(channels_of_a_tensor_map_may_be_interleaved),
        cmocka_unit_test(empty_lines_are_skipped_and_ids_count),
        cmocka_unit_test(many_launches_are_kept),
        cmocka_unit_test(variables_and_windows_are_read),
        cmocka_unit_test(wrong_lines_are_refused_with_file_line_and_member),
        cmocka_unit_test(fields_that_are_misspelt_or_of_another_type_are_refused),
        cmocka_unit_test(recorded_fields_and_notes_are_read),
        cmocka_unit_test(numbers_of_every_type_are_read),
        cmocka_unit_test(a_permutation_without_a_seed_is_shuffled),
        cmocka_unit_test(arguments_of_the_command_line_are_read),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(wrong_structures_and_elements_are_refused),
        cmocka_unit_test(structures_are_laid_out_as_c_does),
        cmocka_unit_test(fields_stand_behind_the_kernels_arguments),
        cmocka_unit_test(variables_and_windows_of_the_command_line),
        cmocka_unit_test(extents_have_one_to_three_numbers),
        cmocka_unit_test(a_launch_of_the_command_line_makes_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
