/* What NVIDIA's assembler makes of kernels, on machines that have it: registers, spills, machine instructions. */
#ifndef HAUL_BASE_MACHINE_CODE_H
#define HAUL_BASE_MACHINE_CODE_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_opcode {
    const char *name; /* with its modifiers: "LDG.E.128" */
    uint32_t count;   /* in the code */
} machine_opcode;

/* As `ptxas -v` says it, a thread. */
typedef struct machine_kernel {
    const char *name;
    uint32_t registers, stack_bytes, spill_store_bytes, spill_load_bytes;
    uint32_t instructions;   /* in the code, padding left out; 0: not known */
    machine_opcode *opcodes; /* the most frequent first; none without a disassembler */
    size_t opcode_count, opcode_capacity;
} machine_kernel;

typedef struct machine_code {
    arena memory;
    jmp_buf out_of_memory;
    machine_kernel *kernels; /* none where there is no ptxas */
    size_t count, capacity;
    uint32_t sm;
} machine_code;

/* Assembles PTX for sm_<sm> (with the letter of the PTX's own target, if that is the same architecture) by the ptxas on
 * the PATH, and has cuobjdump or nvdisasm, if one is there, write the instructions down. Without a ptxas there are no
 * kernels, which is no error. Errors: HAUL_ERROR_COMPILER with what ptxas says, HAUL_ERROR_FILE,
 * HAUL_ERROR_OUT_OF_MEMORY. `code` is to be freed after an error, too. Blocks while they run. */
haul_status machine_code_make(const char *ptx, uint32_t sm, machine_code *code);
void machine_code_free(machine_code *code);

/* NULL: it has no such kernel. */
const machine_kernel *machine_code_find(const machine_code *code, const char *name);

/* ---- parts of it, for texts that were read elsewhere; `code` has been set up by machine_code_begin() ---- */

void machine_code_begin(machine_code *code);
/* What `ptxas -v` writes. */
haul_status machine_code_read_report(machine_code *code, const char *report);
/* How many instructions the kernels of a cubin have. A file that is none says nothing. */
void machine_code_read_file(machine_code *code, const text *cubin);
/* What `cuobjdump -sass` or `nvdisasm -c` writes. Kernels that the report does not have are left out. */
haul_status machine_code_read_listing(machine_code *code, const char *listing);

#endif
