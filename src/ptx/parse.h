/* What the parser's parts share; only src/ptx/parse_*.c include this. */
#ifndef HAUL_PTX_PARSE_H
#define HAUL_PTX_PARSE_H

#include "ptx/lexer.h"
#include "ptx/needs.h"
#include "ptx/symbols.h"

/* A label that an operand or a table names, resolved when the scopes around it end. */
typedef struct ptx_label_use ptx_label_use;
struct ptx_label_use {
    ptx_name *name;
    uint32_t *label; /* to be filled in */
    ptx_position position;
    ptx_label_use *next;
};

/* A list under construction in the scratch arena; kept from function to function so that it grows only once. */
#define PTX_LIST_OF(type)       \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* A name of the function being parsed that must be unique once its scopes are flattened. */
typedef struct ptx_local_name {
    ptx_name *name;
    const char **text; /* where the unique one goes */
    bool nested;       /* declared in an inner scope, so that it gives way */
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
    size_t source_count; /* texts of the module */
    arena *memory;       /* the module's */
    arena scratch;

    PTX_LIST_OF(ptx_variable *) variables;
    bool uses_workspace; /* some instruction asks for the grid's */
    PTX_LIST_OF(ptx_function *) functions;
    PTX_LIST_OF(const char *) files;
    bool maps_f64;     /* the text that is being read has the target option map_f64_to_f32 */
    size_t first_file; /* of the text that is being read: what it calls file 0 */
    PTX_LIST_OF(ptx_place) places;
    uint32_t *place_table; /* open addressing: the latest place (index + 1) of each file:line:column */
    size_t place_table_size, place_table_count;
    uint64_t initial_bytes;   /* in initialisers so far */
    uint64_t range_variables; /* of ranges such as `x<4>` so far */

    ptx_function *function; /* being parsed; its lists: */
    uint32_t function_number;
    PTX_LIST_OF(ptx_register_entry) registers;
    PTX_LIST_OF(ptx_variable *) locals;
    PTX_LIST_OF(bool) local_nested;
    PTX_LIST_OF(ptx_label_entry) labels;
    PTX_LIST_OF(ptx_instruction) instructions;
    PTX_LIST_OF(ptx_operand) parts;            /* of the operands being parsed: a stack */
    ptx_label_use *label_uses[PTX_MAX_SCOPES]; /* of each open scope */
    uint32_t place;                            /* of the next instruction, index + 1 */
    bool keeps_loop;                           /* the next instruction has a pragma "nounroll" in front */
} ptx_parser;

/* The largest things a module may declare, so that hostile text costs a message, not the machine's memory. */
#define PTX_MAX_SOURCE (UINT64_C(1) << 30)
#define PTX_MAX_VARIABLE (UINT64_C(1) << 40)
#define PTX_MAX_INITIAL (UINT64_C(1) << 30)
enum {
    PTX_MAX_RANGE = 1 << 24,
    PTX_MAX_VARIABLES = 1 << 16, /* of all ranges */
    PTX_MAX_FILES = 1 << 16,
    PTX_MAX_ALIGNMENT = 1 << 16,
    PTX_MAX_NESTING = 64,
};

/* ---- tokens (parse_token.c) ---- */

_Noreturn void ptx_expected(ptx_parser *p, const char *what);
bool ptx_at(const ptx_parser *p, int kind);
/* Fails when it is one, and the module's version or target does not have it. */
bool ptx_at_directive(ptx_parser *p, const char *name);
bool ptx_accept(ptx_parser *p, int kind);
bool ptx_accept_directive(ptx_parser *p, const char *name);
void ptx_expect(ptx_parser *p, int kind);
/* A name; not `_`, `$` or `WARP_SZ`, which no declaration can have. */
ptx_name *ptx_expect_name(ptx_parser *p);
/* The same, or `_` where a name is not used. */
ptx_name *ptx_expect_name_or_sink(ptx_parser *p);
uint64_t ptx_expect_integer(ptx_parser *p, uint64_t largest, const char *what);
/* The current token as an interned name. */
ptx_name *ptx_token_name(ptx_parser *p);
ptx_symbol *ptx_declare_or_fail(ptx_parser *p, ptx_name *name, ptx_symbol_kind kind, ptx_position at);
ptx_type ptx_type_of_directive(ptx_parser *p); /* PTX_TYPE_NONE if it names none; else as ptx_at_directive() */

/* Appends to a PTX_LIST_OF list. */
#define PTX_APPEND(p, list, value) ARENA_PUSH(&(p)->scratch, (list).items, (list).count, (list).capacity, value)

/* ---- what the module's version and target have (parse_needs.c) ---- */

/* Fails at `at` unless they have what is needed; `what` names it. */
void ptx_require(ptx_parser *p, ptx_position at, const char *what, size_t length, const ptx_need *need);
/* The same of what directives.def names; of the current token, a directive or a word. */
void ptx_require_feature(ptx_parser *p, ptx_position at, const char *name);
void ptx_require_token(ptx_parser *p);

/* ---- constant expressions (parse_expression.c) ---- */

enum { PTX_WARP_SIZE = 32 }; /* WARP_SZ */

typedef struct ptx_constant {
    bool is_float, is_unsigned;
    uint8_t width; /* of a float */
    uint64_t bits;
} ptx_constant;

/* Whether the current token can start a constant. */
bool ptx_at_constant(const ptx_parser *p);
ptx_constant ptx_parse_constant(ptx_parser *p);
double ptx_constant_double(ptx_constant c);
float ptx_constant_float(ptx_constant c);

/* ---- declarations (parse_declare.c) ---- */

/* `.global ...;` and the like, at module scope or in a body, from the state space's directive on. */
void ptx_parse_variables(ptx_parser *p, ptx_linkage linkage);
/* Where a .pragma stands: at module scope, between a kernel's header and its body, or in a body. */
typedef enum ptx_pragma_place { PTX_PRAGMA_OF_MODULE, PTX_PRAGMA_OF_HEADER, PTX_PRAGMA_OF_BODY } ptx_pragma_place;
/* `.reg ...;` */
void ptx_parse_registers(ptx_parser *p);
/* The directives that stand here, between a function's header and its body (parse_property.c). */
void ptx_parse_properties(ptx_parser *p, ptx_function *f);
/* One parameter of a function, without what follows it. */
ptx_variable *ptx_parse_parameter(ptx_parser *p, ptx_parameter_role role);
/* Behind `.attribute`, of a variable in that space, or of a function: GENERIC; true: .managed. */
bool ptx_parse_attribute(ptx_parser *p, ptx_space space);
bool ptx_at_space(const ptx_parser *p);
uint32_t ptx_add_register(ptx_parser *p, ptx_name *name, ptx_type type, bool nested);
/* Behind `=`: the variable's initial value; sets its size where its first dimension is open (parse_initial.c). */
void ptx_parse_initialiser(ptx_parser *p, ptx_variable *variable);

/* ---- functions (parse_function.c, parse_body.c, parse_instruction.c) ---- */

/* `.entry ...` or `.func ...` from that directive on. */
void ptx_parse_function(ptx_parser *p, ptx_linkage linkage);
/* The parameter lists of a `.callprototype`, whose names mean nothing. */
ptx_function *ptx_parse_prototype(ptx_parser *p);
void ptx_parse_body(ptx_parser *p);
/* Whether both are entries or not, with parameters and results of the same sizes. */
bool ptx_same_signature(const ptx_function *a, const ptx_function *b);
/* An instruction from its guard or opcode to its semicolon, or a label with its colon and what belongs to it. */
void ptx_parse_statement(ptx_parser *p);
/* From the colon on (parse_body.c). */
void ptx_parse_label(ptx_parser *p, ptx_name *name, ptx_position at);
void ptx_use_label(ptx_parser *p, ptx_name *name, uint32_t *label, ptx_position at);

/* ---- places (parse_place.c) ---- */

void ptx_parse_loc(ptx_parser *p);
void ptx_parse_file(ptx_parser *p);
void ptx_parse_section(ptx_parser *p);
/* Whether it is "nounroll". */
bool ptx_parse_pragma(ptx_parser *p, ptx_pragma_place place);

#endif
