/* Figures of a timeline that a map has recorded (<haul/timeline.h>). */
#include <haul/timeline.h>

const char *const haul_engine_names[HAUL_ENGINE_COUNT] = {"read",    "stage",   "to device", "kernel",
                                                          "to host", "unstage", "write"};

/* The first one if several are equally busy. */
haul_engine haul_timeline_busiest(const haul_timeline *t) {
    haul_engine busiest = HAUL_ENGINE_READ;
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++)
        if (t->busy_us[e] > t->busy_us[busiest]) busiest = (haul_engine)e;
    return busiest;
}

/* 1 if the busiest engine never waited; no schedule could be faster then. */
double haul_timeline_efficiency(const haul_timeline *t) {
    return t->elapsed_us > 0 ? t->busy_us[haul_timeline_busiest(t)] / t->elapsed_us : 0;
}
