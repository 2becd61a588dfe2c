#include <kernels/tunables.h>

const kernels_tunable kernels_tunables[KERNELS_TUNABLES] = {
#define TUNABLE(id, ...) {__VA_ARGS__},
#include <kernels/tunables.def>
};

const kernels_tunable_row kernels_tunable_parameters[] = {
#define PARAMETER(id, name, values) {KERNELS_TUNABLE_##id, #name, values},
#include <kernels/tunables.def>
};
const size_t kernels_tunable_parameter_count = sizeof kernels_tunable_parameters / sizeof kernels_tunable_parameters[0];

const kernels_tunable_row kernels_tunable_arguments[] = {
#define ARGUMENT(id, text) {KERNELS_TUNABLE_##id, NULL, text},
#include <kernels/tunables.def>
};
const size_t kernels_tunable_argument_count = sizeof kernels_tunable_arguments / sizeof kernels_tunable_arguments[0];

const kernels_tunable_row kernels_tunable_requirements[] = {
#define REQUIREMENT(id, formula) {KERNELS_TUNABLE_##id, NULL, formula},
#include <kernels/tunables.def>
};
const size_t kernels_tunable_requirement_count =
    sizeof kernels_tunable_requirements / sizeof kernels_tunable_requirements[0];
