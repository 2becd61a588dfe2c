/* Patterns: the rows of isa.def, parsed. They say which modifiers and types an instruction may have, and what its
 * operands must be. */
#ifndef HAUL_PTX_PATTERN_H
#define HAUL_PTX_PATTERN_H

#include "ptx/ir.h"

/* A suffix: a modifier of `slot`, or one of the types. */
typedef struct ptx_suffix {
    bool is_type, optional;
    uint8_t slot;    /* ptx_slot; for a type: its number, 0 to 3, or PTX_ANY_TYPE */
    uint64_t choice; /* bit i: the slot's i-th modifier, or type i, is allowed */
    uint64_t only;   /* 0, or the types that the suffix requires */
} ptx_suffix;

enum { PTX_ANY_TYPE = 4 };

typedef enum ptx_role {
    PTX_ROLE_DESTINATION,
    PTX_ROLE_SOURCE,
    PTX_ROLE_MEMORY,
    PTX_ROLE_TENSOR,
    PTX_ROLE_LABEL,
    PTX_ROLE_OFFSETS,
    PTX_ROLE_TEXTURE,
    PTX_ROLE_GRADIENTS,
    PTX_ROLE_SHIFTS,
} ptx_role;

/* The source of an operand's type. */
typedef enum ptx_type_source {
    PTX_TYPE_OF_ROW, /* `fixed` */
    PTX_TYPE_FIRST,
    PTX_TYPE_SECOND,
    PTX_TYPE_THIRD,
    PTX_TYPE_FOURTH,
    PTX_TYPE_WIDE,  /* twice as wide as the first */
    PTX_TYPE_TOKEN, /* of an mbarrier's phase: b64, or u32 with .parity */
} ptx_type_source;

typedef struct ptx_operand_slot {
    ptx_role role;
    ptx_type_source source;
    uint8_t fixed; /* ptx_type */
    bool optional;
    bool sink;             /* `_` is allowed */
    bool pair;             /* a predicate may follow: d|p */
    bool pair_required;    /* a predicate must follow */
    bool vector;           /* by the instruction's .v2, .v4 */
    bool packed;           /* or a vector whose elements together are as wide as the type */
    char fragment;         /* part of a matrix in braces: 'a', 'b', 'c' or 'd'; 0: none */
    bool updated;          /* a destination that is also a source */
    bool described;        /* or the descriptor of a matrix in shared memory */
    bool in_tensor_memory; /* an address in tensor memory, in brackets; a source may also be a value */
    bool mask;             /* words of a mask of lanes, in braces */
    bool immediate;        /* an integer constant only */
    bool tied;             /* present if and only if the instruction has a modifier of the slot `tie` */
    uint8_t tie;
} ptx_operand_slot;

enum { PTX_MAX_SUFFIXES = 20 };

typedef struct ptx_pattern {
    uint8_t suffix_count, operand_count;
    bool is_call; /* operands `...` */
    size_t mnemonic_length;
    ptx_suffix suffixes[PTX_MAX_SUFFIXES];
    ptx_operand_slot operands[PTX_MAX_OPERANDS];
} ptx_pattern;

/* Returns the pattern of a ptx_op. All rows are parsed at the first call; one that cannot be has suffix_count 255 (a
 * test rules that out). */
const ptx_pattern *ptx_pattern_of(unsigned op);
enum { PTX_BAD_PATTERN = 255 };

/* Parses a suffix as the rows write it, `slot=a|b`; `types=a|b` stands for any of an instruction's types. Returns false
 * if there is no such suffix. */
bool ptx_read_suffix(const char *text, size_t length, ptx_suffix *suffix);
/* Return whether the instruction has the suffix, and whether an instruction of the row can. */
bool ptx_has_suffix(const ptx_instruction *instruction, const ptx_suffix *suffix);
bool ptx_row_has(unsigned op, const ptx_suffix *suffix);
/* Returns whether an instruction of the row can have the modifier. */
bool ptx_row_allows(unsigned op, unsigned modifier);

/* A resolved opcode; fields as in ptx_instruction. */
typedef struct ptx_opcode {
    uint16_t op;
    uint8_t types[4];
    uint16_t mods[PTX_SLOT_COUNT];
} ptx_opcode;

/* Sets the instruction's row, types and modifiers. */
void ptx_set_opcode(ptx_instruction *instruction, const ptx_opcode *opcode);

/* Finds the row that fits `text`, such as `ld.global.v4.f32`; returns false if none does. Suffixes may stand in any
 * order, except that ambiguous ones must be in the row's order. */
bool ptx_resolve_opcode(const char *text, size_t length, ptx_opcode *opcode);

/* Return whether an instruction with these modifiers must, or may, have the operand `slot`. */
bool ptx_is_required(const ptx_operand_slot *slot, const uint16_t *mods);
bool ptx_is_allowed(const ptx_operand_slot *slot, const uint16_t *mods);

/* Returns the type that `slot` of an instruction requires. */
ptx_type ptx_slot_type(const ptx_operand_slot *slot, const ptx_instruction *instruction);

/* For an instruction with a texture or surface: the number of coordinates, including the layer and one that is ignored
 * in three dimensions; the type of coordinates other than the layer; whether there is a layer; the number of gradients
 * or offsets. */
unsigned ptx_coordinate_count(const ptx_instruction *instruction);
ptx_type ptx_coordinate_type(const ptx_instruction *instruction);
bool ptx_is_layered(const ptx_instruction *instruction);
unsigned ptx_gradient_count(const ptx_instruction *instruction);

/* Returns the number of elements by .v2, .v4, .v8; 1 without. */
unsigned ptx_vector_length(const ptx_instruction *instruction);

#endif
