/* Parses functions: header, properties and body.
 *
 * A function may be declared before its body, and by several linked texts. Its object is that of the first declaration,
 * since calls point to it; a later body is copied into it. The flat lists of registers, variables and labels need
 * unique names, which scopes do not give, so inner names get suffixes at the end. */
#include "ptx/parse.h"

#include <string.h>

/* ---- headers ---- */

/* A vector in registers is several parameters, one for each component. */
static unsigned components_of(const ptx_variable *v) {
    return v->space == PTX_SPACE_REG ? v->vector : 1;
}

static ptx_variable *component_of(ptx_parser *p, ptx_variable *v, unsigned k) {
    if (components_of(v) == 1) return v;
    ptx_variable *one = ARENA_NEW(p->memory, ptx_variable);
    *one = *v;
    one->vector = 1;
    one->size = v->size / v->vector;
    one->index = v->index + k;
    return one;
}

/* Parses `(p, p, ...)` into *list. */
static void parse_parameters(ptx_parser *p, ptx_variable ***list, size_t *count, ptx_parameter_role role) {
    PTX_LIST_OF(ptx_variable *) parameters = {0};
    ptx_expect(p, '(');
    while (!ptx_at(p, ')')) {
        if (parameters.count) ptx_expect(p, ',');
        ptx_variable *v = ptx_parse_parameter(p, role);
        if (v->space == PTX_SPACE_PARAM) v->index = (uint32_t)parameters.count;
        for (unsigned k = 0; k < components_of(v); k++) PTX_APPEND(p, parameters, component_of(p, v, k));
    }
    ptx_expect(p, ')');
    *count = parameters.count;
    *list = ARENA_ARRAY(p->memory, parameters.count, ptx_variable *);
    if (parameters.count) memcpy(*list, parameters.items, parameters.count * sizeof **list);
}

/* Parses the results, if any, before a function's name. */
static void accept_results(ptx_parser *p, ptx_function *f, ptx_parameter_role role) {
    if (!ptx_at(p, '(')) return;
    parse_parameters(p, &f->results, &f->result_count, role);
    for (size_t r = 0; f->result_count > 1 && r < f->result_count; r++)
        if (f->results[r]->space == PTX_SPACE_PARAM)
            ptx_fail_syntax(&p->diagnostics, f->results[r]->position,
                            "only one result may be in .param: declare them .reg, or one array");
}

/* Within a text, declarations of a parameter agree in everything but its name. */
static bool same_variable(const ptx_variable *a, const ptx_variable *b) {
    if (a->type != b->type || a->vector != b->vector || a->space != b->space || a->dimensions != b->dimensions)
        return false;
    return a->size == b->size && (a->alignment == b->alignment || a->space == PTX_SPACE_REG);
}

/* Linked texts need equal sizes only. */
static bool fits_variable(const ptx_variable *a, const ptx_variable *b) {
    return a->size == b->size && a->space == b->space;
}

/* Compares two lists of parameters with the given rule. */
static bool all_alike(ptx_variable *const *a, size_t count_a, ptx_variable *const *b, size_t count_b,
                      bool (*alike)(const ptx_variable *, const ptx_variable *)) {
    if (count_a != count_b) return false;
    for (size_t i = 0; i < count_a; i++)
        if (!alike(a[i], b[i])) return false;
    return true;
}

static bool same_header(const ptx_function *a, const ptx_function *b,
                        bool (*alike)(const ptx_variable *, const ptx_variable *)) {
    return a->is_entry == b->is_entry && all_alike(a->params, a->param_count, b->params, b->param_count, alike) &&
           all_alike(a->results, a->result_count, b->results, b->result_count, alike);
}

bool ptx_same_signature(const ptx_function *a, const ptx_function *b) {
    return same_header(a, b, same_variable);
}

/* Checks a declaration against an earlier one in the same text. */
static void check_second(ptx_parser *p, const ptx_symbol *symbol, const ptx_function *f, ptx_linkage linkage) {
    const ptx_function *old = symbol->function;
    const ptx_position at = old->position;
    if (symbol->is_defined && f->has_body)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' has two bodies", f->name);
    if (symbol->is_defined)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' has its body at %u:%u: put this declaration before it",
                        f->name, at.line, at.column);
    if (symbol->linkage != linkage && (linkage || symbol->linkage == PTX_LINKAGE_EXTERN))
        ptx_fail_syntax(&p->diagnostics, f->position,
                        "'%s' was declared at %u:%u: write the same one of .visible, .extern and .weak here, or none "
                        "if there is none there",
                        f->name, at.line, at.column);
    if (!ptx_same_signature(old, f))
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' was declared with different parameters at %u:%u", f->name,
                        at.line, at.column);
    const bool alike = old->preserved == f->preserved && old->preserved_control == f->preserved_control;
    if (!f->is_entry && (old->given != f->given || !alike))
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' was declared with different directives at %u:%u", f->name,
                        at.line, at.column);
}

/* Checks declarations in different texts. */
static void check_linked(ptx_parser *p, const ptx_function *old, const ptx_function *f) {
    const bool replaces = p->source_count > 1 && old->is_weak;
    if (old->has_body && f->has_body && !replaces)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' has two bodies", f->name);
    if (!same_header(old, f, fits_variable))
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' was declared with different parameters at %u:%u", f->name,
                        old->position.line, old->position.column);
}

/* Returns the symbol of the function, whose object is that of its first declaration. *second: this text has declared it
 * before. */
static ptx_symbol *known_function(ptx_parser *p, ptx_name *name, ptx_function *f, bool *second) {
    if (name->symbol && name->symbol->kind != PTX_SYMBOL_FUNCTION)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' is declared twice", name->text);
    *second = name->symbol;
    if (f->is_visible || f->is_extern || f->is_weak) ptx_symbols_link(&p->symbols, name);
    if (!name->symbol) {
        ptx_symbol *symbol = ptx_declare_at(&p->symbols, name, PTX_SYMBOL_FUNCTION, 0);
        symbol->function = f;
        f->index = (uint32_t)p->functions.count;
        PTX_APPEND(p, p->functions, f);
    }
    if (name->symbol->depth || name->symbol->kind != PTX_SYMBOL_FUNCTION)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' is declared twice", name->text);
    return name->symbol;
}

/* Parameters point to the function's object, which changed. */
static void own_parameters(ptx_function *f) {
    for (size_t i = 0; i < f->param_count; i++) f->params[i]->owner = f;
    for (size_t i = 0; i < f->result_count; i++) f->results[i]->owner = f;
}

/* ---- bodies ---- */

/* Returns a name that is unique in the function's flat list, and that hides no module-scope name that the function
 * uses. */
static const char *unique_name(ptx_parser *p, ptx_name *name) {
    ptx_name *candidate = name;
    while (candidate->taken_in == p->function_number || candidate->used_in == p->function_number) {
        const char *text = arena_printf(&p->scratch, "%s$%u", name->text, ++name->copies);
        candidate = ptx_intern(&p->symbols, text, strlen(text));
    }
    candidate->taken_in = p->function_number;
    return candidate->text;
}

/* Outer names come first and stay unchanged; inner ones get suffixes. */
static void name_locals(ptx_parser *p, ptx_function *f, bool nested) {
    for (size_t i = 0; i < f->register_count; i++)
        if (p->registers.items[i].nested == nested) f->registers[i].name = unique_name(p, p->registers.items[i].name);
    for (size_t i = 0; i < f->variable_count; i++)
        if (p->local_nested.items[i] == nested)
            f->variables[i]->name =
                unique_name(p, ptx_intern(&p->symbols, f->variables[i]->name, strlen(f->variables[i]->name)));
    for (size_t i = 0; i < f->label_count; i++)
        if (p->labels.items[i].nested == nested) f->labels[i].name = unique_name(p, p->labels.items[i].name);
}

/* Parameters in registers get their names with the registers. */
static void name_parameters(ptx_parser *p, ptx_variable **list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ptx_name *name = ptx_intern(&p->symbols, list[i]->name, strlen(list[i]->name));
        if (list[i]->space == PTX_SPACE_PARAM) list[i]->name = unique_name(p, name);
    }
}

/* Parameters come first, so they keep their names; variables of inner scopes come last. */
static void name_everything(ptx_parser *p, ptx_function *f) {
    name_parameters(p, f->results, f->result_count);
    name_parameters(p, f->params, f->param_count);
    name_locals(p, f, false);
    name_locals(p, f, true);
    for (size_t i = 0; i < f->param_count; i++)
        if (f->params[i]->space == PTX_SPACE_REG) f->params[i]->name = f->registers[f->params[i]->index].name;
    for (size_t i = 0; i < f->result_count; i++)
        if (f->results[i]->space == PTX_SPACE_REG) f->results[i]->name = f->registers[f->results[i]->index].name;
}

#define COPY_LIST(p, list, type) \
    memcpy(ARENA_ARRAY((p)->memory, (list).count, type), (list).items, (list).count * sizeof(type))

/* Turns the parser's lists into the function's arrays. */
static void keep_lists(ptx_parser *p, ptx_function *f) {
    f->register_count = p->registers.count;
    f->registers = ARENA_ARRAY(p->memory, f->register_count, ptx_register);
    for (size_t i = 0; i < f->register_count; i++) f->registers[i].type = p->registers.items[i].type;
    f->label_count = p->labels.count;
    f->labels = ARENA_ARRAY(p->memory, f->label_count, ptx_label);
    for (size_t i = 0; i < f->label_count; i++) f->labels[i] = p->labels.items[i].label;
    f->variable_count = p->locals.count;
    if (f->variable_count) f->variables = COPY_LIST(p, p->locals, ptx_variable *);
    f->instruction_count = p->instructions.count;
    if (f->instruction_count) f->instructions = COPY_LIST(p, p->instructions, ptx_instruction);
}

/* The lists are reused by the next function; their memory stays. */
static void clear_lists(ptx_parser *p) {
    p->registers.count = p->locals.count = p->local_nested.count = 0;
    p->labels.count = p->instructions.count = 0;
    p->label_uses[1] = NULL;
    p->place = 0;
    p->keeps_loop = false;
}

/* ---- whole functions ---- */

/* *second: this text has declared the function before. */
static ptx_symbol *parse_header(ptx_parser *p, ptx_function *f, bool *second) {
    if (!f->is_entry && ptx_accept_directive(p, ".attribute")) (void)ptx_parse_attribute(p, PTX_SPACE_GENERIC);
    if (!f->is_entry) accept_results(p, f, PTX_RESULT);
    f->position = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    f->name = name->text;
    ptx_symbol *symbol = known_function(p, name, f, second);
    if (ptx_at(p, '('))
        parse_parameters(p, &f->params, &f->param_count, f->is_entry ? PTX_ENTRY_PARAMETER : PTX_FUNCTION_PARAMETER);
    ptx_parse_properties(p, f);
    f->has_body = ptx_at(p, '{');
    const bool ends = ptx_at(p, ';') || ptx_at(p, PTX_TOKEN_DIRECTIVE);
    if (!f->has_body && !ends) ptx_expected(p, "'{' or ';'");
    if (f->has_body && f->is_extern)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' is .extern and has a body: write .visible", f->name);
    return symbol;
}

/* Returns the function's object: an earlier declaration's takes this one's properties. */
static ptx_function *join(ptx_parser *p, ptx_symbol *symbol, ptx_function *f, bool second, ptx_linkage linkage) {
    ptx_function *known = symbol->function;
    const bool defined = second && symbol->is_defined;
    if (second) check_second(p, symbol, f, linkage);
    if (!second) symbol->linkage = linkage;
    f->is_visible = symbol->linkage == PTX_LINKAGE_VISIBLE;
    f->is_weak = symbol->linkage == PTX_LINKAGE_WEAK;
    symbol->is_defined = f->has_body || defined;
    if (known == f) return f;
    if (p->source_count > 1 && f->is_weak && known->has_body && f->has_body) return f; /* parsed and ignored */
    check_linked(p, known, f);
    if (!f->has_body) return known;
    f->index = known->index;
    *known = *f;
    own_parameters(known);
    return known;
}

/* The parameters' scope is the body's, too. A function that another text replaces is parsed like any other and then
 * dropped. */
void ptx_parse_function(ptx_parser *p, ptx_linkage linkage) {
    ptx_function *f = ARENA_NEW(p->memory, ptx_function);
    if (linkage == PTX_LINKAGE_COMMON)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, ".common needs a variable in .global: write .weak");
    f->is_entry = ptx_at_directive(p, ".entry");
    f->is_extern = linkage == PTX_LINKAGE_EXTERN;
    f->is_visible = linkage == PTX_LINKAGE_VISIBLE;
    f->is_weak = linkage == PTX_LINKAGE_WEAK;
    f->keeps_loops = p->module->keeps_loops;
    p->function = f;
    p->function_number++;
    clear_lists(p);
    ptx_scope_open(&p->symbols);
    ptx_lexer_advance(&p->lexer);
    bool second;
    ptx_symbol *symbol = parse_header(p, f, &second);
    p->function = join(p, symbol, f, second, linkage);
    if (ptx_at(p, '{')) {
        ptx_parse_body(p);
        keep_lists(p, p->function);
    }
    ptx_scope_close(&p->symbols);
    if (p->function->has_body && ptx_at(p, '}')) {
        name_everything(p, p->function);
        ptx_lexer_advance(&p->lexer);
    } else {
        (void)ptx_accept(p, ';'); /* old compilers leave it out */
    }
    p->function = NULL;
}

ptx_function *ptx_parse_prototype(ptx_parser *p) {
    ptx_function *outer = p->function, *f = ARENA_NEW(p->memory, ptx_function);
    size_t registers = p->registers.count;
    f->name = "_";
    f->position = p->lexer.token.position;
    p->function = f;
    if (!ptx_scope_open(&p->symbols)) ptx_fail_syntax(&p->diagnostics, f->position, "scopes are nested too deeply");
    accept_results(p, f, PTX_PROTOTYPE_PARAMETER);
    if (strcmp(ptx_expect_name_or_sink(p)->text, f->name) != 0)
        ptx_fail_syntax(&p->diagnostics, f->position, "a prototype's function is called '_'");
    if (ptx_at(p, '(')) parse_parameters(p, &f->params, &f->param_count, PTX_PROTOTYPE_PARAMETER);
    ptx_parse_properties(p, f);
    ptx_scope_close(&p->symbols);
    p->registers.count = registers; /* its register parameters are not registers of the function */
    p->function = outer;
    return f;
}
