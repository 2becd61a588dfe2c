/* Random transfers, each held byte for byte against plain loops on the host: what arrives in shared memory with all
 * that lies around and between the rows, or what becomes of global memory. One machine has the asynchronous copies of
 * sm_80, the other bulk and tensor copies too.
 *
 * HAUL_SWEEP_POINTS: how many on each machine; HAUL_SWEEP_SEED: where to begin (a failure names its seed);
 * HAUL_TEST_DEVICE: another device than the virtual GPUs. */
#include "points.h"

static unsigned long from_environment(const char *name, unsigned long otherwise) {
    const char *value = getenv(name);
    return value ? strtoul(value, NULL, 0) : otherwise;
}

static char *file_text(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

static haul_module *module_for(haul_device *device, unsigned arch) {
    char path[512];
    size_t length = 0;
    haul_module *module;
    snprintf(path, sizeof path, "%s/tests/device_transfer.sm_%u.ptx", TEST_BUILD, arch);
    char *ptx = file_text(path, &length);
    if (!ptx) fail_msg("%s is missing", path);
    must(haul_module_load(device, "transfer.cu", ptx, length, &module));
    free(ptx);
    return module;
}

static bool batch_is_right(haul_device *device, haul_module *module, unsigned arch, uint64_t seed, unsigned count) {
    char kernel[32], where[96];
    batch *b = batch_draw(seed, arch, count);
    bench m = bench_open(b, device);
    snprintf(kernel, sizeof kernel, "run_%s", verb_names[b->verb]);
    snprintf(where, sizeof where, "%s sm_%u HAUL_SWEEP_SEED=%llu", haul_device_name(device), arch,
             (unsigned long long)seed);
    bool right = bench_launch(b, &m, module, kernel, 0, count) == HAUL_OK;
    if (!right) print_error("%s: %s: %s\n", where, kernel, haul_message());
    batch_carry_out(b);
    right = right && bench_agrees(b, &m, where);
    bench_close(&m);
    batch_free(b);
    return right;
}

static void sweep(const char *name, unsigned arch) {
    const unsigned long points = from_environment("HAUL_SWEEP_POINTS", 2400);
    uint64_t seed = from_environment("HAUL_SWEEP_SEED", 1);
    unsigned wrong = 0;
    const haul_device_options one_thread = {.threads = 1};
    haul_device *device;
    must(haul_device_open(name, &one_thread, &device)); /* tests run side by side */
    haul_module *module = module_for(device, arch);
    for (unsigned long done = 0; done < points; done += BATCH, seed++)
        wrong += !batch_is_right(device, module, arch, seed, BATCH);
    haul_device_close(device);
    if (wrong) fail_msg("%u batches of %lu are wrong", wrong, (points + BATCH - 1) / BATCH);
}

static void sweep_with(const char *virtual_device, unsigned arch) {
    const char *device = getenv("HAUL_TEST_DEVICE");
    sweep(device ? device : virtual_device, arch);
}

static void transfers_of_sm_80_are_right(void **state) {
    (void)state;
    sweep_with("sim:a100", 80);
}

static void transfers_of_sm_90_are_right(void **state) {
    (void)state;
    sweep_with("sim:h100", 90);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_of_sm_80_are_right),
        cmocka_unit_test(transfers_of_sm_90_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
