/* Fetched values equal an H100's bit for bit: tests/data/textures. With HAUL_TEST_DEVICE=gpu in the environment a real
 * GPU runs them; HAUL_TEST_RECORD=FILE writes its results. */
#include "textures.h"

#include <haul/haul.h>
#include <setjmp.h>
#include <cmocka.h>

#include "vgpu/driver.h"

static const tex_case cases[] = {
#include "texture_cases.def"
};
enum { CASES = sizeof cases / sizeof *cases, WORDS = TEX_ITEMS * 4 };

static const driver_table *table;
static uint32_t recorded[CASES][WORDS];

static void open_table(void) {
    const char *device = getenv("HAUL_TEST_DEVICE");
    CUdevice number = 0;
    CUcontext context;
    if (device && strcmp(device, "gpu") == 0) {
        assert_int_equal(driver_load(&table), HAUL_OK);
        table->device_get(&number, 0);
    } else {
        table = sim_driver();
        number = (CUdevice)(sim_machine_find("h100") - sim_machines);
    }
    assert_int_equal(table->context_retain(&context, number), CUDA_SUCCESS);
    table->context_set(context);
}

static void read_recorded(void) {
    FILE *f = fopen(TEST_DATA "/textures/h100.bin", "rb");
    assert_non_null(f);
    assert_int_equal(fread(recorded, sizeof *recorded, CASES, f), CASES);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
}

static unsigned count_misses(const uint32_t got[WORDS], const uint32_t expected[WORDS]) {
    unsigned misses = 0;
    for (unsigned i = 0; i < TEX_ITEMS; i++) misses += memcmp(got + i * 4, expected + i * 4, 16) != 0;
    return misses;
}

static void each_case_gives_the_bits_of_an_h100(void **state) {
    (void)state;
    static uint32_t got[WORDS];
    unsigned wrong = 0;
    for (size_t c = 0; c < CASES; c++) {
        memset(got, 0xdd, sizeof got);
        assert_int_equal(tex_run(table, &cases[c], got), CUDA_SUCCESS);
        const unsigned misses = count_misses(got, recorded[c]);
        if (misses == cases[c].misses) continue;
        print_error("%s: %u of %u items differ, %u were expected to\n", cases[c].name, misses, TEX_ITEMS,
                    cases[c].misses);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void record(const char *path) {
    static uint32_t got[WORDS];
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (size_t c = 0; c < CASES; c++) {
        assert_int_equal(tex_run(table, &cases[c], got), CUDA_SUCCESS);
        assert_int_equal(fwrite(got, sizeof got, 1, f), 1);
    }
    fclose(f);
}

static int start(void **state) {
    (void)state;
    open_table();
    if (getenv("HAUL_TEST_RECORD")) record(getenv("HAUL_TEST_RECORD"));
    read_recorded();
    return 0;
}

static int end(void **state) {
    (void)state;
    return table->context_release(0) == CUDA_SUCCESS ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_case_gives_the_bits_of_an_h100)};
    return cmocka_run_group_tests(tests, start, end);
}
