/* Several devices of one program: opening them together, and access to each other's memory.
 *
 * Real GPUs know each other without further ado. Virtual ones are joined (sim_driver_join()): they then share a clock
 * and pinned memory, and their contexts end together. */
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/text.h"
#include "lib/stream.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <string.h>

/* The devices opened so far. */
typedef struct opening {
    haul_device **devices;
    size_t count;
    const haul_device_options *options;
} opening;

/* ---- names ---- */

static haul_status too_many(void) {
    return haul_fail(HAUL_ERROR_LIMIT, "devices: name at most %d", HAUL_MOST_DEVICES);
}

/* Returns how many devices of that name are open. */
static unsigned count_of(const opening *o, const char *name) {
    unsigned count = 0;
    for (size_t i = 0; i < o->count; i++) count += strcmp(haul_device_name(o->devices[i]), name) == 0;
    return count;
}

/* Virtual GPUs of one name are told apart by their number; a real one is there once. */
static haul_status open_one(opening *o, const char *name) {
    if (o->count == HAUL_MOST_DEVICES) return too_many();
    const char *full = strcmp(name, "sim") == 0 ? "sim:h100" : name;
    HAUL_TRY(device_open_further(name, count_of(o, full), o->options, &o->devices[o->count]));
    o->count++;
    return HAUL_OK;
}

/* gpu:0, gpu:1, ... as many as the driver counts. */
static haul_status open_all_gpus(opening *o) {
    const driver_table *driver;
    int count = 0;
    char name[32];
    HAUL_TRY(driver_load(&driver));
    driver->device_count(&count);
    if (count < 1) return open_one(o, "gpu:0"); /* its message says what is missing */
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "gpu:%d", i);
        HAUL_TRY(open_one(o, name));
    }
    return HAUL_OK;
}

haul_status device_split_number(const char *name, size_t *length, unsigned *number) {
    uint64_t given;
    *length = strlen(name);
    *number = 1;
    if (strncmp(name, "sim:", 4) != 0) return HAUL_OK;
    *length = 4 + device_split_machine(name + 4, &given);
    if (given < 1 || given > SIM_MOST_DEVICES)
        return haul_fail(HAUL_ERROR_LIMIT, "device %s: a program has 1 to %d virtual GPUs", name, SIM_MOST_DEVICES);
    *number = (unsigned)given;
    return HAUL_OK;
}

/* One word of the list. */
static haul_status open_word(opening *o, char *word) {
    size_t length;
    unsigned number;
    if (strcmp(word, "gpu:all") == 0) return open_all_gpus(o);
    HAUL_TRY(device_split_number(word, &length, &number));
    word[length] = '\0';
    for (unsigned i = 0; i < number; i++) HAUL_TRY(open_one(o, word));
    return HAUL_OK;
}

/* ---- opening and closing ---- */

static haul_status check_pair(const haul_device *a, const haul_device *b) {
    if (a->driver != b->driver)
        return haul_fail(HAUL_ERROR_ARGUMENT, "devices: %s and %s: real and virtual GPUs do not work together", a->name,
                         b->name);
    if (a->handle == b->handle) return haul_fail(HAUL_ERROR_ARGUMENT, "devices: %s is named twice", a->name);
    return HAUL_OK;
}

static haul_status check_pairs(const opening *o) {
    for (size_t i = 0; i < o->count; i++)
        for (size_t k = 0; k < i; k++) HAUL_TRY(check_pair(o->devices[k], o->devices[i]));
    return HAUL_OK;
}

/* Makes several virtual GPUs one program. */
static haul_status join(const opening *o) {
    if (o->count < 2 || !haul_device_is_virtual(o->devices[0])) return HAUL_OK;
    device_set *set = memory_zeroed(1, sizeof *set);
    if (!set) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "devices: no memory for %zu of them", o->count);
    for (; set->count < o->count; set->count++) {
        set->contexts[set->count] = o->devices[set->count]->context;
        set->handles[set->count] = o->devices[set->count]->handle;
    }
    set->open = set->count;
    const haul_status status = o->devices[0]->extras->join(set->contexts, set->count);
    if (status != HAUL_OK) {
        memory_free(set);
        return status;
    }
    for (size_t i = 0; i < o->count; i++) o->devices[i]->set = set;
    return HAUL_OK;
}

static haul_status open_names(opening *o, const char *names) {
    text copy = {0};
    text_put(&copy, names);
    haul_status status =
        copy.failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "devices: no memory for their names") : HAUL_OK;
    char *rest = NULL, *word = copy.failed ? NULL : strtok_r(copy.bytes, ",", &rest);
    if (status == HAUL_OK && !word) status = haul_fail(HAUL_ERROR_ARGUMENT, "devices: no name is given");
    for (; word && status == HAUL_OK; word = strtok_r(NULL, ",", &rest)) status = open_word(o, word);
    text_free(&copy);
    if (status == HAUL_OK) status = check_pairs(o);
    return status == HAUL_OK ? join(o) : status;
}

haul_status haul_devices_open(const char *names, const haul_device_options *options,
                              haul_device *devices[HAUL_MOST_DEVICES], size_t *count) {
    opening o = {.devices = devices, .options = options};
    const haul_status status = open_names(&o, names);
    if (status != HAUL_OK)
        while (o.count) haul_device_close(devices[--o.count]);
    *count = o.count;
    return status;
}

/* The first context keeps pinned memory for all, so it is released last. */
static void end_set(const driver_table *driver, device_set *set) {
    if (--set->open) return;
    while (set->count--) {
        driver->context_set(set->contexts[set->count]);
        driver->context_release(set->handles[set->count]);
    }
    memory_free(set);
}

void device_leave(haul_device *d) {
    if (d->set)
        end_set(d->driver, d->set);
    else if (d->context && device_enter(d) == HAUL_OK)
        d->driver->context_release(d->handle);
}

/* ---- peers ---- */

bool haul_device_can_reach(const haul_device *d, const haul_device *peer) {
    int can = 0;
    if (d == peer || d->driver != peer->driver || d->set != peer->set || (d->extras && !d->set)) return false;
    return d->driver->peer_possible(&can, d->handle, peer->handle) == CUDA_SUCCESS && can;
}

haul_status haul_device_reach(haul_device *d, haul_device *peer, bool reaches) {
    if (!haul_device_can_reach(d, peer))
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s cannot access memory of %s: copy it there", d->name, peer->name);
    HAUL_TRY(device_enter(d));
    const CUresult result = reaches ? d->driver->peer_enable(peer->context, 0) : d->driver->peer_disable(peer->context);
    if (result == (reaches ? CUDA_PEER_ACCESS_ALREADY_ENABLED : CUDA_PEER_ACCESS_NOT_ENABLED)) return HAUL_OK;
    return device_check(d, result, reaches ? "giving access to a peer" : "taking access from a peer");
}
