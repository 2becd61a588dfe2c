/* The tables of ir.h, expanded from types.def, isa.def, modifiers.def and special.def. */
#include "ptx/ir.h"

const ptx_type_info ptx_types[PTX_TYPE_COUNT] = {
    {"", 0, 0, PTX_HAS_NONE},
#define TYPE(id, name, bits, kind, has) {name, bits, #kind[0], PTX_HAS_##has},
#include "ptx/types.def"
#undef TYPE
};

const ptx_op_info ptx_ops[PTX_OP_COUNT] = {
#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) \
    {#id, mnemonic, suffixes, operands, effect, #targets, version},
#include "ptx/isa.def"
#undef INSTRUCTION
};

const char *const ptx_slot_names[PTX_SLOT_COUNT] = {
#define SLOT(id, name) name,
#define MODIFIER(id, text)
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
};

const char *const ptx_modifier_names[PTX_MOD_COUNT] = {
    "",
#define SLOT(id, name)
#define MODIFIER(id, text) text,
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
};

/* The slot that a modifier stands below in modifiers.def is the number of SLOT rows before it. The rows of both kinds
 * are numbered in one enum, where each SLOT takes a number that its modifiers count up from. */
enum {
    ROW_BEFORE_ALL = -1,
#define SLOT(id, name) ROW_OF_SLOT_##id,
#define MODIFIER(id, text) ROW_OF_MODIFIER_##id,
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
};

/* A modifier's row number less its own index counts the SLOT rows above it. */
#define SLOT_OF(id) (ROW_OF_MODIFIER_##id - (PTX_MOD_##id - 1) - 1)

const uint8_t ptx_modifier_slots[PTX_MOD_COUNT] = {
    0,
#define SLOT(id, name)
#define MODIFIER(id, text) SLOT_OF(id),
#include "ptx/modifiers.def"
#undef SLOT
#undef MODIFIER
};

const char *const ptx_special_names[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, name, type, version, targets) name,
#include "ptx/special.def"
#undef SPECIAL
};

const uint8_t ptx_special_types[PTX_SPECIAL_COUNT] = {
#define SPECIAL(id, name, type, version, targets) PTX_##type,
#include "ptx/special.def"
#undef SPECIAL
};

const char *const ptx_space_names[PTX_SPACE_PARAM + 1] = {
    [PTX_SPACE_GENERIC] = "generic", [PTX_SPACE_REG] = "reg",     [PTX_SPACE_GLOBAL] = "global",
    [PTX_SPACE_SHARED] = "shared",   [PTX_SPACE_LOCAL] = "local", [PTX_SPACE_CONST] = "const",
    [PTX_SPACE_PARAM] = "param",
};

bool ptx_special_differs_by_lane(unsigned special) {
    switch (special) {
    case PTX_SPECIAL_TID_X:
    case PTX_SPECIAL_TID_Y:
    case PTX_SPECIAL_TID_Z:
    case PTX_SPECIAL_LANEID:
    case PTX_SPECIAL_LANEMASK_EQ:
    case PTX_SPECIAL_LANEMASK_LE:
    case PTX_SPECIAL_LANEMASK_LT:
    case PTX_SPECIAL_LANEMASK_GE:
    case PTX_SPECIAL_LANEMASK_GT: return true;
    default: return false;
    }
}
