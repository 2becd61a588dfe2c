#include "sim/traffic.h"

uint32_t sim_distinct_lanes(const uint64_t address[SIM_LANES], uint32_t lanes) {
    uint32_t distinct = 0;
    for (uint32_t left = lanes; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        distinct |= 1u << first;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            unsigned l = (unsigned)__builtin_ctz(rest);
            if (address[l] == address[first]) left &= ~(1u << l);
        }
    }
    return distinct;
}

void sim_traffic_update(haul_traffic *t, const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes,
                        sim_lines_request *request, void *context) {
    uint64_t rounds = 0;
    for (uint32_t left = active; left; rounds++) {
        sim_lines lines;
        uint32_t round = sim_distinct_lanes(address, left);
        sim_coalesce(address, round, bytes, &lines);
        sim_traffic_tags(t, &lines, round, bytes);
        request(context, &lines);
        left &= ~round;
    }
    t->instructions -= rounds - 1;
    t->requests -= rounds - 1;
}

void sim_traffic_half_update(haul_traffic *loads, haul_traffic *swaps, const uint64_t address[SIM_LANES],
                             uint32_t active, sim_lines_request *load, sim_lines_request *swap, void *context) {
    enum { WORD = 4 };
    uint64_t words[SIM_LANES];
    sim_lines lines;
    for (unsigned l = 0; l < SIM_LANES; l++) words[l] = address[l] - address[l] % WORD;
    sim_coalesce(words, active, WORD, &lines);
    sim_traffic_tags(loads, &lines, active, WORD);
    load(context, &lines);
    for (; active; active &= ~sim_distinct_lanes(words, active))
        sim_traffic_update(swaps, words, active, WORD, swap, context);
}

/* ---- bulk copies ---- */

typedef struct bulk_copy {
    haul_traffic *traffic;
    sim_bulk_request *request;
    void *context;
} bulk_copy;

static void ask(const bulk_copy *b, uint64_t line, unsigned mask) {
    if (mask) b->request(b->context, line, mask);
}

/* Bytes from .. to-1 of one line. Whole sectors go together; one of which only half is wanted, at either end, by
 * itself. */
static void copy_line(const bulk_copy *b, uint64_t line, unsigned from, unsigned to) {
    const unsigned sector = 1u << SIM_SECTOR_SHIFT;
    unsigned first = from / sector, last = (to - 1) / sector, all = (2u << last) - (1u << first);
    unsigned head = from % sector ? 1u << first : 0, tail = to % sector ? 1u << last : 0;
    b->traffic->sectors += last - first + 1;
    ask(b, line, head);
    ask(b, line, all & ~(head | tail));
    ask(b, line, tail & ~head);
}

static void copy_piece(const bulk_copy *b, uint64_t address, uint64_t bytes) {
    const uint64_t length = 1u << SIM_LINE_SHIFT;
    for (uint64_t at = address, left = bytes; left;) {
        const uint64_t from = at % length, part = length - from < left ? length - from : left;
        copy_line(b, at / length, (unsigned)from, (unsigned)(from + part));
        at += part;
        left -= part;
    }
}

/* The engine takes a copy apart into pieces of a line's length, counted from where the copy begins: a copy that begins
 * inside a line makes pieces that straddle two. */
void sim_traffic_bulk(haul_traffic *t, uint64_t address, uint64_t bytes, sim_bulk_request *request, void *context) {
    const bulk_copy b = {t, request, context};
    const uint64_t piece = 1u << SIM_LINE_SHIFT;
    t->ideal_sectors += (bytes + 31) >> SIM_SECTOR_SHIFT;
    t->bytes += bytes;
    for (uint64_t at = 0; at < bytes; at += piece)
        copy_piece(&b, address + at, bytes - at < piece ? bytes - at : piece);
}
