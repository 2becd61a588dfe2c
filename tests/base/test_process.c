/* Started programs: their output, how they end, and that none outlives its time limit. */
#include "base/process.h"

#include <haul/status.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct outcome {
    haul_status status;
    process_end end;
    text out, errors;
} outcome;

static outcome shell(const char *script, process_options options) {
    const char *arguments[] = {"/bin/sh", "-c", script, NULL};
    outcome o = {0};
    o.status = process_run(arguments, &options, &o.out, &o.errors, &o.end);
    return o;
}

static void end_outcome(outcome *o) {
    text_free(&o->out);
    text_free(&o->errors);
}

static void both_streams_and_the_exit_status_come_back(void **state) {
    (void)state;
    outcome o = shell("echo out; echo wrong >&2; exit 7", (process_options){0});
    assert_int_equal(o.status, HAUL_OK);
    assert_int_equal(o.end.code, 7);
    assert_int_equal(o.end.signal, 0);
    assert_string_equal(text_string(&o.out), "out\n");
    assert_string_equal(text_string(&o.errors), "wrong\n");
    end_outcome(&o);
}

static void much_output_on_both_streams_blocks_nobody(void **state) {
    (void)state;
    outcome o = shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero", (process_options){.alone = true});
    assert_int_equal(o.status, HAUL_OK);
    assert_int_equal(o.out.length, 1000000);
    assert_int_equal(o.errors.length, 1000000);
    end_outcome(&o);
}

static void there_is_no_standard_input(void **state) {
    (void)state;
    outcome o = shell("cat; echo done", (process_options){.seconds = 60});
    assert_string_equal(text_string(&o.out), "done\n");
    end_outcome(&o);
}

static void a_signal_that_ends_it_is_told(void **state) {
    (void)state;
    outcome o = shell("kill -SEGV $$", (process_options){.alone = true});
    assert_int_equal(o.status, HAUL_OK);
    assert_int_equal(o.end.code, -1);
    assert_int_equal(o.end.signal, SIGSEGV);
    end_outcome(&o);
}

static void what_takes_too_long_is_killed_with_what_it_started(void **state) {
    (void)state;
    outcome o = shell("echo begun; sleep 1000 & sleep 1000", (process_options){.seconds = 1, .alone = true});
    assert_int_equal(o.status, HAUL_OK);
    assert_true(o.end.too_slow);
    assert_int_equal(o.end.signal, SIGKILL);
    assert_string_equal(text_string(&o.out), "begun\n");
    end_outcome(&o);
}

/* The sleeper holds the streams open; this would hang if it were not killed. */
static void what_outlives_the_program_is_killed(void **state) {
    (void)state;
    outcome o = shell("sleep 1000 & kill -KILL $$", (process_options){.seconds = 100, .alone = true});
    assert_int_equal(o.status, HAUL_OK);
    assert_false(o.end.too_slow);
    assert_int_equal(o.end.signal, SIGKILL);
    end_outcome(&o);
}

static void an_interruption_ends_the_program_and_is_an_error(void **state) {
    (void)state;
    text script = {0};
    text_printf(&script, "kill -TERM %d; sleep 1000", (int)getpid());
    outcome o = shell(text_string(&script), (process_options){.seconds = 100, .alone = true});
    assert_int_equal(o.status, HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "was interrupted"));
    end_outcome(&o);
    text_free(&script);
}

static void a_program_that_is_not_there_is_an_error(void **state) {
    (void)state;
    const char *arguments[] = {"/nonexistent/program", NULL};
    outcome o = {0};
    assert_int_equal(process_run(arguments, NULL, &o.out, &o.errors, &o.end), HAUL_ERROR_FILE);
    assert_non_null(strstr(haul_message(), "/nonexistent/program: cannot be started: "));
    end_outcome(&o);
}

static void programs_are_found_in_the_path(void **state) {
    (void)state;
    text path = {0};
    assert_true(process_find("sh", &path));
    assert_non_null(strstr(text_string(&path), "/sh"));
    assert_true(process_find("/bin/sh", &path));
    assert_string_equal(text_string(&path), "/bin/sh");
    assert_false(process_find("no-such-program", &path));
    assert_false(process_find("/etc", &path));
    assert_false(process_find("", &path));
    text_free(&path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_streams_and_the_exit_status_come_back),
        cmocka_unit_test(much_output_on_both_streams_blocks_nobody),
        cmocka_unit_test(there_is_no_standard_input),
        cmocka_unit_test(a_signal_that_ends_it_is_told),
        cmocka_unit_test(what_takes_too_long_is_killed_with_what_it_started),
        cmocka_unit_test(what_outlives_the_program_is_killed),
        cmocka_unit_test(an_interruption_ends_the_program_and_is_an_error),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(programs_are_found_in_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
