/* Run records: haul_run is what reports are made of, plain data that outlives the device. Launches are an array that
 * grows while the run is made; everything that they point to lives in the run's arena, so freeing it frees all.
 * Pointers to launches are valid until the next one is added. */
#include "lib/run.h"

#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "vgpu/driver.h"

#include <string.h>

/* A run and its memory are one block; the list of launches grows by doubling. */
typedef struct run_owner {
    haul_run run;
    arena memory;
    size_t capacity;
} run_owner;

/* The owner is found through the public structure, which has no members for it but one pointer. */
arena *run_memory(haul_run *run) {
    return &((run_owner *)run->owner)->memory;
}

/* The stamp says whether numbers are simulated or measured; a run never mixes both. */
haul_status haul_run_create(haul_device *device, haul_run **run) {
    *run = NULL;
    run_owner *o = memory_zeroed(1, sizeof *o);
    if (!o) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "run: no memory for its record");
    const char *machine = device->extras ? device->extras->machine(device->handle)->name : device->name;
    o->run.owner = o;
    o->run.stamp = device->extras ? HAUL_SIMULATED : HAUL_MEASURED;
    o->run.machine = arena_copy(&o->memory, machine, strlen(machine));
    o->run.device = arena_copy(&o->memory, device->product, strlen(device->product));
    o->run.version = HAUL_VERSION;
    *run = &o->run;
    if (o->run.machine && o->run.device) return HAUL_OK;
    haul_run_free(*run);
    *run = NULL;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "run: no memory for its record");
}

void haul_run_free(haul_run *run) {
    if (!run) return;
    run_owner *o = run->owner;
    memory_free(run->launches);
    arena_free(&o->memory);
    memory_free(o);
}

/* Fills in a record with the leaks of the next kernel, in `memory`; *user is the kernel that the search goes on from,
 * UINT32_MAX at the end. The report of leaks allocates without checks, so the arena jumps back here when memory is
 * short. */
static haul_status find_leaks(const vgpu_extras *extras, arena *memory, uint32_t *user, haul_launch_record *record) {
    jmp_buf out_of_memory;
    memory->out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory)) {
        memory->out_of_memory = NULL;
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "run: no memory for what leaks");
    }
    const haul_status status = extras->leaks(user, memory, record);
    memory->out_of_memory = NULL;
    return status;
}

/* Adds a launch for each kernel that left blocks on the heap. */
static haul_status add_leaks(const vgpu_extras *extras, haul_run *run) {
    for (uint32_t user = 0; user != UINT32_MAX;) {
        haul_launch_record found = {0}, *record = NULL;
        HAUL_TRY(find_leaks(extras, run_memory(run), &user, &found));
        if (user == UINT32_MAX) return HAUL_OK;
        HAUL_TRY(run_add_launch(run, &record));
        *record = found;
    }
    return HAUL_OK;
}

/* Only a virtual GPU that checks launches knows. */
haul_status haul_device_leaks(haul_device *d, haul_run *run) {
    if (!d->extras || !d->checks) return HAUL_OK;
    HAUL_TRY(device_enter(d));
    return add_leaks(d->extras, run);
}

haul_status run_add_launch(haul_run *run, haul_launch_record **record) {
    run_owner *o = run->owner;
    haul_launch_record *launches = memory_grow(run->launches, run->launch_count, &o->capacity, sizeof *launches);
    if (!launches) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "run: no memory for another launch");
    run->launches = launches;
    *record = &run->launches[run->launch_count++];
    memset(*record, 0, sizeof **record);
    return HAUL_OK;
}
