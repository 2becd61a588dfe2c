/* Declarations shared by the parser's files, src/ptx/parse_*.c. */
#ifndef HAUL_PTX_PARSE_H
#define HAUL_PTX_PARSE_H

#include "ptx/lexer.h"
#include "ptx/needs.h"
#include "ptx/symbols.h"

/* A use of a label by an operand or a table, resolved when the scopes around it end. */
typedef struct ptx_label_use ptx_label_use;
struct ptx_label_use {
    ptx_name *name;
    uint32_t *label; /* output */
    ptx_position position;
    ptx_label_use *next;
};

/* A list in the scratch arena, reused from function to function so that it grows only once. */
#define PTX_LIST_OF(type)       \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* A name in the current function that must be unique once scopes are flattened. */
typedef struct ptx_local_name {
    ptx_name *name;
    const char **text; /* where the unique name is stored */
    bool nested;       /* declared in an inner scope, so it gets the suffix */
} ptx_local_name;

typedef struct ptx_register_entry {
    ptx_name *name;
    ptx_type type;
    bool nested;
} ptx_register_entry;

typedef struct ptx_label_entry {
    ptx_name *name;
    ptx_label label;
    bool nested;
} ptx_label_entry;

typedef struct ptx_parser {
    ptx_diagnostics diagnostics;
    ptx_lexer lexer;
    ptx_symbols symbols;
    ptx_module *module;
    size_t source_count; /* number of texts */
    arena *memory;       /* the module's */
    arena scratch;

    PTX_LIST_OF(ptx_variable *) variables;
    bool uses_workspace; /* some instruction uses the grid's workspace */
    PTX_LIST_OF(ptx_function *) functions;
    PTX_LIST_OF(const char *) files;
    bool maps_f64;     /* the current text has the target option map_f64_to_f32 */
    size_t first_file; /* index of the current text's file 0 */
    PTX_LIST_OF(ptx_place) places;
    uint32_t *place_table; /* open addressing: the latest place (index + 1) of each file:line:column */
    size_t place_table_size, place_table_count;
    uint64_t initial_bytes;   /* in initialisers so far */
    uint64_t range_variables; /* of ranges such as `x<4>` so far */

    ptx_function *function; /* current; its lists follow */
    uint32_t function_number;
    PTX_LIST_OF(ptx_register_entry) registers;
    PTX_LIST_OF(ptx_variable *) locals;
    PTX_LIST_OF(bool) local_nested;
    PTX_LIST_OF(ptx_label_entry) labels;
    PTX_LIST_OF(ptx_instruction) instructions;
    PTX_LIST_OF(ptx_operand) parts;            /* of the operands being parsed: a stack */
    ptx_label_use *label_uses[PTX_MAX_SCOPES]; /* of each open scope */
    uint32_t place;                            /* of the next instruction, index + 1 */
    bool keeps_loop;                           /* the next instruction follows a pragma "nounroll" */
} ptx_parser;

/* Limits on what a module may declare, so that hostile text costs a message, not the machine's memory. */
#define PTX_MAX_SOURCE (UINT64_C(1) << 30)
#define PTX_MAX_VARIABLE (UINT64_C(1) << 40)
#define PTX_MAX_INITIAL (UINT64_C(1) << 30)
enum {
    PTX_MAX_RANGE = 1 << 24,
    PTX_MAX_VARIABLES = 1 << 16, /* in all ranges */
    PTX_MAX_FILES = 1 << 16,
    PTX_MAX_ALIGNMENT = 1 << 16,
    PTX_MAX_NESTING = 64,
};

/* ---- tokens (parse_token.c) ---- */

_Noreturn void ptx_expected(ptx_parser *p, const char *what);
bool ptx_at(const ptx_parser *p, int kind);
/* Returns whether the directive is next; fails if it is, but the module's version or target lacks it. */
bool ptx_at_directive(ptx_parser *p, const char *name);
bool ptx_accept(ptx_parser *p, int kind);
bool ptx_accept_directive(ptx_parser *p, const char *name);
void ptx_expect(ptx_parser *p, int kind);
/* Expects a name, but not `_`, `$` or `WARP_SZ`, which cannot be declared. */
ptx_name *ptx_expect_name(ptx_parser *p);
/* Expects a name, or `_` for an unused one. */
ptx_name *ptx_expect_name_or_sink(ptx_parser *p);
uint64_t ptx_expect_integer(ptx_parser *p, uint64_t largest, const char *what);
/* Returns the current token as an interned name. */
ptx_name *ptx_token_name(ptx_parser *p);
ptx_symbol *ptx_declare_or_fail(ptx_parser *p, ptx_name *name, ptx_symbol_kind kind, ptx_position at);
ptx_type ptx_type_of_directive(ptx_parser *p); /* PTX_TYPE_NONE if it names none; otherwise like ptx_at_directive() */

/* Appends to a PTX_LIST_OF list. */
#define PTX_APPEND(p, list, value) ARENA_PUSH(&(p)->scratch, (list).items, (list).count, (list).capacity, value)

/* ---- needs of version and target (parse_needs.c) ---- */

/* Fails at `at` unless the module's version and target meet the need; `what` names the feature. */
void ptx_require(ptx_parser *p, ptx_position at, const char *what, size_t length, const ptx_need *need);
/* Do the same for a name in directives.def, and for the current token, a directive or a word. */
void ptx_require_feature(ptx_parser *p, ptx_position at, const char *name);
void ptx_require_token(ptx_parser *p);
/* Fails: haul has no such instruction or directive (`kind`). The message says why if refused.def does. */
_Noreturn void ptx_fail_unsupported(ptx_parser *p, ptx_position at, const char *kind, const char *text, size_t length);

/* ---- constant expressions (parse_expression.c) ---- */

enum { PTX_WARP_SIZE = 32 }; /* WARP_SZ */

typedef struct ptx_constant {
    bool is_float, is_unsigned;
    uint8_t width; /* of a float */
    uint64_t bits;
} ptx_constant;

/* Returns whether the current token can start a constant. */
bool ptx_at_constant(const ptx_parser *p);
ptx_constant ptx_parse_constant(ptx_parser *p);
double ptx_constant_double(ptx_constant c);
float ptx_constant_float(ptx_constant c);

/* ---- declarations (parse_declare.c) ---- */

/* Parses `.global ...;` and the like, at module scope or in a body, from the state space's directive on. */
void ptx_parse_variables(ptx_parser *p, ptx_linkage linkage);
/* Places of a .pragma: at module scope, between a kernel's header and its body, or in a body. */
typedef enum ptx_pragma_place { PTX_PRAGMA_OF_MODULE, PTX_PRAGMA_OF_HEADER, PTX_PRAGMA_OF_BODY } ptx_pragma_place;
/* Parses `.reg ...;`. */
void ptx_parse_registers(ptx_parser *p);
/* Parses the directives between a function's header and its body (parse_property.c). */
void ptx_parse_properties(ptx_parser *p, ptx_function *f);
/* Parses one parameter of a function. */
ptx_variable *ptx_parse_parameter(ptx_parser *p, ptx_parameter_role role);
/* Parses what follows `.attribute` of a variable in that space, or of a function (GENERIC); returns true for
 * .managed. */
bool ptx_parse_attribute(ptx_parser *p, ptx_space space);
bool ptx_at_space(const ptx_parser *p);
uint32_t ptx_add_register(ptx_parser *p, ptx_name *name, ptx_type type, bool nested);
/* Parses the initial value after `=`; sets the variable's size if its first dimension is open (parse_initial.c). */
void ptx_parse_initialiser(ptx_parser *p, ptx_variable *variable);

/* ---- functions (parse_function.c, parse_body.c, parse_instruction.c) ---- */

/* Parses `.entry ...` or `.func ...` from that directive on. */
void ptx_parse_function(ptx_parser *p, ptx_linkage linkage);
/* Parses the parameter lists of a `.callprototype`, whose names are ignored. */
ptx_function *ptx_parse_prototype(ptx_parser *p);
void ptx_parse_body(ptx_parser *p);
/* Returns whether both or neither are entries, with parameters and results of the same sizes. */
bool ptx_same_signature(const ptx_function *a, const ptx_function *b);
/* Parses an instruction from its guard or opcode to its semicolon, or a label with its colon and what belongs to it. */
void ptx_parse_statement(ptx_parser *p);
/* Parses a label from its colon on (parse_body.c). */
void ptx_parse_label(ptx_parser *p, ptx_name *name, ptx_position at);
void ptx_use_label(ptx_parser *p, ptx_name *name, uint32_t *label, ptx_position at);

/* ---- places (parse_place.c) ---- */

void ptx_parse_loc(ptx_parser *p);
void ptx_parse_file(ptx_parser *p);
void ptx_parse_section(ptx_parser *p);
void ptx_parse_intermediate_loc(ptx_parser *p);
void ptx_parse_intermediate_sources(ptx_parser *p);
/* Parses a pragma; returns whether it is "nounroll". */
bool ptx_parse_pragma(ptx_parser *p, ptx_pragma_place place);

#endif
