/* The log of an SM's accesses to global memory until it is replayed (global_play.c), and which global memory was ever
 * written. */
#include "base/memory.h"
#include "check/early_uses.h"
#include "check/global.h"
#include "check/internal.h"
#include "check/lock.h"
#include "check/unused_load.h"

#include <string.h>

/* ---- memory ---- */

enum { FEWEST = 32 };

/* Grows an array so that it has room for `more` items. */
static bool reserve(void **items, size_t *capacity, size_t count, size_t more, size_t size) {
    if (count + more <= *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : FEWEST;
    while (wanted < count + more) wanted *= 2;
    void *grown = memory_resize(*items, wanted * size);
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

/* An access becomes at most MOST_PIECES entries: pieces whose lanes lie at an even stride, or a list of addresses. */
enum { MOST_PIECES = 4, LEAST_LANES = 8 };
#define MOST_ENTRIES ((1u << 28) - 1) /* sim_log_item.entry */

/* Reserves memory for one access of a warp. */
static bool make_room(sim_access_log *log, uint32_t known) {
    bool made =
        reserve((void **)&log->entries, &log->capacity, log->count, MOST_PIECES, sizeof *log->entries) &&
        reserve((void **)&log->values, &log->value_capacity, log->value_count, SIM_LANES, sizeof *log->values) &&
        reserve((void **)&log->known, &log->known_capacity, log->known_count, known, sizeof *log->known);
    log->failed |= !made;
    return made;
}

void sim_access_log_free(sim_access_log *log) {
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++) {
        memory_free(log->shares[s].entries);
        memory_free(log->shares[s].addresses);
    }
    memory_free(log->entries);
    memory_free(log->lists);
    memory_free(log->values);
    memory_free(log->known);
}

size_t sim_access_log_bytes(const sim_access_log *log) {
    size_t shares = 0, addresses = 0;
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++) {
        shares += log->shares[s].count;
        addresses += log->shares[s].address_count;
    }
    return log->count * sizeof *log->entries + log->list_count * sizeof *log->lists +
           log->value_count * sizeof *log->values + log->known_count * sizeof *log->known +
           shares * sizeof *log->shares->entries + addresses * sizeof *log->shares->addresses;
}

size_t sim_access_log_room(const sim_access_log *log) {
    size_t bytes = log->capacity * sizeof *log->entries + log->list_capacity * sizeof *log->lists +
                   log->value_capacity * sizeof *log->values + log->known_capacity * sizeof *log->known;
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        bytes += log->shares[s].capacity * sizeof *log->shares->entries +
                 log->shares[s].address_capacity * sizeof *log->shares->addresses;
    return bytes;
}

void sim_access_log_empty(sim_access_log *log, uint32_t epoch) {
    for (unsigned s = 0; log->count && s < SIM_WATCH_SLICES; s++)
        log->shares[s].count = log->shares[s].address_count = 0;
    log->count = log->list_count = log->value_count = log->known_count = 0;
    log->epoch = epoch;
}

/* ---- entries ---- */

static bool has_room(sim_block *b) {
    sim_hazards *h = b->sm->hazards;
    if (!h->failed && !make_room(&h->log, 2 * sim_domain_of(b)->actors)) h->failed = true;
    return !h->failed;
}

/* Saves which of the cluster's stores to global memory the copy engine knows of, as the view's lanes see it. */
static uint32_t fences(sim_access_log *log, const sim_domain *d, const sim_view *v) {
    if (d->proxies < 2) return SIM_NEVER_FENCED;
    memcpy(log->known + log->known_count, v->proxy + sim_domain_capacity(d), d->actors * sizeof *log->known);
    log->known_count += d->actors;
    return (uint32_t)(log->known_count - d->actors + 1);
}

/* True if the last vector in the log has what the view knows. */
static bool is_saved(const sim_access_log *log, const sim_domain *d, const sim_view *v) {
    if (log->known_count < d->actors) return false;
    return !memcmp(log->known + log->known_count - d->actors, v->order, d->actors * sizeof *log->known);
}

/* Saves what the view knows, once per epoch as long as it does not change. Warps that know the same share a snapshot.
 */
static uint32_t snapshot(sim_access_log *log, const sim_domain *d, sim_view *v) {
    if (v->kept_in == log->epoch + 1) return v->kept;
    if (!is_saved(log, d, v)) {
        memcpy(log->known + log->known_count, v->order, d->actors * sizeof *log->known);
        log->known_count += d->actors;
    }
    v->kept = (uint32_t)(log->known_count - d->actors);
    v->kept_in = log->epoch + 1;
    return v->kept;
}

/* Appends an entry; the caller has reserved memory. */
static sim_logged *append(sim_block *b, uint32_t actor, sim_view *v) {
    sim_hazards *h = b->sm->hazards;
    const sim_domain *d = sim_domain_of(b);
    sim_logged *e = &h->log.entries[h->log.count++];
    *e = (sim_logged){.known = snapshot(&h->log, d, v),
                      .time = d->now,
                      .age = sim_watch_age(h->watch),
                      .floor = v->floor,
                      .cluster = d->cluster_index,
                      .actor = (uint16_t)actor,
                      .to = UINT64_MAX,
                      .warps = 1};
    return e;
}

void sim_hazard_log_event(sim_warp *w, uint32_t instruction, unsigned lane, uint64_t address, uint8_t node) {
    sim_access_log *log = &w->sm->hazards->log;
    if (!has_room(w->block)) return;
    log->entries[log->count++] = (sim_logged){.base = address,
                                              .instruction = instruction,
                                              .active = 1u << lane,
                                              .bytes = 4,
                                              .to = UINT64_MAX,
                                              .cluster = sim_domain_of(w->block)->cluster_index,
                                              .actor = (uint16_t)sim_actor(w),
                                              .node = node};
}

/* Adds entry `e` to a slice of the shadow, for those lanes. */
static void add_to_slice(sim_access_log *log, sim_logged *e, unsigned slice, uint32_t lanes) {
    sim_log_share *share = &log->shares[slice];
    if (!reserve((void **)&share->entries, &share->capacity, share->count, 1, sizeof *share->entries)) {
        log->failed = true;
        return;
    }
    e->slices |= (uint16_t)(1u << slice);
    share->entries[share->count++] = (sim_log_item){.entry = (uint32_t)(e - log->entries) & MOST_ENTRIES,
                                                    .has_list = e->has_list,
                                                    .is_scattered = sim_is_scattered(e),
                                                    .stores = e->values != 0,
                                                    .reads = sim_only_reads(e->action),
                                                    .lanes = lanes};
}

/* The same for the slices that have a bit in `slices`. The next warp's access may be added to one of adjacent lanes. */
static void distribute(sim_access_log *log, sim_logged *e, uint32_t slices) {
    const uint32_t lanes = sim_is_dense(e) ? 1 : e->active;
    for (; slices; slices &= slices - 1) add_to_slice(log, e, (unsigned)__builtin_ctz(slices), lanes);
}

/* Adds the last warp of entry `e` to the slices. Their items are among their newest. */
static void distribute_warp(sim_access_log *log, sim_logged *e, uint32_t slices) {
    const uint32_t warp = 1u << (e->warps - 1), entry = (uint32_t)(e - log->entries) & MOST_ENTRIES;
    for (; slices; slices &= slices - 1) {
        const unsigned slice = (unsigned)__builtin_ctz(slices);
        if (!(e->slices >> slice & 1)) {
            add_to_slice(log, e, slice, warp);
            continue;
        }
        sim_log_item *item = &log->shares[slice].entries[log->shares[slice].count - 1];
        while (item->entry != entry) item--;
        item->lanes |= warp;
    }
}

/* Returns the slices of the pages between; of many pages, all slices. */
static uint32_t slices_between(uint64_t first, uint64_t last) {
    const uint64_t from = first >> SIM_WATCH_PAGE, to = last >> SIM_WATCH_PAGE;
    uint32_t slices = 0;
    if (to - from >= SIM_WATCH_SLICES) return (1u << SIM_WATCH_SLICES) - 1;
    for (uint64_t page = from; page <= to; page++) slices |= 1u << sim_slice_of(page);
    return slices;
}

enum { HALF = SIM_LANES / 2 };

static bool is_even_half(const uint64_t *address, uint64_t stride) {
    uint64_t differs = 0;
    for (unsigned l = 0; l < HALF; l++) differs |= (address[0] + stride * l) ^ address[l];
    return !differs;
}

/* Returns the first of `lanes` that lie at an even stride. */
static uint32_t even_lanes(uint32_t lanes, const uint64_t address[SIM_LANES], int64_t *stride) {
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uint32_t rest = lanes & (lanes - 1);
    const unsigned second = rest ? (unsigned)__builtin_ctz(rest) : first + 1;
    const int64_t apart = rest ? (int64_t)(address[second] - address[first]) : 0;
    *stride = second == first + 1 ? apart : apart / (int64_t)(second - first);
    const uint64_t base = address[first] - (uint64_t)*stride * first;
    if (lanes == SIM_ALL_LANES && is_even_half(address, (uint64_t)*stride)) {
        const bool both = is_even_half(address + HALF, (uint64_t)*stride);
        return both && address[HALF] == base + (uint64_t)*stride * HALF ? lanes : lanes >> HALF;
    }
    if (lanes == SIM_ALL_LANES << HALF && is_even_half(address + HALF, (uint64_t)*stride)) return lanes;
    for (uint32_t left = rest; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (base + (uint64_t)*stride * lane != address[lane]) return lanes & ((left & -left) - 1);
    }
    return lanes;
}

/* Keeps the addresses for node.c. */
static void keep_list(sim_access_log *log, sim_logged *e, const uint64_t address[SIM_LANES]) {
    if (!reserve((void **)&log->lists, &log->list_capacity, log->list_count, SIM_LANES, sizeof *log->lists)) {
        log->failed = true;
        return;
    }
    memcpy(log->lists + log->list_count, address, SIM_LANES * sizeof *address);
    log->list_count += SIM_LANES;
    e->list = (uint32_t)(log->list_count / SIM_LANES);
}

/* Adds the entry to each slice that has lanes of it. */
static void add_shares(sim_access_log *log, sim_logged *e, const uint32_t shares[SIM_WATCH_SLICES]) {
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        if (shares[s]) add_to_slice(log, e, s, shares[s]);
}

/* Makes room for a list of addresses in each of the slices. Returns false if the host runs out of memory. */
static bool reserve_addresses(sim_access_log *log, uint32_t slices) {
    for (; slices; slices &= slices - 1) {
        sim_log_share *share = &log->shares[__builtin_ctz(slices)];
        if (!reserve((void **)&share->addresses, &share->address_capacity, share->address_count, SIM_LANES,
                     sizeof *share->addresses))
            log->failed = true;
    }
    return !log->failed;
}

/* Sets the entry's bounds and the slice of each lane; returns all slices. */
static uint32_t find_slices(sim_logged *e, uint32_t lanes, const uint64_t address[SIM_LANES],
                            uint8_t slice[SIM_LANES]) {
    uint64_t from = UINT64_MAX, last = 0;
    uint32_t slices = 0;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const uint64_t at = address[lane];
        const unsigned of = sim_slice_of(at >> SIM_WATCH_PAGE);
        from = at < from ? at : from;
        last = at > last ? at : last;
        slice[lane] = (uint8_t)of;
        slices |= 1u << of;
    }
    e->from = from;
    e->to = last + e->bytes;
    return slices;
}

/* Gives the entry a list of addresses and adds it to the slices of each. */
static void place_list(sim_access_log *log, sim_logged *e, uint32_t lanes, const uint64_t address[SIM_LANES],
                       bool is_kept) {
    uint32_t shares[SIM_WATCH_SLICES] = {0};
    uint8_t slice[SIM_LANES];
    if (is_kept) keep_list(log, e, address);
    e->has_list = true;
    if (!reserve_addresses(log, find_slices(e, lanes, address, slice))) return;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        sim_log_share *share = &log->shares[slice[lane]];
        share->addresses[share->address_count++] = address[lane];
        shares[slice[lane]] |= lanes & -lanes;
    }
    add_shares(log, e, shares);
}

/* True if each lane's element lies in a line of its own. */
static bool is_far_apart(const sim_logged *e) {
    return e->bytes <= SIM_LARGEST_ELEMENT && (e->stride >= SIM_FOOTPRINT_LINE || e->stride <= -SIM_FOOTPRINT_LINE);
}

/* Adds the entry to the slice of each lane. */
static void distribute_lanes(sim_access_log *log, sim_logged *e, uint32_t lanes, const uint64_t address[SIM_LANES]) {
    uint32_t shares[SIM_WATCH_SLICES] = {0};
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        shares[sim_slice_of(address[lane] >> SIM_WATCH_PAGE)] |= 1u << lane;
    }
    add_shares(log, e, shares);
}

/* Gives the entry a base and a stride and adds it to the slices in between. */
static void place_evenly(sim_access_log *log, sim_logged *e, uint32_t lanes, const uint64_t address[SIM_LANES],
                         int64_t stride) {
    const unsigned first = (unsigned)__builtin_ctz(lanes), last = 31u - (unsigned)__builtin_clz(lanes);
    const uint64_t one = address[first], other = address[last];
    e->stride = stride;
    e->base = one - (uint64_t)(stride * first);
    e->from = one < other ? one : other;
    e->to = (one < other ? other : one) + e->bytes;
    if (!is_far_apart(e))
        distribute(log, e, slices_between(one < other ? one : other, one < other ? other : one));
    else
        distribute_lanes(log, e, lanes, address);
}

/* ---- values ---- */

static inline uint32_t mix(uint32_t hash, uint32_t value) {
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* Mixes in a word of each lane's register; of narrower elements only their bits. */
static void mix_part(uint32_t *restrict hash, const sim_op *op, const unsigned char *lanes, unsigned part) {
    const uint32_t mask = op->x >= 2 ? UINT32_MAX : (1u << (8u << op->x)) - 1;
    if (op->y == 2) {
        const uint32_t *words = (const uint32_t *)(const void *)lanes;
        for (unsigned l = 0; l < SIM_LANES; l++) hash[l] = mix(hash[l], words[l] & mask);
    } else if (op->y == 1) {
        const uint16_t *halves = (const uint16_t *)(const void *)lanes;
        for (unsigned l = 0; l < SIM_LANES; l++) hash[l] = mix(hash[l], halves[l] & mask);
    } else if (op->y == 3) {
        const uint64_t *wide = (const uint64_t *)(const void *)lanes;
        for (unsigned l = 0; l < SIM_LANES; l++) hash[l] = mix(hash[l], (uint32_t)(wide[l] >> 32 * part) & mask);
    } else {
        for (unsigned l = 0; l < SIM_LANES; l++) {
            uint32_t value = 0;
            memcpy(&value, lanes + (l << op->y) + (size_t)4 * part, op->x >= 2 ? 4 : 1u << op->x);
            hash[l] = mix(hash[l], value);
        }
    }
}

/* Saves a hash of what each lane stores, never 0; of up to four bytes, equal hashes are equal values. Returns its index
 * + 1, or 0 if the values are not known. */
static uint32_t keep_values(sim_access_log *log, const sim_warp *w, const sim_op *op) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    uint32_t *hash = log->values + log->value_count;
    if (!op->count) return 0;
    for (unsigned l = 0; l < SIM_LANES; l++) hash[l] = op->bytes;
    for (unsigned e = 0; e < op->count; e++) {
        const unsigned char *lanes = SIM_SLOT(w, unsigned char, op->count == 1 ? op->d : slots[e]);
        for (unsigned part = 0; part == 0 || part < 1u << op->x >> 2; part++) mix_part(hash, op, lanes, part);
    }
    for (unsigned l = 0; l < SIM_LANES; l++) hash[l] += !hash[l];
    log->value_count += SIM_LANES;
    return (uint32_t)(log->value_count / SIM_LANES);
}

/* ---- uninitialised memory ---- */

static uint64_t bits_of_bytes(unsigned bytes) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < 4; k++)
        if (bytes >> k & 1) bits |= 255ull << (8 * k);
    return bits;
}

/* A lane's access: its address, and the place of that among what was written. */
typedef struct place {
    sim_marks *written;
    uint64_t address, at;
} place;

static void check_written(sim_warp *w, const sim_op *op, unsigned lane, const place *p) {
    const uint64_t address = p->address;
    for (unsigned at = 0; at < op->bytes; at += 4) {
        const unsigned mask = sim_bits_of_word(address, op->bytes), bits = sim_marks_word(p->written, p->at + at);
        if ((bits & mask) == mask) continue;
        const unsigned element = at >> op->x, bytes = op->bytes < 4 ? op->bytes : 4;
        const unsigned missing = (mask & ~bits & 15u) >> (address % 4);
        const uint64_t taint = bits_of_bytes(missing) << (8 * (at - (element << op->x)) % 64);
        sim_hazard_taint(w, op->instruction, element, 1u << lane, taint, HAUL_SPACE_GLOBAL, address + at, bytes);
    }
}

const char sim_updates_nothing[] =
    "nobody has written these bytes, and the result of the atomic operation depends on them";

/* An atomic operation needs what was there. */
static void check_updated(sim_warp *w, const sim_op *op, unsigned lane, const place *p) {
    if (!sim_is_update(sim_instruction_of(w, op->instruction))) return;
    const sim_suspect s = {.kind = HAUL_FINDING_UNINITIALISED_READ,
                           .action = HAUL_ACTION_ATOMIC,
                           .instruction = op->instruction,
                           .lanes = 1u << lane,
                           .thread = SIM_NO_THREAD,
                           .space = HAUL_SPACE_GLOBAL,
                           .address = p->address,
                           .bytes = op->bytes};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f) sim_hazard_say(f, "%s", sim_updates_nothing);
}

static void follow_lane(sim_warp *w, const sim_op *op, unsigned lane, const place *p, haul_action action) {
    if (sim_marks_has(p->written, p->at, op->bytes)) return;
    if (action == HAUL_ACTION_READ) {
        check_written(w, op, lane, p);
        return;
    }
    if (action == HAUL_ACTION_ATOMIC) check_updated(w, op, lane, p);
    sim_marks_add(p->written, p->at, op->bytes);
}

/* Most lanes are in the allocation that the instruction has found last, which has one place for what was written. */
static void follow_lanes(sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                         haul_action action) {
    const sim_memory *memory = w->sm->grid->memory;
    const sim_range *range = &w->sm->reaches[op->instruction].range;
    uint64_t first;
    sim_marks *const near = range->to > range->from ? sim_memory_written(memory, range->from, &first) : NULL;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        place p = {near, address[lane], 0};
        if (near && address[lane] - range->from < range->to - range->from)
            p.at = first + (address[lane] - range->from);
        else
            p.written = sim_memory_written(memory, address[lane], &p.at);
        if (p.written && !sim_marks_has_page(p.written, p.at)) follow_lane(w, op, lane, &p, action);
    }
}

/* Marks or checks the lanes' words; all at once if the lanes, `stride` bytes apart, are adjacent. */
static void follow_written(sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                           int64_t stride, haul_action action) {
    uint64_t at;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    sim_marks *written = sim_memory_written(w->sm->grid->memory, address[first], &at);
    if (!written || action == HAUL_ACTION_ASYNC_READ) return;
    const bool reads = action == HAUL_ACTION_READ || action == HAUL_ACTION_ATOMIC;
    const unsigned count = (unsigned)__builtin_popcount(lanes);
    const bool side_by_side =
        stride == op->bytes && lanes >> first == (count == 32 ? SIM_ALL_LANES : (1u << count) - 1);
    const size_t bytes = stride ? (size_t)count * op->bytes : op->bytes;
    if ((!side_by_side && stride) || (reads && !sim_marks_has(written, at, bytes)))
        follow_lanes(w, op, lanes, address, action);
    else if (!reads)
        sim_marks_add(written, at, bytes);
}

/* As follow_written(), for adjacent lanes from address `first` on. The next access is mostly as far away as the last
 * one was, so what was written there is fetched. */
static void follow_span(sim_warp *w, const sim_op *op, uint32_t lanes, uint64_t first, haul_action action) {
    uint64_t at;
    const bool reads = action == HAUL_ACTION_READ || action == HAUL_ACTION_ATOMIC;
    sim_marks *written = sim_memory_written(w->sm->grid->memory, first, &at);
    const size_t bytes = (size_t)__builtin_popcount(lanes) * op->bytes;
    if (!written) return;
    sim_marks_fetch(written, at + first - w->sm->reaches[op->instruction].latest);
    if (!reads) {
        sim_marks_add(written, at, bytes);
        return;
    }
    if (sim_marks_has(written, at, bytes)) return;
    uint64_t address[SIM_LANES] = {0};
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        address[l] = first + (uint64_t)(l - (unsigned)__builtin_ctz(lanes)) * op->bytes;
    }
    follow_lanes(w, op, lanes, address, action);
}

void sim_hazard_discarded(sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES]) {
    for (; lanes; lanes &= lanes - 1) {
        uint64_t at;
        const uint64_t line = address[__builtin_ctz(lanes)] & ~(uint64_t)(SIM_FOOTPRINT_LINE - 1);
        sim_marks *written = sim_memory_written(w->sm->grid->memory, line, &at);
        if (written) sim_marks_remove(written, at, SIM_FOOTPRINT_LINE);
    }
}

/* ---- hooks ---- */

uint8_t sim_strength_of(const sim_warp *w, const sim_op *op, haul_action action) {
    if (action == HAUL_ACTION_READ && sim_is_guess(w->sm->grid, op->instruction)) return SIM_STRONG;
    if (action != HAUL_ACTION_ATOMIC && !(op->flags & SIM_OP_STRONG)) return SIM_WEAK;
    const bool reaches_all = sim_reaches_grid(sim_instruction_of(w, op->instruction));
    return reaches_all ? SIM_STRONG : SIM_STRONG_HERE;
}

/* True if a read need not see what the launch has written: through a texture, by ld.global.nc, or from constant memory.
 */
static bool reads_incoherently(const sim_warp *w, const sim_op *op, haul_action action) {
    const uint16_t *mods = sim_instruction_of(w, op->instruction)->mods;
    if (op->memory_class == HAUL_CLASS_TEXTURE || op->memory_class == HAUL_CLASS_SURFACE_LOAD) return true;
    return action == HAUL_ACTION_READ && (mods[PTX_SLOT_NC] || mods[PTX_SLOT_SPACE] == PTX_MOD_CONST);
}

static sim_logged *log_piece(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, haul_action action) {
    sim_logged *e = append(w->block, sim_actor(w), v);
    e->instruction = op->instruction;
    e->active = lanes;
    e->bytes = op->bytes;
    e->action = (uint8_t)action;
    e->strong = sim_strength_of(w, op, action);
    sim_domain_of(w->block)->has_looked |= e->strong != SIM_WEAK;
    e->incoherent = reads_incoherently(w, op, action);
    return e;
}

static sim_accessor accessor_of(const sim_logged *e) {
    return (sim_accessor){.cluster = e->cluster,
                          .instruction = e->instruction,
                          .time = e->time,
                          .epoch = e->age,
                          .actor = e->actor,
                          .action = e->action & 63u,
                          .strong = e->strong & 3u};
}

/* Before it is found: its place among the SM's last ones has mostly left the host's caches. */
static void fetch_accessor(sim_hazards *h, const sim_logged *e) {
    const sim_accessor like = accessor_of(e);
    sim_accessor_fetch(sim_watch_accessors(h->watch), &h->accessors, &like);
}

/* Finds the accessor of an entry whose lanes are replayed one by one, once for all slices. */
static void find_accessor(sim_hazards *h, sim_logged *e) {
    const sim_accessor like = accessor_of(e);
    e->by = sim_accessor_find(sim_watch_accessors(h->watch), &h->accessors, &like, &e->is_first);
    h->log.failed |= !e->by;
}

/* Returns whether some lanes are logged as a list: all that are left if there are not enough at an even stride, and a
 * few in different lines, since the lines of lists are fetched ahead. */
static bool is_listed(uint32_t piece, uint32_t left, bool is_last, uint32_t bytes, int64_t stride) {
    const unsigned count = (unsigned)__builtin_popcount(piece);
    if (count >= LEAST_LANES && !is_last) return false;
    return piece != left || count == 1 || (stride != 0 && !sim_is_dense_stride(bytes, stride));
}

/* Logs an access as up to MOST_PIECES pieces of lanes at an even stride, the rest as a list. */
static void log_lanes(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, const uint64_t address[SIM_LANES],
                      haul_action action) {
    sim_access_log *log = &w->sm->hazards->log;
    const uint32_t values = action == HAUL_ACTION_WRITE ? keep_values(log, w, op) : 0;
    for (unsigned pieces = 1; lanes; pieces++) {
        int64_t stride;
        uint32_t piece = even_lanes(lanes, address, &stride);
        const bool listed = is_listed(piece, lanes, pieces == MOST_PIECES, op->bytes, stride);
        if (listed) piece = lanes;
        sim_logged *e = log_piece(w, op, v, piece, action);
        e->values = values;
        if (listed) fetch_accessor(w->sm->hazards, e);
        if (listed)
            place_list(log, e, piece, address, w->sm->grid->node != NULL);
        else
            place_evenly(log, e, piece, address, stride);
        if (!sim_is_dense(e)) find_accessor(w->sm->hazards, e);
        follow_written(w, op, piece, address, listed ? INT64_MAX : stride, action);
        lanes &= ~piece;
    }
}

void sim_hazard_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action) {
    sim_views *views = &sim_domain_of(w->block)->views[sim_actor(w)];
    sim_flight_check(w, op, active, address, action);
    if (w->sm->grid->regions) sim_regions_check(w, op, active, address, action);
    if (action != HAUL_ACTION_READ) sim_hazard_constant(w, op, active, address[__builtin_ctz(active)], action);
    if (action == HAUL_ACTION_READ && sim_load_may_be_unused(w->sm->grid, op->instruction))
        active &= ~sim_lanes_without_use(w, op->instruction);
    if (w->sm->grid->early && active & ~w->waited) sim_early_uses_note(w, op, active & ~w->waited, address, action);
    for (uint32_t i = 0; i < views->count; i++) {
        const uint32_t lanes = sim_view_at(views, i)->lanes & active;
        if (!lanes) continue;
        if (!has_room(w->block)) return;
        if (w->sm->grid->locked) sim_lock_note(w, op, sim_view_at(views, i), lanes, address, action);
        log_lanes(w, op, sim_view_at(views, i), lanes, address, action);
    }
}

/* An access of adjacent lanes, before it is logged. */
typedef struct span {
    const sim_op *op;
    uint64_t base, from, to;
    uint32_t lanes, values, known;
} span;

/* True if the entry's next warp makes this access. */
static bool precedes(const sim_logged *e, const sim_warp *w, const sim_view *v, const span *s) {
    const sim_domain *d = sim_domain_of(w->block);
    if (e->instruction != s->op->instruction || e->actor + (uint32_t)e->warps != sim_actor(w)) return false;
    if (e->cluster != d->cluster_index || e->time != d->now || e->age != sim_watch_age(d->owner->watch) ||
        e->known != s->known || e->active != s->lanes)
        return false;
    if (!sim_floor_equals(e->floor, v->floor) || e->has_list || !e->warps || e->warps == SIM_LANES) return false;
    if (e->warps == 1) return s->base >= e->base && e->stride == s->op->bytes;
    return s->base == e->base + e->pitch * e->warps && s->values == e->values + e->value_step * e->warps;
}

/* Finds an entry to which the access can be added: it has no bytes in common with entries after that one. */
enum { OPEN_ENTRIES = 6 };
static sim_logged *open_entry(sim_access_log *log, const sim_warp *w, const sim_view *v, const span *s) {
    const size_t open = log->count < OPEN_ENTRIES ? log->count : OPEN_ENTRIES;
    for (sim_logged *e = log->entries + log->count; e-- > log->entries + log->count - open;) {
        if (precedes(e, w, v, s)) return e;
        if (s->from < e->to && e->from < s->to) return NULL;
    }
    return NULL;
}

static void add_warp(sim_logged *e, const span *s) {
    if (e->warps == 1) {
        e->pitch = s->base - e->base;
        e->value_step = s->values - e->values;
    }
    e->warps++;
    if (s->to > e->to) e->to = s->to;
}

/* Logs lanes that lie side by side: with the same access of the warp before, if nothing is in between. Accesses to
 * other bytes may change places. */
static void log_half(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, uint64_t base, uint32_t values,
                     haul_action action) {
    sim_access_log *log = &w->sm->hazards->log;
    const uint64_t first = base + (uint64_t)__builtin_ctz(lanes) * op->bytes;
    const uint64_t end = first + (uint64_t)__builtin_popcount(lanes) * op->bytes;
    const span s = {op, base, first, end, lanes, values, snapshot(log, sim_domain_of(w->block), v)};
    sim_logged *e = w->sm->grid->node ? NULL : open_entry(log, w, v, &s);
    if (e) {
        add_warp(e, &s);
    } else {
        e = log_piece(w, op, v, lanes, action);
        e->values = values;
        e->stride = op->bytes;
        e->base = base;
        e->from = first;
        e->to = end;
    }
    distribute_warp(log, e, slices_between(first, end - op->bytes));
    follow_span(w, op, lanes, first, action);
}

/* Logs as log_lanes() does, from two addresses. */
static void log_span(sim_warp *w, const sim_op *op, sim_view *v, uint64_t first, uint64_t second, haul_action action) {
    const uint32_t values = action == HAUL_ACTION_WRITE ? keep_values(&w->sm->hazards->log, w, op) : 0;
    const uint64_t half = (uint64_t)op->bytes * HALF;
    if (second == first + half) {
        log_half(w, op, v, SIM_ALL_LANES, first, values, action);
        return;
    }
    log_half(w, op, v, SIM_ALL_LANES >> HALF, first, values, action);
    log_half(w, op, v, SIM_ALL_LANES << HALF, second - half, values, action);
}

void sim_hazard_global_span(sim_warp *w, const sim_op *op, uint64_t first, uint64_t second) {
    sim_views *views = &sim_domain_of(w->block)->views[sim_actor(w)];
    const haul_action action = op->memory_class == HAUL_CLASS_GLOBAL_STORE ? HAUL_ACTION_WRITE : HAUL_ACTION_READ;
    const bool is_early = w->sm->grid->early && ~w->waited;
    if (views->count > 1 || w->sm->grid->locked || w->sm->grid->regions || is_early || sim_flights_matter(w, action) ||
        (sim_load_may_be_unused(w->sm->grid, op->instruction) && sim_lanes_without_use(w, op->instruction))) {
        uint64_t address[SIM_LANES];
        for (unsigned l = 0; l < SIM_LANES; l++)
            address[l] = (l < HALF ? first : second) + (uint64_t)(l % HALF) * op->bytes;
        sim_hazard_global(w, op, SIM_ALL_LANES, address, action);
        return;
    }
    if (action == HAUL_ACTION_WRITE) sim_hazard_constant(w, op, SIM_ALL_LANES, first, action);
    if (has_room(w->block)) log_span(w, op, sim_view_at(views, 0), first, second, action);
}

void sim_hazard_global_range(sim_block *b, uint32_t thread, uint32_t instruction, uint64_t address, uint32_t bytes,
                             haul_action action, sim_range_kind kind) {
    sim_domain *d = sim_domain_of(b);
    const uint32_t actor = b->rank * d->warps + thread / SIM_LANES, lane = thread % SIM_LANES;
    uint64_t at;
    sim_marks *written = sim_memory_written(b->sm->grid->memory, address, &at);
    const bool writes = action != HAUL_ACTION_ASYNC_READ;
    if (written && writes) sim_marks_add(written, at, bytes);
    sim_view *v = sim_view_of(d, actor, lane);
    if (!bytes || !has_room(b)) return;
    sim_logged *e = append(b, actor, v);
    e->instruction = instruction;
    e->active = 1u << lane;
    e->bytes = bytes;
    e->base = e->from = address;
    e->to = address + bytes;
    if (kind != SIM_RANGE_PLAIN) e->time = 0;
    if (kind == SIM_RANGE_MAP)
        e->fenced = SIM_NEVER_FENCED;
    else if (kind == SIM_RANGE_WATCHED || writes)
        e->fenced = fences(&b->sm->hazards->log, d, v);
    e->is_map = kind == SIM_RANGE_MAP;
    e->has_fenced = d->has_fenced;
    e->action = (uint8_t)action;
    e->strong = action == HAUL_ACTION_ATOMIC ? SIM_STRONG : SIM_WEAK;
    distribute(&b->sm->hazards->log, e, slices_between(address, address + bytes - 1));
}

/* ---- constant memory ---- */

uint32_t sim_hazard_new_constants(const sim_warp *w, const sim_op *op, uint32_t active,
                                  const uint64_t address[SIM_LANES]) {
    uint64_t *kept = w->sm->hazards->constants;
    uint32_t new = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t element = address[l] << 5 | op->bytes;
        uint64_t *last = &kept[address[l] / 4 % SIM_CONSTANTS_KEPT];
        if (*last != element) new |= 1u << l;
        *last = element;
    }
    return new;
}
