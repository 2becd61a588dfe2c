#include "sim/count/log.h"

#include "base/memory.h"

enum { FIRST_ENTRIES = 256 };

void sim_log_free(sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) memory_free(log->slices[s].entries);
    *log = (sim_log){0};
}

void sim_log_clear(sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) log->slices[s].count = 0;
}

static bool grow(sim_log *log, sim_log_slice *slice) {
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

sim_log_entry *sim_log_add(sim_log *log, uint64_t line, unsigned mask, sim_log_kind kind, unsigned bytes,
                           sim_priority priority) {
    sim_log_slice *slice = &log->slices[sim_log_slice_of(line)];
    if (slice->count == slice->capacity && !grow(log, slice)) return NULL;
    sim_log_entry *entry = &slice->entries[slice->count++];
    *entry = sim_log_local(line) << 16 | (uint64_t)priority << 12 | (uint64_t)bytes << 6 | (uint64_t)kind << 4 | mask;
    return entry;
}
