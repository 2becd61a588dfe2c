#include "lower/integer.h"

enum { PTX_MOD__ = PTX_MOD_NONE };

#define ENTRY(name, mode, flag, d, a, b, c, e) \
    [SIM_INTEGER_##name] = {false,             \
                            PTX_MOD_##mode,    \
                            PTX_MOD_##flag,    \
                            SIM_ROLE_##d,      \
                            {SIM_ROLE_##a, SIM_ROLE_##b, SIM_ROLE_##c, SIM_ROLE_##e}},
#define EXPANDED(ENTRY, ...) ENTRY(__VA_ARGS__)

const sim_integer_row sim_integer_rows[SIM_INTEGERS] = {
#define INSTRUCTION(id) [SIM_INTEGERS_##id] = {.begins = true},
#define BY_HAND(id) INSTRUCTION(id)
#define ROW(name, mode, flag, types, shape, meaning) EXPANDED(ENTRY, name, mode, flag, SIM_SHAPE_##shape)
#include "lower/integer.def"
};
