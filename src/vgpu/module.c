/* Modules: their variables in device memory, and their kernels, which are lowered when first needed.
 *
 * Loading parses the PTX, allocates its variables and writes their initial values. A kernel costs nothing until it
 * is used: sim_prepare() inlines its calls, models what ptxas does to it (assembler/), and lowers it to operations
 * (lower/); compiled code follows when the kernel proves hot (jit/). The result stays until the module ends, or the
 * stack's size changes. All of a module's data is in its arena. link.c makes linked images, launch.c launches
 * kernels. */
#include "assembler/passes.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "check/facts.h"
#include "exec/call.h"
#include "exec/grid.h"
#include "exec/operations.h"
#include "jit/compiled.h"
#include "machine/code_fetch.h"
#include "ptx/inline.h"
#include "ptx/needs.h"
#include "state/occupancy.h"
#include "state/program.h"
#include "vgpu/internal.h"
#include "vgpu/work.h"

#include <string.h>

/* Other variables belong to a kernel's blocks or threads. */
static bool in_device_memory(const ptx_variable *v) {
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
}

/* For the lowering, which knows variables only by the module's index. */
static uint64_t address_of_variable(void *context, const ptx_variable *v) {
    CUmodule m = context;
    return m->addresses[v->index];
}

/* Writes an address, shifted and cut to the relocation's bytes, into a variable. A relocation without a target
 * changes nothing. */
static void add_relocation(CUmodule m, unsigned char *bytes, const ptx_relocation *r) {
    if (!r->variable && !r->function) return;
    uint64_t address = r->variable ? m->addresses[r->variable->index] : sim_function_address(r->function);
    address = (address + (uint64_t)r->addend) >> r->shift;
    memcpy(bytes + r->at, &address, r->bytes < 8 ? r->bytes : 8);
}

/* A managed variable exists once, for all devices. */
static bool is_the_twins(const struct CUmod_st *m, const ptx_variable *v) {
    return v->is_managed && m->twin;
}

/* Variables are placed at the end of memory, apart from the program's allocations. */
static haul_status allocate_variable(CUmodule m, const ptx_variable *v, uint64_t *address) {
    sim_memory *memory = m->context->memory;
    if (is_the_twins(m, v)) {
        *address = m->twin->addresses[v->index];
        return HAUL_OK;
    }
    return v->is_managed ? sim_memory_allocate_managed(memory, v->size, address)
                         : sim_memory_allocate_last(memory, v->size, address);
}

/* A variable that nothing defines is 0, as ptxas makes it with a warning. Without a size, the module needs linking. */
static haul_status allocate_variables(CUmodule m) {
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (!in_device_memory(v)) continue;
        if (v->is_extern && !v->size)
            return haul_fail(HAUL_ERROR_SYNTAX,
                             "%s:%u: variable %s is extern, and its size is not known; link the module with the one "
                             "that defines it",
                             m->ptx->name, v->position.line, v->name);
        HAUL_TRY(allocate_variable(m, v, &m->addresses[v->index]));
    }
    return HAUL_OK;
}

/* Variables without an initial value are 0. All of them count as written. */
static void initialise_variables(CUmodule m) {
    for (size_t i = 0; i < m->ptx->variable_count; i++) {
        const ptx_variable *v = m->ptx->variables[i];
        if (!in_device_memory(v) || v->size == 0 || is_the_twins(m, v)) continue;
        sim_memory_mark_written(m->context->memory, m->addresses[v->index], v->size);
        unsigned char *bytes = sim_memory_at(m->context->memory, m->addresses[v->index], v->size);
        if (v->initial)
            memcpy(bytes, v->initial, v->size);
        else
            memset(bytes, 0, v->size);
        for (size_t k = 0; k < v->relocation_count; k++) add_relocation(m, bytes, &v->relocations[k]);
    }
}

/* Addresses of all come first, since initial values may contain them. */
static haul_status load_variables(CUmodule m) {
    m->addresses = ARENA_ARRAY(&m->memory, m->ptx->variable_count + 1, uint64_t);
    if (!m->addresses) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", m->ptx->name);
    HAUL_TRY(allocate_variables(m));
    initialise_variables(m);
    return HAUL_OK;
}

static _Thread_local const char *image_name = "PTX";

void sim_driver_name_image(const char *name) {
    image_name = name;
}

static _Thread_local CUmodule managed_twin; /* for the next module */

void sim_driver_share_managed(CUmodule twin) {
    managed_twin = twin;
}

/* The module is in the context's list while it is being loaded, so that unloading cleans up after a failure. */
static haul_status load(CUcontext c, CUmodule *out, const char *source) {
    CUmodule m = memory_zeroed(1, sizeof *m);
    if (!m) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to load it", image_name);
    m->context = c;
    m->twin = managed_twin;
    haul_status status = sim_is_linked(source) ? sim_link_load(source, &m->ptx)
                                               : ptx_module_parse(image_name, source, strlen(source), &m->ptx);
    if (status != HAUL_OK) {
        memory_free(m);
        return status;
    }
    m->next = c->modules;
    c->modules = m;
    status = load_variables(m);
    if (status != HAUL_OK) {
        sim_call_module_unload(m);
        return status;
    }
    *out = m;
    return HAUL_OK;
}

/* Ignores compiler options, which have no meaning here. */
CUresult sim_call_module_load(CUmodule *module, const void *image, unsigned option_count, int *options, void **values) {
    *module = NULL;
    SIM_ENTER(c);
    (void)option_count, (void)options, (void)values;
    return sim_result_of(load(c, module, image));
}

/* Takes the module out of its context's list. */
static void unlink_module(CUmodule module) {
    for (CUmodule *m = &module->context->modules; *m; m = &(*m)->next) {
        if (*m != module) continue;
        *m = module->next;
        return;
    }
}

/* Pending launches may use the module, so they are done first. Leaks of its kernels can no longer be named. */
CUresult sim_call_module_unload(CUmodule m) {
    (void)sim_work_finish_all(m->context, false);
    unlink_module(m);
    for (CUfunction f = m->functions; f; f = f->next)
        if (f->heap_user) m->context->heap_users[f->heap_user - 1] = NULL;
    for (size_t i = 0; m->addresses && i < m->ptx->variable_count; i++)
        if (m->addresses[i] && !is_the_twins(m, m->ptx->variables[i]))
            sim_memory_release(m->context->memory, m->addresses[i]);
    for (CUfunction f = m->functions; f; f = f->next) {
        sim_forget_program(f);
        sim_forget_launch_times(f);
    }
    machine_code_free(&m->assembled);
    arena_free(&m->memory);
    ptx_module_free(m->ptx);
    memory_free(m);
    return CUDA_SUCCESS;
}

/* The same kernel always has the same handle. */
CUresult sim_call_module_function(CUfunction *function, CUmodule module, const char *name) {
    *function = NULL;
    ptx_function *entry = ptx_find_entry(module->ptx, name);
    if (!entry) return sim_result_of(haul_fail(HAUL_ERROR_NOT_FOUND, "%s has no kernel '%s'", module->ptx->name, name));
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

/* Only variables that the module itself places are found; address and size may be NULL. */
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
    return sim_result_of(haul_fail(HAUL_ERROR_NOT_FOUND, "%s has no variable '%s' in global or constant memory",
                                   module->ptx->name, name));
}

/* PTX for a later architecture runs as long as it uses only features of the machine: a kernel for sm_90 can be examined
 * on an A100. */
static haul_status check_architecture(const CUmodule m, const ptx_function *f) {
    const unsigned has = m->context->machine.sm;
    const ptx_target_set own = ptx_target_of_gpu(has);
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        const ptx_need need = ptx_need_of(i);
        if (!(need.targets & own))
            return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s:%u:%u: '%s' needs %s, but %s is sm_%u; choose another device",
                             m->ptx->name, i->position.line, i->position.column, ptx_ops[i->op].mnemonic,
                             ptx_describe_targets(&m->memory, need.target_text), m->context->machine.name, has);
    }
    return HAUL_OK;
}

/* Its memory stays in the module's arena. */
void sim_forget_program(CUfunction f) {
    for (size_t i = 0; i < 2; i++) {
        if (!f->programs[i]) continue;
        sim_spares_forget(&f->module->context->spares, f->programs[i]);
        sim_compiled_free(f->programs[i]->compiled);
        sim_facts_free(f->programs[i]->facts);
        f->programs[i] = NULL;
    }
    f->program = NULL;
}

/* Takes the kernel's figures from the program's machine code, if it has some. */
static void take_machine_code(const CUmodule m, sim_program *p) {
    const machine_kernel *k = machine_code_find(&m->assembled, p->function->name);
    if (!k) return;
    p->known_registers = k->registers;
    p->code_bytes = sim_code_bytes(k->instructions);
}

/* Lowers a kernel when first needed, with checks and without. Failed arena allocations jump here. */
haul_status sim_prepare(CUfunction f) {
    jmp_buf out_of_memory;
    CUmodule m = f->module;
    sim_program **program = &f->programs[m->context->check];
    f->program = *program;
    if (f->program) return HAUL_OK;
    if (setjmp(out_of_memory)) {
        m->memory.out_of_memory = NULL;
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to prepare kernel '%s'", m->ptx->name,
                         f->entry->name);
    }
    ptx_function *flat;
    m->ptx->stack_bytes = m->context->stack_bytes;
    HAUL_TRY(ptx_inline_calls(m->ptx, f->entry, &flat));
    m->memory.out_of_memory = &out_of_memory;
    const sim_operations operations = sim_operations_best();
    haul_status status = check_architecture(m, flat);
    if (status == HAUL_OK) status = sim_run_passes(m->ptx, flat, m->context->check, &flat);
    if (status == HAUL_OK) status = sim_lower(&operations, m->ptx, flat, &m->memory, address_of_variable, m, program);
    m->memory.out_of_memory = NULL;
    if (status == HAUL_OK && m->context->check) status = sim_facts_find(*program, &(*program)->facts);
    if (status != HAUL_OK) {
        *program = NULL;
    } else {
        (*program)->most_registers = m->context->most_registers;
        take_machine_code(m, *program);
        (*program)->compiled = sim_compiled_create(*program);
    }
    f->program = *program;
    return status;
}

/* The dynamic shared memory that the kernel may use by default. */
static int dynamic_shared(CUfunction f) {
    const uint64_t all = f->module->context->machine.shared_per_block, own = f->program->shared_bytes;
    return own < all ? (int)(all - own) : 0;
}

/* The attribute's value, as it was set or by default. */
static int setting(CUfunction f, int attribute) {
    if (f->set & 1u << attribute) return f->settings[attribute];
    if (attribute == DRIVER_FUNCTION_CARVEOUT) return -1; /* the driver's choice */
    if (attribute == DRIVER_FUNCTION_MAX_DYNAMIC_SHARED) return dynamic_shared(f);
    if (attribute >= DRIVER_FUNCTION_CLUSTER_X && attribute < DRIVER_FUNCTION_LARGE_CLUSTERS)
        return (int)f->entry->cluster[attribute - DRIVER_FUNCTION_CLUSTER_X];
    return 0;
}

/* All constant memory of the module, as CUDA reports it for each kernel. */
static int constant_bytes(const ptx_module *m) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->variable_count; i++)
        if (m->variables[i]->space == PTX_SPACE_CONST) bytes += m->variables[i]->size;
    return (int)bytes;
}

/* Lowers the kernel, since several attributes depend on that. */
CUresult sim_call_function_attribute(int *value, int attribute, CUfunction function) {
    const sim_machine *m = &function->module->context->machine;
    if (attribute < 0 || attribute > DRIVER_FUNCTION_CLUSTER_POLICY)
        return sim_wrong("cuFuncGetAttribute: attribute not known");
    haul_status status = sim_prepare(function);
    if (status != HAUL_OK) return sim_result_of(status);
    switch (attribute) {
    case DRIVER_FUNCTION_SHARED_BYTES: *value = (int)function->program->shared_bytes; break;
    case DRIVER_FUNCTION_CONSTANT_BYTES: *value = constant_bytes(function->module->ptx); break;
    case DRIVER_FUNCTION_LOCAL_BYTES: *value = (int)function->program->local_bytes; break;
    case DRIVER_FUNCTION_REGISTERS: *value = (int)sim_registers(m, function->program); break;
    case DRIVER_FUNCTION_PTX_VERSION: *value = (int)function->module->ptx->sm; break;
    case DRIVER_FUNCTION_BINARY_VERSION: *value = (int)m->sm; break;
    case DRIVER_FUNCTION_MAX_THREADS: *value = (int)sim_most_threads(m, function->program); break;
    default: *value = setting(function, attribute); break;
    }
    return CUDA_SUCCESS;
}

/* Other attributes are facts about the kernel. */
static bool may_be_set(int attribute) {
    return attribute == DRIVER_FUNCTION_MAX_DYNAMIC_SHARED || attribute == DRIVER_FUNCTION_CARVEOUT ||
           (attribute >= DRIVER_FUNCTION_CLUSTER_X && attribute <= DRIVER_FUNCTION_CLUSTER_POLICY);
}

/* A cluster size set here applies to launches without their own. */
CUresult sim_call_function_set(CUfunction function, int attribute, int value) {
    const sim_machine *m = &function->module->context->machine;
    if (!may_be_set(attribute)) return sim_wrong("cuFuncSetAttribute: no such attribute, or it cannot be set");
    if (attribute == DRIVER_FUNCTION_MAX_DYNAMIC_SHARED && (value < 0 || (uint32_t)value > m->shared_per_block_optin))
        return sim_wrong("cuFuncSetAttribute: the device allows a block less shared memory");
    function->settings[attribute] = value;
    function->set |= 1u << attribute;
    return CUDA_SUCCESS;
}

/* Computes blocks per SM; `known_blocks` as for sim_occupancy(). A block that is too large for the device gives 0. */
static CUresult occupancy(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes,
                          uint32_t known_blocks) {
    const sim_machine *m = &function->module->context->machine;
    haul_status status = sim_prepare(function);
    if (status != HAUL_OK) return sim_result_of(status);
    if (threads < 1 || dynamic_shared_bytes > UINT32_MAX)
        return sim_wrong("cuOccupancyMaxActiveBlocksPerMultiprocessor: a block has at least 1 thread and less than 4 "
                         "GiB of shared memory");
    haul_occupancy o;
    *blocks = 0; /* for blocks that no launch may have */
    if ((uint32_t)threads > m->max_threads_per_block ||
        function->program->shared_bytes + dynamic_shared_bytes > m->shared_per_block_optin)
        return CUDA_SUCCESS;
    sim_occupancy(m, function->program, (uint32_t)threads, (uint32_t)dynamic_shared_bytes, known_blocks, &o);
    *blocks = (int)o.blocks_per_sm;
    return CUDA_SUCCESS;
}

/* From now on the program may rely on the estimate of registers. */
CUresult sim_call_occupancy(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes) {
    function->has_told_occupancy = true;
    return occupancy(blocks, function, threads, dynamic_shared_bytes, 1);
}

/* With UINT32_MAX the estimate of registers does not limit the result. */
CUresult sim_driver_most_blocks(int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes) {
    return occupancy(blocks, function, threads, dynamic_shared_bytes, function->has_told_occupancy ? 1 : UINT32_MAX);
}

const sim_machine *sim_driver_module_machine(CUmodule m) {
    return &m->context->machine;
}

haul_status sim_driver_read_machine_code(CUmodule m, const text *cubin) {
    machine_code_begin(&m->assembled);
    return machine_code_read_file(&m->assembled, cubin);
}

const ptx_module *sim_driver_module_ptx(CUmodule m) {
    return m->ptx;
}

const ptx_module *sim_driver_kernel_ptx(CUfunction kernel, const ptx_function **entry, CUmodule *module) {
    *entry = kernel->entry;
    *module = kernel->module;
    return kernel->module->ptx;
}

bool sim_driver_has_module(CUmodule module) {
    for (unsigned i = 0; i < sim_member_count(sim_current()); i++)
        for (CUmodule m = sim_member_of(sim_current(), i)->modules; m; m = m->next)
            if (m == module) return true;
    return false;
}

CUdevice sim_driver_function_device(CUfunction f) {
    return f->module->context->device;
}

const char *sim_driver_function_name(CUfunction f) {
    return f->entry->name;
}

/* Compares addresses only, so the handle may be any value. */
static bool has_function(CUcontext c, const struct CUfunc_st *function) {
    for (CUmodule m = c->modules; m; m = m->next)
        for (CUfunction f = m->functions; f; f = f->next)
            if (f == function) return true;
    return false;
}

bool sim_driver_has_function(CUfunction function) {
    for (unsigned i = 0; i < sim_member_count(sim_current()); i++)
        if (has_function(sim_member_of(sim_current(), i), function)) return true;
    return false;
}
