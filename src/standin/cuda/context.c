/* Initialisation and contexts.
 *
 * A context is a name for its device's state. All contexts of a device share that state with the runtime API:
 * allocations and modules of one exist for the others, and stay when it is destroyed. So a context consists of
 * flags, preferences and an identifier, and making one current selects its device for the thread (standin_select()).
 *
 * Each device has one primary context, in a fixed array; its handle is valid whether or not it was retained.
 * Contexts that the program creates are in a list, from which none is ever removed: a destroyed one is recognised,
 * and gives CUDA_CONTEXT_IS_DESTROYED. Everything here except the thread's stack is protected by the lock of
 * session.c, which each call holds. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdatomic.h>

enum { API_VERSION = 3020, KNOWN_FLAGS = 0xff };

typedef struct context {
    CUdevice device;
    unsigned flags, users;                 /* users: how often a primary context was retained */
    bool is_primary, is_used, has_ended;   /* is_used: the runtime was told to use this primary context */
    unsigned long long id;                 /* never used again; 0: a primary context that nobody has named yet */
    int cache_preference, bank_preference; /* as set, for queries only */
    struct context *next;
} context;

static atomic_bool started; /* cuInit() has succeeded in some thread */
static context primary[SIM_MOST_DEVICES];
static context *contexts; /* all others, also destroyed ones */
static unsigned long long last_id;

/* The thread's stack of contexts, whose top is current. A thread's entries are lost when it ends. It is not an array,
 * because a program that loads this library late has little room for thread-local variables. */
typedef struct level {
    context *context;
    struct level *below;
} level;
static _Thread_local level *top;

static CUcontext handle_of(context *c) {
    return (CUcontext)(void *)c;
}

/* Completes the device's entry on first use. `device` is the program's number. */
static context *primary_of(CUdevice device) {
    context *c = &primary[device];
    c->is_primary = true;
    c->device = device;
    if (!c->id) c->id = ++last_id;
    return c;
}

CUcontext cuda_primary_context(unsigned number) {
    return handle_of(primary_of((CUdevice)number));
}

/* In a thread that has called the runtime, the first device's primary context is current. NULL if none is. */
static context *current(void) {
    if (top) return top->context;
    return standin_uses_runtime() ? primary_of(0) : NULL;
}

/* NULL if there is none with that handle. The handle is only compared, so that any value is safe. */
static context *context_of(CUcontext handle) {
    for (unsigned i = 0; i < SIM_MOST_DEVICES; i++)
        if (handle == handle_of(&primary[i])) return &primary[i];
    for (context *c = contexts; c; c = c->next)
        if (handle == handle_of(c)) return c;
    return NULL;
}

/* ---- calls ---- */

CUresult cuda_wrong(CUresult result, const char *what) {
    haul_fail(HAUL_ERROR_ARGUMENT, "%s", what);
    return result;
}

/* Programs that use the runtime need not call cuInit(): the runtime does that. */
CUresult cuda_enter_device(const driver_table **d) {
    if (!started && !standin_has_runtime()) return CUDA_NOT_INITIALIZED;
    *d = standin_enter_driver();
    return CUDA_SUCCESS;
}

/* The current context is checked under the lock, which is given back if it has ended, or is needed and not there. */
static CUresult check_context(bool is_needed) {
    const context *c = current();
    if (c ? !c->has_ended : !is_needed) return CUDA_SUCCESS;
    return standin_leave_driver(c ? CUDA_CONTEXT_IS_DESTROYED : CUDA_INVALID_CONTEXT);
}

static CUresult enter(const driver_table **d, bool is_needed) {
    const CUresult entered = cuda_enter_device(d);
    return entered == CUDA_SUCCESS ? check_context(is_needed) : entered;
}

CUresult cuda_enter(const driver_table **d) {
    return enter(d, true);
}

CUresult cuda_enter_handle(const driver_table **d) {
    return enter(d, false);
}

/* The default streams, which are the current context's: NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. */
static bool is_default(CUstream stream) {
    return (uintptr_t)stream <= 2;
}

CUresult cuda_enter_stream(const driver_table **d, CUstream stream) {
    return enter(d, is_default(stream));
}

CUresult cuda_enter_device_beside(const driver_table **d) {
    if (!started && !standin_has_runtime()) return CUDA_NOT_INITIALIZED;
    *d = standin_enter_driver_beside();
    return CUDA_SUCCESS;
}

static CUresult enter_beside(const driver_table **d, bool is_needed) {
    const CUresult entered = cuda_enter_device_beside(d);
    return entered == CUDA_SUCCESS ? check_context(is_needed) : entered;
}

CUresult cuda_enter_beside(const driver_table **d) {
    return enter_beside(d, true);
}

CUresult cuda_enter_handle_beside(const driver_table **d) {
    return enter_beside(d, false);
}

CUresult cuda_enter_stream_beside(const driver_table **d, CUstream stream) {
    return enter_beside(d, is_default(stream));
}

CUresult cuda_leave(CUresult result) {
    return standin_leave_driver(result);
}

/* Opens the devices, as each first call does. */
CUresult cuInit(unsigned flags) {
    const driver_table *d = standin_enter_driver_beside();
    const CUresult result = d->init(flags);
    if (result == CUDA_SUCCESS) started = true;
    return cuda_leave(result);
}

CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_INVALID_VALUE;
    const driver_table *d = standin_enter_driver_beside();
    return cuda_leave(d->version(version));
}

/* ---- primary contexts ---- */

static CUresult check_ordinal(CUdevice device) {
    return standin_is_device(device) ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (!handle) return cuda_leave(CUDA_INVALID_VALUE);
    if (check_ordinal(device) != CUDA_SUCCESS) return cuda_leave(CUDA_INVALID_DEVICE);
    context *c = primary_of(device);
    c->users++;
    *handle = handle_of(c);
    return cuda_leave(CUDA_SUCCESS);
}

/* The last release waits for the device, and frees nothing. */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (check_ordinal(device) != CUDA_SUCCESS) return cuda_leave(CUDA_INVALID_DEVICE);
    context *c = primary_of(device);
    if (!c->users) return cuda_leave(CUDA_INVALID_CONTEXT);
    return cuda_leave(--c->users ? CUDA_SUCCESS : standin_synchronize((unsigned)device));
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return cuDevicePrimaryCtxRelease_v2(device);
}

/* The program's allocations stay until it ends. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = check_ordinal(device);
    return cuda_leave(result == CUDA_SUCCESS ? standin_synchronize((unsigned)device) : result);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return cuDevicePrimaryCtxReset_v2(device);
}

/* Active: retained by the program, or used by the runtime. */
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (check_ordinal(device) != CUDA_SUCCESS) return cuda_leave(CUDA_INVALID_DEVICE);
    if (!flags || !active) return cuda_leave(CUDA_INVALID_VALUE);
    const context *c = primary_of(device);
    *flags = c->flags;
    *active = c->users || c->is_used || (!device && standin_uses_runtime());
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (check_ordinal(device) != CUDA_SUCCESS) return cuda_leave(CUDA_INVALID_DEVICE);
    if (flags & ~(unsigned)KNOWN_FLAGS) return cuda_leave(CUDA_INVALID_VALUE);
    primary_of(device)->flags = flags;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

/* ---- the program's own contexts ---- */

/* Makes the context current, above the thread's earlier ones. */
static CUresult push(context *c) {
    level *l = memory_alloc(sizeof *l);
    if (!l) return CUDA_OUT_OF_MEMORY;
    *l = (level){c, top};
    top = l;
    (void)standin_select((unsigned)c->device);
    return CUDA_SUCCESS;
}

/* Without any context left, the thread's device is the first one again. */
static void pop(void) {
    level *l = top;
    top = l->below;
    memory_free(l);
    (void)standin_select(top ? (unsigned)top->context->device : 0);
}

/* Replaces the current context by another device's primary one. As cudaSetDevice() needs no stack, the entry of the
 * earlier device is removed. The first device needs no entry in a thread that uses the runtime: current() finds it. */
CUresult cuda_set_device(CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (check_ordinal(device) != CUDA_SUCCESS) return cuda_leave(CUDA_INVALID_DEVICE);
    context *const wanted = primary_of(device), *const now = current();
    wanted->is_used = true;
    if (now && now->device == device) return cuda_leave(CUDA_SUCCESS);
    if (top) pop();
    return cuda_leave(device || top ? push(wanted) : CUDA_SUCCESS);
}

static CUresult add(context **made, unsigned flags, CUdevice device) {
    if (check_ordinal(device) != CUDA_SUCCESS) return CUDA_INVALID_DEVICE;
    if (!made || flags & ~(unsigned)KNOWN_FLAGS) return CUDA_INVALID_VALUE;
    context *c = memory_zeroed(1, sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    *c = (context){.device = device, .flags = flags, .id = ++last_id, .next = contexts};
    *made = contexts = c;
    return CUDA_SUCCESS;
}

CUresult cuda_add_context(CUdevice device, CUcontext *handle) {
    context *made;
    const CUresult result = add(&made, 0, device);
    if (result == CUDA_SUCCESS) *handle = handle_of(made);
    return result;
}

/* The new context becomes current. */
static CUresult create(context **made, unsigned flags, CUdevice device) {
    const CUresult result = add(made, flags, device);
    return result == CUDA_SUCCESS ? push(*made) : result;
}

CUresult cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device) {
    context *made = NULL;
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = handle ? create(&made, flags, device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *handle = handle_of(made);
    return cuda_leave(result);
}

CUresult cuCtxCreate(CUcontext *handle, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(handle, flags, device);
}

/* Blocks run on all SMs: affinities to some of them are not supported. */
CUresult cuCtxCreate_v3(CUcontext *handle, const void *affinities, int count, unsigned flags, CUdevice device) {
    (void)affinities;
    return count ? CUDA_NOT_SUPPORTED : cuCtxCreate_v2(handle, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *handle, const cuda_context_options *options, unsigned flags, CUdevice device) {
    if (options && (options->affinity_count || options->graphics)) return CUDA_NOT_SUPPORTED;
    return cuCtxCreate_v2(handle, flags, device);
}

/* A primary context must be released instead. If the destroyed context is current in this thread, the one below
 * becomes current; in other threads' stacks it stays, as destroyed. */
CUresult cuCtxDestroy_v2(CUcontext handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    context *c = context_of(handle);
    if (!c || c->has_ended || c->is_primary) return cuda_leave(CUDA_INVALID_CONTEXT);
    const CUresult result = standin_synchronize((unsigned)c->device);
    c->has_ended = true;
    if (top && top->context == c) pop();
    return cuda_leave(result);
}

CUresult cuCtxDestroy(CUcontext handle) {
    return cuCtxDestroy_v2(handle);
}

/* Old functions that counted a context's users: these are not counted here. */
CUresult cuCtxAttach(CUcontext *handle, unsigned flags) {
    if (flags) return CUDA_INVALID_VALUE;
    return cuCtxGetCurrent(handle);
}

CUresult cuCtxDetach(CUcontext handle) {
    return cuda_check_context(handle);
}

/* ---- the current context ---- */

CUresult cuda_check_context(CUcontext handle) {
    const context *c = handle ? context_of(handle) : current();
    if (!c) return CUDA_INVALID_CONTEXT;
    return c->has_ended ? CUDA_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = handle ? cuda_check_context(handle) : CUDA_INVALID_CONTEXT;
    return cuda_leave(result == CUDA_SUCCESS ? push(context_of(handle)) : result);
}

CUresult cuCtxPushCurrent(CUcontext handle) {
    return cuCtxPushCurrent_v2(handle);
}

/* Removes entries that were pushed; the one that a thread has through the runtime is not among them. */
CUresult cuCtxPopCurrent_v2(CUcontext *handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (!top) return cuda_leave(CUDA_INVALID_CONTEXT);
    if (handle) *handle = handle_of(top->context);
    pop();
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent(CUcontext *handle) {
    return cuCtxPopCurrent_v2(handle);
}

/* Replaces the current context; NULL removes it. */
CUresult cuCtxSetCurrent(CUcontext handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = handle ? cuda_check_context(handle) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS && top) pop();
    return cuda_leave(result == CUDA_SUCCESS && handle ? push(context_of(handle)) : result);
}

/* NULL if there is none. */
CUresult cuCtxGetCurrent(CUcontext *handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (handle) *handle = handle_of(current());
    return cuda_leave(handle ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* ---- queries ---- */

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = device ? cuda_check_context(handle) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *device = (handle ? context_of(handle) : current())->device;
    return cuda_leave(result);
}

CUresult cuCtxGetDevice(CUdevice *device) {
    return cuCtxGetDevice_v2(device, NULL);
}

CUresult cuCtxGetFlags(unsigned *flags) {
    CUDA_ENTER_BESIDE(d);
    (void)d;
    if (flags) *flags = current()->flags;
    return cuda_leave(flags ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUresult cuCtxSetFlags(unsigned flags) {
    CUDA_ENTER_BESIDE(d);
    (void)d;
    if (flags & ~(unsigned)KNOWN_FLAGS) return cuda_leave(CUDA_INVALID_VALUE);
    current()->flags = flags;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = id ? cuda_check_context(handle) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *id = (handle ? context_of(handle) : current())->id;
    return cuda_leave(result);
}

/* The number that NVIDIA's driver returns for contexts of cuCtxCreate_v2(). */
CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = version ? cuda_check_context(handle) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *version = API_VERSION;
    return cuda_leave(result);
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = cuda_check_context(handle);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    return cuda_leave(standin_synchronize((unsigned)(handle ? context_of(handle) : current())->device));
}

/* ---- peers ---- */

/* Enables or disables access of the current device's kernels to memory of the peer's device. Repeating a call is an
 * error, as in CUDA, and so is a device that is its own peer. */
static CUresult set_peer(CUcontext handle, bool reaches) {
    const context *peer = handle ? context_of(handle) : NULL;
    if (!peer || peer->has_ended || peer->device == current()->device) return CUDA_INVALID_CONTEXT;
    if (!(sim_driver_machine(standin_device()->handle)->peer_gbps > 0)) return CUDA_PEER_ACCESS_UNSUPPORTED;
    if (sim_driver_set_peer(standin_device_at((unsigned)peer->device)->context, reaches)) return CUDA_SUCCESS;
    return reaches ? CUDA_PEER_ACCESS_ALREADY_ENABLED : CUDA_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    CUDA_ENTER(d);
    (void)d;
    return cuda_leave(flags ? CUDA_INVALID_VALUE : set_peer(peer, true));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    CUDA_ENTER(d);
    (void)d;
    return cuda_leave(set_peer(peer, false));
}

/* Preferences have no effect: the virtual GPU divides its memory by a kernel's needs. */
enum { MOST_CACHE_PREFERENCE = 3, MOST_BANK_PREFERENCE = 2 };

/* Checked and stored, for the queries below. */
static CUresult set_preference(int value, int most, bool of_banks) {
    CUDA_ENTER_BESIDE(d);
    (void)d;
    if (value < 0 || value > most) return cuda_leave(CUDA_INVALID_VALUE);
    *(of_banks ? &current()->bank_preference : &current()->cache_preference) = value;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuCtxSetCacheConfig(int preference) {
    return set_preference(preference, MOST_CACHE_PREFERENCE, false);
}

CUresult cuCtxSetSharedMemConfig(int preference) {
    return set_preference(preference, MOST_BANK_PREFERENCE, true);
}

CUresult cuCtxGetCacheConfig(int *preference) {
    CUDA_ENTER_BESIDE(d);
    (void)d;
    if (preference) *preference = current()->cache_preference;
    return cuda_leave(preference ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUresult cuCtxGetSharedMemConfig(int *preference) {
    CUDA_ENTER_BESIDE(d);
    (void)d;
    if (preference) *preference = current()->bank_preference;
    return cuda_leave(preference ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* The affinity to SMs (0) always has all of them. */
CUresult cuCtxGetExecAffinity(void *affinity, int kind) {
    CUDA_ENTER_BESIDE(d);
    (void)d, (void)affinity;
    return cuda_leave(kind ? CUDA_INVALID_VALUE : CUDA_NOT_SUPPORTED);
}
