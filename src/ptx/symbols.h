/* The symbol table of a module under construction: interning, nested scopes, register ranges, opcodes.
 *
 * Each distinct name is one ptx_name, which points to its meaning in the innermost scope. So a look-up is one hash
 * look-up, however deep the nesting. Symbols and tables live in the parser's scratch arena, the names' text in the
 * module's. */
#ifndef HAUL_PTX_SYMBOLS_H
#define HAUL_PTX_SYMBOLS_H

#include "ptx/needs.h"
#include "ptx/pattern.h"

typedef struct ptx_symbol ptx_symbol;
typedef struct ptx_name ptx_name;

/* An opcode in the text, and what it needs. */
typedef struct ptx_known_opcode {
    ptx_opcode opcode;
    ptx_need need;
    bool depends_on_operands; /* operands may add to the need */
} ptx_known_opcode;

struct ptx_name {
    const char *text;
    uint32_t length;
    uint64_t hash;
    ptx_name *next_in_bucket;
    ptx_symbol *symbol;             /* innermost meaning, or NULL */
    ptx_symbol *range;              /* innermost register range with this prefix, or NULL */
    ptx_symbol *linked;             /* meaning in other texts of the module, if visible, or NULL */
    const ptx_known_opcode *opcode; /* once resolved as one */
    int special;                    /* ptx_special, or -1 */
    uint32_t used_in;               /* number of the last function that used the name's module-scope meaning */
    uint32_t taken_in;              /* number of the last function whose flat names include it */
    uint32_t copies;                /* number of names derived from it */
};

typedef enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER,        /* index */
    PTX_SYMBOL_REGISTER_VECTOR, /* index of the first, count */
    PTX_SYMBOL_RANGE,           /* type, count: registers that are made when first named */
    PTX_SYMBOL_VARIABLE,
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_LABEL, /* index */
} ptx_symbol_kind;

/* The linkage that a declaration states. */
typedef enum ptx_linkage {
    PTX_LINKAGE_NONE,
    PTX_LINKAGE_VISIBLE,
    PTX_LINKAGE_EXTERN,
    PTX_LINKAGE_WEAK,
    PTX_LINKAGE_COMMON,
} ptx_linkage;

struct ptx_symbol {
    ptx_symbol_kind kind;
    ptx_linkage linkage; /* of the first declaration in the current text; for variables and functions */
    bool is_defined;     /* by the current text */
    uint32_t depth;      /* of its scope: 0 module, 1 function, 2.. nested */
    uint32_t index, count;
    ptx_type type;
    ptx_variable *variable;
    ptx_function *function;
    ptx_name *name;
    ptx_symbol *shadowed; /* the name's outer meaning */
    ptx_symbol *next_in_scope;
};

enum { PTX_MAX_SCOPES = 64 };

typedef struct ptx_symbols {
    arena *scratch, *texts;
    ptx_name **buckets;
    size_t bucket_count, name_count;
    uint32_t depth;
    uint32_t range_depth;               /* of the innermost open scope that declares register ranges */
    ptx_symbol *scopes[PTX_MAX_SCOPES]; /* declarations of each open scope */
} ptx_symbols;

/* `scratch` holds tables, `texts` the names that outlive them. */
void ptx_symbols_start(ptx_symbols *s, arena *scratch, arena *texts);

ptx_name *ptx_intern(ptx_symbols *s, const char *text, size_t length);

/* Opens a scope; returns false if scopes are nested too deeply. */
bool ptx_scope_open(ptx_symbols *s);
void ptx_scope_close(ptx_symbols *s);

/* Ends a text of the module: names lose their meaning, but keep what is linked. */
void ptx_symbols_end_text(ptx_symbols *s);
/* Links a visible declaration: at module scope the name means what other texts have under it, if they do. */
void ptx_symbols_link(ptx_symbols *s, ptx_name *name);

/* Gives `name` a meaning in the scope `depth`, which must be open; the name must not have a deeper meaning. Returns
 * NULL if that scope has one already. */
ptx_symbol *ptx_declare_at(ptx_symbols *s, ptx_name *name, ptx_symbol_kind kind, uint32_t depth);
ptx_symbol *ptx_declare(ptx_symbols *s, ptx_name *name, ptx_symbol_kind kind);

/* Finds the register range of `name`, such as `%r17`, and its number, unless a deeper scope has that name; NULL if
 * there is none. */
ptx_symbol *ptx_find_range(ptx_symbols *s, const ptx_name *name, uint32_t *number);

#endif
