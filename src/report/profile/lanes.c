/* Finds patterns of lanes in samples of an access: strides, rows, bank conflicts, and layouts that would avoid them.
 *
 * A sample has the address of each active lane of one instruction. Layouts are judged by the functions that count
 * wavefronts (count/banks.h), on the addresses that lanes would have in them. All functions add up over the samples, so
 * callers divide. */
#include "report/profile/lanes.h"

#include "count/banks.h"
#include "count/bypass.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, SECTOR = 32, LINE = 128, WORD = 4, WIDE = 16 };

/* ---- global memory ---- */

static unsigned first_lane(const haul_access *a) {
    return (unsigned)__builtin_ctz(a->active);
}

static int by_address(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* The distinct places of the active lanes, in order. */
static size_t sort_places(const haul_access *a, uint64_t place[LANES]) {
    size_t count = 0, kept = 0;
    for (uint32_t left = a->active; left; left &= left - 1) place[count++] = a->global[__builtin_ctz(left)];
    qsort(place, count, sizeof *place, by_address);
    for (size_t i = 0; i < count; i++)
        if (!kept || place[i] != place[kept - 1]) place[kept++] = place[i];
    return kept;
}

/* The fewest sectors that hold so many bytes. */
static uint64_t sectors_for(uint64_t bytes) {
    return (bytes + SECTOR - 1) / SECTOR;
}

/* Counts the sectors of the places, and how many there would be if each run of adjacent bytes began at a sector. */
static void add_runs(const haul_access *a, const uint64_t *place, size_t count, report_places *sum) {
    uint64_t next_sector = 0, start = place[0], end = place[0];
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = place[i] / SECTOR, last = (place[i] + a->bytes - 1) / SECTOR;
        if (last >= next_sector) sum->sectors += (double)(last + 1 - (first > next_sector ? first : next_sector));
        next_sector = last + 1;
        if (place[i] > end) {
            sum->aligned += (double)sectors_for(end - start);
            sum->runs++;
            start = place[i];
        }
        end = place[i] + a->bytes;
    }
    sum->aligned += (double)sectors_for(end - start);
    sum->runs++;
}

/* The place of a lane, in global or in shared memory. */
static uint64_t place_of(const haul_access *a, unsigned lane, bool shared) {
    return shared ? a->shared[lane] : a->global[lane];
}

/* Distances between consecutive active lanes, in bytes a lane; 0 if that is not an integer. Returns how many there
 * are. */
static size_t find_steps(const haul_access *a, bool shared, int64_t step[LANES]) {
    size_t count = 0;
    unsigned before = first_lane(a);
    for (uint32_t left = a->active & (a->active - 1); left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const int64_t apart = (int64_t)(place_of(a, l, shared) - place_of(a, before, shared)), lanes = l - before;
        step[count++] = apart % lanes ? 0 : apart / lanes;
        before = l;
    }
    return count;
}

/* Returns how many steps have the value. */
static size_t count_of(const int64_t *step, size_t count, int64_t value) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += step[i] == value;
    return found;
}

/* The distance from lane to lane, the same for all (`tenths` 10) or for most; 0 if there is none. */
static int64_t stride_of(const haul_access *a, bool shared, size_t tenths) {
    int64_t step[LANES];
    const size_t count = find_steps(a, shared, step);
    for (size_t i = 0; i < count; i++)
        if (step[i] && 10 * count_of(step, count, step[i]) >= tenths * count) return step[i];
    return 0;
}

/* Counts runs of lanes at one place or at adjacent places. */
static size_t count_rows(const haul_access *a, bool shared) {
    int64_t step[LANES];
    const size_t count = find_steps(a, shared, step);
    return 1 + count - count_of(step, count, 0) - count_of(step, count, (int64_t)a->bytes);
}

/* Whether all rows except the first and the last have the same number of lanes. */
static bool rows_are_alike(const haul_access *a) {
    int64_t step[LANES];
    const size_t count = find_steps(a, false, step);
    size_t length = 1, rows = 0, known = 0;
    for (size_t i = 0; i < count; i++, length++) {
        if (step[i] == 0 || step[i] == (int64_t)a->bytes) continue;
        if (rows++ && known && length != known) return false;
        if (rows > 1) known = length;
        length = 0;
    }
    return true;
}

enum { ALL_LANES = 10, MOST_LANES = 7 };

/* A stride, and likeness of rows, must hold for all samples. */
report_places report_places_of(const haul_access *samples, size_t count) {
    report_places sum = {.rows_alike = count > 0, .side_by_side = count > 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t place[LANES];
        const haul_access *a = &samples[i];
        const size_t places = sort_places(a, place);
        const int64_t stride = stride_of(a, false, MOST_LANES);
        sum.samples++;
        sum.lanes += __builtin_popcount(a->active);
        sum.distinct += (double)places;
        sum.ideal += (double)sectors_for(places * a->bytes);
        add_runs(a, place, places, &sum);
        sum.stride = i == 0 || sum.stride == stride ? stride : 0;
        sum.rows += (double)count_rows(a, false);
        sum.rows_alike = sum.rows_alike && rows_are_alike(a);
        sum.side_by_side = sum.side_by_side && stride_of(a, false, ALL_LANES) == (int64_t)a->bytes;
    }
    return sum;
}

/* The place of lane 0 in the instruction's first sample, extrapolated if it is inactive. */
static bool find_origin(const haul_instruction_record *r, int64_t stride, uint64_t *origin) {
    if (!r->sample_count || stride_of(&r->samples[0], false, ALL_LANES) != stride) return false;
    const unsigned first = first_lane(&r->samples[0]);
    *origin = r->samples[0].global[first] - (uint64_t)(first * stride);
    return true;
}

/* Counts instructions whose lanes lie within the same structures: at the same stride, less than a stride apart. *dense:
 * together they fill it. */
size_t report_members_of(const haul_instruction_record *const *instructions, size_t count, int64_t stride,
                         bool *dense) {
    uint64_t own, other, lowest, highest;
    size_t members = 0;
    *dense = false;
    if (stride <= 0 || !find_origin(instructions[0], stride, &own)) return 0;
    lowest = highest = own;
    for (size_t i = 0; i < count; i++) {
        if (!find_origin(instructions[i], stride, &other)) continue;
        const uint64_t low = other < lowest ? other : lowest, high = other > highest ? other : highest;
        if (high - low >= (uint64_t)stride) continue;
        lowest = low, highest = high;
        members++;
    }
    const uint64_t bytes = instructions[0]->samples[0].bytes;
    *dense = lowest % (uint64_t)stride == 0 && highest - lowest + bytes == (uint64_t)stride &&
             members * bytes == (uint64_t)stride;
    return members;
}

/* ---- shared memory ---- */

/* The wavefronts of a sample if its lanes had these addresses. */
static uint32_t wavefronts_at(const haul_access *a, const uint32_t address[LANES], report_banked as) {
    switch (as) {
    case REPORT_BANKED_LOAD: return sim_bank_load(address, a->active, a->bytes).total;
    case REPORT_BANKED_STORE: return sim_bank_store(address, a->active, a->bytes).total;
    case REPORT_BANKED_ATOMIC: return sim_bank_atomic(address, a->active, a->bytes).wavefronts;
    }
    return 0;
}

double report_passes_of(const haul_access *samples, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sim_bank_store(samples[i].shared, samples[i].active, samples[i].bytes).ideal;
    return sum;
}

/* The fewest wavefronts, one a sample for atomics. */
static double ideal_of(const haul_access *samples, size_t count, report_banked as) {
    return as == REPORT_BANKED_ATOMIC ? (double)count : report_passes_of(samples, count);
}

double report_wavefronts_of(const haul_access *samples, size_t count, report_banked as) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += wavefronts_at(&samples[i], samples[i].shared, as);
    return sum;
}

/* Conflicts that differ between samples depend on the data. */
static bool wavefronts_vary(const haul_access *samples, size_t count, report_banked as) {
    for (size_t i = 1; i < count; i++)
        if (wavefronts_at(&samples[i], samples[i].shared, as) != wavefronts_at(&samples[0], samples[0].shared, as))
            return true;
    return false;
}

static bool have_stride(const haul_access *samples, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!stride_of(&samples[i], true, MOST_LANES)) return false;
    return count > 0;
}

/* Whether addresses look random: no rows, no stride, and conflicts that vary. */
bool report_looks_up(const haul_access *samples, size_t count, report_banked as) {
    size_t lanes = 0, rows = 0;
    for (size_t i = 0; i < count; i++) {
        lanes += (size_t)__builtin_popcount(samples[i].active);
        rows += count_rows(&samples[i], true);
    }
    return 2 * rows > lanes && wavefronts_vary(samples, count, as) && !have_stride(samples, count);
}

double report_source_wavefronts_of(const haul_access *samples, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t source[LANES];
        for (unsigned l = 0; l < LANES; l++) source[l] = (uint32_t)samples[i].global[l];
        sum += sim_bank_store(source, samples[i].active, samples[i].bytes).total;
    }
    return sum;
}

double report_split_wavefronts_of(const haul_access *samples, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sim_bypass groups;
        sim_bypass_groups(samples[i].global, samples[i].shared, samples[i].active, 0, &groups);
        sum += groups.wavefronts;
    }
    return sum;
}

/* The lowest address of the active lanes, where a row is taken to begin. */
static uint32_t lowest_of(const haul_access *a) {
    uint32_t lowest = UINT32_MAX;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint32_t address = a->shared[__builtin_ctz(left)];
        if (address < lowest) lowest = address;
    }
    return lowest;
}

/* The place of a byte in the changed layout; rows begin at `start`. */
static uint32_t place_in(const report_layout *layout, uint32_t unit, uint32_t start, uint32_t address) {
    const uint32_t row = (address - start) / layout->pitch, column = (address - start) % layout->pitch;
    if (layout->units < 2) return address + row * layout->padding;
    return address - column + ((column / unit) ^ (row % layout->units)) * unit + column % unit;
}

/* The wavefronts of all samples in a layout. */
static double wavefronts_in(const haul_access *samples, size_t count, report_banked as, const report_layout *layout,
                            uint32_t unit) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t address[LANES] = {0};
        const uint32_t lowest = lowest_of(&samples[i]), start = layout->pitch % LINE ? lowest : lowest - lowest % LINE;
        for (uint32_t left = samples[i].active; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            address[l] = place_in(layout, unit, start, samples[i].shared[l]);
        }
        sum += wavefronts_at(&samples[i], address, as);
    }
    return sum;
}

/* The shortest distance between two lanes that use different words of one bank. */
static uint32_t nearest_conflict(const haul_access *a) {
    uint32_t nearest = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint32_t own = a->shared[__builtin_ctz(left)];
        for (uint32_t rest = left & (left - 1); rest; rest &= rest - 1) {
            const uint32_t other = a->shared[__builtin_ctz(rest)], apart = own > other ? own - other : other - own;
            if (apart / WORD * WORD % LINE == 0 && apart >= LINE && (!nearest || apart < nearest)) nearest = apart;
        }
    }
    return nearest - nearest % LINE;
}

/* The constraints of a search, and the best result so far. */
typedef struct search {
    const haul_access *samples;
    size_t count;
    report_banked as;
    uint32_t unit;
    report_layout best;
} search;

/* Keeps the layout if it is the best so far. */
static void try_layout(search *s, report_layout layout) {
    layout.wavefronts = wavefronts_in(s->samples, s->count, s->as, &layout, s->unit);
    if (!s->best.pitch || layout.wavefronts < s->best.wavefronts) s->best = layout;
}

/* Tries paddings of one unit to eight. */
static void try_paddings(search *s, uint32_t pitch) {
    if (!pitch || pitch % s->unit) return;
    for (uint32_t padding = s->unit; padding <= 8 * s->unit; padding *= 2)
        try_layout(s, (report_layout){.pitch = pitch, .padding = padding});
}

/* Units that fit into one pass through the banks. */
static void try_swizzle(search *s, uint32_t pitch) {
    if (pitch && pitch % LINE == 0) try_layout(s, (report_layout){.pitch = pitch, .units = LINE / s->unit});
}

/* A layout that removes less than half of the conflicts is not worth advising. */
static bool removes_half(const search *s) {
    const double before = report_wavefronts_of(s->samples, s->count, s->as),
                 ideal = ideal_of(s->samples, s->count, s->as);
    return s->best.pitch && s->best.wavefronts - ideal <= 0.5 * (before - ideal);
}

/* Candidate row lengths: the distance of lanes, or of lanes that conflict in a bank. A length that fits some random
 * places by chance does not fit others. */
static bool find_layout(search *s, void (*try_with)(search *s, uint32_t pitch), report_layout *found) {
    *found = s->best;
    if (!have_stride(s->samples, s->count) &&
        (s->as == REPORT_BANKED_ATOMIC || wavefronts_vary(s->samples, s->count, s->as)))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        try_with(s, (uint32_t)llabs(stride_of(&s->samples[i], true, MOST_LANES)));
        try_with(s, nearest_conflict(&s->samples[i]));
    }
    *found = s->best;
    return removes_half(s);
}

bool report_find_padding(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found) {
    search s = {.samples = samples, .count = count, .as = as, .unit = unit};
    return find_layout(&s, try_paddings, found);
}

bool report_find_swizzle(const haul_access *samples, size_t count, report_banked as, uint32_t unit,
                         report_layout *found) {
    search s = {.samples = samples, .count = count, .as = as, .unit = unit};
    return find_layout(&s, try_swizzle, found);
}

/* Each place of the table becomes `copies` places, adjacent ones for adjacent lanes. */
static double copied_wavefronts(const haul_access *samples, size_t count, report_banked as, uint32_t copies) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const haul_access *a = &samples[i];
        const uint32_t width = a->bytes > WORD ? a->bytes : WORD;
        uint32_t address[LANES] = {0};
        for (unsigned l = 0; l < LANES; l++)
            address[l] = a->active >> l & 1 ? (a->shared[l] / width * copies + l % copies) * width : 0;
        sum += wavefronts_at(a, address, as);
    }
    return sum;
}

report_layout report_try_copies(const haul_access *samples, size_t count, report_banked as, uint32_t copies) {
    return (report_layout){.copies = copies, .wavefronts = copied_wavefronts(samples, count, as, copies)};
}

/* Finds the fewest copies that leave almost no conflicts. */
bool report_find_copies(const haul_access *samples, size_t count, report_banked as, report_layout *found) {
    const double ideal = ideal_of(samples, count, as);
    for (uint32_t copies = 2; count && copies <= LANES; copies *= 2) {
        *found = report_try_copies(samples, count, as, copies);
        if (found->wavefronts <= 1.05 * ideal) return true;
    }
    return false;
}

static unsigned distinct_shared(const haul_access *a) {
    unsigned distinct = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint32_t own = a->shared[__builtin_ctz(left)];
        bool again = false;
        for (uint32_t rest = left & (left - 1); rest; rest &= rest - 1) again |= a->shared[__builtin_ctz(rest)] == own;
        distinct += !again;
    }
    return distinct;
}

bool report_shares_words(const haul_access *samples, size_t count) {
    unsigned lanes = 0, distinct = 0;
    for (size_t i = 0; i < count; i++) {
        lanes += (unsigned)__builtin_popcount(samples[i].active);
        distinct += distinct_shared(&samples[i]);
    }
    return 4 * distinct < 3 * lanes;
}

/* ---- copies ---- */

/* Whether adjacent lanes copy adjacent bytes that 16-byte copies could move, aligned on both sides. */
static bool is_wide_run(const haul_access *a) {
    const unsigned first = first_lane(a), lanes = (unsigned)__builtin_popcount(a->active);
    for (uint32_t left = a->active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint32_t away = (l - first) * a->bytes;
        if (a->global[l] - a->global[first] != away || a->shared[l] - a->shared[first] != away) return false;
    }
    return a->global[first] % WIDE == 0 && a->shared[first] % WIDE == 0 && lanes * a->bytes % WIDE == 0;
}

bool report_could_be_wide(const haul_access *samples, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_wide_run(&samples[i])) return false;
    return count > 0;
}
