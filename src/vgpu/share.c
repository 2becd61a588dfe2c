/* Memory and events that processes share (share.h).
 *
 * A process has one file with slots for its events, made when the first of them is; device memory has files of its
 * own (machine/memory.h). Another process opens the file through /proc, which standin/cuda/ipc.c does, and maps the
 * page with the slot. Slots change by atomic operations only: no lock is shared. A process that dies leaves its
 * slots as they are. */
#include "vgpu/share.h"

#include "base/status.h"
#include "vgpu/internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- slots ---- */

enum { PAGE = 4096, SLOTS = 1 << 16, SLOT_FILE_BYTES = SLOTS * sizeof(sim_slot) };

/* The slots of this process. None is reused, since other processes may still use it. */
static struct {
    sim_slot *slots;
    int file;
    unsigned count;
    pid_t owner; /* a forked process begins anew */
} own;

static sim_slot *map_slots(int file, uint64_t from, uint64_t bytes) {
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)from);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* A forked process must not use the slots of its parent, so it makes new ones. */
static bool make_slots(void) {
    if (own.slots && own.owner == getpid()) return true;
    const int file = memfd_create("haul-events", MFD_CLOEXEC);
    sim_slot *slots = file >= 0 && ftruncate(file, SLOT_FILE_BYTES) == 0 ? map_slots(file, 0, SLOT_FILE_BYTES) : NULL;
    if (!slots && file >= 0) close(file);
    if (!slots) return false;
    own.slots = slots;
    own.file = file;
    own.count = 0;
    own.owner = getpid();
    return true;
}

sim_slot *sim_slot_new(void) {
    if (make_slots() && own.count < SLOTS) return &own.slots[own.count++];
    haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual GPU: no more events can be shared between processes");
    return NULL;
}

/* Finds the slot for another process: a file of this one, and the offset in it. Returns false for a slot of another
 * process. */
static bool find_slot(const sim_slot *slot, int *file, uint64_t *place) {
    if (!own.slots || slot < own.slots || slot >= own.slots + SLOTS) return false;
    *file = own.file;
    *place = (uint64_t)(slot - own.slots);
    return true;
}

/* Opens a slot of another process, whose file is open; returns NULL, with a message, if it cannot. sim_slot_close()
 * ends the use. */
static sim_slot *open_slot(int file, uint64_t place) {
    const uint64_t at = place * sizeof(sim_slot), page = at / PAGE * PAGE;
    sim_slot *slots = place < SLOTS ? map_slots(file, page, PAGE) : NULL;
    if (slots) return slots + (at - page) / sizeof(sim_slot);
    haul_fail(HAUL_ERROR_ARGUMENT, "virtual GPU: the handle is not that of an event that another process shares");
    return NULL;
}

/* Slots of this process stay. */
void sim_slot_close(sim_slot *slot) {
    int file;
    uint64_t place;
    const uintptr_t at = (uintptr_t)slot;
    if (slot && !find_slot(slot, &file, &place)) munmap((void *)(at / PAGE * PAGE), PAGE);
}

/* The number never falls: records may be reached in any order. */
void sim_slot_reach(sim_slot *slot, uint64_t number) {
    uint64_t now = atomic_load(&slot->reached);
    while (now < number && !atomic_compare_exchange_weak(&slot->reached, &now, number)) continue;
}

/* ---- memory ---- */

/* Work is done before, as other processes do not know of it. */
CUresult sim_driver_share_memory(CUdeviceptr address, int *file, uint64_t *place, uint64_t *bytes, CUdevice *device) {
    SIM_ENTER(current);
    const CUcontext c = sim_owner_of(current, address);
    if (sim_pool_has(c, address))
        return sim_wrong("cuIpcGetMemHandle: memory of a pool is shared by cuMemPoolExportPointer()");
    sim_finish_everything(current);
    *device = c->device;
    return sim_result_of(sim_memory_share(c->memory, address, file, place, bytes));
}

CUresult sim_driver_open_memory(int file, uint64_t place, uint64_t bytes, CUdevice device, CUdeviceptr *address) {
    uint64_t at = 0;
    SIM_ENTER(current);
    const CUcontext c = sim_context_of(current, device);
    const haul_status status = sim_memory_import(c->memory, file, place, bytes, &at);
    *address = at;
    return sim_result_of(status);
}

/* ---- events ---- */

CUresult sim_driver_share_event(CUevent event, int *file, uint64_t *place) {
    SIM_ENTER(c);
    (void)c;
    if (event->slot && find_slot(event->slot, file, place)) return CUDA_SUCCESS;
    return sim_wrong("cuIpcGetEventHandle: the event was not created here with flag 4 (interprocess)");
}

/* Times of another process's clock mean nothing here, so the event has none. */
CUresult sim_driver_open_event(int file, uint64_t place, CUevent *event) {
    SIM_ENTER(c);
    (void)c;
    sim_slot *slot = open_slot(file, place);
    if (!slot) return sim_result_of(HAUL_ERROR_ARGUMENT);
    const CUresult result = sim_call_event_create(event, DRIVER_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        (*event)->slot = slot;
    else
        sim_slot_close(slot);
    return result;
}
