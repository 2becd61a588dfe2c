/* Loads of parameters and launch extents from the constant bank, as machine code makes them. */
#include "assembler/values.h"
#include "count/counting.h"
#include "ptx/liveness.h"

/* True if the instruction reads %ntid. */
static bool reads_extent(const ptx_instruction *i) {
    return ptx_reads_special(i, PTX_SPECIAL_NTID_X, PTX_SPECIAL_NTID_Z);
}

/* True for a parameter load at an address known to the assembler. */
static bool reads_parameter(const ptx_instruction *i) {
    return ptx_loads_parameter(i) && i->operands[1].parts[0].kind != PTX_REGISTER;
}

/* True if the block ends with a backward branch. */
static bool leads_back(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return (b->next != PTX_NO_BLOCK && b->next <= block) || (b->taken != PTX_NO_BLOCK && b->taken <= block);
}

/* ---- where values of the bank are used ---- */

typedef struct use_scan {
    const ptx_function *function;
    uint32_t *root;    /* by register: the register loaded from the bank that it is a copy of, + 1; 0: none */
    uint32_t *used_in; /* by root: the last stretch that has used it */
    uint8_t *written;  /* by register: 0, 1, 2 = more */
    uint32_t stretch;  /* a basic block's, or as far as an instruction that is a call in machine code */
    uint32_t from;
    uint8_t uses;
} use_scan;

static void note_write(void *context, uint32_t reg, bool writes) {
    use_scan *scan = context;
    if (writes && scan->written[reg] < 2) scan->written[reg]++;
}

static void note_source(void *context, uint32_t reg, bool writes) {
    use_scan *scan = context;
    if (!writes) scan->from = scan->root[reg];
}

static void note_use(void *context, uint32_t reg, bool writes) {
    use_scan *scan = context;
    const uint32_t root = scan->root[reg];
    if (writes || !root || scan->used_in[root] == scan->stretch) return;
    scan->used_in[root] = scan->stretch;
    scan->uses++;
}

/* Machine code computes such a value of one of the bank again rather than keep it. */
static bool is_scaled(const ptx_instruction *i) {
    return (i->op == PTX_OP_MUL_WIDE || i->op == PTX_OP_SHL) && i->operands[2].kind == PTX_INTEGER;
}

/* True if the instruction gives a register a value of the bank: the load, a copy, or a value scaled by a constant. */
static bool gives_bank_value(use_scan *scan, const ptx_instruction *i) {
    const ptx_operand *d = i->operands;
    if (!i->operand_count || d->kind != PTX_REGISTER || scan->written[d->reg] != 1) return false;
    scan->from = 0;
    if (reads_parameter(i) || (i->op == PTX_OP_MOV && reads_extent(i)))
        scan->from = d->reg + 1;
    else if (i->op == PTX_OP_MOV || i->op == PTX_OP_CVTA || is_scaled(i))
        ptx_visit_registers(i, note_source, scan);
    scan->root[d->reg] = scan->from;
    return scan->from != 0;
}

const uint8_t *sim_bank_uses_find(const ptx_function *f, arena *memory) {
    const size_t registers = f->register_count + 2;
    uint8_t *uses = ARENA_ARRAY(memory, f->instruction_count + 1, uint8_t);
    use_scan scan = {.function = f,
                     .root = ARENA_ARRAY(memory, registers, uint32_t),
                     .used_in = ARENA_ARRAY(memory, registers, uint32_t),
                     .written = ARENA_ARRAY(memory, registers, uint8_t)};
    for (size_t i = 0; i < f->instruction_count; i++) ptx_visit_registers(&f->instructions[i], note_write, &scan);
    for (uint32_t block = 0; block < f->block_count; block++) {
        scan.stretch++;
        for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end; i++) {
            if (gives_bank_value(&scan, &f->instructions[i])) continue;
            scan.uses = 0;
            ptx_visit_registers(&f->instructions[i], note_use, &scan);
            uses[i] = scan.uses;
            if (sim_is_call(&f->instructions[i])) scan.stretch++;
        }
    }
    return uses;
}

/* Machine code loads parameters where they are used: again in each conditional block and after each call, and
 * repeatedly in a loop, for any instruction that uses them. */
sim_bank_loads sim_bank_loads_of(const ptx_function *f, const uint8_t *uses, const haul_traffic *executed) {
    enum { UNSEEN = 2 }; /* per warp: repeated loads and descriptors */
    uint64_t all = 0;
    bool loops = false;
    const uint64_t warps = f->instruction_count ? executed[0].instructions : 0;
    sim_bank_loads loads = {warps, warps, warps * (1 + UNSEEN)};
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *instruction = &f->instructions[i];
        const bool parameter = reads_parameter(instruction), extent = reads_extent(instruction);
        if (extent || (parameter && ptx_bits(instruction->type) == 64)) loads.usual += executed[i].instructions;
        if (extent || parameter) loads.most += executed[i].instructions;
        loads.most += uses[i] * executed[i].instructions;
        all += executed[i].instructions;
    }
    for (size_t b = 0; b < f->block_count; b++) loops |= leads_back(f, (uint32_t)b);
    if (loops) loads.most += all;
    return loads;
}
