#include "sim/driver.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "ptx/inline.h"
#include "ptx/ir.h"
#include "sim/estimate.h"
#include "sim/grid.h"
#include "sim/lower_internal.h"
#include "sim/occupancy.h"
#include "sim/tensor.h"

#include <stdio.h>
#include <string.h>

/* A context is a device in use. A module holds its PTX, its variables' memory and, once launched, its kernels'
 * programs; all end with the module, and modules with their context. */
struct CUfunc_st {
    CUmodule module;
    ptx_function *entry;
    sim_program *program; /* NULL until first needed */
    struct CUfunc_st *next;
};

struct CUmod_st {
    CUcontext context;
    ptx_module *ptx;
    arena memory;
    uint64_t *addresses; /* of module variables, by index */
    CUfunction functions;
    CUmodule next;
};

/* What the clock showed. */
struct CUevent_st {
    CUcontext context;
    bool recorded;
    double us;
    CUevent next;
};

struct CUctx_st {
    const sim_machine *machine;
    sim_memory *memory;
    CUmodule modules;
    CUevent events;
    double clock_us; /* what launches and copies are estimated to have taken, once there are events */
    uint32_t threads;
    uint64_t instruction_limit;
    bool check;
    haul_schedule schedule;
    uint64_t seed;
    sim_print_sink print;
    haul_launch_record *record;
    arena *record_memory;
    haul_status last;
};

static _Thread_local CUcontext current;

static CUresult result_of(haul_status status) {
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

static CUresult wrong(const char *what) {
    return result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s", what));
}

/* ---- devices ---- */

static CUresult init(unsigned flags) {
    return flags ? wrong("cuInit: flags must be 0") : CUDA_SUCCESS;
}

static CUresult version(int *out) {
    *out = 13000;
    return CUDA_SUCCESS;
}

static CUresult device_count(int *count) {
    *count = (int)sim_machine_count;
    return CUDA_SUCCESS;
}

static CUresult device_get(CUdevice *device, int ordinal) {
    if (ordinal < 0 || (size_t)ordinal >= sim_machine_count) return CUDA_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static CUresult device_name(char *name, int length, CUdevice device) {
    snprintf(name, (size_t)length, "%s (virtual)", sim_machines[device].product);
    return CUDA_SUCCESS;
}

static CUresult device_attribute(int *value, int attribute, CUdevice device) {
    const sim_machine *m = &sim_machines[device];
    switch (attribute) {
    case DRIVER_DEVICE_MAX_THREADS_PER_BLOCK: *value = (int)m->max_threads_per_block; return CUDA_SUCCESS;
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
    default: return wrong("cuDeviceGetAttribute: attribute not known");
    }
}

static CUresult device_memory(size_t *bytes, CUdevice device) {
    *bytes = sim_machines[device].memory_bytes;
    return CUDA_SUCCESS;
}

static CUresult context_retain(CUcontext *context, CUdevice device) {
    *context = NULL;
    CUcontext c = memory_zeroed(1, sizeof *c);
    if (!c) return result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a context"));
    c->machine = &sim_machines[device];
    haul_status status = sim_memory_create(c->machine->memory_bytes, &c->memory);
    if (status != HAUL_OK) {
        memory_free(c);
        return result_of(status);
    }
    *context = c;
    return CUDA_SUCCESS;
}

static CUresult context_set(CUcontext context) {
    current = context;
    return CUDA_SUCCESS;
}

static CUresult module_unload(CUmodule module);
static CUresult event_destroy(CUevent event);

/* Ends the current context: haul holds one for each open device. */
static CUresult context_release(CUdevice device) {
    (void)device;
    CUcontext c = current;
    if (!c) return CUDA_INVALID_CONTEXT;
    while (c->modules) module_unload(c->modules);
    while (c->events) event_destroy(c->events);
    sim_memory_free(c->memory);
    memory_free(c);
    current = NULL;
    return CUDA_SUCCESS;
}

static CUresult synchronize(void) {
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
    if (!r->variable) return;
    uint64_t address = (m->addresses[r->variable->index] + (uint64_t)r->addend) >> r->shift;
    memcpy(bytes + r->at, &address, r->bytes < 8 ? r->bytes : 8);
}

static haul_status allocate_variables(CUmodule m) {
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (!in_device_memory(v)) continue;
        if (v->is_extern)
            return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s:%u: variable %s is extern: linking modules is not supported",
                             m->ptx->name, v->position.line, v->name);
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
    haul_status status = ptx_module_parse(image_name, source, strlen(source), &m->ptx);
    if (status != HAUL_OK) {
        memory_free(m);
        return status;
    }
    m->next = current->modules;
    current->modules = m;
    status = load_variables(m);
    if (status != HAUL_OK) {
        module_unload(m);
        return status;
    }
    *out = m;
    return HAUL_OK;
}

static CUresult module_load(CUmodule *module, const void *image) {
    *module = NULL;
    if (!current) return CUDA_INVALID_CONTEXT;
    return result_of(load(module, image));
}

static void unlink_module(CUmodule module) {
    for (CUmodule *m = &module->context->modules; *m; m = &(*m)->next) {
        if (*m != module) continue;
        *m = module->next;
        return;
    }
}

static CUresult module_unload(CUmodule m) {
    unlink_module(m);
    for (size_t i = 0; m->addresses && i < m->ptx->variable_count; i++)
        if (m->addresses[i]) sim_memory_release(m->context->memory, m->addresses[i]);
    arena_free(&m->memory);
    ptx_module_free(m->ptx);
    memory_free(m);
    return CUDA_SUCCESS;
}

static CUresult module_function(CUfunction *function, CUmodule module, const char *name) {
    *function = NULL;
    ptx_function *entry = ptx_find_entry(module->ptx, name);
    if (!entry) return result_of(haul_fail(HAUL_ERROR_NOT_FOUND, "%s: has no kernel '%s'", module->ptx->name, name));
    for (CUfunction f = module->functions; f; f = f->next)
        if (f->entry == entry) *function = f;
    if (*function) return CUDA_SUCCESS;
    CUfunction f = ARENA_NEW(&module->memory, struct CUfunc_st);
    if (!f)
        return result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for kernel '%s'", module->ptx->name, name));
    f->module = module;
    f->entry = entry;
    f->next = module->functions;
    module->functions = f;
    *function = f;
    return CUDA_SUCCESS;
}

/* PTX for a later architecture runs as long as it uses nothing that the machine does not have: a kernel for sm_90 can
 * be looked at on an A100. */
static haul_status check_architecture(const CUmodule m, const ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        uint32_t needs = ptx_ops[i->op].sm, has = m->context->machine->sm;
        if (needs > has)
            return haul_fail(HAUL_ERROR_UNSUPPORTED,
                             "%s:%u:%u: '%s' needs sm_%u, but %s is sm_%u: choose another device", m->ptx->name,
                             i->position.line, i->position.column, ptx_ops[i->op].mnemonic, needs,
                             m->context->machine->name, has);
    }
    return HAUL_OK;
}

/* Lowers a kernel when it is first needed; allocation failures of the arena land here. */
static haul_status prepare(CUfunction f) {
    jmp_buf out_of_memory;
    if (f->program) return HAUL_OK;
    CUmodule m = f->module;
    if (setjmp(out_of_memory)) {
        m->memory.out_of_memory = NULL;
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to prepare kernel '%s'", m->ptx->name,
                         f->entry->name);
    }
    ptx_function *flat;
    HAUL_TRY(ptx_inline_calls(m->ptx, f->entry, &flat));
    HAUL_TRY(check_architecture(m, flat));
    m->memory.out_of_memory = &out_of_memory;
    haul_status status = sim_lower(m->ptx, flat, &m->memory, address_of_variable, m, &f->program);
    m->memory.out_of_memory = NULL;
    if (status != HAUL_OK) f->program = NULL;
    return status;
}

static CUresult function_attribute(int *value, int attribute, CUfunction function) {
    haul_status status = prepare(function);
    if (status != HAUL_OK) return result_of(status);
    switch (attribute) {
    case DRIVER_FUNCTION_SHARED_BYTES: *value = (int)function->program->shared_bytes; return CUDA_SUCCESS;
    case DRIVER_FUNCTION_REGISTERS: *value = (int)function->program->registers; return CUDA_SUCCESS;
    default: return wrong("cuFuncGetAttribute: attribute not known");
    }
}

/* Dynamic shared memory up to the opt-in limit needs no leave here; the launch checks it. */
static CUresult function_set(CUfunction function, int attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

static CUresult occupancy(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes) {
    const sim_machine *m = function->module->context->machine;
    haul_status status = prepare(function);
    if (status != HAUL_OK) return result_of(status);
    if (threads < 1 || dynamic_shared_bytes > UINT32_MAX)
        return wrong("cuOccupancyMaxActiveBlocksPerMultiprocessor: no such block");
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
        uint64_t alignment = v->alignment ? v->alignment : 1;
        at = (at + alignment - 1) / alignment * alignment;
        memcpy(packed + at, parameters[i], v->size);
        at += v->size;
    }
    return packed;
}

/* A launch between events whose record nobody wants: its time is in one all the same. */
static haul_status run_timed(const sim_launch *l, CUcontext c) {
    haul_launch_record record = {0};
    arena memory;
    arena_init(&memory, NULL);
    haul_status status = sim_launch_run(l, &memory, &record);
    if (status == HAUL_OK) c->clock_us += record.estimate_us;
    arena_free(&memory);
    return status;
}

static haul_status run(CUfunction f, const CUlaunchConfig *config, const uint32_t cluster[3], void **parameters) {
    CUcontext c = f->module->context;
    HAUL_TRY(prepare(f));
    unsigned char *packed = pack_parameters(f, parameters);
    if (!packed)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for the parameters of '%s'", f->entry->name);
    sim_launch l = {.program = f->program,
                    .machine = c->machine,
                    .memory = c->memory,
                    .params = packed,
                    .dynamic_bytes = config->shared_bytes,
                    .threads = c->threads,
                    .instruction_limit = c->instruction_limit,
                    .check = c->check,
                    .schedule = c->schedule,
                    .seed = c->seed,
                    .print = c->print};
    memcpy(l.grid, config->grid, sizeof l.grid);
    memcpy(l.block, config->block, sizeof l.block);
    memcpy(l.cluster, cluster, sizeof l.cluster);
    haul_status status = c->events && !c->record ? run_timed(&l, c) : sim_launch_run(&l, c->record_memory, c->record);
    if (c->record && status == HAUL_OK) c->clock_us += c->record->estimate_us;
    memory_free(packed);
    return status;
}

static CUresult launch_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
    uint32_t cluster[3] = {0};
    if (config->stream || extra) return wrong("launch: streams and packed parameters are not supported");
    for (unsigned a = 0; a < config->attribute_count; a++) {
        if (config->attributes[a].id != DRIVER_LAUNCH_CLUSTER)
            return wrong("cuLaunchKernelEx: of the attributes only the cluster dimension is supported");
        memcpy(cluster, config->attributes[a].value.cluster, sizeof cluster);
    }
    return result_of(run(function, config, cluster, parameters));
}

static CUresult launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                       void **extra) {
    const CUlaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes,
                                   .stream = stream};
    return launch_ex(&config, function, parameters, extra);
}

/* ---- memory ---- */

static CUresult memory_info(size_t *free, size_t *total) {
    uint64_t left, all;
    if (!current) return CUDA_INVALID_CONTEXT;
    sim_memory_usage(current->memory, &left, &all);
    *free = left;
    *total = all;
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *address, size_t bytes) {
    uint64_t at = 0;
    if (!current) return CUDA_INVALID_CONTEXT;
    haul_status status = sim_memory_allocate(current->memory, bytes, &at);
    *address = at;
    return result_of(status);
}

static CUresult release(CUdeviceptr address) {
    if (!current) return CUDA_INVALID_CONTEXT;
    return result_of(sim_memory_release(current->memory, address));
}

static void *at(CUdeviceptr address, size_t bytes) {
    void *host = current ? sim_memory_at(current->memory, address, bytes) : NULL;
    if (!host)
        result_of(
            haul_fail(HAUL_ERROR_ARGUMENT, "device memory: %zu bytes at 0x%llx lie in no allocation", bytes, address));
    return host;
}

static void *at_to_write(CUdeviceptr address, size_t bytes) {
    void *host = at(address, bytes);
    if (host) sim_memory_mark_written(current->memory, address, bytes);
    return host;
}

static CUresult copy(void *to, const void *from, size_t bytes) {
    if (!to || !from) return CUDA_INVALID_VALUE;
    memmove(to, from, bytes);
    return CUDA_SUCCESS;
}

static CUresult copy_to_device(CUdeviceptr to, const void *from, size_t bytes) {
    return bytes ? copy(at_to_write(to, bytes), from, bytes) : CUDA_SUCCESS;
}

static CUresult copy_to_host(void *to, CUdeviceptr from, size_t bytes) {
    return bytes ? copy(to, at(from, bytes), bytes) : CUDA_SUCCESS;
}

static CUresult copy_on_device(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return bytes ? copy(at_to_write(to, bytes), at(from, bytes), bytes) : CUDA_SUCCESS;
}

/* The time of a copy: its bytes are read and written. */
static CUresult copy_on_device_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    if (stream) return wrong("cuMemcpyDtoDAsync: streams are not supported");
    if (!current) return CUDA_INVALID_CONTEXT;
    current->clock_us += 2.0 * (double)bytes / (current->machine->memory_gbps * sim_dram_sustained * 1e3);
    return copy_on_device(to, from, bytes);
}

static CUresult fill_bytes(CUdeviceptr to, unsigned char value, size_t count) {
    void *host = count ? at_to_write(to, count) : NULL;
    if (count && !host) return CUDA_INVALID_VALUE;
    if (count) memset(host, value, count);
    return CUDA_SUCCESS;
}

static CUresult fill_words(CUdeviceptr to, unsigned value, size_t count) {
    if (to % 4 || count > SIZE_MAX / 4) return wrong("cuMemsetD32: the address must be a multiple of 4");
    unsigned *host = count ? at_to_write(to, count * 4) : NULL;
    if (count && !host) return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) host[i] = value;
    return CUDA_SUCCESS;
}

/* ---- events ---- */

static CUresult event_create(CUevent *event, unsigned flags) {
    *event = NULL;
    if (!current) return CUDA_INVALID_CONTEXT;
    if (flags > 7) return wrong("cuEventCreate: no such flags");
    CUevent e = memory_zeroed(1, sizeof *e);
    if (!e) return result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for an event"));
    e->context = current;
    e->next = current->events;
    current->events = e;
    *event = e;
    return CUDA_SUCCESS;
}

static CUresult event_destroy(CUevent event) {
    CUevent *link = &event->context->events;
    while (*link != event) link = &(*link)->next;
    *link = event->next;
    memory_free(event);
    return CUDA_SUCCESS;
}

static CUresult event_record(CUevent event, CUstream stream) {
    if (stream) return wrong("cuEventRecord: streams are not supported");
    event->us = event->context->clock_us;
    event->recorded = true;
    return CUDA_SUCCESS;
}

static CUresult event_synchronize(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}

static CUresult event_elapsed(float *milliseconds, CUevent start, CUevent end) {
    if (!start->recorded || !end->recorded) return wrong("cuEventElapsedTime: an event was not recorded");
    *milliseconds = (float)((end->us - start->us) * 1e-3);
    return CUDA_SUCCESS;
}

/* ---- tensor maps ---- */

static CUresult tensor_map(CUtensorMap *map, int type, unsigned rank, void *address, const unsigned long long *extents,
                           const unsigned long long *strides, const unsigned *box, const unsigned *element_strides,
                           int interleave, int swizzle, int promotion, int fill) {
    unsigned char packed[SIM_TENSOR_MAP_BYTES];
    if (!map || (uintptr_t)map % SIM_TENSOR_MAP_ALIGNMENT) return wrong("tensor map: must be 64-byte aligned");
    if (!extents || !box || !element_strides || (rank > 1 && !strides)) return wrong("tensor map: an array is missing");
    sim_tensor t = {.type = (uint32_t)type,
                    .rank = rank,
                    .interleave = (uint32_t)interleave,
                    .swizzle = (uint32_t)swizzle,
                    .promotion = (uint32_t)promotion,
                    .fill = (uint32_t)fill,
                    .address = (uint64_t)(uintptr_t)address};
    for (uint32_t d = 0; d < rank && d < SIM_TENSOR_RANK; d++) {
        t.extent[d] = extents[d];
        if (d + 1 < rank && d + 1 < SIM_TENSOR_RANK) t.pitch[d] = strides[d];
        t.box[d] = box[d];
        t.step[d] = element_strides[d];
    }
    haul_status status = sim_tensor_check(&t);
    if (status != HAUL_OK) return result_of(status);
    sim_tensor_pack(&t, packed);
    memcpy(map, packed, sizeof packed);
    return CUDA_SUCCESS;
}

static const driver_table table = {
#define DRIVER(name, symbol, parameters) .name = name,
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

void sim_driver_set_print(sim_print_sink sink) {
    current->print = sink;
}

haul_status sim_driver_set_memory(uint64_t bytes) {
    sim_memory *memory;
    HAUL_TRY(sim_memory_create(bytes, &memory));
    sim_memory_free(current->memory);
    current->memory = memory;
    if (current->check) sim_memory_keep_apart(memory);
    return HAUL_OK;
}

void sim_driver_record(haul_launch_record *record, arena *memory) {
    current->record = record;
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
