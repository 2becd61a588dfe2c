/* The size of machine code: instructions of blocks, and what stands beside them. */
#include "assembler/code_size.h"

#include "assembler/assembler.h"
#include "assembler/rounds.h"

/* A routine that machine code calls for operands that the fast path cannot handle. It stands once in a kernel's code,
 * in single and in double precision; instructions read off machine code by ptxas 13.0. */
typedef struct routine {
    ptx_op op;
    double single, in_double;
} routine;

static const routine routines[] = {{PTX_OP_FDIV, 102, 81}, {PTX_OP_RCP, 47, 34}, {PTX_OP_SQRT, 16, 23}};
enum { ROUTINES = sizeof routines / sizeof *routines };

static double routine_instructions(const ptx_function *f) {
    bool called[ROUTINES][2] = {0};
    double sum = 0;
    for (size_t i = 0; i < f->instruction_count; i++)
        for (size_t r = 0; r < ROUTINES; r++)
            if (f->instructions[i].op == routines[r].op) called[r][f->instructions[i].type == PTX_F64] = true;
    for (size_t r = 0; r < ROUTINES; r++)
        sum += called[r][0] * routines[r].single + called[r][1] * routines[r].in_double;
    return sum;
}

/* Returns the moves of constants that machine code does without, because something else overwrites them first. */
static double overwritten_moves(const ptx_function *f) {
    double sum = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
            sum += sim_is_overwritten(f, i, f->blocks[b].end);
    return sum;
}

/* Returns what machine code has beside the one instruction of an atomic in shared memory that is a loop: a load,
 * arithmetic, a compare-and-swap, a test, and what brings the lanes together again. */
static double loop_instructions(const ptx_function *f, const sim_assembled *assembled) {
    enum { BESIDE = 7 };
    double sum = 0;
    for (size_t i = 0; i < f->instruction_count; i++) sum += assembled[i].loops ? BESIDE : 0;
    return sum;
}

/* Code ends with a branch to itself. */
double sim_code_instructions(const ptx_function *f, const sim_assembled *assembled, const sim_cost *blocks) {
    double sum = 1 + routine_instructions(f) + loop_instructions(f, assembled) - overwritten_moves(f);
    for (uint32_t b = 0; b <= f->block_count; b++) sum += (double)blocks[b].issued;
    return sum;
}
