/* Implements lib/timing.h. Its head explains how works are timed against each other; the constants below are the
 * reasons in numbers.
 *
 * A round is queued as a whole while the device is busy with a copy. Otherwise the first works of a round would wait
 * for the host between launches, and short kernels would seem slower than they are. While a measurement runs,
 * device->queues keeps haul_launch_run() from waiting. */
#include "lib/timing.h"

#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 25,
    WARM_UP = 3,
    L2_TIMES = 16,       /* sets together are at least this many times L2 */
    MOST_SETS = 64,      /* for small buffers: by then others have filled L2 */
    SCRATCH = 128 << 20, /* bytes that the copy before a round reads; it writes as many */
    LAUNCHES_A_COPY = 12 /* launches that the host queues during one such copy, 90 us on an H100 */
};
static const uint64_t least_rotated = UINT64_C(1) << 30;

/* ---- plans ---- */

/* A virtual GPU's estimates are the same in every round. */
timing_plan timing_plan_for(const haul_device *d, unsigned rounds) {
    if (d->extras) return (timing_plan){.rounds = 1, .train = 1, .sets = 1};
    return (timing_plan){.rounds = rounds ? rounds : ROUNDS, .warm_up = WARM_UP, .train = 1, .sets = 2};
}

/* Small buffers need many sets to displace L2's contents; the count is limited all the same. */
unsigned timing_sets(const haul_device *d, uint64_t bytes) {
    int l2 = 0;
    size_t free_bytes = 0, total = 0;
    if (d->extras || device_enter(d) != HAUL_OK) return 1;
    d->driver->device_attribute(&l2, DRIVER_DEVICE_L2_BYTES, d->handle);
    uint64_t wanted = (uint64_t)l2 * L2_TIMES > least_rotated ? (uint64_t)l2 * L2_TIMES : least_rotated;
    uint64_t sets = bytes ? (wanted + bytes - 1) / bytes : 1;
    if (sets < 2) sets = 2;
    if (sets > MOST_SETS) sets = MOST_SETS;
    if (d->driver->memory_info(&free_bytes, &total) != CUDA_SUCCESS || !bytes) return (unsigned)sets;
    uint64_t room = free_bytes > 3 * (uint64_t)SCRATCH ? (free_bytes - 3 * (uint64_t)SCRATCH) / bytes : 0;
    return sets <= room ? (unsigned)sets : room ? (unsigned)room : 1;
}

/* ---- rounds ---- */

typedef struct stopwatch {
    haul_device *device;
    const timing_work *works;
    size_t count;
    const timing_plan *plan;
    CUevent *events;     /* two for each work: before and after it */
    size_t *order;       /* order of the works in this round */
    CUdeviceptr scratch; /* 0 on a virtual GPU, which is never ahead of the host */
    uint32_t seed;
    unsigned turn; /* counts launches, to choose the next set */
} stopwatch;

static haul_status check(const stopwatch *s, CUresult result) {
    return device_check(s->device, result, "timing");
}

/* The order of works must differ from round to round. */
static void shuffle(stopwatch *s) {
    for (size_t i = s->count; i > 1; i--) {
        s->seed = s->seed * 1664525u + 1013904223u;
        size_t j = (s->seed >> 8) % i, swap = s->order[i - 1];
        s->order[i - 1] = s->order[j];
        s->order[j] = swap;
    }
}

/* Keeps the device busy until the round is queued, so that works need not wait for the host. */
static haul_status occupy(const stopwatch *s) {
    size_t copies = s->scratch ? 2 + s->count * s->plan->train / LAUNCHES_A_COPY : 0;
    for (size_t i = 0; i < copies; i++)
        HAUL_TRY(check(s, s->device->driver->copy_on_device_async(s->scratch + SCRATCH, s->scratch, SCRATCH, NULL)));
    return HAUL_OK;
}

/* Queues a work between its two events. The set changes with every launch. */
static haul_status sample(stopwatch *s, size_t work) {
    const driver_table *driver = s->device->driver;
    HAUL_TRY(check(s, driver->event_record(s->events[2 * work], NULL)));
    for (unsigned i = 0; i < s->plan->train; i++)
        HAUL_TRY(s->works[work].queue(s->works[work].context, s->turn++ % s->plan->sets));
    return check(s, driver->event_record(s->events[2 * work + 1], NULL));
}

/* Runs every work once in a new order, and waits. */
static haul_status run_round(stopwatch *s) {
    shuffle(s);
    if (s->plan->prepare) HAUL_TRY(s->plan->prepare(s->plan->context));
    HAUL_TRY(occupy(s));
    for (size_t i = 0; i < s->count; i++) HAUL_TRY(sample(s, s->order[i]));
    s->turn++; /* otherwise a work would use the same set in each round */
    return device_check(s->device, s->device->driver->synchronize(), "waiting for kernels that are timed");
}

/* Stores the round's samples in microseconds a launch. */
static haul_status read_events(const stopwatch *s, unsigned round, double *samples) {
    for (size_t w = 0; w < s->count; w++) {
        float ms = 0;
        HAUL_TRY(check(s, s->device->driver->event_elapsed(&ms, s->events[2 * w], s->events[2 * w + 1])));
        samples[w * s->plan->rounds + round] = (double)ms * 1e3 / s->plan->train;
    }
    return HAUL_OK;
}

static haul_status run_rounds(stopwatch *s, double *samples) {
    for (unsigned r = 0; r < s->plan->warm_up + s->plan->rounds; r++) {
        HAUL_TRY(run_round(s));
        if (r >= s->plan->warm_up) HAUL_TRY(read_events(s, r - s->plan->warm_up, samples));
    }
    return HAUL_OK;
}

/* ---- measurement ---- */

/* Makes the events and the memory that occupy() copies. clean_up() frees them, also after an error. */
static haul_status prepare(stopwatch *s) {
    const driver_table *driver = s->device->driver;
    s->events = memory_zeroed(2 * s->count, sizeof *s->events);
    s->order = memory_zeroed(s->count, sizeof *s->order);
    if (!s->events || !s->order) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for a timing");
    for (size_t i = 0; i < s->count; i++) s->order[i] = i;
    for (size_t i = 0; i < 2 * s->count; i++) HAUL_TRY(check(s, driver->event_create(&s->events[i], 0)));
    if (s->device->extras) return HAUL_OK;
    return device_check(s->device, driver->allocate(&s->scratch, 2 * (size_t)SCRATCH), "memory for a timing");
}

static void clean_up(stopwatch *s) {
    const driver_table *driver = s->device->driver;
    for (size_t i = 0; s->events && i < 2 * s->count; i++)
        if (s->events[i]) driver->event_destroy(s->events[i]);
    if (s->scratch) driver->release(s->scratch);
    memory_free(s->events);
    memory_free(s->order);
}

/* The seed is fixed, so that the order of works is the same in every measurement. */
haul_status timing_measure(haul_device *device, const timing_work *works, size_t count, const timing_plan *plan,
                           double *samples) {
    stopwatch s = {.device = device, .works = works, .count = count, .plan = plan, .seed = 12345};
    HAUL_TRY(device_enter(device));
    haul_status status = prepare(&s);
    device->queues = true;
    if (status == HAUL_OK) status = run_rounds(&s, samples);
    device->queues = false;
    clean_up(&s);
    return status;
}

/* ---- summaries ---- */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile `q` of the sorted values, interpolated linearly. */
static double quantile(const double *sorted, size_t count, double q) {
    double at = q * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* Sorts the values in place. */
static void summarise(double *values, size_t count, timing_summary *summary) {
    qsort(values, count, sizeof *values, by_value);
    *summary = (timing_summary){.median = quantile(values, count, 0.5),
                                .low = quantile(values, count, 0.25),
                                .high = quantile(values, count, 0.75),
                                .least = values[0],
                                .most = values[count - 1]};
}

/* Ratios are taken within a round, so that drift from round to round cancels. */
haul_status timing_compare(const double *own, const double *reference, size_t count, timing_summary *summary) {
    double *ratios = memory_alloc(count * sizeof *ratios);
    if (!ratios) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for a comparison of times");
    for (size_t i = 0; i < count; i++) ratios[i] = reference[i] / own[i];
    summarise(ratios, count, summary);
    memory_free(ratios);
    return HAUL_OK;
}

haul_status timing_summarise(const double *samples, size_t count, timing_summary *summary) {
    double *sorted = memory_alloc(count * sizeof *sorted);
    if (!sorted) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for a summary of times");
    memcpy(sorted, samples, count * sizeof *sorted);
    summarise(sorted, count, summary);
    memory_free(sorted);
    return HAUL_OK;
}
