#include "ptx/parse.h"

#include <string.h>

/* ---- headers ---- */

/* `(p, p, ...)` into *list. */
static void parse_parameters(ptx_parser *p, ptx_variable ***list, size_t *count) {
    PTX_LIST_OF(ptx_variable *) parameters = {0};
    ptx_expect(p, '(');
    while (!ptx_at(p, ')')) {
        ptx_variable *v = ptx_parse_parameter(p);
        if (v->space == PTX_SPACE_PARAM) v->index = (uint32_t)parameters.count;
        PTX_APPEND(p, parameters, v);
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, ')');
    *count = parameters.count;
    *list = ARENA_ARRAY(p->memory, parameters.count, ptx_variable *);
    if (parameters.count) memcpy(*list, parameters.items, parameters.count * sizeof **list);
}

static void parse_extents(ptx_parser *p, uint32_t extents[3]) {
    static const char what[] = "a number of threads or blocks";
    extents[0] = (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
    extents[1] = extents[2] = 1;
    for (int i = 1; i < 3 && ptx_accept(p, ','); i++) extents[i] = (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
}

/* One directive between a function's header and its body. */
static bool accept_property(ptx_parser *p, ptx_function *f) {
    static const char what[] = "a number";
    if (ptx_accept_directive(p, ".maxntid")) {
        parse_extents(p, f->max_threads);
    } else if (ptx_accept_directive(p, ".reqntid")) {
        parse_extents(p, f->required_threads);
    } else if (ptx_accept_directive(p, ".reqnctapercluster")) {
        parse_extents(p, f->cluster);
    } else if (ptx_accept_directive(p, ".minnctapersm")) {
        f->min_blocks = (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
    } else if (ptx_accept_directive(p, ".maxnreg")) {
        f->max_registers = (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
    } else if (ptx_accept_directive(p, ".maxclusterrank")) {
        f->max_cluster_rank = (uint32_t)ptx_expect_integer(p, UINT32_MAX, what);
    } else if (ptx_accept_directive(p, ".explicitcluster")) {
        f->explicit_cluster = 1;
    } else if (ptx_accept_directive(p, ".blocksareclusters")) {
        f->blocks_are_clusters = true;
    } else if (ptx_accept_directive(p, ".abi_preserve") || ptx_accept_directive(p, ".abi_preserve_control")) {
        (void)ptx_expect_integer(p, UINT32_MAX, "a number of registers");
    } else if (ptx_accept_directive(p, ".noreturn")) {
        f->is_noreturn = true;
    } else if (ptx_at_directive(p, ".pragma")) {
        f->keeps_loops |= ptx_parse_pragma(p);
    } else {
        return false;
    }
    return true;
}

static bool same_parameters(ptx_variable *const *a, size_t count_a, ptx_variable *const *b, size_t count_b) {
    if (count_a != count_b) return false;
    for (size_t i = 0; i < count_a; i++)
        if (a[i]->size != b[i]->size || a[i]->space != b[i]->space) return false;
    return true;
}

bool ptx_same_signature(const ptx_function *a, const ptx_function *b) {
    return a->is_entry == b->is_entry && same_parameters(a->params, a->param_count, b->params, b->param_count) &&
           same_parameters(a->results, a->result_count, b->results, b->result_count);
}

static void check_redeclaration(ptx_parser *p, const ptx_function *old, const ptx_function *f) {
    const bool replaces = p->source_count > 1 && old->is_weak;
    if (old->has_body && f->has_body && !replaces)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' has two bodies", f->name);
    if (!ptx_same_signature(old, f))
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' was declared with other parameters at %u:%u", f->name,
                        old->position.line, old->position.column);
}

/* The object that stands for the function from its first declaration on. */
static ptx_function *known_function(ptx_parser *p, ptx_name *name, ptx_function *f) {
    if (f->is_visible || f->is_extern || f->is_weak) ptx_symbols_link(&p->symbols, name);
    if (!name->symbol) {
        ptx_symbol *symbol = ptx_declare_at(&p->symbols, name, PTX_SYMBOL_FUNCTION, 0);
        symbol->function = f;
        f->index = (uint32_t)p->functions.count;
        PTX_APPEND(p, p->functions, f);
    }
    if (name->symbol->depth || name->symbol->kind != PTX_SYMBOL_FUNCTION)
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' is declared twice", name->text);
    return name->symbol->function;
}

static void own_parameters(ptx_function *f) {
    for (size_t i = 0; i < f->param_count; i++) f->params[i]->owner = f;
    for (size_t i = 0; i < f->result_count; i++) f->results[i]->owner = f;
}

/* ---- bodies ---- */

/* Gives `entry` a name that no other name in the function's flat list has, and that hides no module-scope name that the
 * function uses. */
static const char *unique_name(ptx_parser *p, ptx_name *name) {
    ptx_name *candidate = name;
    while (candidate->taken_in == p->function_number || candidate->used_in == p->function_number) {
        const char *text = arena_printf(&p->scratch, "%s$%u", name->text, ++name->copies);
        candidate = ptx_intern(&p->symbols, text, strlen(text));
    }
    candidate->taken_in = p->function_number;
    return candidate->text;
}

/* Outer names first, so that they stay as they are; inner ones give way. */
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

static void name_parameters(ptx_parser *p, ptx_variable **list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ptx_name *name = ptx_intern(&p->symbols, list[i]->name, strlen(list[i]->name));
        if (list[i]->space == PTX_SPACE_PARAM) list[i]->name = unique_name(p, name);
    }
}

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

/* The parser's lists become the function's arrays. */
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

static void clear_lists(ptx_parser *p) {
    p->registers.count = p->locals.count = p->local_nested.count = 0;
    p->labels.count = p->instructions.count = 0;
    p->label_uses[1] = NULL;
    p->place = 0;
    p->keeps_loop = false;
}

/* ---- whole functions ---- */

static ptx_function *parse_header(ptx_parser *p, ptx_function *f) {
    if (ptx_accept_directive(p, ".attribute")) (void)ptx_parse_attribute(p);
    if (!f->is_entry && ptx_at(p, '(')) parse_parameters(p, &f->results, &f->result_count);
    f->position = p->lexer.token.position;
    ptx_name *name = ptx_expect_name(p);
    f->name = name->text;
    ptx_function *known = known_function(p, name, f);
    if (ptx_at(p, '(')) parse_parameters(p, &f->params, &f->param_count);
    while (accept_property(p, f)) continue;
    f->has_body = ptx_at(p, '{');
    if (!f->has_body && !ptx_at(p, ';')) ptx_expected(p, "'{' or ';'");
    if (known == f) return f;
    if (p->source_count > 1 && f->is_weak && known->has_body && f->has_body) return f; /* read, and forgotten */
    check_redeclaration(p, known, f);
    if (!f->has_body) return known;
    f->index = known->index;
    *known = *f;
    own_parameters(known);
    return known;
}

void ptx_parse_function(ptx_parser *p, ptx_linkage linkage) {
    ptx_function *f = ARENA_NEW(p->memory, ptx_function);
    f->is_entry = ptx_at_directive(p, ".entry");
    f->is_extern = linkage.is_extern;
    f->is_visible = linkage.is_visible;
    f->is_weak = linkage.is_weak;
    f->keeps_loops = p->module->keeps_loops;
    p->function = f;
    p->function_number++;
    clear_lists(p);
    ptx_scope_open(&p->symbols);
    ptx_lexer_advance(&p->lexer);
    p->function = parse_header(p, f);
    if (ptx_at(p, '{')) {
        ptx_parse_body(p);
        keep_lists(p, p->function);
    }
    ptx_scope_close(&p->symbols);
    if (p->function->has_body && ptx_at(p, '}')) {
        name_everything(p, p->function);
        ptx_lexer_advance(&p->lexer);
    } else {
        ptx_expect(p, ';');
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
    if (ptx_at(p, '(')) parse_parameters(p, &f->results, &f->result_count);
    ptx_expect_name(p);
    if (ptx_at(p, '(')) parse_parameters(p, &f->params, &f->param_count);
    while (accept_property(p, f)) continue;
    ptx_scope_close(&p->symbols);
    p->registers.count = registers; /* its register parameters are nobody's registers */
    p->function = outer;
    return f;
}
