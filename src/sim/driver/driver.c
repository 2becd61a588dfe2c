#include "sim/driver/driver.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "ptx/inline.h"
#include "ptx/ir.h"
#include "sim/assembler/predicate.h"
#include "sim/assembler/sink.h"
#include "sim/assembler/unroll.h"
#include "sim/call.h"
#include "sim/compiled/compiled.h"
#include "sim/copy/tensor.h"
#include "sim/driver/internal.h"
#include "sim/grid.h"
#include "sim/heap.h"
#include "sim/lower/internal.h"
#include "sim/occupancy.h"
#include "sim/virtual/virtual.h"

#include <stdio.h>
#include <string.h>

static _Thread_local CUcontext current;
static _Thread_local uint64_t calls_left; /* until one is made to fail; 0: none is */

CUresult sim_result_of(haul_status status) {
    if (current) current->last = status;
    switch (status) {
    case HAUL_OK: return CUDA_SUCCESS;
    case HAUL_ERROR_ARGUMENT: return CUDA_INVALID_VALUE;
    case HAUL_ERROR_SYNTAX: return CUDA_INVALID_PTX;
    case HAUL_ERROR_UNSUPPORTED: return CUDA_NOT_SUPPORTED;
    case HAUL_ERROR_NOT_FOUND: return CUDA_NOT_FOUND;
    case HAUL_ERROR_LIMIT: return CUDA_LAUNCH_OUT_OF_RESOURCES;
    case HAUL_ERROR_OUT_OF_MEMORY: return CUDA_OUT_OF_MEMORY;
    case HAUL_ERROR_NO_DEVICE: return CUDA_NO_DEVICE;
    case HAUL_ERROR_FAULT: return CUDA_ILLEGAL_ADDRESS;
    case HAUL_ERROR_TIMEOUT:
    case HAUL_ERROR_DEADLOCK: return CUDA_LAUNCH_TIMEOUT;
    case HAUL_ERROR_TRAP: return CUDA_LAUNCH_FAILED;
    default: return CUDA_UNKNOWN;
    }
}

CUresult sim_enter(CUcontext *context) {
    *context = current;
    if (!current) return CUDA_INVALID_CONTEXT;
    if (!calls_left || --calls_left) return CUDA_SUCCESS;
    return sim_result_of(haul_fail(HAUL_ERROR_DRIVER, "virtual GPU: this call was made to fail"));
}

CUresult sim_wrong(const char *what) {
    return sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s", what));
}

/* ---- devices ---- */

CUresult sim_call_init(unsigned flags) {
    return flags ? sim_wrong("cuInit: flags must be 0") : CUDA_SUCCESS;
}

CUresult sim_call_version(int *out) {
    *out = 13000;
    return CUDA_SUCCESS;
}

CUresult sim_call_device_count(int *count) {
    *count = (int)sim_machine_count;
    return CUDA_SUCCESS;
}

CUresult sim_call_device_get(CUdevice *device, int ordinal) {
    if (ordinal < 0 || (size_t)ordinal >= sim_machine_count) return CUDA_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult sim_call_device_name(char *name, int length, CUdevice device) {
    snprintf(name, (size_t)length, "%s (virtual)", sim_machines[device].product);
    return CUDA_SUCCESS;
}

CUresult sim_call_device_attribute(int *value, int attribute, CUdevice device) {
    const sim_machine *m = &sim_machines[device];
    switch (attribute) {
    case DRIVER_DEVICE_MAX_THREADS_PER_BLOCK: *value = (int)m->max_threads_per_block; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MAX_BLOCK_X:
    case DRIVER_DEVICE_MAX_BLOCK_X + 1: *value = 1024; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MAX_BLOCK_X + 2: *value = 64; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MAX_GRID_X: *value = 0x7fffffff; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MAX_GRID_X + 1:
    case DRIVER_DEVICE_MAX_GRID_X + 2: *value = 65535; return CUDA_SUCCESS;
    case DRIVER_DEVICE_TEXTURE_ALIGNMENT: *value = SIM_TEXTURE_ALIGNMENT; return CUDA_SUCCESS;
    case DRIVER_DEVICE_TEXTURE_PITCH_ALIGNMENT: *value = SIM_TEXTURE_PITCH; return CUDA_SUCCESS;
    case DRIVER_DEVICE_WARP_SIZE: *value = SIM_LANES; return CUDA_SUCCESS;
    case DRIVER_DEVICE_CLOCK_KHZ: *value = (int)(m->sm_mhz * 1000); return CUDA_SUCCESS;
    case DRIVER_DEVICE_SM_COUNT: *value = (int)m->sms; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MEMORY_CLOCK_KHZ: *value = (int)(m->memory_mhz * 1000); return CUDA_SUCCESS;
    case DRIVER_DEVICE_L2_BYTES: *value = (int)m->l2_bytes; return CUDA_SUCCESS;
    case DRIVER_DEVICE_THREADS_PER_SM: *value = (int)m->max_threads_per_sm; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MAJOR: *value = (int)(m->sm / 10); return CUDA_SUCCESS;
    case DRIVER_DEVICE_MINOR: *value = (int)(m->sm % 10); return CUDA_SUCCESS;
    case DRIVER_DEVICE_SHARED_PER_SM: *value = (int)m->shared_per_sm; return CUDA_SUCCESS;
    case DRIVER_DEVICE_SHARED_OPTIN: *value = (int)m->shared_per_block_optin; return CUDA_SUCCESS;
    case DRIVER_DEVICE_COPY_ENGINES: *value = (int)m->copy_engines; return CUDA_SUCCESS;
    case DRIVER_DEVICE_CAN_MAP_HOST:
    case DRIVER_DEVICE_CONCURRENT_KERNELS:
    case DRIVER_DEVICE_UNIFIED_ADDRESSES:
    case DRIVER_DEVICE_VIRTUAL_MEMORY:
    case DRIVER_DEVICE_MEMORY_POOLS: *value = 1; return CUDA_SUCCESS;
    case DRIVER_DEVICE_MULTICAST: *value = m->sm >= 90; return CUDA_SUCCESS;
    case DRIVER_DEVICE_PERSISTING_L2_BYTES: *value = (int)(m->l2_bytes * 5 / 8); return CUDA_SUCCESS;
    case DRIVER_DEVICE_WINDOW_BYTES: *value = 128 << 20; return CUDA_SUCCESS;
    default: return sim_wrong("cuDeviceGetAttribute: attribute not known");
    }
}

CUresult sim_call_device_memory(size_t *bytes, CUdevice device) {
    *bytes = sim_machines[device].memory_bytes;
    return CUDA_SUCCESS;
}

static haul_status make_memory(uint64_t bytes, CUdevice device, sim_memory **out) {
    HAUL_TRY(sim_memory_create(bytes, out));
    const haul_status status = sim_memory_see_virtual(*out, (unsigned)device);
    if (status != HAUL_OK) sim_memory_free(*out);
    return status;
}

CUresult sim_call_context_retain(CUcontext *context, CUdevice device) {
    *context = NULL;
    CUcontext c = memory_zeroed(1, sizeof *c);
    if (!c) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a context"));
    c->device = device;
    c->machine = sim_machines[device];
    c->clock.machine = &c->machine;
    c->legacy = (struct CUstream_st){.context = c, .last = &c->legacy.first};
    haul_status status = make_memory(c->machine.memory_bytes, device, &c->memory);
    if (status != HAUL_OK) {
        memory_free(c);
        return sim_result_of(status);
    }
    *context = c;
    return CUDA_SUCCESS;
}

CUresult sim_call_context_set(CUcontext context) {
    current = context;
    return CUDA_SUCCESS;
}

/* Ends the current context: haul holds one for each open device. Work that nobody waited for is dropped. */
CUresult sim_call_context_release(CUdevice device) {
    (void)device;
    CUcontext c = current;
    if (!c) return CUDA_INVALID_CONTEXT;
    sim_free_graphs(c);
    sim_free_linkers(c);
    sim_free_streams(c);
    sim_free_pools(c);
    sim_free_pinned(c);
    sim_free_arrays(c);
    while (c->modules) sim_call_module_unload(c->modules);
    sim_heap_end(c->heap);
    memory_free(c->heap_users);
    sim_memory_free(c->memory);
    sim_clock_free(&c->clock);
    memory_free(c);
    current = NULL;
    return CUDA_SUCCESS;
}

/* ---- modules ---- */

static bool in_device_memory(const ptx_variable *v) {
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
}

static uint64_t address_of_variable(void *context, const ptx_variable *v) {
    CUmodule m = context;
    return m->addresses[v->index];
}

static void add_relocation(CUmodule m, unsigned char *bytes, const ptx_relocation *r) {
    if (!r->variable && !r->function) return;
    uint64_t address = r->variable ? m->addresses[r->variable->index] : sim_function_address(r->function);
    address = (address + (uint64_t)r->addend) >> r->shift;
    memcpy(bytes + r->at, &address, r->bytes < 8 ? r->bytes : 8);
}

/* As the assembler has it: the constant variables of a module share one bank. */
static haul_status check_bank(CUmodule m) {
    enum { BANK_BYTES = 64 * 1024 };
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (v->space != PTX_SPACE_CONST) continue;
        bytes = number_align(bytes, v->alignment) + v->size;
        if (bytes > BANK_BYTES)
            return haul_fail(HAUL_ERROR_LIMIT,
                             "%s:%u: constant variables take more than 64 KiB from %s on: put some in global memory",
                             m->ptx->name, v->position.line, v->name);
    }
    return HAUL_OK;
}

static haul_status allocate_variables(CUmodule m) {
    HAUL_TRY(check_bank(m));
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (!in_device_memory(v)) continue;
        if (v->is_extern)
            return haul_fail(HAUL_ERROR_SYNTAX,
                             "%s:%u: variable %s is extern: link the module with the one that defines it", m->ptx->name,
                             v->position.line, v->name);
        HAUL_TRY(sim_memory_allocate_last(m->context->memory, v->size, &m->addresses[v->index]));
    }
    return HAUL_OK;
}

static void initialise_variables(CUmodule m) {
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (!in_device_memory(v) || v->size == 0) continue;
        sim_memory_mark_written(m->context->memory, m->addresses[v->index], v->size);
        unsigned char *bytes = sim_memory_at(m->context->memory, m->addresses[v->index], v->size);
        if (v->initial)
            memcpy(bytes, v->initial, v->size);
        else
            memset(bytes, 0, v->size);
        for (size_t k = 0; k < v->relocation_count; k++) add_relocation(m, bytes, &v->relocations[k]);
    }
}

static haul_status load_variables(CUmodule m) {
    m->addresses = ARENA_ARRAY(&m->memory, m->ptx->variable_count + 1, uint64_t);
    if (!m->addresses) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", m->ptx->name);
    HAUL_TRY(allocate_variables(m));
    initialise_variables(m);
    return HAUL_OK;
}

static _Thread_local const char *image_name = "PTX";

static haul_status load(CUmodule *out, const char *source) {
    CUmodule m = memory_zeroed(1, sizeof *m);
    if (!m) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", image_name);
    m->context = current;
    haul_status status = sim_is_linked(source) ? sim_link_load(source, &m->ptx)
                                               : ptx_module_parse(image_name, source, strlen(source), &m->ptx);
    if (status != HAUL_OK) {
        memory_free(m);
        return status;
    }
    m->next = current->modules;
    current->modules = m;
    status = load_variables(m);
    if (status != HAUL_OK) {
        sim_call_module_unload(m);
        return status;
    }
    *out = m;
    return HAUL_OK;
}

/* What compilers of PTX can be asked for has no meaning here. */
CUresult sim_call_module_load(CUmodule *module, const void *image, unsigned option_count, int *options, void **values) {
    *module = NULL;
    SIM_ENTER(c);
    (void)c, (void)option_count, (void)options, (void)values;
    return sim_result_of(load(module, image));
}

static void unlink_module(CUmodule module) {
    for (CUmodule *m = &module->context->modules; *m; m = &(*m)->next) {
        if (*m != module) continue;
        *m = module->next;
        return;
    }
}

CUresult sim_call_module_unload(CUmodule m) {
    (void)sim_work_finish_all(m->context, false);
    unlink_module(m);
    for (CUfunction f = m->functions; f; f = f->next)
        if (f->heap_user) m->context->heap_users[f->heap_user - 1] = NULL;
    for (size_t i = 0; m->addresses && i < m->ptx->variable_count; i++)
        if (m->addresses[i]) sim_memory_release(m->context->memory, m->addresses[i]);
    for (CUfunction f = m->functions; f; f = f->next) sim_forget_program(f);
    arena_free(&m->memory);
    ptx_module_free(m->ptx);
    memory_free(m);
    return CUDA_SUCCESS;
}

CUresult sim_call_module_function(CUfunction *function, CUmodule module, const char *name) {
    *function = NULL;
    ptx_function *entry = ptx_find_entry(module->ptx, name);
    if (!entry)
        return sim_result_of(haul_fail(HAUL_ERROR_NOT_FOUND, "%s: has no kernel '%s'", module->ptx->name, name));
    for (CUfunction f = module->functions; f; f = f->next)
        if (f->entry == entry) *function = f;
    if (*function) return CUDA_SUCCESS;
    CUfunction f = ARENA_NEW(&module->memory, struct CUfunc_st);
    if (!f)
        return sim_result_of(
            haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for kernel '%s'", module->ptx->name, name));
    f->module = module;
    f->entry = entry;
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

CUresult sim_call_module_variable(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    SIM_ENTER(c);
    (void)c;
    for (size_t i = 0; i < module->ptx->variable_count; i++) {
        const ptx_variable *v = module->ptx->variables[i];
        if (!in_device_memory(v) || strcmp(v->name, name) != 0) continue;
        if (address) *address = module->addresses[v->index];
        if (bytes) *bytes = v->size;
        return CUDA_SUCCESS;
    }
    return sim_result_of(haul_fail(HAUL_ERROR_NOT_FOUND, "%s: has no variable '%s' in global or constant memory",
                                   module->ptx->name, name));
}

/* PTX for a later architecture runs as long as it uses nothing that the machine does not have: a kernel for sm_90 can
 * be looked at on an A100. */
static haul_status check_architecture(const CUmodule m, const ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        uint32_t needs = ptx_ops[i->op].sm, has = m->context->machine.sm;
        if (needs > has)
            return haul_fail(HAUL_ERROR_UNSUPPORTED,
                             "%s:%u:%u: '%s' needs sm_%u, but %s is sm_%u: choose another device", m->ptx->name,
                             i->position.line, i->position.column, ptx_ops[i->op].mnemonic, needs,
                             m->context->machine.name, has);
    }
    return HAUL_OK;
}

void sim_forget_program(CUfunction f) {
    if (f->program) sim_compiled_free(f->program->compiled);
    f->program = NULL;
}

/* Lowers a kernel when it is first needed; allocation failures of the arena land here. */
haul_status sim_prepare(CUfunction f) {
    jmp_buf out_of_memory;
    if (f->program) return HAUL_OK;
    CUmodule m = f->module;
    if (setjmp(out_of_memory)) {
        m->memory.out_of_memory = NULL;
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to prepare kernel '%s'", m->ptx->name,
                         f->entry->name);
    }
    ptx_function *flat;
    m->ptx->stack_bytes = m->context->stack_bytes;
    HAUL_TRY(ptx_inline_calls(m->ptx, f->entry, &flat));
    HAUL_TRY(check_architecture(m, flat));
    if (!m->context->check) { /* checks look at PTX as it was written */
        HAUL_TRY(sim_predicate_copies(m->ptx, flat, &flat));
        HAUL_TRY(sim_sink(m->ptx, flat, &flat));
        HAUL_TRY(sim_unroll(m->ptx, flat, &flat));
    }
    m->memory.out_of_memory = &out_of_memory;
    haul_status status = sim_lower(m->ptx, flat, &m->memory, address_of_variable, m, &f->program);
    m->memory.out_of_memory = NULL;
    if (status != HAUL_OK)
        f->program = NULL;
    else
        f->program->compiled = sim_compiled_create(f->program);
    return status;
}

CUresult sim_call_function_attribute(int *value, int attribute, CUfunction function) {
    haul_status status = sim_prepare(function);
    if (status != HAUL_OK) return sim_result_of(status);
    switch (attribute) {
    case DRIVER_FUNCTION_SHARED_BYTES: *value = (int)function->program->shared_bytes; return CUDA_SUCCESS;
    case DRIVER_FUNCTION_REGISTERS: *value = (int)function->program->registers; return CUDA_SUCCESS;
    default: return sim_wrong("cuFuncGetAttribute: attribute not known");
    }
}

/* Dynamic shared memory up to the opt-in limit needs no leave here; the launch checks it. */
CUresult sim_call_function_set(CUfunction function, int attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

CUresult sim_call_occupancy(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes) {
    const sim_machine *m = &function->module->context->machine;
    haul_status status = sim_prepare(function);
    if (status != HAUL_OK) return sim_result_of(status);
    if (threads < 1 || dynamic_shared_bytes > UINT32_MAX)
        return sim_wrong("cuOccupancyMaxActiveBlocksPerMultiprocessor: no such block");
    haul_occupancy o;
    sim_occupancy(m, function->program, (uint32_t)threads, (uint32_t)dynamic_shared_bytes, &o);
    *blocks = (int)o.blocks_per_sm;
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

static unsigned char *pack_parameters(CUfunction f, void **parameters) {
    const ptx_function *entry = f->program->function;
    unsigned char *packed = memory_zeroed(1, f->program->param_bytes + 16);
    uint64_t at = 0;
    for (size_t i = 0; packed && i < entry->param_count; i++) {
        const ptx_variable *v = entry->params[i];
        at = number_align(at, v->alignment);
        memcpy(packed + at, parameters[i], v->size);
        at += v->size;
    }
    return packed;
}

/* A grid of so many clusters. */
static void count_in_blocks(const ptx_function *f, uint32_t grid[3]) {
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t blocks = (uint64_t)grid[k] * (f->cluster[k] ? f->cluster[k] : 1);
        grid[k] = blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
    }
}

static uint8_t priority_of_access(int property) {
    switch (property) {
    case DRIVER_ACCESS_STREAMING: return SIM_PRIORITY_FIRST;
    case DRIVER_ACCESS_PERSISTING: return SIM_PRIORITY_LAST;
    default: return SIM_PRIORITY_DEMOTE;
    }
}

static sim_l2_window window_of(const CUaccessPolicyWindow *w) {
    return (sim_l2_window){.base = (uint64_t)(uintptr_t)w->base,
                           .bytes = w->bytes,
                           .sixteenths = (uint8_t)sim_policy_sixteenths((double)w->hit_ratio),
                           .hit = priority_of_access(w->hit),
                           .miss = priority_of_access(w->miss)};
}

static sim_launch describe(const sim_work *w) {
    CUcontext c = w->function->module->context;
    sim_launch l = {.program = w->function->program,
                    .machine = &c->machine,
                    .memory = c->memory,
                    .heap = c->heap,
                    .heap_user = w->function->heap_user,
                    .textures = &c->textures,
                    .params = w->parameters,
                    .dynamic_bytes = w->config.shared_bytes,
                    .threads = c->threads,
                    .instruction_limit = c->instruction_limit,
                    .check = c->check,
                    .schedule = c->schedule,
                    .seed = c->seed,
                    .print = c->print,
                    .window = window_of(&w->window),
                    .set_aside = c->persisting_l2};
    memcpy(l.grid, w->config.grid, sizeof l.grid);
    memcpy(l.block, w->config.block, sizeof l.block);
    memcpy(l.cluster, w->cluster, sizeof l.cluster);
    if (l.program->function->blocks_are_clusters) count_in_blocks(l.program->function, l.grid);
    return l;
}

/* The clock needs the record's estimate, if nobody else wants a record. */
haul_status sim_run_launch(const sim_work *w, double *us, sim_kernel_load *load) {
    haul_launch_record own = {0};
    arena memory = {0};
    bool wrote_host = false;
    sim_launch l = describe(w);
    l.wrote_host = &wrote_host;
    l.load = load;
    if (l.heap) sim_heap_begin_launch(l.heap);
    haul_launch_record *record = w->run ? &w->run->launches[w->run_launch] : &own;
    sim_memory_prepare_written(w->function->module->context->memory);
    sim_virtual_hold();
    const haul_status status = sim_launch_run(&l, w->run ? w->record_memory : &memory, record);
    sim_virtual_release_hold();
    if (status != HAUL_OK && !record->checked) record->ended_by = status;
    *us = record->estimate_us;
    CUcontext c = w->function->module->context;
    if (wrote_host) c->anywhere = ++c->effects;
    arena_free(&memory);
    return status;
}

/* From now on blocks can be told to be this kernel's. */
static haul_status add_heap_user(CUcontext c, CUfunction f) {
    if (f->heap_user) return HAUL_OK;
    CUfunction *users = memory_resize(c->heap_users, (c->heap_user_count + 1) * sizeof *users);
    if (!users) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device heap: no memory for its users");
    c->heap_users = users;
    users[c->heap_user_count++] = f;
    f->heap_user = c->heap_user_count;
    return HAUL_OK;
}

/* The heap is there from the first launch on that may use it. */
static haul_status prepare_heap(CUcontext c, CUfunction f) {
    if (!f->program->uses_heap) return HAUL_OK;
    HAUL_TRY(add_heap_user(c, f));
    if (c->heap) return HAUL_OK;
    return sim_heap_create(c->memory, c->heap_bytes ? c->heap_bytes : SIM_HEAP_BYTES, c->check, &c->heap);
}

static haul_status prepare_launch(sim_work *w, void **parameters) {
    haul_occupancy occupancy;
    HAUL_TRY(sim_prepare(w->function));
    HAUL_TRY(prepare_heap(w->function->module->context, w->function));
    w->parameters = pack_parameters(w->function, parameters);
    if (!w->parameters)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for the parameters of '%s'",
                         w->function->entry->name);
    const sim_launch l = describe(w);
    return sim_launch_check(&l, &occupancy);
}

static CUresult take_attributes(const CUlaunchConfig *config, sim_work *w) {
    for (unsigned a = 0; a < config->attribute_count; a++) {
        const CUlaunchAttribute *attribute = &config->attributes[a];
        switch (attribute->id) {
        case DRIVER_LAUNCH_ACCESS_POLICY_WINDOW: w->window = attribute->value.window; break;
        case DRIVER_LAUNCH_CLUSTER: memcpy(w->cluster, attribute->value.cluster, sizeof w->cluster); break;
        default:
            return sim_wrong("cuLaunchKernelEx: of the attributes only cluster dimension and access window are "
                             "supported");
        }
    }
    if (w->window.hit_ratio >= 0 && w->window.hit_ratio <= 1) return CUDA_SUCCESS;
    return sim_wrong("cuLaunchKernelEx: the window's hit ratio must lie between 0 and 1");
}

CUresult sim_call_launch_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
    CUstream s;
    SIM_ENTER(c);
    const CUresult found = sim_stream_of(c, config->stream, &s);
    if (found != CUDA_SUCCESS) return found;
    if (extra) return sim_wrong("launch: packed parameters are not supported");
    sim_work w = {.kind = SIM_WORK_LAUNCH,
                  .function = function,
                  .config = *config,
                  .window = s->window,
                  .run = c->run,
                  .run_launch = c->run_launch,
                  .record_memory = c->record_memory};
    const CUresult taken = take_attributes(config, &w);
    if (taken != CUDA_SUCCESS) return taken;
    const haul_status status = prepare_launch(&w, parameters);
    if (status == HAUL_OK) return sim_issue(s, &w);
    sim_work_release(&w);
    return sim_result_of(status);
}

CUresult sim_call_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                         void **extra) {
    const CUlaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream};
    return sim_call_launch_ex(&config, function, parameters, extra);
}

/* ---- tensor maps ---- */

static haul_status check_swizzle(const sim_tensor *t) {
    const sim_machine *m = current ? &current->machine : NULL;
    if (!m || m->sm >= 100 || t->swizzle <= SIM_TENSOR_SWIZZLE_128B) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "tensor map: swizzle %u is for devices from sm_100 on, %s is sm_%u",
                     t->swizzle, m->name, m->sm);
}

/* `walk` says how the box is walked; the rest is filled in here. */
static CUresult encode_map(CUtensorMap *map, const sim_tensor *walk, int type, unsigned rank, void *address,
                           const unsigned long long *extents, const unsigned long long *strides, const unsigned *box,
                           const unsigned *element_strides, int interleave, int swizzle, int promotion, int fill) {
    unsigned char packed[SIM_TENSOR_MAP_BYTES];
    if (!map || (uintptr_t)map % SIM_TENSOR_MAP_ALIGNMENT) return sim_wrong("tensor map: must be 64-byte aligned");
    if (!extents || !box || !element_strides || (rank > 1 && !strides))
        return sim_wrong("tensor map: an array is missing");
    sim_tensor t = *walk;
    t.type = (uint32_t)type;
    t.rank = rank;
    t.interleave = (uint32_t)interleave;
    t.swizzle = (uint32_t)swizzle;
    t.promotion = (uint32_t)promotion;
    t.fill = (uint32_t)fill;
    t.address = (uint64_t)(uintptr_t)address;
    for (uint32_t d = 0; d < rank && d < SIM_TENSOR_RANK; d++) {
        t.extent[d] = extents[d];
        if (d + 1 < rank && d + 1 < SIM_TENSOR_RANK) t.pitch[d] = strides[d];
        t.box[d] = box[d];
        t.step[d] = element_strides[d];
    }
    haul_status status = check_swizzle(&t);
    if (status == HAUL_OK) status = sim_tensor_check(&t);
    if (status != HAUL_OK) return sim_result_of(status);
    sim_tensor_pack(&t, packed);
    memcpy(map, packed, sizeof packed);
    return CUDA_SUCCESS;
}

CUresult sim_call_tensor_map(CUtensorMap *map, int type, unsigned rank, void *address,
                             const unsigned long long *extents, const unsigned long long *strides, const unsigned *box,
                             const unsigned *element_strides, int interleave, int swizzle, int promotion, int fill) {
    const sim_tensor tile = {.by_pixels = false};
    return encode_map(map, &tile, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}

CUresult sim_call_tensor_map_im2col(CUtensorMap *map, int type, unsigned rank, void *address,
                                    const unsigned long long *extents, const unsigned long long *strides,
                                    const int *lower, const int *upper, unsigned channels, unsigned pixels,
                                    const unsigned *element_strides, int interleave, int swizzle, int promotion,
                                    int fill) {
    const unsigned box[SIM_TENSOR_RANK] = {channels};
    if (!lower || !upper) return sim_wrong("tensor map: an array is missing");
    sim_tensor t = {.by_pixels = true, .pixels = pixels};
    for (uint32_t d = 0; d + 2 < rank && d < SIM_TENSOR_PLACE; d++) {
        t.lower[d] = lower[d];
        t.upper[d] = upper[d];
    }
    return encode_map(map, &t, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}

CUresult sim_call_tensor_map_im2col_wide(CUtensorMap *map, int type, unsigned rank, void *address,
                                         const unsigned long long *extents, const unsigned long long *strides,
                                         int lower, int upper, unsigned channels, unsigned pixels,
                                         const unsigned *element_strides, int interleave, int mode, int swizzle,
                                         int promotion, int fill) {
    const unsigned box[SIM_TENSOR_RANK] = {channels};
    SIM_ENTER(c);
    if (c->machine.sm < 100) return sim_wrong("cuTensorMapEncodeIm2colWide: only devices from sm_100 on have it");
    if (mode < 0 || mode > 1) return sim_wrong("cuTensorMapEncodeIm2colWide: the mode must be W or W128 (0, 1)");
    const sim_tensor t = {.by_pixels = true,
                          .wide = mode ? SIM_TENSOR_WIDE_W128 : SIM_TENSOR_WIDE_W,
                          .pixels = pixels > UINT16_MAX ? 0 : pixels,
                          .lower = {lower},
                          .upper = {upper}};
    return encode_map(map, &t, type, rank, address, extents, strides, box, element_strides, interleave, swizzle,
                      promotion, fill);
}

static const driver_table table = {
#define DRIVER(name, symbol, parameters) .name = sim_call_##name,
#include "driver/driver.def"
#undef DRIVER
};

const driver_table *sim_driver(void) {
    return &table;
}

/* ---- beyond the API ---- */

void sim_driver_set_threads(uint32_t threads) {
    current->threads = threads;
}

void sim_driver_set_limit(uint64_t limit) {
    current->instruction_limit = limit;
}

void sim_driver_set_checks(bool check, haul_schedule schedule, uint64_t seed) {
    current->check = check;
    if (check) sim_memory_keep_apart(current->memory);
    current->schedule = schedule;
    current->seed = seed;
}

static void add_leak(const sim_heap_block *b, haul_launch_record *r) {
    for (size_t i = 0; i < r->finding_count; i++) {
        if (r->findings[i].access.instruction != b->origin.access.instruction) continue;
        r->findings[i].count++;
        return;
    }
    r->findings[r->finding_count++] = (haul_finding){.kind = HAUL_FINDING_LEAK,
                                                     .grade = haul_finding_kinds[HAUL_FINDING_LEAK].grade,
                                                     .count = 1,
                                                     .access = b->origin.access,
                                                     .space = HAUL_SPACE_GLOBAL,
                                                     .address = b->address,
                                                     .bytes = b->bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)b->bytes};
}

static void describe_leaks(const sim_heap *heap, uint32_t user, arena *memory, haul_launch_record *r) {
    sim_heap_block b = {0};
    while (sim_heap_next(heap, &b))
        if (b.origin.user == user) add_leak(&b, r);
    for (size_t i = 0; i < r->finding_count; i++) {
        haul_finding *f = &r->findings[i];
        f->what =
            arena_printf(memory, "blocks that malloc() gave here were never freed; the first has %u bytes, at 0x%llx",
                         f->bytes, (unsigned long long)f->address);
    }
}

haul_status sim_driver_leaks(uint32_t *user, arena *memory, haul_launch_record *record) {
    sim_heap_block b = {0};
    const CUcontext c = current;
    const uint32_t after = *user;
    *user = UINT32_MAX;
    while (c->heap && sim_heap_next(c->heap, &b)) {
        const uint32_t of = b.origin.user;
        if (of > after && of < *user && c->heap_users[of - 1]) *user = of;
    }
    if (*user == UINT32_MAX) return HAUL_OK;
    const sim_program *p = c->heap_users[*user - 1]->program;
    HAUL_TRY(sim_record_program(p, memory, record));
    record->checked = true;
    record->findings = ARENA_ARRAY(memory, p->function->instruction_count, haul_finding);
    describe_leaks(c->heap, *user, memory, record);
    return HAUL_OK;
}

void sim_driver_set_print(sim_print_sink sink) {
    current->print = sink;
}

haul_status sim_driver_set_memory(uint64_t bytes) {
    sim_memory *memory;
    HAUL_TRY(make_memory(bytes, current->device, &memory));
    sim_heap_end(current->heap);
    current->heap = NULL;
    sim_memory_free(current->memory);
    current->memory = memory;
    if (current->check) sim_memory_keep_apart(memory);
    return HAUL_OK;
}

double sim_driver_now(void) {
    return current->clock.now;
}

void sim_driver_wait_until(double us) {
    if (us > current->clock.now) current->clock.now = us;
}

void sim_driver_fail_call(uint64_t n) {
    calls_left = n;
}

void sim_driver_record(haul_run *run, size_t launch, arena *memory) {
    current->run = run;
    current->run_launch = launch;
    current->record_memory = memory;
}

haul_status sim_driver_last_status(void) {
    return current ? current->last : HAUL_OK;
}

void sim_driver_name_image(const char *name) {
    image_name = name;
}

const ptx_module *sim_driver_module_ptx(CUmodule m) {
    return m->ptx;
}
