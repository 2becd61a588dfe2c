/* Figures of a timeline that a map has recorded (<haul/timeline.h>). */
#include <haul/timeline.h>

const char *const haul_engine_names[HAUL_ENGINE_COUNT] = {"read",    "stage",   "to device", "kernel",
                                                          "to host", "unstage", "write"};

bool haul_engine_is_of_device(haul_engine engine) {
    return engine == HAUL_ENGINE_TO_DEVICE || engine == HAUL_ENGINE_KERNEL || engine == HAUL_ENGINE_TO_HOST;
}

/* Busy time for each engine of that kind. */
static double busy_each(const haul_timeline *t, haul_engine engine) {
    return haul_engine_is_of_device(engine) && t->devices ? t->busy_us[engine] / t->devices : t->busy_us[engine];
}

/* The first one if several are equally busy. */
haul_engine haul_timeline_busiest(const haul_timeline *t) {
    haul_engine busiest = HAUL_ENGINE_READ;
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++)
        if (busy_each(t, (haul_engine)e) > busy_each(t, busiest)) busiest = (haul_engine)e;
    return busiest;
}

double haul_timeline_share(const haul_timeline *t, haul_engine engine) {
    return t->elapsed_us > 0 ? busy_each(t, engine) / t->elapsed_us : 0;
}

/* 1 if the busiest engine never waited; no schedule could be faster then. */
double haul_timeline_efficiency(const haul_timeline *t) {
    return haul_timeline_share(t, haul_timeline_busiest(t));
}
