/* Parses initialisers of variables: values, nested lists, and addresses.
 *
 * An address is not known before the module is loaded, so it becomes a relocation: where it is stored, of what, and
 * which of its bytes. `x[] = {...}` grows its bytes as values come; others have their size at once. All initial values
 * of a module together are limited, since a short text can ask for large arrays. */
#include "ptx/parse.h"

#include <string.h>

/* The values of an initialiser. Memory starts as zeros, so bytes are allocated at the first nonzero value. */
typedef struct filler {
    ptx_parser *parser;
    ptx_variable *variable;
    const uint64_t *extents;
    unsigned dimensions;
    unsigned element;        /* bytes of one scalar */
    bool open;               /* `x[] = {...}`: the size is unknown, and the bytes are in the scratch arena */
    unsigned char *bytes;    /* or NULL */
    uint64_t used, capacity; /* end of the values, and room for them */
    PTX_LIST_OF(ptx_relocation) relocations;
} filler;

/* Counts the bytes before they are allocated. */
static void take_from_limit(filler *f, uint64_t bytes) {
    ptx_parser *p = f->parser;
    if (bytes > PTX_MAX_INITIAL - p->initial_bytes)
        ptx_fail(&p->diagnostics, HAUL_ERROR_LIMIT, p->lexer.token.position,
                 "the module's initial values are larger than 1 GiB");
    p->initial_bytes += bytes;
}

/* An open array doubles; any other gets its whole size at the first value that is not zero. */
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

/* Stores a value in little-endian order. Zeros only move the end. */
static void put_integer(filler *f, uint64_t at, uint64_t value) {
    uint64_t end = at + f->element;
    if (end > f->used) f->used = end;
    if (f->element < sizeof value) value &= (UINT64_C(1) << 8 * f->element) - 1;
    if (!value) return;
    if (end > f->capacity) make_room(f, end);
    for (unsigned i = 0; i < f->element; i++, value >>= 8) f->bytes[at + i] = (unsigned char)value;
}

/* Returns the bits that an untyped variable takes of a floating constant, as ptxas does: those of a float, unless the
 * variable and the constant have 64. */
static uint64_t bits_of_float(const filler *f, ptx_constant c) {
    if (f->element == 8 || c.width == 32) return c.bits;
    const float value = ptx_constant_float(c);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Converts the constant to the variable's type. */
static void put_constant(filler *f, uint64_t at, ptx_constant c, ptx_position position) {
    const ptx_type_info *type = &ptx_types[f->variable->type];
    uint64_t bits = c.bits;
    if (type->kind == 'F' && !c.is_float)
        ptx_fail_syntax(&f->parser->diagnostics, position,
                        "a .%s is initialised by a floating constant: write 1.0 for 1", type->name);
    if (f->variable->type == PTX_F32) {
        float value = ptx_constant_float(c);
        uint32_t narrow;
        memcpy(&narrow, &value, sizeof narrow);
        bits = narrow;
    } else if (f->variable->type == PTX_F64) {
        double value = ptx_constant_double(c);
        memcpy(&bits, &value, sizeof bits);
    } else if (c.is_float && type->kind != 'B') {
        ptx_fail_syntax(&f->parser->diagnostics, position, "a floating constant cannot initialise a .%s", type->name);
    } else if (c.is_float) {
        bits = bits_of_float(f, c);
    }
    put_integer(f, at, bits);
}

/* Parses the `+ 4` after an address. */
static int64_t parse_addend(ptx_parser *p, const ptx_relocation *r) {
    ptx_position at = p->lexer.token.position;
    if (!ptx_accept(p, '+')) return 0;
    if (r->function) ptx_fail_syntax(&p->diagnostics, at, "a function's address takes no offset");
    ptx_constant c = ptx_parse_constant(p);
    if (c.is_float) ptx_fail_syntax(&p->diagnostics, at, "an address takes an integer offset");
    return (int64_t)c.bits;
}

/* Only global and constant variables have addresses before a launch; functions need no generic(). */
static void check_target(const filler *f, const ptx_relocation *r, ptx_position at) {
    ptx_diagnostics *diagnostics = &f->parser->diagnostics;
    const ptx_variable *v = r->variable;
    if (r->function && r->generic)
        ptx_fail_syntax(diagnostics, at, "a function's address is generic: write its name only");
    if (!v) return;
    if (v == f->variable) ptx_fail_syntax(diagnostics, at, "'%s' cannot be part of its own initial value", v->name);
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        ptx_fail_syntax(diagnostics, at, "'%s' lies in .%s, where no address is known before the launch", v->name,
                        ptx_space_names[v->space]);
}

/* Parses the address of the variable or function at the current token. */
static ptx_relocation parse_symbol(const filler *f, bool generic) {
    ptx_parser *p = f->parser;
    ptx_position at = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    ptx_symbol *symbol = name->symbol;
    if (!symbol || (symbol->kind != PTX_SYMBOL_VARIABLE && symbol->kind != PTX_SYMBOL_FUNCTION))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' is not a variable or function declared before", name->text);
    ptx_relocation r = {.generic = generic};
    r.variable = symbol->kind == PTX_SYMBOL_VARIABLE ? symbol->variable : NULL;
    r.function = symbol->kind == PTX_SYMBOL_FUNCTION ? symbol->function : NULL;
    if (r.variable && r.variable->space != PTX_SPACE_GLOBAL && r.variable->space != PTX_SPACE_CONST)
        ptx_fail_syntax(&p->diagnostics, at, "'%s' lies in .%s: an initial value is the address of .global or .const",
                        name->text, ptx_space_names[r.variable->space]);
    ptx_require_feature(p, at, r.function ? "a function's address" : "a variable's address");
    check_target(f, &r, at);
    return r;
}

/* `generic(name)`, `name` */
static ptx_relocation parse_generic(const filler *f) {
    ptx_parser *p = f->parser;
    const ptx_token *t = &p->lexer.token;
    bool generic = t->kind == PTX_TOKEN_WORD && t->length == 7 && memcmp(t->text, "generic", 7) == 0;
    if (!generic) return parse_symbol(f, false);
    ptx_require_feature(p, t->position, "generic()");
    ptx_lexer_advance(&p->lexer);
    ptx_expect(p, '(');
    ptx_relocation r = parse_symbol(f, true);
    ptx_expect(p, ')');
    return r;
}

/* The bytes are zero until the module is loaded. */
static void put_relocation(filler *f, uint64_t at, ptx_relocation r) {
    put_integer(f, at, 0);
    r.at = at;
    PTX_APPEND(f->parser, f->relocations, r);
}

/* Parses `name`, `name + 4` or `generic(name)`. */
static void put_address(filler *f, uint64_t at) {
    ptx_position position = f->parser->lexer.token.position;
    ptx_relocation r = parse_generic(f);
    r.addend = parse_addend(f->parser, &r);
    r.bytes = f->element;
    if (ptx_types[f->variable->type].kind != 'U' || f->element < 4)
        ptx_fail_syntax(&f->parser->diagnostics, position, "an address cannot initialise a .%s: declare it .u64",
                        ptx_types[f->variable->type].name);
    put_relocation(f, at, r);
}

/* Parses `0xff00(name)`: the byte under the mask. */
static void put_masked(filler *f, uint64_t at, uint64_t mask, ptx_position position) {
    enum { BYTE = 0xff };
    ptx_require_feature(f->parser, position, "a mask of an address");
    ptx_relocation r = parse_generic(f);
    r.addend = parse_addend(f->parser, &r);
    r.bytes = 1;
    ptx_expect(f->parser, ')');
    while (r.shift < 56 && !(mask >> r.shift & BYTE)) r.shift = (uint8_t)(r.shift + 8);
    if (mask >> r.shift != BYTE)
        ptx_fail_syntax(&f->parser->diagnostics, position, "a mask covers one byte: 0xff, 0xff00, 0xff0000 and so on");
    if (ptx_types[f->variable->type].kind != 'U')
        ptx_fail_syntax(&f->parser->diagnostics, position,
                        "a byte of an address cannot initialise a .%s: declare it .u8",
                        ptx_types[f->variable->type].name);
    put_relocation(f, at, r);
}

static bool at_word(const ptx_parser *p, const char *word) {
    const ptx_token *t = &p->lexer.token;
    return t->kind == PTX_TOKEN_WORD && t->length == strlen(word) && memcmp(t->text, word, t->length) == 0;
}

/* A word is a name, except WARP_SZ. A constant before a parenthesis is the mask of an address. */
static void put_value(filler *f, uint64_t at) {
    ptx_parser *p = f->parser;
    ptx_position position = p->lexer.token.position;
    if (ptx_at(p, PTX_TOKEN_WORD) && !at_word(p, "WARP_SZ")) {
        put_address(f, at);
        return;
    }
    ptx_constant c = ptx_parse_constant(p);
    if (ptx_accept(p, '(')) {
        put_masked(f, at, c.bits, position);
    } else {
        put_constant(f, at, c, position);
    }
}

/* ---- arrays ---- */

/* The scalars in one item at nesting level `level` (0: the whole variable); a vector is one more level. */
static uint64_t scalars_in(const filler *f, unsigned level) {
    uint64_t count = level <= f->dimensions ? f->variable->vector : 1;
    for (unsigned i = level; i < f->dimensions; i++) count *= f->extents[i];
    return count;
}

static void put_list(filler *f, uint64_t first, unsigned level);

/* An item is a list at outer levels and a value at the innermost. */
static void put_item(filler *f, uint64_t first, unsigned level) {
    if (level < f->dimensions + (f->variable->vector > 1)) {
        put_list(f, first, level);
    } else {
        put_value(f, first * f->element);
    }
}

/* Parses `{item, ...}`: at most an array's number of items, exactly a vector's. */
static void put_list(filler *f, uint64_t first, unsigned level) {
    ptx_parser *p = f->parser;
    const bool vector = level == f->dimensions;
    const uint64_t room = vector ? f->variable->vector : level == 0 && f->open ? UINT64_MAX : f->extents[level];
    const uint64_t each = scalars_in(f, level + 1);
    uint64_t taken = 0;
    ptx_expect(p, '{');
    for (; !ptx_at(p, '}'); taken++) {
        if (taken) ptx_expect(p, ',');
        if (taken == room)
            ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "too many values for '%s'", f->variable->name);
        put_item(f, first + taken * each, level + 1);
    }
    if (vector && taken < room)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "'%s' needs %u values in these braces",
                        f->variable->name, f->variable->vector);
    if (f->open && (first + taken * each) * f->element > f->used) f->used = (first + taken * each) * f->element;
    ptx_expect(p, '}');
}

static void check_place(const filler *f) {
    const ptx_variable *v = f->variable;
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        ptx_fail_syntax(&f->parser->diagnostics, v->position, "a .%s variable has no initial value",
                        ptx_space_names[v->space]);
    if (v->type == PTX_F16 || v->type == PTX_F16X2)
        ptx_fail_syntax(&f->parser->diagnostics, v->position, "a .%s variable has no initial value: declare it .b%u",
                        ptx_types[v->type].name, ptx_bits(v->type));
}

static void keep_relocations(filler *f) {
    ptx_variable *v = f->variable;
    v->relocation_count = f->relocations.count;
    v->relocations = ARENA_ARRAY(f->parser->memory, f->relocations.count, ptx_relocation);
    memcpy(v->relocations, f->relocations.items, f->relocations.count * sizeof *v->relocations);
}

/* Bytes that relocations fill must exist, and those of an open array move from the scratch arena to the module's. */
static void keep_bytes(filler *f) {
    ptx_variable *v = f->variable;
    if (f->relocations.count && v->size > f->capacity) make_room(f, v->size);
    v->initial = f->bytes;
    if (!f->open || !f->bytes) return;
    v->initial = ARENA_ARRAY(f->parser->memory, (size_t)v->size, unsigned char);
    memcpy(v->initial, f->bytes, (size_t)(v->size < f->capacity ? v->size : f->capacity));
}

/* An open array's size is rounded up to whole items, of which the last may be incomplete. */
void ptx_parse_initialiser(ptx_parser *p, ptx_variable *v) {
    const unsigned dimensions = v->dimensions;
    filler f = {.parser = p, .variable = v, .extents = v->extents, .dimensions = dimensions};
    f.element = ptx_bits(v->type) / 8;
    f.open = dimensions && !v->extents[0];
    check_place(&f);
    put_item(&f, 0, 0);
    if (f.open) {
        uint64_t item = scalars_in(&f, 1) * f.element;
        v->size = (f.used + item - 1) / item * item;
    }
    keep_bytes(&f);
    if (f.relocations.count) keep_relocations(&f);
}
