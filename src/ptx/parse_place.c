/* Parses source lines (.file, .loc), debug sections and pragmas.
 *
 * A place is a file, a line and a column, with the place of the call that it was inlined into. Equal places are kept
 * once: a table of hashes finds them, since every other line of a text is a .loc. */
#include "ptx/parse.h"

#include "base/hash.h"

#include <string.h>

/* ---- .file and .loc ---- */

/* Each text numbers its files from 0 or 1, so numbers are moved after those of the texts before. */
void ptx_parse_file(ptx_parser *p) {
    ptx_lexer_advance(&p->lexer);
    const size_t index = p->first_file + ptx_expect_integer(p, PTX_MAX_FILES - 1, "a file's number");
    if (!ptx_at(p, PTX_TOKEN_STRING)) ptx_expected(p, "a file's name in quotes");
    while (p->files.count <= index) PTX_APPEND(p, p->files, NULL);
    if (p->files.items[index])
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "file %zu is declared twice", index - p->first_file);
    p->files.items[index] = ptx_token_name(p)->text;
    ptx_lexer_advance(&p->lexer);
    for (int i = 0; i < 2 && ptx_accept(p, ','); i++) ptx_expect_integer(p, UINT64_MAX, "a file's time or size");
}

static bool same_line(const ptx_place *a, const ptx_place *b) {
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The table's entry for a file:line:column; 0 if free. */
static uint32_t *entry_of(ptx_parser *p, const ptx_place *place) {
    uint32_t key[3] = {place->file, place->line, place->column};
    uint64_t hash = hash_bytes(HASH_START, key, sizeof key);
    size_t at = (size_t)(hash ^ hash >> 32);
    for (;; at++) {
        uint32_t *entry = &p->place_table[at & (p->place_table_size - 1)];
        if (!*entry || same_line(&p->places.items[*entry - 1], place)) return entry;
    }
}

/* Doubles the table when it is half full. */
static void grow_place_table(ptx_parser *p) {
    if (p->place_table_count * 2 < p->place_table_size) return;
    const uint32_t *old = p->place_table;
    size_t old_size = p->place_table_size;
    p->place_table_size = old_size ? old_size * 2 : 256;
    p->place_table = ARENA_ARRAY(&p->scratch, p->place_table_size, uint32_t);
    for (size_t i = 0; i < old_size; i++)
        if (old[i]) *entry_of(p, &p->places.items[old[i] - 1]) = old[i];
}

/* Returns the place's index + 1. Only the latest place of a line is checked, since `inlined_at` means that one. So a
 * line inlined at alternating places costs an entry each time. */
static uint32_t add_place(ptx_parser *p, ptx_place place) {
    grow_place_table(p);
    uint32_t *entry = entry_of(p, &place);
    if (*entry && p->places.items[*entry - 1].inlined_at == place.inlined_at) return *entry;
    if (!*entry) p->place_table_count++;
    PTX_APPEND(p, p->places, place);
    return *entry = (uint32_t)p->places.count;
}

/* Parses `file line column`. */
static ptx_place read_line(ptx_parser *p) {
    ptx_place place = {0};
    place.file = (uint32_t)(p->first_file + ptx_expect_integer(p, PTX_MAX_FILES - 1, "a file's number"));
    place.line = (uint32_t)ptx_expect_integer(p, UINT32_MAX, "a line's number");
    place.column = (uint32_t)ptx_expect_integer(p, UINT32_MAX, "a column's number");
    return place;
}

static bool accept_word(ptx_parser *p, const char *word) {
    const ptx_token *t = &p->lexer.token;
    if (t->kind != PTX_TOKEN_WORD || t->length != strlen(word) || memcmp(t->text, word, t->length) != 0) return false;
    ptx_lexer_advance(&p->lexer);
    return true;
}

/* Skips the name of an inlined function, which is in a debug section as bytes; its place says as much. */
static void skip_function_name(ptx_parser *p) {
    ptx_expect_name(p);
    if (ptx_accept(p, '+')) ptx_expect_integer(p, UINT64_MAX, "an offset");
}

enum { MAX_INLINE_DEPTH = 256 };

/* Finds the place of the call. It must have appeared before, so chains cannot be circular; their depth is limited for
 * those who walk them. */
static uint32_t inlined_at(ptx_parser *p) {
    ptx_position at = p->lexer.token.position;
    ptx_place outer = read_line(p);
    grow_place_table(p);
    uint32_t known = *entry_of(p, &outer);
    unsigned depth = 0;
    if (!known)
        ptx_fail_syntax(&p->diagnostics, at, "no .loc before this one has file %u, line %u, column %u", outer.file,
                        outer.line, outer.column);
    for (uint32_t i = known; i; i = p->places.items[i - 1].inlined_at)
        if (++depth == MAX_INLINE_DEPTH) ptx_fail_syntax(&p->diagnostics, at, "inlined more than %u deep", depth);
    return known;
}

void ptx_parse_loc(ptx_parser *p) {
    ptx_lexer_advance(&p->lexer);
    ptx_place place = read_line(p);
    if (ptx_accept(p, ',')) {
        if (!accept_word(p, "function_name")) ptx_expected(p, "function_name");
        skip_function_name(p);
        ptx_expect(p, ',');
        if (!accept_word(p, "inlined_at")) ptx_expected(p, "inlined_at");
        place.inlined_at = inlined_at(p);
    }
    p->place = add_place(p, place);
}

/* ---- sections and pragmas ---- */

/* Skips a debug section; its line information is in .loc too. */
void ptx_parse_section(ptx_parser *p) {
    ptx_position start = p->lexer.token.position;
    ptx_lexer_advance(&p->lexer);
    if (!ptx_accept(p, PTX_TOKEN_DIRECTIVE)) ptx_expected(p, "the name of a section, such as .debug_info");
    ptx_expect(p, '{');
    for (unsigned depth = 1; depth; ptx_lexer_advance(&p->lexer)) {
        if (ptx_at(p, '{')) depth++;
        if (ptx_at(p, '}')) depth--;
        if (ptx_at(p, PTX_TOKEN_END)) ptx_fail_syntax(&p->diagnostics, start, "this section is not closed");
        if (depth) ptx_lexer_skip_plain(&p->lexer);
    }
}

/* A place in the source of an intermediate language. .loc has the place that haul shows. */
void ptx_parse_intermediate_loc(ptx_parser *p) {
    ptx_lexer_advance(&p->lexer);
    (void)read_line(p);
}

/* Skips such a source's text, which the current token begins. Returns whether there was one. */
static bool skip_source_text(ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    const bool in_lines = ptx_at_directive(p, ".source_begin");
    const bool in_brackets =
        t->length && *t->text == '<' && p->lexer.end - t->text > 2 && memcmp(t->text, "<<<", 3) == 0;
    if (!in_lines && !in_brackets) return false;
    const ptx_position start = t->position;
    const char *mark = in_lines ? ".source_end" : ">>>";
    if (!ptx_lexer_skip_to(&p->lexer, mark)) ptx_fail_syntax(&p->diagnostics, start, "this source has no %s", mark);
    return true;
}

void ptx_parse_intermediate_sources(ptx_parser *p) {
    const ptx_position start = p->lexer.token.position;
    ptx_lexer_advance(&p->lexer);
    ptx_expect(p, '{');
    for (unsigned depth = 1; depth;) {
        if (skip_source_text(p)) continue;
        if (ptx_at(p, '{')) depth++;
        if (ptx_at(p, '}')) depth--;
        if (ptx_at(p, PTX_TOKEN_END)) ptx_fail_syntax(&p->diagnostics, start, "this section is not closed");
        ptx_lexer_advance(&p->lexer);
    }
}

/* Hints to ptxas. In functions, unknown ones are ignored. Those in this table have a fixed place, and may have a number
 * after a blank. As in ptxas 13.0. */
static const struct pragma {
    const char *name;
    bool in_body_only, has_number;
} pragmas[] = {
    {"nounroll", false, false},
    {"enable_smem_spilling", true, false},
    {"used_bytes_mask", true, true},
    {"frequency", true, true},
};

/* Finds the pragma at the start of the string, and how much of the string its name takes. */
static const struct pragma *pragma_of(const ptx_token *t, size_t *used) {
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
        const size_t length = *used = strlen(pragmas[i].name);
        if (t->length < length || memcmp(t->text, pragmas[i].name, length) != 0) continue;
        if (t->length == length || (pragmas[i].has_number && t->text[length] == ' ')) return &pragmas[i];
    }
    return NULL;
}

static void check_pragma(ptx_parser *p, const ptx_token *t, ptx_pragma_place place) {
    size_t used;
    const struct pragma *known = pragma_of(t, &used);
    const int shown = t->length < 60 ? (int)t->length : 60;
    if (!known && place == PTX_PRAGMA_OF_MODULE)
        ptx_fail_syntax(&p->diagnostics, t->position,
                        "there is no pragma \"%.*s\" for a module: put it into a function", shown, t->text);
    if (!known) return;
    if (known->in_body_only && place != PTX_PRAGMA_OF_BODY)
        ptx_fail_syntax(&p->diagnostics, t->position, "the pragma \"%s\" must be in a function's body", known->name);
    while (used < t->length && t->text[used] == ' ') used++;
    if (known->has_number && (used == t->length || t->text[used] < '0' || t->text[used] > '9'))
        ptx_fail_syntax(&p->diagnostics, t->position, "the pragma \"%s\" takes a number", known->name);
}

/* Returns whether nounroll was among the pragmas, the only one with an effect. */
bool ptx_parse_pragma(ptx_parser *p, ptx_pragma_place place) {
    bool found = false;
    do {
        ptx_lexer_advance(&p->lexer);
        const ptx_token t = p->lexer.token;
        size_t used;
        if (!ptx_accept(p, PTX_TOKEN_STRING)) ptx_expected(p, "a pragma in quotes");
        check_pragma(p, &t, place);
        found |= pragma_of(&t, &used) == pragmas;
    } while (ptx_at(p, ','));
    ptx_expect(p, ';');
    return found;
}
