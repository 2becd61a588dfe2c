/* Shared by the parts of the parser: testing, accepting and expecting tokens, names and types.
 *
 * `at` looks at the current token, `accept` also moves past it if it fits, `expect` fails if it does not. Directives
 * and types check on the way that the module's version has them. */
#include "ptx/parse.h"

#include <string.h>

/* Fails because `what` was expected at the current token. */
void ptx_expected(ptx_parser *p, const char *what) {
    const ptx_token *t = &p->lexer.token;
    if (t->kind == PTX_TOKEN_END) ptx_fail_syntax(&p->diagnostics, t->position, "expected %s, but the text ends", what);
    int shown = t->length < 60 ? (int)t->length : 60;
    ptx_fail_syntax(&p->diagnostics, t->position, "expected %s, found '%.*s'", what, shown, t->text);
}

bool ptx_at(const ptx_parser *p, int kind) {
    return p->lexer.token.kind == kind;
}

bool ptx_at_directive(ptx_parser *p, const char *name) {
    const ptx_token *t = &p->lexer.token;
    if (t->kind != PTX_TOKEN_DIRECTIVE || t->length != strlen(name) || memcmp(t->text, name, t->length) != 0)
        return false;
    ptx_require_token(p);
    return true;
}

bool ptx_accept(ptx_parser *p, int kind) {
    if (!ptx_at(p, kind)) return false;
    ptx_lexer_advance(&p->lexer);
    return true;
}

bool ptx_accept_directive(ptx_parser *p, const char *name) {
    if (!ptx_at_directive(p, name)) return false;
    ptx_lexer_advance(&p->lexer);
    return true;
}

void ptx_expect(ptx_parser *p, int kind) {
    if (ptx_accept(p, kind)) return;
    char what[] = "'?'";
    what[1] = (char)kind;
    ptx_expected(p, what);
}

ptx_name *ptx_token_name(ptx_parser *p) {
    return ptx_intern(&p->symbols, p->lexer.token.text, p->lexer.token.length);
}

/* Words that cannot be names. */
static bool is_reserved(const ptx_token *t) {
    static const char warp_size[] = "WARP_SZ";
    if (t->length == 1) return *t->text == '$';
    return t->length == strlen(warp_size) && memcmp(t->text, warp_size, t->length) == 0;
}

ptx_name *ptx_expect_name_or_sink(ptx_parser *p) {
    if (!ptx_at(p, PTX_TOKEN_WORD) || is_reserved(&p->lexer.token)) ptx_expected(p, "a name");
    ptx_name *name = ptx_token_name(p);
    ptx_lexer_advance(&p->lexer);
    return name;
}

ptx_name *ptx_expect_name(ptx_parser *p) {
    if (ptx_at(p, PTX_TOKEN_WORD) && p->lexer.token.length == 1 && *p->lexer.token.text == '_')
        ptx_expected(p, "a name");
    return ptx_expect_name_or_sink(p);
}

uint64_t ptx_expect_integer(ptx_parser *p, uint64_t largest, const char *what) {
    if (!ptx_at(p, PTX_TOKEN_INTEGER)) ptx_expected(p, what);
    uint64_t value = p->lexer.token.bits;
    if (value > largest)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "%s may be at most %llu, not %llu", what,
                        (unsigned long long)largest, (unsigned long long)value);
    ptx_lexer_advance(&p->lexer);
    return value;
}

/* A name may not hide a register of a range of the same scope, even if that register was not used yet. */
ptx_symbol *ptx_declare_or_fail(ptx_parser *p, ptx_name *name, ptx_symbol_kind kind, ptx_position at) {
    uint32_t number;
    ptx_symbol *range = p->symbols.depth ? ptx_find_range(&p->symbols, name, &number) : NULL;
    if (name->special >= 0) ptx_fail_syntax(&p->diagnostics, at, "'%s' is a special register", name->text);
    ptx_symbol *symbol = range && range->depth == p->symbols.depth ? NULL : ptx_declare(&p->symbols, name, kind);
    if (!symbol) ptx_fail_syntax(&p->diagnostics, at, "'%s' is declared twice", name->text);
    return symbol;
}

static bool is_named(const ptx_token *t, unsigned type) {
    const char *name = ptx_types[type].name;
    return t->length == strlen(name) + 1 && memcmp(t->text + 1, name, t->length - 1) == 0;
}

ptx_type ptx_type_of_directive(ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    if (t->kind != PTX_TOKEN_DIRECTIVE) return PTX_TYPE_NONE;
    for (unsigned i = 1; i < PTX_TYPE_COUNT; i++) {
        if (!is_named(t, i)) continue;
        ptx_require_token(p);
        return i;
    }
    return PTX_TYPE_NONE;
}
