/* Race checks in shared memory: who used each word last, and whether that is ordered before the current access. */
#include "base/memory.h"
#include "check/cells.h"

#include <string.h>

sim_shadow *sim_shadow_of(const sim_block *b) {
    return &sim_domain_of(b)->shadows[b->rank];
}

/* ---- what is known ---- */

bool sim_visit_knows(const sim_visit *k, uint32_t thread, uint32_t time) {
    if (time < k->d->start || thread == k->actor * SIM_LANES + k->lane) return true;
    return sim_knows_thread(k->v->order, thread, time);
}

/* Clears a cell of an earlier block. */
static void refresh(const sim_visit *k, sim_cell *c) {
    if (c->time < k->d->start && c->read_time < k->d->start) *c = (sim_cell){0};
}

/* True if the lane's whole warp has executed the store: that of tcgen05.alloc, which counts for one lane. */
static bool is_by_warp(const sim_visit *k, uint32_t thread, uint32_t instruction) {
    return thread / SIM_LANES == k->actor && sim_instruction_of(k->w, instruction)->op == PTX_OP_TMEM_ALLOC;
}

static bool cannot_race(const sim_visit *k, uint8_t state, uint32_t thread, uint32_t instruction) {
    return is_by_warp(k, thread, instruction) || sim_cannot_race(k, state, thread / SIM_LANES, instruction);
}

static bool was_told(const sim_visit *k, const sim_cell *c) {
    return sim_was_told(k, c->thread / SIM_LANES, c->time, c->instruction);
}

/* ---- words whose bytes have cells of their own ---- */

/* Gives the word's bytes cells of their own, filled from the word's cell. */
static bool split(const sim_visit *k, uint32_t word, sim_cell *c) {
    sim_shadow *s = k->s;
    if (c->state & SIM_CELL_SPLIT) return true;
    if (!sim_has_byte_cells(k)) return false;
    refresh(k, c);
    sim_byte_cell b = {.time = c->time,
                       .instruction = c->instruction,
                       .thread = c->thread,
                       .state = c->state & (SIM_CELL_ATOMIC | SIM_CELL_COPIED | SIM_CELL_ASYNC)};
    for (uint32_t a = 0; a < k->d->actors && c->readers; a++) {
        const sim_read *r = s->reads[a] ? &s->reads[a][word] : NULL;
        if (c->readers >> a % 32 & 1 && r && r->time >= k->d->start)
            sim_byte_note_read(&b, &(sim_byte_read){*r, (uint16_t)a});
    }
    for (uint32_t i = 0; i < 4; i++) {
        s->bytes[4 * word + i] = b;
        if (!(c->written >> i & 1)) s->bytes[4 * word + i].time = 0;
    }
    c->state = (uint8_t)((c->state & (SIM_CELL_LEAVING | SIM_CELL_ADDED)) | SIM_CELL_SPLIT);
    return true;
}

/* Records a read. Of one warp's reads at different times, the newest is kept unless there is room for both. */
static inline void note_byte_read(sim_byte_cell *b, uint32_t actor, uint32_t time, uint32_t lanes,
                                  uint32_t instruction) {
    sim_byte_read *last = &b->readers[0], *other = &b->readers[1];
    const sim_byte_read r = {{time, lanes, instruction}, (uint16_t)actor};
    if (actor == last->actor && time == last->read.time) {
        last->read.lanes |= lanes;
        last->read.instruction = instruction;
    } else if (time < last->read.time) {
        if (actor != last->actor && time > other->read.time) *other = r;
    } else {
        if (last->actor != actor || other->actor == actor) *other = *last;
        *last = r;
    }
}

void sim_byte_note_read(sim_byte_cell *b, const sim_byte_read *r) {
    note_byte_read(b, r->actor, r->read.time, r->read.lanes, r->read.instruction);
}

/* True if the byte was last written by `lanes`, which are one lane, or by a write that the visitor's warp knows. */
static inline bool is_written_before(const sim_visit *k, const sim_byte_cell *b, uint32_t lanes) {
    if (b->time < k->d->start) return false;
    const bool is_one = !(lanes & (lanes - 1));
    return b->time <= k->v->least || (is_one && b->thread == k->actor * SIM_LANES + (unsigned)__builtin_ctz(lanes));
}

static bool check_byte_reads(const sim_visit *visit, uint32_t word, uint32_t first, uint32_t count, uint32_t lanes) {
    sim_visit of_lane = *visit;
    const sim_visit *k = &of_lane;
    uint32_t unwritten_count = 0; /* of consecutive bytes */
    bool fine = true;
    for (uint32_t i = first; i < first + count; i++) {
        sim_byte_cell *b = &k->s->bytes[4 * word + i];
        of_lane.lane = (unsigned)__builtin_ctz(sim_lanes_beside(k, b->thread, lanes));
        const bool unwritten = b->time < k->d->start;
        const bool raced = !unwritten && !sim_visit_knows(k, b->thread, b->time) &&
                           !cannot_race(k, b->state, b->thread, b->instruction);
        const bool ends = unwritten && (i + 1 == first + count || k->s->bytes[4 * word + i + 1].time >= k->d->start);
        unwritten_count = unwritten ? unwritten_count + 1 : 0;
        if (ends) sim_cell_report_uninitialised(k, lanes, 4 * word + i + 1 - unwritten_count, unwritten_count);
        if (raced) {
            const sim_cell by = {
                .time = b->time, .instruction = b->instruction, .thread = b->thread, .state = b->state};
            sim_cell_report_writer(k, 4 * word + i, 1, &by, false);
        }
        fine &= !unwritten && !raced;
    }
    return fine;
}

static bool read_bytes(const sim_visit *k, uint32_t word, uint32_t first, uint32_t count, uint32_t lanes) {
    sim_byte_cell *b = &k->s->bytes[4 * word + first];
    bool fine = true;
    for (uint32_t i = 0; i < count; i++) fine &= is_written_before(k, &b[i], lanes);
    if (!fine) fine = check_byte_reads(k, word, first, count, lanes);
    for (uint32_t i = 0; i < count; i++) note_byte_read(&b[i], k->actor, k->d->now, lanes, k->instruction);
    return fine;
}

void sim_cell_finish_read(const sim_visit *k, uint32_t word, sim_read *plane, uint32_t lanes) {
    sim_cell *c = &k->s->cells[word];
    const sim_byte_read read = {{k->d->now, lanes, k->instruction}, (uint16_t)k->actor};
    sim_cell_mark_read(k, c, plane, lanes);
    for (uint32_t i = 0; c->state & SIM_CELL_SPLIT && i < 4; i++) sim_byte_note_read(&k->s->bytes[4 * word + i], &read);
}

/* True if the access and the read by `thread` cannot race. */
static bool cannot_race_with_read(const sim_visit *k, uint32_t thread, uint32_t instruction) {
    const unsigned order = sim_instruction_of(k->w, instruction)->mods[PTX_SLOT_ORDER];
    const bool strong = (order != PTX_MOD_NONE && order != PTX_MOD_WEAK) || sim_is_guess(k->w->sm->grid, instruction);
    return cannot_race(k, strong ? SIM_CELL_ATOMIC : 0, thread, instruction);
}

/* Returns those of an actor's lanes whose read at that time is not ordered before the current lane's write. A shuffle
 * orders no memory accesses, but what it exchanges has been read. */
static uint32_t unknown_lanes(const sim_visit *k, uint32_t actor, const sim_read *r) {
    const uint32_t own = actor == k->actor ? 1u << k->lane : 0;
    const uint32_t unknown = r->lanes & ~sim_known_lanes(&k->v->order[actor], r->time) & ~own;
    const bool is_over = unknown && actor == k->actor &&
                         sim_is_exchanged(k->w->sm->grid->program->function, r->instruction, k->instruction);
    return is_over ? 0 : unknown;
}

/* True if the lane knows of the read, or has made it. */
static inline bool is_read_before(const sim_visit *k, const sim_byte_read *r) {
    if (r->read.time <= k->v->least || r->read.time < k->d->start) return true;
    return r->actor == k->actor && r->read.lanes == 1u << k->lane;
}

/* True if nothing has to be looked at: the lane knows of all earlier uses. */
static inline bool is_used_before(const sim_visit *k, const sim_byte_cell *b) {
    const bool is_written = b->time <= k->v->least || b->thread == k->actor * SIM_LANES + k->lane;
    return is_written && !k->v->products && is_read_before(k, &b->readers[0]) && is_read_before(k, &b->readers[1]);
}

static void check_byte_write(const sim_visit *k, uint32_t address, const sim_byte_cell *b) {
    const sim_cell as_word = {.state = b->state, .instruction = b->instruction, .thread = b->thread, .time = b->time};
    if (!sim_visit_knows(k, b->thread, b->time) && !cannot_race(k, b->state, b->thread, b->instruction)) {
        sim_cell_report_overwrite(k, &as_word, address, 1);
        return;
    }
    for (unsigned r = 0; r < 2; r++) {
        const sim_read *read = &b->readers[r].read;
        const uint32_t first = b->readers[r].actor * SIM_LANES;
        const uint32_t unknown = read->time < k->d->start ? 0 : unknown_lanes(k, b->readers[r].actor, read);
        if (read->time >= k->d->start && sim_relies_on_own_wait(k, b->readers[r].actor, read))
            sim_cell_report_own_wait(k, address, 1, read->instruction, first);
        if (!unknown || cannot_race_with_read(k, first, read->instruction)) continue;
        sim_cell_report_reader(k, address, 1, read->instruction, first + (uint32_t)__builtin_ctz(unknown));
        return;
    }
}

static void write_bytes(const sim_visit *k, uint32_t word, uint32_t first, uint32_t count, uint8_t state) {
    for (uint32_t i = first; i < first + count; i++) {
        sim_byte_cell *b = &k->s->bytes[4 * word + i];
        if (!is_used_before(k, b)) check_byte_write(k, 4 * word + i, b);
        *b = (sim_byte_cell){.time = k->d->now,
                             .instruction = k->instruction,
                             .thread = (uint16_t)(k->actor * SIM_LANES + k->lane),
                             .state = state};
    }
}

/* ---- words ---- */

/* A contested word is read: the value of a load becomes tainted, every other use is reported. */
static void read_contested(const sim_visit *k, const sim_cell *c, uint32_t lanes, uint32_t address, uint32_t bytes) {
    const uint8_t contest = sim_contest_of(k, c);
    if (!contest) return;
    if (!k->op || k->action != HAUL_ACTION_READ || k->b != k->w->block) {
        sim_contest_used(k->b, contest);
        return;
    }
    const uint32_t from = address - k->base, element = from >> k->op->x;
    const uint64_t bits = (1ull << (8 * bytes)) - 1;
    sim_taint_loaded(k->w, element,
                     &(sim_taint){.lanes = lanes,
                                  .instruction = k->instruction,
                                  .bytes = bytes,
                                  .bits = bits << (8 * (from - (element << k->op->x)) % 64),
                                  .address = address,
                                  .space = HAUL_SPACE_SHARED,
                                  .lane = (uint8_t)__builtin_ctz(lanes),
                                  .contest = contest});
}

bool sim_cell_check_read(const sim_visit *k, uint32_t word, sim_cell *c, uint32_t lanes) {
    refresh(k, c);
    if (c->written & SIM_CELL_CONTESTED) read_contested(k, c, lanes, 4 * word, 4);
    if (c->state & SIM_CELL_ARRIVING)
        sim_cell_report_arriving(k, 4 * word, 4, c->instruction, c->thread);
    else if (c->state & SIM_CELL_ADDED && !sim_peers_check_sum(k, word))
        return false;
    else if (c->state & SIM_CELL_SPLIT)
        return read_bytes(k, word, 0, 4, lanes);
    else if ((c->written & SIM_CELL_ALL) != SIM_CELL_ALL)
        sim_cell_report_uninitialised(k, lanes, 4 * word, 4);
    else if (!sim_visit_knows(k, c->thread, c->time) &&
             (!cannot_race(k, c->state, c->thread, c->instruction) || was_told(k, c)))
        sim_cell_report_writer(k, 4 * word, 4, c, was_told(k, c));
    else
        return true;
    return false;
}

/* Checks and records the read of words from `word` on by `lanes`. */
static void read_words(sim_visit *k, sim_read *plane, uint32_t word, uint32_t count, uint32_t lanes) {
    const uint32_t start = k->d->start, reach = k->v->least - start;
    enum { ORDINARY = SIM_CELL_ATOMIC | SIM_CELL_COPIED | SIM_CELL_ASYNC | SIM_CELL_LEAVING };
    for (uint32_t i = word; i < word + count; i++) {
        sim_cell *c = &k->s->cells[i];
        if (c->time - start > reach || c->written != SIM_CELL_ALL || c->state & ~ORDINARY) {
            k->lane = (unsigned)__builtin_ctz(sim_lanes_beside(k, c->thread, lanes));
            sim_cell_check_read(k, i, c, lanes);
        }
        sim_cell_mark_read(k, c, &plane[i], lanes);
    }
}

/* Reports a write that is not ordered after a read of the word. */
static void check_readers(const sim_visit *k, uint32_t word, const sim_cell *c) {
    for (uint32_t a = 0; a < k->d->actors; a++) {
        const sim_read *plane = k->s->reads[a];
        if (!(c->readers >> a % 32 & 1) || !plane || plane[word].time < k->d->start) continue;
        const uint32_t unknown = unknown_lanes(k, a, &plane[word]);
        if (sim_relies_on_own_wait(k, a, &plane[word]))
            sim_cell_report_own_wait(k, 4 * word, 4, plane[word].instruction, a * SIM_LANES);
        if (!unknown || cannot_race_with_read(k, a * SIM_LANES, plane[word].instruction)) continue;
        sim_cell_report_reader(k, 4 * word, 4, plane[word].instruction,
                               a * SIM_LANES + (uint32_t)__builtin_ctz(unknown));
        return;
    }
}

/* Reports a write to a word that a bulk store or a copy to another block still reads. */
static void check_leaving(const sim_visit *k, uint32_t word, const sim_cell *c) {
    if (!(c->state & SIM_CELL_LEAVING) || !k->s->leaving) return;
    sim_peers_check_source(k, word);
    if (!k->s->leaving[word]) return;
    sim_finding *f = sim_visit_report(k, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, 4 * word, 4, HAUL_ACTION_ASYNC_READ,
                                      k->s->leaving[word] - 1, k->s->leaving_thread[word]);
    if (f) sim_hazard_say(f, "no wait of the thread that issued the copy has covered its reading yet");
}

static void check_mbarrier(const sim_visit *k, uint32_t word, const sim_cell *c) {
    if (!(c->state & SIM_CELL_MBARRIER)) return;
    sim_finding *f =
        sim_visit_report(k, HAUL_FINDING_MBARRIER_MISUSE, 4 * word, 4, HAUL_ACTION_SYNC, c->instruction, c->thread);
    if (f) sim_hazard_say(f, "an mbarrier in use lies there: the write overwrites its state");
}

void sim_shadow_mbarrier(const sim_block *b, uint32_t address, bool live) {
    sim_domain *d = sim_domain_of(b);
    const sim_watched_mbarrier *m = sim_mbarrier_watched(d, b, address);
    const sim_visit k = {.w = &b->warps[0], .d = d, .s = sim_shadow_of(b)};
    if (!sim_lines_detail(&k, address, 8)) return;
    for (uint32_t i = address / 4; i < address / 4 + 2; i++) {
        sim_cell *c = &sim_shadow_of(b)->cells[i];
        *c = (sim_cell){.time = d->now,
                        .instruction = m->instruction,
                        .thread = m->thread,
                        .written = SIM_CELL_ALL,
                        .state = live ? SIM_CELL_MBARRIER : SIM_CELL_ATOMIC};
    }
}

/* True if both copies bring the same bytes to the word at `address`, from one source or zeros. */
static bool bring_the_same(const sim_copy *x, unsigned lane, const sim_copy *y, unsigned other, uint32_t address) {
    const uint32_t in_x = address - x->destination[lane], in_y = address - y->destination[other];
    if (in_x >= x->read[lane] && in_y >= y->read[other]) return true;
    const bool both_read = in_x + 4 <= x->read[lane] && in_y + 4 <= y->read[other];
    return both_read && x->source[lane] + in_x == y->source[other] + in_y;
}

/* True if the cp.async that is writing the word brings the same bytes as this one, so that their order does not matter.
 * In a tile's last round, cooperative groups let spare lanes repeat the last lane's copy. Some products of quantised
 * matrices copy a tile twice (QServe). */
static bool is_repeated(const sim_visit *k, uint32_t address, const sim_cell *c) {
    const unsigned other = c->thread % SIM_LANES;
    const uint32_t warp = c->thread / SIM_LANES - k->w->block->rank * k->d->warps;
    if (!k->copy || warp >= k->w->block->async.queue_count) return false;
    const sim_copy_queue *q = &k->w->block->async.queues[warp];
    for (size_t i = q->first + q->count; i-- > q->first;) {
        const sim_copy *copy = &q->copies[i];
        if (!(copy->lanes >> other & 1) || copy->op->instruction != c->instruction) continue;
        if ((copy != k->copy || other != k->lane) && address - copy->destination[other] < copy->bytes)
            return bring_the_same(k->copy, k->lane, copy, other, address);
    }
    return false;
}

/* True if reductions of other blocks may still add to the word; for atomics that is harmless. */
static bool is_summed(const sim_visit *k, const sim_cell *c) {
    return c->state & SIM_CELL_ADDED && k->action != HAUL_ACTION_ATOMIC;
}

/* Checks a write to a word with anything unusual. Returns true if the word stays contested. */
static inline bool slow_write(const sim_visit *k, uint32_t word, sim_cell *c) {
    refresh(k, c);
    check_leaving(k, word, c);
    if (c->written & SIM_CELL_CONTESTED && k->action != HAUL_ACTION_WRITE)
        read_contested(k, c, 1u << k->lane, 4 * word, 4);
    if (c->state & SIM_CELL_MBARRIER) {
        check_mbarrier(k, word, c);
        return false;
    }
    if (c->state & SIM_CELL_ARRIVING) {
        if (!is_repeated(k, 4 * word, c)) sim_cell_report_arriving(k, 4 * word, 4, c->instruction, c->thread);
    } else if (is_summed(k, c) && !sim_peers_check_sum(k, word)) {
        return false;
    } else if (c->state & SIM_CELL_SPLIT) {
        for (uint32_t i = 0; i < 4; i++) check_byte_write(k, 4 * word + i, &k->s->bytes[4 * word + i]);
    } else {
        const bool fine = cannot_race(k, c->state, c->thread, c->instruction) || sim_visit_knows(k, c->thread, c->time);
        if (!fine) return sim_cell_overwrite(k, c, word);
        if (c->read_time > k->v->least && c->read_time >= k->d->start) check_readers(k, word, c);
    }
    return false;
}

static inline void set_written(const sim_visit *k, sim_cell *c, uint8_t state) {
    c->time = k->d->now;
    c->readers = 0;
    c->read_time = 0;
    c->instruction = k->instruction;
    c->thread = (uint16_t)(k->actor * SIM_LANES + k->lane);
    c->written = SIM_CELL_ALL;
    c->state = state;
}

/* True if the word was last used by a write that cannot race with this one, as by two atomics, and by reads that all
 * know. Its state has nothing unusual. */
static inline bool follows_strong(const sim_visit *k, const sim_cell *c) {
    if (c->read_time > k->v->least || c->time < k->d->start) return false;
    return cannot_race(k, c->state, c->thread, c->instruction);
}

/* An atomic operation needs what was there. */
static void check_updated(const sim_visit *k, uint32_t word, sim_cell *c) {
    enum { OTHERS = SIM_CELL_SPLIT | SIM_CELL_ARRIVING | SIM_CELL_MBARRIER | SIM_CELL_ADDED };
    refresh(k, c);
    if ((c->written & SIM_CELL_ALL) == SIM_CELL_ALL || c->state & OTHERS) return;
    if (!sim_is_update(sim_instruction_of(k->w, k->instruction))) return;
    sim_finding *f =
        sim_visit_report(k, HAUL_FINDING_UNINITIALISED_READ, 4 * word, 4, HAUL_ACTION_NONE, 0, SIM_NO_THREAD);
    if (f) sim_hazard_say(f, "%s", sim_updates_nothing);
}

/* True if the access is a thread's strong write of what it wrote by an ordinary one, and others may not know of that:
 * their strong accesses do not race with the later write, but they do with the earlier one. */
static inline bool hides(const sim_visit *k, const sim_cell *c) {
    return k->strong && !c->state && c->time > k->v->least && c->time >= k->d->start &&
           c->thread == k->actor * SIM_LANES + k->lane;
}

/* Keeps such a write among the word's readers, which a write is compared with. */
static void keep_hidden(const sim_visit *k, uint32_t word, const sim_cell *before) {
    sim_read *plane = sim_reads_of(k, k->actor);
    if (!plane) return;
    plane[word] = (sim_read){before->time, 1u << k->lane, before->instruction};
    k->s->cells[word].readers = 1u << k->actor % 32;
    k->s->cells[word].read_time = before->time;
}

void sim_cells_write(const sim_visit *k, uint32_t word, uint32_t count, uint8_t state) {
    enum { ORDINARY = SIM_CELL_ATOMIC | SIM_CELL_COPIED | SIM_CELL_ASYNC };
    for (uint32_t i = word; i < word + count; i++) {
        sim_cell *c = &k->s->cells[i];
        const sim_cell before = *c;
        uint8_t added = 0, contested = 0;
        const bool is_slow = c->state & ~ORDINARY || c->written & SIM_CELL_CONTESTED;
        const bool is_recent = c->time > k->v->least || c->read_time > k->v->least;
        if (k->action == HAUL_ACTION_ATOMIC) check_updated(k, i, c);
        if (is_slow || (is_recent && !follows_strong(k, c))) {
            if (slow_write(k, i, c)) contested = SIM_CELL_CONTESTED;
            if (k->action == HAUL_ACTION_ATOMIC) added = c->state & SIM_CELL_ADDED;
        }
        set_written(k, c, state | added);
        c->written |= contested;
        if (hides(k, &before)) keep_hidden(k, i, &before);
    }
}

void sim_cells_add(const sim_visit *k, uint32_t word, uint32_t count) {
    for (uint32_t i = word; i < word + count; i++) {
        sim_cell *c = &k->s->cells[i];
        slow_write(k, i, c);
        if (!(c->state & (SIM_CELL_SPLIT | SIM_CELL_ARRIVING | SIM_CELL_MBARRIER)) &&
            (c->written & SIM_CELL_ALL) != SIM_CELL_ALL)
            sim_cell_report_uninitialised(k, 1u << k->lane, 4 * i, 4);
        c->state |= SIM_CELL_ADDED;
        c->written = SIM_CELL_ALL;
        if (c->time < k->d->start) c->time = k->d->start;
    }
}

/* ---- accesses ---- */

static void read_part_of_word(const sim_visit *k, uint32_t address, unsigned bytes, uint32_t lanes) {
    sim_cell *c = &k->s->cells[address / 4];
    refresh(k, c);
    if (c->written & SIM_CELL_CONTESTED) read_contested(k, c, lanes, address, bytes);
    if (c->state & SIM_CELL_ARRIVING)
        sim_cell_report_arriving(k, address, bytes, c->instruction, c->thread);
    else if (!(c->state & SIM_CELL_ADDED) || sim_peers_check_sum(k, address / 4))
        if (split(k, address / 4, c)) read_bytes(k, address / 4, address % 4, bytes, lanes);
}

static void read_part(sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes) {
    sim_read *plane = sim_reads_of(k, k->actor);
    if (!plane) return;
    while (lanes) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        uint32_t run = 0;
        for (unsigned l = first; l < SIM_LANES && address[l] == address[first]; l++) run |= 1u << l;
        run &= lanes;
        lanes &= ~run;
        k->lane = first;
        k->lanes = run;
        k->base = address[first];
        if (bytes >= 4)
            read_words(k, plane, address[first] / 4, bytes / 4, run);
        else
            read_part_of_word(k, address[first], bytes, run);
    }
}

static void write_lane(sim_visit *k, uint32_t address, unsigned bytes, uint8_t state) {
    const uint32_t word = address / 4;
    if (bytes >= 4) {
        sim_cells_write(k, word, bytes / 4, state);
        return;
    }
    sim_cell *c = &k->s->cells[word];
    refresh(k, c);
    if (c->written & SIM_CELL_CONTESTED) sim_contest_used(k->b, sim_contest_of(k, c));
    check_leaving(k, word, c);
    check_mbarrier(k, word, c);
    if (is_summed(k, c)) sim_peers_check_sum(k, word);
    if (c->state & SIM_CELL_ARRIVING && c->time >= k->d->start)
        sim_cell_report_arriving(k, 4 * word, 4, c->instruction, c->thread);
    if (split(k, word, c)) write_bytes(k, word, address % 4, bytes, state);
    c->time = k->d->now;
}

static sim_visit visit_of(sim_warp *w, const sim_op *op, uint32_t active, const sim_block *b, haul_action action) {
    return (sim_visit){.w = w,
                       .op = op,
                       .d = sim_domain_of(b),
                       .s = sim_shadow_of(b),
                       .b = b,
                       .action = action,
                       .actor = sim_actor(w),
                       .instruction = op->instruction,
                       .active = active};
}

void sim_hazard_load(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]) {
    sim_hazard_inside(w, op->instruction, active, address, op->bytes, HAUL_ACTION_READ, op->flags & SIM_OP_STRONG);
    sim_peek_settle(w, op->instruction, active);
    sim_visit k = visit_of(w, op, active, b, HAUL_ACTION_READ);
    sim_views *views = &k.d->views[k.actor];
    if (k.d->owner->failed) return;
    k.strong = op->flags & SIM_OP_OBSERVES || sim_is_guess(w->sm->grid, op->instruction);
    for (uint32_t i = 0; i < views->count; i++) {
        k.v = sim_view_at(views, i);
        const uint32_t lanes = sim_lines_read(&k, address, op->bytes, active & k.v->lanes);
        if (lanes) read_part(&k, address, op->bytes, lanes);
    }
}

/* Scattered lanes miss the host's caches. */
static void fetch_cells(const sim_visit *k, const uint32_t address[SIM_LANES], uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) __builtin_prefetch(&k->s->cells[address[__builtin_ctz(lanes)] / 4]);
}

/* True if the word was last used as an atomic of this kind uses it again: by the same instruction, with no reads that
 * somebody may not know. Such accesses do not race with each other. */
static inline bool is_atomic_again(const sim_visit *k, const sim_cell *c) {
    return c->instruction == k->instruction && c->state == SIM_CELL_ATOMIC && c->written == SIM_CELL_ALL &&
           c->time >= k->d->start && c->read_time <= k->v->least;
}

/* A lane that has stored to the word comes after its own store. Of the lanes that use the word together with it, the
 * next one is compared with the store before its atomic operation takes the store's place. */
static void check_beside(sim_visit *k, const uint32_t address[SIM_LANES], uint32_t others, sim_cell *c) {
    const bool is_own = c->thread == k->actor * SIM_LANES + k->lane && c->time >= k->d->start;
    if (!is_own || c->state) return;
    for (; others; others &= others - 1)
        if (address[__builtin_ctz(others)] == k->base) {
            const unsigned lane = k->lane;
            k->lane = (unsigned)__builtin_ctz(others);
            slow_write(k, k->base / 4, c);
            k->lane = lane;
            return;
        }
}

/* Writes a word by each of the lanes, in order. */
static void write_atomics(sim_visit *k, const uint32_t address[SIM_LANES], uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        k->lane = (unsigned)__builtin_ctz(lanes);
        k->base = address[k->lane];
        sim_cell *c = &k->s->cells[k->base / 4];
        check_beside(k, address, lanes & (lanes - 1), c);
        if (is_atomic_again(k, c))
            set_written(k, c, SIM_CELL_ATOMIC);
        else
            sim_cells_write(k, k->base / 4, 1, SIM_CELL_ATOMIC);
    }
}

static void write_lanes(sim_visit *k, const uint32_t address[SIM_LANES], uint32_t lanes, uint8_t state) {
    for (; lanes; lanes &= lanes - 1) {
        k->lane = (unsigned)__builtin_ctz(lanes);
        k->base = address[k->lane];
        write_lane(k, address[k->lane], k->op->bytes, state);
    }
}

static void write_all(sim_visit *k, const uint32_t address[SIM_LANES], uint8_t state) {
    sim_views *views = &k->d->views[k->actor];
    if (k->d->owner->failed) return;
    k->addresses = address;
    const bool is_atomic = k->action == HAUL_ACTION_ATOMIC && k->op->bytes == 4 &&
                           sim_cannot_race(k, SIM_CELL_ATOMIC, k->actor, k->instruction);
    for (uint32_t i = 0; i < views->count; i++) {
        k->v = sim_view_at(views, i);
        const uint32_t lanes = sim_lines_write(k, address, k->op->bytes, k->active & k->v->lanes, state);
        if (lanes) fetch_cells(k, address, lanes);
        if (is_atomic)
            write_atomics(k, address, lanes);
        else
            write_lanes(k, address, lanes, state);
    }
}

/* Stores of the same block extend the range. */
static void note_unwritten(const sim_visit *k, uint32_t first, uint32_t end) {
    sim_unwritten *u = &k->s->unwritten;
    const bool goes_on = u->end && u->time >= k->d->start;
    *u = (sim_unwritten){.time = k->d->now,
                         .instruction = k->instruction,
                         .first = goes_on && u->first < first ? u->first : first,
                         .end = goes_on && u->end > end ? u->end : end};
}

/* Unmarks bytes that received an uninitialised value: they count as never written. A contested word stays as it is,
 * since a use of it is told as the race. */
static void forget_written(const sim_visit *k, unsigned element, uint32_t lanes, const uint32_t address[SIM_LANES]) {
    const uint32_t bytes = 1u << k->op->x;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t first = address[__builtin_ctz(lanes)] + element * bytes;
        if (!sim_lines_detail(k, first, bytes)) return;
        note_unwritten(k, first, first + bytes);
        for (uint32_t at = first; at < first + bytes; at++) {
            sim_cell *c = &k->s->cells[at / 4];
            if (c->state & SIM_CELL_SPLIT)
                k->s->bytes[at].time = 0;
            else if (!(c->written & SIM_CELL_CONTESTED))
                c->written &= (uint8_t) ~(1u << at % 4);
        }
    }
}

void sim_hazard_store(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]) {
    sim_hazard_inside(w, op->instruction, active, address, op->bytes, HAUL_ACTION_WRITE, op->flags & SIM_OP_STRONG);
    sim_peek_settle(w, op->instruction, active);
    sim_visit k = visit_of(w, op, active, b, HAUL_ACTION_WRITE);
    k.strong = op->flags & SIM_OP_STRONG;
    write_all(&k, address, k.strong ? SIM_CELL_ATOMIC : 0);
    for (unsigned e = 0; w->tainted && e < op->count; e++)
        forget_written(&k, e, sim_hazard_taint_stored(w, op->instruction, e) & active, address);
}

/* Taint is not followed here: a row's values come from several lanes. */
void sim_hazard_store_rows(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t address[SIM_LANES],
                           const unsigned char *rows) {
    sim_hazard_inside(w, op->instruction, lanes, address, op->bytes, HAUL_ACTION_WRITE, false);
    sim_peek_settle(w, op->instruction, lanes);
    sim_visit k = visit_of(w, op, lanes, w->block, HAUL_ACTION_WRITE);
    k.rows = rows;
    write_all(&k, address, 0);
}

void sim_hazard_atomic(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                       const uint32_t address[SIM_LANES]) {
    sim_hazard_inside(w, op->instruction, active, address, op->bytes, HAUL_ACTION_ATOMIC, true);
    sim_peek_settle(w, op->instruction, active);
    sim_visit k = visit_of(w, op, active, b, HAUL_ACTION_ATOMIC);
    k.strong = true;
    write_all(&k, address, SIM_CELL_ATOMIC);
}
