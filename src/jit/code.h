/* From LLVM's textual IR to code that runs: the compiler's library, loaded when it is first needed, and its objects. */
#ifndef HAUL_JIT_CODE_H
#define HAUL_JIT_CODE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the IR has to know. */
typedef struct sim_compiler_info {
    const char *name; /* "LLVM 14" */
    bool opaque;      /* pointers have no type */
    bool has_fma;     /* the host does fused multiply-add in hardware */
    bool has_f16;     /* and conversion from and to half precision */
} sim_compiler_info;

/* Whether this is a kind of host that code can be made for. Loads nothing. */
bool sim_compiler_is_possible(void);
/* Loads the library, once; NULL if there is none: sim_compiler_why_not(). */
const sim_compiler_info *sim_compiler(void);
const char *sim_compiler_why_not(void);
bool sim_compiler_is_loaded(void);
/* Called once, when the library has been loaded: the thread that uses it has to end before the library does. */
void sim_compiler_at_exit(void);

enum { SIM_COMPILER_IDENTITY = 512 };

/* Of the library that has been loaded: its name, file, size and date. */
const char *sim_compiler_identity(void);
/* Whether the library of that identity is still there and would be taken. Loads nothing. */
bool sim_compiler_recognise(const char *identity, sim_compiler_info *info);
/* Of the host's processor: its model and what it can do. */
void sim_host_hash(uint64_t hash[2]);

/* How much trouble the compiler takes: LESS makes code that is somewhat slower, in a third of the time. */
typedef enum sim_code_level { SIM_CODE_LESS, SIM_CODE_MORE, SIM_CODE_LEVELS } sim_code_level;

/* Appends the object file that the compiler makes of the IR. False if that cannot be done. */
bool sim_code_make(const text *ir, sim_code_level level, text *object);

/* An object file's code, mapped. */
typedef struct sim_code sim_code;

/* load.c. NULL: it has something in it that is not expected there. */
sim_code *sim_code_load(const unsigned char *object, size_t size);
/* Where a function is; 0: there is none of that name. */
uintptr_t sim_code_find(const sim_code *code, const char *name);
void sim_code_free(sim_code *code);

#endif
