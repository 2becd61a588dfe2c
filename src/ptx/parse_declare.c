/* Parses declarations: of variables, parameters and registers.
 *
 * All share one form: state space, attributes, type, and then names with dimensions. A variable of a module may be
 * declared several times, by `.extern` and by linked texts; redeclare() decides which one stays. Its object is that of
 * the first declaration, since operands point to it. */
#include "ptx/parse.h"

#include <string.h>

enum { MAX_DIMENSIONS = 32 };

/* The part of a declaration between state space and name. */
typedef struct declaration {
    ptx_space space;
    ptx_type type;
    uint8_t vector;
    uint32_t alignment;
    bool is_managed;
} declaration;

/* The state space that the current token names; PTX_SPACE_GENERIC if it is none. */
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

/* Skips `.unified(1, 2)`, a number common to all devices, which has no meaning here. */
static void skip_unified(ptx_parser *p) {
    ptx_expect(p, '(');
    (void)ptx_expect_integer(p, UINT64_MAX, "half of a number");
    ptx_expect(p, ',');
    (void)ptx_expect_integer(p, UINT64_MAX, "half of a number");
    ptx_expect(p, ')');
}

/* Parses `(.managed, .unified(..))`; returns whether the variable is managed. */
bool ptx_parse_attribute(ptx_parser *p, ptx_space space) {
    bool managed = false;
    ptx_expect(p, '(');
    do {
        const ptx_token t = p->lexer.token;
        const bool is_managed = space != PTX_SPACE_GENERIC && ptx_accept_directive(p, ".managed");
        managed |= is_managed;
        if (!is_managed && !ptx_accept_directive(p, ".unified"))
            ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, t.position, "unsupported attribute '%.*s'", (int)t.length,
                     t.text);
        if (space != PTX_SPACE_GENERIC && space != PTX_SPACE_GLOBAL)
            ptx_fail_syntax(&p->diagnostics, t.position, "'%.*s' is for variables in .global, not in .%s",
                            (int)t.length, t.text, ptx_space_names[space]);
        if (!is_managed) skip_unified(p);
    } while (ptx_accept(p, ','));
    ptx_expect(p, ')');
    return managed;
}

/* Accepts `.v2` or `.v4`; returns 1 otherwise. */
static uint8_t accept_vector(ptx_parser *p) {
    const uint8_t vector = ptx_at_directive(p, ".v2") ? 2 : ptx_at_directive(p, ".v4") ? 4 : 1;
    if (vector > 1) ptx_lexer_advance(&p->lexer);
    return vector;
}

enum { MAX_VECTOR_BITS = 128, LEAST_VARIABLE_BITS = 8 };

/* Some types are only for instructions, predicates only for registers, and vectors have at most 128 bits. */
static void check_type(ptx_parser *p, const declaration *d, ptx_position at) {
    const ptx_type_info *type = &ptx_types[d->type];
    const unsigned bits = type->bits < LEAST_VARIABLE_BITS ? LEAST_VARIABLE_BITS : type->bits;
    if (type->has == PTX_HAS_NONE)
        ptx_fail_syntax(&p->diagnostics, at, "'.%s' is only a type of instructions: declare a .b%u", type->name, bits);
    if (type->has == PTX_HAS_REG && d->space != PTX_SPACE_REG)
        ptx_fail_syntax(&p->diagnostics, at, "a predicate cannot be in memory: declare it as .reg .pred");
    if (d->vector == 1) return;
    if (type->has == PTX_HAS_REG)
        ptx_fail_syntax(&p->diagnostics, at, "predicates cannot be a vector: declare them one by one");
    if (d->vector * bits > MAX_VECTOR_BITS)
        ptx_fail_syntax(&p->diagnostics, at, "a vector has at most %d bits, not %u: declare an array", MAX_VECTOR_BITS,
                        d->vector * bits);
}

/* References of textures, surfaces and samplers are types that haul does not have; other spaces cannot hold them. */
static void fail_type(ptx_parser *p, ptx_space space) {
    static const char *const references[] = {".texref", ".surfref", ".samplerref"};
    const ptx_token *t = &p->lexer.token;
    const bool may_be = space == PTX_SPACE_GLOBAL || space == PTX_SPACE_PARAM;
    for (size_t k = 0; may_be && k < sizeof references / sizeof *references; k++)
        if (ptx_at_directive(p, references[k])) ptx_fail_unsupported(p, t->position, "type", t->text, t->length);
    ptx_expected(p, "a type");
}

/* Parses up to and including the type. */
static declaration parse_declaration(ptx_parser *p, ptx_space space) {
    declaration d = {.space = space};
    for (;;) {
        if (ptx_accept_directive(p, ".align")) {
            d.alignment = parse_alignment(p);
        } else if (ptx_accept_directive(p, ".attribute")) {
            d.is_managed |= ptx_parse_attribute(p, space);
        } else {
            break;
        }
    }
    d.vector = accept_vector(p);
    d.type = ptx_type_of_directive(p);
    if (!d.type) fail_type(p, space);
    check_type(p, &d, p->lexer.token.position);
    ptx_lexer_advance(&p->lexer);
    return d;
}

/* Parses an integer or WARP_SZ, but no expression. */
static uint64_t parse_count(ptx_parser *p, uint64_t largest, const char *what) {
    const bool is_warp_size = ptx_at(p, PTX_TOKEN_WORD) && ptx_at_constant(p) && largest >= PTX_WARP_SIZE;
    if (!is_warp_size) return ptx_expect_integer(p, largest, what);
    ptx_lexer_advance(&p->lexer);
    return PTX_WARP_SIZE;
}

/* Multiplies by the extents. An open one makes the size 0, which an initialiser may replace. */
static void set_array_size(ptx_parser *p, ptx_variable *v) {
    for (unsigned i = 0; i < v->dimensions; i++) {
        if (v->extents[i] && v->size > PTX_MAX_VARIABLE / v->extents[i])
            ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is larger than 2^40 bytes", v->name);
        v->size *= v->extents[i];
    }
}

/* Parses `[4][5]`; an open first dimension, `[]` or `[0]`, has the extent 0. */
static void parse_dimensions(ptx_parser *p, ptx_variable *v) {
    uint64_t extents[MAX_DIMENSIONS];
    unsigned count = 0;
    while (ptx_accept(p, '[')) {
        const ptx_position at = p->lexer.token.position;
        if (count == MAX_DIMENSIONS)
            ptx_fail_syntax(&p->diagnostics, at, "an array may have at most %d dimensions", MAX_DIMENSIONS);
        const bool open = count == 0 && ptx_at(p, ']');
        extents[count] = open ? 0 : parse_count(p, PTX_MAX_VARIABLE, "an array's extent");
        if (count && !extents[count])
            ptx_fail_syntax(&p->diagnostics, at, "only an array's first extent may be open: write a number from 1 on");
        count++;
        ptx_expect(p, ']');
    }
    if (!count) return;
    v->extents = memcpy(ARENA_ARRAY(p->memory, count, uint64_t), extents, count * sizeof *extents);
    v->dimensions = (uint8_t)count;
    set_array_size(p, v);
}

/* Without .align a variable is aligned to its type, vectors to the whole vector. */
static ptx_variable *new_variable(ptx_parser *p, const declaration *d, ptx_name *name, ptx_position at) {
    ptx_variable *v = ARENA_NEW(p->memory, ptx_variable);
    uint32_t natural = d->vector * ptx_bits(d->type) / 8;
    v->name = name->text;
    v->space = d->space;
    v->type = d->type;
    v->vector = d->vector;
    v->size = d->vector * (uint64_t)((ptx_bits(d->type) + 7) / 8);
    v->alignment = d->alignment ? d->alignment : natural ? natural : 1;
    v->is_managed = d->is_managed;
    v->position = at;
    return v;
}

/* ---- parameters ---- */

/* The most that a function's parameter may be aligned to. */
enum { MAX_PARAMETER_ALIGNMENT = 128 };

/* A pair of halves counts as a vector in .param. */
static bool is_vector(const ptx_variable *v) {
    return v->vector > 1 || v->type == PTX_F16X2;
}

/* Checks ptxas's rules for variables in .param; other spaces are fine. */
static void check_parameter(ptx_parser *p, const ptx_variable *v) {
    const ptx_parameter_role role = v->role;
    if (v->space != PTX_SPACE_PARAM || role == PTX_PROTOTYPE_PARAMETER) return;
    if (role != PTX_ENTRY_PARAMETER)
        ptx_require_feature(p, v->position,
                            role == PTX_LOCAL_PARAMETER ? "a variable in .param" : "a function's parameter in .param");
    if (role != PTX_LOCAL_PARAMETER && v->dimensions && v->extents[0] > UINT32_MAX)
        ptx_fail_syntax(&p->diagnostics, v->position,
                        "'%s' has more elements than a parameter may have: pass a pointer", v->name);
    if (!v->dimensions && is_vector(v))
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' cannot be a vector in .param: declare an array, .b8 %s[%u]",
                        v->name, v->name, (unsigned)v->size);
    if (role != PTX_ENTRY_PARAMETER && v->alignment > MAX_PARAMETER_ALIGNMENT)
        ptx_fail_syntax(&p->diagnostics, v->position,
                        "'%s' is aligned to %u bytes; a function's parameter may be to %d", v->name, v->alignment,
                        MAX_PARAMETER_ALIGNMENT);
    if (!v->size && (role == PTX_ENTRY_PARAMETER || role == PTX_RESULT))
        ptx_fail_syntax(&p->diagnostics, v->position, "the size of '%s' is not known: write how many elements it has",
                        v->name);
}

/* Skips `.ptr .global .align 8`, a hint on a kernel's pointer; the simulator checks real accesses instead. */
static void skip_pointer_hint(ptx_parser *p, ptx_parameter_role role) {
    const ptx_position at = p->lexer.token.position;
    const bool pointer = ptx_accept_directive(p, ".ptr");
    if (pointer && ptx_at_space(p) && space_of_directive(p) != PTX_SPACE_PARAM) ptx_lexer_advance(&p->lexer);
    const bool aligned = ptx_accept_directive(p, ".align");
    if (aligned) parse_alignment(p);
    if ((pointer || aligned) && role != PTX_ENTRY_PARAMETER && role != PTX_PROTOTYPE_PARAMETER)
        ptx_fail_syntax(&p->diagnostics, at, "only a kernel's parameters say what they point to: remove it");
}

/* Parameters are names of the function's scope: registers or variables, by their space. */
static void declare_parameter(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    const bool in_register = v->space == PTX_SPACE_REG;
    ptx_symbol *symbol =
        ptx_declare_or_fail(p, name, in_register ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_VARIABLE, v->position);
    symbol->variable = v;
    symbol->index = v->index;
    if (!in_register || v->vector == 1) return;
    symbol->kind = PTX_SYMBOL_REGISTER_VECTOR;
    symbol->count = v->vector;
}

/* Adds the register of a formal parameter, or those of a vector. Returns the first. */
static uint32_t add_formal_registers(ptx_parser *p, const declaration *d, ptx_name *name) {
    if (d->vector == 1) return ptx_add_register(p, name, d->type, false);
    const uint32_t first = (uint32_t)p->registers.count;
    for (unsigned i = 0; i < d->vector; i++) {
        const char *text = arena_printf(&p->scratch, "%s$%u", name->text, i);
        ptx_add_register(p, ptx_intern(&p->symbols, text, strlen(text)), d->type, true);
    }
    return first;
}

/* Skips `.hidden` of a kernel's parameter: it changes nothing that a kernel does. */
static void skip_hidden(ptx_parser *p, ptx_parameter_role role) {
    const ptx_position at = p->lexer.token.position;
    if (ptx_accept_directive(p, ".hidden") && role != PTX_ENTRY_PARAMETER)
        ptx_fail_syntax(&p->diagnostics, at, "only a kernel's parameters are .hidden: remove it");
}

/* Parameters of kernels and prototypes may be `_`, which has no name. */
ptx_variable *ptx_parse_parameter(ptx_parser *p, ptx_parameter_role role) {
    skip_hidden(p, role);
    const bool in_register = ptx_at_directive(p, ".reg");
    if (!in_register && !ptx_at_directive(p, ".param")) ptx_expected(p, ".param or .reg");
    if (in_register && role == PTX_ENTRY_PARAMETER)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "a kernel's parameters are .param, not .reg");
    ptx_lexer_advance(&p->lexer);
    declaration d = parse_declaration(p, in_register ? PTX_SPACE_REG : PTX_SPACE_PARAM);
    skip_pointer_hint(p, role);
    ptx_position at = p->lexer.token.position;
    const bool may_be_nameless = role == PTX_ENTRY_PARAMETER || role == PTX_PROTOTYPE_PARAMETER;
    ptx_name *name = may_be_nameless ? ptx_expect_name_or_sink(p) : ptx_expect_name(p);
    ptx_variable *v = new_variable(p, &d, name, at);
    v->owner = p->function;
    v->role = role;
    parse_dimensions(p, v);
    if (v->dimensions > (in_register ? 0u : 1u))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' has too many dimensions for a parameter: write their product",
                        v->name);
    check_parameter(p, v);
    if (in_register) v->index = add_formal_registers(p, &d, name);
    if (role != PTX_PROTOTYPE_PARAMETER) declare_parameter(p, name, v);
    return v;
}

/* ---- variables ---- */

/* An unknown size fits any other. */
static bool same_shape(const ptx_variable *a, const ptx_variable *b) {
    return a->space == b->space && a->type == b->type && a->vector == b->vector &&
           (a->size == b->size || !a->size || !b->size);
}

/* Within a text, arrays are equal in each dimension; the first may be open. */
static bool same_extents(const ptx_variable *a, const ptx_variable *b) {
    if (a->dimensions != b->dimensions) return false;
    for (unsigned i = 0; i < a->dimensions; i++)
        if (a->extents[i] != b->extents[i] && (i || (a->extents[i] && b->extents[i]))) return false;
    return true;
}

/* Checks a declaration against an earlier one in the same text. */
static void check_second(ptx_parser *p, const ptx_symbol *known, const ptx_variable *v, ptx_linkage linkage) {
    const ptx_variable *old = known->kind == PTX_SYMBOL_VARIABLE ? known->variable : NULL;
    if (!old || (known->is_defined && linkage != PTX_LINKAGE_EXTERN))
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is declared twice", v->name);
    if (!same_shape(old, v) || !same_extents(old, v))
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' was declared with a different type at %u:%u", v->name,
                        old->position.line, old->position.column);
    if (linkage == PTX_LINKAGE_NONE)
        ptx_fail_syntax(&p->diagnostics, v->position,
                        "'%s' was declared .extern at %u:%u: declare it .visible, .weak or .common here", v->name,
                        old->position.line, old->position.column);
}

/* Redeclares a module variable. One declared `.extern` before takes the later declaration's properties, so that
 * references stay valid. Among linked texts, weak variables give way, and the largest common one stays. A variable that
 * is dropped is returned, to be parsed and ignored. */
static ptx_variable *redeclare(ptx_parser *p, ptx_symbol *known, ptx_variable *v) {
    ptx_variable *old = known->kind == PTX_SYMBOL_VARIABLE ? known->variable : NULL;
    const bool elsewhere = p->source_count > 1, gives_way = elsewhere && (v->is_weak || v->is_common);
    if (old && gives_way && !old->is_extern && (!old->is_common || old->size >= v->size)) return v;
    const bool replaces = elsewhere && old && (old->is_weak || old->is_common);
    if (!old || !(old->is_extern || v->is_extern || replaces))
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is declared twice", v->name);
    if (!same_shape(old, v) && !replaces)
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' was declared with a different type at %u:%u", v->name,
                        old->position.line, old->position.column);
    if (v->is_extern && v->alignment > old->alignment && old->is_extern) old->alignment = v->alignment;
    if (v->is_extern) return old;
    uint32_t index = old->index;
    *old = *v;
    old->index = index;
    return old;
}

/* Adds a variable that no text has declared yet. */
static ptx_variable *new_in_module(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    v->index = (uint32_t)p->variables.count;
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->variables, v);
    return v;
}

/* Declares the variable among this text's names and, unless it is local to the text, among those of all linked
 * texts. */
static ptx_variable *add_to_module(ptx_parser *p, ptx_name *name, ptx_variable *v, ptx_linkage linkage) {
    v->is_extern = linkage == PTX_LINKAGE_EXTERN;
    v->is_visible = linkage == PTX_LINKAGE_VISIBLE;
    v->is_weak = linkage == PTX_LINKAGE_WEAK;
    v->is_common = linkage == PTX_LINKAGE_COMMON;
    if (v->is_common && v->space != PTX_SPACE_GLOBAL)
        ptx_fail_syntax(&p->diagnostics, v->position, "'%s' is .common, which needs a variable in .global", v->name);
    const bool second = name->symbol;
    if (second) check_second(p, name->symbol, v, linkage);
    if (linkage) ptx_symbols_link(&p->symbols, name);
    ptx_variable *kept = name->symbol ? redeclare(p, name->symbol, v) : new_in_module(p, name, v);
    ptx_symbol *symbol = name->symbol;
    symbol->is_defined = !v->is_extern || (second && symbol->is_defined);
    return kept;
}

/* Adds a hidden variable to the module, under a name that nothing else can have. */
static ptx_variable *add_hidden(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    v->index = (uint32_t)p->variables.count;
    v->name = arena_printf(p->memory, "%s$%u", v->name, v->index);
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->variables, v);
    return v;
}

/* Global and constant variables in a function are variables of the module that only the function can name. */
static ptx_variable *add_to_function(ptx_parser *p, ptx_name *name, ptx_variable *v) {
    if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) return add_hidden(p, name, v);
    v->owner = p->function;
    v->index = (uint32_t)p->locals.count;
    ptx_declare_or_fail(p, name, PTX_SYMBOL_VARIABLE, v->position)->variable = v;
    PTX_APPEND(p, p->locals, v);
    PTX_APPEND(p, p->local_nested, p->symbols.depth > 1);
    return v;
}

static ptx_variable *add_variable(ptx_parser *p, ptx_name *name, ptx_variable *v, ptx_linkage linkage) {
    return p->function ? add_to_function(p, name, v) : add_to_module(p, name, v, linkage);
}

/* Parses the rest of `x<4>`, whose members exist at once. */
static uint64_t parse_range_count(ptx_parser *p, const char *what) {
    const uint64_t count = parse_count(p, PTX_MAX_VARIABLES - p->range_variables, what);
    p->range_variables += count;
    ptx_expect(p, '>');
    return count;
}

static ptx_name *range_member(ptx_parser *p, const ptx_name *name, uint64_t i) {
    const char *text = arena_printf(&p->scratch, "%s%u", name->text, (unsigned)i);
    return ptx_intern(&p->symbols, text, strlen(text));
}

/* Parses `x<4>`, which means x0 to x3. */
static void parse_variable_range(ptx_parser *p, const declaration *d, ptx_linkage linkage, const ptx_name *name,
                                 ptx_position at) {
    const uint64_t count = parse_range_count(p, "the count of a range of variables");
    for (uint64_t i = 0; i < count; i++) {
        ptx_name *one = range_member(p, name, i);
        ptx_variable *v = new_variable(p, d, one, at);
        check_parameter(p, v);
        add_variable(p, one, v, linkage);
    }
}

/* An initialiser may give an open first dimension its extent, so the size is checked at the end. */
static void parse_variable(ptx_parser *p, const declaration *d, ptx_linkage linkage) {
    ptx_position at = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    if (ptx_accept(p, '<')) {
        parse_variable_range(p, d, linkage, name, at);
        return;
    }
    ptx_variable *v = new_variable(p, d, name, at);
    parse_dimensions(p, v);
    check_parameter(p, v);
    v = add_variable(p, name, v, linkage);
    if (linkage == PTX_LINKAGE_EXTERN && ptx_at(p, '='))
        ptx_fail_syntax(&p->diagnostics, at, "an .extern variable has no initial value");
    if (ptx_accept(p, '=')) ptx_parse_initialiser(p, v);
    if (!v->size && !v->is_extern)
        ptx_fail_syntax(&p->diagnostics, at, "the size of '%s' is not known: write how many elements it has", v->name);
}

/* The first version in which .local variables belong to functions, since these have stacks. */
enum { VERSION_OF_STACKS = 30 };

void ptx_parse_variables(ptx_parser *p, ptx_linkage linkage) {
    ptx_space space = space_of_directive(p);
    if (!p->function && space == PTX_SPACE_PARAM)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, ".param variables must be in functions");
    if (!p->function && space == PTX_SPACE_LOCAL && p->module->version >= VERSION_OF_STACKS)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position,
                        "since PTX ISA 3.0 a .local variable must be in a function: declare it in the kernel");
    ptx_lexer_advance(&p->lexer);
    declaration d = parse_declaration(p, space);
    do parse_variable(p, &d, linkage);
    while (ptx_accept(p, ','));
    ptx_expect(p, ';');
}

/* ---- registers ---- */

/* `nested`: it belongs to an inner scope, and its name may get a suffix. */
uint32_t ptx_add_register(ptx_parser *p, ptx_name *name, ptx_type type, bool nested) {
    PTX_APPEND(p, p->registers, ((ptx_register_entry){name, type, nested}));
    return (uint32_t)p->registers.count - 1;
}

/* A vector register is several plain ones: v.x is `v$0`. */
static void add_vector(ptx_parser *p, const declaration *d, ptx_name *name, ptx_symbol *symbol) {
    symbol->kind = PTX_SYMBOL_REGISTER_VECTOR;
    symbol->count = d->vector;
    symbol->index = (uint32_t)p->registers.count;
    for (unsigned i = 0; i < d->vector; i++) {
        const char *text = arena_printf(&p->scratch, "%s$%u", name->text, i);
        ptx_add_register(p, ptx_intern(&p->symbols, text, strlen(text)), d->type, true);
    }
}

/* Parses `v<4>` of vectors, which means v0 to v3. */
static void parse_vector_range(ptx_parser *p, const declaration *d, const ptx_name *name, ptx_position at) {
    const uint64_t count = parse_range_count(p, "the count of a range of vector registers");
    for (uint64_t i = 0; i < count; i++) {
        ptx_name *one = range_member(p, name, i);
        add_vector(p, d, one, ptx_declare_or_fail(p, one, PTX_SYMBOL_REGISTER, at));
    }
}

/* Parses `%r<10>`. Registers are made when first named, so unused ones cost nothing. */
static void parse_range(ptx_parser *p, const declaration *d, ptx_name *name, ptx_position at) {
    if (d->vector > 1) {
        parse_vector_range(p, d, name, at);
        return;
    }
    ptx_symbol *range = ptx_declare_or_fail(p, name, PTX_SYMBOL_RANGE, at);
    range->type = d->type;
    range->count = (uint32_t)ptx_expect_integer(p, PTX_MAX_RANGE, "the count of a register range");
    ptx_expect(p, '>');
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
