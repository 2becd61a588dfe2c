/* Models the reads of a kernel's code and constant banks from L2 and device memory. */
#ifndef HAUL_MACHINE_CODE_FETCH_H
#define HAUL_MACHINE_CODE_FETCH_H

#include "haul/run.h"
#include "machine/machine.h"

/* Returns the bytes of machine code with so many instructions, as the assembler pads them. */
uint64_t sim_code_bytes(double instructions);

/* Returns what a launch with cold caches reads. `bytes` are those of the code, `parameter_bytes` those of the kernel's
 * parameters, `used_sms` the SMs that get blocks. */
haul_code_fetch sim_code_fetch_of(const sim_machine *machine, uint64_t bytes, uint64_t parameter_bytes,
                                  uint32_t used_sms);

#endif
