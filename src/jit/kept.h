/* Code of blocks that has been made before, by this process or by one before it, and is taken again.
 *
 * Code is found by the IR that it was made of, which has all that it depends on in it: operations, the shapes of lanes,
 * where haul's structures have their members. So code that was kept is the code that would be made now. What is kept of
 * a kernel also says which of its blocks were hot: they are in place when it runs again, without a compiler. */
#ifndef HAUL_JIT_KEPT_H
#define HAUL_JIT_KEPT_H

#include "base/text.h"
#include "jit/code.h"
#include "lower/lower.h"
#include "state/program.h"

/* Kinds that the lanes of an operation were of: a bit for each sim_lanes_kind. */
typedef struct sim_kept_kinds {
    uint32_t pc, kinds;
} sim_kept_kinds;

typedef struct sim_kept_block {
    uint64_t hash[2];     /* of the IR and how it was compiled: sim_kept_hash() */
    uint32_t block, form; /* form: sim_code_form */
    sim_code_level level;
    sim_kept_kinds *kinds; /* that the IR was written for */
    size_t kind_count;
    text object;
    sim_code *code; /* NULL: not mapped yet */
    bool outdated;  /* newer code of the block is there, or the kernel has changed */
    struct sim_kept_block *next;
} sim_kept_block;

/* What is kept of one kernel. */
typedef struct sim_kept sim_kept;

/* The kernel's, with what is on disk, for as long as it is held; NULL without memory. */
sim_kept *sim_kept_hold(const sim_program *p);
/* Writes to disk what is not there yet, and lets go. */
void sim_kept_release(sim_kept *k);
/* Writes what is not there yet. */
void sim_kept_save(sim_kept *k);

/* The current block after `b`, the oldest first. NULL as `b`: before the first; as the result: behind the last. Blocks
 * stay as long as the kernel is held. */
const sim_kept_block *sim_kept_after(sim_kept *k, const sim_kept_block *b);
/* The compiler whose code is kept, if it is the one that would be used. */
bool sim_kept_compiler(sim_kept *k, sim_compiler_info *info);

void sim_kept_hash(const text *ir, sim_code_level level, uint64_t hash[2]);
/* The code of that IR, mapped; NULL: it is not kept. */
const sim_code *sim_kept_find(sim_kept *k, const uint64_t hash[2]);
/* Keeps code that the compiler has just made, and maps it; takes what `block` owns. NULL: it cannot be loaded. */
const sim_code *sim_kept_add(sim_kept *k, sim_kept_block *block);
/* It is not what would be made now. */
void sim_kept_drop(sim_kept *k, const uint64_t hash[2]);

/* Nothing is kept of earlier kernels any more, but for those that are held: as in a new process. */
void sim_kept_forget(void);
/* In a child process. */
void sim_kept_after_fork(void);

#endif
