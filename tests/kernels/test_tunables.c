/* kernels/tunables.def and kernels/tuned/ agree with each other. */
#include <kernels/tunables.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void every_parameter_is_a_constant_of_every_architecture(void **state) {
    (void)state;
    static const uint32_t architectures[] = {80, 86, 90, 100};
    for (size_t i = 0; i < kernels_tunable_parameter_count; i++) {
        for (size_t k = 0; k < 4; k++) {
            const char *name = kernels_tunable_parameters[i].name, *value = kernels_constant(name, architectures[k]);
            if (!value || (strtol(value, NULL, 10) <= 0 && strncmp(value, "HAUL_", 5) != 0))
                fail_msg("%s is %s for sm_%u: kernels/tuned/ must define it", name, value ? value : "missing",
                         architectures[k]);
        }
    }
    assert_null(kernels_constant("NONE", 90));
}

static size_t rows_of(kernels_tunable_id id, const kernels_tunable_row *rows, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += rows[i].kernel == id;
    return found;
}

static void every_kernel_has_parameters_and_arguments(void **state) {
    (void)state;
    for (kernels_tunable_id id = 0; id < KERNELS_TUNABLES; id++) {
        assert_true(rows_of(id, kernels_tunable_parameters, kernels_tunable_parameter_count) > 0);
        assert_true(rows_of(id, kernels_tunable_arguments, kernels_tunable_argument_count) > 1);
        assert_true(kernels_tunables[id].reference_arguments <=
                    rows_of(id, kernels_tunable_arguments, kernels_tunable_argument_count));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_a_constant_of_every_architecture),
        cmocka_unit_test(every_kernel_has_parameters_and_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
