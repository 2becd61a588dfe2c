#include "ptx/parse.h"

#include <string.h>

enum { MAX_DIMENSIONS = 8 };

/* What stands between a state space and a name. */
typedef struct declaration {
    ptx_space space;
    ptx_type type;
    uint8_t vector;
    uint32_t alignment;
    bool is_managed;
} declaration;

static ptx_space space_of_directive(const ptx_parser *p) {
    static const ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_CONST,
                                       PTX_SPACE_PARAM};
    const ptx_token *t = &p->lexer.token;
    if (t->kind != PTX_TOKEN_DIRECTIVE) return PTX_SPACE_GENERIC;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const char *name = ptx_space_names[spaces[i]];
        if (t->length == strlen(name) + 1 && memcmp(t->text + 1, name, t->length - 1) == 0) return spaces[i];
    }
    return PTX_SPACE_GENERIC;
}

bool ptx_at_space(const ptx_parser *p) {
    return space_of_directive(p) != PTX_SPACE_GENERIC;
}

static uint32_t parse_alignment(ptx_parser *p) {
    ptx_position at = p->lexer.token.position;
    uint64_t alignment = ptx_expect_integer(p, PTX_MAX_ALIGNMENT, "an alignment");
    if (!alignment || (alignment & (alignment - 1)))
        ptx_fail_syntax(&p->diagnostics, at, "an alignment must be a power of two, not %llu",
                        (unsigned long long)alignment);
    return (uint32_t)alignment;
}

/* `.attribute(.managed)`, `.attribute(.unified(1, 2))`: the latter, the same number on all devices, means nothing here.
 */
bool ptx_parse_attribute(ptx_parser *p) {
    const ptx_position at = p->lexer.token.position;
    ptx_expect(p, '(');
    const bool managed = ptx_accept_directive(p, ".managed");
    if (!managed && !ptx_accept_directive(p, ".unified"))
        ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, at, "unsupported attribute '%.*s'",
                 (int)p->lexer.token.length, p->lexer.token.text);
    if (!managed) {
        ptx_expect(p, '(');
        (void)ptx_parse_constant(p);
        if (ptx_accept(p, ',')) (void)ptx_parse_constant(p);
        ptx_expect(p, ')');
    }
    ptx_expect(p, ')');
    return managed;
}

static bool accept_vector(ptx_parser *p, declaration *d) {
    uint8_t vector = ptx_at_directive(p, ".v2") ? 2 : ptx_at_directive(p, ".v4") ? 4 : 0;
    if (!vector) return false;
    d->vector = vector;
    ptx_lexer_advance(&p->lexer);
    return true;
}

/* Up to and with the type. */
static declaration parse_declaration(ptx_parser *p, ptx_space space) {
    declaration d = {.space = space, .vector = 1};
    while (!(d.type = ptx_type_of_directive(p))) {
        if (ptx_accept_directive(p, ".align")) {
            d.alignment = parse_alignment(p);
        } else if (ptx_accept_directive(p, ".attribute")) {
            d.is_managed |= ptx_parse_attribute(p);
        } else if (!accept_vector(p, &d)) {
            ptx_expected(p, "a type");
        }
    }
    if (d.type == PTX_PRED && space != PTX_SPACE_REG)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "a predicate cannot lie in memory");
    ptx_lexer_advance(&p->lexer);
    return d;
}

/* `[4][5]`; an open first dimension has the extent 0. */
static unsigned parse_dimensions(ptx_parser *p, uint64_t extents[MAX_DIMENSIONS]) {
    unsigned count = 0;
    while (ptx_at(p, '[')) {
        ptx_position at = p->lexer.token.position;
        if (count == MAX_DIMENSIONS)
            ptx_fail_syntax(&p->diagnostics, at, "an array may have at most %d dimensions", MAX_DIMENSIONS);
        ptx_lexer_advance(&p->lexer);
        bool open = count == 0 && ptx_at(p, ']');
        ptx_constant extent = open ? (ptx_constant){0} : ptx_parse_constant(p);
        if (extent.is_float || (!open && !extent.bits) || extent.bits > PTX_MAX_VARIABLE)
            ptx_fail_syntax(&p->diagnostics, at, "this array's extent must be an integer from 1 to 2^40");
        extents[count++] = extent.bits;
        ptx_expect(p, ']');
    }
    return count;
}

static uint64_t total_size(ptx_parser *p, const ptx_variable *v, const uint64_t *extents, unsigned count) {
    uint64_t size = v->vector * (uint64_t)((ptx_bits(v->type) + 7) / 8);
    for (unsigned i = 0; i < count; i++) {
        if (extents[i] && size > PTX_MAX_VARIABLE / extents[i])
            ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is larger than 2^40 bytes", v->name);
        size *= extents[i];
    }
    return size;
}

static ptx_variable *new_variable(ptx_parser *p, const declaration *d, ptx_name *name, ptx_position at) {
    ptx_variable *v = ARENA_NEW(p->memory, ptx_variable);
    uint32_t natural = d->vector * ptx_bits(d->type) / 8;
    v->name = name->text;
    v->space = d->space;
    v->type = d->type;
    v->vector = d->vector;
    v->alignment = d->alignment ? d->alignment : natural ? natural : 1;
    v->is_managed = d->is_managed;
    v->position = at;
    return v;
}

/* ---- variables ---- */

static bool same_shape(const ptx_variable *a, const ptx_variable *b) {
    return a->space == b->space && a->type == b->type && a->vector == b->vector &&
           (a->size == b->size || !a->size || !b->size);
}

/* A module variable that was declared `.extern` before takes the later declaration's properties, so that what refers to
 * it stays right. Among texts that are linked weak ones give way, and of common ones the largest stays: what is dropped
 * is returned, to be read and forgotten. */
static ptx_variable *redeclare(ptx_parser *p, ptx_symbol *known, ptx_variable *v, ptx_linkage linkage) {
    ptx_variable *old = known->kind == PTX_SYMBOL_VARIABLE ? known->variable : NULL;
    const bool elsewhere = p->source_count > 1, gives_way = elsewhere && (v->is_weak || v->is_common);
    if (old && gives_way && !old->is_extern && (!old->is_common || old->size >= v->size)) return v;
    const bool replaces = elsewhere && old && (old->is_weak || old->is_common);
    if (!old || !(old->is_extern || linkage.is_extern || replaces))
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is declared twice", v->name);
    if (!same_shape(old, v) && !replaces)
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' was declared as another type at %u:%u", v->name,
                        old->position.line, old->position.column);
    if (linkage.is_extern && v->alignment > old->alignment && old->is_extern) old->alignment = v->alignment;
    if (linkage.is_extern) return old;
    uint32_t index = old->index;
    *old = *v;
    old->index = index;
    return old;
}

static ptx_variable *add_to_module(ptx_parser *p, ptx_name *name, ptx_variable *v, ptx_linkage linkage) {
    v->is_extern = linkage.is_extern;
    v->is_visible = linkage.is_visible;
    v->is_weak = linkage.is_weak;
    v->is_common = linkage.is_common;
    v->index = (uint32_t)p->variables.count;
    if (linkage.is_extern || linkage.is_visible || linkage.is_weak || linkage.is_common)
        ptx_symbols_link(&p->symbols, name);
    if (name->symbol) return redeclare(p, name->symbol, v, linkage);
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->variables, v);
    return v;
}

/* The module's, under a name that nobody else can have. */
static ptx_variable *add_hidden(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    v->index = (uint32_t)p->variables.count;
    v->name = arena_printf(p->memory, "%s$%u", v->name, v->index);
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->variables, v);
    return v;
}

static ptx_variable *add_to_function(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) return add_hidden(p, name, v);
    v->owner = p->function;
    v->index = (uint32_t)p->locals.count;
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->locals, v);
    PTX_APPEND(p, p->local_nested, p->symbols.depth > 1);
    return v;
}

static void parse_variable(ptx_parser *p, const declaration *d, ptx_linkage linkage) {
    uint64_t extents[MAX_DIMENSIONS];
    ptx_position at = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    ptx_variable *v = new_variable(p, d, name, at);
    unsigned dimensions = parse_dimensions(p, extents);
    v->size = total_size(p, v, extents, dimensions);
    v = p->function ? add_to_function(p, name, v) : add_to_module(p, name, v, linkage);
    if (ptx_accept(p, '=')) ptx_parse_initialiser(p, v, extents, dimensions);
    if (!v->size && !(v->is_extern && v->space == PTX_SPACE_SHARED) && !v->is_extern)
        ptx_fail_syntax(&p->diagnostics, at, "the size of '%s' is not known", v->name);
}

/* Since functions have stacks, .local variables are theirs. */
enum { VERSION_OF_STACKS = 30 };

void ptx_parse_variables(ptx_parser *p, ptx_linkage linkage) {
    ptx_space space = space_of_directive(p);
    if (!p->function && space == PTX_SPACE_PARAM)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, ".param variables belong into functions");
    if (!p->function && space == PTX_SPACE_LOCAL && p->module->version >= VERSION_OF_STACKS)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position,
                        "from PTX ISA 3.0 on .local variables belong into functions: declare it in the kernel");
    ptx_lexer_advance(&p->lexer);
    declaration d = parse_declaration(p, space);
    do parse_variable(p, &d, linkage);
    while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* ---- parameters ---- */

/* `.ptr .global .align 8`: what a pointer parameter points to; the simulator checks real accesses instead. */
static void skip_pointer_hint(ptx_parser *p) {
    if (!ptx_accept_directive(p, ".ptr")) return;
    if (ptx_at_space(p)) ptx_lexer_advance(&p->lexer);
    if (ptx_accept_directive(p, ".align")) parse_alignment(p);
}

ptx_variable *ptx_parse_parameter(ptx_parser *p) {
    uint64_t extents[MAX_DIMENSIONS];
    bool in_register = ptx_at_directive(p, ".reg");
    if (!in_register && !ptx_at_directive(p, ".param")) ptx_expected(p, ".param or .reg");
    ptx_lexer_advance(&p->lexer);
    declaration d = parse_declaration(p, in_register ? PTX_SPACE_REG : PTX_SPACE_PARAM);
    skip_pointer_hint(p);
    ptx_position at = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    ptx_variable *v = new_variable(p, &d, name, at);
    v->owner = p->function;
    v->size = total_size(p, v, extents, parse_dimensions(p, extents));
    if (in_register) v->index = ptx_add_register(p, name, d.type, false);
    if (strcmp(name->text, "_") == 0) return v;
    ptx_symbol *symbol = ptx_declare_or_fail(p, name, in_register ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_VARIABLE, at);
    symbol->variable = v;
    symbol->index = v->index;
    return v;
}

/* ---- registers ---- */

uint32_t ptx_add_register(ptx_parser *p, ptx_name *name, ptx_type type, bool nested) {
    PTX_APPEND(p, p->registers, ((ptx_register_entry){name, type, nested}));
    return (uint32_t)p->registers.count - 1;
}

/* `%r<10>`: the registers are made when they are named, so that unused ones cost nothing. */
static void parse_range(ptx_parser *p, const declaration *d, ptx_name *name, ptx_position at) {
    if (d->vector > 1) ptx_fail_syntax(&p->diagnostics, at, "a range of vector registers is not possible");
    ptx_symbol *range = ptx_declare_or_fail(p, name, PTX_SYMBOL_RANGE, at);
    range->type = d->type;
    range->count = (uint32_t)ptx_expect_integer(p, PTX_MAX_RANGE, "the count of a register range");
    ptx_expect(p, '>');
}

/* A vector register is as many plain ones: v.x is `v$0`. */
static void add_vector(ptx_parser *p, const declaration *d, ptx_name *name, ptx_symbol *symbol) {
    symbol->kind = PTX_SYMBOL_REGISTER_VECTOR;
    symbol->count = d->vector;
    symbol->index = (uint32_t)p->registers.count;
    for (unsigned i = 0; i < d->vector; i++) {
        const char *text = arena_printf(&p->scratch, "%s$%u", name->text, i);
        ptx_add_register(p, ptx_intern(&p->symbols, text, strlen(text)), d->type, true);
    }
}

void ptx_parse_registers(ptx_parser *p) {
    ptx_lexer_advance(&p->lexer);
    declaration d = parse_declaration(p, PTX_SPACE_REG);
    do {
        ptx_position at = p->lexer.token.position;
        ptx_name *name = ptx_expect_name(p);
        if (ptx_accept(p, '<')) {
            parse_range(p, &d, name, at);
            continue;
        }
        ptx_symbol *symbol = ptx_declare_or_fail(p, name, PTX_SYMBOL_REGISTER, at);
        if (d.vector > 1) {
            add_vector(p, &d, name, symbol);
        } else {
            symbol->index = ptx_add_register(p, name, d.type, p->symbols.depth > 1);
        }
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}
