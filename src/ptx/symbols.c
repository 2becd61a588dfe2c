/* Names and their meanings while a text is parsed.
 *
 * A name is interned once, and each scope that declares it pushes a symbol on it; closing the scope restores the symbol
 * before. So looking a name up takes one hash, whatever the depth. Ranges of registers are separate meanings, because
 * `%r` of `%r<10>` may be a name as well. */
#include "ptx/symbols.h"

#include <string.h>

enum { FIRST_BUCKETS = 1024 };

/* Doubles the table; names keep their addresses. */
static void grow(ptx_symbols *s) {
    size_t count = s->bucket_count ? s->bucket_count * 2 : FIRST_BUCKETS;
    ptx_name **buckets = ARENA_ARRAY(s->scratch, count, ptx_name *);
    for (size_t b = 0; b < s->bucket_count; b++) {
        for (ptx_name *name = s->buckets[b], *next; name; name = next) {
            next = name->next_in_bucket;
            name->next_in_bucket = buckets[name->hash & (count - 1)];
            buckets[name->hash & (count - 1)] = name;
        }
    }
    s->buckets = buckets;
    s->bucket_count = count;
}

/* Returns the name, or NULL. */
static ptx_name *find(const ptx_symbols *s, const char *text, size_t length, uint64_t hash) {
    ptx_name *name = s->buckets[hash & (s->bucket_count - 1)];
    while (name && (name->hash != hash || name->length != length || memcmp(name->text, text, length) != 0))
        name = name->next_in_bucket;
    return name;
}

static uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    return hash ^ hash >> 32;
}

/* Hashes eight bytes at a time; most names have no more. */
static uint64_t hash_name(const char *text, size_t length) {
    uint64_t hash = length, word;
    for (; length > sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = hash_word(hash, word);
    }
    word = 0;
    for (size_t i = 0; i < length; i++) word = word << 8 | (unsigned char)text[i];
    return hash_word(hash, word);
}

/* Returns the name with this text, which is made if it is new. */
ptx_name *ptx_intern(ptx_symbols *s, const char *text, size_t length) {
    uint64_t hash = hash_name(text, length);
    ptx_name *name = find(s, text, length, hash);
    if (name) return name;
    if (s->name_count >= s->bucket_count) grow(s);
    name = ARENA_NEW(s->scratch, ptx_name);
    name->text = arena_copy(s->texts, text, length);
    name->length = (uint32_t)length;
    name->hash = hash;
    name->special = -1;
    name->next_in_bucket = s->buckets[hash & (s->bucket_count - 1)];
    s->buckets[hash & (s->bucket_count - 1)] = name;
    s->name_count++;
    return name;
}

void ptx_symbols_start(ptx_symbols *s, arena *scratch, arena *texts) {
    *s = (ptx_symbols){.scratch = scratch, .texts = texts};
    grow(s);
    for (int i = 0; i < PTX_SPECIAL_COUNT; i++)
        ptx_intern(s, ptx_special_names[i], strlen(ptx_special_names[i]))->special = i;
}

bool ptx_scope_open(ptx_symbols *s) {
    if (s->depth + 1 == PTX_MAX_SCOPES) return false;
    s->scopes[++s->depth] = NULL;
    return true;
}

/* Returns where a name keeps its symbol of this kind. */
static ptx_symbol **meaning(ptx_name *name, ptx_symbol_kind kind) {
    return kind == PTX_SYMBOL_RANGE ? &name->range : &name->symbol;
}

/* Whether the scope declares a range of registers. Lookups skip scopes without any. */
static bool has_range(const ptx_symbols *s, uint32_t depth) {
    const ptx_symbol *symbol = s->scopes[depth];
    while (symbol && symbol->kind != PTX_SYMBOL_RANGE) symbol = symbol->next_in_scope;
    return symbol != NULL;
}

void ptx_scope_close(ptx_symbols *s) {
    for (ptx_symbol *symbol = s->scopes[s->depth]; symbol; symbol = symbol->next_in_scope)
        *meaning(symbol->name, symbol->kind) = symbol->shadowed;
    s->depth--;
    while (s->range_depth > s->depth || (s->range_depth && !has_range(s, s->range_depth))) s->range_depth--;
}

/* Whether other texts of the module can name it. */
static bool is_for_all(const ptx_symbol *symbol) {
    const ptx_variable *v = symbol->variable;
    const ptx_function *f = symbol->function;
    if (symbol->kind == PTX_SYMBOL_VARIABLE) return v->is_visible || v->is_extern || v->is_weak || v->is_common;
    return symbol->kind == PTX_SYMBOL_FUNCTION && (f->is_visible || f->is_extern || f->is_weak);
}

/* Forgets the text's names. Those that other texts can name are kept as linked. */
void ptx_symbols_end_text(ptx_symbols *s) {
    for (ptx_symbol *symbol = s->scopes[0]; symbol; symbol = symbol->next_in_scope) {
        if (is_for_all(symbol)) symbol->name->linked = symbol;
        symbol->name->symbol = NULL;
    }
    s->scopes[0] = NULL;
}

/* Lets this text's name mean what another text declared. */
void ptx_symbols_link(ptx_symbols *s, ptx_name *name) {
    if (name->symbol || !name->linked) return;
    name->symbol = name->linked;
    name->symbol->next_in_scope = s->scopes[0];
    s->scopes[0] = name->symbol;
}

ptx_symbol *ptx_declare_at(ptx_symbols *s, ptx_name *name, ptx_symbol_kind kind, uint32_t depth) {
    ptx_symbol **place = meaning(name, kind);
    if (*place && (*place)->depth == depth) return NULL;
    ptx_symbol *symbol = ARENA_NEW(s->scratch, ptx_symbol);
    *symbol =
        (ptx_symbol){.kind = kind, .depth = depth, .name = name, .shadowed = *place, .next_in_scope = s->scopes[depth]};
    s->scopes[depth] = symbol;
    if (kind == PTX_SYMBOL_RANGE && depth > s->range_depth) s->range_depth = depth;
    return *place = symbol;
}

ptx_symbol *ptx_declare(ptx_symbols *s, ptx_name *name, ptx_symbol_kind kind) {
    return ptx_declare_at(s, name, kind, s->depth);
}

enum { MAX_DIGITS = 9 };

/* Returns where the number at the end of a name starts; longer numbers belong to no range. */
static size_t number_start(const ptx_name *name) {
    size_t start = name->length;
    while (start > 1 && name->length - start < MAX_DIGITS && name->text[start - 1] >= '0' &&
           name->text[start - 1] <= '9')
        start--;
    return start;
}

static uint32_t read_number(const char *digits, size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) value = value * 10 + (uint32_t)(digits[i] - '0');
    return value;
}

/* %r12 may belong to `%r<20>` or `%r1<9>`: the longest prefix that declares a range wins. Numbers beyond an inner
 * scope's range belong to the outer one's. */
ptx_symbol *ptx_find_range(ptx_symbols *s, const ptx_name *name, uint32_t *number) {
    if (name->symbol && name->symbol->depth >= s->range_depth) return NULL;
    for (size_t start = number_start(name); start < name->length; start++) {
        *number = read_number(name->text + start, name->length - start);
        ptx_name *prefix = find(s, name->text, start, hash_name(name->text, start));
        ptx_symbol *range = prefix ? prefix->range : NULL;
        while (range && *number >= range->count) range = range->shadowed;
        if (!range) continue;
        return name->symbol && name->symbol->depth >= range->depth ? NULL : range;
    }
    return NULL;
}
