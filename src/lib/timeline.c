#include <haul/timeline.h>

const char *const haul_engine_names[HAUL_ENGINE_COUNT] = {"read",    "stage",   "to device", "kernel",
                                                          "to host", "unstage", "write"};

haul_engine haul_timeline_busiest(const haul_timeline *t) {
    haul_engine busiest = HAUL_ENGINE_READ;
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++)
        if (t->busy_us[e] > t->busy_us[busiest]) busiest = (haul_engine)e;
    return busiest;
}

double haul_timeline_efficiency(const haul_timeline *t) {
    return t->elapsed_us > 0 ? t->busy_us[haul_timeline_busiest(t)] / t->elapsed_us : 0;
}
