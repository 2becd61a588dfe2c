#include "count/traffic.h"

/* True if the lanes all have one address. */
static bool have_one_address(const uint64_t address[SIM_LANES], uint32_t lanes) {
    const uint64_t first = address[__builtin_ctz(lanes)];
    uint64_t differs = 0;
    for (uint32_t l = 0; l < SIM_LANES; l++) differs |= (address[l] ^ first) & (0 - (uint64_t)(lanes >> l & 1));
    return differs == 0;
}

/* Uses a hash table by address, of lanes + 1, at most a quarter full. */
uint32_t sim_distinct_lanes(const uint64_t address[SIM_LANES], uint32_t lanes) {
    enum { PLACE_BITS = 7, PLACES = 1 << PLACE_BITS };
    uint8_t first[PLACES] = {0};
    uint32_t distinct = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        unsigned at = (unsigned)(address[l] * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS));
        while (first[at] && address[first[at] - 1] != address[l]) at = (at + 1) % PLACES;
        if (first[at]) continue;
        first[at] = (uint8_t)(l + 1);
        distinct |= 1u << l;
    }
    return distinct;
}

void sim_traffic_update(haul_traffic *t, const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes,
                        sim_lines_request *request, void *context) {
    uint64_t rounds = 0;
    bool one = false;
    for (uint32_t left = active; left; rounds++) {
        sim_lines lines;
        one = one || have_one_address(address, left);
        const uint32_t round = one ? left & -left : sim_distinct_lanes(address, left);
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
    bool loads, outside;
} bulk_copy;

static void send_request(const bulk_copy *b, uint64_t line, unsigned mask) {
    if (mask) b->request(b->context, b->outside ? SIM_NO_LINE : line, mask);
}

/* Copies bytes from .. to-1 of one line. A load requests its whole sectors together, and a half sector at either end by
 * itself; a store sends all at once. */
static void copy_line(const bulk_copy *b, uint64_t line, unsigned from, unsigned to) {
    const unsigned sector = 1u << SIM_SECTOR_SHIFT;
    const unsigned first = from / sector, last = (to - 1) / sector, all = (2u << last) - (1u << first);
    const unsigned head = b->loads && from % sector ? 1u << first : 0, tail = b->loads && to % sector ? 1u << last : 0;
    b->traffic->sectors += last - first + 1;
    send_request(b, line, head);
    send_request(b, line, all & ~(head | tail));
    send_request(b, line, tail & ~head);
}

/* The engine splits a copy at line ends on either side. If the two sides are aligned differently, each line becomes two
 * pieces, and a sector that both have a part of travels twice. */
void sim_traffic_bulk(haul_traffic *t, const sim_bulk_move *move, sim_bulk_request *request, void *context) {
    const bulk_copy b = {t, request, context, move->loads, move->outside};
    const uint32_t length = 1u << SIM_LINE_SHIFT;
    if (!move->outside) {
        t->ideal_sectors += ((uint64_t)move->bytes + 31) >> SIM_SECTOR_SHIFT;
        t->bytes += move->bytes;
    }
    for (uint32_t at = 0, piece; at < move->bytes; at += piece) {
        const uint32_t from = (uint32_t)(move->global + at) % length, to = (move->shared + at) % length;
        const uint32_t room = length - (from > to ? from : to), left = move->bytes - at;
        piece = room < left ? room : left;
        copy_line(&b, (move->global + at) >> SIM_LINE_SHIFT, from, from + piece);
    }
}

/* The part outside the array begins and ends at multiples of 16 bytes. It is loaded like the rest, from an address that
 * is aligned as the destination. */
void sim_traffic_row(haul_traffic *t, const sim_tensor_row *row, uint32_t shared, bool loads, sim_bulk_request *request,
                     void *context) {
    enum { UNIT = 16 };
    const uint32_t first = shared + row->offset, to = (row->to + UNIT - 1) / UNIT * UNIT;
    const sim_bulk_move before = {first, first, row->from, loads, true};
    const sim_bulk_move inside = {row->global, first + row->from, row->to - row->from, loads, false};
    const sim_bulk_move behind = {first + to, first + to, row->bytes - to, loads, true};
    if (loads) sim_traffic_bulk(t, &before, request, context);
    sim_traffic_bulk(t, &inside, request, context);
    if (loads) sim_traffic_bulk(t, &behind, request, context);
}
