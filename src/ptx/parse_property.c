/* Directives between a function's header and its body: properties.def, and .pragma. */
#include "ptx/parse.h"
#include "ptx/print.h"

enum { TAKES_NONE, TAKES_NUMBER, TAKES_EXTENTS };
enum { IS_FOR_ENTRY, IS_FOR_FUNCTION };

static const struct property {
    const char *name;
    size_t field;
    uint32_t least, most;
    uint8_t takes, is_for;
} properties[] = {
#define PROPERTY(name, field, value, least, most, of) \
    {name, offsetof(ptx_function, field), least, most, TAKES_##value, IS_FOR_##of},
#define CONFLICT(a, b)
#include "ptx/properties.def"
#undef PROPERTY
#undef CONFLICT
};

/* Bits of ptx_function.given. */
enum {
#define PROPERTY(name, field, value, least, most, of) ROW_OF_##field,
#define CONFLICT(a, b)
#include "ptx/properties.def"
#undef PROPERTY
#undef CONFLICT
    ROWS
};
_Static_assert(ROWS <= 32, "ptx_function.given has a bit for each row of properties.def");

static const uint8_t conflicts[][2] = {
#define PROPERTY(name, field, value, least, most, of)
#define CONFLICT(a, b) {ROW_OF_##a, ROW_OF_##b},
#include "ptx/properties.def"
#undef PROPERTY
#undef CONFLICT
};

static bool has(const ptx_function *f, unsigned row) {
    return f->given >> row & 1;
}

/* Parses a number between the row's limits. */
static uint32_t parse_number(ptx_parser *p, const struct property *property) {
    const ptx_position at = p->lexer.token.position;
    const char *what = arena_printf(&p->scratch, "the number after '%s'", property->name);
    const uint64_t value = ptx_expect_integer(p, property->most, what);
    if (value < property->least)
        ptx_fail_syntax(&p->diagnostics, at, "%s must be at least %u, not %u", what, property->least, (unsigned)value);
    return (uint32_t)value;
}

/* Stores the directive's value in its field: 1, a number, or up to three extents of which missing ones are 1. */
static void parse_value(ptx_parser *p, ptx_function *f, const struct property *property) {
    uint32_t *field = (uint32_t *)(void *)((char *)f + property->field);
    field[0] = property->takes == TAKES_NONE ? 1 : parse_number(p, property);
    if (property->takes != TAKES_EXTENTS) return;
    field[1] = field[2] = 1;
    for (int i = 1; i < 3 && ptx_accept(p, ','); i++) field[i] = parse_number(p, property);
}

/* Returns the row of the current token; ROWS if it is none. Directives for the other kind of function, or given twice,
 * are errors. */
static unsigned row_here(ptx_parser *p, const ptx_function *f) {
    unsigned row = 0;
    while (row < ROWS && !ptx_at_directive(p, properties[row].name)) row++;
    if (row == ROWS) return ROWS;
    const ptx_position at = p->lexer.token.position;
    const bool for_entry = properties[row].is_for == IS_FOR_ENTRY;
    if (for_entry != f->is_entry)
        ptx_fail_syntax(&p->diagnostics, at, "'%s' is for %s: remove it", properties[row].name,
                        for_entry ? "kernels (.entry)" : "functions (.func)");
    if (!for_entry && has(f, row))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' is given twice: remove one", properties[row].name);
    if (row == ROW_OF_is_noreturn && f->given)
        ptx_fail_syntax(&p->diagnostics, at, "'%s' goes before other directives", properties[row].name);
    return row;
}

/* Checks the directive at `at`, of row `row`, against earlier ones. */
static void check_conflicts(ptx_parser *p, const ptx_function *f, unsigned row, ptx_position at) {
    for (size_t c = 0; c < sizeof conflicts / sizeof *conflicts; c++) {
        const unsigned other = conflicts[c][0] == row ? conflicts[c][1] : conflicts[c][0];
        if ((conflicts[c][0] == row || conflicts[c][1] == row) && has(f, other))
            ptx_fail_syntax(&p->diagnostics, at, "'%s' and '%s' cannot be combined: remove one", properties[other].name,
                            properties[row].name);
    }
}

/* Checks that need all directives. */
static void check_all(ptx_parser *p, const ptx_function *f, ptx_position at) {
    if (has(f, ROW_OF_blocks_are_clusters) && !(has(f, ROW_OF_required_threads) && has(f, ROW_OF_cluster)))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' needs '%s' and '%s'", properties[ROW_OF_blocks_are_clusters].name,
                        properties[ROW_OF_required_threads].name, properties[ROW_OF_cluster].name);
    if (has(f, ROW_OF_is_noreturn) && f->result_count)
        ptx_fail_syntax(&p->diagnostics, at, "'%s' has a result, so it cannot be %s", f->name,
                        properties[ROW_OF_is_noreturn].name);
    if (f->is_entry && ptx_at(p, ';'))
        ptx_fail_syntax(&p->diagnostics, at, "'%s' has no body here: directives of a kernel go before its body",
                        f->name);
}

void ptx_parse_properties(ptx_parser *p, ptx_function *f) {
    const ptx_position first = p->lexer.token.position;
    bool found = false;
    for (;; found = true) {
        const ptx_position at = p->lexer.token.position;
        const unsigned row = row_here(p, f);
        if (row < ROWS) {
            check_conflicts(p, f, row, at);
            ptx_lexer_advance(&p->lexer);
            parse_value(p, f, &properties[row]);
            f->given |= 1u << row;
        } else if (f->is_entry && ptx_at_directive(p, ".pragma")) {
            f->keeps_loops |= ptx_parse_pragma(p, PTX_PRAGMA_OF_HEADER);
        } else {
            break;
        }
    }
    if (found) check_all(p, f, first);
}

/* Prints the directives that were given, in the table's order. */
void ptx_print_properties(const ptx_function *f, const char *before, text *out) {
    for (unsigned row = 0; row < ROWS; row++) {
        const uint32_t *field = (const uint32_t *)(const void *)((const char *)f + properties[row].field);
        if (!has(f, row)) continue;
        text_printf(out, "%s%s", before, properties[row].name);
        if (properties[row].takes != TAKES_NONE) text_printf(out, " %u", field[0]);
        if (properties[row].takes == TAKES_EXTENTS) text_printf(out, ", %u, %u", field[1], field[2]);
    }
}
