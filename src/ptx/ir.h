/* The PTX intermediate representation: the parser makes it, all later passes read it.
 *
 * Lifetimes: a module owns one arena. Functions, instructions, operands, names and the source text's copy live in it
 * and end with ptx_module_free(). Names are interned: equal names are equal pointers. Passes that rewrite a function
 * (inlining) allocate in the same arena. */
#ifndef HAUL_PTX_IR_H
#define HAUL_PTX_IR_H

#include "base/arena.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- names of the tables: types.def, modifiers.def, isa.def, special.def ---- */

typedef enum ptx_type {
    PTX_TYPE_NONE,
#define TYPE(id, name, bits, kind, has) PTX_##id,
#include "ptx/types.def"
#undef TYPE
    PTX_TYPE_COUNT
} ptx_type;

typedef enum ptx_slot {
#define SLOT(id, name) PTX_SLOT_##id,
#define MODIFIER(id, text)
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
    PTX_SLOT_COUNT
} ptx_slot;

typedef enum ptx_modifier {
    PTX_MOD_NONE,
#define SLOT(id, name)
#define MODIFIER(id, text) PTX_MOD_##id,
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
    PTX_MOD_COUNT
} ptx_modifier;

typedef enum ptx_op {
#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) PTX_OP_##id,
#include "ptx/isa.def"
#undef INSTRUCTION
    PTX_OP_COUNT
} ptx_op;

typedef enum ptx_special {
#define SPECIAL(id, name, type, version, targets) PTX_SPECIAL_##id,
#include "ptx/special.def"
#undef SPECIAL
    PTX_SPECIAL_COUNT
} ptx_special;

typedef enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM,
} ptx_space;

/* ---- places ---- */

/* A place in the PTX text; lines and columns count from 1. */
typedef struct ptx_position {
    uint32_t line, column;
} ptx_position;

/* A place in the CUDA source, from `.loc`. `inlined_at` is the next outer place (index + 1 into ptx_module.places); 0:
 * none. */
typedef struct ptx_place {
    uint32_t file; /* by `.file`: index into ptx_module.files, whose entry may be NULL */
    uint32_t line, column;
    uint32_t inlined_at;
} ptx_place;

/* ---- operands and instructions ---- */

typedef struct ptx_variable ptx_variable;
typedef struct ptx_function ptx_function;
typedef struct ptx_operand ptx_operand;

typedef enum ptx_operand_kind {
    PTX_REGISTER, /* reg; negated: `!p`, or `-r` of vmad; selector */
    PTX_INTEGER,  /* bits */
    PTX_FLOATING, /* bits of a double (from 0d, decimal) or, if width is 32, of a float (0f) */
    PTX_SPECIAL_REGISTER,
    PTX_VARIABLE_ADDRESS, /* `mov.u64 %rd, name` or name+offset: variable, offset */
    PTX_FUNCTION_ADDRESS, /* function */
    PTX_MEMORY,           /* [base + offset]: parts[0] is the base (register, variable address or integer), offset */
    PTX_VECTOR,           /* {parts[0], ...} */
    PTX_LIST,             /* (parts[0], ...): call arguments and results */
    PTX_PAIR,             /* d|p: parts[0], parts[1] */
    PTX_LABEL,            /* label */
    PTX_SINK,             /* _ */
    PTX_TENSOR,           /* [tensor map or texture, {coordinates}]: parts[0], parts[1] */
    PTX_ABSENT,           /* an omitted optional operand, followed by one that is given */
} ptx_operand_kind;

/* Parts of a register in video instructions: `r.h10`, `r.b7654`. count 0: none. */
typedef struct ptx_selector {
    uint8_t count, bits; /* of a part: 8 or 16 */
    uint8_t part[4];     /* as written from last to first: the one for the lowest part of the result first */
} ptx_selector;

struct ptx_operand {
    ptx_operand_kind kind;
    bool negated;
    uint8_t width;   /* PTX_FLOATING: 32 or 64 */
    uint8_t special; /* ptx_special */
    ptx_selector selector;
    uint32_t reg;   /* index into ptx_function.registers */
    uint32_t label; /* index into ptx_function.labels */
    uint32_t part_count;
    int64_t offset;
    uint64_t bits;
    const ptx_variable *variable;
    ptx_function *function;
    ptx_operand *parts;
    ptx_position position;
};

enum { PTX_MAX_OPERANDS = 10 };

/* One instruction: row `op` of isa.def with its modifiers chosen. Operand i is the row's operand i. Operands omitted at
 * the end are not counted; those omitted before (as in `bar.red.popc.u32 d, id, p`) are PTX_ABSENT. An immediate for an
 * f32 has width 32, for an f64 width 64, however it was written.
 *
 * A call has three operands or four: results (PTX_LIST, may be empty); the function (PTX_FUNCTION_ADDRESS, or
 * PTX_REGISTER if indirect); arguments (PTX_LIST, may be empty); the label of its .callprototype or .calltargets. */
typedef struct ptx_instruction {
    uint16_t op;                       /* ptx_op */
    uint8_t type, type2, type3, type4; /* ptx_type in the order of the suffixes; PTX_TYPE_NONE where absent */
    uint16_t mods[PTX_SLOT_COUNT];     /* ptx_modifier by slot */
    bool guarded, guard_negated;       /* @p, @!p */
    bool keeps_loop;                   /* after a pragma "nounroll": a loop that begins here is not unrolled */
    bool keeps_branch;                 /* a branch that does not become predicates (assembler/branch.c) */
    uint8_t operand_count;
    uint8_t round;  /* the copy's number in an unrolled loop (assembler/unroll.h); 0: the first, or not unrolled */
    uint32_t guard; /* register index */
    uint32_t place; /* index + 1 into ptx_module.places, 0 = none */
    ptx_position position;
    ptx_operand *operands;
} ptx_instruction;

/* ---- declarations ---- */

typedef struct ptx_register {
    const char *name; /* with its %, unique within the function: an inner scope's gets a suffix */
    ptx_type type;
} ptx_register;

/* An address in the initialiser of a variable, to be added when the module loads. */
typedef struct ptx_relocation {
    uint64_t at; /* offset into the bytes */
    uint32_t bytes;
    uint8_t shift; /* the address is shifted down by so many bits: 8 for `0xff00(name)` */
    const ptx_variable *variable;
    ptx_function *function;
    int64_t addend;
    bool generic; /* generic(name): the generic address */
} ptx_relocation;

/* The role of a variable in .param. */
typedef enum ptx_parameter_role {
    PTX_LOCAL_PARAMETER, /* of a body: what calls pass */
    PTX_ENTRY_PARAMETER,
    PTX_FUNCTION_PARAMETER,
    PTX_RESULT,
    PTX_PROTOTYPE_PARAMETER, /* or result; unnamed */
    PTX_FLAT_PARAMETER,      /* of a flat function, which reads and writes it freely */
} ptx_parameter_role;

struct ptx_variable {
    const char *name;
    ptx_space space;
    ptx_parameter_role role;
    ptx_type type;
    uint8_t vector;          /* 1, 2, 4 */
    uint32_t alignment;      /* bytes */
    uint64_t size;           /* bytes; 0 for `extern .shared x[]` */
    const uint64_t *extents; /* of an array, as written; the first is 0 if open */
    uint8_t dimensions;
    uint32_t index;             /* in the module's or function's list; for space REG: its register */
    uint32_t dynamic_alignment; /* of `extern .shared x[]`: the greatest of such arrays up to this one */
    bool is_extern, is_visible, is_weak, is_common, is_managed;
    unsigned char *initial; /* size bytes, or NULL: all zeros */
    ptx_relocation *relocations;
    size_t relocation_count;
    ptx_function *owner; /* NULL: the module */
    ptx_position position;
};

typedef struct ptx_label {
    const char *name;
    uint32_t target;                /* instruction index; may equal instruction_count */
    const uint32_t *branch_targets; /* .branchtargets: label indices */
    uint32_t branch_target_count;
    ptx_function *prototype;           /* .callprototype: a nameless function */
    ptx_function *const *call_targets; /* .calltargets */
    uint32_t call_target_count;
    ptx_position position;
} ptx_label;

/* A basic block: instructions first .. end-1. Its successors are `next` (fall through or jump) and `taken` (conditional
 * branch), or PTX_NO_BLOCK; brx.idx has its list in `table`. `join` is the immediate post-dominator, where diverged
 * lanes reconverge; PTX_NO_BLOCK if that is the exit. `near_joins` lie inside loops around the block that some lanes
 * may leave early, the outermost loop's first: there the remaining lanes reconverge. */
#define PTX_NO_BLOCK 0xffffffffu
typedef struct ptx_block {
    uint32_t first, end;
    uint32_t next, taken;
    const uint32_t *table;
    uint32_t table_count;
    uint32_t join;
    const uint32_t *near_joins;
    uint32_t near_count;
} ptx_block;

/* A called function, whose body a flat function has once: the blocks from `block` on. */
typedef struct ptx_callee {
    const ptx_function *function;
    uint32_t block;
    uint32_t first_variable, end_variable; /* its own .param variables in the flat function */
    uint64_t frame_bytes;                  /* of its .local variables, in the flat function's stack */
    bool may_recur;                        /* it is recursive, or its address is taken */
} ptx_callee;

struct ptx_function {
    const char *name;
    uint32_t index; /* in the module's list */
    bool is_entry, is_visible, is_extern, is_weak;
    bool has_body;
    bool keeps_loops;      /* it, or its module, has the pragma "nounroll" */
    ptx_variable **params; /* in order; space PARAM */
    size_t param_count;
    ptx_variable **results; /* of a .func; space PARAM or REG */
    size_t result_count;
    ptx_register *registers;
    size_t register_count;
    ptx_variable **variables; /* .local, .shared, .param of the body */
    size_t variable_count;
    ptx_label *labels;
    size_t label_count;
    ptx_instruction *instructions;
    size_t instruction_count;
    ptx_block *blocks; /* after ptx_analyse(); block 0 is the entry */
    size_t block_count;
    uint32_t given;               /* bit k: the directive in row k of properties.def, with its value below */
    uint32_t max_threads[3];      /* .maxntid; 0 = not given */
    uint32_t required_threads[3]; /* .reqntid */
    uint32_t min_blocks;          /* .minnctapersm */
    uint32_t max_registers;       /* .maxnreg */
    uint32_t cluster[3];          /* .reqnctapercluster */
    uint32_t explicit_cluster;
    uint32_t blocks_are_clusters;          /* .blocksareclusters: a launch gives its grid in clusters */
    uint32_t max_cluster_rank;             /* .maxclusterrank */
    uint32_t is_noreturn;                  /* .noreturn */
    uint32_t preserved, preserved_control; /* .abi_preserve, .abi_preserve_control */
    const ptx_function *alias_of;          /* .alias: calls mean that function */
    bool is_recursive, is_addressed; /* ptx_find_far(): calls itself, perhaps through others; its address is taken */
    const ptx_callee *callees;       /* of a flat function: called functions */
    size_t callee_count;
    const ptx_variable *arguments, *stack; /* of a flat function with calls; stack may be NULL */
    const ptx_variable *dynamic;           /* of a flat function: memory for alloca; NULL: none */
    ptx_position position;
};

typedef struct ptx_module {
    arena memory;
    jmp_buf out_of_memory; /* where `memory` jumps to while the module is built */
    const char *name;      /* file name, for messages */
    uint32_t version;      /* 83 for .version 8.3 */
    uint32_t sm;           /* 90 for .target sm_90 */
    char sm_suffix;        /* 'a', 'f' or 0 */
    uint8_t target;        /* its row of targets.def; for a later target, the latest row */
    uint32_t address_bits;
    const char **files; /* by `.file` index; NULL: none */
    size_t file_count;
    bool *toolchain_files; /* by file: see users_place.h */
    ptx_place *places;
    size_t place_count, place_capacity;
    ptx_variable **variables; /* module scope: .global, .const, .shared, .extern .shared */
    size_t variable_count;
    const ptx_variable *workspace; /* the variable whose address %envreg1 and %envreg2 hold; or NULL */
    ptx_function **functions;      /* entries, functions and prototypes, in order */
    size_t function_count;
    bool keeps_loops;     /* it has the pragma "nounroll" */
    bool far_known;       /* ptx_find_far() has run */
    uint64_t stack_bytes; /* of a thread, for .local variables of called functions; 0: the default */
} ptx_module;

/* ---- the front end ---- */

/* Parses, resolves names, verifies and analyses control flow. `name` is for messages. On failure `*module` is NULL and
 * the message is `name:line:column: what`; it names unknown and unsupported instructions. The text need not be
 * NUL-terminated and is not kept. */
haul_status ptx_module_parse(const char *name, const char *source, size_t length, ptx_module **module);

/* Links several texts into a module. An `.extern` declaration means another text's visible definition (`.visible`,
 * `.weak`, `.common`); other names are private to their text. Definitions may be missing: that fails when the module is
 * loaded or a kernel that needs them is launched (ptx_find_undefined()). Messages name the text; `name` is the
 * module's. */
typedef struct ptx_source {
    const char *name, *text;
    size_t length;
} ptx_source;
haul_status ptx_module_link(const char *name, const ptx_source *sources, size_t count, ptx_module **module);
/* Finds a variable that no text defines, apart from dynamic shared memory; NULL if there is none. */
const ptx_variable *ptx_find_undefined(const ptx_module *module);
void ptx_module_free(ptx_module *module);

/* Finds the function's blocks and their joins, from its instructions and labels. Allocates in `memory`, which
 * has a jump point. */
void ptx_analyse(ptx_function *function, arena *memory);

/* Checks a function's operands and types against isa.def and PTX's rules. */
haul_status ptx_verify(const ptx_module *module, const ptx_function *function);

/* Finds a kernel by name; NULL if there is none. */
ptx_function *ptx_find_entry(const ptx_module *module, const char *name);

/* ---- tables ---- */

/* Where a type may be declared: nowhere, for registers, or for all variables. */
typedef enum ptx_declarable { PTX_HAS_NONE, PTX_HAS_REG, PTX_HAS_ALL } ptx_declarable;

typedef struct ptx_type_info {
    const char *name;
    uint8_t bits;
    char kind; /* 'B' 'U' 'S' 'F' 'P' */
    ptx_declarable has;
} ptx_type_info;
extern const ptx_type_info ptx_types[PTX_TYPE_COUNT];

typedef struct ptx_op_info {
    const char *id, *mnemonic, *suffixes, *operands, *effect, *targets;
    uint16_t version; /* the first PTX version, times ten */
} ptx_op_info;
extern const ptx_op_info ptx_ops[PTX_OP_COUNT];

extern const char *const ptx_slot_names[PTX_SLOT_COUNT];
extern const char *const ptx_space_names[PTX_SPACE_PARAM + 1];
extern const char *const ptx_modifier_names[PTX_MOD_COUNT];
extern const uint8_t ptx_modifier_slots[PTX_MOD_COUNT];
extern const char *const ptx_special_names[PTX_SPECIAL_COUNT];
extern const uint8_t ptx_special_types[PTX_SPECIAL_COUNT];
/* Returns whether the special register differs between lanes of a warp, like thread indices, lane numbers and masks. */
bool ptx_special_differs_by_lane(unsigned special);

/* Returns whether the instruction is a call that remains in a flat function. It has no lists, since its parameters are
 * in memory, and ends its block. */
static inline bool ptx_is_far_call(const ptx_instruction *i) {
    return i->op == PTX_OP_CALL && i->operand_count == 2 && i->operands[0].kind == PTX_ABSENT;
}

/* Returns the number of threads in the values of .maxntid or .reqntid; 0: not given. */
static inline uint64_t ptx_extent(const uint32_t given[3]) {
    return (uint64_t)given[0] * (given[1] ? given[1] : 1) * (given[2] ? given[2] : 1);
}

/* Returns the number of threads of a block by .reqntid, or else the most by .maxntid; 0: neither is given. */
static inline uint64_t ptx_bounded_threads(const ptx_function *f) {
    return ptx_extent(f->required_threads[0] ? f->required_threads : f->max_threads);
}

/* Returns whether the state space is shared memory of any block of the cluster; false for generic addresses. */
static inline bool ptx_in_shared(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA || space == PTX_MOD_SHARED_CLUSTER;
}

/* Returns whether the memory order makes later accesses wait for this one. */
static inline bool ptx_acquires(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return order == PTX_MOD_ACQUIRE || order == PTX_MOD_MMIO_ACQUIRE || order == PTX_MOD_ACQ_REL;
}

/* Returns whether the memory order makes this access wait for earlier ones. */
static inline bool ptx_releases(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return order == PTX_MOD_RELEASE || order == PTX_MOD_MMIO_RELEASE || order == PTX_MOD_ACQ_REL;
}

/* Whether an operand is one of the special registers `first` to `last`. */
static inline bool ptx_reads_special(const ptx_instruction *i, unsigned first, unsigned last) {
    bool reads = false;
    for (unsigned k = 0; k < i->operand_count; k++)
        reads |= i->operands[k].kind == PTX_SPECIAL_REGISTER && i->operands[k].special >= first &&
                 i->operands[k].special <= last;
    return reads;
}

/* Loads from the kernel's parameters: machine code has them in a constant bank. */
static inline bool ptx_loads_parameter(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return i->op == PTX_OP_LD && (space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY);
}

static inline unsigned ptx_bits(unsigned type) {
    return ptx_types[type].bits;
}

static inline bool ptx_is_signed(unsigned type) {
    return ptx_types[type].kind == 'S';
}

/* Integers of any kind, types of bits too; not predicates. */
static inline bool ptx_is_integer(unsigned type) {
    return ptx_is_signed(type) || ptx_types[type].kind == 'U' || ptx_types[type].kind == 'B';
}

#endif
