/* Described launches on the virtual GPU: fill rules, hashes, files, what is printed back. */
#include "base/file.h"
#include "base/hash.h"
#include "lib/launch/launches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char ptx[] = ".version 8.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry nothing(.param .u64 p) { ret; }\n"
                          ".visible .entry next(.param .u64 p)\n" /* p[thread] += 1 */
                          "{\n"
                          "    .reg .b64 %a, %t;\n"
                          "    .reg .b32 %i, %v;\n"
                          "    ld.param.u64 %a, [p];\n"
                          "    mov.u32 %i, %tid.x;\n"
                          "    mul.wide.u32 %t, %i, 4;\n"
                          "    add.s64 %a, %a, %t;\n"
                          "    ld.global.u32 %v, [%a];\n"
                          "    add.u32 %v, %v, 1;\n"
                          "    st.global.u32 [%a], %v;\n"
                          "    ret;\n"
                          "}\n";

static haul_device *device;
static haul_module *module;

static int open_device(void **state) {
    (void)state;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load(device, "test", ptx, strlen(ptx), &module), HAUL_OK);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    haul_device_close(device);
    return 0;
}

/* Runs `kernel` over a block of 4 threads with one buffer; the argument as the command line has it. */
static haul_status run(const char *kernel, const char *argument, launch_argument *after) {
    launch_list list = {0};
    launch_argument a;
    assert_int_equal(launch_parse_argument(&list, argument, &a), HAUL_OK);
    const launch_description given = {.where = "here",
                                      .kernel = kernel,
                                      .grid = {1, 1, 1},
                                      .block = {4, 1, 1},
                                      .us = -1,
                                      .arguments = &a,
                                      .argument_count = 1};
    launch_description *d = launch_append(&list, &given);
    assert_non_null(d);
    haul_run *record;
    assert_int_equal(haul_run_create(device, &record), HAUL_OK);
    haul_status status = launch_run(device, module, d, record);
    if (status == HAUL_OK) assert_int_equal(record->launch_count, 1);
    *after = d->arguments[0];
    haul_run_free(record);
    launch_list_free(&list);
    return status;
}

/* The rules of truth files for element i, written as they are there. */
static uint32_t expected(const char *rule, uint64_t i, uint32_t seed, uint64_t n) {
    uint32_t h = (uint32_t)(i + seed) * 2654435761u, word;
    float f = (float)((h >> 8) + 1) * (1.0f / 16777216.0f);
    memcpy(&word, &f, 4);
    if (strcmp(rule, "f01") == 0) return word;
    if (strcmp(rule, "u32") == 0) return h;
    if (strcmp(rule, "iota") == 0) return (uint32_t)i + seed;
    if (strcmp(rule, "perm") == 0) return (uint32_t)(i * seed % n);
    return strcmp(rule, "poison") == 0 ? 0xdeadbeef : 0;
}

/* Sizes below, at and beyond the pieces that buffers are filled in. */
static void fill_rules_are_those_of_the_truth_files(void **state) {
    (void)state;
    static const char *const rules[] = {"f01", "u32", "iota", "perm", "zero", "poison"};
    static const uint64_t sizes[] = {1, 1000, 65536, 65537, 200003};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char argument[64];
            snprintf(argument, sizeof argument, "buf:%s:%llu:7:4", rules[r], (unsigned long long)sizes[s]);
            launch_argument after;
            assert_int_equal(run("nothing", argument, &after), HAUL_OK);
            uint64_t hash = HASH_START;
            for (uint64_t i = 0; i < sizes[s]; i++) {
                uint32_t word = expected(rules[r], i, 7, sizes[s]);
                hash = hash_bytes(hash, &word, 4);
            }
            assert_true(after.hash == hash);
        }
    }
}

/* ---- random indices ---- */

static uint32_t *words_of(launch_fill fill, uint64_t n, uint32_t seed, uint64_t below) {
    const launch_argument a = {.fill = fill, .words = n, .seed = seed, .below = below};
    uint32_t *words = calloc(n, sizeof *words);
    assert_non_null(words);
    launch_fill_words(&a, words, n, 0);
    return words;
}

static void a_shuffle_has_each_number_once(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 5, 8, 31, 32, 33, 1000, 1024, 65537, 200003};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (uint32_t seed = 0; seed < 4; seed++) {
            const uint64_t n = sizes[s];
            uint32_t *words = words_of(LAUNCH_FILL_SHUFFLE, n, seed, 0);
            unsigned char *seen = calloc(n, 1);
            for (uint64_t i = 0; i < n; i++) {
                assert_true(words[i] < n);
                assert_int_equal(seen[words[i]], 0);
                seen[words[i]] = 1;
            }
            free(seen);
            free(words);
        }
    }
}

/* In a random permutation about one number stays in place, and neighbours are as far apart as any two. */
static void a_shuffle_is_random_with_every_seed(void **state) {
    (void)state;
    enum { N = 10000, WARPS = N / 32, SECTOR = 8 };
    for (uint32_t seed = 0; seed < 20; seed++) {
        uint32_t *words = words_of(LAUNCH_FILL_SHUFFLE, N, seed, 0);
        unsigned fixed = 0, sectors = 0, neighbours = 0;
        double distance = 0;
        for (unsigned i = 0; i < N; i++) fixed += words[i] == i;
        for (unsigned i = 1; i < N; i++) {
            const double apart = (double)words[i] - (double)words[i - 1];
            distance += apart < 0 ? -apart : apart;
            neighbours += i > 1 && words[i] - words[i - 1] == words[i - 1] - words[i - 2];
        }
        for (unsigned w = 0; w < WARPS; w++) {
            for (unsigned i = 0; i < 32; i++) {
                bool first = true;
                for (unsigned k = 0; k < i; k++) first &= words[w * 32 + k] / SECTOR != words[w * 32 + i] / SECTOR;
                sectors += first;
            }
        }
        assert_true(fixed < 12);
        assert_true(neighbours < 12); /* steps of one length, as of i * seed mod n */
        assert_in_range((unsigned)(distance / N), N * 30 / 100, N * 37 / 100);
        assert_true(sectors > WARPS * 31);
        free(words);
    }
}

static void seeds_shuffle_differently(void **state) {
    (void)state;
    uint32_t *one = words_of(LAUNCH_FILL_SHUFFLE, 1000, 1, 0), *two = words_of(LAUNCH_FILL_SHUFFLE, 1000, 2, 0);
    unsigned same = 0;
    for (unsigned i = 0; i < 1000; i++) same += one[i] == two[i];
    assert_true(same < 12);
    free(one);
    free(two);
}

static void indices_are_random_below_their_bound(void **state) {
    (void)state;
    enum { N = 100000, BELOW = 10 };
    for (uint32_t seed = 0; seed < 4; seed++) {
        uint32_t *words = words_of(LAUNCH_FILL_INDEX, N, seed, BELOW);
        unsigned counts[BELOW] = {0};
        for (unsigned i = 0; i < N; i++) {
            assert_true(words[i] < BELOW);
            counts[words[i]]++;
        }
        for (unsigned k = 0; k < BELOW; k++) assert_in_range(counts[k], 9600, 10400); /* four deviations */
        free(words);
    }
    uint32_t *words = words_of(LAUNCH_FILL_INDEX, N, 1, 0);
    uint32_t most = 0;
    for (unsigned i = 0; i < N; i++) most = words[i] > most ? words[i] : most;
    assert_in_range(most, N - 100, N - 1); /* the number of words bounds them */
    free(words);
}

/* Buffers are filled in pieces. */
static void random_words_depend_on_their_place_alone(void **state) {
    (void)state;
    static const launch_fill rules[] = {LAUNCH_FILL_SHUFFLE, LAUNCH_FILL_INDEX};
    for (size_t r = 0; r < 2; r++) {
        const launch_argument a = {.fill = rules[r], .words = 1000, .seed = 5};
        uint32_t whole[1000], part[100];
        launch_fill_words(&a, whole, 1000, 0);
        launch_fill_words(&a, part, 100, 437);
        assert_memory_equal(whole + 437, part, sizeof part);
    }
}

static void the_hash_is_of_what_the_kernel_left(void **state) {
    (void)state;
    launch_argument after;
    assert_int_equal(run("next", "buf:iota:4:10", &after), HAUL_OK);
    const uint32_t words[] = {11, 12, 13, 14};
    assert_true(after.hash == hash_bytes(HASH_START, words, sizeof words));
}

static void buffers_come_from_files_and_go_to_them(void **state) {
    (void)state;
    char in[] = "/tmp/haul-test-XXXXXX", out[sizeof in + 4], argument[128];
    int descriptor = mkstemp(in);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "\1\0\0\0\2\0\0\0\3\0\0\0\4", 13), 13); /* three bytes short of a word */
    close(descriptor);
    snprintf(out, sizeof out, "%s.out", in);
    snprintf(argument, sizeof argument, "buf:file=%s,out=%s", in, out);
    launch_argument after;
    assert_int_equal(run("next", argument, &after), HAUL_OK);
    assert_int_equal(after.words, 4);
    text content = {0};
    assert_int_equal(file_read(out, &content), HAUL_OK);
    assert_int_equal(content.length, 16);
    assert_memory_equal(content.bytes, "\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0", 16);
    text_free(&content);
    unlink(in);
    unlink(out);
}

static void failures_say_which_launch_and_argument(void **state) {
    (void)state;
    launch_argument after;
    assert_int_equal(run("next", "buf:file=/nonexistent/x", &after), HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "here: args[0]: /nonexistent/x: "));
    assert_int_equal(run("next", "buf:zero:1T", &after), HAUL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(haul_message(), "here: args[0]: "));
    assert_int_equal(run("previous", "buf:zero:4", &after), HAUL_ERROR_NOT_FOUND);
    assert_memory_equal(haul_message(), "here: ", 6);
}

static void outputs_match_only_if_every_recorded_hash_does(void **state) {
    (void)state;
    launch_argument a[] = {{.recorded = true, .after = 5, .hash = 5}, {.recorded = false, .hash = 6}};
    launch_description d = {.arguments = a, .argument_count = 2};
    assert_true(launch_outputs_match(&d));
    a[1].recorded = true;
    assert_false(launch_outputs_match(&d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_rules_are_those_of_the_truth_files),
        cmocka_unit_test(a_shuffle_has_each_number_once),
        cmocka_unit_test(a_shuffle_is_random_with_every_seed),
        cmocka_unit_test(seeds_shuffle_differently),
        cmocka_unit_test(indices_are_random_below_their_bound),
        cmocka_unit_test(random_words_depend_on_their_place_alone),
        cmocka_unit_test(the_hash_is_of_what_the_kernel_left),
        cmocka_unit_test(buffers_come_from_files_and_go_to_them),
        cmocka_unit_test(failures_say_which_launch_and_argument),
        cmocka_unit_test(outputs_match_only_if_every_recorded_hash_does),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
