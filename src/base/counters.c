/* The tables behind include/haul/counters.def. */
#include <haul/run.h>

#include <string.h>

const haul_stall_info haul_stalls[HAUL_STALL_COUNT] = {
#define STALL(id, key_, title_, text_) [HAUL_STALL_##id] = {.key = key_, .title = title_, .text = text_},
#include <haul/stalls.def>
#undef STALL
};

const haul_counter_info haul_counters[HAUL_COUNTER_COUNT] = {
#define COUNTER(id, key_, ncu_, unit_, grade_, text_) \
    [HAUL_COUNTER_##id] = {.key = key_, .ncu = ncu_, .unit = unit_, .text = text_, .grade = HAUL_COUNTER_##grade_},
#include <haul/counters.def>
#undef COUNTER
};

const char *const haul_class_names[HAUL_CLASS_COUNT] = {
    [HAUL_CLASS_NONE] = "Other",
    [HAUL_CLASS_GLOBAL_LOAD] = "Global Load",
    [HAUL_CLASS_GLOBAL_STORE] = "Global Store",
    [HAUL_CLASS_GLOBAL_ATOMIC] = "Global Atomic",
    [HAUL_CLASS_GLOBAL_REDUCTION] = "Global Reduction",
    [HAUL_CLASS_LOCAL_LOAD] = "Local Load",
    [HAUL_CLASS_LOCAL_STORE] = "Local Store",
    [HAUL_CLASS_SHARED_LOAD] = "Shared Load",
    [HAUL_CLASS_SHARED_STORE] = "Shared Store",
    [HAUL_CLASS_SHARED_ATOMIC] = "Shared Atomic",
    [HAUL_CLASS_LDGSTS_ACCESS] = "LDGSTS (through L1)",
    [HAUL_CLASS_LDGSTS_BYPASS] = "LDGSTS (around L1)",
    [HAUL_CLASS_BULK_LOAD] = "Bulk Load",
    [HAUL_CLASS_BULK_STORE] = "Bulk Store",
    [HAUL_CLASS_TEXTURE] = "Texture",
    [HAUL_CLASS_SURFACE_LOAD] = "Surface Load",
    [HAUL_CLASS_SURFACE_STORE] = "Surface Store",
    [HAUL_CLASS_SURFACE_REDUCTION] = "Surface Reduction",
    [HAUL_CLASS_CONSTANT_LOAD] = "Constant Load",
};

/* Returns HAUL_COUNTER_COUNT for an unknown key. */
haul_counter haul_counter_find(const char *key) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++)
        if (strcmp(haul_counters[i].key, key) == 0) return (haul_counter)i;
    return HAUL_COUNTER_COUNT;
}

/* Every field is a sum; averages are made from the sums when they are shown. */
void haul_traffic_add(haul_traffic *sum, const haul_traffic *more) {
    sum->instructions += more->instructions;
    sum->threads += more->threads;
    sum->requests += more->requests;
    sum->sectors += more->sectors;
    sum->ideal_sectors += more->ideal_sectors;
    sum->hits += more->hits;
    sum->wavefronts += more->wavefronts;
    sum->l2_requests += more->l2_requests;
    sum->l2_sectors += more->l2_sectors;
    sum->bytes += more->bytes;
    sum->shared_wavefronts += more->shared_wavefronts;
    sum->ideal_shared_wavefronts += more->ideal_shared_wavefronts;
    sum->bank_conflicts += more->bank_conflicts;
}
