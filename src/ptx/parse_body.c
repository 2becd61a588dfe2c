/* Parses a function's body: statements, nested scopes, and labels.
 *
 * Labels can be used before they are declared, so a use is kept until its scope ends. If the scope has such a label the
 * use is resolved, otherwise it goes to the scope around it. */
#include "ptx/parse.h"

#include <string.h>

/* ---- labels ---- */

/* Keeps a use until its scope ends; *label is set then. */
void ptx_use_label(ptx_parser *p, ptx_name *name, uint32_t *label, ptx_position at) {
    ptx_label_use *use = ARENA_NEW(&p->scratch, ptx_label_use);
    *use = (ptx_label_use){name, label, at, p->label_uses[p->symbols.depth]};
    p->label_uses[p->symbols.depth] = use;
}

static bool earlier(ptx_position a, ptx_position b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/* Names the first use in the text; the list is in another order. */
_Noreturn static void fail_undefined(ptx_parser *p, const ptx_label_use *uses) {
    const ptx_label_use *first = uses;
    for (; uses; uses = uses->next)
        if (earlier(uses->position, first->position)) first = uses;
    ptx_fail_syntax(&p->diagnostics, first->position, "undefined label '%s'", first->name->text);
}

/* Resolves uses of labels of the ending scope; other uses are left to the outer scope. */
static void resolve_labels(ptx_parser *p) {
    uint32_t depth = p->symbols.depth;
    ptx_label_use *outer = depth > 1 ? p->label_uses[depth - 1] : NULL;
    for (ptx_label_use *use = p->label_uses[depth], *next; use; use = next) {
        next = use->next;
        const ptx_symbol *symbol = use->name->symbol;
        if (symbol && symbol->kind == PTX_SYMBOL_LABEL && symbol->depth == depth) {
            *use->label = symbol->index;
        } else {
            use->next = outer;
            outer = use;
        }
    }
    if (depth > 1) {
        p->label_uses[depth - 1] = outer;
    } else if (outer) {
        fail_undefined(p, outer);
    }
}

/* ---- tables after a label ---- */

/* `.branchtargets A, B;` */
static void parse_branch_targets(ptx_parser *p, ptx_label *label) {
    PTX_LIST_OF(ptx_name *) names = {0};
    PTX_LIST_OF(ptx_position) positions = {0};
    do {
        PTX_APPEND(p, positions, p->lexer.token.position);
        PTX_APPEND(p, names, ptx_expect_name(p));
    } while (ptx_accept(p, ','));
    uint32_t *targets = ARENA_ARRAY(p->memory, names.count, uint32_t);
    for (size_t i = 0; i < names.count; i++) ptx_use_label(p, names.items[i], &targets[i], positions.items[i]);
    label->branch_targets = targets;
    label->branch_target_count = (uint32_t)names.count;
}

/* `.calltargets f, g;` */
static void parse_call_targets(ptx_parser *p, ptx_label *label) {
    PTX_LIST_OF(ptx_function *) functions = {0};
    do {
        ptx_position at = p->lexer.token.position;
        ptx_name *name = ptx_expect_name(p);
        if (!name->symbol || name->symbol->kind != PTX_SYMBOL_FUNCTION)
            ptx_fail_syntax(&p->diagnostics, at, "'%s' is not a function", name->text);
        name->used_in = p->function_number;
        PTX_APPEND(p, functions, name->symbol->function);
    } while (ptx_accept(p, ','));
    ptx_function **targets = ARENA_ARRAY(p->memory, functions.count, ptx_function *);
    memcpy(targets, functions.items, functions.count * sizeof *targets);
    label->call_targets = targets;
    label->call_target_count = (uint32_t)functions.count;
}

/* A label may be followed by a table: targets of brx.idx, targets of an indirect call, or a prototype. */
static void parse_table(ptx_parser *p, ptx_label *label) {
    if (ptx_accept_directive(p, ".branchtargets")) {
        parse_branch_targets(p, label);
    } else if (ptx_accept_directive(p, ".calltargets")) {
        parse_call_targets(p, label);
    } else if (ptx_accept_directive(p, ".callprototype")) {
        label->prototype = ptx_parse_prototype(p);
        (void)ptx_accept(p, ';'); /* old compilers leave it out */
        return;
    } else {
        return;
    }
    ptx_expect(p, ';');
}

void ptx_parse_label(ptx_parser *p, ptx_name *name, ptx_position at) {
    ptx_expect(p, ':');
    ptx_symbol *symbol = ptx_declare_or_fail(p, name, PTX_SYMBOL_LABEL, at);
    symbol->index = (uint32_t)p->labels.count;
    ptx_label label = {.target = (uint32_t)p->instructions.count, .position = at};
    parse_table(p, &label);
    PTX_APPEND(p, p->labels, ((ptx_label_entry){name, label, p->symbols.depth > 1}));
}

/* ---- statements ---- */

/* The symbols and the list of label uses have the same depth. */
static void open_scope(ptx_parser *p) {
    if (!ptx_scope_open(&p->symbols))
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "scopes are nested too deeply");
    p->label_uses[p->symbols.depth] = NULL;
    ptx_lexer_advance(&p->lexer);
}

static void close_scope(ptx_parser *p) {
    resolve_labels(p);
    ptx_scope_close(&p->symbols);
    ptx_lexer_advance(&p->lexer);
}

static void parse_directive(ptx_parser *p) {
    if (ptx_at_directive(p, ".reg")) {
        ptx_parse_registers(p);
    } else if (ptx_at_directive(p, ".loc")) {
        ptx_parse_loc(p);
    } else if (ptx_at_directive(p, ".loc_intermediate")) {
        ptx_parse_intermediate_loc(p);
    } else if (ptx_at_directive(p, ".pragma")) {
        p->keeps_loop |= ptx_parse_pragma(p, PTX_PRAGMA_OF_BODY);
    } else if (ptx_at_space(p)) {
        ptx_parse_variables(p, PTX_LINKAGE_NONE);
    } else {
        const ptx_token *t = &p->lexer.token;
        ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, t->position, "unsupported directive '%.*s' in a function",
                 (int)(t->length < 60 ? t->length : 60), t->text);
    }
}

/* The body's own braces open no scope: parameters and body share one. The closing brace stays current. */
void ptx_parse_body(ptx_parser *p) {
    ptx_expect(p, '{');
    for (;;) {
        switch (p->lexer.token.kind) {
        case PTX_TOKEN_WORD:
        case '@': ptx_parse_statement(p); break;
        case PTX_TOKEN_DIRECTIVE: parse_directive(p); break;
        case '{': open_scope(p); break;
        case '}':
            if (p->symbols.depth == 1) {
                resolve_labels(p);
                return;
            }
            close_scope(p);
            break;
        default: ptx_expected(p, "a statement");
        }
    }
}
