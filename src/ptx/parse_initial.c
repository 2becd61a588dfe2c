#include "ptx/parse.h"

#include <string.h>

/* Where the values of an initialiser go. Memory starts as zeros, so bytes are made when the first other value comes. */
typedef struct filler {
    ptx_parser *parser;
    ptx_variable *variable;
    const uint64_t *extents;
    unsigned dimensions;
    unsigned element;        /* bytes of one scalar */
    bool open;               /* `x[] = {...}`: the size is not known yet, and the bytes lie in the scratch arena */
    unsigned char *bytes;    /* or NULL */
    uint64_t used, capacity; /* how far there are values, and room for them */
    PTX_LIST_OF(ptx_relocation) relocations;
} filler;

static void take_from_limit(filler *f, uint64_t bytes) {
    ptx_parser *p = f->parser;
    if (bytes > PTX_MAX_INITIAL - p->initial_bytes)
        ptx_fail(&p->diagnostics, HAUL_ERROR_LIMIT, p->lexer.token.position,
                 "the module's initial values are larger than 1 GiB");
    p->initial_bytes += bytes;
}

static void make_room(filler *f, uint64_t end) {
    ptx_parser *p = f->parser;
    uint64_t capacity = f->open ? end * 2 + 16 : f->variable->size;
    take_from_limit(f, capacity - f->capacity);
    unsigned char *bytes = ARENA_ARRAY(f->open ? &p->scratch : p->memory, (size_t)capacity, unsigned char);
    if (f->bytes) memcpy(bytes, f->bytes, (size_t)f->capacity);
    f->bytes = bytes;
    f->capacity = capacity;
}

/* ---- one value ---- */

static void put_integer(filler *f, uint64_t at, uint64_t value) {
    uint64_t end = at + f->element;
    if (end > f->used) f->used = end;
    if (!value) return;
    if (end > f->capacity) make_room(f, end);
    for (unsigned i = 0; i < f->element; i++, value >>= 8) f->bytes[at + i] = (unsigned char)value;
}

static void put_constant(filler *f, uint64_t at, ptx_constant c, ptx_position position) {
    ptx_type type = f->variable->type;
    uint64_t bits = c.bits;
    if (type == PTX_F32) {
        float value = ptx_constant_float(c);
        uint32_t narrow;
        memcpy(&narrow, &value, sizeof narrow);
        bits = narrow;
    } else if (type == PTX_F64) {
        double value = ptx_constant_double(c);
        memcpy(&bits, &value, sizeof bits);
    } else if (c.is_float && c.width != f->element * 8) {
        ptx_fail_syntax(&f->parser->diagnostics, position, "a floating constant cannot initialise a .%s",
                        ptx_types[type].name);
    }
    put_integer(f, at, bits);
}

static int64_t parse_addend(ptx_parser *p) {
    if (!ptx_at(p, '+') && !ptx_at(p, '-')) return 0;
    ptx_position at = p->lexer.token.position;
    ptx_accept(p, '+');
    ptx_constant c = ptx_parse_constant(p);
    if (c.is_float) ptx_fail_syntax(&p->diagnostics, at, "an address is moved by an integer");
    return (int64_t)c.bits;
}

/* The address of the variable or function that is the current token. */
static ptx_relocation parse_symbol(ptx_parser *p) {
    ptx_position at = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    ptx_symbol *symbol = name->symbol;
    if (!symbol || (symbol->kind != PTX_SYMBOL_VARIABLE && symbol->kind != PTX_SYMBOL_FUNCTION))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' is not a variable or function declared before", name->text);
    ptx_relocation r = {0};
    r.variable = symbol->kind == PTX_SYMBOL_VARIABLE ? symbol->variable : NULL;
    r.function = symbol->kind == PTX_SYMBOL_FUNCTION ? symbol->function : NULL;
    if (r.variable && r.variable->space != PTX_SPACE_GLOBAL && r.variable->space != PTX_SPACE_CONST)
        ptx_fail_syntax(&p->diagnostics, at, "'%s' lies in .%s: an initial value is the address of .global or .const",
                        name->text, ptx_space_names[r.variable->space]);
    ptx_require_feature(p, at, r.function ? "a function's address" : "a variable's address");
    return r;
}

/* `generic(name)`, `name` */
static ptx_relocation parse_generic(ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    bool generic = t->kind == PTX_TOKEN_WORD && t->length == 7 && memcmp(t->text, "generic", 7) == 0;
    if (!generic) return parse_symbol(p);
    ptx_require_feature(p, t->position, "generic()");
    ptx_lexer_advance(&p->lexer);
    ptx_expect(p, '(');
    ptx_relocation r = parse_symbol(p);
    ptx_expect(p, ')');
    r.generic = true;
    return r;
}

static void put_relocation(filler *f, uint64_t at, ptx_relocation r) {
    put_integer(f, at, 0);
    r.at = at;
    r.bytes = f->element;
    PTX_APPEND(f->parser, f->relocations, r);
}

static void put_address(filler *f, uint64_t at) {
    ptx_position position = f->parser->lexer.token.position;
    ptx_relocation r = parse_generic(f->parser);
    r.addend = parse_addend(f->parser);
    if (f->element < 4)
        ptx_fail_syntax(&f->parser->diagnostics, position, "an address does not fit into a .%s",
                        ptx_types[f->variable->type].name);
    put_relocation(f, at, r);
}

/* `0xff00(name)`, `mask(0xff00, name)`: the bits under the mask, moved down. */
static void put_masked(filler *f, uint64_t at, uint64_t mask, ptx_position position) {
    ptx_require_feature(f->parser, position, "a mask of an address");
    ptx_relocation r = parse_generic(f->parser);
    r.addend = parse_addend(f->parser);
    ptx_expect(f->parser, ')');
    while (r.shift < 56 && !(mask >> r.shift & 0xff)) r.shift = (uint8_t)(r.shift + 8);
    uint64_t all = f->element < 8 ? (UINT64_C(1) << 8 * f->element) - 1 : UINT64_MAX;
    if (mask >> r.shift != all)
        ptx_fail_syntax(&f->parser->diagnostics, position, "a mask must cover a whole .%s at a byte's place",
                        ptx_types[f->variable->type].name);
    put_relocation(f, at, r);
}

static bool at_word(const ptx_parser *p, const char *word) {
    const ptx_token *t = &p->lexer.token;
    return t->kind == PTX_TOKEN_WORD && t->length == strlen(word) && memcmp(t->text, word, t->length) == 0;
}

static void put_mask_call(filler *f, uint64_t at, ptx_position position) {
    ptx_parser *p = f->parser;
    ptx_lexer_advance(&p->lexer);
    ptx_expect(p, '(');
    uint64_t mask = ptx_expect_integer(p, UINT64_MAX, "a mask");
    ptx_expect(p, ',');
    put_masked(f, at, mask, position);
}

static void put_value(filler *f, uint64_t at) {
    ptx_parser *p = f->parser;
    ptx_position position = p->lexer.token.position;
    if (at_word(p, "mask")) {
        put_mask_call(f, at, position);
    } else if (ptx_at(p, PTX_TOKEN_WORD) && !at_word(p, "WARP_SZ")) {
        put_address(f, at);
    } else {
        ptx_constant c = ptx_parse_constant(p);
        if (ptx_accept(p, '(')) {
            put_masked(f, at, c.bits, position);
        } else {
            put_constant(f, at, c, position);
        }
    }
}

/* ---- arrays ---- */

/* Scalars in one item of nesting level `level` (0: the whole variable); a vector is one more level. */
static uint64_t scalars_in(const filler *f, unsigned level) {
    uint64_t count = level <= f->dimensions ? f->variable->vector : 1;
    for (unsigned i = level; i < f->dimensions; i++) count *= f->extents[i];
    return count;
}

static void put_list(filler *f, uint64_t first, unsigned level);

static void put_item(filler *f, uint64_t first, unsigned level) {
    if (ptx_at(f->parser, '{')) {
        put_list(f, first, level);
    } else {
        put_value(f, first * f->element);
    }
}

/* `{item, ...}`; items may be fewer than there is room for, and scalars may stand where nested lists could. */
static void put_list(filler *f, uint64_t first, unsigned level) {
    ptx_parser *p = f->parser;
    uint64_t room = level == 0 && f->open ? UINT64_MAX : scalars_in(f, level), taken = 0;
    if (level > f->dimensions + (f->variable->vector > 1)) ptx_expected(p, "a value");
    ptx_expect(p, '{');
    while (!ptx_at(p, '}')) {
        uint64_t count = ptx_at(p, '{') ? scalars_in(f, level + 1) : 1;
        if (count > room - taken)
            ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "too many values for '%s'", f->variable->name);
        put_item(f, first + taken, level + 1);
        taken += count;
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, '}');
}

static void check_place(const filler *f) {
    const ptx_variable *v = f->variable;
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        ptx_fail_syntax(&f->parser->diagnostics, v->position, "a .%s variable has no initial value",
                        ptx_space_names[v->space]);
    if (v->is_extern) ptx_fail_syntax(&f->parser->diagnostics, v->position, "an .extern variable has no initial value");
}

static void keep_relocations(filler *f) {
    ptx_variable *v = f->variable;
    v->relocation_count = f->relocations.count;
    v->relocations = ARENA_ARRAY(f->parser->memory, f->relocations.count, ptx_relocation);
    memcpy(v->relocations, f->relocations.items, f->relocations.count * sizeof *v->relocations);
}

static void keep_bytes(filler *f) {
    ptx_variable *v = f->variable;
    if (f->relocations.count && v->size > f->capacity) make_room(f, v->size);
    v->initial = f->bytes;
    if (!f->open || !f->bytes) return;
    v->initial = ARENA_ARRAY(f->parser->memory, (size_t)v->size, unsigned char);
    memcpy(v->initial, f->bytes, (size_t)(v->size < f->capacity ? v->size : f->capacity));
}

void ptx_parse_initialiser(ptx_parser *p, ptx_variable *v, const uint64_t *extents, unsigned dimensions) {
    filler f = {.parser = p, .variable = v, .extents = extents, .dimensions = dimensions};
    f.element = ptx_bits(v->type) / 8;
    f.open = dimensions && !extents[0];
    check_place(&f);
    if (dimensions || v->vector > 1 || ptx_at(p, '{')) {
        put_list(&f, 0, 0);
    } else {
        put_value(&f, 0);
    }
    if (f.open) {
        uint64_t item = scalars_in(&f, 1) * f.element;
        v->size = (f.used + item - 1) / item * item;
    }
    keep_bytes(&f);
    if (f.relocations.count) keep_relocations(&f);
}
