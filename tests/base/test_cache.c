/* Cached files: complete and the user's own, or treated as absent. */
#include "base/cache.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/haul-cache-XXXXXX";
static char place[64], path[96];

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(place, sizeof place, "%s/a/b", folder);
    snprintf(path, sizeof path, "%s/thing", place);
    unsetenv("HAUL_CACHE");
    return setenv("HAUL_CACHE_DIR", place, 1);
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static bool reads(const char *name, const char *want, size_t size) {
    text got = {0};
    const bool read = cache_read(name, &got);
    if (read) {
        assert_int_equal(got.length, size);
        assert_memory_equal(got.bytes, want, size);
    } else {
        assert_int_equal(got.length, 0);
    }
    text_free(&got);
    return read;
}

static const char words[] = "what was found out";

static void write_words(void) {
    assert_true(cache_write("thing", words, sizeof words));
}

static void what_was_written_is_read(void **state) {
    (void)state;
    assert_false(cache_has("thing"));
    assert_false(reads("thing", words, sizeof words));
    write_words();
    assert_true(cache_has("thing"));
    assert_true(reads("thing", words, sizeof words));
    assert_true(cache_write("nothing", NULL, 0));
    assert_true(reads("nothing", "", 0));
}

static void the_folder_is_the_environments(void **state) {
    char found[256];
    (void)state;
    assert_true(cache_folder(found, sizeof found));
    assert_string_equal(found, place);
    unsetenv("HAUL_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "/x", 1);
    assert_true(cache_folder(found, sizeof found));
    assert_string_equal(found, "/x/haul");
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "/h", 1);
    assert_true(cache_folder(found, sizeof found));
    assert_string_equal(found, "/h/.cache/haul");
    unsetenv("HOME");
    assert_false(cache_folder(found, sizeof found));
    assert_false(cache_write("thing", words, sizeof words));
    setenv("HAUL_CACHE_DIR", place, 1);
    assert_false(cache_folder(found, 4));
}

static void nothing_is_kept_when_it_is_off(void **state) {
    (void)state;
    write_words();
    setenv("HAUL_CACHE", "off", 1);
    assert_int_equal(cache_kept(), CACHE_OFF);
    assert_false(cache_has("thing"));
    assert_false(cache_write("thing", words, sizeof words));
    setenv("HAUL_CACHE", "memory", 1);
    assert_int_equal(cache_kept(), CACHE_MEMORY);
    assert_false(reads("thing", words, sizeof words));
    unsetenv("HAUL_CACHE");
    assert_true(reads("thing", words, sizeof words));
}

static void overwrite(size_t offset, unsigned char byte) {
    const int file = open(path, O_WRONLY);
    assert_int_equal(pwrite(file, &byte, 1, (off_t)offset), 1);
    close(file);
}

static void no_changed_bit_goes_unseen(void **state) {
    char bytes[256];
    (void)state;
    write_words();
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        overwrite(bit / 8, (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8));
        assert_false(reads("thing", words, sizeof words));
        overwrite(bit / 8, (unsigned char)bytes[bit / 8]);
    }
    assert_true(reads("thing", words, sizeof words));
}

static void files_that_are_not_whole_are_ignored(void **state) {
    struct stat about;
    (void)state;
    write_words();
    assert_int_equal(stat(path, &about), 0);
    for (off_t size = about.st_size - 1; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        assert_false(reads("thing", words, sizeof words));
    }
}

static void a_file_under_another_name_is_ignored(void **state) {
    char other[96];
    (void)state;
    write_words();
    snprintf(other, sizeof other, "%s/other", place);
    assert_int_equal(rename(path, other), 0);
    assert_false(reads("other", words, sizeof words));
    assert_int_equal(symlink("other", path), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_int_equal(unlink(path) + unlink(other), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_int_equal(unlink(path), 0);
}

static void what_others_may_write_is_ignored(void **state) {
    (void)state;
    write_words();
    assert_int_equal(chmod(path, 0620), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(reads("thing", words, sizeof words));
    assert_int_equal(chmod(place, 0777), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_false(cache_write("thing", words, sizeof words));
    assert_true(cache_measure().refused);
    assert_int_equal(chmod(place, 0700), 0);
    assert_true(reads("thing", words, sizeof words));
}

static void what_belongs_to_others_is_ignored(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    write_words();
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_int_equal(chown(path, 0, (gid_t)-1), 0);
    assert_int_equal(chown(place, 12345, (gid_t)-1), 0);
    assert_false(reads("thing", words, sizeof words));
    assert_false(cache_write("thing", words, sizeof words));
    assert_int_equal(chown(place, 0, (gid_t)-1), 0);
    assert_true(reads("thing", words, sizeof words));
}

static void a_folder_that_cannot_be_made_is_none(void **state) {
    (void)state;
    write_words();
    setenv("HAUL_CACHE_DIR", path, 1); /* a file */
    assert_false(cache_write("more", words, sizeof words));
    setenv("HAUL_CACHE_DIR", "/proc/haul", 1);
    assert_false(cache_write("more", words, sizeof words));
    assert_false(cache_has("more"));
    setenv("HAUL_CACHE_DIR", place, 1);
}

static void what_was_used_longest_ago_goes_first(void **state) {
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const struct timespec older[2] = {{.tv_sec = 900}, {.tv_sec = 900}};
    char other[96];
    (void)state;
    cache_trim(0);
    write_words();
    assert_true(cache_write("other", words, sizeof words));
    assert_true(cache_write("third", words, sizeof words));
    snprintf(other, sizeof other, "%s/other", place);
    assert_int_equal(utimensat(AT_FDCWD, path, older, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, other, old, 0), 0);
    assert_true(reads("thing", words, sizeof words)); /* marks it as recently used */
    const cache_usage usage = cache_measure();
    assert_int_equal(usage.files, 3);
    cache_trim(usage.bytes - 1);
    assert_false(cache_has("other"));
    assert_true(cache_has("thing"));
    assert_true(cache_has("third"));
}

enum { WRITES = 200, LARGE = 20000 };

static void write_often(char letter) {
    static char bytes[LARGE];
    memset(bytes, letter, sizeof bytes);
    for (unsigned k = 0; k < WRITES; k++)
        if (!cache_write("shared", bytes, sizeof bytes)) _exit(1);
    _exit(0);
}

static void processes_do_not_disturb_each_other(void **state) {
    int ended[2];
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        if (fork() == 0) write_often((char)('a' + k));
    for (unsigned k = 0; k < WRITES; k++) {
        text got = {0};
        if (cache_read("shared", &got)) {
            assert_int_equal(got.length, LARGE);
            for (size_t i = 1; i < got.length; i++) assert_int_equal(got.bytes[i], got.bytes[0]);
        }
        text_free(&got);
    }
    assert_true(wait(&ended[0]) > 0 && wait(&ended[1]) > 0);
    assert_int_equal(ended[0] | ended[1], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(the_folder_is_the_environments),
        cmocka_unit_test(nothing_is_kept_when_it_is_off),
        cmocka_unit_test(no_changed_bit_goes_unseen),
        cmocka_unit_test(files_that_are_not_whole_are_ignored),
        cmocka_unit_test(a_file_under_another_name_is_ignored),
        cmocka_unit_test(what_others_may_write_is_ignored),
        cmocka_unit_test(what_belongs_to_others_is_ignored),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_none),
        cmocka_unit_test(what_was_used_longest_ago_goes_first),
        cmocka_unit_test(processes_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
