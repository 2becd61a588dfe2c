/* Devices, buffers and the names of schedules.
 *
 * A device is a table of driver functions, a handle and a context. The table is the real driver's or the virtual GPU's;
 * the rest of the library calls it without knowing which. `extras` is NULL for a real driver, and the few places that
 * differ ask for it. Objects of a device are kept in lists, so that closing it frees them all. Several devices may be
 * open, so each function makes its device's context current first (device_enter()). */
#include "lib/device.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/text.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <string.h>

/* `what` is the start of the message. Errors of kernels point to `haul check`, which can say where they happened. */
haul_status device_check(const haul_device *d, CUresult result, const char *what) {
    if (result == CUDA_SUCCESS) return HAUL_OK;
    haul_status said = d->extras ? d->extras->last_status() : HAUL_OK;
    if (said != HAUL_OK) return said;
    haul_status status = driver_result_status(result);
    bool kernels = status == HAUL_ERROR_FAULT || status == HAUL_ERROR_TRAP;
    return haul_fail(status, "%s: %s: %s (%s)%s", d->name, what, driver_result_text(result), driver_result_name(result),
                     kernels ? "; `haul check` of the same launch tells where" : "");
}

/* The driver keeps a current context for each thread, so this is needed also if only one device is open. */
haul_status device_enter(const haul_device *d) {
    return device_check(d, d->driver->context_set(d->context), "the context");
}

/* ---- names ---- */

/* The machine's index in the virtual driver's list of devices; -1 if there is none. */
static int find_machine(const char *name) {
    for (size_t i = 0; i < sim_machine_count; i++)
        if (strcmp(sim_machines[i].name, name) == 0) return (int)i;
    return -1;
}

size_t device_split_machine(const char *machine, uint64_t *number) {
    const char *x = strrchr(machine, 'x');
    if (x && find_machine(machine) < 0 && number_u64(x + 1, number)) return (size_t)(x - machine);
    *number = 1;
    return strlen(machine);
}

/* A machine's name, an x and a number. */
static bool names_several(const char *name) {
    uint64_t number;
    const size_t length = device_split_machine(name, &number);
    for (size_t i = 0; name[length] && i < sim_machine_count; i++)
        if (strlen(sim_machines[i].name) == length && memcmp(sim_machines[i].name, name, length) == 0) return true;
    return false;
}

/* Fails with the list of machines. */
static haul_status unknown_machine(const char *name) {
    text known = {0};
    if (names_several(name))
        return haul_fail(
            HAUL_ERROR_NO_DEVICE,
            "device sim:%s: several GPUs are for programs, as in haul run --device sim:%s -- ./app, and for "
            "haul stream; here, name one",
            name, name);
    for (size_t i = 0; i < sim_machine_count; i++) text_printf(&known, "%s%s", i ? ", " : "", sim_machines[i].name);
    haul_fail(HAUL_ERROR_NO_DEVICE, "device sim:%s: no such machine; there are %s", name, text_string(&known));
    text_free(&known);
    return HAUL_ERROR_NO_DEVICE;
}

/* The choose_ functions set driver, extras and handle, and open nothing. */
static haul_status choose_virtual(haul_device *d, const char *machine) {
    d->driver = sim_driver();
    d->extras = sim_driver_extras();
    d->handle = find_machine(machine);
    return d->handle < 0 ? unknown_machine(machine) : HAUL_OK;
}

/* Says which GPUs there are instead. */
static haul_status unknown_gpu(const char *ordinal, int count) {
    if (count < 1)
        return haul_fail(HAUL_ERROR_NO_DEVICE, "device gpu:%s: the driver finds no GPU: use --device sim:h100",
                         ordinal);
    if (count == 1)
        return haul_fail(HAUL_ERROR_NO_DEVICE, "device gpu:%s: there is one GPU on this machine, gpu:0", ordinal);
    return haul_fail(HAUL_ERROR_NO_DEVICE, "device gpu:%s: there are %d GPUs on this machine, gpu:0 to gpu:%d", ordinal,
                     count, count - 1);
}

/* Loads the driver on first use. The message of a failure says that it is missing, or which GPUs there are. */
static haul_status choose_real(haul_device *d, const char *ordinal) {
    uint64_t number;
    int count = 0;
    if (!number_u64(ordinal, &number))
        return haul_fail(HAUL_ERROR_ARGUMENT, "device gpu:%s: the number of a GPU must follow, as in gpu:0", ordinal);
    HAUL_TRY(driver_load(&d->driver));
    d->driver->device_count(&count);
    if (number >= (uint64_t)count) return unknown_gpu(ordinal, count);
    CUresult result = d->driver->device_get(&d->handle, (int)number);
    return result == CUDA_SUCCESS ? HAUL_OK
                                  : haul_fail(HAUL_ERROR_NO_DEVICE, "device gpu:%s: %s (%s)", ordinal,
                                              driver_result_text(result), driver_result_name(result));
}

/* Chooses by name: sim, sim:MACHINE, gpu, gpu:NUMBER, or auto, which is the first GPU if there is one, else an H100. */
static haul_status choose(haul_device *d, const char *name) {
    if (strcmp(name, "sim") == 0) return choose_virtual(d, "h100");
    if (strncmp(name, "sim:", 4) == 0) return choose_virtual(d, name + 4);
    if (strncmp(name, "gpu:", 4) == 0) return choose_real(d, name + 4);
    if (strcmp(name, "gpu") == 0) return choose_real(d, "0");
    if (strcmp(name, "auto") != 0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device '%s': must be auto, sim:MACHINE or gpu:NUMBER; see haul info",
                         name);
    return choose_real(d, "0") == HAUL_OK ? HAUL_OK : choose_virtual(d, "h100");
}

/* NULL without memory. */
static char *copy_string(const char *s) {
    size_t length = strlen(s) + 1;
    char *copy = memory_alloc(length);
    return copy ? memcpy(copy, s, length) : NULL;
}

/* Sets the canonical name, "sim:h100" or "gpu:0", and the product's name. */
static haul_status name_device(haul_device *d) {
    text name = {0};
    char product[128] = "";
    if (d->extras)
        text_printf(&name, "sim:%s", d->extras->machine(d->handle)->name);
    else
        text_printf(&name, "gpu:%d", d->handle);
    d->name = name.failed ? NULL : copy_string(text_string(&name));
    text_free(&name);
    d->driver->device_name(product, sizeof product, d->handle);
    d->product = copy_string(product);
    return d->name && d->product ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device: no memory for its name");
}

/* ---- opening and closing ---- */

/* Only a virtual GPU has schedules. */
void device_set_schedule(const haul_device *d, const haul_device_options *o) {
    const sim_schedule schedule = {.turns = o->schedule,
                                   .completion = o->completion,
                                   .is_unfenced = o->unfenced,
                                   .is_diverged = o->diverged,
                                   .is_dirty = o->dirty,
                                   .seed = o->seed};
    d->extras->set_limit(o->instruction_limit);
    d->extras->set_checks(o->check, o->strict, &schedule);
}

haul_status haul_device_set_checks(haul_device *d, const haul_device_options *options) {
    static const haul_device_options none = {0};
    if (!options) options = &none;
    if (!d->extras)
        return options->check
                   ? haul_fail(HAUL_ERROR_UNSUPPORTED, "device %s: checks need a virtual GPU, as sim:h100", d->name)
                   : HAUL_OK;
    HAUL_TRY(device_enter(d));
    device_set_schedule(d, options);
    d->checks |= options->check; /* the heap may have blocks of checked launches from now on */
    return HAUL_OK;
}

/* Options that concern only simulation; a real GPU ignores them. */
static void apply_virtual_options(haul_device *d, const haul_device_options *o) {
    d->extras->set_threads(o->threads);
    device_set_schedule(d, o);
    d->extras->set_counting(o->counting);
    d->extras->set_sample(o->sample_blocks);
    d->extras->keep_l2(o->keep_l2);
    d->extras->set_most_registers(o->most_registers);
    d->checks = o->check;
}

/* 0 leaves the limit as it is. */
static haul_status set_limit(const haul_device *d, int limit, uint64_t bytes, const char *what) {
    return bytes ? device_check(d, d->driver->limit_set(limit, bytes), what) : HAUL_OK;
}

/* Heap and stack are limits of the context, for any device; NULL leaves all defaults. */
static haul_status apply_options(haul_device *d, const haul_device_options *o) {
    if (!o) return HAUL_OK;
    if (d->extras) apply_virtual_options(d, o);
    HAUL_TRY(set_limit(d, DRIVER_LIMIT_HEAP, o->heap_bytes, "the size of the heap"));
    return set_limit(d, DRIVER_LIMIT_STACK, o->stack_bytes, "the size of the stack");
}

/* Opens the device; the caller closes it also after an error. The memory's size must be set before the context exists,
 * because that creates the memory. */
static haul_status open_device(haul_device *d, const char *name, unsigned number, const haul_device_options *options) {
    HAUL_TRY(choose(d, name));
    HAUL_TRY(name_device(d));
    if (number && !d->extras)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device %s: only a virtual GPU can be there several times", name);
    if (number) d->handle = d->extras->further_device(d->handle, number);
    if (d->extras) d->extras->set_memory(options ? options->memory_bytes : 0);
    HAUL_TRY(device_check(d, d->driver->context_retain(&d->context, d->handle), "opening it"));
    HAUL_TRY(device_enter(d));
    return apply_options(d, options);
}

/* Only virtual GPUs can be opened several times under one name. */
haul_status device_open_further(const char *name, unsigned number, const haul_device_options *options,
                                haul_device **device) {
    *device = NULL;
    haul_device *d = memory_zeroed(1, sizeof *d);
    if (!d) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device: no memory to open it");
    haul_status status = open_device(d, name, number, options);
    if (status != HAUL_OK) {
        haul_device_close(d);
        return status;
    }
    *device = d;
    return HAUL_OK;
}

haul_status haul_device_open(const char *name, const haul_device_options *options, haul_device **device) {
    return device_open_further(name, 0, options, device);
}

/* Textures before arrays, and modules before buffers: later ones may be used by earlier ones. */
void haul_device_close(haul_device *d) {
    if (!d) return;
    while (d->textures) haul_texture_free(d->textures);
    while (d->arrays) haul_array_free(d->arrays);
    while (d->modules) haul_module_unload(d->modules);
    while (d->buffers) haul_buffer_free(d->buffers);
    while (d->hosts) haul_host_free(d->hosts);
    device_leave(d);
    memory_free(d->default_stream);
    memory_free(d->name);
    memory_free(d->product);
    memory_free(d);
}

const char *haul_device_name(const haul_device *d) {
    return d->name;
}

const char *haul_device_product(const haul_device *d) {
    return d->product;
}

/* Only virtual GPUs have extras. */
bool haul_device_is_virtual(const haul_device *d) {
    return d->extras != NULL;
}

/* Returns the machine of the same product, else the first of the same architecture, else the H100. */
static const sim_machine *find_twin(const haul_device *d) {
    const sim_machine *found = sim_machine_find("h100");
    uint32_t architecture = haul_device_architecture(d);
    bool same = false;
    for (size_t i = 0; i < sim_machine_count; i++) {
        if (strcmp(sim_machines[i].product, d->product) == 0) return &sim_machines[i];
        if (!same && sim_machines[i].sm == architecture) found = &sim_machines[i], same = true;
    }
    return found;
}

void device_name_twin(const haul_device *d, char name[32]) {
    snprintf(name, 32, "sim:%s", find_twin(d)->name);
}

/* ---- buffers ---- */

/* A GPU's driver says only that memory is short; the message adds how much is left. The virtual GPU's own message does
 * so. */
static haul_status allocate(haul_device *d, uint64_t bytes, CUdeviceptr *address) {
    uint64_t left = 0, total = 0;
    char asked[32], rest[32], all[32];
    const CUresult result = d->driver->allocate(address, bytes);
    if (result != CUDA_OUT_OF_MEMORY || d->extras || haul_device_memory(d, &left, &total) != HAUL_OK)
        return device_check(d, result, "allocating memory");
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: %s asked for, %s of its %s are left", d->name,
                     number_format_bytes((double)bytes, asked), number_format_bytes((double)left, rest),
                     number_format_bytes((double)total, all));
}

/* A buffer of 0 bytes gets memory for 1, so that it has an address. */
haul_status haul_buffer_create(haul_device *d, uint64_t bytes, haul_buffer **buffer) {
    *buffer = NULL;
    haul_buffer *b = memory_zeroed(1, sizeof *b);
    if (!b) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "buffer: no memory for its description");
    haul_status status = device_enter(d);
    if (status == HAUL_OK) status = allocate(d, bytes ? bytes : 1, &b->address);
    if (status != HAUL_OK) {
        memory_free(b);
        return status;
    }
    b->device = d;
    b->bytes = bytes;
    b->next = d->buffers;
    d->buffers = b;
    *buffer = b;
    return HAUL_OK;
}

/* The list is searched from its newest buffer: short-lived ones are found at once. */
void haul_buffer_free(haul_buffer *b) {
    if (!b) return;
    haul_device *d = b->device;
    for (haul_buffer **link = &d->buffers; *link; link = &(*link)->next) {
        if (*link != b) continue;
        *link = b->next;
        break;
    }
    if (device_enter(d) == HAUL_OK) d->driver->release(b->address);
    memory_free(b);
}

uint64_t haul_buffer_bytes(const haul_buffer *b) {
    return b->bytes;
}

uint64_t haul_buffer_address(const haul_buffer *b) {
    return b->address;
}

/* Compares without adding, so that no offset overflows. */
haul_status buffer_check_range(const haul_buffer *b, uint64_t offset, uint64_t bytes) {
    if (offset <= b->bytes && bytes <= b->bytes - offset) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "buffer of %llu bytes: %llu bytes from %llu on reach beyond its end",
                     (unsigned long long)b->bytes, (unsigned long long)bytes, (unsigned long long)offset);
}

/* Both copies wait until they are done, and for work of the default stream before them. */
haul_status haul_buffer_write(haul_buffer *b, uint64_t offset, const void *host, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (bytes == 0) return HAUL_OK;
    HAUL_TRY(device_enter(b->device));
    return device_check(b->device, b->device->driver->copy_to_device(b->address + offset, host, bytes),
                        "copying to the device");
}

haul_status haul_buffer_read(haul_buffer *b, uint64_t offset, void *host, uint64_t bytes) {
    HAUL_TRY(buffer_check_range(b, offset, bytes));
    if (bytes == 0) return HAUL_OK;
    HAUL_TRY(device_enter(b->device));
    return device_check(b->device, b->device->driver->copy_to_host(host, b->address + offset, bytes),
                        "copying to the host");
}

/* ---- schedules ---- */

/* The only list of words that describe a schedule: WORD(name, what it sets). */
#define SCHEDULE_WORDS(WORD)                              \
    WORD("in-order", schedule = HAUL_SCHEDULE_IN_ORDER)   \
    WORD("reversed", schedule = HAUL_SCHEDULE_REVERSED)   \
    WORD("late", completion = HAUL_COMPLETION_LATE)       \
    WORD("early", completion = HAUL_COMPLETION_EARLY)     \
    WORD("swapped", completion = HAUL_COMPLETION_SWAPPED) \
    WORD("unfenced", unfenced = true)                     \
    WORD("diverged", diverged = true)                     \
    WORD("dirty", dirty = true)

/* A seed decides turns, completions and whether stores wait for fences; lanes stay together, on which findings
 * depend. */
static void randomise(uint64_t seed, haul_device_options *o) {
    o->schedule = HAUL_SCHEDULE_RANDOM;
    o->completion = HAUL_COMPLETION_RANDOM;
    o->seed = seed;
    o->unfenced = seed & 1;
}

/* Reads random or random:SEED; the seed is 1 if none is given. */
static bool read_random(const char *word, haul_device_options *o) {
    static const char random[] = "random";
    const size_t length = sizeof random - 1;
    uint64_t seed = 1;
    if (strncmp(word, random, length) != 0) return false;
    if (word[length] && (word[length] != ':' || !number_u64(word + length + 1, &seed))) return false;
    randomise(seed, o);
    return true;
}

/* Applies one word of a schedule; false if there is no such word. */
static bool read_schedule_word(const char *word, haul_device_options *o) {
#define WORD(name, set)            \
    if (strcmp(word, name) == 0) { \
        o->set;                    \
        return true;               \
    }
    SCHEDULE_WORDS(WORD)
#undef WORD
    return read_random(word, o);
}

/* Later words win over earlier ones of the same part. */
haul_status device_read_schedule(const char *name, haul_device_options *o) {
    char word[32];
    for (const char *at = name;; at++) {
        const size_t length = strcspn(at, "+");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        if (length >= sizeof word || !read_schedule_word(word, o)) break;
        at += length;
        if (!*at) return HAUL_OK;
    }
#define WORD(name, set) name ", "
    return haul_fail(
        HAUL_ERROR_ARGUMENT,
        "--schedule: `%s` is none of " SCHEDULE_WORDS(WORD) "random and random:SEED, nor several of them joined by +",
        name);
#undef WORD
}
