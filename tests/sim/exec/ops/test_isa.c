/* Runs the instruction tests of tests/sim/exec/isa on the virtual GPU, or with HAUL_TEST_DEVICE=gpu on the real one. */
#include "driver/driver.h"
#include "../isa/cases.h"
#include "vgpu/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SCRATCH_BYTES = 4096 };

static const driver_table *driver;
/* Contexts of the default machine, and of two with newer instructions: sm_100 and sm_120. */
static CUcontext usual, newer, newest;
static unsigned usual_sm;

typedef struct tally {
    unsigned tests, failures;
} tally;

static bool good(CUresult result, const isa_case *c, const char *what) {
    if (result == CUDA_SUCCESS) return true;
    fprintf(stderr, "%s:%u: %s: %s: %s\n", c->file, c->line, what, driver_result_name(result), haul_message());
    return false;
}

/* ---- inputs and outputs ---- */

static value expected(const isa_case *c, const register_case *r, unsigned thread) {
    static const value zero;
    const bool runs = c->lanes >> (thread & 31) & 1;
    if (runs && r->after_count) return r->after[thread % r->after_count];
    return r->before_count ? r->before[thread % r->before_count] : zero;
}

static uint64_t *fill_inputs(const isa_case *c) {
    uint64_t *in = calloc((size_t)c->register_count * c->threads + 1, SLOT_BYTES);
    assert_non_null(in);
    for (unsigned n = 0; n < c->register_count; n++) {
        const register_case *r = &c->registers[n];
        for (unsigned t = 0; r->before_count && t < c->threads; t++)
            in[n * c->threads + t] = r->before[t % r->before_count].bits;
    }
    return in;
}

static bool close_enough(const isa_case *c, const register_case *r, uint64_t want, uint64_t got) {
    const double w = as_double(r->type, want), g = as_double(r->type, got);
    if (isnan(w) || isinf(w) || w == 0) return want == got || (c->absolute > 0 && fabs(g - w) <= c->absolute);
    return fabs(g - w) <= fmax(c->absolute, c->relative * fabs(w));
}

static bool agrees(const isa_case *c, const register_case *r, value want, uint64_t got) {
    if (want.any_nan) return isnan(as_double(r->type, got));
    return want.bits == got || (r->approximate && close_enough(c, r, want.bits, got));
}

static void report(const isa_case *c, const register_case *r, unsigned thread, uint64_t got) {
    const uint64_t want = expected(c, r, thread).bits;
    const int digits = (int)(ptx_bits(r->type) + 3) / 4;
    fprintf(stderr, "%s:%u: %.*s thread %u: %s is %0*llx, expected %0*llx", c->file, c->line,
            (int)strcspn(text_string(&c->ptx), "\n"), text_string(&c->ptx), thread, r->name, digits,
            (unsigned long long)got, digits, (unsigned long long)want);
    if (is_float(r->type)) fprintf(stderr, " (%a, %a)", as_double(r->type, got), as_double(r->type, want));
    fputc('\n', stderr);
}

/* Reports the first wrong thread of each register. */
static bool compare(const isa_case *c, const uint64_t *out) {
    bool all = true;
    for (unsigned n = 0; n < c->register_count; n++) {
        const register_case *r = &c->registers[n];
        for (unsigned t = 0; r->after_count && t < c->threads; t++) {
            const uint64_t got = out[n * c->threads + t] & mask_of(r->type);
            if (agrees(c, r, expected(c, r, t), got)) continue;
            report(c, r, t, got);
            all = false;
            break;
        }
    }
    return all;
}

/* ---- one test ---- */

static CUresult launch(CUfunction function, unsigned threads, CUdeviceptr in, CUdeviceptr out, CUdeviceptr scratch) {
    void *parameters[] = {&in, &out, &scratch};
    const CUresult result = driver->launch(function, 1, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
    return result == CUDA_SUCCESS ? driver->synchronize() : result;
}

static bool fails_as_wanted(const isa_case *c, CUresult result) {
    if (result != CUDA_SUCCESS && strstr(haul_message(), c->fails)) return true;
    fprintf(stderr, "%s:%u: should have failed with '%s': %s\n", c->file, c->line, c->fails, haul_message());
    return false;
}

/* `memory`: scratch, inputs, outputs. Outputs start as the inputs, for threads that exit before they store. */
static bool runs(const isa_case *c, CUfunction function, CUdeviceptr memory, uint64_t *values) {
    const size_t bytes = (size_t)c->register_count * c->threads * SLOT_BYTES;
    const CUdeviceptr in = memory + SCRATCH_BYTES, out = in + bytes;
    if (!good(driver->fill_bytes(memory, 0, SCRATCH_BYTES), c, "memory")) return false;
    if (bytes && !good(driver->copy_to_device(in, values, bytes), c, "input")) return false;
    if (bytes && !good(driver->copy_to_device(out, values, bytes), c, "output")) return false;
    const CUresult result = launch(function, c->threads, in, out, memory);
    if (c->must_fail) return fails_as_wanted(c, result);
    if (!good(result, c, "launch")) return false;
    return !bytes || (good(driver->copy_to_host(values, out, bytes), c, "result") && compare(c, values));
}

static bool runs_from_text(const isa_case *c, const char *ptx) {
    const size_t bytes = SCRATCH_BYTES + (size_t)c->register_count * c->threads * SLOT_BYTES * 2;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    if (!good(driver->module_load(&module, ptx, 0, NULL, NULL), c, "module")) return false;
    if (!good(driver->allocate(&memory, bytes), c, "memory")) return false;
    uint64_t *values = fill_inputs(c);
    const bool passed =
        good(driver->module_function(&function, module, "test"), c, "kernel") && runs(c, function, memory, values);
    free(values);
    driver->release(memory);
    driver->module_unload(module);
    return passed;
}

/* Returns false if there is no device for it. */
static bool choose_device(const isa_case *c) {
    const unsigned sm = (unsigned)atoi(c->target + strlen("sm_"));
    const CUcontext context = sm <= usual_sm ? usual : sm < 120 ? newer : newest;
    return context && good(driver->context_set(context), c, "device");
}

static void run_case(const isa_case *c, void *counts) {
    tally *t = counts;
    text ptx = {0};
    unsigned first, end;
    if ((c->must_fail || c->only_virtual) && driver != sim_driver()) return; /* a failure ends a real context */
    if (!choose_device(c)) return;
    put_kernel(&ptx, c, &first, &end);
    t->tests++;
    t->failures += !runs_from_text(c, text_string(&ptx));
    text_free(&ptx);
}

/* ---- files ---- */

static void runs_as_the_file_says(void **state) {
    tally t = {0};
    read_cases(*state, run_case, &t);
    if (!t.tests && driver != sim_driver()) skip(); /* nothing in the file is for this GPU */
    assert_int_not_equal(t.tests, 0);
    assert_int_equal(t.failures, 0);
}

static void must(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "the device cannot be opened: %s\n", haul_message());
    exit(2);
}

static CUcontext open_context(int ordinal) {
    CUdevice device;
    CUcontext context;
    must(driver->device_get(&device, ordinal));
    must(driver->context_retain(&context, device));
    must(driver->context_set(context));
    if (driver == sim_driver()) sim_driver_set_threads(1); /* one block: nothing to share out */
    return context;
}

static void open_devices(void) {
    const char *wanted = getenv("HAUL_TEST_DEVICE");
    const bool real = wanted && strcmp(wanted, "gpu") == 0;
    int major, minor;
    driver = sim_driver();
    if (real && driver_load(&driver) != HAUL_OK) {
        fprintf(stderr, "%s\n", haul_message());
        exit(2);
    }
    must(driver->init(0));
    const int ordinal = real ? 0 : (int)(sim_machine_find("h100") - sim_machines);
    usual = open_context(ordinal);
    must(driver->device_attribute(&major, DRIVER_DEVICE_MAJOR, ordinal));
    must(driver->device_attribute(&minor, DRIVER_DEVICE_MINOR, ordinal));
    usual_sm = (unsigned)(10 * major + minor);
    if (real) return;
    newer = open_context((int)(sim_machine_find("b200") - sim_machines));
    newest = open_context((int)(sim_machine_find("rtx5090") - sim_machines));
}

int main(void) {
    char *paths[MAX_FILES];
    struct CMUnitTest tests[MAX_FILES] = {{0}};
    const unsigned count = list_files(paths);
    open_devices();
    for (unsigned n = 0; n < count; n++) {
        tests[n] = (struct CMUnitTest){strrchr(paths[n], '/') + 1, runs_as_the_file_says, NULL, NULL, paths[n]};
    }
    const int failed = _cmocka_run_group_tests("isa", tests, count, NULL, NULL);
    for (unsigned n = 0; n < count; n++) free(paths[n]);
    return failed;
}
