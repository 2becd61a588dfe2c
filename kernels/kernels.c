#include <kernels/kernels.h>

#include <string.h>

#define MODULE(name, sm) extern const char haul_ptx_##name##_for_##sm[], haul_ptx_##name##_for_##sm##_end[];
#include <modules.def>
#undef MODULE

#define MODULE(name, sm) {#name, sm, haul_ptx_##name##_for_##sm, haul_ptx_##name##_for_##sm##_end},
const haul_kernel_module haul_kernel_modules[] = {
#include <modules.def>
};
#undef MODULE

const size_t haul_kernel_module_count = sizeof haul_kernel_modules / sizeof haul_kernel_modules[0];

const haul_kernel_module *haul_kernel_module_find(const char *name, uint32_t architecture) {
    const haul_kernel_module *found = NULL;
    for (size_t i = 0; i < haul_kernel_module_count; i++) {
        const haul_kernel_module *m = &haul_kernel_modules[i];
        if (strcmp(m->name, name) == 0 && (!found || m->architecture <= architecture)) found = m;
    }
    return found;
}
