/* Kinds and traits of instructions: two columns of isa.def, whose words traits.def explains. */
#ifndef HAUL_PTX_TRAITS_H
#define HAUL_PTX_TRAITS_H

#include "ptx/ir.h"

/* A bit each, so that code can ask for several at once. */
enum {
#define KIND(id) PTX_KIND_NUMBER_##id,
#include "ptx/traits.def"
    PTX_KIND_COUNT
};
enum {
#define TRAIT(id) PTX_TRAIT_NUMBER_##id,
#include "ptx/traits.def"
    PTX_TRAIT_COUNT
};
typedef enum ptx_kind {
#define KIND(id) PTX_KIND_##id = 1 << PTX_KIND_NUMBER_##id,
#include "ptx/traits.def"
} ptx_kind;
typedef enum ptx_trait {
#define TRAIT(id) PTX_TRAIT_##id = 1 << PTX_TRAIT_NUMBER_##id,
#include "ptx/traits.def"
} ptx_trait;
_Static_assert(PTX_KIND_COUNT < 32 && PTX_TRAIT_COUNT < 32, "enumerators are ints");

typedef struct ptx_traits {
    uint32_t kind;   /* one ptx_kind */
    uint32_t traits; /* any ptx_trait, combined by | */
} ptx_traits;
extern const ptx_traits ptx_traits_of[PTX_OP_COUNT];

static inline ptx_kind ptx_kind_of(unsigned op) {
    return (ptx_kind)ptx_traits_of[op].kind;
}

/* Whether the instruction is of one of these kinds, combined by |. */
static inline bool ptx_is(unsigned op, unsigned kinds) {
    return (ptx_traits_of[op].kind & kinds) != 0;
}

/* Whether the instruction has one of these traits, combined by |. */
static inline bool ptx_has(unsigned op, unsigned traits) {
    return (ptx_traits_of[op].traits & traits) != 0;
}

/* ---- unions that several files ask for ---- */

/* Its only effect is the registers that it writes, lane by lane, and memory has no part in them. */
static inline bool ptx_is_pure(unsigned op) {
    return ptx_is(op, PTX_KIND_ARITHMETIC | PTX_KIND_ADDRESS);
}

/* A single lane's access to memory at an address of its own. */
static inline bool ptx_is_access(unsigned op) {
    return ptx_is(op, PTX_KIND_LOAD | PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
}

#endif
