/* The cache of compiled code, in memory and on disk: a kernel that is loaded again needs no compiler. Entries that are
 * damaged, untrusted or of another kernel are ignored. */
#include "kernel.h"

#include "base/cache.h"
#include "jit/compiled.h"
#include "jit/code_cache.h"

#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 64 };

static char folder[] = "/tmp/haul-kept-XXXXXX";

/* A loop over shared memory; the first word of `in` is the distance between lanes. */
static const char kernel[] =
    KERNEL(".shared .align 16 .b8 buffer[8192];\nld.global.u32 %r9, [%rd1];\nmov.u32 %r8, buffer;\n"
           "mad.lo.u32 %r9, %r0, %r9, %r8;\nmov.u32 %r3, 0;\nmov.u32 %r4, %r0;\n"
           "$loop:\nst.shared.u32 [%r9], %r4;\nld.shared.u32 %r5, [%r9];\nmad.lo.u32 %r4, %r4, 5, %r5;\n"
           "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 400;\n@%p0 bra $loop;\n" OUT("%r4"));

static void run_in(const char *mode, uint32_t stride, uint32_t out[THREADS]) {
    memset(out, 0, THREADS * sizeof *out);
    if (mode)
        setenv("HAUL_COMPILE", mode, 1);
    else
        unsetenv("HAUL_COMPILE");
    run_kernel(&(kernel_run){.ptx = kernel,
                             .threads = THREADS,
                             .in = &stride,
                             .in_bytes = sizeof stride,
                             .out = out,
                             .out_bytes = THREADS * sizeof *out});
}

/* Runs the kernel with every block compiled before its second run. Returns the number of blocks that LLVM compiled. */
static unsigned made_by_running(uint32_t stride) {
    uint32_t want[THREADS], got[THREADS];
    const unsigned before = sim_compiler_made();
    run_in("off", stride, want);
    run_in("2", stride, got);
    assert_memory_equal(got, want, sizeof want);
    return sim_compiler_made() - before;
}

static void find_file(char path[512]) {
    DIR *files = opendir(folder);
    *path = 0;
    for (const struct dirent *d; (d = readdir(files));)
        if (!strncmp(d->d_name, "kernel-", 7)) snprintf(path, 512, "%s/%s", folder, d->d_name);
    closedir(files);
    assert_true(*path);
}

static const char *file_name(const char *path) {
    return strrchr(path, '/') + 1;
}

static int begin_empty(void **state) {
    (void)state;
    cache_trim(0);
    sim_code_cache_forget();
    return 0;
}

static void a_second_load_needs_no_compiler(void **state) {
    (void)state;
    const unsigned made = made_by_running(4), kept = sim_compiler_cached();
    assert_true(made > 0);
    assert_int_equal(made_by_running(4), 0);
    assert_int_equal(sim_compiler_cached() - kept, made);
}

static void a_new_process_needs_none(void **state) {
    (void)state;
    assert_true(made_by_running(4) > 0);
    sim_code_cache_forget();
    assert_int_equal(made_by_running(4), 0);
}

static void nothing_is_kept_when_it_is_off(void **state) {
    (void)state;
    setenv("HAUL_CACHE", "off", 1);
    const unsigned made = made_by_running(4);
    assert_true(made > 0);
    assert_int_equal(made_by_running(4), made);
    setenv("HAUL_CACHE", "memory", 1);
    assert_int_equal(made_by_running(4), made);
    assert_int_equal(made_by_running(4), 0);
    assert_int_equal(cache_measure().files, 0);
    unsetenv("HAUL_CACHE");
}

/* The compiling thread installs the code, so the test waits for it. */
static void hot_blocks_are_there_when_a_kernel_is_loaded(void **state) {
    haul_device *device;
    haul_module *module;
    uint32_t in[1] = {4}, out[THREADS] = {0}, want[THREADS];
    (void)state;
    const unsigned made_before = made_by_running(4);
    run_in("off", 4, want);
    sim_code_cache_forget();
    unsetenv("HAUL_COMPILE");
    const unsigned made = sim_compiler_made(), kept = sim_compiler_cached();
    const kernel_run r = {.threads = THREADS, FROM(in), INTO(out), .ptx = kernel};
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_load(device, "test.ptx", kernel, strlen(kernel), &module), HAUL_OK);
    assert_int_equal(launch_on(device, module, &r), HAUL_OK);
    while (sim_compiler_cached() - kept < made_before) sched_yield();
    assert_memory_equal(out, want, sizeof want);
    assert_int_equal(launch_on(device, module, &r), HAUL_OK);
    assert_memory_equal(out, want, sizeof want);
    haul_device_close(device);
    assert_int_equal(sim_compiler_made(), made);
}

/* Code made for one shape of lanes also handles others, directly or through the interpreter. */
static void other_shapes_are_the_same(void **state) {
    (void)state;
    assert_true(made_by_running(4) > 0);
    for (uint32_t stride = 0; stride <= 64; stride += 4) {
        sim_code_cache_forget();
        (void)made_by_running(stride);
    }
}

static void damaged_files_are_made_anew(void **state) {
    char path[512];
    struct stat about;
    (void)state;
    const unsigned made = made_by_running(4);
    for (unsigned k = 0; k < 24; k++) {
        find_file(path);
        assert_int_equal(stat(path, &about), 0);
        const long at = (long)(k * 2654435761u % (unsigned)about.st_size);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1 << k % 8, file);
        fclose(file);
        sim_code_cache_forget();
        assert_int_equal(made_by_running(4), made);
    }
}

/* Rewrites the kernel's file, with a valid checksum. */
static void rewrite(const char *path, const char *bytes, size_t size) {
    assert_true(cache_write(file_name(path), bytes, size));
    sim_code_cache_forget();
}

static void files_of_another_form_are_ignored(void **state) {
    char path[512];
    text whole = {0};
    (void)state;
    const unsigned made = made_by_running(4);
    find_file(path);
    assert_true(cache_read(file_name(path), &whole));
    whole.bytes[0]++; /* the version */
    rewrite(path, whole.bytes, whole.length);
    assert_int_equal(made_by_running(4), made);
    whole.bytes[0]--;
    whole.bytes[9]++; /* the compiler's identity */
    rewrite(path, whole.bytes, whole.length);
    assert_int_equal(made_by_running(4), made);
    whole.bytes[9]--;
    for (size_t size = 0; size < whole.length; size += 1 + size / 16) {
        rewrite(path, whole.bytes, size);
        assert_true(made_by_running(4) <= made);
    }
    rewrite(path, whole.bytes, whole.length);
    assert_int_equal(made_by_running(4), 0);
    text_free(&whole);
}

static void files_of_others_are_ignored(void **state) {
    char path[512];
    (void)state;
    const unsigned made = made_by_running(4);
    find_file(path);
    sim_code_cache_forget();
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(made_by_running(4), made);
    sim_code_cache_forget();
    assert_int_equal(made_by_running(4), 0);
}

static void a_folder_that_cannot_be_written_does_no_harm(void **state) {
    (void)state;
    setenv("HAUL_CACHE_DIR", "/proc/haul", 1);
    const unsigned made = made_by_running(4);
    sim_code_cache_forget();
    assert_int_equal(made_by_running(4), made);
    setenv("HAUL_CACHE_DIR", folder, 1);
}

static int set_up(void **state) {
    (void)state;
    unsetenv("HAUL_CACHE");
    if (!sim_compiler()) return 0;
    return !mkdtemp(folder) || setenv("HAUL_CACHE_DIR", folder, 1);
}

static int tear_down(void **state) {
    (void)state;
    cache_trim(0);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_second_load_needs_no_compiler, begin_empty),
        cmocka_unit_test_setup(a_new_process_needs_none, begin_empty),
        cmocka_unit_test_setup(nothing_is_kept_when_it_is_off, begin_empty),
        cmocka_unit_test_setup(hot_blocks_are_there_when_a_kernel_is_loaded, begin_empty),
        cmocka_unit_test_setup(other_shapes_are_the_same, begin_empty),
        cmocka_unit_test_setup(damaged_files_are_made_anew, begin_empty),
        cmocka_unit_test_setup(files_of_another_form_are_ignored, begin_empty),
        cmocka_unit_test_setup(files_of_others_are_ignored, begin_empty),
        cmocka_unit_test_setup(a_folder_that_cannot_be_written_does_no_harm, begin_empty),
    };
    if (!sim_compiler()) {
        print_message("interpreted only: %s\n", sim_compiler_why_not());
        return 0;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
