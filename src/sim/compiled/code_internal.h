/* What load.c and llvm.c share. */
#ifndef HAUL_SIM_COMPILED_CODE_INTERNAL_H
#define HAUL_SIM_COMPILED_CODE_INTERNAL_H

#include "sim/compiled/code.h"

#include <stdint.h>

typedef struct sim_code_symbol {
    char name[16];
    uintptr_t address;
} sim_code_symbol;

struct sim_code {
    void *mapped;
    size_t mapped_bytes;
    sim_code_symbol *symbols;
    size_t symbol_count;
    sim_code *next;
};

#endif
