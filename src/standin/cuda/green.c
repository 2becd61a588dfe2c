/* Green contexts: contexts with a part of the SMs.
 *
 * Resources are divided as on hardware, by the sizes that CUDA documents for each compute capability. haul does not
 * divide the virtual GPU, though: kernels in a green context run on all its SMs. Like other contexts, a green one is a
 * name for its device's state. */
#include "base/memory.h"
#include "lib/device.h"
#include "machine/machine.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

enum { OF_SMS = 1, DEFAULT_STREAM = 1, NON_BLOCKING = 1, IGNORE_COSCHEDULING = 1 };

/* The result of cuDevResourceGenerateDesc(); never freed, as CUDA has no call for that. */
struct CUdevResourceDesc_st {
    unsigned sms;
};

struct CUgreenCtx_st {
    CUdevice device; /* the program's number */
    CUcontext context;
    unsigned sms;
    bool has_ended;
    CUgreenCtx next;
};

/* A stream of a green context. */
typedef struct owned_stream {
    CUstream stream;
    CUgreenCtx context;
    struct owned_stream *next;
} owned_stream;

static CUgreenCtx contexts; /* also ended ones */
static owned_stream *streams;

static CUgreenCtx green_of(CUgreenCtx handle) {
    CUgreenCtx g = contexts;
    while (g && g != handle) g = g->next;
    return g && !g->has_ended ? g : NULL;
}

CUcontext cuda_context_of_green(const void *green) {
    for (CUgreenCtx g = contexts; g; g = g->next)
        if (g == green && !g->has_ended) return g->context;
    return NULL;
}

static const sim_machine *machine_of(CUdevice device) {
    return sim_driver_machine(standin_device_at((unsigned)device)->handle);
}

/* SMs come in groups: of 8 from compute capability 9.0 on, of 2 before, at least 4 from 8.0 on. */
static unsigned unit_of(CUdevice device, unsigned flags) {
    return machine_of(device)->sm < 90 || flags & IGNORE_COSCHEDULING ? 2 : 8;
}

static unsigned least_of(CUdevice device, unsigned flags) {
    const unsigned sm = machine_of(device)->sm, unit = unit_of(device, flags);
    return unit == 2 && sm >= 80 && sm < 90 ? 4 : unit;
}

static cuda_resource resource_of(unsigned sms, CUdevice device, unsigned flags) {
    cuda_resource r = {.type = OF_SMS};
    r.of.sms.count = sms;
    r.of.sms.least = least_of(device, flags);
    r.of.sms.unit = unit_of(device, flags);
    return r;
}

/* ---- resources ---- */

CUresult cuDeviceGetDevResource(CUdevice device, cuda_resource *resource, int type) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!standin_is_device(device)) return cuda_leave(CUDA_INVALID_DEVICE);
    if (!resource || type != OF_SMS) return cuda_leave(CUDA_INVALID_VALUE);
    *resource = resource_of(machine_of(device)->sms, device, 0);
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx context, cuda_resource *resource, int type) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUgreenCtx g = green_of(context);
    if (!g) return cuda_leave(CUDA_INVALID_CONTEXT);
    if (!resource || type != OF_SMS) return cuda_leave(CUDA_INVALID_VALUE);
    *resource = resource_of(g->sms, g->device, 0);
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuCtxGetDevResource(CUcontext context, cuda_resource *resource, int type) {
    CUdevice device = 0;
    CUgreenCtx g = contexts;
    while (g && g->context != context) g = g->next;
    if (g) return cuGreenCtxGetDevResource(g, resource, type);
    const CUresult result = cuCtxGetDevice_v2(&device, context);
    return result == CUDA_SUCCESS ? cuDeviceGetDevResource(device, resource, type) : result;
}

static unsigned group_size(CUdevice device, unsigned least, unsigned flags) {
    const unsigned unit = unit_of(device, flags), smallest = least_of(device, flags);
    if (least < smallest) least = smallest;
    return (least + unit - 1) / unit * unit;
}

/* With no place for groups, only their number is returned. */
CUresult cuDevSmResourceSplitByCount(cuda_resource *groups, unsigned *count, const cuda_resource *from,
                                     cuda_resource *rest, unsigned flags, unsigned least) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUdevice device = (CUdevice)standin_selected();
    if (!count || !from || from->type != OF_SMS || flags & ~3u || least > from->of.sms.count)
        return cuda_leave(CUDA_INVALID_VALUE);
    const unsigned size = group_size(device, least, flags), most = from->of.sms.count / size;
    if (!groups) {
        *count = most;
        return cuda_leave(CUDA_SUCCESS);
    }
    if (!*count || !most) return cuda_leave(!*count ? CUDA_INVALID_VALUE : CUDA_INVALID_RESOURCE_CONFIGURATION);
    if (*count > most) *count = most;
    for (unsigned i = 0; i < *count; i++) groups[i] = resource_of(size, device, flags);
    if (rest) *rest = resource_of(from->of.sms.count - *count * size, device, flags);
    return cuda_leave(CUDA_SUCCESS);
}

/* The SMs of one group, out of those that are left; 0 if it cannot be made. A backfilled group takes SMs that are in no
 * unit of its own. */
static unsigned sms_of_group(CUdevice device, const cuda_sm_group *asked, unsigned left) {
    enum { BACKFILL = 1 };
    const unsigned unit = asked->unit ? asked->unit : unit_of(device, 0), count = asked->count;
    if (unit % 2 || asked->preferred_unit % unit || asked->flags & ~(unsigned)BACKFILL) return 0;
    if (!count) return left / unit * unit;
    return count >= 2 && count <= left && (asked->flags || count % unit == 0) ? count : 0;
}

/* Groups of different sizes. With no place for them, only their sizes are returned, in `asked`. */
CUresult cuDevSmResourceSplit(cuda_resource *groups, unsigned count, const cuda_resource *from, cuda_resource *rest,
                              unsigned flags, cuda_sm_group *asked) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUdevice device = (CUdevice)standin_selected();
    if (!count || !from || from->type != OF_SMS || flags || !asked) return cuda_leave(CUDA_INVALID_VALUE);
    unsigned left = from->of.sms.count;
    for (unsigned i = 0; i < count; i++) {
        const unsigned sms = sms_of_group(device, &asked[i], left);
        if (!sms) return cuda_leave(CUDA_INVALID_RESOURCE_CONFIGURATION);
        left -= asked[i].count = sms;
        if (groups) groups[i] = resource_of(sms, device, 0);
        if (groups && asked[i].unit) groups[i].of.sms.unit = asked[i].unit;
    }
    if (rest && left) *rest = resource_of(left, device, 0);
    if (rest && !left) *rest = (cuda_resource){0};
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, cuda_resource *resources, unsigned count) {
    unsigned sms = 0;
    if (!description || !resources || !count) return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (resources[i].type != OF_SMS || !resources[i].of.sms.count) return CUDA_INVALID_RESOURCE_TYPE;
        sms += resources[i].of.sms.count;
    }
    *description = memory_zeroed(1, sizeof **description);
    if (!*description) return CUDA_OUT_OF_MEMORY;
    (*description)->sms = sms;
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc description, CUdevice device, unsigned flags) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    if (!standin_is_device(device)) return cuda_leave(CUDA_INVALID_DEVICE);
    if (!context || !description || flags & ~(unsigned)DEFAULT_STREAM) return cuda_leave(CUDA_INVALID_VALUE);
    CUgreenCtx g = memory_zeroed(1, sizeof *g);
    if (!g) return cuda_leave(CUDA_OUT_OF_MEMORY);
    *g = (struct CUgreenCtx_st){.device = device, .sms = description->sms, .next = contexts};
    const CUresult result = cuda_add_context(device, &g->context);
    if (result != CUDA_SUCCESS) {
        memory_free(g);
        return cuda_leave(result);
    }
    *context = contexts = g;
    return cuda_leave(CUDA_SUCCESS);
}

CUresult cuGreenCtxDestroy(CUgreenCtx context) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUgreenCtx g = green_of(context);
    if (g) g->has_ended = true;
    return cuda_leave(g ? cuCtxDestroy_v2(g->context) : CUDA_INVALID_CONTEXT);
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUgreenCtx g = green_of(green);
    if (g && context) *context = g->context;
    return cuda_leave(!g ? CUDA_INVALID_CONTEXT : context ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUresult cuGreenCtxGetId(CUgreenCtx context, unsigned long long *id) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const CUgreenCtx g = green_of(context);
    return cuda_leave(g ? cuCtxGetId(g->context, id) : CUDA_INVALID_CONTEXT);
}

/* ---- streams ---- */

static CUresult add_stream(CUstream stream, CUgreenCtx g) {
    owned_stream *s = memory_zeroed(1, sizeof *s);
    if (!s) return CUDA_OUT_OF_MEMORY;
    *s = (owned_stream){stream, g, streams};
    streams = s;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned flags, int priority) {
    CUDA_ENTER_DEVICE(d);
    const CUgreenCtx g = green_of(context);
    if (!g) return cuda_leave(CUDA_INVALID_CONTEXT);
    if (!stream || flags & ~(unsigned)NON_BLOCKING) return cuda_leave(CUDA_INVALID_VALUE);
    const unsigned before = standin_select((unsigned)g->device);
    CUresult result = d->stream_create(stream, flags, priority);
    (void)standin_select(before);
    if (result == CUDA_SUCCESS) result = add_stream(*stream, g);
    return cuda_leave(result);
}

/* A later stream may have the handle of an earlier one: the latest counts. NULL if it is of no green context. */
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *context) {
    CUDA_ENTER_DEVICE(d);
    (void)d;
    const owned_stream *s = streams;
    while (s && s->stream != stream) s = s->next;
    if (context) *context = s ? green_of(s->context) : NULL;
    return cuda_leave(context ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
    CUgreenCtx of = NULL;
    CUresult result = cuStreamGetGreenCtx(stream, &of);
    if (result == CUDA_SUCCESS && green) *green = of;
    if (result != CUDA_SUCCESS || !context) return result;
    *context = of ? of->context : NULL;
    return of ? CUDA_SUCCESS : cuStreamGetCtx(stream, context);
}

/* Returns the resource of the stream's green context, else of its device. */
CUresult cuStreamGetDevResource(CUstream stream, cuda_resource *resource, int type) {
    CUgreenCtx green = NULL;
    CUdevice device = 0;
    CUresult result = cuStreamGetGreenCtx(stream, &green);
    if (result == CUDA_SUCCESS && green) return cuGreenCtxGetDevResource(green, resource, type);
    if (result == CUDA_SUCCESS) result = cuStreamGetDevice(stream, &device);
    return result == CUDA_SUCCESS ? cuDeviceGetDevResource(device, resource, type) : result;
}

/* ---- events of a whole context ---- */

/* Does the device's work at once, so that a record in its default stream comes after all of it. */
CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
    CUdevice device = 0;
    CUDA_ENTER_DEVICE(d);
    CUresult result = cuCtxGetDevice_v2(&device, context);
    if (result == CUDA_SUCCESS) result = standin_synchronize((unsigned)device);
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    const unsigned before = standin_select((unsigned)device);
    result = d->event_record(event, NULL);
    (void)standin_select(before);
    return cuda_leave(result);
}

/* The host waits, and so does all that it adds later. */
CUresult cuCtxWaitEvent(CUcontext context, CUevent event) {
    CUDA_ENTER_DEVICE(d);
    const CUresult result = cuda_check_context(context);
    return cuda_leave(result == CUDA_SUCCESS ? d->event_synchronize(event) : result);
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event) {
    CUcontext own = NULL;
    const CUresult result = cuCtxFromGreenCtx(&own, context);
    return result == CUDA_SUCCESS ? cuCtxRecordEvent(own, event) : result;
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx context, CUevent event) {
    CUcontext own = NULL;
    const CUresult result = cuCtxFromGreenCtx(&own, context);
    return result == CUDA_SUCCESS ? cuCtxWaitEvent(own, event) : result;
}
