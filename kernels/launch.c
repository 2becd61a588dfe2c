#include <kernels/kernels.h>
#include <kernels/launch.h>
#include <kernels/tunables.h>

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct haul_kernels {
    haul_device *device;
    bool outruns_pacing;    /* asked once: drivers take long to tell a clock */
    uint32_t most_blocks;   /* limit for forms that stride; 0: as many as the device holds */
    haul_module *modules[]; /* as in haul_kernel_modules; NULL until needed */
};

static bool memory_outruns_pacing(const haul_device *device) {
    const double most = 30e9; /* bytes a second for each SM */
    return haul_device_memory_rate(device) > most * haul_device_sm_count(device);
}

haul_status haul_kernels_open(haul_device *device, haul_kernels **kernels) {
    *kernels = memory_zeroed(1, sizeof **kernels + haul_kernel_module_count * sizeof(haul_module *));
    if (!*kernels)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its kernels", haul_device_name(device));
    (*kernels)->device = device;
    (*kernels)->outruns_pacing = memory_outruns_pacing(device);
    return HAUL_OK;
}

void haul_kernels_close(haul_kernels *k) {
    for (size_t i = 0; k && i < haul_kernel_module_count; i++) haul_module_unload(k->modules[i]);
    memory_free(k);
}

void haul_kernels_limit_blocks(haul_kernels *k, uint32_t blocks) {
    k->most_blocks = blocks;
}

/* ---- modules ---- */

haul_status kernels_module(haul_kernels *k, const char *name, haul_module **module) {
    const haul_kernel_module *m = haul_kernel_module_find(name, haul_device_architecture(k->device));
    if (!m) return haul_fail(HAUL_ERROR_NOT_FOUND, "kernels: there is no module '%s'", name);
    haul_module **kept = &k->modules[m - haul_kernel_modules];
    if (!*kept) HAUL_TRY(haul_module_load(k->device, m->name, m->ptx, (size_t)(m->end - m->ptx), kept));
    *module = *kept;
    return HAUL_OK;
}

/* ---- tuned constants ---- */

static const kernels_tables *tables_for(uint32_t architecture) {
    return architecture < kernels_tables_sm_90.architecture ? &kernels_tables_sm_80 : &kernels_tables_sm_90;
}

const char *kernels_constant(const char *name, uint32_t architecture) {
    const kernels_tables *t = tables_for(architecture);
    for (size_t i = 0; i < t->constant_count; i++)
        if (strcmp(t->constants[i].name, name) == 0) return t->constants[i].value;
    return NULL;
}

uint32_t kernels_sm_count(const haul_kernels *k) {
    return haul_device_sm_count(k->device);
}

uint32_t kernels_architecture(const haul_kernels *k) {
    return haul_device_architecture(k->device);
}

uint32_t kernels_tuned(const haul_kernels *k, const char *name) {
    const char *value = kernels_constant(name, haul_device_architecture(k->device));
    return value ? (uint32_t)strtoul(value, NULL, 0) : 0;
}

/* The form in the module that the device gets: the architecture that it was compiled for decides. */
static const haul_kernel_form *form_of(const haul_kernels *k, const kernels_launch *l) {
    const haul_kernel_form *shown = &l->forms[l->form];
    const haul_kernel_module *m = haul_kernel_module_find(shown->module, haul_device_architecture(k->device));
    const kernels_tables *t = tables_for(m ? m->architecture : 0);
    for (size_t i = 0; i < t->family_count; i++)
        if (t->families[i].shown == l->forms) return &t->families[i].own[l->form];
    return shown;
}

bool kernels_memory_outruns_pacing(const haul_kernels *k) {
    return k->outruns_pacing;
}

/* ---- checks ---- */

static haul_status check_form(const haul_kernels *k, const kernels_launch *l) {
    if (l->form == 0 || l->form >= l->form_count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: form %u: there are forms 1 to %u, and 0 for the recommended one",
                         l->function, l->form, l->form_count - 1);
    const haul_kernel_form *f = &l->forms[l->form];
    if (haul_device_architecture(k->device) >= f->architecture) return HAUL_OK;
    return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: form %s: needs sm_%u, %s is older: use another form", l->function,
                     f->name, f->architecture, haul_device_name(k->device));
}

static haul_status check_buffer(const kernels_launch *l, const kernels_argument *a) {
    if (!a->value.buffer) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %s: no buffer given", l->function, a->name);
    uint64_t bytes = haul_buffer_bytes(a->value.buffer);
    if (bytes >= a->bytes) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %s: the buffer has %llu bytes, %llu are needed", l->function, a->name,
                     (unsigned long long)bytes, (unsigned long long)a->bytes);
}

static haul_status check_distinct(const kernels_launch *l, const kernels_argument *written) {
    for (size_t i = 0; i < l->argument_count; i++) {
        const kernels_argument *a = &l->arguments[i];
        if (a != written && a->name && a->value.buffer == written->value.buffer)
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s: %s is written and cannot be the same buffer as %s", l->function,
                             written->name, a->name);
    }
    return HAUL_OK;
}

static haul_status check(const haul_kernels *k, const kernels_launch *l) {
    HAUL_TRY(check_form(k, l));
    if (!l->extent[0])
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: there are no elements: 1 or more must be", l->function);
    for (size_t i = 0; i < l->argument_count; i++) {
        const kernels_argument *a = &l->arguments[i];
        if (a->value.kind != HAUL_ARGUMENT_BUFFER) continue;
        HAUL_TRY(check_buffer(l, a));
        if (a->written) HAUL_TRY(check_distinct(l, a));
    }
    return HAUL_OK;
}

/* ---- launches ---- */

/* Blocks that the device holds at once, at least one; at most `most` an SM, if that is not 0. */
static haul_status count_resident(const haul_kernels *k, haul_module *module, const haul_launch *l, uint32_t most,
                                  uint64_t *blocks) {
    uint32_t per_sm;
    HAUL_TRY(haul_module_blocks_per_sm(module, l->kernel, l->block[0] * l->block[1], l->shared_bytes, &per_sm));
    if (most && per_sm > most) per_sm = most;
    *blocks = (uint64_t)per_sm * haul_device_sm_count(k->device);
    if (*blocks == 0) *blocks = 1;
    return HAUL_OK;
}

/* A grid that strides does so in its last dimension. Kernels with a z dimension stride there in all forms. */
static haul_status choose_grid(const haul_kernels *k, haul_module *module, const kernels_launch *l,
                               const haul_kernel_form *f, haul_launch *out) {
    const uint32_t tile[3] = {f->tile[0], f->tile[1], 1};
    const int last = l->extent[2] ? 2 : l->extent[1] ? 1 : 0;
    uint64_t blocks[3], limit = k->most_blocks;
    for (int d = 0; d < 3; d++) blocks[d] = l->extent[d] ? (l->extent[d] - 1) / tile[d] + 1 : 1;
    if (l->blocks_in_y) blocks[1] = l->blocks_in_y;
    if (f->grid == HAUL_GRID_STRIDES) {
        if (!limit) HAUL_TRY(count_resident(k, module, out, l->blocks_per_sm, &limit));
        for (int d = 0; d < last; d++) limit /= blocks[d];
        if (blocks[last] > limit) blocks[last] = limit ? limit : 1;
    }
    if (blocks[2] > UINT16_MAX) blocks[2] = UINT16_MAX;
    if (blocks[0] > INT32_MAX || blocks[1] > UINT16_MAX)
        return haul_fail(HAUL_ERROR_LIMIT, "%s: too large: a grid has at most 2^31 - 1 x 65535 blocks", l->function);
    for (int d = 0; d < 3; d++) out->grid[d] = (uint32_t)blocks[d];
    return HAUL_OK;
}

haul_status kernels_run(haul_kernels *k, const kernels_launch *l, haul_run *run) {
    haul_module *module;
    haul_argument arguments[KERNELS_MOST_ARGUMENTS];
    HAUL_TRY(check(k, l));
    const haul_kernel_form *f = form_of(k, l);
    haul_launch launch = {.kernel = l->kernel ? l->kernel : f->kernel,
                          .block = {f->block[0], f->block[1], 1},
                          .shared_bytes = f->shared_bytes + l->extra_shared_bytes,
                          .arguments = arguments,
                          .argument_count = l->argument_count};
    for (size_t i = 0; i < l->argument_count; i++) arguments[i] = l->arguments[i].value;
    HAUL_TRY(kernels_module(k, f->module, &module));
    HAUL_TRY(choose_grid(k, module, l, f, &launch));
    if (launch.shared_bytes) HAUL_TRY(haul_module_allow_shared(module, launch.kernel, launch.shared_bytes));
    return haul_launch_run(module, &launch, run);
}
