/* The cache of compiled blocks, in memory and on disk, from this process and earlier ones.
 *
 * Code is found by the IR that it was made from. The IR contains all that the code depends on: operations, shapes of
 * lanes, offsets of members in haul's structures. So cached code is the code that would be made now. A kernel's cache
 * also says which of its blocks were hot: they are installed when the kernel runs again, without a compiler. */
#ifndef HAUL_JIT_CODE_CACHE_H
#define HAUL_JIT_CODE_CACHE_H

#include "base/text.h"
#include "jit/code.h"
#include "lower/lower.h"
#include "state/program.h"

/* Kinds that an operation's lanes have had: a bit for each sim_lanes_kind. */
typedef struct sim_code_cache_kinds {
    uint32_t pc, kinds;
} sim_code_cache_kinds;

typedef struct sim_code_cache_block {
    uint64_t hash[2];     /* of the IR and the compiler's level: sim_code_cache_hash() */
    uint32_t block, form; /* form: sim_code_form */
    sim_code_level level;
    sim_code_cache_kinds *kinds; /* that the IR was written for */
    size_t kind_count;
    text object;
    sim_code *code; /* NULL: not mapped yet */
    bool outdated;  /* there is newer code of the block, or the kernel has changed */
    struct sim_code_cache_block *next;
} sim_code_cache_block;

/* The cache of one kernel. */
typedef struct sim_code_cache sim_code_cache;

/* Returns the kernel's cache, with its contents on disk, valid until released; NULL if there is no memory. */
sim_code_cache *sim_code_cache_hold(const sim_program *p);
/* Saves the cache and releases it. */
void sim_code_cache_release(sim_code_cache *k);
/* Writes new code to disk. */
void sim_code_cache_save(sim_code_cache *k);

/* Returns the current block after `b`, oldest first; `b` NULL: the first. Returns NULL after the last. Blocks remain
 * valid as long as the cache is held. */
const sim_code_cache_block *sim_code_cache_after(sim_code_cache *k, const sim_code_cache_block *b);
/* Gets the compiler that made the code. Returns false if another one would be used now. */
bool sim_code_cache_compiler(sim_code_cache *k, sim_compiler_info *info);

void sim_code_cache_hash(const text *ir, sim_code_level level, uint64_t hash[2]);
/* Returns the mapped code of that IR; NULL if it is not cached. */
const sim_code *sim_code_cache_find(sim_code_cache *k, const uint64_t hash[2]);
/* Caches and maps new code; takes ownership of what `block` owns. Returns NULL if the code cannot be loaded. */
const sim_code *sim_code_cache_add(sim_code_cache *k, sim_code_cache_block *block);
/* Marks the code as outdated: it is not what would be made now. */
void sim_code_cache_drop(sim_code_cache *k, const uint64_t hash[2]);

/* Frees the caches of all kernels that are not held, as in a new process. */
void sim_code_cache_forget(void);
/* Called in a child process after fork(). */
void sim_code_cache_after_fork(void);

#endif
