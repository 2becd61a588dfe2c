/* The log of an SM's requests to L2 between two drains. Entries are compact and sorted into the model's slices when
 * they are made, so that host threads can replay slices in parallel. */
#ifndef HAUL_COUNT_L2_LOG_H
#define HAUL_COUNT_L2_LOG_H

#include "count/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_SLICES = 8, SIM_LOG_LINE_SHIFT = 16 };

typedef enum sim_log_kind { SIM_LOG_READ, SIM_LOG_WRITE, SIM_LOG_REDUCTION, SIM_LOG_ATOMIC } sim_log_kind;

/* One request for sectors of a line: mask in bits 0-3, kind in 4-5, for writes the average bytes written per sector (1
 * to 32) in 6-11, the line's priority in 12-14, its number within its slice from bit 16. */
typedef uint64_t sim_log_entry;

static inline unsigned sim_log_mask(sim_log_entry entry) {
    return entry & 15;
}
static inline sim_log_kind sim_log_kind_of(sim_log_entry entry) {
    return (sim_log_kind)(entry >> 4 & 3);
}
static inline unsigned sim_log_bytes(sim_log_entry entry) {
    return entry >> 6 & 63;
}
static inline sim_priority sim_log_priority(sim_log_entry entry) {
    return (sim_priority)(entry >> 12 & 7);
}
static inline uint64_t sim_log_line(sim_log_entry entry) {
    return entry >> SIM_LOG_LINE_SHIFT;
}

typedef struct sim_log_slice {
    sim_log_entry *entries;
    size_t count, capacity;
} sim_log_slice;

/* All zero is a valid empty log. */
typedef struct sim_log {
    sim_log_slice slices[SIM_SLICES];
    bool failed; /* out of memory: entries were lost */
} sim_log;

void sim_log_free(sim_log *log);
void sim_log_clear(sim_log *log);
/* Chunks of 32 lines go to slices in turn, rotated by higher bits so that strides spread. A line's number within its
 * slice leaves out the chunk's turn and keeps everything else. */
static inline unsigned sim_log_slice_of(uint64_t line) {
    uint64_t chunk = line >> 5;
    return (unsigned)(chunk ^ chunk >> 3 ^ chunk >> 6 ^ chunk >> 9) & (SIM_SLICES - 1);
}
static inline uint64_t sim_log_local(uint64_t line) {
    return line >> 8 << 5 | (line & 31);
}

/* Returns an entry without its line. */
static inline sim_log_entry sim_log_request(unsigned mask, sim_log_kind kind, unsigned bytes, sim_priority priority) {
    return (unsigned)priority << 12 | bytes << 6 | (unsigned)kind << 4 | mask;
}

/* Makes room for one more entry. If the host runs out of memory, marks the log as failed and returns false. */
bool sim_log_grow(sim_log *log, sim_log_slice *slice);

/* True if each slice has room for `count` more entries. */
static inline bool sim_log_has_room(const sim_log *log, size_t count) {
    bool has = true;
    for (unsigned s = 0; s < SIM_SLICES; s++) has &= log->slices[s].capacity - log->slices[s].count >= count;
    return has;
}

/* Makes that room; entries may move. If the host runs out of memory, marks the log as failed and returns false. */
bool sim_log_reserve(sim_log *log, size_t count);

/* Returns the new entry, valid until the next call; NULL if the host runs out of memory. */
static inline sim_log_entry *sim_log_put(sim_log *log, uint32_t number, sim_log_entry entry) {
    sim_log_slice *slice = &log->slices[number];
    if (__builtin_expect(slice->count == slice->capacity, 0) && !sim_log_grow(log, slice)) return NULL;
    slice->entries[slice->count] = entry;
    return &slice->entries[slice->count++];
}

static inline sim_log_entry *sim_log_add(sim_log *log, uint64_t line, unsigned mask, sim_log_kind kind, unsigned bytes,
                                         sim_priority priority) {
    return sim_log_put(log, sim_log_slice_of(line),
                       sim_log_local(line) << SIM_LOG_LINE_SHIFT | sim_log_request(mask, kind, bytes, priority));
}

#endif
