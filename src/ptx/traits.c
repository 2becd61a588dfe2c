/* The columns `kind` and `traits` of isa.def as one table. The words of traits.def are enumerators here only, so that
 * the rows can be expanded as they are. */
#include "ptx/traits.h"

/* The words as isa.def writes them. */
enum {
#define KIND(id) id = PTX_KIND_##id,
#include "ptx/traits.def"
#define TRAIT(id) id = PTX_TRAIT_##id,
#include "ptx/traits.def"
};

const ptx_traits ptx_traits_of[PTX_OP_COUNT] = {
#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) {kind, traits},
#include "ptx/isa.def"
#undef INSTRUCTION
};
