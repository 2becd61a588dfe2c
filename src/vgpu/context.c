/* Devices and contexts, the driver table, and the settings of a device.
 *
 * There is one context for each open device: haul retains it when it opens the device, and the contexts that CUDA
 * programs see are names for it (standin/cuda/context.c). The current context is the thread's. Most functions of the
 * table begin with SIM_ENTER(), which gets it.
 *
 * Several devices of a program are a family (sim_driver_join()): lists of handles are searched in all members,
 * pinned memory and its effects are kept in the first one, and the devices' clocks agree whenever a call begins.
 * SIM_ENTER() lets one thread at a time into a family, and holds its lock while kernels and host functions run.
 *
 * Figures of a device come from its machine's description (machine/machines.def); its attributes are in attribute.c. */
#include "base/memory.h"
#include "base/status.h"
#include "check/follow.h"
#include "check/shadow_memory.h"
#include "count/l2.h"
#include "machine/heap.h"
#include "machine/regions.h"
#include "machine/virtual.h"
#include "vgpu/driver.h"
#include "vgpu/internal.h"
#include "vgpu/order.h"
#include "vgpu/work.h"

#include <stdio.h>

static _Thread_local CUcontext current;
static _Thread_local uint64_t calls_left;  /* calls until one is made to fail; 0: none is */
static _Thread_local uint64_t next_memory; /* bytes of the next context's memory; 0: the machine's */
static _Thread_local haul_status without;  /* status of the last call without a current context */

/* The cause of a fault, which the launch has left in the context, selects among CUDA's errors. */
CUresult sim_result_of(haul_status status) {
    *(current ? &current->last : &without) = status;
    switch (status) {
    case HAUL_OK: return CUDA_SUCCESS;
    case HAUL_ERROR_ARGUMENT: return CUDA_INVALID_VALUE;
    case HAUL_ERROR_SYNTAX: return CUDA_INVALID_PTX;
    case HAUL_ERROR_UNSUPPORTED: return CUDA_NOT_SUPPORTED;
    case HAUL_ERROR_NOT_FOUND: return CUDA_NOT_FOUND;
    case HAUL_ERROR_LIMIT: return CUDA_LAUNCH_OUT_OF_RESOURCES;
    case HAUL_ERROR_OUT_OF_MEMORY: return CUDA_OUT_OF_MEMORY;
    case HAUL_ERROR_NO_DEVICE: return CUDA_NO_DEVICE;
    case HAUL_ERROR_FAULT:
        return current && current->cause == SIM_CAUSE_MISALIGNED ? CUDA_MISALIGNED_ADDRESS : CUDA_ILLEGAL_ADDRESS;
    case HAUL_ERROR_TIMEOUT:
    case HAUL_ERROR_DEADLOCK: return CUDA_LAUNCH_TIMEOUT;
    case HAUL_ERROR_TRAP: return current && current->cause == SIM_CAUSE_ASSERTION ? CUDA_ASSERT : CUDA_LAUNCH_FAILED;
    default: return CUDA_UNKNOWN;
    }
}

/* `what` names the thing that there is no memory for. */
CUresult sim_no_memory(const char *what) {
    return sim_result_of(haul_no_memory(what));
}

CUcontext sim_current(void) {
    return current;
}

/* Sets the clocks of all devices to the program's time. */
static void align_clocks(const sim_family *f) {
    double now = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (f->members[i]->clock.now > now) now = f->members[i]->clock.now;
    for (unsigned i = 0; i < f->count; i++) f->members[i]->clock.now = now;
}

pthread_mutex_t *sim_lock(void) {
    if (!current || sim_work_sharing()->let_go) return NULL;
    pthread_mutex_t *const lock = &sim_member_of(current, 0)->lock;
    pthread_mutex_lock(lock);
    return lock;
}

void sim_unlock(pthread_mutex_t *const *lock) {
    if (*lock) pthread_mutex_unlock(*lock);
}

/* Clears the status of the last call. Fails in a host function that a stream calls. */
CUresult sim_enter(CUcontext *context) {
    *context = current;
    *(current ? &current->last : &without) = HAUL_OK; /* an earlier call's status does not concern this one */
    if (!current) return CUDA_INVALID_CONTEXT;
    if (current->family) align_clocks(current->family);
    const CUresult may = sim_work_may_call();
    if (may != CUDA_SUCCESS) return may;
    if (!calls_left || --calls_left) return CUDA_SUCCESS;
    return sim_result_of(haul_fail(HAUL_ERROR_DRIVER, "virtual GPU: this call was made to fail"));
}

CUresult sim_wrong(const char *what) {
    return sim_result_of(haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %s", what));
}

/* ---- devices ---- */

/* Numbers of further devices follow those of the machines, in rounds. */
CUdevice sim_driver_further_device(CUdevice device, unsigned number) {
    return device + (CUdevice)(number * sim_machine_count);
}

unsigned sim_driver_device_number(CUdevice device) {
    return (unsigned)((size_t)device / sim_machine_count);
}

const sim_machine *sim_driver_machine(CUdevice device) {
    return &sim_machines[(size_t)device % sim_machine_count];
}

CUresult sim_call_init(unsigned flags) {
    return flags ? sim_wrong("cuInit: flags must be 0") : CUDA_SUCCESS;
}

/* CUDA 13.0. */
CUresult sim_call_version(int *out) {
    *out = 13000;
    return CUDA_SUCCESS;
}

/* One device for each machine; further ones of the same machine are not counted. */
CUresult sim_call_device_count(int *count) {
    *count = (int)sim_machine_count;
    return CUDA_SUCCESS;
}

CUresult sim_call_device_get(CUdevice *device, int ordinal) {
    if (ordinal < 0 || (size_t)ordinal >= sim_machine_count) return CUDA_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

/* The name is that of the product, marked as virtual. */
CUresult sim_call_device_name(char *name, int length, CUdevice device) {
    snprintf(name, (size_t)length, "%s (virtual)", sim_driver_machine(device)->product);
    return CUDA_SUCCESS;
}

/* An open device has the memory of its context, which sim_driver_set_memory() may have made smaller; a closed one that
 * of its machine. */
CUresult sim_call_device_memory(size_t *bytes, CUdevice device) {
    const CUcontext c = current ? sim_context_of(current, device) : NULL;
    uint64_t left, all = sim_driver_machine(device)->memory_bytes;
    if (c && c->device == device) sim_memory_usage(c->memory, &left, &all);
    *bytes = all;
    return CUDA_SUCCESS;
}

/* Device memory, with the program's virtual memory as this device sees it. */
static haul_status make_memory(uint64_t bytes, CUdevice device, sim_memory **out) {
    HAUL_TRY(sim_memory_create(bytes, out));
    const haul_status status = sim_memory_see_virtual(*out, (unsigned)device);
    if (status != HAUL_OK) sim_memory_free(*out);
    return status;
}

/* Makes a new context each time: haul calls it once for a device. */
CUresult sim_call_context_retain(CUcontext *context, CUdevice device) {
    *context = NULL;
    CUcontext c = memory_zeroed(1, sizeof *c);
    if (!c) return sim_result_of(haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for a context"));
    c->device = device;
    c->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    c->machine = *sim_driver_machine(device);
    c->clock.machine = &c->machine;
    c->legacy = (struct CUstream_st){.context = c, .domain_map.domain_map = {0, 1}, .last = &c->legacy.first};
    haul_status status = make_memory(next_memory ? next_memory : c->machine.memory_bytes, device, &c->memory);
    next_memory = 0;
    if (status != HAUL_OK) {
        memory_free(c);
        return sim_result_of(status);
    }
    *context = c;
    return CUDA_SUCCESS;
}

/* NULL: the thread has no context from now on. */
CUresult sim_call_context_set(CUcontext context) {
    current = context;
    return CUDA_SUCCESS;
}

static void leave_family(CUcontext c);

/* Ends the current context. The device's number does not name one: a device that is opened twice has two. Pending work
 * that nobody waited for is dropped. Graphs go before streams, and these before the memory that they use. */
CUresult sim_call_context_release(CUdevice device) {
    (void)device;
    CUcontext c = current;
    if (!c) return CUDA_INVALID_CONTEXT;
    sim_free_graphs(c);
    sim_free_conditions(c);
    sim_free_linkers(c);
    sim_free_streams(c);
    sim_order_free(c);
    sim_follower_free(c->follower);
    sim_shadow_memory_free(c->shadow);
    sim_free_pools(c);
    sim_free_pinned(c);
    sim_free_arrays(c);
    while (c->modules) sim_call_module_unload(c->modules);
    sim_heap_end(c->heap);
    sim_l2_free(c->l2);
    memory_free(c->heap_users);
    leave_family(c);
    sim_memory_free(c->memory);
    sim_clock_free(&c->clock);
    memory_free(c);
    current = NULL;
    return CUDA_SUCCESS;
}

/* ---- the devices of one program ---- */

/* Two devices whose transfers share the host's rate. */
static void set_neighbours(CUcontext a, CUcontext b) {
    a->clock.neighbour = &b->clock;
    b->clock.neighbour = &a->clock;
}

/* The last member frees the family. */
haul_status sim_driver_join(const CUcontext *contexts, unsigned count) {
    if (count > SIM_MOST_DEVICES)
        return haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: %u devices, but a program has 1 to %d", count,
                         SIM_MOST_DEVICES);
    sim_family *f = memory_zeroed(1, sizeof *f);
    if (!f) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no memory for %u devices", count);
    f->count = count;
    for (unsigned i = 0; i < count; i++) {
        f->members[i] = contexts[i];
        f->memories[i] = contexts[i]->memory;
        contexts[i]->family = f;
        contexts[i]->place = i;
        if (i % 2) set_neighbours(contexts[i - 1], contexts[i]);
    }
    for (unsigned i = 0; i < count; i++) sim_memory_join(f->memories[i], f->memories, count, i);
    return HAUL_OK;
}

/* The last one of the list leaves: the first keeps pinned memory for all. */
static void leave_family(CUcontext c) {
    sim_family *f = c->family;
    if (!f) return;
    f->count--;
    if (f->count % 2) f->members[f->count - 1]->clock.neighbour = NULL;
    sim_memory_join(c->memory, NULL, 0, 0);
    for (unsigned i = 0; i < f->count; i++) sim_memory_join(f->memories[i], f->memories, f->count, i);
    c->family = NULL;
    if (f->count == 0) memory_free(f);
}

/* Each device has addresses of its own, so the address decides. */
CUcontext sim_owner_of(CUcontext c, CUdeviceptr address) {
    if (!c->family) return c;
    const sim_memory *owner = sim_memory_owner(c->memory, address);
    for (unsigned i = 0; i < c->family->count; i++)
        if (c->family->memories[i] == owner) return c->family->members[i];
    return c;
}

/* Looks through the program's devices. */
CUcontext sim_context_of(CUcontext c, CUdevice device) {
    for (unsigned i = 0; i < sim_member_count(c); i++)
        if (sim_member_of(c, i)->device == device) return sim_member_of(c, i);
    return c;
}

/* Failures stay with their contexts. */
void sim_finish_everything(CUcontext c) {
    for (unsigned i = 0; i < sim_member_count(c); i++) (void)sim_work_finish_all(sim_member_of(c, i), false);
    sim_order_host_waited_for_all(c);
}

/* Work that may use the access is done before it is taken away. */
bool sim_driver_set_peer(CUcontext of, bool reaches) {
    if (!reaches) (void)sim_work_finish_all(current, false);
    return sim_memory_set_peer(of->memory, current->place, reaches);
}

/* Devices access each other's memory if NVLink connects such GPUs; a device is not its own peer. */
CUresult sim_call_peer_possible(int *can, CUdevice device, CUdevice peer) {
    *can = device != peer && sim_driver_machine(device)->peer_gbps > 0 && sim_driver_machine(peer)->peer_gbps > 0;
    return CUDA_SUCCESS;
}

static CUresult set_peer(CUcontext peer, bool reaches, CUresult again) {
    SIM_ENTER(c);
    int can = 0;
    if (!peer || peer == c || !c->family || peer->family != c->family) return CUDA_INVALID_CONTEXT;
    (void)sim_call_peer_possible(&can, c->device, peer->device);
    if (!can) return CUDA_PEER_ACCESS_UNSUPPORTED;
    return sim_driver_set_peer(peer, reaches) ? CUDA_SUCCESS : again;
}

/* The flags must be 0. */
CUresult sim_call_peer_enable(CUcontext peer, unsigned flags) {
    return flags ? CUDA_INVALID_VALUE : set_peer(peer, true, CUDA_PEER_ACCESS_ALREADY_ENABLED);
}

CUresult sim_call_peer_disable(CUcontext peer) {
    return set_peer(peer, false, CUDA_PEER_ACCESS_NOT_ENABLED);
}

static const driver_table table = {
#define DRIVER(name, symbol, parameters) .name = sim_call_##name,
#include "driver/driver.def"
#undef DRIVER
};

const driver_table *sim_driver(void) {
    return &table;
}

/* ---- settings of a device; more are in module.c and heap.c ---- */

void sim_driver_set_threads(uint32_t threads) {
    current->threads = threads;
}

void sim_driver_set_limit(uint64_t limit) {
    current->instruction_limit = limit;
}

/* With checks, allocations lie apart, so that an access beyond one is in no other. Writes of launches without checks
 * are not known. */
void sim_driver_set_checks(bool check, bool strict, const sim_schedule *schedule) {
    if (check != current->check) (void)sim_work_finish_all(current, false); /* the work that began without, or with */
    current->check = check;
    current->strict = strict;
    current->schedule = *schedule;
    if (!check) return;
    sim_memory_keep_apart(current->memory);
    if (current->launched_unchecked) sim_memory_mark_all_written(current->memory);
    current->launched_unchecked = false;
}

uint64_t sim_driver_memory_place(void) {
    return sim_memory_place(current->memory);
}

void sim_driver_memory_go_back(uint64_t place) {
    sim_memory_go_back(current->memory, place);
}

void sim_driver_set_counting(haul_counting counting) {
    current->counting = counting;
}

void sim_driver_set_sample(uint64_t blocks) {
    current->sample = blocks;
}

void sim_driver_set_most_registers(uint32_t registers) {
    current->most_registers = registers;
}

void sim_driver_map_pages(sim_note_overrun *note) {
    sim_memory_map_pages(current->memory);
    current->note_overrun = note;
}

void sim_driver_keep_l2(bool keeps) {
    if (keeps == current->keeps_l2) return;
    current->keeps_l2 = keeps;
    sim_l2_free(current->l2);
    current->l2 = NULL;
}

void sim_driver_set_print(sim_print_sink sink) {
    current->print = sink;
}

void sim_driver_set_memory(uint64_t bytes) {
    next_memory = bytes;
}

bool sim_driver_is_device_address(CUdeviceptr address) {
    return sim_memory_at(sim_memory_owner(current->memory, address), address, 1) != NULL;
}

/* Returns the device that owns an address; mapped memory belongs to one device but may be used by several. */
static CUdevice device_of(CUcontext owner, CUdeviceptr address) {
    unsigned device = (unsigned)owner->device;
    uint64_t handle, bytes;
    bool is_multicast;
    if (!sim_is_virtual(address) || sim_virtual_retain(address, &handle) != HAUL_OK) return owner->device;
    (void)sim_virtual_describe(handle, &device, &bytes, &is_multicast);
    (void)sim_virtual_release(handle);
    return (CUdevice)device;
}

struct sim_regions *sim_driver_restrict(CUdeviceptr address) {
    sim_regions **r = sim_memory_regions(sim_memory_owner(current->memory, address));
    if (!*r) *r = sim_regions_create();
    return *r;
}

/* A host address of pinned memory is first translated to the address that kernels use. */
bool sim_driver_allocation(CUdeviceptr address, sim_allocation *a) {
    sim_range range;
    const sim_pinned *pinned = sim_find_pinned(current, (const void *)(uintptr_t)address, 1);
    if (pinned) address = pinned->address + (address - (uintptr_t)pinned->host);
    const CUcontext owner = sim_owner_of(current, address);
    if (!sim_memory_find(owner->memory, address, &range)) return false;
    *a = (sim_allocation){.first = range.from,
                          .bytes = range.to - range.from,
                          .number = sim_memory_number(owner->memory, address),
                          .device = device_of(owner, address)};
    if (sim_memory_is_managed(owner->memory, address)) {
        /* Pools of the host have pinned memory. */
        a->kind = sim_pool_has(owner, range.from) ? SIM_PINNED_MEMORY : SIM_MANAGED_MEMORY;
        a->host = (unsigned char *)(uintptr_t)range.from;
    } else if (pinned || (pinned = sim_pinned_at(current, address))) {
        a->device = pinned->device;
        a->kind = SIM_PINNED_MEMORY;
        a->host = pinned->host;
        a->flags = pinned->flags;
    }
    return true;
}

/* A stream in a host function, or in a kernel that a thread runs, makes progress by itself. */
static bool has_work(CUcontext c) {
    for (CUstream s = c->streams; s; s = s->next)
        if (s->first && !s->is_calling && !s->is_running) return true;
    return c->legacy.first && !c->legacy.is_running;
}

bool sim_driver_has_work(void) {
    for (unsigned i = 0; current && i < sim_member_count(current); i++)
        if (has_work(sim_member_of(current, i))) return true;
    return false;
}

/* Work that waits for a paused kernel is left. */
CUresult sim_driver_do_work(void) {
    bool left;
    return current ? sim_work_try_all(current, false, &left) : CUDA_SUCCESS;
}

double sim_driver_now(void) {
    if (current->family) align_clocks(current->family);
    return current->clock.now;
}

/* Time never goes back. */
void sim_driver_wait_until(double us) {
    if (us > current->clock.now) current->clock.now = us;
}

/* Counts calls of the thread that pass through sim_enter(). */
void sim_driver_fail_call(uint64_t n) {
    calls_left = n;
}

void sim_driver_record(haul_run *run, size_t launch, arena *memory) {
    current->run = run;
    current->run_launch = launch;
    current->record_memory = memory;
}

void sim_driver_on_node_launch(sim_begin_node_launch *begin) {
    current->begin_node_launch = begin;
}

haul_status sim_driver_last_status(void) {
    return current ? current->last : without;
}

const vgpu_extras *sim_driver_extras(void) {
    static const vgpu_extras extras = {
#define EXTRA(result, name, parameters) .name = sim_driver_##name,
#include "vgpu/extras.def"
#undef EXTRA
    };
    return &extras;
}
