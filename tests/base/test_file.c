#include "base/file.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "haul-file-XXXXXX";

static int make_file(void **state) {
    (void)state;
    int f = mkstemp(path);
    return f < 0 ? -1 : close(f);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void reads_back_what_was_written(void **state) {
    (void)state;
    text written = {0}, read = {0};
    for (int i = 0; i < 100000; i++) text_append(&written, (const char *)&i, sizeof i);
    assert_int_equal(file_write(path, &written), HAUL_OK);
    text_put(&read, "before ");
    assert_int_equal(file_read(path, &read), HAUL_OK);
    assert_int_equal(read.length, 7 + written.length);
    assert_memory_equal(read.bytes + 7, written.bytes, written.length);
    text_free(&written);
    text_free(&read);
}

static void writes_and_reads_an_empty_file(void **state) {
    (void)state;
    text nothing = {0};
    assert_int_equal(file_write(path, &nothing), HAUL_OK);
    assert_int_equal(file_read(path, &nothing), HAUL_OK);
    assert_int_equal(nothing.length, 0);
    text_free(&nothing);
}

static void names_what_cannot_be_opened(void **state) {
    (void)state;
    text t = {0};
    assert_int_equal(file_read("no/such/file", &t), HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "no/such/file: cannot be opened"));
    assert_int_equal(file_write("no/such/file", &t), HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "no/such/file: cannot be written"));
}

static void gives_up_what_has_no_end(void **state) {
    (void)state;
    text t = {0};
    assert_int_equal(file_read("/dev/zero", &t), HAUL_ERROR_LIMIT);
    assert_string_equal(haul_message(), "/dev/zero has more than 256.00 MiB");
    text_free(&t);
}

static void tells_beforehand_what_cannot_be_written(void **state) {
    (void)state;
    text before = {0}, after = {0};
    char fresh[sizeof path + 4];
    text_put(&before, "kept");
    assert_int_equal(file_write(path, &before), HAUL_OK);
    assert_int_equal(file_check_output(path), HAUL_OK);
    assert_int_equal(file_read(path, &after), HAUL_OK);
    assert_string_equal(text_string(&after), "kept");
    snprintf(fresh, sizeof fresh, "%s.new", path);
    assert_int_equal(file_check_output(fresh), HAUL_OK);
    assert_int_not_equal(access(fresh, F_OK), 0);
    assert_int_equal(file_check_output("no/such/file"), HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "no/such/file: cannot be written"));
    assert_int_equal(file_check_output("."), HAUL_ERROR_FILE);
    text_free(&before);
    text_free(&after);
}

static void takes_no_directory_for_a_file(void **state) {
    (void)state;
    text t = {0};
    assert_int_equal(file_read(".", &t), HAUL_ERROR_FILE);
    assert_string_equal(haul_message(), ". is a directory, not a file");
}

static void notices_a_full_disk(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    text t = {0};
    text_put(&t, "more than fits");
    assert_int_equal(file_write("/dev/full", &t), HAUL_ERROR_FILE);
    text_free(&t);
}

static void stops_when_memory_is_out(void **state) {
    (void)state;
    text t = {0};
    memory_fail_after(3);
    assert_int_equal(file_read("/dev/zero", &t), HAUL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(file_write(path, &t), HAUL_ERROR_OUT_OF_MEMORY);
    text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_was_written),
        cmocka_unit_test(writes_and_reads_an_empty_file),
        cmocka_unit_test(names_what_cannot_be_opened),
        cmocka_unit_test(gives_up_what_has_no_end),
        cmocka_unit_test(tells_beforehand_what_cannot_be_written),
        cmocka_unit_test(takes_no_directory_for_a_file),
        cmocka_unit_test(notices_a_full_disk),
        cmocka_unit_test(stops_when_memory_is_out),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
