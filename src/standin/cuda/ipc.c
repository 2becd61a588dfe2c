/* Memory and events of other processes: a handle names the file in /proc that holds them.
 *
 * The virtual GPU keeps shared memory and events in files of the process (sim_driver_share_memory()). A handle has
 * the process, the number of the open file and the place in it. Another process of the same user opens
 * /proc/PROCESS/fd/FILE and maps that place, so nothing needs a name in the file system, and nothing is left behind.
 * If the process that made a handle has ended, the handle is of no use, as in CUDA. Mapping and counting are in
 * vgpu/share.c. */
#include "base/memory.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LAZY_PEERS = 1 }; /* CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS */

/* The last bytes identify a handle. */
typedef struct content {
    int process, file;     /* the process's number; its file descriptor */
    uint64_t place, bytes; /* offset in the file, and size; events have no size */
    CUdevice device;
    char kind[28]; /* of_memory or of_event */
} content;
_Static_assert(sizeof(content) <= sizeof(cuda_ipc_handle), "CUDA gives a handle 64 bytes");

static const char of_memory[] = "haul: device memory", of_event[] = "haul: event";

/* The rest of the handle is zero, so that equal contents are equal handles. */
static cuda_ipc_handle handle_of(const content *c) {
    cuda_ipc_handle handle = {{0}};
    memcpy(&handle, c, sizeof *c);
    return handle;
}

CUresult cuda_open_file_of(int process, int number, int *file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, number);
    *file = open(path, O_RDWR | O_CLOEXEC);
    return *file >= 0 ? CUDA_SUCCESS
                      : cuda_wrong(CUDA_INVALID_VALUE, "the process that made the handle no longer exists");
}

/* Reads the handle of another process, and opens its file, which the caller closes. */
static CUresult read_handle(const cuda_ipc_handle *handle, const char *kind, content *c, int *file) {
    memcpy(c, handle, sizeof *c);
    if (strncmp(c->kind, kind, sizeof c->kind) != 0)
        return cuda_wrong(CUDA_INVALID_VALUE, "this is not a handle of memory or an event that another process shares");
    if (c->process == getpid()) return cuda_wrong(CUDA_INVALID_CONTEXT, "the handle is of this process itself");
    return cuda_open_file_of(c->process, c->file, file);
}

/* ---- memory ---- */

/* Open memory; the same handle gives the same address. */
typedef struct opened {
    content what;
    CUdeviceptr address;
    unsigned users;
    struct opened *next;
} opened;
static opened *all;

CUresult cuIpcGetMemHandle(void *handle, CUdeviceptr address) {
    content c = {.process = getpid()};
    CUDA_ENTER(d);
    (void)d;
    if (!handle) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = sim_driver_share_memory(address, &c.file, &c.place, &c.bytes, &c.device);
    memcpy(c.kind, of_memory, sizeof of_memory);
    const cuda_ipc_handle made = handle_of(&c);
    if (result == CUDA_SUCCESS) memcpy(handle, &made, sizeof made);
    return cuda_leave(result);
}

/* Opens memory that this process has not open yet. */
static CUresult open_new(const content *what, int file, CUdeviceptr *address) {
    opened *o = memory_zeroed(1, sizeof *o);
    if (!o) return CUDA_OUT_OF_MEMORY;
    const CUresult result = sim_driver_open_memory(file, what->place, what->bytes, what->device, address);
    if (result != CUDA_SUCCESS) {
        memory_free(o);
        return result;
    }
    *o = (opened){*what, *address, 1, all};
    all = o;
    return CUDA_SUCCESS;
}

/* Counts further uses of memory that is open. */
static CUresult open_memory(const cuda_ipc_handle *handle, CUdeviceptr *address) {
    content what;
    int file;
    for (opened *o = all; o; o = o->next) {
        if (memcmp(&o->what, handle, sizeof o->what) != 0) continue;
        o->users++;
        *address = o->address;
        return CUDA_SUCCESS;
    }
    CUresult result = read_handle(handle, of_memory, &what, &file);
    if (result != CUDA_SUCCESS) return result;
    result = open_new(&what, file, address);
    close(file);
    return result;
}

/* The memory's device becomes a peer of the current one. */
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, cuda_ipc_handle handle, unsigned flags) {
    sim_allocation a;
    CUDA_ENTER(d);
    (void)d;
    if (!address || flags & ~(unsigned)LAZY_PEERS) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = open_memory(&handle, address);
    if (result == CUDA_SUCCESS && flags && sim_driver_allocation(*address, &a)) {
        const unsigned owner = standin_number_of(a.device);
        const bool can = sim_driver_machine(a.device)->peer_gbps > 0;
        if (owner != standin_selected() && can) (void)sim_driver_set_peer(standin_device_at(owner)->context, true);
    }
    return cuda_leave(result);
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, cuda_ipc_handle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(address, handle, flags);
}

/* The last use releases the memory, if the program has not done so. */
static CUresult close_memory(const driver_table *d, opened **link) {
    sim_allocation a;
    opened *o = *link;
    if (--o->users) return CUDA_SUCCESS;
    const CUresult result = sim_driver_allocation(o->address, &a) ? d->release(a.first) : CUDA_INVALID_VALUE;
    *link = o->next;
    memory_free(o);
    return result;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    CUDA_ENTER(d);
    for (opened **link = &all; *link; link = &(*link)->next)
        if ((*link)->address == address) return cuda_leave(close_memory(d, link));
    return cuda_leave(cuda_wrong(CUDA_INVALID_VALUE, "no handle was opened at this address"));
}

/* ---- events ---- */

CUresult cuIpcGetEventHandle(void *handle, CUevent event) {
    content c = {.process = getpid()};
    CUDA_ENTER(d);
    (void)d;
    if (!handle || !event) return cuda_leave(CUDA_INVALID_VALUE);
    const CUresult result = sim_driver_share_event(event, &c.file, &c.place);
    memcpy(c.kind, of_event, sizeof of_event);
    const cuda_ipc_handle made = handle_of(&c);
    if (result == CUDA_SUCCESS) memcpy(handle, &made, sizeof made);
    return cuda_leave(result);
}

CUresult cuIpcOpenEventHandle(CUevent *event, cuda_ipc_handle handle) {
    content what;
    int file;
    CUDA_ENTER(d);
    (void)d;
    CUresult result = event ? read_handle(&handle, of_event, &what, &file) : CUDA_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return cuda_leave(result);
    result = sim_driver_open_event(file, what.place, event);
    close(file);
    return cuda_leave(result);
}
