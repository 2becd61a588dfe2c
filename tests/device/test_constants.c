/* Random transfers with constant descriptors: kernels are written as text, one for each, and compiled while the test
 * runs, for the code that folds is not the code that test_sweep.c runs. Every function of every team is called, in one
 * phase or in two. Each kernel is then compared with plain loops on the host.
 *
 * HAUL_SWEEP_POINTS: kernels for each machine; HAUL_SWEEP_SEED: the first one's seed; HAUL_TEST_DEVICE: another device.
 * Skipped where there is no kernel compiler. */
#include "machines.h"

#include "lib/compile.h"

#include <unistd.h>

static const char *const team_names[] = {"thread", "warp", "warps", "block"};
static const char *const team_values[] = {"haul_this_thread()", "haul_this_warp()",
                                          "haul_these_warps(p->team, p->threads, TEAM_BARRIER)", "haul_this_block(0)"};
static const char *const argument_names[VERBS] = {"LOAD_ARGUMENTS",       "GATHER_ARGUMENTS",     "HALO_LOAD_ARGUMENTS",
                                                  "TILE_LOAD_ARGUMENTS",  "STORE_ARGUMENTS",      "SCATTER_ARGUMENTS",
                                                  "HALO_STORE_ARGUMENTS", "TILE_STORE_ARGUMENTS", "STORE_ARGUMENTS",
                                                  "SCATTER_ARGUMENTS",    "TILE_STORE_ARGUMENTS"};

/* ---- the kernels' text ---- */

static void print_descriptor(text *out, verb v, const haul_transfer *t) {
    const unsigned long long how = t->how;
    if (is_halo(v))
        text_printf(out, "HAUL_HALO(t, %u, %u, %u, %u, %u, %u, %u, %#llxull);\n", t->element, t->box[0], t->box[1],
                    t->radius, t->shared_pitch, t->alignment, t->threads, how);
    else if (is_tile(v))
        text_printf(out, "HAUL_TILE(t, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %#llxull);\n", t->element, t->rank,
                    t->box[0], t->box[1], t->box[2], t->box[3], t->box[4], t->shared_pitch, t->alignment, t->threads,
                    how);
    else if (t->count == 1 && !is_indirect(v))
        text_printf(out, "HAUL_SEQUENTIAL(t, %u, %u, %u, %#llxull);\n", t->bytes, t->alignment, t->threads, how);
    else
        text_printf(out, "%s(t, %u, %u, %u, %lld, %u, %u, %#llxull);\n",
                    is_indirect(v) ? "HAUL_INDIRECT" : "HAUL_STRIDED", t->count, t->bytes, t->shared_pitch,
                    t->global_pitch, t->alignment, t->threads, how);
}

static void print_call(text *out, const batch *b) {
    const point *p = &b->points[0];
    const char *team = team_names[p->team_kind], *what = verb_names[b->verb];
    const char *self = p->team_kind == HAUL_TEAM_WARPS ? "self, " : "";
    if (p->flags & POINT_TWO_PHASES)
        text_printf(out, "HAUL_FLIGHT(f); haul_%s_%s_start(&f, %st, %s); haul_%s_%s(&f);", team, what, self,
                    argument_names[b->verb], team, p->flags & POINT_WAIT_READ ? "wait_read" : "wait");
    else
        text_printf(out, "haul_%s_%s(%st, %s);", team, what, self, argument_names[b->verb]);
}

/* HAUL_AUTO goes without. */
static bool may_lack_channel(const haul_transfer *t) {
    return HAUL_ENGINE_OF(t->how) == HAUL_AUTO;
}

static void print_kernel(text *out, const batch *b, unsigned number) {
    const point *p = &b->points[0];
    const char *team = team_names[p->team_kind];
    const char *self = p->team_kind == HAUL_TEAM_WARPS ? "self, " : "";
    const bool loads = direction_of(b->verb) == HAUL_DIRECTION_LOAD;
    if (loads)
        text_printf(out, "#undef ROUTE\n#define ROUTE %s\n", may_lack_channel(&p->t) && below(2) ? "0" : "&channel");
    text_printf(out, "%s_KERNEL(constant_%u, %s, ", loads ? "LOAD" : "STORE", number, team_values[p->team_kind]);
    if (loads) text_printf(out, "haul_%s_channel(%s&memory), ", team, self);
    print_descriptor(out, b->verb, &p->t);
    print_call(out, b);
    text_printf(out, ")\n\n");
}

/* ---- a run ---- */

/* In a file of its own, which is removed when it is compiled. */
static void compile_text(text *source, const char *architecture, text *ptx) {
    char path[] = "/tmp/haul_constants_XXXXXX.cu";
    const char *flags[] = {"-I", TEST_DATA "/../device"};
    const compile_options options = {.architecture = architecture, .flags = flags, .flag_count = COUNT(flags)};
    text messages = {0};
    const int file = mkstemps(path, 3);
    assert_true(file >= 0);
    assert_int_equal(write(file, text_string(source), source->length), (ssize_t)source->length);
    close(file);
    const haul_status status = compile_source(path, &options, ptx, &messages);
    if (status == HAUL_OK) unlink(path);
    if (status != HAUL_OK) fail_msg("%s: %s\n%.3000s", path, haul_message(), text_string(&messages));
    text_free(&messages);
}

static bool kernel_is_right(const machine *m, batch *b, unsigned number, uint64_t seed) {
    char kernel[32], where[96];
    size_t first;
    bench on = bench_open(b, m->device);
    snprintf(kernel, sizeof kernel, "constant_%u", number);
    snprintf(where, sizeof where, "%s HAUL_SWEEP_SEED=%llu", haul_device_name(m->device), (unsigned long long)seed);
    bool right = bench_launch(b, &on, m->module, kernel, 0, 1) == HAUL_OK;
    if (!right) print_error("%s: %s: %s\n", where, haul_message(), point_text(b, b->points));
    batch_carry_out(b);
    right = right && bench_agrees(b, &on, where, &first);
    bench_close(&on);
    return right;
}

static void run_constants(const char *device, unsigned arch, const char *architecture) {
    enum { MOST = 4096 };
    const unsigned long asked = from_environment("HAUL_SWEEP_POINTS", 32);
    const unsigned count = asked < MOST ? (unsigned)asked : MOST;
    const uint64_t seed = from_environment("HAUL_SWEEP_SEED", 1);
    const haul_device_options one_thread = {.threads = 1, .check = true};
    const char *other = getenv("HAUL_TEST_DEVICE");
    static batch *batches[MOST];
    machine m = {.arch = arch};
    text source = {0}, ptx = {0};
    unsigned wrong = 0;
    text_printf(&source, "#include \"transfer.cuh\"\n\n");
    for (unsigned i = 0; i < count; i++) {
        batches[i] = batch_draw(seed + i, arch, 1);
        if (below(2)) batches[i]->points[0].flags |= POINT_TWO_PHASES;
        print_kernel(&source, batches[i], i);
    }
    compile_text(&source, architecture, &ptx);
    must(haul_device_open(other ? other : device, &one_thread, &m.device));
    must(haul_module_load(m.device, "constants", text_string(&ptx), ptx.length, &m.module));
    for (unsigned i = 0; i < count; i++) {
        wrong += !kernel_is_right(&m, batches[i], i, seed + i);
        batch_free(batches[i]);
    }
    haul_device_close(m.device);
    text_free(&source);
    text_free(&ptx);
    if (wrong) fail_msg("%u kernels of %u are wrong", wrong, count);
}

static void skip_without_compiler(void) {
    text line = {0};
    const haul_status status = compile_find(NULL, &line);
    text_free(&line);
    if (status != HAUL_OK) skip();
}

static void constants_of_sm_80_are_right(void **state) {
    (void)state;
    skip_without_compiler();
    run_constants("sim:a100", 80, "sm_80");
}

static void constants_of_sm_90_are_right(void **state) {
    (void)state;
    skip_without_compiler();
    run_constants("sim:h100", 90, "sm_90");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_sm_80_are_right),
        cmocka_unit_test(constants_of_sm_90_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
