/* Machine code of kernels: of NVIDIA's assembler, if it is installed, or of a cubin that a program carries. */
#ifndef HAUL_BASE_MACHINE_CODE_H
#define HAUL_BASE_MACHINE_CODE_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/run.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_opcode {
    const char *name; /* with its modifiers: "LDG.E.128" */
    uint32_t count;   /* occurrences in the code */
} machine_opcode;

/* An instruction in the order of the code. */
typedef struct machine_line {
    uint32_t address; /* from the kernel's begin */
    const char *text; /* "LDG.E R2, [R2.64] ;" */
    haul_source_place place;
} machine_line;

/* A kernel as `ptxas -v` reports it; figures are per thread. */
typedef struct machine_kernel {
    const char *name;
    uint32_t registers, stack_bytes, spill_store_bytes, spill_load_bytes;
    uint32_t instructions;   /* in the code, without padding; 0: unknown */
    machine_opcode *opcodes; /* most frequent first; none without a disassembler */
    size_t opcode_count, opcode_capacity;
    machine_line *lines; /* none without a disassembler */
    size_t line_count, line_capacity;
} machine_kernel;

typedef struct machine_code {
    arena memory;
    jmp_buf out_of_memory;
    machine_kernel *kernels; /* none without ptxas */
    size_t count, capacity;
    uint32_t sm, most_registers;
} machine_code;

/* Assembles PTX for sm_<sm> (with the letter of the PTX's target, if that is the same architecture) with the ptxas on
 * the PATH, and lists the instructions with nvdisasm or cuobjdump, if one is there; only nvdisasm tells
 * their source lines. `most_registers`: -maxrregcount; 0: none. Without ptxas there are no kernels;
 * that is no error. Errors: HAUL_ERROR_COMPILER with ptxas's message, HAUL_ERROR_FILE, HAUL_ERROR_OUT_OF_MEMORY. `code`
 * must be freed after an error, too. Blocks while the programs run. */
haul_status machine_code_make(const char *ptx, uint32_t sm, uint32_t most_registers, machine_code *code);
void machine_code_free(machine_code *code);

/* Finds a kernel by name; NULL if there is none. */
const machine_kernel *machine_code_find(const machine_code *code, const char *name);

/* ---- parts of it, for texts that were read elsewhere; `code` has been set up by machine_code_begin() ---- */

void machine_code_begin(machine_code *code);
/* Reads the output of `ptxas -v`. */
haul_status machine_code_read_report(machine_code *code, const char *report);
/* Reads the kernels' registers and numbers of instructions from a cubin, and adds kernels that are not there yet. Other
 * files, and what is damaged, are ignored. */
haul_status machine_code_read_file(machine_code *code, const text *cubin);
/* Reads the output of `cuobjdump -sass` or `nvdisasm -c`, with the source lines of `nvdisasm -gi`. Kernels that are not
 * in the report are ignored. */
haul_status machine_code_read_listing(machine_code *code, const char *listing);

#endif
