/* Finds the kernel of a module by name. It is separate from kernel_name.c, which is part of libraries that load no
 * modules. */
#include "lib/kernel_name.h"

#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"

/* Fails if several kernels match, or none. `symbols` and `found` have room for all. */
static haul_status choose(const haul_module *m, const char *name, const char **symbols, size_t count, size_t *found,
                          const char **symbol) {
    for (size_t i = 0; i < count; i++) symbols[i] = haul_module_kernel_name(m, i);
    const size_t matches = kernel_name_find(name, symbols, count, found);
    if (matches == 1) *symbol = symbols[found[0]];
    if (matches > 1) return kernel_name_ambiguous(name, symbols, found, matches);
    return matches ? HAUL_OK : kernel_name_unknown(name, m->name, symbols, count);
}

haul_status haul_module_find_kernel(const haul_module *m, const char *name, const char **symbol) {
    const size_t count = haul_module_kernel_count(m);
    *symbol = name;
    if (!m->ptx) return HAUL_OK;
    const char **symbols = memory_zeroed(count, sizeof *symbols);
    size_t *found = memory_zeroed(count, sizeof *found);
    haul_status status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its kernels", m->name);
    if (symbols && found) status = choose(m, name, symbols, count, found, symbol);
    memory_free((void *)symbols);
    memory_free(found);
    return status;
}
