/* Calls of functions without a body (system_call.def): printf, assert, malloc and free, and the value of a conditional
 * node.
 *
 * Device compilers leave these functions to the system. A call is one operation, whose arguments are registers,
 * constants or .param variables; the pool has their places. Functions whose order other blocks could see wait for the
 * serial phase, so the heap gives out addresses in a fixed order. Printed text goes to the SM's log, by block, and is
 * written at the end of the launch. */
#include "exec/system_call.h"

#include "base/mangled.h"
#include "check/finding.h"
#include "exec/access.h"
#include "exec/fault.h"
#include "exec/print_format.h"
#include "exec/sm.h"
#include "lower/internal.h"
#include "machine/heap.h"
#include "state/block.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 5 };

/* Location of an argument for the lanes: a slot of the register file, or the generic address of a .param variable, the
 * same for all lanes. */
typedef struct argument_place {
    uint32_t slot; /* SIM_SLOT_TRUE: in memory */
    uint32_t bytes;
    uint32_t low, high; /* the address */
} argument_place;
enum { PLACE_WORDS = sizeof(argument_place) / sizeof(uint32_t) };

/* Returns where argument k is; after the arguments comes the result. */
static argument_place place_of(const sim_warp *w, const sim_op *op, unsigned k) {
    argument_place place;
    memcpy(&place, w->sm->grid->program->pool + op->more + k * PLACE_WORDS, sizeof place);
    return place;
}

/* Returns the lane's argument, extended with zeros. */
static uint64_t argument(const sim_warp *w, const sim_op *op, unsigned k, unsigned lane) {
    const argument_place place = place_of(w, op, k);
    uint64_t value = 0, reach = 0;
    const unsigned char *from = w->regs + place.slot + (size_t)lane * place.bytes;
    if (place.slot == SIM_SLOT_TRUE) {
        from = sim_lane_view(w, lane, (uint64_t)place.high << 32 | place.low, &reach);
        if (!from || reach < place.bytes) return 0;
    }
    memcpy(&value, from, place.bytes);
    return value;
}

/* The result's place is the last one. Frames are cleared as far as they have been written. */
static void store_result(sim_warp *w, const sim_op *op, unsigned lane, uint64_t value) {
    const argument_place place = place_of(w, op, op->count);
    const uint64_t frame = w->sm->grid->program->frame_bytes, at = place.low;
    unsigned char *to = w->regs + place.slot + (size_t)lane * place.bytes;
    if (place.slot == SIM_SLOT_TRUE) {
        to = w->block->frames + (w->index * SIM_LANES + lane) * frame + at;
        if (w->block->frame_used < at + place.bytes) w->block->frame_used = at + place.bytes;
    }
    memcpy(to, &value, place.bytes);
}

/* ---- vprintf(format, arguments) ---- */

/* Ends one lane's print. If the SM's log is full, records the fault and returns false. */
static bool close_log(sim_warp *w, const sim_op *op, unsigned lane) {
    sim_print_log *log = &w->sm->printed;
    if (log->bytes.length > SIM_PRINT_LIMIT) {
        log->bytes.length = log->closed;
        sim_give_up(w, op, HAUL_ERROR_LIMIT, 1u << lane, "printf: the blocks of one SM print more than %d MiB",
                    SIM_PRINT_LIMIT >> 20);
    } else if (sim_print_log_close(log, w->block->index) != HAUL_OK) {
        sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, 1u << lane, "printf: the host has no memory for the text");
    }
    return w->sm->fault.status == HAUL_OK;
}

/* Formats one lane's text and stores printf's result. On an error, the text so far is dropped. */
static bool print_lane(sim_warp *w, const sim_op *op, unsigned lane) {
    char why[SIM_PRINT_WHY];
    text *out = &w->sm->printed.bytes;
    int result;
    if (!sim_print_format(w, lane, argument(w, op, 0, lane), argument(w, op, 1, lane), out, &result, why)) {
        out->length = w->sm->printed.closed;
        sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "%s", why);
        return false;
    }
    store_result(w, op, lane, (uint32_t)result);
    return close_log(w, op, lane);
}

/* Lanes print in lane order. */
static sim_step run_vprintf(sim_warp *w, const sim_op *op, uint32_t active) {
    for (; active; active &= active - 1)
        if (!print_lane(w, op, (unsigned)__builtin_ctz(active))) return SIM_STOP;
    w->sm->changes++;
    return SIM_NEXT;
}

/* ---- __assertfail(message, file, line, function, bytes of a character) ---- */

/* Returns the string at an argument's address, as much of it as fits, for a message. */
static const char *read_argument(const sim_warp *w, const sim_op *op, unsigned k, unsigned lane, char *out,
                                 size_t size) {
    uint64_t reach = 0, address = argument(w, op, k, lane);
    const unsigned char *from = sim_lane_view(w, lane, address, &reach);
    if (!from)
        snprintf(out, size, "(nothing at 0x%llx)", (unsigned long long)address);
    else
        snprintf(out, size, "%.*s", (int)(reach < size ? reach : size - 1), (const char *)from);
    return out;
}

/* Ends the launch with the first lane's message. */
static sim_step run___assertfail(sim_warp *w, const sim_op *op, uint32_t active) {
    const unsigned lane = (unsigned)__builtin_ctz(active);
    char asserted[256], file[256], function[192];
    read_argument(w, op, 1, lane, file, sizeof file);
    return sim_fail_assertion(w, op, file, (uint32_t)argument(w, op, 2, lane), active, "%s: assertion failed: %s",
                              read_argument(w, op, 3, lane, function, sizeof function),
                              read_argument(w, op, 0, lane, asserted, sizeof asserted));
}

/* ---- malloc(bytes), free(address) ---- */

/* malloc and aligned malloc. An impossible alignment gives a null pointer, like a heap without room. */
static sim_step allocate(sim_warp *w, const sim_op *op, uint32_t active, bool aligned) {
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t bytes = argument(w, op, 0, lane), alignment = aligned ? argument(w, op, 1, lane) : 1;
        const bool possible = alignment && (alignment & (alignment - 1)) == 0;
        const uint32_t thread = w->index * SIM_LANES + lane;
        const sim_heap_origin origin = {
            .user = w->sm->grid->heap_user,
            .thread = thread,
            .block = w->block->index,
            .access = sim_finding_access(HAUL_ACTION_ALLOCATE, op->instruction, w->block, thread)};
        store_result(w, op, lane, possible ? sim_heap_allocate(w->sm->grid->heap, bytes, alignment, &origin) : 0);
    }
    w->sm->changes++;
    return SIM_NEXT;
}

static sim_step run_malloc(sim_warp *w, const sim_op *op, uint32_t active) {
    return allocate(w, op, active, false);
}

static sim_step run___cuda_syscall_aligned_malloc(sim_warp *w, const sim_op *op, uint32_t active) {
    return allocate(w, op, active, true);
}

/* Records the fault of an address that cannot be freed. */
static sim_step bad_free(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool twice) {
    sim_fault_concerns(w, HAUL_SPACE_GLOBAL, address, 1);
    return sim_fault(w, op, HAUL_FINDING_BAD_FREE, 1u << lane, "free: 0x%llx %s", (unsigned long long)address,
                     twice ? "has already been freed" : "was not allocated by malloc() in a kernel");
}

/* free(NULL) does nothing. */
static sim_step run_free(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t address = argument(w, op, 0, lane);
        const sim_heap_free outcome = address ? sim_heap_release(w->sm->grid->heap, address) : SIM_HEAP_FREED;
        if (outcome != SIM_HEAP_FREED) return bad_free(w, op, lane, address, outcome == SIM_HEAP_WAS_FREE);
    }
    sim_sm_forget_freed(w->sm);
    w->sm->changes++;
    return SIM_NEXT;
}

/* ---- cudaGraphSetConditional(handle, value) ---- */

/* The handle is the address of the value. */
static sim_step run_cudaGraphSetConditional(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_in_order(w, op, &step)) return step;
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t handle = argument(w, op, 0, lane);
        const uint32_t value = (uint32_t)argument(w, op, 1, lane);
        void *at = handle % sizeof value ? NULL : sim_memory_at_to_write(w->sm->grid->memory, handle, sizeof value);
        if (!at)
            return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane,
                             "cudaGraphSetConditional: 0x%llx is not the handle of a conditional node",
                             (unsigned long long)handle);
        memcpy(at, &value, sizeof value);
    }
    w->sm->changes++;
    return SIM_NEXT;
}

/* ---- lowering ---- */

/* A row of system_call.def. */
typedef struct system_call {
    const char *name;
    sim_handler run;
    uint8_t result;
    uint8_t parameters[MOST_PARAMETERS + 1]; /* ends with a zero */
} system_call;

static const system_call calls[] = {
#define SYSTEM_CALL(name, result, ...) {#name, run_##name, result, {__VA_ARGS__}},
#include "exec/system_call.def"
#undef SYSTEM_CALL
};

static const system_call *find_call(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name)) return &calls[i];
    return NULL;
}

/* Returns whether the program's declaration has the sizes that the function is called with. */
static bool is_declared_as(const ptx_function *f, const system_call *c) {
    if (f->param_count != strlen((const char *)c->parameters) || f->result_count != (c->result ? 1 : 0)) return false;
    for (size_t i = 0; i < f->param_count; i++)
        if (f->params[i]->size != c->parameters[i]) return false;
    return !c->result || f->results[0]->size == c->result;
}

/* Finds the place of an operand: a constant has a slot, too. */
static argument_place find_place(sim_lowering *l, const ptx_operand *o, unsigned bytes) {
    if (o->kind == PTX_REGISTER) return (argument_place){.slot = sim_destination(l, o), .bytes = bytes};
    if (o->kind == PTX_INTEGER) return (argument_place){.slot = sim_constant(l, o->bits, bytes), .bytes = bytes};
    uint64_t at = sim_variable_address(l, o->variable);
    if (at < SIM_PARAM_WINDOW) at += SIM_LOCAL_WINDOW; /* .param variables of a body lie in the frame */
    return (argument_place){.bytes = bytes, .low = (uint32_t)at, .high = (uint32_t)(at >> 32)};
}

/* Returns whether the place is among the kernel's own parameters, which nobody may write. */
static bool is_parameter_of_kernel(const argument_place *place) {
    return place->slot == SIM_SLOT_TRUE && place->high == (uint32_t)(SIM_PARAM_WINDOW >> 32);
}

bool sim_is_system_call(const char *name) {
    return find_call(name) != NULL;
}

bool sim_launches_kernels(const char *name) {
    static const char *const beginnings[] = {"cnp", "__cuda_syscall_cnp", "__cudaCDP2", "cudaLaunchDevice",
                                             "cudaGetParameterBuffer"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return true;
    return false;
}

/* A message about launches names the kernel rather than the function, which the program does not name either. */
static haul_status without_body(sim_lowering *l, const char *name) {
    size_t length = 0;
    const char *const kernel = mangled_name(l->program->function->name, &length);
    if (sim_launches_kernels(name))
        return sim_lower_fail(l,
                              "kernel '%.*s' launches kernels: dynamic parallelism does not run on a virtual GPU; "
                              "launch from the host instead",
                              (int)length, kernel);
    return sim_lower_fail(l,
                          "'%s' has no body; only the functions behind printf, assert, malloc, free and conditional "
                          "nodes can be called without one",
                          name);
}

/* A kernel that calls the heap's functions gets a heap at its launch (uses_heap). */
haul_status sim_lower_system_call(sim_lowering *l, const ptx_instruction *i) {
    const ptx_function *callee = i->operands[1].function;
    const system_call *c = find_call(callee->name);
    argument_place places[MOST_PARAMETERS + 1] = {0};
    if (!c) return without_body(l, callee->name);
    if (!is_declared_as(callee, c))
        return sim_lower_fail(l, "'%s' is declared with the wrong parameters", callee->name);
    const size_t count = callee->param_count;
    for (size_t k = 0; k < count; k++)
        places[k] = find_place(l, &i->operands[2].parts[k], (unsigned)callee->params[k]->size);
    l->program->uses_heap |= c->run == run_malloc || c->run == run___cuda_syscall_aligned_malloc || c->run == run_free;
    if (c->result) places[count] = find_place(l, &i->operands[0].parts[0], c->result);
    if (is_parameter_of_kernel(&places[count]))
        return sim_lower_fail(l, "a result cannot be a parameter of the kernel");
    uint32_t words[(MOST_PARAMETERS + 1) * PLACE_WORDS];
    memcpy(words, places, sizeof words);
    const uint32_t pool = sim_pool(l, words, (count + 1) * PLACE_WORDS);
    sim_op *op = sim_emit(l, c->run);
    op->more = pool;
    op->count = (uint8_t)count;
    return HAUL_OK;
}
