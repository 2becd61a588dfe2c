#include <kernels/kernels.h>

#include <string.h>

#define MODULE(name) extern const char haul_ptx_##name[], haul_ptx_##name##_end[];
#include "modules.def"
#undef MODULE

#define MODULE(name) {#name, haul_ptx_##name, haul_ptx_##name##_end},
const haul_kernel_module haul_kernel_modules[] = {
#include "modules.def"
};
#undef MODULE

const size_t haul_kernel_module_count = sizeof haul_kernel_modules / sizeof haul_kernel_modules[0];

const haul_kernel_module *haul_kernel_module_find(const char *name) {
    for (size_t i = 0; i < haul_kernel_module_count; i++) {
        if (strcmp(haul_kernel_modules[i].name, name) == 0) return &haul_kernel_modules[i];
    }
    return NULL;
}
