/* Advice: each change is made and examined like the transfer itself; its gain is the ratio of the two estimates.
 *
 * advice.def lists the changes. change_ID() gets a copy of the case (x->to), alters it and writes the text; it returns
 * false if the change makes no sense here. The altered case then goes through diagnose_examine() like the user's own,
 * so a change that is wrong, or does not fit on an SM, drops out there. No change needs to know when it pays: the
 * estimate decides. Changes are tried one at a time, each from the original case, never combined. */
#include "base/number.h"
#include "lib/diagnose/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GAIN = 1.02;  /* changes that gain less are listed only ... */
static const double RELIEF = 1.5; /* ... if they take this much less of the SM, and cost nothing */
enum { MOST_STAGES = 16, MOST_THREADS = 1024, LINE = 128, SECTOR = 32, WARP = 32 };

/* A change: the original case and the changed one. */
typedef struct change {
    const diagnose_case *old;
    const haul_diagnosis *d; /* of the old case */
    diagnose_case to;
    char *text; /* the advice's, of `size` bytes */
    size_t size;
} change;

/* Sets the advice's text; called last by each change that applies. */
static bool say(const change *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(const change *x, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(x->text, x->size, format, arguments);
    va_end(arguments);
    return true;
}

/* Halos and tiles. */
static bool is_box(const haul_transfer *t) {
    return t->shape == HAUL_SHAPE_BOX;
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* Sets the engine, and removes flags that it lacks, which would be refused. */
static void set_engine(haul_transfer *t, haul_how engine) {
    t->how = (t->how & ~HAUL_ENGINE_BITS) | engine;
#define LEAVE_OUT(t, engine, flags, engines, shapes, text) \
    if ((engine) & ~(haul_how)(engines)) (t)->how &= ~(flags);
    HAUL_FLAG_TABLE(LEAVE_OUT, t, engine)
#undef LEAVE_OUT
}

/* Rounds to a multiple of the access width, which a change may have increased. */
static void round_in_flight(haul_transfer *t) {
    const unsigned bytes = HAUL_IN_FLIGHT_BYTES(t->how), width = haul_piece_width(t, 0);
    if (bytes) t->how = (t->how & ~HAUL_IN_FLIGHT_BITS) | HAUL_IN_FLIGHT(round_up(bytes, width));
}

/* ---- constant descriptors ---- */

/* A descriptor that is known when compiling. */
static bool change_CONSTANT(change *x) {
    if (!x->old->c.run_time) return false;
    x->to.c.run_time = false;
    return say(x,
               "Make the descriptor constant, by HAUL_SEQUENTIAL and the like: loops, divisions and bounds then fold, "
               "which takes about %.0f instructions around each access.",
               x->d->instructions_around);
}

/* ---- alignment ---- */

/* The widest alignment that addresses and pitches already have. */
static unsigned alignment_of(const diagnose_case *k) {
    uint64_t all = 16 | k->c.global | k->c.shared | k->t.shared_pitch | (uint64_t)k->t.global_pitch;
    for (unsigned d = 1; is_box(&k->t) && d < k->t.rank; d++) all |= (uint64_t)k->c.place.pitch[d - 1];
    return (unsigned)(all & -all);
}

/* Everything is more aligned than the descriptor says. */
static bool change_DECLARE_ALIGNMENT(change *x) {
    const unsigned found = alignment_of(x->old);
    if (found <= x->old->t.alignment) return false;
    x->to.t.alignment = found;
    return say(x, "Declare an alignment of %u bytes instead of %u: both addresses and the pitches have this alignment.",
               found, x->old->t.alignment);
}

/* Both sides are equally far from a multiple of 16, and nothing better can be declared. */
static bool change_CONGRUENT(change *x) {
    const haul_transfer *t = &x->old->t;
    if (is_box(t) || t->alignment == 16 || t->how & HAUL_CONGRUENT) return false;
    if ((x->old->c.global ^ x->old->c.shared) % 16 != 0 || alignment_of(x->old) == 16) return false;
    x->to.t.how |= HAUL_CONGRUENT;
    return say(
        x,
        "Add HAUL_CONGRUENT: both sides are equally far from a multiple of 16, so that heads and tails can be peeled "
        "and the rest moves in accesses of 16 bytes.");
}

/* Rounds all pitches of the changed case up. */
static void round_pitches(change *x, unsigned unit) {
    x->to.t.shared_pitch = (unsigned)round_up(x->to.t.shared_pitch, unit);
    x->to.t.global_pitch = (long long)round_up((uint64_t)x->to.t.global_pitch, unit);
    for (unsigned d = 0; d < 4; d++)
        x->to.c.place.pitch[d] = (long long)round_up((uint64_t)x->to.c.place.pitch[d], unit);
}

/* Moves the data, unlike DECLARE_ALIGNMENT. Global addresses are rounded to lines, which is at least as good as 16. */
static bool change_ALIGN(change *x) {
    const haul_transfer *t = &x->old->t;
    if (t->alignment == 16 || t->global_pitch < 0 || alignment_of(x->old) == 16) return false;
    x->to.c.global = round_up(x->to.c.global, LINE);
    x->to.c.shared = round_up(x->to.c.shared, LINE);
    x->to.t.alignment = 16;
    round_pitches(x, 16);
    return say(
        x, "Begin at multiples of 16 bytes on both sides%s, and declare that alignment: accesses then move %u bytes.",
        t->count > 1 || is_box(t) ? ", with pitches that are multiples of 16" : "", haul_piece_width(&x->to.t, 0));
}

/* A transfer that begins inside a sector touches one more than it needs. */
static bool change_SECTORS(change *x) {
    const uint64_t global = x->old->c.global % SECTOR;
    if (global == 0 || x->old->t.alignment < 16) return false;
    x->to.c.global -= global;
    x->to.c.shared = round_up(x->to.c.shared, LINE);
    return say(
        x,
        "Begin at a multiple of 32 bytes in global memory, better of 128: the first byte is %u bytes inside a sector.",
        (unsigned)global);
}

/* Only LDGSTS splits by the distance between the two sides. */
static bool change_SAME_SKEW(change *x) {
    const haul_circumstances *c = &x->old->c;
    if (x->old->engine != HAUL_BY_LDGSTS || (c->global ^ c->shared) % LINE == 0) return false;
    x->to.c.shared = round_up(c->shared, LINE) + c->global % LINE;
    return say(
        x,
        "Begin %u bytes after a multiple of 128 in shared memory, as in global memory: a skew between the two sides "
        "splits the fetches of LDGSTS.",
        (unsigned)(c->global % LINE));
}

/* ---- pitches and elements ---- */

/* Boxes: rows of the array on lines. Others: to sectors first, and, if they are there already, to lines. */
static bool change_GLOBAL_PITCH(change *x) {
    const haul_transfer *t = &x->old->t;
    if (is_box(t)) {
        if (x->old->c.place.pitch[0] % LINE == 0) return false;
        for (unsigned d = 0; d < 4; d++)
            x->to.c.place.pitch[d] = (long long)round_up((uint64_t)x->to.c.place.pitch[d], LINE);
        return say(x, "Pad the array's rows to multiples of 128 bytes (%lld instead of %lld).", x->to.c.place.pitch[0],
                   x->old->c.place.pitch[0]);
    }
    if (t->count < 2 || t->global_pitch <= 0 || t->global_pitch % LINE == 0) return false;
    const unsigned unit = t->global_pitch % SECTOR ? SECTOR : LINE;
    x->to.t.global_pitch = (long long)round_up((uint64_t)t->global_pitch, unit);
    return say(
        x, "Pad the rows in global memory to %lld bytes instead of %lld: elements then have the same offset within %s.",
        x->to.t.global_pitch, t->global_pitch, unit == SECTOR ? "sectors" : "lines");
}

/* Longer rows shift each row's words by some banks against the row before, so that a column spreads over the banks. */
static bool change_SHARED_PITCH(change *x) {
    const haul_transfer *t = &x->old->t;
    if (x->d->bank_conflicts == 0 || t->shared_pitch == 0 || x->old->engine == HAUL_BY_TENSOR) return false;
    const unsigned width = haul_piece_width(t, 0),
                   by = width < 4 ? (t->alignment < 4 ? 4 : t->alignment) : t->alignment;
    x->to.t.shared_pitch += by;
    return say(
        x,
        "Pad rows in shared memory to %u bytes instead of %u (or swizzle them): %llu of %llu wavefronts are bank "
        "conflicts.",
        x->to.t.shared_pitch, t->shared_pitch, (unsigned long long)x->d->bank_conflicts,
        (unsigned long long)x->d->shared_wavefronts);
}

/* Elements without gaps on either side are one run of bytes. */
static bool change_DENSE(change *x) {
    const haul_transfer *t = &x->old->t;
    if (t->shape != HAUL_SHAPE_ROWS || t->count < 2 || t->shared_pitch != t->bytes || t->global_pitch != t->bytes)
        return false;
    x->to.t = haul_sequential(t->bytes * t->count, t->alignment, t->threads, t->how);
    return say(x, "Make it a sequential transfer of %u bytes: the elements have no gaps on either side.",
               x->to.t.bytes);
}

/* The same bytes in half as many elements; the user must be able to lay the data out so. */
static bool change_LARGER_ELEMENTS(change *x) {
    const haul_transfer *t = &x->old->t;
    if (is_box(t) || t->count < 2 || t->bytes >= HAUL_BULK_WORTH) return false;
    x->to.t.bytes *= 2;
    x->to.t.count = (t->count + 1) / 2;
    x->to.t.shared_pitch *= 2;
    x->to.t.global_pitch *= 2;
    return say(x, "Move elements of %u bytes instead of %u, half as many, if the data can be laid out this way.",
               x->to.t.bytes, t->bytes);
}

/* Replaces a halo by the tile and its ring as one box, whose rows begin and end at multiples of 16 bytes. */
static bool change_TILE(change *x) {
    const haul_transfer *t = &x->old->t;
    if (!is_box(t) || t->radius == 0 || t->how & HAUL_RING_ONLY || x->old->c.direction != HAUL_DIRECTION_LOAD)
        return false;
    const unsigned side = (unsigned)round_up(t->radius * t->element, 16) / t->element, width = t->box[0] + 2 * side;
    const unsigned row = (unsigned)round_up(width * t->element, 16);
    x->to.t = haul_tile(t->element, 2, row / t->element, t->box[1] + 2 * t->radius, 1, 1, 1, row, 16, t->threads,
                        HAUL_AUTO | (t->how & (HAUL_UNBOUNDED | HAUL_L2_EVICT_BITS)));
    x->to.c.place.at[0] -= (int)side;
    x->to.c.place.at[1] -= (int)t->radius;
    x->to.c.global -= (uint64_t)side * t->element + (uint64_t)t->radius * (uint64_t)x->to.c.place.pitch[0];
    x->to.c.shared = round_up(x->to.c.shared, LINE);
    if (x->to.c.global % 16 != 0) return false;
    return say(x,
               "Load tile and ring as one tile of %u x %u elements that begins %u elements before the interior, at a "
               "multiple of 16 bytes.",
               row / t->element, t->box[1] + 2 * t->radius, side);
}

/* ---- engines ---- */

/* Whether the transfer names this engine. With HAUL_AUTO it names none, whichever it gets. */
static bool named(const change *x, haul_how engine) {
    return (x->old->t.how & HAUL_ENGINE_BITS) == engine;
}

/* Around L1, lanes that share a sector fetch it twice. */
static bool change_THROUGH_L1(change *x) {
    if (x->old->engine != HAUL_BY_LDGSTS || x->old->t.how & HAUL_THROUGH_L1 || x->d->width != 16) return false;
    x->to.t.how = (x->to.t.how & ~HAUL_BYPASS_L1) | HAUL_THROUGH_L1 | HAUL_BY_LDGSTS;
    return say(x, "Add %sHAUL_THROUGH_L1: around it, %llu sectors are fetched for %llu that are needed.",
               named(x, HAUL_BY_LDGSTS) ? "" : "HAUL_BY_LDGSTS | ", (unsigned long long)x->d->fetched_sectors,
               (unsigned long long)x->d->distinct_sectors);
}

static bool change_AROUND_L1(change *x) {
    if (x->old->engine != HAUL_BY_LDGSTS || !(x->old->t.how & HAUL_THROUGH_L1)) return false;
    x->to.t.how &= ~HAUL_THROUGH_L1;
    return say(x, "Leave out HAUL_THROUGH_L1: accesses of 16 bytes then go around L1.");
}

/* Changes the engine; false if the transfer has it already. */
static bool carry_by(change *x, haul_how engine, const char *text) {
    if (x->old->engine == engine) return false;
    set_engine(&x->to.t, engine);
    return say(x, "%s", text);
}

static bool change_LDG(change *x) {
    return carry_by(x, HAUL_BY_LDG, "Add HAUL_BY_LDG: loads into registers, and stores from there.");
}

/* LDGSTS only loads. */
static bool change_LDGSTS(change *x) {
    if (x->old->c.direction != HAUL_DIRECTION_LOAD) return false;
    return carry_by(x, HAUL_BY_LDGSTS,
                    "Add HAUL_BY_LDGSTS: copies of 4, 8 or 16 bytes that hold no registers while in flight.");
}

static bool change_BULK(change *x) {
    return carry_by(x, HAUL_BY_BULK,
                    "Add HAUL_BY_BULK: one instruction for each element puts all of its bytes in flight.");
}

/* Needs sm_90 and a box that a tensor map can describe. */
static bool change_TENSOR(change *x) {
    if (x->old->machine->sm < 90 || !haul_fits_tensor(&x->old->t)) return false;
    return carry_by(x, HAUL_BY_TENSOR, "Add HAUL_BY_TENSOR: one instruction for the whole box.");
}

/* ---- bytes in flight ---- */

/* Doubles the loads that a thread holds in registers. */
static bool change_IN_FLIGHT(change *x) {
    const unsigned held = haul_held(&x->old->t), width = haul_piece_width(&x->old->t, 0), bytes = 2 * held * width;
    if (x->old->engine != HAUL_BY_LDG || 2 * held > HAUL_HELD_LIMIT || bytes > 256) return false;
    set_engine(&x->to.t, HAUL_BY_LDG);
    x->to.t.how = (x->to.t.how & ~HAUL_IN_FLIGHT_BITS) | HAUL_IN_FLIGHT(bytes);
    return say(x, "Add %sHAUL_IN_FLIGHT(%u): %u loads of a thread are then in flight at once instead of %u.",
               named(x, HAUL_BY_LDG) ? "" : "HAUL_BY_LDG | ", bytes, 2 * held, held);
}

/* Sets the stages to as many as Little's law asks for, or as the block's shared memory has room for. */
static bool change_STAGES(change *x) {
    const haul_circumstances *c = &x->old->c;
    if (x->old->engine == HAUL_BY_LDG || c->direction != HAUL_DIRECTION_LOAD || x->d->in_flight_bytes <= 0)
        return false;
    const uint64_t room = (x->old->machine->shared_per_block_optin - c->shared_bytes) /
                          (round_up(diagnose_shared_span(&x->old->t), LINE) + 16) / c->teams;
    double wanted = c->stages * x->d->needed_bytes / x->d->in_flight_bytes;
    if (wanted > MOST_STAGES) wanted = MOST_STAGES;
    if (wanted > (double)room) wanted = (double)room;
    const uint32_t stages = (uint32_t)(wanted + 0.999);
    if (stages <= c->stages || stages > room) return false;
    x->to.c.stages = stages;
    return say(x, "Keep %u stages in flight instead of %u: an SM needs %.0f bytes in flight and has %.0f.", stages,
               c->stages, x->d->needed_bytes, x->d->in_flight_bytes);
}

/* ---- threads and blocks ---- */

/* The next larger team. */
static bool change_TEAM(change *x) {
    haul_circumstances *to = &x->to.c;
    switch (x->old->c.team) {
    case HAUL_TEAM_THREAD:
        to->team = HAUL_TEAM_WARP;
        to->teams = (to->teams + WARP - 1) / WARP;
        if (to->block_threads < WARP) to->block_threads = WARP;
        return say(x, "Let a warp carry it instead of one thread.");
    case HAUL_TEAM_WARP:
        to->team = HAUL_TEAM_BLOCK;
        to->teams = 1;
        x->to.t.threads = to->block_threads;
        return to->block_threads > WARP &&
               say(x, "Let the block of %u threads carry it instead of a warp.", to->block_threads);
    case HAUL_TEAM_WARPS:
        x->to.t.threads = 2 * x->old->team_threads;
        if (to->block_threads < x->to.t.threads * to->teams) to->block_threads = x->to.t.threads * to->teams;
        return say(x, "Let %u DMA threads carry it instead of %u.", x->to.t.threads, x->old->team_threads);
    default: return false;
    }
}

static bool change_THREADS(change *x) {
    const haul_circumstances *c = &x->old->c;
    if (c->team != HAUL_TEAM_BLOCK || 2 * c->block_threads > MOST_THREADS) return false;
    x->to.c.block_threads = 2 * c->block_threads;
    if (x->to.t.threads) x->to.t.threads = x->to.c.block_threads;
    return say(x, "Use blocks of %u threads instead of %u.", x->to.c.block_threads, c->block_threads);
}

/* Room for one block more on each SM, if the kernel can spare the registers. */
static bool change_REGISTERS(change *x) {
    const haul_occupancy *o = &x->d->occupancy;
    if (strcmp(x->d->occupied_by, "registers") != 0) return false;
    const uint32_t warps = (x->old->c.block_threads + WARP - 1) / WARP;
    const uint32_t budget = x->old->machine->registers_per_sm / ((o->blocks_per_sm + 1) * warps * WARP) / 8 * 8;
    if (budget <= x->d->registers + 8 || budget >= x->d->registers + x->old->c.registers) return false;
    x->to.c.registers = budget - x->d->registers;
    return say(x, "Use at most %u registers a thread: an SM then holds %u blocks instead of %u.", budget,
               o->blocks_per_sm + 1, o->blocks_per_sm);
}

/* A grid that leaves SMs without work. */
static bool change_GRID(change *x) {
    const uint64_t all = (uint64_t)x->old->machine->sms * x->d->occupancy.blocks_per_sm;
    if (x->old->c.blocks == 0 || x->old->c.blocks >= all) return false;
    x->to.c.blocks = all;
    return say(x, "Launch at least %llu blocks instead of %llu: the machine holds that many at once.",
               (unsigned long long)all, (unsigned long long)x->old->c.blocks);
}

/* For data that is read repeatedly, between other data that is read once: sets aside L2 in units of a sixteenth, at
 * most five eighths, which is the hardware's limit. The hit ratio lies half a step below the share that fits. */
static bool change_WINDOW(change *x) {
    const uint64_t hot = x->old->c.hot_bytes, l2 = x->old->machine->l2_bytes, way = l2 / 16, most = l2 / 8 * 5;
    const uint64_t whole = (hot + way - 1) / way * way;
    char aside[32], bytes[32];
    if (hot == 0 || x->old->c.set_aside || diagnose_fits_l2(x->old)) return false;
    x->to.c.set_aside = whole < most ? whole : most;
    const unsigned sixteenths = diagnose_persisting(&x->to);
    return say(
        x,
        "Set %s of L2 aside, with a window of hit ratio %.2f over the %s that are read again; read the other data "
        "with ld.cs or L2::evict_first.",
        number_format_bytes((double)x->to.c.set_aside, aside), sixteenths < 16 ? (sixteenths - 0.5) / 16 : 1.0,
        number_format_bytes((double)hot, bytes));
}

/* ---- all changes ---- */

static bool (*const changes[])(change *x) = {
#define ADVICE(id, key, title) change_##id,
#include <haul/advice.def>
#undef ADVICE
};
static const struct {
    const char *key, *title;
} names[] = {
#define ADVICE(id, key, title) {key, title},
#include <haul/advice.def>
#undef ADVICE
};

/* Fills in gain and relief; false if the change is not possible. ns is an SM's time, so a grid that occupies more SMs
 * gains by that factor, too. */
static bool measure(change *x, haul_advice *a) {
    haul_diagnosis then;
    round_in_flight(&x->to.t);
    if (diagnose_examine(&x->to, &then) != HAUL_OK || then.ns <= 0 || then.bytes == 0) return false;
    const double sms = x->old->machine->sms, before = x->old->c.blocks ? (double)x->old->c.blocks : sms,
                 after = x->to.c.blocks ? (double)x->to.c.blocks : sms;
    const double wider = (after < sms ? after : sms) / (before < sms ? before : sms);
    a->gain = x->d->ns / then.ns * wider;
    a->relief = x->d->sm_cycles / (then.sm_cycles > 1 ? then.sm_cycles : 1);
    return true;
}

/* A change that gains nothing may still free the SM for other work. */
static bool is_worth_telling(const haul_advice *a) {
    return a->gain >= GAIN || (a->gain > 2 - GAIN && a->relief >= RELIEF);
}

/* Sorts by gain, if there is one, then by relief. */
static int by_use(const void *a, const void *b) {
    const haul_advice *x = a, *y = b;
    const double gains[] = {x->gain >= GAIN ? x->gain : 0, y->gain >= GAIN ? y->gain : 0};
    if (gains[0] != gains[1]) return gains[0] < gains[1] ? 1 : -1;
    if (x->relief != y->relief) return x->relief < y->relief ? 1 : -1;
    return (int)x->kind - (int)y->kind;
}

/* Each attempt is written into the next free place of the list, which it keeps only if it is worth telling. */
void diagnose_advise(const diagnose_case *k, haul_diagnosis *d) {
    d->advice_count = 0;
    d->optimal = true;
    for (unsigned kind = 0; kind < HAUL_ADVICE_KINDS; kind++) {
        haul_advice *a = &d->advice[d->advice_count];
        change x = {k, d, *k, a->text, sizeof a->text};
        if (!changes[kind](&x) || !measure(&x, a) || !is_worth_telling(a)) continue;
        a->kind = (haul_advice_kind)kind;
        a->key = names[kind].key;
        a->title = names[kind].title;
        if (a->gain >= GAIN) d->optimal = false;
        d->advice_count++;
    }
    memset(&d->advice[d->advice_count], 0, (HAUL_ADVICE_KINDS - d->advice_count) * sizeof *d->advice);
    qsort(d->advice, d->advice_count, sizeof *d->advice, by_use);
}
