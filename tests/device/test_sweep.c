/* Random transfers, each compared byte for byte with plain loops on the host: what arrives in shared memory with all
 * that lies around and between the rows, or what becomes of global memory. One machine has the asynchronous copies of
 * sm_80, the other bulk and tensor copies too.
 *
 * HAUL_SWEEP_POINTS: how many on each machine; HAUL_SWEEP_SEED: where to begin (a failure names its seed);
 * HAUL_TEST_DEVICE: another device than the virtual GPUs. */
#include "machines.h"

static bool batch_is_right(const machine *on, uint64_t seed, unsigned count) {
    char kernel[32], where[96];
    size_t first;
    batch *b = batch_draw(seed, on->arch, count);
    bench m = bench_open(b, on->device);
    snprintf(kernel, sizeof kernel, "run_%s", verb_names[b->verb]);
    snprintf(where, sizeof where, "%s sm_%u HAUL_SWEEP_SEED=%llu", haul_device_name(on->device), on->arch,
             (unsigned long long)seed);
    bool right = bench_launch(b, &m, on->module, kernel, 0, count) == HAUL_OK;
    if (!right) print_error("%s: %s: %s\n", where, kernel, haul_message());
    batch_carry_out(b);
    right = right && bench_agrees(b, &m, where, &first);
    bench_close(&m);
    batch_free(b);
    return right;
}

static void sweep(const char *device, unsigned arch, const char *source, unsigned long usual) {
    const unsigned long points = from_environment("HAUL_SWEEP_POINTS", usual);
    uint64_t seed = from_environment("HAUL_SWEEP_SEED", 1);
    unsigned wrong = 0;
    machine m = machine_open(device, arch, source);
    for (unsigned long done = 0; done < points; done += BATCH) wrong += !batch_is_right(&m, seed++, BATCH);
    haul_device_close(m.device);
    if (wrong) fail_msg("%u batches of %lu are wrong", wrong, (points + BATCH - 1) / BATCH);
}

static void transfers_of_sm_80_are_right(void **state) {
    (void)state;
    sweep("sim:a100", 80, "transfer", 2400);
}

static void transfers_of_sm_90_are_right(void **state) {
    (void)state;
    sweep("sim:h100", 90, "transfer", 2400);
}

/* Correct uses pass all checks of HAUL_DEBUG. */
static void debug_builds_do_not_object(void **state) {
    (void)state;
    sweep("sim:a100", 80, "transfer_debug", 480);
    sweep("sim:h100", 90, "transfer_debug", 480);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_of_sm_80_are_right),
        cmocka_unit_test(transfers_of_sm_90_are_right),
        cmocka_unit_test(debug_builds_do_not_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
