/* From LLVM's textual IR to code that runs: the compiler's library, loaded when it is first needed, and its objects. */
#ifndef HAUL_SIM_COMPILED_CODE_H
#define HAUL_SIM_COMPILED_CODE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the IR has to know. */
typedef struct sim_compiler_info {
    const char *name; /* "LLVM 14" */
    bool opaque;      /* pointers have no type */
    bool has_fma;     /* the host does fused multiply-add in hardware */
} sim_compiler_info;

/* Whether this is a kind of host that code can be made for. Loads nothing. */
bool sim_compiler_is_possible(void);
/* Loads the library, once; NULL if there is none: sim_compiler_why_not(). */
const sim_compiler_info *sim_compiler(void);
const char *sim_compiler_why_not(void);
/* Called once, when the library has been loaded: the thread that uses it has to end before the library does. */
void sim_compiler_at_exit(void);

/* A module's code, one of a list. */
typedef struct sim_code sim_code;

/* Compiles the IR and puts its code in front of *list. False if that cannot be done. */
bool sim_code_make(const text *ir, sim_code **list);
/* Where a function of the code that was made last is; 0: there is none of that name. */
uintptr_t sim_code_find(const sim_code *code, const char *name);
void sim_code_free(sim_code *list);

/* load.c: maps an object file's code. NULL: it has something in it that is not expected there. */
sim_code *sim_code_load(const unsigned char *object, size_t size);

#endif
