#include "check/global_notes.h"

/* Returns a row like the note, which is of one lane. */
static sim_row row_of_note(const sim_slice *s, const sim_note *n) {
    const sim_accessor *a = sim_slice_accessor_at(s, n->by);
    const bool reads = sim_only_reads(a->action);
    return (sim_row){.bytes = sim_bytes_of_words(n->words),
                     .owner = {{.lanes = n->lanes}},
                     .cluster = a->cluster,
                     .time = a->time,
                     .epoch = a->epoch,
                     .instruction = a->instruction,
                     .next = SIM_NO_ROW,
                     .actor = a->actor,
                     .action = a->action,
                     .role = reads ? SIM_ROW_READER : SIM_ROW_WRITER,
                     .strong = a->strong & 3u};
}

unsigned sim_notes_join(const sim_slice *s, const sim_note *notes, unsigned count, sim_row *r) {
    const sim_note *first = &notes[count - 1];
    const unsigned word = (unsigned)__builtin_ctz(first->words);
    const uint32_t shape = first->words >> word; /* of a lane's words */
    const unsigned span = SIM_LINE_WORDS - (unsigned)__builtin_clz(shape);
    uint32_t words = first->words, stride = 0;
    unsigned joined = 1;
    for (; joined < count; joined++) {
        const sim_note *n = first - joined;
        const unsigned at = (unsigned)__builtin_ctz(n->words);
        if (n->by != first->by || n->lanes <= first->lanes || at < word) break;
        const unsigned lanes = (unsigned)(__builtin_ctz(n->lanes) - __builtin_ctz(first->lanes));
        if (joined == 1) stride = (at - word) / lanes;
        if (at - word != stride * lanes || n->words >> at != shape || shape >> stride) break;
        words |= n->words;
    }
    *r = row_of_note(s, first);
    r->bytes = sim_bytes_of_words(words);
    if (joined > 1) r->owner = sim_owner_evenly((unsigned)__builtin_ctz(first->lanes), 4 * word, 4 * stride, 4 * span);
    return joined;
}

/* Splits a note into one for each lane, the last one first. Returns their number. */
static unsigned split_note(const sim_note *n, sim_note *notes) {
    const int each = __builtin_popcount(n->words) / __builtin_popcount(n->lanes);
    unsigned count = 0;
    for (uint32_t lanes = n->lanes, words = n->words; lanes;) {
        sim_note *one = &notes[count++];
        *one = (sim_note){.by = n->by, .lanes = 1u << (31 - __builtin_clz(lanes))};
        lanes &= ~one->lanes;
        for (int i = 0; i < each; i++) {
            one->words |= 1u << (31 - __builtin_clz(words));
            words &= ~one->words;
        }
    }
    return count;
}

unsigned sim_notes_take(sim_slice *s, sim_page_line *l, sim_note notes[SIM_LINE_WORDS]) {
    unsigned count = 0;
    while (l->link != SIM_NO_ROW) {
        const sim_note n = sim_slice_drop_note(s, l);
        count += split_note(&n, notes + count);
    }
    return count;
}
