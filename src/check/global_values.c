/* The shadow of global memory: hashes of what was stored last. */
#include "check/global_play.h"

#include <string.h>

/* Returns the lane that comes last among those that own the word's first byte in the part. */
static unsigned lane_of_word(const sim_part *part, unsigned word) {
    const unsigned byte = 4 * word + (unsigned)__builtin_ctz(sim_bytes_of_word(part->bytes, word));
    return 31u - (unsigned)__builtin_clz(sim_owner_lanes(part->owner, byte));
}

/* Saves the hashes of all lanes, a word each, for a line that they fill. */
static void note_line(const sim_play *p, sim_page *g, unsigned line) {
    const unsigned word = line * SIM_LINE_WORDS;
    const uint32_t *from = p->values;
    if (!g->folds) {
        memcpy((uint32_t *)g->values + word, from, SIM_LINE_WORDS * sizeof *from);
        return;
    }
    for (unsigned w = 0; w < SIM_LINE_WORDS; w++) ((uint16_t *)g->values)[word + w] = (uint16_t)sim_value_fold(from[w]);
}

/* True if the part is a whole line, with a lane for each word. */
static bool is_line_of_words(const sim_part *part) {
    const sim_owner o = part->owner;
    return o.stride == 4 && o.step == 1 && o.start == 0 && !o.run && o.lanes == 1 && sim_bytes_all(part->bytes);
}

/* True if lanes own 1 << shift bytes each, one after the other from the owner's start on, or one lane owns all bytes,
 * and no word is there in part. */
static bool are_lanes_in_turn(const sim_part *part, unsigned *shift) {
    const uint64_t ones = UINT64_C(0x1111111111111111), *b = part->bytes.half;
    const sim_owner o = part->owner;
    if ((b[0] & ones) * 15 != b[0] || (b[1] & ones) * 15 != b[1] || !sim_owner_is_single(o)) return false;
    *shift = o.stride ? (unsigned)__builtin_ctz((unsigned)o.stride) : 31;
    return o.stride == 0 || (o.stride > 0 && o.step == 1 && !o.run && o.stride == 1 << *shift);
}

static void note_words(const sim_play *p, sim_page *g, unsigned line, const sim_part *part) {
    const unsigned first = (unsigned)__builtin_ctz(part->owner.lanes), start = part->owner.start;
    uint32_t left = sim_bytes_words(part->bytes);
    unsigned shift;
    if (are_lanes_in_turn(part, &shift)) {
        for (; left; left &= left - 1) {
            const unsigned w = (unsigned)__builtin_ctz(left);
            sim_page_set_value(g, line * SIM_LINE_WORDS + w, sim_play_value(p, first + ((4 * w - start) >> shift)));
        }
        return;
    }
    for (; left; left &= left - 1) {
        const unsigned w = (unsigned)__builtin_ctz(left);
        sim_page_set_value(g, line * SIM_LINE_WORDS + w, sim_play_value(p, lane_of_word(part, w)));
    }
}

static void forget_words(sim_page *g, unsigned line, const sim_part *part) {
    for (uint32_t left = sim_bytes_words(part->bytes); left; left &= left - 1)
        sim_page_set_value(g, line * SIM_LINE_WORDS + (unsigned)__builtin_ctz(left), 0);
}

/* Returns whether hashes of what is stored to the page are to be saved; makes room for the first ones. */
static bool keeps_values(const sim_play *p, sim_page *g) {
    if (!g->values && !p->values) return false;
    if (!g->values) g->values = sim_slice_take(p->s, SIM_PAGE_WORDS * (g->folds ? sizeof(uint16_t) : sizeof(uint32_t)));
    return g->values;
}

void sim_play_note_values(const sim_play *p, sim_page *g, unsigned line, const sim_part *part) {
    if (!keeps_values(p, g)) return;
    if (!p->values)
        forget_words(g, line, part);
    else if (is_line_of_words(part))
        note_line(p, g, line);
    else
        note_words(p, g, line, part);
}

void sim_play_note_lanes_values(const sim_play *p, sim_page *g, unsigned line, uint32_t lanes, uint32_t words) {
    const int each = __builtin_popcount(words) / __builtin_popcount(lanes);
    if (!keeps_values(p, g)) return;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t value = sim_play_value(p, (unsigned)__builtin_ctz(lanes));
        for (int i = 0; i < each; i++, words &= words - 1)
            sim_page_set_value(g, line * SIM_LINE_WORDS + (unsigned)__builtin_ctz(words), value);
    }
}
