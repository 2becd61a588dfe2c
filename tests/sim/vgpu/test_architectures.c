/* A virtual GPU runs an instruction that its architecture has, whatever target the module names. */
#include "kernel.h"

#define FOR(target, body) ".version 9.2\n.target " target "\n.address_size 64\n" BEGIN body END

static void runs_on(const char *device, const char *ptx) {
    uint32_t out[32] = {0};
    run_kernel(&(kernel_run){.ptx = ptx, .device = device, INTO(out)});
}

static void is_refused_on(const char *device, const char *ptx, const char *text) {
    expect_failure(&(kernel_run){.ptx = ptx, .device = device}, HAUL_ERROR_UNSUPPORTED, text);
}

static void a_module_for_a_later_target_runs_without_its_features(void **state) {
    (void)state;
    runs_on("sim:a100", FOR("sm_120a", "add.u32 %r3, %r0, 1;\n" OUT("%r3")));
}

static void a_later_feature_is_refused(void **state) {
    (void)state;
    is_refused_on("sim:a100", FOR("sm_90", "fence.acq_rel.cluster;\n"),
                  "needs sm_90 or later, but a100 is sm_80; choose another device");
}

static void a_feature_of_one_architecture_is_refused_on_later_ones(void **state) {
    (void)state;
    static const char wgmma[] = FOR("sm_90a", "wgmma.fence.sync.aligned;\n");
    static const char tensor_memory[] = FOR("sm_100a", "tcgen05.wait::ld.sync.aligned;\n");
    runs_on("sim:h200", wgmma);
    is_refused_on("sim:b200", wgmma, "needs sm_90a, but b200 is sm_100");
    runs_on("sim:b200", tensor_memory);
    is_refused_on("sim:rtx5090", tensor_memory, "needs sm_100f or sm_110f, but rtx5090 is sm_120");
}

static void a_feature_of_a_family_runs_on_it_alone(void **state) {
    (void)state;
    static const char saturated[] = FOR("sm_121f", "add.sat.u8x4 %r3, %r0, %r0;\n" OUT("%r3"));
    runs_on("sim:rtx5090", saturated);
    is_refused_on("sim:b200", saturated, "choose another device");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_for_a_later_target_runs_without_its_features),
        cmocka_unit_test(a_later_feature_is_refused),
        cmocka_unit_test(a_feature_of_one_architecture_is_refused_on_later_ones),
        cmocka_unit_test(a_feature_of_a_family_runs_on_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
