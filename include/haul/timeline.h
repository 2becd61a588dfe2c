/* Timelines: which operation ran when, on which engine, as plain data. */
#ifndef HAUL_TIMELINE_H
#define HAUL_TIMELINE_H

#include <haul/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Units that work at the same time. */
typedef enum haul_engine {
    HAUL_ENGINE_READ,      /* the host reads files */
    HAUL_ENGINE_STAGE,     /* host threads copy into pinned memory, or make data */
    HAUL_ENGINE_TO_DEVICE, /* the copy engine from host to device */
    HAUL_ENGINE_KERNEL,    /* the SMs */
    HAUL_ENGINE_TO_HOST,   /* the copy engine from device to host */
    HAUL_ENGINE_UNSTAGE,   /* host threads copy out of pinned memory, or take data */
    HAUL_ENGINE_WRITE,     /* the host writes files */
    HAUL_ENGINE_COUNT
} haul_engine;
extern const char *const haul_engine_names[HAUL_ENGINE_COUNT]; /* "read", "stage", "to device", ... */

typedef struct haul_operation {
    haul_engine engine;
    uint64_t chunk;
    uint64_t bytes;          /* moved; 0 for kernels */
    double start_us, end_us; /* since the run began */
    unsigned device;         /* of several: its index; 0 for the host's engines */
} haul_operation;

/* Operations in chunk order. For long runs only the first ones are kept; sums include all. */
typedef struct haul_timeline {
    haul_stamp stamp;    /* simulated: times of the virtual GPU's clock */
    const char *machine; /* "h100"; the text lives as long as the device */
    haul_operation *operations;
    size_t count;
    uint64_t omitted;                  /* operations that were not kept */
    unsigned devices;                  /* that took part; 0: one */
    double busy_us[HAUL_ENGINE_COUNT]; /* of all devices together */
    uint64_t bytes[HAUL_ENGINE_COUNT];
    double elapsed_us;
} haul_timeline;

/* Whether each device has an engine of this kind; the others are the host's. */
bool haul_engine_is_of_device(haul_engine engine);
/* The share of the elapsed time in which such engines were busy, on average over the devices. */
double haul_timeline_share(const haul_timeline *timeline, haul_engine engine);
/* The engine that was busy longest, which limits the run. */
haul_engine haul_timeline_busiest(const haul_timeline *timeline);
/* That engine's share: 1 if it never waited; 0 for an empty timeline. */
double haul_timeline_efficiency(const haul_timeline *timeline);

#ifdef __cplusplus
}
#endif
#endif
