#include "count/host_link.h"

void sim_link_count(sim_link *link, const sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        const sim_log_slice *slice = &log->slices[s];
        for (size_t i = 0; i < slice->count; i++) {
            const sim_log_entry entry = slice->entries[i];
            if (sim_log_line(entry) < link->first_line || sim_log_line(entry) >= link->end_line) continue;
            const unsigned sectors = (unsigned)__builtin_popcount(sim_log_mask(entry));
            if (sim_log_kind_of(entry) == SIM_LOG_READ)
                link->read += sectors;
            else
                link->written += sectors;
        }
    }
}
