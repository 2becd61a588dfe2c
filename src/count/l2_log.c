#include "count/l2_log.h"

#include "base/memory.h"

enum { FIRST_ENTRIES = 256 };

void sim_log_free(sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) memory_free(log->slices[s].entries);
    *log = (sim_log){0};
}

void sim_log_clear(sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) log->slices[s].count = 0;
}

bool sim_log_grow(sim_log *log, sim_log_slice *slice) {
    size_t capacity = slice->capacity ? slice->capacity * 2 : FIRST_ENTRIES;
    sim_log_entry *entries = memory_resize(slice->entries, capacity * sizeof *entries);
    if (!entries) {
        log->failed = true;
        return false;
    }
    slice->entries = entries;
    slice->capacity = capacity;
    return true;
}

bool sim_log_reserve(sim_log *log, size_t count) {
    for (unsigned s = 0; s < SIM_SLICES; s++)
        while (log->slices[s].capacity - log->slices[s].count < count)
            if (!sim_log_grow(log, &log->slices[s])) return false;
    return true;
}
