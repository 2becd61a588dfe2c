/* From LLVM's textual IR to executable code: the compiler's library, loaded when first needed, and its object files. */
#ifndef HAUL_JIT_CODE_H
#define HAUL_JIT_CODE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Facts that the IR depends on. */
typedef struct sim_compiler_info {
    const char *name; /* "LLVM 14" */
    bool opaque;      /* pointers have no type */
    bool has_fma;     /* the host has fused multiply-add in hardware */
    bool has_f16;     /* the host converts from and to half precision in hardware */
    bool has_avx512;  /* the host has AVX-512's F and BW, which compiled code names instructions of */
} sim_compiler_info;

/* True if code can be generated for this kind of host. Loads nothing. */
bool sim_compiler_is_possible(void);
/* Loads the library, once. Returns NULL if there is none; sim_compiler_why_not() then says why. */
const sim_compiler_info *sim_compiler(void);
const char *sim_compiler_why_not(void);
bool sim_compiler_is_loaded(void);
/* Called once, when the library has been loaded: the thread that uses it must end before the library does. */
void sim_compiler_at_exit(void);

enum { SIM_COMPILER_IDENTITY = 512 };

/* Returns the loaded library's name, file, size and date. */
const char *sim_compiler_identity(void);
/* True if the library of that identity still exists and would be chosen. Loads nothing. */
bool sim_compiler_recognise(const char *identity, sim_compiler_info *info);
/* Hashes the host processor's model and features. */
void sim_host_hash(uint64_t hash[2]);

/* The compiler's effort: LESS makes somewhat slower code in a third of the time. */
typedef enum sim_code_level { SIM_CODE_LESS, SIM_CODE_MORE, SIM_CODE_LEVELS } sim_code_level;

/* Compiles the IR and appends the object file. Returns false on failure. */
bool sim_code_make(const text *ir, sim_code_level level, text *object);

/* The mapped code of an object file. */
typedef struct sim_code sim_code;

/* elf_loader.c. Returns NULL if the object has something that the loader does not support. */
sim_code *sim_code_load(const unsigned char *object, size_t size);
/* Returns the address of a function; 0 if there is none of that name. */
uintptr_t sim_code_find(const sim_code *code, const char *name);
void sim_code_free(sim_code *code);

#endif
